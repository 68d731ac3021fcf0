//! `superegg bench`: measures suites and writes one report of tables, plots and CSV files.

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;

use bench::dataset::{self, By, Class, Export};
use bench::report::{self, Report};
use bench::{Progress, Settings};
use clap::ValueEnum;

use crate::error::{CliError, Verdict};
use crate::progress::WorkBar;

/// Measure Superegg beside published schemes and today's peers
///
/// Prints the tables and writes report.html, report.md, a CSV file for every table and an SVG
/// file for every plot. Inputs come from fixed seeds, and every answer is scored against a
/// certified one.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  superegg bench core --quick --out report
  superegg bench export pairs --pairs 10000
  superegg bench answer pairs mine
  superegg bench score pairs mine"
)]
pub struct Args {
    #[command(subcommand)]
    task: Option<Task>,
    /// What to measure; everything when left out
    #[arg(value_name = "SUITE")]
    suites: Vec<Suite>,
    /// Smaller problems and fewer repetitions: about a minute for all suites
    #[arg(long)]
    quick: bool,
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "bench-report")]
    out: PathBuf,
}

/// What is done with the public data set instead of measuring suites.
#[derive(clap::Subcommand)]
enum Task {
    /// Write pairs of every class with certified distances, points and normals, for anybody's program to answer
    Export {
        /// The folder to write to
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Pairs of each class
        #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
        pairs: u64,
        /// Classes, kinds or spacings, such as hulls_near, hulls or near; everything when left out
        #[arg(long, value_name = "CLASS", value_delimiter = ',')]
        classes: Vec<String>,
        /// What the pairs are drawn from: the same seed gives the same bytes
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
        /// How many pairs of each class are written as JSON lines, too
        #[arg(long, value_name = "N", default_value_t = 1000)]
        json: u64,
    },
    /// Answer a data set with this library or with parry, each pair timed on its own
    Answer {
        /// The folder of the data set
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The folder to write answers to
        #[arg(value_name = "ANSWERS")]
        out: PathBuf,
        /// Who answers
        #[arg(long, value_enum, default_value = "superegg")]
        by: AnsweredBy,
    },
    /// Score answers to a data set: failures, errors and times by class
    Score {
        /// The folder of the data set
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The folder of answers: a CSV or binary file for each class
        #[arg(value_name = "ANSWERS")]
        answers: PathBuf,
        /// A file to write all figures to, as JSON
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
}

/// Who can answer a data set here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AnsweredBy {
    /// This library, with its default options
    Superegg,
    /// parry's contact of two support maps
    Parry,
}

impl Task {
    fn run(self, progress: &WorkBar) -> Result<(), CliError> {
        match self {
            Task::Export { folder, pairs, classes, seed, json } => {
                let classes = Class::chosen(&classes).map_err(CliError::Usage)?;
                dataset::export(&Export { folder, pairs, classes, seed, as_json: json }, progress).map_err(failed)
            }
            Task::Answer { folder, out, by } => {
                let by = match by {
                    AnsweredBy::Superegg => By::Superegg,
                    AnsweredBy::Parry => By::Parry,
                };
                dataset::answer(&folder, &out, by, progress).map_err(failed)
            }
            Task::Score { folder, answers, json } => {
                let scores = dataset::score(&folder, &answers, progress).map_err(failed)?;
                progress.finish();
                if let Some(path) = json {
                    let text = format!("{:#}\n", dataset::to_json(&scores));
                    let name = path.display().to_string();
                    std::fs::write(path, text).map_err(|source| CliError::Write { name, source })?;
                }
                let table = dataset::table(&scores).to_string();
                std::io::stdout().write_all(table.as_bytes()).map_err(CliError::stdout)
            }
        }
    }
}

/// The suites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// Points and superellipsoids: paper 000 tables 1 to 4 and figures 31 to 39
    Point,
    /// Pairs of superovoids: paper 003 tables 1 and 2, every scheme beside the default and peers
    Pair,
    /// Meshes against smooth bodies: paper 003 figure 9
    Accuracy,
    /// Interior point and SQP, constraint sets a to h: paper 004
    Optimisation,
    /// Each scheme from each initial guess
    Starts,
    /// Distances of smooth bodies, single and in batches, beside parry
    Core,
    /// Continuous collision detection between deforming meshes
    Ccd,
    /// Worlds of many bodies, compound bodies and times of impact, beside parry
    Worlds,
    /// Cloth on smooth bodies: paper 000 tables 5 and 6, figures 42 and 43; paper 001 figure 6.1; beside pyPBD
    Cloth,
    /// Terrain Cloth end to end, from a hand's message to a frame: paper 001 figure 6.1
    Terrain,
    /// Rigid bodies of smooth shape: paper 000 table 7 and figure 46; growth to 10,000 bodies; beside rapier
    Rigid,
    /// Shapes fitted to point clouds and meshes: random shapes, everyday things, clouds and a robot made by others
    Fit,
    /// Robots: whether configurations are free, hundreds of thousands a second
    Robot,
    /// Two hands that pass through each other: paper 001 table 2, paper 003 table 4
    Hand,
    /// Grasps: closure and quality on exact friction cones beside Qhull, and a search for grasps
    Grasp,
    /// Two molars in a bite: paper 003 figures 13 and 14
    Teeth,
}

impl Suite {
    fn run(self, args: &Args, progress: &WorkBar) -> Result<Report, CliError> {
        let settings = Settings { quick: args.quick };
        match self {
            Suite::Point => bench::point::run(&settings, progress).map_err(failed),
            Suite::Pair => bench::pair::run(&settings, progress).map_err(failed),
            Suite::Accuracy => bench::accuracy::run(&settings, progress).map_err(failed),
            Suite::Optimisation => bench::optimisation::run(&settings, progress).map_err(failed),
            Suite::Starts => bench::starts::run(&settings, progress).map_err(failed),
            Suite::Core => bench::core::run(&settings, progress).map_err(failed),
            Suite::Ccd => bench::ccd::run(&settings, progress).map_err(failed),
            Suite::Worlds => bench::worlds::run(&settings, progress).map_err(failed),
            Suite::Cloth => bench::cloth::run(&settings, progress).map_err(failed),
            Suite::Terrain => bench::terrain::run(&settings, progress).map_err(failed),
            Suite::Rigid => bench::rigid::run(&settings, progress).map_err(failed),
            Suite::Fit => bench::fit::run(&settings, progress).map_err(failed),
            Suite::Robot => bench::robot::run(&settings, progress).map_err(failed),
            Suite::Hand => bench::hand::run(&settings, progress).map_err(failed),
            Suite::Grasp => bench::grasp::run(&settings, progress).map_err(failed),
            Suite::Teeth => bench::teeth::run(&settings, progress).map_err(failed),
        }
    }
}

/// Runs the suites in turn, or what is asked of the data set.
pub fn run(mut args: Args) -> Result<Verdict, CliError> {
    if let Some(task) = args.task.take() {
        let progress = WorkBar::new();
        task.run(&progress)?;
        progress.finish();
        return Ok(Verdict::AllAnswered);
    }
    let suites = if args.suites.is_empty() { Suite::value_variants() } else { &args.suites };
    let progress = WorkBar::new();
    let reports = suites.iter().map(|suite| suite.run(&args, &progress)).collect::<Result<Vec<_>, _>>()?;
    progress.finish();
    report::write_all(&reports, &args.out)
        .map_err(|source| CliError::Write { name: args.out.display().to_string(), source })?;
    std::io::stdout().write_all(report::to_markdown(&reports).as_bytes()).map_err(CliError::stdout)?;
    progress.note(&format!("written: {}", args.out.join("report.html").display()));
    Ok(Verdict::AllAnswered)
}

fn failed(error: impl Display) -> CliError {
    CliError::Usage(error.to_string())
}
