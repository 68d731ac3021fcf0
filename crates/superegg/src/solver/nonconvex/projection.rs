//! Convex bodies by their nearest points: what a surface that bends inwards is led towards.
//!
//! The squared distance to a convex body is differentiable, with second derivatives `I - DP` where P is the nearest point: along a
//! principal direction with the radius of curvature r, at the distance d, P follows by `r/(r + d)`, all of the way along a flat face or an edge and
//! not at all at a corner.

use crate::solver::body::Project;
use crate::solver::body::simplex::Simplex;
use crate::solver::pair::placement::Placement;
use crate::solver::simd::V3;

/// A convex body with its place, in a's frame.
pub(crate) trait Projection {
    /// The nearest point to a point; `None` for one inside.
    fn nearest(&self, x: V3<f64>) -> Option<Projected>;
}

/// The nearest point of a body.
#[derive(Clone, Copy)]
pub(crate) struct Projected {
    pub point: V3<f64>,
    /// Unit vectors, and the part of a motion along each that the nearest point follows.
    follows: [(V3<f64>, f64); 2],
}

impl Projected {
    /// What a motion changes of the way to the nearest point.
    pub fn across(&self, motion: V3<f64>) -> V3<f64> {
        self.follows.iter().fold(motion, |left, (along, part)| left - *along * (part * motion.dot(*along)))
    }
}

/// A simplex about its mean.
pub(crate) struct PlacedSimplex<'a> {
    pub simplex: &'a Simplex,
    pub centre: V3<f64>,
}

impl Projection for PlacedSimplex<'_> {
    fn nearest(&self, x: V3<f64>) -> Option<Projected> {
        let (nearest, feature) = self.simplex.closest(x - self.centre);
        let follows = self.simplex.tangents(feature).map(|along| (along, 1.0));
        Some(Projected { point: nearest + self.centre, follows })
    }
}

/// A body whose nearest points are known, with its place; its frame is turned as the placement tells.
pub(crate) struct PlacedBody<'a> {
    pub body: &'a dyn Project,
    pub placement: &'a Placement<f64>,
}

impl Projection for PlacedBody<'_> {
    fn nearest(&self, x: V3<f64>) -> Option<Projected> {
        let Placement { rotation, centre } = self.placement;
        let local = rotation.apply_transposed(x - *centre);
        let (nearest, curvature) = self.body.nearest(local)?;
        let distance = (local - nearest).length_sq().sqrt();
        let follows = [(curvature.alpha, curvature.t), (curvature.beta, curvature.b)]
            .map(|(radius, along)| (rotation.apply(along), radius / (radius + distance).max(1e-300)));
        Some(Projected { point: *centre + rotation.apply(nearest), follows })
    }
}
