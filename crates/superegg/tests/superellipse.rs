//! The planar shape and its queries against dense sampling, quadrature and finite differences.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use superegg::query::{Options, PlanarOutcome, Status, superellipse_line, superellipse_point, superellipse_segment};
use superegg::shape::{Spacing, Superellipse};
use superegg::{DVec2, Pose2};

fn exponent(random: &mut fastrand::Rng) -> f64 {
    match random.u8(0..4) {
        0 => 0.05 + 0.2 * random.f64(),
        1 => 1.95 - 0.2 * random.f64(),
        _ => 0.05 + 1.9 * random.f64(),
    }
}

fn random_shape(random: &mut fastrand::Rng) -> Superellipse {
    let size = 10f64.powf(12.0 * random.f64() - 6.0);
    let radii = [0; 2].map(|_| size * 10f64.powf(-2.0 * random.f64()));
    Superellipse::new(radii, exponent(random)).unwrap()
}

fn random_pose(random: &mut fastrand::Rng, size: f64) -> Pose2 {
    let mut component = || 2.0 * random.f64() - 1.0;
    Pose2::new(PI * component(), size * DVec2::new(component(), component())).unwrap()
}

fn size(shape: &Superellipse) -> f64 {
    shape.radii()[0].max(shape.radii()[1])
}

#[test]
fn shape_functions_agree() {
    let mut random = fastrand::Rng::with_seed(41);
    for _ in 0..2000 {
        let shape = random_shape(&mut random);
        let (e, radii) = (shape.exponent(), DVec2::from(shape.radii()));
        let direction = DVec2::from_angle(TAU * random.f64()) * 10f64.powf(100.0 * random.f64() - 50.0);
        let unit = direction.normalize();
        let point = shape.support(direction);
        assert!((shape.gauge(point) - 1.0).abs() < 1e-14);
        let value = shape.support_value(unit);
        assert!((point.dot(unit) - value).abs() < 1e-15 * size(&shape));
        let normal = shape.normal_at(point);
        assert!((shape.support_value(normal) - normal.dot(point)).abs() < 1e-14 * size(&shape));
        let by_normal = shape.curve_point(shape.coordinates_with_normal(direction));
        assert!((by_normal.position - point).length() < 1e-14 * size(&shape), "{shape:?} {direction}");
        assert!((by_normal.normal - unit).length() < 1e-13, "{shape:?} {direction}");
        let coordinates = shape.coordinates_at(point * random.f64());
        assert!((shape.curve_point(coordinates).position - point).length() < 1e-14 * size(&shape));

        // The curve: an angle well inside a quadrant.
        let angle = 0.2 + (FRAC_PI_2 - 0.4) * random.f64() + FRAC_PI_2 * f64::from(random.u8(0..4));
        let at = |angle: f64| shape.curve_point(DVec2::from_angle(angle));
        let (here, step) = (at(angle), 1e-6);
        let speed = (at(angle + step).position - at(angle - step).position) / (2.0 * step);
        assert!((here.tangent * here.speed - speed).length() < 1e-6 * speed.length());
        let turn = at(angle - step).normal.perp_dot(at(angle + step).normal) / (2.0 * step);
        assert!((turn / here.speed / here.curvature - 1.0).abs() < 1e-6, "{shape:?} {angle}");
        let expected = (here.position / radii).abs();
        assert!((expected.x.powf(2.0 / e) + expected.y.powf(2.0 / e) - 1.0).abs() < 1e-12);

        // Derivatives off the curve.
        let off = here.position * (0.5 + random.f64());
        for function in [Superellipse::gauge_derivatives, Superellipse::inside_outside_derivatives] {
            let here = function(&shape, off);
            let step = 1e-5 * off.abs().min_element();
            let difference = |axis: DVec2| {
                let (plus, minus) = (function(&shape, off + axis * step), function(&shape, off - axis * step));
                ((plus.value - minus.value) / (2.0 * step), (plus.gradient - minus.gradient) / (2.0 * step))
            };
            let (x, y) = (difference(DVec2::X), difference(DVec2::Y));
            // 2/e up to 40 makes high derivatives of the inside-outside function large.
            assert!((here.gradient - DVec2::new(x.0, y.0)).length() < 1e-6 * here.gradient.length());
            for (column, difference) in [(here.hessian.x_axis, x.1), (here.hessian.y_axis, y.1)] {
                assert!((column - difference).length() < 1e-4 * difference.length(), "{shape:?} {off}");
            }
        }
        let radial = shape.radial_signed_distance(off);
        assert!((shape.gauge(off - off.normalize() * radial) - 1.0).abs() < 1e-13);
    }
}

#[test]
fn areas_and_moments_match_a_fine_polygon() {
    for e in [0.05, 0.3, 1.0, 1.4, 1.95] {
        for spacing in [Spacing::Angles, Spacing::Curvature] {
            let shape = Superellipse::new([2.0, 0.5], e).unwrap();
            let polygon = shape.polygon(40_000, spacing).unwrap();
            assert_eq!((polygon.len(), polygon[0]), (40_000, DVec2::new(2.0, 0.0)));
            let (mut area, mut moments) = (0.0, DVec2::ZERO);
            for (k, a) in polygon.iter().enumerate() {
                let b = polygon[(k + 1) % polygon.len()];
                let cross = a.perp_dot(b);
                assert!(cross >= 0.0);
                area += 0.5 * cross;
                moments += (a * a + *a * b + b * b) * (cross / 12.0);
            }
            // An inscribed polygon of n vertices lacks about 1/n² of the area.
            assert!((0.0..1e-7).contains(&(1.0 - area / shape.area())), "{e} {spacing:?} {area} {}", shape.area());
            for (sampled, exact) in moments.to_array().into_iter().zip(shape.second_moments()) {
                assert!((sampled / exact - 1.0).abs() < 1e-7, "{e}");
            }
            let farthest = polygon.iter().fold(0.0f64, |farthest, point| farthest.max(point.length()));
            assert!((farthest / shape.bounding_radius() - 1.0).abs() < 1e-6, "{e}");
        }
    }
    let shape = Superellipse::new([2.0, 0.5], 0.4).unwrap();
    assert_eq!(shape.polygon(3, Spacing::Angles).unwrap_err().field, "vertex_count");
    assert_eq!(Superellipse::new([1.0, 1.0], 2.0).unwrap_err().field, "exponent");
    assert_eq!(Superellipse::new([1.0, -1.0], 1.0).unwrap_err().field, "radii[1]");
    let pose = Pose2::new(0.7, DVec2::new(3.0, 4.0)).unwrap();
    let aabb = shape.aabb(&pose);
    let world: Vec<DVec2> =
        shape.polygon(4000, Spacing::Curvature).unwrap().iter().map(|p| pose.transform_point(*p)).collect();
    let high = world.iter().fold(DVec2::NEG_INFINITY, |high, point| high.max(*point));
    let low = world.iter().fold(DVec2::INFINITY, |low, point| low.min(*point));
    assert!((aabb.max - high).length() < 1e-5 && (aabb.min - low).length() < 1e-5);
    assert!(aabb.max.cmpge(high - 1e-14).all() && aabb.min.cmple(low + 1e-14).all());
}

/// `max over n of min(n·A, n·B) - h(n)` on 6000 normals, each local maximum refined. Its error is
/// below 1e-12 of the size for well-behaved curves; it can only be too small.
fn brute_force(shape: &Superellipse, ends: [DVec2; 2]) -> f64 {
    let value = |n: DVec2| n.dot(ends[0]).min(n.dot(ends[1])) - shape.support_value(n);
    let mut normals = vec![];
    for k in 0..2000 {
        let direction = DVec2::from_angle(TAU * f64::from(k) / 2000.0);
        normals.push(direction);
        normals.push(shape.normal_at(direction * DVec2::from(shape.radii())));
        normals.push((direction / DVec2::from(shape.radii())).normalize());
    }
    if ends[0] != ends[1] {
        let across = (ends[1] - ends[0]).perp().normalize();
        normals.extend([across, -across]);
    }
    normals.sort_by(|a, b| a.y.atan2(a.x).total_cmp(&b.y.atan2(b.x)));
    let values: Vec<f64> = normals.iter().map(|n| value(*n)).collect();
    let mut best = f64::NEG_INFINITY;
    for k in 0..normals.len() {
        let (left, right) = ((k + normals.len() - 1) % normals.len(), (k + 1) % normals.len());
        best = best.max(values[k]);
        if values[k] >= values[left] && values[k] >= values[right] {
            let (mut low, mut high) = (normals[left], normals[right]);
            for _ in 0..60 {
                let (a, b) = ((low * 0.6 + high * 0.4).normalize(), (low * 0.4 + high * 0.6).normalize());
                if value(a) > value(b) {
                    high = b;
                } else {
                    low = a;
                }
                best = best.max(value(a)).max(value(b));
            }
        }
    }
    best
}

fn check(shape: &Superellipse, pose: &Pose2, ends: [DVec2; 2], outcome: &PlanarOutcome, tolerance: f64) {
    let local = ends.map(|end| pose.inverse_transform_point(end));
    let expected = brute_force(shape, local);
    let scale = size(shape) + local[0].length().max(local[1].length());
    let slack = tolerance * size(shape) + 1e-14 * scale;
    assert!(outcome.status != Status::NotConverged, "{shape:?} {local:?} {outcome:?}");
    assert!((outcome.distance - expected).abs() <= slack, "{shape:?} {local:?} {expected} {outcome:?}");
    assert!(expected >= outcome.bounds.lower - 1e-12 * scale && expected <= outcome.bounds.upper + 1e-14 * scale);
    assert!(outcome.bounds.upper - outcome.bounds.lower <= slack, "{outcome:?}");
    assert!(outcome.bounds.lower <= outcome.distance && outcome.distance <= outcome.bounds.upper);
    let (a, b) = (pose.inverse_transform_point(outcome.point_a), pose.inverse_transform_point(outcome.point_b));
    assert!((shape.gauge(a) - 1.0).abs() < 1e-13 * scale / size(shape), "{shape:?} {a}");
    let along = local[1] - local[0];
    let part =
        if along == DVec2::ZERO { 0.0 } else { ((b - local[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0) };
    assert!((local[0] + along * part - b).length() < 1e-13 * scale, "{local:?} {b}");
    assert!((outcome.normal.length() - 1.0).abs() < 1e-14);
    if outcome.status == Status::Separated {
        let between = outcome.point_b - outcome.point_a;
        assert!(
            (between - outcome.normal * outcome.distance).length() < 1e-12 * scale,
            "{shape:?} {local:?} {outcome:?}"
        );
        let normal = pose.inverse_transform_vector(outcome.normal);
        assert!(shape.support_value(normal) - normal.dot(a) < 1e-12 * scale, "{shape:?} {local:?} {outcome:?}");
    }
}

fn random_end(random: &mut fastrand::Rng, shape: &Superellipse) -> DVec2 {
    let [a1, a2] = shape.radii();
    let box_point = DVec2::new(a1 * (2.0 * random.f64() - 1.0), a2 * (2.0 * random.f64() - 1.0));
    match random.u8(0..8) {
        0 => DVec2::ZERO,
        1 => DVec2::new(box_point.x, 0.0),
        2 => DVec2::new(0.0, 3.0 * box_point.y),
        3 => box_point / shape.gauge(box_point),
        4 => box_point / shape.gauge(box_point) * (1.0 + 1e-9 * (random.f64() - 0.5)),
        5 => box_point * 10f64.powf(6.0 * random.f64()),
        _ => 1.5 * box_point,
    }
}

#[test]
fn points_match_brute_force() {
    let mut random = fastrand::Rng::with_seed(42);
    let (mut evaluations, mut most) = (0, 0);
    for _ in 0..200 {
        let shape = random_shape(&mut random);
        let pose = random_pose(&mut random, size(&shape));
        let point = pose.transform_point(random_end(&mut random, &shape));
        let outcome = superellipse_point(&shape, &pose, point, &Options::DEFAULT).unwrap();
        check(&shape, &pose, [point; 2], &outcome, 1e-9);
        evaluations += outcome.iterations;
        most = most.max(outcome.iterations);
    }
    // Far below the cap, on the mean and at worst.
    assert!(evaluations < 200 * 25 && most < 150, "{evaluations} {most}");
}

#[test]
fn segments_match_brute_force() {
    let mut random = fastrand::Rng::with_seed(43);
    let mut overlapping = 0;
    let (mut evaluations, mut most) = (0, 0);
    for _ in 0..200 {
        let shape = random_shape(&mut random);
        let pose = random_pose(&mut random, size(&shape));
        let ends = [0; 2].map(|_| pose.transform_point(random_end(&mut random, &shape)));
        let outcome = superellipse_segment(&shape, &pose, ends, &Options::DEFAULT).unwrap();
        check(&shape, &pose, ends, &outcome, 1e-9);
        overlapping += u32::from(outcome.status == Status::Penetrating);
        evaluations += outcome.iterations;
        most = most.max(outcome.iterations);
    }
    // Far below the cap, on the mean and at worst.
    assert!(evaluations < 200 * 25 && most < 150, "{evaluations} {most}");
    assert!((25..175).contains(&overlapping), "{overlapping}");
}

#[test]
fn tight_tolerances_and_centres() {
    let options = Options { tolerance: 1e-14, ..Options::DEFAULT };
    for e in [0.05, 0.3, 0.9, 1.0, 1.1, 1.95] {
        for radii in [[1.0, 1.0], [1.0, 0.3], [1e-6, 1e-8]] {
            let shape = Superellipse::new(radii, e).unwrap();
            for place in [DVec2::ZERO, DVec2::new(0.0, 0.2 * radii[1]), DVec2::new(3.0, 2.0) * radii[0]] {
                let outcome = superellipse_point(&shape, &Pose2::IDENTITY, place, &options).unwrap();
                check(&shape, &Pose2::IDENTITY, [place; 2], &outcome, 1e-13);
            }
        }
    }
    // The cap is kept, and the bounds still hold the truth.
    let shape = Superellipse::new([1.0, 0.5], 0.7).unwrap();
    let capped = Options { tolerance: 1e-12, max_iterations: 7, ..Options::DEFAULT };
    let outcome = superellipse_point(&shape, &Pose2::IDENTITY, DVec2::new(0.3, 0.1), &capped).unwrap();
    let exact = superellipse_point(&shape, &Pose2::IDENTITY, DVec2::new(0.3, 0.1), &options).unwrap();
    assert_eq!((outcome.status, outcome.iterations), (Status::NotConverged, 7));
    assert!(outcome.bounds.lower <= exact.distance && exact.distance <= outcome.bounds.upper);
}

#[test]
fn lines_match_long_segments() {
    let mut random = fastrand::Rng::with_seed(44);
    for _ in 0..300 {
        let shape = random_shape(&mut random);
        let pose = random_pose(&mut random, size(&shape));
        let point = pose.transform_point(random_end(&mut random, &shape));
        let direction = DVec2::from_angle(TAU * random.f64());
        let line = superellipse_line(&shape, &pose, point, direction * 1e-20, &Options::DEFAULT).unwrap();
        let reach = 10.0 * (size(&shape) + (point - pose.translation).length());
        let ends = [point - direction * reach, point + direction * reach];
        let segment = superellipse_segment(&shape, &pose, ends, &Options::DEFAULT).unwrap();
        let scale = size(&shape) * 1e-9 + reach * 1e-14;
        // Where both overlap a long segment may also be left at its ends, but not more cheaply.
        assert!((line.distance - segment.distance).abs() < scale, "{shape:?} {line:?} {segment:?}");
        assert!((line.point_b - point).perp_dot(direction).abs() < 1e-14 * reach);
        assert!(line.status != Status::NotConverged && line.iterations == 1, "{line:?}");
    }
}

#[test]
fn bad_input_is_named() {
    let shape = Superellipse::new([1.0, 1.0], 1.0).unwrap();
    let (pose, options) = (Pose2::IDENTITY, Options::DEFAULT);
    let message = |refused: superegg::query::QueryError| refused.to_string();
    let refused = superellipse_point(&shape, &pose, DVec2::new(f64::NAN, 0.0), &options).unwrap_err();
    assert_eq!(message(refused), "point[0]: NaN is outside the finite numbers");
    let refused = superellipse_line(&shape, &pose, DVec2::ZERO, DVec2::ZERO, &options).unwrap_err();
    assert_eq!(message(refused), "direction: 0 is outside a finite, non-zero vector");
    let ends = [DVec2::ZERO, DVec2::new(0.0, f64::INFINITY)];
    let refused = superellipse_segment(&shape, &pose, ends, &options).unwrap_err();
    assert_eq!(message(refused), "points[1][1]: inf is outside the finite numbers");
    let tilted = Pose2 { rotation: DVec2::new(2.0, 0.0), translation: DVec2::ZERO };
    let refused = superellipse_point(&shape, &tilted, DVec2::ZERO, &options).unwrap_err();
    assert_eq!(message(refused), "rotation: 2 is outside the unit vectors");
}
