//! How a quality changes with the contacts.

use glam::DVec3;

use super::linear::V6;
use super::wrench::ContactSet;

/// Derivatives of a quality by the contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct QualityGradient {
    /// By the points, a metre.
    pub points: Vec<DVec3>,
    /// By the normals, tangential.
    pub normals: Vec<DVec3>,
    /// By the coefficients of friction.
    pub frictions: Vec<f64>,
}

impl QualityGradient {
    /// Of Σ y·w by the contacts whose forces make up w (the envelope theorem: what the contacts choose stays as it is).
    pub(super) fn of_forces(contacts: &ContactSet, shares: &[(f64, DVec3)], y: &V6) -> QualityGradient {
        let b = DVec3::new(y[3], y[4], y[5]);
        let mut made = QualityGradient {
            points: Vec::with_capacity(shares.len()),
            normals: Vec::with_capacity(shares.len()),
            frictions: Vec::with_capacity(shares.len()),
        };
        for (contact, (lambda, force)) in shares.iter().enumerate() {
            let normal = contacts.normals[contact];
            let g = contacts.lever(contact, y);
            let along = g.dot(normal);
            let across = g - normal * along;
            let friction_force = *force - normal * *lambda;
            made.points.push(force.cross(b) / contacts.rho);
            made.normals.push(across * *lambda - friction_force * along);
            made.frictions.push(lambda * across.length());
        }
        made
    }

    pub(super) fn scale(&mut self, factor: f64) {
        self.points.iter_mut().for_each(|value| *value *= factor);
        self.normals.iter_mut().for_each(|value| *value *= factor);
        self.frictions.iter_mut().for_each(|value| *value *= factor);
    }
}
