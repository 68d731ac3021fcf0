//! Runs a built-in scene of rigid bodies and prints what it costs and how deep it gets:
//! `rigid [SCENE] [BODIES] [SECONDS] [unmeasured]`.

use cpu_time::ThreadTime;
use superegg_sim::rigid::{penetration, scene::built_in};
use superegg_sim::{Clock, StepOptions};

struct Processor(ThreadTime);

impl Clock for Processor {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("bowl", String::as_str);
    let mut scene = built_in(name, arguments.get(1).and_then(|text| text.parse().ok())).ok_or("no such scene")??;
    if let Some(seconds) = arguments.get(2) {
        scene.seconds = seconds.parse()?;
    }
    let measured = arguments.get(3).is_none();
    let clock = Processor(ThreadTime::now());
    let options = StepOptions { clock: Some(&clock), ..StepOptions::default() };
    let (steps, mut deepest) = (scene.step_count(), 0.0f64);
    let (mut detection, mut solving, mut total, mut worst) = (0.0, 0.0, 0.0, 0.0f64);
    for index in 0..steps {
        let report = scene.advance(&options)?;
        let times = report.times;
        detection += times.collision_detection;
        solving += times.velocity_constraints;
        total += times.total();
        worst = worst.max(times.total());
        let depth = if measured { penetration(&scene.world)?.max } else { 0.0 };
        deepest = deepest.max(depth);
        if index % (steps / 30).max(1) == 0 || index + 1 == steps || depth > 5e-3 {
            println!(
                "{:6.2} s: {:.3} ms, {} contacts, {} awake, speed {:.3}, depth {:.2} mm, energy {:.3}",
                scene.world.time,
                times.total() * 1e3,
                report.contacts,
                report.awake,
                report.max_speed,
                1e3 * depth,
                scene.world.energy()
            );
        }
    }
    let ms = |sum: f64| sum * 1e3 / steps as f64;
    println!(
        "{steps} steps: detection {:.3}, solving {:.3}, total {:.3} ms a step, {:.2} ms at most; deepest {:.3} mm",
        ms(detection),
        ms(solving),
        ms(total),
        1e3 * worst,
        1e3 * deepest
    );
    Ok(())
}
