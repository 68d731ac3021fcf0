//! The gap between two moving bodies along a fixed normal, as a function of time.
//!
//! With n the normal, the gap is `g(t) = n·(cB − cA) − hA(mA(t)) − hB(−mB(t))`, where m(t) is n as seen from the turning
//! body and h the support function about the point it turns around. The first term is linear. m(t) runs along a circle:
//! over an interval it strays from its chord by at most `|n⊥| ω² (t − t1)(t2 − t)/2`, with n⊥ the part of n across the
//! axis. h is convex, so it lies below its chord where m does, and grows at most by the body's reach times the straying.
//! Hence
//!
//! `g(t) ≥ chord of g − C/2 (t − t1)(t2 − t)`, `C = Σ reach |n × ω| |ω|`,
//!
//! a parabola through both ends. Its first root, in closed form, ends what is proved free. The error of the bound falls
//! with the square of the interval, so that the search converges like the secant method.

use glam::DVec3;
use superegg::Pose;
use superegg::shape::Shape;

use super::Motion;
use crate::bound::gap_of_placed;

/// A shape fixed to a moving frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Track<'a> {
    pub shape: &'a Shape,
    /// The shape's frame in the moving one.
    pub local: Pose,
    pub motion: Motion,
    /// Radius of the ball about the origin of the shape's frame that holds it; infinite for a plane.
    pub reach: f64,
}

impl<'a> Track<'a> {
    pub fn new(shape: &'a Shape, local: Pose, motion: Motion) -> Track<'a> {
        Track { shape, local, motion, reach: shape.reach() }
    }

    pub fn at(&self, time: f64) -> Pose {
        self.motion.at(time).compose(&self.local)
    }

    /// Radius of the ball about the point it turns around that holds it.
    pub fn swing(&self) -> f64 {
        self.local.translation.length() + self.reach
    }

    pub fn is_turning(&self) -> bool {
        self.motion.angular_velocity != DVec3::ZERO
    }

    /// Largest speed that turning gives any point.
    pub fn turning_speed(&self) -> f64 {
        if self.is_turning() { self.swing() * self.motion.angular_velocity.length() } else { 0.0 }
    }

    /// For how long after `start` the balls around two bodies stay farther apart than a margin: zero if they do not, or
    /// if there is no ball.
    pub fn balls_meet_after(&self, other: &Track, start: f64, margin: f64) -> f64 {
        // A ball about a shape's own middle moves in a straight line only if the shape does not swing about another.
        let ball = |track: &Track| {
            if track.is_turning() {
                (track.motion.at(start).translation, track.swing())
            } else {
                (track.at(start).translation, track.reach)
            }
        };
        let ((at, radius), (other_at, other_radius)) = (ball(self), ball(other));
        let reach = (radius + other_radius + margin) * (1.0 + 1e-12);
        let apart = other_at - at;
        let velocity = other.motion.velocity - self.motion.velocity;
        let clear = apart.length_squared() - reach * reach;
        if !clear.is_finite() || clear <= 0.0 {
            return 0.0;
        }
        let closing = -apart.dot(velocity);
        let discriminant = closing * closing - velocity.length_squared() * clear;
        if closing <= 0.0 || discriminant < 0.0 { f64::INFINITY } else { clear / (closing + discriminant.sqrt()) }
    }

    /// Bound of the second derivative of the support value along a fixed normal.
    fn bending(&self, normal: DVec3) -> f64 {
        let turn = self.motion.angular_velocity;
        if self.is_turning() { self.swing() * normal.cross(turn).length() * turn.length() } else { 0.0 }
    }
}

/// The gap along a normal.
pub(super) struct Axis<'a> {
    pub a: &'a Track<'a>,
    pub b: &'a Track<'a>,
    pub normal: DVec3,
    /// Subtracted for the rounding of support values.
    pub rounding: f64,
}

/// Up to where an axis proves two bodies apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Free {
    pub until: f64,
    pub looks: u32,
}

/// Looks along one normal before a new one is asked for.
const MAX_LOOKS: u32 = 24;

impl Axis<'_> {
    /// A lower bound of the signed distance at a time.
    pub fn gap(&self, time: f64) -> f64 {
        let (pose_a, pose_b) = (self.a.at(time), self.b.at(time));
        gap_of_placed(self.normal, self.a.shape, &pose_a, self.b.shape, &pose_b) - self.rounding
    }

    /// Follows the gap, which is `gap` at `from`, until it falls to `floor` or the horizon is reached. At all times up to
    /// the one returned the gap is at least half of the floor.
    pub fn follow(&self, from: f64, gap: f64, floor: f64, horizon: f64) -> Free {
        let bending = self.a.bending(self.normal) + self.b.bending(self.normal);
        // The parabola over an interval of this length touches zero in its middle if the gap is the same at its end.
        let widest = |gap: f64| if bending > 0.0 { (8.0 * gap / bending).sqrt() } else { f64::INFINITY };
        // All gaps from here on are those above half of the floor.
        let (target, floor) = (0.5 * floor, 0.5 * floor);
        let (mut time, mut gap) = (from, gap - target);
        let mut end = (time + 0.9 * widest(gap)).min(horizon);
        let mut looks = 0;
        while looks < MAX_LOOKS && time < horizon && gap > floor {
            let width = end - time;
            // Time has run out of digits.
            if width <= 4.0 * f64::EPSILON * time {
                break;
            }
            let ahead = self.gap(end) - target;
            looks += 1;
            match first_root(gap, ahead, 0.5 * bending * width * width) {
                None => {
                    // All of it is free. Go on, as far as the gap's trend suggests its root is.
                    let closing = (gap - ahead) / width;
                    (time, gap) = (end, ahead);
                    let trend = if closing > 0.0 { 1.1 * gap / closing } else { f64::INFINITY };
                    end = (time + (0.9 * widest(gap)).min(trend)).min(horizon);
                }
                Some(part) => {
                    let free = time + part * width * (1.0 - 1e-12);
                    let there = self.gap(free) - target;
                    looks += 1;
                    if free <= time {
                        break;
                    }
                    // The chord from there to the end says where the root is; a little farther brackets it.
                    let closing = (there - ahead) / (end - free).max(f64::MIN_POSITIVE);
                    let trend = if closing > 0.0 { 1.1 * there.max(0.0) / closing } else { f64::INFINITY };
                    (time, gap) = (free, there);
                    end = (time + trend.min(0.9 * widest(gap.max(0.0)))).min(end);
                }
            }
        }
        Free { until: time, looks }
    }
}

/// The first root in ]0, 1] of the parabola that is `start` > 0 at 0 and `end` at 1 and sags by `sag/4` between.
fn first_root(start: f64, end: f64, sag: f64) -> Option<f64> {
    let slope = end - start - sag;
    if slope >= 0.0 {
        return None;
    }
    let discriminant = slope * slope - 4.0 * sag * start;
    if discriminant < 0.0 {
        return None;
    }
    let root = 2.0 * start / (discriminant.sqrt() - slope);
    (root <= 1.0).then_some(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_parabolas() {
        assert_eq!(first_root(1.0, -1.0, 0.0), Some(0.5));
        assert_eq!(first_root(1.0, 1.0, 0.0), None);
        assert_eq!(first_root(1.0, 1.0, 3.9), None);
        assert_eq!(first_root(1.0, 1.0, 4.0), Some(0.5));
        assert_eq!(first_root(1.0, 0.0, 0.0), Some(1.0));
        let root = first_root(2.0, -3.0, 1.0).unwrap();
        assert!((2.0 + (-3.0 - 2.0 - 1.0) * root + root * root).abs() < 1e-15);
    }

    /// The bound itself, against dense sampling of the gap of two turning eggs.
    #[test]
    fn the_parabola_lies_below_the_gap() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut vector = |size: f64| DVec3::from([0; 3].map(|_| size * (2.0 * random.f64() - 1.0)));
        for _ in 0..300 {
            let taper = vector(0.4);
            let (radii, exponents) = (vector(0.5).abs() + 0.2, vector(0.8).abs() + 0.2);
            let egg = superegg::shape::Superovoid::new(radii.into(), [exponents.x, exponents.y], [taper.x, taper.y]);
            let shape: Shape = egg.unwrap().into();
            let motion = |place: DVec3, velocity: DVec3, turn: DVec3| Motion {
                pose: Pose::from_translation(place),
                velocity,
                angular_velocity: turn,
            };
            let local = Pose::new(glam::DQuat::from_scaled_axis(vector(3.0)), vector(1.0)).unwrap();
            let a = Track::new(&shape, local, motion(vector(3.0), vector(1.0), vector(2.0)));
            let b = Track::new(&shape, Pose::IDENTITY, motion(vector(3.0), vector(1.0), vector(2.0)));
            let axis = Axis { a: &a, b: &b, normal: vector(1.0).normalize(), rounding: 0.0 };
            let bending = a.bending(axis.normal) + b.bending(axis.normal);
            let (start, end) = (axis.gap(0.0), axis.gap(1.0));
            for k in 0..=50 {
                let t = f64::from(k) / 50.0;
                let bound = start + (end - start) * t - 0.5 * bending * t * (1.0 - t);
                assert!(axis.gap(t) >= bound - 1e-12, "{t}: {} below {bound}", axis.gap(t));
            }
        }
    }
}
