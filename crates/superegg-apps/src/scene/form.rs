//! What a body is made of: a single shape, several on one frame, or the triangles of a file. A body's fields are checked
//! here: those of its type and no others, within their domains.

use std::sync::Arc;

use superegg::shape::{Hull, Plane, Point, Primitive, Segment, Shape, Superellipsoid, Superovoid, Triangle};
use superegg::{DQuat, DVec3, InvalidInput, Pose};
use superegg_world::WorldError;
use superegg_world::compound::{self, Compound};
use superegg_world::geometry::Geometry;
use superegg_world::superquadric::Superquadric;

use crate::files::Files;
use crate::limits::Limits;
use crate::scene::{Body, Part, ShapeType};
use crate::wire::{ErrorKind, Quaternion, Refusal, Vector};

/// Parts or triangles of a body that has them.
pub fn pieces(form: &Geometry) -> Option<u32> {
    match form {
        Geometry::Shape(_) | Geometry::Superquadric(_) => None,
        Geometry::Compound(compound) => Some(compound.parts().len() as u32),
        Geometry::Mesh(_) => Some(triangles(form) as u32),
    }
}

/// Triangles of a mesh; what is made of formulas has none.
pub fn triangles(form: &Geometry) -> usize {
    match form {
        Geometry::Mesh(mesh) => mesh.topology().triangles().len(),
        _ => 0,
    }
}

/// The form that a body's fields describe.
pub fn read(path: &str, body: &Body, files: &Files, limits: &Limits) -> Result<Geometry, Refusal> {
    check_colour(path, body.colour.as_deref())?;
    let fields = body.as_part();
    check_fields(path, &fields)?;
    check_hulls(path, &fields, limits)?;
    match body.r#type {
        ShapeType::Compound => read_compound(&format!("{path}.parts"), &fields.parts.unwrap_or_default(), limits),
        ShapeType::Mesh => {
            let file = &fields.file.unwrap_or_default();
            let unknown =
                || Refusal::at(format!("{path}.file"), format!("there is no mesh {file:?} here: open it first"));
            files.mesh(file).map(|mesh| Geometry::Mesh(mesh.clone())).ok_or_else(unknown)
        }
        _ => read_single(path, &fields),
    }
}

/// A place in space, refused when it is not finite.
pub fn read_pose(path: &str, position: Vector, orientation: Quaternion) -> Result<Pose, Refusal> {
    Pose::new(DQuat::from_array(orientation), DVec3::from_array(position))
        .map_err(|refused| Refusal::invalid(path, refused))
}

/// `#rrggbb`, or nothing.
fn check_colour(path: &str, colour: Option<&str>) -> Result<(), Refusal> {
    let Some(colour) = colour else { return Ok(()) };
    let digits = colour.strip_prefix('#').unwrap_or_default();
    if digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(Refusal::at(format!("{path}.colour"), "a colour is # and six digits, as in #f0a330"))
}

/// The fields of the type and no others.
fn check_fields(path: &str, fields: &Part) -> Result<(), Refusal> {
    // Those that it must have, and those that it may.
    let (needed, allowed): (&[&str], &[&str]) = match fields.r#type {
        ShapeType::Superellipsoid => (&["radii", "exponents"], &[]),
        ShapeType::Superovoid => (&["radii", "exponents", "taper"], &[]),
        ShapeType::Superhyperboloid1 | ShapeType::Superhyperboloid2 => (&["radii", "exponents", "height"], &[]),
        ShapeType::Supertoroid => (&["radii", "exponents", "hole"], &[]),
        ShapeType::Box => (&["half_extents"], &["rounding"]),
        ShapeType::Sphere => (&["radius"], &["rounding"]),
        ShapeType::Cylinder | ShapeType::Cone | ShapeType::Capsule => (&["radius", "half_height"], &["rounding"]),
        ShapeType::Frustum => (&["end_radii", "half_height"], &["rounding"]),
        ShapeType::Hull => (&["points"], &["rounding"]),
        ShapeType::Plane => (&["normal", "offset"], &[]),
        ShapeType::Point => (&[], &["points"]),
        ShapeType::Segment | ShapeType::Triangle => (&["points"], &[]),
        ShapeType::Compound => (&["parts"], &[]),
        ShapeType::Mesh => (&["file"], &[]),
    };
    let type_name = fields.r#type.name();
    for (field, present) in [
        ("radii", fields.radii.is_some()),
        ("exponents", fields.exponents.is_some()),
        ("taper", fields.taper.is_some()),
        ("height", fields.height.is_some()),
        ("hole", fields.hole.is_some()),
        ("half_extents", fields.half_extents.is_some()),
        ("radius", fields.radius.is_some()),
        ("half_height", fields.half_height.is_some()),
        ("end_radii", fields.end_radii.is_some()),
        ("rounding", fields.rounding.is_some()),
        ("points", fields.points.is_some()),
        ("parts", fields.parts.is_some()),
        ("file", fields.file.is_some()),
        ("normal", fields.normal.is_some()),
        ("offset", fields.offset.is_some()),
    ] {
        if present && !needed.contains(&field) && !allowed.contains(&field) {
            return Err(Refusal::at(format!("{path}.{field}"), format!("a {type_name} has no such field")));
        }
        if !present && needed.contains(&field) {
            return Err(Refusal::at(format!("{path}.{field}"), format!("this field of a {type_name} is missing")));
        }
    }
    Ok(())
}

/// As many points as are allowed, those of all parts together.
fn check_hulls(path: &str, fields: &Part, limits: &Limits) -> Result<(), Refusal> {
    let all = std::iter::once(fields).chain(fields.parts.iter().flatten());
    let hulls = all.filter(|part| part.r#type == ShapeType::Hull);
    if hulls.map(|hull| hull.points.as_ref().map_or(0, Vec::len)).sum::<usize>() <= limits.hull_points {
        return Ok(());
    }
    let field = if fields.r#type == ShapeType::Hull { "points" } else { "parts" };
    let message = format!("the hulls of a body have at most {} points together", limits.hull_points);
    Err(Refusal { kind: ErrorKind::Limit, ..Refusal::at(format!("{path}.{field}"), message) })
}

fn read_single(path: &str, fields: &Part) -> Result<Geometry, Refusal> {
    let invalid = |refused: InvalidInput| Refusal::invalid(path, refused);
    let (radii, exponents) = (fields.radii.unwrap_or_default(), fields.exponents.unwrap_or_default());
    let (height, hole) = (fields.height.unwrap_or_default(), fields.hole.unwrap_or_default());
    let shape: Shape = match fields.r#type {
        ShapeType::Superhyperboloid1 => {
            return Ok(Superquadric::one_sheet(radii, exponents, height).map_err(invalid)?.into());
        }
        ShapeType::Superhyperboloid2 => {
            return Ok(Superquadric::two_sheets(radii, exponents, height).map_err(invalid)?.into());
        }
        ShapeType::Supertoroid => return Ok(Superquadric::toroid(radii, exponents, hole).map_err(invalid)?.into()),
        ShapeType::Superellipsoid => Superellipsoid::new(radii, exponents).map_err(invalid)?.into(),
        ShapeType::Superovoid => {
            Superovoid::new(radii, exponents, fields.taper.unwrap_or_default()).map_err(invalid)?.into()
        }
        ShapeType::Box
        | ShapeType::Sphere
        | ShapeType::Cylinder
        | ShapeType::Cone
        | ShapeType::Capsule
        | ShapeType::Frustum => read_primitive(fields).map_err(invalid)?.into(),
        ShapeType::Hull => {
            let points = fields.points.iter().flatten();
            let points: Vec<DVec3> = points.copied().map(DVec3::from_array).collect();
            let rounded = Hull::new(&points).and_then(|hull| hull.rounded(fields.rounding.unwrap_or_default()));
            rounded.map_err(invalid)?.into()
        }
        ShapeType::Plane => {
            let normal = DVec3::from_array(fields.normal.unwrap_or_default());
            Plane::new(normal, fields.offset.unwrap_or_default()).map_err(invalid)?.into()
        }
        ShapeType::Point => {
            let points = if fields.points.is_some() { vertices(path, fields)? } else { [DVec3::ZERO] };
            Point::new(points).map_err(invalid)?.into()
        }
        ShapeType::Segment => Segment::new(vertices(path, fields)?).map_err(invalid)?.into(),
        ShapeType::Triangle => Triangle::new(vertices(path, fields)?).map_err(invalid)?.into(),
        ShapeType::Compound | ShapeType::Mesh => {
            let message = format!("a {} cannot be part of another body", fields.r#type.name());
            return Err(Refusal::at(format!("{path}.type"), message));
        }
    };
    Ok(shape.into())
}

/// A primitive: its own lengths, and a radius around it.
fn read_primitive(fields: &Part) -> Result<Primitive, InvalidInput> {
    let (radius, half_height) = (fields.radius.unwrap_or_default(), fields.half_height.unwrap_or_default());
    let sharp = match fields.r#type {
        ShapeType::Box => Primitive::cuboid(fields.half_extents.unwrap_or_default())?,
        ShapeType::Sphere => Primitive::sphere(radius)?,
        ShapeType::Cylinder => Primitive::cylinder(radius, half_height)?,
        ShapeType::Cone => Primitive::cone(radius, half_height)?,
        ShapeType::Capsule => Primitive::capsule(radius, half_height)?,
        // The library calls them radii.
        _ => Primitive::frustum(fields.end_radii.unwrap_or_default(), half_height).map_err(|refused| {
            let field = match refused.field {
                "radii[0]" => "end_radii[0]",
                "radii[1]" => "end_radii[1]",
                other => other,
            };
            InvalidInput { field, ..refused }
        })?,
    };
    sharp.rounded(fields.rounding.unwrap_or_default())
}

fn read_compound(path: &str, parts: &[Part], limits: &Limits) -> Result<Geometry, Refusal> {
    if parts.len() > limits.parts {
        let message = format!("a compound has at most {} parts", limits.parts);
        return Err(Refusal { kind: ErrorKind::Limit, ..Refusal::at(path, message) });
    }
    let mut read = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let path = format!("{path}[{index}]");
        check_fields(&path, part)?;
        let pose = read_pose(&path, part.position, part.orientation)?;
        let Geometry::Shape(shape) = read_single(&path, part)? else {
            let message = format!("a {} cannot be part of another body", part.r#type.name());
            return Err(Refusal::at(format!("{path}.type"), message));
        };
        read.push(compound::Part { shape, pose });
    }
    let compound = Compound::new(read).map_err(|error| match error {
        WorldError::Part { part, .. } => Refusal::at(format!("{path}[{part}].type"), error.to_string()),
        error => Refusal::at(path, error.to_string()),
    })?;
    Ok(Geometry::Compound(Arc::new(compound)))
}

fn vertices<const N: usize>(path: &str, fields: &Part) -> Result<[DVec3; N], Refusal> {
    let points = fields.points.as_deref().unwrap_or_default();
    let points: [Vector; N] = points.try_into().map_err(|_| {
        Refusal::at(format!("{path}.points"), format!("expected a list of {N} points, found {}", points.len()))
    })?;
    Ok(points.map(DVec3::from_array))
}
