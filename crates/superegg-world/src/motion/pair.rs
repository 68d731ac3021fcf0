//! Two shapes.

use glam::DVec3;
use superegg::query::{Options, Outcome, distance};
use superegg::shape::Shape;
use superegg::{InvalidInput, Pose};

use super::axis::{Axis, Track};
use super::{Impact, Motion, TimeOfImpact, ToiOptions};
use crate::WorldError;
use crate::certificate::rounding_of_motion;
use crate::contact::Contact;

/// When two moving shapes first touch.
///
/// ```
/// use superegg::shape::{Plane, Shape, Superellipsoid};
/// use superegg_world::motion::{Impact, Motion, ToiOptions, time_of_impact_of_shapes};
/// use superegg_world::{DVec3, Pose};
/// let floor: Shape = Plane::new(DVec3::Z, 0.0)?.into();
/// let ball: Shape = Superellipsoid::new([0.5; 3], [1.0; 2])?.into();
/// let falling = Motion::linear(Pose::from_translation(DVec3::Z * 3.0), DVec3::Z * -1000.0);
/// let rest = Motion::rest(Pose::IDENTITY);
/// let found = time_of_impact_of_shapes(&ball, &falling, &floor, &rest, &ToiOptions::within(1.0))?;
/// let Impact::At(time, _) = found.impact else { panic!("it does not tunnel") };
/// assert!(time <= 0.0025 && time > 0.0025 - 1e-8);
/// # Ok::<(), superegg_world::WorldError>(())
/// ```
pub fn time_of_impact(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    options: &ToiOptions,
) -> Result<TimeOfImpact, WorldError> {
    options.validate()?;
    let track = |shape, motion: &Motion| -> Result<Track, InvalidInput> {
        Ok(Track::new(shape, Pose::IDENTITY, motion.checked(options.horizon)?))
    };
    advance(&track(a, motion_a)?, &track(b, motion_b)?, 0.0, options.horizon, options)
}

/// Advances from `start` to `horizon`; motions are valid.
pub(super) fn advance(
    a: &Track,
    b: &Track,
    start: f64,
    horizon: f64,
    options: &ToiOptions,
) -> Result<TimeOfImpact, WorldError> {
    for track in [a, b] {
        if track.is_turning() && !track.reach.is_finite() {
            // Turning, it sweeps all of space.
            let turn = track.motion.angular_velocity.length();
            let allowed = "zero, for a plane";
            return Err(InvalidInput { field: "angular_velocity", value: turn, allowed }.into());
        }
    }
    let mut search = Search::new(a, b, horizon, options);
    let impact = search.run(start)?;
    Ok(TimeOfImpact { impact, queries: search.queries, looks: search.looks })
}

struct Search<'a> {
    a: &'a Track<'a>,
    b: &'a Track<'a>,
    horizon: f64,
    options: &'a ToiOptions,
    query: Options,
    /// Distance at which the bodies count as touching, in metres.
    tolerance: f64,
    /// Rounding of a gap between support planes, and the skin that is subtracted from every gap.
    rounding: f64,
    skin: f64,
    queries: u32,
    looks: u32,
}

impl<'a> Search<'a> {
    fn new(a: &'a Track<'a>, b: &'a Track<'a>, horizon: f64, options: &'a ToiOptions) -> Search<'a> {
        // A plane has no size of its own.
        let finite = |length: f64| if length.is_finite() { length } else { 0.0 };
        let size = finite(a.reach) + finite(b.reach);
        let far = |track: &Track| {
            let motion = &track.motion;
            motion.pose.translation.length() + motion.velocity.length() * horizon + finite(track.swing())
        };
        let turn = a.motion.angular_velocity.length().max(b.motion.angular_velocity.length()) * horizon;
        let rounding = rounding_of_motion(far(a) + far(b), turn);
        let tolerance = (options.tolerance * size).max(100.0 * rounding);
        Search {
            a,
            b,
            horizon,
            options,
            query: options.query(),
            tolerance,
            rounding,
            skin: rounding + options.separation,
            queries: 0,
            looks: 0,
        }
    }

    fn run(&mut self, start: f64) -> Result<Impact, WorldError> {
        let mut time = start + self.a.balls_meet_after(self.b, start, self.tolerance + self.skin);
        let mut normal: Option<DVec3> = None;
        while time <= self.horizon {
            if self.queries >= self.options.max_queries {
                return Ok(Impact::Undecided(time));
            }
            let outcome = self.distance_at(time)?;
            if outcome.distance - self.options.separation <= self.tolerance {
                let contact = Contact { part_a: 0, part_b: 0, outcome };
                return Ok(if time == 0.0 { Impact::Already(contact) } else { Impact::At(time, contact) });
            }
            let next = self.step(time, &outcome, normal);
            if next <= time {
                return Ok(Impact::Undecided(time));
            }
            normal = Some(outcome.normal);
            if next >= self.horizon {
                return Ok(Impact::None);
            }
            time = next;
        }
        Ok(Impact::None)
    }

    fn distance_at(&mut self, time: f64) -> Result<Outcome, WorldError> {
        self.queries += 1;
        let (pose_a, pose_b) = (self.a.at(time), self.b.at(time));
        let outcome = distance(self.a.shape, &pose_a, self.b.shape, &pose_b, &self.query)?;
        self.query.warm_start = Some(outcome.warm_start);
        Ok(outcome)
    }

    /// The latest time up to which the bodies are proved to be apart.
    fn step(&mut self, time: f64, outcome: &Outcome, last: Option<DVec3>) -> f64 {
        // Before a hollow the hulls prove less than the distance, if anything; half of it allows for closest points that were missed.
        let free = outcome.distance - self.options.separation;
        let proved = outcome.bounds.map_or(f64::NEG_INFINITY, |bounds| bounds.lower - self.options.separation);
        let convex = self.a.shape.is_convex() && self.b.shape.is_convex();
        let lower = if convex { proved } else { proved.max(0.5 * free) };
        // No point is faster than this towards the other body: true of any two bodies, convex or not.
        let speed = (self.a.motion.velocity - self.b.motion.velocity).length()
            + self.a.turning_speed()
            + self.b.turning_speed();
        let by_speed = if speed > 0.0 { time + (lower - self.rounding).max(0.0) / speed } else { f64::INFINITY };
        if by_speed >= self.horizon {
            return by_speed;
        }
        let (normal, gap) = self.best_normal(time, outcome, lower, last);
        if gap <= 0.0 {
            return by_speed;
        }
        let axis = Axis { a: self.a, b: self.b, normal, rounding: self.skin };
        let free = axis.follow(time, gap, 0.25 * self.tolerance.min(gap), self.horizon);
        self.looks += free.looks;
        free.until.max(by_speed)
    }

    /// The normal with the widest gap among those at hand: between the closest points, of either surface there (on a
    /// flat face exact even where the points are not), and the one before.
    fn best_normal(&mut self, time: f64, outcome: &Outcome, lower: f64, last: Option<DVec3>) -> (DVec3, f64) {
        let (pose_a, pose_b) = (self.a.at(time), self.b.at(time));
        let of_a = surface_normal(self.a.shape, &pose_a, outcome.point_a, outcome.normal);
        let of_b = surface_normal(self.b.shape, &pose_b, outcome.point_b, -outcome.normal).map(|normal| -normal);
        let mut best = (outcome.normal, f64::NEG_INFINITY);
        for normal in [Some(outcome.normal), of_a, of_b, last].into_iter().flatten() {
            let gap = Axis { a: self.a, b: self.b, normal, rounding: self.skin }.gap(time);
            self.looks += 1;
            if gap > best.1 {
                best = (normal, gap);
            }
            if best.1 > 0.9 * lower {
                break;
            }
        }
        best
    }
}

/// The outward normal of a shape at a point of its surface; of a triangle the one on the side of `outwards`.
fn surface_normal(shape: &Shape, pose: &Pose, point: DVec3, outwards: DVec3) -> Option<DVec3> {
    let local = pose.inverse_transform_point(point);
    let normal = match shape {
        Shape::Superellipsoid(egg) => egg.normal_at(local),
        Shape::Superovoid(egg) => egg.normal_at(local),
        Shape::Plane(plane) => plane.normal(),
        Shape::Triangle(triangle) => {
            let [a, b, c] = *triangle.points();
            let normal = pose.transform_vector((b - a).cross(c - a).try_normalize()?);
            return Some(if normal.dot(outwards) < 0.0 { -normal } else { normal });
        }
        // These have faces and edges: the normal of the answer is as good as any.
        Shape::Point(_) | Shape::Segment(_) | Shape::Primitive(_) | Shape::Hull(_) | Shape::Custom(_) => return None,
    };
    normal.is_finite().then(|| pose.transform_vector(normal))
}

#[cfg(test)]
mod tests {
    use superegg::shape::{Point, Segment};
    use testkit::oracle::precise::Real;

    use super::*;

    fn real(value: f64) -> Real {
        Real::new(value)
    }

    /// `atan(1/n)` by its series.
    fn arc_cotangent(n: f64) -> Real {
        let square = real(n) * real(n);
        let mut power = real(1.0) / real(n);
        let mut sum = real(0.0);
        for k in 0..120 {
            let term = power.clone() / real(f64::from(2 * k + 1));
            sum = if k % 2 == 0 { sum + term } else { sum - term };
            power = power / square.clone();
        }
        sum
    }

    /// The cosine of an angle in 77 digits: whole turns (Machin's formula for π) taken off, then its series.
    fn cosine(angle: Real) -> Real {
        let turn = (arc_cotangent(5.0) * real(4.0) - arc_cotangent(239.0)) * real(8.0);
        let whole = (angle.clone() / turn.clone()).to_f64().round();
        let rest = angle - turn * real(whole);
        let square = rest.clone() * rest;
        let (mut term, mut sum) = (real(1.0), real(0.0));
        for k in 1..60 {
            sum = sum + term.clone();
            term = term * square.clone() / real(-f64::from(2 * k * (2 * k - 1)));
        }
        sum
    }

    /// A turning needle beside a point: what is subtracted for rounding covers the error of angles, too, up to the million radians that
    /// are accepted. Before it was counted, gaps came out too wide by 1e-10 after that many.
    #[test]
    fn gaps_between_turning_bodies_are_not_too_wide() {
        let needle = Segment::new([-DVec3::X, DVec3::X]).unwrap().into();
        let beside = Point::new([DVec3::ZERO]).unwrap().into();
        let place = DVec3::X * 3.0;
        let options = ToiOptions::within(1.0);
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..300 {
            let (speed, time) = (10f64.powf(6.0 * random.f64()), random.f64());
            let turning = Motion { angular_velocity: DVec3::Z * speed, ..Motion::rest(Pose::IDENTITY) };
            let a = Track::new(&needle, Pose::IDENTITY, turning);
            let b = Track::new(&beside, Pose::IDENTITY, Motion::rest(Pose::from_translation(place)));
            let search = Search::new(&a, &b, 1.0, &options);
            let gap = Axis { a: &a, b: &b, normal: DVec3::X, rounding: search.rounding }.gap(time);
            let exact = real(3.0) - cosine(real(speed) * real(time)).abs();
            let excess = (real(gap) - exact).to_f64();
            assert!(excess <= 0.0, "{excess:e} after {} radians", speed * time);
            assert!(excess >= -3.0 * search.rounding, "{excess:e}, allowed for {:e}", search.rounding);
        }
    }
}
