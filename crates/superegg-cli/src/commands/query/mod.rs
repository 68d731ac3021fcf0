//! `superegg query`: JSON Lines in, JSON Lines out, one answer a line, order kept.

mod answer;
mod bodies;
mod derivatives;
mod parts;
mod request;
mod scheme;
mod stream;
mod trace;

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{CliError, Verdict};
use crate::progress::Progress;
use stream::StreamError;

/// Answer queries: JSON Lines in, JSON Lines out, one answer a line
///
/// Every line of the input that is not blank is one query and gets one line of output, in
/// the same order. A line that cannot be answered gets an error that names its field; the
/// others are answered all the same, and the exit code is then 2. All cores are used (fewer
/// with RAYON_NUM_THREADS), memory stays constant, and answers come as soon as their line
/// is complete.
#[derive(clap::Args)]
#[command(verbatim_doc_comment, after_long_help = EXAMPLES)]
pub struct Args {
    /// File of queries, one JSON object a line; `-` reads standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

const EXAMPLES: &str = r#"Queries:
  distance   a, b, options         signed distance, closest points, normal, certified bounds
  intersect  a, b                  whether the two share a point
  ray        a, origin, direction  where a ray meets the body
  gradient   a, b, options         the distance and its derivatives by poses and shape parameters
  second_derivatives  a, b, options  the same to second order by the poses; how points and normal move
  growth     a, b, options         by which factor both bodies have to be scaled to touch
  time_of_impact  a, b, horizon, options  when two bodies that carry velocity and angular_velocity first touch

Options of a query: method, tolerance (certified width as a part of the size),
max_iterations. Distance queries take any of these methods; the others only the first:
  default, quad_implicit, quad_parametric, ntb_parametric, oct_implicit, geometric (point),
  interior_point, sqp, mesh

Bodies:
  {"type":"superellipsoid","radii":[1,1,1],"exponents":[1,1],"position":[0,0,0],"orientation":[0,0,0,1]}
  {"type":"superovoid","radii":[1,1,1],"exponents":[0.8,1],"taper":[0.3,-0.1]}
  {"type":"plane","normal":[0,0,1],"offset":0}
  {"type":"point"}, {"type":"segment","points":[[0,0,0],[1,0,0]]}, {"type":"triangle","points":[…three…]}
  {"type":"superhyperboloid1","radii":[1,1,1],"exponents":[1,1],"height":2} (distance; also superhyperboloid2)
  {"type":"supertoroid","radii":[0.5,0.5,0.5],"exponents":[1,1],"hole":3} (distance)
  {"type":"compound","parts":[…bodies…]}, {"type":"mesh","file":"hand.stl"}  (not for gradient, second_derivatives, growth)
Every body takes position (default the origin) and orientation (quaternion x, y, z, w;
default identity).

Example:
  echo '{"query":"distance","a":{"type":"superellipsoid","radii":[1,1,1],"exponents":[1,1]},"b":{"type":"point","position":[3,0,0]}}' | superegg query"#;

/// Answers every query of the input.
pub fn run(args: Args) -> Result<Verdict, CliError> {
    let Input { name, content, bytes } = open(&args.file)?;
    let mut progress = Progress::of_bytes(bytes);
    let outcome = stream::answer_lines(content, &mut io::stdout().lock(), answer::answer_line, |bytes| {
        progress.advance(bytes);
    });
    progress.finish();
    let tally = outcome.map_err(|error| match error {
        StreamError::Read(source) => CliError::Read { name, source },
        StreamError::Write(source) => CliError::stdout(source),
    })?;
    let Some(first) = tally.first_refused else { return Ok(Verdict::AllAnswered) };
    let summary = format!("{} of {} queries refused, the first on line {first}", tally.refused, tally.lines);
    let _ = writeln!(io::stderr(), "superegg: {summary}");
    Ok(Verdict::SomeRefused)
}

struct Input {
    /// What messages call it.
    name: String,
    content: Box<dyn Read + Send>,
    /// Its length, where it has one.
    bytes: Option<u64>,
}

fn open(path: &Path) -> Result<Input, CliError> {
    if path.as_os_str() == "-" {
        if io::stdin().is_terminal() {
            let _ = writeln!(io::stderr(), "superegg: reading queries from the keyboard; --help shows examples");
        }
        return Ok(Input { name: "standard input".to_owned(), content: Box::new(io::stdin()), bytes: None });
    }
    let name = path.display().to_string();
    let unreadable = |source| CliError::Read { name: name.clone(), source };
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(unreadable(io::ErrorKind::IsADirectory.into()));
    }
    let bytes = metadata.is_file().then_some(metadata.len());
    Ok(Input { name, content: Box::new(file), bytes })
}
