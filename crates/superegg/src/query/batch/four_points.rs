//! Four points against one superquadric in the lanes of a vector register.
//!
//! Points outside take the Newton iteration of pairs with a body b that is a single point. Points inside descend from
//! the best of a few directions whose support values are computed once for the whole batch; the depth of a point has
//! several local minima, and by the symmetry of the superquadric only directions in the point's own octant can be the least.

use glam::{DMat3, DVec3};

use crate::Pose;
use crate::outcome::status_of;
use crate::query::closest_point::validate_point;
use crate::query::{ClosestPoint, Options, QueryError, closest_point};
use crate::shape::Shape;
use crate::solver::body::superquadric::{Superquadric, SurfacePoint};
use crate::solver::body::{Body, LanePoint};
use crate::solver::certificate::{self, rounding};
use crate::solver::convex::{NEWTON_EVALUATIONS, scaled};
use crate::solver::pair::frame::reachable;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::params::{Kind, Params};
use crate::solver::penetration::descent::refine;
use crate::solver::separation::newton::{Goal, separate_lanes};
use crate::solver::simd::avx2::{F64x4, LANES};
use crate::solver::simd::{M3, Mask, Real, V3};

/// Rounds for points outside and inside. Points that are left are gathered, so that a few slow ones do not keep the other
/// lanes waiting, and get the second number; what is left then is handed to the single query.
const OUTSIDE_ROUNDS: [u32; 2] = [10, 24];
const INSIDE_ROUNDS: [u32; 2] = [8, 60];

/// How far a superellipsoid reaches from its centre, as a multiple of its largest radius: the diagonal of its box.
const UNTAPERED_REACH: f64 = 1.7320508075688774;

/// Points deeper than this part of the smallest radius go through the single query.
const SHALLOW: f64 = 0.1;

/// Answers a chunk of points, or `None` when the shape has no vector form.
pub(super) fn closest_points(
    shape: &Shape,
    pose: &Pose,
    points: &[DVec3],
    options: &Options,
) -> Option<Vec<Result<ClosestPoint, QueryError>>> {
    let Kind::Superquadric(superquadric) = Kind::of(shape) else { return None };
    let pose = &pose.normalized().ok()?;
    if !(options.validate().is_ok()
        && superquadric.convex
        && !superquadric.is_tapered()
        && options.max_iterations >= NEWTON_EVALUATIONS)
    {
        return None;
    }
    Some(answer(&superquadric, shape, pose, points, options))
}

fn answer(
    superquadric: &Params,
    shape: &Shape,
    pose: &Pose,
    points: &[DVec3],
    options: &Options,
) -> Vec<Result<ClosestPoint, QueryError>> {
    let size = superquadric.largest_radius();
    let body: Superquadric<f64, false> = scaled(superquadric, size);
    let corners = Corners::new(&body);
    let axes = pose.rotation_matrix();
    let local = |point: &DVec3| -> V3<f64> { (axes.transpose() * (*point - pose.translation) * (1.0 / size)).into() };
    let mut found = vec![None; points.len()];
    let mut open: Vec<usize> = (0..points.len()).collect();
    for attempt in 0..2 {
        for group in open.chunks(LANES) {
            let four = std::array::from_fn(|lane| local(&points[group[lane.min(group.len() - 1)]]));
            // SAFETY: the batch comes here only when the CPU has AVX2 and FMA.
            let four = unsafe { solve(&body, &corners, &four, options, attempt) };
            for (&index, answer) in group.iter().zip(four) {
                found[index] = answer;
            }
        }
        open.retain(|&index| found[index].is_none());
    }
    (points.iter().zip(found))
        .map(|(point, found)| match found {
            Some(found) if validate_point(*point).is_ok() => {
                Ok(found.in_world(local(point), size, &axes, pose, options))
            }
            _ => closest_point(shape, pose, *point, options),
        })
        .collect()
}

/// Directions of the positive octant in which a superquadric bulges least or most, with their support values.
struct Corners([(V3<f64>, f64); 7]);

impl Corners {
    fn new(superquadric: &Superquadric<f64, false>) -> Corners {
        let (u, v, w) = (1.0 / superquadric.radii.x, 1.0 / superquadric.radii.y, 1.0 / superquadric.radii.z);
        let directions =
            [(u, 0.0, 0.0), (0.0, v, 0.0), (0.0, 0.0, w), (u, v, 0.0), (u, 0.0, w), (0.0, v, w), (u, v, w)];
        Corners(directions.map(|(x, y, z)| {
            let normal = unit(V3::new(x, y, z));
            (normal, superquadric.with_normal(normal).position.dot(normal))
        }))
    }
}

/// The nearest surface point to one point, in the superquadric's scaled frame.
#[derive(Clone, Copy)]
struct Found {
    surface: V3<f64>,
    normal: V3<f64>,
    distance: f64,
    lower: f64,
    upper: f64,
    evaluations: f64,
}

impl Found {
    fn in_world(&self, point: V3<f64>, size: f64, axes: &DMat3, pose: &Pose, options: &Options) -> ClosestPoint {
        let rounding = rounding(point, 0.0, UNTAPERED_REACH);
        let distance = self.distance * size;
        ClosestPoint {
            point: *axes * DVec3::from(self.surface) * size + pose.translation,
            normal: *axes * DVec3::from(self.normal),
            distance,
            bounds: Some(certificate::bounds(self.lower, self.upper, rounding, size)),
            status: status_of(distance, true, reachable(options.tolerance, rounding) * size),
            iterations: self.evaluations as u32,
        }
    }
}

/// # Safety
/// The CPU must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn solve(
    body: &Superquadric<f64, false>,
    corners: &Corners,
    points: &[V3<f64>; LANES],
    options: &Options,
    attempt: usize,
) -> [Option<Found>; LANES] {
    let superquadric: Superquadric<F64x4, false> = body.spread();
    let (zero, one) = (F64x4::splat(0.0), F64x4::splat(1.0));
    let p = V3::new(
        F64x4::from_array(points.map(|p| p.x)),
        F64x4::from_array(points.map(|p| p.y)),
        F64x4::from_array(points.map(|p| p.z)),
    );
    let axis = |x: F64x4, y: F64x4, z: F64x4| V3::new(x, y, z);
    let placement = Placement {
        rotation: M3 { x: axis(one, zero, zero), y: axis(zero, one, zero), z: axis(zero, zero, one) },
        centre: p,
    };
    let distance_sq = p.length_sq();
    let tolerance = reachable(options.tolerance, rounding(p, zero, F64x4::splat(UNTAPERED_REACH)));

    // The surface point in the direction of the point tells inside from outside and is the start of both.
    let radial = superquadric.place_along(p);
    let inside = distance_sq.lt(radial.position.length_sq());
    let mut results = [None; LANES];
    if (!inside).any() {
        let start = (radial, -radial.normal);
        let rounds = OUTSIDE_ROUNDS[attempt];
        let found =
            separate_lanes(&superquadric, &LanePoint, &placement, start, tolerance, rounds, Goal::Distance).lanes();
        for (lane, found) in found.into_iter().enumerate() {
            if found.converged {
                results[lane] = Some(Found {
                    surface: found.x_a,
                    normal: found.normal,
                    distance: found.distance(),
                    lower: found.lower,
                    upper: found.upper,
                    evaluations: found.evaluations,
                });
            }
        }
    }
    if inside.any() {
        let V3 { x, y, z } = body.radii;
        let shallow = SHALLOW * f64::min(x, f64::min(y, z));
        let start = deeper_start(&superquadric, corners, p, radial);
        let found =
            refine(&superquadric, &LanePoint, &placement, (start, -start.normal), tolerance, INSIDE_ROUNDS[attempt]);
        let settled = (inside & found.settled).bits();
        let (depth, evaluations) = (found.depth.to_array(), found.evaluations.to_array());
        let gauge = (distance_sq / radial.position.length_sq()).sqrt();
        let proved = certificate::depth_by_gauge(gauge, F64x4::splat(inner_radius(body))).to_array();
        let (x, n) = (found.x_a.lanes(), found.normal.lanes());
        for lane in 0..LANES {
            // Deeper points have more local minima than one start can tell apart.
            if settled >> lane & 1 == 1 && depth[lane] < shallow {
                results[lane] = Some(Found {
                    surface: x[lane],
                    normal: n[lane],
                    distance: -depth[lane],
                    lower: -depth[lane],
                    upper: -proved[lane].min(depth[lane]),
                    evaluations: evaluations[lane],
                });
            }
        }
    }
    results
}

/// Radius of a ball about the origin within a superquadric: that of the ellipsoid with the same radii where no exponent is above
/// one, else that of the octahedron.
fn inner_radius(body: &Superquadric<f64, false>) -> f64 {
    let V3 { x, y, z } = body.radii;
    if body.exponents().into_iter().all(|e| e <= 1.0) {
        x.min(y).min(z)
    } else {
        1.0 / (1.0 / (x * x) + 1.0 / (y * y) + 1.0 / (z * z)).sqrt()
    }
}

/// The radial start, or a corner direction where that promises a smaller depth.
#[inline(always)]
fn deeper_start(
    superquadric: &Superquadric<F64x4, false>,
    corners: &Corners,
    p: V3<F64x4>,
    radial: SurfacePoint<F64x4>,
) -> SurfacePoint<F64x4> {
    let radial_depth = radial.normal.dot(radial.position - p);
    let folded = V3::new(p.x.abs(), p.y.abs(), p.z.abs());
    let mut best = radial_depth * F64x4::splat(0.999);
    let mut normal = radial.normal;
    for (corner, support) in &corners.0 {
        let corner: V3<F64x4> = corner.spread();
        let depth = F64x4::splat(*support) - corner.dot(folded);
        let better = depth.lt(best);
        best = F64x4::select(better, depth, best);
        let facing = V3::new(corner.x.copysign(p.x), corner.y.copysign(p.y), corner.z.copysign(p.z));
        normal = V3::select(better, facing, normal);
    }
    let changed = best.lt(radial_depth * F64x4::splat(0.999));
    if !changed.any() {
        return radial;
    }
    SurfacePoint::select(changed, &superquadric.with_untapered_normal(normal), &radial)
}
