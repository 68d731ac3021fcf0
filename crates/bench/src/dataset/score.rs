//! Judges answers to a data set: what failed, how far off distances, points and normals are, and how long they took.
//!
//! A distance inside the certified bounds is not off at all; outside, it is off by how far outside it is. Points count where they
//! are unique, by the larger of both distances from the true ones; normals where they are unique, by their angle. The true
//! points and normals are exact to about the square root of the truth's tolerance, 1e-6.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::{Value, json};

use super::export::{UNIQUE_NORMAL, UNIQUE_POINTS, open_pairs, path_of};
use super::{Class, Container, DatasetError};
use crate::{Progress, Table};

/// How well a class was answered.
#[derive(Clone, Debug)]
pub struct ClassScore {
    /// Which.
    pub class: Class,
    /// Pairs in the data set.
    pub pairs: u64,
    /// Pairs without an answer: a row that is missing, or a distance that is not a number.
    pub missing: u64,
    /// Answers on the wrong side: apart where an overlap is proved, or the other way round.
    pub wrong_side: u64,
    /// How far distances are off, in metres, in ascending order.
    pub distance: Vec<f64>,
    /// How far points are off, in metres.
    pub points: Vec<f64>,
    /// How far normals are off, in radians.
    pub normal: Vec<f64>,
    /// How long the answers took, in seconds.
    pub seconds: Vec<f64>,
}

/// An answer to a pair; what was not given is not a number.
#[derive(Clone, Copy)]
struct Answer {
    distance: f64,
    point_a: DVec3,
    point_b: DVec3,
    normal: DVec3,
    seconds: f64,
}

const NO_ANSWER: Answer =
    Answer { distance: f64::NAN, point_a: DVec3::NAN, point_b: DVec3::NAN, normal: DVec3::NAN, seconds: f64::NAN };

/// The names of the columns of answers, in CSV one number each.
const CSV_COLUMNS: [&str; 11] = [
    "distance",
    "point_a_x",
    "point_a_y",
    "point_a_z",
    "point_b_x",
    "point_b_y",
    "point_b_z",
    "normal_x",
    "normal_y",
    "normal_z",
    "seconds",
];

/// Answers in either form, one after the other.
enum Answers {
    Binary { rows: Container, row: Vec<f64>, left: u64 },
    Csv { lines: std::io::Lines<BufReader<File>>, columns: Vec<Option<usize>>, path: PathBuf, line: u64 },
}

impl Answers {
    fn open(folder: &Path, class: Class) -> Result<Option<Answers>, DatasetError> {
        let (binary, csv) = (path_of(folder, class), folder.join(format!("{class}.csv")));
        if binary.exists() {
            let rows = Container::open(&binary)?;
            if rows.columns.field("distance").is_none() {
                return Err(DatasetError::content(binary, "has no field distance"));
            }
            let left = rows.rows;
            return Ok(Some(Answers::Binary { rows, row: Vec::new(), left }));
        }
        if !csv.exists() {
            return Ok(None);
        }
        let mut lines = BufReader::new(File::open(&csv).map_err(DatasetError::file(&csv))?).lines();
        let head = lines.next().transpose().map_err(DatasetError::file(&csv))?.unwrap_or_default();
        let columns: Vec<Option<usize>> =
            head.split(',').map(|name| CSV_COLUMNS.iter().position(|known| *known == name.trim())).collect();
        if !columns.contains(&Some(0)) {
            let reason = format!("line 1 names no column distance; known are {}", CSV_COLUMNS.join(", "));
            return Err(DatasetError::content(csv, reason));
        }
        Ok(Some(Answers::Csv { lines, columns, path: csv, line: 1 }))
    }

    /// The next answer; none after the last.
    fn next(&mut self) -> Result<Option<Answer>, DatasetError> {
        match self {
            Answers::Binary { left: 0, .. } => Ok(None),
            Answers::Binary { rows, row, left } => {
                *left -= 1;
                rows.next_row(row)?;
                let of = |name: &str, index: usize| {
                    let field = rows.columns.field(name).filter(|field| index < field.count);
                    field.map_or(f64::NAN, |field| row[field.offset + index])
                };
                let vector = |name: &str| DVec3::new(of(name, 0), of(name, 1), of(name, 2));
                Ok(Some(Answer {
                    distance: of("distance", 0),
                    point_a: vector("point_a"),
                    point_b: vector("point_b"),
                    normal: vector("normal"),
                    seconds: of("seconds", 0),
                }))
            }
            Answers::Csv { lines, columns, path, line } => {
                let Some(text) = lines.next().transpose().map_err(DatasetError::file(&*path))? else { return Ok(None) };
                *line += 1;
                let mut n = [f64::NAN; CSV_COLUMNS.len()];
                for (cell, column) in text.split(',').zip(columns.iter()) {
                    let (Some(column), cell) = (column, cell.trim()) else { continue };
                    if !cell.is_empty() {
                        let wrong = || DatasetError::content(&*path, format!("line {line}: {cell} is no number"));
                        n[*column] = cell.parse().map_err(|_| wrong())?;
                    }
                }
                let vector = |at: usize| DVec3::new(n[at], n[at + 1], n[at + 2]);
                Ok(Some(Answer {
                    distance: n[0],
                    point_a: vector(1),
                    point_b: vector(4),
                    normal: vector(7),
                    seconds: n[10],
                }))
            }
        }
    }
}

/// Scores of the classes that were answered.
pub fn score(data: &Path, answers: &Path, progress: &dyn Progress) -> Result<Vec<ClassScore>, DatasetError> {
    let mut scores = Vec::new();
    for class in Class::all().into_iter().filter(|class| path_of(data, *class).exists()) {
        let Some(given) = Answers::open(answers, class)? else { continue };
        let truth = open_pairs(data, class)?;
        progress.begin(&class.to_string(), truth.rows);
        scores.push(score_class(class, truth, given, progress)?);
    }
    if scores.is_empty() {
        let reason = "holds no answers: files are named by class, such as hulls_near.csv or hulls_near.bin";
        return Err(DatasetError::content(answers, reason));
    }
    Ok(scores)
}

fn score_class(
    class: Class,
    mut truth: Container,
    mut answers: Answers,
    progress: &dyn Progress,
) -> Result<ClassScore, DatasetError> {
    let place = |name: &str| truth.columns.field(name).map_or(0, |field| field.offset);
    let (bounds, points, normal, flags) = (place("lower"), place("point_a"), place("normal"), place("flags"));
    let mut score = ClassScore {
        class,
        pairs: truth.rows,
        missing: 0,
        wrong_side: 0,
        distance: Vec::new(),
        points: Vec::new(),
        normal: Vec::new(),
        seconds: Vec::new(),
    };
    let mut row = Vec::new();
    for _ in 0..truth.rows {
        truth.next_row(&mut row)?;
        let answer = answers.next()?.unwrap_or(NO_ANSWER);
        progress.advance(1);
        if !answer.distance.is_finite() {
            score.missing += 1;
            continue;
        }
        let (lower, upper) = (row[bounds], row[bounds + 1]);
        let wrong = (lower > 0.0 && answer.distance <= 0.0) || (upper < 0.0 && answer.distance >= 0.0);
        score.wrong_side += u64::from(wrong);
        score.distance.push((lower - answer.distance).max(answer.distance - upper).max(0.0));
        let unique = row[flags] as u32;
        let vector = |at: usize| DVec3::from_slice(&row[at..]);
        if unique & UNIQUE_POINTS != 0 && answer.point_a.is_finite() && answer.point_b.is_finite() {
            let off = answer.point_a.distance(vector(points)).max(answer.point_b.distance(vector(points + 3)));
            score.points.push(off);
        }
        if unique & UNIQUE_NORMAL != 0 && answer.normal.is_finite() {
            let (one, two) = (answer.normal.normalize_or_zero(), vector(normal));
            score.normal.push(one.cross(two).length().atan2(one.dot(two)));
        }
        if answer.seconds.is_finite() {
            score.seconds.push(answer.seconds);
        }
    }
    for list in [&mut score.distance, &mut score.points, &mut score.normal, &mut score.seconds] {
        list.sort_unstable_by(f64::total_cmp);
    }
    Ok(score)
}

/// The value that a part of an ascending list is not above; `None` of an empty one.
fn percentile(sorted: &[f64], part: f64) -> Option<f64> {
    let index = ((sorted.len() as f64 * part).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(index).copied()
}

fn mean(list: &[f64]) -> Option<f64> {
    (!list.is_empty()).then(|| list.iter().sum::<f64>() / list.len() as f64)
}

/// One row a class.
pub fn table(scores: &[ClassScore]) -> Table {
    let mut table = Table::new(&[
        "class",
        "pairs",
        "missing",
        "wrong side",
        "distance off p50",
        "p99",
        "max",
        "points p50",
        "p99",
        "normal p50",
        "p99",
        "µs mean",
        "p99",
    ]);
    let off = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1e}"));
    let micro = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{:.2}", 1e6 * value));
    for score in scores {
        table.push([
            score.class.to_string(),
            score.pairs.to_string(),
            score.missing.to_string(),
            score.wrong_side.to_string(),
            off(percentile(&score.distance, 0.5)),
            off(percentile(&score.distance, 0.99)),
            off(percentile(&score.distance, 1.0)),
            off(percentile(&score.points, 0.5)),
            off(percentile(&score.points, 0.99)),
            off(percentile(&score.normal, 0.5)),
            off(percentile(&score.normal, 0.99)),
            micro(mean(&score.seconds)),
            micro(percentile(&score.seconds, 0.99)),
        ]);
    }
    table
}

/// All figures as data.
pub fn to_json(scores: &[ClassScore]) -> Value {
    let list = |values: &[f64]| {
        json!({
            "count": values.len(), "mean": mean(values), "p50": percentile(values, 0.5), "p90": percentile(values, 0.9),
            "p99": percentile(values, 0.99), "max": percentile(values, 1.0),
        })
    };
    let one = |score: &ClassScore| {
        json!({
            "class": score.class.to_string(), "pairs": score.pairs, "missing": score.missing,
            "wrong_side": score.wrong_side, "distance": list(&score.distance), "points": list(&score.points),
            "normal": list(&score.normal), "seconds": list(&score.seconds),
        })
    };
    json!({"version": 1, "classes": scores.iter().map(one).collect::<Vec<_>>()})
}
