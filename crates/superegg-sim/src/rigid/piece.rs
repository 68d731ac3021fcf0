//! Pieces: the shapes and meshes that touch others. A body has one, a compound body one for each part.

use glam::{DMat3, DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Aabb, Shape};
use superegg_world::broad::Leaf;
use superegg_world::geometry::Geometry;

use super::body::State;

/// A shape or a mesh on a body.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub body: u32,
    /// Never a compound.
    pub geometry: Geometry,
    /// Its frame in that of the body, whose origin is the centre of mass.
    origin: DVec3,
    turn: DQuat,
    axes: DMat3,
    /// Radius of a ball about the origin of its frame that holds it.
    pub radius: f64,
    /// A box in its frame, and the fattened one that it has in the tree.
    middle: DVec3,
    half: DVec3,
    pub fat: Aabb,
    pub leaf: Option<Leaf>,
}

impl Piece {
    /// A piece whose frame on the body is `pose`.
    pub fn new(body: u32, geometry: Geometry, pose: Pose) -> Piece {
        let local = geometry.aabb(&Pose::IDENTITY);
        Piece {
            body,
            radius: geometry.reach(),
            geometry,
            origin: pose.translation,
            turn: pose.rotation,
            axes: pose.rotation_matrix(),
            middle: 0.5 * (local.min + local.max),
            half: 0.5 * (local.max - local.min),
            fat: Aabb { min: DVec3::ZERO, max: DVec3::ZERO },
            leaf: None,
        }
    }

    /// Radius of a ball about the body's centre of mass that holds it.
    pub fn reach(&self) -> f64 {
        self.origin.length() + self.radius
    }

    pub fn is_egg(&self) -> bool {
        matches!(self.geometry, Geometry::Shape(Shape::Superellipsoid(_) | Shape::Superovoid(_)))
    }

    pub fn is_mesh(&self) -> bool {
        matches!(self.geometry, Geometry::Mesh(_))
    }

    /// Where it is now.
    pub fn placed<'a>(&'a self, body: &'a State) -> Placed<'a> {
        let axes = if self.turn == DQuat::IDENTITY { body.axes } else { body.axes * self.axes };
        Placed { piece: self, body, axes, origin: body.place(self.origin) }
    }

    /// A box that holds it, grown on all sides.
    pub fn grown_box(&self, body: &State, by: f64) -> Aabb {
        let Placed { axes, origin, .. } = self.placed(body);
        self.box_along(&axes, origin, by)
    }

    /// The same in any frame, by its axes and its origin there.
    pub fn box_along(&self, axes: &DMat3, origin: DVec3, by: f64) -> Aabb {
        let middle = origin + *axes * self.middle;
        let half = axes.x_axis.abs() * self.half.x + axes.y_axis.abs() * self.half.y + axes.z_axis.abs() * self.half.z;
        let low = (middle - half).max(origin - self.radius);
        let high = (middle + half).min(origin + self.radius);
        Aabb { min: low - by, max: high + by }
    }
}

/// A piece and where it is.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub piece: &'a Piece,
    pub body: &'a State,
    /// Its axes and its origin in the world.
    pub axes: DMat3,
    pub origin: DVec3,
}

impl Placed<'_> {
    pub fn pose(&self) -> Pose {
        Pose { rotation: self.body.rotation * self.piece.turn, translation: self.origin }
    }

    /// The shape of an egg or a plane.
    pub fn shape(&self) -> Option<&Shape> {
        match &self.piece.geometry {
            Geometry::Shape(shape) => Some(shape),
            Geometry::Compound(_) | Geometry::Mesh(_) => None,
        }
    }

    pub fn radius(&self) -> f64 {
        self.piece.radius
    }

    /// The middle of its own box, in the world.
    pub fn middle(&self) -> DVec3 {
        self.origin + self.axes * self.piece.middle
    }

    /// How far its own box reaches from the middle in a direction of the world: as far as the piece or farther.
    pub fn box_half_along(&self, direction: DVec3) -> f64 {
        (self.axes.transpose() * direction).abs().dot(self.piece.half)
    }

    /// An egg's support point in the world.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let local = self.axes.transpose() * direction;
        let point = match self.shape() {
            Some(Shape::Superellipsoid(egg)) => egg.support(local),
            Some(Shape::Superovoid(egg)) => egg.support(local),
            _ => DVec3::ZERO,
        };
        self.origin + self.axes * point
    }

    /// Whether an egg holds a point of the world.
    pub fn holds(&self, point: DVec3) -> bool {
        let local = self.axes.transpose() * (point - self.origin);
        match self.shape() {
            Some(Shape::Superellipsoid(egg)) => egg.gauge(local) <= 1.0,
            Some(Shape::Superovoid(egg)) => egg.gauge(local) <= 1.0,
            _ => false,
        }
    }
}
