//! `superegg robot FILE distances`: how far apart links are, with gradients by joint angles.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use superegg_robot::collide::{LinkDistance, Other};
use superegg_robot::picture::{CONTACT, Drawing, LINKS, NEAR, OBJECT};
use superegg_robot::{DVec3, Pose};

use super::input::{Configuration, Fitting, Loaded, read_bodies};
use super::output::{SIZE, allow_endings, millimetres, other, print, print_json, table, write_picture};
use super::{info, refused};
use crate::error::{CliError, Verdict};

/// Distances between links and to obstacles, with certified bounds and gradients by joint angles
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    configuration: Configuration,
    #[command(flatten)]
    fitting: Fitting,
    /// A JSON file with a body or a list of bodies
    #[arg(long, value_name = "FILE")]
    obstacles: Option<PathBuf>,
    /// A picture with links, closest points and normals
    #[arg(short, long, value_name = "OUT.png")]
    output: Vec<PathBuf>,
}

/// Lines of the table for people.
const SHOWN: usize = 25;

/// Runs the action.
pub fn run(args: &Args, loaded: &Loaded, json: bool) -> Result<Verdict, CliError> {
    allow_endings(&args.output, &["png"])?;
    let configuration = loaded.configuration(&args.configuration)?;
    let obstacles = args.obstacles.as_deref().map(read_bodies).transpose()?.unwrap_or_default();
    let geometry = args.fitting.geometry(loaded)?;
    let model = loaded.model(&geometry, &obstacles)?;
    let mut pairs = model.distances(&configuration).map_err(refused)?;
    pairs.sort_by(|p, q| p.outcome.distance.total_cmp(&q.outcome.distance));
    for path in &args.output {
        let poses = loaded.kinematics.link_poses(&configuration, &Pose::IDENTITY);
        let mut drawing = Drawing::new();
        drawing.add_links(&geometry, &poses, |link| LINKS[link % LINKS.len()]).map_err(refused)?;
        for obstacle in &obstacles {
            drawing.add_part(obstacle, &Pose::IDENTITY, OBJECT).map_err(refused)?;
        }
        let thin = 0.003 * drawing.size();
        for pair in pairs.iter().take(12) {
            let outcome = &pair.outcome;
            let colour = if outcome.distance > 0.0 { NEAR } else { CONTACT };
            for point in [outcome.point_a, outcome.point_b] {
                drawing.add_ball(point, 1.6 * thin, colour).map_err(refused)?;
            }
            drawing.add_rod(outcome.point_a, outcome.point_b, 0.7 * thin, colour).map_err(refused)?;
            if outcome.distance <= 0.0 {
                drawing
                    .add_rod(outcome.point_a, outcome.point_a + outcome.normal * (12.0 * thin), 0.7 * thin, CONTACT)
                    .map_err(refused)?;
            }
        }
        write_picture(&drawing.picture(SIZE, DVec3::new(0.8, -0.6, 0.35)), path)?;
    }
    if json {
        let mut value = info::summary(loaded);
        value["pairs"] = Value::Array(pairs.iter().map(|pair| one(loaded, pair)).collect());
        print_json(&value)?;
    } else {
        print(&text(loaded, &pairs))?;
    }
    Ok(Verdict::AllAnswered)
}

fn one(loaded: &Loaded, pair: &LinkDistance) -> Value {
    let outcome = &pair.outcome;
    let gradient: Map<String, Value> = pair
        .gradient
        .iter()
        .enumerate()
        .filter(|(_, value)| **value != 0.0)
        .map(|(number, value)| (loaded.kinematics.freedom_name(&loaded.robot, number), json!(value)))
        .collect();
    json!({
        "a": loaded.robot.links[pair.a].name,
        "b": other(&loaded.robot, pair.b),
        "distance": outcome.distance,
        "lower": outcome.bounds.map(|bounds| bounds.lower),
        "upper": outcome.bounds.map(|bounds| bounds.upper),
        "point_a": outcome.point_a.to_array(),
        "point_b": outcome.point_b.to_array(),
        "normal": outcome.normal.to_array(),
        "gradient": gradient,
    })
}

fn text(loaded: &Loaded, pairs: &[LinkDistance]) -> String {
    let row = |pair: &LinkDistance| {
        let steepest = (0..pair.gradient.len())
            .fold(0, |a, b| if pair.gradient[b].abs() > pair.gradient[a].abs() { b } else { a });
        let gradient = pair.gradient.get(steepest).filter(|value| **value != 0.0).map_or(String::new(), |value| {
            format!("{:+.1} mm/rad by {}", 1e3 * value, loaded.kinematics.freedom_name(&loaded.robot, steepest))
        });
        let width = pair.outcome.bounds.map_or(f64::NAN, |bounds| bounds.upper - bounds.lower);
        vec![
            loaded.robot.links[pair.a].name.clone(),
            other(&loaded.robot, pair.b),
            millimetres(pair.outcome.distance),
            format!("{:.0e}", width),
            gradient,
        ]
    };
    let rows: Vec<Vec<String>> = pairs.iter().take(SHOWN).map(row).collect();
    let touching = pairs.iter().filter(|pair| pair.outcome.distance <= 0.0).count();
    let obstacles = pairs.iter().filter(|pair| matches!(pair.b, Other::Obstacle(_))).count();
    let mut text = format!("{} pairs ({obstacles} with obstacles), {touching} in contact\n", pairs.len());
    text += &table(&["a", "b", "distance mm", "bounds within m", "steepest"], &rows);
    if pairs.len() > SHOWN {
        text += &format!("  and {} farther ones; --json lists all\n", pairs.len() - SHOWN);
    }
    text
}
