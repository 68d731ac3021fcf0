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
use crate::solver::penetration::polish::{Bodies, CommonNormal};
use crate::solver::penetration::polytope::Cap;
use crate::solver::separation::step::Relation;
use crate::solver::simd::{Real, Sym3, V3};

/// Sizes of the pieces that are tried, as parts of the depth.
const REACHES: [f64; 7] = [2.4, 0.8, 0.3, 0.1, 0.03, 0.01, 0.003];
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

/// What the body's bend at a common normal is, in the basis of two directions across it and itself.
struct Bend {
    /// Across the normal: xx, xy, yy.
    across: [f64; 3],
    /// Between both.
    mixed: [f64; 2],
    along: f64,
}

impl Bend {
    /// With a little more bend, so that flat faces have an inverse.
    #[inline(always)]
    fn new<R: Real + Into<f64>>(m: &Sym3<R>, [u, v, n]: [V3<R>; 3], depth: f64) -> Bend {
        let more = LEAST_BEND / depth;
        let (xx, yy): (f64, f64) = (m.form(u, u).into(), m.form(v, v).into());
        Bend {
            across: [xx + more, m.form(u, v).into(), yy + more],
            mixed: [m.form(u, n).into(), m.form(v, n).into()],
            along: f64::max(m.form(n, n).into(), 0.0),
        }
    }

    /// Whether the piece bends outwards nowhere.
    fn is_round(&self) -> bool {
        let [xx, xy, yy] = self.across;
        xx > 0.0 && xx * yy > xy * xy
    }

    fn largest(&self) -> f64 {
        self.across[0] + self.across[2] + self.along + self.mixed[0].abs() + self.mixed[1].abs()
    }
}

/// Sine of half the angle up to which one body takes its share, by the inverse of its own bend across the normal and that of the sum of
/// both inverses, with a quarter of `1/d - λ` to spend.
fn sine_of_share(bend: &Bend, inverse: [f64; 3], of_sum: [f64; 3], depth: f64, free: f64, reach: f64) -> f64 {
    let [[a, b], [c, d]] = product(inverse, of_sum);
    let squares = a * a + b * b + c * c + d * d;
    let stretch_sq = 0.5 * (squares + (squares * squares - 4.0 * (a * d - b * c) * (a * d - b * c)).max(0.0).sqrt());
    let cost = larger_eigenvalue([
        of_sum[0] * a + of_sum[1] * c,
        of_sum[0] * b + of_sum[1] * d,
        of_sum[1] * b + of_sum[2] * d,
    ]);
    let part = 0.5 * (1.0 + depth * cost);
    let [x, y] = bend.mixed;
    let (mixed, along) = (part * (a * x + c * y).hypot(b * x + d * y), part * part * bend.along);
    let sine = 2.0 * free / (mixed + (mixed * mixed + 2.0 * along * free).sqrt()).max(f64::MIN_POSITIVE);
    let aside = part * sine.min(1.0);
    sine.min((1.0 - MARGIN) * reach / (2.0 * depth * (stretch_sq + aside * aside).sqrt()))
}

/// Of a symmetric 2×2 matrix.
fn larger_eigenvalue([xx, xy, yy]: [f64; 3]) -> f64 {
    0.5 * (xx + yy) + (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt()
}

/// Product of two symmetric 2×2 matrices.
fn product([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [[f64; 2]; 2] {
    [[a * x + b * y, a * y + b * z], [b * x + c * y, b * y + c * z]]
}

fn inverse([xx, xy, yy]: [f64; 3]) -> [f64; 3] {
    let per = 1.0 / (xx * yy - xy * xy);
    [yy * per, -xy * per, xx * per]
}

impl<R: Real<Mask = bool> + Into<f64>, A: Body<R>, B: Body<R>> Bodies<'_, R, A, B> {
    /// The widest cap about a common normal in which the ball of its depth, less a part of the tolerance, is held by the difference body.
    #[inline(always)]
    pub fn cap(&self, common: &CommonNormal, tolerance: f64) -> Option<Cap> {
        if !(A::INSCRIBES && B::INSCRIBES) || common.depth < tolerance {
            return None;
        }
        let placement = self.placement;
        let normal: V3<R> = common.normal.spread();
        let own_b = placement.a_to_b::<B>(common.x_b.spread::<R>() - placement.centre);
        let normal_b = placement.a_to_b::<B>(normal);
        let (a, b) = (self.body_a.place(common.x_a.spread(), normal), self.body_b.place(own_b, -normal_b));
        let relation = Relation::new::<A, B>(placement, &a, &b);
        let along = relation.w.dot(normal);
        let (off_a, off_b, across) = (relation.n_a - normal, relation.n_b + normal, relation.w - normal * along);
        let off: f64 = (off_a.length_sq() + off_b.length_sq() + across.length_sq()).sqrt().into();
        let depth: f64 = (-along).into();
        let normal = common.normal;
        let axis = if normal.x.abs() < 0.6 { V3::new(1.0, 0.0, 0.0) } else { V3::new(0.0, 1.0, 0.0) };
        let u = unit(normal.cross(axis));
        let v = normal.cross(u);
        let basis: [V3<R>; 3] = [u.spread(), v.spread(), normal.spread()];
        let basis_b =
            [placement.a_to_b::<B>(basis[0]), placement.a_to_b::<B>(basis[1]), placement.a_to_b::<B>(basis[2])];
        let slack = SLACK * tolerance;
        let mut widest = 0.0;
        for part in REACHES {
            let reach = part * depth;
            // Smaller pieces leave less room than what was found.
            if widest > ROOM * part {
                break;
            }
            let bend_a = Bend::new(&self.body_a.inscribed(&a, R::splat(reach)), basis, depth);
            let bend_b = Bend::new(&self.body_b.inscribed(&b, R::splat(reach)), basis_b, depth);
            if !(bend_a.is_round() && bend_b.is_round()) {
                continue;
            }
            let sine = shared(&bend_a, &bend_b, depth, reach);
            let (allowed, change) = (0.125 * slack, slack + off);
            let largest = bend_a.largest().max(bend_b.largest());
            let is_exact = off * (reach + change) < allowed && 1e3 * largest * change * change < allowed;
            if !is_exact || change > 0.5 * MARGIN * reach {
                continue;
            }
            widest = sine.max(widest);
        }
        let cosine = if widest >= 1.0 { -1.0 } else { 1.0 - 2.0 * widest.min(WIDEST) * widest.min(WIDEST) };
        (widest > NARROWEST).then_some(Cap { normal, cosine, radius: depth - slack })
    }
}

/// Sine of half the angle of the cap that two bodies hold together; at least one for the whole ball.
fn shared(a: &Bend, b: &Bend, depth: f64, reach: f64) -> f64 {
    let (of_a, of_b) = (inverse(a.across), inverse(b.across));
    let of_sum = inverse([of_a[0] + of_b[0], of_a[1] + of_b[1], of_a[2] + of_b[2]]);
    let free = 0.25 * ((1.0 - MARGIN) / depth - larger_eigenvalue(of_sum));
    if free.is_nan() || free <= 0.0 {
        return 0.0;
    }
    let of_a = sine_of_share(a, of_a, of_sum, depth, free, reach);
    of_a.min(sine_of_share(b, of_b, of_sum, depth, free, reach))
}
