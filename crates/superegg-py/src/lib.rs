//! The native module of the Python package `superegg`: thin over the Rust library.
//!
//! `array` reads NumPy's arrays, the one place that does; `pose` and `shape` are batches of poses and bodies made of them; `record` is how answers are
//! given; `threads` answers batches on all cores without holding the interpreter; `error` turns refusals into exceptions. The other files are one
//! topic of the library each.

mod array;
mod ccd;
mod error;
mod fit;
mod grasp;
mod motion;
mod pickle;
mod pose;
mod query;
mod record;
mod robot;
mod select;
mod shape;
mod sim;
mod threads;
mod world;

use pyo3::prelude::*;

/// The native part of superegg: use the package instead.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::ccd::{CollisionDetector, Collisions};
    #[pymodule_export]
    use super::fit::{Fit, fit};
    #[pymodule_export]
    use super::grasp::{Grasp, GraspQuality, find_grasps, grasp_quality};
    #[pymodule_export]
    use super::motion::{Impact, time_of_impact};
    #[pymodule_export]
    use super::pickle::_shape_from;
    #[pymodule_export]
    use super::pose::Pose;
    #[pymodule_export]
    use super::query::{
        _time_rust_batch, ClosestPoint, Gradient, Growth, Outcome, RayHit, SecondDerivatives, closest_point, distance,
        gradient, growth, intersect, ray, second_derivatives,
    };
    #[pymodule_export]
    use super::robot::{LinkDistances, Robot, TrajectoryReport};
    #[pymodule_export]
    use super::shape::{
        Shape, capsule, compound, cuboid, frustum, hull, mesh, plane, point, segment, sphere, stack, superellipsoid,
        superhyperboloid1, superhyperboloid2, superovoid, supertoroid, triangle,
    };
    #[pymodule_export]
    use super::sim::Simulation;
    #[pymodule_export]
    use super::threads::{set_threads, threads};
    #[pymodule_export]
    use super::world::{Contacts, World};
}
