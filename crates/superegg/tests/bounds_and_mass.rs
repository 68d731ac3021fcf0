//! Boxes, spheres and mass properties against sampling, quadrature and Monte Carlo.

use superegg::shape::{MassProperties, Superellipsoid, Superovoid, SurfaceCoordinates};
use superegg::{DMat3, DQuat, DVec3, Pose};

fn random_egg(random: &mut fastrand::Rng) -> Superovoid {
    let size = 10f64.powf(12.0 * random.f64() - 6.0);
    let radii = [0; 3].map(|_| size * 10f64.powf(-2.0 * random.f64()));
    let exponents = [0; 2].map(|_| 0.05 + 1.9 * random.f64());
    let taper = [0; 2].map(|_| if random.u8(0..4) == 0 { 0.0 } else { 1.9 * random.f64() - 0.95 });
    Superovoid::new(radii, exponents, taper).unwrap()
}

fn random_pose(random: &mut fastrand::Rng) -> Pose {
    let mut component = || 2.0 * random.f64() - 1.0;
    let rotation = DQuat::from_xyzw(component(), component(), component(), component());
    Pose::new(rotation, DVec3::new(component(), component(), component())).unwrap()
}

/// Surface points by direction from the centre: dense on faces, and then on corners by the angles.
fn samples(egg: &Superovoid, count: i32) -> Vec<DVec3> {
    let mut points = vec![];
    for i in -count..=count {
        for j in 0..4 * count {
            let elevation = std::f64::consts::FRAC_PI_2 * f64::from(i) / f64::from(count);
            let azimuth = std::f64::consts::FRAC_PI_2 * f64::from(j) / f64::from(count);
            let direction =
                DVec3::new(elevation.cos() * azimuth.cos(), elevation.cos() * azimuth.sin(), elevation.sin());
            let coordinates = [
                egg.coordinates_at(direction * DVec3::from(egg.radii())),
                egg.coordinates_with_normal(direction / DVec3::from(egg.radii())),
                SurfaceCoordinates::from_angles(azimuth, elevation),
            ];
            points.extend(coordinates.map(|coordinates| egg.surface_point(coordinates).position));
        }
    }
    points
}

#[test]
fn boxes_hold_the_samples_and_touch_them() {
    let mut random = fastrand::Rng::with_seed(31);
    for _ in 0..40 {
        let egg = random_egg(&mut random);
        let size = egg.bounding_sphere().radius;
        let mut pose = random_pose(&mut random);
        pose.translation *= size;
        let aabb = egg.aabb(&pose);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for point in samples(&egg, 12) {
            let world = pose.transform_point(point);
            (low, high) = (low.min(world), high.max(world));
        }
        let slack = DVec3::splat(1e-14 * size);
        assert!(aabb.min.cmple(low + slack).all() && aabb.max.cmpge(high - slack).all(), "{egg:?} {aabb:?}");
        for axis in DVec3::AXES {
            for (axis, bound) in [(axis, aabb.max), (-axis, aabb.min)] {
                let touching = pose.transform_point(egg.support(pose.inverse_transform_vector(axis)));
                assert!((touching - bound).dot(axis).abs() < 1e-14 * size);
            }
        }
    }
}

#[test]
fn superellipsoid_boxes_and_spheres_are_the_untapered_superovoid_ones() {
    let mut random = fastrand::Rng::with_seed(32);
    for _ in 0..100 {
        let egg = random_egg(&mut random);
        let plain = Superellipsoid::new(egg.radii(), egg.exponents()).unwrap();
        let untapered = Superovoid::from(plain);
        let pose = random_pose(&mut random);
        let (a, b) = (plain.aabb(&pose), untapered.aabb(&pose));
        let (sphere, other) = (plain.bounding_sphere(), untapered.bounding_sphere());
        assert!((a.min - b.min).length() < 1e-14 * sphere.radius && (a.max - b.max).length() < 1e-14 * sphere.radius);
        let excess = other.radius / sphere.radius - 1.0;
        assert!((-1e-15..2e-9).contains(&excess), "{plain:?} {sphere:?} {other:?}");
        assert!(other.center.length() < 1e-4 * sphere.radius);
    }
}

#[test]
fn spheres_hold_the_samples_and_no_smaller_sphere_on_the_axis_does() {
    let mut random = fastrand::Rng::with_seed(33);
    for _ in 0..60 {
        let egg = random_egg(&mut random);
        let sphere = egg.bounding_sphere();
        let points = samples(&egg, 16);
        let radius = |center: DVec3| points.iter().fold(0.0f64, |r, point| r.max(point.distance(center)));
        let sampled = radius(sphere.center);
        assert!(sampled <= sphere.radius * (1.0 + 1e-14), "{egg:?} {sphere:?} {sampled}");
        // The sample misses the farthest point by its spacing squared.
        assert!(sampled > sphere.radius * (1.0 - 1e-2), "{egg:?} {sphere:?} {sampled}");
        for k in -20..=20 {
            let center = DVec3::new(0.0, 0.0, egg.radii()[2] * f64::from(k) / 20.0);
            assert!(radius(center) > sphere.radius * (1.0 - 1e-2), "{egg:?} {sphere:?} {center}");
        }
    }
}

/// Nearly round bodies, of which every point is nearly farthest, and extreme exponents are no slower or looser.
#[test]
fn spheres_of_nearly_round_and_of_extreme_bodies() {
    for taper in [0.0, 1e-12, 1e-6, 1e-3] {
        let egg = Superovoid::new([1.0; 3], [1.0, 1.0], [taper; 2]).unwrap();
        let sphere = egg.bounding_sphere();
        assert!((1.0..1.0 + taper + 2e-9).contains(&sphere.radius), "{taper} {sphere:?}");
    }
    for e1 in [1e-300, 1e-3, 1.0, 1.999_999] {
        for e2 in [1e-300, 1e-3, 1.0, 1.0 + 1e-9, 1.999_999] {
            for taper in [[0.0, 0.0], [0.999, -0.999], [0.999; 2]] {
                let egg = Superovoid::new([1.0, 1e-3, 1.0], [e1, e2], taper).unwrap();
                let sphere = egg.bounding_sphere();
                assert!(sphere.radius >= 0.999 && sphere.radius < 2.5, "{egg:?} {sphere:?}");
                let mass = egg.mass_properties();
                assert!(mass.volume > 0.0 && mass.inertia.is_finite(), "{egg:?} {mass:?}");
                assert!(egg.aabb(&Pose::IDENTITY).max.is_finite());
                for direction in [DVec3::ONE, DVec3::new(1.0, 1e-9, -1e-9), DVec3::NEG_Z] {
                    let distance = egg.support(direction).distance(sphere.center);
                    assert!(distance <= sphere.radius * (1.0 + 1e-14), "{egg:?} {sphere:?} {distance}");
                }
            }
        }
    }
}

/// Mass properties by quadrature over slices: within a slice the closed-form area and second moments are replaced by
/// another quadrature. Tanh-sinh in both directions; its own error is below 1e-10.
fn by_quadrature(egg: &Superovoid) -> MassProperties {
    let ([a1, a2, a3], [e1, e2], [tx, ty]) = (egg.radii(), egg.exponents(), egg.taper());
    // Integral over [0, 1]; the integrand gets x and 1 - x.
    let integrate = |f: &dyn Fn(f64, f64) -> f64| {
        let step = 1.0 / 32.0;
        (-120..=120)
            .map(|k| {
                let t = step * f64::from(k);
                let u = std::f64::consts::PI * t.sinh();
                let (x, rest) = (1.0 / (1.0 + (-u).exp()), 1.0 / (1.0 + u.exp()));
                step * std::f64::consts::PI * t.cosh() * x * rest * f(x, rest)
            })
            .sum::<f64>()
    };
    // (1 - x^p)^(1/p) from x and 1 - x.
    let profile = |x: f64, rest: f64, e: f64| (-(2.0 / e * (-rest).ln_1p()).exp_m1() + 0.0 * x).powf(0.5 * e);
    let area = 4.0 * integrate(&|x, rest| profile(x, rest, e1));
    let second = 4.0 * integrate(&|x, rest| x * x * profile(x, rest, e1));
    let axial = |f: &dyn Fn(f64, f64) -> f64| {
        integrate(&|s, rest| profile(s, rest, e2).powi(2) * (f(s, profile(s, rest, e2)) + f(-s, profile(s, rest, e2))))
    };
    let (fx, fy) = (|s: f64| 1.0 + tx * s, |s: f64| 1.0 + ty * s);
    let scale = a1 * a2 * a3;
    let volume = scale * area * axial(&|s, _| fx(s) * fy(s));
    let center = scale * area * a3 * axial(&|s, _| s * fx(s) * fy(s)) / volume;
    let zz = scale * area * a3 * a3 * axial(&|s, _| s * s * fx(s) * fy(s)) - volume * center * center;
    let xx = scale * second * a1 * a1 * axial(&|s, r| r * r * fx(s).powi(3) * fy(s));
    let yy = scale * second * a2 * a2 * axial(&|s, r| r * r * fx(s) * fy(s).powi(3));
    MassProperties {
        volume,
        centroid: DVec3::new(0.0, 0.0, center),
        inertia: DMat3::from_diagonal(DVec3::new(yy + zz, xx + zz, xx + yy)),
    }
}

#[test]
fn mass_properties_match_quadrature() {
    let mut random = fastrand::Rng::with_seed(34);
    for _ in 0..200 {
        let egg = random_egg(&mut random);
        let (actual, expected) = (egg.mass_properties(), by_quadrature(&egg));
        assert!((actual.volume / expected.volume - 1.0).abs() < 1e-10, "{egg:?} {actual:?} {expected:?}");
        assert!((actual.centroid - expected.centroid).length() < 1e-10 * egg.radii()[2], "{egg:?}");
        for axis in 0..3 {
            let (a, b) = (actual.inertia.col(axis)[axis], expected.inertia.col(axis)[axis]);
            assert!((a / b - 1.0).abs() < 1e-9, "{egg:?} {axis} {a} {b}");
        }
    }
}

/// Knows nothing but the gauge: points of the bounding box, counted where the gauge is below one. With n points of
/// which a part v lies inside, its standard error is √((1-v)/(v n)); four of them are allowed.
#[test]
fn mass_properties_match_monte_carlo() {
    let mut random = fastrand::Rng::with_seed(35);
    let count = 200_000;
    for _ in 0..6 {
        let egg = Superovoid::new(
            [1.0, 0.5 + random.f64(), 0.5 + random.f64()],
            [0; 2].map(|_| 0.3 + 1.2 * random.f64()),
            [0; 2].map(|_| 1.6 * random.f64() - 0.8),
        )
        .unwrap();
        let aabb = egg.aabb(&Pose::IDENTITY);
        let extent = aabb.max - aabb.min;
        let (mut inside, mut sum, mut sum_sq) = (0u32, DVec3::ZERO, DVec3::ZERO);
        for _ in 0..count {
            let point = aabb.min + extent * DVec3::new(random.f64(), random.f64(), random.f64());
            if egg.gauge(point) <= 1.0 {
                inside += 1;
                sum += point;
                sum_sq += point * point;
            }
        }
        let exact = egg.mass_properties();
        let part = f64::from(inside) / f64::from(count);
        let error = 4.0 * ((1.0 - part) / (part * f64::from(count))).sqrt();
        let box_volume = extent.x * extent.y * extent.z;
        assert!((box_volume * part / exact.volume - 1.0).abs() < error, "{egg:?}");
        let mean = sum / f64::from(inside);
        assert!((mean - exact.centroid).abs().max_element() < error * extent.max_element(), "{egg:?}");
        let spread = sum_sq / f64::from(inside) - mean * mean;
        let moments = DVec3::new(spread.y + spread.z, spread.x + spread.z, spread.x + spread.y);
        for axis in 0..3 {
            let exact = exact.inertia.col(axis)[axis] / exact.volume;
            assert!((moments[axis] / exact - 1.0).abs() < 3.0 * error, "{egg:?} {axis} {} {exact}", moments[axis]);
        }
    }
}
