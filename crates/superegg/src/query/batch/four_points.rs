//! Four points against one superquadric in the lanes of a vector register.
//!
//! Points outside take the Newton iteration of pairs with a body b that is a single point. Points inside descend from
//! the best of a few directions whose support values are computed once for the whole batch; the depth of a point has
//! several local minima, and by the symmetry of the superquadric only directions on the point's own side can be the least.

use arrayvec::ArrayVec;
use glam::{DMat3, DVec3};

use crate::Pose;
use crate::outcome::status_of;
use crate::query::closest_point::validate_point;
use crate::query::{ClosestPoint, Options, QueryError, closest_point};
use crate::shape::{BandRings, Shape};
use crate::solver::body::superquadric::{Superquadric, SurfacePoint};
use crate::solver::body::{Body, LanePoint};
use crate::solver::certificate::{self, rounding};
use crate::solver::convex::{NEWTON_EVALUATIONS, scaled};
use crate::solver::nonconvex::touching::{self, Bands, rings_of, touches};
use crate::solver::pair::frame::reachable;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::params::{Kind, Params};
use crate::solver::penetration::descent::refine;
use crate::solver::separation::found::Separation;
use crate::solver::separation::newton::{Goal, separate_lanes};
use crate::solver::simd::avx2::{F64x4, LANES};
use crate::solver::simd::{M3, Mask, Real, V3};

/// Rounds for points outside and inside. Points that are left are gathered, so that a few slow ones do not keep the other
/// lanes waiting, and get the second number; what is left then is handed to the single query.
const OUTSIDE_ROUNDS: [u32; 2] = [10, 24];
const INSIDE_ROUNDS: [u32; 2] = [8, 60];

/// Change of a slope, as a part of itself, at which a support point is exact enough to start from.
const CORNER_PRECISION: f64 = 1e-4;

/// Points deeper than this part of the smallest radius, at its narrowest, go through the single query.
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
    let rings = rings_of(&superquadric)?;
    if !(options.validate().is_ok() && options.max_iterations >= NEWTON_EVALUATIONS) {
        return None;
    }
    Some(if superquadric.is_tapered() {
        answer::<true>(&superquadric, rings.as_ref(), shape, pose, points, options)
    } else {
        answer::<false>(&superquadric, None, shape, pose, points, options)
    })
}

fn answer<const TAPERED: bool>(
    superquadric: &Params,
    rings: Option<&BandRings>,
    shape: &Shape,
    pose: &Pose,
    points: &[DVec3],
    options: &Options,
) -> Vec<Result<ClosestPoint, QueryError>> {
    let size = superquadric.largest_radius();
    // SAFETY: the batch comes here only when the CPU has AVX2 and FMA.
    let target = unsafe { Target::<TAPERED>::new(superquadric, rings) };
    let axes = pose.rotation_matrix();
    let local = |point: &DVec3| -> V3<f64> { (axes.transpose() * (*point - pose.translation) * (1.0 / size)).into() };
    let mut found = vec![None; points.len()];
    let mut open: Vec<usize> = (0..points.len()).collect();
    for attempt in 0..2 {
        for group in open.chunks(LANES) {
            let four = std::array::from_fn(|lane| local(&points[group[lane.min(group.len() - 1)]]));
            // SAFETY: as above.
            let four = unsafe { solve(&target, &four, options, attempt) };
            for (&index, answer) in group.iter().zip(four) {
                found[index] = answer;
            }
        }
        open.retain(|&index| found[index].is_none());
    }
    (points.iter().zip(found))
        .map(|(point, found)| match found {
            Some(found) if validate_point(*point).is_ok() => {
                Ok(found.in_world(local(point), target.reach, size, &axes, pose, options))
            }
            _ => closest_point(shape, pose, *point, options),
        })
        .collect()
}

/// The body, in units of its largest radius, and what all its points have in common.
struct Target<const TAPERED: bool> {
    body: Superquadric<f64, TAPERED>,
    corners: Corners,
    /// See [`Params::reach_factor`].
    reach: f64,
    /// Radius of a ball about the origin within the body.
    inner: f64,
    /// Depth up to which points are answered here.
    shallow: f64,
    /// Where the body may bend inwards, if it is not convex.
    bands: Option<Bands<F64x4>>,
}

impl<const TAPERED: bool> Target<TAPERED> {
    /// # Safety
    /// The CPU must have AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn new(params: &Params, rings: Option<&BandRings>) -> Target<TAPERED> {
        let body: Superquadric<f64, TAPERED> = scaled(params, params.largest_radius());
        let V3 { x, y, z } = body.radii;
        let least = x.min(y).min(z);
        // Where no exponent is above one, the ellipsoid with the same radii lies within; a taper leaves the octahedron only.
        let is_full = !TAPERED && body.exponents().into_iter().all(|e| e <= 1.0);
        let inner = if is_full { least } else { certificate::inner_radius([x, y, z]) };
        let narrowest = 1.0 - body.taper[0].abs().max(body.taper[1].abs());
        Target {
            corners: Corners::new(&body),
            body,
            reach: params.reach_factor(),
            inner,
            shallow: SHALLOW * least * narrowest,
            bands: rings.and_then(|rings| Bands::new(Some(rings))),
        }
    }
}

/// Most directions of [`Corners`].
const MOST_CORNERS: usize = 12;

/// Directions with x, y ≥ 0 (and z ≥ 0 without a taper) in which a superquadric bulges least or most, with their support values.
struct Corners(ArrayVec<(V3<f64>, f64), MOST_CORNERS>);

impl Corners {
    #[inline(always)]
    fn new<const TAPERED: bool>(body: &Superquadric<f64, TAPERED>) -> Corners {
        let (u, v, w) = (1.0 / body.radii.x, 1.0 / body.radii.y, 1.0 / body.radii.z);
        let upper = [(u, 0.0, 0.0), (0.0, v, 0.0), (u, v, 0.0), (0.0, 0.0, w), (u, 0.0, w), (0.0, v, w), (u, v, w)];
        let lower = [(0.0, 0.0, -w), (u, 0.0, -w), (0.0, v, -w), (u, v, -w)];
        let lanes: Superquadric<F64x4, TAPERED> = body.spread();
        let mut corners = ArrayVec::new();
        for group in upper.chunks(LANES).chain(lower.chunks(if TAPERED { LANES } else { 1 }).take(usize::from(TAPERED)))
        {
            let normals: [V3<f64>; LANES] = std::array::from_fn(|lane| {
                let (x, y, z) = group[lane.min(group.len() - 1)];
                unit(V3::new(x, y, z))
            });
            let four = V3::new(
                F64x4::from_array(normals.map(|n| n.x)),
                F64x4::from_array(normals.map(|n| n.y)),
                F64x4::from_array(normals.map(|n| n.z)),
            );
            // Whatever point it is, no other one's depth is underestimated by much: the values only choose where to start.
            let at = if TAPERED {
                lanes.near_tapered_normal(four, F64x4::splat(f64::NAN), CORNER_PRECISION)
            } else {
                lanes.with_untapered_normal(four)
            };
            let values = at.position.dot(four).to_array();
            corners.extend(normals.into_iter().zip(values).take(group.len()));
        }
        Corners(corners)
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
    fn in_world(
        &self,
        point: V3<f64>,
        reach: f64,
        size: f64,
        axes: &DMat3,
        pose: &Pose,
        options: &Options,
    ) -> ClosestPoint {
        let rounding = rounding(point, 0.0, reach);
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
unsafe fn solve<const TAPERED: bool>(
    target: &Target<TAPERED>,
    points: &[V3<f64>; LANES],
    options: &Options,
    attempt: usize,
) -> [Option<Found>; LANES] {
    let superquadric: Superquadric<F64x4, TAPERED> = target.body.spread();
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
    let tolerance = reachable(options.tolerance, rounding(p, zero, F64x4::splat(target.reach)));

    // The surface point in the direction of the point tells inside from outside and is the start of both.
    let (radial, gauge) = superquadric.place_along(p);
    let inside = gauge.lt(one);
    let mut results = [None; LANES];
    if (!inside).any() {
        let start = (radial, -radial.normal);
        let rounds = OUTSIDE_ROUNDS[attempt];
        let mut found = separate_lanes(&superquadric, &LanePoint, &placement, start, tolerance, rounds, Goal::Distance);
        if let Some(bands) = &target.bands {
            on_hull(&superquadric, bands, p, tolerance, &mut found);
        }
        let found = found.lanes();
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
        let start = deeper_start(&superquadric, &target.corners, p, radial);
        let found =
            refine(&superquadric, &LanePoint, &placement, (start, -start.normal), tolerance, INSIDE_ROUNDS[attempt]);
        let settled = (inside & found.settled).bits();
        let (depth, evaluations) = (found.depth.to_array(), found.evaluations.to_array());
        let inner = F64x4::splat(target.inner);
        let proved = if TAPERED {
            certificate::depth_by_tapered_gauge(gauge, superquadric.least_stretch(p), inner)
        } else {
            certificate::depth_by_gauge(gauge, inner)
        };
        // A body that is not convex need not hold such a ball.
        let proved = if target.bands.is_some() { [0.0; LANES] } else { proved.to_array() };
        let (x, n) = (found.x_a.lanes(), found.normal.lanes());
        for lane in 0..LANES {
            // Deeper points have more local minima than one start can tell apart.
            if settled >> lane & 1 == 1 && depth[lane] < target.shallow {
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

/// What was found for a body as if it were convex, proved by its hull where this touches the surface there; not converged elsewhere.
#[inline(always)]
fn on_hull<const TAPERED: bool>(
    body: &Superquadric<F64x4, TAPERED>,
    bands: &Bands<F64x4>,
    p: V3<F64x4>,
    tolerance: F64x4,
    found: &mut Separation<F64x4>,
) {
    let body = &body.as_tapered();
    let slack = F64x4::splat(touching::SLACK) * tolerance;
    let at = body.place(found.x_a, found.normal);
    let lower = at.normal.dot(p - at.position) - slack;
    found.converged = found.converged & touches(body, bands, &at, slack) & found.upper.lt(lower + tolerance);
    (found.lower, found.witness) = (lower, at.normal);
}

/// The radial start, or a corner direction where that promises a smaller depth.
#[inline(always)]
fn deeper_start<const TAPERED: bool>(
    superquadric: &Superquadric<F64x4, TAPERED>,
    corners: &Corners,
    p: V3<F64x4>,
    radial: SurfacePoint<F64x4>,
) -> SurfacePoint<F64x4> {
    let radial_depth = radial.normal.dot(radial.position - p);
    let folded = V3::new(p.x.abs(), p.y.abs(), if TAPERED { p.z } else { p.z.abs() });
    let mut best = radial_depth * F64x4::splat(0.999);
    let mut normal = radial.normal;
    for (corner, support) in &corners.0 {
        let corner: V3<F64x4> = corner.spread();
        let depth = F64x4::splat(*support) - corner.dot(folded);
        let better = depth.lt(best);
        best = F64x4::select(better, depth, best);
        let z = if TAPERED { corner.z } else { corner.z.copysign(p.z) };
        let facing = V3::new(corner.x.copysign(p.x), corner.y.copysign(p.y), z);
        normal = V3::select(better, facing, normal);
    }
    let changed = best.lt(radial_depth * F64x4::splat(0.999));
    if !changed.any() {
        return radial;
    }
    SurfacePoint::select(changed, &superquadric.with_normal(normal), &radial)
}
