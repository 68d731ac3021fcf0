//! Superhyperboloids and supertoroids against points, planes, segments, triangles, meshes and compounds: beside the closed
//! form of a round ring, beside dense samples of the surface, and beside all pieces one by one.

use std::sync::Arc;

use proptest::prelude::*;
use superegg::query::{Options, Outcome, Status};
use superegg::shape::{Plane, Point, Segment, Shape, Superellipsoid, Triangle};
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_schemes::{Body, Form, Superquadric, distance_of_forms, time_of_impact_of_forms};
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::Contact;
use superegg_world::motion::{Impact, Motion, ToiOptions};
use superegg_world::obstacle::Obstacle;

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0f64].prop_map(move |v| DVec3::from_array(v) * size)
}

fn pose() -> impl Strategy<Value = Pose> {
    ([-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0f64], vector(2.0))
        .prop_map(|(turn, place)| Pose::new(DQuat::from_array(turn), place).unwrap())
}

fn further() -> impl Strategy<Value = Superquadric> {
    let exponent = || 0.1..1.9f64;
    ([0.3..1.5, 0.3..1.5, 0.3..1.5f64], [exponent(), exponent()], 0..3u8, 0.01..1.0f64).prop_map(
        |(radii, exponents, kind, own)| {
            match kind {
                0 => Superquadric::one_sheet(radii, exponents, radii[2] * (0.2 + 2.0 * own)),
                1 => Superquadric::two_sheets(radii, exponents, radii[2] * (1.2 + 2.0 * own)),
                _ => Superquadric::toroid(radii, exponents, 1.1 + 3.0 * own),
            }
            .unwrap()
        },
    )
}

fn ask(a: &Form, pose_a: &Pose, b: &Form, pose_b: &Pose) -> Contact {
    distance_of_forms(a, pose_a, b, pose_b, &Options::DEFAULT).unwrap()
}

fn form(surface: Superquadric) -> Form {
    Form::Single(Body::Further(surface))
}

fn single(shape: impl Into<Shape>) -> Form {
    Form::from(shape.into())
}

fn mesh_of(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Form {
    Form::Mesh(Arc::new(Obstacle::new(TriangleMesh::new(vertices, triangles).unwrap()).unwrap()))
}

/// What every answer has to be, whatever its pair.
fn check(outcome: &Outcome) -> Result<(), TestCaseError> {
    prop_assert!(outcome.distance.is_finite() && outcome.bounds.is_none());
    prop_assert!((outcome.normal.length() - 1.0).abs() < 1e-9);
    let between = outcome.point_b - outcome.point_a;
    prop_assert!((between - outcome.distance * outcome.normal).length() < 2e-7, "{outcome:?}");
    let expected = if outcome.distance > 0.0 { Status::Separated } else { Status::Penetrating };
    prop_assert!(outcome.status == expected || outcome.distance.abs() < 1e-7);
    Ok(())
}

/// Points of a triangle, `n` to a side.
fn samples(&[a, b, c]: &[DVec3; 3], n: u32) -> Vec<DVec3> {
    let part = |i: u32| f64::from(i) / f64::from(n);
    (0..=n).flat_map(|i| (0..=n - i).map(move |j| a + (b - a) * part(i) + (c - a) * part(j))).collect()
}

/// The signed distance of a point from the round ring with tubes of radius 0.5 around a circle of radius 1.5, exactly.
fn from_ring(point: DVec3) -> f64 {
    (point.truncate().length() - 1.5).hypot(point.z) - 0.5
}

fn ring() -> Superquadric {
    Superquadric::toroid([0.5; 3], [1.0; 2], 3.0).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn points_are_as_far_from_a_round_ring_as_its_formula_says(point in vector(3.0), at in pose(), there in pose()) {
        let shape = single(Point::new([point]).unwrap());
        let contact = ask(&form(ring()), &at, &shape, &there);
        let exact = from_ring(at.inverse_transform_point(there.transform_point(point)));
        prop_assert!((contact.outcome.distance - exact).abs() < 1e-9, "{} {exact}", contact.outcome.distance);
        check(&contact.outcome)?;
        let swapped = ask(&shape, &there, &form(ring()), &at).outcome;
        prop_assert_eq!(swapped.distance, contact.outcome.distance);
        prop_assert_eq!(swapped.point_a, contact.outcome.point_b);
        check(&swapped)?;
    }

    #[test]
    fn triangles_and_segments_are_as_far_from_a_round_ring_as_their_nearest_or_deepest_points(
        corners in [vector(2.5), vector(2.5), vector(2.5)], at in pose(),
    ) {
        let n = 120;
        for (shape, corners) in [
            (single(Triangle::new(corners).unwrap()), corners),
            (single(Segment::new([corners[0], corners[1]]).unwrap()), [corners[0], corners[1], corners[1]]),
        ] {
            let contact = ask(&form(ring()), &at, &shape, &at);
            let sampled = samples(&corners, n).into_iter().map(from_ring).fold(f64::INFINITY, f64::min);
            let spacing = corners.map(|p| corners.map(|q| p.distance(q)).into_iter().fold(0.0, f64::max))
                .into_iter().fold(0.0, f64::max) / f64::from(n);
            let found = contact.outcome.distance;
            // Apart, nothing is nearer. In overlap the deepest point may lie on the circle inside the tube, where depths
            // have a ridge: what is missed there is bounded by the search's gap.
            let missed = if found > 0.0 { 1e-9 } else { 5e-3 * 2.0 };
            prop_assert!(found <= sampled + missed, "{found} {sampled}");
            prop_assert!(found >= sampled - spacing, "{found} {sampled}");
            let on_ring = from_ring(at.inverse_transform_point(contact.outcome.point_a));
            prop_assert!(on_ring.abs() < 1e-9);
            prop_assert!((from_ring(at.inverse_transform_point(contact.outcome.point_b)) - found).abs() < 1e-7);
            check(&contact.outcome)?;
        }
    }

    #[test]
    fn no_sample_of_any_surface_is_nearer(
        surface in further(), at in pose(), corners in [vector(4.0), vector(4.0), vector(4.0)],
    ) {
        // Fine near the middles of its faces and near its ridges alike, by mixing angles.
        let n = 160;
        let [[u0, u1], [v0, v1]] = surface.domain();
        let mut points = Vec::new();
        for i in 0..n {
            for j in 0..=n {
                let (u, v) = (u0 + (u1 - u0) * f64::from(i) / f64::from(n), v0 + (v1 - v0) * f64::from(j) / f64::from(n));
                points.push(surface.point(u, v));
            }
        }
        let point = single(Point::new([corners[0]]).unwrap());
        let found = ask(&form(surface), &at, &point, &at).outcome;
        let sampled = points.iter().map(|p| at.transform_point(*p).distance(at.transform_point(corners[0])))
            .fold(f64::INFINITY, f64::min);
        prop_assert!(found.distance.abs() <= sampled + 1e-9, "{} {sampled}", found.distance);
        let on_surface = at.inverse_transform_point(found.point_a);
        let (value, gradient) = surface.gradient(on_surface);
        prop_assert!(value.abs() < 1e-6 * gradient.length().max(1.0), "{value}");
        check(&found)?;

        let segment = single(Segment::new([corners[0], corners[1]]).unwrap());
        let triangle = single(Triangle::new(corners).unwrap());
        let (to_segment, to_triangle) =
            (ask(&form(surface), &at, &segment, &at).outcome, ask(&form(surface), &at, &triangle, &at).outcome);
        check(&to_segment)?;
        check(&to_triangle)?;
        // A triangle has its edges, and these their ends: nothing is nearer or deeper in a part than in the whole.
        let missed = |outcome: &Outcome| if outcome.distance > 0.0 { 1e-9 } else { 5e-3 * surface.largest_extent() };
        prop_assert!(to_segment.distance <= found.distance + missed(&to_segment));
        prop_assert!(to_triangle.distance <= to_segment.distance + missed(&to_triangle), "{} {}", to_triangle.distance, to_segment.distance);
        if to_triangle.distance > 0.0 {
            // No sample of both is nearer.
            let near = samples(&corners, 24).into_iter().flat_map(|q| points.iter().step_by(7).map(move |p| p.distance(q)));
            let sampled = near.fold(f64::INFINITY, f64::min);
            prop_assert!(to_triangle.distance <= sampled + 1e-9, "{} {sampled}", to_triangle.distance);
        }
    }

    #[test]
    fn planes_are_as_far_as_the_lowest_point(surface in further(), at in pose(), there in pose(), normal in vector(1.0), offset in -3.0..3.0f64) {
        prop_assume!(normal.length() > 0.1);
        let plane = Plane::new(normal, offset).unwrap();
        let found = ask(&form(surface), &at, &single(plane), &there).outcome;
        check(&found)?;
        let height = |point: DVec3| plane.normal().dot(there.inverse_transform_point(at.transform_point(point))) - plane.offset();
        let [[u0, u1], [v0, v1]] = surface.domain();
        let n = 200;
        let mut lowest = f64::INFINITY;
        for i in 0..n {
            for j in 0..=n {
                let (u, v) = (u0 + (u1 - u0) * f64::from(i) / f64::from(n), v0 + (v1 - v0) * f64::from(j) / f64::from(n));
                lowest = lowest.min(height(surface.point(u, v)));
            }
        }
        let size = surface.largest_extent();
        prop_assert!(found.distance <= lowest + 1e-9 * size && found.distance >= lowest - 0.1 * size, "{} {lowest}", found.distance);
        // The point that says so is on the surface and as high as said.
        let lowest = at.inverse_transform_point(found.point_a);
        prop_assert!((height(lowest) - found.distance).abs() < 1e-9 * size);
        let (value, gradient) = surface.gradient(lowest);
        prop_assert!(value.abs() < 1e-6 * (1.0 + gradient.length()), "{value}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mesh_is_as_far_as_its_nearest_or_deepest_triangle(
        surface in further(), at in pose(), there in pose(), radii in [0.2..1.2, 0.2..1.2, 0.2..1.2f64],
    ) {
        let soup = Superquadric::from_shape(&Superellipsoid::new(radii, [0.8, 1.1]).unwrap().into()).unwrap().tessellate(60).unwrap();
        let mesh = mesh_of(soup.vertices.clone(), soup.triangles.clone());
        let contact = ask(&form(surface), &at, &mesh, &there);
        check(&contact.outcome)?;
        let one_by_one = soup.triangles.iter().map(|corners| {
            let triangle = Triangle::new(corners.map(|v| soup.vertices[v as usize])).unwrap();
            ask(&form(surface), &at, &single(triangle), &there).outcome.distance
        });
        let least = one_by_one.fold(f64::INFINITY, f64::min);
        let slack = if least > 0.0 { 1e-8 } else { 1e-2 * surface.largest_extent() };
        prop_assert!((contact.outcome.distance - least).abs() < slack, "{} {least}", contact.outcome.distance);
        let swapped = ask(&mesh, &there, &form(surface), &at);
        prop_assert_eq!((swapped.part_a, swapped.part_b), (contact.part_b, contact.part_a));
        prop_assert_eq!(swapped.outcome.normal, -contact.outcome.normal);
    }

    #[test]
    fn a_compound_is_as_far_as_its_nearest_part(surface in further(), at in pose(), there in pose()) {
        let part = |shape: Shape, x: f64| Part { shape, pose: Pose::from_translation(DVec3::new(x, 0.3 * x, -0.2 * x)) };
        let egg = Superellipsoid::new([0.3, 0.4, 0.5], [0.9, 0.7]).unwrap();
        let needle = Segment::new([DVec3::ZERO, DVec3::X]).unwrap();
        let parts = vec![part(egg.into(), 0.0), part(egg.into(), 2.0), part(needle.into(), -2.0), part(egg.into(), 9.0)];
        let far = there.compose(&Pose::from_translation(DVec3::Z * 3.0));
        let compound = Form::Compound(Arc::new(Compound::new(parts.clone()).unwrap()));
        let contact = ask(&form(surface), &at, &compound, &far);
        let one_by_one: Vec<f64> = parts
            .iter()
            .map(|part| ask(&form(surface), &at, &Form::from(part.shape), &far.compose(&part.pose)).outcome.distance)
            .collect();
        let least = one_by_one.iter().copied().fold(f64::INFINITY, f64::min);
        prop_assert!((contact.outcome.distance - least).abs() < 1e-9);
        prop_assert!((one_by_one[contact.part_b as usize] - least).abs() < 1e-9);
    }

    #[test]
    fn two_meshes_are_as_far_as_their_nearest_triangles(at in pose(), there in pose(), away in vector(2.0)) {
        let soup = |radii, n| Superquadric::from_shape(&Superellipsoid::new(radii, [0.8, 1.1]).unwrap().into()).unwrap().tessellate(n).unwrap();
        let (one, other) = (soup([0.5, 0.8, 1.0], 80), soup([0.9, 0.4, 0.6], 50));
        let there = Pose { translation: there.translation + away, ..there };
        let meshes = [&one, &other].map(|soup| mesh_of(soup.vertices.clone(), soup.triangles.clone()));
        let contact = ask(&meshes[0], &at, &meshes[1], &there);
        // All pairs of triangles by the library's own distance of two triangles, one of them turned into its frame.
        let mut least = f64::INFINITY;
        for one_corners in &one.triangles {
            let a = single(Triangle::new(one_corners.map(|v| one.vertices[v as usize])).unwrap());
            for other_corners in &other.triangles {
                let b = single(Triangle::new(other_corners.map(|v| other.vertices[v as usize])).unwrap());
                least = least.min(ask(&a, &at, &b, &there).outcome.distance);
            }
        }
        if least > 1e-6 {
            prop_assert!((contact.outcome.distance - least).abs() < 1e-7, "{} {least}", contact.outcome.distance);
            prop_assert_eq!(contact.outcome.status, Status::Separated);
        } else if least < -1e-6 {
            prop_assert_eq!((contact.outcome.distance, contact.outcome.status), (0.0, Status::Penetrating));
        }
    }
}

#[test]
fn rims_axes_and_hollows() {
    let here = Pose::IDENTITY;
    let point = |x: f64, y: f64, z: f64| single(Point::new([DVec3::new(x, y, z)]).unwrap());
    // On the axis of a ring a whole circle is nearest.
    let found = ask(&form(ring()), &here, &point(0.0, 0.0, 0.0), &here).outcome;
    assert!((found.distance - 1.0).abs() < 1e-12);
    // On its centre line a whole circle of the tube is.
    let found = ask(&form(ring()), &here, &point(1.5, 0.0, 0.0), &here).outcome;
    assert!((found.distance + 0.5).abs() < 1e-12 && found.status == Status::Penetrating);
    // Above the open end of a tube the rim is nearest; a hyperboloid with radii 1 has x² + y² = 1.25 at z = 0.5.
    let tube = form(Superquadric::one_sheet([1.0; 3], [1.0; 2], 0.5).unwrap());
    let found = ask(&tube, &here, &point(0.0, 0.0, 2.0), &here).outcome;
    assert!((found.distance - 3.5f64.sqrt()).abs() < 1e-12 && (found.point_a.z - 0.5).abs() < 1e-12);
    // A pole of two sheets, from between them.
    let bowls = form(Superquadric::two_sheets([1.0; 3], [1.0; 2], 3.0).unwrap());
    let found = ask(&bowls, &here, &point(0.0, 0.0, 0.25), &here).outcome;
    assert!((found.distance - 0.75).abs() < 1e-12);
    // Boxy: the middle of a flat face, where angles crowd.
    let frame = form(Superquadric::toroid([1.0; 3], [0.05; 2], 3.0).unwrap());
    let found = ask(&frame, &here, &point(5.0, 0.013, 0.027), &here).outcome;
    assert!((found.distance - 1.0).abs() < 1e-12, "{}", found.distance);
    // A ring as thin as a wire, from beside and from inside.
    let wire = form(Superquadric::toroid([0.01; 3], [1.0; 2], 300.0).unwrap());
    for (x, z) in [(3.05, 0.02), (2.98, -0.03), (3.004, 0.003)] {
        let found = ask(&wire, &here, &point(x, 0.0, z), &here).outcome;
        assert!((found.distance - ((x - 3.0).hypot(z) - 0.01)).abs() < 1e-9, "{found:?}");
    }
    // A triangle wholly inside a body is inside.
    let speck =
        Triangle::new([DVec3::new(1.5, 0.0, 0.1), DVec3::new(1.5, 0.1, 0.0), DVec3::new(1.6, 0.0, 0.0)]).unwrap();
    assert_eq!(ask(&form(ring()), &here, &single(speck), &here).outcome.status, Status::Penetrating);
    // One that fills the hole without touching the ring is not.
    let plate =
        Triangle::new([DVec3::new(0.9, 0.0, 0.0), DVec3::new(-0.4, 0.7, 0.0), DVec3::new(-0.4, -0.7, 0.0)]).unwrap();
    let found = ask(&form(ring()), &here, &single(plate), &here).outcome;
    assert!((found.distance - 0.1).abs() < 1e-9 && found.status == Status::Separated, "{found:?}");
    // An egg beyond a rim, where many starts find no common normal: the same egg as a fine mesh is as far.
    let wide = form(Superquadric::one_sheet([1.0, 0.8, 0.6], [0.7, 1.3], 1.5).unwrap());
    let egg = Superellipsoid::new([0.7, 0.9, 1.0], [0.8, 1.1]).unwrap();
    let there = Pose::from_translation(DVec3::new(2.0, 1.0, 3.0));
    let found = ask(&wide, &here, &single(egg), &there).outcome;
    let soup = Superquadric::from_shape(&egg.into()).unwrap().tessellate(4000).unwrap();
    let meshed = ask(&wide, &here, &mesh_of(soup.vertices, soup.triangles), &there).outcome;
    assert_eq!(found.status, Status::Separated);
    assert!(found.distance <= meshed.distance && found.distance > meshed.distance - 2e-3, "{found:?} {meshed:?}");
    // What is not finite is refused.
    let nowhere = Pose { rotation: DQuat::IDENTITY, translation: DVec3::new(f64::NAN, 0.0, 0.0) };
    assert!(distance_of_forms(&form(ring()), &nowhere, &point(0.0, 0.0, 0.0), &here, &Options::DEFAULT).is_err());
}

#[test]
fn moving_bodies_meet_when_samples_of_their_motion_say_so() {
    // A ring turns and comes down over a needle, a tube and another ring; a mesh falls onto a mesh.
    let tube = form(Superquadric::one_sheet([0.4, 0.3, 0.5], [0.8, 1.2], 1.0).unwrap());
    let needle = single(Segment::new([DVec3::new(1.2, 0.0, -2.0), DVec3::new(1.2, 0.1, 0.5)]).unwrap());
    let box_mesh = {
        let soup = Superquadric::from_shape(&Superellipsoid::new([0.6, 0.7, 0.5], [0.4, 0.4]).unwrap().into());
        let soup = soup.unwrap().tessellate(200).unwrap();
        mesh_of(soup.vertices, soup.triangles)
    };
    let turning = Motion {
        pose: Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(0.1, 0.2, 4.0)).unwrap(),
        velocity: DVec3::new(0.0, 0.1, -1.0),
        angular_velocity: DVec3::new(0.3, 0.0, 0.5),
    };
    let rest = Motion::rest(Pose::IDENTITY);
    let options = ToiOptions::within(10.0);
    for (a, b) in
        [(form(ring()), needle), (form(ring()), tube), (form(ring()), form(ring())), (box_mesh.clone(), box_mesh)]
    {
        let found = time_of_impact_of_forms(&a, &turning, &b, &rest, &options).unwrap();
        let Impact::At(time, contact) = found.impact else { panic!("{} and {} meet", a.name(), b.name()) };
        let apart = |time: f64| ask(&a, &turning.at(time), &b, &rest.pose).outcome.distance;
        assert!(apart(time) <= 1e-6 * (a.reach() + b.reach()) && contact.outcome.distance > -1e-9);
        // Nowhere before do samples show a contact.
        let steps = 200;
        let least = (0..steps).map(|k| apart(time * f64::from(k) / f64::from(steps))).fold(f64::INFINITY, f64::min);
        assert!(least > 0.0, "{} and {}: {least}", a.name(), b.name());
        // Away from each other they do not meet.
        let away = Motion { velocity: DVec3::Z, ..turning };
        let never = time_of_impact_of_forms(&a, &away, &b, &rest, &options).unwrap().impact;
        assert!(matches!(never, Impact::None), "{never:?}");
    }
    let floor = single(Plane::new(DVec3::Z, 0.0).unwrap());
    let refused = time_of_impact_of_forms(&floor, &turning, &form(ring()), &rest, &options).unwrap_err();
    assert!(refused.to_string().contains("angular_velocity"), "{refused}");
}
