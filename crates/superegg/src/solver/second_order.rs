//! How a body's support point moves as its normal turns: the second derivative of the support function.
//!
//! On a smooth body it is the inverse of the shape operator (its eigenvalues are the radii of curvature), zero at a corner, and
//! infinite along edges and flat faces, where it is held finite, see [`FLAT`].

use glam::{DMat3, DVec3};

use crate::shape::{Bend, Primitive, Shape};
use crate::solver::body::Body;
use crate::solver::body::simplex::Simplex;
use crate::solver::body::superquadric::{Curvature, Superquadric};
use crate::solver::body::supported::Supported;
use crate::solver::convex::scaled;
use crate::solver::params::{Kind, Params, simplex_mean, simplex_radius};

/// Radius of curvature, in units of the body's largest radius, from which a surface counts as flat: the radii of faces and edges
/// are held at 1e9, and those of surfaces that are nearly as flat are known too roughly to be divided by.
pub(crate) const FLAT: f64 = 1e8;

/// Second derivative of the support function, in the body's frame.
#[derive(Clone, Copy)]
pub(crate) struct SupportCurvature {
    /// The change of the support point that belongs to a change of the unit normal.
    pub matrix: DMat3,
    /// Whether no radius of curvature is infinite.
    pub finite: bool,
}

/// At a contact point with its outward normal, in the body's frame; `None` for a plane.
pub(crate) fn support_curvature(shape: &Shape, point: DVec3, normal: DVec3) -> Option<SupportCurvature> {
    match Kind::of(shape) {
        Kind::Plane(_) => None,
        Kind::Superquadric(body) => Some(of_superquadric(&body, point, normal)),
        Kind::Primitive(body) => Some(of_primitive(&body, point, normal)),
        Kind::Supported(source, rounding) => {
            let (centre, size) = (source.centre(), source.reach());
            let bare = at(&Supported::new(source, size), (point - normal * rounding - centre) / size, normal, size);
            let ball = (DMat3::IDENTITY - outer(1.0, normal)) * rounding;
            Some(SupportCurvature { matrix: bare.matrix + ball, ..bare })
        }
        Kind::Simplex(points) => {
            let (mean, size) = (simplex_mean(points), simplex_radius(points).max(f64::MIN_POSITIVE));
            let mut vertices = [Default::default(); 3].map(|vertex: DVec3| vertex.into());
            for (vertex, point) in vertices.iter_mut().zip(points) {
                *vertex = ((*point - mean) / size).into();
            }
            let simplex = Simplex::new(&vertices[..points.len()]);
            Some(at(&simplex, (point - mean) / size, normal, size))
        }
    }
}

fn of_superquadric(body: &Params, point: DVec3, normal: DVec3) -> SupportCurvature {
    let size = body.largest_radius();
    if body.is_tapered() {
        at::<Superquadric<f64, true>>(&scaled(body, size), point / size, normal, size)
    } else {
        at::<Superquadric<f64, false>>(&scaled(body, size), point / size, normal, size)
    }
}

/// Faces, edges and circles of the core, and the ball around it, which bends alike in all directions across the normal.
fn of_primitive(body: &Primitive, point: DVec3, normal: DVec3) -> SupportCurvature {
    let Bend { radii, directions } = body.core().bend(point - normal * body.rounding(), normal);
    let largest = 10.0 * FLAT * body.largest_radius();
    let mut matrix = (DMat3::IDENTITY - outer(1.0, normal)) * body.rounding();
    for (radius, direction) in radii.into_iter().zip(directions) {
        matrix += outer(radius.min(largest), direction);
    }
    SupportCurvature { matrix, finite: radii.iter().all(|radius| *radius < FLAT * body.largest_radius()) }
}

/// `weight · v vᵀ`.
fn outer(weight: f64, v: DVec3) -> DMat3 {
    DMat3::from_cols(v * (weight * v.x), v * (weight * v.y), v * (weight * v.z))
}

/// Of a body in units of `size`.
fn at<B: Body<f64>>(body: &B, point: DVec3, normal: DVec3, size: f64) -> SupportCurvature {
    let Curvature { alpha, t, beta, b } = body.curvature(&body.place(point.into(), normal.into()));
    let matrix = outer(alpha, t.into()) + outer(beta, b.into());
    let radii = [alpha * t.length_sq(), beta * b.length_sq()];
    SupportCurvature { matrix: matrix * size, finite: radii.iter().all(|radius| radius.abs() < FLAT) }
}
