//! Looking for grasps of an object by any hand: random placements, closed, judged.
//!
//! The object goes to where the hand's finger tips can be, at a random rotation; joints start open and close towards it ([`close_hand`]). Grasps that hold
//! are kept with a certified depth and quality. Attempts go in rounds: half of a round explores anew, the other half varies placements of
//! earlier rounds that held, every second of them with another rotation of the object. Attempts have their own random numbers and know only of
//! rounds that are over, so that the result does not depend on the number of threads.

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use superegg::{Pose, Threads};

use super::close::{CloseOptions, Hand, HandContact, close_hand};
use super::closure::closure;
use super::quality::{Accuracy, Quality, Wrenches, quality, quality_estimate};
use super::wrench::{ContactSet, GraspContact};
use crate::collide::{Other, Scratch};
use crate::contact_geometry::ContactPart;
use crate::error::RobotError;

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    /// Attempts.
    pub attempts: usize,
    /// Coefficient of friction.
    pub friction: f64,
    /// The best so many are kept and certified; all are counted.
    pub keep: usize,
    /// Of the random numbers.
    pub seed: u64,
    /// How hands are closed.
    pub close: CloseOptions,
    /// How many threads share the work.
    pub threads: Threads,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            attempts: 2000,
            friction: 0.5,
            keep: 10,
            seed: 1,
            close: CloseOptions::default(),
            threads: Threads::All,
        }
    }
}

/// A grasp that holds.
#[derive(Clone, Debug)]
pub struct Grasp {
    /// The hand's root in the object's frame.
    pub base: Pose,
    /// The hand's joints.
    pub configuration: Vec<f64>,
    /// Contacts in the object's frame.
    pub contacts: Vec<HandContact>,
    /// Quality with bounds.
    pub quality: Quality,
    /// Certified depth of the deepest penetration, in metres.
    pub depth: f64,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// The best grasps, best first.
    pub grasps: Vec<Grasp>,
    /// How many attempts held.
    pub held: usize,
    /// How many ended with contacts, held or not.
    pub touched: usize,
    /// Distance queries of all attempts.
    pub queries: usize,
    /// The greatest certified depth of those that held, in metres.
    pub deepest: f64,
}

/// Where a hand can grasp.
struct Workspace {
    /// Links at the end of fingers, and a point of each.
    tips: Vec<(usize, DVec3)>,
    /// Middle of the places of the tips, in the root's frame.
    middle: DVec3,
    /// How far they are from it on average.
    radius: f64,
    /// From the hand to that middle.
    forward: DVec3,
}

/// Configurations that the workspace is measured by.
const SAMPLES: usize = 256;

impl Workspace {
    fn new(hand: &Hand) -> Result<Workspace, RobotError> {
        let kinematics = hand.model.kinematics();
        let shaped: Vec<usize> =
            (0..kinematics.link_count()).filter(|&link| hand.model.link_middle(link).is_some()).collect();
        // A tip moves, and nothing with a shape moves with more joints below it.
        let mut carries = vec![false; kinematics.link_count()];
        for &link in &shaped {
            kinematics.ancestors(link).for_each(|joint| {
                if hand.moved_by(joint.parent).len() < hand.moved_by(link).len() {
                    carries[joint.parent] = true;
                }
            });
        }
        let is_tip = |link: &usize| !carries[*link] && !hand.moved_by(*link).is_empty();
        let tips: Vec<(usize, DVec3)> = shaped
            .iter()
            .copied()
            .filter(is_tip)
            .filter_map(|link| Some((link, hand.model.link_middle(link)?)))
            .collect();
        if tips.len() < 2 {
            let message = "a hand needs at least two fingers that move and have contact geometry";
            return Err(RobotError::Invalid(message.into()));
        }
        let mut random = fastrand::Rng::with_seed(7);
        let mut places = Vec::new();
        for _ in 0..SAMPLES {
            let configuration = kinematics.random(hand.robot, &mut random);
            let poses = kinematics.link_poses(&configuration, &Pose::IDENTITY);
            places.extend(tips.iter().map(|(link, point)| poses[*link].transform_point(*point)));
        }
        let middle = places.iter().copied().sum::<DVec3>() / places.len() as f64;
        let radius = places.iter().map(|place| place.distance(middle)).sum::<f64>() / places.len() as f64;
        let poses = kinematics.link_poses(&kinematics.neutral(), &Pose::IDENTITY);
        let still = shaped.iter().filter(|link| hand.moved_by(**link).is_empty());
        let palm: Vec<DVec3> =
            still.filter_map(|&link| Some(poses[link].transform_point(hand.model.link_middle(link)?))).collect();
        let palm = if palm.is_empty() { DVec3::ZERO } else { palm.iter().copied().sum::<DVec3>() / palm.len() as f64 };
        Ok(Workspace { tips, middle, radius, forward: (middle - palm).normalize_or(DVec3::Z) })
    }
}

/// A ball around the object: centre and radius.
pub fn ball_around(object: &[ContactPart]) -> (DVec3, f64) {
    let side = |axis: DVec3| {
        let far = |part: &ContactPart| {
            axis.dot(part.pose.translation) + part.shape.support_value(part.pose.inverse_transform_vector(axis))
        };
        object.iter().map(far).fold(f64::NEG_INFINITY, f64::max)
    };
    let center = DVec3::from(DVec3::AXES.map(|axis| 0.5 * (side(axis) - side(-axis))));
    let far = |part: &ContactPart| part.pose.translation.distance(center) + part.shape.reach();
    (center, object.iter().map(far).fold(0.0, f64::max))
}

/// Looks for grasps of the object, which is at the origin and fits in a ball of `radius` about `center`.
pub fn search(hand: &Hand, center: DVec3, radius: f64, options: &SearchOptions) -> Result<SearchReport, RobotError> {
    if options.attempts > 100_000_000 || !(0.0..=100.0).contains(&options.friction) {
        return Err(RobotError::Invalid("attempts in [0, 1e8] and a friction in [0, 100] are needed".into()));
    }
    if !(1e-6..=1e6).contains(&radius) {
        return Err(RobotError::Invalid(format!("an object of radius {radius} m; allowed are [1e-6, 1e6]")));
    }
    let workspace = Workspace::new(hand)?;
    let mut report = SearchReport { grasps: Vec::new(), held: 0, touched: 0, queries: 0, deepest: 0.0 };
    let mut held: Vec<Placement> = Vec::new();
    for first in (0..options.attempts).step_by(ROUND) {
        let round = first..(first + ROUND).min(options.attempts);
        let tried = |number: usize| attempt(hand, &workspace, center, radius, options, number, &held);
        let outcomes: Vec<Attempt> = match options.threads {
            Threads::One => round.map(tried).collect::<Result<_, _>>()?,
            Threads::All => round.into_par_iter().with_min_len(8).map(tried).collect::<Result<_, _>>()?,
        };
        for outcome in outcomes {
            report.queries += outcome.queries;
            report.touched += usize::from(outcome.touched);
            if let Some((grasp, placement)) = outcome.grasp {
                report.held += 1;
                report.deepest = report.deepest.max(grasp.depth);
                report.grasps.push(grasp);
                held.push(placement);
            }
        }
        // Only the best ones can be among those that are kept.
        report.grasps.sort_by(|a, b| b.quality.upper.total_cmp(&a.quality.upper));
        report.grasps.truncate(options.keep);
    }
    for grasp in &mut report.grasps {
        let contacts = contact_set(&grasp.contacts, center, radius, options.friction)?;
        grasp.quality = quality(&contacts, Wrenches::Hull, &Accuracy::default());
    }
    report.grasps.sort_by(|a, b| b.quality.lower.total_cmp(&a.quality.lower));
    Ok(report)
}

/// Attempts that know of the same earlier ones.
const ROUND: usize = 128;

/// Where an attempt begins.
#[derive(Clone)]
struct Placement {
    /// The object's rotation in the frame of the hand's root.
    turn: DQuat,
    /// Its place from the middle of the workspace.
    shift: DVec3,
    /// How far it is from there away from the palm.
    ahead: f64,
    /// Joints, before they are opened.
    middle: Vec<f64>,
}

impl Placement {
    fn random(hand: &Hand, workspace: &Workspace, radius: f64, random: &mut fastrand::Rng) -> Placement {
        let mut signed = || 2.0 * random.f64() - 1.0;
        let turn = DQuat::from_xyzw(signed(), signed(), signed(), signed());
        let turn = if turn.length() > 1e-3 { turn.normalize() } else { DQuat::IDENTITY };
        let shift = DVec3::new(signed(), signed(), signed()) * (0.4 * workspace.radius);
        let ahead = 0.8 * radius * signed();
        Placement { turn, shift, ahead, middle: hand.model.kinematics().random(hand.robot, random) }
    }

    /// Another one, not far away; every second one with the rotation of `other`.
    fn varied(&self, other: &Placement, random: &mut fastrand::Rng) -> Placement {
        let turn = if random.bool() { other.turn } else { self.turn.slerp(other.turn, 0.2 * random.f64()) };
        let share = 0.2 * random.f64();
        Placement {
            turn,
            shift: self.shift.lerp(other.shift, share),
            ahead: self.ahead + share * (other.ahead - self.ahead),
            middle: self.middle.iter().zip(&other.middle).map(|(own, other)| own + share * (other - own)).collect(),
        }
    }
}

/// How often an object that is in the way is moved away from the palm.
const STEPS_AWAY: usize = 8;

/// What came of one attempt.
#[derive(Default)]
struct Attempt {
    grasp: Option<(Grasp, Placement)>,
    touched: bool,
    queries: usize,
}

fn contact_set(contacts: &[HandContact], center: DVec3, radius: f64, friction: f64) -> Result<ContactSet, RobotError> {
    let list: Vec<GraspContact> =
        contacts.iter().map(|c| GraspContact { point: c.point, normal: c.normal, friction }).collect();
    ContactSet::new(&list, center, radius)
}

fn attempt(
    hand: &Hand,
    workspace: &Workspace,
    center: DVec3,
    radius: f64,
    options: &SearchOptions,
    number: usize,
    held: &[Placement],
) -> Result<Attempt, RobotError> {
    let mut random = fastrand::Rng::with_seed(options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number as u64);
    let mut placement = Placement::random(hand, workspace, radius, &mut random);
    if !held.is_empty() && random.bool() {
        placement = held[random.usize(0..held.len())].varied(&placement, &mut random);
    }
    let kinematics = hand.model.kinematics();
    let open = kinematics.neutral();
    let mut scratch = Scratch::default();
    for _ in 0..STEPS_AWAY {
        // The object's pose in the frame of the hand's root, and the other way round.
        let Placement { turn, shift, ahead, ref middle } = placement;
        let place = workspace.middle + shift + workspace.forward * ahead - turn * center;
        let base = Pose { rotation: turn, translation: place }.inverse();
        let rates = closing_rates(hand, workspace, &base, middle, center);
        let start = opened(hand, middle, &rates, &mut random);
        match hand.model.first_contact(&start, &base, &mut scratch)? {
            None => {
                let mut outcome = Attempt::default();
                if let Some(grasp) = closed(hand, base, &start, &rates, (center, radius), options, &mut outcome)? {
                    outcome.grasp = Some((grasp, placement));
                }
                return Ok(outcome);
            }
            // Farther away from the palm there may be room.
            Some((_, Other::Obstacle(_))) => placement.ahead += 0.3 * radius,
            // Fingers that are spread meet each other, and those that are bent the palm: nearer to where joints are at zero they do not.
            Some((_, Other::Link(_))) => {
                placement.middle.iter_mut().zip(&open).for_each(|(value, open)| *value = 0.5 * (*value + open));
            }
        }
    }
    Ok(Attempt::default())
}

/// Closes the hand from a start where it is free, and judges the grasp; `None` if it does not hold.
fn closed(
    hand: &Hand,
    base: Pose,
    start: &[f64],
    rates: &[f64],
    (center, radius): (DVec3, f64),
    options: &SearchOptions,
    outcome: &mut Attempt,
) -> Result<Option<Grasp>, RobotError> {
    let Some(closed) = close_hand(hand, &base, start, rates, &options.close)? else { return Ok(None) };
    outcome.queries = closed.queries;
    outcome.touched = !closed.contacts.is_empty();
    if closed.contacts.len() < 3 || closed.contacts.len() > 64 {
        return Ok(None);
    }
    let contacts = contact_set(&closed.contacts, center, radius, options.friction)?;
    if !closure(&contacts).is_closed() {
        return Ok(None);
    }
    if hand.model.first_contact(&closed.configuration, &base, &mut Scratch::default())?.is_some() {
        return Ok(None);
    }
    let quality = quality_estimate(&contacts, Wrenches::Hull);
    let (configuration, contacts, depth) = (closed.configuration, closed.contacts, closed.depth);
    Ok(Some(Grasp { base, configuration, contacts, quality, depth }))
}

/// How fast joints move so that finger tips come nearer to the object: by how much of a joint's motion goes there.
fn closing_rates(hand: &Hand, workspace: &Workspace, base: &Pose, configuration: &[f64], center: DVec3) -> Vec<f64> {
    let kinematics = hand.model.kinematics();
    let poses = kinematics.link_poses(configuration, base);
    let mut rates = vec![0.0; configuration.len()];
    for (link, point) in &workspace.tips {
        let tip = poses[*link].transform_point(*point);
        let toward = (center - tip).normalize_or_zero();
        for (rate, column) in rates.iter_mut().zip(kinematics.jacobian(configuration, &poses, *link, tip)) {
            let speed = column.linear.length();
            if speed > 1e-9 {
                *rate += column.linear.dot(toward) / speed;
            }
        }
    }
    // Joints that hardly close, as those that spread fingers, stay where they are.
    rates.iter().map(|rate: &f64| if rate.abs() < 0.35 { 0.0 } else { rate.clamp(-1.0, 1.0) }).collect()
}

/// Joints moved most of the way back against their closing motion.
fn opened(hand: &Hand, middle: &[f64], rates: &[f64], random: &mut fastrand::Rng) -> Vec<f64> {
    let freedoms = hand.model.kinematics().freedoms();
    let mut opened = middle.to_vec();
    for ((value, rate), freedom) in opened.iter_mut().zip(rates).zip(freedoms) {
        let end = if *rate > 0.0 { freedom.lower } else { freedom.upper };
        if *rate == 0.0 && freedom.lower.is_finite() && freedom.upper.is_finite() {
            // Fingers that are spread far meet each other.
            let center = 0.5 * (freedom.lower + freedom.upper);
            *value = center + 0.4 * (*value - center);
        } else if *rate != 0.0 && end.is_finite() {
            *value += (end - *value) * (0.6 + 0.4 * random.f64());
        }
    }
    opened
}
