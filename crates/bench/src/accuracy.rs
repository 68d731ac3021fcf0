//! Paper 003 figure 9: how many vertices a mesh needs to come near the smooth answer, and what that costs.
//!
//! The error is the paper's (equation 20): the length of the difference of both closest points, as one vector of six.

use std::convert::Infallible;

use glam::DVec3;
use rand::RngExt;
use superegg::Pose;
use superegg::query::Status;
use superegg::shape::Superovoid;
use superegg_schemes::{MeshPair, Method, distance};
use superegg_world::geometry::Geometry;
use testkit::generate::{rotation, seeded};

use crate::measure::{Summary, alternate, micro, spend, tiny};
use crate::pairs::is_tight;
use crate::peers::present;
use crate::report::{Axis, Plot, Report, Section, Series};
use crate::{Progress, Settings, Table};

struct Case {
    bodies: [Geometry; 2],
    poses: [Pose; 2],
    /// The default's closest points, certified.
    points: [DVec3; 2],
}

/// Convex superovoids with radii in [0.96, 1.4], a little apart, as the paper's pair.
fn cases(count: usize) -> Vec<Case> {
    let mut rng = seeded(9);
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let mut body = || {
            let radii = [0; 3].map(|_| rng.random_range(0.96..1.4));
            let exponents = [0; 2].map(|_| rng.random_range(0.6..1.0));
            let taper = rng.random_range(-0.25..0.25);
            Geometry::from(Superovoid::new(radii, exponents, [taper; 2]).expect("within the domain"))
        };
        let bodies = [body(), body()];
        let turn = rotation(&mut rng);
        let poses = [Pose::IDENTITY, Pose { rotation: turn, translation: DVec3::new(0.0, 3.0, 0.0) }];
        let answer =
            distance(Method::Default, &bodies[0], &poses[0], &bodies[1], &poses[1], &Method::Default.options());
        let outcome = answer.expect("valid input").outcome;
        if outcome.status == Status::Separated && is_tight(&outcome) {
            found.push(Case { bodies, poses, points: [outcome.point_a, outcome.point_b] });
        }
    }
    found
}

/// One resolution of one peer.
struct Row {
    vertices: usize,
    time: f64,
    error: Summary,
    distance_error: Summary,
}

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, Infallible> {
    let (count, rounds) = if settings.quick { (8, 3) } else { (40, 5) };
    let resolutions: &[usize] =
        if settings.quick { &[18, 74, 290, 1200] } else { &[18, 74, 146, 290, 786, 1600, 3200] };
    let cases = cases(count);
    let mut table =
        Table::new(&["method", "vertices", "µs", "mean error of the points", "largest", "mean error of the distance"]);
    progress.begin("accuracy", resolutions.len() as u64 + 1);
    let smooth = |method: Method| {
        let options = method.options();
        let solve = |case: &Case| {
            let ([a, b], [pose_a, pose_b]) = (&case.bodies, &case.poses);
            distance(method, a, pose_a, b, pose_b, &options).expect("valid input").outcome
        };
        let answered: Vec<_> =
            cases.iter().map(|case| (case, solve(case))).filter(|(_, o)| o.status != Status::NotConverged).collect();
        let times = alternate(rounds, &mut [Box::new(|| cases.iter().for_each(|case| spend(solve(case))))]);
        let error = Summary::of(answered.iter().map(|(case, o)| points_error(case, [o.point_a, o.point_b])));
        let gap = Summary::of(answered.iter().map(|(case, o)| distance_error(case, o.distance)));
        (times[0] / cases.len() as f64, error, gap, answered.len())
    };
    for method in [Method::Default, Method::QuadImplicit, Method::QuadParametric] {
        let (time, error, gap, answered) = smooth(method);
        table.push([
            format!("{} ({answered} of {count} answered)", method.name()),
            "–".into(),
            micro(time),
            tiny(error.mean),
            tiny(error.largest),
            tiny(gap.mean),
        ]);
    }
    progress.advance(1);
    let (mut meshes, mut fcl) = (Vec::new(), Vec::new());
    for &vertices in resolutions {
        meshes.push(by_mesh(&cases, vertices, rounds));
        fcl.extend(by_fcl(&cases, vertices, rounds));
        progress.advance(1);
    }
    for (name, rows) in [("mesh", &meshes), ("mesh (FCL)", &fcl)] {
        for row in rows {
            table.push([
                name.to_owned(),
                row.vertices.to_string(),
                micro(row.time),
                tiny(row.error.mean),
                tiny(row.error.largest),
                tiny(row.distance_error.mean),
            ]);
        }
    }
    table.push_published(["paper 003: mesh (FCL)", "more than 786", "–", "1e-1", "–", "–"].map(String::from));
    table.push_published(
        ["paper 003: superovoid schemes", "–", "a tenth of that mesh's", "1e-6", "–", "–"].map(String::from),
    );
    let series = |pick: &dyn Fn(&Row) -> f64| {
        [("mesh", &meshes), ("mesh (FCL)", &fcl)]
            .into_iter()
            .filter(|(_, rows)| !rows.is_empty())
            .map(|(name, rows)| Series {
                name: name.into(),
                points: rows.iter().map(|row| (row.vertices as f64, pick(row))).collect(),
                published: false,
            })
            .collect::<Vec<_>>()
    };
    let (default_time, ..) = smooth(Method::Default);
    let mut times = series(&|row| row.time * 1e6);
    let ends = [resolutions[0] as f64, resolutions[resolutions.len() - 1] as f64];
    times.push(Series {
        name: "default, no mesh".into(),
        points: ends.map(|x| (x, default_time * 1e6)).to_vec(),
        published: false,
    });
    let mut errors = series(&|row| row.error.mean);
    errors.push(Series { name: "paper 003, mesh (FCL)".into(), points: vec![(786.0, 0.1)], published: true });
    let plot = |name: &str, title: &str, label: &str, series| Plot {
        name: name.into(),
        title: title.into(),
        x: Axis::log("vertices of each mesh"),
        y: Axis::log(label),
        series,
    };
    let section = Section {
        title: String::new(),
        text: format!(
            "{count} pairs of convex superovoids with radii in [0.96, 1.4], apart. The error is the length of the difference of both \
             closest points from the certified ones. A mesh has flat faces, so its points are off by much more than its distance. {}",
            present()
        ),
        tables: vec![("mesh-resolution".into(), table)],
        plots: vec![
            plot("error", "Mean error of the closest points", "metres", errors),
            plot("time", "Time of a query", "µs", times),
        ],
    };
    Ok(Report { name: "accuracy", title: "Meshes against smooth bodies".into(), sections: vec![section] })
}

fn points_error(case: &Case, [a, b]: [DVec3; 2]) -> f64 {
    (a.distance_squared(case.points[0]) + b.distance_squared(case.points[1])).sqrt()
}

fn distance_error(case: &Case, distance: f64) -> f64 {
    (distance - case.points[0].distance(case.points[1])).abs()
}

fn by_mesh(cases: &[Case], vertices: usize, rounds: usize) -> Row {
    let meshes: Vec<_> = cases
        .iter()
        .map(|case| {
            MeshPair::new(&case.bodies[0], &case.bodies[1], vertices).expect("surfaces").expect("enough vertices")
        })
        .collect();
    let outcome =
        |(case, mesh): (&Case, &MeshPair)| mesh.distance(&case.poses[0], &case.poses[1], 1e-6).expect("valid poses");
    let outcomes: Vec<_> = cases.iter().zip(&meshes).map(outcome).collect();
    let times = alternate(rounds, &mut [Box::new(|| cases.iter().zip(&meshes).for_each(|both| spend(outcome(both))))]);
    Row {
        vertices,
        time: times[0] / cases.len() as f64,
        error: Summary::of(cases.iter().zip(&outcomes).map(|(case, o)| points_error(case, [o.point_a, o.point_b]))),
        distance_error: Summary::of(cases.iter().zip(&outcomes).map(|(case, o)| distance_error(case, o.distance))),
    }
}

#[cfg(feature = "fcl")]
fn by_fcl(cases: &[Case], vertices: usize, rounds: usize) -> Option<Row> {
    use crate::peers::FclMesh;
    let mesh = |body: &Geometry| {
        FclMesh::new(&body.superquadric().expect("a surface").tessellate(vertices).expect("enough vertices"))
    };
    let meshes: Vec<_> = cases.iter().map(|case| [mesh(&case.bodies[0]), mesh(&case.bodies[1])]).collect();
    let answer = |(case, [a, b]): (&Case, &[FclMesh; 2])| a.distance(&case.poses[0], b, &case.poses[1]);
    let found: Vec<_> = cases.iter().zip(&meshes).map(answer).collect();
    let times = alternate(rounds, &mut [Box::new(|| cases.iter().zip(&meshes).for_each(|both| spend(answer(both))))]);
    Some(Row {
        vertices,
        time: times[0] / cases.len() as f64,
        error: Summary::of(cases.iter().zip(&found).map(|(case, (_, points))| points_error(case, *points))),
        distance_error: Summary::of(
            cases.iter().zip(&found).map(|(case, (distance, _))| distance_error(case, *distance)),
        ),
    })
}

#[cfg(not(feature = "fcl"))]
fn by_fcl(_: &[Case], _: usize, _: usize) -> Option<Row> {
    None
}
