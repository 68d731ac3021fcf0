//! Bodies in a step.
//!
//! Pairs that may meet are listed once, before anything moves, with a margin for the way that can be made until the step ends.
//! Then come substeps of impulses and motion, in which pairs are asked for points of contact as they come close.

use glam::{DQuat, DVec3};
use superegg::shape::Aabb;
use superegg_world::bound::Bound;

use super::impulses::Impulses;
use super::islands::{fall_asleep, wake, wake_touched};
use super::options::{MOST_SUBSTEPS, StepOptions};
use super::substep_count::substeps_needed;
use super::surfaces::Surfaces;
use crate::SimError;
use crate::body::BodyState;
use crate::clock::{PhaseTimes, StopWatch};
use crate::contact::SKIN;
use crate::contact::broad::Pairs;
use crate::joint::JointSolver;
use crate::joint::drag::DragState;
use crate::joint::state::{JointState, WORLD};

/// All bodies, and what joins them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    /// By their slots.
    pub list: Vec<BodyState>,
    pub pairs: Pairs,
    pub impulses: Impulses,
    /// By their slots; and the pairs of bodies that hang together by them.
    pub joints: Vec<Option<JointState>>,
    pub links: Vec<[u32; 2]>,
    pub drags: Vec<Option<DragState>>,
}

/// What a step of bodies is made with.
pub(crate) struct BodyStep {
    jointed: JointSolver,
    /// How many substeps joints need, at least as many as were asked for.
    pub substeps: u32,
}

impl Bodies {
    /// Whether nothing can be pushed: then bodies only move by themselves.
    pub fn are_unmoved(&self) -> bool {
        !self.list.iter().any(BodyState::is_dynamic)
    }

    /// Wakes the island of a body.
    pub fn wake(&mut self, body: u32) {
        wake(&mut self.list, &self.pairs, &self.links, &[body]);
    }

    /// Notes which bodies hang together.
    pub fn relink(&mut self) {
        let both = self.joints.iter().flatten().map(|joint| [joint.a, joint.b]);
        self.links = both.filter(|[a, _]| *a != WORLD).collect();
    }

    /// Begins a step: what may meet is known, and all that something fast is about to touch is awake. The number of substeps is a
    /// multiple of those that were asked for if `whole`.
    pub fn begin_step(
        &mut self,
        gravity: DVec3,
        dt: f64,
        options: &StepOptions,
        whole: bool,
        (watch, times): (&mut StopWatch, &mut PhaseTimes),
    ) -> Result<BodyStep, SimError> {
        let substeps = options.substeps;
        let mut spurred: Vec<bool> =
            self.list.iter().map(|body| body.force != DVec3::ZERO || body.pushed_by_cloth).collect();
        let hung = self.joints.iter().flatten().flat_map(|joint| [joint.a, joint.b]);
        for body in hung.chain(self.drags.iter().flatten().map(|drag| drag.body)) {
            if let Some(spurred) = spurred.get_mut(body as usize) {
                *spurred = true;
            }
        }
        self.pairs.gather(&self.list, &spurred, dt, gravity.length() * dt, options.threads)?;
        loop {
            self.pairs.ask(&self.list, dt / f64::from(substeps), options.threads)?;
            if !wake_touched(&mut self.list, &self.pairs, &self.links, dt) {
                break;
            }
        }
        watch.lap(&mut times.collision_detection);
        // What is off at joints is brought back as fast as with the substeps that were asked for.
        let back = dt / f64::from(substeps);
        let needed = substeps_needed(&self.joints, &self.list, dt, substeps).min(MOST_SUBSTEPS);
        let substeps = if whole { needed.div_ceil(substeps) * substeps } else { needed };
        self.impulses.reports = options.contacts;
        self.impulses.begin(&mut self.list, &mut self.pairs, options.threads);
        let times_of_joints = [back, dt / f64::from(substeps)];
        let mut jointed = JointSolver::new(&self.joints, &self.list, &self.impulses.velocities, times_of_joints);
        jointed.place(&mut self.joints, &self.drags, &self.list, &self.impulses.velocities);
        watch.lap(&mut times.velocity_constraints);
        Ok(BodyStep { jointed, substeps })
    }

    /// Makes the first of `left` substeps of length `h`.
    pub fn substep(
        &mut self,
        BodyStep { jointed, .. }: &mut BodyStep,
        left: f64,
        h: f64,
        gravity: DVec3,
        (watch, times): (&mut StopWatch, &mut PhaseTimes),
    ) -> Result<(), SimError> {
        let Bodies { list, pairs, impulses, joints, links, drags } = self;
        impulses.aim(list, left, h);
        if impulses.renew(list, pairs, h)? {
            watch.lap(&mut times.collision_detection);
        }
        impulses.accelerate(list, gravity, h);
        watch.lap(&mut times.time_integration);
        impulses.push(list, joints, jointed, h);
        watch.lap(&mut times.velocity_constraints);
        impulses.foresee(list, pairs, h);
        watch.lap(&mut times.time_integration);
        impulses.meet(list, pairs, h)?;
        watch.lap(&mut times.collision_detection);
        impulses.advance(list, pairs, links, h);
        watch.lap(&mut times.time_integration);
        jointed.remember(joints, drags);
        jointed.place(joints, drags, list, &impulses.velocities);
        impulses.relax(list, pairs, joints, jointed, h);
        watch.lap(&mut times.velocity_constraints);
        Ok(())
    }

    /// Moves bodies that move by themselves, where nothing can be pushed.
    pub fn advance_unmoved(&mut self, left: f64, h: f64) {
        for body in &mut self.list {
            body.aim(left, h);
            if body.is_moving() {
                body.advance(h);
            }
        }
    }

    /// Ends a step: bodies have their velocities, what is still sleeps. Returns how many points of contact carry something.
    pub fn end_step(&mut self, step: Option<BodyStep>, dt: f64) -> Result<usize, SimError> {
        let mut carrying = 0;
        if let Some(BodyStep { jointed, .. }) = step {
            jointed.remember(&mut self.joints, &mut self.drags);
            jointed.note_forces(&mut self.joints, dt);
            carrying = self.impulses.finish(&mut self.list, &mut self.pairs);
        }
        for (index, body) in self.list.iter_mut().enumerate() {
            if body.target.take().is_some() {
                (body.velocity, body.turning) = (DVec3::ZERO, DVec3::ZERO);
            }
            if body.is_moving() && !(body.center.is_finite() && body.velocity.is_finite() && body.turning.is_finite()) {
                return Err(SimError::Lost { what: "body", index, position: body.center });
            }
        }
        Ok(carrying)
    }

    /// Lets islands of bodies and surfaces sleep that have been still for long enough.
    pub fn fall_asleep(&mut self, surfaces: &mut Surfaces, windy: bool, dt: f64) {
        let touched = touched_parts(self, surfaces, dt);
        fall_asleep(&mut self.list, &self.pairs, &self.links, surfaces, &touched, windy, dt);
    }

    /// Where a proxy of a body may get in a time.
    pub fn reach_of(&self, proxy: u32, body: u32, dt: f64) -> Aabb {
        let (proxy, state) = (&self.pairs.proxies[proxy as usize], &self.list[body as usize]);
        if !proxy.radius.is_finite() {
            return Aabb::EVERYTHING;
        }
        let way = if state.is_moving() { state.speed() * dt } else { 0.0 };
        proxy.grown_box(state, way + SKIN)
    }

    /// Puts bodies back to where a substep began, and with them all dynamic ones that may have moved into their places, or hang on
    /// them. Those that cannot move on have no velocity, as far as it was theirs.
    pub fn put_back(&mut self, held: &[u32], start: &[(DVec3, DQuat)]) {
        let near = self.pairs.list.iter().map(|pair| pair.bodies).chain(self.links.iter().copied());
        let neighbours: Vec<[u32; 2]> = near.collect();
        let mut found = vec![false; self.list.len()];
        held.iter().for_each(|body| found[*body as usize] = true);
        loop {
            let mut any = false;
            for &[a, b] in &neighbours {
                let [has_a, has_b] = [a, b].map(|body| found[body as usize]);
                let new = if has_a { b } else { a };
                if has_a != has_b && self.list[new as usize].is_dynamic() {
                    found[new as usize] = true;
                    any = true;
                }
            }
            if !any {
                break;
            }
        }
        for (index, &(center, rotation)) in start.iter().enumerate().filter(|(index, _)| found[*index]) {
            self.list[index].put_back(center, rotation);
            if let Some(trajectory) = self.pairs.trajectories.get_mut(index) {
                trajectory.center = center;
            }
        }
        for body in held.iter().filter(|body| self.list[**body as usize].is_dynamic()) {
            self.impulses.stop(*body as usize);
        }
    }
}

/// Which bodies are near which surfaces: those that cloth pushed, and those that move by themselves.
fn touched_parts(bodies: &Bodies, surfaces: &Surfaces, dt: f64) -> Vec<(u32, usize)> {
    let mut touched = Vec::new();
    let matters = |body: u32| {
        let state = &bodies.list[body as usize];
        state.pushed_by_cloth || !state.is_dynamic() && state.is_moving()
    };
    for (proxy, body) in surfaces.met().filter(|(_, body)| matters(*body)) {
        let reach = bodies.reach_of(proxy, body, dt);
        let near = surfaces.parts.iter().enumerate().filter(|(_, part)| reach.overlaps(&part.sleep.bounds));
        touched.extend(near.map(|(part, _)| (body, part)));
    }
    touched
}
