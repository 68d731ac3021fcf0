//! Which pairs of links need not be checked, from random configurations.
//!
//! As MoveIt's setup assistant does it: links that a joint joins, those that touch at zero, those that touch nearly always, and those that
//! were never seen to touch. The last is a guess from samples, and says how many there were.

use rayon::prelude::*;
use superegg::query::Options;

use crate::collide::{AllowedCollisions, CollisionModel, Other};
use crate::contact_geometry::ContactGeometry;
use crate::error::RobotError;
use crate::kinematics::Kinematics;
use crate::model::Robot;

/// Why a pair need not be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A joint joins them, or they are rigidly joined.
    Adjacent,
    /// They touch at the neutral configuration.
    Default,
    /// They touch in nearly all configurations.
    Always,
    /// They touch in none.
    Never,
}

impl Reason {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Adjacent => "Adjacent",
            Reason::Default => "Default",
            Reason::Always => "Always",
            Reason::Never => "Never",
        }
    }
}

/// A pair that need not be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisabledPair {
    /// The first link.
    pub a: usize,
    /// The other link.
    pub b: usize,
    /// Why.
    pub reason: Reason,
}

/// How many configurations are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcmOptions {
    /// Random configurations within the limits.
    pub samples: usize,
    /// Pairs that touch in more than this part of them touch always.
    pub always: f64,
    /// Of the random numbers.
    pub seed: u64,
}

impl Default for AcmOptions {
    fn default() -> AcmOptions {
        AcmOptions { samples: 10_000, always: 0.95, seed: 1 }
    }
}

/// Pairs of links that need not be checked. The same options give the same pairs on any number of threads.
pub fn generate_acm(
    robot: &Robot,
    geometry: &ContactGeometry,
    options: &AcmOptions,
) -> Result<Vec<DisabledPair>, RobotError> {
    if options.samples == 0 || options.samples > 100_000_000 {
        return Err(RobotError::Invalid(format!("{} samples; allowed are [1, 100000000]", options.samples)));
    }
    let kinematics = Kinematics::new(robot);
    let adjacent = AllowedCollisions::adjacent(robot, &kinematics);
    let model = CollisionModel::new(robot, geometry, &adjacent, &[])?;
    let touching = |configuration: &[f64]| -> Result<Vec<bool>, RobotError> {
        let poses = kinematics.link_poses(configuration, model.base());
        let meets = |&(a, b): &(usize, usize)| model.link_pair_meets(a, b, &poses);
        model.link_pairs().iter().map(meets).collect()
    };
    let neutral = touching(&kinematics.neutral())?;
    let mut random = fastrand::Rng::with_seed(options.seed);
    let configurations: Vec<Vec<f64>> = (0..options.samples).map(|_| kinematics.random(robot, &mut random)).collect();
    let counts = configurations
        .par_chunks(64)
        .map(|chunk| {
            let mut counts = vec![0usize; neutral.len()];
            for configuration in chunk {
                counts.iter_mut().zip(touching(configuration)?).for_each(|(count, meets)| *count += usize::from(meets));
            }
            Ok(counts)
        })
        .try_reduce(
            || vec![0; neutral.len()],
            |mut sum, more| {
                sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
                Ok::<_, RobotError>(sum)
            },
        )?;
    let mut disabled = Vec::new();
    let has_shape = |link: usize| !geometry.links[link].is_empty();
    for a in 0..robot.links.len() {
        let adjacent = (a + 1..robot.links.len()).filter(|&b| adjacent.allows(a, b) && has_shape(a) && has_shape(b));
        disabled.extend(adjacent.map(|b| DisabledPair { a, b, reason: Reason::Adjacent }));
    }
    for ((&(a, b), count), at_neutral) in model.link_pairs().iter().zip(counts).zip(neutral) {
        let always = count as f64 > options.always * options.samples as f64;
        let reason = match (at_neutral, always, count) {
            (_, true, _) => Reason::Always,
            (true, _, _) => Reason::Default,
            (false, _, 0) => Reason::Never,
            _ => continue,
        };
        disabled.push(DisabledPair { a, b, reason });
    }
    disabled.sort_by_key(|pair| (pair.a, pair.b));
    Ok(disabled)
}

impl CollisionModel {
    /// Whether two links touch where they are.
    pub(crate) fn link_pair_meets(&self, a: usize, b: usize, poses: &[superegg::Pose]) -> Result<bool, RobotError> {
        if self.far_apart(a, b, poses) {
            return Ok(false);
        }
        let (outcome, _) = self.pair_distance(a, Other::Link(b), poses, &Options::DEFAULT)?;
        Ok(outcome.bounds.map_or(outcome.distance, |bounds| bounds.lower) <= 0.0)
    }
}
