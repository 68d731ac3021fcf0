//! Paper 000 section 4.1: points around superellipsoids by the geometric iteration, meshes and the default.
//!
//! The error is the paper's (equation 7): how far the point lies from where the surface point's own normal and the distance
//! lead. For meshes the surface point is the mesh's and the normal the superellipsoid's there.

mod published;
mod sweeps;

use std::convert::Infallible;

use glam::DVec3;
use superegg::Pose;
use superegg::query::batch::{Threads, closest_points};
use superegg::query::{ClosestPoint, Options, Status, closest_point};
use superegg::shape::{Shape, Spacing, Superellipsoid};
use superegg_schemes::{Method, SchemeOptions, geometric};
use superegg_world::superquadric::Superquadric;
use testkit::generate::battery::{RADIUS_CHANGES, SEVEN_SHAPES};

use crate::measure::{Summary, Work, alternate, micro, percent, spend};
use crate::peers::{ParryMesh, present};
use crate::report::{Report, Section};
use crate::{Progress, Settings, Table};

/// Vertices of the paper's meshes, and its precision target in metres.
const MESH_VERTICES: usize = 272;
const TARGET: f64 = 1e-3;

/// How much to measure.
#[derive(Clone, Copy)]
struct Effort {
    /// Points of a shape are this number squared.
    rows: usize,
    rounds: usize,
    /// Exponents between 0.1 and 1.9 in the sweeps.
    exponents: usize,
    /// Rows of points in the sweeps.
    sweep_rows: usize,
}

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, Infallible> {
    let effort = if settings.quick {
        Effort { rows: 40, rounds: 3, exponents: 7, sweep_rows: 16 }
    } else {
        Effort { rows: 100, rounds: 5, exponents: 19, sweep_rows: 60 }
    };
    progress.begin("point: seven shapes", 14);
    let introduction = Section {
        text: format!(
            "Seven superellipsoids of unit radii, {0} × {0} points on copies with radii changed by +0.05 and −0.015, even in both angles. \
             *Error* is ‖p + d n − x‖ (equation 7) in millimetres; *converged* means below 1 mm, and for the default that its distance is \
             certified (outside) or agrees with a run at 1e-13 (inside) to 1e-9. One thread, processor time, the median of {1} \
             alternating rounds. {2}",
            effort.rows,
            effort.rounds,
            present()
        ),
        ..Section::default()
    };
    let mut sections = vec![introduction];
    for (change, title, stem, errors, times) in [
        (
            RADIUS_CHANGES[0],
            "Outside, +0.05 (tables 1 and 3)",
            "outside",
            &published::ERRORS_OUTSIDE,
            &published::TIMES_OUTSIDE,
        ),
        (
            RADIUS_CHANGES[1],
            "Inside, −0.015 (tables 2 and 4)",
            "inside",
            &published::ERRORS_INSIDE,
            &published::TIMES_INSIDE,
        ),
    ] {
        let mut table = Table::new(&[
            "shape e1, e2",
            "method",
            "mean error mm",
            "σ mm",
            "converged %",
            "mean error of the others mm",
            "µs",
        ]);
        for (index, exponents) in SEVEN_SHAPES.into_iter().enumerate() {
            rows_of_shape(&mut table, exponents, change, effort);
            let name = format!("{}, {}", exponents[0], exponents[1]);
            for (method, errors, time) in [
                ("paper 000: mesh (FCL)", errors.0[index], times[index].0),
                ("paper 000: implicit", errors.1[index], times[index].1),
            ] {
                let [mean, sigma, converged, others] = errors
                    .map(|value| if value > 0.0 && value < 1e-3 { format!("{value:.1e}") } else { value.to_string() });
                table.push_published([name.clone(), method.into(), mean, sigma, converged, others, time.to_string()]);
            }
            progress.advance(1);
        }
        sections.push(Section { title: title.into(), tables: vec![(stem.into(), table)], ..Section::default() });
    }
    sections.push(sweeps::resolutions(effort, progress));
    sections.extend(sweeps::exponents(effort, progress));
    Ok(Report { name: "point", title: "Points and superellipsoids".into(), sections })
}

/// Points on a copy of a shape with unit radii changed by `change`, even in both angles.
fn points_around(exponents: [f64; 2], change: f64, rows: usize) -> Vec<DVec3> {
    use std::f64::consts::{FRAC_PI_2, PI, TAU};
    let surface = surface(exponents);
    let mut points = Vec::with_capacity(rows * rows);
    for row in 0..rows {
        let v = -FRAC_PI_2 + PI * row as f64 / (rows - 1) as f64;
        for column in 0..rows {
            points.push(surface.point(-PI + TAU * column as f64 / rows as f64, v) * (1.0 + change));
        }
    }
    points
}

fn egg(exponents: [f64; 2]) -> Superellipsoid {
    Superellipsoid::new([1.0; 3], exponents).expect("within the domain")
}

fn surface(exponents: [f64; 2]) -> Superquadric {
    Superquadric::from_shape(&egg(exponents).into()).expect("a superquadric")
}

/// Errors of one method on many points.
struct Errors {
    all: Summary,
    converged: usize,
    others: Summary,
}

impl Errors {
    fn of(errors: &[f64], converged: impl Fn(usize) -> bool) -> Errors {
        let good = (0..errors.len()).filter(|index| converged(*index)).count();
        let others = (0..errors.len()).filter(|index| !converged(*index)).map(|index| errors[index]);
        Errors { all: Summary::of(errors.iter().copied()), converged: good, others: Summary::of(others) }
    }

    fn cells(&self) -> [String; 4] {
        [
            millimetres(self.all.mean),
            millimetres(self.all.sigma),
            percent(self.converged, self.all.count),
            millimetres(self.others.mean),
        ]
    }
}

fn millimetres(metres: f64) -> String {
    let value = metres * 1e3;
    if value == 0.0 {
        "0".into()
    } else if value < 1e-3 {
        format!("{value:.1e}")
    } else {
        format!("{value:.3}")
    }
}

/// Equation 7 for a surface point of a mesh or of the default.
fn error_of(egg: &Superellipsoid, x: DVec3, p: DVec3, inside: bool) -> f64 {
    let distance = p.distance(x) * if inside { -1.0 } else { 1.0 };
    (p + egg.normal_at(p) * distance - x).length()
}

fn rows_of_shape(table: &mut Table, exponents: [f64; 2], change: f64, effort: Effort) {
    let egg = egg(exponents);
    let (shape, surface): (Shape, _) = (egg.into(), surface(exponents));
    let points = points_around(exponents, change, effort.rows);
    let inside = change < 0.0;
    let indexed = egg.tessellate(MESH_VERTICES, Spacing::Angles).expect("enough vertices");
    #[cfg(feature = "fcl")]
    let fcl = crate::peers::FclMesh::new(&indexed);
    let parry = ParryMesh::new(&indexed);
    let plain = Method::Geometric.options();
    let aware = SchemeOptions { curvature_aware: true, ..plain };
    let batch = || closest_points(&shape, &Pose::IDENTITY, &points, &Options::DEFAULT, Threads::One);

    let mut works: Vec<(String, Errors, Work)> = Vec::new();
    let answers: Vec<ClosestPoint> = batch().into_iter().map(|answer| answer.expect("valid input")).collect();
    let errors: Vec<f64> =
        points.iter().zip(&answers).map(|(x, answer)| error_of(&egg, *x, answer.point, inside)).collect();
    let converged: Vec<bool> =
        points.iter().zip(&answers).map(|(x, answer)| default_converged(&shape, *x, answer, inside)).collect();
    works.push((
        "default, in a batch".into(),
        Errors::of(&errors, |index| converged[index]),
        Box::new(|| spend(batch())),
    ));
    for (name, options) in [("geometric", plain), ("geometric, curvature-aware", aware)] {
        let solve = |x: &DVec3| geometric(&surface, *x, &options).expect("an egg");
        let errors: Vec<f64> = points.iter().map(|x| solve(x).error).collect();
        let surface = &surface;
        let points = &points;
        works.push((
            name.into(),
            Errors::of(&errors, |index| errors[index] <= TARGET),
            Box::new(move || points.iter().for_each(|x| spend(geometric(surface, *x, &options)))),
        ));
    }
    let errors: Vec<f64> = points.iter().map(|x| error_of(&egg, *x, parry.nearest(*x), inside)).collect();
    works.push((
        "mesh (parry), 272 vertices".into(),
        Errors::of(&errors, |index| errors[index] <= TARGET),
        Box::new(|| points.iter().for_each(|x| spend(parry.nearest(*x)))),
    ));
    #[cfg(feature = "fcl")]
    {
        let errors: Vec<f64> = points.iter().map(|x| error_of(&egg, *x, fcl.nearest(*x), inside)).collect();
        works.push((
            "mesh (FCL), 272 vertices".into(),
            Errors::of(&errors, |index| errors[index] <= TARGET),
            Box::new(|| points.iter().for_each(|x| spend(fcl.nearest(*x)))),
        ));
    }
    let (mut names, mut timed) = (Vec::new(), Vec::new());
    for (name, errors, work) in works {
        names.push((name, errors));
        timed.push(work);
    }
    let times = alternate(effort.rounds, &mut timed);
    for ((name, errors), time) in names.into_iter().zip(times) {
        let head = [format!("{}, {}", exponents[0], exponents[1]), name];
        table.push(head.into_iter().chain(errors.cells()).chain([micro(time / points.len() as f64)]));
    }
}

/// Whether the default's distance is right to 1e-9: by its certificate outside; inside, where bounds are one-sided, by a run
/// at a tolerance of 1e-13.
fn default_converged(shape: &Shape, x: DVec3, answer: &ClosestPoint, inside: bool) -> bool {
    if answer.status == Status::NotConverged {
        return false;
    }
    if !inside {
        return answer.bounds.is_some_and(|bounds| bounds.upper - bounds.lower <= 1.001e-9);
    }
    let exact = Options { tolerance: 1e-13, ..Options::DEFAULT };
    let best = closest_point(shape, &Pose::IDENTITY, x, &exact).expect("valid input");
    (answer.distance - best.distance).abs() <= 1e-9
}
