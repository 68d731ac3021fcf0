//! The tables of a scene file, as they are written in it.

use serde::{Deserialize, Serialize};

/// A whole file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub name: Option<String>,
    pub seconds: Option<f64>,
    pub dt: Option<f64>,
    pub substeps: Option<u32>,
    pub gravity: Option<[f64; 3]>,
    pub sleeping: Option<bool>,
    pub wind: Option<WindTable>,
    #[serde(alias = "view")]
    pub camera: Option<CameraTable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<BodyTable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<JointTable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cloth: Vec<ClothTable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub soft: Vec<SoftTable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hand: Vec<HandTable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub push: Vec<PushTable>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WindTable {
    pub velocity: [f64; 3],
    pub gusts: Option<f64>,
    pub density: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CameraTable {
    pub eye: [f64; 3],
    pub target: [f64; 3],
    pub field_of_view: Option<f64>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ShapeType {
    Superellipsoid,
    Superovoid,
    Plane,
    Box,
    Sphere,
    Cylinder,
    Cone,
    Capsule,
    Frustum,
    Hull,
    Mesh,
    Compound,
}

impl ShapeType {
    /// With its article.
    pub fn name(self) -> &'static str {
        match self {
            ShapeType::Superellipsoid => "a superellipsoid",
            ShapeType::Superovoid => "a superovoid",
            ShapeType::Plane => "a plane",
            ShapeType::Box => "a box",
            ShapeType::Sphere => "a sphere",
            ShapeType::Cylinder => "a cylinder",
            ShapeType::Cone => "a cone",
            ShapeType::Capsule => "a capsule",
            ShapeType::Frustum => "a frustum",
            ShapeType::Hull => "a hull",
            ShapeType::Mesh => "a mesh",
            ShapeType::Compound => "a compound",
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum MotionName {
    Fixed,
    Kinematic,
    Dynamic,
}

/// A body with its first collider; its further colliders, and the parts of compounds, are tables of the same kind.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyTable {
    #[serde(rename = "type")]
    pub kind: Option<ShapeType>,
    pub radii: Option<[f64; 3]>,
    pub exponents: Option<[f64; 2]>,
    pub taper: Option<[f64; 2]>,
    pub half_extents: Option<[f64; 3]>,
    pub radius: Option<f64>,
    pub end_radii: Option<[f64; 2]>,
    pub half_height: Option<f64>,
    pub rounding: Option<f64>,
    pub points: Option<Vec<[f64; 3]>>,
    pub normal: Option<[f64; 3]>,
    pub offset: Option<f64>,
    pub file: Option<String>,
    pub scale: Option<f64>,
    pub vertices: Option<Vec<[f64; 3]>>,
    pub triangles: Option<Vec<[u32; 3]>>,
    pub position: Option<[f64; 3]>,
    pub orientation: Option<[f64; 4]>,
    pub friction: Option<[f64; 2]>,
    pub restitution: Option<f64>,
    pub rolling: Option<f64>,
    pub spinning: Option<f64>,
    pub groups: Option<[u32; 2]>,
    pub motion: Option<MotionName>,
    pub velocity: Option<[f64; 3]>,
    pub angular_velocity: Option<[f64; 3]>,
    pub density: Option<f64>,
    pub mass: Option<f64>,
    pub center: Option<[f64; 3]>,
    pub inertia: Option<[[f64; 3]; 3]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<BodyTable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collider: Vec<BodyTable>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrameTable {
    pub position: Option<[f64; 3]>,
    pub orientation: Option<[f64; 4]>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum JointType {
    Fixed,
    Revolute,
    Continuous,
    Prismatic,
    Planar,
    Floating,
    Ball,
    Universal,
    Distance,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JointTable {
    #[serde(rename = "type")]
    pub kind: JointType,
    pub a: Option<usize>,
    pub b: usize,
    pub collide: Option<bool>,
    pub frame_a: Option<FrameTable>,
    pub frame_b: Option<FrameTable>,
    pub cone: Option<ConeTable>,
    pub mimic: Option<MimicTable>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axis: Vec<AxisTable>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConeTable {
    pub swing: f64,
    pub twist: [f64; 2],
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MimicTable {
    pub joint: usize,
    pub axis: Option<usize>,
    pub ratio: Option<f64>,
    pub offset: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AxisTable {
    pub limits: Option<[f64; 2]>,
    pub friction: Option<f64>,
    pub damping: Option<f64>,
    pub spring: Option<SpringTable>,
    pub servo: Option<ServoTable>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpringTable {
    pub rest: Option<f64>,
    pub stiffness: f64,
    pub damping: Option<f64>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum ServoTable {
    Position { target: f64, velocity: Option<f64>, stiffness: f64, damping: Option<f64>, effort: Option<f64> },
    Velocity { target: f64, effort: Option<f64> },
    Effort { effort: f64 },
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum BendingName {
    None,
    Isometric,
    Dihedral,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TetherName {
    Euclidean,
    Geodesic,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClothTable {
    pub mesh: Option<String>,
    pub vertices: Option<[usize; 2]>,
    pub size: Option<[f64; 2]>,
    pub corner: Option<[f64; 3]>,
    pub rest: Option<Vec<[f64; 3]>>,
    pub triangles: Option<Vec<[u32; 3]>>,
    pub places: Option<Vec<[f64; 3]>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<usize>,
    pub density: Option<f64>,
    pub compliance: Option<[f64; 3]>,
    pub compression_compliance: Option<f64>,
    pub strain_limit: Option<f64>,
    pub bending: Option<BendingName>,
    pub bending_compliance: Option<f64>,
    pub tethers: Option<TetherName>,
    pub offset: Option<f64>,
    pub self_separation: Option<f64>,
    pub friction: Option<[f64; 2]>,
    pub groups: Option<[u32; 2]>,
    pub damping: Option<f64>,
    pub internal_damping: Option<f64>,
    pub wrinkles: Option<WrinklesTable>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrinklesTable {
    pub level: u32,
    pub reach: Option<f64>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SoftTable {
    pub file: Option<String>,
    pub vertices: Option<Vec<[f64; 3]>>,
    pub triangles: Option<Vec<[u32; 3]>>,
    pub mass: f64,
    pub compliance: Option<f64>,
    pub offset: Option<f64>,
    pub friction: Option<[f64; 2]>,
    pub groups: Option<[u32; 2]>,
    pub damping: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HandTable {
    pub cloth: Option<usize>,
    pub vertices: Vec<usize>,
    /// Time and displacement of each point of the path.
    pub path: Vec<[f64; 4]>,
    pub until: Option<f64>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PushTable {
    pub at: f64,
    pub body: usize,
    pub arm: Option<[f64; 3]>,
    pub impulse: [f64; 3],
}
