//! Answers to a data set by Superegg and by parry, each pair timed on its own: the least of three tries.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use glam::DVec3;
use parry3d_f64::query::details::contact_support_map_support_map;
use superegg::Pose;
use superegg::query::{Options, distance};
use testkit::Pair;

use super::export::{open_pairs, pair_of, path_of};
use super::{Class, Columns, DatasetError};
use crate::Progress;
use crate::peers::{ParryEgg, parry_pose};

/// Tries of each pair.
const TRIES: u32 = 3;

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// This library, with its default options.
    Superegg,
    /// parry's contact of two support maps (GJK and EPA).
    Parry,
}

/// Distance, points and normal of a pair.
type Found = (f64, DVec3, DVec3, DVec3);

/// The columns of answers.
pub(super) fn columns() -> Columns {
    Columns::new(&[("distance", 1), ("point_a", 3), ("point_b", 3), ("normal", 3), ("seconds", 1)])
}

/// Answers all classes of a data set and writes a file for each.
pub fn answer(data: &Path, out: &Path, by: By, progress: &dyn Progress) -> Result<(), DatasetError> {
    fs::create_dir_all(out).map_err(DatasetError::file(out))?;
    for class in Class::all().into_iter().filter(|class| path_of(data, *class).exists()) {
        let mut pairs = open_pairs(data, class)?;
        progress.begin(&class.to_string(), pairs.rows);
        let path = path_of(out, class);
        let mut to = BufWriter::new(File::create(&path).map_err(DatasetError::file(&path))?);
        to.write_all(&columns().header(&class.to_string(), pairs.rows)).map_err(DatasetError::file(&path))?;
        let mut row = Vec::new();
        for index in 0..pairs.rows {
            pairs.next_row(&mut row)?;
            let broken = || DatasetError::content(path_of(data, class), format!("row {index} holds no bodies"));
            let pair = pair_of(class, &pairs.columns, &row).ok_or_else(broken)?;
            let numbers = match by {
                By::Superegg => timed(|| superegg(&pair)),
                By::Parry => {
                    let bodies = (ParryEgg(pair.a.clone()), ParryEgg(pair.b.clone()));
                    timed(|| parry(&bodies.0, &bodies.1, &pair))
                }
            };
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            to.write_all(&bytes).map_err(DatasetError::file(&path))?;
            progress.advance(1);
        }
        to.flush().map_err(DatasetError::file(&path))?;
    }
    Ok(())
}

fn timed(ask: impl Fn() -> Option<Found>) -> Vec<f64> {
    let mut least = f64::INFINITY;
    let mut found = None;
    for _ in 0..TRIES {
        let start = Instant::now();
        found = std::hint::black_box(ask());
        least = least.min(start.elapsed().as_secs_f64());
    }
    let (distance, a, b, normal) = found.unwrap_or((f64::NAN, DVec3::NAN, DVec3::NAN, DVec3::NAN));
    let vectors = [a, b, normal].map(|vector| vector.to_array()).concat();
    [distance].into_iter().chain(vectors).chain([least]).collect()
}

fn superegg(pair: &Pair) -> Option<Found> {
    let found = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).ok()?;
    Some((found.distance, found.point_a, found.point_b, found.normal))
}

fn parry(a: &ParryEgg, b: &ParryEgg, pair: &Pair) -> Option<Found> {
    let relative = Pose {
        rotation: pair.pose_a.rotation.conjugate() * pair.pose_b.rotation,
        translation: pair.pose_a.inverse_transform_point(pair.pose_b.translation),
    };
    // So far that every pair of the data set is within it.
    let found = contact_support_map_support_map(&parry_pose(&relative), a, b, 1e3)?;
    let vector = |v: parry3d_f64::math::Vector| DVec3::new(v.x, v.y, v.z);
    let point_a = pair.pose_a.transform_point(vector(found.point1));
    let point_b = pair.pose_b.transform_point(vector(found.point2));
    Some((found.dist, point_a, point_b, pair.pose_a.transform_vector(vector(found.normal1))))
}
