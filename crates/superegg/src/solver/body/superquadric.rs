//! Points of the graph "position ↔ normal" of superellipsoids and superovoids, and steps along it.
//!
//! A superellipsoid nests two plane norms (see [`crate::solver::body::plane_norm`]): x and y with exponent e1, then their radius and z with
//! e2. Where the position hardly changes with the normal (a rounded corner) the normal says where we are; where the
//! normal hardly changes with the position (a flat face) the position does. A step therefore comes with a target for
//! both, and each level follows the target that is well conditioned at the point it leaves.
//!
//! The curvature of the support function is a sum of two squares, one a level, without cancellation:
//! `H = α t tᵀ + β b bᵀ`. A taper only adds to `β` and shears `b`.

use crate::solver::body::plane_norm::{LARGEST_RATIO, Norm, Pair, SMALLEST_COMPONENT, TINY, log_ratio};
use crate::solver::simd::{Mask, Real, V3, exp2, log2};

/// Steps up to this part of the present value are near enough for the less robust of the two targets.
const NEAR: f64 = 0.5;
/// A position or normal below this part of its partner says nothing of the direction around a pole.
const SMALL_PART: f64 = 1e-2;
/// Most rounds of the 1-D search for the support point of a tapered body.
const SUPPORT_ROUNDS: u32 = 60;
/// Change of a slope, as a part of itself, at which it has settled to rounding.
const SAME_SLOPE: f64 = 1e-15;
/// Slopes beyond this or below its inverse, next to a pole or to the equator, are no guess for others.
const STEEP: f64 = 1e3;

/// A superellipsoid (`TAPERED = false`) or superovoid, prepared for the solver.
#[derive(Clone, Copy)]
pub(crate) struct Superquadric<R: Real, const TAPERED: bool> {
    pub radii: V3<R>,
    inverse_radii: V3<R>,
    pub taper: [R; 2],
    inner: Norm<R>,
    outer: Norm<R>,
}

/// A point of the surface, with its normal and where it stands on both norms.
#[derive(Clone, Copy)]
pub(crate) struct SurfacePoint<R> {
    inner: Pair<R>,
    outer: Pair<R>,
    /// Position in the body's frame.
    pub position: V3<R>,
    /// Unit outward normal in the body's frame.
    pub normal: V3<R>,
    /// Length of the normal before it was made unit: the reciprocal of the support value for an untapered body.
    normal_length: R,
}

/// Second derivative of the support function: `alpha t tᵀ + beta b bᵀ`.
#[derive(Clone, Copy)]
pub(crate) struct Curvature<R> {
    pub alpha: R,
    pub t: V3<R>,
    pub beta: R,
    pub b: V3<R>,
}

impl<R: Real> SurfacePoint<R> {
    /// Slope of the outer norm, axial over radial: zero at the equator, infinite (held finite) at a pole.
    #[inline(always)]
    pub fn slope(&self) -> R {
        self.outer.normal[1] / self.outer.normal[0].max(R::splat(TINY))
    }

    #[inline(always)]
    pub fn select(mask: R::Mask, yes: &SurfacePoint<R>, no: &SurfacePoint<R>) -> SurfacePoint<R> {
        // One branch instead of one for every number; all that a single query ever needs.
        if let Some(all) = mask.unanimous() {
            return if all { *yes } else { *no };
        }
        SurfacePoint {
            inner: Pair::select(mask, yes.inner, no.inner),
            outer: Pair::select(mask, yes.outer, no.outer),
            position: V3::select(mask, yes.position, no.position),
            normal: V3::select(mask, yes.normal, no.normal),
            normal_length: R::select(mask, yes.normal_length, no.normal_length),
        }
    }
}

impl<R: Real> Curvature<R> {
    /// Sum of the two principal radii.
    #[inline(always)]
    pub fn trace(&self) -> R {
        self.alpha * self.t.length_sq() + self.beta * self.b.length_sq()
    }

    /// Product of the two principal radii.
    #[inline(always)]
    pub fn minors(&self) -> R {
        self.alpha * self.beta * self.t.cross(self.b).length_sq()
    }

    /// The change of position that belongs to a change of normal.
    #[inline(always)]
    pub fn apply(&self, v: V3<R>) -> V3<R> {
        self.t.mul_add(self.alpha * self.t.dot(v), self.b * (self.beta * self.b.dot(v)))
    }
}

impl<R: Real, const TAPERED: bool> Superquadric<R, TAPERED> {
    #[inline(always)]
    pub fn new(radii: V3<R>, exponents: [R; 2], taper: [R; 2]) -> Superquadric<R, TAPERED> {
        let one = R::splat(1.0);
        let inverse_radii = V3::new(one / radii.x, one / radii.y, one / radii.z);
        Superquadric { radii, inverse_radii, taper, inner: Norm::new(exponents[0]), outer: Norm::new(exponents[1]) }
    }

    /// The same numbers in every lane.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    pub fn spread<S: Real>(&self) -> Superquadric<S, TAPERED>
    where
        R: Into<f64>,
    {
        let splat = |v: R| S::splat(v.into());
        Superquadric::new(self.radii.spread(), self.exponents().map(splat), self.taper.map(splat))
    }

    /// The same body as one that may be tapered.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    pub fn as_tapered(&self) -> Superquadric<R, true> {
        let Superquadric { radii, inverse_radii, taper, inner, outer } = *self;
        Superquadric { radii, inverse_radii, taper, inner, outer }
    }

    /// The exponents e1 and e2.
    #[inline(always)]
    pub fn exponents(&self) -> [R; 2] {
        [self.inner.half + self.inner.half, self.outer.half + self.outer.half]
    }

    /// Radius of a ball that the body is the sum of with another convex body, where that is known: the least curvature
    /// radius of an ellipsoid (Blaschke's rolling theorem), zero for all others.
    #[inline(always)]
    pub fn round_part(&self) -> R
    where
        R: Into<f64>,
    {
        if TAPERED || self.exponents().map(Into::into) != [1.0; 2] {
            return R::splat(0.0);
        }
        let V3 { x, y, z } = self.radii;
        let (smallest, largest) = (x.min(y).min(z), x.max(y).max(z));
        // A little less, for rounding.
        R::splat(1.0 - 1e-15) * smallest * smallest / largest
    }

    /// No two points of the body are farther apart than this.
    #[inline(always)]
    pub fn extent(&self) -> R {
        let one = R::splat(1.0);
        let stretch = one + self.taper[0].abs().max(self.taper[1].abs());
        let widest = V3::new(self.radii.x * stretch, self.radii.y * stretch, self.radii.z);
        R::splat(2.0) * widest.length_sq().sqrt()
    }

    #[inline(always)]
    fn stretch(&self, z: R) -> [R; 2] {
        let one = R::splat(1.0);
        [self.taper[0].mul_add(z, one), self.taper[1].mul_add(z, one)]
    }

    /// Support M of the section at a height (as a part of the third radius) before it shrinks towards the poles, for a normal times the
    /// radii; its derivative by the height; and the part of M that is along x.
    #[inline(always)]
    pub fn width_at(&self, n: V3<R>, height: R) -> [R; 3] {
        let f = self.stretch(height);
        let radial = [n.x * f[0], n.y * f[1]];
        let [x, y] = self.inner.with_normal(radial).position;
        let by_height = x.mul_add(self.taper[0] * n.x, y * (self.taper[1] * n.y));
        let along_x = x * radial[0];
        let width = y.mul_add(radial[1], along_x);
        [width, by_height, along_x / width.max(R::splat(TINY))]
    }

    /// Radius of the section at a height between equator and pole, the slope of the radius there, and the height to the power 2/e2.
    #[inline(always)]
    pub fn ring_at(&self, height: R) -> [R; 3] {
        let one = R::splat(1.0);
        let power = exp2(self.outer.per_position * log2(height));
        let pole = one - power;
        let radius = exp2(self.outer.half * log2(pole));
        [radius, -(power * radius) / (height * pole), power]
    }

    /// The lesser of the factors by which the taper stretches a section at most as far from the middle as a point's.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    pub fn least_stretch(&self, point: V3<R>) -> R {
        R::splat(1.0) - self.taper[0].abs().max(self.taper[1].abs()) * (point.z * self.inverse_radii.z).abs()
    }

    /// The surface point whose weights are those of the ellipsoid with the same radii at the given normal.
    #[inline(always)]
    pub fn start(&self, normal: V3<R>) -> SurfacePoint<R> {
        let n = normal.times(self.radii);
        let two = R::splat(2.0);
        let inner = self.inner.at(two * log_ratio([n.x, n.y])).with_signs([n.x, n.y]);
        let radius = n.x.mul_add(n.x, n.y * n.y).sqrt();
        let outer = self.outer.at(two * log_ratio([radius, n.z])).with_signs([radius, n.z]);
        self.surface_point(inner, outer)
    }

    /// The surface point whose weights belong to the given normal (of any length) of the untapered body.
    #[inline(always)]
    pub fn with_untapered_normal(&self, normal: V3<R>) -> SurfacePoint<R> {
        let n = normal.times(self.radii);
        let inner = self.inner.with_normal([n.x, n.y]);
        let radial = inner.position[0].mul_add(n.x, inner.position[1] * n.y);
        let outer = self.outer.with_normal([radial, n.z]);
        self.surface_point(inner, outer)
    }

    /// The surface point with the given normal (of any length) of a tapered body.
    #[inline(always)]
    pub fn with_tapered_normal(&self, normal: V3<R>) -> SurfacePoint<R> {
        self.near_tapered_normal(normal, R::splat(f64::NAN), SAME_SLOPE)
    }

    /// A surface point of a tapered body whose normal is about the given one (of any length): its slope is right to about the
    /// square of `precision`, as a part of itself. `guess` is the slope of a point nearby, or not a number.
    ///
    /// A 1-D problem in the height z: with `g` the radial support at that height and `κ = ν_z/ν_r` the slope of the
    /// outer norm, `κ g = a3 n3 + ρ g'`, whose left side grows with z and whose right side falls where the body is
    /// convex. Newton's method on κ where its own side of the equation changes faster, else on z; kept within a bracket
    /// of κ.
    #[inline(always)]
    pub fn near_tapered_normal(&self, normal: V3<R>, guess: R, precision: f64) -> SurfacePoint<R> {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let n = normal.times(self.radii);
        let change = [self.taper[0] * n.x, self.taper[1] * n.y];
        let outer_norm = &self.outer;
        let position_to_normal = outer_norm.per_position / outer_norm.per_normal;
        let floor = R::splat(TINY);
        let (mut low, mut high) = (-(one / floor), one / floor);
        let known = guess.abs().lt(R::splat(STEEP)) & R::splat(1.0 / STEEP).lt(guess.abs());
        let mut y = guess;
        if (!known).any() {
            let first = self.with_untapered_normal(normal).slope();
            y = R::select(known, guess, first.max(low).min(high));
        }
        let mut last_excess = R::splat(f64::MAX);
        let mut inner;
        let mut outer;
        let mut rounds = 0;
        loop {
            outer = outer_norm.at(-(outer_norm.per_normal * log2(y.abs().max(floor)))).with_signs([one, y]);
            let (rho, z) = (outer.position[0], outer.position[1]);
            let f = self.stretch(z);
            let radial = [n.x * f[0], n.y * f[1]];
            inner = self.inner.with_normal(radial);
            rounds += 1;
            if rounds == SUPPORT_ROUNDS {
                break;
            }
            let g = inner.position[0].mul_add(radial[0], inner.position[1] * radial[1]);
            // A normal along the axis has no radial part; held as small as vanishing components are elsewhere.
            let g = g.max(n.z.abs() * R::splat(SMALLEST_COMPONENT));
            let g1 = inner.position[0].mul_add(change[0], inner.position[1] * change[1]);
            let twist = inner.normal[0] * change[1] - inner.normal[1] * change[0];
            let bend = (inner.ratio(0) * inner.ratio(1)).min(R::splat(LARGEST_RATIO));
            let g2 = self.inner.curvature * bend * twist * twist / g.max(R::splat(TINY));
            let kappa = y;
            let excess = kappa * g - (n.z + rho * g1);
            high = R::select(zero.lt(excess), y.min(high), high);
            low = R::select(excess.lt(zero), y.max(low), low);
            // dκ/dz = κ / (k (z/ρ) ρ² ν_r) = (κ/z) / (k ρ ν_r).
            let steep = one
                / (outer.ratio(1).max(R::splat(SMALLEST_COMPONENT))
                    * outer_norm.curvature
                    * rho
                    * outer.normal[0]
                    * outer.normal[0])
                    .max(R::splat(TINY));
            let rest = (kappa + kappa) * g1 - rho * g2;
            let slope = steep * g + rest;
            let dz = -(excess / slope);
            let aside = (z + dz) / (rho - kappa * dz).max(R::splat(SMALLEST_COMPONENT));
            let by_position =
                exp2(position_to_normal * log2(aside.abs().max(R::splat(SMALLEST_COMPONENT)).min(one / floor)))
                    .copysign(aside);
            let by_normal = steep.mul_add(dz, kappa);
            let next = R::select(rest.abs().lt(steep * g) | !outer_norm.flat, by_normal, by_position);
            // Written so that a step that is not a number counts as moving, and the bracket is halved.
            let moving = !(next - y).abs().lt(y.abs().mul_add(R::splat(precision), R::splat(TINY)));
            // In a narrow bracket a little outside is fine: a root next to one end is approached from both sides. A wide
            // one is halved whenever Newton's method makes slow progress.
            let width = high - low;
            let narrow = width.lt(R::splat(1e-3) * (low.abs() + high.abs()));
            let slack = R::select(narrow, R::splat(0.25) * width, zero);
            let fast = excess.abs().lt(R::splat(0.5) * last_excess);
            last_excess = excess.abs();
            let inside = (low - slack).lt(next) & next.lt(high + slack) & (narrow | fast);
            let straddling = (low * high).lt(zero);
            let mean = (low.abs().max(floor) * high.abs().max(floor)).sqrt().copysign(low + high);
            let between = R::select(straddling, zero, mean);
            if !moving.any() {
                break;
            }
            y = R::select(moving, R::select(inside, next, between), y);
        }
        self.surface_point(inner, outer)
    }

    #[inline(always)]
    fn surface_point(&self, inner: Pair<R>, outer: Pair<R>) -> SurfacePoint<R> {
        let one = R::splat(1.0);
        let x =
            V3::new(outer.position[0] * inner.position[0], outer.position[0] * inner.position[1], outer.position[1]);
        let n = V3::new(outer.normal[0] * inner.normal[0], outer.normal[0] * inner.normal[1], outer.normal[1]);
        let (x, n) = if TAPERED {
            let f = self.stretch(x.z);
            let (n0, n1) = (n.x / f[0], n.y / f[1]);
            let shear = self.taper[0] * x.x * n0 + self.taper[1] * x.y * n1;
            (V3::new(x.x * f[0], x.y * f[1], x.z), V3::new(n0, n1, n.z - shear))
        } else {
            (x, n)
        };
        let n = n.times(self.inverse_radii);
        let normal_length = n.length_sq().sqrt();
        SurfacePoint { inner, outer, position: x.times(self.radii), normal: n * (one / normal_length), normal_length }
    }

    /// Curvature of the support function at a surface point, for unit normals.
    #[inline(always)]
    pub fn curvature(&self, at: &SurfacePoint<R>) -> Curvature<R> {
        let (inner, outer) = (&at.inner, &at.outer);
        let zero = R::splat(0.0);
        let one = R::splat(1.0);
        let cut = R::splat(LARGEST_RATIO);
        let radial_ratio = outer.ratio(0);
        let alpha = self.inner.curvature * (radial_ratio * (inner.ratio(0) * inner.ratio(1))).min(cut);
        let beta = self.outer.curvature * (radial_ratio * outer.ratio(1)).min(cut);
        let t = V3::new(-inner.normal[1], inner.normal[0], zero);
        let b =
            V3::new(-(outer.normal[1] * inner.position[0]), -(outer.normal[1] * inner.position[1]), outer.normal[0]);
        if !TAPERED {
            return Curvature {
                alpha: alpha * at.normal_length,
                t: t.times(self.radii),
                beta: beta * at.normal_length,
                b: b.times(self.radii),
            };
        }
        let z = outer.position[1];
        let f = self.stretch(z);
        let per = [self.taper[0] / f[0], self.taper[1] / f[1]];
        let radial_normal = outer.normal[0];
        let mean = per[0] * inner.position[0] * inner.normal[0] + per[1] * inner.position[1] * inner.normal[1];
        let twist = radial_normal * inner.normal[0] * inner.normal[1] * (per[1] - per[0]);
        let along_b = -(outer.normal[1] * radial_normal * mean);
        let shear = alpha * twist * radial_normal;
        // Zero where the surface is flat along b, negative where it is hollow.
        let bulge = one - beta * radial_normal * (along_b + along_b + shear * twist);
        let bulge = R::select(bulge.abs().lt(R::splat(1.0 / LARGEST_RATIO)), R::splat(1.0 / LARGEST_RATIO), bulge);
        let b = t.mul_add(shear, b);
        let radial = outer.position[0];
        let lean = [self.taper[0] * radial * inner.position[0], self.taper[1] * radial * inner.position[1]];
        let push = |v: V3<R>| {
            V3::new(f[0].mul_add(v.x, lean[0] * v.z), f[1].mul_add(v.y, lean[1] * v.z), v.z).times(self.radii)
        };
        Curvature { alpha: alpha * at.normal_length, t: push(t), beta: beta * at.normal_length / bulge, b: push(b) }
    }

    /// For each level, whether a step should follow the target position (else the target normal).
    ///
    /// `leads` and `leads_by_far` say per level whether the body's own curvature outweighs the rest of the system, so
    /// that the equations determine the position rather than the normal.
    ///
    /// Flat levels (exponent below one) follow the position, except at a rounded corner that is not left by the step and
    /// where the other body decides. Ridged levels follow the normal, except where the position is what is determined.
    #[inline(always)]
    pub fn choose(
        &self,
        from: &SurfacePoint<R>,
        position: V3<R>,
        normal: V3<R>,
        leads: [R::Mask; 2],
        leads_by_far: [R::Mask; 2],
    ) -> [R::Mask; 2] {
        let sq = |a: R, b: R| a.mul_add(a, b * b);
        let (x, n) = self.untaper(position, normal);
        let n = n * from.normal_length;
        let (rho, nu) = (from.outer.position[0], from.outer.normal[0]);
        let (xi, eta) = (from.inner.position, from.inner.normal);
        let near = R::splat(NEAR * NEAR);
        let part = R::splat(SMALL_PART);
        let radius = eta[0].mul_add(x.x, eta[1] * x.y);
        let radial = xi[0].mul_add(n.x, xi[1] * n.y);
        let near_position = [
            sq(x.x - rho * xi[0], x.y - rho * xi[1]).lt(near * sq(rho * xi[0], rho * xi[1])) & (part * nu).lt(rho),
            sq(radius - rho, x.z - from.outer.position[1]).lt(near),
        ];
        let near_normal = [
            sq(n.x - nu * eta[0], n.y - nu * eta[1]).lt(near * sq(nu * eta[0], nu * eta[1])) & (part * rho).lt(nu),
            sq(radial - nu, n.z - from.outer.normal[1]).lt(near),
        ];
        let (inner, outer) = (&self.inner, &self.outer);
        [
            inner.follows_position(&from.inner, near_position[0], near_normal[0], leads[0], leads_by_far[0]),
            outer.follows_position(&from.outer, near_position[1], near_normal[1], leads[1], leads_by_far[1]),
        ]
    }

    /// Scaled position and normal of the untapered body that belong to a position and a normal near the surface.
    #[inline(always)]
    fn untaper(&self, position: V3<R>, normal: V3<R>) -> (V3<R>, V3<R>) {
        let one = R::splat(1.0);
        let x = position.times(self.inverse_radii);
        let n = normal.times(self.radii);
        if !TAPERED {
            return (x, n);
        }
        let z = x.z.max(-one).min(one);
        let f = self.stretch(z);
        let x = V3::new(x.x / f[0], x.y / f[1], z);
        let lean = self.taper[0] * x.x * n.x + self.taper[1] * x.y * n.y;
        (x, V3::new(n.x * f[0], n.y * f[1], n.z + lean))
    }

    /// True where the point lies strictly inside the body.
    #[inline(always)]
    pub fn contains(&self, point: V3<R>) -> R::Mask {
        let one = R::splat(1.0);
        let x = point.times(self.inverse_radii);
        let within = x.z.abs().lt(one);
        let (x, _) = self.untaper(point, point);
        let radius = self.inner.length([x.x, x.y]);
        within & self.outer.length([radius, x.z]).lt(one)
    }

    /// An upper bound of the support function of the untapered body along a normal of any length, without a power.
    #[inline(always)]
    pub fn support_at_most(&self, normal: V3<R>) -> R {
        let n = normal.times(self.radii);
        self.outer.dual_at_most([self.inner.dual_at_most([n.x, n.y]), n.z])
    }

    /// An upper bound of the factor by which the untapered body has to be scaled to reach a point, without a power.
    #[inline(always)]
    pub fn gauge_at_most(&self, point: V3<R>) -> R {
        let x = point.times(self.inverse_radii);
        self.outer.length_at_most([self.inner.length_at_most([x.x, x.y]), x.z])
    }

    /// The surface point on the ray from the middle through the given point, and the point's gauge there: less than one inside, more
    /// outside. With a taper both are those of the point whose taper has been undone; a point beyond a pole is first brought
    /// back to the pole's height along its ray.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    pub fn place_along(&self, point: V3<R>) -> (SurfacePoint<R>, R) {
        let one = R::splat(1.0);
        let always = R::splat(0.0).lt(one);
        let beyond = if TAPERED { (point.z * self.inverse_radii.z).abs().max(one) } else { one };
        let near = if TAPERED { point * (one / beyond) } else { point };
        let at = self.follow([always; 2], near, near);
        let (x, _) = self.untaper(near, near);
        let radius = at.inner.normal[0].mul_add(x.x, at.inner.normal[1] * x.y);
        let gauge = at.outer.normal[0].mul_add(radius, at.outer.normal[1] * x.z);
        (at, if TAPERED { gauge * beyond } else { gauge })
    }

    /// The point nearest to a position and normal from elsewhere: flat levels keep the position, ridged ones the normal.
    #[inline(always)]
    pub fn place(&self, position: V3<R>, normal: V3<R>) -> SurfacePoint<R> {
        self.follow([self.inner.flat, self.outer.flat], position, normal)
    }

    /// The point of the untapered body with a position and unit normal of its surface. The weights are products of both, so that
    /// a single power is left: that of the radius, which tells positions and normals of the levels apart.
    #[inline(always)]
    pub fn recall_untapered(&self, position: V3<R>, normal: V3<R>) -> SurfacePoint<R> {
        let one = R::splat(1.0);
        let normal_length = one / position.dot(normal);
        let (x, n) = (position.times(self.inverse_radii), normal.times(self.radii) * normal_length);
        let weights = [x.x * n.x, x.y * n.y, x.z * n.z];
        let radial = (weights[0] + weights[1]).max(R::splat(TINY));
        let rho = exp2(self.outer.half * log2(radial));
        let (per_rho, nu) = (one / rho, radial / rho);
        let per_nu = rho / radial;
        let inner = Pair {
            position: [x.x * per_rho, x.y * per_rho],
            normal: [n.x * per_nu, n.y * per_nu],
            smaller_weight: weights[0].min(weights[1]) / radial,
        };
        let outer = Pair { position: [rho, x.z], normal: [nu, n.z], smaller_weight: radial.min(weights[2]) };
        SurfacePoint { inner, outer, position, normal, normal_length }
    }

    /// Moves towards a target position and normal (of any length), both in the body's frame.
    #[inline(always)]
    pub fn follow(&self, by_position: [R::Mask; 2], position: V3<R>, normal: V3<R>) -> SurfacePoint<R> {
        let (x, n) = self.untaper(position, normal);
        let inner = self.inner.follow(by_position[0], [x.x, x.y], [n.x, n.y]);
        // Dual pairs give the norms of both targets to second order.
        let radius = inner.normal[0].mul_add(x.x, inner.normal[1] * x.y);
        let radial = inner.position[0].mul_add(n.x, inner.position[1] * n.y);
        let zero = R::splat(0.0);
        let outer = self.outer.follow(by_position[1], [radius.max(zero), x.z], [radial.max(zero), n.z]);
        self.surface_point(inner, outer)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use proptest::prelude::*;

    use super::*;
    use crate::shape::Superovoid;

    fn direction() -> impl Strategy<Value = DVec3> {
        let component = prop_oneof![
            4 => -1.0..1.0f64,
            1 => Just(0.0),
            1 => (-12.0..-1.0f64).prop_map(|power| 10f64.powf(power)),
        ];
        [component.clone(), component.clone(), component]
            .prop_map(DVec3::from)
            .prop_filter("not zero", |v| v.length() > 1e-6)
            .prop_map(|v| v.normalize())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

        /// The shapes' own 1-D search is independent of this one. Its support values are exact to rounding.
        #[test]
        fn tapered_support_points_agree_with_the_shapes(
            radii in [0.1..1.0f64, 0.1..1.0f64, 0.1..1.0f64],
            exponents in [0.05..1.95f64, 0.05..1.95f64],
            taper in prop_oneof![(-0.7..0.7f64).prop_map(|t| [t, t]), [-0.5..0.5f64, -0.5..0.5f64]],
            normal in direction(),
        ) {
            let shape = Superovoid::new(radii, exponents, taper).unwrap();
            prop_assume!(shape.is_convex());
            let superquadric = Superquadric::<f64, true>::new(V3::new(radii[0], radii[1], radii[2]), exponents, taper);
            let point = superquadric.with_tapered_normal(normal.into());
            let truth = shape.support_value(normal);
            let value = DVec3::from(point.position).dot(normal);
            prop_assert!((value - truth).abs() < 1e-12, "{value} instead of {truth}");
            // The normal at a support point is the direction asked for, except where the surface turns in less than
            // the spacing of floating-point numbers.
            prop_assert!((DVec3::from(point.normal) - normal).length() < 1e-7, "{:?}", DVec3::from(point.normal));
        }
    }
}
