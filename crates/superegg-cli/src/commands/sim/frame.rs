//! A scene at one moment: as a picture, as the objects of an OBJ file.

use std::io::{BufWriter, Write};
use std::path::Path;

use superegg::DVec3;
use superegg_io::obj::{Object, write_obj};
use superegg_scene::{Scene, drawing};

use super::usage;
use crate::error::CliError;

/// Draws the scene into a PNG file.
pub fn picture(scene: &Scene, size: [usize; 2], path: &Path) -> Result<(), CliError> {
    let name = path.display().to_string();
    let picture = drawing::picture(scene, size).map_err(usage)?;
    let file = std::fs::File::create(path).map_err(|source| CliError::Write { name: name.clone(), source })?;
    picture.write_png(BufWriter::new(file)).map_err(|source| CliError::Write { name, source })
}

/// Writes bodies, cloths and soft solids as an OBJ file.
pub fn write_frame(scene: &Scene, path: &Path) -> Result<(), CliError> {
    let drawn = drawing::drawn(scene).map_err(usage)?;
    let placed: Vec<Vec<DVec3>> = drawn.iter().map(|one| one.positions()).collect();
    let object = |(one, positions): (_, _)| {
        let one: &drawing::Drawn = one;
        let positions: &Vec<DVec3> = positions;
        Object { name: &one.name, positions, triangles: &one.mesh.triangles }
    };
    let objects: Vec<Object> = drawn.iter().zip(&placed).map(object).collect();
    let written = std::fs::File::create(path).and_then(|file| {
        let mut to = BufWriter::new(file);
        write_obj(&mut to, &objects)?;
        to.flush()
    });
    written.map_err(|source| CliError::Write { name: path.display().to_string(), source })
}
