//! Scene files: TOML, for everything that a scene can have. The format is told in `docs/scenes.md`.
//!
//! What is written is read back to the same bits. Refusals name the line of the key that they are about, wherever and however it is
//! written, by the positions that the parser tells.

mod read;
mod tables;
mod write;

use std::path::Path;

use superegg_sim::measure;
use thiserror::Error;
use toml::de::{DeTable, DeValue};

use crate::Description;
use read::Refusal;
use tables::File;

/// Why a scene file could not be read or written.
#[derive(Debug, Error)]
pub enum SceneError {
    /// The operating system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no TOML, or a key is unknown, missing or of the wrong type.
    #[error("{path}: {message}")]
    Syntax {
        /// The file.
        path: String,
        /// Line, column and key.
        message: String,
    },
    /// A value is out of its domain.
    #[error("{path}: line {line}: {message}")]
    Value {
        /// The file.
        path: String,
        /// Where the key is, counted from 1.
        line: usize,
        /// Key, value and what is allowed.
        message: String,
    },
    /// A description that no file can hold.
    #[error("the scene cannot be written: {0}")]
    Write(String),
}

/// The largest scene file, in bytes.
const LARGEST_FILE: u64 = 256 << 20;

/// Reads a scene file. Mesh files are looked for beside it.
pub fn read(path: &Path) -> Result<Description, SceneError> {
    let name = path.display().to_string();
    let io = |source| SceneError::Io { path: name.clone(), source };
    let size = std::fs::metadata(path).map_err(io)?.len();
    if size > LARGEST_FILE {
        let source = std::io::Error::other(format!("{size} bytes are more than a scene needs"));
        return Err(SceneError::Io { path: name, source });
    }
    let text = std::fs::read_to_string(path).map_err(io)?;
    let mut description = parse(&text, &name, path.parent().unwrap_or(Path::new(".")))?;
    if description.name == Description::default().name {
        description.name = path.file_stem().map_or(description.name, |stem| stem.to_string_lossy().into_owned());
    }
    Ok(description)
}

/// Reads a file's text; `path` names it in messages, meshes are looked for in `folder`. What it describes can be built.
///
/// ```
/// let text = r#"
///     seconds = 1.0
///     [[body]]
///     type = "superellipsoid"
///     radii = [1, 1, 0.5]
///     exponents = [0.5, 0.5]
///     [[cloth]]
///     vertices = [20, 20]
///     size = [3, 3]
///     corner = [-1.5, -1.5, 1.0]
/// "#;
/// let parse = |text: &str| superegg_scene::file::parse(text, "table.toml", ".".as_ref());
/// assert_eq!(parse(text)?.build()?.world.particles().len(), 400);
/// let broken = parse(&text.replace("[0.5, 0.5]", "[0.5, 2.5]")).unwrap_err();
/// assert_eq!(broken.to_string(), "table.toml: line 6: exponents[1]: 2.5 is outside ]0, 2[");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse(text: &str, path: &str, folder: &Path) -> Result<Description, SceneError> {
    let file: File = toml::from_str(text).map_err(|error| SceneError::Syntax {
        path: path.to_owned(),
        message: error.to_string().trim_end().to_owned(),
    })?;
    let blame = |refusal: Refusal| SceneError::Value {
        path: path.to_owned(),
        line: line_of(text, &refusal),
        message: refusal.message,
    };
    let description = read::description(&file, folder).map_err(blame)?;
    let built = description.build_or_blame().map_err(|(kind, index, error)| blame(Refusal::sim(kind, index, error)))?;
    // Sides of meshes are kept, not judged: cloth that passes through one at first stays there.
    for (index, cloth) in description.cloths.iter().enumerate() {
        let alone =
            Description { cloths: vec![cloth.clone()], joints: Vec::new(), hands: Vec::new(), ..description.clone() };
        let through = |scene: crate::Scene| measure::mesh_intersections(&scene.world);
        let found = if description.cloths.len() == 1 {
            measure::mesh_intersections(&built.world)
        } else {
            alone.build().and_then(through)
        };
        if found.is_ok_and(|count| count > 0) {
            let message = "the cloth passes through a mesh where it begins".to_owned();
            return Err(blame(Refusal { kind: "cloth", index, key: "corner".to_owned(), message }));
        }
    }
    Ok(description)
}

/// Writes a description as the text of a scene file.
pub fn write(description: &Description) -> Result<String, SceneError> {
    toml::to_string(&write::file(description)).map_err(|error| SceneError::Write(error.to_string()))
}

/// The line of the key that a refusal is about, or of the table that it should be in.
fn line_of(text: &str, refusal: &Refusal) -> usize {
    let line = |start: usize| 1 + text[..start.min(text.len())].matches('\n').count();
    let Ok(whole) = DeTable::parse(text) else { return 1 };
    let named = |table: &DeTable, key: &str| {
        table.iter().find(|(known, _)| known.get_ref() == key).map(|(known, _)| known.span().start)
    };
    let root = whole.get_ref();
    if refusal.kind.is_empty() {
        return named(root, &refusal.key).map_or(1, line);
    }
    let Some((kind, list)) = root.iter().find(|(known, _)| known.get_ref() == refusal.kind) else { return 1 };
    let table = match list.get_ref() {
        DeValue::Array(tables) => tables.get(refusal.index),
        DeValue::Table(_) => Some(list),
        _ => None,
    };
    match table.map(|table| (table.span().start, table.get_ref())) {
        Some((start, DeValue::Table(table))) => line(named(table, &refusal.key).unwrap_or(start)),
        _ => line(kind.span().start),
    }
}
