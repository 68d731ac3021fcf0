//! Closest points of two surfaces from points nearby, for hollow pairs whose position–normal graph leads nowhere.
//!
//! Minimises `½|x_b - x_a|²` over both surfaces, given by their gauges: Newton's method on the Lagrangian in the four
//! tangential directions, damped as Levenberg and Marquardt do until the points come closer. Where a body bends inwards
//! the common normal changes its mind with every step; the gauge and its derivatives stay smooth.
//!
//! Surfaces that cross have closest points everywhere along the curve in which they do: from there a point inside both
//! bodies is looked for.

use glam::{DMat3, DVec3};

use super::EggShape;
use super::frame::Frame;
use super::separate::Separation;
use crate::lanes::V3;
use crate::shape::Superovoid;

/// Most steps, counted with those refused.
const MOST_STEPS: u32 = 80;
/// Steps back onto a surface after each move along it; each squares what is left.
const RETURNS: u32 = 6;
/// The first damping, and how it changes after a step that was taken or refused.
const DAMPING: (f64, f64, f64) = (1e-3, 0.2, 8.0);
/// Squared sine between the line of the points and either normal at which they are closest points, and the one aimed at:
/// derivatives of the distance need the normal to more digits than the distance itself.
const ALIGNED: f64 = 1e-10;
const WELL_ALIGNED: f64 = 1e-24;
/// How far from where the surfaces meet, as parts of the size, a point inside both bodies is looked for.
const INWARD: [f64; 3] = [1e-6, 1e-4, 1e-2];
/// Damping at which steps are too short to matter.
const STUCK: f64 = 1e6;

/// A point of a surface in the frame of body a.
#[derive(Clone, Copy)]
struct Foot {
    position: DVec3,
    normal: DVec3,
    /// Second derivatives of the gauge over the length of its gradient.
    bend: DMat3,
}

/// One of the bodies, scaled, and how it stands in the frame of body a.
struct Surface {
    shape: Superovoid,
    rotation: DMat3,
    centre: DVec3,
}

impl Surface {
    fn new(egg: &EggShape, size: f64, rotation: DMat3, centre: DVec3) -> Option<Surface> {
        let shape = Superovoid::new(egg.radii.map(|radius| radius / size), egg.exponents, egg.taper).ok()?;
        Some(Surface { shape, rotation, centre })
    }

    fn contains(&self, point: DVec3) -> bool {
        self.shape.gauge(self.rotation.transpose() * (point - self.centre)) < 1.0
    }

    /// The surface point near the given one, reached along the gradient of the gauge.
    fn foot(&self, near: DVec3) -> Option<Foot> {
        let mut local = self.rotation.transpose() * (near - self.centre);
        let mut at = self.shape.gauge_derivatives(local);
        for _ in 0..RETURNS {
            let excess = at.value - 1.0;
            if excess.abs() < 1e-15 {
                break;
            }
            local -= at.gradient * (excess / at.gradient.length_squared());
            at = self.shape.gauge_derivatives(local);
        }
        let slope = at.gradient.length();
        let bend = self.rotation * (at.hessian * (1.0 / slope)) * self.rotation.transpose();
        let on_surface = (at.value - 1.0).abs() < 1e-12 && bend.is_finite();
        on_surface.then(|| Foot {
            position: self.rotation * local + self.centre,
            normal: self.rotation * (at.gradient / slope),
            bend,
        })
    }
}

/// Leads two points to closest points of both surfaces nearby; converged if it got there, overlapping if it came upon a
/// common point of the bodies.
pub(super) fn finish(found: &Separation<f64>, a: &EggShape, b: &EggShape, frame: &Frame) -> Separation<f64> {
    descend(found, a, b, frame).unwrap_or(*found)
}

fn descend(found: &Separation<f64>, a: &EggShape, b: &EggShape, frame: &Frame) -> Option<Separation<f64>> {
    let placement = &frame.placement;
    let axes = DMat3::from_cols(placement.rotation.x.into(), placement.rotation.y.into(), placement.rotation.z.into());
    let surface_a = Surface::new(a, frame.size, DMat3::IDENTITY, DVec3::ZERO)?;
    let surface_b = Surface::new(b, frame.size, axes, placement.centre.into())?;
    let mut at = (surface_a.foot(found.x_a.into())?, surface_b.foot(found.x_b.into())?);
    let mut damping = DAMPING.0;
    let mut evaluations = found.evaluations + 1.0;
    for _ in 0..MOST_STEPS {
        let (foot_a, foot_b) = at;
        let w = foot_b.position - foot_a.position;
        if misalignment(&foot_a, &foot_b) <= WELL_ALIGNED || damping > STUCK {
            break;
        }
        let (t_a, t_b) = (foot_a.normal.any_orthonormal_pair(), foot_b.normal.any_orthonormal_pair());
        let (t_a, t_b) = ([t_a.0, t_a.1], [t_b.0, t_b.1]);
        let (lambda_a, lambda_b) = (w.dot(foot_a.normal), -w.dot(foot_b.normal));
        let mut system = [[0.0; 4]; 4];
        let mut slope = [0.0; 4];
        for i in 0..2 {
            for j in 0..2 {
                let same = if i == j { 1.0 } else { 0.0 };
                system[i][j] = same + lambda_a * t_a[i].dot(foot_a.bend * t_a[j]);
                system[i + 2][j + 2] = same + lambda_b * t_b[i].dot(foot_b.bend * t_b[j]);
                system[i][j + 2] = -t_a[i].dot(t_b[j]);
                system[j + 2][i] = system[i][j + 2];
            }
            slope[i] = w.dot(t_a[i]);
            slope[i + 2] = -w.dot(t_b[i]);
        }
        let scale = (0..4).map(|i| system[i][i].abs()).fold(0.0, f64::max);
        let moved = solve(&system, damping * scale, slope).and_then(|step| {
            evaluations += 1.0;
            let next_a = surface_a.foot(foot_a.position + t_a[0] * step[0] + t_a[1] * step[1])?;
            let next_b = surface_b.foot(foot_b.position + t_b[0] * step[2] + t_b[1] * step[3])?;
            let closer = (next_b.position - next_a.position).length_squared() < w.length_squared();
            closer.then_some((next_a, next_b))
        });
        damping = match moved {
            Some(next) => {
                at = next;
                (damping * DAMPING.1).max(1e-15)
            }
            None => damping * DAMPING.2,
        };
    }
    let (foot_a, foot_b) = at;
    let w = foot_b.position - foot_a.position;
    let common = |point: DVec3| surface_a.contains(point) && surface_b.contains(point);
    let middle = 0.5 * (foot_a.position + foot_b.position);
    let inward = -(foot_a.normal + foot_b.normal).normalize_or_zero();
    let overlapping = surface_b.contains(foot_a.position)
        || surface_a.contains(foot_b.position)
        || INWARD.iter().any(|&far| common(middle + far * inward));
    Some(Separation {
        x_a: V3::from(foot_a.position),
        x_b: V3::from(foot_b.position),
        normal: V3::from(foot_a.normal),
        upper: w.length(),
        converged: !overlapping && misalignment(&foot_a, &foot_b) <= ALIGNED && w.dot(foot_a.normal) > 0.0,
        overlapping,
        evaluations,
        ..*found
    })
}

/// Squared sine between the line of two points and the normals of both surfaces, whichever is larger.
fn misalignment(a: &Foot, b: &Foot) -> f64 {
    let w = b.position - a.position;
    let across = |normal: DVec3| (w - normal * w.dot(normal)).length_squared();
    across(a.normal).max(across(b.normal)) / w.length_squared()
}

/// Solves `(matrix + damping) x = right` by Cholesky's decomposition; `None` where that is not positive definite.
fn solve(matrix: &[[f64; 4]; 4], damping: f64, right: [f64; 4]) -> Option<[f64; 4]> {
    let mut lower = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let left = matrix[i][j] + if i == j { damping } else { 0.0 } - known;
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
    for i in 0..4 {
        let known: f64 = (0..i).map(|k| lower[i][k] * x[k]).sum();
        x[i] = (x[i] - known) / lower[i][i];
    }
    for i in (0..4).rev() {
        let known: f64 = (i + 1..4).map(|k| lower[k][i] * x[k]).sum();
        x[i] = (x[i] - known) / lower[i][i];
    }
    Some(x)
}
