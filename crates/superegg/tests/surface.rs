//! Implicit functions, parametrisation and curvatures against finite differences and against each other.
//!
//! A central difference of step h has an error of h² times the third derivative plus rounding over h; points are kept
//! far enough from faces and ridges, where third derivatives are unbounded, for the stated tolerances.

use superegg::shape::{Superellipsoid, Superovoid, SurfaceCoordinates};
use superegg::{DMat3, DVec3};

fn random_egg(random: &mut fastrand::Rng, lowest_exponent: f64) -> Superovoid {
    let size = 10f64.powf(12.0 * random.f64() - 6.0);
    let radii = [0; 3].map(|_| size * 10f64.powf(-random.f64()));
    let exponents = [0; 2].map(|_| lowest_exponent + (2.0 - 2.0 * lowest_exponent) * random.f64());
    let taper = [0; 2].map(|_| if random.u8(0..4) == 0 { 0.0 } else { 1.6 * random.f64() - 0.8 });
    Superovoid::new(radii, exponents, taper).unwrap()
}

/// Angles at least 0.15 away from every multiple of 90°.
fn random_coordinates(random: &mut fastrand::Rng) -> [f64; 2] {
    let quarter = |random: &mut fastrand::Rng| 0.15 + (std::f64::consts::FRAC_PI_2 - 0.3) * random.f64();
    let azimuth = quarter(random) + std::f64::consts::FRAC_PI_2 * f64::from(random.i32(-2..2));
    [azimuth, quarter(random) * if random.bool() { 1.0 } else { -1.0 }]
}

/// Largest entry of the difference, relative to the largest entry of the expectation.
fn relative(actual: DMat3, expected: DMat3) -> f64 {
    let largest = |m: DMat3| m.to_cols_array().into_iter().fold(0.0f64, |largest, entry| largest.max(entry.abs()));
    largest(actual - expected) / largest(expected)
}

fn central<T: std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>>(step: f64, f: impl Fn(f64) -> T) -> T {
    (f(step) - f(-step)) * (0.5 / step)
}

#[test]
fn implicit_derivatives_match_finite_differences() {
    let mut random = fastrand::Rng::with_seed(21);
    for _ in 0..500 {
        let egg = random_egg(&mut random, 0.3);
        let [azimuth, elevation] = random_coordinates(&mut random);
        let on_surface = egg.surface_point(SurfaceCoordinates::from_angles(azimuth, elevation)).position;
        let point = on_surface * (0.7 + 0.29 * random.f64());
        let size = DVec3::from(egg.radii());
        let scaled = |derivatives: superegg::shape::Derivatives| {
            (derivatives.value, derivatives.gradient * size, {
                DMat3::from_diagonal(size) * derivatives.hessian * DMat3::from_diagonal(size)
            })
        };
        for function in [Superovoid::gauge_derivatives, Superovoid::inside_outside_derivatives] {
            let at = |offset: DVec3| scaled(function(&egg, point + offset * size));
            let (_, gradient, hessian) = at(DVec3::ZERO);
            let step = 1e-6;
            let differences = DVec3::AXES.map(|axis| central(step, |h| at(axis * h).0));
            let error = (gradient - DVec3::from(differences)).length() / gradient.length();
            assert!(error < 1e-8, "{egg:?} {point} {error}");
            let [x, y, z] = DVec3::AXES.map(|axis| central(step, |h| at(axis * h).1));
            let error = relative(hessian, DMat3::from_cols(x, y, z));
            assert!(error < 1e-6, "{egg:?} {point} {error}\n{hessian}\n{:?}", [x, y, z]);
        }
    }
}

/// The papers' formulas written down, without regard for overflow.
#[test]
fn inside_outside_is_that_of_the_papers() {
    let mut random = fastrand::Rng::with_seed(22);
    for _ in 0..500 {
        let egg = random_egg(&mut random, 0.2);
        let ([a1, a2, a3], [e1, e2], [tx, ty]) = (egg.radii(), egg.exponents(), egg.taper());
        let [x, y, z] = egg.radii().map(|radius| radius * (2.0 * random.f64() - 1.0));
        let first = (x / ((tx * z / a3 + 1.0) * a1)).abs().powf(2.0 / e1);
        let second = (y / ((ty * z / a3 + 1.0) * a2)).abs().powf(2.0 / e1);
        let expected = (first + second).powf(e1 / e2) + (z / a3).abs().powf(2.0 / e2);
        let actual = egg.inside_outside(DVec3::new(x, y, z));
        assert!((actual / expected - 1.0).abs() < 1e-13, "{egg:?} {actual} {expected}");
        assert!((egg.gauge(DVec3::new(x, y, z)) - expected.powf(0.5 * e2)).abs() < 1e-14 * (1.0 + expected));
    }
}

#[test]
fn gauge_of_superellipsoid_has_degree_one() {
    let mut random = fastrand::Rng::with_seed(23);
    for _ in 0..500 {
        let exponents = [0; 2].map(|_| 0.05 + 1.9 * random.f64());
        let egg = Superellipsoid::new([1.0, 0.3, 2.0], exponents).unwrap();
        let point = DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5);
        let factor = 10f64.powf(40.0 * random.f64() - 20.0);
        let derivatives = egg.gauge_derivatives(point);
        assert!((egg.gauge(point * factor) / (factor * derivatives.value) - 1.0).abs() < 1e-14);
        // Euler's identities.
        assert!((derivatives.gradient.dot(point) - derivatives.value).abs() < 1e-14 * derivatives.value);
        let null = (derivatives.hessian * point).length();
        let largest = derivatives.hessian.to_cols_array().into_iter().fold(0.0f64, |m, entry| m.max(entry.abs()));
        assert!(null <= 1e-14 * largest, "{exponents:?} {point} {null} {largest}");
    }
}

#[test]
fn derivatives_are_numbers_everywhere() {
    for exponents in [[0.05, 0.05], [1.95, 1.95], [0.05, 1.95], [1.95, 0.05], [1.0, 1.0]] {
        let egg = Superovoid::new([1.0, 2.0, 0.5], exponents, [0.3, -0.2]).unwrap();
        for x in [0.0, 1e-100, 0.5, 2.0] {
            for y in [0.0, -1e-20, 0.7] {
                for z in [0.0, 1e-100, 0.25, -0.5, 3.0] {
                    let point = DVec3::new(x, y, z);
                    let gauge = egg.gauge_derivatives(point);
                    assert!(gauge.value.is_finite() && gauge.gradient.is_finite(), "{exponents:?} {point}");
                    assert!(gauge.hessian.is_finite(), "{exponents:?} {point} {}", gauge.hessian);
                    let surface = egg.surface_point(egg.coordinates_at(point));
                    assert!(surface.position.is_finite() && surface.normal.is_finite());
                    assert!(surface.directions.iter().chain(&surface.tangents).all(|d| d.is_normalized()));
                    assert!(surface.curvatures.iter().chain(&surface.speeds).all(|value| !value.is_nan()));
                    assert!((egg.gauge(surface.position) - 1.0).abs() < 1e-13, "{exponents:?} {point}");
                    assert!(egg.radial_signed_distance(point).is_finite());
                }
            }
        }
    }
    // An ellipsoid's inside-outside function is a quadratic form, also at its centre.
    let ellipsoid = Superellipsoid::new([1.0, 2.0, 0.5], [1.0, 1.0]).unwrap();
    let center = ellipsoid.inside_outside_derivatives(DVec3::ZERO);
    assert!(relative(center.hessian, DMat3::from_diagonal(DVec3::new(2.0, 0.5, 8.0))) < 1e-15);
}

#[test]
fn radial_distance_ends_on_the_surface() {
    let mut random = fastrand::Rng::with_seed(24);
    for _ in 0..1000 {
        let egg = random_egg(&mut random, 0.05);
        let [azimuth, elevation] = random_coordinates(&mut random);
        let on_surface = egg.surface_point(SurfaceCoordinates::from_angles(azimuth, elevation)).position;
        let factor = 10f64.powf(6.0 * random.f64() - 3.0);
        let expected = on_surface.length() * (factor - 1.0);
        let actual = egg.radial_signed_distance(on_surface * factor);
        let rounding = on_surface.length() * factor.max(1.0);
        assert!((actual - expected).abs() < 1e-13 * rounding, "{egg:?} {factor} {actual} {expected}");
    }
}

#[test]
fn coordinates_round_trip() {
    let mut random = fastrand::Rng::with_seed(25);
    for _ in 0..1000 {
        let egg = random_egg(&mut random, 0.05);
        let [azimuth, elevation] = random_coordinates(&mut random);
        let coordinates = SurfaceCoordinates::from_angles(azimuth, elevation);
        let back = egg.coordinates_at(egg.surface_point(coordinates).position);
        // A position's rounding is amplified by 1/e.
        assert!((back.azimuth() - coordinates.azimuth()).length() < 1e-13, "{egg:?} {azimuth} {elevation}");
        assert!((back.elevation() - coordinates.elevation()).length() < 1e-13, "{egg:?} {azimuth} {elevation}");
        let normal = egg.surface_point(coordinates).normal;
        assert!((egg.normal_at(egg.surface_point(coordinates).position) - normal).length() < 1e-12);
        let by_normal = egg.surface_point(egg.coordinates_with_normal(normal)).position;
        assert!((by_normal - egg.support(normal)).length() < 1e-13 * egg.bounding_sphere().radius);
    }
}

#[test]
fn tangents_and_speeds_match_finite_differences() {
    let mut random = fastrand::Rng::with_seed(26);
    for _ in 0..500 {
        let egg = random_egg(&mut random, 0.1);
        let [azimuth, elevation] = random_coordinates(&mut random);
        let at = |du: f64, dv: f64| egg.surface_point(SurfaceCoordinates::from_angles(azimuth + du, elevation + dv));
        let here = at(0.0, 0.0);
        let step = 1e-6;
        let differences = [central(step, |h| at(h, 0.0).position), central(step, |h| at(0.0, h).position)];
        for ((tangent, speed), difference) in here.tangents.into_iter().zip(here.speeds).zip(differences) {
            let error = (tangent * speed - difference).length() / difference.length();
            assert!(error < 1e-7, "{egg:?} {azimuth} {elevation} {error}");
            assert!(tangent.dot(here.normal).abs() < 1e-14);
        }
        assert!(here.tangents[0].cross(here.tangents[1]).dot(here.normal) > 0.0);
        assert!(here.normal.dot(here.position) > 0.0);
    }
}

/// The normal's change along a principal direction is the curvature times the step: checked by differences of
/// `normal_at` along the surface, which knows nothing of the second fundamental form.
#[test]
fn curvatures_match_the_turning_of_the_normal() {
    let mut random = fastrand::Rng::with_seed(27);
    let mut saddles = 0;
    for _ in 0..1000 {
        let egg = random_egg(&mut random, 0.3);
        let [azimuth, elevation] = random_coordinates(&mut random);
        let here = egg.surface_point(SurfaceCoordinates::from_angles(azimuth, elevation));
        let hessian = egg.gauge_derivatives(here.position);
        let largest = here.curvatures[0].abs().max(here.curvatures[1].abs());
        saddles += u32::from(here.curvatures[1] < 0.0);
        for (curvature, direction) in here.curvatures.into_iter().zip(here.directions) {
            let by_hessian = direction.dot(hessian.hessian * direction) / hessian.gradient.length();
            assert!((curvature - by_hessian).abs() < 1e-11 * largest, "{egg:?} {curvature} {by_hessian}");
            // Off the surface by half a curvature times step², which changes the normal by a third-order term only.
            let step = 1e-5 / largest;
            let turned = central(step, |h| egg.normal_at(here.position + direction * h));
            let error = (turned - direction * curvature).length() / largest;
            assert!(error < 1e-5, "{egg:?} {azimuth} {elevation} {error}");
        }
        assert!(here.directions[0].dot(here.directions[1]).abs() < 1e-14);
    }
    assert!(saddles > 10, "{saddles}");
}

#[test]
fn curvatures_of_known_surfaces() {
    let ball = Superellipsoid::new([2.0; 3], [1.0, 1.0]).unwrap();
    let point = ball.surface_point(SurfaceCoordinates::from_angles(0.3, 0.4));
    assert!(point.curvatures.iter().all(|curvature| (curvature - 0.5).abs() < 1e-15));
    // An ellipsoid at the end of its x axis: a1/a2² and a1/a3².
    let ellipsoid = Superellipsoid::new([2.0, 3.0, 5.0], [1.0, 1.0]).unwrap();
    let point = ellipsoid.surface_point(SurfaceCoordinates::from_angles(0.0, 0.0));
    assert!((point.curvatures[0] - 2.0 / 9.0).abs() < 1e-15 && (point.curvatures[1] - 2.0 / 25.0).abs() < 1e-15);
    assert_eq!(point.directions[0].abs(), DVec3::Y);
    assert_eq!(point.directions[1].abs(), DVec3::Z);
    // Faces are flat, ridges are sharp.
    let pillow = Superellipsoid::new([1.0; 3], [0.5, 0.5]).unwrap();
    assert_eq!(pillow.surface_point(SurfaceCoordinates::from_angles(0.0, 0.0)).curvatures, [0.0, 0.0]);
    let star = Superellipsoid::new([1.0; 3], [1.5, 1.0]).unwrap();
    let ridge = star.surface_point(SurfaceCoordinates::from_angles(0.0, 0.3));
    assert_eq!(ridge.curvatures[0], f64::INFINITY);
    assert!((ridge.curvatures[1] - 1.0).abs() < 1e-12, "{:?}", ridge.curvatures);
    assert_eq!(ridge.directions[0].abs(), DVec3::Y);
}

#[test]
fn poles_are_on_the_axis_for_every_exponent() {
    for e2 in [0.05, 0.3, 1.0, 1.7, 1.95] {
        let egg = Superovoid::new([1.0, 2.0, 3.0], [0.5, e2], [0.1, 0.1]).unwrap();
        for azimuth in [0.0, 1.0, std::f64::consts::PI] {
            let top = egg.surface_point(SurfaceCoordinates::from_angles(azimuth, std::f64::consts::FRAC_PI_2));
            assert_eq!(top.position.abs(), DVec3::new(0.0, 0.0, 3.0));
            assert!((top.normal - DVec3::Z).length() < 1e-15);
        }
        let side = egg.surface_point(SurfaceCoordinates::from_angles(std::f64::consts::PI, 0.0));
        assert_eq!((side.position.x, side.position.y.abs(), side.position.z), (-1.0, 0.0, 0.0));
    }
}
