//! A grid of seeds, time steps and exponents: rigid bodies that fall into a bowl stay whole, apart, within it and calm.

use superegg::Threads;
use superegg_scene::Scene;
use superegg_scene::built_in::bowl_of;
use superegg_sim::{BodyId, StepOptions, measure};

/// Inner radius of the bowl for up to 50 bodies, in metres.
const BOWL: f64 = 5.0;
/// Exponents from and to: all there are, boxes, ellipsoids, double cones.
const EXPONENTS: [[f64; 2]; 4] = [[0.1, 1.9], [0.1, 0.4], [1.0, 1.0], [1.5, 1.9]];
/// Steps a second, with the substeps of each.
const STEPS: [(f64, u32); 3] = [(30.0, 16), (60.0, 8), (240.0, 2)];

fn scene(count: usize, seed: u64, exponents: [f64; 2], (rate, substeps): (f64, u32)) -> Scene {
    let mut scene = bowl_of(count, seed, exponents).unwrap().build().unwrap();
    (scene.dt, scene.substeps) = (1.0 / rate, substeps);
    scene
}

/// What became of a bowl.
struct Outcome {
    at_rest: Option<f64>,
    deepest: f64,
    /// Bodies that went over the rim.
    spilled: usize,
}

/// Runs a bowl, measuring overlaps after every `every`-th step.
fn run(scene: &mut Scene, seconds: f64, every: usize, what: &str) -> Outcome {
    let options = StepOptions { substeps: scene.substeps, threads: Threads::One, ..StepOptions::default() };
    let bodies: Vec<BodyId> = scene.bodies[1..].to_vec();
    let weight: f64 = bodies.iter().map(|body| 9.81 * scene.world.body(*body).unwrap().mass()).sum();
    let start = scene.world.energy();
    let mut energy = start;
    let mut outcome = Outcome { at_rest: None, deepest: 0.0, spilled: 0 };
    let mut inside = vec![true; bodies.len()];
    for index in 0..(seconds / scene.dt).round() as usize {
        let done = scene.advance(&options).unwrap_or_else(|error| panic!("{what}: {error} at step {index}"));
        let now = scene.world.time;
        outcome.at_rest = if done.max_speed < 0.02 { outcome.at_rest.or(Some(now)) } else { None };
        // Impulses that are not exact may add a little to an impact, less than what lifts everything by a centimetre; over all
        // it only gets less: nothing explodes.
        let gained = scene.world.energy() - energy;
        assert!(gained < 1e-2 * weight, "{what}: {gained} J out of nothing at {now} s");
        energy = scene.world.energy();
        assert!(energy < start + 1e-6 * weight, "{what}: {} J more than at first at {now} s", energy - start);
        if (index + 1) % every == 0 {
            outcome.deepest = outcome.deepest.max(measure::body_penetration(&scene.world).unwrap().max);
        }
        for (body, inside) in bodies.iter().zip(&mut inside).filter(|(_, inside)| **inside) {
            let place = scene.world.body(*body).unwrap().center();
            assert!(place.is_finite(), "{what}: {body:?} is at {place}");
            if place.z < 0.0 && place.length() > BOWL {
                // Over the rim, within a body's size of it, but not through the wall.
                assert!(place.z > -0.6, "{what}: {body:?} went through the wall, to {place} at {now} s");
                *inside = false;
                outcome.spilled += 1;
            }
        }
    }
    outcome
}

#[test]
fn seeds_steps_and_exponents() {
    for (index, exponents) in EXPONENTS.into_iter().enumerate() {
        for (number, steps) in STEPS.into_iter().enumerate() {
            let seed = (7 * index + number) as u64;
            let what = format!("seed {seed}, 1/{} s, exponents {exponents:?}", steps.0);
            let outcome = run(&mut scene(12, seed, exponents, steps), 2.0, 5, &what);
            assert!(outcome.deepest < 2e-3, "{what}: {} deep", outcome.deepest);
            assert_eq!(outcome.spilled, 0, "{what}");
        }
    }
}

/// All seeds with all steps and exponents, 50 bodies each, every step judged. Boxes fill more of the bowl than it holds: a few
/// go over the rim. With longer steps than the scene's own a body may go on rocking.
#[test]
#[ignore = "minutes: run by `cargo xtask long`"]
fn long_grid_of_seeds_steps_and_exponents() {
    for seed in 1..=4 {
        for exponents in EXPONENTS {
            for steps in STEPS {
                let what = format!("seed {seed}, 1/{} s, exponents {exponents:?}", steps.0);
                let Outcome { at_rest, deepest, spilled } = run(&mut scene(50, seed, exponents, steps), 15.0, 1, &what);
                println!("{what}: at rest since {at_rest:?} s, {:.3} mm deep, {spilled} spilled", 1e3 * deepest);
                let boxes = exponents[1] < 1.0;
                assert!(deepest < 5e-3, "{what}: {deepest} deep");
                assert!(spilled <= if boxes { 4 } else { 0 }, "{what}: {spilled} spilled");
                assert!(steps.0 != 60.0 || spilled > 0 || at_rest.is_some(), "{what}: still moving");
            }
        }
    }
}
