//! Signed distance in the plane: superellipse against point, line and segment.
//!
//! Paper 001 (appendix B) takes the superellipse's point with the line's normal, and where its foot lies beyond the
//! segment's ends it only tests those for being inside. Here the ends get their true distance, and everything else a
//! certificate. One formulation covers apart and overlapping: with h the support function of the superellipse (centred,
//! in its own frame) and A, B the segment's ends, every unit normal n gives a lower bound of the signed distance,
//!
//! `g(n) = min(n·A, n·B) - h(n)`, and the signed distance is its maximum over the circle.
//!
//! Along an arc of normals on which V is the nearer end, g satisfies `g'' + g = -ρ`, where ρ is the curve's radius of
//! curvature. So if `ρ ≥ ρ0` on the arc, g lies below `min(n·(V - p1 + ρ0 n1), n·(V - p2 + ρ0 n2)) - ρ0`, where p1 and p2
//! are the curve's points at the arc's ends: an upper bound, exact for a circle and closed form for ρ0. The arc with the
//! largest bound is divided where its bound is attained (which converges like Newton's method), or in its middle if that
//! did not help, until the largest bound and the best g agree.

use std::f64::consts::TAU;

use glam::DVec2;

use super::{Bounds, Options, QueryError, Status};
use crate::outcome::status_of;
use crate::shape::{Superellipse, smooth_angle, smooth_weights, weights};
use crate::solver::certificate;
use crate::{InvalidInput, Pose2};

/// The answer of a planar distance query; a is the superellipse.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct PlanarOutcome {
    /// Signed distance: positive apart, zero touching, negative overlapping, by the length of the shortest translation
    /// that parts the two.
    pub distance: f64,
    /// Closest (or deepest) point of the superellipse, in world coordinates.
    pub point_a: DVec2,
    /// Closest (or deepest) point of the other figure, in world coordinates.
    pub point_b: DVec2,
    /// Unit normal from a to b, in world coordinates: `point_b - point_a` is `distance * normal` as nearly as the
    /// tolerance admits.
    pub normal: DVec2,
    /// How the query ended.
    pub status: Status,
    /// Curve points evaluated.
    pub iterations: u32,
    /// Certified interval that contains the true signed distance.
    pub bounds: Bounds,
}

/// Signed distance between a superellipse and a point. `options.warm_start` is not used; the size that the tolerance
/// refers to is the larger radius.
///
/// ```
/// use superegg::query::{Options, superellipse_point};
/// use superegg::{DVec2, Pose2, shape::Superellipse};
/// let square = Superellipse::new([1.0, 1.0], 0.01)?;
/// let outcome = superellipse_point(&square, &Pose2::IDENTITY, DVec2::new(0.5, 3.0), &Options::DEFAULT)?;
/// assert!((outcome.distance - 2.0).abs() < 1e-9);
/// assert!((outcome.normal - DVec2::Y).length() < 1e-9);
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn superellipse_point(
    shape: &Superellipse,
    pose: &Pose2,
    point: DVec2,
    options: &Options,
) -> Result<PlanarOutcome, QueryError> {
    validate_point(point, ["point[0]", "point[1]"])?;
    separated(shape, pose, [point, point], options)
}

/// Signed distance between a superellipse and a segment; `options` as for [`superellipse_point`].
///
/// ```
/// use superegg::query::{Options, superellipse_segment};
/// use superegg::{DVec2, Pose2, shape::Superellipse};
/// let circle = Superellipse::new([1.0, 1.0], 1.0)?;
/// let beside = [DVec2::new(3.0, 4.0), DVec2::new(9.0, 4.0)];
/// let outcome = superellipse_segment(&circle, &Pose2::IDENTITY, beside, &Options::DEFAULT)?;
/// assert!((outcome.distance - 4.0).abs() < 1e-9); // the end (3, 4) is nearest, not the line
/// # Ok::<(), superegg::query::QueryError>(())
/// ```
pub fn superellipse_segment(
    shape: &Superellipse,
    pose: &Pose2,
    points: [DVec2; 2],
    options: &Options,
) -> Result<PlanarOutcome, QueryError> {
    validate_point(points[0], ["points[0][0]", "points[0][1]"])?;
    validate_point(points[1], ["points[1][0]", "points[1][1]"])?;
    separated(shape, pose, points, options)
}

/// Signed distance between a superellipse and the line through `point` along `direction`: closed form. The line has two
/// sides; overlapping is undone towards the nearer one.
pub fn superellipse_line(
    shape: &Superellipse,
    pose: &Pose2,
    point: DVec2,
    direction: DVec2,
    options: &Options,
) -> Result<PlanarOutcome, QueryError> {
    validate_point(point, ["point[0]", "point[1]"])?;
    let pose = &pose.normalized()?;
    options.validate()?;
    let largest = direction.abs().max_element();
    let accepted = direction.is_finite() && largest > 0.0;
    InvalidInput::unless(accepted, "direction", largest, "a finite, non-zero vector")?;
    let across = pose.inverse_transform_vector((direction / largest).normalize().perp());
    let on_line = pose.inverse_transform_point(point);
    let offset = across.dot(on_line);
    let normal = if offset >= 0.0 { across } else { -across };
    let position = shape.support(normal);
    let distance = offset.abs() - shape.support_value(normal);
    let scale = size(shape);
    let rounding = certificate::rounding_in_plane(scale + on_line.abs().max_element());
    let best = Best { distance, normal, position, touched: position + normal * distance };
    Ok(best.outcome(pose, distance, rounding, (options.tolerance * scale).max(4.0 * rounding), 1))
}

fn validate_point(point: DVec2, fields: [&'static str; 2]) -> Result<(), InvalidInput> {
    for (value, field) in point.to_array().into_iter().zip(fields) {
        InvalidInput::unless(value.is_finite(), field, value, "the finite numbers")?;
    }
    Ok(())
}

fn size(shape: &Superellipse) -> f64 {
    shape.radii()[0].max(shape.radii()[1])
}

fn separated(
    shape: &Superellipse,
    pose: &Pose2,
    world_ends: [DVec2; 2],
    options: &Options,
) -> Result<PlanarOutcome, QueryError> {
    let pose = &pose.normalized()?;
    options.validate()?;
    let ends = world_ends.map(|end| pose.inverse_transform_point(end));
    let scale = size(shape);
    let rounding = certificate::rounding_in_plane(scale + ends[0].abs().max(ends[1].abs()).max_element());
    let tolerance = (options.tolerance * scale).max(4.0 * rounding);
    let mut search = Search { shape, ends, evaluations: 0 };
    let (best, upper) = search.run(tolerance - 2.0 * rounding, options.max_iterations);
    let best = search.polished(best, rounding, options.max_iterations);
    Ok(best.outcome(pose, upper.max(best.distance), rounding, tolerance, search.evaluations))
}

/// A point of the curve as the end of an arc of normals.
#[derive(Clone, Copy)]
struct Node {
    /// `(cos φ, sin φ)` of the parametrisation.
    weights: DVec2,
    position: DVec2,
    normal: DVec2,
    /// T², see [`Search::smallest_curvature_radius`].
    tangent_sq: f64,
}

/// Normals between two nodes of one quadrant, all of which see the same end of the segment first.
#[derive(Clone, Copy)]
struct Arc {
    nodes: [Node; 2],
    /// Upper bound of g on the arc.
    bound: f64,
    /// The normal where the bound is attained.
    highest: DVec2,
    /// The last division hardly brought the bound down.
    stalled: bool,
}

/// The normal with the largest g so far.
#[derive(Clone, Copy)]
struct Best {
    distance: f64,
    normal: DVec2,
    position: DVec2,
    /// The segment's point that this normal reaches first.
    touched: DVec2,
}

impl Best {
    fn outcome(&self, pose: &Pose2, upper: f64, rounding: f64, tolerance: f64, iterations: u32) -> PlanarOutcome {
        let mut bounds = certificate::bounds(self.distance, upper, rounding, 1.0);
        let (mut distance, mut normal) = (self.distance, self.normal);
        // Apart, the two points are a witness: their distance is another upper bound, and their line the normal.
        let between = self.touched - self.position;
        let length = between.length();
        if distance > tolerance && length <= bounds.upper + tolerance {
            bounds.upper = bounds.upper.min(length + rounding);
            (distance, normal) = (length.min(bounds.upper), between / length);
        }
        let status = status_of(distance, bounds.upper - bounds.lower <= tolerance, tolerance);
        PlanarOutcome {
            distance,
            point_a: pose.transform_point(self.position),
            point_b: pose.transform_point(self.touched),
            normal: pose.transform_vector(normal),
            status,
            iterations,
            bounds,
        }
    }
}

/// Most arcs that may still hold the maximum. Third-order bounds keep a few dozen alive at most.
const CAPACITY: usize = 96;
/// Radii of curvature above this many radii serve no bound and would only cost digits.
const LARGEST_RELATIVE_CURVATURE_RADIUS: f64 = 1e3;

struct Search<'a> {
    shape: &'a Superellipse,
    /// The segment's ends in the superellipse's frame.
    ends: [DVec2; 2],
    evaluations: u32,
}

impl Search<'_> {
    /// The best normal, and an upper bound of g over all of them, no more than `width` apart unless the cap is reached.
    fn run(&mut self, width: f64, max_evaluations: u32) -> (Best, f64) {
        let turn = self.first_nodes();
        let mut best = self.judge(&turn[0]);
        let mut arcs = [self.arc([turn[0], turn[1]]); CAPACITY];
        let mut count = 0;
        for (index, node) in turn.iter().enumerate() {
            let next = turn[(index + 1) % turn.len()];
            if node.weights != next.weights {
                arcs[count] = self.arc([*node, next]);
                count += 1;
            }
            let judged = self.judge(node);
            if judged.distance > best.distance {
                best = judged;
            }
        }
        loop {
            // Arcs that cannot hold the maximum give up their places.
            let mut kept = 0;
            let mut widest = 0;
            for index in 0..count {
                if arcs[index].bound > best.distance {
                    arcs[kept] = arcs[index];
                    if arcs[kept].bound > arcs[widest].bound {
                        widest = kept;
                    }
                    kept += 1;
                }
            }
            count = kept;
            if count == 0 {
                return (best, best.distance);
            }
            let arc = arcs[widest];
            if arc.bound - best.distance <= width || self.evaluations >= max_evaluations || count == CAPACITY {
                return (best, arc.bound);
            }
            let node = self.divided(&arc);
            let judged = self.judge(&node);
            if judged.distance > best.distance {
                best = judged;
            }
            let halves = [[arc.nodes[0], node], [node, arc.nodes[1]]].map(|nodes| {
                let half = self.arc(nodes);
                Arc { stalled: half.bound - best.distance > 0.3 * (arc.bound - best.distance), ..half }
            });
            (arcs[widest], arcs[count]) = (halves[0], halves[1]);
            count += 1;
        }
    }

    /// The best point moved by Newton's method until it faces the other's: the bound on the distance tells little about
    /// the points, whose errors are the square root of its own. With w from the curve's point to the other's, the normal
    /// must turn by `w_t/(n·w + ρ)` and the point move by ρ times that; the one that stays finite is taken, the point
    /// for e ≤ 1 (faces), the normal for e > 1 (ridges).
    fn polished(&mut self, mut best: Best, rounding: f64, max_evaluations: u32) -> Best {
        let aside = |best: &Best| best.normal.perp_dot(best.touched - best.position).abs();
        while self.evaluations < max_evaluations && aside(&best) > 0.0 {
            let between = best.touched - best.position;
            let along = between.dot(best.normal);
            let curvature = self.shape.curve_point(self.shape.coordinates_at(best.position)).curvature;
            if along * curvature <= -1.0 + 1e-6 {
                break;
            }
            let weights = if self.shape.exponent() <= 1.0 {
                let step = (between - best.normal * along) / (1.0 + along * curvature);
                self.shape.coordinates_at(best.position + step)
            } else {
                self.shape.coordinates_with_normal(between + best.normal / curvature)
            };
            let node = self.node(weights);
            let judged = self.judge(&node);
            // Rounding ends the halving; steps off the segment's own normal or to another maximum are refused with it.
            let moved = (judged.position - best.position).length();
            let lost = best.distance - judged.distance;
            if lost <= rounding && aside(&judged) <= 0.5 * aside(&best) && moved <= 4.0 * aside(&best) {
                best = judged;
            } else {
                break;
            }
        }
        best
    }

    /// The four axes, and the two normals of the segment between them, counter-clockwise; some may coincide.
    fn first_nodes(&mut self) -> [Node; 6] {
        let along = self.ends[1] - self.ends[0];
        let across = if along == DVec2::ZERO { DVec2::X } else { (along / along.abs().max_element()).perp() };
        // Closer to an axis than angles near half a turn are told apart, it is the axis.
        let across = DVec2::select(across.abs().cmplt(DVec2::splat(1e-15)), DVec2::ZERO, across);
        let mut normals = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y, across, -across];
        normals.sort_by(|a, b| turn_order(*a).total_cmp(&turn_order(*b)));
        normals.map(|normal| self.node(self.shape.coordinates_with_normal(normal)))
    }

    fn node(&mut self, weights: DVec2) -> Node {
        self.evaluations += 1;
        let point = self.shape.curve_point(weights);
        let tangent_sq = self.tangent_sq(weights * weights);
        Node { weights, position: point.position, normal: point.normal, tangent_sq }
    }

    fn judge(&self, node: &Node) -> Best {
        let reach = self.ends.map(|end| node.normal.dot(end - node.position));
        let along = self.ends[1] - self.ends[0];
        let distance = reach[0].min(reach[1]);
        let touched = if (reach[0] - reach[1]).abs() > 1e-14 * along.length() {
            self.ends[usize::from(reach[1] < reach[0])]
        } else {
            // The segment's own normal sees all of it; the nearest part is beside the curve's point.
            let part = (node.position - self.ends[0]).dot(along) / along.length_squared();
            self.ends[0] + if part > 0.0 { along * part.min(1.0) } else { DVec2::ZERO }
        };
        Best { distance, normal: node.normal, position: node.position, touched }
    }

    /// Where to divide an arc: at the normal of its bound, or in the middle.
    fn divided(&mut self, arc: &Arc) -> Node {
        let e = self.shape.exponent();
        let angles = arc.nodes.map(|node| smooth_angle(node.weights, e));
        let (low, high) = (angles[0].min(angles[1]), angles[0].max(angles[1]));
        let inside = arc.nodes[0].weights + arc.nodes[1].weights;
        if !arc.stalled {
            let weights = self.shape.coordinates_with_normal(arc.highest).copysign(inside);
            let angle = smooth_angle(weights, e);
            if angle > low && angle < high {
                return self.node(weights);
            }
        }
        self.node(smooth_weights(0.5 * (low + high), e).copysign(inside))
    }

    fn arc(&self, nodes: [Node; 2]) -> Arc {
        let middle = nodes[0].normal + nodes[1].normal;
        let end = if middle.dot(self.ends[0]) <= middle.dot(self.ends[1]) { self.ends[0] } else { self.ends[1] };
        let radius = self.smallest_curvature_radius(&nodes);
        let [a, b] = nodes.map(|node| end - node.position + node.normal * radius);
        let (bound, highest) = highest_of_lower(a, b, nodes[0].normal, nodes[1].normal);
        Arc { nodes, bound: bound - radius, highest, stalled: false }
    }

    /// `T² = a1² x^(2-e) + a2² (1-x)^(2-e)` from `(1-x, x)`.
    fn tangent_sq(&self, parts: DVec2) -> f64 {
        let ([a1, a2], e) = (self.shape.radii(), self.shape.exponent());
        a1 * a1 * parts.y.powf(2.0 - e) + a2 * a2 * parts.x.powf(2.0 - e)
    }

    /// A lower bound of the radius of curvature between two nodes of a quadrant, from
    /// `ρ = e/(2-e) T³ (x(1-x))^(e-1)/(a1 a2)`, `x = sin² φ`: the smallest of each factor, both closed form.
    fn smallest_curvature_radius(&self, nodes: &[Node; 2]) -> f64 {
        let ([a1, a2], e) = (self.shape.radii(), self.shape.exponent());
        let parts = nodes.map(|node| node.weights * node.weights);
        let mut smallest_tangent_sq = nodes[0].tangent_sq.min(nodes[1].tangent_sq);
        let mut product = (parts[0].x * parts[0].y).min(parts[1].x * parts[1].y);
        if e < 1.0 {
            let between = |x: f64| (x - parts[0].y) * (x - parts[1].y) <= 0.0;
            let flattest = weights(a1, a2, 1.0 / (1.0 - e));
            if between(flattest.y * flattest.y) {
                smallest_tangent_sq = smallest_tangent_sq.min(self.tangent_sq(flattest * flattest));
            }
            product = if between(0.5) { 0.25 } else { (parts[0].x * parts[0].y).max(parts[1].x * parts[1].y) };
        }
        let radius =
            e / (2.0 - e) * smallest_tangent_sq * smallest_tangent_sq.sqrt() * product.powf(e - 1.0) / (a1 * a2);
        (radius * (1.0 - 1e-13)).min(LARGEST_RELATIVE_CURVATURE_RADIUS * size(self.shape))
    }
}

/// Monotone in the angle of a vector from 0 to a full turn.
fn turn_order(vector: DVec2) -> f64 {
    let angle = vector.y.atan2(vector.x);
    if angle < 0.0 { angle + TAU } else { angle }
}

/// The largest `min(n·a, n·b)` over unit normals n from `first` counter-clockwise to `second`, less than half a turn,
/// and where it is.
fn highest_of_lower(a: DVec2, b: DVec2, first: DVec2, second: DVec2) -> (f64, DVec2) {
    let lower = |n: DVec2| n.dot(a).min(n.dot(b));
    let mut best = if lower(first) >= lower(second) { (lower(first), first) } else { (lower(second), second) };
    let crossing = (a - b).perp();
    for candidate in [a, b, crossing, -crossing] {
        let normal = candidate.normalize_or_zero();
        let between = first.perp_dot(normal) > 0.0 && normal.perp_dot(second) > 0.0;
        if between && lower(normal) > best.0 {
            best = (lower(normal), normal);
        }
    }
    best
}
