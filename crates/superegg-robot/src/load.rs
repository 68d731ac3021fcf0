//! Robots from files of any format that is read: URDF, MJCF and SDFormat are told apart by their first element.

use std::path::Path;

use roxmltree::Document;

use crate::assembled::includes;
use crate::error::{Diagnostic, RobotError};
use crate::forgive::forgive;
use crate::loaded::{Loaded, ReadOptions};
use crate::xml::{Source, parse};
use crate::{mjcf, sdformat, urdf};

/// Reads a robot from a file: URDF, xacro through the installed program, MJCF or SDFormat.
pub fn read_file(path: &Path, options: &ReadOptions) -> Result<Loaded, RobotError> {
    read(path, &urdf::text(path)?, options)
}

/// Reads a robot from text; mesh files are looked for from the place of `path`.
pub fn read(path: &Path, text: &str, options: &ReadOptions) -> Result<Loaded, RobotError> {
    let (text, mut repairs) = forgive(text);
    let document = parse(path, &text)?;
    let root = document.root_element();
    let whole = match root.tag_name().name() {
        "mujoco" if includes(root) => mjcf::assemble(path, &text)?,
        "sdf" if includes(root) => sdformat::assemble(path, &text, options)?,
        _ => return read_whole(Source::new(path, &text, &[]), &document, repairs, options),
    };
    repairs.extend(whole.repairs);
    read_whole(Source::new(path, &whole.text, &whole.pieces), &parse(path, &whole.text)?, repairs, options)
}

fn read_whole(
    mut source: Source,
    document: &Document,
    repairs: Vec<Diagnostic>,
    options: &ReadOptions,
) -> Result<Loaded, RobotError> {
    source.diagnostics = repairs;
    let root = document.root_element();
    let robot = match root.tag_name().name() {
        "mujoco" => mjcf::robot(&mut source, root, options)?,
        "sdf" => sdformat::robot(&mut source, root, options)?,
        _ => urdf::robot(&mut source, root, options)?,
    };
    Loaded::new(source.path, robot, source.diagnostics, options)
}
