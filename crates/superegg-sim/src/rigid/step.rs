//! One step of a world of rigid bodies.
//!
//! Pairs that may meet are listed once, before anything moves, with a margin for the way that can be made until the step ends.
//! Then come substeps of impulses and motion, in which pairs are asked for points of contact as they come close.

use superegg::InvalidInput;

use super::hung::Hung;
use super::pace::substeps_needed;
use super::sleep::{fall_asleep, wake_touched};
use super::world::RigidWorld;
use crate::clock::{PhaseTimes, StopWatch};
use crate::{SimError, StepOptions};

/// Most substeps of a step.
const MOST_SUBSTEPS: u32 = 10_000;

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidReport {
    /// Seconds spent in each phase; zeros without a clock.
    pub times: PhaseTimes,
    /// Points of contact that carried something at the end.
    pub contacts: usize,
    /// Bodies that were awake.
    pub awake: usize,
    /// A bound of the largest speed of any point of a dynamic body at the end.
    pub max_speed: f64,
}

impl RigidWorld {
    /// Makes a step.
    pub fn step(&mut self, dt: f64, options: &StepOptions) -> Result<RigidReport, SimError> {
        InvalidInput::unless(dt > 0.0 && dt <= 1e3, "dt", dt, "]0, 1000]")?;
        let substeps = options.substeps;
        InvalidInput::unless((1..=MOST_SUBSTEPS).contains(&substeps), "substeps", f64::from(substeps), "[1, 10000]")?;
        let gravity = self.gravity;
        InvalidInput::unless(gravity.is_finite(), "gravity", gravity.length(), "the finite vectors")?;
        let mut report = RigidReport::default();
        let times = &mut report.times;
        let mut watch = StopWatch::new(options.clock);

        let mut spurred = vec![false; self.bodies.len()];
        let hung = self.linkages.iter().flatten().flat_map(|linkage| [linkage.a, linkage.b]);
        for body in hung.chain(self.grips.iter().flatten().map(|grip| grip.body)) {
            if let Some(spurred) = spurred.get_mut(body as usize) {
                *spurred = true;
            }
        }
        self.pairs.gather(&self.bodies, &spurred, dt, gravity.length() * dt)?;
        loop {
            self.pairs.ask(&self.bodies, dt / f64::from(substeps), options.threads)?;
            if !wake_touched(&mut self.bodies, &self.pairs, &self.links, dt) {
                break;
            }
        }
        watch.lap(&mut times.collision_detection);

        // What is off at joints is brought back as fast as with the substeps that were asked for.
        let back = dt / f64::from(substeps);
        let substeps = substeps_needed(&self.linkages, &self.bodies, dt, substeps).min(MOST_SUBSTEPS);
        let h = dt / f64::from(substeps);
        let solver = &mut self.solver;
        solver.begin(&mut self.bodies, &mut self.pairs, options.threads);
        let mut hung = Hung::new(&self.linkages, &self.bodies, &solver.velocities);
        hung.place(&self.linkages, &self.grips, &self.bodies, &solver.velocities, back);
        watch.lap(&mut times.velocity_constraints);
        for _ in 0..substeps {
            if solver.renew(&self.bodies, &mut self.pairs, h)? {
                watch.lap(&mut times.collision_detection);
            }
            solver.accelerate(gravity * h);
            watch.lap(&mut times.time_integration);
            solver.push(&self.bodies, &mut hung, h);
            watch.lap(&mut times.velocity_constraints);
            solver.foresee(&self.bodies, &mut self.pairs, h);
            watch.lap(&mut times.time_integration);
            solver.meet(&self.bodies, &mut self.pairs, h)?;
            watch.lap(&mut times.collision_detection);
            solver.advance(&mut self.bodies, &mut self.pairs, &self.links, h);
            watch.lap(&mut times.time_integration);
            hung.remember(&mut self.linkages, &mut self.grips);
            hung.place(&self.linkages, &self.grips, &self.bodies, &solver.velocities, back);
            solver.relax(&self.bodies, &self.pairs, &mut hung, h);
            watch.lap(&mut times.velocity_constraints);
        }
        hung.remember(&mut self.linkages, &mut self.grips);
        hung.note_forces(&mut self.linkages, dt);
        report.contacts = solver.finish(&mut self.bodies, &mut self.pairs);
        for (index, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.is_moving()) {
            if !(body.centre.is_finite() && body.velocity.is_finite() && body.turning.is_finite()) {
                return Err(SimError::Lost { body: index, position: body.centre });
            }
            if body.is_dynamic() {
                report.awake += 1;
                report.max_speed = report.max_speed.max(body.speed());
            }
        }
        if self.sleeping {
            fall_asleep(&mut self.bodies, &self.pairs, &self.links, dt);
        }
        self.time += dt;
        watch.lap(&mut times.velocity_update);
        Ok(report)
    }
}
