//! Signed distance.
pub(crate) mod body;
pub(crate) mod gjk;
pub(crate) mod graph;
pub(crate) mod separate;

use crate::lanes::{M3, V3};
use crate::shape::Superellipsoid;
use body::Body;
use glam::{DMat3, DVec3};

/// Experiment.
#[doc(hidden)]
pub fn try_pair(a: &Superellipsoid, b: &Superellipsoid, rot: DMat3, c: DVec3, tol: f64, most: u32) -> (f64, f64, f64) {
    let size = a.radii().into_iter().fold(0.0, f64::max) + b.radii().into_iter().fold(0.0, f64::max);
    let inv = 1.0 / size;
    let egg = |s: &Superellipsoid| {
        let r = s.radii();
        graph::Egg::<f64, false>::new(V3::new(r[0] * inv, r[1] * inv, r[2] * inv), s.exponents(), [0.0; 2])
    };
    let (ea, eb) = (egg(a), egg(b));
    let placement = separate::Placement {
        rotation: M3 { x: rot.x_axis.into(), y: rot.y_axis.into(), z: rot.z_axis.into() },
        centre: (c * inv).into(),
    };
    let n = separate::ellipsoid_normal(ea.radii_sq(), eb.radii_sq(), &placement);
    let start = (Body::start(&ea, n), Body::start(&eb, -placement.into_b(n)));
    let mut it = separate::separate(&ea, &eb, &placement, start, tol, most);
    if !it.converged && most < 100 {
        let first = it.evaluations;
        it = gjk::gjk(&ea, &eb, &placement, n, tol, 400);
        it.evaluations += first;
        if !it.converged { it.upper = 0.0; }
    }
    (it.lower * size, it.upper * size, it.evaluations)
}
