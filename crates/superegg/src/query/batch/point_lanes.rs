//! Points against one superquadric in the lanes of a vector register: four with AVX2, eight with AVX-512.
//!
//! Points take a few steps of Newton's method without damping ([`point::nearest`]), which nearly all of them need no more than. The
//! others are gathered: those outside take the Newton iteration of pairs with a body b that is a single point, those inside descend on
//! their depth. Inside, both start from the best of a few directions whose support values are computed once for the whole batch; the
//! depth of a point has several local minima, and by the symmetry of the superquadric only directions on the point's own side can be
//! the least. What is left then is handed to the single query.

use arrayvec::ArrayVec;
use glam::DVec3;

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
use crate::solver::separation::newton::{Goal, separate_lanes};
use crate::solver::separation::point::{self, Nearest};
use crate::solver::simd::{Lanes, M3, Mask, Real, V3, Width, lane_query, vector_of};

/// Evaluations without damping, and for the points that are left, outside and inside.
const FIRST_ROUNDS: u32 = 5;
const OUTSIDE_ROUNDS: u32 = 24;
const INSIDE_ROUNDS: u32 = 60;
/// Evaluations without damping from where the descent has ended.
const LAST_ROUNDS: u32 = 2;

/// Change of a slope, as a part of itself, at which a support point is exact enough to start from.
const CORNER_PRECISION: f64 = 1e-4;

/// Points deeper than this part of the smallest radius, at its narrowest, go through the single query.
const SHALLOW: f64 = 0.1;

/// How far from the axis, as a part of the size, a point's side is more than rounding.
const LEAN: f64 = 1e-12;

/// Answers a chunk of points, or `None` when the shape has no vector form.
pub(super) fn closest_points(
    width: Width,
    shape: &Shape,
    pose: &Pose,
    points: &[DVec3],
    options: &Options,
) -> Option<Vec<Result<ClosestPoint, QueryError>>> {
    closest_points_in(width, &[Pass::Undamped, Pass::Damped], shape, pose, points, options)
}

fn closest_points_in(
    width: Width,
    passes: &[Pass],
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
    let answers = if superquadric.is_tapered() {
        settle::<true>(width, passes, &superquadric, rings.as_ref(), pose, points, options)
    } else {
        settle::<false>(width, passes, &superquadric, None, pose, points, options)
    };
    let answer = |(answer, point): (Option<ClosestPoint>, &DVec3)| match answer {
        Some(answer) => Ok(answer),
        None => closest_point(shape, pose, *point, options),
    };
    Some(answers.into_iter().zip(points).map(answer).collect())
}

lane_query! {
    /// See [`settle_lanes`].
    fn settle<const TAPERED: bool>(
        passes: &[Pass],
        superquadric: &Params,
        rings: Option<&BandRings>,
        pose: &Pose,
        points: &[DVec3],
        options: &Options,
    ) -> Vec<Option<ClosestPoint>>,
    settle_lanes
}

/// How points are searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Undamped,
    Damped,
}

/// Answers the points as far as they settle, one pass after the other.
#[inline(always)]
fn settle_lanes<R: Lanes, const TAPERED: bool>(
    passes: &[Pass],
    superquadric: &Params,
    rings: Option<&BandRings>,
    pose: &Pose,
    points: &[DVec3],
    options: &Options,
) -> Vec<Option<ClosestPoint>> {
    let target = Target::<R, TAPERED>::new(superquadric, rings, pose);
    let mut answers = vec![None; points.len()];
    let mut open: Vec<usize> = (0..points.len()).filter(|&index| validate_point(points[index]).is_ok()).collect();
    for &pass in passes {
        for group in open.chunks(R::COUNT) {
            // The last point fills the lanes that are left.
            let world: V3<R> = V3::gather(|lane| points[group[lane.min(group.len() - 1)]]);
            let p = target.to_body(world);
            let rounding = rounding(p, R::splat(0.0), R::splat(target.reach));
            let tolerance = reachable(options.tolerance, rounding);
            let found = nearest(&target, p, tolerance, pass);
            target.write(&found, rounding, tolerance, group, &mut answers);
        }
        open.retain(|&index| answers[index].is_none());
    }
    answers
}

/// The body, in units of its largest radius, where it is, and what all its points have in common.
struct Target<R: Real, const TAPERED: bool> {
    body: Superquadric<R, TAPERED>,
    /// Columns: the body's axes in the world.
    axes: M3<R>,
    translation: V3<R>,
    size: f64,
    corners: Corners,
    /// See [`Params::reach_factor`].
    reach: f64,
    /// Radius of a ball about the origin within the body.
    inner: f64,
    /// Depth up to which points are answered here.
    shallow: f64,
    /// Where the body may bend inwards, if it is not convex.
    bands: Option<Bands<R>>,
    /// [`LEAN`] along x or y, whichever radius is smaller.
    lean: [R; 2],
}

impl<R: Lanes, const TAPERED: bool> Target<R, TAPERED> {
    #[inline(always)]
    fn new(params: &Params, rings: Option<&BandRings>, pose: &Pose) -> Target<R, TAPERED> {
        let size = params.largest_radius();
        let [x, y, z] = params.radii.map(|radius| radius / size);
        let inner = certificate::inner_radius(params) / size;
        let narrowest = 1.0 - params.taper[0].abs().max(params.taper[1].abs());
        let body = scaled(params, size);
        let axes = pose.rotation_matrix();
        Target {
            corners: Corners::new(&body, V3::new(x, y, z)),
            body,
            axes: M3 {
                x: V3::from(axes.x_axis).spread(),
                y: V3::from(axes.y_axis).spread(),
                z: V3::from(axes.z_axis).spread(),
            },
            translation: V3::from(pose.translation).spread(),
            size,
            reach: params.reach_factor(),
            inner,
            shallow: SHALLOW * x.min(y).min(z) * narrowest,
            bands: rings.and_then(|rings| Bands::new(Some(rings))),
            lean: if x < y { [R::splat(LEAN), R::splat(0.0)] } else { [R::splat(0.0), R::splat(LEAN)] },
        }
    }

    /// Points of the world in the frame of the body.
    #[inline(always)]
    fn to_body(&self, points: V3<R>) -> V3<R> {
        self.axes.apply_transposed(points - self.translation) * R::splat(1.0 / self.size)
    }

    /// Takes the answers of a group to the world, where they have settled.
    #[inline(always)]
    fn write(
        &self,
        found: &Found<R>,
        rounding: R,
        tolerance: R,
        group: &[usize],
        answers: &mut [Option<ClosestPoint>],
    ) {
        let size = R::splat(self.size);
        let point = (self.axes.apply(found.point) * size + self.translation).to_arrays();
        let normal = self.axes.apply(found.normal).to_arrays();
        let distance = (found.distance * size).to_array();
        let (lower, upper) = (found.lower.to_array(), found.upper.to_array());
        let (rounding, tolerance) = (rounding.to_array(), (tolerance * size).to_array());
        let evaluations = found.evaluations.to_array();
        let settled = R::bits(found.settled);
        for (lane, &index) in group.iter().enumerate() {
            if settled >> lane & 1 == 1 {
                answers[index] = Some(ClosestPoint {
                    point: vector_of(&point, lane),
                    normal: vector_of(&normal, lane),
                    distance: distance[lane],
                    bounds: Some(certificate::bounds(lower[lane], upper[lane], rounding[lane], self.size)),
                    status: status_of(distance[lane], true, tolerance[lane]),
                    iterations: evaluations[lane] as u32,
                });
            }
        }
    }
}

/// Most directions of [`Corners`].
const MOST_CORNERS: usize = 12;

/// Directions with x, y ≥ 0 (and z ≥ 0 without a taper) in which a superquadric bulges least or most, with their support values.
struct Corners(ArrayVec<(V3<f64>, f64), MOST_CORNERS>);

impl Corners {
    #[inline(always)]
    fn new<R: Lanes, const TAPERED: bool>(body: &Superquadric<R, TAPERED>, radii: V3<f64>) -> Corners {
        let (u, v, w) = (1.0 / radii.x, 1.0 / radii.y, 1.0 / radii.z);
        let upper = [(u, 0.0, 0.0), (0.0, v, 0.0), (u, v, 0.0), (0.0, 0.0, w), (u, 0.0, w), (0.0, v, w), (u, v, w)];
        let lower = [(0.0, 0.0, -w), (u, 0.0, -w), (0.0, v, -w), (u, v, -w)];
        let normals: ArrayVec<DVec3, MOST_CORNERS> = (upper.into_iter())
            .chain(lower.into_iter().take(if TAPERED { lower.len() } else { 0 }))
            .map(|(x, y, z)| unit(V3::new(x, y, z)).into())
            .collect();
        let mut corners = ArrayVec::new();
        for group in normals.chunks(R::COUNT) {
            let lanes: V3<R> = V3::gather(|lane| group[lane.min(group.len() - 1)]);
            // Whatever point it is, no other one's depth is underestimated by much: the values only choose where to start.
            let at = if TAPERED {
                body.near_tapered_normal(lanes, R::splat(f64::NAN), CORNER_PRECISION)
            } else {
                body.with_untapered_normal(lanes)
            };
            let values = at.position.dot(lanes).to_array();
            corners.extend(group.iter().enumerate().map(|(lane, &normal)| (normal.into(), values[lane])));
        }
        Corners(corners)
    }
}

/// The nearest surface points to a group of points, in the superquadric's scaled frame.
struct Found<R: Real> {
    point: V3<R>,
    normal: V3<R>,
    distance: R,
    lower: R,
    upper: R,
    evaluations: R,
    settled: R::Mask,
}

/// Solves for a group of points on either side of the surface.
#[inline(always)]
fn nearest<R: Lanes, const TAPERED: bool>(target: &Target<R, TAPERED>, p: V3<R>, tolerance: R, pass: Pass) -> Found<R> {
    let (zero, one) = (R::splat(0.0), R::splat(1.0));
    // The surface point in the direction of the point tells inside from outside and is the start of both.
    // Next to the axis rounding would choose the side; the nearer one is that of the smaller radius. It is a little farther out, so that what the
    // gauge proves holds.
    let (x, y) = (target.lean[0].copysign(p.x), target.lean[1].copysign(p.y));
    let (radial, gauge) = target.body.place_along(V3::new(p.x + x, p.y + y, p.z));
    let inside = gauge.lt(one);
    let start = if inside.any() { deeper_start(&target.body, &target.corners, p, (radial, inside)) } else { radial };
    if pass == Pass::Undamped {
        let found = point::nearest(&target.body, p, start, inside, tolerance, FIRST_ROUNDS);
        return proved(target, p, (inside, gauge), tolerance, &found);
    }
    let placement = Placement {
        rotation: M3 { x: V3::new(one, zero, zero), y: V3::new(zero, one, zero), z: V3::new(zero, zero, one) },
        centre: p,
    };
    let mut found = Nearest::unsettled(&start);
    if (!inside).any() {
        found = nearest_outside(target, &placement, start, tolerance);
    }
    if inside.any() {
        found = Nearest::select(inside, &nearest_inside(target, &placement, start, tolerance), &found);
    }
    proved(target, p, (inside, gauge), tolerance, &found)
}

/// The Newton iteration of pairs.
#[inline(always)]
fn nearest_outside<R: Lanes, const TAPERED: bool>(
    target: &Target<R, TAPERED>,
    placement: &Placement<R>,
    start: SurfacePoint<R>,
    tolerance: R,
) -> Nearest<R> {
    let (body, start) = (&target.body, (start, -start.normal));
    let found = separate_lanes(body, &LanePoint, placement, start, tolerance, OUTSIDE_ROUNDS, Goal::Distance);
    let (x, n, along) = if target.bands.is_some() {
        // The hull's proof takes a point with just its normal.
        let at = body.place(found.x_a, found.normal);
        (at.position, at.normal, at.normal.dot(placement.centre - at.position))
    } else {
        (found.x_a, found.witness, found.lower)
    };
    Nearest {
        point: found.x_a,
        normal: found.normal,
        distance: found.distance(),
        x,
        n,
        along,
        length: found.upper,
        settled: found.converged,
        evaluations: found.evaluations,
    }
}

/// The descent on the depth, which ends next to a minimum, and the undamped steps to its last digits.
#[inline(always)]
fn nearest_inside<R: Lanes, const TAPERED: bool>(
    target: &Target<R, TAPERED>,
    placement: &Placement<R>,
    start: SurfacePoint<R>,
    tolerance: R,
) -> Nearest<R> {
    let (body, p) = (&target.body, placement.centre);
    let found = refine(body, &LanePoint, placement, (start, -start.normal), tolerance, INSIDE_ROUNDS);
    let coarse = Nearest {
        point: found.x_a,
        normal: found.normal,
        distance: -found.depth,
        x: found.x_a,
        n: found.normal,
        along: -found.depth,
        length: (found.x_a - p).length_sq().sqrt(),
        settled: found.settled,
        evaluations: found.evaluations,
    };
    let inside = found.settled;
    let near = body.place(found.x_a, found.normal);
    let mut fine = point::nearest(body, p, near, inside, tolerance, LAST_ROUNDS);
    fine.evaluations = fine.evaluations + found.evaluations;
    let same = (fine.distance - coarse.distance).abs().lt(tolerance);
    Nearest::select(fine.settled & inside & same, &fine, &coarse)
}

/// What was found, with the bounds that belong to it.
///
/// Outside a body that is not convex, what was found as if it were is proved by its hull where this touches the surface there, and not settled
/// elsewhere.
#[inline(always)]
fn proved<R: Lanes, const TAPERED: bool>(
    target: &Target<R, TAPERED>,
    p: V3<R>,
    (inside, gauge): (R::Mask, R),
    tolerance: R,
    found: &Nearest<R>,
) -> Found<R> {
    let Nearest { point, normal, distance, x, n, along, length, settled, evaluations } = *found;
    // The plane across the normal bounds the distance of a convex body on either side of its surface.
    let (mut lower, mut upper, mut settled) = (along, length, settled);
    if let Some(bands) = &target.bands
        && (!inside).any()
    {
        let slack = R::splat(touching::SLACK) * tolerance;
        lower = along - slack;
        settled = settled
            & (inside | (touches(&target.body.as_tapered(), bands, (x, n), slack) & upper.lt(lower + tolerance)));
    }
    if inside.any() {
        let (inner, depth) = (R::splat(target.inner), -distance);
        let (farthest, least) = if target.bands.is_some() {
            // A body that is not convex need not hold a ball about its origin, and it is the surface point itself that bounds the depth.
            (length.max(depth), R::splat(0.0))
        } else if TAPERED {
            (-along, certificate::depth_by_tapered_gauge(gauge, target.body.least_stretch(p), inner))
        } else {
            (-along, certificate::depth_by_gauge(gauge, inner))
        };
        lower = R::select(inside, -farthest, lower);
        upper = R::select(inside, -least.min(depth), upper);
        // Deeper points have more local minima than one start can tell apart.
        settled = settled & (!inside | depth.lt(R::splat(target.shallow)));
    }
    Found { point, normal, distance: distance.max(lower).min(upper), lower, upper, evaluations, settled }
}

/// The radial start, or for points inside a corner direction where that promises a smaller depth.
#[inline(always)]
fn deeper_start<R: Real, const TAPERED: bool>(
    superquadric: &Superquadric<R, TAPERED>,
    corners: &Corners,
    p: V3<R>,
    (radial, inside): (SurfacePoint<R>, R::Mask),
) -> SurfacePoint<R> {
    let radial_depth = radial.normal.dot(radial.position - p);
    let folded = V3::new(p.x.abs(), p.y.abs(), if TAPERED { p.z } else { p.z.abs() });
    let mut best = radial_depth * R::splat(0.999);
    let mut normal = radial.normal;
    for (corner, support) in &corners.0 {
        let corner: V3<R> = corner.spread();
        let depth = R::splat(*support) - corner.dot(folded);
        let better = depth.lt(best);
        best = R::select(better, depth, best);
        let z = if TAPERED { corner.z } else { corner.z.copysign(p.z) };
        let facing = V3::new(corner.x.copysign(p.x), corner.y.copysign(p.y), z);
        normal = V3::select(better, facing, normal);
    }
    let changed = inside & best.lt(radial_depth * R::splat(0.999));
    if !changed.any() {
        return radial;
    }
    SurfacePoint::select(changed, &superquadric.with_normal(normal), &radial)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use proptest::prelude::*;

    use super::*;
    use crate::query::Status;
    use crate::shape::{Superellipsoid, Superovoid};

    fn exponent() -> impl Strategy<Value = f64> {
        prop_oneof![4 => 0.05..1.95f64, 1 => prop::sample::select(vec![0.05, 0.5, 2.0 / 3.0, 1.0, 1.5, 1.95])]
    }

    /// Round, flat and needle-shaped, down to a hundredth.
    fn radii() -> impl Strategy<Value = [f64; 3]> {
        let radius =
            prop_oneof![3 => 0.3..1.0f64, 1 => (-2.0..0.0f64).prop_map(|power| 10f64.powf(power)), 1 => Just(1.0)];
        [radius.clone(), radius.clone(), radius]
    }

    fn shape() -> impl Strategy<Value = Shape> {
        let taper = prop_oneof![
            3 => Just([0.0; 2]),
            1 => (-0.5..0.5f64).prop_map(|taper| [taper; 2]),
            2 => [-0.5..0.5f64, -0.5..0.5f64],
        ];
        let size = prop::sample::select(vec![1.0, 1e-3, 1e3]);
        (radii(), [exponent(), exponent()], taper, size).prop_map(|(radii, exponents, taper, size)| {
            let radii = radii.map(|radius| radius * size);
            match taper {
                [0.0, 0.0] => Superellipsoid::new(radii, exponents).unwrap().into(),
                _ => Superovoid::new(radii, exponents, taper).unwrap().into(),
            }
        })
    }

    fn radii_of(shape: &Shape) -> DVec3 {
        match shape {
            Shape::Superellipsoid(shape) => shape.radii().into(),
            Shape::Superovoid(shape) => shape.radii().into(),
            _ => unreachable!("the strategy has no others"),
        }
    }

    /// Coordinates in units of the radii: anywhere, on axes and planes of symmetry and next to them.
    fn coordinate() -> impl Strategy<Value = f64> {
        prop_oneof![5 => -1.5..1.5f64, 1 => Just(0.0), 1 => prop::sample::select(vec![1.0, -1.0, 1e-12, -1e-7, 40.0, 1e7])]
    }

    /// A coordinate or three, and whether the surface is to be close: by how much beyond its point there.
    fn point() -> impl Strategy<Value = ([f64; 3], Option<f64>)> {
        let beyond = prop::sample::select(vec![0.0, 1e-12, -1e-9, 1e-6, -1e-4, 0.01, -0.01, 0.05, -0.05, 0.3]);
        ([coordinate(), coordinate(), coordinate()], prop::option::weighted(0.6, beyond))
    }

    fn placed(shape: &Shape, (at, beyond): ([f64; 3], Option<f64>)) -> DVec3 {
        let (at, radii) = (DVec3::from(at), radii_of(shape));
        match (beyond, at.try_normalize()) {
            (Some(beyond), Some(direction)) => {
                shape.support(direction).unwrap() + direction * beyond * radii.min_element()
            }
            _ => at * radii,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Four lanes and eight against single queries, which take neither the undamped steps nor lanes, over the whole domain.
        #[test]
        fn every_width_answers_as_single_queries_do(
            shape in shape(),
            points in prop::collection::vec(point(), 21),
            turn in [-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64],
        ) {
            let size = radii_of(&shape).max_element();
            let pose = Pose { rotation: DQuat::from_scaled_axis(turn.into()), translation: DVec3::from(turn) * size };
            let mut points: Vec<DVec3> =
                points.into_iter().map(|point| pose.transform_point(placed(&shape, point))).collect();
            points.extend([pose.translation, DVec3::splat(f64::NAN), DVec3::X * f64::INFINITY]);
            let singles: Vec<_> =
                points.iter().map(|point| closest_point(&shape, &pose, *point, &Options::DEFAULT)).collect();
            let passes = [&[Pass::Undamped, Pass::Damped][..], &[Pass::Damped]];
            for (width, passes) in Width::all().flat_map(|width| passes.map(|passes| (width, passes))) {
                let answers = closest_points_in(width, passes, &shape, &pose, &points, &Options::DEFAULT);
                let Some(answers) = answers else { continue };
                prop_assert_eq!(answers.len(), points.len());
                for ((answer, single), point) in answers.iter().zip(&singles).zip(&points) {
                    let (Ok(answer), Ok(single)) = (answer, single) else {
                        prop_assert_eq!(format!("{answer:?}"), format!("{single:?}"));
                        continue;
                    };
                    check(&shape, &pose, *point, answer, single, size)?;
                }
            }
        }
    }

    /// Next to the surface of rounded bodies, one start and undamped steps find the least depth.
    #[test]
    fn depths_are_least_close_to_the_surface() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut total, mut others) = (0, 0);
        for _ in 0..40 {
            let mut between = |low: f64, high: f64| low + (high - low) * random.f64();
            let exponents = [between(0.3, 1.7), between(0.3, 1.7)];
            let shape: Shape =
                Superellipsoid::new([1.0, between(0.5, 1.0), between(0.5, 1.0)], exponents).unwrap().into();
            let points: Vec<DVec3> = std::iter::repeat_with(|| {
                let direction = DVec3::new(between(-1.0, 1.0), between(-1.0, 1.0), between(-1.0, 1.0));
                shape.support(direction.normalize()).unwrap() * between(0.97, 0.999)
            })
            .take(40)
            .collect();
            for width in Width::all() {
                let answers = closest_points(width, &shape, &Pose::IDENTITY, &points, &Options::DEFAULT).unwrap();
                for (answer, point) in answers.into_iter().zip(&points) {
                    let single = closest_point(&shape, &Pose::IDENTITY, *point, &Options::DEFAULT).unwrap();
                    total += 1;
                    others += usize::from((answer.unwrap().distance - single.distance).abs() > 2e-9);
                }
            }
        }
        println!("{others} others of {total}");
        assert!(others * 500 <= total, "{others} of {total}");
    }

    fn check(
        shape: &Shape,
        pose: &Pose,
        point: DVec3,
        answer: &ClosestPoint,
        single: &ClosestPoint,
        size: f64,
    ) -> Result<(), TestCaseError> {
        let what = format!("{shape:?} {pose:?} {point:?}:\n{answer:?}\n{single:?}");
        let far = (point - pose.translation).length().max(size);
        prop_assert!(answer.status != Status::NotConverged || single.status == Status::NotConverged, "{what}");
        if let (Some(bounds), Some(of_single)) = (answer.bounds, single.bounds) {
            prop_assert!(bounds.lower <= of_single.upper && of_single.lower <= bounds.upper, "{what}");
            prop_assert!(bounds.lower <= answer.distance && answer.distance <= bounds.upper, "{what}");
        }
        if answer.status == Status::NotConverged || answer == single {
            return Ok(());
        }
        if single.distance > 0.0 {
            // Nearer is better: that the point is on the surface is checked below.
            prop_assert!(answer.distance < single.distance + 2e-9 * far, "{what}");
        } else if shape.is_convex() {
            // Next to tips and edges that are sharp it may be another minimum, as the bounds say, but never less than the least.
            prop_assert!(answer.distance < single.distance + 2e-9 * far, "{what}");
        }
        // The point, the surface point and the normal are on one line, and the surface point is on the surface. Next to faces, ridges and
        // tips the damped methods may be all that settles, which end at points 3e-7 beside the line at most.
        let off = point - answer.point - answer.normal * answer.distance;
        prop_assert!(off.length() < 4e-7 * far, "{} beside: {what}", off.length());
        // The surface is no farther away than along the ray from the middle, where that does not graze it; or by a query of its own.
        let own = pose.inverse_transform_point(answer.point);
        let along_ray = match shape {
            Shape::Superellipsoid(shape) => shape.radial_signed_distance(own),
            Shape::Superovoid(shape) => shape.radial_signed_distance(own),
            _ => unreachable!("the strategy has no others"),
        };
        let again = closest_point(shape, pose, answer.point, &Options::DEFAULT).unwrap();
        let on_surface = along_ray.abs().min(again.distance.abs()) < 1e-8 * size;
        prop_assert!(on_surface, "{again:?} off the surface: {what}");
        Ok(())
    }
}
