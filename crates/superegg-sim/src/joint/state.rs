//! Joints while a step is being made: where they are, by how much they are off, and what drives them.
//!
//! What a joint holds at all times, its servos, springs and limits go to [`articulation`](super::articulation), which solves them
//! exactly; dry friction is a row that is corrected in turn with the contacts. Servos and springs are implicit, and so never
//! unstable.

use glam::{DQuat, DVec3};
use superegg::Pose;

use super::axis_row::{AxisRow, FASTEST};
use super::constraint_row::{ConstraintRow, Velocities};
use super::equality::{Equalities, Equality};
use super::kinds::{Axis, AxisState, Joint, JointKind};
use super::stop::Stop;
use crate::body::BodyState;

/// The world as a body that joints hang on.
pub(crate) const WORLD: u32 = u32::MAX;
/// Most axes of a joint.
pub(crate) const AXES: usize = 6;

/// A joint in a world.
#[derive(Clone, Debug)]
pub(crate) struct JointState {
    pub joint: Joint,
    pub a: u32,
    pub b: u32,
    /// The frame's origin on each body, from its center of mass along its axes.
    locals: [DVec3; 2],
    /// The frame in each body's axes.
    frames: [DQuat; 2],
    /// Distance at first.
    length: f64,
    /// Impulses of friction on each axis in the last substep, and the ends of their ranges that held them.
    friction: [f64; AXES],
    pub stops: [Stop; AXES],
    /// Positions with whole turns, and efforts of servos in the last substep.
    positions: [f64; AXES],
    pub efforts: [f64; AXES],
    /// For each axis the joint and axis that it follows, ratio and offset.
    pub mimics: [Option<(u32, usize, f64, f64)>; AXES],
    /// With what force it held its bodies together in the last step, in newtons.
    pub force: f64,
}

/// Dry friction of an axis.
pub(crate) struct Friction {
    pub joint: u32,
    which: usize,
    ends: [u32; 2],
    /// The largest torque or force.
    most: f64,
    row: ConstraintRow,
}

/// Both ends of a joint in the world.
struct Ends {
    points: [DVec3; 2],
    arms: [DVec3; 2],
    frames: [DQuat; 2],
}

impl JointState {
    pub fn new(joint: Joint, bodies: &[BodyState]) -> JointState {
        let mut state = JointState {
            a: joint.a.map_or(WORLD, |a| a.index() as u32),
            b: joint.b.index() as u32,
            joint,
            locals: [DVec3::ZERO; 2],
            frames: [DQuat::IDENTITY; 2],
            length: 0.0,
            friction: [0.0; AXES],
            stops: [Stop::Free; AXES],
            positions: [0.0; AXES],
            efforts: [0.0; AXES],
            mimics: [None; AXES],
            force: 0.0,
        };
        state.attach(bodies);
        let Ends { points, .. } = state.place(bodies);
        if let JointKind::Distance(None) = state.joint.kind {
            state.length = points[0].distance(points[1]);
        }
        state.count_turns(bodies);
        state
    }

    /// Takes over where the centers of mass are on the bodies.
    pub fn attach(&mut self, bodies: &[BodyState]) {
        let own = |body: u32, frame: Pose| match bodies.get(body as usize) {
            Some(body) => body.to_own(frame),
            None => (frame.translation, frame.rotation),
        };
        let ends = [own(self.a, self.joint.frame_a), own(self.b, self.joint.frame_b)];
        (self.locals, self.frames) = (ends.map(|end| end.0), ends.map(|end| end.1));
    }

    /// The bodies as velocities are numbered: the world comes last.
    pub fn ends(&self, bodies: &[BodyState]) -> [u32; 2] {
        [self.a, self.b].map(|body| body.min(bodies.len() as u32))
    }

    /// The bodies, and its point on each from the center of mass along the body's axes.
    pub fn ends_and_locals(&self) -> [(u32, DVec3); 2] {
        [(self.a, self.locals[0]), (self.b, self.locals[1])]
    }

    fn place(&self, bodies: &[BodyState]) -> Ends {
        let at = |i: usize, body: u32| match bodies.get(body as usize) {
            Some(body) => {
                let arm = body.axes * self.locals[i];
                (body.center + arm, arm, body.rotation * self.frames[i])
            }
            None => (self.locals[i], self.locals[i], self.frames[i]),
        };
        let ends = [at(0, self.a), at(1, self.b)];
        Ends { points: ends.map(|end| end.0), arms: ends.map(|end| end.1), frames: ends.map(|end| end.2) }
    }

    /// How far apart the ends of a rigid distance are kept.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Its point on b, in the world.
    pub fn point_b(&self, bodies: &[BodyState]) -> DVec3 {
        self.place(bodies).points[1]
    }

    /// By how far the two ends are apart where they should not be, in metres.
    pub fn gap(&self, bodies: &[BodyState]) -> f64 {
        let Ends { points, frames, .. } = self.place(bodies);
        let off = points[1] - points[0];
        let x = frames[0] * DVec3::X;
        match self.joint.kind {
            JointKind::Distance(Some(_)) | JointKind::Floating => 0.0,
            JointKind::Prismatic(_) => (off - x * off.dot(x)).length(),
            JointKind::Planar(_) => off.dot(x).abs(),
            _ => (off.length() - self.length).abs(),
        }
    }

    /// What the joint holds at all times, with the speed that each part of it needs to be undone in a substep.
    pub fn equalities(&self, bodies: &[BodyState], h: f64) -> Equalities {
        let Ends { points, arms, frames } = self.place(bodies);
        let mut held = Equalities::default();
        let off = points[1] - points[0];
        let bias = |error: f64| (error / h).clamp(-FASTEST, FASTEST);
        let along = |direction: DVec3, error: f64| Equality::along(direction, arms, bias(error));
        // Directions that turn with a: its lever reaches to the point on b.
        let across = |direction: DVec3| Equality::along(direction, [arms[0] + off, arms[1]], bias(off.dot(direction)));
        let [u, v] = frames.map(|frame| frame * DVec3::X);
        let kind = &self.joint.kind;
        match kind {
            JointKind::Floating => {}
            JointKind::Distance(_) => {
                let distance = off.length();
                if matches!(kind, JointKind::Distance(None)) && distance > 0.0 {
                    held.push(along(off / distance, distance - self.length));
                }
            }
            JointKind::Prismatic(_) => {
                let (s, t) = u.any_orthonormal_pair();
                held.push(across(s));
                held.push(across(t));
            }
            JointKind::Planar(_) => held.push(across(u)),
            _ => {
                for axis in DVec3::AXES {
                    held.push(along(axis, off.dot(axis)));
                }
            }
        }
        match kind {
            JointKind::Fixed | JointKind::Prismatic(_) => {
                let turn = frames[1] * frames[0].conjugate();
                let angles = 2.0 * turn.xyz() * if turn.w < 0.0 { -1.0 } else { 1.0 };
                for axis in DVec3::AXES {
                    held.push(Equality::about(axis, bias(angles.dot(axis))));
                }
            }
            JointKind::Revolute(_) | JointKind::Continuous(_) | JointKind::Planar(_) => {
                let (s, t) = u.any_orthonormal_pair();
                let off = u.cross(v);
                held.push(Equality::about(s, bias(off.dot(s))));
                held.push(Equality::about(t, bias(off.dot(t))));
            }
            JointKind::Universal(_) => {
                // The second axis is fixed to b.
                let v = frames[1] * DVec3::Y;
                let across = u.cross(v);
                let size = across.length();
                if size > 1e-3 {
                    held.push(Equality::about(across / size, bias(-u.dot(v) / size)));
                }
            }
            JointKind::Ball(_) | JointKind::Distance(_) | JointKind::Floating => {}
        }
        held
    }

    /// The joint's axes as they stand; angles within half a turn.
    fn raw_axes(&self, bodies: &[BodyState]) -> Vec<AxisRow> {
        let Ends { points, arms, frames } = self.place(bodies);
        let [x, y] = [DVec3::X, DVec3::Y].map(|axis| frames.map(|frame| frame * axis));
        let z = frames[0] * DVec3::Z;
        let off = points[1] - points[0];
        let levers = [arms[0] + off, arms[1]];
        let angle = |from: DVec3, to: DVec3, axis: DVec3| f64::atan2(from.cross(to).dot(axis), from.dot(to));
        match self.joint.kind {
            JointKind::Ball(Some(cone)) => {
                let across = x[0].cross(x[1]);
                let swing = f64::atan2(across.length(), x[0].dot(x[1]));
                let axis = across.normalize_or(y[0]);
                let back = DQuat::from_rotation_arc(x[1], x[0]) * y[1];
                let twist = angle(y[0], back, x[0]);
                let [low, high] = cone.twist;
                let about = (x[0] + x[1]).normalize_or(x[0]);
                vec![
                    AxisRow::about(swing, axis, Axis::within(-1.0, cone.swing)),
                    AxisRow::about(twist, about, Axis::within(low, high)),
                ]
            }
            JointKind::Revolute(axis) | JointKind::Continuous(axis) => {
                vec![AxisRow::about(angle(y[0], y[1], x[0]), x[0], axis)]
            }
            JointKind::Prismatic(axis) => vec![AxisRow::along(off.dot(x[0]), x[0], levers, axis)],
            JointKind::Planar([first, second, third]) => vec![
                AxisRow::along(off.dot(y[0]), y[0], levers, first),
                AxisRow::along(off.dot(z), z, levers, second),
                AxisRow::about(angle(y[0], y[1], x[0]), x[0], third),
            ],
            JointKind::Universal([first, second]) => vec![
                AxisRow::about(angle(y[0], y[1], x[0]), x[0], first),
                AxisRow::about(angle(x[0], x[1], y[1]), y[1], second),
            ],
            JointKind::Distance(Some(axis)) => {
                vec![AxisRow::along(off.length(), off.normalize_or(DVec3::Z), arms, axis)]
            }
            JointKind::Floating => {
                let turn = frames[0].conjugate() * frames[1];
                let turn = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis();
                let axes = [x[0], y[0], z];
                let ways = axes.map(|axis| AxisRow::along(off.dot(axis), axis, levers, Axis::default()));
                let turns = [0, 1, 2].map(|i| AxisRow::about(turn[i], axes[i], Axis::default()));
                [ways, turns].concat()
            }
            JointKind::Ball(None) | JointKind::Fixed | JointKind::Distance(None) => Vec::new(),
        }
    }

    /// The joint's axes as they stand, angles with whole turns.
    pub fn axes(&self, bodies: &[BodyState]) -> Vec<AxisRow> {
        let mut rows = self.raw_axes(bodies);
        if !matches!(self.joint.kind, JointKind::Ball(_) | JointKind::Floating) {
            for (row, known) in rows.iter_mut().zip(self.positions).filter(|(row, _)| !row.linear) {
                row.value += std::f64::consts::TAU * ((known - row.value) / std::f64::consts::TAU).round();
            }
        }
        rows
    }

    /// Notes positions, so that whole turns are counted.
    pub fn count_turns(&mut self, bodies: &[BodyState]) {
        for (index, row) in self.axes(bodies).iter().enumerate() {
            self.positions[index] = row.value;
        }
    }

    /// Says how many whole turns there are, by a position that was set.
    pub fn set_position(&mut self, axis: usize, position: f64) {
        self.positions[axis] = position;
    }

    /// Positions, velocities and efforts of the axes.
    pub fn states(&self, bodies: &[BodyState]) -> Vec<AxisState> {
        let velocity = |row: &AxisRow| {
            let ends = [self.a, self.b].into_iter().enumerate();
            let of = ends.filter_map(|(end, body)| Some((row.jacobian(end), bodies.get(body as usize)?)));
            of.map(|((linear, angular), body)| linear.dot(body.velocity) + angular.dot(body.turning)).sum()
        };
        let rows = self.axes(bodies);
        let state = |(row, effort): (&AxisRow, f64)| AxisState { position: row.value, velocity: velocity(row), effort };
        rows.iter().zip(self.efforts).map(state).collect()
    }

    /// Frictions that are ready to be solved.
    pub fn frictions(&self, number: u32, bodies: &[BodyState], velocities: &Velocities, into: &mut Vec<Friction>) {
        if self.joint.kind.axes().iter().all(|axis| axis.friction == 0.0) {
            return;
        }
        let ends = self.ends(bodies);
        for (which, axis) in self.axes(bodies).iter().enumerate().filter(|(_, row)| row.axis.friction > 0.0) {
            let row = axis.row(velocities, ends).with_impulse(self.friction[which]);
            into.push(Friction { joint: number, which, ends, most: axis.axis.friction, row });
        }
    }

    /// Remembers the impulse of a friction.
    pub fn remember(&mut self, friction: &Friction) {
        self.friction[friction.which] = friction.row.impulse;
    }

    /// Where b is for positions of the axes, with a where it is.
    pub fn placed_b(&self, bodies: &[BodyState], positions: &[f64]) -> Pose {
        let frame = match bodies.get(self.a as usize) {
            Some(body) => body.pose().compose(&self.joint.frame_a),
            None => self.joint.frame_a,
        };
        let at = |i: usize| positions.get(i).copied().unwrap_or(0.0);
        let (turn, way) = match self.joint.kind {
            JointKind::Revolute(_) | JointKind::Continuous(_) => (DQuat::from_rotation_x(at(0)), DVec3::ZERO),
            JointKind::Prismatic(_) => (DQuat::IDENTITY, DVec3::X * at(0)),
            JointKind::Planar(_) => (DQuat::from_rotation_x(at(2)), DVec3::new(0.0, at(0), at(1))),
            JointKind::Universal(_) => (DQuat::from_rotation_x(at(0)) * DQuat::from_rotation_y(at(1)), DVec3::ZERO),
            JointKind::Distance(Some(_)) => (DQuat::IDENTITY, DVec3::X * at(0)),
            JointKind::Floating => {
                (DQuat::from_scaled_axis(DVec3::new(at(3), at(4), at(5))), DVec3::new(at(0), at(1), at(2)))
            }
            JointKind::Ball(Some(_)) => (DQuat::from_rotation_x(at(1)) * DQuat::from_rotation_z(at(0)), DVec3::ZERO),
            JointKind::Ball(None) | JointKind::Fixed | JointKind::Distance(None) => (DQuat::IDENTITY, DVec3::ZERO),
        };
        frame.compose(&Pose { rotation: turn, translation: way }).compose(&self.joint.frame_b.inverse())
    }
}

impl Friction {
    /// Applies the impulse of the last substep again.
    pub fn warm_start(&self, velocities: &mut Velocities) {
        let (a, b) = Velocities::both(&mut velocities.list, self.ends[0], self.ends[1]);
        self.row.push(a, b, self.row.impulse);
    }

    /// Corrects the impulse once. Returns the change of speed.
    pub fn solve(&mut self, velocities: &mut Velocities, h: f64) -> f64 {
        let (a, b) = Velocities::both(&mut velocities.list, self.ends[0], self.ends[1]);
        let most = self.most * h;
        let change = self.row.solve(a, b, 0.0, (1.0, 0.0), [-most, most]);
        if self.row.mass > 0.0 { change.abs() / self.row.mass } else { 0.0 }
    }
}
