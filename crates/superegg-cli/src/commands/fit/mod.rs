//! `superegg fit`: smooth shapes fitted to a mesh or a point cloud.

mod output;
mod picture;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use superegg_fit::{Containment, Count, Family, PartsOptions, Target, Threads, errors, fit_parts, metrics, union_mesh};
use superegg_io::obj::{Object, write_obj};
use superegg_io::{ReadError, read_mesh_file};

use crate::commands::fit_options::{ShapeName, check_max_error, parse_count};
use crate::error::{CliError, Verdict};
use crate::progress::Progress;
use output::Report;

/// Fit smooth shapes to a mesh or a point cloud
#[derive(clap::Args)]
#[command(after_help = "\
Reads .ply, .obj, .stl, .dae, .gltf, .glb and .xyz (three coordinates a line). Files without triangles are
point clouds. COLLADA and glTF files are brought to metres with z up, as they say what they have; all
others stay as they are, and results are in the file's own unit and axes.

One shape is robust against noise, outliers and missing sides. Errors are true distances between the
points (for meshes, 4,096 points spread over the surface) and the surface of the fit. With --enclose and
--inside the answer is proved: by distances with certified bounds, not by samples.

Examples:
  superegg fit scan.ply
  superegg fit mug.stl --enclose --json
  superegg fit cat.ply --parts auto -o cat.png -o cat.obj
  superegg fit finger.obj --weights underside.txt --shape superellipsoid")]
pub struct Args {
    /// The mesh or point cloud
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// Which shapes to look among
    #[arg(long, value_enum, default_value_t = ShapeName::Superovoid)]
    shape: ShapeName,
    /// How many parts: a number up to 256, or `auto` for as many as the error needs
    #[arg(long, value_name = "N|auto", default_value = "1", value_parser = parse_count)]
    parts: Count,
    /// How far points may commonly be from the surface, in the input's unit [default: 0.6 % of
    /// half its length]; with --enclose, how far the fit may commonly protrude [default: 6 %]
    #[arg(long, value_name = "D")]
    max_error: Option<f64>,
    /// The fit contains every point and triangle
    #[arg(long, conflicts_with = "inside")]
    enclose: bool,
    /// The fit lies inside the mesh, which has to be closed, or between the points; one part only
    #[arg(long)]
    inside: bool,
    /// A file with a weight for each vertex or point, one a line: where the fit has to be close
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// A picture of input and fit side by side (.png), or the union of the parts as a mesh (.obj); may be repeated
    #[arg(short, long, value_name = "OUT.png|OUT.obj")]
    output: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(args: Args) -> Result<Verdict, CliError> {
    check(&args)?;
    let name = args.mesh.display().to_string();
    let refused = |error: superegg_fit::FitError| CliError::Usage(format!("{name}: {error}"));
    let (mesh, conventions) = read_mesh_file(&args.mesh).map_err(unreadable)?;
    let vertices = mesh.positions().len();
    let weights = args.weights.as_deref().map(|path| read_weights(path, vertices)).transpose()?;
    let target = match (mesh.triangles().is_empty(), weights) {
        (true, None) => Target::from_points(mesh.into_parts().0),
        (true, Some(weights)) => Target::from_weighted_points(mesh.into_parts().0, weights),
        (false, None) => Target::from_mesh(mesh),
        (false, Some(weights)) => Target::from_weighted_mesh(mesh, &weights),
    };
    let target = target.map_err(refused)?;
    let options = PartsOptions {
        family: args.shape.into(),
        containment: match (args.enclose, args.inside) {
            (true, _) => Containment::Enclose,
            (_, true) => Containment::Inside,
            _ => Containment::Free,
        },
        count: args.parts,
        max_error: args.max_error,
        threads: Threads::All,
    };
    let mut progress = Progress::of_percent();
    let mut done = 0;
    let started = Instant::now();
    let found = fit_parts(&target, &options, &mut |share| {
        let percent = (100.0 * share) as u64;
        progress.advance(percent.saturating_sub(done));
        done = percent.max(done);
    })
    .map_err(refused)?;
    let seconds = started.elapsed().as_secs_f64();
    progress.finish();
    let report = Report {
        name: &name,
        conventions,
        vertices,
        target: &target,
        fit: &found,
        tapered: options.family == Family::Superovoid,
        errors: errors(&found.parts, &target, Threads::All).map_err(refused)?,
        metrics: metrics(&found.parts, &target, Threads::All).map_err(refused)?,
        seconds,
    };
    for path in &args.output {
        write_output(path, &target, &found.parts).map_err(|error| match error {
            Failed::Fit(error) => refused(error),
            Failed::Write(source) => CliError::Write { name: path.display().to_string(), source },
        })?;
    }
    let text = if args.json { report.json() } else { report.text() };
    std::io::stdout().write_all(text.as_bytes()).map_err(CliError::stdout)?;
    Ok(Verdict::AllAnswered)
}

/// Refuses what the parser of the command line cannot know, before any work is done.
fn check(args: &Args) -> Result<(), CliError> {
    if args.inside && args.parts != Count::Exactly(1) {
        return Err(CliError::Usage("--inside: one part only; leave --parts out".into()));
    }
    check_max_error(args.max_error, 1e30)?;
    for path in &args.output {
        if !["png", "obj"].contains(&extension(path).as_str()) {
            let path = path.display();
            return Err(CliError::Usage(format!("--output: {path} ends in neither .png nor .obj")));
        }
    }
    Ok(())
}

fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

fn unreadable(error: ReadError) -> CliError {
    match error {
        ReadError::Io { path, source } => CliError::Read { name: path.display().to_string(), source },
        other => CliError::Usage(other.to_string()),
    }
}

/// One number a line, as many as there are vertices.
fn read_weights(path: &Path, vertices: usize) -> Result<Vec<f64>, CliError> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|source| CliError::Read { name: name.to_string(), source })?;
    let mut weights = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let weight = line.trim().parse::<f64>().ok().filter(|w| (0.0..=1e9).contains(w));
        weights.push(weight.ok_or_else(|| {
            CliError::Usage(format!("{name}: line {number}: {:?} is not a weight in [0, 1e9]", line.trim()))
        })?);
    }
    if weights.len() != vertices {
        let found = weights.len();
        return Err(CliError::Usage(format!("{name}: {found} weights for {vertices} vertices")));
    }
    Ok(weights)
}

/// Why an output was not written.
enum Failed {
    Fit(superegg_fit::FitError),
    Write(std::io::Error),
}

fn write_output(path: &Path, target: &Target, parts: &[superegg_fit::Part]) -> Result<(), Failed> {
    if extension(path) == "png" {
        let picture = picture::side_by_side(target, parts).map_err(Failed::Fit)?;
        let file = std::fs::File::create(path).map_err(Failed::Write)?;
        return picture.write_png(BufWriter::new(file)).map_err(Failed::Write);
    }
    let union = union_mesh(parts).map_err(Failed::Fit)?;
    let object = Object { name: "fit", positions: union.positions(), triangles: union.triangles() };
    let file = std::fs::File::create(path).map_err(Failed::Write)?;
    write_obj(BufWriter::new(file), &[object]).map_err(Failed::Write)
}
