//! Two placed shapes, and how to write them down so that a failure can be repeated.

use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use superegg::Pose;
use superegg::shape::{Core, Plane, Point, Segment, Shape, Superellipsoid, Superovoid, Triangle};

/// Two placed shapes: the input of a distance query.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// First shape.
    pub a: Shape,
    /// Where the first shape is.
    pub pose_a: Pose,
    /// Second shape.
    pub b: Shape,
    /// Where the second shape is.
    pub pose_b: Pose,
}

/// A pair whose distance is known by construction.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownPair {
    /// The pair.
    pub pair: Pair,
    /// Its signed distance.
    pub distance: f64,
    /// Unit normal from a to b that attains it.
    pub normal: DVec3,
    /// A closest point of a (one of several where a flat face meets another).
    pub point_a: DVec3,
    /// A closest point of b.
    pub point_b: DVec3,
    /// Bound on the error of `distance` that the rounding of the construction leaves.
    pub error: f64,
}

impl KnownPair {
    /// The same pair with the roles of a and b exchanged.
    pub fn swapped(&self) -> KnownPair {
        KnownPair {
            pair: self.pair.swapped(),
            normal: -self.normal,
            point_a: self.point_b,
            point_b: self.point_a,
            ..*self
        }
    }
}

impl Pair {
    /// The length that tolerances are measured in: the sum of both bodies' largest radii.
    pub fn size(&self) -> f64 {
        largest_radius(&self.a) + largest_radius(&self.b)
    }

    /// Bound on what the rounding of coordinates alone does to a distance: the sum of all lengths involved, times the
    /// machine epsilon.
    pub fn rounding(&self) -> f64 {
        let far = |shape: &Shape| match shape {
            Shape::Plane(plane) => plane.offset().abs(),
            other => reach(other),
        };
        let lengths = far(&self.a) + far(&self.b) + self.pose_a.translation.length() + self.pose_b.translation.length();
        lengths * f64::EPSILON
    }

    /// The same pair with the roles of a and b exchanged.
    pub fn swapped(&self) -> Pair {
        Pair { a: self.b.clone(), pose_a: self.pose_b, b: self.a.clone(), pose_b: self.pose_a }
    }

    /// The same pair after a common rigid motion.
    pub fn moved(&self, motion: &Pose) -> Pair {
        Pair { pose_a: motion.compose(&self.pose_a), pose_b: motion.compose(&self.pose_b), ..self.clone() }
    }

    /// The same pair, enlarged about the origin.
    pub fn scaled(&self, factor: f64) -> Pair {
        let pose = |pose: &Pose| Pose { rotation: pose.rotation, translation: pose.translation * factor };
        Pair {
            a: scaled_shape(&self.a, factor),
            pose_a: pose(&self.pose_a),
            b: scaled_shape(&self.b, factor),
            pose_b: pose(&self.pose_b),
        }
    }

    /// The pair with b moved by `step`.
    pub fn with_b_moved(&self, step: DVec3) -> Pair {
        let pose_b = Pose { rotation: self.pose_b.rotation, translation: self.pose_b.translation + step };
        Pair { pose_b, ..self.clone() }
    }

    /// A Rust expression that rebuilds this pair bit by bit.
    pub fn to_rust(&self) -> String {
        format!(
            "Pair {{ a: {}, pose_a: {}, b: {}, pose_b: {} }}",
            shape_to_rust(&self.a),
            pose_to_rust(&self.pose_a),
            shape_to_rust(&self.b),
            pose_to_rust(&self.pose_b)
        )
    }

    /// A line for `superegg query`.
    pub fn to_json(&self) -> String {
        json!({"query": "distance", "a": placed_to_json(&self.a, &self.pose_a), "b": placed_to_json(&self.b, &self.pose_b)})
            .to_string()
    }
}

/// The largest radius of a body; for segments and triangles the largest distance of a vertex from their centroid, for
/// points and planes zero.
pub fn largest_radius(shape: &Shape) -> f64 {
    fn of_hull(points: &[DVec3]) -> f64 {
        let centroid = points.iter().sum::<DVec3>() / points.len() as f64;
        points.iter().map(|point| point.distance(centroid)).fold(0.0, f64::max)
    }
    match shape {
        Shape::Point(_) | Shape::Plane(_) => 0.0,
        Shape::Segment(segment) => of_hull(segment.points()),
        Shape::Triangle(triangle) => of_hull(triangle.points()),
        Shape::Superellipsoid(body) => DVec3::from(body.radii()).max_element(),
        Shape::Superovoid(body) => DVec3::from(body.radii()).max_element(),
        Shape::Primitive(body) => body.largest_radius(),
        Shape::Hull(body) => body.radius(),
        Shape::Custom(body) => body.radius(),
    }
}

/// Radius of a ball about the local origin that holds the body (infinite for a half-space).
pub fn reach(shape: &Shape) -> f64 {
    let farthest = |points: &[DVec3]| points.iter().map(|point| point.length()).fold(0.0, f64::max);
    match shape {
        Shape::Plane(_) => f64::INFINITY,
        Shape::Point(point) => farthest(point.points()),
        Shape::Segment(segment) => farthest(segment.points()),
        Shape::Triangle(triangle) => farthest(triangle.points()),
        Shape::Superellipsoid(body) => DVec3::from(body.radii()).length(),
        Shape::Superovoid(body) => {
            let [tx, ty] = body.taper();
            (DVec3::from(body.radii()) * DVec3::new(1.0 + tx.abs(), 1.0 + ty.abs(), 1.0)).length()
        }
        Shape::Primitive(body) => body.reach(),
        Shape::Hull(body) => body.reach(),
        Shape::Custom(body) => body.reach(),
    }
}

/// The same shape, enlarged about its local origin.
pub fn scaled_shape(shape: &Shape, factor: f64) -> Shape {
    const IN_RANGE: &str = "the scaled shape stays within the accepted range";
    match shape {
        Shape::Point(point) => Point::new(point.points().map(|p| p * factor)).expect(IN_RANGE).into(),
        Shape::Segment(segment) => Segment::new(segment.points().map(|p| p * factor)).expect(IN_RANGE).into(),
        Shape::Triangle(triangle) => Triangle::new(triangle.points().map(|p| p * factor)).expect(IN_RANGE).into(),
        Shape::Plane(plane) => Plane::new(plane.normal(), plane.offset() * factor).expect(IN_RANGE).into(),
        Shape::Superellipsoid(body) => {
            Superellipsoid::new(body.radii().map(|r| r * factor), body.exponents()).expect(IN_RANGE).into()
        }
        Shape::Superovoid(body) => {
            Superovoid::new(body.radii().map(|r| r * factor), body.exponents(), body.taper()).expect(IN_RANGE).into()
        }
        Shape::Primitive(body) => body.scaled(factor).expect(IN_RANGE).into(),
        Shape::Hull(body) => body.scaled(factor).expect(IN_RANGE).into(),
        Shape::Custom(_) => panic!("{NO_NUMBERS}"),
    }
}

const NO_NUMBERS: &str = "a shape of the caller's own has no numbers";

fn vector_to_rust(vector: DVec3) -> String {
    format!("DVec3::new({:?}, {:?}, {:?})", vector.x, vector.y, vector.z)
}

fn points_to_rust(points: &[DVec3]) -> String {
    let points: Vec<String> = points.iter().map(|&point| vector_to_rust(point)).collect();
    format!("[{}]", points.join(", "))
}

fn shape_to_rust(shape: &Shape) -> String {
    match shape {
        Shape::Point(point) => format!("Point::new({}).unwrap().into()", points_to_rust(point.points())),
        Shape::Segment(segment) => format!("Segment::new({}).unwrap().into()", points_to_rust(segment.points())),
        Shape::Triangle(triangle) => format!("Triangle::new({}).unwrap().into()", points_to_rust(triangle.points())),
        Shape::Plane(plane) => {
            format!("Plane::new({}, {:?}).unwrap().into()", vector_to_rust(plane.normal()), plane.offset())
        }
        Shape::Superellipsoid(body) => {
            format!("Superellipsoid::new({:?}, {:?}).unwrap().into()", body.radii(), body.exponents())
        }
        Shape::Superovoid(body) => {
            format!("Superovoid::new({:?}, {:?}, {:?}).unwrap().into()", body.radii(), body.exponents(), body.taper())
        }
        Shape::Primitive(body) => {
            let rounding = body.rounding();
            match body.core() {
                Core::Segment { half_height } => {
                    format!("Primitive::capsule({rounding:?}, {half_height:?}).unwrap().into()")
                }
                Core::Cuboid { half_extents } => {
                    format!("Primitive::cuboid({half_extents:?}).unwrap().rounded({rounding:?}).unwrap().into()")
                }
                Core::Frustum { radii, half_height } => {
                    format!(
                        "Primitive::frustum({radii:?}, {half_height:?}).unwrap().rounded({rounding:?}).unwrap().into()"
                    )
                }
            }
        }
        Shape::Hull(body) => {
            let (points, rounding) = (points_to_rust(body.vertices()), body.rounding());
            format!("Hull::new(&{points}).unwrap().rounded({rounding:?}).unwrap().into()")
        }
        Shape::Custom(_) => panic!("{NO_NUMBERS}"),
    }
}

fn pose_to_rust(pose: &Pose) -> String {
    let DQuat { x, y, z, w } = pose.rotation;
    format!(
        "Pose {{ rotation: DQuat::from_xyzw({x:?}, {y:?}, {z:?}, {w:?}), translation: {} }}",
        vector_to_rust(pose.translation)
    )
}

fn placed_to_json(shape: &Shape, pose: &Pose) -> Value {
    let points = |points: &[DVec3]| points.iter().map(|point| json!(point.to_array())).collect::<Vec<_>>();
    let mut value = match shape {
        Shape::Point(point) => json!({"type": "point", "points": points(point.points())}),
        Shape::Segment(segment) => json!({"type": "segment", "points": points(segment.points())}),
        Shape::Triangle(triangle) => json!({"type": "triangle", "points": points(triangle.points())}),
        Shape::Plane(plane) => json!({"type": "plane", "normal": plane.normal().to_array(), "offset": plane.offset()}),
        Shape::Superellipsoid(body) => {
            json!({"type": "superellipsoid", "radii": body.radii(), "exponents": body.exponents()})
        }
        Shape::Superovoid(body) => {
            json!({"type": "superovoid", "radii": body.radii(), "exponents": body.exponents(), "taper": body.taper()})
        }
        Shape::Primitive(body) => {
            let rounding = body.rounding();
            match body.core() {
                Core::Segment { half_height } => {
                    json!({"type": "capsule", "radius": rounding, "half_height": half_height})
                }
                Core::Cuboid { half_extents } => {
                    json!({"type": "box", "half_extents": half_extents, "rounding": rounding})
                }
                Core::Frustum { radii, half_height } => {
                    json!({"type": "frustum", "end_radii": radii, "half_height": half_height, "rounding": rounding})
                }
            }
        }
        Shape::Hull(body) => {
            json!({"type": "hull", "points": points(body.vertices()), "rounding": body.rounding()})
        }
        Shape::Custom(_) => panic!("{NO_NUMBERS}"),
    };
    value["position"] = json!(pose.translation.to_array());
    value["orientation"] = json!(pose.rotation.to_array());
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_repeat_every_bit() {
        let pair = Pair {
            a: Superellipsoid::new([1.0, 0.1, 3e-7], [0.3, 1.0 / 3.0]).unwrap().into(),
            pose_a: Pose::from_translation(DVec3::new(1e22, -0.0, 0.1)),
            b: Point::new([DVec3::X]).unwrap().into(),
            pose_b: Pose::IDENTITY,
        };
        let rust = pair.to_rust();
        assert!(rust.contains("Superellipsoid::new([1.0, 0.1, 3e-7], [0.3, 0.3333333333333333])"), "{rust}");
        assert!(rust.contains("translation: DVec3::new(1e22, -0.0, 0.1)"), "{rust}");
        let json: Value = serde_json::from_str(&pair.to_json()).unwrap();
        assert_eq!(json["a"]["radii"][2].as_f64(), Some(3e-7));
        assert_eq!(json["a"]["exponents"][1].as_f64(), Some(1.0 / 3.0));
        assert_eq!(json["b"]["orientation"][3].as_f64(), Some(1.0));
    }
}
