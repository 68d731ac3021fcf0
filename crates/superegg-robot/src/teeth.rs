//! Two molars, upper and lower, as sets of superovoids, and the bite of paper 003 section 5.3.
//!
//! The crowns are made here, not scanned: a ring of rounded walls, a floor between them, and four or five cusps. The upper tooth comes down
//! into the lower one and rises again, 181 frames, touching between frames 47 and 111 as in the paper's figures.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::query::Options;
use superegg::shape::{Shape, Superovoid};
use superegg_world::compound::{Compound, Part};

use crate::error::RobotError;

/// Frames of the bite.
pub const FRAMES: usize = 181;
/// The frames between which the teeth touch.
pub const TOUCHING: [usize; 2] = [47, 111];
/// How far the upper tooth moves between two frames, in metres.
const STEP: f64 = 1.2e-5;

/// Both teeth and their motion.
#[derive(Clone, Debug)]
pub struct Bite {
    /// The lower tooth, which stays.
    pub lower: Compound,
    /// The upper tooth.
    pub upper: Compound,
    /// Poses of the upper tooth, one a frame.
    pub frames: Vec<Pose>,
}

/// A superovoid in millimetres.
fn lobe(radii: [f64; 3], exponents: [f64; 2], taper: f64, position: [f64; 3], turn: DQuat) -> Result<Part, RobotError> {
    let shape = Superovoid::new(radii.map(|radius| 1e-3 * radius), exponents, [taper; 2])?;
    Ok(Part { shape: Shape::from(shape), pose: Pose { rotation: turn, translation: 1e-3 * DVec3::from(position) } })
}

/// A crown with its cusps up.
fn crown(cusps: &[[f64; 3]], width: [f64; 2]) -> Result<Compound, RobotError> {
    let mut parts = Vec::new();
    // The floor of the fossa, and below it the neck.
    parts.push(lobe([0.82 * width[0], 0.82 * width[1], 2.2], [0.8, 0.7], 0.1, [0.0, 0.0, -1.2], DQuat::IDENTITY)?);
    parts.push(lobe([0.78 * width[0], 0.78 * width[1], 2.6], [0.9, 0.8], 0.12, [0.0, 0.0, -3.6], DQuat::IDENTITY)?);
    // Marginal ridges between the cusps.
    for (number, cusp) in cusps.iter().enumerate() {
        let next = cusps[(number + 1) % cusps.len()];
        let (x, y) = (0.5 * (cusp[0] + next[0]) * 1.06, 0.5 * (cusp[1] + next[1]) * 1.06);
        let turn = DQuat::from_rotation_z((next[1] - cusp[1]).atan2(next[0] - cusp[0]));
        parts.push(lobe([1.7, 1.05, 1.7], [0.9, 0.9], -0.12, [x, y, -0.1], turn)?);
    }
    for [x, y, height] in cusps.iter().copied() {
        let outward = DVec3::new(x, y, 0.0).normalize_or(DVec3::X);
        let lean = DQuat::from_axis_angle(outward.cross(DVec3::Z).normalize_or(DVec3::X), 0.16);
        parts.push(lobe([1.75, 1.75, 2.2], [1.0, 0.95], -0.25, [x, y, height - 2.2], lean)?);
    }
    Ok(Compound::new(parts)?)
}

impl Bite {
    /// The teeth of the benchmark.
    pub fn new() -> Result<Bite, RobotError> {
        let lower = crown(
            &[[2.9, 2.4, 2.3], [-2.6, 2.5, 2.1], [-3.3, -0.4, 1.6], [-1.7, -2.7, 2.0], [2.3, -2.6, 2.2]],
            [5.2, 4.7],
        )?;
        let upper = crown(&[[2.6, 2.7, 2.2], [-2.4, 2.9, 2.0], [-2.7, -2.6, 2.4], [2.4, -2.7, 2.1]], [5.0, 5.1])?;
        // Upside down, and shifted by half a cusp as molars are.
        let over = DQuat::from_rotation_x(std::f64::consts::PI) * DQuat::from_rotation_z(0.12);
        let at = |height: f64| Pose { rotation: over, translation: DVec3::new(1.3e-3, 1.9e-3, height) };
        let (mut low, mut high) = (0.0, 0.02);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let apart = lower.distance(&Pose::IDENTITY, &upper, &at(middle), &Options::DEFAULT)?;
            if apart.contact.outcome.distance > 0.0 { high = middle } else { low = middle }
        }
        let [first, last] = TOUCHING.map(|frame| frame as f64);
        let (middle, half) = (0.5 * (first + last), 0.5 * (last - first));
        let frames = (0..FRAMES).map(|frame| at(high + STEP * ((frame as f64 - middle).abs() - half))).collect();
        Ok(Bite { lower, upper, frames })
    }
}
