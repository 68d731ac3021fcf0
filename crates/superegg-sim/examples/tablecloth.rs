//! Runs a built-in scene and prints what it costs and how deep it gets: `tablecloth [SCENE] [SIZE] [SECONDS]`.

use cpu_time::ThreadTime;
use superegg_sim::scene::built_in;
use superegg_sim::{Clock, PhaseTimes, StepOptions, measure};

struct Processor(ThreadTime);

impl Clock for Processor {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("tablecloth", String::as_str);
    let size = arguments.get(1).and_then(|text| text.parse().ok());
    let mut scene = built_in(name, size).ok_or("no such scene")??;
    if let Some(seconds) = arguments.get(2) {
        scene.seconds = seconds.parse()?;
    }
    let measured = arguments.get(3).is_none();
    let clock = Processor(ThreadTime::now());
    let options = StepOptions { clock: Some(&clock), ..StepOptions::default() };
    let mut sum = PhaseTimes::default();
    let mut deepest = 0.0f64;
    let steps = scene.step_count();
    for index in 0..steps {
        let report = scene.advance(&options)?;
        let times = report.times;
        sum.time_integration += times.time_integration;
        sum.position_constraints += times.position_constraints;
        sum.velocity_constraints += times.velocity_constraints;
        sum.collision_detection += times.collision_detection;
        sum.velocity_update += times.velocity_update;
        let depth = if measured { measure::penetration(&scene.world)? } else { measure::Penetration::default() };
        deepest = deepest.max(depth.max);
        if index % (steps / 20).max(1) == 0 {
            println!(
                "{:6.3} s: {:.3} ms, {} contacts, {} self, speed {:.3}, depth {:.2e} ({}), energy {:.3}",
                scene.world.time,
                times.total() * 1e3,
                report.contacts,
                report.self_contacts,
                report.max_speed,
                depth.max,
                depth.count,
                measure::energy(&scene.world)
            );
        }
    }
    let ms = |phase: f64| phase * 1e3 / steps as f64;
    println!(
        "mean of {steps} steps: integration {:.3}, positions {:.3}, contacts {:.3}, detection {:.3}, velocities {:.3}, total {:.3} ms",
        ms(sum.time_integration),
        ms(sum.position_constraints),
        ms(sum.velocity_constraints),
        ms(sum.collision_detection),
        ms(sum.velocity_update),
        ms(sum.total())
    );
    println!("{} self-intersections at the end", measure::self_intersections(&scene.world));
    println!("deepest {deepest:.3e} m");
    Ok(())
}
