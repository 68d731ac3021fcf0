//! `superegg bench`: measures suites and writes their tables and plots.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::ValueEnum;

use crate::error::{CliError, Verdict};

/// Measure Superegg beside today's methods and write tables, CSV files and plots
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  superegg bench ccd --quick --out report")]
pub struct Args {
    /// What to measure; everything when left out
    #[arg(value_name = "SUITE")]
    suites: Vec<Suite>,
    /// Smaller problems and fewer repetitions
    #[arg(long)]
    quick: bool,
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "bench-report")]
    out: PathBuf,
}

/// The suites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// Distances of smooth bodies, single and in batches, beside parry
    Core,
    /// Continuous collision detection between deforming meshes
    Ccd,
}

/// Runs the suites in turn.
pub fn run(args: Args) -> Result<Verdict, CliError> {
    let suites = if args.suites.is_empty() { Suite::value_variants() } else { &args.suites };
    let mut report = String::new();
    for suite in suites {
        report.push_str(&match suite {
            Suite::Core => core(&args),
            Suite::Ccd => ccd(&args)?,
        });
    }
    std::fs::create_dir_all(&args.out)
        .map_err(|source| CliError::Write { name: args.out.display().to_string(), source })?;
    let path = args.out.join("report.md");
    std::fs::write(&path, &report).map_err(|source| CliError::Write { name: path.display().to_string(), source })?;
    std::io::stdout().write_all(report.as_bytes()).map_err(CliError::stdout)?;
    Ok(Verdict::AllAnswered)
}

/// Measures the distance core.
fn core(args: &Args) -> String {
    let effort = if args.quick { bench::core::Effort::QUICK } else { bench::core::Effort::FULL };
    format!("# Distance core\n\n{}\n", bench::core::run(effort))
}

/// Measures collision detection; with the published cloth-ball frames where they are at hand.
fn ccd(args: &Args) -> Result<String, CliError> {
    let settings = bench::ccd::Settings { quick: args.quick, cloth_ball: bench::ccd::published_cloth_ball() };
    if settings.cloth_ball.is_none() {
        // Nothing is lost when this cannot be said.
        let _ = writeln!(std::io::stderr(), "skipped: the published cloth-ball frames are not here");
    }
    let told = std::io::stderr().is_terminal();
    let progress = |scene: &str| {
        if told {
            let _ = writeln!(std::io::stderr(), "measuring {scene}");
        }
    };
    let rows = bench::ccd::measure(&settings, progress).map_err(|error| CliError::Usage(error.to_string()))?;
    bench::ccd::write_all(&rows, &args.out).map_err(|error| CliError::Usage(error.to_string()))
}
