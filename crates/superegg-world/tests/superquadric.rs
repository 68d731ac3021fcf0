//! The superquadrics' two forms against each other, against the library's and against differences; distances of the further
//! shapes against dense sampling.

use proptest::prelude::*;
use superegg::query::{Options, Status};
use superegg::shape::{Superellipsoid, Superovoid};
use superegg::{DQuat, DVec3, Pose};
use superegg_world::geometry::{Geometry, distance};
use superegg_world::superquadric::Superquadric;

fn further() -> impl Strategy<Value = Superquadric> {
    let radii = prop::array::uniform3(0.3..1.5f64);
    let exponents = prop::array::uniform2(0.3..1.7f64);
    (0..3, radii, exponents, 1.2..3.0f64).prop_map(|(kind, radii, exponents, more)| {
        match kind {
            0 => Superquadric::one_sheet(radii, exponents, radii[2] * more),
            1 => Superquadric::two_sheets(radii, exponents, radii[2] * more),
            _ => Superquadric::toroid(radii, exponents, more),
        }
        .unwrap()
    })
}

fn angles() -> impl Strategy<Value = [f64; 2]> {
    // A little inside the quarters, where no derivative is infinite.
    (0..4, 0.1..1.4f64, -0.95..0.95f64)
        .prop_map(|(quarter, u, v)| [f64::from(quarter) * std::f64::consts::FRAC_PI_2 + u, v])
}

fn inside_domain(surface: &Superquadric, [u, v]: [f64; 2]) -> [f64; 2] {
    let [_, [low, high]] = surface.domain();
    let v = 0.5 * (low + high) + 0.5 * (high - low) * v;
    [u, if v.abs() < 0.05 { 0.05 } else { v }]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn surface_points_satisfy_the_implicit_function(surface in further(), at in angles()) {
        let [u, v] = inside_domain(&surface, at);
        let point = surface.point(u, v);
        let (value, gradient) = surface.gradient(point);
        // Off by rounding: as a distance, not as a value.
        prop_assert!(value.abs() <= 1e-9 * gradient.length(), "{value:e} {gradient}");
        prop_assert!((surface.value(point) - value).abs() <= 1e-9 * (1.0 + gradient.length()));
        prop_assert!(surface.patch(u, v).point.distance(point) < 1e-9);
        let [p, q] = surface.angles_at(point);
        prop_assert!(surface.point(p, q).distance(point) < 1e-7, "{u} {v} {p} {q}");
    }

    #[test]
    fn gradients_are_normal_to_both_tangents(surface in further(), at in angles()) {
        let [u, v] = inside_domain(&surface, at);
        let patch = surface.patch(u, v);
        let normal = surface.gradient(patch.point).1.normalize();
        for tangent in patch.first {
            prop_assert!(normal.dot(tangent.normalize()).abs() < 1e-7);
        }
    }

    #[test]
    fn derivatives_agree_with_differences(surface in further(), at in angles()) {
        let [u, v] = inside_domain(&surface, at);
        // Off the surface as well, but never on an axis.
        let point = surface.point(u, v) * 1.05;
        prop_assume!(point.abs().min_element() > 0.02);
        let here = surface.derivatives(point);
        prop_assert_eq!(here.gradient.is_finite(), true);
        let near = surface.gradient(point);
        prop_assert!((near.1 - here.gradient).length() <= 1e-12 * here.gradient.length());
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let step = axis * 1e-6;
            let (before, after) = (surface.derivatives(point - step), surface.derivatives(point + step));
            let slope = (after.value - before.value) / 2e-6;
            prop_assert!((slope - here.gradient.dot(axis)).abs() < 1e-6 * (1.0 + here.gradient.length()));
            let bend = (after.gradient - before.gradient) / 2e-6;
            let scale = 1.0 + here.hessian.to_cols_array().into_iter().fold(0.0, |m: f64, h| m.max(h.abs()));
            prop_assert!((bend - here.hessian * axis).length() < 1e-4 * scale, "{bend} {}", here.hessian * axis);
        }
    }

    #[test]
    fn eggs_are_the_librarys(
        radii in prop::array::uniform3(0.3..1.5f64),
        exponents in prop::array::uniform2(0.3..1.7f64),
        taper in prop::array::uniform2(-0.4..0.4f64),
        at in angles(),
    ) {
        let egg = Superovoid::new(radii, exponents, taper).unwrap();
        let surface = Superquadric::from_shape(&egg.into()).unwrap();
        let [u, v] = inside_domain(&surface, at);
        let point = surface.point(u, v);
        let theirs = egg.inside_outside_derivatives(point * 0.98);
        let ours = surface.derivatives(point * 0.98);
        prop_assert!((theirs.value - 1.0 - ours.value).abs() < 1e-10);
        prop_assert!((theirs.gradient - ours.gradient).length() < 1e-10 * (1.0 + ours.gradient.length()));
        let scale = 1.0 + ours.hessian.to_cols_array().into_iter().fold(0.0, |m: f64, h| m.max(h.abs()));
        for (theirs, ours) in theirs.hessian.to_cols_array().into_iter().zip(ours.hessian.to_cols_array()) {
            prop_assert!((theirs - ours).abs() < 1e-9 * scale);
        }
        let radial = surface.radial_point(point * 0.3).unwrap();
        prop_assert!(radial.distance(point) < 1e-8, "{radial} {point}");
    }
}

/// The least distance of two dense samplings: never less than the true distance, and more by at most the squared spacing over
/// the distance plus what a rim's spacing adds.
fn sampled(a: &Superquadric, pose_a: &Pose, b: &Superquadric, pose_b: &Pose) -> f64 {
    let points = |surface: &Superquadric, pose: &Pose| -> Vec<DVec3> {
        let [_, [low, high]] = surface.domain();
        (0..72)
            .flat_map(|i| (0..=48).map(move |j| (i, j)))
            .map(|(i, j)| {
                let (u, v) = (f64::from(i) / 72.0 * std::f64::consts::TAU, low + (high - low) * f64::from(j) / 48.0);
                pose.transform_point(surface.point(u, v))
            })
            .collect()
    };
    let (from_a, from_b) = (points(a, pose_a), points(b, pose_b));
    let nearest = |p: &DVec3| from_b.iter().map(|q| p.distance_squared(*q)).fold(f64::INFINITY, f64::min);
    from_a.iter().map(nearest).fold(f64::INFINITY, f64::min).sqrt()
}

fn samples() -> Vec<Superquadric> {
    vec![
        Superquadric::one_sheet([0.6, 0.5, 0.8], [0.8, 1.0], 1.2).unwrap(),
        Superquadric::two_sheets([0.7, 0.6, 0.5], [1.0, 1.0], 1.3).unwrap(),
        Superquadric::toroid([0.35, 0.3, 0.4], [0.9, 1.1], 2.2).unwrap(),
        Superquadric::from_shape(&Superellipsoid::new([0.8, 0.6, 1.0], [0.8, 0.9]).unwrap().into()).unwrap(),
    ]
}

#[test]
fn distances_of_further_shapes_agree_with_dense_sampling() {
    let shapes = samples();
    let poses = [
        Pose { rotation: DQuat::from_scaled_axis(DVec3::new(0.5, -0.3, 0.9)), translation: DVec3::new(4.6, 0.8, 0.4) },
        Pose { rotation: DQuat::from_scaled_axis(DVec3::new(-1.2, 0.4, 0.1)), translation: DVec3::new(0.5, 0.3, 4.9) },
    ];
    for a in &shapes {
        for b in &shapes {
            for pose in &poses {
                let dense = sampled(a, &Pose::IDENTITY, b, pose);
                let (body_a, body_b) = (Geometry::from(*a), Geometry::from(*b));
                let found = distance(&body_a, &Pose::IDENTITY, &body_b, pose, &Options::DEFAULT).unwrap();
                let outcome = found.contact.outcome;
                assert_eq!(outcome.status, Status::Separated, "{} {}: {dense}", a.name(), b.name());
                let excess = dense - outcome.distance;
                assert!((-1e-6..0.03).contains(&excess), "{} {}: {dense} {}", a.name(), b.name(), outcome.distance);
                for (surface, pose, point) in [(a, &Pose::IDENTITY, outcome.point_a), (b, pose, outcome.point_b)] {
                    let (value, gradient) = surface.gradient(pose.inverse_transform_point(point));
                    assert!(value.abs() < 1e-4 * gradient.length());
                }
            }
        }
    }
}

/// A ball in the hole of a ring, and a ring around a waist: distances by hand.
#[test]
fn distances_that_can_be_written_down() {
    let ring = Geometry::from(Superquadric::toroid([0.5; 3], [1.0; 2], 3.0).unwrap());
    let ball = Geometry::from(Superellipsoid::new([0.4; 3], [1.0; 2]).unwrap());
    let answer = |a: &Geometry, b: &Geometry, pose: &Pose| {
        distance(a, &Pose::IDENTITY, b, pose, &Options::DEFAULT).unwrap().contact.outcome
    };
    // The centre line has radius 1.5, the tube 0.5: a ball of 0.4 at 0.2 from the axis is 1.5 - 0.5 - 0.4 - 0.2 away.
    let inside = answer(&ring, &ball, &Pose::from_translation(DVec3::X * 0.2));
    assert!((inside.distance - 0.4).abs() < 1e-6, "{inside:?}");
    assert_eq!(inside.status, Status::Separated);
    // A ball that fills the hole touches all around.
    let filling = Geometry::from(Superellipsoid::new([1.0; 3], [1.0; 2]).unwrap());
    let touching = answer(&ring, &filling, &Pose::IDENTITY);
    assert!(touching.distance.abs() < 1e-6, "{touching:?}");
    let bounds = touching.bounds.unwrap();
    assert!(bounds.lower <= 0.0 && bounds.upper >= 0.0, "{touching:?}");
    // Sunk into the tube from above by 0.1.
    let sunk = answer(&ring, &ball, &Pose::from_translation(DVec3::new(1.5, 0.0, 0.8)));
    assert_eq!(sunk.status, Status::Penetrating, "{sunk:?}");
    assert!((sunk.distance + 0.1).abs() < 1e-6, "{sunk:?}");
    // Waist radius 0.6, hardly flared.
    let tube = Geometry::from(Superquadric::one_sheet([0.6, 0.6, 5.0], [1.0; 2], 3.0).unwrap());
    let around = answer(&tube, &ring, &Pose::IDENTITY);
    assert!((around.distance - 0.4).abs() < 1e-6, "{around:?}");
    // Between two bowls that begin at z = ±1.
    let bowls = Geometry::from(Superquadric::two_sheets([1.0; 3], [1.0; 2], 2.0).unwrap());
    let between = answer(&bowls, &ball, &Pose::from_translation(DVec3::Z * 0.3));
    assert!((between.distance - 0.3).abs() < 1e-6, "{between:?}");
}

#[test]
fn parameters_outside_their_range_are_refused_by_name() {
    let refused = |shape: Result<Superquadric, superegg::InvalidInput>| shape.unwrap_err().to_string();
    assert_eq!(refused(Superquadric::toroid([1.0; 3], [1.0; 2], 0.9)), "hole: 0.9 is outside ]1, 1000]");
    assert_eq!(refused(Superquadric::toroid([1.0; 3], [1.0, 2.0], 2.0)), "exponents[1]: 2 is outside ]0, 2[");
    assert_eq!(refused(Superquadric::one_sheet([1.0, -1.0, 1.0], [1.0; 2], 2.0)).split(':').next(), Some("radii[1]"));
    assert_eq!(refused(Superquadric::two_sheets([1.0; 3], [1.0; 2], 0.5)).split(':').next(), Some("height"));
    assert_eq!(refused(Superquadric::one_sheet([1.0; 3], [1.0; 2], f64::NAN)).split(':').next(), Some("height"));
    assert!(Superquadric::toroid([1.0; 3], [1.0; 2], 2.0).unwrap().tessellate(5).is_err());
}
