//! Questions about one or two placed bodies: distance, intersection, derivatives, growth, rays.
//!
//! A single pair is answered on the spot. A batch goes to the core's own batches, whose vector lanes answer four pairs at a time, in blocks of
//! the size that the core itself cuts, so that the answers are its bits.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;
use pyo3::prelude::*;
use superegg::query::batch::{self, Placed};
use superegg::query::{
    BodyGradient, Bounds, ClosestPoint as CoreClosestPoint, Gradient as CoreGradient, Growth as CoreGrowth, Options,
    Outcome as CoreOutcome, QueryError, Ray, RayHit as CoreRayHit, SecondDerivatives as CoreSecondDerivatives,
    ShapeGradient, Status,
};
use superegg::shape::{Core, Shape as CoreShape};
use superegg::{Pose as CorePose, Threads, query};
use superegg_world::geometry::{self, Geometry};

use crate::array::{Batch, Spread, array, broadcast, vectors};
use crate::error::Refusal;
use crate::pose::{Pose, Poses, poses};
use crate::record;
use crate::record::Writer;
use crate::shape::{Bodies, Shape, bodies};
use crate::threads::{Rows, answer_all};

/// Pairs of shapes of the core in a block: what the core's batches are cut into, so that a block and its answers stay in the cache.
const BLOCK: usize = 256;
/// Pairs of other bodies in a block: a query may take milliseconds.
const SMALL_BLOCK: usize = 16;

record! {
    /// The answer of :func:`distance`. Numbers for one pair, arrays for a batch.
    Outcome[21] {
        /// Signed distance in metres: positive apart, negative in penetration.
        distance: number(0);
        /// Certified: the distance is at least this.
        lower: number(1);
        /// Certified: the distance is at most this.
        upper: number(2);
        /// Closest, or deepest, point of a, in world coordinates.
        point_a: numbers(3, &[3]);
        /// Closest, or deepest, point of b, in world coordinates.
        point_b: numbers(6, &[3]);
        /// Unit normal from a to b.
        normal: numbers(9, &[3]);
        /// The unit normal along which ``lower`` was proved.
        witness: numbers(12, &[3]);
        /// How the query ended: a :class:`Status`; codes of it in a batch.
        status: member(15, "Status");
        /// Surface evaluations spent.
        iterations: count(16);
        /// False where other points are as close.
        unique_points: flag(17);
        /// False where another normal gives the same distance. Where both are unique, the distance is differentiable.
        unique_normal: flag(18);
        /// Which part of a compound, or triangle of a mesh, a is nearest with.
        part_a: count(19);
        /// Which part of a compound, or triangle of a mesh, b is nearest with.
        part_b: count(20);
    }
}

record! {
    /// The answer of :func:`gradient`: the distance, and its derivatives by all that describes the two bodies. Parameters that a body does not have are NaN.
    Gradient[75] {
        /// Signed distance.
        distance: number(0);
        /// Closest point of a.
        point_a: numbers(3, &[3]);
        /// Closest point of b.
        point_b: numbers(6, &[3]);
        /// Unit normal from a to b.
        normal: numbers(9, &[3]);
        /// How the query ended.
        status: member(15, "Status");
        /// False where other points are as close: the derivatives belong to the points given.
        unique_points: flag(17);
        /// False where another normal gives the same distance.
        unique_normal: flag(18);
        /// By the position of a.
        position_a: numbers(21, &[3]);
        /// By a small rotation of a about its origin: a rotation vector in world coordinates.
        rotation_a: numbers(24, &[3]);
        /// By the radii of a.
        radii_a: numbers(27, &[3]);
        /// By the exponents of a.
        exponents_a: numbers(30, &[2]);
        /// By the taper of a.
        taper_a: numbers(32, &[2]);
        /// By the vertices of a point, segment or triangle a.
        points_a: numbers(34, &[3, 3]);
        /// By the offset of a plane a.
        offset_a: number(43);
        /// By the parameters of a primitive a, (…, 3): half extents of a box; two radii and half the height of a cylinder, cone or frustum; half the height of a capsule.
        primitive_a: numbers(44, &[3]);
        /// By the radius of rounding of a primitive a; of a sphere or capsule its radius.
        rounding_a: number(47);
        /// By the position of b.
        position_b: numbers(48, &[3]);
        /// By a small rotation of b about its origin.
        rotation_b: numbers(51, &[3]);
        /// By the radii of b.
        radii_b: numbers(54, &[3]);
        /// By the exponents of b.
        exponents_b: numbers(57, &[2]);
        /// By the taper of b.
        taper_b: numbers(59, &[2]);
        /// By the vertices of a point, segment or triangle b.
        points_b: numbers(61, &[3, 3]);
        /// By the offset of a plane b.
        offset_b: number(70);
        /// By the parameters of a primitive b, (…, 3): half extents of a box; two radii and half the height of a cylinder, cone or frustum; half the height of a capsule.
        primitive_b: numbers(71, &[3]);
        /// By the radius of rounding of a primitive b; of a sphere or capsule its radius.
        rounding_b: number(74);
    }
}

record! {
    /// The answer of :func:`second_derivatives`. The twelve parameters are position of a, rotation of a, position of b, rotation of b.
    SecondDerivatives[287] {
        /// Signed distance.
        distance: number(0);
        /// Closest point of a.
        point_a: numbers(3, &[3]);
        /// Closest point of b.
        point_b: numbers(6, &[3]);
        /// Unit normal from a to b.
        normal: numbers(9, &[3]);
        /// How the query ended.
        status: member(15, "Status");
        /// The first derivatives of the distance, (…, 12).
        first: numbers(21, &[12]);
        /// The symmetric matrix of second derivatives, (…, 12, 12).
        second: numbers(33, &[12, 12]);
        /// How the closest point of a moves with each parameter, (…, 12, 3).
        point_a_by: numbers(177, &[12, 3]);
        /// How the closest point of b moves with each parameter, (…, 12, 3).
        point_b_by: numbers(213, &[12, 3]);
        /// How the normal turns with each parameter, (…, 12, 3).
        normal_by: numbers(249, &[12, 3]);
        /// False where points or normal are not unique: there are no second derivatives, and the numbers belong to the answer given.
        smooth: flag(285);
        /// False where a radius of curvature is infinite: the points may slide.
        curved: flag(286);
    }
}

record! {
    /// The answer of :func:`growth`.
    Growth[24] {
        /// The factor by which both bodies have to be scaled about their positions to touch: above 1 apart, below 1 in overlap.
        growth: number(0);
        /// Certified: the growth is at least this.
        lower: number(1);
        /// Certified: the growth is at most this.
        upper: number(2);
        /// Where the scaled bodies touch.
        point: numbers(3, &[3]);
        /// Unit normal from a to b there.
        normal: numbers(6, &[3]);
        /// Derivative by the position of a.
        position_a: numbers(9, &[3]);
        /// Derivative by a rotation of a.
        rotation_a: numbers(12, &[3]);
        /// Derivative by the position of b.
        position_b: numbers(15, &[3]);
        /// Derivative by a rotation of b.
        rotation_b: numbers(18, &[3]);
        /// False for bodies with the same centre.
        differentiable: flag(21);
        /// How the query ended.
        status: member(22, "Status");
        /// Surface evaluations spent.
        iterations: count(23);
    }
}

record! {
    /// The answer of :func:`ray`: infinite ``t`` and NaN where the ray misses.
    RayHit[10] {
        /// Whether the ray meets the body.
        hit: flag(0);
        /// ``point = origin + t · direction``.
        t: number(1);
        /// The first point of the surface on the ray.
        point: numbers(2, &[3]);
        /// The surface's outward unit normal there.
        normal: numbers(5, &[3]);
        /// Whether the ray starts inside the body.
        from_inside: flag(8);
        /// Which part of a compound, or triangle of a mesh.
        part: count(9);
    }
}

record! {
    /// The answer of :func:`closest_point`.
    ClosestPoint[9] {
        /// Signed distance of the point: negative inside.
        distance: number(0);
        /// Certified: the distance is at least this; NaN where nothing is.
        lower: number(1);
        /// Certified: the distance is at most this; NaN where nothing is.
        upper: number(2);
        /// The nearest point of the surface.
        point: numbers(3, &[3]);
        /// The surface's outward unit normal there.
        normal: numbers(6, &[3]);
    }
}

fn code(status: Status) -> f64 {
    match status {
        Status::Separated => 0.0,
        Status::Touching => 1.0,
        Status::Penetrating => 2.0,
        Status::NotConverged => 3.0,
    }
}

fn ends(bounds: Option<Bounds>) -> [f64; 2] {
    bounds.map_or([f64::NAN; 2], |bounds| [bounds.lower, bounds.upper])
}

fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// The first columns of everything that begins with a distance.
fn write_outcome(to: &mut Writer<'_>, outcome: &CoreOutcome, parts: [u32; 2]) {
    let ([lower, upper], [part_a, part_b]) = (ends(outcome.bounds), parts.map(f64::from));
    let CoreOutcome { distance, point_a: a, point_b: b, normal: n, witness: w, .. } = *outcome;
    // All at once, so that there is one place to check: these are written more often than all others.
    to.put([
        distance,
        lower,
        upper,
        a.x,
        a.y,
        a.z,
        b.x,
        b.y,
        b.z,
        n.x,
        n.y,
        n.z,
        w.x,
        w.y,
        w.z,
        code(outcome.status),
        f64::from(outcome.iterations),
        flag(outcome.unique_points),
        flag(outcome.unique_normal),
        part_a,
        part_b,
    ]);
}

fn write_body_gradient(to: &mut Writer<'_>, body: &BodyGradient) {
    to.put(body.translation.to_array()).put(body.rotation.to_array());
    let (mut egg, mut points, mut by_offset) = ([f64::NAN; 7], [f64::NAN; 9], f64::NAN);
    let mut primitive = [f64::NAN; 4];
    let mut put_points = |vertices: &[DVec3]| {
        for (numbers, vertex) in points.chunks_exact_mut(3).zip(vertices) {
            numbers.copy_from_slice(&vertex.to_array());
        }
    };
    match body.shape {
        ShapeGradient::Point(by) => put_points(&by),
        ShapeGradient::Segment(by) => put_points(&by),
        ShapeGradient::Triangle(by) => put_points(&by),
        ShapeGradient::Plane { offset } => by_offset = offset,
        ShapeGradient::Superellipsoid { radii, exponents } => {
            egg[..3].copy_from_slice(&radii);
            egg[3..5].copy_from_slice(&exponents);
        }
        ShapeGradient::Superovoid { radii, exponents, taper } => {
            egg[..3].copy_from_slice(&radii);
            egg[3..5].copy_from_slice(&exponents);
            egg[5..].copy_from_slice(&taper);
        }
        ShapeGradient::Primitive { core, rounding } => {
            let [x, y, z] = match core {
                Core::Segment { half_height } => [half_height, f64::NAN, f64::NAN],
                Core::Cuboid { half_extents } => half_extents,
                Core::Frustum { radii, half_height } => [radii[0], radii[1], half_height],
            };
            primitive = [x, y, z, rounding];
        }
        ShapeGradient::Rounded { rounding } => primitive[3] = rounding,
    }
    to.put(egg).put(points).one(by_offset).put(primitive);
}

fn write_gradient(to: &mut Writer<'_>, found: &CoreGradient) {
    write_outcome(to, &found.outcome, [0; 2]);
    write_body_gradient(to, &found.a);
    write_body_gradient(to, &found.b);
}

fn write_second_derivatives(to: &mut Writer<'_>, found: &CoreSecondDerivatives) {
    write_outcome(to, &found.gradient.outcome, [0; 2]);
    to.put(found.first());
    for row in &found.hessian {
        to.put(row);
    }
    for by in [&found.point_a, &found.point_b, &found.normal].into_iter().flatten() {
        to.put(by.to_array());
    }
    to.one(flag(found.is_smooth)).one(flag(found.is_curved));
}

fn write_growth(to: &mut Writer<'_>, found: &CoreGrowth) {
    to.one(found.growth).put(ends(Some(found.bounds))).put(found.point.to_array()).put(found.normal.to_array());
    for body in [&found.a, &found.b] {
        to.put(body.translation.to_array()).put(body.rotation.to_array());
    }
    to.one(flag(found.is_differentiable)).one(code(found.status)).one(f64::from(found.iterations));
}

/// Two batches of placed bodies, broadcast.
struct Pairs {
    bodies: [Arc<Bodies>; 2],
    poses: [Poses; 2],
    dims: Vec<usize>,
    spreads: [Spread; 4],
}

impl Pairs {
    fn read(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        pose_a: Option<&Bound<'_, PyAny>>,
        pose_b: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Pairs> {
        let bodies = [bodies(a, "a")?, bodies(b, "b")?];
        let poses = [poses(pose_a, "pose_a")?, poses(pose_b, "pose_b")?];
        let (dims, spreads) = broadcast([
            ("a", &bodies[0].batch.dims),
            ("b", &bodies[1].batch.dims),
            ("pose_a", &poses[0].dims),
            ("pose_b", &poses[1].dims),
        ])?;
        Ok(Pairs { bodies, poses, dims, spreads })
    }

    fn is_plain(&self) -> bool {
        self.bodies.iter().all(|bodies| bodies.plain)
    }

    #[inline]
    fn body(&self, side: usize, place: usize) -> (&Geometry, &CorePose) {
        let body = &self.bodies[side].batch.items[self.spreads[side].index(place)];
        (body, &self.poses[side].items[self.spreads[2 + side].index(place)])
    }

    /// Pairs of shapes of the core; refuses others, for which `operation` does not exist.
    fn placed(&self, range: Range<usize>, operation: &str) -> Result<Vec<[Placed; 2]>, (usize, Refusal)> {
        let mut pairs = Vec::with_capacity(range.len());
        for place in range {
            let ((a, pose_a), (b, pose_b)) = (self.body(0, place), self.body(1, place));
            let (Geometry::Shape(shape_a), Geometry::Shape(shape_b)) = (a, b) else {
                let other = if matches!(a, Geometry::Shape(_)) { b } else { a };
                let message = format!("{operation} is not defined for a {}", other.name());
                return Err((place, Refusal::Unsupported(message)));
            };
            pairs.push([
                Placed { shape: shape_a.clone(), pose: *pose_a },
                Placed { shape: shape_b.clone(), pose: *pose_b },
            ]);
        }
        Ok(pairs)
    }

    /// Answers all pairs by a batch of the core.
    fn by_core<T>(
        &self,
        py: Python<'_>,
        width: usize,
        operation: &str,
        ask: impl Fn(&[[Placed; 2]]) -> Vec<Result<T, QueryError>> + Sync + Send,
        write: impl Fn(&mut Writer<'_>, &T) + Sync + Send,
    ) -> PyResult<Rows> {
        answer_all(py, &self.dims, width, BLOCK, |range, rows| {
            let start = range.start;
            let answers = ask(&self.placed(range, operation)?);
            for (at, (answer, row)) in answers.iter().zip(rows.chunks_exact_mut(width)).enumerate() {
                write(&mut Writer::new(row), answer.as_ref().map_err(|error| (start + at, (*error).into()))?);
            }
            Ok(())
        })
    }
}

fn options(tolerance: f64, max_iterations: u32) -> Options {
    Options { tolerance, max_iterations, warm_start: None }
}

/// The shape and pose of one argument, where both are single and the shape is one of the core's.
#[inline]
fn single<'a>(body: &'a Bound<'_, PyAny>, pose: Option<&'a Bound<'_, PyAny>>) -> Option<(&'a CoreShape, &'a CorePose)> {
    let batch = &body.cast::<Shape>().ok()?.get().0.batch;
    let Geometry::Shape(shape) = batch.items.first().filter(|_| batch.dims.is_empty())? else { return None };
    let pose = match pose {
        None => &CorePose::IDENTITY,
        Some(pose) => {
            let batch = &pose.cast::<Pose>().ok()?.get().0;
            batch.items.first().filter(|_| batch.dims.is_empty())?
        }
    };
    Some((shape, pose))
}

/// How far apart are two bodies, where do they touch, and along which normal?
///
/// ``a`` and ``b`` are shapes; poses are a :class:`Pose`, a ``scipy`` Rotation, positions (…, 3), positions and quaternions (…, 7) or matrices
/// (…, 4, 4); all are broadcast. ``tolerance`` is the largest accepted ``upper - lower`` as a part of the size of the pair.
///
/// >>> import superegg
/// >>> die = superegg.superellipsoid([1, 1, 1], [0.3, 0.3])
/// >>> egg = superegg.superovoid([0.7, 0.7, 1], taper=[-0.2, -0.2])
/// >>> answer = superegg.distance(die, egg, pose_b=[3, 0.4, 0.2])
/// >>> answer.status.name, answer.lower <= answer.distance <= answer.upper, answer.upper - answer.lower < 1e-8
/// ('SEPARATED', True, True)
/// >>> superegg.distance(die, egg, pose_b=[[3, 0, 0], [4, 0, 0], [5, 0, 0]]).distance.round(6).tolist()
/// [1.286632, 2.286632, 3.286632]
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, tolerance=1e-9, max_iterations=400))]
pub fn distance(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
    max_iterations: u32,
) -> PyResult<Outcome> {
    let options = options(tolerance, max_iterations);
    if let (Some((a, pose_a)), Some((b, pose_b))) = (single(a, pose_a), single(b, pose_b)) {
        let outcome = query::distance(a, pose_a, b, pose_b, &options).map_err(Refusal::from)?;
        let mut row = vec![0.0; Outcome::WIDTH];
        write_outcome(&mut Writer::new(&mut row), &outcome, [0; 2]);
        return Outcome::new(py, row, Vec::new());
    }
    let pairs = Pairs::read(a, b, pose_a, pose_b)?;
    let rows = if pairs.is_plain() {
        let ask = |pairs: &[[Placed; 2]]| batch::distances(pairs, &options, Threads::One);
        pairs.by_core(py, Outcome::WIDTH, "distance", ask, |to, outcome| write_outcome(to, outcome, [0; 2]))?
    } else {
        answer_all(py, &pairs.dims, Outcome::WIDTH, SMALL_BLOCK, |range, rows| {
            for (place, row) in range.zip(rows.chunks_exact_mut(Outcome::WIDTH)) {
                let ((a, pose_a), (b, pose_b)) = (pairs.body(0, place), pairs.body(1, place));
                let nearest = geometry::distance(a, pose_a, b, pose_b, &options);
                let contact = nearest.map_err(|error| (place, error.into()))?.contact;
                write_outcome(&mut Writer::new(row), &contact.outcome, [contact.part_a, contact.part_b]);
            }
            Ok(())
        })?
    };
    Outcome::new(py, rows, pairs.dims)
}

/// Whether two bodies share a point; faster than :func:`distance`.
///
/// >>> import superegg
/// >>> ball = superegg.superellipsoid([1, 1, 1])
/// >>> superegg.intersect(ball, ball, pose_b=[[1.9, 0, 0], [2.1, 0, 0]])
/// array([ True, False])
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None))]
pub fn intersect<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    pose_a: Option<&Bound<'py, PyAny>>,
    pose_b: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let pairs = Pairs::read(a, b, pose_a, pose_b)?;
    let rows = if pairs.is_plain() {
        let ask = |pairs: &[[Placed; 2]]| batch::intersects(pairs, Threads::One);
        pairs.by_core(py, 1, "intersect", ask, |to, met| {
            to.one(flag(*met));
        })?
    } else {
        answer_all(py, &pairs.dims, 1, SMALL_BLOCK, |range, rows| {
            for (place, row) in range.zip(rows) {
                let ((a, pose_a), (b, pose_b)) = (pairs.body(0, place), pairs.body(1, place));
                let met = geometry::intersect(a, pose_a, b, pose_b).map_err(|error| (place, error.into()))?;
                *row = flag(met);
            }
            Ok(())
        })?
    };
    let answers: Vec<bool> = rows.into_iter().map(|met| met != 0.0).collect();
    if pairs.dims.is_empty() {
        return Ok(pyo3::types::PyBool::new(py, answers[0]).to_owned().into_any());
    }
    array(py, answers, &pairs.dims)
}

/// The signed distance and its derivatives by both poses and by all parameters of both shapes.
///
/// >>> import superegg
/// >>> ball = superegg.superellipsoid([1, 1, 1])
/// >>> found = superegg.gradient(ball, superegg.point(), pose_b=[3, 0, 0])
/// >>> found.distance, found.position_b.round(9).tolist(), found.radii_a.round(9).tolist()
/// (2.0, [1.0, -0.0, -0.0], [-1.0, -0.0, -0.0])
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, tolerance=1e-9, max_iterations=400))]
pub fn gradient(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
    max_iterations: u32,
) -> PyResult<Gradient> {
    let options = options(tolerance, max_iterations);
    let pairs = Pairs::read(a, b, pose_a, pose_b)?;
    let ask = |pairs: &[[Placed; 2]]| batch::gradients(pairs, &options, Threads::One);
    let rows = pairs.by_core(py, Gradient::WIDTH, "gradient", ask, write_gradient)?;
    Gradient::new(py, rows, pairs.dims)
}

/// The signed distance and its derivatives by both poses up to the second order, and how points and normal move.
///
/// >>> import superegg
/// >>> ball = superegg.superellipsoid([1, 1, 1])
/// >>> found = superegg.second_derivatives(ball, ball, pose_b=[4, 0, 0])
/// >>> found.second.shape, round(float(found.second[1, 1]), 9)
/// ((12, 12), 0.25)
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, tolerance=1e-9, max_iterations=400))]
pub fn second_derivatives(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
    max_iterations: u32,
) -> PyResult<SecondDerivatives> {
    let options = options(tolerance, max_iterations);
    let pairs = Pairs::read(a, b, pose_a, pose_b)?;
    let ask = |pairs: &[[Placed; 2]]| batch::second_derivatives(pairs, &options, Threads::One);
    let rows = pairs.by_core(py, SecondDerivatives::WIDTH, "second_derivatives", ask, write_second_derivatives)?;
    SecondDerivatives::new(py, rows, pairs.dims)
}

/// The factor by which two superellipsoids or convex superovoids have to be scaled about their positions to touch: smooth through contact.
///
/// >>> import superegg
/// >>> ball = superegg.superellipsoid([1, 1, 1])
/// >>> superegg.growth(ball, ball, pose_b=[5, 0, 0]).growth
/// 2.5
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, tolerance=1e-9, max_iterations=400))]
pub fn growth(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
    max_iterations: u32,
) -> PyResult<Growth> {
    let options = options(tolerance, max_iterations);
    let pairs = Pairs::read(a, b, pose_a, pose_b)?;
    let ask = |pairs: &[[Placed; 2]]| batch::growth_distances(pairs, &options, Threads::One);
    let rows = pairs.by_core(py, Growth::WIDTH, "growth", ask, write_growth)?;
    Growth::new(py, rows, pairs.dims)
}

/// Where rays first meet bodies: ``origin`` and ``direction`` are arrays (…, 3), directions of any length but zero.
///
/// >>> import superegg
/// >>> egg = superegg.superellipsoid([1, 1, 2])
/// >>> superegg.ray(egg, [0, 0, 10], [[0, 0, -2], [0, 0, 1]]).t
/// array([ 4., inf])
#[pyfunction]
#[pyo3(signature = (shape, origin, direction, pose=None))]
pub fn ray(
    py: Python<'_>,
    shape: &Bound<'_, PyAny>,
    origin: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<RayHit> {
    let (bodies, poses) = (bodies(shape, "shape")?, poses(pose, "pose")?);
    let (origins, directions) = (vectors(origin, "origin")?, vectors(direction, "direction")?);
    let (dims, [body, pose, from, along]) = broadcast([
        ("shape", &bodies.batch.dims),
        ("pose", &poses.dims),
        ("origin", &origins.dims),
        ("direction", &directions.dims),
    ])?;
    let block = if bodies.plain { BLOCK } else { SMALL_BLOCK };
    let rows = answer_all(py, &dims, RayHit::WIDTH, block, |range, rows| {
        for (place, row) in range.zip(rows.chunks_exact_mut(RayHit::WIDTH)) {
            let line = Ray::new(origins.items[from.index(place)], directions.items[along.index(place)]);
            let line = line.map_err(|refused| (place, refused.into()))?;
            let (body, pose) = (&bodies.batch.items[body.index(place)], &poses.items[pose.index(place)]);
            let met = geometry::ray(body, pose, &line).map_err(|error| (place, error.into()))?;
            write_hit(&mut Writer::new(row), met);
        }
        Ok(())
    })?;
    RayHit::new(py, rows, dims)
}

fn write_hit(to: &mut Writer<'_>, met: Option<(u32, CoreRayHit)>) {
    let missed = CoreRayHit { t: f64::INFINITY, point: DVec3::NAN, normal: DVec3::NAN, from_inside: false };
    let (part, hit) = met.unwrap_or((0, missed));
    to.one(flag(met.is_some())).one(hit.t).put(hit.point.to_array()).put(hit.normal.to_array());
    to.one(flag(hit.from_inside)).one(f64::from(part));
}

/// The nearest point of one shape's surface to each of many points (…, 3): a distance field.
///
/// >>> import superegg
/// >>> egg = superegg.superellipsoid([1, 1, 2])
/// >>> superegg.closest_point(egg, [[0, 0, 3], [0, 0, 0.5]]).distance.round(9).tolist()
/// [1.0, -0.957427108]
#[pyfunction]
#[pyo3(signature = (shape, point, pose=None, *, tolerance=1e-9, max_iterations=400))]
pub fn closest_point(
    py: Python<'_>,
    shape: &Bound<'_, PyAny>,
    point: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    tolerance: f64,
    max_iterations: u32,
) -> PyResult<ClosestPoint> {
    let bodies = bodies(shape, "shape")?;
    let pose = crate::pose::one_pose(pose, "pose")?;
    let Batch { items: points, dims } = vectors(point, "point")?;
    let [Geometry::Shape(shape)] = bodies.batch.items.as_slice() else {
        let message =
            "closest_point takes one shape that is no compound, mesh, superhyperboloid or supertoroid; use distance";
        return Err(Refusal::Unsupported(message.into()).into());
    };
    let options = options(tolerance, max_iterations);
    let rows = answer_all(py, &dims, ClosestPoint::WIDTH, BLOCK, |range, rows| {
        let start = range.start;
        let answers = batch::closest_points(shape, &pose, &points[range], &options, Threads::One);
        for (at, (answer, row)) in answers.into_iter().zip(rows.chunks_exact_mut(ClosestPoint::WIDTH)).enumerate() {
            write_closest(&mut Writer::new(row), &answer.map_err(|error| (start + at, error.into()))?);
        }
        Ok(())
    })?;
    ClosestPoint::new(py, rows, dims)
}

fn write_closest(to: &mut Writer<'_>, found: &CoreClosestPoint) {
    to.one(found.distance).put(ends(found.bounds)).put(found.point.to_array()).put(found.normal.to_array());
}

/// Seconds that the Rust library itself takes for the distances of a batch, its pairs laid out beforehand: for benchmarks.
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None))]
pub fn _time_rust_batch(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose_a: Option<&Bound<'_, PyAny>>,
    pose_b: Option<&Bound<'_, PyAny>>,
) -> PyResult<f64> {
    let pairs = Pairs::read(a, b, pose_a, pose_b)?;
    let count = pairs.dims.iter().product();
    let placed = pairs.placed(0..count, "distance").map_err(|(_, refused)| refused)?;
    crate::threads::detached(py, |_| {
        let start = Instant::now();
        let answers = batch::distances(&placed, &Options::DEFAULT, Threads::All);
        let seconds = start.elapsed().as_secs_f64();
        drop(answers);
        seconds
    })
}
