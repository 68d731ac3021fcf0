//! `superegg robot FILE check`: clearance along a trajectory, continuous between samples.

use std::path::PathBuf;

use serde_json::{Value, json};
use superegg_robot::collide::Other;
use superegg_robot::picture::{CONTACT, Drawing, LINKS, OBJECT};
use superegg_robot::trajectory::{TrajectoryOptions, TrajectoryReport, check_trajectory};
use superegg_robot::{DVec3, Pose};

use super::input::{Fitting, Loaded, read_bodies, read_trajectory};
use super::output::{SIZE, allow_endings, millimetres, other, print, print_json, write_picture};
use super::{info, refused};
use crate::error::{CliError, Verdict};

/// Clearance along a trajectory and its first contact, continuous between samples: never late
#[derive(clap::Args)]
pub struct Args {
    /// A CSV file: a line of joint names, then a line of positions a sample
    #[arg(long, value_name = "FILE")]
    trajectory: PathBuf,
    #[command(flatten)]
    fitting: Fitting,
    /// A JSON file with a body or a list of bodies
    #[arg(long, value_name = "FILE")]
    obstacles: Option<PathBuf>,
    /// Bodies as close as this count as in contact, in metres
    #[arg(long, value_name = "D", default_value_t = 0.0)]
    margin: f64,
    /// A picture of the first contact, or of the last sample
    #[arg(short, long, value_name = "OUT.png")]
    output: Vec<PathBuf>,
}

/// Runs the action.
pub fn run(args: &Args, loaded: &Loaded, json: bool) -> Result<Verdict, CliError> {
    allow_endings(&args.output, &["png"])?;
    let samples = read_trajectory(&args.trajectory, loaded)?;
    let obstacles = args.obstacles.as_deref().map(read_bodies).transpose()?.unwrap_or_default();
    let geometry = args.fitting.geometry(loaded)?;
    let model = loaded.model(&geometry, &obstacles)?;
    let options = TrajectoryOptions { margin: args.margin, ..TrajectoryOptions::default() };
    let report = check_trajectory(&model, &samples, &options).map_err(refused)?;
    for path in &args.output {
        let at = report.first_contact.map_or((samples.len() - 1) as f64, |contact| contact.sample);
        let (from, share) = (at.floor() as usize, at.fract());
        let to = (from + 1).min(samples.len() - 1);
        let shown: Vec<f64> = samples[from].iter().zip(&samples[to]).map(|(p, q)| p + (q - p) * share).collect();
        let poses = loaded.kinematics.link_poses(&shown, &Pose::IDENTITY);
        let touching = |link: usize| {
            report.first_contact.is_some_and(|contact| contact.a == link || contact.b == Other::Link(link))
        };
        let colour = |link: usize| if touching(link) { CONTACT } else { LINKS[link % LINKS.len()] };
        let mut drawing = Drawing::new();
        drawing.add_links(&geometry, &poses, colour).map_err(refused)?;
        for obstacle in &obstacles {
            drawing.add_part(obstacle, &Pose::IDENTITY, OBJECT).map_err(refused)?;
        }
        write_picture(&drawing.picture(SIZE, DVec3::new(0.8, -0.6, 0.35)), path)?;
    }
    if json {
        print_json(&answer(loaded, &report))?
    } else {
        print(&text(loaded, &report))?
    }
    Ok(Verdict::AllAnswered)
}

fn answer(loaded: &Loaded, report: &TrajectoryReport) -> Value {
    let first = report.first_contact.map(|contact| {
        json!({
            "sample": contact.sample,
            "a": loaded.robot.links[contact.a].name,
            "b": other(&loaded.robot, contact.b),
        })
    });
    let mut value = info::summary(loaded);
    value["clear"] = json!(first.is_none());
    value["first_contact"] = json!(first);
    value["clearance"] = json!(report.clearance);
    value
}

fn text(loaded: &Loaded, report: &TrajectoryReport) -> String {
    let least = report.clearance.iter().copied().fold(f64::INFINITY, f64::min);
    let samples = report.clearance.len();
    let verdict = match &report.first_contact {
        None => "clear, between the samples too".to_owned(),
        Some(contact) => format!(
            "{} and {} touch at sample {:.4}",
            loaded.robot.links[contact.a].name,
            other(&loaded.robot, contact.b),
            contact.sample
        ),
    };
    format!(
        "{samples} samples: {verdict}\nleast clearance at a sample: {} mm\n{} distance queries\n",
        millimetres(least),
        report.queries
    )
}
