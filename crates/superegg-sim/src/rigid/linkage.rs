//! Joints while a step is being made: where they are, by how much they are off, and what drives them.
//!
//! What a joint holds at all times goes to [`articulation`](super::articulation), which solves it exactly; limits, springs
//! and motors are rows that are corrected in turn with the contacts. Springs are implicit, and so never unstable.

use glam::{DQuat, DVec3};

use super::articulation::{Equalities, Equality};
use super::body::State;
use super::joint::{Drive, Joint, JointKind, Range};
use super::row::{Row, Softness, Velocities};

/// The world as a body that joints hang on.
pub(super) const WORLD: u32 = u32::MAX;
/// Fastest speed at which a joint that is off is brought back, in metres or radians a second.
const FASTEST: f64 = 10.0;

/// A joint in a world.
#[derive(Clone, Debug)]
pub(super) struct Linkage {
    pub joint: Joint,
    pub a: u32,
    pub b: u32,
    /// The point on each body, from its centre of mass along its axes.
    locals: [DVec3; 2],
    /// A frame that is common to both bodies at first, in each body's axes; its x is the (first) axis.
    frames: [DQuat; 2],
    /// Distance at first.
    length: f64,
    /// Impulses of the last substep: lower limit, upper limit, spring, motor of each freedom.
    impulses: [[f64; 4]; 2],
    /// With what force it held its bodies together in the last step, in newtons.
    pub force: f64,
}

/// One freedom of a joint that something acts on.
pub(super) struct Freedom {
    pub linkage: u32,
    pub which: usize,
    pub ends: [u32; 2],
    value: f64,
    drive: Drive,
    /// Lower limit, upper limit, spring, motor.
    rows: [Row; 4],
}

/// Both ends of a joint in the world.
struct Ends {
    points: [DVec3; 2],
    arms: [DVec3; 2],
    frames: [DQuat; 2],
}

impl Linkage {
    pub fn new(joint: Joint, bodies: &[State]) -> Linkage {
        let (a, b) = (joint.a.map_or(WORLD, |a| a.0 as u32), joint.b.0 as u32);
        let (points, frame, length) = match joint.kind {
            JointKind::Ball { point, cone } => {
                ([point; 2], frame_along(cone.map_or(DVec3::X, |cone| cone.axis), None), 0.0)
            }
            JointKind::Hinge { point, axis, .. } => ([point; 2], frame_along(axis, None), 0.0),
            JointKind::Elbow { point, axes, .. } => ([point; 2], frame_along(axes[0], Some(axes[1])), 0.0),
            JointKind::Fixed { point } => ([point; 2], DQuat::IDENTITY, 0.0),
            JointKind::Distance { points, .. } => (points, DQuat::IDENTITY, points[0].distance(points[1])),
        };
        let local = |body: u32, point: DVec3| match bodies.get(body as usize) {
            Some(body) => (body.local(point), body.rotation.conjugate() * frame),
            None => (point, frame),
        };
        let ends = [local(a, points[0]), local(b, points[1])];
        Linkage {
            joint,
            a,
            b,
            locals: ends.map(|end| end.0),
            frames: ends.map(|end| end.1),
            length,
            impulses: [[0.0; 4]; 2],
            force: 0.0,
        }
    }

    /// The bodies as velocities are numbered: the world comes last.
    pub fn ends(&self, bodies: &[State]) -> [u32; 2] {
        [self.a, self.b].map(|body| body.min(bodies.len() as u32))
    }

    /// The bodies, and its point on each from the centre of mass along the body's axes.
    pub fn ends_and_locals(&self) -> [(u32, DVec3); 2] {
        [(self.a, self.locals[0]), (self.b, self.locals[1])]
    }

    fn place(&self, bodies: &[State]) -> Ends {
        let at = |i: usize, body: u32| match bodies.get(body as usize) {
            Some(body) => {
                let arm = body.axes * self.locals[i];
                (body.centre + arm, arm, body.rotation * self.frames[i])
            }
            None => (self.locals[i], self.locals[i], self.frames[i]),
        };
        let ends = [at(0, self.a), at(1, self.b)];
        Ends { points: ends.map(|end| end.0), arms: ends.map(|end| end.1), frames: ends.map(|end| end.2) }
    }

    /// By how far the two ends are apart where they should not be, in metres.
    pub fn gap(&self, bodies: &[State]) -> f64 {
        let Ends { points, .. } = self.place(bodies);
        match self.joint.kind {
            JointKind::Distance { range: Range::Driven(_), .. } => 0.0,
            _ => (points[0].distance(points[1]) - self.length).abs(),
        }
    }

    /// What the joint holds at all times, with the speed that each part of it needs to be undone in a substep.
    pub fn equalities(&self, bodies: &[State], h: f64) -> Equalities {
        let Ends { points, arms, frames } = self.place(bodies);
        let mut held = Equalities::default();
        let off = points[1] - points[0];
        let bias = |error: f64| (error / h).clamp(-FASTEST, FASTEST);
        let along = |direction: DVec3, error: f64| Equality::along(direction, arms, bias(error));
        if let JointKind::Distance { range, .. } = self.joint.kind {
            let distance = off.length();
            if range == Range::Rigid && distance > 0.0 {
                held.push(along(off / distance, distance - self.length));
            }
            return held;
        }
        for axis in DVec3::AXES {
            held.push(along(axis, off.dot(axis)));
        }
        let [u, v] = frames.map(|frame| frame * DVec3::X);
        match self.joint.kind {
            JointKind::Fixed { .. } => {
                let turn = frames[1] * frames[0].conjugate();
                let angles = 2.0 * turn.xyz() * if turn.w < 0.0 { -1.0 } else { 1.0 };
                for axis in DVec3::AXES {
                    held.push(Equality::about(axis, bias(angles.dot(axis))));
                }
            }
            JointKind::Hinge { .. } => {
                let (s, t) = u.any_orthonormal_pair();
                let off = u.cross(v);
                held.push(Equality::about(s, bias(off.dot(s))));
                held.push(Equality::about(t, bias(off.dot(t))));
            }
            JointKind::Elbow { .. } => {
                // The second axis is fixed to b.
                let v = frames[1] * DVec3::Y;
                let across = u.cross(v);
                let size = across.length();
                if size > 1e-3 {
                    held.push(Equality::about(across / size, bias(-u.dot(v) / size)));
                }
            }
            JointKind::Ball { .. } | JointKind::Distance { .. } => {}
        }
        held
    }

    /// Values of the joint's freedoms with their drives and the direction or axis of each.
    fn values(&self, bodies: &[State]) -> Vec<(f64, Drive, Result<DVec3, DVec3>)> {
        let Ends { points, frames, .. } = self.place(bodies);
        let [x, y] = [DVec3::X, DVec3::Y].map(|axis| frames.map(|frame| frame * axis));
        let angle = |from: DVec3, to: DVec3, axis: DVec3| f64::atan2(from.cross(to).dot(axis), from.dot(to));
        match self.joint.kind {
            JointKind::Ball { cone: Some(cone), .. } => {
                let across = x[0].cross(x[1]);
                let swing = f64::atan2(across.length(), x[0].dot(x[1]));
                let axis = across.normalize_or(y[0]);
                let back = DQuat::from_rotation_arc(x[1], x[0]) * y[1];
                let twist = angle(y[0], back, x[0]);
                let bend = Drive { limits: Some([-1.0, cone.swing]), ..Drive::default() };
                let turn = Drive { limits: Some(cone.twist), ..Drive::default() };
                vec![(swing, bend, Err(axis)), (twist, turn, Err((x[0] + x[1]).normalize_or(x[0])))]
            }
            JointKind::Hinge { drive, .. } => vec![(angle(y[0], y[1], x[0]), drive, Err(x[0]))],
            JointKind::Elbow { drives, .. } => {
                vec![(angle(y[0], y[1], x[0]), drives[0], Err(x[0])), (angle(x[0], x[1], y[1]), drives[1], Err(y[1]))]
            }
            JointKind::Distance { range: Range::Driven(drive), .. } => {
                let off = points[1] - points[0];
                vec![(off.length(), drive, Ok(off.normalize_or(DVec3::Z)))]
            }
            JointKind::Ball { .. } | JointKind::Fixed { .. } | JointKind::Distance { .. } => Vec::new(),
        }
    }

    /// Angles or distances of the joint's freedoms.
    pub fn freedoms(&self, bodies: &[State]) -> Vec<f64> {
        self.values(bodies).into_iter().map(|(value, ..)| value).collect()
    }

    /// The drive of one of the joint's freedoms.
    pub fn drive_mut(&mut self, which: usize) -> Option<&mut Drive> {
        match (&mut self.joint.kind, which) {
            (JointKind::Hinge { drive, .. }, 0) => Some(drive),
            (JointKind::Elbow { drives, .. }, 0 | 1) => Some(&mut drives[which]),
            (JointKind::Distance { range: Range::Driven(drive), .. }, 0) => Some(drive),
            _ => None,
        }
    }

    /// The freedoms that something acts on, ready to be solved.
    pub fn driven(&self, number: u32, bodies: &[State], velocities: &Velocities, into: &mut Vec<Freedom>) {
        let ends = self.ends(bodies);
        for (which, (value, drive, axis)) in self.values(bodies).into_iter().enumerate() {
            if drive == Drive::default() {
                continue;
            }
            let row = match axis {
                Ok(direction) => Row::along(velocities, ends, self.place(bodies).arms, direction),
                Err(axis) => Row::about(velocities, ends, axis),
            };
            let rows = self.impulses[which].map(|impulse| row.with_impulse(impulse));
            into.push(Freedom { linkage: number, which, ends, value, drive, rows });
        }
    }

    /// Remembers the impulses of a freedom.
    pub fn remember(&mut self, freedom: &Freedom) {
        self.impulses[freedom.which] = freedom.rows.map(|row| row.impulse);
    }
}

/// A frame whose x runs along an axis, and whose y along another if there is one.
fn frame_along(axis: DVec3, across: Option<DVec3>) -> DQuat {
    let x = axis.normalize();
    let y = across.map_or_else(|| x.any_orthonormal_vector(), |across| (across - x * x.dot(across)).normalize());
    DQuat::from_mat3(&glam::DMat3::from_cols(x, y, x.cross(y)))
}

impl Freedom {
    /// Applies the impulses of the last substep again.
    pub fn warm_start(&self, velocities: &mut Velocities) {
        let (a, b) = Velocities::both(&mut velocities.list, self.ends[0], self.ends[1]);
        for row in &self.rows {
            row.push(a, b, row.impulse);
        }
    }

    /// Corrects the impulses once; `soft` brings a limit that was passed back and pulls springs. Returns the largest change
    /// of speed.
    pub fn solve(&mut self, velocities: &mut Velocities, h: f64, soft: Option<&Softness>) -> f64 {
        let before = self.rows.map(|row| row.impulse);
        let (a, b) = Velocities::both(&mut velocities.list, self.ends[0], self.ends[1]);
        let [low, high, spring, motor] = &mut self.rows;
        if let (Some(with), true) = (self.drive.spring, soft.is_some()) {
            let stiff = with.damping + h * with.stiffness;
            if stiff > 0.0 && spring.mass > 0.0 {
                let give = 1.0 / (h * stiff);
                let mass = 1.0 / (1.0 + spring.mass * give);
                let bias = (self.value - with.rest) * with.stiffness / stiff;
                let ease = spring.mass * mass * give;
                spring.solve(a, b, bias, (mass, ease), [f64::NEG_INFINITY, f64::INFINITY]);
            }
        }
        if let Some(with) = self.drive.motor {
            let most = with.strength * h;
            motor.solve(a, b, -with.speed, (1.0, 0.0), [-most, most]);
        }
        if let Some([least, most]) = self.drive.limits {
            let bias = |room: f64| match soft {
                _ if room > 0.0 => (room / h, (1.0, 0.0)),
                Some(soft) => ((soft.rate * room).max(-FASTEST), (soft.mass, soft.ease)),
                None => (0.0, (1.0, 0.0)),
            };
            let (speed, softened) = bias(self.value - least);
            low.solve(a, b, speed, softened, [0.0, f64::INFINITY]);
            let (speed, softened) = bias(most - self.value);
            high.solve(a, b, -speed, softened, [f64::NEG_INFINITY, 0.0]);
        }
        let changes = self.rows.iter().zip(before).filter(|(row, _)| row.mass > 0.0);
        changes.map(|(row, before)| (row.impulse - before).abs() / row.mass).fold(0.0, f64::max)
    }
}
