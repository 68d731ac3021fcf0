//! Robots: is this configuration free? An arm with smooth links against itself and twenty obstacles.

use cpu_time::ThreadTime;
use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::Superellipsoid;
use superegg_fit::{Containment, Count};
use superegg_robot::collide::{AllowedCollisions, CollisionModel};
use superegg_robot::contact_geometry::{ContactGeometry, ContactPart, FitOptions};
use superegg_robot::hand::{HandShapes, Side, built_in_hand};
use superegg_robot::kinematics::Kinematics;
use superegg_robot::model::Robot;
use superegg_robot::urdf::{ReadOptions, read_file};
use superegg_robot::{AcmOptions, RobotError, Threads, generate_acm};

use crate::data::shared;
use crate::measure::percent;
use crate::report::{Report, Section};
use crate::{Progress, Settings, Table};

/// Obstacles around a robot.
const OBSTACLES: usize = 20;

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, RobotError> {
    let mut robots: Vec<(String, Robot, f64)> =
        vec![("built-in hand".into(), built_in_hand(Side::Right, HandShapes::Mixed)?, 0.12)];
    match shared("robots/panda") {
        Some(folder) => {
            let robot = read_file(&folder.join("panda.urdf"), &ReadOptions::default())?.robot;
            robots.insert(0, ("Panda".into(), robot, 0.9));
        }
        None => progress.note("robot: shared data (robots/panda) not found, skipped"),
    }
    let (count, checked) = if settings.quick { (20_000, 500) } else { (400_000, 5_000) };
    let mut table = Table::new(&[
        "robot",
        "parts",
        "pairs",
        "obstacles",
        "configurations",
        "free %",
        "a second, one core",
        "µs each",
        "all answers a second, free ones",
        "checked by distances",
        "wrong",
    ]);
    progress.begin("robot: configurations", robots.len() as u64);
    for (name, robot, size) in &robots {
        let options =
            FitOptions { containment: Containment::Enclose, count: Count::Exactly(1), ..FitOptions::default() };
        let geometry = ContactGeometry::new(robot, &options, &mut |_| {})?;
        let mut allowed = AllowedCollisions::adjacent(robot, &Kinematics::new(robot));
        for pair in generate_acm(robot, &geometry, &AcmOptions { samples: 2000, ..AcmOptions::default() })? {
            allowed.allow(pair.a, pair.b);
        }
        let model = CollisionModel::new(robot, &geometry, &allowed, &obstacles(*size)?)?;
        let mut random = fastrand::Rng::with_seed(5);
        let kinematics = model.kinematics();
        let configurations: Vec<f64> = (0..count).flat_map(|_| kinematics.random(robot, &mut random)).collect();
        let start = ThreadTime::now();
        let answers = model.are_free(&configurations, Threads::One)?;
        let seconds = start.elapsed().as_secs_f64();
        // Free ones cost the most: nothing ends the search early.
        let freedoms = kinematics.freedoms().len();
        let free: Vec<f64> = configurations
            .chunks(freedoms)
            .zip(&answers)
            .filter(|(_, free)| **free)
            .flat_map(|(q, _)| q.to_vec())
            .collect();
        let start = ThreadTime::now();
        let again = model.are_free(&free, Threads::One)?;
        let free_seconds = start.elapsed().as_secs_f64();
        let mut wrong = again.iter().filter(|free| !**free).count();
        for (q, answer) in configurations.chunks(freedoms).zip(&answers).take(checked) {
            let least = model
                .distances(q)?
                .iter()
                .filter_map(|pair| pair.outcome.bounds)
                .map(|b| b.lower)
                .fold(f64::INFINITY, f64::min);
            wrong += usize::from(least.abs() > 1e-8 && (least > 0.0) != *answer);
        }
        let held = answers.iter().filter(|free| **free).count();
        table.push([
            name.clone(),
            model.part_count().to_string(),
            model.link_pairs().len().to_string(),
            model.obstacle_count().to_string(),
            count.to_string(),
            percent(held, count),
            format!("{:.0}", count as f64 / seconds),
            format!("{:.2}", 1e6 * seconds / count as f64),
            format!("{:.0}", held as f64 / free_seconds.max(1e-12)),
            checked.to_string(),
            wrong.to_string(),
        ]);
        progress.advance(1);
    }
    let section = Section {
        title: "Is this configuration free?".into(),
        text: "Random configurations within the limits, one enclosing superovoid a link, against the robot itself and twenty superellipsoids around it. \
               Processor time of one thread. Answers are exact: every test before a certified query is a proof; some are asked again by distances of all pairs."
            .into(),
        tables: vec![("configurations".into(), table)],
        ..Section::default()
    };
    Ok(Report { name: "robot", title: "Robots".into(), sections: vec![section] })
}

/// Superellipsoids around a robot, none of them at its root.
fn obstacles(size: f64) -> Result<Vec<ContactPart>, RobotError> {
    let mut random = fastrand::Rng::with_seed(9);
    let mut number = |low: f64, high: f64| low + (high - low) * random.f64();
    (0..OBSTACLES)
        .map(|_| {
            let radii = [0; 3].map(|_| size * number(0.05, 0.12));
            let shape = Superellipsoid::new(radii, [number(0.2, 1.2), number(0.2, 1.2)])?;
            let angle = number(0.0, std::f64::consts::TAU);
            let out = size * number(0.55, 1.1);
            let place = DVec3::new(out * angle.cos(), out * angle.sin(), size * number(0.1, 1.1));
            let turn = DQuat::from_xyzw(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0), 0.5).normalize();
            Ok(ContactPart::new(shape, Pose { rotation: turn, translation: place }))
        })
        .collect()
}
