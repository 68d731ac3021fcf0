//! Rays against dense sampling of the gauge along them.
//!
//! The sampling knows only the gauge. It proves a hit wrong if the ray is inside before it, and a miss if the ray is
//! inside anywhere, by more than 1e-12 in gauge; crossings shorter than its step of 1/4000 of the box it cannot see, so
//! grazing rays are built to have their one crossing at a known place.

use superegg::query::{Ray, RayHit, ray};
use superegg::shape::{Plane, Point, Segment, Shape, Superellipsoid, Superovoid, SurfaceCoordinates, Triangle};
use superegg::{DQuat, DVec3, Pose};

fn component(random: &mut fastrand::Rng) -> f64 {
    2.0 * random.f64() - 1.0
}

fn vector(random: &mut fastrand::Rng) -> DVec3 {
    DVec3::new(component(random), component(random), component(random))
}

fn random_egg(random: &mut fastrand::Rng) -> Superovoid {
    let size = 10f64.powf(12.0 * random.f64() - 6.0);
    let radii = [0; 3].map(|_| size * 10f64.powf(-2.0 * random.f64()));
    let exponents = [0; 2].map(|_| match random.u8(0..4) {
        0 => 0.05 + 0.2 * random.f64(),
        1 => 1.95 - 0.2 * random.f64(),
        _ => 0.05 + 1.9 * random.f64(),
    });
    let taper = match random.u8(0..4) {
        0 => [0.0, 0.0],
        1 => [0.99 * component(random); 2],
        _ => [0; 2].map(|_| 0.99 * component(random)),
    };
    Superovoid::new(radii, exponents, taper).unwrap()
}

fn random_pose(random: &mut fastrand::Rng, size: f64) -> Pose {
    let rotation = DQuat::from_xyzw(component(random), component(random), component(random), component(random));
    Pose::new(rotation, vector(random) * size).unwrap()
}

fn check(egg: &Superovoid, pose: &Pose, probe: &Ray) -> Option<RayHit> {
    let hit = ray(&(*egg).into(), pose, probe).unwrap();
    let origin = pose.inverse_transform_point(probe.origin());
    let direction = pose.inverse_transform_vector(probe.direction());
    let size = DVec3::from(egg.radii()).max_element();
    // How much a coordinate's rounding changes the gauge.
    let rounding = 1e-15 * (origin.abs().max_element() + pose.translation.abs().max_element() + size)
        / DVec3::from(egg.radii()).min_element()
        / (1.0 - egg.taper()[0].abs().max(egg.taper()[1].abs()));
    let slack = 1e-12 + 100.0 * rounding;
    // Only near the box can it be inside.
    let reach = 2.0 * egg.bounding_sphere().radius / direction.length();
    let nearest = -origin.dot(direction) / direction.length_squared();
    let (first, last) = ((nearest - reach).max(0.0), (nearest + reach).max(0.0));
    let starts_inside = egg.gauge(origin) <= 1.0;
    let limit = hit.map_or(last, |hit| hit.t.min(last));
    for k in 0..4000 {
        let t = first + (limit - first) * f64::from(k) / 4000.0;
        let gauge = egg.gauge(origin + direction * t);
        let wrong = if starts_inside { gauge > 1.0 + slack } else { gauge < 1.0 - slack };
        assert!(!wrong || (gauge - 1.0).abs() < slack, "{egg:?} {origin} {direction} {t} {gauge} {hit:?}");
    }
    if let Some(hit) = hit {
        let local = pose.inverse_transform_point(hit.point);
        assert!((egg.gauge(local) - 1.0).abs() < slack, "{egg:?} {origin} {direction} {hit:?}");
        let along = probe.origin() + probe.direction() * hit.t;
        let scale = probe.origin().abs().max_element() + pose.translation.abs().max_element() + size;
        assert!((along - hit.point).length() < 1e-14 * scale, "{along} {hit:?}");
        assert!((hit.normal - pose.transform_vector(egg.normal_at(local))).length() < 1e-6);
        assert_eq!(hit.from_inside, starts_inside);
    } else {
        assert!(!starts_inside, "{egg:?} {origin} {direction}");
    }
    hit
}

#[test]
fn random_rays_meet_the_first_crossing() {
    let mut random = fastrand::Rng::with_seed(51);
    let (mut hits, mut inside, mut hollow) = (0, 0, 0);
    for _ in 0..2000 {
        let egg = random_egg(&mut random);
        let radii = DVec3::from(egg.radii());
        let pose = random_pose(&mut random, radii.max_element());
        let far = 10f64.powf(2.0 * random.f64() - 1.0);
        let origin = pose.transform_point(vector(&mut random) * radii * far);
        let target = pose.transform_point(vector(&mut random) * radii);
        let direction = (target - origin) * 10f64.powf(20.0 * random.f64() - 10.0);
        let hit = check(&egg, &pose, &Ray::new(origin, direction).unwrap());
        hits += u32::from(hit.is_some());
        inside += u32::from(hit.is_some_and(|hit| hit.from_inside));
        hollow += u32::from(hit.is_some() && !egg.is_convex());
    }
    assert!(hits > 800 && inside > 100 && hollow > 300, "{hits} {inside} {hollow}");
}

#[test]
fn axis_aligned_rays() {
    let mut random = fastrand::Rng::with_seed(52);
    for _ in 0..300 {
        let egg = random_egg(&mut random);
        let radii = DVec3::from(egg.radii());
        for axis in DVec3::AXES {
            let aside = vector(&mut random) * radii * (DVec3::ONE - axis);
            for aside in [aside, DVec3::ZERO] {
                for sign in [-1.0, 1.0] {
                    let origin = aside - axis * sign * 3.0 * radii;
                    let hit = check(&egg, &Pose::IDENTITY, &Ray::new(origin, axis * sign).unwrap());
                    if aside == DVec3::ZERO {
                        let reach = radii.dot(axis);
                        let hit = hit.expect("aimed at the centre");
                        // Off the equator a taper moves the first point of the x and y axes nowhere.
                        assert!((hit.t / reach - 2.0).abs() < 1e-13, "{egg:?} {hit:?}");
                    }
                }
            }
        }
    }
}

/// A line that touches a strictly convex surface, moved in and out by a little: a hit near the touching point, or a miss.
#[test]
fn grazing_rays() {
    let mut random = fastrand::Rng::with_seed(53);
    let mut tested = 0;
    for _ in 0..1500 {
        let egg = random_egg(&mut random);
        let normal = (vector(&mut random) / DVec3::from(egg.radii())).normalize();
        let point = egg.support(normal);
        let size = DVec3::from(egg.radii()).max_element();
        let direction = normal.any_orthonormal_vector();
        let offset = size * 10f64.powf(-9.0 * random.f64() - 1.0);
        let outer = Ray::new(point + normal * offset - direction * 3.0 * size, direction).unwrap();
        assert!(ray(&egg.into(), &Pose::IDENTITY, &outer).unwrap().is_none(), "{egg:?} {normal} {offset}");
        // Deep enough that the nearest section is inside by more than rounding.
        let inner = point - normal * offset;
        if egg.is_convex() && egg.gauge(inner) < 1.0 - 1e-13 {
            tested += 1;
            let probe = Ray::new(inner - direction * 3.0 * size, direction).unwrap();
            let hit = check(&egg, &Pose::IDENTITY, &probe);
            assert!(hit.is_some_and(|hit| hit.t < 3.0 * size), "{egg:?} {normal} {offset}");
        }
    }
    assert!(tested > 400, "{tested}");
}

/// Rays past a waist: into the hull, but not into the solid, or out of one bulge and into the other.
#[test]
fn rays_across_a_waist() {
    let mut random = fastrand::Rng::with_seed(54);
    let mut passed = 0;
    for _ in 0..600 {
        let e2 = 1.2 + 0.7 * random.f64();
        let taper = 0.9 + 0.09 * random.f64();
        let egg = Superovoid::new([1.0, 1.0, 1.0], [0.5 + random.f64(), e2], [taper; 2]).unwrap();
        assert!(!egg.is_convex());
        // Along the generator at a place where it bends inwards, at a depth between the two.
        let waist = egg.surface_point(SurfaceCoordinates::from_angles(6.2 * random.f64(), -0.9 * random.f64() - 0.3));
        let direction = waist.tangents[1] * if random.bool() { 1.0 } else { -1.0 };
        let depth = 10f64.powf(-6.0 * random.f64() - 1.0) * component(&mut random);
        for start in [waist.position - direction * 4.0, waist.position, waist.position - direction * 0.05] {
            let origin = start - waist.normal * depth;
            let hit = check(&egg, &Pose::IDENTITY, &Ray::new(origin, direction).unwrap());
            passed += u32::from(hit.is_some_and(|hit| (hit.point - waist.position).length() > 0.05));
        }
    }
    assert!(passed > 200, "{passed}");
}

#[test]
fn starts_on_the_surface() {
    let mut random = fastrand::Rng::with_seed(55);
    for _ in 0..500 {
        let exponents = [0; 2].map(|_| 0.3 + 1.4 * random.f64());
        let egg = Superellipsoid::new([1.0, 0.5, 2.0], exponents).unwrap();
        let point = egg.support(vector(&mut random));
        let normal = egg.normal_at(point);
        let side = (vector(&mut random).cross(normal) + normal * 0.3).normalize();
        assert_eq!(ray(&egg.into(), &Pose::IDENTITY, &Ray::new(point, side).unwrap()).unwrap(), None);
        let inwards = Ray::new(point, -side).unwrap();
        let hit = ray(&egg.into(), &Pose::IDENTITY, &inwards).unwrap().expect("through the solid");
        assert!(hit.from_inside && hit.t > 1e-9, "{egg:?} {point} {hit:?}");
        assert!((egg.gauge(hit.point) - 1.0).abs() < 1e-14);
    }
}

fn meets(shape: impl Into<Shape>, origin: DVec3, direction: DVec3) -> Option<RayHit> {
    ray(&shape.into(), &Pose::IDENTITY, &Ray::new(origin, direction).unwrap()).unwrap()
}

#[test]
fn planes() {
    let floor = Plane::new(DVec3::Z, 1.0).unwrap();
    let hit = meets(floor, DVec3::new(0.0, 0.0, 3.0), DVec3::new(1.0, 0.0, -1.0)).unwrap();
    assert_eq!((hit.point, hit.normal, hit.from_inside), (DVec3::new(2.0, 0.0, 1.0), DVec3::Z, false));
    assert!((hit.t - 2.0).abs() < 1e-15);
    assert_eq!(meets(floor, DVec3::new(0.0, 0.0, 3.0), DVec3::Z), None);
    assert_eq!(meets(floor, DVec3::new(0.0, 0.0, 3.0), DVec3::X), None);
    let out = meets(floor, DVec3::ZERO, DVec3::new(0.0, 0.0, 0.5)).unwrap();
    assert_eq!((out.t, out.from_inside), (2.0, true));
    assert_eq!(meets(floor, DVec3::ZERO, DVec3::NEG_Z), None);
}

#[test]
fn triangles_share_their_edges() {
    let mut random = fastrand::Rng::with_seed(56);
    for _ in 0..20_000 {
        // Two triangles with a common edge, and a ray through that edge as nearly as it can be aimed.
        let [a, b, c, d] = [(); 4].map(|()| vector(&mut random));
        let target = a.lerp(b, random.f64());
        let origin = vector(&mut random) * 5.0;
        let direction = target - origin;
        // c and d on opposite sides of the edge as the ray sees it.
        let side = |p: DVec3| direction.dot((b - a).cross(p - a)).signum();
        let seen = |p: DVec3| (a - origin).cross(b - origin).dot(p - origin).signum();
        if seen(c) == seen(d) || side(c) == 0.0 {
            continue;
        }
        let hits = [[a, b, c], [b, a, d]].map(|points| meets(Triangle::new(points).unwrap(), origin, direction));
        let hit = hits[0].or(hits[1]).unwrap_or_else(|| panic!("{a} {b} {c} {d} {origin} {direction}"));
        assert!((hit.point - target).length() < 1e-9 * (1.0 + direction.length() / (b - a).length()));
        assert!(hit.normal.dot(direction) <= 0.0);
    }
}

#[test]
fn triangles_inside_outside_and_edge_on() {
    let flat = Triangle::new([DVec3::ZERO, DVec3::X, DVec3::Y]).unwrap();
    let above = DVec3::new(0.25, 0.25, 2.0);
    let hit = meets(flat, above, DVec3::NEG_Z).unwrap();
    assert_eq!((hit.t, hit.point, hit.normal), (2.0, DVec3::new(0.25, 0.25, 0.0), DVec3::Z));
    assert_eq!(meets(flat, -above, DVec3::Z), None);
    let hit = meets(flat, DVec3::new(0.25, 0.25, -2.0), DVec3::Z).unwrap();
    assert_eq!((hit.t, hit.normal), (2.0, DVec3::NEG_Z));
    assert_eq!(meets(flat, above, DVec3::Z), None);
    assert_eq!(meets(flat, DVec3::new(0.6, 0.6, 1.0), DVec3::NEG_Z), None);
    // Edge-on, from the side of the long edge.
    let hit = meets(flat, DVec3::new(2.0, 0.25, 0.0), DVec3::NEG_X).unwrap();
    assert!((hit.point - DVec3::new(0.75, 0.25, 0.0)).length() < 1e-14);
    assert_eq!(meets(flat, DVec3::new(2.0, 0.25, 1e-3), DVec3::NEG_X), None);
    // A triangle that is a line.
    let thin = Triangle::new([DVec3::ZERO, DVec3::X, DVec3::X * 0.5]).unwrap();
    let hit = meets(thin, DVec3::new(0.25, 0.0, 1.0), DVec3::NEG_Z).unwrap();
    assert!((hit.point - DVec3::new(0.25, 0.0, 0.0)).length() < 1e-14);
}

#[test]
fn segments_and_points_are_met_when_aimed_at() {
    let mut random = fastrand::Rng::with_seed(57);
    for _ in 0..2000 {
        let size = 10f64.powf(12.0 * random.f64() - 6.0);
        let [a, b, origin] = [(); 3].map(|()| vector(&mut random) * size);
        let target = a.lerp(b, random.f64());
        let segment = Segment::new([a, b]).unwrap();
        let hit = meets(segment, origin, target - origin).unwrap();
        assert!((hit.t - 1.0).abs() < 1e-12 && (hit.point - target).length() < 1e-12 * size, "{hit:?} {target}");
        assert_eq!(meets(segment, origin, origin - target), None);
        let across = (b - a).cross(target - origin).normalize() * 1e-9 * size;
        assert_eq!(meets(segment, origin, target + across - origin), None);
        let point = Point::new([a]).unwrap();
        assert!((meets(point, origin, a - origin).unwrap().t - 1.0).abs() < 1e-14);
        assert_eq!(meets(point, origin, b - origin), None);
    }
    // Along a segment: its nearer end.
    let segment = Segment::new([DVec3::X, DVec3::X * 3.0]).unwrap();
    assert_eq!(meets(segment, DVec3::ZERO, DVec3::X).unwrap().point, DVec3::X);
    assert_eq!(meets(segment, DVec3::X * 5.0, DVec3::NEG_X).unwrap().point, DVec3::X * 3.0);
}

#[test]
fn extreme_exponents_give_numbers() {
    for e1 in [1e-300, 0.01, 1.0, 1.999_999_999] {
        for e2 in [1e-300, 0.01, 1.0, 1.999_999_999] {
            for taper in [[0.0, 0.0], [0.999, 0.999], [-0.999, 0.5]] {
                let egg = Superovoid::new([1.0, 1e-3, 10.0], [e1, e2], taper).unwrap();
                for origin in [DVec3::ZERO, DVec3::new(5.0, 1e-3, 0.5), DVec3::new(1e-12, 0.0, 1e6)] {
                    for direction in [DVec3::X, DVec3::NEG_Z, DVec3::new(-1.0, 1e-9, 1e-9), DVec3::new(-1.0, 0.1, 3.0)]
                    {
                        if let Some(hit) = meets(egg, origin, direction) {
                            assert!(hit.t.is_finite() && hit.point.is_finite(), "{egg:?} {origin} {direction} {hit:?}");
                            assert!((hit.normal.length() - 1.0).abs() < 1e-14, "{egg:?} {origin} {direction} {hit:?}");
                        } else {
                            assert!(origin != DVec3::ZERO, "{egg:?} {direction}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn bad_rays_are_named() {
    assert_eq!(Ray::new(DVec3::new(0.0, f64::NAN, 0.0), DVec3::X).unwrap_err().field, "origin[1]");
    assert_eq!(Ray::new(DVec3::ZERO, DVec3::ZERO).unwrap_err().field, "direction");
    assert_eq!(Ray::new(DVec3::ZERO, DVec3::INFINITY).unwrap_err().field, "direction");
    let egg = Superellipsoid::new([1.0; 3], [1.0, 1.0]).unwrap().into();
    let nowhere = Pose::from_translation(DVec3::NAN);
    assert!(ray(&egg, &nowhere, &Ray::new(DVec3::ZERO, DVec3::X).unwrap()).is_err());
}
