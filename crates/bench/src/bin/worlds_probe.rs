use bench::worlds::scene::{Kind, Scene};
use bench::worlds::step::{Ours, Parry, Run};
fn main() {
    let count: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    for kind in [Kind::Convex] {
        let t = std::time::Instant::now();
        let scene = Scene::new(1, count, 12, kind).unwrap();
        println!(
            "{kind:?}: made in {:?}; margin {:.4} neighbours {:.2} overlapping {:.3}",
            t.elapsed(),
            scene.margin,
            scene.neighbours,
            scene.overlapping
        );
        let mut ours = Ours::new(&scene).unwrap();
        let mut run = Run::default();
        for poses in &scene.steps[1..] {
            ours.step(poses, &mut run).unwrap();
        }
        println!(
            "ours {:.2} ms {:?} {:?} {:.0} bytes",
            run.milliseconds(),
            run.means(),
            ours.statistics(),
            ours.bytes_a_body()
        );
        for remember in [false, true] {
            let mut parry = Parry::new(&scene, remember);
            let mut peer = Run::default();
            for poses in &scene.steps[1..] {
                parry.step(poses, &mut peer);
            }
            println!(
                "parry {remember} {:.2} ms {:?} ratio {:.2}",
                peer.milliseconds(),
                peer.means(),
                peer.milliseconds() / run.milliseconds()
            );
        }
    }
}
