//! Options of fits that several commands have.

use clap::ValueEnum;
use superegg_fit::{Count, Family, MOST_PARTS};

use crate::error::CliError;

/// Families of shapes by their name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShapeName {
    /// Without taper
    Superellipsoid,
    /// With a taper, convex
    Superovoid,
}

impl From<ShapeName> for Family {
    fn from(name: ShapeName) -> Family {
        match name {
            ShapeName::Superellipsoid => Family::Superellipsoid,
            ShapeName::Superovoid => Family::Superovoid,
        }
    }
}

/// Reads `--parts`.
pub fn parse_count(text: &str) -> Result<Count, String> {
    if text == "auto" {
        return Ok(Count::Auto);
    }
    let allowed = format!("expected `auto` or a number in [1, {MOST_PARTS}]");
    let count: usize = text.parse().map_err(|_| allowed.clone())?;
    if (1..=MOST_PARTS).contains(&count) { Ok(Count::Exactly(count)) } else { Err(allowed) }
}

/// Refuses a `--max-error` that is no length, or longer than `most`.
pub fn check_max_error(max_error: Option<f64>, most: f64) -> Result<(), CliError> {
    match max_error {
        Some(error) if !(error > 0.0 && error <= most) => {
            let (given, most) = (superegg::Legible(error), superegg::Legible(most));
            Err(CliError::Usage(format!("--max-error: {given} is outside ]0, {most}]")))
        }
        _ => Ok(()),
    }
}
