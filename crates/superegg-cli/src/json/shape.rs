//! Bodies as JSON: a shape with its place in the world.
//!
//! ```json
//! {"type":"superellipsoid","radii":[1,1,1],"exponents":[1,1],"position":[0,0,0],"orientation":[0,0,0,1]}
//! ```

use superegg::shape::{Hull, Plane, Point, Primitive, Segment, Shape, Superellipsoid, Superovoid, Triangle};
use superegg::{DQuat, DVec3, InvalidInput, Pose};
use superegg_world::geometry::Geometry;
use superegg_world::superquadric::Superquadric;

use super::{Field, Kind, Object, Refusal, unknown_name};

/// A shape and where it is.
#[derive(Clone, Debug)]
pub struct Body {
    /// What it looks like in its own frame.
    pub shape: Shape,
    /// Its frame in the world.
    pub pose: Pose,
}

/// The types of shape that are read here.
const TYPES: &[&str] = &[
    "superellipsoid",
    "superovoid",
    "plane",
    "point",
    "segment",
    "triangle",
    "box",
    "sphere",
    "cylinder",
    "cone",
    "capsule",
    "frustum",
    "hull",
];
/// Types that all queries but gradients take as well.
const FURTHER_TYPES: &[&str] = &["superhyperboloid1", "superhyperboloid2", "supertoroid"];
/// Types of the format that are not single shapes.
const UNSUPPORTED_TYPES: &[&str] = &["mesh", "compound"];

/// Whether this is the name of a superhyperboloid or supertoroid.
pub fn is_further(name: &str) -> bool {
    FURTHER_TYPES.contains(&name)
}

/// A body of a distance query.
#[derive(Clone, Debug)]
pub struct AnyBody {
    /// What it looks like in its own frame.
    pub shape: Geometry,
    /// Its frame in the world.
    pub pose: Pose,
}

/// Reads a body of a distance query: any that [`read_body`] reads, and the further superquadrics.
pub fn read_any_body(field: &Field) -> Result<AnyBody, Refusal> {
    let object = field.object()?;
    let kind = object.require("type")?;
    let name = kind.text()?;
    if !is_further(name) {
        let Body { shape, pose } = read_body(field)?;
        return Ok(AnyBody { shape: shape.into(), pose });
    }
    let own = if name == "supertoroid" { "hole" } else { "height" };
    let what = format!("a {name}");
    object.allow_only(&what, &["radii", "exponents", own, "type", "position", "orientation"])?;
    let (radii, exponents) = radii_and_exponents(&object)?;
    let parameter = object.require(own)?.number()?;
    let shape = match name {
        "superhyperboloid1" => Superquadric::one_sheet(radii, exponents, parameter),
        "superhyperboloid2" => Superquadric::two_sheets(radii, exponents, parameter),
        _ => Superquadric::toroid(radii, exponents, parameter),
    };
    let shape = shape.map_err(|refused| Refusal::invalid(field, refused))?.into();
    Ok(AnyBody { shape, pose: read_pose(field, &object)? })
}

/// What `superegg fit` says of its parts, so that they can be asked about as they are; it follows from the other fields.
const CONVEX: &str = "convex";

/// Reads a body.
pub fn read_body(field: &Field) -> Result<Body, Refusal> {
    let object = field.object()?;
    let allow_only =
        |what, own: &[&'static str]| object.allow_only(what, &[own, &["type", "position", "orientation"]].concat());
    let invalid = |refused: InvalidInput| Refusal::invalid(field, refused);
    let kind = object.require("type")?;
    let shape = match kind.text()? {
        "superellipsoid" => {
            allow_only("a superellipsoid", &["radii", "exponents", CONVEX])?;
            let (radii, exponents) = radii_and_exponents(&object)?;
            Superellipsoid::new(radii, exponents).map_err(invalid)?.into()
        }
        "superovoid" => {
            allow_only("a superovoid", &["radii", "exponents", "taper", CONVEX])?;
            let (radii, exponents) = radii_and_exponents(&object)?;
            Superovoid::new(radii, exponents, object.require("taper")?.numbers()?).map_err(invalid)?.into()
        }
        "plane" => {
            allow_only("a plane", &["normal", "offset"])?;
            let (normal, offset) = (vector(&object.require("normal")?)?, object.require("offset")?.number()?);
            Plane::new(normal, offset).map_err(invalid)?.into()
        }
        "point" => {
            allow_only("a point", &["points"])?;
            let points = object.get("points").map_or(Ok([DVec3::ZERO]), |points| vertices(&points))?;
            Point::new(points).map_err(invalid)?.into()
        }
        "segment" => {
            allow_only("a segment", &["points"])?;
            Segment::new(vertices(&object.require("points")?)?).map_err(invalid)?.into()
        }
        "triangle" => {
            allow_only("a triangle", &["points"])?;
            Triangle::new(vertices(&object.require("points")?)?).map_err(invalid)?.into()
        }
        "hull" => {
            allow_only("a hull", &["points", "rounding"])?;
            let points = object.require("points")?;
            let points = points.items("points")?.iter().map(vector).collect::<Result<Vec<DVec3>, Refusal>>()?;
            let rounding = object.get("rounding").map_or(Ok(0.0), |rounding| rounding.number())?;
            Hull::new(&points).and_then(|hull| hull.rounded(rounding)).map_err(invalid)?.into()
        }
        name @ ("box" | "sphere" | "cylinder" | "cone" | "capsule" | "frustum") => {
            read_primitive(field, &object, name)?
        }
        other if UNSUPPORTED_TYPES.contains(&other) => {
            let message = format!("a {other} cannot be used here; available are {}", TYPES.join(", "));
            return Err(kind.refuse(Kind::Unsupported, message));
        }
        other if is_further(other) => {
            let message = format!("a gradient query takes no {other}; available are {}", TYPES.join(", "));
            return Err(kind.refuse(Kind::Unsupported, message));
        }
        other => return Err(kind.refuse(Kind::InvalidInput, unknown_name(other, &[TYPES, FURTHER_TYPES].concat()))),
    };
    Ok(Body { shape, pose: read_pose(field, &object)? })
}

/// Reads a primitive: its own lengths, and a radius around it.
fn read_primitive(field: &Field, object: &Object, name: &str) -> Result<Shape, Refusal> {
    let own: &[&'static str] = match name {
        "box" => &["half_extents"],
        "sphere" => &["radius"],
        "frustum" => &["end_radii", "half_height"],
        _ => &["radius", "half_height"],
    };
    object.allow_only(&format!("a {name}"), &[own, &["rounding", "type", "position", "orientation"]].concat())?;
    let number = |key: &'static str| object.require(key)?.number();
    let sharp = match name {
        "box" => Primitive::cuboid(object.require("half_extents")?.numbers()?),
        "sphere" => Primitive::sphere(number("radius")?),
        "cylinder" => Primitive::cylinder(number("radius")?, number("half_height")?),
        "cone" => Primitive::cone(number("radius")?, number("half_height")?),
        "capsule" => Primitive::capsule(number("radius")?, number("half_height")?),
        // The library calls them radii.
        _ => Primitive::frustum(object.require("end_radii")?.numbers()?, number("half_height")?).map_err(|refused| {
            let field = match refused.field {
                "radii[0]" => "end_radii[0]",
                "radii[1]" => "end_radii[1]",
                other => other,
            };
            InvalidInput { field, ..refused }
        }),
    };
    let rounding = object.get("rounding").map_or(Ok(0.0), |rounding| rounding.number())?;
    let rounded = sharp.and_then(|sharp| sharp.rounded(rounding));
    rounded.map(Shape::from).map_err(|refused| Refusal::invalid(field, refused))
}

/// Reads where a body is.
pub fn read_pose(field: &Field, object: &Object) -> Result<Pose, Refusal> {
    let position = object.get("position").map_or(Ok(DVec3::ZERO), |position| vector(&position))?;
    let orientation =
        object.get("orientation").map_or(Ok([0.0, 0.0, 0.0, 1.0]), |orientation| orientation.numbers())?;
    Pose::new(DQuat::from_array(orientation), position).map_err(|refused| Refusal::invalid(field, refused))
}

fn radii_and_exponents(object: &Object) -> Result<([f64; 3], [f64; 2]), Refusal> {
    Ok((object.require("radii")?.numbers()?, object.require("exponents")?.numbers()?))
}

/// A list of three numbers.
pub fn vector(field: &Field) -> Result<DVec3, Refusal> {
    field.numbers().map(DVec3::from_array)
}

fn vertices<const N: usize>(field: &Field) -> Result<[DVec3; N], Refusal> {
    field.list("points", vector)
}
