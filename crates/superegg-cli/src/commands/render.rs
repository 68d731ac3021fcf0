//! `superegg render`: a picture of a scene without a window.

use std::path::PathBuf;

use superegg_sim::StepOptions;

use super::sim::{Choice, load, picture, usage};
use crate::error::{CliError, Verdict};
use crate::progress::Progress;

/// Draw a picture of a scene, at its beginning or after some time
#[derive(clap::Args)]
#[command(after_help = "\
Scenes are those of `superegg sim`.

Example:
  superegg render tablecloth --seconds 4 -o tablecloth.png")]
pub struct Args {
    /// A built-in scene or a scene file
    #[arg(value_name = "SCENE")]
    scene: String,
    #[command(flatten)]
    choice: Choice,
    /// The picture to write
    #[arg(short, long, value_name = "OUT.png")]
    output: PathBuf,
    /// Width of the picture in pixels
    #[arg(long, default_value_t = 1200, value_parser = clap::value_parser!(u16).range(16..=8192))]
    width: u16,
    /// Height of the picture in pixels
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u16).range(16..=8192))]
    height: u16,
}

/// Runs the command.
pub fn run(args: Args) -> Result<Verdict, CliError> {
    let mut scene = load(&args.scene, &args.choice)?;
    let steps = scene.step_count();
    let mut progress = Progress::of_frames(steps as u64);
    for _ in 0..steps {
        scene.advance(&StepOptions::default()).map_err(usage)?;
        progress.advance(1);
    }
    progress.finish();
    picture(&scene, [usize::from(args.width), usize::from(args.height)], &args.output)?;
    Ok(Verdict::AllAnswered)
}
