//! Poses by hand: a joint drawn to a place, a chain of bones bent along a line of action (Guay et al. 2013), both within the limits of the
//! joints.
//!
//! Levenberg–Marquardt on the angles, which are kept between their limits: an angle at a limit that would go further is left out of a step.
//! Angles that do not matter stay where they are.

use glam::{DVec2, DVec3};
use superegg::Pose;

use super::drawing::{View, chain_between, points};
use super::messages::{Creature, Stance, Stroke};
use super::robot::Rig;
use super::stroke::{length, resample};
use super::tree::{index_of, segments};
use crate::wire::Refusal;

/// Steps of a search.
const STEPS: usize = 60;
/// Weight of staying where an angle is, against squared metres of the size one: keeps poses calm.
const CALM: f64 = 1e-5;

/// A point of a bone, where it is at rest, and where it is to be.
struct Aim {
    bone: usize,
    at: DVec3,
    to: DVec3,
}

/// How a creature stands when a joint is drawn to a place. The root's first joint takes all with it.
pub fn reach(creature: &Creature, rig: &Rig, stance: &Stance, joint: u32, to: DVec3) -> Result<Stance, Refusal> {
    if !to.is_finite() {
        return Err(Refusal::at("reach.to", "a place has finite numbers"));
    }
    let at = super::tree::positions(creature).get(&joint).copied();
    let at = at.ok_or_else(|| Refusal::at("reach.joint", format!("there is no joint {joint}")))?;
    let bone = creature.bones.iter().position(|bone| bone.to == joint);
    match bone {
        Some(bone) if rig.tree.parents[bone].is_some() => Ok(solve(rig, stance, &[Aim { bone, at, to }])),
        // A root has nothing to bend: the whole is moved.
        _ => {
            let (_, base) = rig.configuration(stance);
            let moved = DVec3::from_array(stance.position) + to - base.transform_point(at);
            Ok(Stance { position: moved.to_array(), ..stance.clone() })
        }
    }
}

/// How a creature stands when the chain from the joint where a line begins to the joint nearest to its end follows it.
pub fn follow(
    creature: &Creature,
    rig: &Rig,
    stance: &Stance,
    stroke: &Stroke,
) -> Result<(Stance, Option<String>), Refusal> {
    let view = View::of(stroke)?;
    let line = points(stroke);
    let (configuration, base) = rig.configuration(stance);
    let places = rig.places(&configuration, &base);
    let ends = segments(creature);
    // Where joints are now, by the bone that ends there; the first joints of roots, too.
    let mut joints: Vec<(u32, DVec3)> = vec![];
    for (index, bone) in creature.bones.iter().enumerate() {
        if rig.tree.parents[index].is_none() {
            joints.push((bone.from, places[index].transform_point(ends[index][0])));
        }
        joints.push((bone.to, places[index].transform_point(ends[index][1])));
    }
    let nearest = |at: DVec2, but: Option<u32>| {
        let others = joints.iter().filter(|(id, _)| Some(*id) != but);
        others.min_by(|a, b| view.seen(a.1).distance(at).total_cmp(&view.seen(b.1).distance(at))).copied()
    };
    let (Some(&first), Some(&last)) = (line.first(), line.last()) else {
        return Ok((stance.clone(), Some("Draw a line along a chain of bones.".to_owned())));
    };
    let hint = || Ok((stance.clone(), Some("Begin the line at one joint and end it near another.".to_owned())));
    let Some((from, start)) = nearest(first, None) else { return hint() };
    let Some((to, _)) = nearest(last, Some(from)) else { return hint() };
    let chain = chain_between(creature, from, to);
    let whole: f64 = chain.iter().map(|&bone| ends[bone][0].distance(ends[bone][1])).sum();
    if chain.is_empty() || length(&line) <= stroke.reach {
        return hint();
    }
    // Each joint of the chain at its part of the line, which begins where the first one is.
    let samples = resample(&line, 200);
    let shift = view.seen(start) - samples[0];
    let (mut passed, mut at_joint, mut aims) = (0.0, from, vec![]);
    for bone in chain {
        let Some(described) = creature.bones.get(bone) else { continue };
        passed += ends[bone][0].distance(ends[bone][1]);
        let outward = described.from == at_joint;
        at_joint = if outward { described.to } else { described.from };
        let sample = samples[((passed / whole * 200.0).round() as usize).min(200)];
        let now = places[bone].transform_point(ends[bone][usize::from(outward)]);
        let to = view.place(sample + shift * (1.0 - passed / whole), view.depth(now));
        aims.push(Aim { bone, at: ends[bone][usize::from(outward)], to });
    }
    Ok((solve(rig, stance, &aims), None))
}

/// The angles within their limits that bring points closest to their aims.
fn solve(rig: &Rig, stance: &Stance, aims: &[Aim]) -> Stance {
    let (start, base) = rig.configuration(stance);
    let freedoms = rig.kinematics.freedoms();
    let scale = aims.iter().map(|aim| aim.to.distance(aim.at)).fold(1e-3, f64::max);
    let cost = |numbers: &[f64]| -> f64 {
        let places = rig.places(numbers, &base);
        let far: f64 = aims.iter().map(|aim| places[aim.bone].transform_point(aim.at).distance_squared(aim.to)).sum();
        let moved: f64 = numbers.iter().zip(&start).map(|(a, b)| (a - b).powi(2)).sum();
        far / (scale * scale) + CALM * moved
    };
    let mut numbers = start.clone();
    let (mut best, mut damping) = (cost(&numbers), 1e-3);
    for _ in 0..STEPS {
        let (matrix, gradient, moving) = normal_equations(rig, &base, &numbers, &start, aims, scale);
        if moving.is_empty() || best < 1e-12 {
            break;
        }
        let Some(step) = cholesky(&matrix, &gradient, damping) else { break };
        let mut tried = numbers.clone();
        for (&number, change) in moving.iter().zip(&step) {
            tried[number] = (tried[number] + change).clamp(freedoms[number].lower, freedoms[number].upper);
        }
        let found = cost(&tried);
        if found < best {
            let gained = best - found;
            (numbers, best, damping) = (tried, found, (0.3 * damping).max(1e-9));
            if gained < 1e-10 * best.max(1e-12) {
                break;
            }
        } else {
            damping *= 8.0;
            if damping > 1e8 {
                break;
            }
        }
    }
    rig.stance(&numbers, stance)
}

/// JᵀJ, Jᵀr and the numbers that they are about: those that matter and are free to go where the gradient leads.
fn normal_equations(
    rig: &Rig,
    base: &Pose,
    numbers: &[f64],
    start: &[f64],
    aims: &[Aim],
    scale: f64,
) -> (Vec<Vec<f64>>, Vec<f64>, Vec<usize>) {
    let poses = rig.kinematics.link_poses(numbers, base);
    let mut rows: Vec<(Vec<DVec3>, DVec3)> = vec![];
    for aim in aims {
        let link = rig.links[aim.bone];
        let now = poses[link].compose(&rig.rest[aim.bone].inverse()).transform_point(aim.at);
        let columns = rig.kinematics.jacobian(numbers, &poses, link, now);
        rows.push((columns.iter().map(|column| column.linear / scale).collect(), (aim.to - now) / scale));
    }
    let pull: Vec<f64> = (0..numbers.len())
        .map(|k| rows.iter().map(|(columns, miss)| columns[k].dot(*miss)).sum::<f64>() + CALM * (start[k] - numbers[k]))
        .collect();
    let freedoms = rig.kinematics.freedoms();
    let moves = |k: &usize| {
        let at_limit = (numbers[*k] <= freedoms[*k].lower && pull[*k] < 0.0)
            || (numbers[*k] >= freedoms[*k].upper && pull[*k] > 0.0);
        !at_limit && rows.iter().any(|(columns, _)| columns[*k] != DVec3::ZERO)
    };
    let moving: Vec<usize> = (0..numbers.len()).filter(moves).collect();
    let entry = |i: usize, j: usize| {
        let sum: f64 = rows.iter().map(|(columns, _)| columns[moving[i]].dot(columns[moving[j]])).sum();
        sum + if i == j { CALM } else { 0.0 }
    };
    let matrix = (0..moving.len()).map(|i| (0..moving.len()).map(|j| entry(i, j)).collect()).collect();
    (matrix, moving.iter().map(|&k| pull[k]).collect(), moving)
}

/// Solves a positive definite system whose diagonal is raised by a part of itself.
fn cholesky(matrix: &[Vec<f64>], right: &[f64], damping: f64) -> Option<Vec<f64>> {
    let count = right.len();
    let mut lower = vec![vec![0.0; count]; count];
    for i in 0..count {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let raised = if i == j { matrix[i][i] * (1.0 + damping) + 1e-12 } else { matrix[i][j] };
            let left = raised - known;
            lower[i][j] = if i == j { (left > 0.0).then(|| left.sqrt())? } else { left / lower[j][j] };
        }
    }
    let mut solution = right.to_vec();
    for i in 0..count {
        let known: f64 = (0..i).map(|k| lower[i][k] * solution[k]).sum();
        solution[i] = (solution[i] - known) / lower[i][i];
    }
    for i in (0..count).rev() {
        let known: f64 = (i + 1..count).map(|k| lower[k][i] * solution[k]).sum();
        solution[i] = (solution[i] - known) / lower[i][i];
    }
    Some(solution)
}

/// Whether a bone is known, for messages that name one.
pub fn require_bone(creature: &Creature, field: &str, bone: u32) -> Result<usize, Refusal> {
    index_of(creature, bone).ok_or_else(|| Refusal::at(field, format!("there is no bone {bone}")))
}
