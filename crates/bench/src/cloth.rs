//! Cloth on smooth bodies: tables 5 and 6 and figures 42 and 43 of paper 000, figure 6.1 of paper 001, pyPBD beside them,
//! and what self-collision and meshes cost.
//!
//! Times are processor times of one thread. How deep the cloth is in a body is measured after every step, outside of the
//! times, by the certified distance of whole triangles.

use std::path::Path;
use std::process::Command;

use cpu_time::ThreadTime;
use superegg::query::QueryError;
use superegg_scene::Scene;
use superegg_scene::built_in::{self, tablecloth, tablecloth_over_mesh};
use superegg_sim::{Clock, PhaseTimes, SimError, StepOptions, measure};
use superegg_world::geometry::Geometry;
use thiserror::Error;

use crate::report::{Axis, Plot, Report, Section, Series};
use crate::{Progress, Settings, Table};

/// Why the suite stopped.
#[derive(Debug, Error)]
pub enum ClothError {
    /// A scene could not be made or stepped.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A depth could not be measured.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// Processor time of this thread.
struct Processor(ThreadTime);

impl Clock for Processor {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// A scene that was run.
struct Run {
    /// Mean seconds a step, by phase.
    phases: PhaseTimes,
    /// Seconds of each step.
    steps: Vec<f64>,
    /// The deepest point at any step, and at the end.
    deepest: f64,
    last: f64,
}

/// Steps a scene to its end, measuring depths after every `every`-th step.
fn run_scene(scene: &mut Scene, every: usize, progress: &dyn Progress) -> Result<Run, ClothError> {
    let clock = Processor(ThreadTime::now());
    let options = StepOptions { clock: Some(&clock), ..StepOptions::default() };
    let count = scene.step_count();
    let mut run = Run { phases: PhaseTimes::default(), steps: Vec::with_capacity(count), deepest: 0.0, last: 0.0 };
    for index in 0..count {
        let times = scene.advance(&options)?.times;
        run.steps.push(times.total());
        let mean = |sum: &mut f64, time: f64| *sum += time / count as f64;
        mean(&mut run.phases.time_integration, times.time_integration);
        mean(&mut run.phases.position_constraints, times.position_constraints);
        mean(&mut run.phases.velocity_constraints, times.velocity_constraints);
        mean(&mut run.phases.collision_detection, times.collision_detection);
        mean(&mut run.phases.velocity_update, times.velocity_update);
        if (index + 1) % every == 0 || index + 1 == count {
            run.last = measure::cloth_penetration(&scene.world)?.max;
            run.deepest = run.deepest.max(run.last);
        }
        progress.advance(1);
    }
    Ok(run)
}

/// What pyPBD does with the same cloth.
struct Peer {
    ms: f64,
    depth: f64,
}

/// Runs the peer script, if Python and pyPBD are there. `SUPEREGG_PYTHON` names the Python to use.
fn pypbd(columns: usize, rows: usize, seconds: f64) -> Option<Peer> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/cloth_pypbd.py");
    let python = std::env::var_os("SUPEREGG_PYTHON").unwrap_or_else(|| "python3".into());
    let arguments = [columns.to_string(), rows.to_string(), seconds.to_string()];
    let output = Command::new(python).arg(script).args(arguments).output().ok().filter(|o| o.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().rev().find(|line| line.starts_with('{'))?;
    let number = |key: &str| {
        let rest = &line[line.find(&format!("\"{key}\": "))? + key.len() + 4..];
        rest[..rest.find([',', '}'])?].trim().parse::<f64>().ok()
    };
    Some(Peer { ms: number("ms")?, depth: number("depth")? })
}

/// Tables 5 and 6 of paper 000, in milliseconds: time integration, position constraints, velocity constraints, collision
/// detection, velocity update, total.
const PUBLISHED: [(usize, [f64; 6]); 2] =
    [(3240, [0.025, 2.423, 0.914, 4.170, 1.540, 9.170]), (6460, [0.066, 5.324, 1.544, 7.509, 1.599, 16.231])];

fn ms(seconds: f64) -> String {
    format!("{:.3}", 1e3 * seconds)
}

fn tablecloths(settings: &Settings, progress: &dyn Progress) -> Result<Section, ClothError> {
    let seconds = if settings.quick { 1.5 } else { 10.0 };
    let every = if settings.quick { 10 } else { 1 };
    let mut table = Table::new(&[
        "vertices",
        "method",
        "time integration",
        "position constraints",
        "velocity constraints",
        "collision detection",
        "velocity update",
        "total ms",
        "deepest mm",
        "at the end mm",
    ]);
    let mut ratios =
        Table::new(&["vertices", "Superegg ms", "pyPBD ms", "ratio", "Superegg deepest mm", "pyPBD deepest mm"]);
    let mut plots = Vec::new();
    let mut peers = 0;
    for (vertices, published) in PUBLISHED {
        let mut scene = tablecloth(vertices, None)?.build()?;
        scene.seconds = seconds;
        progress.begin(&format!("tablecloth of {vertices} vertices"), scene.step_count() as u64);
        let run = run_scene(&mut scene, every, progress)?;
        let phases = run.phases;
        let own = [
            phases.time_integration,
            phases.position_constraints,
            phases.velocity_constraints,
            phases.collision_detection,
            phases.velocity_update,
            phases.total(),
        ];
        let depths = [format!("{:.3}", 1e3 * run.deepest), format!("{:.3}", 1e3 * run.last)];
        let head = |method: &str| [vertices.to_string(), method.to_owned()];
        table.push(head("Superegg").into_iter().chain(own.map(ms)).chain(depths.clone()));
        let paper = published.map(|value| format!("{value:.3}"));
        table.push_published(head("paper 000").into_iter().chain(paper).chain(["".to_owned(), "".to_owned()]));
        let (columns, rows) = if vertices == 3240 { (60, 54) } else { (85, 76) };
        progress.begin("the same with pyPBD", 1);
        match pypbd(columns, rows, seconds) {
            Some(peer) => {
                peers += 1;
                let ours = 1e3 * phases.total();
                ratios.push([
                    vertices.to_string(),
                    format!("{ours:.3}"),
                    format!("{:.3}", peer.ms),
                    format!("{:.2}", peer.ms / ours),
                    depths[0].clone(),
                    format!("{:.1}", 1e3 * peer.depth),
                ]);
            }
            None => progress.note("pyPBD did not run: it needs Python with pyPBD and numpy"),
        }
        // A point of the figure is the mean of a tenth of a second.
        let bin = (0.1 / scene.dt).round() as usize;
        let rate = |(index, steps): (usize, &[f64])| {
            let mean = steps.iter().sum::<f64>() / steps.len() as f64;
            ((index as f64 + 0.5) * 0.1, 1.0 / mean)
        };
        plots.push(Plot {
            name: format!("rate-{vertices}"),
            title: format!("Steps a second, {vertices} vertices"),
            x: Axis::linear("simulated time, s"),
            y: Axis::linear("steps a second"),
            series: vec![Series {
                name: "Superegg".to_owned(),
                points: run.steps.chunks(bin.max(1)).enumerate().map(rate).collect(),
                published: false,
            }],
        });
    }
    let peer = match peers {
        0 => "pyPBD did not run: it needs Python with pyPBD and numpy (`SUPEREGG_PYTHON` names it).",
        _ => {
            "pyPBD ran in the same run, on one thread; its table is a cubic distance field, its depth is sampled every tenth step."
        }
    };
    let text = format!(
        "A cloth of 11 m × 9.9 m falls from two metres above a superellipsoid of radii 3.5, 3, 2 and exponents 0.4, 0.3; \
         {seconds} s in steps of 5 ms with 5 substeps, kept 25 mm away. Milliseconds a step; the paper's are from another \
         machine. Depths are of whole triangles, by the certified distance, after every {} step. {peer}",
        if every == 1 { "single" } else { "tenth" },
    );
    let title = "Tablecloth: paper 000, tables 5 and 6, figures 42 and 43".to_owned();
    let mut tables = vec![("tablecloth".to_owned(), table)];
    if peers > 0 {
        tables.push(("tablecloth-pypbd".to_owned(), ratios));
    }
    Ok(Section { title, text, tables, plots })
}

fn terrains(settings: &Settings, progress: &dyn Progress) -> Result<Section, ClothError> {
    let sides: &[usize] = if settings.quick { &[1, 5, 10] } else { &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] };
    let (settling, measured) = if settings.quick { (1.0, 0.5) } else { (4.0, 5.0) };
    let mut table = Table::new(&["bodies", "mean steps a second", "least", "falling: mean", "deepest mm"]);
    let (mut mean_points, mut least_points) = (Vec::new(), Vec::new());
    for &side in sides {
        let bodies = side * side;
        let Some(scene) = built_in::scene("terrain", Some(bodies)) else { continue };
        let mut scene = scene?;
        scene.seconds = settling + measured;
        progress.begin(&format!("terrain of {bodies} bodies"), scene.step_count() as u64);
        let run = run_scene(&mut scene, if settings.quick { 10 } else { 1 }, progress)?;
        let settled = (settling / scene.dt) as usize;
        let rate = |steps: &[f64]| steps.len() as f64 / steps.iter().sum::<f64>();
        let (falling, resting) = run.steps.split_at(settled.min(run.steps.len()));
        let slowest = resting.iter().copied().fold(0.0, f64::max);
        table.push([
            bodies.to_string(),
            format!("{:.0}", rate(resting)),
            format!("{:.0}", 1.0 / slowest),
            format!("{:.0}", rate(falling)),
            format!("{:.3}", 1e3 * run.deepest),
        ]);
        mean_points.push((bodies as f64, rate(resting)));
        least_points.push((bodies as f64, 1.0 / slowest));
    }
    let series =
        |name: &str, points: Vec<(f64, f64)>, published: bool| Series { name: name.to_owned(), points, published };
    let plot = Plot {
        name: "terrain".to_owned(),
        title: "Steps a second over the number of bodies".to_owned(),
        x: Axis::linear("bodies"),
        y: Axis::log("steps a second"),
        series: vec![
            series("Superegg, mean", mean_points, false),
            series("Superegg, slowest step", least_points, false),
            // What the text says: 60 up to 25 bodies, about 30 from 80 on.
            series("paper 001, frames", vec![(1.0, 60.0), (25.0, 60.0), (80.0, 30.0), (100.0, 30.0)], true),
        ],
    };
    let text = format!(
        "A cloth of 41 × 41 vertices over n × n superellipsoids; {settling} s to fall and settle, then {measured} s measured, \
         in steps of 1/120 s with 5 substeps. The paper's are frames of a whole game loop on another machine."
    );
    Ok(Section {
        title: "Terrain: paper 001, figure 6.1".to_owned(),
        text,
        tables: vec![("terrain".to_owned(), table)],
        plots: vec![plot],
    })
}

fn self_collision(settings: &Settings, progress: &dyn Progress) -> Result<Section, ClothError> {
    let seconds = if settings.quick { 1.5 } else { 5.0 };
    let mut table = Table::new(&["self-collision", "total ms", "ratio", "self-intersections at the end"]);
    let mut off = 0.0;
    for separation in [None, Some(0.02)] {
        let mut scene = tablecloth(3240, separation)?.build()?;
        scene.seconds = seconds;
        progress.begin("tablecloth with and without self-collision", scene.step_count() as u64);
        let run = run_scene(&mut scene, usize::MAX, progress)?;
        let total = run.phases.total();
        off = if separation.is_none() { total } else { off };
        let found = separation.map(|_| measure::self_intersections(&scene.world).to_string());
        table.push([
            if separation.is_some() { "on".to_owned() } else { "off".to_owned() },
            ms(total),
            format!("{:.2}", total / off),
            found.unwrap_or_else(|| "not asked".to_owned()),
        ]);
    }
    let text = format!(
        "The tablecloth of 3,240 vertices for {seconds} s, kept 20 mm away from itself or not. Intersections are counted by \
         brute force over all pairs of an edge and a triangle."
    );
    Ok(Section {
        title: "Self-collision".to_owned(),
        text,
        tables: vec![("self".to_owned(), table)],
        plots: Vec::new(),
    })
}

/// The tablecloth over the table as a smooth body and as meshes of it.
fn meshes(settings: &Settings, progress: &dyn Progress) -> Result<Section, ClothError> {
    let seconds = if settings.quick { 1.5 } else { 4.0 };
    let mut table =
        Table::new(&["table", "triangles", "total ms", "ratio", "last second ms", "ratio", "intersections at the end"]);
    let mut smooth = [0.0; 2];
    for vertices in [0, 500, 5000] {
        let made = if vertices == 0 { tablecloth(3240, None)? } else { tablecloth_over_mesh(3240, vertices)? };
        let triangles = match &made.bodies[0].colliders[0].geometry {
            Geometry::Mesh(mesh) => mesh.topology().triangles().len(),
            _ => 0,
        };
        let mut scene = made.build()?;
        scene.seconds = seconds;
        progress.begin("tablecloth over a smooth body and over meshes", scene.step_count() as u64);
        let run = run_scene(&mut scene, usize::MAX, progress)?;
        let last = (1.0 / scene.dt).round() as usize;
        let resting = &run.steps[run.steps.len().saturating_sub(last)..];
        let times = [run.phases.total(), resting.iter().sum::<f64>() / resting.len().max(1) as f64];
        smooth = if vertices == 0 { times } else { smooth };
        table.push([
            if vertices == 0 { "superellipsoid".to_owned() } else { "mesh".to_owned() },
            if vertices == 0 { String::new() } else { triangles.to_string() },
            ms(times[0]),
            format!("{:.2}", times[0] / smooth[0]),
            ms(times[1]),
            format!("{:.2}", times[1] / smooth[1]),
            if vertices == 0 { "none".to_owned() } else { measure::mesh_intersections(&scene.world)?.to_string() },
        ]);
    }
    let text = format!(
        "The tablecloth of 3,240 vertices for {seconds} s over the table as a smooth body and as meshes of it. Intersections of \
         cloth and mesh are counted by brute force over all pairs of triangles."
    );
    Ok(Section { title: "Meshes".to_owned(), text, tables: vec![("meshes".to_owned(), table)], plots: Vec::new() })
}

/// Measures everything.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, ClothError> {
    let sections = vec![
        tablecloths(settings, progress)?,
        terrains(settings, progress)?,
        self_collision(settings, progress)?,
        meshes(settings, progress)?,
    ];
    Ok(Report { name: "cloth", title: "Cloth on smooth bodies".to_owned(), sections })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    #[test]
    fn a_short_run_is_measured_phase_by_phase() {
        let mut scene = tablecloth(3240, None).unwrap().build().unwrap();
        scene.seconds = 0.02;
        let run = run_scene(&mut scene, 1, &Silent).unwrap();
        assert_eq!(run.steps.len(), 4);
        let mean = run.steps.iter().sum::<f64>() / 4.0;
        assert!((run.phases.total() - mean).abs() <= 1e-9 + 1e-6 * mean, "phases add up to the steps");
        assert_eq!(run.deepest, 0.0);
    }
}
