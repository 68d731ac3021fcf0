//! The fallback: Gilbert, Johnson and Keerthi's algorithm on support points, which cannot fail, only be slow.
//!
//! It keeps a simplex of the bodies' difference and moves it towards the origin; every iterate gives an upper bound
//! (the simplex's nearest point) and a lower one (the supporting plane). Every now and then Newton's method is started
//! again from where it stands.

use crate::shape::nearest_face;
use crate::solver::body::Body;
use crate::solver::body::simplex::closest_on_simplex;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::separation::found::{Separation, direction_between};
use crate::solver::separation::newton::{Goal, separate};
use crate::solver::simd::V3;

/// Iterations at which Newton's method is tried again.
const RESTARTS: [u32; 5] = [4, 8, 20, 60, 150];
/// Evaluations that each of those tries may spend.
const RESTART_EVALUATIONS: u32 = 30;
/// Evaluations that each of the last tries may spend.
const LAST_EVALUATIONS: u32 = 200;

/// Part of the tolerance within which the simplex counts as having reached the origin.
const MEETING: f64 = 1e-3;

/// A vertex of the simplex: a point of b minus a point of a.
#[derive(Clone, Copy)]
pub(crate) struct Vertex {
    w: V3<f64>,
    x_a: V3<f64>,
    x_b: V3<f64>,
}

impl Vertex {
    /// From points of a and of b, in a's frame.
    pub fn between(x_a: V3<f64>, x_b: V3<f64>) -> Vertex {
        Vertex { w: x_b - x_a, x_a, x_b }
    }

    /// How far b's point is from a's along a direction.
    pub fn along(&self, direction: V3<f64>) -> f64 {
        self.w.dot(direction)
    }
}

/// Up to three differences of points of the bodies, and the points of their hulls that are closest by them.
pub(crate) struct DifferenceSimplex {
    /// The last one has room for a vertex that comes in.
    vertices: [Vertex; 4],
    count: usize,
    pub closest: (V3<f64>, V3<f64>),
}

/// What became of a vertex.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Insertion {
    /// It was there before.
    Known,
    /// The closest points are those with it.
    Taken,
    /// The origin lies in the tetrahedron that it makes: the hulls overlap.
    HoldsOrigin,
}

impl DifferenceSimplex {
    pub fn new(first: Vertex) -> DifferenceSimplex {
        DifferenceSimplex { vertices: [first; 4], count: 1, closest: (first.x_a, first.x_b) }
    }

    pub fn insert(&mut self, next: Vertex) -> Insertion {
        if self.vertices[..self.count].iter().any(|vertex| (vertex.w - next.w).length_sq() == 0.0) {
            return Insertion::Known;
        }
        self.vertices[self.count] = next;
        let Some((kept, weights)) = reduce(&mut self.vertices, self.count + 1) else { return Insertion::HoldsOrigin };
        self.count = kept;
        let sum = |pick: fn(&Vertex) -> V3<f64>| {
            (0..kept).fold(V3::splat(0.0), |sum, i| pick(&self.vertices[i]).mul_add(weights[i], sum))
        };
        self.closest = (sum(|vertex| vertex.x_a), sum(|vertex| vertex.x_b));
        Insertion::Taken
    }

    /// From a's closest point to b's.
    pub fn between(&self) -> V3<f64> {
        self.closest.1 - self.closest.0
    }

    /// The distance of the closest points.
    pub fn length(&self) -> f64 {
        self.between().length_sq().sqrt()
    }

    /// The pairs of points that the closest points lie between.
    pub fn corners(&self) -> impl Iterator<Item = (V3<f64>, V3<f64>)> + Clone {
        self.vertices[..self.count].iter().map(|vertex| (vertex.x_a, vertex.x_b))
    }
}

/// Two convex bodies, and what is asked of them.
struct Problem<'a, A, B> {
    body_a: &'a A,
    body_b: &'a B,
    placement: &'a Placement<f64>,
    tolerance: f64,
    /// Evaluations, those of Newton's method included.
    most: u32,
}

impl<A: Body<f64>, B: Body<f64>> Problem<'_, A, B> {
    fn left(&self, found: &Separation<f64>) -> u32 {
        self.most.saturating_sub(found.evaluations as u32)
    }

    fn support(&self, direction: V3<f64>) -> Vertex {
        let x_a = A::position(&self.body_a.with_normal(direction));
        let in_b = B::position(&self.body_b.with_normal(-self.placement.a_to_b::<B>(direction)));
        Vertex::between(x_a, self.placement.centre + self.placement.b_to_a::<B>(in_b))
    }

    /// Both bodies near two points and a normal.
    fn place(&self, direction: V3<f64>, (x_a, x_b): (V3<f64>, V3<f64>)) -> (A::Point, B::Point) {
        let in_b = self.placement.a_to_b::<B>(x_b - self.placement.centre);
        (self.body_a.place(x_a, direction), self.body_b.place(in_b, -self.placement.a_to_b::<B>(direction)))
    }

    /// Newton's method from where the search stands, its evaluations added to those spent.
    fn newton(&self, start: (A::Point, B::Point), most: u32, so_far: &mut Separation<f64>) -> Separation<f64> {
        let most = most.min(self.left(so_far));
        let mut end = separate(self.body_a, self.body_b, self.placement, start, self.tolerance, most, Goal::Distance);
        so_far.evaluations += end.evaluations;
        end.evaluations = so_far.evaluations;
        end
    }

    /// Moves a simplex towards the origin until both bounds meet, rounding stops it or the evaluations are spent. True where
    /// nothing is left to do.
    fn walk(&self, first: V3<f64>, best: &mut Separation<f64>) -> bool {
        let mut direction = unit(first);
        let mut simplex = DifferenceSimplex::new(self.support(direction));
        best.witness = direction;
        let mut iteration = 0;
        loop {
            let length = simplex.length();
            let progress = length < best.upper * (1.0 - 1e-15);
            let mut bound = f64::NEG_INFINITY;
            if length > 0.0 {
                direction = simplex.between() * (1.0 / length);
                bound = self.placement.gap_along(self.body_a, self.body_b, direction);
            }
            best.improve(bound, direction, length, simplex.closest);
            if best.upper - best.lower <= self.tolerance || length <= self.tolerance * MEETING || self.left(best) == 0 {
                return false;
            }
            if RESTARTS.contains(&iteration) {
                let retry = self.newton(self.place(direction, simplex.closest), RESTART_EVALUATIONS, best);
                if retry.converged || retry.overlapping {
                    *best = retry;
                    return true;
                }
            }
            if self.left(best) == 0 {
                return false;
            }
            let next = self.support(direction);
            best.evaluations += 1.0;
            let inserted = simplex.insert(next);
            if inserted == Insertion::HoldsOrigin {
                best.overlapping = true;
                return true;
            }
            if inserted == Insertion::Known || (iteration > 0 && !progress) {
                return false;
            }
            iteration += 1;
        }
    }
}

/// Distance of two convex bodies, certified to `tolerance`, or the knowledge that they overlap. Spends at most `most`
/// evaluations, at least one.
pub(crate) fn gjk<A: Body<f64>, B: Body<f64>>(
    body_a: &A,
    body_b: &B,
    placement: &Placement<f64>,
    normal: V3<f64>,
    tolerance: f64,
    most: u32,
) -> Separation<f64> {
    let problem = Problem { body_a, body_b, placement, tolerance, most };
    let mut best = Separation::unknown();
    if problem.walk(normal, &mut best) {
        return best;
    }
    // Where the simplex has reached the origin, the bodies meet: that is for others to measure. Else rounding has stopped it;
    // Newton's method has only the last digits to go, from the closest points, or from where the best normal touches.
    if best.upper - best.lower > tolerance && best.upper > tolerance * MEETING {
        let at_normal = (body_a.with_normal(best.witness), body_b.with_normal(-placement.a_to_b::<B>(best.witness)));
        for start in [problem.place(best.witness, (best.x_a, best.x_b)), at_normal] {
            if problem.left(&best) == 0 {
                break;
            }
            let last = problem.newton(start, LAST_EVALUATIONS, &mut best);
            if last.converged || last.overlapping {
                return last;
            }
            best.improve(last.lower, last.witness, last.upper, (last.x_a, last.x_b));
        }
    }
    best.converged = best.upper - best.lower <= tolerance;
    best.normal = direction_between(best.x_a, best.x_b, best.witness);
    best
}

/// Keeps the part of the simplex that is nearest to the origin, with barycentric weights; `None` when the origin is
/// inside the tetrahedron.
fn reduce(simplex: &mut [Vertex; 4], count: usize) -> Option<(usize, [f64; 3])> {
    const ORIGIN: V3<f64> = V3 { x: 0.0, y: 0.0, z: 0.0 };
    let mut keep = [simplex[0]; 3];
    let (indices, weights) = if count <= 3 {
        let points = simplex.map(|vertex| vertex.w);
        ([0, 1, 2], closest_on_simplex(&points[..count], ORIGIN).1)
    } else {
        nearest_face(&simplex.map(|vertex| vertex.w.into()))?
    };
    let mut kept = 0;
    let mut kept_weights = [0.0; 3];
    for (index, weight) in indices.into_iter().zip(weights) {
        if weight > 0.0 {
            keep[kept] = simplex[index];
            kept_weights[kept] = weight;
            kept += 1;
        }
    }
    simplex[..3].copy_from_slice(&keep);
    Some((kept, kept_weights))
}
