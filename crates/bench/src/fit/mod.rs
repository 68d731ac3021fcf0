//! Shapes fitted to scans of known shapes, to clouds and robots made by others, and to everyday things.
//!
//! Times are processor times of the calling thread, one fit each, nothing warm-started, without the measuring of errors. "Right" is a fit
//! with 95 % of the scan's points, before noise, within 1 % of the largest radius of its surface; errors are medians of these
//! distances, from the distance core.

mod robot;

use cpu_time::ThreadTime;
use superegg::Pose;
use superegg::query::Options as QueryOptions;
use superegg::query::batch::closest_points;
use superegg::shape::{Hull, Superovoid};
use superegg_fit::{
    Containment, Count, FitError, Options, Part, PartsOptions, Target, Threads, errors, fit, fit_parts, metrics,
};
use superegg_mesh::{DVec3, TriangleMesh};
use testkit::generate::cloud::{Damage, Scan, scan};
use testkit::generate::everyday::everyday_things;
use testkit::generate::seeded;

use crate::data::shared;
use crate::measure::{percent, tiny};
use crate::report::{Report, Section};
use crate::{Progress, Settings, Table};

/// Points of a scan.
const POINTS: usize = 2000;
/// Of them, those whose distance is measured.
const MEASURED: usize = 400;

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, FitError> {
    let mut sections = vec![scans(settings, progress)?, enclosing(settings, progress)?, things(progress)?];
    match shared("clouds") {
        Some(folder) => sections.push(clouds(&folder, progress)?),
        None => progress.note("fit: shared data (clouds) not found, skipped"),
    }
    match shared("robots/panda") {
        Some(folder) => sections.push(robot::panda(&folder, progress)?),
        None => progress.note("fit: shared data (robots/panda) not found, skipped"),
    }
    Ok(Report { name: "fit", title: "Fitting".into(), sections })
}

fn largest_radius(shape: &Superovoid) -> f64 {
    shape.radii().into_iter().fold(0.0, f64::max)
}

/// Distances of a scan's true points from a fit, over the true shape's largest radius, in order.
fn true_errors(part: &Part, scan: &Scan) -> Result<Vec<f64>, FitError> {
    let step = (scan.inliers.len() / MEASURED).max(1);
    let sample: Vec<DVec3> = scan.inliers.iter().step_by(step).copied().collect();
    let answers = closest_points(&part.shape.into(), &part.pose, &sample, &QueryOptions::default(), Threads::One);
    let size = largest_radius(&scan.shape);
    let mut found: Vec<f64> =
        answers.into_iter().map(|answer| answer.map_or(f64::INFINITY, |a| a.distance.abs() / size)).collect();
    found.sort_by(f64::total_cmp);
    Ok(found)
}

fn quantile(sorted: &[f64], q: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * q).round() as usize]
}

fn scans(settings: &Settings, progress: &dyn Progress) -> Result<Section, FitError> {
    let count: u64 = if settings.quick { 50 } else { 1000 };
    let mut table = Table::new(&[
        "scan",
        "shapes",
        "right %",
        "median error ≤ 2 % in %",
        "error, median",
        "error, 95 %",
        "ms, mean",
        "ms, 99 %",
    ]);
    progress.begin("scans", 5 * count);
    for damage in Damage::ALL {
        let (mut medians, mut times) = (Vec::new(), Vec::new());
        let (mut right, mut near) = (0, 0);
        for seed in 0..count {
            let scan = scan(&mut seeded(10_000 + seed), damage, POINTS);
            let target = Target::from_points(scan.points.clone())?;
            let start = ThreadTime::now();
            let found = fit(&target, &Options::default())?;
            times.push(1e3 * start.elapsed().as_secs_f64());
            let errors = true_errors(&found.part, &scan)?;
            medians.push(quantile(&errors, 0.5));
            right += usize::from(quantile(&errors, 0.95) <= 0.01);
            near += usize::from(quantile(&errors, 0.5) <= 0.02);
            progress.advance(1);
        }
        medians.sort_by(f64::total_cmp);
        times.sort_by(f64::total_cmp);
        table.push([
            damage.name().to_owned(),
            count.to_string(),
            percent(right, count as usize),
            percent(near, count as usize),
            tiny(quantile(&medians, 0.5)),
            tiny(quantile(&medians, 0.95)),
            format!("{:.2}", times.iter().sum::<f64>() / times.len() as f64),
            format!("{:.2}", quantile(&times, 0.99)),
        ]);
    }
    Ok(Section {
        title: "One shape from 2,000 points".into(),
        text: "Random superovoids (exponents 0.1 to 1.8, radii within a factor of four, half of them tapered, anywhere). Errors over the largest radius.".into(),
        tables: vec![("scans".into(), table)],
        ..Section::default()
    })
}

fn enclosing(settings: &Settings, progress: &dyn Progress) -> Result<Section, FitError> {
    let count: u64 = if settings.quick { 10 } else { 100 };
    let mut table =
        Table::new(&["scan", "method", "volume over the truth's, mean", "95 %", "points outside", "ms, mean"]);
    progress.begin("enclosing", 2 * count);
    for damage in [Damage::Clean, Damage::Noise] {
        let mut ours = (Vec::new(), 0, 0.0);
        let mut grown = (Vec::new(), 0, 0.0);
        let mut hulls = (Vec::new(), 0, 0.0);
        for seed in 0..count {
            let scan = scan(&mut seeded(20_000 + seed), damage, POINTS);
            let truth = scan.shape.mass_properties().volume;
            let target = Target::from_points(scan.points.clone())?;
            let start = ThreadTime::now();
            let found = fit(&target, &Options { containment: Containment::Enclose, ..Options::default() })?;
            ours.2 += 1e3 * start.elapsed().as_secs_f64();
            ours.0.push(found.part.shape.mass_properties().volume / truth);
            ours.1 += outside(&found.part, &scan.points);
            let start = ThreadTime::now();
            let free = fit(&target, &Options::default())?.part;
            let part = grown_around(&free, &scan.points);
            grown.2 += 1e3 * start.elapsed().as_secs_f64();
            grown.0.push(part.shape.mass_properties().volume / truth);
            grown.1 += outside(&part, &scan.points);
            let start = ThreadTime::now();
            let hull = Hull::new(&scan.points)?;
            hulls.2 += 1e3 * start.elapsed().as_secs_f64();
            hulls.0.push(hull.mass_properties().volume / truth);
            progress.advance(1);
        }
        for (name, (mut ratios, outside, time)) in
            [("smallest, certified", ours), ("best fit, grown", grown), ("hull of the points", hulls)]
        {
            ratios.sort_by(f64::total_cmp);
            table.push([
                damage.name().to_owned(),
                name.to_owned(),
                format!("{:.4}", ratios.iter().sum::<f64>() / ratios.len() as f64),
                format!("{:.4}", quantile(&ratios, 0.95)),
                outside.to_string(),
                format!("{:.1}", time / count as f64),
            ]);
        }
    }
    Ok(Section {
        title: "Enclosing".into(),
        text: "The same shapes. Points outside are counted by their gauge, independently of the certificate. Noise makes every enclosing shape larger than the truth: no convex one is smaller than the hull.".into(),
        tables: vec![("enclosing".into(), table)],
        ..Section::default()
    })
}

fn outside(part: &Part, points: &[DVec3]) -> usize {
    points.iter().filter(|p| part.shape.gauge(part.pose.inverse_transform_point(**p)) > 1.0).count()
}

/// The fit scaled from its centre until it contains the points.
fn grown_around(part: &Part, points: &[DVec3]) -> Part {
    let mut grown = *part;
    for _ in 0..60 {
        let worst =
            points.iter().map(|p| grown.shape.gauge(grown.pose.inverse_transform_point(*p))).fold(0.0, f64::max);
        if worst <= 1.0 {
            break;
        }
        let radii = grown.shape.radii().map(|r| r * worst * (1.0 + 1e-12));
        grown.shape = Superovoid::new(radii, grown.shape.exponents(), grown.shape.taper()).expect("of ordinary size");
    }
    grown
}

fn things(progress: &dyn Progress) -> Result<Section, FitError> {
    let things = everyday_things();
    let mut table = Table::new(&["model", "triangles", "parts", "IoU", "volume ratio", "Chamfer", "95 % gap", "s"]);
    progress.begin("everyday things", things.len() as u64);
    for thing in things {
        let triangles = thing.triangles.len();
        let mesh = TriangleMesh::new(thing.positions, thing.triangles).map_err(|_| FitError::NoSurface)?;
        let target = Target::from_mesh(mesh)?;
        let options = PartsOptions { count: Count::Auto, threads: Threads::One, ..PartsOptions::default() };
        let start = ThreadTime::now();
        let found = fit_parts(&target, &options, &mut |_| {})?;
        let seconds = start.elapsed().as_secs_f64();
        let measured = metrics(&found.parts, &target, Threads::One)?;
        let volume = measured.volume;
        table.push([
            thing.name.to_owned(),
            triangles.to_string(),
            found.parts.len().to_string(),
            volume.map_or("open".into(), |v| format!("{:.3}", v.iou)),
            volume.map_or("open".into(), |v| format!("{:.3}", v.ratio)),
            tiny(measured.chamfer),
            tiny(measured.gap.p95),
            format!("{seconds:.2}"),
        ]);
        progress.advance(1);
    }
    Ok(Section {
        title: "Everyday things, automatic parts".into(),
        text: "Closed meshes about one unit long.".into(),
        tables: vec![("things".into(), table)],
        ..Section::default()
    })
}

/// Points of a file, or nothing if it cannot be read.
fn points_of(folder: &std::path::Path, name: &str) -> Option<Vec<DVec3>> {
    superegg_io::read_mesh(&folder.join(name)).ok().map(|mesh| mesh.into_parts().0)
}

fn clouds(folder: &std::path::Path, progress: &dyn Progress) -> Result<Section, FitError> {
    let mut table = Table::new(&["cloud", "points", "parts", "median distance", "95 %", "EMS, median", "s"]);
    progress.begin("clouds", 3);
    for (name, count, peer) in [
        ("noisy_pointCloud_example_1.ply", Count::Exactly(1), "0.0104"),
        ("partial_pointCloud_example_1.ply", Count::Exactly(1), "0.0060"),
        ("cat.ply", Count::Auto, ""),
    ] {
        let Some(points) = points_of(folder, name) else {
            progress.note(&format!("fit: {name} not found, skipped"));
            continue;
        };
        let target = Target::from_points(points)?;
        let options = PartsOptions { count, threads: Threads::One, ..PartsOptions::default() };
        let start = ThreadTime::now();
        let found = fit_parts(&target, &options, &mut |_| {})?;
        let seconds = start.elapsed().as_secs_f64();
        let measured = errors(&found.parts, &target, Threads::One)?;
        table.push([
            name.to_owned(),
            target.points().len().to_string(),
            found.parts.len().to_string(),
            tiny(measured.median),
            tiny(measured.p95),
            peer.to_owned(),
            format!("{seconds:.4}"),
        ]);
        if found.parts.len() > 1 {
            let nearest = nearest_surfaces(&found.parts, target.points());
            let size = found.parts.iter().map(|part| largest_radius(&part.shape)).fold(0.0, f64::max);
            let half = half_length(target.points());
            table.push([
                "… to the nearest part, covered or not".to_owned(),
                String::new(),
                String::new(),
                format!(
                    "{} ({:.2} % of the largest radius, {:.2} % of half the length)",
                    tiny(quantile(&nearest, 0.5)),
                    100.0 * quantile(&nearest, 0.5) / size,
                    100.0 * quantile(&nearest, 0.5) / half
                ),
                tiny(quantile(&nearest, 0.95)),
                String::new(),
                String::new(),
            ]);
        }
        progress.advance(1);
    }
    Ok(Section {
        title: "Clouds made by others".into(),
        text: "In the clouds' own unit. Distances to the surface of the union; EMS (Liu and others 2022) on the same clouds, from its own Python.".into(),
        tables: vec![("clouds".into(), table)],
        ..Section::default()
    })
}

fn half_length(points: &[DVec3]) -> f64 {
    let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
    0.5 * (high - low).max_element()
}

/// Distances to the surface of the nearest part, covered by others or not, in order.
fn nearest_surfaces(parts: &[Part], points: &[DVec3]) -> Vec<f64> {
    let sample: Vec<DVec3> = points.iter().step_by((points.len() / 2000).max(1)).copied().collect();
    let mut least = vec![f64::INFINITY; sample.len()];
    for part in parts {
        let answers = closest_points(&part.shape.into(), &part.pose, &sample, &QueryOptions::default(), Threads::One);
        for (least, answer) in least.iter_mut().zip(answers) {
            *least = least.min(answer.map_or(f64::INFINITY, |answer| answer.distance.abs()));
        }
    }
    least.sort_by(f64::total_cmp);
    least
}

/// A ball as a part.
fn ball(center: DVec3, radius: f64) -> Result<Part, FitError> {
    Ok(Part { shape: Superovoid::new([radius; 3], [1.0; 2], [0.0; 2])?, pose: Pose::from_translation(center) })
}
