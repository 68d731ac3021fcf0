//! What the actions have in common when they answer: files, tables, numbers.

use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};
use superegg::Pose;
use superegg::shape::{Core, Primitive, Shape};
use superegg_picture::Picture;
use superegg_robot::Diagnostic;
use superegg_robot::collide::Other;
use superegg_robot::contact_geometry::ContactPart;
use superegg_robot::model::Robot;

use crate::error::CliError;

/// Width and height of pictures.
pub const SIZE: [usize; 2] = [1200, 800];

/// Prints an answer.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(CliError::stdout)
}

/// Prints JSON on one line.
pub fn print_json(value: &Value) -> Result<(), CliError> {
    print(&format!("{value}\n"))
}

/// The ending of a file's name, in lower case.
pub fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Refuses output files of another kind, before any work is done.
pub fn allow_endings(paths: &[impl AsRef<Path>], endings: &[&str]) -> Result<(), CliError> {
    for path in paths.iter().map(AsRef::as_ref) {
        if !endings.contains(&extension(path).as_str()) {
            let allowed = endings.join(" or .");
            return Err(CliError::Usage(format!("--output: {} does not end in .{allowed}", path.display())));
        }
    }
    Ok(())
}

/// Writes a picture.
pub fn write_picture(picture: &Picture, path: &Path) -> Result<(), CliError> {
    let failed = |source| CliError::Write { name: path.display().to_string(), source };
    let file = std::fs::File::create(path).map_err(failed)?;
    picture.write_png(BufWriter::new(file)).map_err(failed)
}

/// Writes text to a file.
pub fn write_text(text: &str, path: &Path) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|source| CliError::Write { name: path.display().to_string(), source })
}

/// Diagnostics as JSON.
pub fn diagnostics(list: &[Diagnostic]) -> Value {
    let one = |d: &Diagnostic| {
        let mut said =
            json!({"line": d.at.line, "element": d.element, "severity": d.severity.name(), "message": d.message});
        if let Some(file) = &d.at.file {
            said["file"] = file.display().to_string().into();
        }
        said
    };
    Value::Array(list.iter().map(one).collect())
}

/// A part as JSON, as `superegg query` reads it.
pub fn part(part: &ContactPart) -> Value {
    let mut value = match &part.shape {
        Shape::Superellipsoid(shape) => {
            json!({"type": "superellipsoid", "radii": shape.radii(), "exponents": shape.exponents()})
        }
        Shape::Superovoid(shape) => {
            json!({"type": "superovoid", "radii": shape.radii(), "exponents": shape.exponents(), "taper": shape.taper()})
        }
        Shape::Primitive(shape) => primitive(shape),
        Shape::Hull(shape) => {
            let points: Vec<[f64; 3]> = shape.vertices().iter().map(|vertex| vertex.to_array()).collect();
            json!({"type": "hull", "points": points, "rounding": shape.rounding()})
        }
        other => json!({"type": other.name()}),
    };
    value["position"] = json!(part.pose.translation.to_array());
    value["orientation"] = json!(part.pose.rotation.to_array());
    value
}

fn primitive(shape: &Primitive) -> Value {
    let mut value = json!({"type": shape.name()});
    let radius = if shape.name() == "sphere" || shape.name() == "capsule" { "radius" } else { "rounding" };
    if shape.rounding() > 0.0 {
        value[radius] = json!(shape.rounding());
    }
    match shape.core() {
        Core::Segment { half_height: 0.0 } => {}
        Core::Segment { half_height } => value["half_height"] = json!(half_height),
        Core::Cuboid { half_extents } => value["half_extents"] = json!(half_extents),
        Core::Frustum { radii, half_height } => {
            if shape.name() == "frustum" {
                value["end_radii"] = json!(radii);
            } else {
                value["radius"] = json!(radii[0]);
            }
            value["half_height"] = json!(half_height);
        }
    }
    value
}

/// A pose as JSON.
pub fn pose(pose: &Pose) -> Value {
    json!({"position": pose.translation.to_array(), "orientation": pose.rotation.to_array()})
}

/// What a link is compared with, by its name.
pub fn other(robot: &Robot, other: Other) -> String {
    match other {
        Other::Link(link) => robot.links[link].name.clone(),
        Other::Obstacle(number) => format!("obstacle {number}"),
    }
}

/// Columns of text, aligned.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("  {}\n", padded.join("  ").trim_end())
    };
    let mut text = line(&mut head.iter().copied());
    for row in rows {
        text += &line(&mut row.iter().map(String::as_str));
    }
    text
}

/// Metres as millimetres.
pub fn millimetres(metres: f64) -> String {
    format!("{:.2}", 1e3 * metres)
}
