//! Robots from files of any format that is read: URDF, MJCF and SDFormat are told apart by their first element.

use std::path::Path;

use crate::error::RobotError;
use crate::loaded::{Loaded, ReadOptions};
use crate::xml::{Source, parse};
use crate::{mjcf, sdformat, urdf};

/// Reads a robot from a file: URDF, xacro through the installed program, MJCF or SDFormat.
pub fn read_file(path: &Path, options: &ReadOptions) -> Result<Loaded, RobotError> {
    read(path, &urdf::text(path)?, options)
}

/// Reads a robot from text; mesh files are looked for from the place of `path`.
pub fn read(path: &Path, text: &str, options: &ReadOptions) -> Result<Loaded, RobotError> {
    let document = parse(path, text)?;
    let mut source = Source::new(path, text);
    let root = document.root_element();
    let robot = match root.tag_name().name() {
        "mujoco" => mjcf::robot(&mut source, root, options)?,
        "sdf" => sdformat::robot(&mut source, root, options)?,
        _ => urdf::robot(&mut source, root, options)?,
    };
    Loaded::new(path, robot, source.diagnostics, options)
}
