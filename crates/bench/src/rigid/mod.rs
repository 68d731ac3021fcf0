//! Rigid bodies: table 7 and figure 46 of paper 000, growth from 50 to 10,000 bodies, a grid of seeds, time steps and
//! exponents, and rapier beside them where it was compiled in.
//!
//! Times are processor times of one thread; where two threads are compared with one, both are times of the clock on the wall.
//! Depths are certified distances of every pair, measured outside of the times.

#[cfg(feature = "rapier")]
mod rapier;

use std::time::Instant;

use cpu_time::ThreadTime;
use rayon::prelude::*;
use superegg::query::Options;
use superegg::{Pose, Threads};
use superegg_scene::Scene;
use superegg_scene::built_in::{self, bowl, bowl_of};
use superegg_sim::{Clock, PhaseTimes, SimError, StepOptions, measure};
use superegg_world::geometry::distance;

use crate::report::{Axis, Plot, Report, Section, Series};
use crate::{Progress, Settings, Silent, Table};

/// Slower than this, everything is at rest, in metres a second.
const AT_REST: f64 = 0.02;
/// Table 7 of paper 000, in milliseconds: time integration, position constraints, velocity constraints, collision
/// detection, velocity update, total.
const PUBLISHED: [f64; 6] = [0.018, 0.001, 0.119, 5.520, 3.257, 8.922];

/// Processor time of this thread.
struct Processor(ThreadTime);

impl Clock for Processor {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// A scene that was run.
#[derive(Clone, Debug, Default)]
struct Trial {
    /// Mean seconds a step, by phase.
    phases: PhaseTimes,
    /// Seconds of each step, and of all of them by the clock on the wall.
    steps: Vec<f64>,
    wall: f64,
    /// The deepest overlap at any step.
    deepest: f64,
    /// Since when everything has been at rest, in simulated seconds.
    at_rest: Option<f64>,
    /// Bodies that fell out of the bowl.
    lost: usize,
}

impl Trial {
    fn note_speed(&mut self, speed: f64, time: f64) {
        self.at_rest = if speed < AT_REST { self.at_rest.or(Some(time)) } else { None };
    }

    /// Mean milliseconds a step of the first seconds.
    fn ms(&self, steps: usize) -> f64 {
        let first = &self.steps[..steps.min(self.steps.len())];
        1e3 * first.iter().sum::<f64>() / first.len().max(1) as f64
    }
}

/// Steps a scene, measuring depths after every `every`-th step.
fn run_scene(scene: &mut Scene, steps: usize, every: usize, progress: &dyn Progress) -> Result<Trial, SimError> {
    let clock = Processor(ThreadTime::now());
    let options = StepOptions { clock: Some(&clock), ..StepOptions::default() };
    let mut trial = Trial::default();
    let mut moved = true;
    for index in 0..steps {
        let begun = Instant::now();
        let done = scene.advance(&options)?;
        trial.wall += begun.elapsed().as_secs_f64();
        let times = done.times;
        trial.steps.push(times.total());
        let mean = |sum: &mut f64, time: f64| *sum += time / steps as f64;
        mean(&mut trial.phases.time_integration, times.time_integration);
        mean(&mut trial.phases.velocity_constraints, times.velocity_constraints);
        mean(&mut trial.phases.collision_detection, times.collision_detection);
        mean(&mut trial.phases.velocity_update, times.velocity_update);
        trial.note_speed(done.max_speed, scene.world.time);
        // What has not moved is as deep as it was.
        moved |= done.awake > 0;
        if (index + 1) % every == 0 && std::mem::take(&mut moved) {
            trial.deepest = trial.deepest.max(measure::body_penetration(&scene.world)?.max);
        }
        progress.advance(1);
    }
    let radius = 5.5 * (scene.world.body_count() as f64 / 50.0).cbrt().max(1.0);
    for &body in &scene.bodies {
        trial.lost += usize::from(scene.world.body(body)?.center().length() > 2.0 * radius);
    }
    Ok(trial)
}

/// Steps a scene on two threads; how many seconds that took by the clock on the wall.
fn run_shared(scene: &mut Scene, steps: usize, progress: &dyn Progress) -> Result<f64, SimError> {
    progress.begin("the same on two threads", steps as u64);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    let begun = Instant::now();
    for _ in 0..steps {
        pool.install(|| scene.advance(&StepOptions { threads: Threads::All, ..StepOptions::default() }))?;
        progress.advance(1);
    }
    Ok(begun.elapsed().as_secs_f64())
}

/// Where all bodies are.
fn poses(scene: &Scene) -> Vec<Pose> {
    scene.bodies.iter().filter_map(|body| Some(scene.world.body(*body).ok()?.pose())).collect()
}

fn rapier_note() -> &'static str {
    if cfg!(feature = "rapier") {
        "rapier 0.36 ran in the same run, its bodies hulls of 506 vertices, its depths those of the smooth bodies at its poses."
    } else {
        "rapier did not run: build with `--features rapier`."
    }
}

/// What a scene's body is made of.
fn geometry_of(scene: &Scene, index: usize) -> Option<&superegg_world::geometry::Geometry> {
    let collider = scene.world.body(*scene.bodies.get(index)?).ok()?.colliders().next()?;
    Some(&scene.world.collider(collider).ok()?.geometry)
}

/// The depth of a scene's bodies at other poses, by the certified distance.
#[cfg_attr(not(feature = "rapier"), allow(dead_code))]
fn depth_at(scene: &Scene, poses: &[Pose]) -> f64 {
    let mut worst = 0.0f64;
    let geometry = |i: usize| geometry_of(scene, i);
    for i in 0..poses.len() {
        for j in i + 1..poses.len() {
            let (Some(a), Some(b)) = (geometry(i), geometry(j)) else { continue };
            if poses[i].translation.distance(poses[j].translation) < a.reach() + b.reach() {
                let found = distance(a, &poses[i], b, &poses[j], &Options { tolerance: 1e-6, ..Options::DEFAULT });
                worst = found.map_or(worst, |found| worst.max(-found.contact.outcome.distance));
            }
        }
    }
    worst
}

/// rapier on the same scene, if it was compiled in.
fn peer(scene: &Scene, steps: usize, every: usize, progress: &dyn Progress) -> Option<Trial> {
    #[cfg(feature = "rapier")]
    {
        progress.begin("the same with rapier", steps as u64);
        rapier::run(scene, steps, every, progress, &|poses| depth_at(scene, poses))
    }
    #[cfg(not(feature = "rapier"))]
    {
        let _ = (scene, steps, every, progress);
        None
    }
}

fn rest(trial: &Trial) -> String {
    trial.at_rest.map_or_else(|| "no".to_owned(), |time| format!("{time:.1} s"))
}

fn paper_bowl(settings: &Settings, progress: &dyn Progress) -> Result<Section, SimError> {
    let mut scene = bowl(50, 1)?.build()?;
    let (steps, every) = if settings.quick { (360, 10) } else { (scene.step_count(), 1) };
    let fresh = scene.clone();
    progress.begin("bowl of 50 bodies", steps as u64);
    let own = run_scene(&mut scene, steps, every, progress)?;
    let mut phases = Table::new(&[
        "method",
        "time integration",
        "position constraints",
        "velocity constraints",
        "collision detection",
        "velocity update",
        "total ms",
    ]);
    let p = own.phases;
    let of = [p.time_integration, 0.0, p.velocity_constraints, p.collision_detection, p.velocity_update, p.total()];
    phases.push(["Superegg".to_owned()].into_iter().chain(of.map(|s| format!("{:.3}", 1e3 * s))));
    phases.push_published(["paper 000".to_owned()].into_iter().chain(PUBLISHED.map(|v| format!("{v:.3}"))));
    let mut beside = Table::new(&[
        "method",
        "first 5 s, ms a step",
        "whole run, ms a step",
        "slowest ms",
        "deepest mm",
        "at rest after",
    ]);
    let mut series = Vec::new();
    let mut add = |name: &str, trial: &Trial| {
        let slowest = 1e3 * trial.steps.iter().copied().fold(0.0, f64::max);
        beside.push([
            name.to_owned(),
            format!("{:.3}", trial.ms(300)),
            format!("{:.3}", trial.ms(usize::MAX)),
            format!("{slowest:.2}"),
            format!("{:.2}", 1e3 * trial.deepest),
            rest(trial),
        ]);
        let rate = |(index, steps): (usize, &[f64])| {
            (0.2 * (index as f64 + 0.5), steps.len() as f64 / steps.iter().sum::<f64>().max(1e-9))
        };
        let points = trial.steps.chunks(12).enumerate().map(rate).collect();
        series.push(Series { name: name.to_owned(), points, published: false });
    };
    add("Superegg", &own);
    if let Some(trial) = peer(&fresh, steps, every.max(10), progress) {
        add("rapier, hulls of 506 vertices", &trial);
    }
    let plot = Plot {
        name: "bowl-rate".to_owned(),
        title: "Steps a second, 50 bodies falling into a bowl".to_owned(),
        x: Axis::linear("simulated time, s"),
        y: Axis::log("steps a second"),
        series,
    };
    let text = format!(
        "50 superellipsoids of exponents 0.1 to 1.9 and radii 0.5 to 0.6 fall into a bowl of 10,000 triangles; {steps} steps of \
         1/60 s with {} substeps. Milliseconds a step; the paper's are from another machine, with bodies of 506 vertices and a \
         tolerance of 15 mm. Depths after every {} step. {}",
        scene.substeps,
        if every == 1 { "single" } else { "tenth" },
        rapier_note(),
    );
    let tables = vec![("bowl".to_owned(), phases), ("bowl-peers".to_owned(), beside)];
    Ok(Section { title: "Bowl: paper 000, table 7 and figure 46".to_owned(), text, tables, plots: vec![plot] })
}

fn growth(settings: &Settings, progress: &dyn Progress) -> Result<Section, SimError> {
    let (counts, steps): (&[usize], usize) =
        if settings.quick { (&[50, 200, 1000], 90) } else { (&[50, 200, 1000, 10_000], 300) };
    let mut table = Table::new(&[
        "bodies",
        "Superegg ms a step",
        "slowest ms",
        "a body, µs",
        "times 1,000 bodies",
        "two threads ms",
        "times as fast",
        "same bits",
        "rapier ms a step",
    ]);
    let (mut points, mut peers) = (Vec::new(), Vec::new());
    let mut at_thousand = None;
    for &count in counts {
        let mut scene = bowl(count, 1)?.build()?;
        let fresh = scene.clone();
        progress.begin(&format!("bowl of {count} bodies"), steps as u64);
        let trial = run_scene(&mut scene, steps, usize::MAX, progress)?;
        let ms = trial.ms(usize::MAX);
        at_thousand = if count == 1000 { Some(ms) } else { at_thousand };
        let (shared, faster, same) = if count == 1000 || count == 10_000 {
            let mut other = fresh.clone();
            let seconds = run_shared(&mut other, steps, progress)?;
            let same = poses(&scene) == poses(&other);
            (
                format!("{:.2}", 1e3 * seconds / steps as f64),
                format!("{:.2}", trial.wall / seconds),
                if same { "yes" } else { "no" }.to_owned(),
            )
        } else {
            (String::new(), String::new(), String::new())
        };
        let peer = if count <= 1000 { peer(&fresh, steps, usize::MAX, progress) } else { None };
        let peer = peer.map(|trial| trial.ms(usize::MAX));
        table.push([
            count.to_string(),
            format!("{ms:.2}"),
            format!("{:.1}", 1e3 * trial.steps.iter().copied().fold(0.0, f64::max)),
            format!("{:.1}", 1e3 * ms / count as f64),
            at_thousand.map_or_else(String::new, |base| format!("{:.2}", ms / base)),
            shared,
            faster,
            same,
            peer.map_or_else(String::new, |ms| format!("{ms:.2}")),
        ]);
        points.push((count as f64, ms));
        peers.extend(peer.map(|ms| (count as f64, ms)));
    }
    let mut series = vec![Series { name: "Superegg".to_owned(), points, published: false }];
    if !peers.is_empty() {
        series.push(Series { name: "rapier".to_owned(), points: peers, published: false });
    }
    let plot = Plot {
        name: "growth".to_owned(),
        title: "Milliseconds a step over the number of bodies".to_owned(),
        x: Axis::log("bodies"),
        y: Axis::log("ms a step"),
        series,
    };
    let text = format!(
        "The same bowl, larger for more bodies so that they fill as much of it; the first {:.1} s. Two threads are compared with one by \
         the clock on the wall. {}",
        steps as f64 / 60.0,
        rapier_note()
    );
    let tables = vec![("growth".to_owned(), table)];
    Ok(Section { title: "Growth".to_owned(), text, tables, plots: vec![plot] })
}

fn grid(settings: &Settings, progress: &dyn Progress) -> Result<Section, SimError> {
    let (seeds, seconds, every) = if settings.quick { (1, 3.0, 10) } else { (10, 15.0, 2) };
    let mut table = Table::new(&["exponents", "step", "seeds", "deepest mm", "at rest", "the last after", "lost"]);
    for exponents in [[0.1, 1.9], [0.1, 0.4], [1.0, 1.0], [1.5, 1.9]] {
        for rate in [60.0, 120.0] {
            progress.begin(&format!("exponents {exponents:?}, 1/{rate} s, {seeds} seeds"), seeds);
            // No times are taken here: seeds run side by side.
            let run = |seed: u64| {
                let mut scene = bowl_of(50, seed, exponents)?.build()?;
                scene.dt = 1.0 / rate;
                scene.substeps = if rate > 60.0 { 4 } else { scene.substeps };
                run_scene(&mut scene, (seconds * rate) as usize, every, &Silent)
            };
            let trials = (1..=seeds).into_par_iter().map(run).collect::<Result<Vec<Trial>, SimError>>()?;
            progress.advance(seeds);
            let deepest = trials.iter().map(|trial| trial.deepest).fold(0.0, f64::max);
            let resting = trials.iter().filter(|trial| trial.at_rest.is_some()).count();
            let latest = trials.iter().filter_map(|trial| trial.at_rest).fold(0.0, f64::max);
            let lost: usize = trials.iter().map(|trial| trial.lost).sum();
            table.push([
                format!("{} to {}", exponents[0], exponents[1]),
                format!("1/{rate} s"),
                seeds.to_string(),
                format!("{:.2}", 1e3 * deepest),
                format!("{resting} of {seeds}"),
                format!("{latest:.1} s"),
                lost.to_string(),
            ]);
        }
    }
    let text = format!(
        "The bowl with 50 bodies for {seconds} s, by seeds, time steps and exponents; depths after every {} step. A step that leaves \
         the range of numbers ends the suite with an error; bodies that are outside of the bowl at the end count as lost.",
        if every == 2 { "second" } else { "tenth" },
    );
    let tables = vec![("grid".to_owned(), table)];
    Ok(Section { title: "Seeds, time steps, exponents".to_owned(), text, tables, plots: Vec::new() })
}

fn scenes(settings: &Settings, progress: &dyn Progress) -> Result<Section, SimError> {
    let mut table =
        Table::new(&["scene", "bodies", "seconds", "ms a step", "slowest ms", "deepest mm", "at rest after"]);
    for name in ["egg", "tower", "billiard", "ragdoll", "hammock"] {
        let Some(scene) = built_in::scene(name, None) else { continue };
        let mut scene = scene?;
        scene.seconds = if settings.quick { scene.seconds.min(2.0) } else { scene.seconds };
        let steps = scene.step_count();
        progress.begin(name, steps as u64);
        // Limbs overlap at their joints.
        let every = if name == "ragdoll" { usize::MAX } else { 1 };
        let trial = run_scene(&mut scene, steps, every, progress)?;
        table.push([
            name.to_owned(),
            scene.world.body_count().to_string(),
            format!("{:.0}", scene.seconds),
            format!("{:.3}", trial.ms(usize::MAX)),
            format!("{:.2}", 1e3 * trial.steps.iter().copied().fold(0.0, f64::max)),
            if every == 1 { format!("{:.3}", 1e3 * trial.deepest) } else { "not asked".to_owned() },
            rest(&trial),
        ]);
    }
    let text = "The built-in scenes. Depths are between rigid bodies, after every step.".to_owned();
    let tables = vec![("scenes".to_owned(), table)];
    Ok(Section { title: "Scenes".to_owned(), text, tables, plots: Vec::new() })
}

/// Measures everything.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, SimError> {
    let sections = vec![
        paper_bowl(settings, progress)?,
        growth(settings, progress)?,
        grid(settings, progress)?,
        scenes(settings, progress)?,
    ];
    Ok(Report { name: "rigid", title: "Rigid bodies of smooth shape".to_owned(), sections })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_is_measured_and_judged_the_same_by_both_ways() {
        let mut scene = bowl(5, 1).unwrap().build().unwrap();
        let trial = run_scene(&mut scene, 4, 1, &Silent).unwrap();
        assert_eq!((trial.steps.len(), trial.deepest, trial.at_rest, trial.lost), (4, 0.0, None, 0));
        let mean = trial.steps.iter().sum::<f64>() / 4.0;
        assert!((trial.phases.total() - mean).abs() <= 1e-9 + 1e-6 * mean, "phases add up to the steps");
        // Two bodies at one place are as deep in each other as they are thick, nearly.
        let mut poses: Vec<Pose> = scene.bodies.iter().map(|body| scene.world.body(*body).unwrap().pose()).collect();
        assert_eq!(depth_at(&scene, &poses), 0.0);
        poses[2] = poses[1];
        assert!(depth_at(&scene, &poses) > 0.9);
    }
}
