//! Shapes as data: what a format of serde reads and writes, checked by the constructors.

use glam::DVec3;
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};

use super::{Core, Hull, Plane, Point, Primitive, Segment, Shape, Superellipsoid, Superovoid, Triangle};
use crate::InvalidInput;

/// A shape by its numbers.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Serial {
    Point { points: [DVec3; 1] },
    Plane { normal: DVec3, offset: f64 },
    Segment { points: [DVec3; 2] },
    Triangle { points: [DVec3; 3] },
    Superellipsoid { radii: [f64; 3], exponents: [f64; 2] },
    Superovoid { radii: [f64; 3], exponents: [f64; 2], taper: [f64; 2] },
    Capsule { radius: f64, half_height: f64 },
    Box { half_extents: [f64; 3], rounding: f64 },
    Frustum { radii: [f64; 2], half_height: f64, rounding: f64 },
    Hull { points: Vec<DVec3>, rounding: f64 },
}

/// A body of the caller's own has no numbers to write.
impl serde::Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = || {
            S::Error::custom(format!("a {} is known by its support function only and can not be written", self.name()))
        };
        Serial::of(self).ok_or_else(own)?.serialize(serializer)
    }
}

impl Serial {
    fn of(shape: &Shape) -> Option<Serial> {
        Some(match shape {
            Shape::Point(shape) => Serial::Point { points: *shape.points() },
            Shape::Plane(shape) => Serial::Plane { normal: shape.normal(), offset: shape.offset() },
            Shape::Segment(shape) => Serial::Segment { points: *shape.points() },
            Shape::Triangle(shape) => Serial::Triangle { points: *shape.points() },
            Shape::Superellipsoid(shape) => {
                Serial::Superellipsoid { radii: shape.radii(), exponents: shape.exponents() }
            }
            Shape::Superovoid(shape) => {
                Serial::Superovoid { radii: shape.radii(), exponents: shape.exponents(), taper: shape.taper() }
            }
            Shape::Primitive(shape) => {
                let rounding = shape.rounding();
                match shape.core() {
                    Core::Segment { half_height } => Serial::Capsule { radius: rounding, half_height },
                    Core::Cuboid { half_extents } => Serial::Box { half_extents, rounding },
                    Core::Frustum { radii, half_height } => Serial::Frustum { radii, half_height, rounding },
                }
            }
            Shape::Hull(shape) => Serial::Hull { points: shape.vertices().to_vec(), rounding: shape.rounding() },
            Shape::Custom(_) => return None,
        })
    }
}

impl TryFrom<Serial> for Shape {
    type Error = InvalidInput;

    fn try_from(serial: Serial) -> Result<Shape, InvalidInput> {
        Ok(match serial {
            Serial::Point { points } => Point::new(points)?.into(),
            Serial::Plane { normal, offset } => Plane::new(normal, offset)?.into(),
            Serial::Segment { points } => Segment::new(points)?.into(),
            Serial::Triangle { points } => Triangle::new(points)?.into(),
            Serial::Superellipsoid { radii, exponents } => Superellipsoid::new(radii, exponents)?.into(),
            Serial::Superovoid { radii, exponents, taper } => Superovoid::new(radii, exponents, taper)?.into(),
            Serial::Capsule { radius, half_height } => Primitive::capsule(radius, half_height)?.into(),
            Serial::Box { half_extents, rounding } => Primitive::cuboid(half_extents)?.rounded(rounding)?.into(),
            Serial::Frustum { radii, half_height, rounding } => {
                Primitive::frustum(radii, half_height)?.rounded(rounding)?.into()
            }
            Serial::Hull { points, rounding } => Hull::new(&points)?.rounded(rounding)?.into(),
        })
    }
}
