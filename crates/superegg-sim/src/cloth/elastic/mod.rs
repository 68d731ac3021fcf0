//! What moves particles towards rest: stretch, bending, attachments, shape matching.
//!
//! Each is projected once a substep with XPBD compliance (Macklin, Müller and Chentanez 2016; one iteration a substep as
//! in Macklin et al. 2019, "Small steps in physics simulation"), where paper 000 iterates plain PBD.

pub(crate) mod bending;
pub(crate) mod coloured;
pub(crate) mod packed;
pub(crate) mod shape_matching;
pub(crate) mod stretch;
pub(crate) mod tether;

use glam::DVec3;
use superegg::Threads;

use bending::{Dihedral, Isometric};
use coloured::Coloured;
use packed::Packed;
use shape_matching::Cluster;
use stretch::Stretch;
use tether::Tether;

/// The constraints of one cloth or soft solid, whose particles are numbered from zero.
#[derive(Clone, Debug)]
pub(crate) struct Elastic {
    pub stretch: Coloured<Stretch, 2>,
    pub isometric: Coloured<Isometric, 4>,
    pub dihedral: Coloured<Dihedral, 4>,
    pub tethers: Vec<Tether>,
    pub clusters: Vec<Cluster>,
}

impl Elastic {
    /// Evens out the velocities of neighbours by a part of their difference, which keeps their momentum.
    pub fn damp(&self, velocity: &mut [DVec3], inverse_mass: &[f64], part: f64) {
        for edge in self.stretch.iter() {
            let [a, b] = edge.particles.map(|p| p as usize);
            let weight = inverse_mass[a] + inverse_mass[b];
            if weight > 0.0 {
                let exchange = (velocity[b] - velocity[a]) * (part / weight);
                velocity[a] += exchange * inverse_mass[a];
                velocity[b] -= exchange * inverse_mass[b];
            }
        }
    }

    /// Projects all of them once, the stiffest last.
    pub fn project(&self, particles: &mut [Packed], h: f64, threads: Threads) {
        let inverse_h_sq = 1.0 / (h * h);
        for cluster in &self.clusters {
            cluster.project(particles, inverse_h_sq);
        }
        self.isometric.project(particles, inverse_h_sq, threads);
        self.dihedral.project(particles, inverse_h_sq, threads);
        self.stretch.project(particles, inverse_h_sq, threads);
        for tether in &self.tethers {
            tether.project(particles);
        }
    }
}
