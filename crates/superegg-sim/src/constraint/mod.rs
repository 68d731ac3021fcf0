//! What moves particles towards rest: stretch, bending, attachments, shape matching.
//!
//! Each is projected once a substep with XPBD compliance (Macklin, Müller and Chentanez 2016; one iteration a substep as
//! in Macklin et al. 2019, "Small steps in physics simulation"), where paper 000 iterates plain PBD.

pub(crate) mod bending;
pub(crate) mod coloured;
pub(crate) mod pin;
pub(crate) mod shape_matching;
pub(crate) mod stretch;
pub(crate) mod tether;

use superegg::query::batch::Threads;

use crate::Particles;
use bending::{Dihedral, Isometric};
use coloured::Coloured;
use shape_matching::Cluster;
use stretch::Stretch;
use tether::Tether;

/// The constraints of one cloth or soft solid.
#[derive(Clone, Debug)]
pub(crate) struct Elastic {
    pub stretch: Coloured<Stretch, 2>,
    pub isometric: Coloured<Isometric, 4>,
    pub dihedral: Coloured<Dihedral, 4>,
    pub tethers: Vec<Tether>,
    pub clusters: Vec<Cluster>,
}

impl Elastic {
    /// Projects all of them once, the stiffest last.
    pub fn project(&self, particles: &mut Particles, h: f64, threads: Threads) {
        let inverse_h_sq = 1.0 / (h * h);
        let Particles { position, inverse_mass, .. } = particles;
        for cluster in &self.clusters {
            cluster.project(position, inverse_mass, inverse_h_sq);
        }
        let weights = |own: [u32; 4]| own.map(|p| inverse_mass[p as usize]);
        self.isometric.project(position, threads, |bend, x| bend.project(x, weights(bend.particles), inverse_h_sq));
        self.dihedral.project(position, threads, |bend, x| bend.project(x, weights(bend.particles), inverse_h_sq));
        self.stretch.project(position, threads, |edge, x| {
            edge.project(x, edge.particles.map(|p| inverse_mass[p as usize]), inverse_h_sq);
        });
        for tether in &self.tethers {
            tether.project(position, inverse_mass);
        }
    }
}
