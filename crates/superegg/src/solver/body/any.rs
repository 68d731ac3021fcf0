//! One body for all kinds that have an inside: which one it is, is found out at every call.
//!
//! The solver is one inlined function for each pair of kinds of body. For the pairs that most queries are about that is what makes them
//! quick; for all others, and for the methods that few pairs come to, it would only make the program larger. They share one copy.

use crate::solver::body::Body;
use crate::solver::body::solid::{Solid, SolidPoint};
use crate::solver::body::superquadric::{Curvature, Superquadric, SurfacePoint};
use crate::solver::body::supported::{Supported, SupportedPoint};
use crate::solver::pair::placement::Oriented;
use crate::solver::simd::V3;

/// A body with an inside. Its answers are the same bits as those of the body itself, unless two superellipsoids meet, whose solver
/// makes use of what superellipsoids alone can do.
#[derive(Clone, Copy)]
pub(crate) enum AnyBody<'a> {
    Solid(Solid),
    Supported(Supported<'a>),
    Superellipsoid(Superquadric<f64, false>),
    Superovoid(Superquadric<f64, true>),
}

/// A point of one.
#[derive(Clone, Copy)]
pub(crate) enum AnyPoint {
    Solid(SolidPoint),
    Supported(SupportedPoint),
    Superquadric(SurfacePoint<f64>),
}

impl From<Superquadric<f64, false>> for AnyBody<'_> {
    fn from(superellipsoid: Superquadric<f64, false>) -> Self {
        AnyBody::Superellipsoid(superellipsoid)
    }
}

impl From<Superquadric<f64, true>> for AnyBody<'_> {
    fn from(superovoid: Superquadric<f64, true>) -> Self {
        AnyBody::Superovoid(superovoid)
    }
}

impl AnyBody<'_> {
    /// Whether it is symmetric about its origin.
    pub fn is_symmetric(&self) -> bool {
        match self {
            AnyBody::Solid(solid) => solid.is_symmetric(),
            AnyBody::Superellipsoid(_) => true,
            AnyBody::Supported(_) | AnyBody::Superovoid(_) => false,
        }
    }
}

/// Calls a method of the body itself that gives a point.
macro_rules! point {
    ($any:expr, $body:ident => $point:expr) => {
        match $any {
            AnyBody::Solid($body) => AnyPoint::Solid($point),
            AnyBody::Supported($body) => AnyPoint::Supported($point),
            AnyBody::Superellipsoid($body) => AnyPoint::Superquadric($point),
            AnyBody::Superovoid($body) => AnyPoint::Superquadric($point),
        }
    };
}

/// Calls a method of the body itself.
macro_rules! of_body {
    ($any:expr, $body:ident => $value:expr) => {
        match $any {
            AnyBody::Solid($body) => $value,
            AnyBody::Supported($body) => $value,
            AnyBody::Superellipsoid($body) => $value,
            AnyBody::Superovoid($body) => $value,
        }
    };
}

/// Calls a method of the body itself with a point of its own.
macro_rules! at_point {
    ($any:expr, $at:expr, ($body:ident, $point:ident) => $value:expr) => {
        match ($any, $at) {
            (AnyBody::Solid($body), AnyPoint::Solid($point)) => $value,
            (AnyBody::Supported($body), AnyPoint::Supported($point)) => $value,
            (AnyBody::Superellipsoid($body), AnyPoint::Superquadric($point)) => $value,
            (AnyBody::Superovoid($body), AnyPoint::Superquadric($point)) => $value,
            _ => unreachable!("a point of another kind of body"),
        }
    };
}

impl Oriented for AnyBody<'_> {
    const TURNED: bool = true;
}

impl Body<f64> for AnyBody<'_> {
    const SOLID: bool = true;
    const CURVED: bool = true;
    const MEETS_NORMAL: bool = false;
    type Point = AnyPoint;

    #[inline(never)]
    fn start(&self, normal: V3<f64>) -> AnyPoint {
        point!(self, body => body.start(normal))
    }

    #[inline(never)]
    fn with_normal(&self, normal: V3<f64>) -> AnyPoint {
        point!(self, body => body.with_normal(normal))
    }

    #[inline(never)]
    fn choose(
        &self,
        from: &AnyPoint,
        position: V3<f64>,
        normal: V3<f64>,
        leads: [bool; 2],
        leads_by_far: [bool; 2],
    ) -> [bool; 2] {
        at_point!(self, from, (body, from) => Body::choose(body, from, position, normal, leads, leads_by_far))
    }

    #[inline(never)]
    fn place(&self, position: V3<f64>, normal: V3<f64>) -> AnyPoint {
        point!(self, body => body.place(position, normal))
    }

    #[inline(never)]
    fn follow(&self, by_position: [bool; 2], position: V3<f64>, normal: V3<f64>) -> AnyPoint {
        point!(self, body => body.follow(by_position, position, normal))
    }

    #[inline(never)]
    fn curvature(&self, at: &AnyPoint) -> Curvature<f64> {
        at_point!(self, at, (body, at) => Body::curvature(body, at))
    }

    #[inline(always)]
    fn position(at: &AnyPoint) -> V3<f64> {
        match at {
            AnyPoint::Solid(at) => Solid::position(at),
            AnyPoint::Supported(at) => Supported::position(at),
            AnyPoint::Superquadric(at) => at.position,
        }
    }

    #[inline(always)]
    fn normal(at: &AnyPoint) -> V3<f64> {
        match at {
            AnyPoint::Solid(at) => Solid::normal(at),
            AnyPoint::Supported(at) => Supported::normal(at),
            AnyPoint::Superquadric(at) => at.normal,
        }
    }

    #[inline(always)]
    fn select(mask: bool, yes: &AnyPoint, no: &AnyPoint) -> AnyPoint {
        if mask { *yes } else { *no }
    }

    fn radii_sq(&self) -> V3<f64> {
        of_body!(self, body => body.radii_sq())
    }

    #[inline(never)]
    fn support_value(&self, near: &AnyPoint, normal: V3<f64>, slack: f64) -> f64 {
        at_point!(self, near, (body, near) => body.support_value(near, normal, slack))
    }

    #[inline(never)]
    fn support_bound(&self, near: &AnyPoint, normal: V3<f64>) -> f64 {
        at_point!(self, near, (body, near) => body.support_bound(near, normal))
    }

    fn reach(&self) -> f64 {
        of_body!(self, body => body.reach())
    }

    #[inline(never)]
    fn within(&self, point: V3<f64>) -> V3<f64> {
        of_body!(self, body => body.within(point))
    }

    #[inline(never)]
    fn contains(&self, point: V3<f64>) -> bool {
        of_body!(self, body => Body::contains(body, point))
    }

    fn is_polytope(&self) -> bool {
        of_body!(self, body => body.is_polytope())
    }

    fn is_faceted(&self) -> bool {
        of_body!(self, body => body.is_faceted())
    }

    #[inline(never)]
    fn level_edges(&self, normal: V3<f64>, slope: f64) -> [V3<f64>; 2] {
        of_body!(self, body => body.level_edges(normal, slope))
    }
}
