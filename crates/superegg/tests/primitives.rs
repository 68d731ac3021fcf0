//! Boxes, cylinders, cones, frustums, capsules and spheres, rounded or not, among each other and against all other shapes.
//!
//! The references: closed forms of textbooks; the separating axes of two boxes; for all pairs the support functions, which the
//! solver's bounds are checked against anew (any normal bounds the distance from below, any two points from above, and
//! no normal of a dense sample may be less deep than the depth). Their own error is some 1e-14 of the size.

use superegg::query::batch::{Placed, Threads, distances};
use superegg::query::{
    Options, Outcome, QueryError, Ray, ShapeGradient, Status, closest_point, distance, gradient, growth_distance,
    intersect, ray, second_derivatives,
};
use superegg::shape::{Core, Plane, Point, Primitive, Segment, Shape, Superellipsoid, Superovoid, Triangle};
use superegg::{DQuat, DVec3, Pose};

fn vector(rng: &mut fastrand::Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| 2.0 * rng.f64() - 1.0))
}

fn turn(rng: &mut fastrand::Rng) -> DQuat {
    // Every fourth one along the axes, where faces and edges are parallel.
    let quarter = std::f64::consts::FRAC_PI_2;
    if rng.u32(0..4) == 0 {
        DQuat::from_rotation_z(quarter * f64::from(rng.u32(0..4)))
            * DQuat::from_rotation_x(quarter * f64::from(rng.u32(0..4)))
    } else {
        let q = DQuat::from_xyzw(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
        if q.length_squared() > 1e-3 { q.normalize() } else { DQuat::IDENTITY }
    }
}

fn length(rng: &mut fastrand::Rng) -> f64 {
    10f64.powf(rng.f64() - 1.0)
}

fn primitive(rng: &mut fastrand::Rng) -> Primitive {
    let (r, h) = (length(rng), length(rng));
    let sharp = match rng.u32(0..6) {
        0 => Primitive::sphere(r),
        1 => Primitive::capsule(r, h),
        2 => Primitive::cuboid([r, h, length(rng)]),
        3 => Primitive::cylinder(r, h),
        4 => Primitive::cone(r, h),
        _ => Primitive::frustum([r, length(rng)], h),
    }
    .unwrap();
    if rng.bool() { sharp.rounded(0.3 * length(rng)).unwrap() } else { sharp }
}

fn other(rng: &mut fastrand::Rng) -> Shape {
    let radii = [length(rng), length(rng), length(rng)];
    let exponents = [0.2 + 1.6 * rng.f64(), 0.2 + 1.6 * rng.f64()];
    match rng.u32(0..6) {
        0 => Superellipsoid::new(radii, exponents).unwrap().into(),
        1 => loop {
            let t = 0.6 * rng.f64() - 0.3;
            let egg = Superovoid::new(radii, [exponents[0], 0.5 + 0.7 * rng.f64()], [t, t]).unwrap();
            if egg.is_convex() {
                break egg.into();
            }
        },
        2 => Point::new([vector(rng)]).unwrap().into(),
        3 => Segment::new([vector(rng), vector(rng)]).unwrap().into(),
        4 => Triangle::new([vector(rng), vector(rng), vector(rng)]).unwrap().into(),
        _ => primitive(rng).into(),
    }
}

/// `n·c - h_a(n) - h_b(-n)`: at most the signed distance.
fn gap([a, b]: [&Shape; 2], [pose_a, pose_b]: [&Pose; 2], normal: DVec3) -> f64 {
    normal.dot(pose_b.translation - pose_a.translation)
        - a.support_value(pose_a.inverse_transform_vector(normal))
        - b.support_value(pose_b.inverse_transform_vector(-normal))
}

fn size(shape: &Shape) -> f64 {
    shape.reach()
}

/// Whether a point lies in a shape to within a tolerance, told by the library's own closed forms for simplices.
fn holds(shape: &Shape, pose: &Pose, point: DVec3, tolerance: f64) -> bool {
    let local = pose.inverse_transform_point(point);
    match shape {
        Shape::Point(_) | Shape::Segment(_) | Shape::Triangle(_) => {
            let point = Point::new([local]).unwrap().into();
            distance(shape, &Pose::IDENTITY, &point, &Pose::IDENTITY, &Options::DEFAULT).unwrap().distance <= tolerance
        }
        _ => shape.contains(local * (1.0 - tolerance / shape.reach())) || shape.contains(local),
    }
}

fn check(shapes: [&Shape; 2], poses: [&Pose; 2], outcome: &Outcome) {
    let [a, b] = shapes;
    let told = || format!("{a:?} {:?}\n{b:?} {:?}\n{outcome:?}", poses[0], poses[1]);
    let whole = size(a) + size(b);
    let far = (poses[1].translation - poses[0].translation).length();
    let fuzz = 1e-13 * (whole + far);
    let bounds = outcome.bounds.unwrap();
    assert!(bounds.lower <= outcome.distance && outcome.distance <= bounds.upper + 1e-12 * whole, "{}", told());
    assert!(gap(shapes, poses, outcome.witness) >= bounds.lower - fuzz, "{}", told());
    assert!((outcome.normal.length() - 1.0).abs() < 1e-9, "{}", told());
    if outcome.status == Status::NotConverged {
        return;
    }
    let (p, q) = (outcome.point_a, outcome.point_b);
    assert!((q - p - outcome.normal * outcome.distance).length() < 2e-5 * whole, "{}", told());
    assert!(holds(a, poses[0], p, 4e-9 * whole) && holds(b, poses[1], q, 4e-9 * whole), "{}", told());
    if outcome.distance > 0.0 {
        assert!(p.distance(q) <= bounds.upper + 1e-8 * whole, "{}", told());
        assert!(bounds.upper - bounds.lower <= 1.1e-9 * whole + fuzz, "{}", told());
    }
}

#[test]
fn every_pair_is_certified() {
    let mut rng = fastrand::Rng::with_seed(1);
    let (mut open, mut apart, mut deep, mut wide) = (0, 0, 0, 0);
    for _ in 0..20_000 {
        let (a, b) = (Shape::from(primitive(&mut rng)), other(&mut rng));
        let near = rng.f64() * (size(&a) + size(&b)) * 1.2;
        let pose_a = Pose::new(turn(&mut rng), vector(&mut rng)).unwrap();
        let offset = vector(&mut rng).normalize_or(DVec3::X) * near;
        let pose_b = Pose::new(turn(&mut rng), pose_a.translation + offset).unwrap();
        let (shapes, poses) = if rng.bool() { ([&a, &b], [&pose_a, &pose_b]) } else { ([&b, &a], [&pose_b, &pose_a]) };
        let outcome = distance(shapes[0], poses[0], shapes[1], poses[1], &Options::DEFAULT).unwrap();
        check(shapes, poses, &outcome);
        let bounds = outcome.bounds.unwrap();
        match outcome.status {
            Status::NotConverged => open += 1,
            Status::Separated => apart += 1,
            _ => deep += 1,
        }
        wide += u32::from(bounds.upper - bounds.lower > 1.1e-9 * (size(&a) + size(&b)));
        if outcome.distance.abs() > 1e-8 * (size(&a) + size(&b)) {
            let meets = intersect(shapes[0], poses[0], shapes[1], poses[1]).unwrap();
            assert_eq!(meets, bounds.upper < 0.0, "{shapes:?} {poses:?} {outcome:?}");
        }
        if outcome.distance < 0.0 {
            for _ in 0..100 {
                let normal = vector(&mut rng).normalize_or(DVec3::X);
                let depth = -gap(shapes, poses, normal);
                assert!(depth >= -bounds.upper - 1e-12, "{shapes:?} {poses:?}");
            }
        }
        // A warm start changes nothing but the way.
        let warm = Options { warm_start: Some(outcome.warm_start), ..Options::DEFAULT };
        let again = distance(shapes[0], poses[0], shapes[1], poses[1], &warm).unwrap();
        if again.status != Status::NotConverged && outcome.status != Status::NotConverged {
            assert!((again.distance - outcome.distance).abs() <= 3e-9 * (size(&a) + size(&b)), "{shapes:?} {poses:?}");
        }
    }
    assert!(apart > 5_000 && deep > 3_000, "{apart} {deep}");
    assert!(open == 0 && wide <= 20, "{open} did not converge, {wide} of {deep} depths have wide bounds");
}

/// The 15 axes along which two boxes can be apart, or along which they are least deep.
fn boxes_by_axes(a: DVec3, pose_a: &Pose, b: DVec3, pose_b: &Pose) -> f64 {
    let axes = |pose: &Pose| DVec3::AXES.map(|axis| pose.transform_vector(axis));
    let (of_a, of_b) = (axes(pose_a), axes(pose_b));
    let crossed = of_a.iter().flat_map(|u| of_b.iter().map(|v| u.cross(*v)));
    let along = |axes: [DVec3; 3], half: DVec3, n: DVec3| (0..3).map(|i| half[i] * axes[i].dot(n).abs()).sum::<f64>();
    (of_a.into_iter().chain(of_b).chain(crossed.filter(|n| n.length() > 1e-9).map(DVec3::normalize)))
        .map(|n| n.dot(pose_b.translation - pose_a.translation).abs() - along(of_a, a, n) - along(of_b, b, n))
        .fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn depths_of_boxes_are_those_of_their_axes() {
    let mut rng = fastrand::Rng::with_seed(2);
    let mut deep = 0;
    for _ in 0..5_000 {
        let [a, b] = [0; 2].map(|_| [length(&mut rng), length(&mut rng), length(&mut rng)]);
        let pose_a = Pose::new(turn(&mut rng), DVec3::ZERO).unwrap();
        let pose_b = Pose::new(turn(&mut rng), vector(&mut rng)).unwrap();
        let shapes = [a, b].map(|half| Shape::from(Primitive::cuboid(half).unwrap()));
        let found = distance(&shapes[0], &pose_a, &shapes[1], &pose_b, &Options::DEFAULT).unwrap();
        let by_axes = boxes_by_axes(a.into(), &pose_a, b.into(), &pose_b);
        // Apart, the axes bound the distance from below; in penetration they are the faces of the difference.
        if by_axes < 0.0 {
            assert!((found.distance - by_axes).abs() < 3e-9, "{} {by_axes}", found.distance);
            deep += 1;
        } else {
            assert!(found.distance >= by_axes - 3e-9, "{} {by_axes}", found.distance);
        }
    }
    assert!(deep > 1_000);
}

#[test]
fn closed_forms() {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let ask = |a: Primitive, b: Primitive, pose: Pose| {
        let outcome = distance(&a.into(), &Pose::IDENTITY, &b.into(), &pose, &Options::DEFAULT).unwrap();
        check([&a.into(), &b.into()], [&Pose::IDENTITY, &pose], &outcome);
        outcome.distance
    };
    let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    let (ball, die) = (Primitive::sphere(1.0).unwrap(), Primitive::cuboid([1.0; 3]).unwrap());
    near(ask(ball, ball, at(3.0, 0.0, 0.0)), 1.0);
    near(ask(ball, ball, at(0.0, 0.0, 0.0)), -2.0);
    near(ask(ball, die, at(3.0, 3.0, 3.0)), 12f64.sqrt() - 1.0);
    near(ask(ball, die, at(0.25, 0.0, 0.0)), -1.75);
    near(ask(die, die, at(2.5, 3.0, 0.0)), 0.5f64.hypot(1.0));
    near(ask(die.rounded(0.2).unwrap(), die.rounded(0.1).unwrap(), at(2.5, 3.0, 0.0)), 0.5f64.hypot(1.0) - 0.3);
    near(ask(die, die, at(1.5, 0.0, 0.0)), -0.5);
    let (can, cone) = (Primitive::cylinder(1.0, 2.0).unwrap(), Primitive::cone(1.0, 1.0).unwrap());
    near(ask(can, ball, at(3.0, 4.0, 0.0)), 3.0);
    near(ask(can, ball, at(3.0, 0.0, 4.0)), 8f64.sqrt() - 1.0);
    near(ask(cone, ball, at(0.0, 0.0, 3.0)), 1.0);
    near(ask(cone, die, at(0.0, 0.0, 3.0)), 1.0);
    let capsule = Primitive::capsule(0.25, 1.0).unwrap();
    let across = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::X).unwrap();
    near(ask(capsule, capsule, across), 0.5);
    // Crossing segments: no way out is shorter than across both.
    near(ask(capsule, capsule, Pose { translation: DVec3::ZERO, ..across }), -0.5);
}

/// A capsule through a triangle is deeper than its radius where neither end nor edge is near.
#[test]
fn capsules_through_triangles() {
    let capsule = Shape::from(Primitive::capsule(0.1, 1.0).unwrap());
    let corners = [DVec3::new(-3.0, -3.0, 0.0), DVec3::new(3.0, -3.0, 0.0), DVec3::new(0.0, 6.0, 0.0)];
    let triangle = Shape::from(Triangle::new(corners).unwrap());
    let lifted = Pose::from_translation(DVec3::new(0.0, 0.0, 0.4));
    let found = distance(&capsule, &lifted, &triangle, &Pose::IDENTITY, &Options::DEFAULT).unwrap();
    assert!((found.distance + 0.7).abs() < 1e-12, "{found:?}");
    assert!((found.normal + DVec3::Z).length() < 1e-12);
    check([&capsule, &triangle], [&lifted, &Pose::IDENTITY], &found);
}

#[test]
fn planes_and_points() {
    let mut rng = fastrand::Rng::with_seed(3);
    let floor = Shape::from(Plane::new(DVec3::Z, 0.0).unwrap());
    for _ in 0..2_000 {
        let body = primitive(&mut rng);
        let pose = Pose::new(turn(&mut rng), vector(&mut rng)).unwrap();
        let found = distance(&body.into(), &pose, &floor, &Pose::IDENTITY, &Options::DEFAULT).unwrap();
        let lowest = body.tessellate(2_000).unwrap().vertices.into_iter().map(|v| pose.transform_point(v).z);
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        assert!(found.distance <= lowest + 1e-12 && found.distance >= lowest - 0.02, "{body:?}");
        // A point's nearest point is on the surface, and no tessellated one is nearer.
        let point = 2.0 * vector(&mut rng);
        let closest = closest_point(&body.into(), &pose, point, &Options::DEFAULT).unwrap();
        assert!((closest.point.distance(point) - closest.distance.abs()).abs() < 1e-12);
        assert_eq!(closest.distance < 0.0, Shape::from(body).contains(pose.inverse_transform_point(point)));
        let mesh = body.tessellate(500).unwrap();
        let nearest = mesh.vertices.into_iter().map(|v| pose.transform_point(v).distance(point));
        assert!(nearest.fold(f64::INFINITY, f64::min) >= closest.distance.abs() - 1e-12);
    }
}

#[test]
fn rays_meet_the_surface_first() {
    let mut rng = fastrand::Rng::with_seed(4);
    let mut hits = 0;
    for _ in 0..5_000 {
        let body = primitive(&mut rng);
        let shape = Shape::from(body);
        let pose = Pose::new(turn(&mut rng), vector(&mut rng)).unwrap();
        let origin = 3.0 * vector(&mut rng);
        let target = pose.translation + 0.5 * body.reach() * vector(&mut rng);
        let along = Ray::new(origin, target - origin).unwrap();
        let inside = shape.contains(pose.inverse_transform_point(origin));
        let signed = |t: f64| {
            let at = origin + (target - origin) * t;
            closest_point(&shape, &pose, at, &Options::DEFAULT).unwrap().distance
        };
        match ray(&shape, &pose, &along).unwrap() {
            Some(hit) => {
                hits += 1;
                assert_eq!(hit.from_inside, inside);
                assert!(signed(hit.t).abs() < 1e-12, "{body:?}");
                for part in 0..20 {
                    let before = signed(hit.t * f64::from(part) / 20.0);
                    assert!(if inside { before <= 1e-12 } else { before >= -1e-12 }, "{body:?}");
                }
                // Along an outward normal the nearest point stays where it is.
                let off = closest_point(&shape, &pose, hit.point + hit.normal * 1e-3, &Options::DEFAULT).unwrap();
                assert!((off.distance - 1e-3).abs() < 1e-9 && off.normal.dot(hit.normal) > 1.0 - 1e-9, "{body:?}");
            }
            None => assert!((0..400).all(|part| signed(f64::from(part) * 0.01) > -1e-9) && !inside, "{body:?}"),
        }
    }
    assert!(hits > 2_000, "{hits}");
}

#[test]
fn gradients_are_those_of_differences() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut compared = 0;
    for _ in 0..3_000 {
        let (a, b) = (Shape::from(primitive(&mut rng)), other(&mut rng));
        let pose_a = Pose::new(turn(&mut rng), DVec3::ZERO).unwrap();
        let pose_b = Pose::new(turn(&mut rng), vector(&mut rng) * (size(&a) + size(&b))).unwrap();
        let tight = Options { tolerance: 1e-13, ..Options::DEFAULT };
        let found = gradient(&a, &pose_a, &b, &pose_b, &tight).unwrap();
        // Second derivatives tell where the differences of first order are good, and are compared by those below.
        let second = second_derivatives(&a, &pose_a, &b, &pose_b, &tight).unwrap();
        assert!(second.hessian.iter().flatten().all(|value| value.is_finite()));
        if !second.is_smooth || found.outcome.status == Status::NotConverged || found.outcome.distance < 1e-3 {
            continue;
        }
        let step = 1e-5;
        let at = |sign: f64, axis: usize| {
            let mut moved = pose_b;
            if axis < 3 {
                moved.translation[axis] += sign * step;
            } else {
                let mut by = DVec3::ZERO;
                by[axis - 3] = sign * step;
                moved.rotation = DQuat::from_scaled_axis(by) * moved.rotation;
            }
            gradient(&a, &pose_a, &b, &moved, &tight).unwrap()
        };
        let parts = |g: &superegg::query::Gradient| {
            let (t, r) = (g.b.translation.to_array(), g.b.rotation.to_array());
            [t[0], t[1], t[2], r[0], r[1], r[2]]
        };
        let by_pose = parts(&found);
        for (axis, wanted) in by_pose.into_iter().enumerate() {
            let (up, down) = (at(1.0, axis), at(-1.0, axis));
            let difference = (up.outcome.distance - down.outcome.distance) / (2.0 * step);
            // A contact that changes its feature within the step has a kink there.
            let turned = up.outcome.normal.distance(down.outcome.normal);
            let slid = up.outcome.point_a.distance(down.outcome.point_a);
            if turned < 1e-3 && slid < 1e-3 {
                let off = (difference - wanted).abs();
                assert!(
                    off < 2e-5,
                    "{a:?} {pose_a:?}\n{b:?} {pose_b:?}\n{:?}: {axis} {difference} {}",
                    found.outcome,
                    wanted
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 3_000, "{compared}");
}

#[test]
fn derivatives_by_parameters_are_those_of_differences() {
    let mut rng = fastrand::Rng::with_seed(6);
    let mut compared = 0;
    for _ in 0..1_000 {
        let (body, ball) = (primitive(&mut rng), Shape::from(Primitive::sphere(length(&mut rng)).unwrap()));
        let pose = Pose::new(turn(&mut rng), 2.0 * vector(&mut rng)).unwrap();
        let ask = |core: Core, rounding: f64| {
            let sharp = match core {
                Core::Segment { half_height } if rounding > 0.0 => Primitive::capsule(rounding, half_height),
                Core::Segment { .. } => return None,
                Core::Cuboid { half_extents } => Primitive::cuboid(half_extents).and_then(|p| p.rounded(rounding)),
                Core::Frustum { radii, half_height } => {
                    Primitive::frustum(radii, half_height).and_then(|p| p.rounded(rounding))
                }
            };
            let shape = Shape::from(sharp.ok()?);
            distance(&shape, &Pose::IDENTITY, &ball, &pose, &Options::DEFAULT).ok().map(|found| found.distance)
        };
        let found = gradient(&body.into(), &Pose::IDENTITY, &ball, &pose, &Options::DEFAULT).unwrap();
        if found.outcome.distance < 1e-3 || !found.outcome.is_differentiable() {
            continue;
        }
        let ShapeGradient::Primitive { core, rounding } = found.a.shape else { unreachable!() };
        assert_eq!(rounding, -1.0);
        let numbers = |core: Core| match core {
            Core::Segment { half_height } => [half_height, 0.0, 0.0],
            Core::Cuboid { half_extents } => half_extents,
            Core::Frustum { radii, half_height } => [radii[0], radii[1], half_height],
        };
        let with = |values: [f64; 3]| match body.core() {
            Core::Segment { .. } => Core::Segment { half_height: values[0] },
            Core::Cuboid { .. } => Core::Cuboid { half_extents: values },
            Core::Frustum { .. } => Core::Frustum { radii: [values[0], values[1]], half_height: values[2] },
        };
        let values = numbers(body.core());
        for index in 0..3 {
            let moved = |sign: f64| {
                let mut moved = values;
                moved[index] += sign * 1e-6;
                ask(with(moved), body.rounding())
            };
            if values[index] > 1e-3
                && let (Some(up), Some(down)) = (moved(1.0), moved(-1.0))
            {
                let wanted = (up - down) / 2e-6;
                assert!((numbers(core)[index] - wanted).abs() < 1e-4, "{body:?} {index}: {core:?} {wanted}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn a_batch_answers_as_single_queries() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut placed = |shape: Shape| Placed { shape, pose: Pose::new(turn(&mut rng), 2.0 * vector(&mut rng)).unwrap() };
    let mut shapes = fastrand::Rng::with_seed(8);
    let pairs: Vec<_> = (0..500).map(|_| [placed(primitive(&mut shapes).into()), placed(other(&mut shapes))]).collect();
    for (answer, [a, b]) in distances(&pairs, &Options::DEFAULT, Threads::All).into_iter().zip(&pairs) {
        assert_eq!(answer, distance(&a.shape, &a.pose, &b.shape, &b.pose, &Options::DEFAULT));
    }
}

#[test]
fn what_cannot_be_answered_is_said() {
    let die = Shape::from(Primitive::cuboid([1.0; 3]).unwrap());
    let egg = Superovoid::new([1.0; 3], [0.5, 0.5], [0.3, -0.3]).unwrap();
    assert!(!egg.is_convex());
    let far = Pose::from_translation(DVec3::X * 4.0);
    let (plane, egg) = (Shape::from(Plane::new(DVec3::Z, 0.0).unwrap()), Shape::from(egg));
    let refused = distance(&plane, &Pose::IDENTITY, &plane, &far, &Options::DEFAULT).unwrap_err();
    assert_eq!(refused, QueryError::Unsupported { operation: "distance", a: "plane", b: "plane" });
    let refused = growth_distance(&die, &Pose::IDENTITY, &egg, &far, &Options::DEFAULT).unwrap_err();
    let b = "superovoid that is not convex";
    assert_eq!(refused, QueryError::Unsupported { operation: "growth_distance", a: "box", b });
    assert_eq!(Primitive::cuboid([1.0, f64::NAN, 1.0]).unwrap_err().field, "half_extents[1]");
    assert_eq!(Primitive::frustum([0.0, 0.0], 1.0).unwrap_err().field, "radii[0]");
    assert_eq!(Primitive::sphere(1.0).unwrap().rounded(-1.0).unwrap_err().field, "rounding");
}
