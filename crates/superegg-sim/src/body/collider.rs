//! Proxies: the shapes and meshes that touch others. A collider has one, a compound one for each part.

use glam::{DMat3, DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Aabb, Shape};
use superegg_world::broad::Leaf;
use superegg_world::geometry::Geometry;

use super::{BodyState, Collider, Groups, Material};

/// A shape or a mesh on a body.
#[derive(Clone, Debug)]
pub(crate) struct Proxy {
    pub body: u32,
    /// The slot of its collider, and which part of that it is.
    pub collider: u32,
    pub part: u32,
    pub material: Material,
    pub groups: Groups,
    /// Never a compound.
    pub geometry: Geometry,
    /// Its frame in that of the body, whose origin is the center of mass.
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
    /// Whether it was removed.
    pub dead: bool,
}

impl Proxy {
    /// The proxies of a collider on a body.
    pub fn of(body: u32, state: &BodyState, collider: u32, given: &Collider) -> Vec<Proxy> {
        let frame = state.frame_of(given);
        let proxy = |part: u32, geometry: Geometry, pose: Pose| {
            let local = geometry.aabb(&Pose::IDENTITY);
            Proxy {
                body,
                collider,
                part,
                material: given.material,
                groups: given.groups,
                radius: geometry.reach(),
                geometry,
                origin: pose.translation,
                turn: pose.rotation,
                axes: pose.rotation_matrix(),
                middle: 0.5 * (local.min + local.max),
                half: 0.5 * (local.max - local.min),
                fat: Aabb { min: DVec3::ZERO, max: DVec3::ZERO },
                leaf: None,
                dead: false,
            }
        };
        match &given.geometry {
            Geometry::Compound(compound) => (0u32..)
                .zip(compound.parts())
                .map(|(index, part)| proxy(index, part.shape.clone().into(), frame.compose(&part.pose)))
                .collect(),
            single => vec![proxy(0, single.clone(), frame)],
        }
    }

    /// Radius of a ball about the body's center of mass that holds it.
    pub fn reach(&self) -> f64 {
        self.origin.length() + self.radius
    }

    pub fn is_smooth(&self) -> bool {
        self.shape().is_some_and(super::has_inside)
    }

    pub fn is_mesh(&self) -> bool {
        matches!(self.geometry, Geometry::Mesh(_))
    }

    /// The shape of what is no mesh.
    pub fn shape(&self) -> Option<&Shape> {
        match &self.geometry {
            Geometry::Shape(shape) => Some(shape),
            Geometry::Superquadric(_) | Geometry::Compound(_) | Geometry::Mesh(_) => None,
        }
    }

    /// Where it is now.
    pub fn placed<'a>(&'a self, body: &'a BodyState) -> Placed<'a> {
        let (axes, origin) = self.frame_at(body.center, body.axes);
        Placed { proxy: self, body, axes, origin }
    }

    /// Its axes and its origin in the world for a place of the body's own frame.
    pub fn frame_at(&self, center: DVec3, axes: DMat3) -> (DMat3, DVec3) {
        let own = if self.turn == DQuat::IDENTITY { axes } else { axes * self.axes };
        (own, center + axes * self.origin)
    }

    /// A box that holds it, grown on all sides.
    pub fn grown_box(&self, body: &BodyState, by: f64) -> Aabb {
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

/// A proxy and where it is.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub proxy: &'a Proxy,
    pub body: &'a BodyState,
    /// Its axes and its origin in the world.
    pub axes: DMat3,
    pub origin: DVec3,
}

impl Placed<'_> {
    pub fn pose(&self) -> Pose {
        Pose { rotation: self.body.rotation * self.proxy.turn, translation: self.origin }
    }

    /// The shape of an egg or a plane.
    pub fn shape(&self) -> Option<&Shape> {
        self.proxy.shape()
    }

    pub fn radius(&self) -> f64 {
        self.proxy.radius
    }

    /// The middle of its own box, in the world.
    pub fn middle(&self) -> DVec3 {
        self.origin + self.axes * self.proxy.middle
    }

    /// How far its own box reaches from the middle in a direction of the world: as far as the proxy or farther.
    pub fn box_half_along(&self, direction: DVec3) -> f64 {
        (self.axes.transpose() * direction).abs().dot(self.proxy.half)
    }

    /// An egg's support point in the world.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let local = self.axes.transpose() * direction;
        let point = match self.shape() {
            Some(Shape::Superellipsoid(egg)) => egg.support(local),
            Some(Shape::Superovoid(egg)) => egg.support(local),
            Some(Shape::Primitive(body)) => body.support(local),
            Some(Shape::Hull(body)) => body.support(local),
            Some(Shape::Custom(body)) => body.support(local),
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
            Some(Shape::Primitive(body)) => body.contains(local),
            Some(Shape::Hull(body)) => body.contains(local),
            Some(Shape::Custom(body)) => body.contains(local),
            _ => false,
        }
    }
}
