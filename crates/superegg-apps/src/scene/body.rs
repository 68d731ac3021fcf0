//! Bodies in the format of `superegg query`, with a name and a motion each: what documents are made of.

use serde::{Deserialize, Serialize};

use crate::wire::{Quaternion, Vector};

/// Defines a struct with fields of its own, those that tell a shape and those that tell where it is. Serde could flatten a
/// struct of the common ones, but would then neither refuse unknown fields nor name the field of a wrong value.
macro_rules! shaped {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$own:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        pub struct $name {
            $($(#[$own])* pub $field: $type,)*
            /// Which of the fields below the shape has.
            pub r#type: ShapeType,
            /// Of every superquadric.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub radii: Option<Vector>,
            /// Of every superquadric.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub exponents: Option<[f64; 2]>,
            /// Superovoid.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub taper: Option<[f64; 2]>,
            /// Superhyperboloid: it ends at z = ±height.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub height: Option<f64>,
            /// Supertoroid: the radius of its centre line, in tube radii.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub hole: Option<f64>,
            /// Box: half of its sides.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub half_extents: Option<Vector>,
            /// Sphere, cylinder, cone (of its base, at z = −half_height) and capsule.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub radius: Option<f64>,
            /// Cylinder, cone, capsule (of its straight part) and frustum: half of the height along z.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub half_height: Option<f64>,
            /// Frustum: the radii at z = −half_height and z = half_height.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub end_radii: Option<[f64; 2]>,
            /// Box to hull: everything within this of the sharp body belongs to it, too.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub rounding: Option<f64>,
            /// Segment (two), triangle (three) and hull (four or more); a point may have one.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub points: Option<Vec<Vector>>,
            /// Compound: what it is made of, in its own frame.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub parts: Option<Vec<Part>>,
            /// Mesh: the name of a file that was sent before.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub file: Option<String>,
            /// Plane.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub normal: Option<Vector>,
            /// Plane.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[cfg_attr(test, ts(optional))]
            pub offset: Option<f64>,
            /// Where its frame is.
            #[serde(default)]
            pub position: Vector,
            /// How its frame is turned.
            #[serde(default = "identity")]
            pub orientation: Quaternion,
        }
    };
}

shaped! {
    /// A shape, where it is, and how it moves.
    pub struct Body {
        /// Unique within the scene.
        pub id: u32,
        /// What people call it.
        pub name: String,
        /// Where it is at which time, in order; empty when it rests.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(optional, as = "Option<Vec<Key>>"))]
        pub keys: Vec<Key>,
        /// Colour as `#rrggbb`; the palette's where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub colour: Option<String>,
        /// Not shown and not asked for contacts.
        #[serde(default, skip_serializing_if = "is_false")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        pub hidden: bool,
        /// Not moved or shaped by hands.
        #[serde(default, skip_serializing_if = "is_false")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        pub locked: bool,
    }
}

shaped! {
    /// A shape on the frame of a compound body: any but a plane, a superhyperboloid, a supertoroid, a mesh or another compound.
    pub struct Part {}
}

impl Body {
    /// A body of a type at the origin, without the numbers of its shape.
    pub fn new(name: &str, r#type: ShapeType) -> Body {
        Body {
            id: 0,
            name: name.to_owned(),
            r#type,
            radii: None,
            exponents: None,
            taper: None,
            height: None,
            hole: None,
            half_extents: None,
            radius: None,
            half_height: None,
            end_radii: None,
            rounding: None,
            points: None,
            parts: None,
            file: None,
            normal: None,
            offset: None,
            position: [0.0; 3],
            orientation: [0.0, 0.0, 0.0, 1.0],
            keys: vec![],
            colour: None,
            hidden: false,
            locked: false,
        }
    }

    /// The shape and where it is.
    pub fn as_part(&self) -> Part {
        Part {
            r#type: self.r#type,
            radii: self.radii,
            exponents: self.exponents,
            taper: self.taper,
            height: self.height,
            hole: self.hole,
            half_extents: self.half_extents,
            radius: self.radius,
            half_height: self.half_height,
            end_radii: self.end_radii,
            rounding: self.rounding,
            points: self.points.clone(),
            parts: self.parts.clone(),
            file: self.file.clone(),
            normal: self.normal,
            offset: self.offset,
            position: self.position,
            orientation: self.orientation,
        }
    }
}

/// The shapes of the format that the studio takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ShapeType {
    /// `radii`, `exponents`
    Superellipsoid,
    /// `radii`, `exponents`, `taper`
    Superovoid,
    /// `normal`, `offset`
    Plane,
    /// `points` or none
    Point,
    /// `points`
    Segment,
    /// `points`
    Triangle,
    /// `half_extents`, `rounding` or none
    Box,
    /// `radius`, `rounding` or none
    Sphere,
    /// `radius`, `half_height`, `rounding` or none
    Cylinder,
    /// `radius`, `half_height`, `rounding` or none
    Cone,
    /// `radius`, `half_height`, `rounding` or none
    Capsule,
    /// `end_radii`, `half_height`, `rounding` or none
    Frustum,
    /// `points`, `rounding` or none
    Hull,
    /// `radii`, `exponents`, `height`: one sheet, a waisted tube
    Superhyperboloid1,
    /// `radii`, `exponents`, `height`: two sheets, a pair of bowls
    Superhyperboloid2,
    /// `radii`, `exponents`, `hole`
    Supertoroid,
    /// `parts`
    Compound,
    /// `file`
    Mesh,
}

impl ShapeType {
    /// The name in the format.
    pub fn name(self) -> &'static str {
        match self {
            ShapeType::Superellipsoid => "superellipsoid",
            ShapeType::Superovoid => "superovoid",
            ShapeType::Plane => "plane",
            ShapeType::Point => "point",
            ShapeType::Segment => "segment",
            ShapeType::Triangle => "triangle",
            ShapeType::Box => "box",
            ShapeType::Sphere => "sphere",
            ShapeType::Cylinder => "cylinder",
            ShapeType::Cone => "cone",
            ShapeType::Capsule => "capsule",
            ShapeType::Frustum => "frustum",
            ShapeType::Hull => "hull",
            ShapeType::Superhyperboloid1 => "superhyperboloid1",
            ShapeType::Superhyperboloid2 => "superhyperboloid2",
            ShapeType::Supertoroid => "supertoroid",
            ShapeType::Compound => "compound",
            ShapeType::Mesh => "mesh",
        }
    }
}

/// Where a moving body is at one time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Key {
    /// Seconds from the start.
    pub time: f64,
    /// Where its frame is.
    pub position: Vector,
    /// How its frame is turned.
    pub orientation: Quaternion,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_false(value: &bool) -> bool {
    !value
}

fn identity() -> Quaternion {
    [0.0, 0.0, 0.0, 1.0]
}
