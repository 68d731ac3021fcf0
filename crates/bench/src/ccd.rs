//! Continuous collision detection: the tables and the figure of the paper "ICCD", and a plain pipeline beside ours.
//!
//! For each of the paper's six kinds of scenes: the orphan set (table I), query time and speed-up over the base
//! version (table II), elementary tests a frame (table III), and what remains after each level of culling (figure 15).
//! Where the published frames of the UNC cloth-ball scene are at hand they are measured too. All
//! versions run in turn on one thread, by its processor time, and must find the same collisions.

mod elementary;
mod plain;
mod tables;

use std::path::PathBuf;
use std::time::Instant;

use cpu_time::ThreadTime;
use superegg_mesh::ccd::{Bounds, ContourTest, Culling, Detector, Options, Report, Search, start_positions};
use superegg_mesh::scene::{FRAMES, Scene};
use superegg_mesh::{DVec3, MeshError, TriangleMesh};
use thiserror::Error;

use crate::{Progress, Settings, report};

pub use elementary::{Elementary, measure_elementary};
pub use plain::{plain_edge_edge, plain_vertex_face};

/// Why a measurement stopped.
#[derive(Debug, Error)]
pub enum BenchError {
    /// A published frame could not be read.
    #[error(transparent)]
    Read(#[from] superegg_io::ReadError),
    /// A frame was refused.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Two versions disagree, which a benchmark must not hide.
    #[error("{scene}: {version} finds {found} collisions, the others {wanted}")]
    Disagree {
        /// The scene.
        scene: String,
        /// The version that differs.
        version: &'static str,
        /// Collisions that it found.
        found: usize,
        /// Collisions that the others found.
        wanted: usize,
    },
}

/// Means over the frames of a scene, for one version.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Version {
    /// Milliseconds of processor time a query, on one thread.
    pub query_ms: f64,
    /// The part of it that updates the hierarchy.
    pub update_part: f64,
    /// Pairs of triangles whose bounds overlap.
    pub triangle_pairs: f64,
    /// Elementary tests.
    pub elementary_tests: f64,
    /// Elementary tests that the cubic could not decide.
    pub refined_tests: f64,
    /// Contour tests.
    pub contour_tests: f64,
    /// Milliseconds of processor time to follow a change of topology, where there is one.
    pub change_ms: Option<f64>,
}

/// One scene, measured.
#[derive(Clone, Debug)]
pub struct Row {
    /// Name of the scene.
    pub scene: String,
    /// Number of triangles.
    pub triangles: usize,
    /// Pairs of triangles that share a vertex.
    pub adjacent_pairs: usize,
    /// Orphan pairs.
    pub orphans: usize,
    /// Queries measured.
    pub frames: usize,
    /// Collisions a query, on average.
    pub collisions: f64,
    /// The base version: refitted 18-DOPs and fifteen tests for each pair of triangles.
    pub base: Version,
    /// The base version with normal cones and contour tests.
    pub high_level: Version,
    /// The base version with orphan sets, representative triangles and feature bounds.
    pub low_level: Version,
    /// All culling.
    pub ours: Version,
    /// All culling, with one acceleration of the contour test switched off: boxes, projections, crossings.
    pub slower_contours: [Version; 3],
    /// All culling, for the first contact only.
    pub first: Version,
    /// A plain pipeline: boxes, each feature pair once, cubics in plain double precision. It may miss or invent
    /// collisions.
    pub plain: Version,
    /// Collisions a query that the plain pipeline finds.
    pub plain_collisions: f64,
    /// Bytes a triangle held by the detector with all culling.
    pub bytes_per_triangle: f64,
}

/// Measures everything; the published cloth-ball frames too where they are at hand.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<report::Report, BenchError> {
    // One thread: times are compared, not cores.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    let mut rows = Vec::new();
    let mut shared = None;
    if let Some(folder) = published_cloth_ball() {
        progress.begin("UNC cloth-ball", 1);
        let read = |name: &str| superegg_io::read_mesh(&folder.join(name));
        let frames = [read("cloth_ball92.ply")?, read("cloth_ball93.ply")?];
        rows.push(pool.install(|| measure_frames("UNC cloth-ball", &frames, settings))?);
        shared = Some(measure_threads(&frames)?);
        progress.advance(1);
    } else {
        progress.note("skipped: the published cloth-ball frames are not here");
    }
    let (detail, count) = if settings.quick { (0.05, 2) } else { (1.0, 3) };
    progress.begin("scenes", Scene::ALL.len() as u64);
    for scene in Scene::ALL {
        // Steps spread over the animation; the breaking scenes break in the middle of one run of frames.
        let first = FRAMES / 3 - 2;
        let frames: Vec<TriangleMesh> = (0..=count).map(|i| scene.frame(first + i, detail)).collect();
        rows.push(pool.install(|| measure_frames(scene.name(), &frames, settings))?);
        progress.advance(1);
    }
    Ok(report::Report {
        name: "ccd",
        title: "Continuous collision detection".into(),
        sections: tables::sections(&rows, shared),
    })
}

/// A query on one thread and on two, in milliseconds by the clock on the wall, best of some in turn.
fn measure_threads(frames: &[TriangleMesh; 2]) -> Result<[f64; 2], BenchError> {
    let [from, to] = frames;
    let mut detector = Detector::new(from, Options::default());
    let start = start_positions(from, to);
    let pools = [1, 2].map(|count| rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads"));
    let mut best = [f64::INFINITY; 2];
    let mut found: Option<Report> = None;
    for _ in 0..THREAD_ROUNDS {
        for (pool, best) in pools.iter().zip(&mut best) {
            let started = Instant::now();
            let report = pool.install(|| detector.detect(&start, to.positions()))?;
            *best = best.min(started.elapsed().as_secs_f64() * 1e3);
            let count = |report: &Report| report.vertex_face.len() + report.edge_edge.len();
            if let Some(known) = &found
                && (known.vertex_face != report.vertex_face || known.edge_edge != report.edge_edge)
            {
                let (found, wanted) = (count(&report), count(known));
                return Err(BenchError::Disagree {
                    scene: "UNC cloth-ball".into(),
                    version: "two threads",
                    found,
                    wanted,
                });
            }
            found = Some(report);
        }
    }
    Ok(best)
}

/// How often queries on one and on two threads are timed in turn.
const THREAD_ROUNDS: usize = 9;

/// The folder of the published frames beside the repository, if it is there.
fn published_cloth_ball() -> Option<PathBuf> {
    crate::data::shared("ccd/cloth-ball")
}

const HIGH_LEVEL: Culling = Culling { normal_cones: true, two_level: true, ..Culling::BASE };
const LOW_LEVEL: Culling = Culling { normal_cones: false, bounds: Bounds::Swept18Dops, ..Culling::ALL };

const SLOWER_CONTOURS: [(&str, ContourTest); 3] = [
    ("contours without boxes", ContourTest { boxes: false, ..ContourTest::ALL }),
    ("contours without reused projections", ContourTest { reuse_projections: false, ..ContourTest::ALL }),
    ("contours without remembered crossings", ContourTest { remember_crossings: false, ..ContourTest::ALL }),
];

fn measure_frames(name: &str, frames: &[TriangleMesh], settings: &Settings) -> Result<Row, BenchError> {
    // The slow versions, which are there to be compared with, take most of the time.
    let rounds = if settings.quick { 1 } else { ROUNDS };
    let last = &frames[frames.len() - 1];
    let detector = Detector::new(last, Options::default());
    let neighbours = |t: u32| detector.topology().neighbours(t).len() - 1;
    let adjacent_pairs = (0..last.triangles().len() as u32).map(neighbours).sum::<usize>() / 2;
    let all = |culling| Options { culling, ..Options::default() };
    let (ours, found, bytes) = run_version(frames, Options::default(), ROUNDS)?;
    let (base, base_found, _) = run_version(frames, all(Culling::BASE), rounds)?;
    let (high_level, high_found, _) = run_version(frames, all(HIGH_LEVEL), rounds)?;
    let (low_level, low_found, _) = run_version(frames, all(LOW_LEVEL), rounds)?;
    let mut checked = vec![("base", base_found), ("high-level culling", high_found), ("low-level culling", low_found)];
    let mut slower_contours = [Version::default(); 3];
    for (version, (name, contour)) in slower_contours.iter_mut().zip(SLOWER_CONTOURS) {
        let (measured, found, _) = run_version(frames, all(Culling { contour, ..Culling::ALL }), rounds)?;
        *version = measured;
        checked.push((name, found));
    }
    for (version, other) in checked {
        if other != found {
            return Err(BenchError::Disagree { scene: name.to_owned(), version, found: other, wanted: found });
        }
    }
    let (first, ..) = run_version(frames, Options { search: Search::FirstContact, ..Options::default() }, ROUNDS)?;
    let (plain, plain_found) = run_plain(frames);
    let steps = (frames.len() - 1) as f64;
    Ok(Row {
        scene: name.to_owned(),
        triangles: last.triangles().len(),
        adjacent_pairs,
        orphans: detector.orphans().len(),
        frames: frames.len() - 1,
        collisions: found as f64 / steps,
        base,
        high_level,
        low_level,
        ours,
        slower_contours,
        first,
        plain,
        plain_collisions: plain_found as f64 / steps,
        bytes_per_triangle: bytes,
    })
}

/// How often what is compared with others is timed.
const ROUNDS: usize = 3;

/// Times a query some times and keeps the best: processor time of the thread, since others may use the machine.
fn timed<T>(rounds: usize, mut query: impl FnMut() -> T) -> (f64, T) {
    let mut once = || {
        let started = ThreadTime::now();
        let answer = query();
        (started.elapsed().as_secs_f64() * 1e3, answer)
    };
    let best = (1..rounds).map(|_| once().0).fold(f64::INFINITY, f64::min);
    let (last, answer) = once();
    (best.min(last), answer)
}

fn run_version(frames: &[TriangleMesh], options: Options, rounds: usize) -> Result<(Version, usize, f64), BenchError> {
    let mut detector = Detector::new(&frames[0], options);
    let mut sum = Version::default();
    let mut collisions = 0;
    let steps = (frames.len() - 1) as f64;
    for pair in frames.windows(2) {
        let (from, to) = (&pair[0], &pair[1]);
        if detector.topology().triangles() != to.triangles() {
            let started = ThreadTime::now();
            detector.change_topology(to);
            let ms = started.elapsed().as_secs_f64() * 1e3;
            sum.change_ms = Some(sum.change_ms.unwrap_or(0.0) + ms);
        }
        let start = start_positions(from, to);
        let (ms, report) = timed(rounds, || detector.detect(&start, to.positions()));
        let report: Report = report?;
        collisions += report.vertex_face.len() + report.edge_edge.len();
        sum.query_ms += ms / steps;
        let ms = report.stats.ms;
        sum.update_part += ms.update / (ms.update + ms.traverse + ms.test) / steps;
        sum.triangle_pairs += report.stats.triangle_pairs as f64 / steps;
        sum.elementary_tests += report.stats.elementary_tests as f64 / steps;
        sum.contour_tests += report.stats.contour_tests as f64 / steps;
        sum.refined_tests += report.stats.refined_tests as f64 / steps;
    }
    let bytes = detector.memory().total as f64 / frames[frames.len() - 1].triangles().len().max(1) as f64;
    Ok((sum, collisions, bytes))
}

fn run_plain(frames: &[TriangleMesh]) -> (Version, usize) {
    let mut sum = Version::default();
    let mut collisions = 0;
    let steps = (frames.len() - 1) as f64;
    for pair in frames.windows(2) {
        let pipeline = plain::Pipeline::new(&pair[1]);
        let start: Vec<DVec3> = start_positions(&pair[0], &pair[1]);
        let (ms, found) = timed(ROUNDS, || pipeline.detect(&start, pair[1].positions()));
        collisions += found.collisions;
        sum.query_ms += ms / steps;
        sum.elementary_tests += found.elementary_tests as f64 / steps;
        sum.triangle_pairs += found.triangle_pairs as f64 / steps;
    }
    (sum, collisions)
}
