//! Normal and points of an overlap to rounding.
//!
//! The depth is stationary in the normal, so that bounds of 1e-9 leave the normal exact to 3e-5 only. A few steps of
//! Newton's method for the common normal, the same as for bodies that are apart, make up for it. They start at a facet's
//! witness points, which are right on flat faces too. Where no common normal is reached (corners too sharp to be resolved,
//! arcs of normals of the same depth), those points remain: they lie within the tolerance of both surfaces.

use crate::solver::body::Body;
use crate::solver::body::superquadric::Curvature;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::separation::step::{Relation, Step};
use crate::solver::simd::{Real, V3};

/// Most steps from each start. Each squares the error, but on flat faces, whose curvature vanishes, it only divides it by
/// about three.
const MOST_STEPS: u32 = 8;
/// Part of a step that is tried where the whole of it leads too far, as it does where the depth hardly depends on the normal; and the part
/// below which no shorter one is tried.
const SHORTEN: f64 = 0.4;
const LEAST_PART: f64 = 0.2;
/// Residual, the square of an angle and of a length in units of the size, at which rounding is reached.
const EXACT: f64 = 1e-28;
/// Residual up to which the result of the steps is better than the polytope's.
const COMMON_NORMAL: f64 = 1e-15;
/// Residual below which moving both points onto one line leaves them on their surfaces to rounding.
const STRAIGHT: f64 = 1e-18;
/// Points this far apart, in units of the size, are different answers.
const DIFFERENT: f64 = 1e-2;

/// Both bodies at (nearly) a common normal.
pub(crate) struct Stand<R: Real, A: Body<R>, B: Body<R>> {
    pub a: A::Point,
    pub b: B::Point,
    pub relation: Relation<R>,
}

impl<R: Real<Mask = bool> + Into<f64>, A: Body<R>, B: Body<R>> Stand<R, A, B> {
    #[inline(always)]
    fn new(placement: &Placement<R>, a: A::Point, b: B::Point) -> Stand<R, A, B> {
        Stand { a, b, relation: Relation::new::<A, B>(placement, &a, &b) }
    }

    /// Where a step leads from points and normals of an earlier query, at which nothing is evaluated; none where that is no place.
    #[inline(always)]
    fn after(body_a: &A, body_b: &B, placement: &Placement<R>, earlier: [V3<f64>; 4]) -> Option<Stand<R, A, B>> {
        let [x_a, n_a, x_b, n_b] = earlier.map(V3::spread);
        let (a, b) = (body_a.recall(x_a, n_a), body_b.recall(x_b, n_b));
        let relation = Relation::new::<A, B>(placement, &a, &b);
        let (from_a, from_b) = ((body_a, &a), (body_b, &b));
        let step = Step::towards_common_normal::<A, B>(from_a, from_b, placement, &relation, |_| relation.along);
        let target = step.normal + step.move_a + step.move_b + relation.x_a + relation.w;
        if !target.length_sq().lt(R::splat(f64::MAX)) {
            return None;
        }
        // Bodies follow any other target to a point of their surface.
        let (a, b) = step.apply::<A, B>(from_a, from_b, placement, R::splat(1.0));
        Some(Stand::new(placement, a, b))
    }

    /// Goes on while the residual falls; the number of steps.
    #[inline(always)]
    fn straighten(&mut self, body_a: &A, body_b: &B, placement: &Placement<R>, most: u32) -> u32 {
        let most = most.min(MOST_STEPS);
        let mut spent = 0;
        while spent < most {
            if self.relation.residual.lt(R::splat(EXACT)) {
                return spent;
            }
            let relation = self.relation;
            let (from_a, from_b) = ((body_a, &self.a), (body_b, &self.b));
            let step_to = Step::towards_common_normal::<A, B>(from_a, from_b, placement, &relation, |_| relation.along);
            let mut part = 1.0;
            loop {
                let (a, b) = step_to.apply::<A, B>(from_a, from_b, placement, R::splat(part));
                let next = Stand::new(placement, a, b);
                spent += 1;
                // Not a number where the system was singular: that is no progress either.
                if next.relation.residual.lt(relation.residual) {
                    *self = next;
                    break;
                }
                if part < LEAST_PART || spent >= most {
                    return spent;
                }
                part *= SHORTEN;
            }
        }
        spent
    }
}

/// What Newton's method leads to, and where the bodies stand there.
type Reached<R, A, B> = Option<(CommonNormal, Stand<R, A, B>)>;

/// A common normal of overlapping bodies, in a's frame.
#[derive(Clone, Copy)]
pub(crate) struct CommonNormal {
    pub normal: V3<f64>,
    /// Distance of the points along it.
    pub depth: f64,
    /// The deepest points, on both surfaces.
    pub x_a: V3<f64>,
    pub x_b: V3<f64>,
    /// Principal directions across the normal and curvature radii of the difference body, the smaller first.
    pub directions: [V3<f64>; 2],
    pub radii: [f64; 2],
    /// The larger curvature radius of the intersection of both tangent sections: large where both bodies are flat.
    pub common_radius: f64,
}

impl CommonNormal {
    /// Whether it has this depth.
    pub fn is_deep(&self, depth: f64, tolerance: f64) -> bool {
        (self.depth - depth).abs() <= tolerance
    }

    /// Whether no points elsewhere are as deep to within the tolerance: points that move together by t across the normal
    /// fall below the tangent planes by `t²/2` times both curvatures.
    pub fn has_unique_points(&self, tolerance: f64) -> bool {
        2.0 * tolerance * self.common_radius < DIFFERENT * DIFFERENT
    }
}

/// Two placed bodies.
pub(crate) struct Bodies<'a, R, A, B> {
    pub body_a: &'a A,
    pub body_b: &'a B,
    pub placement: &'a Placement<R>,
}

impl<R: Real<Mask = bool> + Into<f64>, A: Body<R>, B: Body<R>> Bodies<'_, R, A, B> {
    /// `σ` along a unit normal, surely not too small but for rounding.
    #[inline(always)]
    pub fn sigma(&self, normal: V3<f64>) -> f64 {
        (-self.placement.gap_along(self.body_a, self.body_b, normal.spread())).into()
    }

    /// The common normal near a normal and points of both bodies, and where both bodies stand there, if Newton's method leads to one; and
    /// the evaluations spent, at most `most`.
    #[inline(always)]
    pub fn common_normal(
        &self,
        normal: V3<f64>,
        points: (V3<f64>, V3<f64>),
        earlier: Option<[V3<f64>; 4]>,
        most: u32,
    ) -> (Reached<R, A, B>, u32) {
        common_normal(self.body_a, self.body_b, self.placement, normal, points, earlier, most)
    }
}

#[inline(always)]
fn common_normal<R: Real<Mask = bool> + Into<f64>, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    normal: V3<f64>,
    (x_a, x_b): (V3<f64>, V3<f64>),
    earlier: Option<[V3<f64>; 4]>,
    most: u32,
) -> (Reached<R, A, B>, u32) {
    let normal: V3<R> = normal.spread();
    let normal_b = -placement.a_to_b::<B>(normal);
    let mut stand = match earlier.and_then(|earlier| Stand::after(body_a, body_b, placement, earlier)) {
        Some(stand) => stand,
        None => {
            let own_b = placement.a_to_b::<B>(x_b.spread::<R>() - placement.centre);
            Stand::new(placement, body_a.place(x_a.spread(), normal), body_b.place(own_b, normal_b))
        }
    };
    let mut evaluations = stand.straighten(body_a, body_b, placement, most);
    if !stand.relation.residual.lt(R::splat(COMMON_NORMAL)) && evaluations < most {
        let mut other = Stand::new(placement, body_a.with_normal(normal), body_b.with_normal(normal_b));
        evaluations += other.straighten(body_a, body_b, placement, most - evaluations);
        if other.relation.residual.lt(stand.relation.residual) {
            stand = other;
        }
    }
    if !stand.relation.residual.lt(R::splat(COMMON_NORMAL)) {
        return (None, evaluations);
    }
    let (x_a, x_b) = straight_points::<R, A, B>(body_b, placement, &stand);
    let (directions, radii, common_radius) = curvatures(body_a, body_b, placement, &stand);
    let found = CommonNormal {
        normal: stand.relation.mid.spread(),
        depth: (-stand.relation.along).into(),
        x_a: x_a.spread(),
        x_b: x_b.spread(),
        directions,
        radii,
        common_radius,
    };
    (Some((found, stand)), evaluations)
}

/// A point of each surface, the depth apart along the normal as far as that leaves them on their surfaces.
#[inline(always)]
fn straight_points<R: Real<Mask = bool>, A: Body<R>, B: Body<R>>(
    body_b: &B,
    placement: &Placement<R>,
    stand: &Stand<R, A, B>,
) -> (V3<R>, V3<R>) {
    let relation = &stand.relation;
    let across = relation.mid * relation.along;
    if !relation.residual.lt(R::splat(STRAIGHT)) {
        return (relation.x_a, relation.x_a + relation.w);
    }
    if B::SOLID {
        let middle = relation.w.mul_add(R::splat(0.5), relation.x_a);
        let half = across * R::splat(0.5);
        return (middle - half, middle + half);
    }
    // Without an inside, b's point has to stay on b.
    let opposite = placement.a_to_b::<B>(relation.x_a + across - placement.centre);
    let on_b = B::position(&body_b.place(opposite, -placement.a_to_b::<B>(relation.mid)));
    (relation.x_a, placement.centre + placement.b_to_a::<B>(on_b))
}

/// Principal directions and radii of the difference body, whose curvature radii are the sum `M_a + M_b` of both bodies' (2×2
/// matrices across the normal); and the trace, about the larger eigenvalue, of the parallel sum `M_a (M_a + M_b)⁻¹ M_b`.
#[inline(always)]
fn curvatures<R: Real<Mask = bool> + Into<f64>, A: Body<R>, B: Body<R>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<R>,
    stand: &Stand<R, A, B>,
) -> ([V3<f64>; 2], [f64; 2], f64) {
    let normal: V3<f64> = stand.relation.mid.spread();
    let axis = if normal.x.abs() < 0.6 { V3::new(1.0, 0.0, 0.0) } else { V3::new(0.0, 1.0, 0.0) };
    let u = unit(normal.cross(axis));
    let v = normal.cross(u);
    let local_b = body_b.curvature(&stand.b);
    let curve_b = Curvature { t: placement.b_to_a::<B>(local_b.t), b: placement.b_to_a::<B>(local_b.b), ..local_b };
    let matrix = |curve: &Curvature<R>| -> [f64; 3] {
        let (t, b): (V3<f64>, V3<f64>) = (curve.t.spread(), curve.b.spread());
        let (alpha, beta): (f64, f64) = (curve.alpha.into(), curve.beta.into());
        let ([tu, tv], [bu, bv]) = ([t.dot(u), t.dot(v)], [b.dot(u), b.dot(v)]);
        [alpha * tu * tu + beta * bu * bu, alpha * tu * tv + beta * bu * bv, alpha * tv * tv + beta * bv * bv]
    };
    let ([a, b, c], [p, q, r]) = (matrix(&body_a.curvature(&stand.a)), matrix(&curve_b));
    let (xx, xy, yy) = (a + p, b + q, c + r);
    let determinant = (xx * yy - xy * xy).max(0.0);
    let (mean, half_gap) = (0.5 * (xx + yy), (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt());
    let larger = mean + half_gap;
    let smaller = determinant / larger.max(f64::MIN_POSITIVE);
    // The eigenvector of the larger one, from the row that does not cancel.
    let (x, y) = if xx >= yy { (0.5 * (xx - yy) + half_gap, xy) } else { (xy, 0.5 * (yy - xx) + half_gap) };
    let of_larger = if x == 0.0 && y == 0.0 { u } else { unit(u * x + v * y) };
    let trace = (a * yy - b * xy) * p + (b * xx - a * xy) * q + (b * yy - c * xy) * q + (c * xx - b * xy) * r;
    let common_radius = if trace <= 0.0 { 0.0 } else { trace / determinant };
    ([normal.cross(of_larger), of_larger], [smaller, larger], common_radius)
}
