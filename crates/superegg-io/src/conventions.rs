//! What a file says about its coordinates: unit and axes.

use glam::{DMat4, DVec3};

/// Which axis of a file points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// x.
    X,
    /// y.
    Y,
    /// z, as everywhere in this project.
    Z,
}

impl UpAxis {
    /// The rotation that makes z point up.
    pub fn to_z_up(self) -> DMat4 {
        match self {
            // COLLADA: X_UP has y to the left and z to the front; Y_UP has x to the right and z to the front.
            UpAxis::X => DMat4::from_cols(
                DVec3::Z.extend(0.0),
                DVec3::NEG_X.extend(0.0),
                DVec3::NEG_Y.extend(0.0),
                glam::DVec4::W,
            ),
            UpAxis::Y => DMat4::from_rotation_x(std::f64::consts::FRAC_PI_2),
            UpAxis::Z => DMat4::IDENTITY,
        }
    }

    /// `x`, `y` or `z`.
    pub fn name(self) -> &'static str {
        match self {
            UpAxis::X => "x",
            UpAxis::Y => "y",
            UpAxis::Z => "z",
        }
    }
}

/// What a file says about its coordinates. What is read has been brought to metres with z up where it says so, and is as it is
/// in the file where it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conventions {
    /// Metres in the file's unit of length.
    pub unit: Option<f64>,
    /// The file's axis that points up.
    pub up: Option<UpAxis>,
}
