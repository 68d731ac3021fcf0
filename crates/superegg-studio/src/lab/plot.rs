//! Distance, time and iterations of a pair over its motion, and the moments at which it comes into contact.

use super::{impact, timed};
use crate::method;
use crate::protocol::Plot;
use crate::world::{Placed, World};

/// Solves the pair afresh at times that are evenly spread over the whole motion.
pub(super) fn of(world: &World, pair: [u32; 2], [a, b]: [usize; 2], samples: usize) -> Plot {
    let scene = world.scene();
    let method = method::find(&scene.solver.method);
    let mut plot = Plot {
        pair,
        times: vec![],
        distances: vec![],
        nanoseconds: vec![],
        iterations: vec![],
        impacts: vec![],
        impact_refusal: None,
    };
    for sample in 0..samples {
        let time = scene.duration * sample as f64 / (samples - 1) as f64;
        let at = |index: usize| Placed { pose: world.pose_at(index, time), ..world.placed()[index].clone() };
        let (a, b) = (at(a), at(b));
        let solved = method.and_then(|method| timed(|| method.solve(&a, &b, scene.solver.tolerance)).ok());
        plot.times.push(time);
        plot.distances.push(solved.map(|(solution, _)| solution.distance).filter(|distance| distance.is_finite()));
        plot.nanoseconds.push(solved.map(|(_, time)| time.as_secs_f64() * 1e9));
        plot.iterations.push(solved.map(|(solution, _)| solution.iterations));
    }
    match impact::moments(world, [a, b]) {
        Ok(impacts) => plot.impacts = impacts,
        Err(refusal) => plot.impact_refusal = Some(refusal.message),
    }
    plot
}
