//! Boxes and frustums as bodies of the solver: solids with faces, edges and corners.
//!
//! A point of such a body and a normal there are found together, as the nearest point to a place outside and the direction
//! there (the resolvent of the normal cone). Newton's method on these is semismooth: once each body's point has reached the
//! right face, edge or corner, it ends as quickly as on smooth bodies.

use glam::DVec3;

use crate::shape::{Bend, Core};
use crate::solver::body::superquadric::Curvature;
use crate::solver::body::{Body, Project, level_directions};
use crate::solver::pair::placement::{Oriented, unit};
use crate::solver::simd::V3;

/// Curvature radius along an edge or face, as of the flat faces of superquadrics.
pub(crate) const FLAT: f64 = 1e9;
/// How far outside a position the place is that is projected, in units of the pair's size.
pub(crate) const OUTSIDE: f64 = 0.5;

/// The core of a primitive in units of the pair's size, with an inside.
#[derive(Clone, Copy)]
pub(crate) struct Solid {
    core: Core,
}

/// A point of the surface with an outward normal.
#[derive(Clone, Copy)]
pub(crate) struct SolidPoint {
    position: V3<f64>,
    normal: V3<f64>,
}

impl Solid {
    pub fn new(core: &Core, size: f64) -> Solid {
        Solid { core: core.scaled(1.0 / size) }
    }

    /// Whether it is symmetric about its origin.
    pub fn is_symmetric(&self) -> bool {
        self.core.is_symmetric()
    }
}

impl Oriented for Solid {
    const TURNED: bool = true;
}

impl Body<f64> for Solid {
    const SOLID: bool = true;
    const CURVED: bool = true;
    const MEETS_NORMAL: bool = false;
    type Point = SolidPoint;

    fn start(&self, normal: V3<f64>) -> SolidPoint {
        self.with_normal(normal)
    }

    fn with_normal(&self, normal: V3<f64>) -> SolidPoint {
        let normal = unit(normal);
        SolidPoint { position: self.core.support(normal.into()).into(), normal }
    }

    fn choose(&self, _: &SolidPoint, _: V3<f64>, _: V3<f64>, _: [bool; 2], _: [bool; 2]) -> [bool; 2] {
        [true; 2]
    }

    fn place(&self, position: V3<f64>, normal: V3<f64>) -> SolidPoint {
        self.follow([true; 2], position, normal)
    }

    fn follow(&self, _: [bool; 2], position: V3<f64>, normal: V3<f64>) -> SolidPoint {
        let towards = unit(normal);
        let outside = DVec3::from(position + towards * OUTSIDE);
        // The place is inside where the position was far from the surface; not a number after a singular system.
        if !outside.is_finite() {
            return self.with_normal(normal);
        }
        let foot = self.core.footing(outside);
        if foot.distance < 1e-3 * OUTSIDE {
            return self.with_normal(normal);
        }
        SolidPoint { position: foot.point.into(), normal: foot.normal.into() }
    }

    fn curvature(&self, at: &SolidPoint) -> Curvature<f64> {
        let Bend { radii, directions } = self.core.bend(at.position.into(), at.normal.into());
        let [alpha, beta] = radii.map(|radius| radius.min(FLAT));
        let [t, b] = directions.map(V3::from);
        Curvature { alpha, t, beta, b }
    }

    fn position(at: &SolidPoint) -> V3<f64> {
        at.position
    }

    fn normal(at: &SolidPoint) -> V3<f64> {
        at.normal
    }

    fn select(mask: bool, yes: &SolidPoint, no: &SolidPoint) -> SolidPoint {
        if mask { *yes } else { *no }
    }

    fn radii_sq(&self) -> V3<f64> {
        let [x, y, z] = match self.core {
            Core::Segment { half_height } => [0.0, 0.0, half_height],
            Core::Cuboid { half_extents } => half_extents,
            Core::Frustum { radii: [bottom, top], half_height } => {
                let radius = bottom.max(top);
                [radius, radius, half_height]
            }
        };
        V3::new(x * x, y * y, z * z)
    }

    fn support_value(&self, _: &SolidPoint, normal: V3<f64>, _: f64) -> f64 {
        DVec3::from(normal).dot(self.core.support(normal.into()))
    }

    fn support_bound(&self, near: &SolidPoint, normal: V3<f64>) -> f64 {
        self.support_value(near, normal, 0.0)
    }

    fn reach(&self) -> f64 {
        self.core.reach() * (1.0 + 4.0 * f64::EPSILON)
    }

    fn within(&self, point: V3<f64>) -> V3<f64> {
        self.core.project(point.into()).into()
    }

    fn contains(&self, point: V3<f64>) -> bool {
        self.core.footing(point.into()).distance < 0.0
    }

    fn is_faceted(&self) -> bool {
        true
    }

    fn is_polytope(&self) -> bool {
        matches!(self.core, Core::Cuboid { .. })
    }

    fn level_edges(&self, normal: V3<f64>, slope: f64) -> [V3<f64>; 2] {
        // Each edge leads inwards from the farthest corner.
        let inwards = |axis: DVec3| V3::from(-axis * axis.dot(normal.into()).signum());
        level_directions(DVec3::AXES.into_iter().map(inwards), normal, slope)
    }
}

impl Project for Solid {
    fn nearest(&self, x: V3<f64>) -> Option<(V3<f64>, Curvature<f64>)> {
        let foot = self.core.footing(x.into());
        let at = SolidPoint { position: foot.point.into(), normal: foot.normal.into() };
        (foot.distance > 0.0).then(|| (at.position, self.curvature(&at)))
    }
}
