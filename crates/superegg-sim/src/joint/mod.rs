//! Joints: what they are ([`kinds`](self)), where they are ([`state`](self)), and how they are solved: what they hold, servos, springs
//! and limits exactly ([`articulation`](self), [`stop`](self)), friction, gears and drags in turn with the contacts.

pub(crate) mod articulation;
mod axis_row;
pub(crate) mod constraint_row;
pub(crate) mod drag;
mod equality;
mod kinds;
pub(crate) mod state;
mod stop;

use articulation::Articulation;
use axis_row::AxisRow;
use constraint_row::{Softness, Velocities, Velocity};
use drag::{DragRows, DragState};
use glam::DVec3;
pub use kinds::{Axis, AxisState, Cone, Joint, JointKind, Mimic, Servo, Spring, axes_frame, axis_frame};
use state::{Friction, JointState};

use crate::body::BodyState;

/// How often gears are corrected in turn with the joints.
const ROUNDS: usize = 8;

/// An axis that follows another, as one row on up to four bodies.
struct Gear {
    /// Each body, and what a unit of impulse does to it along its velocity and about its center of mass.
    ends: Vec<(u32, DVec3, DVec3)>,
    bias: f64,
    mass: f64,
}

impl Gear {
    fn new(
        velocities: &Velocities,
        follower: (&AxisRow, [u32; 2]),
        leader: (&AxisRow, [u32; 2]),
        ratio: f64,
        bias: f64,
    ) -> Gear {
        let mut ends: Vec<(u32, DVec3, DVec3)> = Vec::new();
        for ((row, bodies), scale) in [(follower, 1.0), (leader, -ratio)] {
            for (end, body) in bodies.into_iter().enumerate() {
                let (linear, angular) = row.jacobian(end);
                match ends.iter_mut().find(|(other, ..)| *other == body) {
                    Some(known) => {
                        known.1 += linear * scale;
                        known.2 += angular * scale;
                    }
                    None => ends.push((body, linear * scale, angular * scale)),
                }
            }
        }
        let of = |(body, linear, angular): &(u32, DVec3, DVec3)| {
            let body = *body as usize;
            velocities.list[body].inverse_mass * linear.length_squared()
                + angular.dot(velocities.masses.inverse_inertias[body] * *angular)
        };
        let sum: f64 = ends.iter().map(of).sum();
        Gear { ends, bias, mass: if sum > 0.0 { 1.0 / sum } else { 0.0 } }
    }

    /// Corrects it once.
    fn solve(&self, velocities: &mut Velocities, with_bias: bool) {
        let speed_of = |list: &[Velocity], (body, linear, angular): &(u32, DVec3, DVec3)| {
            let velocity = &list[*body as usize];
            linear.dot(velocity.linear) + angular.dot(velocity.angular)
        };
        let speed: f64 = self.ends.iter().map(|end| speed_of(&velocities.list, end)).sum();
        let impulse = -self.mass * (speed + if with_bias { self.bias } else { 0.0 });
        for (body, linear, angular) in &self.ends {
            let body = *body as usize;
            let velocity = &mut velocities.list[body];
            velocity.linear += *linear * (impulse * velocity.inverse_mass);
            velocity.angular += velocities.masses.inverse_inertias[body] * *angular * impulse;
        }
    }
}

/// Joints and drags of a step.
pub(crate) struct JointSolver {
    articulation: Articulation,
    frictions: Vec<Friction>,
    gears: Vec<Gear>,
    drag_rows: Vec<DragRows>,
    /// In what time joints that are off are brought back, and the length of a substep.
    times: [f64; 2],
}

impl JointSolver {
    /// Of bodies that are brought back in one time and solved in substeps of another.
    pub fn new(
        joints: &[Option<JointState>],
        bodies: &[BodyState],
        velocities: &Velocities,
        times: [f64; 2],
    ) -> JointSolver {
        let articulation =
            if joints.is_empty() { Articulation::default() } else { Articulation::new(joints, bodies, velocities) };
        JointSolver { articulation, frictions: Vec::new(), gears: Vec::new(), drag_rows: Vec::new(), times }
    }

    /// Works everything out from where the bodies are.
    pub fn place(
        &mut self,
        joints: &mut [Option<JointState>],
        drags: &[Option<DragState>],
        bodies: &[BodyState],
        velocities: &Velocities,
    ) {
        self.frictions.clear();
        self.gears.clear();
        if !self.articulation.is_empty() {
            self.articulation.factor(joints, bodies, self.times);
        }
        let awake = |body: u32| velocities.list[body as usize].inverse_mass > 0.0;
        for (number, joint) in (0u32..).zip(joints.iter_mut()) {
            if let Some(joint) = joint.as_mut().filter(|joint| joint.ends(bodies).into_iter().any(awake)) {
                joint.count_turns(bodies);
                joint.frictions(number, bodies, velocities, &mut self.frictions);
            }
        }
        for joint in joints.iter().flatten() {
            for (which, &(other, axis, ratio, offset)) in
                joint.mimics.iter().enumerate().filter_map(|(i, m)| Some((i, m.as_ref()?)))
            {
                let Some(leader) = joints.get(other as usize).and_then(Option::as_ref) else { continue };
                let (own, others) = (joint.axes(bodies), leader.axes(bodies));
                if let (Some(row), Some(lead)) = (own.get(which), others.get(axis)) {
                    let bias = (row.value - ratio * lead.value - offset) / self.times[0];
                    let ends = (joint.ends(bodies), leader.ends(bodies));
                    self.gears.push(Gear::new(velocities, (row, ends.0), (lead, ends.1), ratio, bias));
                }
            }
        }
        self.drag_rows.clear();
        for (index, drag) in drags.iter().enumerate() {
            self.drag_rows.extend(drag.as_ref().map(|drag| drag.rows(index, bodies, velocities)));
        }
    }

    /// Begins a substep: applies the impulses of the last one again, so that drives see how bodies move on their joints.
    pub fn begin(&mut self, joints: &[Option<JointState>], bodies: &[BodyState], velocities: &mut Velocities) {
        if !self.articulation.is_empty() {
            self.articulation.begin(joints, bodies, &mut velocities.list, self.times);
        }
        self.frictions.iter().for_each(|friction| friction.warm_start(velocities));
        self.drag_rows.iter().for_each(|rows| rows.warm_start(velocities));
        // Limits hold against contacts: these have to see how bodies move with the impulses of both.
        let driven = self.articulation.has_limits()
            || !(self.frictions.is_empty() && self.drag_rows.is_empty() && self.gears.is_empty());
        if driven && !self.articulation.is_empty() {
            self.articulation.solve(joints, bodies, &mut velocities.list, true, self.times);
        }
    }

    /// Corrects the impulses once; `soft` brings back what is off. Returns the largest change of a speed that was driven, or infinity if
    /// servos or limits have begun or ended to hold, which contacts have to answer.
    pub fn solve(
        &mut self,
        joints: &[Option<JointState>],
        bodies: &[BodyState],
        velocities: &mut Velocities,
        h: f64,
        soft: Option<&Softness>,
    ) -> f64 {
        let changes = self.frictions.iter_mut().map(|friction| friction.solve(velocities, h));
        let mut changed = changes.fold(0.0, f64::max);
        if soft.is_some() {
            self.drag_rows.iter_mut().for_each(|rows| rows.solve(velocities, h));
        }
        if !self.articulation.is_empty()
            && self.articulation.solve(joints, bodies, &mut velocities.list, soft.is_some(), self.times)
        {
            changed = f64::INFINITY;
        }
        for _ in 0..if self.gears.is_empty() { 0 } else { ROUNDS } {
            self.gears.iter().for_each(|gear| gear.solve(velocities, soft.is_some()));
            self.articulation.solve(joints, bodies, &mut velocities.list, soft.is_some(), self.times);
        }
        changed
    }

    /// Notes the forces of a step's joints.
    pub fn note_forces(&self, joints: &mut [Option<JointState>], dt: f64) {
        for (number, impulse) in self.articulation.forces() {
            if let Some(joint) = &mut joints[number as usize] {
                joint.force = impulse / dt;
            }
        }
    }

    /// Hands back the impulses.
    pub fn remember(&self, joints: &mut [Option<JointState>], drags: &mut [Option<DragState>]) {
        for friction in &self.frictions {
            if let Some(joint) = &mut joints[friction.joint as usize] {
                joint.remember(friction);
            }
        }
        for (number, efforts, stops) in self.articulation.of_axes() {
            if let Some(joint) = &mut joints[number as usize] {
                (joint.efforts, joint.stops) = (*efforts, *stops);
            }
        }
        for rows in &self.drag_rows {
            if let Some(drag) = &mut drags[rows.drag] {
                drag.remember(rows);
            }
        }
    }
}
