//! A scene: bodies in the format of `superegg query`, with a name and a motion each, and how they are solved.

use serde::{Deserialize, Serialize};

use super::{Quaternion, Vector};

/// Everything a client works on; also what is saved as a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Scene {
    /// What people call it.
    pub name: String,
    /// One sentence about what there is to see.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<String>"))]
    pub about: String,
    /// The bodies, each with its own id.
    pub bodies: Vec<Body>,
    /// How contacts are computed.
    pub solver: Solver,
    /// Length of the motion in seconds.
    pub duration: f64,
}

/// A shape, where it is, and how it moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Body {
    /// Unique within the scene.
    pub id: u32,
    /// What people call it.
    pub name: String,
    /// Which of the fields below the shape has.
    pub r#type: ShapeType,
    /// Superellipsoid and superovoid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub radii: Option<Vector>,
    /// Superellipsoid and superovoid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub exponents: Option<[f64; 2]>,
    /// Superovoid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub taper: Option<[f64; 2]>,
    /// Segment (two) and triangle (three); a point may have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub points: Option<Vec<Vector>>,
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
    /// Where it is at which time, in order; empty when it rests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<Key>>"))]
    pub keys: Vec<Key>,
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

/// A body's new place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Placement {
    /// Which body.
    pub id: u32,
    /// Where its frame is.
    pub position: Vector,
    /// How its frame is turned.
    pub orientation: Quaternion,
}

/// How contacts are computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Solver {
    /// A name among the methods of [`Welcome`](super::Welcome).
    pub method: String,
    /// The method's tolerance; the default's is the width of the certified interval over the size of the pair.
    pub tolerance: f64,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver { method: "default".to_owned(), tolerance: 1e-9 }
    }
}

fn identity() -> Quaternion {
    [0.0, 0.0, 0.0, 1.0]
}
