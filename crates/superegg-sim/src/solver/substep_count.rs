//! How many substeps joints need.
//!
//! Joints are exact in velocities, not in places. Two things set the longest substep that does:
//! - A body under tension swings on its joints with `ω² = Σ F r / I`, of all joints with force F at distance r from its center of
//!   mass. Their directions are those of the substep's begin, as in any explicit scheme, which comes apart beyond `ω h = 2`;
//!   light links under a heavy load are there soon. (Implicit geometric stiffness would allow for longer substeps, and damp.)
//! - A joint at distance r of a body that turns with ω is off by `ω² r h² / 2` after a substep.

use glam::DVec3;

use crate::body::BodyState;
use crate::joint::state::JointState;

/// Angle of the quickest swing that a substep may cover.
const SWING: f64 = 0.8;
/// How far joints may be off, in metres.
const OFF: f64 = 5e-4;
/// Most substeps, in parts of those that were asked for.
const MOST: f64 = 8.0;

/// How many substeps a step is cut into, at least as many as are asked for.
pub(crate) fn substeps_needed(joints: &[Option<JointState>], bodies: &[BodyState], dt: f64, asked: u32) -> u32 {
    let mut torques = vec![0.0; if joints.is_empty() { 0 } else { bodies.len() }];
    let mut rate_sq = 0.0f64;
    for joint in joints.iter().flatten() {
        for (index, local) in joint.ends_and_locals() {
            let Some(body) = bodies.get(index as usize).filter(|body| body.is_dynamic() && !body.asleep) else {
                continue;
            };
            torques[index as usize] += joint.force * local.length();
            let turning = body.turning;
            let outwards = turning.cross(turning.cross(body.axes * local));
            rate_sq = rate_sq.max(outwards.length() / (2.0 * OFF));
        }
    }
    for (body, torque) in bodies.iter().zip(torques).filter(|(_, torque)| *torque > 0.0) {
        // About the axes across the longest one, which a slender link hangs by.
        let DVec3 { x, y, z } = body.inertia;
        let across = x.max(y).min(x.max(z)).min(y.max(z));
        rate_sq = rate_sq.max(torque / across / (SWING * SWING));
    }
    let needed = (dt * rate_sq.sqrt()).min(MOST * f64::from(asked)).ceil();
    asked.max(needed as u32)
}
