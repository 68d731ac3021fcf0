//! `superegg robot`: robots from URDF, MJCF and SDFormat files with smooth contact geometry.

mod acm;
mod check;
mod distances;
mod fit;
mod grasp;
mod info;
mod input;
mod output;
mod sim;

use std::path::PathBuf;

use clap::Subcommand;
use superegg_robot::RobotError;

use crate::error::{CliError, Verdict};
use input::Loaded;

/// Load a robot, report all that was ignored, fit its meshes, ask about collisions, trajectories and grasps
#[derive(clap::Args)]
#[command(after_help = "\
FILE is a .urdf file, a .xacro file (expanded by the installed xacro), an MJCF or SDFormat model, or one of the
built-in right-hand and left-hand. Nothing in it is dropped silently: what is ignored, repaired or missing is reported with its line.
Meshes are looked for beside the file, in packages above it, in --package-path and ROS_PACKAGE_PATH.

Examples:
  superegg robot panda.urdf info
  superegg robot panda.urdf fit --parts 2 -o panda_smooth.urdf -o panda.png
  superegg robot panda.urdf --srdf panda.srdf distances --joints panda_joint4=-2 -o distances.png
  superegg robot panda_smooth.urdf check --trajectory path.csv --obstacles table.json
  superegg robot panda_smooth.urdf acm -o panda.srdf
  superegg robot allegro.urdf grasp --object egg.json -o grasps.png")]
pub struct Args {
    /// The robot
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(subcommand)]
    action: Action,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    /// Anything ignored, repaired or missing is an error
    #[arg(long, global = true)]
    strict: bool,
    /// A folder of packages, or a package, for package:// addresses; may be repeated
    #[arg(long, value_name = "DIR", global = true)]
    package_path: Vec<PathBuf>,
    /// An SRDF file with pairs of links that may touch and named states
    #[arg(long, value_name = "FILE", global = true)]
    srdf: Option<PathBuf>,
}

/// What to do with a robot.
#[derive(Subcommand)]
enum Action {
    Info(info::Args),
    Fit(fit::Args),
    Distances(distances::Args),
    Check(check::Args),
    Acm(acm::Args),
    Grasp(grasp::Args),
    Sim(sim::Args),
}

/// Runs the command.
pub fn run(args: Args) -> Result<Verdict, CliError> {
    let loaded = Loaded::new(&args.file, &args.package_path, args.strict, args.srdf.as_deref())?;
    match args.action {
        Action::Info(own) => info::run(&own, &loaded, args.json),
        Action::Fit(own) => fit::run(&own, &loaded, args.json),
        Action::Distances(own) => distances::run(&own, &loaded, args.json),
        Action::Check(own) => check::run(&own, &loaded, args.json),
        Action::Acm(own) => acm::run(&own, &loaded, args.json),
        Action::Grasp(own) => grasp::run(&own, &loaded, args.json),
        Action::Sim(own) => sim::run(&own, &loaded, args.json),
    }
}

/// What the library refused, as the program says it.
fn refused(error: RobotError) -> CliError {
    match error {
        RobotError::Io { path, source } => CliError::Read { name: path.display().to_string(), source },
        other => CliError::Usage(other.to_string()),
    }
}
