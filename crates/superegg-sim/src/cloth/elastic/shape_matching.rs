//! Shape matching (Müller et al. 2005; paper 000 section 2.2.1): particles are pulled to their places in the rigid copy of
//! their rest shape that fits them best.
//!
//! The rotation is found by the iteration of Müller, Bender, Chentanez and Macklin (2016), "A robust method to extract the
//! rotational part of deformations", which needs no decomposition and never flips; it is warm-started by one polar step
//! from the identity each time, so that the cluster keeps no state.

use glam::{DMat3, DQuat, DVec3};

use super::packed::Packed;

/// Particles that keep their common shape.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub particles: Vec<u32>,
    /// Rest positions about their center of mass.
    pub rest: Vec<DVec3>,
    pub masses: Vec<f64>,
    /// One over the stiffness of each particle's pull, in metres a newton.
    pub compliance: f64,
}

/// Enough for the largest turns; each costs a few dozen operations a cluster.
const ROTATION_ITERATIONS: u32 = 80;
/// Turns smaller than this are not worth another iteration.
const SMALL_TURN: f64 = 1e-12;

impl Cluster {
    /// A cluster of particles with positions and masses at rest.
    pub fn new(particles: Vec<u32>, positions: &[DVec3], masses: Vec<f64>, compliance: f64) -> Cluster {
        let center = centre_of_mass(positions.iter().copied(), &masses);
        let rest = positions.iter().map(|p| *p - center).collect();
        Cluster { particles, rest, masses, compliance }
    }

    pub fn project(&self, particles: &mut [Packed], inverse_h_sq: f64) {
        let own = || self.particles.iter().map(|&p| p as usize);
        let center = centre_of_mass(own().map(|p| particles[p].position()), &self.masses);
        let mut moment = DMat3::ZERO;
        for ((p, rest), mass) in own().zip(&self.rest).zip(&self.masses) {
            let offset = (particles[p].position() - center) * *mass;
            moment += DMat3::from_cols(offset * rest.x, offset * rest.y, offset * rest.z);
        }
        let rotation = rotation_of(moment);
        for (p, rest) in own().zip(&self.rest) {
            let goal = center + rotation * *rest;
            let (place, weight) = (particles[p].position(), particles[p].w);
            if weight > 0.0 {
                let pull = weight / (weight + self.compliance * inverse_h_sq);
                particles[p].set_position(place + (goal - place) * pull);
            }
        }
    }
}

fn centre_of_mass(positions: impl Iterator<Item = DVec3>, masses: &[f64]) -> DVec3 {
    positions.zip(masses).map(|(p, m)| p * *m).sum::<DVec3>() / masses.iter().sum::<f64>()
}

/// The rotation nearest to a matrix.
fn rotation_of(matrix: DMat3) -> DQuat {
    let mut turn = DQuat::IDENTITY;
    for _ in 0..ROTATION_ITERATIONS {
        let r = DMat3::from_quat(turn);
        let torque = r.x_axis.cross(matrix.x_axis) + r.y_axis.cross(matrix.y_axis) + r.z_axis.cross(matrix.z_axis);
        let along = r.x_axis.dot(matrix.x_axis) + r.y_axis.dot(matrix.y_axis) + r.z_axis.dot(matrix.z_axis);
        let axis = torque / (along.abs() + f64::MIN_POSITIVE.max(1e-9 * torque.length()));
        if axis.length() < SMALL_TURN {
            break;
        }
        turn = (DQuat::from_scaled_axis(axis.clamp_length_max(1.5)) * turn).normalize();
    }
    turn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_shape_is_at_rest() {
        let corners: Vec<DVec3> = (0..8)
            .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1) * 2.0, f64::from(i >> 2) * 3.0))
            .collect();
        let cluster = Cluster::new((0..8).collect(), &corners, vec![1.0; 8], 0.0);
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..50 {
            let mut axis = || random.f64() * 4.0 - 2.0;
            let turn = DQuat::from_scaled_axis(DVec3::new(axis(), axis(), axis()) * 0.7);
            let start: Vec<Packed> = corners.iter().map(|p| Packed::new(turn * *p + DVec3::X, 1.0)).collect();
            let mut moved = start.clone();
            cluster.project(&mut moved, 1.0);
            let away = |(p, q): (&Packed, &Packed)| p.position().distance(q.position());
            let worst = start.iter().zip(&moved).map(away).fold(0.0, f64::max);
            assert!(worst < 1e-6, "{worst:e} after a turn of {}", turn.to_scaled_axis().length());
        }
    }
}
