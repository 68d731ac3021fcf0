//! Answers that say how something changes with the bodies: gradients, second derivatives, growth.

use serde::Serialize;
use superegg::DVec3;
use superegg::query::{BodyGradient, Gradient, Growth, GrowthGradient, SecondDerivatives, ShapeGradient};
use superegg::shape::Core;

use super::parts::{DistanceAnswer, status_name};

/// The distance with its derivatives by each body's pose and parameters, under the names that these have in a query.
#[derive(Serialize)]
pub struct GradientAnswer {
    #[serde(flatten)]
    distance: DistanceAnswer,
    gradient: BothBodies,
}

#[derive(Serialize)]
struct BothBodies {
    a: ByBody,
    b: ByBody,
}

#[derive(Serialize)]
struct ByBody {
    position: [f64; 3],
    rotation: [f64; 3],
    #[serde(flatten)]
    shape: ByShape,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ByShape {
    Plane { offset: f64 },
    Hull { points: Vec<[f64; 3]> },
    Superellipsoid { radii: [f64; 3], exponents: [f64; 2] },
    Superovoid { radii: [f64; 3], exponents: [f64; 2], taper: [f64; 2] },
    Segment { half_height: f64, radius: f64 },
    Box { half_extents: [f64; 3], rounding: f64 },
    Frustum { end_radii: [f64; 2], half_height: f64, rounding: f64 },
    Rounded { rounding: f64 },
}

impl GradientAnswer {
    pub fn new(found: &Gradient) -> GradientAnswer {
        let gradient = BothBodies { a: ByBody::new(&found.a), b: ByBody::new(&found.b) };
        GradientAnswer { distance: DistanceAnswer::new(&found.outcome), gradient }
    }
}

impl ByBody {
    fn new(body: &BodyGradient) -> ByBody {
        let hull = |points: &[DVec3]| ByShape::Hull { points: points.iter().map(|point| point.to_array()).collect() };
        let shape = match body.shape {
            ShapeGradient::Plane { offset } => ByShape::Plane { offset },
            ShapeGradient::Point(points) => hull(&points),
            ShapeGradient::Segment(points) => hull(&points),
            ShapeGradient::Triangle(points) => hull(&points),
            ShapeGradient::Superellipsoid { radii, exponents } => ByShape::Superellipsoid { radii, exponents },
            ShapeGradient::Superovoid { radii, exponents, taper } => ByShape::Superovoid { radii, exponents, taper },
            ShapeGradient::Primitive { core, rounding } => match core {
                Core::Segment { half_height } => ByShape::Segment { half_height, radius: rounding },
                Core::Cuboid { half_extents } => ByShape::Box { half_extents, rounding },
                Core::Frustum { radii, half_height } => ByShape::Frustum { end_radii: radii, half_height, rounding },
            },
            ShapeGradient::Rounded { rounding } => ByShape::Rounded { rounding },
        };
        ByBody { position: body.translation.to_array(), rotation: body.rotation.to_array(), shape }
    }
}

/// The distance with its derivatives by both poses up to the second order: position and rotation of a, then of b.
#[derive(Serialize)]
pub struct SecondDerivativesAnswer {
    #[serde(flatten)]
    distance: DistanceAnswer,
    first: Vec<f64>,
    second: Vec<Vec<f64>>,
    derivatives: Moves,
    smooth: bool,
    curved: bool,
}

/// How the contact moves with each of the twelve parameters.
#[derive(Serialize)]
struct Moves {
    point_a: Vec<[f64; 3]>,
    point_b: Vec<[f64; 3]>,
    normal: Vec<[f64; 3]>,
}

impl SecondDerivativesAnswer {
    pub fn new(found: &SecondDerivatives) -> SecondDerivativesAnswer {
        let rows = |moves: &[DVec3]| moves.iter().map(|by| by.to_array()).collect();
        SecondDerivativesAnswer {
            distance: DistanceAnswer::new(found.outcome()),
            first: found.first().to_vec(),
            second: found.hessian.iter().map(|row| row.to_vec()).collect(),
            derivatives: Moves {
                point_a: rows(&found.point_a),
                point_b: rows(&found.point_b),
                normal: rows(&found.normal),
            },
            smooth: found.is_smooth,
            curved: found.is_curved,
        }
    }
}

/// The growth with its derivatives by both poses.
#[derive(Serialize)]
pub struct GrowthAnswer {
    growth: f64,
    lower: f64,
    upper: f64,
    point: [f64; 3],
    normal: [f64; 3],
    status: &'static str,
    iterations: u32,
    gradient: BothPoses,
    differentiable: bool,
}

#[derive(Serialize)]
struct BothPoses {
    a: ByPose,
    b: ByPose,
}

#[derive(Serialize)]
struct ByPose {
    position: [f64; 3],
    rotation: [f64; 3],
}

impl ByPose {
    fn new(body: &GrowthGradient) -> ByPose {
        ByPose { position: body.translation.to_array(), rotation: body.rotation.to_array() }
    }
}

impl GrowthAnswer {
    pub fn new(found: &Growth) -> GrowthAnswer {
        GrowthAnswer {
            growth: found.growth,
            lower: found.bounds.lower,
            upper: found.bounds.upper,
            point: found.point.to_array(),
            normal: found.normal.to_array(),
            status: status_name(found.status),
            iterations: found.iterations,
            gradient: BothPoses { a: ByPose::new(&found.a), b: ByPose::new(&found.b) },
            differentiable: found.is_differentiable,
        }
    }
}
