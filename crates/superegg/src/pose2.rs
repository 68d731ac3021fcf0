//! Rigid placement of a figure in the plane.

use glam::DVec2;

use crate::InvalidInput;

/// A rotation followed by a translation in the plane: maps local coordinates to world coordinates.
///
/// ```
/// use superegg::{DVec2, Pose2};
/// let pose = Pose2::new(std::f64::consts::FRAC_PI_2, DVec2::X)?;
/// let world = pose.transform_point(DVec2::X);
/// assert!((world - DVec2::ONE).length() < 1e-15);
/// assert!((pose.inverse_transform_point(world) - DVec2::X).length() < 1e-15);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose2 {
    /// Cosine and sine of the angle, counter-clockwise.
    pub rotation: DVec2,
    /// Where the local origin lies in the world, in metres.
    pub translation: DVec2,
}

impl Pose2 {
    /// The local frame is the world.
    pub const IDENTITY: Pose2 = Pose2 { rotation: DVec2::X, translation: DVec2::ZERO };

    /// Turns by `angle` in radians, then moves by `translation`; both must be finite.
    pub fn new(angle: f64, translation: DVec2) -> Result<Pose2, InvalidInput> {
        InvalidInput::unless(angle.is_finite(), "angle", angle, "the finite numbers")?;
        let pose = Pose2 { rotation: DVec2::from_angle(angle), translation };
        pose.validate_translation()?;
        Ok(pose)
    }

    /// Local point to world point.
    #[inline]
    pub fn transform_point(&self, local: DVec2) -> DVec2 {
        self.transform_vector(local) + self.translation
    }

    /// Local direction to world direction.
    #[inline]
    pub fn transform_vector(&self, local: DVec2) -> DVec2 {
        self.rotation.rotate(local)
    }

    /// World point to local point.
    #[inline]
    pub fn inverse_transform_point(&self, world: DVec2) -> DVec2 {
        self.inverse_transform_vector(world - self.translation)
    }

    /// World direction to local direction.
    #[inline]
    pub fn inverse_transform_vector(&self, world: DVec2) -> DVec2 {
        DVec2::new(self.rotation.x, -self.rotation.y).rotate(world)
    }

    /// The same pose with a rotation of unit length, to the same bits if it has that already; refuses a rotation that is
    /// farther from that than products of rotations drift, and a translation that is not finite. Every query begins with
    /// this.
    ///
    /// ```
    /// use superegg::{DVec2, Pose2};
    /// let drifted = Pose2 { rotation: DVec2::new(0.0, 1.0 - 1e-10), translation: DVec2::ZERO };
    /// assert_eq!(drifted.normalized()?.rotation, DVec2::Y);
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    pub fn normalized(&self) -> Result<Pose2, InvalidInput> {
        self.validate_translation()?;
        let length = self.rotation.length();
        InvalidInput::unless((length - 1.0).abs() < 1e-9, "rotation", length, "the unit vectors")?;
        let exact = (length - 1.0).abs() <= f64::EPSILON;
        Ok(if exact { *self } else { Pose2 { rotation: self.rotation / length, ..*self } })
    }

    fn validate_translation(&self) -> Result<(), InvalidInput> {
        for (component, field) in self.translation.to_array().into_iter().zip(["position[0]", "position[1]"]) {
            InvalidInput::unless(component.is_finite(), field, component, "the finite numbers")?;
        }
        Ok(())
    }
}
