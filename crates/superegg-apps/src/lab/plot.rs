//! Distance, time and iterations of a pair over its motion, and the moments at which it comes into contact: one sample, or one
//! step of the search for such a moment, at a time.

use super::contacts::timed;
use super::impact::Search;
use super::messages::{Plot, Reply};
use super::method;
use super::placed::Placed;
use super::world::World;
use crate::session::{Clock, Slice, Step, Task};
use crate::wire::Refusal;

/// Slow pairs are asked at fewer times than wanted, so that a plot takes about so many seconds at most,
const BUDGET: f64 = 2.0;
/// but at so many times at least.
const FEWEST: usize = 24;

/// A plot on its way.
pub(super) struct Plotting {
    world: World,
    indices: [usize; 2],
    /// As many times as wanted, and as can be afforded once that is known.
    wanted: usize,
    samples: Option<usize>,
    plot: Plot,
    search: Search,
}

impl Plotting {
    pub fn new(world: World, pair: [u32; 2], indices: [usize; 2], wanted: usize) -> Plotting {
        let plot = Plot {
            pair,
            times: vec![],
            distances: vec![],
            nanoseconds: vec![],
            iterations: vec![],
            impacts: vec![],
            impact_refusal: None,
        };
        Plotting { search: Search::new(indices), world, indices, wanted, samples: None, plot }
    }

    fn solved(&self, time: f64, clock: &dyn Clock) -> Option<(method::Solution, f64)> {
        let at = |index: usize| Placed { pose: self.world.pose_at(index, time), ..self.world.placed()[index].clone() };
        let [a, b] = self.indices.map(at);
        let solver = &self.world.scene().solver;
        method::find(&solver.method).and_then(|method| timed(|| method.solve(&a, &b, solver.tolerance), clock).ok())
    }

    /// One sample; false when all are there.
    fn sample(&mut self, clock: &dyn Clock) -> bool {
        let duration = self.world.scene().duration;
        let Some(samples) = self.samples else {
            // The middle tells what a query costs.
            let start = clock.now();
            let _ = self.solved(0.5 * duration, clock);
            let affordable = BUDGET / (clock.now() - start).max(1e-9);
            self.samples = Some(self.wanted.min((affordable as usize).max(FEWEST)));
            return true;
        };
        let sample = self.plot.times.len();
        if sample == samples {
            return false;
        }
        let time = duration * sample as f64 / (samples - 1) as f64;
        let solved = self.solved(time, clock);
        self.plot.times.push(time);
        self.plot.distances.push(solved.map(|(solution, _)| solution.distance).filter(|distance| distance.is_finite()));
        self.plot.nanoseconds.push(solved.map(|(_, seconds)| seconds * 1e9));
        self.plot.iterations.push(solved.map(|(solution, _)| solution.iterations));
        true
    }
}

impl Task<Reply> for Plotting {
    fn step(&mut self, slice: &Slice) -> Result<Step<Reply>, Refusal> {
        while self.sample(slice.clock) {
            if slice.spent() {
                return Ok(Step::More);
            }
        }
        loop {
            match self.search.step(&self.world, slice.clock) {
                Ok(true) => {}
                Ok(false) => break,
                Err(refusal) => {
                    self.plot.impact_refusal = Some(refusal.message);
                    break;
                }
            }
            if slice.spent() {
                return Ok(Step::More);
            }
        }
        let mut plot = self.plot.clone();
        if plot.impact_refusal.is_none() {
            plot.impacts = self.search.found().to_vec();
        }
        Ok(Step::Done(Reply::Plot(plot), vec![]))
    }
}
