//! Distance, time and iterations of a pair over its motion, and the moments at which it comes into contact.

use std::time::Instant;

use super::{impact, timed};
use crate::method;
use crate::protocol::Plot;
use crate::world::{Placed, World};

/// Slow pairs are asked at fewer times than wanted, so that a plot takes about so many seconds at most,
const BUDGET: f64 = 2.0;
/// but at so many times at least.
const FEWEST: usize = 24;

/// Solves the pair afresh at times that are evenly spread over the whole motion; none when it `is_stale` before it is done.
pub(super) fn of(
    world: &World,
    pair: [u32; 2],
    [a, b]: [usize; 2],
    samples: usize,
    is_stale: &dyn Fn() -> bool,
) -> Option<Plot> {
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
    let solved = |time: f64| {
        let at = |index: usize| Placed { pose: world.pose_at(index, time), ..world.placed()[index].clone() };
        let (a, b) = (at(a), at(b));
        method.and_then(|method| timed(|| method.solve(&a, &b, scene.solver.tolerance)).ok())
    };
    let clock = Instant::now();
    // The middle tells what a query costs.
    let _ = solved(0.5 * scene.duration);
    let affordable = BUDGET / clock.elapsed().as_secs_f64().max(1e-9);
    let samples = samples.min((affordable as usize).max(FEWEST));
    for sample in 0..samples {
        if is_stale() {
            return None;
        }
        let time = scene.duration * sample as f64 / (samples - 1) as f64;
        let solved = solved(time);
        plot.times.push(time);
        plot.distances.push(solved.map(|(solution, _)| solution.distance).filter(|distance| distance.is_finite()));
        plot.nanoseconds.push(solved.map(|(_, time)| time.as_secs_f64() * 1e9));
        plot.iterations.push(solved.map(|(solution, _)| solution.iterations));
    }
    match impact::moments(world, [a, b], is_stale) {
        Ok(impacts) => plot.impacts = impacts,
        Err(refusal) => plot.impact_refusal = Some(refusal.message),
    }
    (!is_stale()).then_some(plot)
}
