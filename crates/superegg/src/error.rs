//! The one way an input is refused: by naming the field, its value and what is allowed there.

use std::fmt;

use thiserror::Error;

/// An input that lies outside its domain. Nothing is clamped or guessed: the caller is told which field to mend.
///
/// ```
/// use superegg::shape::Superellipsoid;
/// let refused = Superellipsoid::new([1.0, 1.0, 1.0], [2.5, 1.0]).unwrap_err();
/// assert_eq!(refused.field, "exponents[0]");
/// assert_eq!(refused.to_string(), "exponents[0]: 2.5 is outside ]0, 2[");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{field}: {}", self.reason())]
pub struct InvalidInput {
    /// Path of the field within the object being built, such as `radii[2]`.
    pub field: &'static str,
    /// The value that was refused.
    pub value: f64,
    /// The allowed range, in interval notation or words.
    pub allowed: &'static str,
}

impl InvalidInput {
    /// Refuses `value` unless `accepted`.
    ///
    /// ```
    /// use superegg::InvalidInput;
    /// assert!(InvalidInput::unless(true, "mass", 1.0, "]0, ∞[").is_ok());
    /// assert_eq!(InvalidInput::unless(false, "mass", -1.0, "]0, ∞[").unwrap_err().field, "mass");
    /// ```
    pub fn unless(accepted: bool, field: &'static str, value: f64, allowed: &'static str) -> Result<(), InvalidInput> {
        if accepted { Ok(()) } else { Err(InvalidInput { field, value, allowed }) }
    }

    /// What is wrong with the value, for those who name the field in their own way.
    ///
    /// ```
    /// use superegg::shape::Superellipsoid;
    /// let refused = Superellipsoid::new([1e300, 1.0, 1.0], [1.0, 1.0]).unwrap_err();
    /// assert_eq!(refused.reason(), "1e300 is outside [1e-60, 1e60]");
    /// ```
    pub fn reason(&self) -> String {
        format!("{} is outside {}", Legible(self.value), self.allowed)
    }

    /// Refuses a position in space that is not finite or too far away: see [`LARGEST_COORDINATE`].
    pub(crate) fn unless_coordinate(field: &'static str, value: f64) -> Result<(), InvalidInput> {
        InvalidInput::unless(value.abs() <= LARGEST_COORDINATE, field, value, "[-1e60, 1e60]")
    }
}

/// Largest accepted magnitude of a position, in metres: as large as the largest radius, so that distances divided by the
/// smallest radius can still be squared.
const LARGEST_COORDINATE: f64 = 1e60;

/// A number as people write it: one that is huge or tiny with a power of ten instead of a row of zeros.
///
/// ```
/// use superegg::Legible;
/// assert_eq!(format!("{} {} {}", Legible(0.25), Legible(-2e100), Legible(f64::NAN)), "0.25 -2e100 NaN");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Legible(pub f64);

impl fmt::Display for Legible {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let plain = self.0 == 0.0 || !self.0.is_finite() || (1e-5..1e16).contains(&self.0.abs());
        if plain { fmt::Display::fmt(&self.0, f) } else { fmt::LowerExp::fmt(&self.0, f) }
    }
}
