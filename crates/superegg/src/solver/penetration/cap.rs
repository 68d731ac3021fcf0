//! A lower bound of the depth about a common normal without any support point: how far around it the ball of that depth is held by the
//! difference body.
//!
//! At a common normal n the points `x_a` and `x_b = x_a - d n` are the depth d apart. The ball of radius d about the origin of the difference
//! body touches it at `d n`; its other points are `d n + ω` with `n·ω = -|ω|²/2d`. One of them belongs to the difference body where ω can be
//! shared out, `ω = δ_a - δ_b`, to points `x_a + δ_a` of a and `x_b + δ_b` of b. Each body holds a piece about its point in which
//! `n·δ + ½ δᵀMδ ≤ 0` suffices ([`Body::inscribed`]).
//!
//! **Across n** the shares are those of two springs in a row: with A and B the parts of both M across n and `W = A⁻¹ + B⁻¹`, a takes `Tω` with
//! `T = A⁻¹W⁻¹`, which costs it `½ ωᵀC_aω`, `C_a = W⁻¹A⁻¹W⁻¹`, and b the same; `C_a + C_b = W⁻¹`. **Along n** each takes what that costs it and half
//! of what is left, `½Φ = ½(|ω|²/d - ωᵀW⁻¹ω) ≥ ½|ω|²(1/d - λ)`, where λ is the larger eigenvalue of W⁻¹. From its half a has to pay for the part ζ
//! of its δ along n: `|ζ| |Tω·m| + ½ζ²M_nn`, where m is the mixed part of M. As `ζ = -¼(|ω|²/d + ωᵀ(C_a - C_b)ω)`, it is at most
//! `k |ω|²/2d` long with `k = ½(1 + d c)`, c being the larger eigenvalue of `C_a`. A point of the ball seen from its centre within the angle θ of n
//! has `|ω| ≤ 2 d s` with `s = sin(θ/2)`, so that the condition is `s k |Tᵀm| + ½ s²k²M_nn ≤ ¼(1/d - λ)`. And s has to leave δ within the
//! piece: `2 d s √(|T|² + k²s²)` within its reach.
//!
//! What Newton's method leaves of a common normal counts too: the normals differ by ε and the points are ε beside each other. So the
//! ball is taken smaller by a slack η, half of it for each body. That must pay for `ε |δ|` of the normals; and δ changes by
//! `½(η n + τ)`, `|τ| ≤ ε`, which costs at most a part t of `½ δᵀMδ` and `½ (1 + 1/t) |M| (η + ε)²` with any t: here a two-thousandth, for
//! which [`MARGIN`] leaves room.

use crate::solver::body::Body;
use crate::solver::pair::placement::unit;
use crate::solver::penetration::polish::{Bodies, CommonNormal, Stand};
use crate::solver::penetration::polytope::Cap;
use crate::solver::simd::{Real, Several, Sym3, V3};

/// Sizes of the pieces that are tried, as parts of the depth.
const REACHES: [f64; 12] = [2.4, 1.3, 0.7, 0.4, 0.22, 0.12, 0.066, 0.036, 0.02, 0.011, 0.006, 0.003];
/// Sine of half the angle that a piece leaves room for, as a part of its size in depths; about.
const ROOM: f64 = 0.6;
/// Part of the tolerance by which the ball is smaller.
const SLACK: f64 = 0.25;
/// Least bend across the normal, as a part of the ball's.
const LEAST_BEND: f64 = 1e-3;
/// Part of the condition that is kept free.
const MARGIN: f64 = 2e-3;
/// Greatest sine of half the angle of a cap that is not the whole ball: its apex is less than four radii away.
const WIDEST: f64 = 0.61;
/// Caps narrower than this are of no use.
const NARROWEST: f64 = 1e-3;

/// What the body's bend at a common normal is, in the basis of two directions across it and itself; pieces of several sizes in lanes.
struct Bend<S> {
    /// Across the normal: xx, xy, yy.
    across: [S; 3],
    /// Between both.
    mixed: [S; 2],
    along: S,
}

impl<S: Real> Bend<S> {
    /// With a little more bend, so that flat faces have an inverse.
    #[inline(always)]
    fn new(m: &Sym3<S>, [u, v, n]: [V3<S>; 3], depth: f64) -> Bend<S> {
        let more = S::splat(LEAST_BEND / depth);
        Bend {
            across: [m.form(u, u) + more, m.form(u, v), m.form(v, v) + more],
            mixed: [m.form(u, n), m.form(v, n)],
            along: m.form(n, n).max(S::splat(0.0)),
        }
    }

    /// Whether the piece bends outwards nowhere.
    #[inline(always)]
    fn is_round(&self) -> S::Mask {
        let [xx, xy, yy] = self.across;
        S::splat(0.0).lt(xx) & (xy * xy).lt(xx * yy)
    }

    #[inline(always)]
    fn largest(&self) -> S {
        self.across[0] + self.across[2] + self.along + self.mixed[0].abs() + self.mixed[1].abs()
    }
}

/// Sine of half the angle up to which one body takes its share, by the inverse of its own bend across the normal and that of the sum of
/// both inverses, with a quarter of `1/d - λ` to spend.
#[inline(always)]
fn sine_of_share<S: Real>(bend: &Bend<S>, inverse: [S; 3], of_sum: [S; 3], depth: S, free: S, reach: S) -> S {
    let (half, one, two) = (S::splat(0.5), S::splat(1.0), S::splat(2.0));
    let [[a, b], [c, d]] = product(inverse, of_sum);
    let squares = a * a + b * b + c * c + d * d;
    let determinant = a * d - b * c;
    let root = (squares * squares - S::splat(4.0) * determinant * determinant).max(S::splat(0.0)).sqrt();
    let stretch_sq = half * (squares + root);
    let cost = larger_eigenvalue([
        of_sum[0] * a + of_sum[1] * c,
        of_sum[0] * b + of_sum[1] * d,
        of_sum[1] * b + of_sum[2] * d,
    ]);
    let part = half * (one + depth * cost);
    let [x, y] = bend.mixed;
    let (first, second) = (a * x + c * y, b * x + d * y);
    let (mixed, along) = (part * (first * first + second * second).sqrt(), part * part * bend.along);
    let sine = two * free / (mixed + (mixed * mixed + two * along * free).sqrt()).max(S::splat(f64::MIN_POSITIVE));
    let aside = part * sine.min(one);
    sine.min(S::splat(1.0 - MARGIN) * reach / (two * depth * (stretch_sq + aside * aside).sqrt()))
}

/// Of a symmetric 2×2 matrix.
#[inline(always)]
fn larger_eigenvalue<S: Real>([xx, xy, yy]: [S; 3]) -> S {
    let gap = xx - yy;
    S::splat(0.5) * (xx + yy) + (S::splat(0.25) * gap * gap + xy * xy).sqrt()
}

/// Product of two symmetric 2×2 matrices.
#[inline(always)]
fn product<S: Real>([a, b, c]: [S; 3], [x, y, z]: [S; 3]) -> [[S; 2]; 2] {
    [[a * x + b * y, a * y + b * z], [b * x + c * y, b * y + c * z]]
}

#[inline(always)]
fn inverse<S: Real>([xx, xy, yy]: [S; 3]) -> [S; 3] {
    let per = S::splat(1.0) / (xx * yy - xy * xy);
    [yy * per, -xy * per, xx * per]
}

impl<R: Real<Mask = bool> + Into<f64>, A: Body<R>, B: Body<R>> Bodies<'_, R, A, B> {
    /// The widest cap about a common normal in which the ball of its depth, less a part of the tolerance, is held by the difference body;
    /// S is what pieces of several sizes are looked at in.
    #[inline(always)]
    pub fn cap<S: Several>(&self, common: &CommonNormal, stand: &Stand<R, A, B>, tolerance: f64) -> Option<Cap> {
        if !(A::INSCRIBES && B::INSCRIBES) || common.depth < tolerance {
            return None;
        }
        let (placement, relation, normal) = (self.placement, &stand.relation, common.normal);
        let off_sq = relation.askew_sq + relation.across_sq;
        // Each normal is off by half of what both miss to be opposite.
        let off: f64 = off_sq.sqrt().into();
        let depth: f64 = (-relation.along).into();
        let axis = if normal.x.abs() < 0.6 { V3::new(1.0, 0.0, 0.0) } else { V3::new(0.0, 1.0, 0.0) };
        let u = unit(normal.cross(axis));
        let v = normal.cross(u);
        let in_b = |axis: V3<f64>| -> V3<S> {
            let axis: V3<f64> = placement.a_to_b::<B>(axis.spread::<R>()).spread();
            axis.spread()
        };
        let (basis, basis_b) = ([u.spread(), v.spread(), normal.spread()], [in_b(u), in_b(v), in_b(normal)]);
        let slack = SLACK * tolerance;
        let (allowed, change) = (0.125 * slack, slack + off);
        let mut widest = 0.0;
        for parts in REACHES.chunks(S::COUNT) {
            // Smaller pieces leave less room than what was found.
            if widest > ROOM * parts[0] {
                break;
            }
            let reach = S::load(parts) * S::splat(depth);
            let bend_a = Bend::new(&self.body_a.inscribed(&stand.a, reach), basis, depth);
            let bend_b = Bend::new(&self.body_b.inscribed(&stand.b, reach), basis_b, depth);
            let sine = shared(&bend_a, &bend_b, depth, reach);
            let largest = bend_a.largest().max(bend_b.largest());
            let holds = (S::splat(off) * (reach + S::splat(change))).lt(S::splat(allowed))
                & (S::splat(1e3 * change * change) * largest).lt(S::splat(allowed))
                & S::splat(change).lt(S::splat(0.5 * MARGIN) * reach)
                & bend_a.is_round()
                & bend_b.is_round();
            widest = S::select(holds, sine, S::splat(0.0)).greatest().max(widest);
        }
        let cosine = if widest >= 1.0 { -1.0 } else { 1.0 - 2.0 * widest.min(WIDEST) * widest.min(WIDEST) };
        (widest > NARROWEST).then_some(Cap { normal, cosine, radius: depth - slack })
    }
}

/// Sine of half the angle of the cap that two bodies hold together; at least one for the whole ball, zero where there is none.
#[inline(always)]
fn shared<S: Real>(a: &Bend<S>, b: &Bend<S>, depth: f64, reach: S) -> S {
    let (of_a, of_b) = (inverse(a.across), inverse(b.across));
    let of_sum = inverse([of_a[0] + of_b[0], of_a[1] + of_b[1], of_a[2] + of_b[2]]);
    let free = S::splat(0.25) * (S::splat((1.0 - MARGIN) / depth) - larger_eigenvalue(of_sum));
    let depth = S::splat(depth);
    let of_a = sine_of_share(a, of_a, of_sum, depth, free, reach);
    let of_b = sine_of_share(b, of_b, of_sum, depth, free, reach);
    let zero = S::splat(0.0);
    S::select(zero.lt(free) & zero.lt(of_a) & zero.lt(of_b), of_a.min(of_b), zero)
}
