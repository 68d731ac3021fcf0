//! Runs a built-in scene of cloth and prints, every half second, what it costs and how it fares:
//! `cloth [SCENE] [SECONDS] [SEPARATION]`; the separation is the tablecloth's from itself. `mesh` is the tablecloth over a mesh of
//! 10,000 triangles.

use cpu_time::ThreadTime;
use superegg_scene::built_in::{self, tablecloth, tablecloth_over_mesh};
use superegg_sim::{Clock, PhaseTimes, StepOptions, measure};

struct Processor(ThreadTime);

impl Clock for Processor {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("blanket", String::as_str);
    let mut scene = match arguments.get(2) {
        Some(separation) if name == "tablecloth" => tablecloth(3240, Some(separation.parse()?))?.build()?,
        _ if name == "mesh" => tablecloth_over_mesh(3240, 5000)?.build()?,
        _ => built_in::scene(name, None).ok_or("no such scene")??,
    };
    if let Some(seconds) = arguments.get(1) {
        scene.seconds = seconds.parse()?;
    }
    let clock = Processor(ThreadTime::now());
    let options = StepOptions { clock: Some(&clock), ..StepOptions::default() };
    let count = scene.step_count();
    let every = (0.5 / scene.dt).round() as usize;
    let mut whole = 0.0;
    let mut sums = PhaseTimes::default();
    println!("time   ms a step  constraints  detection  contacts  | pairs held    fastest  deepest mm  intersections");
    for index in 1..=count {
        let done = scene.advance(&options)?;
        whole += done.times.total();
        sums.position_constraints += done.times.position_constraints;
        sums.collision_detection += done.times.collision_detection;
        sums.velocity_constraints += done.times.velocity_constraints;
        sums.velocity_update += done.times.velocity_update + done.times.time_integration;
        if index % every == 0 || index == count {
            let ms = |seconds: f64| 1e3 * seconds / every as f64;
            println!(
                "{:5.2} {:10.3} {:12.3} {:10.3} {:9.3}  | {:13} {:8.4} {:11.3} {:14}",
                scene.world.time,
                ms(sums.total()),
                ms(sums.position_constraints),
                ms(sums.collision_detection),
                ms(sums.velocity_constraints),
                done.contacts.cloth_cloth + done.contacts.cloth_mesh,
                done.max_speed,
                1e3 * measure::cloth_penetration(&scene.world)?.max,
                measure::self_intersections(&scene.world) + measure::mesh_intersections(&scene.world)?,
            );
            sums = PhaseTimes::default();
        }
    }
    println!("{name}: {:.3} ms a step", 1e3 * whole / count as f64);
    Ok(())
}
