//! Rigid placement of a body in the world.

use glam::{DMat3, DQuat, DVec3};

use crate::InvalidInput;

/// A rotation followed by a translation: maps local coordinates to world coordinates.
///
/// ```
/// use superegg::{DQuat, DVec3, Pose};
/// let pose = Pose::new(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), DVec3::X)?;
/// let world = pose.transform_point(DVec3::X);
/// assert!((world - DVec3::new(1.0, 1.0, 0.0)).length() < 1e-15);
/// assert!((pose.inverse_transform_point(world) - DVec3::X).length() < 1e-15);
/// # Ok::<(), superegg::InvalidInput>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// Unit quaternion. One of another length stands for the same rotation in every query, which normalises it; the
    /// methods of this type take it as it is.
    pub rotation: DQuat,
    /// Where the local origin lies in the world, in metres.
    pub translation: DVec3,
}

impl Pose {
    /// The local frame is the world.
    pub const IDENTITY: Pose = Pose { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// Normalises the rotation; refuses a zero or non-finite quaternion and a translation outside [-1e60, 1e60].
    pub fn new(rotation: DQuat, translation: DVec3) -> Result<Pose, InvalidInput> {
        let pose = Pose { rotation, translation };
        let largest = pose.validate()?;
        // Scaling by the largest component first keeps the squared length from overflowing or vanishing.
        Ok(Pose { rotation: (rotation / largest).normalize(), translation })
    }

    /// The same pose with a rotation of unit length, to the same bits if it has that already; refuses what [`Pose::new`]
    /// refuses. Every query begins with this: the fields are public, and products of many rotations drift.
    ///
    /// ```
    /// use superegg::{DQuat, DVec3, Pose};
    /// let drifted = Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 1.0 + 1e-9), translation: DVec3::X };
    /// assert_eq!(drifted.normalized()?, Pose::from_translation(DVec3::X));
    /// # Ok::<(), superegg::InvalidInput>(())
    /// ```
    #[inline]
    pub fn normalized(&self) -> Result<Pose, InvalidInput> {
        if self.is_unit() {
            self.validate_translation()?;
            return Ok(*self);
        }
        Pose::new(self.rotation, self.translation)
    }

    /// Whether the rotation has unit length up to the rounding of a normalisation.
    #[inline]
    pub(crate) fn is_unit(&self) -> bool {
        (self.rotation.length_squared() - 1.0).abs() <= 2.0 * f64::EPSILON
    }

    /// A translation without rotation. Queries check that it lies within [-1e60, 1e60].
    pub const fn from_translation(translation: DVec3) -> Pose {
        Pose { rotation: DQuat::IDENTITY, translation }
    }

    /// Local point to world point.
    #[inline]
    pub fn transform_point(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.translation
    }

    /// Local direction to world direction.
    #[inline]
    pub fn transform_vector(&self, local: DVec3) -> DVec3 {
        self.rotation * local
    }

    /// World point to local point.
    #[inline]
    pub fn inverse_transform_point(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * (world - self.translation)
    }

    /// World direction to local direction.
    #[inline]
    pub fn inverse_transform_vector(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * world
    }

    /// The pose that undoes this one.
    pub fn inverse(&self) -> Pose {
        let rotation = self.rotation.conjugate();
        Pose { rotation, translation: -(rotation * self.translation) }
    }

    /// First `inner`, then `self`.
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose {
            rotation: (self.rotation * inner.rotation).normalize(),
            translation: self.transform_point(inner.translation),
        }
    }

    /// The rotation as a matrix whose columns are the local axes in world coordinates.
    pub fn rotation_matrix(&self) -> DMat3 {
        DMat3::from_quat(self.rotation)
    }

    /// Refuses a zero or non-finite rotation and a translation outside [-1e60, 1e60]; the rotation's largest component.
    fn validate(&self) -> Result<f64, InvalidInput> {
        let rotation = self.rotation.to_array();
        let largest = rotation.iter().fold(0.0f64, |largest, component| largest.max(component.abs()));
        let finite = rotation.iter().all(|component| component.is_finite());
        InvalidInput::unless(finite && largest > 0.0, "orientation", largest, "the finite, non-zero quaternions")?;
        self.validate_translation()?;
        Ok(largest)
    }

    #[inline]
    pub(crate) fn validate_translation(&self) -> Result<(), InvalidInput> {
        for (component, field) in
            self.translation.to_array().into_iter().zip(["position[0]", "position[1]", "position[2]"])
        {
            InvalidInput::unless_coordinate(field, component)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quaternions_of_any_length_are_normalised() {
        // Scaling by a reciprocal made infinities of the smallest ones: 1 / 5e-324 overflows.
        for length in [5e-324, 1e-310, 1e-200, 1.0, 1e200, f64::MAX] {
            let pose = Pose::new(DQuat::from_xyzw(0.0, length, 0.0, -length), DVec3::ZERO).unwrap();
            let half = std::f64::consts::FRAC_1_SQRT_2;
            let difference = pose.rotation - DQuat::from_xyzw(0.0, half, 0.0, -half);
            assert!(difference.length() < 1e-15, "{length:e}: {}", pose.rotation);
        }
    }

    #[test]
    fn degenerate_poses_are_refused() {
        for bad in [[0.0; 4], [0.0, f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0, 0.0]] {
            assert_eq!(Pose::new(DQuat::from_array(bad), DVec3::ZERO).unwrap_err().field, "orientation");
        }
        for bad in [f64::NAN, f64::NEG_INFINITY, 1.1e60] {
            let refused = Pose::new(DQuat::IDENTITY, DVec3::new(0.0, bad, 0.0)).unwrap_err();
            assert_eq!((refused.field, refused.allowed), ("position[1]", "[-1e60, 1e60]"));
        }
    }
}
