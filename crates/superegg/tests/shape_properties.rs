//! What must hold for every shape of the domain, drawn by proptest so that a failure shrinks.

use proptest::prelude::*;
use superegg::query::{Ray, ray};
use superegg::shape::{Segment, Superellipsoid, Superovoid, SurfaceCoordinates, Triangle};
use superegg::{DVec3, Pose};
use testkit::generate::strategy::{direction, exponent, radii, rotation, superellipsoid, superovoid};
use testkit::generate::{Domain, largest_convex_taper};

fn coordinates() -> impl Strategy<Value = SurfaceCoordinates> {
    (-3.2..3.2f64, -1.6..1.6f64).prop_map(|(azimuth, elevation)| {
        SurfaceCoordinates::from_angles(
            azimuth,
            elevation.clamp(-std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_2),
        )
    })
}

fn point_in_box() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-2.0..2.0f64).prop_map(DVec3::from)
}

fn size(egg: &Superovoid) -> f64 {
    DVec3::from(egg.radii()).max_element()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Gauge and support function are polar to each other.
    #[test]
    fn gauge_and_support_are_dual(egg in superellipsoid(&Domain::WIDE), point in point_in_box(), normal in direction()) {
        let point = point * DVec3::from(egg.radii());
        let (gauge, support) = (egg.gauge(point), egg.support_value(normal));
        prop_assert!(normal.dot(point) <= gauge * support * (1.0 + 1e-14));
        // Equality where the normal is the point's own.
        let own = egg.normal_at(point);
        prop_assert!((own.dot(point) - gauge * egg.support_value(own)).abs() <= 1e-13 * gauge * support.max(size(&egg.into())));
    }

    #[test]
    fn no_surface_point_lies_beyond_the_support(egg in superovoid(&Domain::WIDE), at in coordinates(), normal in direction()) {
        let point = egg.surface_point(at);
        let support = egg.support(normal);
        prop_assert!(normal.dot(point.position) <= egg.support_value(normal) + 1e-14 * size(&egg));
        prop_assert!((normal.dot(support) - egg.support_value(normal)).abs() <= 1e-14 * size(&egg));
        prop_assert!((egg.gauge(support) - 1.0).abs() < 1e-12);
        prop_assert!((egg.gauge(point.position) - 1.0).abs() < 1e-12);
        if egg.is_convex() {
            // Its own normal supports it, and it bends outwards only.
            let own = point.normal;
            prop_assert!((own.dot(point.position) - egg.support_value(own)).abs() <= 1e-13 * size(&egg));
            prop_assert!(point.curvatures[1] >= -1e-9 * point.curvatures[0].abs(), "{:?}", point.curvatures);
        }
    }

    #[test]
    fn support_functions_are_sublinear(egg in superovoid(&Domain::WIDE), a in direction(), b in direction()) {
        let sum = egg.support_value(a) + egg.support_value(b);
        prop_assert!(egg.support_value(a + b) <= sum + 1e-14 * size(&egg));
    }

    #[test]
    fn everything_scales(
        egg in superovoid(&Domain::MODERATE), factor in 0.01..100.0f64, point in point_in_box(), normal in direction()
    ) {
        let point = point * DVec3::from(egg.radii());
        let scaled = Superovoid::new(egg.radii().map(|r| r * factor), egg.exponents(), egg.taper()).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-11 * a.abs().max(b.abs());
        prop_assert_eq!(egg.is_convex(), scaled.is_convex());
        prop_assert!(near(egg.gauge(point), scaled.gauge(point * factor)));
        prop_assert!(near(egg.support_value(normal) * factor, scaled.support_value(normal)));
        let spheres = [egg.bounding_sphere().radius * factor, scaled.bounding_sphere().radius];
        prop_assert!((spheres[0] / spheres[1] - 1.0).abs() < 2e-9);
        let (mass, scaled_mass) = (egg.mass_properties(), scaled.mass_properties());
        prop_assert!(near(mass.volume * factor.powi(3), scaled_mass.volume));
        prop_assert!(near(mass.inertia.y_axis.y * factor.powi(5), scaled_mass.inertia.y_axis.y));
        let (distance, scaled_distance) =
            (egg.radial_signed_distance(point), scaled.radial_signed_distance(point * factor));
        prop_assert!((distance * factor - scaled_distance).abs() <= 1e-12 * factor * (point.length() + size(&egg)));
    }

    #[test]
    fn boxes_hold_posed_points(
        egg in superovoid(&Domain::WIDE), turn in rotation(), at in coordinates(), shift in point_in_box()
    ) {
        let pose = Pose::new(turn, shift * size(&egg)).unwrap();
        let world = pose.transform_point(egg.surface_point(at).position);
        let (aabb, slack) = (egg.aabb(&pose), DVec3::splat(2e-15 * size(&egg)));
        prop_assert!(aabb.min.cmple(world + slack).all() && aabb.max.cmpge(world - slack).all());
        let sphere = egg.bounding_sphere();
        prop_assert!(sphere.center.distance(egg.surface_point(at).position) <= sphere.radius * (1.0 + 1e-15));
    }

    #[test]
    fn hull_spheres_hold_their_points_and_are_small(points in prop::array::uniform3(point_in_box())) {
        let sphere = Triangle::new(points).unwrap().bounding_sphere();
        let farthest = points.iter().map(|p| p.distance(sphere.center)).fold(0.0, f64::max);
        prop_assert!(farthest <= sphere.radius * (1.0 + 1e-12));
        // At least two points lie on it, and its centre lies in their hull's plane: no smaller sphere holds them.
        let on_it = points.iter().filter(|p| p.distance(sphere.center) >= sphere.radius * (1.0 - 1e-9)).count();
        prop_assert!(on_it >= 2);
        let longest = (points[0].distance(points[1])).max(points[1].distance(points[2])).max(points[2].distance(points[0]));
        prop_assert!(sphere.radius <= longest / 3f64.sqrt() * (1.0 + 1e-9));
        let edge = Segment::new([points[0], points[1]]).unwrap();
        prop_assert!((2.0 * edge.bounding_sphere().radius - points[0].distance(points[1])).abs() < 1e-15 * 4.0);
        let aabb = edge.aabb(&Pose::IDENTITY);
        prop_assert_eq!((aabb.min, aabb.max), (points[0].min(points[1]), points[0].max(points[1])));
    }

    /// The scan in the test kit, which knows nothing of the closed form, has three digits.
    #[test]
    fn equal_tapers_are_convex_up_to_the_scanned_limit(e in prop::array::uniform2(exponent(&Domain::WIDE)), r in radii(&Domain::WIDE)) {
        let limit = largest_convex_taper(e[1]);
        let convex = |t: f64| Superovoid::new(r, e, [t, t]).unwrap().is_convex();
        prop_assert!(convex(0.997 * limit) && convex(-0.997 * limit));
        prop_assert!(limit > 0.98 || (!convex(1.003 * limit) && !convex(-1.003 * limit)));
    }

    #[test]
    fn rays_are_invariant(
        egg in superellipsoid(&Domain::MODERATE), origin in point_in_box(), target in point_in_box(), turn in rotation()
    ) {
        prop_assume!(origin.distance(target) > 0.1);
        let (origin, target) = (origin * 2.0, target * 0.5 * DVec3::from(egg.radii()));
        let plain = ray(&egg.into(), &Pose::IDENTITY, &Ray::new(origin, target - origin).unwrap()).unwrap();
        let pose = Pose::new(turn, DVec3::new(1.0, -2.0, 3.0)).unwrap();
        let moved = Ray::new(pose.transform_point(origin), pose.transform_vector(target - origin) * 0.25).unwrap();
        let moved = ray(&egg.into(), &pose, &moved).unwrap();
        if let (Some(plain), Some(moved)) = (plain, moved) {
            prop_assert_eq!(plain.from_inside, moved.from_inside);
            let point = pose.inverse_transform_point(moved.point);
            // A grazing hit is as uncertain as the square root of rounding.
            let direction = (target - origin).normalize();
            let steepness = plain.normal.dot(direction).abs();
            prop_assume!(steepness > 1e-3);
            prop_assert!((plain.point - point).length() < 1e-12 / steepness, "{:?} {:?}", plain, moved);
            prop_assert!((plain.t * 4.0 / moved.t - 1.0).abs() < 1e-9 || plain.t < 1e-9);
        } else {
            // Only where it grazes may one hit and the other miss.
            let steepness = match (plain, moved) {
                (Some(hit), _) => hit.normal.dot((target - origin).normalize()).abs(),
                (_, Some(hit)) => hit.normal.dot(pose.transform_vector((target - origin).normalize())).abs(),
                _ => 0.0,
            };
            prop_assert!(steepness < 1e-5, "{:?} {:?}", plain, moved);
        }
    }
}

#[test]
fn a_superellipsoid_is_an_untapered_superovoid() {
    let plain = Superellipsoid::new([1.0, 2.0, 3.0], [0.4, 1.3]).unwrap();
    let egg = Superovoid::from(plain);
    assert_eq!(egg, Superovoid::new(plain.radii(), plain.exponents(), [0.0, 0.0]).unwrap());
    let point = DVec3::new(0.3, -0.4, 1.5);
    assert_eq!(plain.gauge_derivatives(point), egg.gauge_derivatives(point));
    assert_eq!(plain.coordinates_at(point), egg.coordinates_at(point));
    assert_eq!(plain.normal_at(point), egg.normal_at(point));
}
