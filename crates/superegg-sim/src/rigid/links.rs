//! Joints and holds of a world: adding, asking and removing them.

use glam::DVec3;
use superegg::InvalidInput;

use super::grip::{Grip, GripId};
use super::joint::{Drive, Joint, JointId};
use super::linkage::{Linkage, WORLD};
use super::sleep::wake;
use super::{RigidId, RigidWorld};
use crate::SimError;
use crate::error::{require_index, require_not_negative};

impl RigidWorld {
    /// Adds a joint.
    pub fn add_joint(&mut self, joint: Joint) -> Result<JointId, SimError> {
        for body in joint.a.into_iter().chain([joint.b]) {
            require_index("rigid body", body.0, self.bodies.len())?;
        }
        joint.validate()?;
        let linkage = Linkage::new(joint, &self.bodies);
        if !linkage.joint.meet && linkage.a != WORLD {
            self.pairs.set_meeting(linkage.a, linkage.b, false);
        }
        self.wake_body(linkage.b);
        self.linkages.push(Some(linkage));
        self.relink();
        Ok(JointId(self.linkages.len() - 1))
    }

    /// Takes a joint apart. Its bodies then meet like others.
    pub fn remove_joint(&mut self, joint: JointId) -> Result<(), SimError> {
        let (a, b) = {
            let linkage = self.linkage(joint)?;
            (linkage.a, linkage.b)
        };
        self.wake_body(b);
        self.linkages[joint.0] = None;
        let others = self.linkages.iter().flatten();
        let still = others
            .filter(|other| !other.joint.meet)
            .any(|other| [other.a, other.b] == [a, b] || [other.b, other.a] == [a, b]);
        if a != WORLD && !still {
            self.pairs.set_meeting(a, b, true);
        }
        self.relink();
        Ok(())
    }

    /// Gives one of a joint's freedoms another drive: the angle of a hinge (0), of an elbow (0 and 1), a distance (0).
    pub fn set_drive(&mut self, joint: JointId, freedom: usize, drive: Drive) -> Result<(), SimError> {
        drive.validate()?;
        let body = self.linkage(joint)?.b;
        let count = self.joint_values(joint)?.len();
        let held = self.linkages[joint.0].as_mut().and_then(|linkage| linkage.drive_mut(freedom));
        *held.ok_or(SimError::NoSuch { what: "driven freedom", index: freedom, count })? = drive;
        self.wake_body(body);
        Ok(())
    }

    /// A joint's angles in radians, or its distance in metres: of a hinge one, of an elbow two, of a ball joint with a cone
    /// how far it swings and twists.
    pub fn joint_values(&self, joint: JointId) -> Result<Vec<f64>, SimError> {
        Ok(self.linkage(joint)?.freedoms(&self.bodies))
    }

    /// By how far the two ends of a joint are apart where they should not be, in metres.
    pub fn joint_gap(&self, joint: JointId) -> Result<f64, SimError> {
        Ok(self.linkage(joint)?.gap(&self.bodies))
    }

    /// Takes hold of a point of a dynamic body, given in the world. It stays there until it is [moved](RigidWorld::move_grip)
    /// or [let go](RigidWorld::release); the hold pulls with `strength` newtons at most.
    pub fn grab(&mut self, body: RigidId, point: DVec3, strength: f64) -> Result<GripId, SimError> {
        require_index("rigid body", body.0, self.bodies.len())?;
        InvalidInput::unless(point.is_finite(), "point", point.length(), "the finite vectors")?;
        require_not_negative("strength", strength)?;
        let state = &self.bodies[body.0];
        InvalidInput::unless(state.is_dynamic(), "body", body.0 as f64, "the dynamic bodies")?;
        let grip = Grip::new(body.0 as u32, state, point, strength);
        self.wake_body(body.0 as u32);
        self.grips.push(Some(grip));
        Ok(GripId(self.grips.len() - 1))
    }

    /// Moves the target of a hold.
    pub fn move_grip(&mut self, grip: GripId, target: DVec3) -> Result<(), SimError> {
        InvalidInput::unless(target.is_finite(), "target", target.length(), "the finite vectors")?;
        let count = self.grips.len();
        let held = self.grips.get_mut(grip.0).and_then(Option::as_mut);
        let held = held.ok_or(SimError::NoSuch { what: "hold", index: grip.0, count })?;
        held.target = target;
        let body = held.body;
        self.wake_body(body);
        Ok(())
    }

    /// Lets go. Nothing happens to a hold that was let go before.
    pub fn release(&mut self, grip: GripId) {
        if let Some(Some(held)) = self.grips.get(grip.0) {
            let body = held.body;
            self.wake_body(body);
            self.grips[grip.0] = None;
        }
    }

    fn linkage(&self, joint: JointId) -> Result<&Linkage, SimError> {
        let count = self.linkages.len();
        let held = self.linkages.get(joint.0).and_then(Option::as_ref);
        held.ok_or(SimError::NoSuch { what: "joint", index: joint.0, count })
    }

    fn wake_body(&mut self, body: u32) {
        wake(&mut self.bodies, &self.pairs, &self.links, &[body]);
    }

    /// Notes which bodies hang together, and which may be driven.
    fn relink(&mut self) {
        let both = self.linkages.iter().flatten().map(|linkage| [linkage.a, linkage.b]);
        self.links = both.filter(|[a, _]| *a != WORLD).collect();
    }
}
