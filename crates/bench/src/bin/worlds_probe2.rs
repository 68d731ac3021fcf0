use bench::worlds::scene::{Kind, Scene};
use bench::worlds::step::Ours;
use cpu_time::ThreadTime;
use std::hint::black_box;
use superegg::query::batch::{Placed, Threads, distances};
use superegg::query::{Options, distance};
use superegg::shape::Shape;
fn main() {
    let count: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let scene = Scene::new(1, count, 3, Kind::Convex).unwrap();
    println!("margin {} overlapping {}", scene.margin, scene.overlapping);
    let mut ours = Ours::new(&scene).unwrap();
    ours.step(&scene.steps[1], &mut Default::default()).unwrap();
    let pairs: Vec<(usize, usize, f64)> = ours.contacts();
    let at =
        |step: usize, body: usize| Placed { shape: Shape::from(*scene.shape(body)), pose: scene.steps[step][body] };
    for (name, overlap) in [("apart", false), ("overlapping", true)] {
        let list: Vec<[Placed; 2]> =
            pairs.iter().filter(|p| (p.2 < 0.0) == overlap).map(|p| [at(1, p.0), at(1, p.1)]).collect();
        let before: Vec<[Placed; 2]> =
            pairs.iter().filter(|p| (p.2 < 0.0) == overlap).map(|p| [at(0, p.0), at(0, p.1)]).collect();
        for tolerance in [1e-9, 1e-6, 1e-4] {
            let options = Options { tolerance, ..Options::DEFAULT };
            let warm: Vec<Options> = before
                .iter()
                .map(|[a, b]| Options {
                    warm_start: Some(distance(&a.shape, &a.pose, &b.shape, &b.pose, &options).unwrap().warm_start),
                    ..options
                })
                .collect();
            let n = list.len() as f64;
            let t = ThreadTime::now();
            for _ in 0..3 {
                black_box(distances(&list, &options, Threads::One));
            }
            let batch = t.elapsed().as_secs_f64() / 3.0 / n * 1e6;
            let t = ThreadTime::now();
            let mut ev = 0;
            for [a, b] in &list {
                ev += black_box(distance(&a.shape, &a.pose, &b.shape, &b.pose, &options)).unwrap().iterations;
            }
            let cold = t.elapsed().as_secs_f64() / n * 1e6;
            let t = ThreadTime::now();
            let mut evw = 0;
            for ([a, b], o) in list.iter().zip(&warm) {
                evw += black_box(distance(&a.shape, &a.pose, &b.shape, &b.pose, o)).unwrap().iterations;
            }
            let warmt = t.elapsed().as_secs_f64() / n * 1e6;
            let t = ThreadTime::now();
            for [a, b] in &list {
                black_box(superegg_world::bound::gap_along(superegg::DVec3::X, &a.shape, &a.pose, &b.shape, &b.pose));
            }
            let gap = t.elapsed().as_secs_f64() / n * 1e6;
            let same: Vec<Options> = list
                .iter()
                .map(|[a, b]| Options {
                    warm_start: Some(distance(&a.shape, &a.pose, &b.shape, &b.pose, &options).unwrap().warm_start),
                    ..options
                })
                .collect();
            let mut evs = 0;
            let mut hist = [0usize; 12];
            for ([a, b], o) in list.iter().zip(&same) {
                let i = distance(&a.shape, &a.pose, &b.shape, &b.pose, o).unwrap().iterations;
                evs += i;
                hist[(i as usize).min(11)] += 1;
            }
            println!("same pose: {:.2} {hist:?}", evs as f64 / n);
            println!(
                "{name} {n} tol {tolerance:e}: batch {batch:.2} cold {cold:.2} ({:.1}) warm {warmt:.2} ({:.1}) gap {gap:.3}",
                ev as f64 / n,
                evw as f64 / n
            );
        }
    }
}
