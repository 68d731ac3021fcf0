//! Shapes: one, or a batch of them, of one kind or several.

use std::sync::Arc;

use glam::DVec3;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use superegg::InvalidInput;
use superegg::shape::{
    Hull, Plane, Point, Primitive, Segment, Shape as CoreShape, Superellipsoid, Superovoid, Triangle,
};
use superegg_mesh::TriangleMesh;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::Geometry;
use superegg_world::superquadric::Superquadric;

use crate::array::{Batch, Numbers, array, array_of_vectors, broadcast, point_list, triangle_list, unravel, vectors};
use crate::error::Refusal;
use crate::pose::{Pose, poses};
use crate::select::select;
use crate::threads::make_all;

/// Bodies that a query refers to.
#[derive(Debug)]
pub struct Bodies {
    /// The bodies and their batch.
    pub batch: Batch<Geometry>,
    /// Whether all of them are shapes of the core, which has faster queries for many.
    pub plain: bool,
}

impl Bodies {
    fn new(items: Vec<Geometry>, dims: Vec<usize>) -> Bodies {
        let plain = items.iter().all(|body| matches!(body, Geometry::Shape(_)));
        Bodies { batch: Batch { items, dims }, plain }
    }
}

/// Bodies in their own frames: one, or a batch of them. Made by :func:`superellipsoid`, :func:`superovoid`, :func:`point`, :func:`segment`,
/// :func:`triangle`, :func:`plane`, :func:`superhyperboloid1`, :func:`superhyperboloid2`, :func:`supertoroid`, :func:`compound`, :func:`mesh` and
/// :func:`stack`.
///
/// >>> import superegg
/// >>> eggs = superegg.superellipsoid(radii=[[1, 1, 1], [1, 2, 3]], exponents=[1, 0.8])
/// >>> eggs
/// Shape('superellipsoid', batch_shape=(2,))
/// >>> eggs[1].radii
/// array([1., 2., 3.])
#[pyclass(frozen, module = "superegg")]
pub struct Shape(pub Arc<Bodies>);

/// One parameter of all bodies of a batch.
type Parameter = fn(&Geometry) -> Option<Vec<f64>>;

#[pymethods]
impl Shape {
    /// The batch's dimensions: ``()`` for one shape.
    #[getter]
    fn batch_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.batch.dims)
    }

    /// The name of the kind, as ``'superellipsoid'``; ``'mixed'`` for a batch of several kinds.
    #[getter]
    fn kind(&self) -> &'static str {
        let mut names = self.0.batch.items.iter().map(Geometry::name);
        let first = names.next();
        first.filter(|first| names.all(|name| name == *first)).unwrap_or("mixed")
    }

    /// Radii along x, y and z, (…, 3); of a supertoroid's tube.
    #[getter]
    fn radii<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.parameter(py, "radii", &[3], |body| body.superquadric().map(|surface| surface.radii().to_vec()))
    }

    /// Exponents around z and along it, (…, 2): 1 is round, towards 0 is square.
    #[getter]
    fn exponents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.parameter(py, "exponents", &[2], |body| body.superquadric().map(|surface| surface.exponents().to_vec()))
    }

    /// By how much a superovoid's sections grow towards +z, (…, 2).
    #[getter]
    fn taper<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.parameter(py, "taper", &[2], |body| match body {
            Geometry::Shape(CoreShape::Superovoid(egg)) => Some(egg.taper().to_vec()),
            _ => None,
        })
    }

    /// Radii of balls about the origins that hold the bodies; infinite for planes.
    #[getter]
    fn reach<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.parameter(py, "reach", &[], |body| Some(vec![body.reach()]))
    }

    /// Whether bodies were proved convex.
    #[getter]
    fn is_convex<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let convex = |body: &Geometry| matches!(body, Geometry::Shape(shape) if shape.is_convex());
        let answers: Vec<bool> = self.0.batch.items.iter().map(convex).collect();
        array(py, answers, &self.0.batch.dims)?.get_item(())
    }

    /// The smallest boxes along the world's axes that hold the posed bodies: corners (…, 2, 3).
    ///
    /// >>> import superegg
    /// >>> superegg.superellipsoid([1, 2, 3]).aabb().tolist()
    /// [[-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]]
    #[pyo3(signature = (pose=None))]
    fn aabb<'py>(&self, py: Python<'py>, pose: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let (bodies, poses) = (&self.0.batch, poses(pose, "pose")?);
        let (dims, [body, pose]) = broadcast([("shape", &bodies.dims[..]), ("pose", &poses.dims[..])])?;
        let count: usize = dims.iter().product();
        let corners: Vec<DVec3> = (0..count)
            .map(|at| bodies.items[body.index(at)].aabb(&poses.items[pose.index(at)]))
            .flat_map(|aabb| [aabb.min, aabb.max])
            .collect();
        array_of_vectors(py, &corners, &[&dims[..], &[2]].concat())
    }

    /// Points of the bodies that are farthest along directions (…, 3), in their own frames.
    ///
    /// >>> import superegg
    /// >>> superegg.superellipsoid([1, 2, 3]).support([0, 0, 1])
    /// array([0., 0., 3.])
    fn support<'py>(&self, py: Python<'py>, direction: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (bodies, directions) = (&self.0.batch, vectors(direction, "direction")?);
        let (dims, [body, along]) = broadcast([("shape", &bodies.dims[..]), ("direction", &directions.dims[..])])?;
        let count: usize = dims.iter().product();
        let mut points = Vec::with_capacity(count);
        for at in 0..count {
            let body = &bodies.items[body.index(at)];
            let refused = || Refusal::Unsupported(format!("a {} has no farthest point", body.name()));
            let point = body.support_point(directions.items[along.index(at)]).ok_or_else(refused);
            points.push(point.map_err(|refused| refused.into_exception(py, Some(&unravel(at, &dims))))?);
        }
        array_of_vectors(py, &points, &dims)
    }

    /// Triangles of one superellipsoid, superovoid, primitive or mesh: vertices (n, 3) and indices (m, 3).
    ///
    /// >>> import superegg
    /// >>> vertices, triangles = superegg.superellipsoid([1, 1, 1]).triangles(200)
    /// >>> vertices.shape[1], bool(triangles.max() < len(vertices))
    /// (3, True)
    #[pyo3(signature = (vertex_count=400))]
    fn triangles<'py>(&self, py: Python<'py>, vertex_count: usize) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let body = self.one("triangles")?;
        let made = match body {
            Geometry::Mesh(mesh) => {
                return triangles_to_arrays(py, mesh.positions(), mesh.topology().triangles());
            }
            other => other.shape().and_then(|shape| shape.tessellate(vertex_count)),
        };
        let missing = || Refusal::Unsupported(format!("a {} has no triangles", body.name()));
        let made = made.ok_or_else(missing)?;
        let made = made.map_err(Refusal::from)?;
        triangles_to_arrays(py, &made.vertices, &made.triangles)
    }

    /// Shapes of the batch, by any index of NumPy's.
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Shape> {
        let (places, dims) = select(&self.0.batch.dims, key)?;
        let items = places.into_iter().map(|at| self.0.batch.items[at].clone()).collect();
        Ok(Shape::new(items, dims))
    }

    fn __len__(&self) -> PyResult<usize> {
        self.0.batch.dims.first().copied().ok_or_else(|| PyTypeError::new_err("one shape has no length"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let dims = PyTuple::new(py, &self.0.batch.dims)?.repr()?;
        Ok(format!("Shape('{}', batch_shape={dims})", self.kind()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        crate::pickle::reduce(slf)
    }
}

impl Shape {
    /// A batch of bodies.
    pub fn new(items: Vec<Geometry>, dims: Vec<usize>) -> Shape {
        Shape(Arc::new(Bodies::new(items, dims)))
    }

    /// A single body.
    pub fn of(body: impl Into<Geometry>) -> Shape {
        Shape::new(vec![body.into()], Vec::new())
    }

    /// The body, where it is one.
    pub fn one(&self, what: &str) -> PyResult<&Geometry> {
        match (self.0.batch.dims.as_slice(), self.0.batch.items.as_slice()) {
            ([], [body]) => Ok(body),
            (dims, _) => Err(Refusal::invalid(what, format!("a batch {dims:?} of shapes is not one shape")).into()),
        }
    }

    fn parameter<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        item: &[usize],
        read: Parameter,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut numbers = Vec::new();
        for body in &self.0.batch.items {
            let missing = || PyAttributeError::new_err(format!("a {} has no {name}", body.name()));
            numbers.extend(read(body).ok_or_else(missing)?);
        }
        // `[()]` makes a number of an array without dimensions.
        array(py, numbers, &[&self.0.batch.dims[..], item].concat())?.get_item(())
    }
}

/// Shapes from one argument of a query.
pub fn bodies(object: &Bound<'_, PyAny>, field: &str) -> PyResult<Arc<Bodies>> {
    if let Ok(shape) = object.cast::<Shape>() {
        return Ok(shape.get().0.clone());
    }
    if object.hasattr("vertices")? && object.hasattr("faces")? {
        return Ok(mesh(object, None)?.0);
    }
    let kind = object.get_type().name()?.to_string();
    Err(Refusal::invalid(field, format!("a {kind} is no shape: give a superegg.Shape or a trimesh mesh")).into())
}

/// Bodies from arrays of their parameters, broadcast.
fn build<const N: usize>(
    py: Python<'_>,
    arrays: [(&str, Numbers<'_>); N],
    make: impl Fn([&[f64]; N]) -> Result<Geometry, InvalidInput> + Sync + Send,
) -> PyResult<Shape> {
    let batches: [(&str, &[usize]); N] = std::array::from_fn(|at| (arrays[at].0, &arrays[at].1.dims[..]));
    let (dims, spreads) = broadcast(batches)?;
    let widths: [usize; N] = std::array::from_fn(|at| arrays[at].1.width());
    let values: [&[f64]; N] = std::array::from_fn(|at| arrays[at].1.values());
    let made = make_all(py, dims.iter().product(), |place| {
        make(std::array::from_fn(|at| {
            let first = spreads[at].index(place) * widths[at];
            &values[at][first..first + widths[at]]
        }))
    })?;
    let raise = |(place, refused)| Refusal::from(refused).into_exception(py, Some(&unravel(place, &dims)));
    Ok(Shape::new(made.map_err(raise)?, dims))
}

fn three(numbers: &[f64]) -> [f64; 3] {
    [numbers[0], numbers[1], numbers[2]]
}

fn two(numbers: &[f64]) -> [f64; 2] {
    [numbers[0], numbers[1]]
}

/// An array, or the default where nothing is given.
fn numbers_or<'py>(
    py: Python<'py>,
    object: Option<&Bound<'py, PyAny>>,
    field: &str,
    default: &[f64],
    item: &[usize],
) -> PyResult<Numbers<'py>> {
    match object {
        Some(object) => Numbers::read(object, field, item),
        None => Numbers::read(&array(py, default.to_vec(), item)?, field, item),
    }
}

/// Superellipsoids: ``radii`` (…, 3) along x, y, z in metres, ``exponents`` (…, 2) around z and along it, in ]0, 2[; 1 is round, towards 0 is square.
///
/// >>> import superegg
/// >>> superegg.superellipsoid([1, 1, 1.3], [1, 0.8])
/// Shape('superellipsoid', batch_shape=())
/// >>> superegg.superellipsoid([1, 1, 1], [2.5, 1])
/// Traceback (most recent call last):
/// superegg._errors.InvalidInput: exponents[0]: 2.5 is outside ]0, 2[
#[pyfunction]
#[pyo3(signature = (radii, exponents=None))]
pub fn superellipsoid<'py>(
    py: Python<'py>,
    radii: &Bound<'py, PyAny>,
    exponents: Option<&Bound<'py, PyAny>>,
) -> PyResult<Shape> {
    let radii = Numbers::read(radii, "radii", &[3])?;
    let exponents = numbers_or(py, exponents, "exponents", &[1.0; 2], &[2])?;
    build(py, [("radii", radii), ("exponents", exponents)], |[radii, exponents]| {
        Ok(Superellipsoid::new(three(radii), two(exponents))?.into())
    })
}

/// Superovoids: superellipsoids whose sections grow by ``taper`` (…, 2), in ]-1, 1[, towards +z along x and y: eggs.
///
/// >>> import superegg
/// >>> superegg.superovoid([0.7, 0.7, 1], taper=[-0.2, -0.2]).is_convex
/// np.True_
#[pyfunction]
#[pyo3(signature = (radii, exponents=None, taper=None))]
pub fn superovoid<'py>(
    py: Python<'py>,
    radii: &Bound<'py, PyAny>,
    exponents: Option<&Bound<'py, PyAny>>,
    taper: Option<&Bound<'py, PyAny>>,
) -> PyResult<Shape> {
    let radii = Numbers::read(radii, "radii", &[3])?;
    let exponents = numbers_or(py, exponents, "exponents", &[1.0; 2], &[2])?;
    let taper = numbers_or(py, taper, "taper", &[0.0; 2], &[2])?;
    let arrays = [("radii", radii), ("exponents", exponents), ("taper", taper)];
    build(py, arrays, |[radii, exponents, taper]| Ok(Superovoid::new(three(radii), two(exponents), two(taper))?.into()))
}

/// Points (…, 3) in their own frames; the origin by default.
#[pyfunction]
#[pyo3(signature = (position=None))]
pub fn point<'py>(py: Python<'py>, position: Option<&Bound<'py, PyAny>>) -> PyResult<Shape> {
    let position = numbers_or(py, position, "position", &[0.0; 3], &[3])?;
    build(py, [("position", position)], |[at]| Ok(CoreShape::from(Point::new([DVec3::from_slice(at)])?).into()))
}

/// Segments between two points, (…, 2, 3).
#[pyfunction]
pub fn segment<'py>(py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Shape> {
    let points = Numbers::read(points, "points", &[2, 3])?;
    build(py, [("points", points)], |[ends]| {
        Ok(CoreShape::from(Segment::new([0, 1].map(|i| DVec3::from_slice(&ends[3 * i..])))?).into())
    })
}

/// Triangles of three points, (…, 3, 3).
#[pyfunction]
pub fn triangle<'py>(py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Shape> {
    let points = Numbers::read(points, "points", &[3, 3])?;
    build(py, [("points", points)], |[corners]| {
        Ok(CoreShape::from(Triangle::new([0, 1, 2].map(|i| DVec3::from_slice(&corners[3 * i..])))?).into())
    })
}

/// Half-spaces n·x ≤ offset; ``normal`` (…, 3) of any length but zero.
///
/// >>> import superegg
/// >>> superegg.distance(superegg.plane([0, 0, 1]), superegg.point([0, 0, 2])).distance
/// 2.0
#[pyfunction]
#[pyo3(signature = (normal, offset=None))]
pub fn plane<'py>(py: Python<'py>, normal: &Bound<'py, PyAny>, offset: Option<&Bound<'py, PyAny>>) -> PyResult<Shape> {
    let normal = Numbers::read(normal, "normal", &[3])?;
    let offset = numbers_or(py, offset, "offset", &[0.0], &[])?;
    build(py, [("normal", normal), ("offset", offset)], |[normal, offset]| {
        Ok(Plane::new(DVec3::from_slice(normal), offset[0])?.into())
    })
}

/// Primitives of some arrays and a radius of rounding around them.
fn primitive<'py, const N: usize>(
    py: Python<'py>,
    arrays: [(&str, Numbers<'py>); N],
    rounding: Option<&Bound<'py, PyAny>>,
    make: impl Fn([&[f64]; N]) -> Result<Primitive, InvalidInput> + Sync + Send,
) -> PyResult<Shape> {
    let sharp = build(py, arrays, |numbers| Ok(CoreShape::from(make(numbers)?).into()))?;
    let Some(rounding) = rounding else { return Ok(sharp) };
    let radii = Numbers::read(rounding, "rounding", &[])?;
    let (dims, [body, radius]) = broadcast([("shape", &sharp.0.batch.dims[..]), ("rounding", &radii.dims[..])])?;
    let values = radii.values();
    let mut items = Vec::new();
    for place in 0..dims.iter().product() {
        let Geometry::Shape(CoreShape::Primitive(shape)) = &sharp.0.batch.items[body.index(place)] else { continue };
        let raise = |refused| Refusal::from(refused).into_exception(py, Some(&unravel(place, &dims)));
        items.push(CoreShape::from(shape.rounded(values[radius.index(place)]).map_err(raise)?).into());
    }
    Ok(Shape::new(items, dims))
}

/// Spheres of a ``radius`` (…).
#[pyfunction]
pub fn sphere<'py>(py: Python<'py>, radius: &Bound<'py, PyAny>) -> PyResult<Shape> {
    let radius = Numbers::read(radius, "radius", &[])?;
    primitive(py, [("radius", radius)], None, |[radius]| Primitive::sphere(radius[0]))
}

/// Capsules along z: all that is within ``radius`` (…) of a segment from ``-half_height`` to ``half_height``.
#[pyfunction]
pub fn capsule<'py>(py: Python<'py>, radius: &Bound<'py, PyAny>, half_height: &Bound<'py, PyAny>) -> PyResult<Shape> {
    let arrays = [
        ("radius", Numbers::read(radius, "radius", &[])?),
        ("half_height", Numbers::read(half_height, "half_height", &[])?),
    ];
    primitive(py, arrays, None, |[radius, half]| Primitive::capsule(radius[0], half[0]))
}

/// Boxes of ``half_extents`` (…, 3), exactly, with a ``rounding`` (…) around them if wanted.
///
/// >>> import superegg
/// >>> die = superegg.cuboid([1, 1, 1], rounding=0.5)
/// >>> superegg.distance(die, superegg.point([3, 0, 0])).distance
/// 1.5
#[pyfunction]
#[pyo3(signature = (half_extents, rounding=None))]
pub fn cuboid<'py>(
    py: Python<'py>,
    half_extents: &Bound<'py, PyAny>,
    rounding: Option<&Bound<'py, PyAny>>,
) -> PyResult<Shape> {
    let half_extents = Numbers::read(half_extents, "half_extents", &[3])?;
    primitive(py, [("half_extents", half_extents)], rounding, |[half]| Primitive::cuboid(three(half)))
}

/// Truncated cones along z: ``radii`` (…, 2) at ``-half_height`` and ``half_height`` (…), with a ``rounding`` if wanted. A cylinder where both are equal, a cone where
/// one is zero.
#[pyfunction]
#[pyo3(signature = (radii, half_height, rounding=None))]
pub fn frustum<'py>(
    py: Python<'py>,
    radii: &Bound<'py, PyAny>,
    half_height: &Bound<'py, PyAny>,
    rounding: Option<&Bound<'py, PyAny>>,
) -> PyResult<Shape> {
    let arrays = [
        ("radii", Numbers::read(radii, "radii", &[2])?),
        ("half_height", Numbers::read(half_height, "half_height", &[])?),
    ];
    primitive(py, arrays, rounding, |[radii, half]| Primitive::frustum(two(radii), half[0]))
}

/// What the three surfaces beyond superellipsoids share: radii, exponents, and one number more.
fn surface<'py>(
    py: Python<'py>,
    radii: &Bound<'py, PyAny>,
    exponents: Option<&Bound<'py, PyAny>>,
    (field, last): (&str, &Bound<'py, PyAny>),
    make: fn([f64; 3], [f64; 2], f64) -> Result<Superquadric, InvalidInput>,
) -> PyResult<Shape> {
    let radii = Numbers::read(radii, "radii", &[3])?;
    let exponents = numbers_or(py, exponents, "exponents", &[1.0; 2], &[2])?;
    let last = Numbers::read(last, field, &[])?;
    build(py, [("radii", radii), ("exponents", exponents), (field, last)], |[radii, exponents, last]| {
        Ok(make(three(radii), two(exponents), last[0])?.into())
    })
}

/// Superhyperboloids of one sheet, waisted tubes along z that end at z = ±``height``.
#[pyfunction]
#[pyo3(signature = (radii, exponents=None, *, height))]
pub fn superhyperboloid1<'py>(
    py: Python<'py>,
    radii: &Bound<'py, PyAny>,
    exponents: Option<&Bound<'py, PyAny>>,
    height: &Bound<'py, PyAny>,
) -> PyResult<Shape> {
    surface(py, radii, exponents, ("height", height), Superquadric::one_sheet)
}

/// Superhyperboloids of two sheets, bowls that open to either end of z and end at z = ±``height``.
#[pyfunction]
#[pyo3(signature = (radii, exponents=None, *, height))]
pub fn superhyperboloid2<'py>(
    py: Python<'py>,
    radii: &Bound<'py, PyAny>,
    exponents: Option<&Bound<'py, PyAny>>,
    height: &Bound<'py, PyAny>,
) -> PyResult<Shape> {
    surface(py, radii, exponents, ("height", height), Superquadric::two_sheets)
}

/// Supertoroids around z: ``radii`` of the tube, ``hole`` the radius of its centre line in tube radii, above 1.
///
/// >>> import superegg
/// >>> ring = superegg.supertoroid([0.5, 0.5, 0.5], hole=5)
/// >>> needle = superegg.segment([[1, 0, -3], [1, 0, 3]])
/// >>> round(superegg.distance(ring, needle).distance, 6)
/// 1.0
#[pyfunction]
#[pyo3(signature = (radii, exponents=None, *, hole))]
pub fn supertoroid<'py>(
    py: Python<'py>,
    radii: &Bound<'py, PyAny>,
    exponents: Option<&Bound<'py, PyAny>>,
    hole: &Bound<'py, PyAny>,
) -> PyResult<Shape> {
    surface(py, radii, exponents, ("hole", hole), Superquadric::toroid)
}

/// One body of several shapes, a batch (n,), at poses (n,) in its frame.
///
/// >>> import superegg
/// >>> dumbbell = superegg.compound(superegg.superellipsoid([[1, 1, 1], [1, 1, 1]]), [[0, 0, -2], [0, 0, 2]])
/// >>> round(superegg.distance(dumbbell, superegg.point([0, 0, 4])).distance, 9)
/// 1.0
#[pyfunction]
#[pyo3(signature = (parts, pose=None))]
pub fn compound(parts: &Bound<'_, PyAny>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<Shape> {
    let (parts, poses) = (bodies(parts, "parts")?, poses(pose, "pose")?);
    let (dims, [part, pose]) = broadcast([("parts", &parts.batch.dims[..]), ("pose", &poses.dims[..])])?;
    let made = (0..dims.iter().product()).map(|at| match &parts.batch.items[part.index(at)] {
        Geometry::Shape(shape) => Ok(Part { shape: shape.clone(), pose: poses.items[pose.index(at)] }),
        other => Err(Refusal::invalid("parts", format!("a {} cannot be part of a compound", other.name()))),
    });
    let made = made.collect::<Result<Vec<_>, _>>()?;
    Ok(Shape::of(Compound::new(made).map_err(Refusal::from)?))
}

/// The convex hull of points (n, 3), with a radius of rounding around it.
///
/// >>> import superegg
/// >>> wedge = superegg.hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
/// >>> superegg.distance(wedge, superegg.point([0.2, 0.2, -1])).distance
/// 1.0
#[pyfunction]
#[pyo3(signature = (points, rounding=0.0))]
pub fn hull(points: &Bound<'_, PyAny>, rounding: f64) -> PyResult<Shape> {
    let hull = Hull::new(&point_list(points, "points")?).and_then(|sharp| sharp.rounded(rounding));
    Ok(Shape::of(CoreShape::from(hull.map_err(Refusal::from)?)))
}

/// A surface of triangles: vertices (n, 3) and indices (m, 3), or a mesh of trimesh's. It has no inside.
///
/// >>> import superegg
/// >>> floor = superegg.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
/// >>> superegg.distance(floor, superegg.point([0.2, 0.2, 1])).distance
/// 1.0
#[pyfunction]
#[pyo3(signature = (vertices, triangles=None))]
pub fn mesh(vertices: &Bound<'_, PyAny>, triangles: Option<&Bound<'_, PyAny>>) -> PyResult<Shape> {
    let mesh = triangle_mesh(vertices, triangles)?;
    Ok(Shape::of(CollisionMesh::new(mesh).map_err(Refusal::from)?))
}

/// A mesh from vertices and triangles, or from a mesh of trimesh's.
pub fn triangle_mesh(vertices: &Bound<'_, PyAny>, triangles: Option<&Bound<'_, PyAny>>) -> PyResult<TriangleMesh> {
    let (positions, triangles) = match triangles {
        Some(triangles) => (point_list(vertices, "vertices")?, triangle_list(triangles, "triangles")?),
        None => {
            let part = |name: &str| {
                let missing = "give vertices and triangles, or a mesh with `vertices` and `faces` as trimesh's have";
                vertices.getattr(name).map_err(|_| PyErr::from(Refusal::invalid("vertices", missing)))
            };
            (point_list(&part("vertices")?, "vertices")?, triangle_list(&part("faces")?, "faces")?)
        }
    };
    Ok(TriangleMesh::new(positions, triangles).map_err(Refusal::from)?)
}

/// Vertices and triangles as arrays.
pub fn triangles_to_arrays<'py>(
    py: Python<'py>,
    positions: &[DVec3],
    triangles: &[[u32; 3]],
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let indices: Vec<i64> = triangles.iter().flatten().map(|&index| i64::from(index)).collect();
    Ok((array_of_vectors(py, positions, &[positions.len()])?, array(py, indices, &[triangles.len(), 3])?))
}

/// Shapes of equal batches, of any kinds, as one batch with a dimension more in front.
///
/// >>> import superegg
/// >>> both = superegg.stack([superegg.superellipsoid([1, 1, 1]), superegg.point()])
/// >>> both.kind, both.batch_shape
/// ('mixed', (2,))
#[pyfunction]
pub fn stack(shapes: &Bound<'_, PyAny>) -> PyResult<Shape> {
    let mut items = Vec::new();
    let mut dims: Option<Vec<usize>> = None;
    let mut count = 0;
    for (at, shape) in shapes.try_iter()?.enumerate() {
        let bodies = bodies(&shape?, &format!("shapes[{at}]"))?;
        if dims.as_ref().is_some_and(|first| *first != bodies.batch.dims) {
            let message =
                format!("a batch {:?} cannot be stacked on {:?}", bodies.batch.dims, dims.unwrap_or_default());
            return Err(Refusal::invalid(format!("shapes[{at}]"), message).into());
        }
        dims = Some(bodies.batch.dims.clone());
        items.extend(bodies.batch.items.iter().cloned());
        count += 1;
    }
    Ok(Shape::new(items, [vec![count], dims.unwrap_or_default()].concat()))
}

/// The parts of a compound as shapes and poses.
pub fn parts_of(compound: &Compound) -> (Shape, Pose) {
    let parts = compound.parts();
    let dims = vec![parts.len()];
    let shapes = Shape::new(parts.iter().map(|part| part.shape.clone().into()).collect(), dims.clone());
    (shapes, Pose(Arc::new(Batch { items: parts.iter().map(|part| part.pose).collect(), dims })))
}
