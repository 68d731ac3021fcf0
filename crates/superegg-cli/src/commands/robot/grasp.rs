//! `superegg robot FILE grasp`: grasps of an object, ranked by quality.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Map, Value, json};
use superegg::Threads;
use superegg_robot::collide::{AllowedCollisions, CollisionModel};
use superegg_robot::grasp::{Grasp, Hand, SearchOptions, SearchReport, ball_around, search};
use superegg_robot::picture::{CONTACT, Drawing, LINKS, OBJECT};
use superegg_robot::{DVec3, Pose};

use super::input::{Fitting, Loaded, read_bodies};
use super::output::{allow_endings, millimetres, pose, print, print_json, table, write_picture};
use super::{info, refused};
use crate::error::{CliError, Verdict};

/// Look for grasps of an object: force closure and quality on exact friction cones, certified
#[derive(clap::Args)]
pub struct Args {
    /// A JSON file with the object: a shape, a compound or a mesh
    #[arg(long, value_name = "SHAPE.json")]
    object: PathBuf,
    #[command(flatten)]
    fitting: Fitting,
    /// Attempts
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    attempts: u32,
    /// The best so many are told
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    count: u32,
    /// Coefficient of friction
    #[arg(long, value_name = "MU", default_value_t = 0.5)]
    friction: f64,
    /// Of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Use one thread
    #[arg(long)]
    one_thread: bool,
    /// A picture of the best grasp; given twice, of the best two, and so on
    #[arg(short, long, value_name = "OUT.png")]
    output: Vec<PathBuf>,
}

/// Runs the action.
pub fn run(args: &Args, loaded: &Loaded, json: bool) -> Result<Verdict, CliError> {
    allow_endings(&args.output, &["png"])?;
    let object = read_bodies(&args.object)?;
    let geometry = args.fitting.geometry(loaded)?;
    let mut allowed = AllowedCollisions::at_rest(&loaded.robot, &geometry).map_err(refused)?;
    loaded.allow_by_srdf(&mut allowed);
    let model = CollisionModel::new(&loaded.robot, &geometry, &allowed, &object).map_err(refused)?;
    let hand = Hand::new(&loaded.robot, model);
    let (center, radius) = ball_around(&object);
    let options = SearchOptions {
        attempts: args.attempts as usize,
        friction: args.friction,
        keep: args.count as usize,
        seed: args.seed,
        threads: if args.one_thread { Threads::One } else { Threads::All },
        ..SearchOptions::default()
    };
    let started = Instant::now();
    let report = search(&hand, center, radius, &options).map_err(refused)?;
    let seconds = started.elapsed().as_secs_f64();
    for (path, grasp) in args.output.iter().zip(&report.grasps) {
        let poses = loaded.kinematics.link_poses(&grasp.configuration, &grasp.base);
        let mut drawing = Drawing::new();
        drawing.add_links(&geometry, &poses, |link| LINKS[link % LINKS.len()]).map_err(refused)?;
        for part in &object {
            drawing.add_part(part, &Pose::IDENTITY, OBJECT).map_err(refused)?;
        }
        let thin = 0.008 * drawing.size();
        for contact in &grasp.contacts {
            drawing.add_ball(contact.point, thin, CONTACT).map_err(refused)?;
            drawing
                .add_rod(contact.point - contact.normal * (8.0 * thin), contact.point, 0.4 * thin, CONTACT)
                .map_err(refused)?;
        }
        // From the side where the palm is not.
        let palm = (center - grasp.base.translation).normalize_or(DVec3::X);
        let side = palm.any_orthonormal_vector();
        write_picture(&drawing.picture([1000, 1000], side + palm * 0.3 + DVec3::Z * 0.35), path)?;
    }
    if args.output.len() > report.grasps.len() {
        eprintln!("superegg: note: {} grasps for {} pictures", report.grasps.len(), args.output.len());
    }
    if json {
        print_json(&answer(loaded, args, &report, seconds))?
    } else {
        print(&text(loaded, args, &report, seconds))?
    }
    Ok(Verdict::AllAnswered)
}

fn answer(loaded: &Loaded, args: &Args, report: &SearchReport, seconds: f64) -> Value {
    let one = |grasp: &Grasp| {
        let joints: Map<String, Value> = grasp
            .configuration
            .iter()
            .enumerate()
            .map(|(number, value)| (loaded.kinematics.freedom_name(&loaded.robot, number), json!(value)))
            .collect();
        let contacts: Vec<Value> = grasp
            .contacts
            .iter()
            .map(|contact| {
                json!({
                    "link": loaded.robot.links[contact.link].name,
                    "point": contact.point.to_array(),
                    "normal": contact.normal.to_array(),
                    "distance": contact.distance,
                })
            })
            .collect();
        json!({
            "quality": {"lower": grasp.quality.lower, "upper": grasp.quality.upper},
            "force_closure": grasp.quality.lower > 0.0,
            "joints": joints,
            "pose": pose(&grasp.base),
            "contacts": contacts,
            "depth": grasp.depth,
        })
    };
    let mut value = info::summary(loaded);
    value["grasps"] = Value::Array(report.grasps.iter().map(one).collect());
    value["attempts"] = json!(args.attempts);
    value["held"] = json!(report.held);
    value["seconds"] = json!(seconds);
    value
}

fn text(loaded: &Loaded, args: &Args, report: &SearchReport, seconds: f64) -> String {
    let mut text = format!(
        "{} attempts in {seconds:.2} s: {} touched, {} hold ({:.0} a second); deepest certified penetration {} mm\n",
        args.attempts,
        report.touched,
        report.held,
        report.held as f64 / seconds.max(1e-9),
        millimetres(report.deepest)
    );
    let rows: Vec<Vec<String>> = (1..)
        .zip(&report.grasps)
        .map(|(rank, grasp): (usize, &Grasp)| {
            let mut links: Vec<&str> =
                grasp.contacts.iter().map(|c| loaded.robot.links[c.link].name.as_str()).collect();
            links.dedup();
            vec![
                rank.to_string(),
                format!("{:.5} … {:.5}", grasp.quality.lower, grasp.quality.upper),
                grasp.contacts.len().to_string(),
                links.join(", "),
            ]
        })
        .collect();
    text += &table(&["", "quality", "contacts", "links"], &rows);
    text
}
