//! Poses at the door: their fields are public, so that a quaternion of any length may come in.

use superegg::{InvalidInput, Pose};

/// Squared length within which a quaternion counts as of unit length: what one normalisation leaves. Such a pose stays as it is to
/// the last bit, so that an answer does not depend on how often it was checked.
const UNIT: f64 = 8.0 * f64::EPSILON;

/// The pose with a quaternion of unit length; refuses what is not finite or has no direction.
pub(crate) fn placed(pose: &Pose) -> Result<Pose, InvalidInput> {
    let normalised = Pose::new(pose.rotation, pose.translation)?;
    Ok(if (pose.rotation.length_squared() - 1.0).abs() <= UNIT { *pose } else { normalised })
}

/// The same where nothing can be refused: a pose that no query accepts stays as it is.
pub(crate) fn normalised(pose: &Pose) -> Pose {
    placed(pose).unwrap_or(*pose)
}

/// The pose of one body in the frame of another. The offset is a difference of translations, turned: far from the world's origin it loses
/// no more than the translations themselves have lost.
pub(crate) fn relative(frame: &Pose, pose: &Pose) -> Pose {
    Pose {
        rotation: (frame.rotation.conjugate() * pose.rotation).normalize(),
        translation: frame.inverse_transform_vector(pose.translation - frame.translation),
    }
}
