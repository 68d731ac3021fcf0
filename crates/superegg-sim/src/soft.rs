//! Soft solids: particles that keep their common shape by shape matching, with a skin of triangles that collides.

use std::ops::Range;
use superegg::InvalidInput;

use superegg_mesh::TriangleMesh;

use crate::constraint::Elastic;
use crate::constraint::coloured::Coloured;
use crate::constraint::shape_matching::Cluster;
use crate::error::require_not_negative;
use crate::surface::{Friction, Surface};
use crate::world::Part;
use crate::{SimError, World};

/// Names a soft solid of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SoftId(pub usize);

/// A solid that gives way and recovers its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftSolid {
    /// Its skin; the vertices are its particles.
    pub mesh: TriangleMesh,
    /// Its whole mass, in kilograms.
    pub mass: f64,
    /// One over the stiffness with which each particle is drawn to its place, in metres a newton.
    pub compliance: f64,
    /// How far the skin stays away from bodies, in metres.
    pub offset: f64,
    /// Against bodies.
    pub friction: Friction,
    /// Part of the velocity lost in a second, as the rate of an exponential decay.
    pub damping: f64,
}

/// A soft solid in a world.
#[derive(Clone, Debug)]
pub(crate) struct SoftState {
    pub particles: Range<usize>,
    pub triangles: Vec<[u32; 3]>,
}

impl World {
    /// Adds a soft solid.
    pub fn add_soft_solid(&mut self, solid: &SoftSolid) -> Result<SoftId, SimError> {
        InvalidInput::unless(solid.mass > 0.0 && solid.mass.is_finite(), "mass", solid.mass, "]0, ∞[")?;
        require_not_negative("compliance", solid.compliance)?;
        require_not_negative("offset", solid.offset)?;
        require_not_negative("damping", solid.damping)?;
        solid.friction.validate()?;
        let positions = solid.mesh.positions();
        let count = positions.len();
        InvalidInput::unless(count > 0, "mesh.vertices", 0.0, "one or more")?;
        let first = self.particles.len();
        InvalidInput::unless(
            first + count <= u32::MAX as usize,
            "particles",
            count as f64,
            "what 32-bit indices can name",
        )?;
        let mass = solid.mass / count as f64;
        for &position in positions {
            self.particles.push(position, 1.0 / mass);
        }
        let particles = first..first + count;
        let indices = particles.clone().map(|p| p as u32).collect();
        let cluster = Cluster::new(indices, positions, vec![mass; count], solid.compliance);
        let elastic = Elastic {
            stretch: Coloured::new(Vec::new()),
            isometric: Coloured::new(Vec::new()),
            dihedral: Coloured::new(Vec::new()),
            tethers: Vec::new(),
            clusters: vec![cluster],
        };
        let triangles = solid.mesh.triangles().to_vec();
        let global = triangles.iter().map(|corners| corners.map(|v| v + first as u32)).collect();
        let mut surface = Surface::new(global, particles.clone(), positions);
        surface.offset = solid.offset;
        surface.friction = solid.friction;
        self.add_part(Part { elastic, surface, damping: solid.damping, internal_damping: 0.0 });
        self.solids.push(SoftState { particles, triangles });
        Ok(SoftId(self.solids.len() - 1))
    }
}
