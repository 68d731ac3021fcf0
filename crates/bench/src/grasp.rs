//! Grasps: force closure and qualities on exact friction cones, beside faceted cones with Qhull; and a search for grasps.
//!
//! The battery: random contacts on a ball, a box-like and a rounded superellipsoid, three to eight of them, three coefficients of friction. Every answer is
//! scored against bounds that are certified to 1e-6.

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use cpu_time::ThreadTime;
use glam::DVec3;
use superegg::Pose;
use superegg::shape::Superellipsoid;
use superegg_fit::{Containment, Count};
use superegg_robot::collide::{AllowedCollisions, CollisionModel};
use superegg_robot::contact_geometry::{ContactGeometry, ContactPart, FitOptions};
use superegg_robot::grasp::{
    Accuracy, ContactSet, GraspContact, Hand, SearchOptions, Wrenches, closure, min_weight, quality, quality_estimate,
    quality_gradient, search,
};
use superegg_robot::hand::{HandShapes, Side, built_in_hand};
use superegg_robot::model::Robot;
use superegg_robot::urdf::{ReadOptions, read_file};
use superegg_robot::{RobotError, Threads};

use crate::data::shared;
use crate::measure::{micro, percent, spend};
use crate::report::{Report, Section};
use crate::{Progress, Settings, Table};

/// Contacts of the grasps.
const CONTACTS: [usize; 4] = [3, 4, 5, 8];
/// Sides of the faceted cones.
const FACETS: usize = 8;

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, RobotError> {
    let sections = vec![qualities(settings, progress)?, searches(settings, progress)?];
    Ok(Report { name: "grasp", title: "Grasps".into(), sections })
}

/// Random contacts on a ball, a box-like or a rounded superellipsoid.
fn random_grasp(random: &mut fastrand::Rng, count: usize, number: usize) -> Vec<GraspContact> {
    let friction = [0.3, 0.6, 1.0][number % 3];
    let (radii, exponent) = [([1.0; 3], 1.0), ([1.0, 0.8, 0.6], 0.1), ([1.0, 0.9, 0.7], 2.0 / 3.5)][number / 3 % 3];
    let shape = Superellipsoid::new(radii, [exponent; 2]).expect("of ordinary size");
    (0..count)
        .map(|_| {
            let mut unit = || 2.0 * random.f64() - 1.0;
            let direction = DVec3::new(unit(), unit(), unit()).normalize_or(DVec3::X);
            GraspContact { point: shape.support(direction), normal: -direction, friction }
        })
        .collect()
}

/// Median, and 90 % of sorted values.
fn spread(values: &mut [f64]) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let at = |q: f64| values.get(((values.len().max(1) - 1) as f64 * q) as usize).copied().unwrap_or(f64::NAN);
    [at(0.5), at(0.9)]
}

/// Seconds of one call: of many, where it is short.
fn seconds(times: usize, mut call: impl FnMut()) -> f64 {
    let start = ThreadTime::now();
    (0..times).for_each(|_| call());
    start.elapsed().as_secs_f64() / times as f64
}

fn qualities(settings: &Settings, progress: &dyn Progress) -> Result<Section, RobotError> {
    let count = if settings.quick { 60 } else { 500 };
    let mut table = Table::new(&[
        "contacts",
        "grasps (held)",
        "closure µs",
        "min-weight and gradient µs",
        "estimate µs",
        "estimate within 1 % of the truth, %",
        "certified to 1e-3: median µs",
        "90 %",
        "sum, certified to 1e-2: median µs",
        "gradient µs",
        "contradictions",
    ]);
    let mut peers = Table::new(&[
        "contacts",
        "method",
        "grasps",
        "median ms",
        "error %, median",
        "error %, 90 %",
        "held, but not found",
    ]);
    let mut qhull_ran = false;
    progress.begin("grasp: qualities", (CONTACTS.len() * count) as u64);
    for contacts in CONTACTS {
        let mut random = fastrand::Rng::with_seed(contacts as u64);
        let grasps: Vec<Vec<GraspContact>> = (0..count).map(|n| random_grasp(&mut random, contacts, n)).collect();
        let (mut deciding, mut weighing, mut estimating, mut certifying) = (vec![], vec![], vec![], vec![]);
        let (mut summing, mut deriving) = (vec![], vec![]);
        let (mut held, mut near, mut contradictions, mut exact, mut kept) = (0, 0, 0, vec![], vec![]);
        for (number, grasp) in grasps.iter().enumerate() {
            let set = ContactSet::new(grasp, DVec3::ZERO, 1.0)?;
            deciding.push(seconds(20, || spend(closure(black_box(&set)))));
            weighing.push(seconds(10, || spend(min_weight(black_box(&set)))));
            progress.advance(1);
            if !closure(&set).is_closed() {
                continue;
            }
            held += 1;
            estimating.push(seconds(5, || spend(quality_estimate(black_box(&set), Wrenches::Hull))));
            let coarse = Accuracy::default();
            certifying.push(seconds(3, || spend(quality(black_box(&set), Wrenches::Hull, &coarse))));
            let truth = quality(&set, Wrenches::Hull, &Accuracy { gap: 1e-6, points: 6000 });
            let estimate = quality_estimate(&set, Wrenches::Hull);
            near += usize::from(estimate.upper <= truth.upper * 1.01);
            contradictions +=
                usize::from(truth.lower > estimate.upper || estimate.lower > truth.upper || !truth.is_within(1e-5));
            deriving.push(seconds(10, || spend(quality_gradient(&set, black_box(&truth)))));
            if number % 10 == 0 {
                let loose = Accuracy { gap: 1e-2, points: 1500 };
                summing.push(seconds(1, || spend(quality(black_box(&set), Wrenches::Sum, &loose))));
            }
            exact.push(truth.upper);
            kept.push(grasp.clone());
        }
        let middle = |times: &mut Vec<f64>| micro(spread(times)[0]);
        let [median, most] = spread(&mut certifying);
        table.push([
            contacts.to_string(),
            format!("{count} ({held})"),
            middle(&mut deciding),
            middle(&mut weighing),
            middle(&mut estimating),
            percent(near, held),
            micro(median),
            micro(most),
            middle(&mut summing),
            middle(&mut deriving),
            contradictions.to_string(),
        ]);
        let few = if settings.quick { 10 } else { 40 };
        let some: Vec<(&Vec<GraspContact>, f64)> = kept.iter().zip(exact.iter().copied()).take(few).collect();
        qhull_ran |= against_qhull(&some, contacts, &mut peers);
    }
    let peer = if qhull_ran {
        "Qhull: scipy's ConvexHull of eight-sided cones, in the same run, the hull alone."
    } else {
        "Qhull did not run: it needs Python with scipy (`SUPEREGG_PYTHON` names it)."
    };
    Ok(Section {
        title: "Closure and quality on exact cones".into(),
        text: format!(
            "Random contacts on a ball, a box and a rounded superellipsoid, friction 0.3, 0.6 and 1; processor time, medians. The truth is certified \
             to 1e-6; a contradiction would be a bound on the wrong side of another. {peer}"
        ),
        tables: vec![("quality".into(), table), ("qhull".into(), peers)],
        ..Section::default()
    })
}

/// The same grasps by faceted cones; false if the peer is not there.
fn against_qhull(grasps: &[(&Vec<GraspContact>, f64)], contacts: usize, table: &mut Table) -> bool {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/grasp_qhull.py");
    let python = std::env::var_os("SUPEREGG_PYTHON").unwrap_or_else(|| "python3".into());
    let child = Command::new(python)
        .arg(script)
        .arg(FACETS.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return false };
    let mut input = String::new();
    for (grasp, _) in grasps {
        for contact in *grasp {
            let [p, n] = [contact.point, contact.normal].map(|v| format!("{} {} {}", v.x, v.y, v.z));
            input += &format!("{p} {n} {} ", contact.friction);
        }
        input.push('\n');
    }
    // What cannot be written shows as an output that is too short.
    if let Some(mut pipe) = child.stdin.take() {
        drop(pipe.write_all(input.as_bytes()));
    }
    let Ok(output) = child.wait_with_output() else { return false };
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<(f64, f64)> = text
        .lines()
        .filter_map(|line| line.split_once(' ').and_then(|(ms, q)| Some((ms.parse().ok()?, q.parse().ok()?))))
        .collect();
    if !output.status.success() || answers.len() != grasps.len() {
        return false;
    }
    let mut times: Vec<f64> = answers.iter().map(|(ms, _)| *ms).collect();
    let mut errors: Vec<f64> =
        answers.iter().zip(grasps).map(|((_, found), (_, truth))| 100.0 * (1.0 - found / truth)).collect();
    let lost = answers.iter().filter(|(_, found)| *found <= 0.0).count();
    let [median, most] = spread(&mut errors);
    table.push([
        contacts.to_string(),
        format!("Qhull, {FACETS} facets a cone"),
        grasps.len().to_string(),
        format!("{:.2}", spread(&mut times)[0]),
        format!("{median:.1}"),
        format!("{most:.1}"),
        lost.to_string(),
    ]);
    true
}

/// The object that is grasped: Piet Hein's superegg, in metres.
fn superegg() -> Result<ContactPart, RobotError> {
    Ok(ContactPart::new(Superellipsoid::new([0.027, 0.027, 0.036], [1.0, 0.8])?, Pose::IDENTITY))
}

fn searches(settings: &Settings, progress: &dyn Progress) -> Result<Section, RobotError> {
    let mut hands: Vec<(String, Robot)> =
        vec![("built-in hand".into(), built_in_hand(Side::Right, HandShapes::Mixed)?)];
    for (name, file) in [
        ("Allegro hand", "robots/allegro_hand_right/allegro_hand_right.urdf"),
        ("Schunk hand", "robots/schunk_hand_right/schunk_svh_hand_right.urdf"),
    ] {
        let folder = file.rsplit_once('/').map_or(file, |(folder, _)| folder);
        match shared(folder) {
            Some(folder) => {
                let path = folder.join(file.rsplit('/').next().unwrap_or(file));
                hands.push((name.into(), read_file(&path, &ReadOptions::default())?.robot));
            }
            None => progress.note(&format!("grasp: shared data ({folder}) not found, skipped")),
        }
    }
    let attempts = if settings.quick { 200 } else { 3000 };
    let object = superegg()?;
    let mut table = Table::new(&[
        "hand",
        "attempts",
        "touched",
        "hold",
        "hold a second, one core",
        "queries an attempt",
        "deepest certified penetration, mm",
        "best quality",
    ]);
    progress.begin("grasp: search", hands.len() as u64);
    for (name, robot) in &hands {
        let options =
            FitOptions { containment: Containment::Enclose, count: Count::Exactly(1), ..FitOptions::default() };
        let geometry = ContactGeometry::new(robot, &options, &mut |_| {})?;
        let hand = Hand::new(
            robot,
            CollisionModel::new(
                robot,
                &geometry,
                &AllowedCollisions::at_rest(robot, &geometry)?,
                std::slice::from_ref(&object),
            )?,
        );
        let options = SearchOptions { attempts, threads: Threads::One, ..SearchOptions::default() };
        let start = ThreadTime::now();
        let report = search(&hand, DVec3::ZERO, 0.036, &options)?;
        let elapsed = start.elapsed().as_secs_f64();
        table.push([
            name.clone(),
            attempts.to_string(),
            report.touched.to_string(),
            report.held.to_string(),
            format!("{:.0}", report.held as f64 / elapsed),
            format!("{:.0}", report.queries as f64 / attempts as f64),
            format!("{:.4}", 1e3 * report.deepest),
            report.grasps.first().map_or("–".into(), |grasp| format!("{:.4}", grasp.quality.lower)),
        ]);
        progress.advance(1);
    }
    Ok(Section {
        title: "A search for grasps of a superegg".into(),
        text: "Random placements, fingers closed by conservative advancement, friction 0.5, processor time of one thread. Links are one enclosing superovoid each.".into(),
        tables: vec![("search".into(), table)],
        ..Section::default()
    })
}
