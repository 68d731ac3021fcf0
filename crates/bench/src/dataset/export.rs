//! Draws pairs and writes them with their certified truth, in the binary form and the first of them as JSON lines.
//!
//! Pairs are drawn in chunks that have a random stream each, so that the same seed gives the same bytes on any number of threads,
//! and fewer pairs are the first of more.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use serde_json::{Value, json};
use superegg::Pose;
use superegg::query::{Options, Outcome, Status, distance};
use testkit::Pair;
use testkit::generate::seeded;

use super::class::{read_shape, write_shape};
use super::{Class, Columns, Container, DatasetError};
use crate::Progress;

/// The file that lists all others.
pub const MANIFEST: &str = "manifest.json";
/// Pairs with one random stream, and chunks that are worked on before they are written.
const CHUNK: u64 = 1024;
const CHUNKS_AT_ONCE: u64 = 64;
/// How exactly the truth is asked for, as a part of the size, and the evaluations that may cost.
const TRUTH: Options = Options { tolerance: 1e-12, max_iterations: 2000, warm_start: None };

/// What to write.
#[derive(Clone, Debug)]
pub struct Export {
    /// The folder, made where it is missing.
    pub folder: PathBuf,
    /// Pairs of each class.
    pub pairs: u64,
    /// Which classes.
    pub classes: Vec<Class>,
    /// What they are drawn from.
    pub seed: u64,
    /// How many of each class are written as JSON lines, too.
    pub as_json: u64,
}

/// The columns of a class.
pub(super) fn columns(class: Class) -> Columns {
    let [of_a, of_b] = class.kind.parameters();
    Columns::new(&[
        of_a,
        ("a_position", 3),
        ("a_orientation", 4),
        of_b,
        ("b_position", 3),
        ("b_orientation", 4),
        ("distance", 1),
        ("lower", 1),
        ("upper", 1),
        ("point_a", 3),
        ("point_b", 3),
        ("normal", 3),
        ("flags", 1),
    ])
}

/// Flags of a truth.
pub(super) const UNIQUE_POINTS: u32 = 1;
pub(super) const UNIQUE_NORMAL: u32 = 2;
const CONVERGED: u32 = 4;

/// Writes a data set.
pub fn export(wanted: &Export, progress: &dyn Progress) -> Result<(), DatasetError> {
    fs::create_dir_all(&wanted.folder).map_err(DatasetError::file(&wanted.folder))?;
    let mut files = Vec::new();
    for class in &wanted.classes {
        progress.begin(&class.to_string(), wanted.pairs);
        files.push(export_class(wanted, *class, progress)?);
    }
    let manifest = json!({
        "format": "superegg pairs", "version": 1, "seed": wanted.seed, "pairs": wanted.pairs, "tolerance": TRUTH.tolerance,
        "files": files,
    });
    let path = wanted.folder.join(MANIFEST);
    let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
    fs::write(&path, text).map_err(DatasetError::file(path))
}

fn export_class(wanted: &Export, class: Class, progress: &dyn Progress) -> Result<Value, DatasetError> {
    let columns = columns(class);
    let (binary, lines) = (path_of(&wanted.folder, class), wanted.folder.join(format!("{class}.jsonl")));
    let create = |path: &Path| Ok(BufWriter::new(File::create(path).map_err(DatasetError::file(path))?));
    let (mut to, mut to_lines) = (create(&binary)?, create(&lines)?);
    to.write_all(&columns.header(&class.to_string(), wanted.pairs)).map_err(DatasetError::file(&binary))?;
    let stream = Class::all().iter().position(|other| *other == class).unwrap_or(0) as u64;
    let (mut begin, mut open, mut widest) = (0, 0u64, 0.0f64);
    while begin < wanted.pairs {
        let end = wanted.pairs.min(begin + CHUNK * CHUNKS_AT_ONCE);
        let chunk_of = |start: u64| -> Vec<(Pair, Outcome)> {
            let seed = wanted.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (stream << 48) ^ (start / CHUNK);
            let mut rng = seeded(seed);
            (start..end.min(start + CHUNK)).map(|_| certified(class, &mut rng)).collect()
        };
        let starts: Vec<u64> = (begin..end).step_by(CHUNK as usize).collect();
        let chunks: Vec<_> = starts.into_par_iter().map(chunk_of).collect();
        for (index, (pair, truth)) in (begin..).zip(chunks.into_iter().flatten()) {
            let row = row_of(&pair, &truth);
            let bytes: Vec<u8> = row.iter().flat_map(|number| number.to_le_bytes()).collect();
            to.write_all(&bytes).map_err(DatasetError::file(&binary))?;
            open += u64::from(truth.status == Status::NotConverged);
            widest = truth.bounds.map_or(f64::INFINITY, |bounds| widest.max(bounds.upper - bounds.lower));
            if index < wanted.as_json {
                writeln!(to_lines, "{}", line_of(&pair, &truth)).map_err(DatasetError::file(&lines))?;
            }
        }
        progress.advance(end - begin);
        begin = end;
    }
    to.flush().map_err(DatasetError::file(&binary))?;
    to_lines.flush().map_err(DatasetError::file(&lines))?;
    let fields: Vec<Value> =
        columns.fields().iter().map(|f| json!({"name": f.name, "offset": f.offset, "count": f.count})).collect();
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(json!({
        "class": class.to_string(), "binary": name(&binary), "json": name(&lines), "fields": fields,
        "not_converged": open, "widest_bounds": widest,
    }))
}

/// The binary file of a class.
pub(super) fn path_of(folder: &Path, class: Class) -> PathBuf {
    folder.join(format!("{class}.bin"))
}

/// Opens the pairs of a class, whose rows have to be those that are written here.
pub(super) fn open_pairs(folder: &Path, class: Class) -> Result<Container, DatasetError> {
    let path = path_of(folder, class);
    let pairs = Container::open(&path)?;
    if pairs.columns != columns(class) {
        return Err(DatasetError::content(path, format!("its fields are not those of {class}")));
    }
    Ok(pairs)
}

/// A pair whose answer is certified.
fn certified(class: Class, rng: &mut testkit::generate::Rng) -> (Pair, Outcome) {
    loop {
        let pair = class.draw(rng);
        let truth = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &TRUTH);
        if let Ok(truth) = truth
            && truth.bounds.is_some()
        {
            return (pair, truth);
        }
    }
}

fn row_of(pair: &Pair, truth: &Outcome) -> Vec<f64> {
    let mut row = Vec::new();
    for (shape, pose) in [(&pair.a, &pair.pose_a), (&pair.b, &pair.pose_b)] {
        write_shape(shape, &mut row);
        row.extend(pose.translation.to_array());
        row.extend(pose.rotation.to_array());
    }
    let bounds = truth.bounds.map_or([f64::NEG_INFINITY, f64::INFINITY], |bounds| [bounds.lower, bounds.upper]);
    row.push(truth.distance);
    row.extend(bounds);
    for vector in [truth.point_a, truth.point_b, truth.normal] {
        row.extend(vector.to_array());
    }
    row.push(f64::from(flags(truth)));
    row
}

fn flags(truth: &Outcome) -> u32 {
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    flag(truth.unique_points, UNIQUE_POINTS)
        | flag(truth.unique_normal, UNIQUE_NORMAL)
        | flag(truth.status != Status::NotConverged, CONVERGED)
}

/// A line that `superegg query` reads, with the truth beside it.
fn line_of(pair: &Pair, truth: &Outcome) -> Value {
    let mut line: Value = serde_json::from_str(&pair.to_json()).unwrap_or_default();
    line["truth"] = json!({
        "distance": truth.distance,
        "lower": truth.bounds.map(|bounds| bounds.lower),
        "upper": truth.bounds.map(|bounds| bounds.upper),
        "point_a": truth.point_a.to_array(),
        "point_b": truth.point_b.to_array(),
        "normal": truth.normal.to_array(),
        "flags": flags(truth),
    });
    line
}

/// The pair of a row; `None` where its numbers are no bodies.
pub(super) fn pair_of(class: Class, columns: &Columns, row: &[f64]) -> Option<Pair> {
    let [(name_a, _), (name_b, _)] = class.kind.parameters();
    let numbers = |name: &str| columns.field(name).map(|field| &row[field.offset..field.offset + field.count]);
    let pose = |position: &str, orientation: &str| {
        let (position, orientation) = (numbers(position)?, numbers(orientation)?);
        Pose::new(DQuat::from_slice(orientation), DVec3::from_slice(position)).ok()
    };
    Some(Pair {
        a: read_shape(class.kind, true, numbers(name_a)?)?,
        pose_a: pose("a_position", "a_orientation")?,
        b: read_shape(class.kind, false, numbers(name_b)?)?,
        pose_b: pose("b_position", "b_orientation")?,
    })
}
