//! A half-space: everything at or below a plane.

use glam::DVec3;

use crate::InvalidInput;

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
}
