//! Soft solids: particles that keep their common shape by shape matching, with a skin of triangles that collides.

use std::sync::Arc;

use superegg::InvalidInput;
use superegg_mesh::TriangleMesh;

use crate::SimError;
use crate::body::{Friction, Groups};
use crate::cloth::elastic::Elastic;
use crate::cloth::elastic::coloured::Coloured;
use crate::cloth::elastic::shape_matching::Cluster;
use crate::cloth::surface::Surface;
use crate::cloth::{Owner, Part, Sleep};
use crate::error::require_not_negative;

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
    /// What it meets.
    pub groups: Groups,
    /// Part of the velocity lost in a second, as the rate of an exponential decay.
    pub damping: f64,
}

impl SoftSolid {
    pub(crate) fn validate(&self) -> Result<(), SimError> {
        InvalidInput::unless(self.mass > 0.0 && self.mass.is_finite(), "mass", self.mass, "]0, ∞[")?;
        require_not_negative("compliance", self.compliance)?;
        require_not_negative("offset", self.offset)?;
        require_not_negative("damping", self.damping)?;
        self.friction.validate()?;
        InvalidInput::unless(!self.mesh.positions().is_empty(), "mesh.vertices", 0.0, "one or more")?;
        Ok(())
    }

    /// The solid with its first particle of a number, and the mass of each.
    pub(crate) fn part(&self, owner: Owner, first: usize) -> (Part, f64) {
        let positions = self.mesh.positions();
        let count = positions.len();
        let mass = self.mass / count as f64;
        let cluster = Cluster::new((0..count as u32).collect(), positions, vec![mass; count], self.compliance);
        let elastic = Elastic {
            stretch: Coloured::new(Vec::new()),
            isometric: Coloured::new(Vec::new()),
            dihedral: Coloured::new(Vec::new()),
            tethers: Vec::new(),
            clusters: vec![cluster],
        };
        let triangles = self.mesh.triangles().to_vec();
        let global = triangles.iter().map(|corners| corners.map(|v| v + first as u32)).collect();
        let mut surface = Surface::new(global, first..first + count, positions);
        surface.offset = self.offset;
        surface.friction = self.friction;
        surface.groups = self.groups;
        let part = Part {
            owner,
            elastic: Arc::new(elastic),
            surface,
            damping: self.damping,
            internal_damping: 0.0,
            triangles: Arc::new(triangles),
            rest: Arc::new(positions.to_vec()),
            tethered: Arc::default(),
            wrinkles: None,
            sleep: Sleep::default(),
        };
        (part, mass)
    }
}
