//! `superegg robot FILE sim`: the robot in the simulation world, driven by servos.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use superegg_robot::picture::{Drawing, LINKS, OBJECT};
use superegg_robot::simulate::{SimulationOptions, add_robot};
use superegg_robot::{DVec3, Pose};
use superegg_sim::{Body, StepOptions, World};

use super::input::{Configuration, Fitting, Loaded, read_bodies, read_trajectory};
use super::output::{SIZE, allow_endings, print, print_json, table, write_picture, write_text};
use super::{info, refused};
use crate::commands::sim::usage;
use crate::error::{CliError, Verdict};
use crate::progress::Progress;

/// Simulate the robot with a servo on every joint, holding a configuration or following a trajectory
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    configuration: Configuration,
    #[command(flatten)]
    fitting: Fitting,
    /// Simulated time in seconds
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,
    /// Targets over the simulated time: a CSV file as `check` reads it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["joints", "state"])]
    trajectory: Option<PathBuf>,
    /// Bodies that stand still: a JSON file with a body or a list of bodies
    #[arg(long, value_name = "FILE")]
    obstacles: Option<PathBuf>,
    /// How fast servos follow, in hertz
    #[arg(long, value_name = "HZ", default_value_t = 4.0)]
    frequency: f64,
    /// Links meet each other
    #[arg(long)]
    self_collision: bool,
    /// Joints over time: a CSV file
    #[arg(long, value_name = "OUT.csv")]
    record: Option<PathBuf>,
    /// A picture of the end
    #[arg(short, long, value_name = "OUT.png")]
    output: Vec<PathBuf>,
}

/// Length of a step, in seconds.
const STEP: f64 = 1.0 / 240.0;

/// Runs the action.
pub fn run(args: &Args, loaded: &Loaded, json: bool) -> Result<Verdict, CliError> {
    allow_endings(&args.output, &["png"])?;
    if !(0.0..=3600.0).contains(&args.seconds) {
        return Err(CliError::Usage(format!("--seconds: {} is outside [0, 3600]", args.seconds)));
    }
    let targets = match &args.trajectory {
        Some(path) => read_trajectory(path, loaded)?,
        None => vec![loaded.configuration(&args.configuration)?],
    };
    let obstacles = args.obstacles.as_deref().map(read_bodies).transpose()?.unwrap_or_default();
    let geometry = args.fitting.geometry(loaded)?;
    let mut world = World::new();
    for obstacle in &obstacles {
        world.add_body(Body::fixed(obstacle.shape.clone(), obstacle.pose)).map_err(usage)?;
    }
    let options = SimulationOptions { frequency: args.frequency, self_collision: args.self_collision };
    let robot =
        add_robot(&mut world, &loaded.robot, &geometry, &Pose::IDENTITY, &targets[0], &options).map_err(refused)?;
    let steps = (args.seconds / STEP).ceil() as usize;
    let mut progress = Progress::of_frames(steps as u64);
    let names: Vec<String> = (0..targets[0].len()).map(|j| loaded.kinematics.freedom_name(&loaded.robot, j)).collect();
    let mut record = format!("time,{}\n", names.join(","));
    let mut worst = vec![0f64; targets[0].len()];
    for step in 0..steps {
        let target = between(&targets, (step + 1) as f64 / steps.max(1) as f64);
        robot.set_targets(&mut world, &target).map_err(refused)?;
        world.step(STEP, &StepOptions::default()).map_err(usage)?;
        let now = robot.configuration(&world).map_err(refused)?;
        worst.iter_mut().zip(now.iter().zip(&target)).for_each(|(worst, (q, t))| *worst = worst.max((q - t).abs()));
        let numbers: Vec<String> = now.iter().map(f64::to_string).collect();
        record += &format!("{},{}\n", (step + 1) as f64 * STEP, numbers.join(","));
        progress.advance(1);
    }
    progress.finish();
    if let Some(path) = &args.record {
        write_text(&record, path)?;
    }
    let end = robot.configuration(&world).map_err(refused)?;
    for path in &args.output {
        let mut drawing = Drawing::new();
        let pose = |link: usize| Ok(world.body(robot.bodies[link])?.pose().compose(&robot.frames[link]));
        let poses = (0..loaded.robot.links.len()).map(pose).collect::<Result<Vec<_>, _>>().map_err(usage)?;
        drawing.add_links(&geometry, &poses, |link| LINKS[link % LINKS.len()]).map_err(refused)?;
        for obstacle in &obstacles {
            drawing.add_part(obstacle, &Pose::IDENTITY, OBJECT).map_err(refused)?;
        }
        write_picture(&drawing.picture(SIZE, DVec3::new(0.8, -0.6, 0.35)), path)?;
    }
    let last = between(&targets, 1.0);
    if json {
        let by_name = |values: &[f64]| -> Map<String, Value> {
            names.iter().cloned().zip(values.iter().map(|v| json!(v))).collect()
        };
        let mut value = info::summary(loaded);
        value["seconds"] = json!(args.seconds);
        value["joints_at_end"] = Value::Object(by_name(&end));
        value["targets_at_end"] = Value::Object(by_name(&last));
        value["largest_deviation"] = Value::Object(by_name(&worst));
        print_json(&value)?;
    } else {
        let row = |j: usize| {
            vec![names[j].clone(), format!("{:.5}", last[j]), format!("{:.5}", end[j]), format!("{:.2e}", worst[j])]
        };
        let rows: Vec<Vec<String>> = (0..names.len()).map(row).collect();
        let text = table(&["joint", "target", "at the end", "largest deviation"], &rows);
        print(&format!("{} s of simulated time, {steps} steps\n{text}", args.seconds))?;
    }
    Ok(Verdict::AllAnswered)
}

/// A place on a polygon of configurations, from 0 to 1.
fn between(samples: &[Vec<f64>], share: f64) -> Vec<f64> {
    let at = share.clamp(0.0, 1.0) * (samples.len() - 1) as f64;
    let from = at.floor() as usize;
    let to = (from + 1).min(samples.len() - 1);
    samples[from].iter().zip(&samples[to]).map(|(p, q)| p + (q - p) * at.fract()).collect()
}
