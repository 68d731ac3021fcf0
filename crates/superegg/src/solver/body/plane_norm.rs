//! One of the two plane norms that a superellipsoid nests, and points of its unit curve.
//!
//! A point is given by weights `W1 + W2 = 1`: scaled position `W^(e/2)`, scaled normal `W^(1-e/2)`. It is found from the
//! direction of either. Powers are taken in logarithms, so that weights far below the smallest `f64` still have exact
//! positions.

use crate::solver::simd::{Real, exp2, log2};

/// Ratios of position to normal are cut here, so that the curvature of flat faces stays finite.
pub(crate) const LARGEST_RATIO: f64 = 1e9;
/// Relative size at which a vanishing component is held; its sign is kept.
pub(crate) const SMALLEST_COMPONENT: f64 = 1e-30;
/// Keeps a division by a sum of magnitudes finite when all of them vanish.
pub(crate) const TINY: f64 = 1e-290;

/// One of the two nested norms: everything that depends on its exponent alone.
#[derive(Clone, Copy)]
pub(crate) struct Norm<R: Real> {
    pub half: R,
    root: R,
    pub per_position: R,
    pub per_normal: R,
    pub curvature: R,
    corner: R,
    pub flat: R::Mask,
}

impl<R: Real> Norm<R> {
    #[inline(always)]
    pub fn new(e: R) -> Norm<R> {
        let two = R::splat(2.0);
        let dual = two - e;
        let per_position = two / e;
        let per_normal = two / dual;
        Norm {
            half: e * R::splat(0.5),
            root: e.min(dual) * R::splat(0.5),
            per_position,
            per_normal,
            curvature: e / dual,
            // Where the slopes of position and normal by each other are equal; fitted to 10 % over all exponents.
            corner: R::splat(1.0) / (per_position.max(per_normal) + R::splat(6.0)),
            flat: e.lt(R::splat(1.0)),
        }
    }

    /// The point whose weights have the given logarithm of their ratio `W1/W2`; signs are positive.
    #[inline(always)]
    pub fn at(&self, log_ratio: R) -> Pair<R> {
        let one = R::splat(1.0);
        let first_is_larger = R::splat(0.0).lt(log_ratio);
        let below = -log_ratio.abs();
        let ratio = exp2(below);
        let sum = one + ratio;
        let larger = one / sum;
        let smaller = ratio * larger;
        let log_larger = -log2(sum);
        // The power below one half first; the other one is what is missing to the weight.
        let root_larger = exp2(self.root * log_larger);
        let root_smaller = exp2(self.root * (log_larger + below));
        let rest_larger = larger / root_larger;
        let rest_smaller = smaller / root_smaller;
        let root = [
            R::select(first_is_larger, root_larger, root_smaller),
            R::select(first_is_larger, root_smaller, root_larger),
        ];
        let rest = [
            R::select(first_is_larger, rest_larger, rest_smaller),
            R::select(first_is_larger, rest_smaller, rest_larger),
        ];
        Pair {
            position: [R::select(self.flat, root[0], rest[0]), R::select(self.flat, root[1], rest[1])],
            normal: [R::select(self.flat, rest[0], root[0]), R::select(self.flat, rest[1], root[1])],
            smaller_weight: smaller,
        }
    }

    /// The point in the direction of `position` where `by_position`, else the one with the direction of `normal`.
    #[inline(always)]
    pub fn follow(&self, by_position: R::Mask, position: [R; 2], normal: [R; 2]) -> Pair<R> {
        let target = [R::select(by_position, position[0], normal[0]), R::select(by_position, position[1], normal[1])];
        let per = R::select(by_position, self.per_position, self.per_normal);
        self.at(per * log_ratio(target)).with_signs(target)
    }

    /// Whether a step from `from` follows its target position; see [`crate::solver::body::superquadric::Superquadric::choose`].
    #[inline(always)]
    pub fn follows_position(
        &self,
        from: &Pair<R>,
        near_position: R::Mask,
        near_normal: R::Mask,
        leads: R::Mask,
        leads_by_far: R::Mask,
    ) -> R::Mask {
        let rounded = self.corner.lt(from.smaller_weight);
        let on_flat = !rounded | !near_normal | leads;
        let on_ridged = (rounded & near_position & leads) | leads_by_far;
        (self.flat & on_flat) | (!self.flat & on_ridged)
    }

    /// The norm of a vector of positions.
    #[inline(always)]
    pub fn length(&self, v: [R; 2]) -> R {
        let (a, b) = (v[0].abs(), v[1].abs());
        let ratio = exp2(-(self.per_position * log_ratio(v)).abs());
        a.max(b) * exp2(self.half * log2(R::splat(1.0) + ratio))
    }

    /// An upper bound of [`Norm::length`] without a power.
    #[inline(always)]
    pub fn length_at_most(&self, v: [R; 2]) -> R {
        at_most(R::splat(1.0) - (self.half + self.half), v)
    }

    /// The same for the norm of normals, which is dual to that of positions.
    #[inline(always)]
    pub fn dual_at_most(&self, v: [R; 2]) -> R {
        at_most((self.half + self.half) - R::splat(1.0), v)
    }

    /// The point with the direction of the given normal.
    #[inline(always)]
    pub fn with_normal(&self, normal: [R; 2]) -> Pair<R> {
        self.at(self.per_normal * log_ratio(normal)).with_signs(normal)
    }
}

/// At least the norm whose exponent p has the reciprocal `½ (1 - squareness)`: between ‖·‖₁ at a squareness of -1, ‖·‖₂ at zero and ‖·‖_∞ at
/// one. Norms are log-convex in 1/p, so that the mean of its neighbours among these is no smaller.
#[inline(always)]
fn at_most<R: Real>(squareness: R, v: [R; 2]) -> R {
    let (zero, one) = (R::splat(0.0), R::splat(1.0));
    let (a, b) = (v[0].abs(), v[1].abs());
    let round = a.mul_add(a, b * b).sqrt();
    let beside = R::select(squareness.lt(zero), a + b, a.max(b));
    let part = squareness.abs();
    beside.mul_add(part, round * (one - part))
}

/// `log2(|v0| / |v1|)`, finite for every `v`.
#[inline(always)]
pub(crate) fn log_ratio<R: Real>(v: [R; 2]) -> R {
    let (a, b) = (v[0].abs(), v[1].abs());
    let floor = (a + b).mul_add(R::splat(SMALLEST_COMPONENT), R::splat(TINY));
    log2((a + floor) / (b + floor))
}

/// A point of a plane norm's unit curve: scaled position and scaled normal, whose product sums to one.
#[derive(Clone, Copy)]
pub(crate) struct Pair<R> {
    pub position: [R; 2],
    pub normal: [R; 2],
    pub smaller_weight: R,
}

impl<R: Real> Pair<R> {
    #[inline(always)]
    pub fn with_signs(self, signs: [R; 2]) -> Pair<R> {
        Pair {
            position: [self.position[0].copysign(signs[0]), self.position[1].copysign(signs[1])],
            normal: [self.normal[0].copysign(signs[0]), self.normal[1].copysign(signs[1])],
            ..self
        }
    }

    #[inline(always)]
    pub fn select(mask: R::Mask, yes: Pair<R>, no: Pair<R>) -> Pair<R> {
        let (x, n) = ((yes.position, no.position), (yes.normal, no.normal));
        Pair {
            position: [R::select(mask, x.0[0], x.1[0]), R::select(mask, x.0[1], x.1[1])],
            normal: [R::select(mask, n.0[0], n.1[0]), R::select(mask, n.0[1], n.1[1])],
            smaller_weight: R::select(mask, yes.smaller_weight, no.smaller_weight),
        }
    }

    /// Position over normal, cut where a face is flat.
    #[inline(always)]
    pub fn ratio(&self, index: usize) -> R {
        let position = self.position[index].abs();
        let normal = self.normal[index].abs();
        position / normal.max(position * R::splat(1.0 / LARGEST_RATIO)).max(R::splat(TINY))
    }
}
