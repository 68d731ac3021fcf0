//! Closest points of two surfaces from points nearby, where a body bends inwards.
//!
//! Minimises `½|x_b - x_a|²` over both surfaces by Newton's method in their tangent planes, damped as Levenberg and Marquardt
//! do until the points come closer. The curvature of the support function, `α t tᵀ + β b bᵀ`, passes through infinity where a
//! surface begins to bend inwards; its inverse, which is what the tangent planes need, is smooth there: `1/α` along t and
//! `1/β` along b. A simplex, and any other convex body whose surface is not smooth, takes part by its nearest point.

use crate::solver::body::simplex::Simplex;
use crate::solver::body::superquadric::{Superquadric, SurfacePoint};
use crate::solver::nonconvex::projection::Projection;
use crate::solver::pair::placement::{Placement, unit};
use crate::solver::separation::found::{Separation, direction_between};
use crate::solver::simd::V3;

/// Most steps, counted with those refused.
const MOST_STEPS: u32 = 60;
/// The first damping, and how it changes after a step that was taken or refused.
const DAMPING: (f64, f64, f64) = (1e-4, 0.1, 8.0);
/// Damping at which steps are too short to matter.
const STUCK: f64 = 1e8;
/// Squared sine between the line of the points and either normal at which they are closest points, and the one aimed at:
/// derivatives of the distance need the normal to more digits than the distance itself.
const ALIGNED: f64 = 1e-10;
const WELL_ALIGNED: f64 = 1e-24;
/// Part of the squared distance that a step must promise to gain for rounding to leave it visible.
const VISIBLE: f64 = 1e-14;
/// Largest curvature along a tangent, in units of the inverse size: edges of exponents near two are sharper.
const SHARPEST: f64 = 1e12;
/// Curvature, in units of the inverse size, up to which a step follows its target position, level by level; beyond it the
/// normal, which a small step changes much.
const SHARP: f64 = 3.0;
/// Distance, in units of the size, beyond which closest points are not taken for a crossing of the surfaces.
const CLEAR: f64 = 1e-7;
/// Steps of the undamped method, their largest length in units of the size, and the squared sine at which it ends.
const MOST_NEWTON_STEPS: u32 = 8;
const LONGEST_NEWTON_STEP: f64 = 0.2;
const COMMON: f64 = 1e-22;
/// Steps of the search without derivatives end at this part of the size, or after so many evaluations.
const SHORTEST_WAY: f64 = 1e-11;
const MOST_FELT: f64 = 4000.0;
/// Squared distance, in units of the size, at which a foot on the line or plane of a feature lies on the simplex.
const ON_SIMPLEX_SQ: f64 = 1e-26;
/// How far from where the surfaces meet, as parts of the size, a point inside both bodies is looked for.
const INWARD: [f64; 3] = [1e-6, 1e-4, 1e-2];

/// What closest points are looked for on.
pub(crate) enum Opposite<'a> {
    Superquadric(&'a Superquadric<f64, true>),
    Convex(&'a dyn Projection),
}

/// A point of a surface with its tangent plane, in a's frame.
#[derive(Clone, Copy)]
struct Foot {
    position: V3<f64>,
    normal: V3<f64>,
    tangents: [V3<f64>; 2],
    /// Curvature along either tangent; the two are conjugate.
    bends: [f64; 2],
}

/// A body with its place.
#[derive(Clone, Copy)]
struct Surface<'a> {
    body: &'a Superquadric<f64, true>,
    /// None for body a.
    placement: Option<&'a Placement<f64>>,
}

impl Surface<'_> {
    fn turned(&self, v: V3<f64>) -> V3<f64> {
        self.placement.map_or(v, |placement| placement.rotation.apply(v))
    }

    fn back(&self, v: V3<f64>) -> V3<f64> {
        self.placement.map_or(v, |placement| placement.rotation.apply_transposed(v))
    }

    fn local(&self, x: V3<f64>) -> V3<f64> {
        self.placement.map_or(x, |placement| placement.rotation.apply_transposed(x - placement.centre))
    }

    fn foot(&self, at: SurfacePoint<f64>) -> Foot {
        let curvature = self.body.curvature(&at);
        let tangent = |v: V3<f64>, weight: f64| {
            let length_sq = v.length_sq().max(1e-300);
            (self.turned(v * (1.0 / length_sq.sqrt())), (1.0 / (weight * length_sq)).clamp(-SHARPEST, SHARPEST))
        };
        let ((t, bend_t), (b, bend_b)) = (tangent(curvature.t, curvature.alpha), tangent(curvature.b, curvature.beta));
        let position = self.turned(at.position) + self.placement.map_or(V3::splat(0.0), |placement| placement.centre);
        Foot { position, normal: self.turned(at.normal), tangents: [t, b], bends: [bend_t, bend_b] }
    }

    /// The surface point near a position and normal of a's frame.
    fn near(&self, position: V3<f64>, normal: V3<f64>) -> Foot {
        self.foot(self.body.place(self.local(position), self.back(normal)))
    }

    /// Moves along both tangents.
    fn moved(&self, from: &Foot, along: [f64; 2]) -> Foot {
        let [t, b] = from.tangents;
        let step = t * along[0] + b * along[1];
        // The normal turns by c1 t + c2 b, whose parts along t and b are bend times length.
        let (turn_t, turn_b) = (from.bends[0] * along[0], from.bends[1] * along[1]);
        let skew = t.dot(b);
        let per = 1.0 / (1.0 - skew * skew).max(1e-12);
        let turn = t * ((turn_t - skew * turn_b) * per) + b * ((turn_b - skew * turn_t) * per);
        let position = self.local(from.position + step);
        let normal = self.back(from.normal + turn);
        let by_position = from.bends.map(|bend| bend.abs() < SHARP);
        self.foot(self.body.follow(by_position, position, normal))
    }

    fn contains(&self, point: V3<f64>) -> bool {
        self.body.contains(self.local(point))
    }
}

/// Leads two points of a's frame to closest points of the bodies nearby: converged if it got there, overlapping if it came
/// upon a common point. The lower bound is left open.
pub(crate) fn closest_points(
    a: &Superquadric<f64, true>,
    b: &Opposite,
    placement: &Placement<f64>,
    (x_a, x_b): (V3<f64>, V3<f64>),
    normal: V3<f64>,
) -> Separation<f64> {
    let surface_a = Surface { body: a, placement: None };
    match b {
        Opposite::Superquadric(b) => {
            let surface_b = Surface { body: b, placement: Some(placement) };
            let start = (surface_a.near(x_a, normal), surface_b.near(x_b, -normal));
            between_surfaces([surface_a, surface_b], start)
        }
        Opposite::Convex(other) => to_convex(&surface_a, *other, surface_a.near(x_a, normal)),
    }
}

/// Newton's method, undamped, for points of both surfaces with a common normal along the line between them, which need not be
/// closest points: the deepest points of bodies that overlap are not. The points and the part of the line from a's to b's
/// along a's normal, or none where it does not get there.
pub(crate) fn common_normal(
    a: &Superquadric<f64, true>,
    b: &Superquadric<f64, true>,
    placement: &Placement<f64>,
    (x_a, x_b): (V3<f64>, V3<f64>),
    normal: V3<f64>,
) -> Option<CommonNormal> {
    let surfaces = [Surface { body: a, placement: None }, Surface { body: b, placement: Some(placement) }];
    let mut at = (surfaces[0].near(x_a, normal), surfaces[1].near(x_b, -normal));
    for _ in 0..MOST_NEWTON_STEPS {
        let w = at.1.position - at.0.position;
        let (system, slope) = linearised(w, &at.0, &at.1);
        let step = eliminate(system, slope)?;
        if step.iter().any(|length| length.abs() > LONGEST_NEWTON_STEP) {
            return None;
        }
        at = (surfaces[0].moved(&at.0, [step[0], step[1]]), surfaces[1].moved(&at.1, [step[2], step[3]]));
        let w = at.1.position - at.0.position;
        if misalignment(w, &[at.0.normal, at.1.normal]) <= COMMON {
            let normal = at.0.normal;
            return Some(CommonNormal { x_a: at.0.position, x_b: at.1.position, normal, along: w.dot(normal) });
        }
    }
    None
}

/// The same for a simplex. b's point moves on the feature that is nearest once the simplex has been pushed out by `shift`.
pub(crate) fn common_normal_with_simplex(
    a: &Superquadric<f64, true>,
    simplex: &Simplex,
    centre: V3<f64>,
    (x_a, x_b): (V3<f64>, V3<f64>),
    normal: V3<f64>,
    shift: V3<f64>,
) -> Option<CommonNormal> {
    let surface = Surface { body: a, placement: None };
    let (_, feature) = simplex.closest(x_a - centre - shift);
    // The foot on the line or plane of the feature.
    let opposite = |x: V3<f64>| x - simplex.across(feature, x - x_b);
    let mut at = surface.near(x_a, normal);
    for _ in 0..MOST_NEWTON_STEPS {
        let across = |motion: V3<f64>| simplex.across(feature, motion);
        let (system, slope) = linearised_to_nearest(opposite(at.position) - at.position, &at, across);
        let step = eliminate(system, slope)?;
        if step.iter().any(|length| length.abs() > LONGEST_NEWTON_STEP) {
            return None;
        }
        at = surface.moved(&at, step);
        let x_b = opposite(at.position);
        let w = x_b - at.position;
        if misalignment(w, &[at.normal]) <= COMMON {
            let off_sq = (simplex.closest(x_b - centre).0 + centre - x_b).length_sq();
            let found = CommonNormal { x_a: at.position, x_b, normal: at.normal, along: w.dot(at.normal) };
            return (off_sq <= ON_SIMPLEX_SQ).then_some(found);
        }
    }
    None
}

/// Points with a common normal.
pub(crate) struct CommonNormal {
    pub x_a: V3<f64>,
    pub x_b: V3<f64>,
    /// Unit, of a.
    pub normal: V3<f64>,
    /// Distance from a's point to b's along it, negative in overlap.
    pub along: f64,
}

/// The second derivative of `½|w|²` in both tangent planes, and minus its gradient.
fn linearised(w: V3<f64>, a: &Foot, b: &Foot) -> ([[f64; 4]; 4], [f64; 4]) {
    let (lambda_a, lambda_b) = (w.dot(a.normal), -w.dot(b.normal));
    let (t_a, t_b) = (a.tangents, b.tangents);
    let mut system = [[0.0; 4]; 4];
    let mut slope = [0.0; 4];
    for i in 0..2 {
        for j in 0..2 {
            system[i][j] = t_a[i].dot(t_a[j]);
            system[i + 2][j + 2] = t_b[i].dot(t_b[j]);
            system[i][j + 2] = -t_a[i].dot(t_b[j]);
            system[j + 2][i] = system[i][j + 2];
        }
        system[i][i] += lambda_a * a.bends[i];
        system[i + 2][i + 2] += lambda_b * b.bends[i];
        slope[i] = w.dot(t_a[i]);
        slope[i + 2] = -w.dot(t_b[i]);
    }
    (system, slope)
}

/// The same over a's tangent plane alone, b's point being the nearest, which follows a motion but for what is `across` it.
fn linearised_to_nearest(w: V3<f64>, a: &Foot, across: impl Fn(V3<f64>) -> V3<f64>) -> ([[f64; 2]; 2], [f64; 2]) {
    let [t, b] = a.tangents;
    let across = a.tangents.map(across);
    let (lambda, mixed) = (w.dot(a.normal), t.dot(across[1]));
    let system = [[t.dot(across[0]) + lambda * a.bends[0], mixed], [mixed, b.dot(across[1]) + lambda * a.bends[1]]];
    (system, a.tangents.map(|tangent| w.dot(tangent)))
}

fn between_surfaces([a, b]: [Surface; 2], mut at: (Foot, Foot)) -> Separation<f64> {
    let mut damping = DAMPING.0;
    let mut evaluations = 1.0;
    for _ in 0..MOST_STEPS {
        let (foot_a, foot_b) = &at;
        let w = foot_b.position - foot_a.position;
        let off = misalignment(w, &[foot_a.normal, foot_b.normal]);
        if off <= WELL_ALIGNED || damping > STUCK {
            break;
        }
        let (system, slope) = linearised(w, foot_a, foot_b);
        let Some(step) = solve(&system, damping, slope) else {
            damping *= DAMPING.2;
            continue;
        };
        evaluations += 1.0;
        let next = (a.moved(foot_a, [step[0], step[1]]), b.moved(foot_b, [step[2], step[3]]));
        let next_w = next.1.position - next.0.position;
        let straighter = || misalignment(next_w, &[next.0.normal, next.1.normal]) < off;
        match judge(w, next_w, &slope, &step, straighter) {
            Progress::Closer => {
                at = next;
                damping = (damping * DAMPING.1).max(1e-15);
            }
            Progress::None => damping *= DAMPING.2,
            Progress::End => break,
        }
    }
    let (foot_a, foot_b) = &at;
    let middle = (foot_a.position + foot_b.position) * 0.5;
    let inward = -unit(foot_a.normal + foot_b.normal);
    let common = |point: V3<f64>| a.contains(point) && b.contains(point);
    let w = foot_b.position - foot_a.position;
    // Points along their normals with nothing in between need no further look.
    let clear = w.dot(foot_a.normal) > CLEAR && face_each_other(w, &[foot_a.normal, foot_b.normal]);
    let overlapping = !clear
        && (b.contains(foot_a.position)
            || a.contains(foot_b.position)
            || INWARD.iter().any(|&far| common(middle + inward * far)));
    ending((foot_a.position, foot_b.position), &[foot_a.normal, foot_b.normal], overlapping, evaluations)
}

/// Closest points of a body and a convex one where Newton's method is stuck at a ridge or tip, whose curvature is infinite: by steps to
/// all sides that are halved when none leads closer, from the point given.
pub(crate) fn closest_points_by_feeling(
    a: &Superquadric<f64, true>,
    other: &dyn Projection,
    (x_a, normal): (V3<f64>, V3<f64>),
) -> Separation<f64> {
    // A point inside is its own nearest one.
    let project = |x: V3<f64>| other.nearest(x).map_or(x, |nearest| nearest.point);
    let place = |x: V3<f64>, normal: V3<f64>| a.follow([true; 2], x, normal);
    let mut at = place(x_a, normal);
    let mut least = (project(at.position) - at.position).length_sq();
    let (mut way, mut evaluations) = (LONGEST_NEWTON_STEP, 1.0);
    while way > SHORTEST_WAY {
        let (u, v) = glam::DVec3::from(at.normal).any_orthonormal_pair();
        let closer = (0..8).find_map(|side| {
            let (sine, cosine) = (f64::from(side) * std::f64::consts::FRAC_PI_4).sin_cos();
            let next = place(at.position + V3::from(u * cosine + v * sine) * way, at.normal);
            let distance_sq = (project(next.position) - next.position).length_sq();
            evaluations += 1.0;
            (distance_sq < least).then_some((next, distance_sq))
        });
        match closer {
            Some(next) => (at, least) = next,
            None => way *= 0.5,
        }
        if evaluations > MOST_FELT {
            break;
        }
    }
    let x_b = project(at.position);
    let overlapping = a.contains(x_b) || other.nearest(at.position).is_none();
    let mut end = ending((at.position, x_b), &[at.normal], overlapping, evaluations);
    end.converged = !end.overlapping && way <= SHORTEST_WAY;
    end
}

fn to_convex(a: &Surface, other: &dyn Projection, mut at: Foot) -> Separation<f64> {
    let mut damping = DAMPING.0;
    let mut evaluations = 1.0;
    let inside = |at: &Foot, evaluations: f64| ending((at.position, at.position), &[at.normal], true, evaluations);
    let Some(mut nearest) = other.nearest(at.position) else { return inside(&at, evaluations) };
    for _ in 0..MOST_STEPS {
        let w = nearest.point - at.position;
        let off = misalignment(w, &[at.normal]);
        if off <= WELL_ALIGNED || damping > STUCK {
            break;
        }
        let (system, slope) = linearised_to_nearest(w, &at, |motion| nearest.across(motion));
        let Some(step) = solve(&system, damping, slope) else {
            damping *= DAMPING.2;
            continue;
        };
        evaluations += 1.0;
        let next = a.moved(&at, step);
        let Some(next_nearest) = other.nearest(next.position) else { return inside(&next, evaluations) };
        let next_w = next_nearest.point - next.position;
        match judge(w, next_w, &slope, &step, || misalignment(next_w, &[next.normal]) < off) {
            Progress::Closer => {
                (at, nearest) = (next, next_nearest);
                damping = (damping * DAMPING.1).max(1e-15);
            }
            Progress::None => damping *= DAMPING.2,
            Progress::End => break,
        }
    }
    ending((at.position, nearest.point), &[at.normal], a.contains(nearest.point), evaluations)
}

/// What a step came to.
enum Progress {
    Closer,
    None,
    End,
}

/// Whether a step counts: it brings the points closer or, where rounding hides that, straightens the line between them.
fn judge<const N: usize>(
    w: V3<f64>,
    next_w: V3<f64>,
    slope: &[f64; N],
    step: &[f64; N],
    straighter: impl Fn() -> bool,
) -> Progress {
    let promised: f64 = slope.iter().zip(step).map(|(slope, step)| slope * step).sum();
    if promised.abs() > VISIBLE * w.length_sq() {
        return if next_w.length_sq() < w.length_sq() { Progress::Closer } else { Progress::None };
    }
    if straighter() { Progress::Closer } else { Progress::End }
}

fn ending(points: (V3<f64>, V3<f64>), normals: &[V3<f64>], overlapping: bool, evaluations: f64) -> Separation<f64> {
    let w = points.1 - points.0;
    let normal = direction_between(points.0, points.1, normals[0]);
    Separation {
        x_a: points.0,
        x_b: points.1,
        witness: normal,
        normal,
        unique_points: true,
        lower: f64::NEG_INFINITY,
        upper: w.length_sq().sqrt(),
        converged: !overlapping && face_each_other(w, normals),
        overlapping,
        evaluations,
    }
}

/// Whether a line leads along a's normal and against b's, if it has one: a point of b inside a has closest points, too, with a
/// normal the other way.
fn face_each_other(w: V3<f64>, normals: &[V3<f64>]) -> bool {
    let outwards = w.dot(normals[0]) > 0.0 && normals.get(1).is_none_or(|normal| w.dot(*normal) < 0.0);
    outwards && misalignment(w, normals) <= ALIGNED
}

/// Squared sine between a line and normals, whichever is largest.
fn misalignment(w: V3<f64>, normals: &[V3<f64>]) -> f64 {
    let across = |normal: &V3<f64>| (w - *normal * w.dot(*normal)).length_sq();
    normals.iter().map(across).fold(0.0, f64::max) / w.length_sq()
}

/// Solves `(matrix + damping diag(matrix)) x = right` by Cholesky's decomposition; `None` where that is not positive definite.
fn solve<const N: usize>(matrix: &[[f64; N]; N], damping: f64, right: [f64; N]) -> Option<[f64; N]> {
    let mut lower = [[0.0; N]; N];
    for i in 0..N {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let damped = if i == j { damping * (1.0 + matrix[i][i].abs()) } else { 0.0 };
            let left = matrix[i][j] + damped - known;
            lower[i][j] = if i == j {
                if left.is_nan() || left <= 0.0 {
                    return None;
                }
                left.sqrt()
            } else {
                left / lower[j][j]
            };
        }
    }
    let mut x = right;
    for i in 0..N {
        let known: f64 = (0..i).map(|k| lower[i][k] * x[k]).sum();
        x[i] = (x[i] - known) / lower[i][i];
    }
    for i in (0..N).rev() {
        let known: f64 = (i + 1..N).map(|k| lower[k][i] * x[k]).sum();
        x[i] = (x[i] - known) / lower[i][i];
    }
    Some(x)
}

/// Solves a system by elimination with pivots; `None` where it is singular.
fn eliminate<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> Option<[f64; N]> {
    for column in 0..N {
        let pivot = (column..N).max_by(|&i, &j| matrix[i][column].abs().total_cmp(&matrix[j][column].abs()))?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let top = matrix[column];
        if top[column].is_nan() || top[column].abs() <= 1e-14 {
            return None;
        }
        for row in column + 1..N {
            let factor = matrix[row][column] / top[column];
            for k in column..N {
                matrix[row][k] -= factor * top[k];
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|k| matrix[row][k] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    Some(right)
}
