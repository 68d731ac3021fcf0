//! Known shapes are found again, whatever frame, unit and damage they come in.

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use superegg::query::{Options as QueryOptions, closest_point};
use superegg::shape::Spacing;
use superegg::{Pose, shape::Shape};
use superegg_fit::{Containment, Family, Options, Part, Target, Threads, errors, fit};
use superegg_mesh::TriangleMesh;
use testkit::generate::cloud::{Damage, scan, scanned_shape};
use testkit::generate::{direction, rotation, seeded};

/// Distance of the farthest of a scan's true points from a fit, over the true shape's largest radius.
fn farthest(part: &Part, points: &[DVec3], size: f64) -> f64 {
    let distance = |p: &DVec3| {
        closest_point(&Shape::from(part.shape), &part.pose, *p, &QueryOptions::default()).unwrap().distance.abs() / size
    };
    points.iter().map(distance).fold(0.0, f64::max)
}

/// Largest difference of the support functions of two placed bodies over many directions: their Hausdorff distance if the
/// directions were all there are.
fn support_difference(a: &Part, b: &Part) -> f64 {
    let mut rng = seeded(5);
    let value = |part: &Part, n: DVec3| {
        part.shape.support_value(part.pose.inverse_transform_vector(n)) + n.dot(part.pose.translation)
    };
    (0..200)
        .map(|_| {
            let n = direction(&mut rng);
            (value(a, n) - value(b, n)).abs()
        })
        .fold(0.0, f64::max)
}

#[test]
fn clean_and_outlying_scans_are_recovered_to_the_last_digits() {
    for damage in [Damage::Clean, Damage::Outliers] {
        for seed in 0..25 {
            let scan = scan(&mut seeded(seed), damage, 1000);
            let found = fit(&Target::from_points(scan.points.clone()).unwrap(), &Options::default()).unwrap();
            let size = scan.shape.radii().into_iter().fold(0.0, f64::max);
            let missed = farthest(&found.part, &scan.inliers[..200], size);
            assert!(missed < 1e-8, "{damage:?} {seed}: {missed} {:?} {:?}", scan.shape, found.part.shape);
            assert!(found.part.shape.is_convex());
        }
    }
}

#[test]
fn noise_is_averaged_out() {
    for seed in 0..15 {
        let scan = scan(&mut seeded(100 + seed), Damage::Noise, 2000);
        let found = fit(&Target::from_points(scan.points.clone()).unwrap(), &Options::default()).unwrap();
        let size = scan.shape.radii().into_iter().fold(0.0, f64::max);
        // The noise of a point is 1 % along each axis: the surface is much nearer to the truth than the points are.
        let target = Target::from_points(scan.inliers.clone()).unwrap();
        let median = errors(&[found.part], &target, Threads::One).unwrap().median / size;
        assert!(median < 2e-3, "{seed}: {median}");
    }
}

#[test]
fn a_turned_moved_scaled_cloud_gives_the_same_shape_turned_moved_scaled() {
    let mut rng = seeded(77);
    for (round, damage) in Damage::ALL.into_iter().cycle().take(20).enumerate() {
        let scan = scan(&mut seeded(200 + round as u64), damage, 1000);
        let here = fit(&Target::from_points(scan.points.clone()).unwrap(), &Options::default()).unwrap().part;
        let scale = [1e-3, 1.0, 250.0][round % 3];
        let pose = Pose { rotation: rotation(&mut rng), translation: direction(&mut rng) * 30.0 * scale };
        let moved: Vec<DVec3> = scan.points.iter().map(|p| pose.transform_point(*p * scale)).collect();
        let there = fit(&Target::from_points(moved).unwrap(), &Options::default()).unwrap().part;
        let wanted = Part {
            shape: superegg::shape::Superovoid::new(
                here.shape.radii().map(|r| r * scale),
                here.shape.exponents(),
                here.shape.taper(),
            )
            .unwrap(),
            pose: Pose {
                rotation: pose.rotation * here.pose.rotation,
                translation: pose.transform_point(here.pose.translation * scale),
            },
        };
        let size = here.shape.radii().into_iter().fold(0.0, f64::max) * scale;
        let difference = support_difference(&wanted, &there) / size;
        assert!(difference < 1e-6, "{damage:?} {round}: {difference}\n{wanted:?}\n{there:?}");
    }
}

#[test]
fn symmetric_clouds_give_the_same_solid_in_any_frame() {
    // Principal axes of these are not defined; the solid still is.
    for exponents in [[1.0, 1.0], [0.2, 0.2], [1.0, 0.2], [1.6, 1.6]] {
        let shape = superegg::shape::Superovoid::new([1.0; 3], exponents, [0.0; 2]).unwrap();
        let points = shape.tessellate(1200, Spacing::Curvature).unwrap().vertices;
        let here = fit(&Target::from_points(points.clone()).unwrap(), &Options::default()).unwrap().part;
        assert!(support_difference(&here, &Part { shape, pose: Pose::IDENTITY }) < 1e-6, "{exponents:?} {here:?}");
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0);
        let turned = points.iter().map(|p| turn * *p).collect();
        let there = fit(&Target::from_points(turned).unwrap(), &Options::default()).unwrap().part;
        let back = Part {
            pose: Pose {
                rotation: turn.inverse() * there.pose.rotation,
                translation: turn.inverse() * there.pose.translation,
            },
            ..there
        };
        assert!(support_difference(&here, &back) < 1e-6, "{exponents:?}");
    }
}

#[test]
fn superellipsoids_have_no_taper() {
    let scan = scan(&mut seeded(3), Damage::Clean, 800);
    let options = Options { family: Family::Superellipsoid, ..Options::default() };
    let found = fit(&Target::from_points(scan.points).unwrap(), &options).unwrap();
    assert_eq!(found.part.shape.taper(), [0.0; 2]);
}

#[test]
fn weights_choose_what_counts() {
    // Two balls; the weights name one of them.
    let ball = superegg::shape::Superellipsoid::new([1.0; 3], [1.0; 2]).unwrap();
    let points = ball.tessellate(400, Spacing::Angles).unwrap().vertices;
    let both: Vec<DVec3> = points.iter().copied().chain(points.iter().map(|p| *p * 2.0 + DVec3::X * 7.0)).collect();
    let weights: Vec<f64> = (0..both.len()).map(|i| if i < points.len() { 0.0 } else { 1.0 }).collect();
    let found = fit(&Target::from_weighted_points(both, weights).unwrap(), &Options::default()).unwrap();
    assert!((found.part.pose.translation - DVec3::X * 7.0).length() < 1e-6);
    assert!(found.part.shape.radii().iter().all(|r| (r - 2.0).abs() < 1e-6));
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let scan = scan(&mut seeded(8), Damage::Noise, 1500);
    let target = Target::from_points(scan.points).unwrap();
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let options = superegg_fit::PartsOptions { count: superegg_fit::Count::Exactly(3), ..Default::default() };
    let run = || superegg_fit::fit_parts(&target, &options, &mut |_| {}).unwrap();
    let one = pool(1).install(run);
    let three = pool(3).install(run);
    assert_eq!(one, three);
    let alone = superegg_fit::PartsOptions { threads: Threads::One, ..options };
    assert_eq!(one, superegg_fit::fit_parts(&target, &alone, &mut |_| {}).unwrap());
}

/// Fits the tessellation of a random shape, as points and as a mesh; how far both are from it if they are not it.
fn fits_of_a_tessellation(seed: u64) -> Result<(), String> {
    let (shape, pose) = scanned_shape(&mut seeded(seed));
    let soup = shape.tessellate(1000, Spacing::Curvature).unwrap();
    let vertices: Vec<DVec3> = soup.vertices.iter().map(|v| pose.transform_point(*v)).collect();
    let size = shape.radii().into_iter().fold(0.0, f64::max);
    let truth = Part { shape, pose };
    let mesh = Target::from_mesh(TriangleMesh::new(vertices.clone(), soup.triangles).unwrap()).unwrap();
    // The vertices are on the shape: it is recovered exactly. The triangles are inside it by up to about 1 % of the size: so near
    // is the fit.
    for (target, tolerance) in [(Target::from_points(vertices).unwrap(), 1e-6), (mesh, 2e-2)] {
        let found = fit(&target, &Options::default()).unwrap().part;
        let difference = support_difference(&found, &truth) / size;
        if difference.is_nan() || difference >= tolerance {
            return Err(format!("{seed}: {difference}: {shape:?} {:?}", found.shape));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn fit_of_a_tessellation_is_the_shape(seed in 0u64..10_000) {
        let found = fits_of_a_tessellation(seed);
        prop_assert!(found.is_ok(), "{found:?}");
    }
}

#[test]
fn tessellations_that_were_fitted_in_part_or_with_the_wrong_axis_upright() {
    // Vertices lie densely at a narrow end or at two points: the rest of the surface was taken for outliers.
    let crowded = [156, 266, 322, 3459, 4510, 5026, 5035, 7826, 8046, 8194, 8689, 9408, 9682];
    // Both exponents are nearly the same, so that another axis upright is nearly as good.
    let ambiguous = [68, 791, 2112, 2544, 2600, 7066, 8182, 9644];
    for seed in crowded.into_iter().chain(ambiguous) {
        fits_of_a_tessellation(seed).unwrap();
    }
}

#[test]
fn enclosing_shapes_are_hardly_larger_than_needed() {
    for seed in 0..6 {
        let scan = scan(&mut seeded(300 + seed), Damage::Clean, 500);
        let options = Options { containment: Containment::Enclose, ..Options::default() };
        let found = fit(&Target::from_points(scan.points.clone()).unwrap(), &options).unwrap();
        let ratio = found.part.shape.mass_properties().volume / scan.shape.mass_properties().volume;
        // Smaller than the truth if that fits between the points; never larger by more than rounding.
        assert!(ratio < 1.0 + 1e-6, "{seed}: {ratio}");
        assert_eq!(found.certificate.unwrap().proved, 500);
        let outside =
            scan.points.iter().filter(|p| found.part.shape.gauge(found.part.pose.inverse_transform_point(**p)) > 1.0);
        assert_eq!(outside.count(), 0);
    }
}

#[test]
fn enclosing_shapes_of_noisy_scans_are_the_smallest_known() {
    // The smallest that 300 starts and two methods found, plus 0.2 %. Enclosures that followed a p-norm of the gauges, or began without
    // the fit's taper, ended in other minima that were 1 % to 4 % larger. No convex shape is smaller than the hull (1.03 to 1.08).
    for (seed, smallest) in [(49, 1.1220), (52, 1.1264), (67, 1.1112), (79, 1.1881)] {
        let scan = scan(&mut seeded(20_000 + seed), Damage::Noise, 2000);
        let options = Options { containment: Containment::Enclose, ..Options::default() };
        let found = fit(&Target::from_points(scan.points.clone()).unwrap(), &options).unwrap();
        let ratio = found.part.shape.mass_properties().volume / scan.shape.mass_properties().volume;
        assert!(ratio < smallest + 2e-3, "{seed}: {ratio}");
        assert_eq!(found.certificate.unwrap().proved, 2000);
    }
}
