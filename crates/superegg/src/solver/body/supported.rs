//! Bodies known by their support points, as bodies of the solver: hulls of points, and what a caller brings along.
//!
//! A hull moves as boxes and frustums do (see [`solid`](crate::solver::body::solid)): a point and a normal are found together, as the
//! nearest point to a place outside, here by an inner search over its corners. Any other body follows the normal alone: its
//! support point there, and how that moves as the normal turns, by a closed form of its own or by differences.

use glam::DVec3;

use crate::shape::{Bend, Custom, Hull, Nearest};
use crate::solver::body::solid::{FLAT, OUTSIDE};
use crate::solver::body::superquadric::Curvature;
use crate::solver::body::{Body, Project, level_directions};
use crate::solver::pair::placement::{Oriented, unit};
use crate::solver::simd::V3;

/// Excess of a nearest point, as a part of the reach, beyond which it is no support point along its normal.
const ON_SURFACE: f64 = 8.0 * f64::EPSILON;
/// Turn of the normal, in radians, by which differences of support points are taken: errors of a support point are multiplied by
/// its inverse, the third derivative by its square.
const TURN: f64 = 1e-5;

/// What support points come from.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Hull(&'a Hull),
    Custom(&'a Custom),
}

impl Source<'_> {
    /// Where the solver's frame has its origin.
    pub fn centre(&self) -> DVec3 {
        match self {
            Source::Hull(hull) => hull.centre(),
            Source::Custom(custom) => custom.body().centre(),
        }
    }

    /// Radius of a ball about the centre that holds the body without its rounding.
    pub fn reach(&self) -> f64 {
        match self {
            Source::Hull(hull) => hull.sharp_reach(),
            Source::Custom(custom) => custom.body().reach(),
        }
    }

    /// What support points and values may be off by, in metres, beside the rounding of a few products.
    pub fn support_error(&self) -> f64 {
        match self {
            Source::Hull(hull) => hull.support_error(),
            Source::Custom(custom) => custom.body().support_error(),
        }
    }
}

/// A body in units of the pair's size, about its centre.
#[derive(Clone, Copy)]
pub(crate) struct Supported<'a> {
    source: Source<'a>,
    size: f64,
    per_size: f64,
}

/// A point of the surface with an outward normal, and for a hull the edges that span its feature.
#[derive(Clone, Copy)]
pub(crate) struct SupportedPoint {
    position: V3<f64>,
    normal: V3<f64>,
    edges: [V3<f64>; 2],
}

const NO_EDGES: [V3<f64>; 2] = [V3 { x: 0.0, y: 0.0, z: 0.0 }; 2];

impl<'a> Supported<'a> {
    pub fn new(source: Source<'a>, size: f64) -> Supported<'a> {
        Supported { source, size, per_size: 1.0 / size }
    }

    /// The support point along a unit vector; `None` where a caller's function fails.
    fn support_if_finite(&self, unit: DVec3) -> Option<V3<f64>> {
        let point = match self.source {
            Source::Hull(hull) => hull.farthest_about_centre(unit),
            Source::Custom(custom) => custom.body().support(unit) - custom.body().centre(),
        };
        point.is_finite().then(|| (point * self.per_size).into())
    }

    /// The same; the centre, which is a point of the body too, where it fails.
    fn support(&self, unit: DVec3) -> V3<f64> {
        self.support_if_finite(unit).unwrap_or(V3::splat(0.0))
    }

    /// A hull's point that is nearest to a place outside; `None` inside, and where rounding ended the search too early.
    fn foot(&self, hull: &Hull, place: V3<f64>, towards: V3<f64>) -> Option<SupportedPoint> {
        let nearest = hull.nearest_about_centre(DVec3::from(place) * self.size, towards.into())?;
        (nearest.excess <= ON_SURFACE * hull.sharp_reach()).then(|| self.at_nearest(&nearest))
    }

    /// A nearest point of a hull with the edges of its feature.
    fn at_nearest(&self, nearest: &Nearest) -> SupportedPoint {
        let corner = |index: usize| nearest.corners.get(index).map(|corner| *corner - nearest.corners[0]);
        let first = corner(1).unwrap_or(DVec3::ZERO).normalize_or_zero();
        let second = corner(2).map_or(DVec3::ZERO, |edge| edge.reject_from(first).normalize_or_zero());
        SupportedPoint {
            position: (nearest.point * self.per_size).into(),
            normal: nearest.normal.into(),
            edges: [first.into(), second.into()],
        }
    }

    /// How the support point moves as the normal turns, by differences.
    fn bend_by_differences(&self, normal: DVec3) -> Bend {
        let (u, v) = normal.any_orthonormal_pair();
        let moved = |turn: DVec3| -> DVec3 {
            let at = |normal: DVec3| DVec3::from(self.support(normal.normalize()));
            (at(normal + turn * TURN) - at(normal - turn * TURN)) / (2.0 * TURN)
        };
        let (by_u, by_v) = (moved(u), moved(v));
        let (uu, vv, uv) = (u.dot(by_u), v.dot(by_v), 0.5 * (u.dot(by_v) + v.dot(by_u)));
        // Eigenvalues and vectors of a symmetric 2 by 2 matrix.
        let angle = 0.5 * (2.0 * uv).atan2(uu - vv);
        let (sin, cos) = angle.sin_cos();
        let (mean, spread) = (0.5 * (uu + vv), (0.5 * (uu - vv)).hypot(uv));
        Bend { radii: [mean + spread, mean - spread], directions: [u * cos + v * sin, v * cos - u * sin] }
    }
}

impl Oriented for Supported<'_> {
    const TURNED: bool = true;
}

impl Body<f64> for Supported<'_> {
    const SOLID: bool = true;
    const CURVED: bool = true;
    const MEETS_NORMAL: bool = false;
    type Point = SupportedPoint;

    fn start(&self, normal: V3<f64>) -> SupportedPoint {
        self.with_normal(normal)
    }

    fn with_normal(&self, normal: V3<f64>) -> SupportedPoint {
        let normal = unit(normal);
        // Not a number after a singular system.
        let normal = if normal.length_sq() > 0.5 { normal } else { V3::new(1.0, 0.0, 0.0) };
        SupportedPoint { position: self.support(normal.into()), normal, edges: NO_EDGES }
    }

    fn choose(&self, _: &SupportedPoint, _: V3<f64>, _: V3<f64>, _: [bool; 2], _: [bool; 2]) -> [bool; 2] {
        [matches!(self.source, Source::Hull(_)); 2]
    }

    fn place(&self, position: V3<f64>, normal: V3<f64>) -> SupportedPoint {
        self.follow([true; 2], position, normal)
    }

    fn follow(&self, _: [bool; 2], position: V3<f64>, normal: V3<f64>) -> SupportedPoint {
        let Source::Hull(hull) = self.source else { return self.with_normal(normal) };
        let towards = unit(normal);
        let outside = position + towards * OUTSIDE;
        let foot = DVec3::from(outside).is_finite().then(|| self.foot(hull, outside, towards)).flatten();
        foot.filter(|foot| (outside - foot.position).length_sq() > (1e-3 * OUTSIDE) * (1e-3 * OUTSIDE))
            .unwrap_or_else(|| self.with_normal(normal))
    }

    fn curvature(&self, at: &SupportedPoint) -> Curvature<f64> {
        let Source::Custom(custom) = self.source else {
            let [t, b] = at.edges;
            return Curvature { alpha: FLAT * t.length_sq(), t, beta: FLAT * b.length_sq(), b };
        };
        let normal = DVec3::from(at.normal);
        let own = custom.body().bend(normal).map(|bend| Bend { radii: bend.radii.map(|r| r * self.per_size), ..bend });
        let Bend { radii, directions } = own.unwrap_or_else(|| self.bend_by_differences(normal));
        let [alpha, beta] = radii.map(|radius| if radius > 0.0 { radius.min(FLAT) } else { 0.0 });
        let [t, b] = directions.map(V3::from);
        Curvature { alpha, t, beta, b }
    }

    fn position(at: &SupportedPoint) -> V3<f64> {
        at.position
    }

    fn normal(at: &SupportedPoint) -> V3<f64> {
        at.normal
    }

    fn select(mask: bool, yes: &SupportedPoint, no: &SupportedPoint) -> SupportedPoint {
        if mask { *yes } else { *no }
    }

    fn radii_sq(&self) -> V3<f64> {
        let half = match self.source {
            Source::Hull(hull) => hull.half_extents(),
            Source::Custom(custom) => DVec3::splat(custom.body().reach()),
        };
        let scaled = half * self.per_size;
        (scaled * scaled).into()
    }

    /// A support function that fails counts as reaching as far as the body may: the bound stays one.
    fn support_value(&self, _: &SupportedPoint, normal: V3<f64>, _: f64) -> f64 {
        let point = self.support_if_finite(DVec3::from(normal).normalize_or(DVec3::X));
        point.map_or_else(|| self.reach() * normal.length_sq().sqrt(), |point| point.dot(normal))
    }

    fn support_bound(&self, near: &SupportedPoint, normal: V3<f64>) -> f64 {
        self.support_value(near, normal, 0.0)
    }

    fn reach(&self) -> f64 {
        self.source.reach() * self.per_size * (1.0 + 4.0 * f64::EPSILON)
    }

    fn within(&self, point: V3<f64>) -> V3<f64> {
        let Source::Hull(hull) = self.source else { return point };
        self.foot(hull, point, point).map_or(point, |foot| foot.position)
    }

    fn contains(&self, point: V3<f64>) -> bool {
        let point = DVec3::from(point) * self.size;
        match self.source {
            Source::Hull(hull) => hull.nearest_about_centre(point, point).is_none(),
            Source::Custom(custom) => custom.nearest_about_centre(point).is_none(),
        }
    }

    fn is_faceted(&self) -> bool {
        true
    }

    fn is_polytope(&self) -> bool {
        matches!(self.source, Source::Hull(_))
    }

    fn level_edges(&self, normal: V3<f64>, slope: f64) -> [V3<f64>; 2] {
        let Source::Hull(hull) = self.source else { return NO_EDGES };
        level_directions(hull.edges_at_farthest(normal.into()).map(V3::from), normal, slope)
    }
}

impl Project for Supported<'_> {
    fn nearest(&self, x: V3<f64>) -> Option<(V3<f64>, Curvature<f64>)> {
        let place = DVec3::from(x) * self.size;
        let at = match self.source {
            Source::Hull(hull) => self.at_nearest(&hull.nearest_about_centre(place, place)?),
            Source::Custom(custom) => {
                let nearest = custom.nearest_about_centre(place)?;
                let position = (nearest.point * self.per_size).into();
                SupportedPoint { position, normal: nearest.normal.into(), edges: NO_EDGES }
            }
        };
        Some((at.position, self.curvature(&at)))
    }
}
