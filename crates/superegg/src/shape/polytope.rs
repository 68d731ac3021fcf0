//! Point, segment and triangle: the hulls of one, two and three vertices.

use glam::DVec3;

use super::Direction;
use super::bounds::{Aabb, Sphere};
use crate::{InvalidInput, Pose};

macro_rules! hull {
    ($(#[$doc:meta])* $name:ident, $count:literal, $fields:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name {
            points: [DVec3; $count],
        }

        impl $name {
            /// Refuses vertices with coordinates outside [-1e60, 1e60]. Coinciding vertices are allowed.
            pub fn new(points: [DVec3; $count]) -> Result<$name, InvalidInput> {
                for (point, fields) in points.iter().zip::<[[&'static str; 3]; $count]>($fields) {
                    for (value, field) in point.to_array().into_iter().zip(fields) {
                        InvalidInput::unless_coordinate(field, value)?;
                    }
                }
                Ok($name { points })
            }

            /// The vertices in local coordinates.
            pub fn points(&self) -> &[DVec3; $count] {
                &self.points
            }

            /// The vertex farthest along `direction`, the first of several that are equally far.
            pub fn support(&self, direction: DVec3) -> DVec3 {
                let direction = Direction::new(direction).unit_largest;
                let mut farthest = self.points[0];
                for &point in &self.points[1..] {
                    if point.dot(direction) > farthest.dot(direction) {
                        farthest = point;
                    }
                }
                farthest
            }

            /// The support function: the largest `direction · x` over the hull.
            pub fn support_value(&self, direction: DVec3) -> f64 {
                self.support(direction).dot(direction)
            }

            /// The smallest box along the world's axes that holds the posed hull.
            pub fn aabb(&self, pose: &Pose) -> Aabb {
                Aabb::of_points(self.points.map(|point| pose.transform_point(point)))
            }

            /// The smallest sphere that holds the hull, in its own frame.
            pub fn bounding_sphere(&self) -> Sphere {
                Sphere::around(&self.points)
            }
        }
    };
}

const FIELDS: [[&str; 3]; 3] = [
    ["points[0][0]", "points[0][1]", "points[0][2]"],
    ["points[1][0]", "points[1][1]", "points[1][2]"],
    ["points[2][0]", "points[2][1]", "points[2][2]"],
];

hull!(
    /// A single point.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Point};
    /// assert_eq!(Point::new([DVec3::X])?.points(), &[DVec3::X]);
    /// assert_eq!(Point::new([DVec3::NAN]).unwrap_err().field, "points[0][0]");
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    Point,
    1,
    [FIELDS[0]]
);
hull!(
    /// A straight line between two points.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Segment};
    /// assert_eq!(Segment::new([DVec3::X, DVec3::Y])?.points()[1], DVec3::Y);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    Segment,
    2,
    [FIELDS[0], FIELDS[1]]
);
hull!(
    /// A flat triangle, solid but without thickness.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Triangle};
    /// assert_eq!(Triangle::new([DVec3::X, DVec3::Y, DVec3::Z])?.points()[2], DVec3::Z);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    Triangle,
    3,
    FIELDS
);
