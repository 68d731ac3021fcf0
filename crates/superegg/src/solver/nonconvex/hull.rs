//! The convex hulls of bodies: support points, and upper bounds of the support function that hold.
//!
//! A plane that no point of the hull lies beyond is one that no point of the body lies beyond, and the other way round. So the
//! hulls' dual bound `L(n) = n·c - h_a(n) - h_b(-n)` is a lower bound of the distance of the bodies, convex or not, and where
//! two points of the true surfaces are no farther apart, it is the distance.

use crate::shape::{BandRings, Height, Profile};
use crate::solver::body::Body;
use crate::solver::body::any::AnyBody;
use crate::solver::body::simplex::Simplex;
use crate::solver::body::superquadric::Superquadric;
use crate::solver::convex::scaled;
use crate::solver::nonconvex::touching::Bands;
use crate::solver::pair::placement::{Oriented, Placement};
use crate::solver::params::Params;
use crate::solver::simd::V3;

/// A point of a body on the supporting plane of its hull.
#[derive(Clone, Copy)]
pub(crate) struct Supported {
    pub point: V3<f64>,
    /// A point about as high on the other rim of a hollow, if there may be one.
    pub across: Option<V3<f64>>,
    /// No point of the body is farther along the normal.
    pub bound: f64,
}

/// A body by its convex hull.
pub(crate) trait Hull: Oriented {
    /// The farthest point along a unit normal of the body's frame, looked for first near a point of the hull. The bound exceeds
    /// its height by no more than about `slack` where that can be had, or by a small part of how much higher it is than the
    /// point given.
    fn highest(&self, normal: V3<f64>, near: V3<f64>, slack: f64) -> Supported;

    /// The bound alone, with the point that it was looked for near.
    fn bound(&self, normal: V3<f64>, near: V3<f64>, slack: f64) -> Supported {
        self.highest(normal, near, slack)
    }
}

impl Hull for Simplex {
    fn highest(&self, normal: V3<f64>, _: V3<f64>, _: f64) -> Supported {
        highest_of_convex(self, normal)
    }
}

/// A convex body with a support point for every normal.
fn highest_of_convex<B: Body<f64>>(body: &B, normal: V3<f64>) -> Supported {
    let at = body.with_normal(normal);
    Supported { point: B::position(&at), across: None, bound: body.support_value(&at, normal, 0.0) }
}

impl Hull for AnyBody<'_> {
    fn highest(&self, normal: V3<f64>, _: V3<f64>, _: f64) -> Supported {
        highest_of_convex(self, normal)
    }
}

/// The hull of a superovoid.
#[derive(Clone, Copy)]
pub(crate) struct SuperquadricHull {
    pub body: Superquadric<f64, true>,
    exponents: [f64; 2],
    /// None where the body is its own hull.
    rings: Option<BandRings>,
}

impl SuperquadricHull {
    /// In units of the pair's size.
    pub fn new(params: &Params, size: f64) -> SuperquadricHull {
        let rings = BandRings::new(&params.band, params.exponents[1]);
        SuperquadricHull { body: scaled(params, size), exponents: params.exponents, rings }
    }

    /// Where it bends inwards, unless that reaches a pole.
    pub fn bands(&self) -> Option<Bands<f64>> {
        Bands::new(self.rings.as_ref())
    }

    fn highest_of_nonconvex(&self, rings: &BandRings, normal: V3<f64>, near: V3<f64>, slack: f64) -> Supported {
        let radii = self.body.radii;
        let n = normal.times(radii);
        let planar = [n.x.abs(), n.y.abs()];
        if planar == [0.0, 0.0] {
            let point = V3::new(0.0, 0.0, radii.z.copysign(n.z));
            return Supported { point, across: None, bound: n.z.abs() };
        }
        let [tx, ty] = self.body.taper;
        let profile = Profile { exponents: self.exponents, taper: [tx, ty], planar, axial: n.z };
        let found = profile.highest(rings, Some(near.z / radii.z), near.dot(normal), slack);
        let place = |height: &Height| {
            let (s, [x, y]) = (height.s, height.section.map(|part| part * height.radius));
            let point = V3::new((x * (1.0 + tx * s)).copysign(n.x), (y * (1.0 + ty * s)).copysign(n.y), s);
            point.times(radii)
        };
        Supported { point: place(&found.height), across: Some(place(&found.across)), bound: found.bound }
    }
}

impl Oriented for SuperquadricHull {
    const TURNED: bool = true;
}

impl Hull for SuperquadricHull {
    fn highest(&self, normal: V3<f64>, near: V3<f64>, slack: f64) -> Supported {
        if let Some(rings) = &self.rings {
            return self.highest_of_nonconvex(rings, normal, near, slack);
        }
        if self.body.taper == [0.0; 2] {
            let point = self.body.with_untapered_normal(normal).position;
            return Supported { point, across: None, bound: point.dot(normal) };
        }
        let at = self.body.with_tapered_normal(normal);
        Supported { point: at.position, across: None, bound: self.body.support_value(&at, normal, slack) }
    }

    /// A convex body's bound needs no support point.
    fn bound(&self, normal: V3<f64>, near: V3<f64>, slack: f64) -> Supported {
        if self.rings.is_some() || self.body.taper == [0.0; 2] {
            return self.highest(normal, near, slack);
        }
        let at = self.body.place(near, normal);
        Supported { point: at.position, across: None, bound: self.body.support_value(&at, normal, slack) }
    }
}

/// What the hulls prove along a normal.
#[derive(Clone, Copy)]
pub(crate) struct Proof {
    /// No two points of the bodies are closer along it.
    pub gap: f64,
    /// Unit, in a's frame.
    pub normal: V3<f64>,
    /// In their own frames.
    pub on_a: Supported,
    pub on_b: Supported,
}

/// How far two hulls are apart along a unit normal of a's frame. The points are where the support is expected, in a's frame.
pub(crate) fn prove<A: Hull, B: Hull>(
    (a, b): (&A, &B),
    placement: &Placement<f64>,
    normal: V3<f64>,
    (x_a, x_b): (V3<f64>, V3<f64>),
    slack: f64,
) -> Proof {
    let in_b = -placement.a_to_b::<B>(normal);
    let near_b = placement.a_to_b::<B>(x_b - placement.centre);
    let (on_a, on_b) = (a.bound(normal, x_a, slack), b.bound(in_b, near_b, slack));
    Proof { gap: normal.dot(placement.centre) - on_a.bound - on_b.bound, normal, on_a, on_b }
}
