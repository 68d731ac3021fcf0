//! Where a ray first meets a superhyperboloid or supertoroid.
//!
//! Along the ray the planar gauge `g(t)` of a point is a norm of a linear function: it changes by at most the gauge of the
//! direction, and height is linear. So the values that the implicit function takes over an interval are bounded, and an interval
//! where it keeps its sign for certain is passed over. The others are halved, the nearer half first, down to a change of sign of
//! a width that rounding allows. A ray that only grazes the surface within rounding may pass.

use superegg::Pose;
use superegg::query::{Ray, RayHit};

use crate::superquadric::Superquadric;

/// Most intervals looked at: rays along a ruling or a flat face would ask for ever more.
const INTERVALS: u32 = 100_000;
/// Width of the last interval, as a part of the ray's way through the surface's ball.
const NARROW: f64 = 1e-15;

/// The hit in the world; the normal is on the side that the ray comes from.
pub(crate) fn ray(surface: &Superquadric, pose: &Pose, line: &Ray) -> Option<RayHit> {
    let (origin, direction) =
        (pose.inverse_transform_point(line.origin()), pose.inverse_transform_vector(line.direction()));
    let length = direction.length();
    let unit = direction / length;
    // Where the ray is in the ball about the surface.
    let reach = surface.reach() * (1.0 + 1e-12);
    let middle = -origin.dot(unit);
    let aside_sq = (origin + middle * unit).length_squared();
    let half = (reach * reach - aside_sq).max(0.0).sqrt();
    if aside_sq > reach * reach || middle + half < 0.0 {
        return None;
    }
    let [from, to] = [(middle - half).max(0.0), middle + half];
    let at = |t: f64| origin + t * unit;
    // Halving stops at neighbouring numbers too.
    let narrow = NARROW * (to - from) + 2.0 * f64::EPSILON * to.abs();
    let mut open = vec![[from, to]];
    let mut looked = 0;
    while let Some([start, end]) = open.pop() {
        looked += 1;
        if looked > INTERVALS {
            return None;
        }
        let [low, high] = surface.gauge_range(at(start), at(end));
        if low > 0.0 || high < 0.0 {
            continue;
        }
        if end - start > narrow {
            let middle = 0.5 * (start + end);
            open.extend([[middle, end], [start, middle]]);
            continue;
        }
        let (before, after) = (surface.contains_unbounded(at(start)), surface.contains_unbounded(at(end)));
        let point = at(0.5 * (start + end));
        if before != after && surface.within_height(point) {
            let normal = surface.gradient(point).1.try_normalize().unwrap_or(-unit);
            let facing = if normal.dot(unit) > 0.0 { -normal } else { normal };
            let t = 0.5 * (start + end) / length;
            return Some(RayHit {
                t,
                point: pose.transform_point(point),
                normal: pose.transform_vector(facing),
                from_inside: before,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use superegg::DVec3;

    use super::*;

    /// The quartic of a round ring, by dense steps along the ray: it misses no crossing wider than a step.
    #[test]
    fn rays_meet_a_round_ring_where_its_formula_says() {
        let ring = Superquadric::toroid([0.5; 3], [1.0; 2], 3.0).unwrap();
        let from_ring = |point: DVec3| (point.truncate().length() - 1.5).hypot(point.z) - 0.5;
        let mut random = fastrand::Rng::with_seed(8);
        let mut vector = |size: f64| DVec3::from([0; 3].map(|_| size * (2.0 * random.f64() - 1.0)));
        let mut hits = 0;
        for _ in 0..500 {
            let (origin, target) = (vector(3.0), vector(1.5));
            let line = Ray::new(origin, target - origin).unwrap();
            let found = ray(&ring, &Pose::IDENTITY, &line);
            let steps = 4000;
            let at = |k: u32| origin + (target - origin) * (4.0 * f64::from(k) / f64::from(steps));
            let crossing = (0..steps).find(|&k| (from_ring(at(k)) < 0.0) != (from_ring(at(k + 1)) < 0.0));
            match (found, crossing) {
                (Some(hit), Some(k)) => {
                    assert!(from_ring(hit.point).abs() < 1e-12, "{}", from_ring(hit.point));
                    let t = 4.0 * f64::from(k) / f64::from(steps);
                    // A graze that lies between two steps comes earlier.
                    assert!(hit.t <= t + 4.0 / f64::from(steps) + 1e-12);
                    assert_eq!(hit.from_inside, from_ring(origin) < 0.0);
                    assert!(hit.normal.dot(line.direction()) <= 1e-9);
                    hits += 1;
                }
                (None, None) => {}
                (Some(hit), None) => assert!(hit.t > 4.0 || from_ring(hit.point).abs() < 1e-12),
                (None, Some(k)) => panic!("missed at step {k}: {origin} {target}"),
            }
        }
        assert!(hits > 150, "{hits}");
    }

    #[test]
    fn rays_pass_through_holes_ends_and_between_sheets() {
        let here = Pose::IDENTITY;
        let down = |x: f64, y: f64| Ray::new(DVec3::new(x, y, 9.0), -DVec3::Z).unwrap();
        let ring = Superquadric::toroid([0.5; 3], [1.0; 2], 3.0).unwrap();
        assert_eq!(ray(&ring, &here, &down(0.0, 0.0)), None);
        assert!((ray(&ring, &here, &down(1.5, 0.0)).unwrap().t - 8.5).abs() < 1e-12);
        // Down the axis of a tube, which is open; and through its wall from inside.
        let tube = Superquadric::one_sheet([1.0; 3], [1.0; 2], 2.0).unwrap();
        assert_eq!(ray(&tube, &here, &down(0.5, 0.0)), None);
        let across = Ray::new(DVec3::ZERO, DVec3::X).unwrap();
        let hit = ray(&tube, &here, &across).unwrap();
        assert!((hit.t - 1.0).abs() < 1e-12 && hit.from_inside);
        // Above the rim there is no wall.
        assert_eq!(ray(&tube, &here, &Ray::new(DVec3::new(0.0, 0.0, 2.1), DVec3::X).unwrap()), None);
        let bowls = Superquadric::two_sheets([1.0; 3], [1.0; 2], 3.0).unwrap();
        assert_eq!(ray(&bowls, &here, &across), None);
        // From above, through the open end, onto the pole from inside the bowl.
        let hit = ray(&bowls, &here, &down(0.0, 0.0)).unwrap();
        assert!((hit.t - 8.0).abs() < 1e-12, "{hit:?}");
    }
}
