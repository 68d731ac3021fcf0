//! What readers of robots take and give, whatever the format.

use std::path::{Path, PathBuf};

use crate::error::{Diagnostic, RobotError};
use crate::model::Robot;

/// How a robot is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Folders in which the packages of `package://` are looked for, or which are these packages, before `ROS_PACKAGE_PATH`,
    /// `AMENT_PREFIX_PATH` and the folders above the file.
    pub package_path: Vec<PathBuf>,
    /// Whether anything ignored, repaired or missing is an error.
    pub strict: bool,
}

/// A robot and what was said about its file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The robot.
    pub robot: Robot,
    /// In the order of the file, then those of files that it includes.
    pub diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// Puts diagnostics in order; any of them is an error where the reading is strict.
    pub(crate) fn new(
        path: &Path,
        robot: Robot,
        mut diagnostics: Vec<Diagnostic>,
        options: &ReadOptions,
    ) -> Result<Loaded, RobotError> {
        diagnostics.sort_by(|p, q| p.at.cmp(&q.at));
        match diagnostics.first() {
            Some(first) if options.strict => {
                Err(RobotError::Strict { path: path.into(), count: diagnostics.len(), first: first.clone() })
            }
            _ => Ok(Loaded { robot, diagnostics }),
        }
    }
}
