//! Ferrari and Canny's quality of a grasp with certified bounds, quick estimates, and gradients.
//!
//! The quality is the least support value over unit directions. From below it is bounded by a polytope of wrenches that contains the origin (the distance
//! of its nearest facet), from above by the support value in any direction, as those of the facets' normals and of local minima. Growing the polytope where its facet
//! is nearest makes both meet: the expanding polytope algorithm in six dimensions.

use glam::DVec3;
use rayon::prelude::*;
use superegg::Threads;

use super::closure::{Closure, closure};
use super::gradient::QualityGradient;
use super::linear::{V6, dot, norm, scaled};
use super::local::{Foot, Shares, descend, hull_minimum};
use super::polytope::Polytope;
use super::wrench::{ContactSet, Hull, Sum, WrenchSet};

/// What the contacts share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrenches {
    /// One unit of normal force between all of them.
    #[default]
    Hull,
    /// A unit of normal force each.
    Sum,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Upper and lower bound within this part of each other.
    pub gap: f64,
    /// Most points of the polytope.
    pub points: usize,
}

impl Default for Accuracy {
    fn default() -> Accuracy {
        Accuracy { gap: 1e-3, points: 2000 }
    }
}

/// The quality of a grasp between two bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// The quality is at least this; zero if the grasp was not proved to hold.
    pub lower: f64,
    /// The quality is at most this; zero if the grasp does not hold.
    pub upper: f64,
    /// The unit direction (force, torque over the length) that is resisted least, with the upper bound.
    pub direction: [f64; 6],
    /// What the contacts do there: share of the normal force, and force.
    shares: Shares,
}

impl Quality {
    /// Whether the bounds are as close as was wanted.
    pub fn is_within(&self, gap: f64) -> bool {
        self.upper <= self.lower * (1.0 + gap)
    }
}

/// Rounding of the polytope's facets, as its test bounds it.
const ROUNDING: f64 = 1.0 - 1e-9;
/// Points of a quick estimate, and local minima that are looked for from its facets, beside one from a turn about two contacts.
const QUICK: (usize, usize) = (8, 2);
/// Facets whose normals differ by less than this cosine lead to the same minimum.
const SAME: f64 = 0.97;

/// The quality of a grasp, certified.
///
/// ```
/// use superegg_robot::DVec3;
/// use superegg_robot::grasp::{Accuracy, ContactSet, GraspContact, Wrenches, quality};
/// let at = |angle: f64| {
///     let point = DVec3::new(angle.cos(), angle.sin(), 0.1 * angle);
///     GraspContact { point, normal: -DVec3::new(angle.cos(), angle.sin(), 0.0), friction: 0.5 }
/// };
/// let contacts = ContactSet::new(&[at(0.0), at(1.9), at(4.3)], DVec3::ZERO, 1.0)?;
/// let found = quality(&contacts, Wrenches::Hull, &Accuracy::default());
/// assert!(found.lower > 0.0 && found.upper <= found.lower * 1.001);
/// # Ok::<(), superegg_robot::RobotError>(())
/// ```
pub fn quality(contacts: &ContactSet, wrenches: Wrenches, accuracy: &Accuracy) -> Quality {
    match wrenches {
        Wrenches::Hull => bounded(contacts, &Hull(contacts), accuracy, 0, |set, u| hull_minimum(set, contacts, u)),
        Wrenches::Sum => bounded(contacts, &Sum(contacts), accuracy, 0, |set, u| descend(set, contacts.len(), u, 6)),
    }
}

/// A quick estimate: the upper bound is mostly the quality itself, the lower bound is certified but loose.
pub fn quality_estimate(contacts: &ContactSet, wrenches: Wrenches) -> Quality {
    let accuracy = Accuracy { gap: 1e-3, points: QUICK.0 };
    match wrenches {
        Wrenches::Hull => {
            bounded(contacts, &Hull(contacts), &accuracy, QUICK.1, |set, u| hull_minimum(set, contacts, u))
        }
        Wrenches::Sum => {
            bounded(contacts, &Sum(contacts), &accuracy, QUICK.1, |set, u| descend(set, contacts.len(), u, 12))
        }
    }
}

/// Qualities of many grasps.
pub fn qualities(grasps: &[ContactSet], wrenches: Wrenches, accuracy: &Accuracy, threads: Threads) -> Vec<Quality> {
    match threads {
        Threads::One => grasps.iter().map(|contacts| quality(contacts, wrenches, accuracy)).collect(),
        Threads::All => grasps.par_iter().map(|contacts| quality(contacts, wrenches, accuracy)).collect(),
    }
}

/// Derivatives of the quality by the contacts, where it is differentiable: at ties of several directions it is that of one of them.
pub fn quality_gradient(contacts: &ContactSet, found: &Quality) -> QualityGradient {
    QualityGradient::of_forces(contacts, &found.shares, &found.direction)
}

fn bounded<S: WrenchSet>(
    contacts: &ContactSet,
    set: &S,
    accuracy: &Accuracy,
    minima: usize,
    minimum: impl Fn(&S, &V6) -> Option<Foot>,
) -> Quality {
    let nothing = |upper: f64, direction: V6| Quality {
        lower: 0.0,
        upper: upper.max(0.0),
        direction,
        shares: vec![(0.0, DVec3::ZERO); contacts.len()],
    };
    let simplex = match closure(contacts) {
        Closure::Closed(simplex) => simplex,
        Closure::Open(direction) => return nothing(0.0, direction),
        Closure::Marginal(direction) => return nothing(set.support(&direction).0, direction),
    };
    let Some(mut polytope) = Polytope::new(&simplex) else {
        let y = simplex[0];
        let u = scaled(&y, -1.0 / norm(&y).max(1e-300));
        return nothing(set.support(&u).0, u);
    };
    let mut best: Option<Foot> = None;
    let lower = refine(set, &mut polytope, accuracy, minima > 0, &mut best, &minimum);
    if minima > 0 {
        let mut starts = polytope.nearest_directions(minima, SAME);
        starts.iter_mut().for_each(|y| *y = scaled(y, 1.0 / norm(y)));
        let other = twist(contacts, set).filter(|twist| starts.iter().all(|u| dot(u, twist) < SAME));
        starts.extend(other);
        for u in starts {
            keep_lower(&mut best, minimum(set, &u));
        }
    }
    // Where the polytope alone closed the gap, the forces are still wanted.
    let best = match best {
        Some(foot) if foot.shares.is_empty() => {
            let with_forces = minimum(set, &foot.u).filter(|other| other.value <= foot.value * (1.0 + accuracy.gap));
            with_forces.unwrap_or(foot)
        }
        Some(foot) => foot,
        None => return nothing(f64::INFINITY, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    };
    let mut shares = best.shares;
    if shares.is_empty() {
        // What the contacts do along that direction alone: one of several slopes where there is an edge.
        shares = vec![(0.0, DVec3::ZERO); contacts.len()];
        set.forces(&best.u, &mut |contact, share, force| shares[contact] = (share, force));
    }
    Quality { lower: lower.min(best.value), upper: best.value, direction: best.u, shares }
}

/// The turn about the line through two contacts, to either side, that is resisted least: these two resist it by friction across the line alone.
fn twist<S: WrenchSet>(contacts: &ContactSet, set: &S) -> Option<V6> {
    let mut best: Option<(f64, V6)> = None;
    for (i, p) in contacts.points.iter().enumerate() {
        for q in &contacts.points[..i] {
            let Some(along) = (*p - *q).try_normalize() else { continue };
            for axis in [along, -along] {
                let shift = p.cross(axis);
                let turn = [shift.x, shift.y, shift.z, axis.x, axis.y, axis.z];
                let u = scaled(&turn, 1.0 / norm(&turn));
                let value = set.support(&u).0;
                if best.is_none_or(|(least, _)| value < least) {
                    best = Some((value, u));
                }
            }
        }
    }
    best.map(|(_, u)| u)
}

fn keep_lower(best: &mut Option<Foot>, foot: Option<Foot>) {
    if let Some(foot) = foot
        && best.as_ref().is_none_or(|best| foot.value < best.value)
    {
        *best = Some(foot);
    }
}

/// Grows the polytope; returns the lower bound.
fn refine<S: WrenchSet>(
    set: &S,
    polytope: &mut Polytope,
    accuracy: &Accuracy,
    quick: bool,
    best: &mut Option<Foot>,
    minimum: &impl Fn(&S, &V6) -> Option<Foot>,
) -> f64 {
    let mut lower = 0.0f64;
    let mut inserted = 0;
    while let Some((facet, y)) = polytope.nearest() {
        let length = norm(&y);
        lower = lower.max(ROUNDING / length);
        let done = |best: &Option<Foot>| best.as_ref().is_some_and(|best| best.value <= lower * (1.0 + accuracy.gap));
        if done(best) || inserted >= accuracy.points {
            break;
        }
        let u = scaled(&y, 1.0 / length);
        let (value, point) = set.support(&u);
        keep_lower(best, Some(Foot { u, value, points: Vec::new(), shares: Shares::new() }));
        if done(best) || dot(&y, &point) <= 1.0 + 1e-7 {
            break;
        }
        inserted += 1;
        if !quick && inserted >= 3 && inserted % 4 == 3 {
            let foot = minimum(set, &u);
            for point in foot.iter().flat_map(|foot| &foot.points) {
                // The polytope contains the foot then; what it contains already is seen by no facet.
                let Some(seeing) = polytope.facet_seeing(point) else { continue };
                if !polytope.insert(seeing, point) {
                    return lower;
                }
            }
            keep_lower(best, foot);
            continue;
        }
        if !polytope.insert(facet, &point) {
            return lower;
        }
    }
    lower
}
