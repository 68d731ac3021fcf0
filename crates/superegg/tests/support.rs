//! Support points and normals against dense sampling, and against each other.

use superegg::DVec3;
use superegg::shape::{Superellipsoid, Superovoid};

fn exponent(random: &mut fastrand::Rng) -> f64 {
    match random.u8(0..4) {
        0 => 0.05 + 0.2 * random.f64(),
        1 => 1.95 - 0.2 * random.f64(),
        _ => 0.05 + 1.9 * random.f64(),
    }
}

fn radii(random: &mut fastrand::Rng) -> [f64; 3] {
    let size = 10f64.powf(12.0 * random.f64() - 6.0);
    [0; 3].map(|_| size * 10f64.powf(-2.0 * random.f64()))
}

/// Any length, sometimes with components that are zero or tiny.
fn direction(random: &mut fastrand::Rng) -> DVec3 {
    let length = 10f64.powf(400.0 * random.f64() - 200.0);
    let mut component = || {
        let value = 2.0 * random.f64() - 1.0;
        match random.u8(0..8) {
            0 => 0.0,
            1 => value * 1e-12,
            2 => value * 1e-3,
            _ => value,
        }
    };
    let direction = DVec3::new(component(), component(), component());
    length * if direction == DVec3::ZERO { DVec3::X } else { direction }
}

/// φ(s) of the support function, written down directly; infinite slopes at s = ±1 need the fine end of the sampling.
fn section_support(egg: &Superovoid, direction: DVec3, s: f64) -> f64 {
    let ([a1, a2, a3], [e1, e2], [tx, ty]) = (egg.radii(), egg.exponents(), egg.taper());
    let (u, v) = (a1 * (1.0 + tx * s) * direction.x.abs(), a2 * (1.0 + ty * s) * direction.y.abs());
    let q = 2.0 / (2.0 - e1);
    let large = u.max(v).max(f64::MIN_POSITIVE);
    let width = large * ((u / large).powf(q) + (v / large).powf(q)).powf(1.0 / q);
    let radius = (-(2.0 / e2 * s.abs().ln()).exp_m1()).max(0.0).powf(0.5 * e2);
    a3 * direction.z * s + radius * width
}

/// The largest φ over a dense sample with golden-section refinement of each local maximum. Its own error is about 1e-15
/// of the largest radius, unless two maxima lie between neighbouring samples.
fn sampled_support(egg: &Superovoid, direction: DVec3) -> f64 {
    let count = 2000;
    let p = 2.0 / egg.exponents()[1];
    let mut heights: Vec<f64> = (1..count).map(|k| (f64::from(k) / f64::from(count)).powf(1.0 / p)).collect();
    let (lowest, highest) = (heights[0], heights[heights.len() - 1]);
    heights.extend((0..200).map(|k| lowest * (-0.1 * f64::from(k)).exp()));
    heights.extend((0..200).map(|k| 1.0 - (1.0 - highest) * (-0.1 * f64::from(k)).exp()));
    heights.extend(heights.clone().iter().map(|s| -s));
    heights.extend([-1.0, 0.0, 1.0]);
    heights.sort_by(f64::total_cmp);
    let value = |s: f64| section_support(egg, direction, s);
    let values: Vec<f64> = heights.iter().map(|&s| value(s)).collect();
    let mut largest = f64::NEG_INFINITY;
    for k in 0..heights.len() {
        let (left, right) = (k.saturating_sub(1), (k + 1).min(heights.len() - 1));
        if values[k] < values[left] || values[k] < values[right] {
            continue;
        }
        let (mut low, mut high) = (heights[left], heights[right]);
        for _ in 0..80 {
            let (inner_low, inner_high) = (low + 0.382 * (high - low), high - 0.382 * (high - low));
            if value(inner_low) > value(inner_high) {
                high = inner_high;
            } else {
                low = inner_low;
            }
        }
        largest = largest.max(values[k]).max(value(0.5 * (low + high)));
    }
    largest
}

fn check_superovoid(egg: &Superovoid, direction: DVec3) {
    let unit = (direction / direction.abs().max_element()).normalize();
    let size = egg.radii().into_iter().fold(0.0, f64::max);
    let point = egg.support(direction);
    let value = egg.support_value(unit);
    let expected = sampled_support(egg, unit);
    assert!(point.is_finite(), "{egg:?} {direction} {point}");
    assert!((value - expected).abs() <= 1e-14 * size, "{egg:?} {direction}: {value} {expected}");
    assert!((point.dot(unit) - value).abs() <= 1e-14 * size, "{egg:?} {direction}: {point} {value}");
    let length = direction.abs().max_element() * (direction / direction.abs().max_element()).length();
    assert!((egg.support_value(direction) / length - value).abs() <= 1e-14 * size);
    // On the surface: as far out as any point of its section with the section's own normal.
    let [a1, a2, a3] = egg.radii();
    let s = point.z / a3;
    let [tx, ty] = egg.taper();
    let (x, y) = ((point.x / (a1 * (1.0 + tx * s))).abs(), (point.y / (a2 * (1.0 + ty * s))).abs());
    let [e1, e2] = egg.exponents();
    let inner = x.powf(2.0 / e1) + y.powf(2.0 / e1);
    let gauge = inner.powf(e1 / e2) + s.abs().powf(2.0 / e2);
    assert!((gauge.powf(0.5 * e2) - 1.0).abs() < 1e-13, "{egg:?} {direction} {point} {gauge}");
}

#[test]
fn superellipsoid_support_is_the_untapered_superovoid_support() {
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..300 {
        let (radii, exponents) = (radii(&mut random), [exponent(&mut random), exponent(&mut random)]);
        let plain = Superellipsoid::new(radii, exponents).unwrap();
        let egg = Superovoid::new(radii, exponents, [0.0, 0.0]).unwrap();
        let direction = direction(&mut random);
        check_superovoid(&egg, direction);
        let size = radii.into_iter().fold(0.0, f64::max);
        let unit = direction / direction.abs().max_element();
        assert!((plain.support_value(unit) - egg.support_value(unit)).abs() <= 2e-15 * size);
        assert!((plain.support(direction).dot(unit) - plain.support_value(unit)).abs() <= 2e-15 * size);
    }
}

#[test]
fn superovoid_support_is_the_sampled_maximum() {
    let mut random = fastrand::Rng::with_seed(12);
    let mut convex = 0;
    for index in 0..600 {
        let exponents = [exponent(&mut random), exponent(&mut random)];
        let mut taper = [0.99 * (2.0 * random.f64() - 1.0), 0.99 * (2.0 * random.f64() - 1.0)];
        if index % 2 == 0 {
            taper[1] = taper[0];
        }
        let egg = Superovoid::new(radii(&mut random), exponents, taper).unwrap();
        convex += u32::from(egg.is_convex());
        check_superovoid(&egg, direction(&mut random));
    }
    assert!((100..500).contains(&convex), "{convex}");
}

#[test]
fn hull_support_jumps_across_a_waist() {
    // Where two maxima of a non-convex profile are equally high the scan must see both.
    let mut random = fastrand::Rng::with_seed(13);
    for _ in 0..60 {
        let e2 = 0.3 + 1.65 * random.f64();
        let limit = (0.5 * e2).exp2() * (1.0 - 0.5 * e2);
        let t = limit + (1.0 - limit) * random.f64() * 0.99;
        let egg = Superovoid::new([1.0, 1.0, 1.0], [exponent(&mut random), e2], [t, t]).unwrap();
        assert!(!egg.is_convex());
        // Bisect for the direction in the xz plane at which the support point jumps.
        let normal = |angle: f64| DVec3::new(angle.cos(), 0.0, angle.sin());
        let (mut low, mut high) = (-std::f64::consts::FRAC_PI_2, 0.0);
        for k in 1..200 {
            let next = -std::f64::consts::FRAC_PI_2 * (1.0 - f64::from(k) / 200.0);
            let previous = -std::f64::consts::FRAC_PI_2 * (1.0 - f64::from(k - 1) / 200.0);
            let jump = egg.support(normal(next)).z - egg.support(normal(previous)).z;
            if jump > egg.support(normal(high)).z - egg.support(normal(low)).z || k == 1 {
                (low, high) = (previous, next);
            }
        }
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            check_superovoid(&egg, normal(middle));
            if egg.support(normal(middle)).z - egg.support(normal(low)).z
                > egg.support(normal(high)).z - egg.support(normal(middle)).z
            {
                high = middle;
            } else {
                low = middle;
            }
        }
    }
}

#[test]
fn normal_at_inverts_support() {
    let mut random = fastrand::Rng::with_seed(14);
    let mut checked = 0;
    for _ in 0..4000 {
        let exponents = [0.2 + 1.6 * random.f64(), 0.2 + 1.6 * random.f64()];
        let t = 0.9 * (2.0 * random.f64() - 1.0) * (0.5 * exponents[1]).exp2() * (1.0 - 0.5 * exponents[1]);
        let egg = Superovoid::new(radii(&mut random), exponents, [t, t]).unwrap();
        assert!(egg.is_convex());
        let unit = DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5).normalize();
        let point = egg.support(unit);
        let normal = egg.normal_at(point);
        // Rounding a coordinate moves the normal by curvature times size: compare through the support value, which is
        // stationary, and compare the normals themselves where the surface is not nearly a corner.
        let size = egg.radii().into_iter().fold(0.0, f64::max);
        let value = egg.support_value(normal);
        assert!((value - point.dot(normal)).abs() <= 1e-13 * size, "{egg:?} {unit} {normal}");
        if (egg.normal_at(point * (1.0 + 1e-15)) - normal).length() < 1e-13 {
            checked += 1;
            assert!((normal - unit).length() < 1e-9, "{egg:?} {unit} {normal}");
        }
    }
    assert!(checked > 2000, "{checked}");
}

#[test]
fn degenerate_directions_give_surface_points() {
    for exponents in [[0.05, 1.95], [1.95, 0.05], [1.0, 1.0], [1e-300, 1e-300], [1.999_999_999, 1.999_999_999]] {
        let plain = Superellipsoid::new([1.0, 2.0, 3.0], exponents).unwrap();
        let egg = Superovoid::new([1.0, 2.0, 3.0], exponents, [0.0001, 0.0001]).unwrap();
        for direction in [
            DVec3::ZERO,
            DVec3::X,
            DVec3::NEG_Y,
            DVec3::Z,
            DVec3::new(5e-324, 0.0, 0.0),
            DVec3::new(f64::MAX, f64::MAX, -f64::MAX),
            DVec3::new(1.0, 1e-320, 1e-320),
            DVec3::new(1e-320, 1.0, 1.0),
        ] {
            for (point, value) in [
                (plain.support(direction), plain.support_value(direction)),
                (egg.support(direction), egg.support_value(direction)),
            ] {
                assert!(point.is_finite() && !value.is_nan(), "{exponents:?} {direction} {point} {value}");
                assert!(point.length() > 0.9 && point.length() < 4.0, "{exponents:?} {direction} {point}");
            }
            for point in [direction, plain.support(direction)] {
                assert!((plain.normal_at(point).length() - 1.0).abs() < 1e-15);
                assert!((egg.normal_at(point).length() - 1.0).abs() < 1e-15);
            }
        }
    }
}
