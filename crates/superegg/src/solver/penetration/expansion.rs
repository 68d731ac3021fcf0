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
use crate::solver::penetration::memory::{Corner, Memory};
use crate::solver::penetration::polish::{Bodies, CommonNormal};
use crate::solver::penetration::polytope::{Cap, MOST_VERTICES, Open, Polytope, Vertex};
use crate::solver::simd::{Real, V3};

/// Cosine of the angle of 0.01 beyond which normals are different answers.
const SAME: f64 = 1.0 - 0.5e-4;
/// Evaluations after which a ball is taken from a round body.
const BALL_AFTER: u32 = 40;
/// Cosine of the angle of a cap beyond which the polytope of an earlier search is of use: about a narrow one it has to be new.
const WIDE: f64 = 0.99;
/// Evaluations that the polytope of an earlier search may take before it is given up.
const MOST_RECALLED: u32 = 12;
/// Gap between the bounds, in units of the size, below which rings are inserted around the common normal; how much closer
/// the bounds have to come before Newton's method is tried again.
const RINGS_BELOW: f64 = 1e-2;
const RETRY: f64 = 1e-2;
/// Part of the greatest growth of the rings, by experiment, and its limits.
const GROWTH: (f64, f64, f64) = (0.5, 3.0, 30.0);
/// Twice the fall of the innermost ring, as a part of the tolerance.
const INNERMOST: f64 = 1.0;

/// Steps towards a common normal before anything else.
const FIRST_STEPS: u32 = 12;
/// Evaluations for the first polytope of a body that is not symmetric, and for a normal to begin with.
const FIRST_EVALUATIONS: u32 = 7;
/// Cosine of 30°.
const COS_30: f64 = 0.866_025_403_784_438_6;

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
    memory: Option<&mut Memory>,
) -> Expansion {
    let most = wanted.most.min(MOST_VERTICES as u32);
    if most < FIRST_EVALUATIONS {
        return single(difference, wanted.near);
    }
    let mut search = Search {
        difference,
        bodies,
        tolerance: wanted.tolerance,
        most,
        recalled: false,
        evaluations: 0,
        least: Least { depth: f64::INFINITY, normal: wanted.near, slopes: UNKNOWN },
        cap: None,
        settled: None,
        rings_below: RINGS_BELOW,
    };
    // Large: made where it stays.
    let mut polytope = Polytope::new();
    let mut proved = search.prove(&mut polytope, wanted, memory.as_deref());
    let enough_left = search.evaluations + FIRST_STEPS + FIRST_EVALUATIONS < most;
    if search.recalled && enough_left && proved.is_some_and(|proved| search.is_open(&polytope, proved)) {
        // What was kept has led nowhere.
        polytope.clear();
        proved = search.prove(&mut polytope, wanted, None);
    }
    let Some(proved) = proved else { return search.touching_ball() };
    if let Some(memory) = memory {
        match search.cap {
            Some(_) => polytope.keep(memory),
            None => memory.forget(),
        }
    }
    search.conclude(&polytope, proved)
}

/// Whether a search is over.
#[derive(PartialEq, Eq)]
enum Ended {
    No,
    /// The whole ball of the depth of the common normal is held by the difference body.
    WithBall,
}

/// Where the search for one pair stands, beside its polytope.
struct Search<'a, D, R, A, B> {
    difference: &'a D,
    bodies: &'a Bodies<'a, R, A, B>,
    tolerance: f64,
    most: u32,
    /// Whether the polytope is one of an earlier search.
    recalled: bool,
    evaluations: u32,
    least: Least,
    /// The cap that the polytope's apex stands for, and the common normal that it is about; without a cap, that rings were put around.
    cap: Option<Cap>,
    settled: Option<CommonNormal>,
    /// Gap between the bounds below which Newton's method is tried.
    rings_below: f64,
}

impl<D: Difference, R: Real<Mask = bool> + Into<f64>, A: Body<R>, B: Body<R>> Search<'_, D, R, A, B> {
    /// The radius that is proved; or none where a cap is the whole ball.
    #[inline(always)]
    fn prove(&mut self, polytope: &mut Polytope, wanted: &Wanted, memory: Option<&Memory>) -> Option<f64> {
        match self.begin(polytope, wanted, memory) {
            Ended::WithBall => None,
            Ended::No => self.surround(polytope),
        }
    }

    /// Whether the bounds are farther apart than asked for.
    fn is_open(&self, polytope: &Polytope, proved: f64) -> bool {
        self.least.depth - polytope.ball() - proved.min(polytope.floor()) > self.tolerance
    }

    /// The first polytope: around a cap if Newton's method leads to a common normal at once.
    #[inline(always)]
    fn begin(&mut self, polytope: &mut Polytope, wanted: &Wanted, memory: Option<&Memory>) -> Ended {
        if A::INSCRIBES && B::INSCRIBES {
            let steps = (self.most - FIRST_EVALUATIONS).min(FIRST_STEPS);
            let (found, spent) = self.bodies.common_normal(wanted.near, wanted.points, wanted.earlier, steps);
            self.evaluations += spent;
            if let Some((found, stand)) = found {
                self.cap = self.bodies.cap::<D::Facets>(&found, &stand, self.tolerance);
                self.settled = self.cap.map(|_| found);
            }
        }
        let (mut near, mut axes) =
            (wanted.near, [V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)]);
        if let Some(cap) = self.cap {
            if cap.is_whole() {
                return Ended::WithBall;
            }
            (near, axes) = (cap.normal, around(cap.normal));
        }
        let memory = memory.filter(|memory| !memory.is_empty());
        let wide = self.cap.filter(|cap| cap.cosine < WIDE);
        self.recalled = false;
        if let (Some(memory), Some(cap)) = (memory, wide) {
            self.recalled = true;
            let nearest = self.difference.support_along(near, UNKNOWN);
            self.evaluations += 1;
            self.least.offer(near, &nearest);
            let corners = memory.corners.iter().map(|&Corner { x_a, in_b }| {
                let p = self.difference.point(x_a, in_b);
                // No ball is taken from a kept corner, so that its normal does not matter.
                Vertex { p, x_a, in_b, normal: near, slopes: UNKNOWN }
            });
            polytope.recall::<D::Facets>(corners, memory, &cap, nearest);
            return Ended::No;
        }
        let (corners, nearest) = self.first_corners(axes, near);
        polytope.start::<D::Facets>(&corners);
        if let Some(cap) = self.cap {
            polytope.insert_apex::<D::Facets>(&cap, nearest);
        }
        Ended::No
    }

    /// Expands the polytope until it surrounds the ball of the depth as far as asked for: the radius that is proved; or none where a cap
    /// turns out to be the whole ball.
    #[inline(always)]
    fn surround(&mut self, polytope: &mut Polytope) -> Option<f64> {
        let tolerance = self.tolerance;
        let most = if self.recalled { self.most.min(self.evaluations + MOST_RECALLED) } else { self.most };
        let mut mended = false;
        // Once a ball has been taken, what is left of the depth is smaller, and so is what the facets cut off.
        let round_part = self.difference.round_part();
        let mut ball_after = if round_part > 0.0 && !self.recalled { BALL_AFTER } else { u32::MAX };
        loop {
            let spent = self.evaluations >= most || polytope.is_full();
            self.judge_cap(polytope, spent);
            let least_offset = self.cap.map_or(self.least.depth - polytope.ball(), |cap| cap.radius);
            polytope.lower_ceiling(least_offset);
            let (low, next) = polytope.take_lowest();
            let lowest = low.map_or(least_offset, |low| low.offset);
            let gap = least_offset - lowest;
            let enough = if self.cap.is_some() { 0.0 } else { tolerance };
            // All that is left to prove is what rounding made the search give up.
            if gap <= tolerance && least_offset - polytope.floor() > tolerance && !mended && !spent {
                mended = true;
                polytope.mend();
                continue;
            }
            let Some(low) = low.filter(|_| gap > enough && !spent) else { return Some(lowest) };
            if self.evaluations >= ball_after && self.cap.is_none() {
                ball_after += ball_after / 2;
                let radius = round_part.min(polytope.ball() + low.offset.min(polytope.floor()));
                if radius > polytope.ball() + tolerance {
                    polytope.take_ball(radius);
                    continue;
                }
            }
            if gap < self.rings_below && self.cap.is_none() {
                if self.straighten(polytope, low, gap) == Ended::WithBall {
                    return None;
                }
                polytope.put(low);
                if let Some(next) = next {
                    polytope.put(next);
                }
                continue;
            }
            let another = self.evaluations + 1 < most;
            let worthwhile = |next: &Open| least_offset - next.offset > tolerance && another;
            self.evaluations += expand_by_two(self.difference, polytope, &mut self.least, low, next, worthwhile);
        }
    }

    /// Gives a cap up where a normal elsewhere is better, so that its ball is too large, or where not all facets can be refined: what a cap
    /// makes up for, it does for its own ball only.
    #[inline(always)]
    fn judge_cap(&mut self, polytope: &mut Polytope, spent: bool) {
        let Some(Cap { radius, .. }) = self.cap else { return };
        if self.least.depth < radius || polytope.floor() < radius || spent {
            self.cap = None;
            self.settled = self.settled.filter(|_| self.least.depth >= radius);
            polytope.remove_apex();
        }
    }

    /// Newton's method from the lowest facet; around the common normal that it leads to, a cap or rings.
    #[inline(always)]
    fn straighten(&mut self, polytope: &mut Polytope, low: Open, gap: f64) -> Ended {
        self.rings_below *= RETRY;
        let left = self.most - self.evaluations;
        let (found, spent) = self.bodies.common_normal(self.least.normal, polytope.witness(low.facet), None, left);
        self.evaluations += spent;
        let as_deep = self.least.depth + self.tolerance;
        let Some((found, stand)) = found.filter(|(found, _)| found.depth < as_deep) else { return Ended::No };
        self.settled = Some(found);
        let left = self.most - self.evaluations;
        if polytope.ball() == 0.0 && left > 1 {
            self.cap = self.bodies.cap::<D::Facets>(&found, &stand, self.tolerance);
        }
        if let Some(cap) = self.cap {
            if cap.is_whole() {
                return Ended::WithBall;
            }
            let support = self.difference.support_along(cap.normal, self.least.slopes);
            self.evaluations += 1;
            self.least.offer(cap.normal, &support);
            polytope.insert_apex::<D::Facets>(&cap, support);
            return Ended::No;
        }
        if !(self.bodies.body_a.is_faceted() || self.bodies.body_b.is_faceted()) {
            self.evaluations += rings(self.difference, polytope, &mut self.least, &found, gap, self.tolerance, left);
        }
        self.rings_below = 0.0;
        Ended::No
    }

    /// Support points along three axes and against them, and one along the normal to begin with.
    #[inline(always)]
    fn first_corners(&mut self, [x, y, z]: [V3<f64>; 3], near: V3<f64>) -> ([Vertex; 6], Vertex) {
        let difference = self.difference;
        let (corners, nearest) = if let Some(twice_middle) = difference.twice_middle() {
            self.evaluations += 4;
            let [x_plus, y_plus] = difference.support([x, y], [UNKNOWN; 2]);
            let [z_plus, nearest] = difference.support([z, near], [UNKNOWN; 2]);
            let [x_minus, y_minus, z_minus] = [x_plus, y_plus, z_plus].map(|corner| corner.mirrored(twice_middle));
            ([x_plus, x_minus, y_plus, y_minus, z_plus, z_minus], nearest)
        } else {
            self.evaluations += FIRST_EVALUATIONS;
            let [x_plus, x_minus] = difference.support([x, -x], [UNKNOWN; 2]);
            let [y_plus, y_minus] = difference.support([y, -y], [UNKNOWN; 2]);
            let [z_plus, z_minus] = difference.support([z, -z], [UNKNOWN; 2]);
            ([x_plus, x_minus, y_plus, y_minus, z_plus, z_minus], difference.support_along(near, UNKNOWN))
        };
        self.least.offer(near, &nearest);
        for corner in &corners {
            self.least.offer(corner.normal, corner);
        }
        (corners, nearest)
    }

    /// The answer where the whole ball of the depth of a common normal is held by the difference body.
    #[inline(always)]
    fn touching_ball(&self) -> Expansion {
        let (Some(found), Some(cap)) = (self.settled, self.cap) else {
            return single(self.difference, self.least.normal);
        };
        let depth = cap.normal.dot(self.difference.support_along(cap.normal, UNKNOWN).p);
        Expansion {
            depth,
            normal: cap.normal,
            proved: cap.radius.min(depth),
            points: (found.x_a, found.x_b),
            common_normal: Some(found),
            unique_normal: true,
            evaluations: self.evaluations + 1,
        }
    }

    /// What the polytope tells in the end.
    #[inline(always)]
    fn conclude(&self, polytope: &Polytope, proved: f64) -> Expansion {
        let Least { depth, normal, .. } = self.least;
        let as_deep = depth - polytope.ball() + self.tolerance;
        let (least_other, same) = self.cap.map_or((f64::NEG_INFINITY, SAME), |cap| (cap.radius, cap.cosine));
        let unique_normal = polytope.normals_between(least_other, as_deep).all(|other| other.dot(normal) > same);
        Expansion {
            depth,
            normal,
            proved: (polytope.ball() + proved.min(polytope.floor())).min(depth),
            points: match &self.settled {
                Some(found) if self.cap.is_some() => (found.x_a, found.x_b),
                _ => polytope.witness(polytope.nearest(normal, SAME, as_deep)),
            },
            common_normal: self.settled,
            unique_normal,
            evaluations: self.evaluations,
        }
    }
}

/// Three right-handed unit vectors around a normal, 30° from it and evenly about it.
#[inline(always)]
fn around(normal: V3<f64>) -> [V3<f64>; 3] {
    let axis = if normal.x.abs() < 0.6 { V3::new(1.0, 0.0, 0.0) } else { V3::new(0.0, 1.0, 0.0) };
    let u = unit(normal.cross(axis));
    let (half, side) = (u * 0.5, normal.cross(u) * COS_30);
    [u, side - half, -(side + half)].map(|across| normal * COS_30 + across * 0.5)
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
