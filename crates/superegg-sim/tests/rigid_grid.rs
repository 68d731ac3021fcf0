//! A grid of seeds, time steps and exponents: rigid bodies that fall into a bowl stay whole, apart, within it and calm.

use superegg::query::batch::Threads;
use superegg_sim::StepOptions;
use superegg_sim::rigid::scene::{RigidScene, bowl_of};
use superegg_sim::rigid::{RigidId, penetration};

/// Inner radius of the bowl for up to 50 bodies, in metres.
const BOWL: f64 = 5.0;
/// Exponents from and to: all there are, boxes, ellipsoids, double cones.
const EXPONENTS: [[f64; 2]; 4] = [[0.1, 1.9], [0.1, 0.4], [1.0, 1.0], [1.5, 1.9]];
/// Steps a second, with the substeps of each.
const STEPS: [(f64, u32); 3] = [(30.0, 16), (60.0, 8), (240.0, 2)];

fn scene(count: usize, seed: u64, exponents: [f64; 2], (rate, substeps): (f64, u32)) -> RigidScene {
    RigidScene { dt: 1.0 / rate, substeps, ..bowl_of(count, seed, exponents).unwrap() }
}

/// Runs a bowl, looking for overlaps after every `every`-th step. Returns since when all was at rest.
fn run(scene: &mut RigidScene, seconds: f64, every: usize, what: &str) -> Option<f64> {
    let options = StepOptions { substeps: scene.substeps, threads: Threads::One, clock: None };
    let bodies = || (1..scene.world.len()).map(RigidId);
    let weight: f64 = bodies().map(|body| 9.81 * scene.world.mass(body).unwrap()).sum();
    let mut energy = scene.world.energy();
    let mut at_rest = None;
    for index in 0..(seconds / scene.dt).round() as usize {
        let done = scene.advance(&options).unwrap_or_else(|error| panic!("{what}: {error} at step {index}"));
        let now = scene.world.time;
        at_rest = if done.max_speed < 0.02 { at_rest.or(Some(now)) } else { None };
        // What pushes bodies apart may lift them by a little, but nothing explodes.
        let gained = scene.world.energy() - energy;
        assert!(gained < 1e-3 * weight, "{what}: {gained} J out of nothing at {now} s");
        energy = scene.world.energy();
        if (index + 1) % every == 0 {
            let deepest = penetration(&scene.world).unwrap().max;
            assert!(deepest < 5e-3, "{what}: {deepest} deep at {now} s");
        }
        for body in (1..scene.world.len()).map(RigidId) {
            let place = scene.world.centre(body).unwrap();
            // Nothing gets through the wall, and nothing is thrown out.
            let inside = if place.z < 0.0 { place.length() < BOWL } else { place.truncate().length() < BOWL };
            assert!(place.is_finite() && inside, "{what}: body {} is at {place} at {now} s", body.0);
        }
    }
    at_rest
}

#[test]
fn seeds_steps_and_exponents() {
    for (index, exponents) in EXPONENTS.into_iter().enumerate() {
        for (number, steps) in STEPS.into_iter().enumerate() {
            let seed = (7 * index + number) as u64;
            let what = format!("seed {seed}, 1/{} s, exponents {exponents:?}", steps.0);
            run(&mut scene(12, seed, exponents, steps), 2.0, 5, &what);
        }
    }
}

/// All seeds with all steps and exponents, 50 bodies each, every step judged.
#[test]
#[ignore = "minutes: run by `cargo xtask long`"]
fn long_grid_of_seeds_steps_and_exponents() {
    let mut latest = 0.0f64;
    for seed in 1..=4 {
        for exponents in EXPONENTS {
            for steps in STEPS {
                let what = format!("seed {seed}, 1/{} s, exponents {exponents:?}", steps.0);
                let at_rest = run(&mut scene(50, seed, exponents, steps), 15.0, 1, &what);
                println!("{what}: at rest by {at_rest:?} s");
                latest = latest.max(at_rest.unwrap_or_else(|| panic!("{what}: still moving")));
            }
        }
    }
    assert!(latest < 15.0);
}
