//! Contacts with friction and the support functions of what they can push with.
//!
//! For a direction u = (a, b) let g = a + (b × p)/ρ, split along the contact's normal and across: disc D has the support value
//! g_n + μ|g_t|, at the force n + μ g_t/|g_t|. Where g_t is rounding noise, any force of the disc does, and n is taken: normalising
//! noise would put the wrench outside of the disc.

use glam::DVec3;

use super::linear::V6;
use crate::error::RobotError;

/// Most contacts of a grasp.
const MOST_CONTACTS: usize = 64;

/// A point where a hand pushes on an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraspContact {
    /// In any frame, in metres.
    pub point: DVec3,
    /// Unit normal into the object, the way the hand pushes.
    pub normal: DVec3,
    /// Coefficient of friction.
    pub friction: f64,
}

/// Contacts about a center, with torques over a length.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSet {
    pub(super) points: Vec<DVec3>,
    pub(super) normals: Vec<DVec3>,
    pub(super) frictions: Vec<f64>,
    pub(super) rho: f64,
}

impl ContactSet {
    /// Torques are about `center` and over `length`, which should be about the object's radius.
    pub fn new(contacts: &[GraspContact], center: DVec3, length: f64) -> Result<ContactSet, RobotError> {
        let invalid = |message: String| Err(RobotError::Invalid(message));
        if contacts.is_empty() || contacts.len() > MOST_CONTACTS {
            return invalid(format!("{} contacts; allowed are [1, {MOST_CONTACTS}]", contacts.len()));
        }
        if !(1e-9..=1e9).contains(&length) || !(0.0..=1e9).contains(&center.abs().max_element()) {
            return invalid(format!("length {length} and center {center}; allowed are [1e-9, 1e9] and [-1e9, 1e9]"));
        }
        for (number, contact) in contacts.iter().enumerate() {
            let unit = (contact.normal.length() - 1.0).abs() < 1e-6;
            let sane = contact.point.abs().max_element() <= 1e9 && (0.0..=100.0).contains(&contact.friction);
            if !(unit && sane) {
                return invalid(format!(
                    "contacts[{number}]: a finite point, a unit normal and a friction in [0, 100] are needed, not {contact:?}"
                ));
            }
        }
        Ok(ContactSet {
            // Lengths in units of ρ, so that ρ is one from here on.
            points: contacts.iter().map(|contact| (contact.point - center) / length).collect(),
            normals: contacts.iter().map(|contact| contact.normal.normalize()).collect(),
            frictions: contacts.iter().map(|contact| contact.friction).collect(),
            rho: length,
        })
    }

    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none, which [`ContactSet::new`] refuses.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// g of a contact: what a unit force there does along u.
    #[inline]
    pub(super) fn lever(&self, contact: usize, u: &V6) -> DVec3 {
        let (a, b) = (DVec3::new(u[0], u[1], u[2]), DVec3::new(u[3], u[4], u[5]));
        a + b.cross(self.points[contact])
    }

    /// The support value of a disc.
    #[inline]
    pub(super) fn disc_value(&self, contact: usize, u: &V6) -> f64 {
        let g = self.lever(contact, u);
        let along = g.dot(self.normals[contact]);
        // Not by Pythagoras, which leaves the square root of the rounding where nothing goes across.
        along + self.frictions[contact] * (g - self.normals[contact] * along).length()
    }

    /// The force of a disc that is farthest along u.
    #[inline]
    pub(super) fn disc_force(&self, contact: usize, u: &V6) -> DVec3 {
        let normal = self.normals[contact];
        let g = self.lever(contact, u);
        let along = g.dot(normal);
        let across = g - normal * along;
        let length = across.length();
        if length < 1e-8 * (along.abs() + length) {
            normal
        } else {
            normal + across * (self.frictions[contact] / length)
        }
    }

    /// The wrench of a force at a contact.
    #[inline]
    pub(super) fn wrench(&self, contact: usize, force: DVec3) -> V6 {
        let torque = self.points[contact].cross(force);
        [force.x, force.y, force.z, torque.x, torque.y, torque.z]
    }

    /// The mean of the discs' centers, which is in their hull.
    pub(super) fn mean(&self) -> V6 {
        let mut sum = [0.0; 6];
        for contact in 0..self.len() {
            let wrench = self.wrench(contact, self.normals[contact]);
            (0..6).for_each(|i| sum[i] += wrench[i]);
        }
        sum.map(|value| value / self.len() as f64)
    }
}

/// A convex set of wrenches by its support function.
pub(super) trait WrenchSet {
    /// The greatest value along u, and a wrench that has it.
    fn support(&self, u: &V6) -> (f64, V6);
    /// The forces of the contacts in that wrench: contact, share of its normal force, force.
    fn forces(&self, u: &V6, each: &mut dyn FnMut(usize, f64, DVec3));
}

/// The hull of the discs: all contacts share one unit of normal force.
pub(super) struct Hull<'a>(pub &'a ContactSet);

impl Hull<'_> {
    fn best(&self, u: &V6) -> (f64, usize) {
        let mut best = (f64::NEG_INFINITY, 0);
        for contact in 0..self.0.len() {
            let value = self.0.disc_value(contact, u);
            if value > best.0 {
                best = (value, contact);
            }
        }
        best
    }
}

impl WrenchSet for Hull<'_> {
    #[inline]
    fn support(&self, u: &V6) -> (f64, V6) {
        let (value, contact) = self.best(u);
        (value, self.0.wrench(contact, self.0.disc_force(contact, u)))
    }

    fn forces(&self, u: &V6, each: &mut dyn FnMut(usize, f64, DVec3)) {
        let (_, contact) = self.best(u);
        each(contact, 1.0, self.0.disc_force(contact, u));
    }
}

/// The sum of the discs and the origin: every contact has a unit of normal force.
pub(super) struct Sum<'a>(pub &'a ContactSet);

impl WrenchSet for Sum<'_> {
    fn support(&self, u: &V6) -> (f64, V6) {
        let (mut value, mut wrench) = (0.0, [0.0; 6]);
        self.forces(u, &mut |contact, _, force| {
            value += self.0.disc_value(contact, u);
            let own = self.0.wrench(contact, force);
            (0..6).for_each(|i| wrench[i] += own[i]);
        });
        (value, wrench)
    }

    fn forces(&self, u: &V6, each: &mut dyn FnMut(usize, f64, DVec3)) {
        for contact in 0..self.0.len() {
            if self.0.disc_value(contact, u) > 0.0 {
                each(contact, 1.0, self.0.disc_force(contact, u));
            }
        }
    }
}
