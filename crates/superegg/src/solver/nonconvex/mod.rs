//! Pairs with a superovoid that is not convex: the distance of the true surfaces, with the bounds of their convex hulls.
//!
//! Apart, the distance of the hulls is a rigorous lower bound and points of the surfaces give an upper one; where the hulls
//! touch the surfaces, both are the same ([`search`]). In overlap the depth of the hulls is an upper bound of the depth, and
//! that of the true surfaces is found by pushing them apart ([`penetration`]).

mod closest_points;
pub(crate) mod hull;
mod hull_distance;
mod penetration;
pub(crate) mod projection;
pub(crate) mod search;
pub(crate) mod touching;

use crate::outcome::{Options, Outcome};
use crate::solver::body::Project;
use crate::solver::body::any::AnyBody;
use crate::solver::body::simplex::Simplex;
use crate::solver::nonconvex::hull::SuperquadricHull;
use crate::solver::nonconvex::projection::{PlacedBody, PlacedSimplex};
use crate::solver::pair::frame::Frame;
use crate::solver::params::Params;
#[cfg(target_arch = "x86_64")]
use crate::solver::separation::found::Separation;

/// Distance of two superovoids, at least one of them not convex.
pub(crate) fn superquadrics(shapes: [&Params; 2], frame: &Frame, options: &Options) -> Outcome {
    let hulls = shapes.map(|shape| SuperquadricHull::new(shape, frame.size));
    let found = search::of_superquadrics(shapes, &hulls, frame, options);
    if found.overlapping {
        return penetration::of_superquadrics(shapes, &hulls, &found, frame, options);
    }
    frame.separated(&found, options)
}

/// The same for a pair apart, from where Newton's method has ended; see [`search::after_newton`].
#[cfg(target_arch = "x86_64")]
pub(crate) fn superquadrics_after_newton(
    shapes: [&Params; 2],
    first: Separation<f64>,
    frame: &Frame,
    options: &Options,
) -> Option<Outcome> {
    let hulls = shapes.map(|shape| SuperquadricHull::new(shape, frame.size));
    let found = search::after_newton(&hulls, first, frame, options);
    (found.converged && !found.overlapping).then(|| frame.separated(&found, options))
}

/// Whether two superovoids overlap, at least one of them not convex.
pub(crate) fn superquadrics_overlap(shapes: [&Params; 2], frame: &Frame) -> Option<bool> {
    let hulls = shapes.map(|shape| SuperquadricHull::new(shape, frame.size));
    let [a, b] = &hulls;
    search::overlap((a, &a.body), (b, &b.body), frame, || {
        search::of_superquadrics(shapes, &hulls, frame, &Options::DEFAULT)
    })
}

/// Distance of a superovoid that is not convex and a simplex.
pub(crate) fn superquadric_and_simplex(shape: &Params, simplex: &Simplex, frame: &Frame, options: &Options) -> Outcome {
    let hull = SuperquadricHull::new(shape, frame.size);
    let other = PlacedSimplex { simplex, centre: frame.placement.centre };
    let found = search::of_superquadric_and_convex((&hull, &hull.body), simplex, &other, frame, options);
    if found.overlapping {
        return penetration::of_superquadric_and_simplex(&hull, simplex, &found, frame, options);
    }
    frame.separated(&found, options)
}

/// Whether a superovoid that is not convex and a simplex overlap.
pub(crate) fn superquadric_and_simplex_overlap(shape: &Params, simplex: &Simplex, frame: &Frame) -> Option<bool> {
    let hull = SuperquadricHull::new(shape, frame.size);
    let other = PlacedSimplex { simplex, centre: frame.placement.centre };
    search::overlap((&hull, &hull.body), (simplex, simplex), frame, || {
        search::of_superquadric_and_convex((&hull, &hull.body), simplex, &other, frame, &Options::DEFAULT)
    })
}

/// Distance of a superovoid that is not convex and a solid or a body by its support points, given as both.
pub(crate) fn superquadric_and_body(
    shape: &Params,
    body: &AnyBody,
    by_projection: &dyn Project,
    frame: &Frame,
    options: &Options,
) -> Outcome {
    let hull = SuperquadricHull::new(shape, frame.size);
    let other = PlacedBody { body: by_projection, placement: &frame.placement };
    let found = search::of_superquadric_and_convex((&hull, &AnyBody::from(hull.body)), body, &other, frame, options);
    if found.overlapping {
        return penetration::of_superquadric_and_body(&hull, body, by_projection, &found, frame, options);
    }
    frame.separated(&found, options)
}

/// Whether a superovoid that is not convex and a solid or a body by its support points, given as both, overlap.
pub(crate) fn superquadric_and_body_overlap(
    shape: &Params,
    body: &AnyBody,
    by_projection: &dyn Project,
    frame: &Frame,
) -> Option<bool> {
    let hull = SuperquadricHull::new(shape, frame.size);
    let any = &AnyBody::from(hull.body);
    let other = PlacedBody { body: by_projection, placement: &frame.placement };
    search::overlap((&hull, any), (body, body), frame, || {
        search::of_superquadric_and_convex((&hull, any), body, &other, frame, &Options::DEFAULT)
    })
}
