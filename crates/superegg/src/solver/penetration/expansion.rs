//! The least depth with a proof: the expanding polytope on exact support points.
//!
//! The depth is the least `σ(n)` over unit normals. Any normal gives an upper bound of it, and the facet of the polytope
//! that is nearest to the origin a lower one. The normal of that facet is tried next: its support point lies farther out and
//! becomes a corner of the polytope, until both bounds meet. Seen from the polar body this is Kelley's method of cutting
//! planes, so that it ends at the global minimum. Each factor of 1000 in accuracy takes some 15 evaluations; where the
//! depth is about the same along a whole arc or cap of normals, as for concentric round bodies, the budget ends the search
//! with the bounds that it has.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::solver::body::Body;
use crate::solver::pair::placement::unit;
use crate::solver::penetration::Wanted;
use crate::solver::penetration::difference::{Difference, UNKNOWN};
use crate::solver::penetration::polish::{Bodies, CommonNormal};
use crate::solver::penetration::polytope::{Cap, MOST_VERTICES, Open, Polytope, Vertex};
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

/// Steps towards a common normal before anything else, and the angle of a ring around it as a part of the cap's.
const FIRST_STEPS: u32 = 12;
const RING: f64 = 0.8;
/// Angle up to which rings are put around a narrow cap, how much wider each is than the one within, and how many there may be.
const OUTERMOST: f64 = 0.1;
const RING_GROWTH: f64 = 3.0;
const MOST_RINGS: u32 = 6;
/// Evaluations that a first polytope and rings around a cap may take.
const MOST_AROUND: u32 = 1 + 4 * MOST_RINGS + FIRST_EVALUATIONS;

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
    let mut evaluations = 0;
    let (mut settled, mut cap) = (None, None);
    if A::INSCRIBES && B::INSCRIBES {
        let (found, spent) = bodies.common_normal(near, wanted.points, (most - FIRST_EVALUATIONS).min(FIRST_STEPS));
        evaluations += spent;
        cap = found.filter(|_| most > evaluations + MOST_AROUND).and_then(|found| bodies.cap(&found, tolerance));
        settled = found.filter(|_| cap.is_some());
    }
    if let (Some(found), Some(cap)) = (&settled, &cap)
        && cap.cosine == -1.0
    {
        return touching_ball(difference, found, cap, evaluations);
    }
    let mut polytope = Polytope::new();
    let (corners, spent) = first_corners(difference, cap.map_or(near, |cap| cap.normal), &mut least);
    evaluations += spent;
    polytope.start(corners);
    if let (Some(found), Some(cap)) = (&settled, &cap) {
        evaluations += rings_around(difference, &mut polytope, &mut least, found, cap);
    }
    let mut rings_below = RINGS_BELOW;
    let mut mended = false;
    // Once a ball has been taken, what is left of the depth is smaller, and so is what the facets cut off.
    let round_part = difference.round_part();
    let mut ball_after = if round_part > 0.0 { BALL_AFTER } else { u32::MAX };
    let proved = loop {
        // A normal elsewhere is better, so that the ball about the first one is too large; or not all facets can be refined. What a
        // cap makes up for, it does for its own ball only.
        let spent = evaluations >= most || polytope.is_full();
        if let Some(radius) = cap.map(|cap| cap.radius)
            && (least.depth < radius || polytope.floor() < radius || spent)
        {
            (cap, settled) = (None, settled.filter(|_| least.depth >= radius));
        }
        let least_offset = cap.map_or(least.depth - polytope.ball(), |cap| cap.radius);
        polytope.lower_ceiling(least_offset);
        let (low, next) = polytope.take_lowest(cap.as_ref());
        let lowest = low.map_or(least_offset, |low| low.offset);
        let gap = least_offset - lowest;
        let enough = if cap.is_some() { 0.0 } else { tolerance };
        // All that is left to prove is what rounding made the search give up.
        if gap <= tolerance && least_offset - polytope.floor() > tolerance && !mended && !spent {
            mended = true;
            polytope.mend();
            continue;
        }
        let Some(low) = low.filter(|_| gap > enough && !spent) else { break lowest };
        if evaluations >= ball_after && cap.is_none() {
            ball_after += ball_after / 2;
            let radius = round_part.min(polytope.ball() + low.offset.min(polytope.floor()));
            if radius > polytope.ball() + tolerance {
                polytope.take_ball(radius);
                continue;
            }
        }
        if gap < rings_below && cap.is_none() {
            rings_below *= RETRY;
            let (found, spent) = bodies.common_normal(least.normal, polytope.witness(low.facet), most - evaluations);
            evaluations += spent;
            if let Some(found) = found.filter(|found| found.depth < least.depth + tolerance) {
                let left = most - evaluations;
                let has_ball = polytope.ball() > 0.0;
                cap = if has_ball || left < MOST_AROUND { None } else { bodies.cap(&found, tolerance) };
                if let Some(cap) = &cap {
                    if cap.cosine == -1.0 {
                        return touching_ball(difference, &found, cap, evaluations);
                    }
                    least.offer(cap.normal, &difference.support_along(cap.normal, least.slopes));
                    evaluations += 1 + rings_around(difference, &mut polytope, &mut least, &found, cap);
                } else if !(bodies.body_a.is_faceted() || bodies.body_b.is_faceted()) {
                    evaluations += rings(difference, &mut polytope, &mut least, &found, gap, tolerance, left);
                }
                settled = Some(found);
                if cap.is_none() {
                    rings_below = 0.0;
                }
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
    let (least_other, same) = cap.map_or((f64::NEG_INFINITY, SAME), |cap| (cap.radius, cap.cosine));
    let unique_normal = polytope.normals_between(least_other, as_deep).all(|other| other.dot(least.normal) > same);
    Expansion {
        depth: least.depth,
        normal: least.normal,
        proved: (polytope.ball() + proved.min(polytope.floor())).min(least.depth),
        points: match &settled {
            Some(found) if cap.is_some() => (found.x_a, found.x_b),
            _ => polytope.witness(polytope.nearest(least.normal, SAME, as_deep)),
        },
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
    let slopes = |open: Open| if D::TAPERED { polytope.slopes(open) } else { UNKNOWN };
    let guess = slopes(low);
    let both = if D::TWO_AT_ONCE {
        let other_guess = next.map_or(guess, slopes);
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
            let (u, v) = (u * FRAC_1_SQRT_2, v * FRAC_1_SQRT_2);
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

/// The answer where the whole ball of the depth of a common normal is held by the difference body.
#[inline(always)]
fn touching_ball<D: Difference>(difference: &D, found: &CommonNormal, cap: &Cap, evaluations: u32) -> Expansion {
    let depth = cap.normal.dot(difference.support_along(cap.normal, UNKNOWN).p);
    Expansion {
        depth,
        normal: cap.normal,
        proved: cap.radius.min(depth),
        points: (found.x_a, found.x_b),
        common_normal: Some(*found),
        unique_normal: true,
        evaluations: evaluations + 1,
    }
}

/// Inserts rings of four support points around a cap's normal: facets between those of the innermost are behind the cap, those beyond
/// them pass above the ball. Returns the evaluations spent.
#[inline(always)]
fn rings_around<D: Difference>(
    difference: &D,
    polytope: &mut Polytope,
    least: &mut Least,
    around: &CommonNormal,
    cap: &Cap,
) -> u32 {
    let innermost = RING * ((1.0 - cap.cosine) * 2.0).sqrt();
    let count = ((OUTERMOST / innermost).ln() / RING_GROWTH.ln()).ceil().clamp(1.0, f64::from(MOST_RINGS));
    let mut angle = innermost * RING_GROWTH.powf(count - 1.0);
    for ring in 0..count as u32 {
        let [u, v] = around.directions.map(|direction| direction * angle);
        let turns = if ring % 2 == 0 { [u, v] } else { [(u + v) * FRAC_1_SQRT_2, (u - v) * FRAC_1_SQRT_2] };
        for turn in turns {
            let pair = [unit(cap.normal + turn), unit(cap.normal - turn)];
            for (normal, vertex) in pair.into_iter().zip(difference.support(pair, [least.slopes; 2])) {
                least.offer(normal, &vertex);
                polytope.insert_anywhere::<D::Facets>(vertex);
            }
        }
        angle /= RING_GROWTH;
    }
    4 * count as u32
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
