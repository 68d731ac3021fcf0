//! Local minima of a support function on the unit sphere: an upper bound of the quality, its direction and its forces.
//!
//! From a direction u, the facet where the ray along u leaves the set has a normal with a smaller value; repeating this settles near a local minimum. For the
//! hull of discs it is then polished by Newton's method on the Karush–Kuhn–Tucker conditions: a contact at the minimum is off, on the rim of its disc
//! (g_t ≠ 0, curvature of rank one) or inside of it (g_t = 0, three conditions). States that do not fit are repaired a few times; if that
//! fails, the unpolished direction is still a valid upper bound.

use glam::DVec3;

use super::linear::{MOST, V6, dot, norm, plus, scaled, solve};
use super::shot::{Shot, Until, shoot};
use super::wrench::{ContactSet, WrenchSet};

/// Forces of the contacts at a minimum: share of the normal force, and force.
pub(super) type Shares = Vec<(f64, DVec3)>;

/// A local minimum.
#[derive(Clone, Debug)]
pub(super) struct Foot {
    /// Unit direction.
    pub u: V6,
    /// Support value along it.
    pub value: f64,
    /// Wrenches of the set whose hull contains the point of the set's boundary that is nearest to the origin there.
    pub points: Vec<V6>,
    /// What the contacts do there.
    pub shares: Shares,
}

/// Rays at most.
const SHOTS: usize = 12;
/// A ray that gains less than this part is the last: Newton's method does the rest.
const SETTLED: f64 = 2e-3;
/// Exactness of a ray on the way.
const ROUGH: f64 = 1e-2;

/// Follows rays from a unit direction down to where they stop to gain.
pub(super) fn descend(set: &impl WrenchSet, contacts: usize, start: &V6, shots: usize) -> Option<Foot> {
    let origin = [0.0; 6];
    let (mut u, mut value) = (*start, set.support(start).0);
    let mut last: Option<Shot> = None;
    for _ in 0..shots {
        let shot = shoot(set, &origin, &u, &Until::Tolerance(ROUGH));
        let length = norm(&shot.y);
        if shot.artificial || !(length > 0.0 && length.is_finite()) {
            break;
        }
        let next = scaled(&shot.y, 1.0 / length);
        let found = set.support(&next).0;
        let gained = value - found;
        last = Some(shot);
        if found < value {
            (u, value) = (next, found);
        }
        if gained < SETTLED * value {
            break;
        }
    }
    let shot = last?;
    let mut shares = vec![(0.0, DVec3::ZERO); contacts];
    for (weight, direction) in shot.weights.iter().zip(&shot.directions) {
        set.forces(direction, &mut |contact, share, force| {
            shares[contact].0 += weight * share;
            shares[contact].1 += force * *weight;
        });
    }
    Some(Foot { u, value, points: shot.points.to_vec(), shares })
}

/// A local minimum of the hull of discs, polished where that succeeds.
pub(super) fn hull_minimum(set: &impl WrenchSet, contacts: &ContactSet, start: &V6) -> Option<Foot> {
    let rough = descend(set, contacts.len(), start, SHOTS)?;
    match polish(contacts, &rough) {
        Some(foot) if foot.value <= rough.value * (1.0 + 1e-9) => Some(foot),
        _ => Some(rough),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Rim,
    Disc,
}

/// Unknowns beside u and t: λ and, inside a disc, two tangential shares.
#[derive(Clone, Copy, Debug)]
struct Active {
    contact: usize,
    state: State,
    lambda: f64,
    q: [f64; 2],
}

/// How often states are repaired.
const REPAIRS: usize = 5;
/// Newton steps.
const STEPS: usize = 10;

fn polish(contacts: &ContactSet, rough: &Foot) -> Option<Foot> {
    let mut active: Vec<Active> = Vec::with_capacity(contacts.len());
    for (contact, (lambda, force)) in rough.shares.iter().enumerate().filter(|(_, share)| share.0 > 1e-6) {
        let across = *force - contacts.normals[contact] * *lambda;
        let (e, f) = contacts.normals[contact].any_orthonormal_pair();
        let inside = across.length() < 0.995 * contacts.frictions[contact] * lambda;
        let state = if inside { State::Disc } else { State::Rim };
        active.push(Active { contact, state, lambda: *lambda, q: [across.dot(e), across.dot(f)] });
    }
    let (mut u, mut t) = (rough.u, rough.value);
    for _ in 0..REPAIRS {
        (u, t) = newton(contacts, &mut active, u, t)?;
        match fault(contacts, &active, &u, t) {
            None => return Some(foot(contacts, &active, &u)),
            Some(Fault::Drop(index)) => drop(active.remove(index)),
            Some(Fault::ToRim(index)) => {
                let one = &mut active[index];
                one.state = State::Rim;
                // Moved so that the contact's g_t points along what it pulls with.
                let (e, f) = contacts.normals[one.contact].any_orthonormal_pair();
                let pull = (e * one.q[0] + f * one.q[1]).normalize_or(e);
                let moved = plus(&u, &contacts.wrench(one.contact, pull), 0.02);
                u = scaled(&moved, 1.0 / norm(&moved));
            }
            Some(Fault::Add(contact)) => {
                let g = contacts.lever(contact, &u);
                let across = g - contacts.normals[contact] * g.dot(contacts.normals[contact]);
                let state = if across.length() < 1e-6 { State::Disc } else { State::Rim };
                active.push(Active { contact, state, lambda: 0.0, q: [0.0; 2] });
            }
        }
        if active.is_empty() {
            return None;
        }
    }
    None
}

enum Fault {
    Drop(usize),
    ToRim(usize),
    Add(usize),
}

/// What keeps a solution from being a minimum of the whole.
fn fault(contacts: &ContactSet, active: &[Active], u: &V6, t: f64) -> Option<Fault> {
    if let Some(index) = active.iter().position(|one| one.lambda < -1e-10) {
        return Some(Fault::Drop(index));
    }
    let beyond = |one: &Active| {
        one.state == State::Disc
            && one.q[0].hypot(one.q[1]) > contacts.frictions[one.contact] * one.lambda * (1.0 + 1e-9) + 1e-12
    };
    if let Some(index) = active.iter().position(beyond) {
        return Some(Fault::ToRim(index));
    }
    let missing = |contact: usize| active.iter().all(|one| one.contact != contact);
    let violated = (0..contacts.len()).find(|&i| missing(i) && contacts.disc_value(i, u) > t + 1e-9);
    violated.map(Fault::Add)
}

/// Solves the conditions for fixed states.
fn newton(contacts: &ContactSet, active: &mut [Active], mut u: V6, mut t: f64) -> Option<(V6, f64)> {
    let n = 7 + active.iter().map(|one| if one.state == State::Disc { 3 } else { 1 }).sum::<usize>();
    if n > MOST {
        return None;
    }
    for _ in 0..STEPS {
        let mut rows = [[0.0; MOST + 1]; MOST];
        // Stationarity: Σ λ w + Tᵀ q = t u.
        for i in 0..6 {
            rows[i][i] = -t;
            rows[i][6] = -u[i];
            rows[i][n] = t * u[i];
        }
        rows[6][..6].copy_from_slice(&u);
        rows[6][n] = 0.5 * (1.0 - dot(&u, &u));
        let mut at = 7;
        for one in active.iter() {
            let normal = contacts.normals[one.contact];
            let g = contacts.lever(one.contact, &u);
            let along = g.dot(normal);
            if one.state == State::Rim {
                let across = g - normal * along;
                let length = across.length();
                if length < 1e-9 {
                    return None;
                }
                let friction = contacts.frictions[one.contact];
                let w = contacts.wrench(one.contact, normal + across * (friction / length));
                let d = contacts.wrench(one.contact, normal.cross(across) / length);
                let curvature = one.lambda * friction / length;
                for i in 0..6 {
                    for j in 0..6 {
                        rows[i][j] += curvature * d[i] * d[j];
                    }
                    rows[i][at] = w[i];
                    rows[i][n] -= one.lambda * w[i];
                    rows[at][i] = w[i];
                }
                rows[at][6] = -1.0;
                rows[at][n] = t - (along + friction * length);
                at += 1;
            } else {
                let (e, f) = normal.any_orthonormal_pair();
                let columns = [normal, e, f].map(|force| contacts.wrench(one.contact, force));
                let values = [one.lambda, one.q[0], one.q[1]];
                for (k, (column, value)) in columns.iter().zip(values).enumerate() {
                    for i in 0..6 {
                        rows[i][at + k] = column[i];
                        rows[i][n] -= value * column[i];
                        rows[at + k][i] = column[i];
                    }
                    rows[at + k][6] = if k == 0 { -1.0 } else { 0.0 };
                    rows[at + k][n] = if k == 0 { t - along } else { -dot(column, &u) };
                }
                at += 3;
            }
        }
        let residual = rows[..n].iter().map(|row| row[n].abs()).fold(0.0, f64::max);
        if residual < 1e-13 {
            break;
        }
        let step = solve(&mut rows, n)?;
        let size = step[..6].iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
        if !(0.0..0.7).contains(&size) {
            return None;
        }
        (0..6).for_each(|i| u[i] += step[i]);
        t += step[6];
        let mut at = 7;
        for one in active.iter_mut() {
            one.lambda += step[at];
            if one.state == State::Disc {
                one.q = [one.q[0] + step[at + 1], one.q[1] + step[at + 2]];
                at += 2;
            }
            at += 1;
        }
        if residual < 1e-12 && size < 1e-12 {
            break;
        }
    }
    let length = norm(&u);
    ((length - 1.0).abs() < 1e-9 && t > 0.0).then(|| (scaled(&u, 1.0 / length), t))
}

/// The minimum that was found, with points of the set around its foot.
fn foot(contacts: &ContactSet, active: &[Active], u: &V6) -> Foot {
    let value = (0..contacts.len()).map(|contact| contacts.disc_value(contact, u)).fold(f64::NEG_INFINITY, f64::max);
    let mut points = Vec::with_capacity(12);
    let mut shares = vec![(0.0, DVec3::ZERO); contacts.len()];
    for one in active {
        let normal = contacts.normals[one.contact];
        let (e, f) = normal.any_orthonormal_pair();
        if one.state == State::Rim {
            let force = contacts.disc_force(one.contact, u);
            points.push(contacts.wrench(one.contact, force));
            shares[one.contact] = (one.lambda, force * one.lambda);
        } else {
            // Three points of the rim, one where the force points: their triangle contains it.
            let toward = one.q[1].atan2(one.q[0]);
            for third in 0..3 {
                let (sine, cosine) = (toward + std::f64::consts::TAU / 3.0 * f64::from(third)).sin_cos();
                let force = normal + (e * cosine + f * sine) * contacts.frictions[one.contact];
                points.push(contacts.wrench(one.contact, force));
            }
            shares[one.contact] = (one.lambda, normal * one.lambda + e * one.q[0] + f * one.q[1]);
        }
    }
    Foot { u: *u, value, points, shares }
}
