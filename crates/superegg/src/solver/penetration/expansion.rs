//! The least depth with a proof: the expanding polytope on exact support points.
//!
//! The depth is the least `σ(n)` over unit normals. Any normal gives an upper bound of it, and the facet of the polytope
//! that is nearest to the origin a lower one. The normal of that facet is tried next: its support point lies farther out and
//! becomes a corner of the polytope, until both bounds meet. Seen from the polar body this is Kelley's method of cutting
//! planes, so that it ends at the global minimum. Each factor of 1000 in accuracy takes some 15 evaluations; where the
//! depth is about the same along a whole arc or cap of normals, as for concentric round bodies, the budget ends the search
//! with the bounds that it has.

use crate::solver::body::Body;
use crate::solver::pair::placement::unit;
use crate::solver::penetration::Wanted;
use crate::solver::penetration::difference::{Difference, UNKNOWN};
use crate::solver::penetration::polish::{Bodies, CommonNormal};
use crate::solver::penetration::polytope::{MOST_VERTICES, Open, Polytope, Vertex};
use crate::solver::simd::{Real, V3};

/// Cosine of the angle of 0.01 beyond which normals are different answers.
const SAME: f64 = 1.0 - 0.5e-4;
/// Evaluations after which a ball is taken from a round body.
const BALL_AFTER: u32 = 40;
/// Gap between the bounds, in units of the size, below which rings are inserted around the common normal; how much closer
/// the bounds have to come before Newton's method is tried again.
const RINGS_BELOW: f64 = 1e-2;
const RETRY: f64 = 1e-2;
/// Part of the greatest growth of the rings, by experiment, and its limits.
const GROWTH: (f64, f64, f64) = (0.5, 3.0, 30.0);
/// Twice the fall of the innermost ring, as a part of the tolerance.
const INNERMOST: f64 = 1.0;

/// Evaluations for the first polytope of a body that is not symmetric, and for a normal to begin with.
const FIRST_EVALUATIONS: u32 = 7;

/// Both bounds of a depth, in units of the pair's size.
pub(crate) struct Expansion {
    /// Least `σ` seen.
    pub depth: f64,
    /// The unit normal where it was seen, from a to b in a's frame.
    pub normal: V3<f64>,
    /// Radius of a ball about the origin within the polytope, up to rounding; negative where the polytope does not hold
    /// the origin.
    pub proved: f64,
    /// Points of a and of b, in a's frame, whose difference is the polytope's point nearest to the origin. They are as far
    /// inside their bodies as both bounds are apart, at most.
    pub points: (V3<f64>, V3<f64>),
    /// The common normal that rings were put around.
    pub common_normal: Option<CommonNormal>,
    /// Whether no normal elsewhere is as good, as far as the polytope tells.
    pub unique_normal: bool,
    pub evaluations: u32,
}

struct Least {
    depth: f64,
    normal: V3<f64>,
    slopes: [f64; 2],
}

impl Least {
    /// Takes over a normal along which the depth is less, if it is one: facets without area have none.
    #[inline(always)]
    fn offer(&mut self, normal: V3<f64>, vertex: &Vertex) {
        let depth = normal.dot(vertex.p);
        if depth < self.depth && normal.length_sq() > 0.5 {
            (self.depth, self.normal, self.slopes) = (depth, normal, vertex.slopes);
        }
    }
}

/// Expands a polytope until both bounds are within the tolerance, or until the evaluations (at least one) are spent.
/// The difference is that of the bodies.
#[inline(always)]
pub(crate) fn expand<D: Difference, R: Real<Mask = bool> + Into<f64>, A: Body<R>, B: Body<R>>(
    difference: &D,
    bodies: &Bodies<R, A, B>,
    wanted: &Wanted,
) -> Expansion {
    let &Wanted { tolerance, near, .. } = wanted;
    let most = wanted.most.min(MOST_VERTICES as u32);
    let mut least = Least { depth: f64::INFINITY, normal: near, slopes: UNKNOWN };
    if most < FIRST_EVALUATIONS {
        return single(difference, near);
    }
    let mut polytope = Polytope::new();
    let (corners, mut evaluations) = first_corners(difference, near, &mut least);
    polytope.start(corners);
    let mut settled = None;
    let mut rings_below = RINGS_BELOW;
    let mut mended = false;
    // Once a ball has been taken, what is left of the depth is smaller, and so is what the facets cut off.
    let round_part = difference.round_part();
    let mut ball_after = if round_part > 0.0 { BALL_AFTER } else { u32::MAX };
    let proved = loop {
        let least_offset = least.depth - polytope.ball();
        polytope.lower_ceiling(least_offset);
        let (low, next) = polytope.take_lowest();
        let lowest = low.map_or(least_offset, |low| low.offset);
        let gap = least_offset - lowest;
        let spent = evaluations >= most || polytope.is_full();
        // All that is left to prove is what rounding made the search give up.
        if gap <= tolerance && least_offset - polytope.floor() > tolerance && !mended && !spent {
            mended = true;
            polytope.mend();
            continue;
        }
        let Some(low) = low.filter(|_| gap > tolerance && !spent) else { break lowest };
        if evaluations >= ball_after {
            ball_after += ball_after / 2;
            let radius = round_part.min(polytope.ball() + low.offset.min(polytope.floor()));
            if radius > polytope.ball() + tolerance {
                polytope.take_ball(radius);
                continue;
            }
        }
        if gap < rings_below {
            rings_below *= RETRY;
            let (found, spent) = bodies.common_normal(least.normal, polytope.witness(low.facet), most - evaluations);
            evaluations += spent;
            if let Some(found) = found.filter(|found| found.depth < least.depth + tolerance) {
                if !(A::FACETED || B::FACETED) {
                    let left = most - evaluations;
                    evaluations += rings(difference, &mut polytope, &mut least, &found, gap, tolerance, left);
                }
                settled = Some(found);
                rings_below = 0.0;
            }
            polytope.put(low);
            if let Some(next) = next {
                polytope.put(next);
            }
            continue;
        }
        let worthwhile = |next: &Open| least_offset - next.offset > tolerance && evaluations + 1 < most;
        let spent = expand_by_two(difference, &mut polytope, &mut least, low, next, worthwhile);
        evaluations += spent;
    };
    let as_deep = least.depth - polytope.ball() + tolerance;
    let unique_normal = polytope.normals_below(as_deep).all(|other| other.dot(least.normal) > SAME);
    Expansion {
        depth: least.depth,
        normal: least.normal,
        proved: (polytope.ball() + proved.min(polytope.floor())).min(least.depth),
        points: polytope.witness(polytope.nearest(least.normal, SAME, as_deep)),
        common_normal: settled,
        unique_normal,
        evaluations,
    }
}

/// Expands a polytope by the support point along its lowest facet and, where two take about as long as one, along the next
/// that is `worthwhile`. Returns the evaluations spent.
#[inline(always)]
fn expand_by_two<D: Difference>(
    difference: &D,
    polytope: &mut Polytope,
    least: &mut Least,
    low: Open,
    next: Option<Open>,
    worthwhile: impl Fn(&Open) -> bool,
) -> u32 {
    let normal = polytope.normal(low);
    let next = next.filter(|next| {
        let taken = D::TWO_AT_ONCE && worthwhile(next) && polytope.has_foot_inside(*next);
        if !taken {
            polytope.put(*next);
        }
        taken
    });
    let other = next.map_or(normal, |next| polytope.normal(next));
    let guess = polytope.slopes(low);
    let both = if D::TWO_AT_ONCE {
        let other_guess = next.map_or(guess, |next| polytope.slopes(next));
        difference.support([normal, other], [guess, other_guess])
    } else {
        [difference.support_along(normal, guess); 2]
    };
    let mut spent = 0;
    for (open, (normal, vertex)) in [Some(low), next].into_iter().zip([(normal, both[0]), (other, both[1])]) {
        let Some(open) = open else { break };
        spent += 1;
        least.offer(normal, &vertex);
        let vertex = Vertex { p: vertex.p - normal * polytope.ball(), ..vertex };
        // The first point may have hidden the second facet.
        if polytope.holds(open) && !polytope.insert::<D::Facets>(open.facet, vertex) {
            polytope.close(open);
        }
    }
    spent
}

/// Inserts rings of four support points each around a common normal, from coarse to fine: what the search would come to by
/// itself, in two to three times as many evaluations. Returns those spent.
///
/// Across the normal the body's surface falls by `½ δᵀWδ` where the normal has turned by δ. A ring is an ellipse on which
/// that is the same. The facets between two rings pass above the depth where the radii grow by the factor `q` from one to
/// the next with `(1 + q)²/q ≤ 4 W/σ`, W being the smaller curvature radius; the innermost falls by less than the tolerance.
#[inline(always)]
fn rings<D: Difference>(
    difference: &D,
    polytope: &mut Polytope,
    least: &mut Least,
    around: &CommonNormal,
    gap: f64,
    tolerance: f64,
    most: u32,
) -> u32 {
    let [smaller, larger] = around.radii;
    let growth = (GROWTH.0 * (4.0 * smaller / around.depth.max(tolerance) - 2.0)).clamp(GROWTH.1, GROWTH.2);
    let innermost = (INNERMOST * tolerance).sqrt();
    let count = ((gap / (INNERMOST * tolerance)).sqrt().ln() / growth.ln()).ceil().clamp(1.0, 12.0);
    let step = ((gap / (INNERMOST * tolerance)).ln() * 0.5 / count).exp();
    let mut spent = 0;
    let mut fall = innermost * step.powf(count - 1.0);
    for ring in 0..count as u32 {
        if spent + 4 > most {
            break;
        }
        let turn = |radius: f64| (fall / radius.max(1e-3 * fall * fall).sqrt()).min(0.3);
        let (u, v) = (around.directions[0] * turn(smaller), around.directions[1] * turn(larger));
        let normals = if ring % 2 == 0 {
            [u, v, -u, -v]
        } else {
            let (u, v) = (u * std::f64::consts::FRAC_1_SQRT_2, v * std::f64::consts::FRAC_1_SQRT_2);
            [u + v, v - u, -(u + v), u - v]
        };
        let [first, second, third, fourth] = normals.map(|turn| unit(around.normal + turn));
        for pair in [[first, third], [second, fourth]] {
            for (normal, vertex) in pair.into_iter().zip(difference.support(pair, [least.slopes; 2])) {
                least.offer(normal, &vertex);
                polytope.insert_anywhere::<D::Facets>(Vertex { p: vertex.p - normal * polytope.ball(), ..vertex });
            }
        }
        spent += 4;
        fall /= step;
    }
    spent
}

/// What one evaluation tells: too few for a polytope.
#[inline(always)]
fn single<D: Difference>(difference: &D, normal: V3<f64>) -> Expansion {
    let Vertex { p, x_a, .. } = difference.support_along(normal, UNKNOWN);
    Expansion {
        depth: normal.dot(p),
        normal,
        proved: f64::NEG_INFINITY,
        points: (x_a, x_a - p),
        common_normal: None,
        unique_normal: false,
        evaluations: 1,
    }
}

/// Support points along x, -x, y, -y, z, -z, and how many were evaluated.
#[inline(always)]
fn first_corners<D: Difference>(difference: &D, near: V3<f64>, least: &mut Least) -> ([Vertex; 6], u32) {
    let (x, y, z) = (V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0));
    let Some(twice_middle) = difference.twice_middle() else {
        let [x_plus, x_minus] = difference.support([x, -x], [UNKNOWN; 2]);
        let [y_plus, y_minus] = difference.support([y, -y], [UNKNOWN; 2]);
        let [z_plus, z_minus] = difference.support([z, -z], [UNKNOWN; 2]);
        least.offer(near, &difference.support_along(near, UNKNOWN));
        let corners = [x_plus, x_minus, y_plus, y_minus, z_plus, z_minus];
        for (normal, corner) in [x, -x, y, -y, z, -z].into_iter().zip(&corners) {
            least.offer(normal, corner);
        }
        return (corners, FIRST_EVALUATIONS);
    };
    let [x_plus, y_plus] = difference.support([x, y], [UNKNOWN; 2]);
    let [z_plus, nearest] = difference.support([z, near], [UNKNOWN; 2]);
    least.offer(near, &nearest);
    let mirrored = |vertex: Vertex| Vertex {
        p: twice_middle - vertex.p,
        x_a: -vertex.x_a,
        normal: -vertex.normal,
        slopes: UNKNOWN,
    };
    let corners = [x_plus, mirrored(x_plus), y_plus, mirrored(y_plus), z_plus, mirrored(z_plus)];
    for (normal, corner) in [x, -x, y, -y, z, -z].into_iter().zip(&corners) {
        least.offer(normal, corner);
    }
    (corners, 4)
}
