//! Pairs in random, centre-line and axis-aligned poses, whose distance is not known beforehand.
//!
//! The bodies are put on a line so that the support planes across it are a chosen fraction of the bodies' reach apart:
//! a positive fraction makes the pair surely apart, a negative one makes it overlap in most cases.

use glam::{DQuat, DVec3};
use rand::RngExt;
use superegg::Pose;
use superegg::shape::Shape;

use super::{Domain, Rng, direction, log_uniform, quarter_turns, rotation};
use crate::Pair;
use crate::oracle::support::support;

/// How the bodies are turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Both at random, in a random direction from each other.
    Random,
    /// Both at random, their centres along an axis of the world.
    CentreLine,
    /// All axes parallel, in a random direction from each other.
    AxisAligned,
    /// All axes parallel and the centres along one of them: face to face, or tip to tip.
    FaceToFace,
}

impl Arrangement {
    /// All four.
    pub const ALL: [Arrangement; 4] =
        [Arrangement::Random, Arrangement::CentreLine, Arrangement::AxisAligned, Arrangement::FaceToFace];
}

/// How far apart or how deep, as a part of the bodies' reach along the line between their centres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spacing {
    /// Surely apart: from 1e-12 to 1e6 of the reach, even in the logarithm.
    Apart,
    /// Overlapping by less than a fifth of the reach in most cases.
    Shallow,
    /// Overlapping by a fifth to the whole of the reach.
    Deep,
    /// This part of the reach, negative when overlapping.
    Exactly(f64),
}

/// Places two bodies.
pub fn placed(rng: &mut Rng, a: Shape, b: Shape, arrangement: Arrangement, spacing: Spacing) -> Pair {
    let axis = DVec3::AXES[rng.random_range(0..3)] * if rng.random() { 1.0 } else { -1.0 };
    let (rotation_a, rotation_b) = match arrangement {
        Arrangement::Random | Arrangement::CentreLine => (rotation(rng), rotation(rng)),
        Arrangement::AxisAligned | Arrangement::FaceToFace => (DQuat::IDENTITY, quarter_turns(rng)),
    };
    let line = match arrangement {
        Arrangement::Random | Arrangement::AxisAligned => direction(rng),
        Arrangement::CentreLine | Arrangement::FaceToFace => axis,
    };
    let gap = match spacing {
        Spacing::Apart => log_uniform(rng, 1e-12..=1e6),
        Spacing::Shallow => -rng.random_range(0.0..=0.2),
        Spacing::Deep => -rng.random_range(0.2..=1.0),
        Spacing::Exactly(gap) => gap,
    };
    let reach = support(&a, rotation_a.conjugate() * line).value + support(&b, rotation_b.conjugate() * -line).value;
    Pair {
        a,
        pose_a: Pose { rotation: rotation_a, translation: DVec3::ZERO },
        b,
        pose_b: Pose { rotation: rotation_b, translation: line * reach * (1.0 + gap) },
    }
}

/// Two superellipsoids.
pub fn superellipsoids(rng: &mut Rng, domain: &Domain, arrangement: Arrangement, spacing: Spacing) -> Pair {
    let (a, b) = (super::superellipsoid(rng, domain).into(), super::superellipsoid(rng, domain).into());
    placed(rng, a, b, arrangement, spacing)
}

/// Two superovoids, convex or not.
pub fn superovoids(rng: &mut Rng, domain: &Domain, arrangement: Arrangement, spacing: Spacing) -> Pair {
    let (a, b) = (super::superovoid(rng, domain).into(), super::superovoid(rng, domain).into());
    placed(rng, a, b, arrangement, spacing)
}
