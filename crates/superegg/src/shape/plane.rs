//! A half-space: everything at or below a plane.

use glam::DVec3;

use super::Aabb;
use crate::{InvalidInput, Pose};

/// The half-space `normal · x ≤ offset`: solid below, free above.
///
/// ```
/// use superegg::{DVec3, shape::Plane};
/// let floor = Plane::new(DVec3::new(0.0, 0.0, 2.0), 1.0)?;
/// assert_eq!(floor.normal(), DVec3::Z);
/// assert_eq!(floor.offset(), 0.5); // 2 z ≤ 1
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    normal: DVec3,
    offset: f64,
}

impl Plane {
    /// Takes any non-zero normal; normal and offset are divided by its length, after which the offset has to lie within
    /// [-1e60, 1e60].
    pub fn new(normal: DVec3, offset: f64) -> Result<Plane, InvalidInput> {
        let largest = normal.abs().max_element();
        let accepted = normal.is_finite() && largest > 0.0;
        InvalidInput::unless(accepted, "normal", largest, "the finite, non-zero vectors")?;
        InvalidInput::unless(offset.is_finite(), "offset", offset, "the finite numbers")?;
        if (normal.length_squared() - 1.0).abs() <= f64::EPSILON {
            InvalidInput::unless_coordinate("offset", offset)?;
            return Ok(Plane { normal, offset });
        }
        // Scaling by the largest component first keeps the squared length from overflowing or vanishing.
        let scaled = normal / largest;
        let length = scaled.length();
        let offset = offset / largest / length;
        InvalidInput::unless_coordinate("offset", offset)?;
        Ok(Plane { normal: scaled / length, offset })
    }

    /// Unit vector out of the solid.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Signed distance of the plane from the origin along the normal.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Height of a point above the plane, negative inside the solid.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The point of the plane nearest to a point.
    ///
    /// ```
    /// use superegg::{DVec3, shape::Plane};
    /// let floor = Plane::new(DVec3::Z, 1.0)?;
    /// let point = DVec3::new(3.0, 4.0, 5.0);
    /// assert_eq!((floor.signed_distance(point), floor.project(point)), (4.0, DVec3::new(3.0, 4.0, 1.0)));
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn project(&self, point: DVec3) -> DVec3 {
        point - self.normal * self.signed_distance(point)
    }

    /// The smallest box along the world's axes that holds the posed half-space: infinite, but for the side that a
    /// normal along an axis bounds.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let normal = pose.transform_vector(self.normal);
        let offset = self.offset + normal.dot(pose.translation);
        let mut aabb = Aabb::EVERYTHING;
        for axis in 0..3 {
            if normal[axis] == 1.0 {
                aabb.max[axis] = offset;
            } else if normal[axis] == -1.0 {
                aabb.min[axis] = -offset;
            }
        }
        aabb
    }
}
