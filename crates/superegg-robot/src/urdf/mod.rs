//! URDF, the Unified Robot Description Format, in and out.
//!
//! Nothing is dropped silently: whatever is ignored, repaired or missing is a [`Diagnostic`](crate::Diagnostic) with its line, and elements of other
//! tools are kept as they are and written back.

mod read;
mod surface;
mod write;
mod xacro;

use std::path::Path;

use roxmltree::Node;

use crate::error::RobotError;
use crate::forgive::forgive;
use crate::model::Robot;
use crate::xml::{Source, parse};

pub use crate::loaded::{Loaded, ReadOptions};
pub use write::{WriteOptions, compat_meshes, write, write_file};
pub(crate) use write::{tessellated, words};

/// Reads a `.urdf` file, or a `.xacro` file through the installed `xacro`.
pub fn read_file(path: &Path, options: &ReadOptions) -> Result<Loaded, RobotError> {
    read(path, &text(path)?, options)
}

/// The text of a file, after macros are expanded.
pub(crate) fn text(path: &Path) -> Result<String, RobotError> {
    let is_xacro = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xacro"));
    if is_xacro { xacro::expand(path) } else { crate::xml::read_text(path) }
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
    let (text, repairs) = forgive(text);
    let document = parse(path, &text)?;
    let mut source = Source::new(path, &text, &[]);
    source.diagnostics = repairs;
    let robot = robot(&mut source, document.root_element(), options)?;
    Loaded::new(path, robot, source.diagnostics, options)
}

/// Reads a robot from the root of its document.
pub(crate) fn robot(source: &mut Source, root: Node, options: &ReadOptions) -> Result<Robot, RobotError> {
    match root.tag_name().name() {
        "robot" => read::robot(source, root, options),
        "mujoco" => Err(source.refuse(root, "is an MJCF model, not URDF; `superegg_robot::read_file` reads both")),
        "sdf" => Err(source.refuse(root, "is an SDFormat model, not URDF; `superegg_robot::read_file` reads both")),
        "COLLADA" => Err(source.refuse(root, "is a COLLADA mesh; give the URDF file that uses it")),
        _ => Err(source.refuse(
            root,
            "is not a robot: URDF begins with <robot name=\"…\">, MJCF with <mujoco>, SDFormat with <sdf>",
        )),
    }
}
