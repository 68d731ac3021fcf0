//! Papers 001 (section 6.2, table 2) and 003 (table 4): distances between the links of two hands that pass through each other.
//!
//! The palms face each other, the right hand approaches until the tips of the thumbs touch, then turns inward through the left one. As in the
//! papers, a query is timed where its two surfaces intersect.

use std::hint::black_box;
use std::time::Instant;

use parry3d_f64::math::Vector;
use parry3d_f64::query::intersection_test;
use parry3d_f64::shape::TriMesh;
use superegg::Pose;
use superegg::query::{Status, WarmStart, intersect};
use superegg::shape::{IndexedTriangles, Shape, Spacing};
use superegg_robot::RobotError;
use superegg_robot::hand::{HandPair, HandShapes, MESH_VERTICES};
use superegg_schemes::{Method, SchemeOptions, distance};
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::distance_of_meshes;
use superegg_world::geometry::Geometry;

use crate::measure::{Summary, micro, percent, spend, tiny};
use crate::peers::{parry_pose, present};
use crate::report::{Report, Section};
use crate::{Progress, Settings, Table};

/// What paper 003 measured: representation, mean, standard deviation, iterations.
const PUBLISHED: [(&str, &str, &str, &str); 8] = [
    ("meshes (BVH proximity query)", "28.29", "21.98", "–"),
    ("meshes (minimum distance)", "181.03", "95.21", "–"),
    ("superellipsoids (implicit)", "127.71", "299.89", "3.7"),
    ("superovoids (implicit)", "123.55", "309.49", "3.5"),
    ("superellipsoids/superovoids (implicit)", "128.62", "277.83", "2.7"),
    ("superellipsoids (parametric)", "39.01", "96.27", "2.3"),
    ("superovoids (parametric)", "45.67", "95.11", "2.1"),
    ("superellipsoids/superovoids (parametric)", "49.55", "116.65", "2.3"),
];
/// Queries of the papers.
const QUERIES: usize = 1600;
/// A query's time is the least of so many.
const REPEATS: usize = 3;

/// Two links that intersect, and where they were a frame before.
struct Case {
    links: [usize; 2],
    bodies: [Geometry; 2],
    poses: [Pose; 2],
    before: [Pose; 2],
}

/// Times and answers of one method.
#[derive(Default)]
struct Run {
    micros: Vec<f64>,
    iterations: Vec<f64>,
    failed: usize,
    /// Distances, or nothing where there is no answer.
    distances: Vec<Option<f64>>,
}

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, RobotError> {
    let wanted = if settings.quick { 200 } else { QUERIES };
    let mut table = Table::new(&[
        "representation",
        "method",
        "queries",
        "mean µs",
        "σ µs",
        "iterations",
        "failed %",
        "error mm, median",
        "µs an answer",
    ]);
    let mut text = String::new();
    for shapes in HandShapes::ALL {
        let hands = HandPair::new(shapes)?;
        let cases = intersecting(&hands, wanted)?;
        progress.begin(&format!("hand: {}", shapes.name()), 6 * cases.len() as u64);
        let mut means = Vec::new();
        let mut runs = Vec::new();
        let mut truth = Vec::new();
        for method in [Method::Default, Method::QuadParametric, Method::OctImplicit] {
            for warm in [true, false] {
                let run = smooth(&cases, method, warm, progress);
                if truth.is_empty() {
                    truth = run.distances.clone();
                }
                let name = format!("{}, {}", method.name(), if warm { "warm" } else { "cold" });
                means.push(push(&mut table, shapes.name(), &name, &run, &truth));
                runs.push(run);
            }
        }
        let [ours, ours_cold, theirs, theirs_cold, ..] = &runs[..] else { unreachable!("two runs a method") };
        text += &format!(
            "{}: the default is {:.2} times as fast as quad_parametric warm, {:.2} times cold; on the pairs alone that quad_parametric \
             answers to 1 µm, {} % warm and {} % cold, {:.2} and {:.2} times; by all of its time for each of these answers {:.1} and {:.1} times. ",
            shapes.name(),
            means[2] / means[0],
            means[3] / means[1],
            percent(rightly_answered(theirs, &truth).len(), cases.len()),
            percent(rightly_answered(theirs_cold, &truth).len(), cases.len()),
            speed_where_answered(ours, theirs, &truth),
            speed_where_answered(ours_cold, theirs_cold, &truth),
            time_an_answer(theirs, &truth) / time_an_answer(ours, &truth),
            time_an_answer(theirs_cold, &truth) / time_an_answer(ours_cold, &truth)
        );
        if shapes == HandShapes::Mixed {
            for (name, mean) in meshes(&cases, &hands, &mut table, &truth, progress)? {
                text += &format!("{:.0} times as fast as {name}. ", mean / means[0]);
            }
        }
    }
    for (name, mean, sigma, iterations) in PUBLISHED {
        table.push_published([name, "", "1600", mean, sigma, iterations, "", "", ""].map(str::to_owned));
    }
    let introduction = format!(
        "Two hands of 21 surfaces each; links are about 16 mm long, meshes have {MESH_VERTICES:?} vertices from the base of a finger to its tip. \
         Only intersecting pairs are timed, one by one, the least of {REPEATS} runs each. *Warm* starts from the answer of the frame before, \
         as the papers do; *cold* knows nothing. The error is against the default, which is certified; *µs an answer* is all of a method's time, \
         failures too, over the distances it found within a micrometre. {} {text}",
        present()
    );
    let section = Section {
        title: "Hands (paper 001 table 2, paper 003 table 4)".into(),
        text: introduction,
        tables: vec![("hands".into(), table)],
        ..Section::default()
    };
    Ok(Report { name: "hand", title: "The hands".into(), sections: vec![section] })
}

/// The pairs whose distance a method found within a micrometre.
fn rightly_answered(run: &Run, truth: &[Option<f64>]) -> Vec<usize> {
    let near = |n: &usize| matches!((run.distances[*n], truth[*n]), (Some(a), Some(b)) if (a - b).abs() < 1e-6);
    (0..truth.len()).filter(near).collect()
}

/// All of a method's time, failures too, for each distance that it found within a micrometre.
fn time_an_answer(run: &Run, truth: &[Option<f64>]) -> f64 {
    run.micros.iter().sum::<f64>() / rightly_answered(run, truth).len() as f64
}

/// How many times as fast one method is as another, on the pairs that the other one answers.
fn speed_where_answered(ours: &Run, theirs: &Run, truth: &[Option<f64>]) -> f64 {
    let answered = rightly_answered(theirs, truth);
    let total = |run: &Run| answered.iter().map(|n| run.micros[*n]).sum::<f64>();
    total(theirs) / total(ours)
}

fn push(table: &mut Table, shapes: &str, name: &str, run: &Run, truth: &[Option<f64>]) -> f64 {
    let times = Summary::of(run.micros.iter().copied());
    let iterations = Summary::of(run.iterations.iter().copied());
    let mut errors: Vec<f64> = run
        .distances
        .iter()
        .zip(truth)
        .filter_map(|(found, truth)| Some(1e3 * ((*found)? - (*truth)?).abs()))
        .collect();
    errors.sort_by(f64::total_cmp);
    table.push([
        shapes.to_owned(),
        name.to_owned(),
        times.count.to_string(),
        micro(1e-6 * times.mean),
        micro(1e-6 * times.sigma),
        if iterations.count == 0 { "–".into() } else { format!("{:.1}", iterations.mean) },
        percent(run.failed, times.count),
        errors.get(errors.len() / 2).map_or("–".into(), |error| tiny(*error)),
        if rightly_answered(run, truth).is_empty() { "–".into() } else { micro(1e-6 * time_an_answer(run, truth)) },
    ]);
    times.mean
}

/// Pairs that intersect, spread over all frames.
fn intersecting(hands: &HandPair, wanted: usize) -> Result<Vec<Case>, RobotError> {
    let mut cases = Vec::new();
    for (frame, poses) in hands.frames.iter().enumerate().skip(1) {
        for (i, (_, one)) in hands.parts[0].iter().enumerate() {
            for (j, (_, other)) in hands.parts[1].iter().enumerate() {
                if intersect(&one.shape, &poses[0][i], &other.shape, &poses[1][j])? {
                    let before = &hands.frames[frame - 1];
                    cases.push(Case {
                        links: [i, j],
                        bodies: [one.shape.clone().into(), other.shape.clone().into()],
                        poses: [poses[0][i], poses[1][j]],
                        before: [before[0][i], before[1][j]],
                    });
                }
            }
        }
    }
    let step = (cases.len() / wanted).max(1);
    Ok(cases.into_iter().step_by(step).take(wanted).collect())
}

/// The least time of a few calls, in microseconds, and the answer.
fn timed<T>(mut call: impl FnMut() -> T) -> (f64, T) {
    let mut least = f64::INFINITY;
    let mut answer = None;
    for _ in 0..REPEATS {
        let start = Instant::now();
        let found = black_box(call());
        least = least.min(1e6 * start.elapsed().as_secs_f64());
        answer = Some(found);
    }
    (least, answer.expect("called at least once"))
}

fn smooth(cases: &[Case], method: Method, warm: bool, progress: &dyn Progress) -> Run {
    let mut run = Run::default();
    for case in cases {
        let ask = |poses: &[Pose; 2], start: Option<WarmStart>| {
            let options = SchemeOptions { warm_start: start, ..method.options() };
            distance(method, &case.bodies[0], &poses[0], &case.bodies[1], &poses[1], &options)
        };
        let start = if warm { ask(&case.before, None).ok().map(|answer| answer.outcome.warm_start) } else { None };
        let (micros, answer) = timed(|| ask(&case.poses, start));
        run.micros.push(micros);
        match answer {
            Ok(answer) if answer.outcome.status != Status::NotConverged => {
                run.iterations.push(f64::from(answer.outcome.iterations));
                run.distances.push(Some(answer.outcome.distance));
            }
            _ => {
                run.failed += 1;
                run.distances.push(None);
            }
        }
        progress.advance(1);
    }
    run
}

/// The mesh of a link with the papers' number of vertices.
fn mesh_of(name: &str, shape: &Shape) -> Result<IndexedTriangles, RobotError> {
    let mean = MESH_VERTICES.iter().sum::<usize>() / MESH_VERTICES.len();
    let segment = name.rsplit('_').next().and_then(|digit| digit.parse::<usize>().ok());
    let vertices = segment.map_or(mean, |segment| MESH_VERTICES[segment.min(3)]);
    Ok(match shape {
        Shape::Superellipsoid(egg) => egg.tessellate(vertices, Spacing::Curvature)?,
        Shape::Superovoid(egg) => egg.tessellate(vertices, Spacing::Curvature)?,
        _ => return Err(RobotError::Invalid("a link that is not smooth".into())),
    })
}

/// Distances and intersections of meshes; names and mean times in microseconds.
fn meshes(
    cases: &[Case],
    hands: &HandPair,
    table: &mut Table,
    truth: &[Option<f64>],
    progress: &dyn Progress,
) -> Result<Vec<(&'static str, f64)>, RobotError> {
    let soups = |side: usize| {
        hands.parts[side].iter().map(|(name, part)| mesh_of(name, &part.shape)).collect::<Result<Vec<_>, _>>()
    };
    let soups = [soups(0)?, soups(1)?];
    let mut means = Vec::new();
    let mut measure = |name: &'static str, ask: &mut dyn FnMut(&Case) -> Option<f64>| {
        let mut run = Run::default();
        progress.begin(&format!("hand: {name}"), cases.len() as u64);
        for case in cases {
            let (micros, found) = timed(|| ask(case));
            run.micros.push(micros);
            run.distances.push(found);
            progress.advance(1);
        }
        means.push((name, push(table, "meshes", name, &run, truth)));
    };
    let own = |side: usize| {
        let mesh = |soup: &IndexedTriangles| {
            let mesh = superegg_mesh::TriangleMesh::new(soup.vertices.clone(), soup.triangles.clone());
            CollisionMesh::new(mesh.map_err(|e| RobotError::Invalid(e.to_string()))?).map_err(RobotError::from)
        };
        soups[side].iter().map(mesh).collect::<Result<Vec<_>, _>>()
    };
    let own = [own(0)?, own(1)?];
    measure("mesh distance", &mut |case| {
        let [i, j] = case.links;
        Some(distance_of_meshes(&own[0][i], &case.poses[0], &own[1][j], &case.poses[1], 1e-6).outcome.distance)
    });
    let parry = |side: usize| -> Vec<TriMesh> {
        let mesh = |soup: &IndexedTriangles| {
            let vertices = soup.vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
            TriMesh::new(vertices, soup.triangles.clone()).expect("a closed mesh")
        };
        soups[side].iter().map(mesh).collect()
    };
    let parry = [parry(0), parry(1)];
    measure("mesh boolean (parry)", &mut |case| {
        let [i, j] = case.links;
        let (a, b) = (parry_pose(&case.poses[0]), parry_pose(&case.poses[1]));
        spend(intersection_test(&a, &parry[0][i], &b, &parry[1][j]));
        None
    });
    #[cfg(feature = "fcl")]
    {
        let fcl = [&soups[0], &soups[1]].map(|side| side.iter().map(crate::peers::FclMesh::new).collect::<Vec<_>>());
        measure("mesh distance (FCL)", &mut |case| {
            let [i, j] = case.links;
            Some(fcl[0][i].distance(&case.poses[0], &fcl[1][j], &case.poses[1]).0)
        });
    }
    Ok(means)
}
