//! Common-normal solutions in 77-digit arithmetic, and with them the error of an `f64` answer.
//!
//! The unknowns are two weights of each curved body (as logarithms of ratios, so that flat faces and ridges are alike),
//! the place on a vertex, edge or face of a hull, the unit normal `n` and the signed distance δ; the equations say that
//! the points differ by δ·n and that n is normal to both. Newton's method with exact derivatives solves them from an
//! `f64` answer. The system is regular at contact and in overlap as well.
//!
//! Error: for convex pairs that are apart the returned [`Precise::gap`] is the difference between the distance of the
//! two surface points found, an upper bound, and `L(n)`, a lower bound, both in 77 digits: it proves the answer, whatever
//! the start and however the iteration went. In overlap, and for bodies that are not convex, the result is a stationary
//! value near the start, to the same precision, and says nothing about others.

mod real;

use glam::DVec3;
use superegg::Pose;
use superegg::shape::Shape;

use crate::Pair;
use real::Jet;
pub use real::Real;

/// An `f64` answer to start from, in world coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Closest point of a.
    pub point_a: DVec3,
    /// Closest point of b.
    pub point_b: DVec3,
    /// Unit normal from a to b.
    pub normal: DVec3,
}

/// A distance to 30 digits and more.
#[derive(Clone, Debug)]
pub struct Precise {
    distance: Real,
    normal: Vector,
    /// Upper minus lower bound of the distance for convex pairs apart: the error of this answer. `None` where no such
    /// proof exists.
    pub gap: Option<f64>,
}

impl Precise {
    /// The signed distance, rounded.
    pub fn distance(&self) -> f64 {
        self.distance.to_f64()
    }

    /// By how much an `f64` answer exceeds the true distance.
    pub fn excess(&self, answer: f64) -> f64 {
        (Real::new(answer) - &self.distance).to_f64()
    }

    /// Sine of the angle between an answer's normal and the true one.
    pub fn misdirection(&self, normal: DVec3) -> f64 {
        let (n, m) = (vector(normal), &self.normal);
        let across = [&n[1] * &m[2] - &n[2] * &m[1], &n[2] * &m[0] - &n[0] * &m[2], &n[0] * &m[1] - &n[1] * &m[0]];
        (dot(&across, &across) / (dot(&n, &n) * dot(m, m))).sqrt().to_f64()
    }
}

/// By how much an `f64` lower bound exceeds `L(n)`, the lower bound of the distance that a normal of any length proves, in 77
/// digits: a bound that does is not proved by that normal. For pairs without a half-space; of a body that is not convex the hull
/// counts, by the stationary point that is the highest one in `f64`.
pub fn excess_over_dual(pair: &Pair, normal: DVec3, lower: f64) -> f64 {
    let raw = vector(normal);
    let length = dot(&raw, &raw).sqrt();
    let unit: Vector = raw.map(|component| component / &length);
    let opposite: Vector = std::array::from_fn(|i| -&unit[i]);
    let support =
        |shape: &Shape, pose: &Pose, direction: &Vector, near: DVec3| match Curved::new(shape, pose, &pair.pose_a) {
            Some(curved) => curved.support(direction, pose.inverse_transform_vector(near)),
            None => {
                let feature = Feature::all(shape, pose, &pair.pose_a, DVec3::ZERO).swap_remove(0);
                Body::Feature(feature).support_bound(direction, &[])
            }
        };
    let reach_a = support(&pair.a, &pair.pose_a, &unit, normal);
    let reach_b = support(&pair.b, &pair.pose_b, &opposite, -normal);
    (Real::new(lower) + reach_a + reach_b).to_f64()
}

/// Largest outer unknown, either way: heights beyond differ from those of the equator and the poles by less than the digits kept; and
/// how often an interval of such unknowns is halved.
const OUTERMOST: f64 = 200.0;
const HALVINGS: u32 = 260;

type Vector = [Real; 3];

fn vector(v: DVec3) -> Vector {
    v.to_array().map(Real::new)
}

fn dot(a: &Vector, b: &Vector) -> Real {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn difference(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| &a[i] - &b[i])
}

/// Where a body is: rows of the rotation matrix, and the centre relative to that of a.
struct Frame {
    rows: [Vector; 3],
    centre: Vector,
}

impl Frame {
    fn new(pose: &Pose, origin: &Pose) -> Frame {
        let [x, y, z, w] = pose.rotation.to_array().map(Real::new);
        let length = (&x * &x + &y * &y + &z * &z + &w * &w).sqrt();
        let [x, y, z, w] = [x, y, z, w].map(|component| component / &length);
        let (one, two) = (Real::new(1.0), Real::new(2.0));
        let diagonal = |p: &Real, q: &Real| &one - &two * (p * p + q * q);
        let plus = |p: &Real, q: &Real, r: &Real, s: &Real| &two * (p * q + r * s);
        let minus = |p: &Real, q: &Real, r: &Real, s: &Real| &two * (p * q - r * s);
        let rows = [
            [diagonal(&y, &z), minus(&x, &y, &z, &w), plus(&x, &z, &y, &w)],
            [plus(&x, &y, &z, &w), diagonal(&x, &z), minus(&y, &z, &x, &w)],
            [minus(&x, &z, &y, &w), plus(&y, &z, &x, &w), diagonal(&x, &y)],
        ];
        Frame { rows, centre: difference(&vector(pose.translation), &vector(origin.translation)) }
    }

    fn rotate(&self, local: &[Jet; 3]) -> [Jet; 3] {
        std::array::from_fn(|i| {
            let row = &self.rows[i];
            &(&local[0].times(&row[0]) + &local[1].times(&row[1])) + &local[2].times(&row[2])
        })
    }

    fn place(&self, local: &[Jet; 3]) -> [Jet; 3] {
        let rotated = self.rotate(local);
        std::array::from_fn(|i| rotated[i].plus(&self.centre[i]))
    }

    fn to_local(&self, world: &Vector) -> Vector {
        std::array::from_fn(|i| {
            &self.rows[0][i] * &world[0] + &self.rows[1][i] * &world[1] + &self.rows[2][i] * &world[2]
        })
    }

    fn place_constant(&self, local: DVec3) -> Vector {
        let local = vector(local).map(Jet::constant);
        self.place(&local).map(|jet| jet.value)
    }

    fn rotate_constant(&self, local: DVec3) -> Vector {
        let local = vector(local).map(Jet::constant);
        self.rotate(&local).map(|jet| jet.value)
    }
}

/// A superellipsoid or superovoid.
struct Curved {
    frame: Frame,
    radii: Vector,
    exponents: [Real; 2],
    taper: [Real; 2],
    /// Which octant the solution lies in.
    signs: [f64; 3],
    convex: bool,
}

/// A vertex, edge or face of a hull, as a point and up to two edges from it, in the frame of a's centre.
struct Feature {
    base: Vector,
    edges: Vec<Vector>,
    /// All vertices, for the support function.
    vertices: Vec<Vector>,
}

enum Body {
    Curved(Box<Curved>),
    Feature(Feature),
}

/// A body's point and, for a curved one, outward unit normal, as functions of the body's unknowns.
struct Place {
    point: [Jet; 3],
    normal: Option<[Jet; 3]>,
}

/// The norm with exponent `2/(2-e)`.
fn dual_norm(u: &Real, v: &Real, e: &Real) -> Real {
    let (one, two) = (Real::new(1.0), Real::new(2.0));
    let q = &two / (&two - e);
    (u.pow(&q) + v.pow(&q)).pow(&(&one / &q))
}

impl Curved {
    fn new(shape: &Shape, pose: &Pose, origin: &Pose) -> Option<Curved> {
        let (radii, exponents, taper, convex) = match shape {
            Shape::Superellipsoid(body) => (body.radii(), body.exponents(), [0.0; 2], true),
            Shape::Superovoid(body) => (body.radii(), body.exponents(), body.taper(), body.is_convex()),
            _ => return None,
        };
        Some(Curved {
            frame: Frame::new(pose, origin),
            radii: radii.map(Real::new),
            exponents: exponents.map(Real::new),
            taper: taper.map(Real::new),
            signs: [1.0; 3],
            convex,
        })
    }

    /// The unknowns at an `f64` answer, given in the body's own frame: logarithms of the ratios of weights y:x and z:xy.
    /// Each comes from the positions where the exponent is at most one, else from the normals: from what varies.
    fn start(&mut self, point: DVec3, normal: DVec3) -> [f64; 2] {
        let to_f64 = |values: &[Real; 2]| [values[0].to_f64(), values[1].to_f64()];
        let ([e1, e2], [tx, ty]) = (to_f64(&self.exponents), to_f64(&self.taper));
        let radii = DVec3::new(self.radii[0].to_f64(), self.radii[1].to_f64(), self.radii[2].to_f64());
        let s = (point.z / radii.z).clamp(-1.0, 1.0);
        let factors = DVec3::new(1.0 + tx * s, 1.0 + ty * s, 1.0);
        let position = point / (radii * factors);
        let mut dual = normal * radii * factors;
        dual.z += tx * position.x * dual.x / factors.x + ty * position.y * dual.y / factors.y;
        let sign =
            |position: f64, dual: f64, e: f64| if if e <= 1.0 { position } else { dual } < 0.0 { -1.0 } else { 1.0 };
        self.signs = [sign(position.x, dual.x, e1), sign(position.y, dual.y, e1), sign(position.z, dual.z, e2)];
        // A weight of exactly zero has no logarithm; this one is below anything that matters.
        let logarithm = |x: f64| x.abs().max(1e-40).ln();
        let ratio = |large: f64, small: f64, power: f64| (logarithm(large) - logarithm(small)) / power;
        let norm = |u: f64, v: f64, p: f64| {
            let large = u.abs().max(v.abs()).max(1e-300);
            large * ((u.abs() / large).powf(p) + (v.abs() / large).powf(p)).powf(1.0 / p)
        };
        let inner = if e1 <= 1.0 { ratio(position.y, position.x, e1) } else { ratio(dual.y, dual.x, 2.0 - e1) };
        let outer = if e2 <= 1.0 {
            ratio(position.z, norm(position.x, position.y, 2.0 / e1), e2)
        } else {
            ratio(dual.z, norm(dual.x, dual.y, 2.0 / (2.0 - e1)), 2.0 - e2)
        };
        [inner, outer]
    }

    fn place(&self, unknowns: &[Real]) -> Place {
        let (one, two) = (Real::new(1.0), Real::new(2.0));
        // Squared weights w1², w2² that sum to one, and half the logarithm of each.
        let level = |index: usize| {
            let logarithm = Jet::unknown(unknowns[index].clone(), index);
            let ratio_sq = logarithm.times(&two).exp();
            let sum = ratio_sq.plus(&one);
            let first = &Jet::constant(one.clone()) / &sum;
            let half_ln_first = sum.ln().times(&Real::new(-0.5));
            let half_ln_second = &half_ln_first + &logarithm;
            (first.clone(), &ratio_sq * &first, half_ln_first, half_ln_second)
        };
        let ((wx, wy, ln_x, ln_y), (wr, wz, ln_r, ln_z)) = (level(0), level(1));
        let [e1, e2] = &self.exponents;
        let radius = ln_r.times(e2);
        let x = (&radius + &ln_x.times(e1)).exp();
        let y = (&radius + &ln_y.times(e1)).exp();
        let z = ln_z.times(e2).exp();
        // Position times normal is the squared weight.
        let (dual_x, dual_y, dual_z) = (&(&wr * &wx) / &x, &(&wr * &wy) / &y, &wz / &z);
        let [sx, sy, sz] = self.signs.map(Real::new);
        let (x, y, z) = (x.times(&sx), y.times(&sy), z.times(&sz));
        let (dual_x, dual_y, dual_z) = (dual_x.times(&sx), dual_y.times(&sy), dual_z.times(&sz));
        let factor = |taper: &Real| z.times(taper).plus(&one);
        let (fx, fy) = (factor(&self.taper[0]), factor(&self.taper[1]));
        let [a1, a2, a3] = &self.radii;
        let local = [(&x * &fx).times(a1), (&y * &fy).times(a2), z.times(a3)];
        let by_taper = &(&(&x * &dual_x) / &fx).times(&self.taper[0]) + &(&(&y * &dual_y) / &fy).times(&self.taper[1]);
        let divided = |jet: &Jet, by: &Real| jet.times(&(&one / by));
        let normal =
            [divided(&(&dual_x / &fx), a1), divided(&(&dual_y / &fy), a2), divided(&(&dual_z - &by_taper), a3)];
        let length_sq = &(&(&normal[0] * &normal[0]) + &(&normal[1] * &normal[1])) + &(&normal[2] * &normal[2]);
        let length = length_sq.sqrt();
        let normal = normal.map(|component| &component / &length);
        Place { point: self.frame.place(&local), normal: Some(self.frame.rotate(&normal)) }
    }

    /// The support function at a unit vector of the world, relative to the centre of a; `local` is that vector in the
    /// body's own frame, to `f64`. With a taper an upper bound that is right to some sixty digits: by the secant method, and by
    /// bisection where that does not settle, as at poles and right beside them.
    fn support(mut self, direction: &Vector, local: DVec3) -> Real {
        if self.taper.iter().all(Real::is_zero) {
            return self.support_bound(direction, &[]);
        }
        let shape = superegg::shape::Superovoid::new(
            self.radii.each_ref().map(Real::to_f64),
            self.exponents.each_ref().map(Real::to_f64),
            self.taper.each_ref().map(Real::to_f64),
        );
        let start = self.start(shape.expect("made from a shape").support(local), local);
        let mut last = Real::new(start[1] + 1e-9);
        let mut at = Real::new(start[1]);
        let slope_at = |unknown: &Real| self.reach_and_slope(direction, unknown).1;
        let mut last_slope = slope_at(&last);
        for _ in 0..12 {
            let slope = slope_at(&at);
            let change = &slope - &last_slope;
            if slope.to_f64().abs() < 1e-50 || change.is_zero() {
                break;
            }
            let next = &at - &slope * (&at - &last) / &change;
            (last, last_slope) = (at, slope);
            at = next;
        }
        let inner = Real::new(start[0]);
        let by_secants = self.support_bound(direction, &[inner.clone(), at.clone()]);
        if slope_at(&at).to_f64().abs() < 1e-50 || !self.convex {
            return by_secants;
        }
        let by_halves = self.support_bound(direction, &[inner, self.highest_by_halves(slope_at)]);
        // What did not settle may be no number at all.
        if by_secants.is_less(&by_halves) { by_secants } else { by_halves }
    }

    /// The outer unknown of the slice that reaches farthest, where the slope by the height changes its sign: reach is concave in the
    /// height, which grows with the unknown.
    fn highest_by_halves(&self, slope_at: impl Fn(&Real) -> Real) -> Real {
        let (mut low, mut high) = (Real::new(-OUTERMOST), Real::new(OUTERMOST));
        let (outward, zero) = (Real::new(self.signs[2]), Real::new(0.0));
        for _ in 0..HALVINGS {
            let middle = (&low + &high) * Real::new(0.5);
            if zero.is_less(&(slope_at(&middle) * &outward)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The height that belongs to an outer unknown, as a part of the third radius.
    fn height(&self, unknown: &Real) -> Real {
        let (one, two) = (Real::new(1.0), Real::new(2.0));
        let ratio_sq = (unknown * &two).exp();
        (&ratio_sq / (&one + &ratio_sq)).pow(&(&self.exponents[1] / &two)) * Real::new(self.signs[2])
    }

    /// How far the slice at the height given by the outer unknown reaches along a unit vector of the world, from the body's
    /// own centre, and the derivative of that by the height as a part of the third radius.
    fn reach_and_slope(&self, direction: &Vector, unknown: &Real) -> (Real, Real) {
        let local = self.frame.to_local(direction);
        let (one, two) = (Real::new(1.0), Real::new(2.0));
        let [a1, a2, a3] = &self.radii;
        let [e1, e2] = &self.exponents;
        let (x, y) = (local[0].abs(), local[1].abs());
        let ratio_sq = (unknown * &two).exp();
        let (w_r, w_z) = (&one / (&one + &ratio_sq), &ratio_sq / (&one + &ratio_sq));
        let half = |e: &Real| e / &two;
        let (r, s) = (w_r.pow(&half(e2)), self.height(unknown));
        let r_slope = -&(&w_z / &w_r).pow(&(&one - half(e2)));
        let r_slope = r_slope * Real::new(self.signs[2]);
        let [tx, ty] = &self.taper;
        let (u, v) = ((&one + tx * &s) * a1 * &x, (&one + ty * &s) * a2 * &y);
        let ring = dual_norm(&u, &v, e1);
        let q_less_one = e1 / (&two - e1);
        let share = |part: &Real| (part / &ring).pow(&q_less_one);
        let ring_slope =
            if ring.is_zero() { Real::new(0.0) } else { share(&u) * tx * a1 * &x + share(&v) * ty * a2 * &y };
        let reach = a3 * &local[2] * &s + &r * &ring;
        let slope = a3 * &local[2] + r_slope * &ring + &r * &ring_slope;
        (reach, slope)
    }

    /// An upper bound of the support function at a unit vector of the world, relative to the centre of a, that is tight
    /// where `unknowns` belong to that vector.
    fn support_bound(&self, direction: &Vector, unknowns: &[Real]) -> Real {
        let local = self.frame.to_local(direction);
        let [a1, a2, a3] = &self.radii;
        let [e1, e2] = &self.exponents;
        let untapered = self.taper.iter().all(Real::is_zero);
        let (x, y) = (local[0].abs(), local[1].abs());
        let value = if untapered {
            dual_norm(&dual_norm(&(a1 * &x), &(a2 * &y), e1), &(a3 * &local[2]).abs(), e2)
        } else {
            // The reach of the slice at height s is concave in s, so a tangent bounds it: up to the end that it rises to.
            let (reach, slope) = self.reach_and_slope(direction, &unknowns[1]);
            let (one, height) = (Real::new(1.0), self.height(&unknowns[1]));
            let to_end = if slope.is_less(&Real::new(0.0)) { one + height } else { one - height };
            reach + slope.abs() * to_end
        };
        value + dot(direction, &self.frame.centre)
    }
}

impl Feature {
    /// All features of a hull, those closest to `near` first.
    fn all(shape: &Shape, pose: &Pose, origin: &Pose, near: DVec3) -> Vec<Feature> {
        let points: &[DVec3] = match shape {
            Shape::Point(point) => point.points(),
            Shape::Segment(segment) => segment.points(),
            Shape::Triangle(triangle) => triangle.points(),
            _ => return Vec::new(),
        };
        let frame = Frame::new(pose, origin);
        let local = pose.inverse_transform_point(near);
        let count = points.len();
        let mut subsets: Vec<Vec<usize>> =
            (1..1usize << count).map(|set| (0..count).filter(|i| set >> i & 1 == 1).collect()).collect();
        let distance = |subset: &Vec<usize>| match subset[..] {
            [i] => local.distance(points[i]),
            [i, j] => local.distance(crate::oracle::surface::closest_on_segment(points[i], points[j], local)),
            _ => 0.0,
        };
        // The smallest feature that holds the point, then the larger ones, then the rest.
        let scale = 1e-5 * points.iter().map(|p| p.distance(points[0])).fold(f64::MIN_POSITIVE, f64::max);
        subsets.sort_by_key(|subset| (distance(subset) > scale, subset.len()));
        (subsets.into_iter())
            .map(|subset| Feature {
                base: frame.place_constant(points[subset[0]]),
                edges: subset[1..].iter().map(|&i| frame.rotate_constant(points[i] - points[subset[0]])).collect(),
                vertices: points.iter().map(|&point| frame.place_constant(point)).collect(),
            })
            .collect()
    }

    fn place(&self, unknowns: &[Real]) -> Place {
        let mut point = self.base.clone().map(Jet::constant);
        for (index, edge) in self.edges.iter().enumerate() {
            let share = Jet::unknown(unknowns[index].clone(), index);
            point = std::array::from_fn(|i| &point[i] + &share.times(&edge[i]));
        }
        Place { point, normal: None }
    }
}

impl Body {
    fn unknowns(&self) -> usize {
        match self {
            Body::Curved(_) => 2,
            Body::Feature(feature) => feature.edges.len(),
        }
    }

    fn place(&self, unknowns: &[Real]) -> Place {
        match self {
            Body::Curved(curved) => curved.place(unknowns),
            Body::Feature(feature) => feature.place(unknowns),
        }
    }

    fn support_bound(&self, direction: &Vector, unknowns: &[Real]) -> Real {
        match self {
            Body::Curved(curved) => curved.support_bound(direction, unknowns),
            Body::Feature(feature) => {
                let values = feature.vertices.iter().map(|vertex| dot(direction, vertex));
                values.reduce(|p, q| if p.is_less(&q) { q } else { p }).expect("a hull has vertices")
            }
        }
    }

    fn is_convex(&self) -> bool {
        match self {
            Body::Curved(curved) => curved.convex,
            Body::Feature(_) => true,
        }
    }

    /// Whether the unknowns belong to a point of the body: on a line or plane they may leave the edge or face.
    fn contains(&self, unknowns: &[Real]) -> bool {
        let Body::Feature(_) = self else { return true };
        let (zero, one) = (Real::new(0.0), Real::new(1.0));
        let sum = unknowns.iter().fold(zero.clone(), |sum, share| sum + share);
        !one.is_less(&sum) && unknowns.iter().all(|share| !share.is_less(&zero))
    }
}

/// The bodies a shape may stand for, the likeliest first, with unknowns at the start.
fn candidates(shape: &Shape, pose: &Pose, origin: &Pose, point: DVec3, outward: DVec3) -> Vec<(Body, Vec<Real>)> {
    if let Some(mut curved) = Curved::new(shape, pose, origin) {
        let local = (pose.inverse_transform_point(point), pose.inverse_transform_vector(outward));
        let start = curved.start(local.0, local.1);
        return vec![(Body::Curved(Box::new(curved)), start.map(Real::new).to_vec())];
    }
    let features = Feature::all(shape, pose, origin, point);
    let middle = |feature: &Feature| vec![Real::new(1.0 / (feature.edges.len() + 1) as f64); feature.edges.len()];
    features
        .into_iter()
        .map(|feature| (middle(&feature), feature))
        .map(|(start, f)| (Body::Feature(f), start))
        .collect()
}

/// Solves from an `f64` answer, or from nothing for a half-space. `None` when the iteration does not settle: where a weight is exactly zero (axis-aligned
/// symmetry) or the answer is not unique (parallel flat faces).
pub fn refine(pair: &Pair, start: &Start) -> Option<Precise> {
    if let Some(distance) = plane_distance(pair) {
        return Some(Precise { distance, normal: vector(start.normal), gap: Some(0.0) });
    }
    let all_a = candidates(&pair.a, &pair.pose_a, &pair.pose_a, start.point_a, start.normal);
    let mut best: Option<Precise> = None;
    for (body_a, start_a) in &all_a {
        let all_b = candidates(&pair.b, &pair.pose_b, &pair.pose_a, start.point_b, -start.normal);
        for (body_b, start_b) in &all_b {
            let Some(found) = solve([body_a, body_b], [start_a, start_b], start, pair.size()) else { continue };
            let only = all_a.len() == 1 && all_b.len() == 1;
            if only || found.gap.is_some_and(|gap| gap <= 1e-25 * pair.size()) {
                return Some(found);
            }
            // Of several features the one with the least gap is the closest; in overlap there is no telling.
            if found.gap.is_some_and(|gap| best.as_ref().is_none_or(|best| best.gap.is_none_or(|other| gap < other))) {
                best = Some(found);
            }
        }
    }
    best
}

/// The distance of a half-space from anything whose support function is closed form: all but tapered bodies.
fn plane_distance(pair: &Pair) -> Option<Real> {
    let (plane, pose, body, body_pose) = match (&pair.a, &pair.b) {
        (Shape::Plane(_), Shape::Plane(_)) => return None,
        (Shape::Plane(plane), body) => (plane, &pair.pose_a, body, &pair.pose_b),
        (body, Shape::Plane(plane)) => (plane, &pair.pose_b, body, &pair.pose_a),
        _ => return None,
    };
    // The plane's normal is a unit vector only up to rounding.
    let normal = Frame::new(pose, pose).rotate_constant(plane.normal());
    let length = dot(&normal, &normal).sqrt();
    let towards = std::array::from_fn(|i| -&(&normal[i] / &length));
    let body = match Curved::new(body, body_pose, pose) {
        Some(curved) if !curved.taper.iter().all(Real::is_zero) => return None,
        Some(curved) => Body::Curved(Box::new(curved)),
        None => Body::Feature(Feature::all(body, body_pose, pose, DVec3::ZERO).swap_remove(0)),
    };
    Some(-&(body.support_bound(&towards, &[]) + Real::new(plane.offset()) / length))
}

/// Steps of Newton's method; some thirty suffice from an answer that is right to nine digits.
const MOST_STEPS: usize = 80;

fn solve(bodies: [&Body; 2], starts: [&Vec<Real>; 2], start: &Start, size: f64) -> Option<Precise> {
    let counts = bodies.map(Body::unknowns);
    let (n_at, distance_at) = (counts[0] + counts[1], counts[0] + counts[1] + 3);
    let order = distance_at + 1;
    let mut unknowns: Vec<Real> = starts[0].iter().chain(starts[1]).cloned().collect();
    unknowns.extend(vector(start.normal));
    unknowns.push(Real::new((start.point_b - start.point_a).dot(start.normal) / size));
    let (t, u) = start.normal.normalize().any_orthonormal_pair();
    let tangents = [vector(t), vector(u)];
    let size = Real::new(size);
    for _ in 0..MOST_STEPS {
        let (mut matrix, mut residual) = (vec![vec![Real::new(0.0); order]; order], Vec::with_capacity(order));
        let split = [&unknowns[..counts[0]], &unknowns[counts[0]..n_at]];
        let places: [Place; 2] = std::array::from_fn(|side| bodies[side].place(split[side]));
        let normal: Vector = std::array::from_fn(|i| unknowns[n_at + i].clone());
        let distance = &unknowns[distance_at];
        for i in 0..3 {
            let row = residual.len();
            let apart = (&places[1].point[i].value - &places[0].point[i].value) / &size;
            residual.push(apart - distance * &normal[i]);
            let slopes = |side: usize| places[side].point[i].slope[..counts[side]].iter().map(|slope| slope / &size);
            let entries = slopes(0).map(|slope| -&slope).chain(slopes(1));
            for (entry, slope) in matrix[row].iter_mut().zip(entries) {
                *entry = slope;
            }
            matrix[row][n_at + i] = -distance;
            matrix[row][distance_at] = -&normal[i];
        }
        for side in 0..2 {
            let first = side * counts[0];
            let outward = Real::new(if side == 0 { -1.0 } else { 1.0 });
            match (&places[side].normal, bodies[side]) {
                (Some(own), _) => {
                    for tangent in &tangents {
                        let row = residual.len();
                        let value: Vector = std::array::from_fn(|i| &own[i].value + &outward * &normal[i]);
                        residual.push(dot(tangent, &value));
                        for k in 0..2 {
                            matrix[row][first + k] = dot(tangent, &std::array::from_fn(|i| own[i].slope[k].clone()));
                        }
                        for i in 0..3 {
                            matrix[row][n_at + i] = &outward * &tangent[i];
                        }
                    }
                }
                (None, Body::Feature(feature)) => {
                    for edge in &feature.edges {
                        let row = residual.len();
                        residual.push(dot(edge, &normal) / &size);
                        for i in 0..3 {
                            matrix[row][n_at + i] = &edge[i] / &size;
                        }
                    }
                }
                (None, Body::Curved(_)) => unreachable!("a curved body has a normal"),
            }
        }
        let row = residual.len();
        residual.push(dot(&normal, &normal) - Real::new(1.0));
        for i in 0..3 {
            matrix[row][n_at + i] = &normal[i] * &Real::new(2.0);
        }
        let step = eliminate(matrix, residual)?;
        let largest = |steps: &[Real]| steps.iter().map(|step| step.to_f64().abs()).fold(0.0, f64::max);
        // Weights may change by a factor of e² in a step, the normal and the distance by a fifth.
        let scale = (2.0 / largest(&step[..n_at])).min(0.2 / largest(&step[n_at..])).min(1.0);
        let factor = Real::new(scale);
        for (unknown, step) in unknowns.iter_mut().zip(&step) {
            *unknown = &*unknown - step * &factor;
            if !unknown.is_finite() {
                return None;
            }
        }
        if largest(&step) < 1e-36 {
            return Some(prove(bodies, &unknowns, counts, &size));
        }
    }
    None
}

/// The distance of a solution and, where there is one, its proof.
fn prove(bodies: [&Body; 2], unknowns: &[Real], counts: [usize; 2], size: &Real) -> Precise {
    let n_at = counts[0] + counts[1];
    let split = [&unknowns[..counts[0]], &unknowns[counts[0]..n_at]];
    let distance = &unknowns[n_at + 3] * size;
    let proper = (0..2).all(|side| bodies[side].is_convex() && bodies[side].contains(split[side]));
    let raw: Vector = std::array::from_fn(|i| unknowns[n_at + i].clone());
    let length = dot(&raw, &raw).sqrt();
    let normal: Vector = raw.map(|component| component / &length);
    if !proper || distance.is_less(&Real::new(0.0)) {
        return Precise { distance, normal, gap: None };
    }
    let points: [Vector; 2] = std::array::from_fn(|side| bodies[side].place(split[side]).point.map(|jet| jet.value));
    let apart = difference(&points[1], &points[0]);
    let upper = dot(&apart, &apart).sqrt();
    let opposite: Vector = std::array::from_fn(|i| -&normal[i]);
    let lower = -&(bodies[0].support_bound(&normal, split[0]) + bodies[1].support_bound(&opposite, split[1]));
    Precise { distance: upper.clone(), normal, gap: Some((upper - lower).to_f64()) }
}

/// Gaussian elimination with scaled rows and partial pivoting. `None` for a singular matrix.
fn eliminate(mut matrix: Vec<Vec<Real>>, mut right: Vec<Real>) -> Option<Vec<Real>> {
    let order = right.len();
    for row in 0..order {
        let mut largest = Real::new(0.0);
        for entry in &matrix[row] {
            if largest.is_less(&entry.abs()) {
                largest = entry.abs();
            }
        }
        if largest.is_zero() || !largest.is_finite() {
            return None;
        }
        for entry in &mut matrix[row] {
            *entry = &*entry / &largest;
        }
        right[row] = &right[row] / &largest;
    }
    for column in 0..order {
        let mut pivot = column;
        for row in column + 1..order {
            if matrix[pivot][column].abs().is_less(&matrix[row][column].abs()) {
                pivot = row;
            }
        }
        if matrix[pivot][column].is_zero() {
            return None;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..order {
            let factor = &matrix[row][column] / &matrix[column][column];
            if factor.is_zero() {
                continue;
            }
            let (above, below) = matrix.split_at_mut(row);
            for (entry, pivot) in below[0].iter_mut().zip(&above[column]).skip(column) {
                *entry = &*entry - &factor * pivot;
            }
            right[row] = &right[row] - &factor * &right[column];
        }
    }
    for row in (0..order).rev() {
        for k in row + 1..order {
            right[row] = &right[row] - &matrix[row][k] * &right[k];
        }
        right[row] = &right[row] / &matrix[row][row];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Domain, known};
    use rand::RngExt;
    use superegg::shape::Superellipsoid;

    fn start_of(known: &crate::KnownPair) -> Start {
        Start { point_a: known.point_a, point_b: known.point_b, normal: known.normal }
    }

    #[test]
    fn supports_at_poles_and_beside_them() {
        let egg = superegg::shape::Superovoid::new([0.3, 0.2, 0.25], [0.5, 1.3], [0.2; 2]).unwrap();
        for aside in [0.0, 1e-200, 1e-60, 1e-24, 1e-16, 1e-9, 1e-3, 1.0] {
            for direction in [DVec3::new(aside, 0.4 * aside, 1.0), DVec3::new(-aside, aside, -1.0)] {
                let pair = Pair {
                    a: egg.into(),
                    pose_a: Pose::IDENTITY,
                    b: superegg::shape::Point::new([DVec3::ZERO]).unwrap().into(),
                    pose_b: Pose::IDENTITY,
                };
                // The height of a support point proves no more than what an upper bound of the support function says.
                let unit = direction.normalize();
                let reach = excess_over_dual(&pair, unit, 0.0);
                let seen = egg.support(unit).dot(unit);
                assert!((reach - seen).abs() < 1e-15, "{direction}: {reach} is not {seen}");
            }
        }
    }

    #[test]
    fn a_half_space_and_an_ellipsoid() {
        let pair = Pair {
            a: Superellipsoid::new([3.0, 2.0, 1.0], [1.0; 2]).unwrap().into(),
            pose_a: Pose::from_translation(DVec3::new(1.0, 2.0, 7.0)),
            b: superegg::shape::Plane::new(DVec3::new(0.0, 0.6, 0.8), 0.5).unwrap().into(),
            pose_b: Pose::IDENTITY,
        };
        // Normal and offset as stored; |(2·0.6, 0.8)| = √2.08.
        let expected = 0.6 * 2.0 + 0.8 * 7.0 - 0.5 - 2.08f64.sqrt();
        let start = Start { point_a: DVec3::ZERO, point_b: DVec3::ZERO, normal: DVec3::Z };
        assert!((refine(&pair, &start).unwrap().distance() - expected).abs() < 2e-15);
        assert!((refine(&pair.swapped(), &start).unwrap().distance() - expected).abs() < 2e-15);
    }

    #[test]
    fn spheres() {
        let sphere = |radius: f64| Shape::from(Superellipsoid::new([radius; 3], [1.0; 2]).unwrap());
        let mut rng = generate::seeded(51);
        let translation = DVec3::new(1.0, 2.0, 2.0);
        let pair = Pair {
            a: sphere(0.5),
            pose_a: Pose { rotation: generate::rotation(&mut rng), translation: DVec3::ZERO },
            b: sphere(0.25),
            pose_b: Pose { rotation: generate::rotation(&mut rng), translation },
        };
        let n = DVec3::new(0.34, 0.66, 0.67).normalize();
        let start = Start { point_a: n * 0.5, point_b: translation - n * 0.25, normal: n };
        let found = refine(&pair, &start).unwrap();
        assert!(found.excess(2.25).abs() < 1e-70, "{found:?}");
        assert!(found.gap.unwrap() < 1e-70);
    }

    /// Everything that is known by construction is confirmed to 25 digits, including the error of the construction.
    #[test]
    fn known_pairs_are_what_they_claim_to_be() {
        let mut rng = generate::seeded(52);
        let (mut answered, mut worst) = (0, 0.0f64);
        for index in 0..120 {
            let mut known = known::apart(&mut rng, &Domain::WIDE, true);
            if index % 3 == 0 {
                // Generic normals only: the others are often symmetric.
                known = known::Construction {
                    a: known.pair.a,
                    b: known.pair.b,
                    facing_a: known::Facing::Surface(generate::direction(&mut rng)),
                    facing_b: known::Facing::Surface(generate::direction(&mut rng)),
                    rotation_a: generate::rotation(&mut rng),
                    twist: rng.random_range(-3.0..3.0),
                    separation: known.distance,
                    position_a: DVec3::ZERO,
                }
                .build();
            }
            let Some(found) = refine(&known.pair, &start_of(&known)) else { continue };
            let Some(gap) = found.gap else { continue };
            if gap > 1e-25 * known.pair.size() {
                continue;
            }
            answered += 1;
            let error = found.excess(known.distance).abs();
            worst = worst.max(error / known.error);
            assert!(error <= known.error, "{index}: {error:e} of {:e}: {}", known.error, known.pair.to_rust());
        }
        println!("{answered} of 120 answered; largest part of the stated error used: {worst:.3}");
        assert!(answered >= 60, "{answered}");
    }
}
