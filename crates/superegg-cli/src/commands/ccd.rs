//! `superegg ccd`: continuous collisions between successive frames, or elementary queries from files.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;
use superegg::Legible;
use superegg_io::ccd_queries::{Query, read_queries};
use superegg_io::{ReadError, read_mesh};
use superegg_mesh::ccd::elementary::{Margin, edge_edge, vertex_face};
use superegg_mesh::ccd::{Detector, Options, Report, Search, start_positions};
use superegg_mesh::{DVec3, TriangleMesh};

use crate::error::{CliError, Verdict};
use crate::progress::Progress;

/// Find continuous collisions between successive frames of deforming meshes
#[derive(clap::Args)]
#[command(after_help = "\
Vertices move linearly from each frame to the next; self-collisions and collisions between objects
are found, each with a time that is never late, and none is missed. Where the topology changes, the
later frame's triangles count: vertices keep their number, new ones come after the old ones.
With --degree 2 or 3, every second or third frame is where vertices are; those between hold the
control points of the Bézier curves that they move along.

Examples:
  superegg ccd frame0.ply frame1.ply frame2.ply
  superegg ccd --first --json - frame0.obj frame1.obj
  superegg ccd --degree 2 frame0.ply between.ply frame1.ply
  superegg ccd --queries vertex-face/data_0_0.csv edge-edge/data_0_0.csv")]
pub struct Args {
    /// Two or more frames (.ply, .obj, .stl)
    #[arg(required_unless_present = "queries", num_args = 2.., value_name = "FRAME")]
    frames: Vec<PathBuf>,
    /// Only the first time of contact, with one pair of features that makes it
    #[arg(long)]
    first: bool,
    /// Features at most this far apart count as colliding
    #[arg(long, value_name = "D", default_value_t = 0.0)]
    min_separation: f64,
    /// Vertices move along Bézier curves of this degree, from 1 (straight) to 3
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=3))]
    degree: u8,
    /// Write all collisions as JSON to a file, or to standard output for `-`
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,
    /// Answer elementary queries: eight rows of rational coordinates each, with the truth where known
    #[arg(long, num_args = 1.., value_name = "FILE.csv", conflicts_with_all = ["frames", "first", "degree"])]
    queries: Vec<PathBuf>,
    /// What the queries are about; told from the files' folders when left out
    #[arg(long, requires = "queries")]
    kind: Option<Kind>,
}

/// Kinds of elementary queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    VertexFace,
    EdgeEdge,
}

/// Runs the command.
pub fn run(args: Args) -> Result<Verdict, CliError> {
    if !(args.min_separation >= 0.0 && args.min_separation <= 1e30) {
        return Err(CliError::Usage(format!(
            "--min-separation: {} is outside [0, 1e30]",
            Legible(args.min_separation)
        )));
    }
    if args.queries.is_empty() { run_frames(&args) } else { run_queries(&args) }
}

fn unreadable(error: ReadError) -> CliError {
    match error {
        ReadError::Io { path, source } => CliError::Read { name: path.display().to_string(), source },
        other => CliError::Usage(other.to_string()),
    }
}

/// Writes to a file, or to standard output for `-`.
fn write_out(path: &Path, text: &str) -> Result<(), CliError> {
    if path == Path::new("-") {
        return std::io::stdout().write_all(text.as_bytes()).map_err(CliError::stdout);
    }
    std::fs::write(path, text).map_err(|source| CliError::Write { name: path.display().to_string(), source })
}

/// The whole output for frames.
#[derive(Serialize)]
struct Output {
    pairs: Vec<Pair>,
}

/// The collisions between two frames.
#[derive(Serialize)]
struct Pair {
    from: String,
    to: String,
    toi: Option<f64>,
    vertex_face: Vec<(u32, u32, f64)>,
    edge_edge: Vec<(u32, u32, u32, u32, f64)>,
    stats: Stats,
}

#[derive(Serialize)]
struct Stats {
    triangle_pairs: u64,
    elementary_tests: u64,
    refined_tests: u64,
    orphan_tests: u64,
    contour_tests: u64,
    culled: Culled,
    ms: Milliseconds,
    bytes_per_triangle: f64,
}

#[derive(Serialize)]
struct Culled {
    normal_cone: u64,
    representative: u64,
    orphan: u64,
    kdop: u64,
}

#[derive(Serialize)]
struct Milliseconds {
    update: f64,
    traverse: f64,
    test: f64,
}

impl Pair {
    fn new(from: &Path, to: &Path, report: &Report, detector: &Detector) -> Pair {
        let stats = &report.stats;
        let triangles = detector.topology().triangles().len().max(1);
        Pair {
            from: from.display().to_string(),
            to: to.display().to_string(),
            toi: report.time_of_impact,
            vertex_face: report.vertex_face.iter().map(|hit| (hit.vertex, hit.face, hit.time)).collect(),
            edge_edge: report
                .edge_edge
                .iter()
                .map(|hit| {
                    let [[a, b], [c, d]] = hit.edges;
                    (a, b, c, d, hit.time)
                })
                .collect(),
            stats: Stats {
                triangle_pairs: stats.triangle_pairs,
                elementary_tests: stats.elementary_tests,
                refined_tests: stats.refined_tests,
                orphan_tests: stats.orphan_tests,
                contour_tests: stats.contour_tests,
                culled: Culled {
                    normal_cone: stats.culled.normal_cone,
                    representative: stats.culled.representative,
                    orphan: stats.culled.orphan,
                    kdop: stats.culled.kdop,
                },
                ms: Milliseconds { update: stats.ms.update, traverse: stats.ms.traverse, test: stats.ms.test },
                bytes_per_triangle: detector.memory().total as f64 / triangles as f64,
            },
        }
    }

    /// One line for people.
    fn summary(&self) -> String {
        let contact = match self.toi {
            Some(time) => format!(
                "first contact at {time:.6}, {} vertex-face and {} edge-edge collisions",
                self.vertex_face.len(),
                self.edge_edge.len()
            ),
            None => "no collision".to_owned(),
        };
        let ms = &self.stats.ms;
        format!(
            "{} -> {}: {contact} ({} elementary tests; update {:.1} ms, traverse {:.1} ms, test {:.1} ms; {:.0} bytes a triangle)",
            self.from,
            self.to,
            self.stats.elementary_tests,
            ms.update,
            ms.traverse,
            ms.test,
            self.stats.bytes_per_triangle
        )
    }
}

fn run_frames(args: &Args) -> Result<Verdict, CliError> {
    let search = if args.first { Search::FirstContact } else { Search::AllCollisions };
    let options = Options { search, margin: margin(args)?, ..Options::default() };
    let degree = usize::from(args.degree);
    let steps = (args.frames.len() - 1) / degree;
    if steps * degree + 1 != args.frames.len() {
        let found = args.frames.len();
        return Err(CliError::Usage(format!(
            "--degree {degree}: {found} frames are not a start and {degree} for each step"
        )));
    }
    let mut progress = Progress::of_frames(steps as u64);
    let mut from = read_mesh(&args.frames[0]).map_err(unreadable)?;
    let mut detector = Detector::new(&from, options);
    let mut output = Output { pairs: Vec::new() };
    for (start, names) in (0..).step_by(degree).map(|at: usize| &args.frames[at]).zip(args.frames[1..].chunks(degree)) {
        let (last, between) = names.split_last().expect("a chunk has items");
        let to = read_mesh(last).map_err(unreadable)?;
        let controls = between.iter().map(|name| control_points(name, &to)).collect::<Result<Vec<_>, _>>()?;
        let report = step(&mut detector, &from, &controls, &to)?;
        let pair = Pair::new(start, last, &report, &detector);
        if args.json.as_deref() != Some(Path::new("-")) {
            writeln!(std::io::stdout(), "{}", pair.summary()).map_err(CliError::stdout)?;
        }
        if args.json.is_some() {
            output.pairs.push(pair);
        }
        from = to;
        progress.advance(1);
    }
    progress.finish();
    if let Some(path) = &args.json {
        // Numbers and strings: nothing that JSON cannot say.
        let text = serde_json::to_string(&output).expect("plain data");
        write_out(path, &format!("{text}\n"))?;
    }
    Ok(Verdict::AllAnswered)
}

/// The vertices of a frame between two others, which has to be of the same mesh as the later one.
fn control_points(name: &Path, to: &TriangleMesh) -> Result<Vec<DVec3>, CliError> {
    let frame = read_mesh(name).map_err(unreadable)?;
    let (found, wanted) = (frame.positions().len(), to.positions().len());
    if found != wanted {
        let name = name.display();
        return Err(CliError::Usage(format!("{name}: {found} control points for {wanted} vertices")));
    }
    Ok(frame.positions().to_vec())
}

/// Collisions between two frames, whose topology may differ; `controls` are the control points between them.
fn step(
    detector: &mut Detector,
    from: &TriangleMesh,
    controls: &[Vec<DVec3>],
    to: &TriangleMesh,
) -> Result<Report, CliError> {
    let changed =
        detector.topology().triangles() != to.triangles() || detector.topology().vertex_count() != to.positions().len();
    if changed {
        detector.change_topology(to);
    }
    let start = start_positions(from, to);
    // All meshes are validated and the detector follows the last: nothing is left to refuse.
    let report = match controls {
        [] => detector.detect(&start, to.positions()),
        [control] => detector.detect_curved([&start, control, to.positions()]),
        [one, other, ..] => detector.detect_curved([&start, one, other, to.positions()]),
    };
    report.map_err(|error| CliError::Usage(error.to_string()))
}

/// How a file of queries was answered.
#[derive(Serialize)]
struct Tally {
    file: String,
    queries: usize,
    collisions: usize,
    true_positives: usize,
    false_positives: usize,
    true_negatives: usize,
    false_negatives: usize,
    unlabelled: usize,
}

/// What `--min-separation` asks for.
fn margin(args: &Args) -> Result<Margin, CliError> {
    Margin::separation(args.min_separation).map_err(|error| CliError::Usage(format!("--min-separation: {error}")))
}

fn run_queries(args: &Args) -> Result<Verdict, CliError> {
    let margin = margin(args)?;
    let mut tallies = Vec::new();
    for path in &args.queries {
        let kind = args.kind.or_else(|| kind_of(path)).ok_or_else(|| {
            let path = path.display();
            CliError::Usage(format!("{path}: --kind is needed, the folder is neither vertex-face nor edge-edge"))
        })?;
        let queries = read_queries(path).map_err(unreadable)?;
        tallies.push(tally(path, &queries, kind, margin));
    }
    let mut text = String::new();
    for tally in &tallies {
        text.push_str(&format!(
            "{}: {} queries, {} collisions; {} true and {} false positives, {} true and {} false negatives\n",
            tally.file,
            tally.queries,
            tally.collisions,
            tally.true_positives,
            tally.false_positives,
            tally.true_negatives,
            tally.false_negatives
        ));
    }
    if args.json.as_deref() != Some(Path::new("-")) {
        write_out(Path::new("-"), &text)?;
    }
    if let Some(path) = &args.json {
        let json = serde_json::to_string(&serde_json::json!({ "files": tallies })).expect("plain data");
        write_out(path, &format!("{json}\n"))?;
    }
    Ok(Verdict::AllAnswered)
}

fn kind_of(path: &Path) -> Option<Kind> {
    match path.parent()?.file_name()?.to_str()? {
        "vertex-face" => Some(Kind::VertexFace),
        "edge-edge" => Some(Kind::EdgeEdge),
        _ => None,
    }
}

fn tally(path: &Path, queries: &[Query], kind: Kind, margin: Margin) -> Tally {
    let test = match kind {
        Kind::VertexFace => vertex_face,
        Kind::EdgeEdge => edge_edge,
    };
    let answers: Vec<(bool, Option<bool>)> =
        queries.iter().map(|query| (test(&query.start, &query.end, margin).is_some(), query.truth)).collect();
    let count = |wanted: (bool, Option<bool>)| answers.iter().filter(|&&answer| answer == wanted).count();
    Tally {
        file: path.display().to_string(),
        queries: queries.len(),
        collisions: answers.iter().filter(|(found, _)| *found).count(),
        true_positives: count((true, Some(true))),
        false_positives: count((true, Some(false))),
        true_negatives: count((false, Some(false))),
        false_negatives: count((false, Some(true))),
        unlabelled: count((true, None)) + count((false, None)),
    }
}
