//! Any shape against a half-space: the shape's lowest point decides, in closed form (paper 001, section 3.2).

use glam::DVec3;

use crate::Pose;
use crate::outcome::{Options, Outcome};
use crate::shape::{Plane, Shape};
use crate::solver::answer::Answer;
use crate::solver::certificate;
use crate::solver::params::Kind;
use crate::solver::params::simplex_radius;

pub(crate) fn distance(shape: &Shape, pose: &Pose, plane: &Plane, plane_pose: &Pose, options: &Options) -> Outcome {
    let up = plane_pose.transform_vector(plane.normal());
    let down_local = pose.inverse_transform_vector(-up);
    let (lowest_local, size) = match shape {
        Shape::Point(point) => (point.support(down_local), 0.0),
        Shape::Segment(segment) => (segment.support(down_local), simplex_radius(segment.points())),
        Shape::Triangle(triangle) => (triangle.support(down_local), simplex_radius(triangle.points())),
        Shape::Superellipsoid(shape) => (shape.support(down_local), egg_size(&Kind::of(&(*shape).into()))),
        Shape::Superovoid(shape) => (shape.support(down_local), egg_size(&Kind::of(&(*shape).into()))),
        Shape::Primitive(shape) => (shape.support(down_local), shape.largest_radius()),
        Shape::Hull(shape) => (shape.support(down_local), shape.radius()),
        Shape::Custom(shape) => (shape.support(down_local), shape.radius()),
        Shape::Plane(_) => unreachable!("a pair of planes is refused before"),
    };
    let lowest = pose.transform_point(lowest_local);
    let above: DVec3 = lowest - plane_pose.translation;
    let distance = up.dot(above) - plane.offset();
    let lengths = [size, above.length(), plane.offset().abs(), lowest.length(), plane_pose.translation.length()];
    let support_error = match shape {
        Shape::Hull(shape) => shape.support_error(),
        Shape::Custom(shape) => shape.body().support_error(),
        _ => 0.0,
    };
    let margin = certificate::rounding_of_lengths(lengths.into_iter().sum()) + support_error;
    let answer = Answer {
        distance,
        point_a: lowest,
        point_b: lowest - up * distance,
        normal: -up,
        bounds: Some(certificate::bounds(distance, distance, margin, 1.0)),
        witness: -up,
        unique_points: true,
        unique_normal: true,
        converged: true,
        iterations: 1,
    };
    let warm_start = answer.warm_start(pose, plane_pose);
    answer.outcome(warm_start, options.tolerance * size)
}

fn egg_size(kind: &Kind) -> f64 {
    match kind {
        Kind::Superquadric(superquadric) => superquadric.largest_radius(),
        Kind::Simplex(_) | Kind::Plane(_) | Kind::Primitive(_) | Kind::Supported(..) => 0.0,
    }
}
