//! Shapes as plain arrays, so that they can be pickled and sent to other processes.
//!
//! A code a body and its parameters, padded to the longest (a triangle has nine numbers); compounds, meshes and hulls beside them.

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyList;
use superegg::InvalidInput;
use superegg::shape::{
    Core, Plane, Point, Primitive, Segment, Shape as CoreShape, Superellipsoid, Superovoid, Triangle,
};
use superegg_world::geometry::Geometry;
use superegg_world::superquadric::{Kind, Superquadric};

use crate::array::{Numbers, array};
use crate::error::Refusal;
use crate::shape::{Shape, compound, hull, mesh, parts_of, triangles_to_arrays};

/// Most parameters of a shape.
const WIDTH: usize = 9;
/// Codes of bodies that are kept beside the arrays.
const COMPOUND: f64 = 12.0;
const MESH: f64 = 13.0;
const HULL: f64 = 14.0;

/// The code and the parameters of a body; `None` for compounds, meshes and hulls.
fn parameters(body: &Geometry) -> Option<(f64, Vec<f64>)> {
    let of_points = |points: &[DVec3]| points.iter().flat_map(|point| point.to_array()).collect();
    Some(match body {
        Geometry::Shape(CoreShape::Point(shape)) => (0.0, of_points(shape.points())),
        Geometry::Shape(CoreShape::Segment(shape)) => (1.0, of_points(shape.points())),
        Geometry::Shape(CoreShape::Triangle(shape)) => (2.0, of_points(shape.points())),
        Geometry::Shape(CoreShape::Plane(shape)) => (3.0, [&shape.normal().to_array()[..], &[shape.offset()]].concat()),
        Geometry::Shape(CoreShape::Superellipsoid(egg)) => (4.0, [&egg.radii()[..], &egg.exponents()].concat()),
        Geometry::Shape(CoreShape::Superovoid(egg)) => {
            (5.0, [&egg.radii()[..], &egg.exponents(), &egg.taper()].concat())
        }
        Geometry::Shape(CoreShape::Primitive(body)) => {
            let (code, [x, y, z]) = match body.core() {
                Core::Segment { half_height } => (9.0, [half_height, 0.0, 0.0]),
                Core::Cuboid { half_extents } => (10.0, half_extents),
                Core::Frustum { radii, half_height } => (11.0, [radii[0], radii[1], half_height]),
            };
            (code, vec![x, y, z, body.rounding()])
        }
        Geometry::Superquadric(surface) => {
            let (code, last) = match surface.kind() {
                Kind::TwoSheets => (7.0, surface.height_limit()),
                Kind::Toroid => (8.0, surface.hole()),
                Kind::OneSheet | Kind::Egg => (6.0, surface.height_limit()),
            };
            (code, [&surface.radii()[..], &surface.exponents(), &[last]].concat())
        }
        Geometry::Shape(CoreShape::Hull(_) | CoreShape::Custom(_)) => return None,
        Geometry::Compound(_) | Geometry::Mesh(_) => return None,
    })
}

/// The body of a code and parameters.
fn body(code: f64, numbers: &[f64]) -> Result<Geometry, InvalidInput> {
    let at = |index: usize| DVec3::from_slice(&numbers[3 * index..]);
    let radii = [numbers[0], numbers[1], numbers[2]];
    let (exponents, last) = ([numbers[3], numbers[4]], [numbers[5], numbers[6]]);
    Ok(match code as u8 {
        0 => CoreShape::from(Point::new([at(0)])?).into(),
        1 => CoreShape::from(Segment::new([at(0), at(1)])?).into(),
        2 => CoreShape::from(Triangle::new([at(0), at(1), at(2)])?).into(),
        3 => Plane::new(at(0), numbers[3])?.into(),
        4 => Superellipsoid::new(radii, exponents)?.into(),
        5 => Superovoid::new(radii, exponents, last)?.into(),
        6 => Superquadric::one_sheet(radii, exponents, last[0])?.into(),
        7 => Superquadric::two_sheets(radii, exponents, last[0])?.into(),
        8 => Superquadric::toroid(radii, exponents, last[0])?.into(),
        9 => CoreShape::from(Primitive::capsule(numbers[3], numbers[0])?).into(),
        10 => CoreShape::from(Primitive::cuboid(radii)?.rounded(numbers[3])?).into(),
        _ => CoreShape::from(Primitive::frustum([numbers[0], numbers[1]], numbers[2])?.rounded(numbers[3])?).into(),
    })
}

/// What pickle asks for.
pub fn reduce<'py>(shape: &Bound<'py, Shape>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let py = shape.py();
    let batch = &shape.get().0.batch;
    let (mut rows, others) = (Vec::with_capacity(batch.items.len() * (WIDTH + 1)), PyList::empty(py));
    for item in &batch.items {
        let (code, numbers) = match item {
            Geometry::Compound(compound) => {
                let (shapes, poses) = parts_of(compound);
                others.append((Py::new(py, shapes)?, Py::new(py, poses)?))?;
                (COMPOUND, Vec::new())
            }
            Geometry::Mesh(mesh) => {
                others.append(triangles_to_arrays(py, mesh.positions(), mesh.topology().triangles())?)?;
                (MESH, Vec::new())
            }
            Geometry::Shape(CoreShape::Hull(hull)) => {
                let corners = hull.vertices().iter().flat_map(|vertex| vertex.to_array()).collect();
                others.append((array(py, corners, &[hull.vertices().len(), 3])?, hull.rounding()))?;
                (HULL, Vec::new())
            }
            other => parameters(other).unwrap_or_default(),
        };
        rows.push(code);
        rows.extend(&numbers);
        rows.resize(rows.len() + WIDTH - numbers.len(), 0.0);
    }
    let rows = array(py, rows, &[&batch.dims[..], &[WIDTH + 1]].concat())?;
    let rebuild = py.import("superegg._native")?.getattr("_shape_from")?;
    Ok((rebuild, (rows, others).into_pyobject(py)?.into_any()))
}

/// A shape from what pickle kept of it.
#[pyfunction]
pub fn _shape_from(rows: &Bound<'_, PyAny>, others: &Bound<'_, PyList>) -> PyResult<Shape> {
    let rows = Numbers::read(rows, "rows", &[WIDTH + 1])?;
    let mut others = others.iter();
    let mut items = Vec::new();
    for row in rows.items() {
        if row[0] < COMPOUND {
            items.push(body(row[0], &row[1..]).map_err(Refusal::from)?);
            continue;
        }
        let missing = || Refusal::invalid("others", "a compound, mesh or hull is missing");
        let (one, other): (Bound<'_, PyAny>, Bound<'_, PyAny>) = others.next().ok_or_else(missing)?.extract()?;
        let made = match row[0] {
            COMPOUND => compound(&one, Some(&other))?,
            MESH => mesh(&one, Some(&other))?,
            _ => hull(&one, other.extract()?)?,
        };
        items.push(made.one("others")?.clone());
    }
    Ok(Shape::new(items, rows.dims.clone()))
}
