//! Bodies as a world keeps them.

use glam::DVec3;
use superegg::shape::{Aabb, Shape};
use superegg::{InvalidInput, Pose};

use super::WorldOptions;
use crate::bound::{Obb, grown};
use crate::broad::Leaf;
use crate::geometry::Geometry;
use crate::handle::BodyHandle;

/// Whom a body may touch: two bodies are compared if each is a member of a group that the other minds.
///
/// ```
/// use superegg_world::world::Filter;
/// let player = Filter { member_of: 0b01, minds: 0b11 };
/// let ghost = Filter { member_of: 0b10, minds: 0b10 };
/// assert!(!player.allows(&ghost) && ghost.allows(&ghost));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The groups it belongs to, a bit each.
    pub member_of: u32,
    /// The groups it may touch.
    pub minds: u32,
}

impl Filter {
    /// Touches everybody.
    pub const ALL: Filter = Filter { member_of: u32::MAX, minds: u32::MAX };

    /// Whether two bodies may touch.
    pub const fn allows(&self, other: &Filter) -> bool {
        self.member_of & other.minds != 0 && other.member_of & self.minds != 0
    }
}

impl Default for Filter {
    fn default() -> Filter {
        Filter::ALL
    }
}

#[derive(Clone, Debug)]
pub(super) struct Body {
    pub geometry: Geometry,
    pub pose: Pose,
    pub filter: Filter,
    /// A box in the body's frame.
    middle: DVec3,
    half: DVec3,
    /// Radius of the ball about its origin.
    pub reach: f64,
    /// Where its fattened box is in the tree; `None` for a body without an end.
    pub leaf: Option<Leaf>,
    pub generation: u32,
    pub alive: bool,
    /// Waits for its neighbours to be looked up.
    pub disturbed: bool,
}

impl Body {
    pub fn new(geometry: Geometry, pose: Pose) -> Result<Body, InvalidInput> {
        let pose = Pose::new(pose.rotation, pose.translation)?;
        let local = geometry.aabb(&Pose::IDENTITY);
        Ok(Body {
            reach: geometry.reach(),
            middle: 0.5 * (local.min + local.max),
            half: 0.5 * (local.max - local.min),
            geometry,
            pose,
            filter: Filter::ALL,
            leaf: None,
            generation: 0,
            alive: true,
            disturbed: false,
        })
    }

    pub fn handle(&self, index: u32) -> BodyHandle {
        BodyHandle { index, generation: self.generation }
    }

    pub fn is_bounded(&self) -> bool {
        self.reach.is_finite()
    }

    pub fn as_shape(&self) -> Option<&Shape> {
        match &self.geometry {
            Geometry::Shape(shape) => Some(shape),
            Geometry::Superquadric(_) | Geometry::Compound(_) | Geometry::Mesh(_) => None,
        }
    }

    /// How far any point of the body moves on the way to another pose, at most.
    pub fn travel_to(&self, pose: &Pose) -> f64 {
        let moved = self.pose.translation.distance(pose.translation);
        // Half the sine of the angle: a point at the reach moves by a chord of that angle.
        let turn = (self.pose.rotation.conjugate() * pose.rotation).xyz().length();
        if turn > 0.0 { moved + 2.0 * turn * self.reach } else { moved }
    }

    /// A box in the world that holds a bounded body: that of the turned box, or of the ball where that is smaller. Looser than the
    /// tight one, and ten times as quick.
    pub fn aabb(&self) -> Aabb {
        let turn = self.pose.rotation_matrix();
        let middle = self.pose.translation + turn * self.middle;
        let half = turn.x_axis.abs() * self.half.x + turn.y_axis.abs() * self.half.y + turn.z_axis.abs() * self.half.z;
        let (low, high) = (self.pose.translation - self.reach, self.pose.translation + self.reach);
        let slack = 4.0 * f64::EPSILON * (self.reach + middle.abs());
        Aabb { min: (middle - half).max(low) - slack, max: (middle + half).min(high) + slack }
    }

    /// How far the body, placed with its origin at zero and unturned, reaches along a direction at most, times its length.
    pub fn box_support(&self, direction: DVec3) -> f64 {
        self.middle.dot(direction) + self.half.dot(direction.abs())
    }

    pub fn obb(&self) -> Obb {
        let axes = self.pose.rotation_matrix();
        Obb { center: self.pose.translation + axes * self.middle, axes, half: self.half }
    }

    /// The box for the tree: half of the margin, and room to move.
    pub fn fattened(&self, aabb: &Aabb, options: &WorldOptions) -> Aabb {
        grown(aabb, 0.5 * options.margin * (1.0 + 1e-12) + options.fattening * self.reach)
    }
}

/// Whether a box, with half of the margin around it, is within a fattened one.
pub(super) fn is_within(aabb: &Aabb, fat: &Aabb, options: &WorldOptions) -> bool {
    let needed = grown(aabb, 0.5 * options.margin);
    fat.min.cmple(needed.min).all() && fat.max.cmpge(needed.max).all()
}
