//! Clearance along a trajectory, and the first contact, with everything between samples taken into account.
//!
//! Between samples the configuration moves on a straight line. A pair whose certified distance is d cannot touch before its points have moved
//! by d relative to each other; joint by joint, the points of a link move at most at the joint's speed times how far they can be
//! from its axis, whatever the configuration. Advancing by these safe steps (conservative advancement: Mirtich 1996; for
//! articulated bodies Zhang, Redon, Lee and Kim 2007) never steps over a contact.

use superegg::Pose;
use superegg::query::Options;

use crate::collide::{CollisionModel, Other};
use crate::error::RobotError;
use crate::kinematics::Kinematics;
use crate::model::JointKind;

/// What is found along a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryReport {
    /// The first contact: at which sample, a fraction in between, and of what.
    pub first_contact: Option<FirstContact>,
    /// Least distance of all pairs at each sample, in metres: a certified lower bound; negative in penetration.
    pub clearance: Vec<f64>,
    /// Distance queries asked.
    pub queries: usize,
}

/// A contact on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// Not later than the bodies touch, and at most the tolerance before they do.
    pub sample: f64,
    /// The link.
    pub a: usize,
    /// What it meets.
    pub b: Other,
}

/// How a trajectory is checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrajectoryOptions {
    /// Bodies as close as this count as touching, in metres.
    pub tolerance: f64,
    /// Bodies as close as this are in contact, in metres: a margin of safety.
    pub margin: f64,
}

impl Default for TrajectoryOptions {
    fn default() -> TrajectoryOptions {
        TrajectoryOptions { tolerance: 1e-5, margin: 0.0 }
    }
}

/// Checks a trajectory of configurations.
pub fn check_trajectory(
    model: &CollisionModel,
    samples: &[Vec<f64>],
    options: &TrajectoryOptions,
) -> Result<TrajectoryReport, RobotError> {
    let valid = (1e-9..=1.0).contains(&options.tolerance) && (0.0..=1e3).contains(&options.margin);
    if !valid {
        return Err(RobotError::Invalid("a tolerance in [1e-9, 1] m and a margin in [0, 1e3] m are needed".into()));
    }
    for (number, sample) in samples.iter().enumerate() {
        model.kinematics().check(sample).map_err(|error| RobotError::Invalid(format!("sample {number}: {error}")))?;
    }
    let mut report = TrajectoryReport { first_contact: None, clearance: Vec::new(), queries: 0 };
    let pairs: Vec<(usize, Other)> = model.all_pairs().collect();
    for sample in samples {
        let poses = model.kinematics().link_poses(sample, model.base());
        let mut least = f64::INFINITY;
        for &(a, b) in &pairs {
            least = least.min(lower_distance(model, a, b, &poses)?);
            report.queries += 1;
        }
        report.clearance.push(least);
    }
    let bounds = SpeedBounds::new(model, samples);
    for (number, ends) in samples.windows(2).enumerate() {
        // A contact of one pair limits how far the others have to be looked at.
        let mut until = 1.0;
        for &(a, b) in &pairs {
            let speed = bounds.relative_speed(a, b, &ends[0], &ends[1]);
            let time = free_until(model, (a, b), [&ends[0], &ends[1]], speed, until, options, &mut report.queries)?;
            if let Some(time) = time {
                until = time;
                report.first_contact = Some(FirstContact { sample: number as f64 + time, a, b });
            }
        }
        if report.first_contact.is_some() {
            return Ok(report);
        }
    }
    if let ([only], Some(least)) = (samples, report.clearance.first()) {
        // A single configuration is a trajectory without motion.
        if *least <= options.margin + options.tolerance {
            let poses = model.kinematics().link_poses(only, model.base());
            for &(a, b) in &pairs {
                if lower_distance(model, a, b, &poses)? <= options.margin + options.tolerance {
                    report.first_contact = Some(FirstContact { sample: 0.0, a, b });
                    break;
                }
            }
        }
    }
    Ok(report)
}

fn lower_distance(model: &CollisionModel, a: usize, b: Other, poses: &[Pose]) -> Result<f64, RobotError> {
    let (outcome, _) = model.pair_distance(a, b, poses, &Options::DEFAULT)?;
    Ok(outcome.bounds.map_or(outcome.distance, |bounds| bounds.lower))
}

/// Safe steps from one sample to the next, up to a time in [0, 1]; the time of contact if there is one.
fn free_until(
    model: &CollisionModel,
    (a, b): (usize, Other),
    [from, to]: [&Vec<f64>; 2],
    speed: f64,
    until: f64,
    options: &TrajectoryOptions,
    queries: &mut usize,
) -> Result<Option<f64>, RobotError> {
    let at = |time: f64| -> Vec<f64> { from.iter().zip(to).map(|(p, q)| p + (q - p) * time).collect() };
    let mut time = 0.0;
    loop {
        let poses = model.kinematics().link_poses(&at(time), model.base());
        let distance = lower_distance(model, a, b, &poses)? - options.margin;
        *queries += 1;
        // A step is at least as long as the tolerance lasts, so that this ends.
        if distance <= options.tolerance {
            return Ok(Some(time));
        }
        if speed <= 0.0 {
            return Ok(None);
        }
        time += distance / speed;
        if time >= until {
            return Ok(None);
        }
    }
}

/// How far the points of links can be from the joints above them, whatever the configuration.
#[derive(Clone, Debug)]
pub(crate) struct SpeedBounds {
    /// For every link, the joints above it: first number of the configuration, how many, and by how much a unit of each moves points.
    above: Vec<Vec<(usize, JointKind, f64, f64)>>,
    /// Links from each link up to the root, itself first.
    ways: Vec<Vec<usize>>,
}

impl SpeedBounds {
    /// For configurations between these samples.
    pub fn new(model: &CollisionModel, samples: &[Vec<f64>]) -> SpeedBounds {
        let kinematics: &Kinematics = model.kinematics();
        let largest: Vec<f64> = (0..kinematics.freedoms().len())
            .map(|index| samples.iter().map(|sample| sample[index].abs()).fold(0.0, f64::max))
            .collect();
        let of = |link: usize| {
            let mut reach = model.link_reach(link);
            let mut joints = Vec::new();
            for joint in kinematics.ancestors(link) {
                let travel = match joint.kind {
                    JointKind::Prismatic => (joint.ratio * largest[joint.first]).abs() + joint.offset.abs(),
                    JointKind::Planar => largest[joint.first].hypot(largest[joint.first + 1]),
                    JointKind::Floating => {
                        largest[joint.first..joint.first + 3].iter().map(|x| x * x).sum::<f64>().sqrt()
                    }
                    JointKind::Fixed | JointKind::Revolute | JointKind::Continuous => 0.0,
                };
                joints.push((joint.first, joint.kind, joint.ratio.abs(), reach));
                reach += joint.length + travel;
            }
            joints
        };
        let way =
            |link: usize| std::iter::once(link).chain(kinematics.ancestors(link).map(|joint| joint.parent)).collect();
        let links = kinematics.link_count();
        SpeedBounds { above: (0..links).map(of).collect(), ways: (0..links).map(way).collect() }
    }

    /// The greatest speed of the points of a pair relative to each other, when the configuration goes from one to another in unit time.
    pub fn relative_speed(&self, a: usize, b: Other, from: &[f64], to: &[f64]) -> f64 {
        let Other::Link(b) = b else { return self.speed_below(a, self.above[a].len(), from, to) };
        // Joints above the last link that both hang on move both alike.
        let common = self.ways[a].iter().rev().zip(self.ways[b].iter().rev()).take_while(|(p, q)| p == q).count();
        let own = |link: usize| self.ways[link].len() - common;
        self.speed_below(a, own(a), from, to) + self.speed_below(b, own(b), from, to)
    }

    /// The greatest acceleration of the points of a link when joints turn and slide at constant rates: with angular velocities ω about axes
    /// at most R away and sliding velocities v it is at most (Σω)² R + 2 Σω Σv. Unknown, infinite, for joints of several freedoms.
    pub fn acceleration(&self, link: usize, rates: &[f64]) -> f64 {
        let (mut turning, mut sliding, mut farthest) = (0.0, 0.0, 0f64);
        for &(first, kind, ratio, reach) in &self.above[link] {
            match kind {
                JointKind::Fixed => {}
                JointKind::Revolute | JointKind::Continuous => {
                    if rates[first] != 0.0 {
                        turning += rates[first].abs() * ratio;
                        farthest = farthest.max(reach);
                    }
                }
                JointKind::Prismatic => sliding += rates[first].abs() * ratio,
                JointKind::Planar | JointKind::Floating => return f64::INFINITY,
            }
        }
        (turning * turning * farthest + 2.0 * turning * sliding) * (1.0 + 1e-9)
    }

    /// Of the first joints above a link.
    fn speed_below(&self, link: usize, count: usize, from: &[f64], to: &[f64]) -> f64 {
        let rate = |index: usize| (to[index] - from[index]).abs();
        let joints = self.above[link].iter().take(count);
        let sum: f64 = joints
            .map(|&(first, kind, ratio, reach)| match kind {
                JointKind::Fixed => 0.0,
                JointKind::Revolute | JointKind::Continuous => rate(first) * ratio * reach,
                JointKind::Prismatic => rate(first) * ratio,
                JointKind::Planar => rate(first) + rate(first + 1) + rate(first + 2) * reach,
                JointKind::Floating => {
                    let linear: f64 = (0..3).map(|i| rate(first + i)).sum();
                    // A rotation vector turns at most as fast as it changes.
                    let angular: f64 = (3..6).map(|i| rate(first + i)).sum();
                    linear + angular * reach
                }
            })
            .sum();
        sum * (1.0 + 1e-9)
    }
}
