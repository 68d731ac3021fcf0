//! URDF, the Unified Robot Description Format, in and out.
//!
//! Nothing is dropped silently: whatever is ignored, repaired or missing is a [`Diagnostic`] with its line, and elements of other
//! tools are kept as they are and written back.

mod mesh_path;
mod read;
mod surface;
mod tree;
mod write;
mod xacro;

use std::path::{Path, PathBuf};

use crate::error::{Diagnostic, RobotError};
use crate::model::Robot;

pub use write::{WriteOptions, write, write_file};

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
    /// In the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a `.urdf` file, or a `.xacro` file through the installed `xacro`.
pub fn read_file(path: &Path, options: &ReadOptions) -> Result<Loaded, RobotError> {
    let is_xacro = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xacro"));
    let text = if is_xacro { xacro::expand(path)? } else { crate::xml::read_text(path)? };
    read(path, &text, options)
}

/// Reads a robot from text; mesh files are looked for from the place of `path`.
///
/// ```
/// use std::path::Path;
/// use superegg_robot::urdf::{ReadOptions, read};
/// let text = r#"<robot name="arm">
///   <link name="base"/> <link name="tip"/>
///   <joint name="elbow" type="revolute">
///     <parent link="base"/> <child link="tip"/> <axis xyz="0 0 2"/>
///     <limit lower="-1" upper="1" effort="5" velocity="2"/>
///   </joint>
///   <sensor name="camera"/>
/// </robot>"#;
/// let loaded = read(Path::new("arm.urdf"), text, &ReadOptions::default())?;
/// assert_eq!(loaded.robot.freedoms(), 1);
/// let said: Vec<String> = loaded.diagnostics.iter().map(|d| d.to_string()).collect();
/// assert_eq!(said[0], "line 4: repaired: <axis> has length 2; read as 0 0 1");
/// assert_eq!(said[1], "line 7: ignored: <sensor> kept, not used");
/// # Ok::<(), superegg_robot::RobotError>(())
/// ```
pub fn read(path: &Path, text: &str, options: &ReadOptions) -> Result<Loaded, RobotError> {
    let (robot, mut diagnostics) = read::robot(path, text, options)?;
    diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    match diagnostics.first() {
        Some(first) if options.strict => {
            Err(RobotError::Strict { path: path.into(), count: diagnostics.len(), first: first.clone() })
        }
        _ => Ok(Loaded { robot, diagnostics }),
    }
}
