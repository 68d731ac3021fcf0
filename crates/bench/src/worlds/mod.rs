//! Worlds of many bodies, compound bodies, and bodies in motion, beside parry.

mod culling;
mod impact;
pub mod scene;
pub mod step;

use cpu_time::ThreadTime;
use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhWorkspace};
use rand::RngExt;
use superegg::Pose;
use superegg::query::Options;
use superegg::shape::Aabb;
use superegg_world::WorldError;
use superegg_world::bound::Bound;
use superegg_world::broad::{Leaf, Tree};
use superegg_world::compound::{Compound, Part};
use superegg_world::world::Depth;
use testkit::generate::{Domain, convex_superovoid, direction, rotation, seeded};

use crate::report::{Axis, Plot, Report, Section, Series};
use crate::{Progress, Settings, Table};
use culling::Candidates;
use scene::{Kind, Scene};
use step::{Ours, Parry, Run};

/// Runs the suite.
pub fn run(settings: &Settings, progress: &dyn Progress) -> Result<Report, WorldError> {
    let (count, steps) = if settings.quick { (1_000, 8) } else { (10_000, 12) };
    progress.begin("worlds", 6);
    let scene = Scene::new(1, count, steps, Kind::Convex)?;
    let mut sections = vec![contacts(&scene, settings)?];
    progress.advance(1);
    sections.push(growth(settings)?);
    progress.advance(1);
    let candidates = Candidates::new(&scene)?;
    sections.push(Section {
        title: "Culling".into(),
        text: format!(
            "Candidate pairs are those whose tight boxes are within the margin. Each bound is tried on all of them, then \
             chains of bounds before the exact query. {} bodies, margin {:.3}.",
            count, scene.margin
        ),
        tables: vec![("bounds".into(), candidates.table()?), ("chain".into(), candidates.chain()?)],
        plots: vec![],
    });
    progress.advance(1);
    sections.push(broad_phase(if settings.quick { 2_000 } else { 20_000 })?);
    progress.advance(1);
    sections.push(compounds(if settings.quick { 100 } else { 1_000 })?);
    progress.advance(1);
    let (truths, spots) = if settings.quick { (1_000, 20_000) } else { (10_000, 1_000_000) };
    sections.push(Section {
        title: "Time of impact".into(),
        text: "Random motions over one second, with and without turning. The truth is found by 200 samples of the \
               overlap and bisection. For the further motions the overlap is checked at five times up to the reported \
               one, the last a millionth before it."
            .into(),
        tables: vec![("impact".into(), impact::table(truths, spots)?)],
        plots: vec![],
    });
    progress.advance(1);
    Ok(Report { name: "worlds", title: "Worlds and motion".into(), sections })
}

/// All contacts of a step, beside parry.
fn contacts(scene: &Scene, settings: &Settings) -> Result<Section, WorldError> {
    let mut table = Table::new(&[
        "bodies",
        "side",
        "ms a step",
        "contacts",
        "exact tests",
        "ours is faster by",
        "contacts in common",
    ]);
    let mut text = String::new();
    let battery = Scene::new(2, if settings.quick { 500 } else { 2_000 }, 8, Kind::Battery)?;
    for (name, scene) in [("convex superovoids", scene), ("papers' battery, hardly any convex", &battery)] {
        let mut ours = Ours::new(scene, Depth::Followed)?;
        let (mut thorough, mut thorough_run) = (Ours::new(scene, Depth::Global)?, Run::default());
        let mut sides = [("parry, contact from scratch", false), ("parry, last direction remembered", true)]
            .map(|(name, remember)| (name, Parry::new(scene, remember), Run::default()));
        let mut run = Run::default();
        // Taking turns, so that a busy machine disturbs all alike.
        for poses in &scene.steps[1..] {
            ours.step(poses, &mut run)?;
            thorough.step(poses, &mut thorough_run)?;
            for (_, parry, run) in &mut sides {
                parry.step(poses, run);
            }
        }
        let bodies = format!("{} {name}", scene.steps[0].len());
        let mine = run.milliseconds();
        let (found, exact) = run.means();
        let cells = |values: [String; 6]| std::iter::once(bodies.clone()).chain(values).collect::<Vec<_>>();
        let mut own_row = |name: &str, milliseconds: f64, ratio: String| {
            table.push(cells([
                name.into(),
                format!("{milliseconds:.2}"),
                format!("{found:.0}"),
                format!("{exact:.0}"),
                ratio,
                String::new(),
            ]));
        };
        own_row("superegg, depths followed", mine, String::new());
        let slower = thorough_run.milliseconds();
        own_row("superegg, global depths", slower, format!("{:.2}×", slower / mine));
        let own = ours.contacts();
        let (mean, most) = deeper(&own, &thorough.contacts());
        for (side, parry, peer) in &sides {
            let (found, exact) = peer.means();
            let theirs: std::collections::HashSet<(usize, usize)> =
                parry.contacts.iter().map(|&(a, b, _)| (a as usize, b as usize)).collect();
            let common = own.iter().filter(|(a, b, _)| theirs.contains(&(*a, *b))).count();
            table.push(cells([
                (*side).into(),
                format!("{:.2}", peer.milliseconds()),
                format!("{found:.0}"),
                format!("{exact:.0}"),
                format!("{:.2}×", peer.milliseconds() / mine),
                format!("{:.1} %", 100.0 * common as f64 / own.len().max(1) as f64),
            ]));
        }
        text.push_str(&summary(&bodies, scene, &ours, (mean, most)));
    }
    Ok(Section {
        title: "All contacts within a margin".into(),
        text: format!(
            "Random superovoids in a box that drift by 1 % of their size a step, turn and bounce: all pairs closer than \
             the margin, with points and normals. One thread, processor time, the median step. Parry: its BVH with \
             fattened leaves and its GJK/EPA contact on hulls of 290 vertices.\n\n{text}"
        ),
        tables: vec![("contacts".into(), table)],
        plots: vec![],
    })
}

/// What a run of steps was made of, as an item of a list.
fn summary(bodies: &str, scene: &Scene, ours: &Ours, (mean, most): (f64, f64)) -> String {
    let statistics = ours.statistics();
    format!(
        "- {bodies}: margin {:.3}, {:.2} neighbours a body, {:.1} % of the contacts overlapping, {:.0} bytes a body. \
         Last step: {} pairs watched, of which {} settled by travel, {} by spheres, {} by planes, {} by oriented \
         boxes; {} asked exactly, {} in contact; {} of the bodies looked up anew. Followed depths are larger than \
         the least by {mean:.1e} in the mean, {most:.1e} at most (bodies are about one in size).\n",
        scene.margin,
        scene.neighbours,
        100.0 * scene.overlapping,
        ours.bytes_a_body(),
        statistics.pairs,
        statistics.travel,
        statistics.sphere,
        statistics.plane,
        statistics.obb,
        statistics.exact,
        statistics.near,
        statistics.lookups,
    )
}

/// By how much the followed depths exceed the least ones, in the mean and at most.
fn deeper(followed: &[(usize, usize, f64)], least: &[(usize, usize, f64)]) -> (f64, f64) {
    let least: std::collections::HashMap<(usize, usize), f64> = least.iter().map(|&(a, b, d)| ((a, b), d)).collect();
    let excess: Vec<f64> = (followed.iter())
        .filter(|(.., distance)| *distance < 0.0)
        .filter_map(|(a, b, distance)| Some(least.get(&(*a, *b))? - distance))
        .collect();
    (excess.iter().sum::<f64>() / excess.len().max(1) as f64, excess.iter().copied().fold(0.0, f64::max))
}

/// The time of a step over the number of bodies.
fn growth(settings: &Settings) -> Result<Section, WorldError> {
    let counts: &[usize] = if settings.quick { &[500, 1_000, 2_000] } else { &[1_000, 3_000, 10_000, 30_000, 100_000] };
    let mut table = Table::new(&["bodies", "ms a step", "µs a body", "bytes a body"]);
    let mut points = Vec::new();
    for &count in counts {
        let scene = Scene::new(3, count, 5, Kind::Convex)?;
        let mut ours = Ours::new(&scene, Depth::Followed)?;
        let mut run = Run::default();
        for poses in &scene.steps[1..] {
            ours.step(poses, &mut run)?;
        }
        let time = run.milliseconds();
        table.push([
            count.to_string(),
            format!("{time:.2}"),
            format!("{:.2}", 1e3 * time / count as f64),
            format!("{:.0}", ours.bytes_a_body()),
        ]);
        points.push((count as f64, time));
    }
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let plot = Plot {
        name: "growth".into(),
        title: "All contacts of a step".into(),
        x: Axis::log("bodies"),
        y: Axis::log("ms"),
        series: vec![Series { name: "superegg, one thread".into(), points, published: false }],
    };
    Ok(Section {
        title: "Growth".into(),
        text: format!("Time grows with the number of bodies to the power {:.3} (least squares).", slope(&logs)),
        tables: vec![("growth".into(), table)],
        plots: vec![plot],
    })
}

fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (up, across) = points.iter().fold((0.0, 0.0), |(up, across), point| {
        (up + (point.0 - x) * (point.1 - y), across + (point.0 - x) * (point.0 - x))
    });
    up / across
}

/// The tree alone beside parry's: boxes that creep, all pairs found each step.
fn broad_phase(count: usize) -> Result<Section, WorldError> {
    const FAT: f64 = 0.1;
    // The first boxes are all left at about the same time; later ones now and then.
    const UNTIMED: usize = 15;
    const TIMED: usize = 30;
    let mut rng = seeded(4);
    let side = (count as f64).cbrt() * 1.6;
    let mut centers: Vec<DVec3> =
        (0..count).map(|_| DVec3::from([0; 3].map(|_| rng.random_range(0.0..side)))).collect();
    let halves: Vec<DVec3> = (0..count).map(|_| DVec3::from([0; 3].map(|_| rng.random_range(0.3..0.7)))).collect();
    let velocities: Vec<DVec3> = (0..count).map(|_| direction(&mut rng) * 0.01).collect();
    let own_box = |center: DVec3, half: DVec3| Aabb { min: center - half, max: center + half };
    let mut fat: Vec<Aabb> = centers.iter().zip(&halves).map(|(center, half)| own_box(*center, *half + FAT)).collect();
    let mut tree = Tree::new();
    let leaves: Vec<Leaf> = (0u32..).zip(&fat).map(|(item, aabb)| tree.insert(aabb, item)).collect::<Result<_, _>>()?;
    tree.rebuild();
    let mut bvh = Bvh::new();
    let mut workspace = BvhWorkspace::default();
    let parry_box = |center: DVec3, half: DVec3| {
        let (min, max) = (center - half, center + half);
        ParryAabb::new(ParryVector::new(min.x, min.y, min.z), ParryVector::new(max.x, max.y, max.z))
    };
    for (item, (center, half)) in (0u32..).zip(centers.iter().zip(&halves)) {
        bvh.insert_or_update_partially(parry_box(*center, *half), item, FAT);
    }
    bvh.refit(&mut workspace);
    let (mut mine, mut theirs, mut leaves_moved) = (Vec::new(), Vec::new(), 0);
    let (mut own_pairs, mut parry_pairs) = (Vec::new(), Vec::new());
    for step in 0..UNTIMED + TIMED {
        centers.iter_mut().zip(&velocities).for_each(|(center, velocity)| *center += *velocity);
        let start = ThreadTime::now();
        let mut moved = Vec::new();
        for index in 0..count {
            let tight = own_box(centers[index], halves[index]);
            if !(fat[index].min.cmple(tight.min).all() && fat[index].max.cmpge(tight.max).all()) {
                fat[index] = own_box(centers[index], halves[index] + FAT);
                moved.push((leaves[index], fat[index]));
            }
        }
        tree.set_all(&moved)?;
        tree.maintain();
        own_pairs.clear();
        tree.for_each_pair(|a, b| own_pairs.push((a, b)));
        let own_time = start.elapsed();
        let start = ThreadTime::now();
        for (item, (center, half)) in (0u32..).zip(centers.iter().zip(&halves)) {
            bvh.insert_or_update_partially(parry_box(*center, *half), item, FAT);
        }
        bvh.refit(&mut workspace);
        bvh.optimize_incremental(&mut workspace);
        parry_pairs.clear();
        bvh.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |a, b| parry_pairs.push((a, b)));
        let parry_time = start.elapsed();
        if step >= UNTIMED {
            mine.push(own_time.as_secs_f64());
            theirs.push(parry_time.as_secs_f64());
            leaves_moved += moved.len();
        }
    }
    // Fattened boxes are each tree's own; what overlaps without them must be in both, and be all there is.
    let tight: Vec<Aabb> = centers.iter().zip(&halves).map(|(center, half)| own_box(*center, *half)).collect();
    let overlapping = |pairs: &[(u32, u32)]| {
        let mut pairs: Vec<(u32, u32)> = (pairs.iter())
            .map(|&(a, b)| (a.min(b), a.max(b)))
            .filter(|&(a, b)| tight[a as usize].overlaps(&tight[b as usize]))
            .collect();
        pairs.sort_unstable();
        pairs
    };
    let truth: Vec<(u32, u32)> = (0..count)
        .flat_map(|a| {
            let tight = &tight;
            (a + 1..count).filter(move |&b| tight[a].overlaps(&tight[b])).map(move |b| (a as u32, b as u32))
        })
        .collect();
    let verdict = |pairs: &[(u32, u32)]| if overlapping(pairs) == truth { "all, once" } else { "wrong" };
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2] * 1e3
    };
    let (mine, theirs) = (median(&mut mine), median(&mut theirs));
    let mut table = Table::new(&["tree", "ms a step", "pairs of fattened boxes", "pairs of the boxes themselves"]);
    for (name, time, pairs) in [("superegg", mine, &own_pairs), ("parry 0.31 Bvh", theirs, &parry_pairs)] {
        table.push([name.into(), format!("{time:.3}"), pairs.len().to_string(), verdict(pairs).into()]);
    }
    Ok(Section {
        title: "Broad phase alone".into(),
        text: format!(
            "{count} boxes that creep by 1 % a step, fattened by {FAT}; move what left its box ({:.1} % of the leaves a \
             step), then list all overlapping pairs. Ours takes {:.2} of parry's time. Of {} pairs of boxes that overlap \
             in the last step, found by comparing all, none may be missing or be listed twice.",
            100.0 * leaves_moved as f64 / TIMED as f64 / count as f64,
            mine / theirs,
            truth.len()
        ),
        tables: vec![("broad".into(), table)],
        plots: vec![],
    })
}

/// Two compounds of twenty parts: exact queries of branch and bound beside all pairs.
fn compounds(count: usize) -> Result<Section, WorldError> {
    let mut rng = seeded(5);
    let mut table = Table::new(&["poses", "all pairs", "queries: mean", "most", "fewer by", "µs", "all pairs µs"]);
    for (name, near, far) in [("apart by up to their size", 1.2, 2.0), ("touching or entangled", 0.2, 1.0)] {
        let (mut queries, mut most, mut time, mut brute) = (0, 0, 0.0, 0.0);
        for _ in 0..count {
            let mut finger = || -> Result<Compound, WorldError> {
                // A chain of parts, each a little farther along and off the line.
                let mut at = DVec3::ZERO;
                let parts = (0..20).map(|_| {
                    at += DVec3::X * 0.35 + direction(&mut rng) * 0.2;
                    let shape =
                        convex_superovoid(&mut rng, &Domain { size: 0.2..=0.4, aspect: 3.0, ..Domain::MODERATE });
                    Part { shape: shape.into(), pose: Pose { rotation: rotation(&mut rng), translation: at } }
                });
                Compound::new(parts.collect())
            };
            let (a, b) = (finger()?, finger()?);
            let away = direction(&mut rng) * rng.random_range(near..far) * 0.5 * (a.reach() + b.reach());
            let poses = [DVec3::ZERO, away].map(|translation| Pose { rotation: rotation(&mut rng), translation });
            let start = ThreadTime::now();
            let found = a.distance(&poses[0], &b, &poses[1], &Options::DEFAULT)?;
            time += start.elapsed().as_secs_f64();
            let start = ThreadTime::now();
            let mut least = f64::INFINITY;
            for part_a in a.parts() {
                for part_b in b.parts() {
                    let (at_a, at_b) = (poses[0].compose(&part_a.pose), poses[1].compose(&part_b.pose));
                    let found =
                        superegg::query::distance(&part_a.shape, &at_a, &part_b.shape, &at_b, &Options::DEFAULT)?;
                    least = least.min(found.distance);
                }
            }
            brute += start.elapsed().as_secs_f64();
            assert!((least - found.contact.outcome.distance).abs() < 1e-6, "branch and bound finds the least of all");
            queries += found.queries;
            most = most.max(found.queries);
        }
        let mean = f64::from(queries) / count as f64;
        table.push([
            format!("{count}, {name}"),
            "400".into(),
            format!("{mean:.2}"),
            most.to_string(),
            format!("{:.1}×", 400.0 / mean),
            format!("{:.1}", 1e6 * time / count as f64),
            format!("{:.1}", 1e6 * brute / count as f64),
        ]);
    }
    Ok(Section {
        title: "Compound bodies".into(),
        text: "Two chains of twenty convex superovoids each, every answer checked against all 400 pairs.".into(),
        tables: vec![("compound".into(), table)],
        plots: vec![],
    })
}
