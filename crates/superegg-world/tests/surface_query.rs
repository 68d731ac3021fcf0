//! Superhyperboloids and supertoroids against points, planes, segments, triangles, meshes and compounds: beside the closed
//! form of a round ring, beside dense samples of the surface, and beside all pieces one by one.

use std::sync::Arc;

use proptest::prelude::*;
use superegg::query::{Options, Outcome, Status};
use superegg::shape::{IndexedTriangles, Plane, Point, Segment, Shape, Superellipsoid, Triangle};
use superegg::{DQuat, DVec3, Pose};
use superegg_mesh::TriangleMesh;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::compound::{Compound, Part};
use superegg_world::geometry::{Contact, Geometry, distance};
use superegg_world::motion::{Impact, Motion, ToiOptions, time_of_impact};
use superegg_world::superquadric::Superquadric;

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

fn ask(a: &Geometry, pose_a: &Pose, b: &Geometry, pose_b: &Pose) -> Contact {
    distance(a, pose_a, b, pose_b, &Options::DEFAULT).unwrap().contact
}

fn body(surface: Superquadric) -> Geometry {
    Geometry::from(surface)
}

fn single(shape: impl Into<Shape>) -> Geometry {
    Geometry::from(shape.into())
}

fn mesh_of(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Geometry {
    Geometry::Mesh(Arc::new(CollisionMesh::new(TriangleMesh::new(vertices, triangles).unwrap()).unwrap()))
}

/// What every answer has to be, whatever its pair.
fn check(outcome: &Outcome) -> Result<(), TestCaseError> {
    prop_assert!(outcome.distance.is_finite());
    let bounds = outcome.bounds.expect("every answer is bounded");
    prop_assert!(bounds.lower <= outcome.distance && outcome.distance <= bounds.upper, "{outcome:?}");
    prop_assert!((outcome.normal.length() - 1.0).abs() < 1e-9);
    let between = outcome.point_b - outcome.point_a;
    prop_assert!((between - outcome.distance * outcome.normal).length() < 2e-7, "{outcome:?}");
    let expected = if outcome.distance > 0.0 { Status::Separated } else { Status::Penetrating };
    prop_assert!(outcome.status == expected || outcome.distance.abs() < 1e-7);
    Ok(())
}

/// Whether a value is within the proved bounds; off by the rounding of the poses alone.
fn within(outcome: &Outcome, truth: f64) -> bool {
    let bounds = outcome.bounds.unwrap();
    bounds.lower <= truth + 1e-12 && truth <= bounds.upper + 1e-12
}

/// Whether an edge of one mesh passes through a triangle of the other, by the signs of volumes alone.
fn common_point_by_edges(one: &IndexedTriangles, at: &Pose, other: &IndexedTriangles, there: &Pose) -> bool {
    let placed = |indexed: &IndexedTriangles, pose: &Pose| -> Vec<[DVec3; 3]> {
        indexed.triangles.iter().map(|t| t.map(|v| pose.transform_point(indexed.vertices[v as usize]))).collect()
    };
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
    let pierces = |[p, q]: [DVec3; 2], [a, b, c]: &[DVec3; 3]| {
        let around = [volume(p, q, *a, *b), volume(p, q, *b, *c), volume(p, q, *c, *a)];
        volume(*a, *b, *c, p) * volume(*a, *b, *c, q) < 0.0
            && (around.iter().all(|v| *v > 0.0) || around.iter().all(|v| *v < 0.0))
    };
    let (one, other) = (placed(one, at), placed(other, there));
    let edges = |t: &[DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    one.iter().any(|s| {
        other.iter().any(|t| edges(s).into_iter().any(|e| pierces(e, t)) || edges(t).into_iter().any(|e| pierces(e, s)))
    })
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
        let contact = ask(&body(ring()), &at, &shape, &there);
        let exact = from_ring(at.inverse_transform_point(there.transform_point(point)));
        prop_assert!((contact.outcome.distance - exact).abs() < 1e-9, "{} {exact}", contact.outcome.distance);
        prop_assert!(within(&contact.outcome, exact), "{exact} {:?}", contact.outcome);
        check(&contact.outcome)?;
        let swapped = ask(&shape, &there, &body(ring()), &at).outcome;
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
            let contact = ask(&body(ring()), &at, &shape, &at);
            let sampled = samples(&corners, n).into_iter().map(from_ring).fold(f64::INFINITY, f64::min);
            let spacing = corners.map(|p| corners.map(|q| p.distance(q)).into_iter().fold(0.0, f64::max))
                .into_iter().fold(0.0, f64::max) / f64::from(n);
            let found = contact.outcome.distance;
            // A sample is a point of the triangle: apart it is no nearer, inside no deeper than what was proved.
            let lower = contact.outcome.bounds.unwrap().lower;
            prop_assert!(lower <= sampled + 1e-12, "{lower} {sampled}");
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
        let found = ask(&body(surface), &at, &point, &at).outcome;
        let sampled = points.iter().map(|p| at.transform_point(*p).distance(at.transform_point(corners[0])))
            .fold(f64::INFINITY, f64::min);
        prop_assert!(found.distance.abs() <= sampled + 1e-9, "{} {sampled}", found.distance);
        let bounds = found.bounds.unwrap();
        prop_assert!(bounds.lower <= sampled + 1e-12 && -bounds.upper <= sampled + 1e-12, "{bounds:?} {sampled}");
        let on_surface = at.inverse_transform_point(found.point_a);
        let (value, gradient) = surface.gradient(on_surface);
        prop_assert!(value.abs() < 1e-6 * gradient.length().max(1.0), "{value}");
        check(&found)?;

        let segment = single(Segment::new([corners[0], corners[1]]).unwrap());
        let triangle = single(Triangle::new(corners).unwrap());
        let (to_segment, to_triangle) =
            (ask(&body(surface), &at, &segment, &at).outcome, ask(&body(surface), &at, &triangle, &at).outcome);
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
            prop_assert!(to_triangle.bounds.unwrap().lower <= sampled + 1e-12, "{:?} {sampled}", to_triangle.bounds);
        }
    }

    #[test]
    fn planes_are_as_far_as_the_lowest_point(surface in further(), at in pose(), there in pose(), normal in vector(1.0), offset in -3.0..3.0f64) {
        prop_assume!(normal.length() > 0.1);
        let plane = Plane::new(normal, offset).unwrap();
        let found = ask(&body(surface), &at, &single(plane), &there).outcome;
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
        prop_assert!(found.bounds.unwrap().lower <= lowest + 1e-12, "{:?} {lowest}", found.bounds);
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
        let indexed = Superquadric::from_shape(&Superellipsoid::new(radii, [0.8, 1.1]).unwrap().into()).unwrap().tessellate(60).unwrap();
        let mesh = mesh_of(indexed.vertices.clone(), indexed.triangles.clone());
        let contact = ask(&body(surface), &at, &mesh, &there);
        check(&contact.outcome)?;
        let one_by_one = indexed.triangles.iter().map(|corners| {
            let triangle = Triangle::new(corners.map(|v| indexed.vertices[v as usize])).unwrap();
            ask(&body(surface), &at, &single(triangle), &there).outcome.distance
        });
        let least = one_by_one.fold(f64::INFINITY, f64::min);
        let slack = if least > 0.0 { 1e-8 } else { 1e-2 * surface.largest_extent() };
        prop_assert!((contact.outcome.distance - least).abs() < slack, "{} {least}", contact.outcome.distance);
        let swapped = ask(&mesh, &there, &body(surface), &at);
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
        let compound = Geometry::Compound(Arc::new(Compound::new(parts.clone()).unwrap()));
        let contact = ask(&body(surface), &at, &compound, &far);
        let one_by_one: Vec<f64> = parts
            .iter()
            .map(|part| ask(&body(surface), &at, &Geometry::from(part.shape.clone()), &far.compose(&part.pose)).outcome.distance)
            .collect();
        let least = one_by_one.iter().copied().fold(f64::INFINITY, f64::min);
        prop_assert!((contact.outcome.distance - least).abs() < 1e-9);
        prop_assert!((one_by_one[contact.part_b as usize] - least).abs() < 1e-9);
    }

    #[test]
    fn two_meshes_are_as_far_as_their_nearest_triangles(at in pose(), there in pose(), away in vector(2.0)) {
        let indexed = |radii, n| Superquadric::from_shape(&Superellipsoid::new(radii, [0.8, 1.1]).unwrap().into()).unwrap().tessellate(n).unwrap();
        let (one, other) = (indexed([0.5, 0.8, 1.0], 80), indexed([0.9, 0.4, 0.6], 50));
        let there = Pose { translation: there.translation + away, ..there };
        let meshes = [&one, &other].map(|indexed| mesh_of(indexed.vertices.clone(), indexed.triangles.clone()));
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
        // Triangles that cross have distance zero, as bodies without an inside do; meshes that cross are said to.
        if least > 1e-6 {
            prop_assert!((contact.outcome.distance - least).abs() < 1e-7, "{} {least}", contact.outcome.distance);
            prop_assert_eq!(contact.outcome.status, Status::Separated);
        } else {
            prop_assert!(contact.outcome.distance <= least.max(0.0) + 1e-7, "{} {least}", contact.outcome.distance);
            let meeting = common_point_by_edges(&one, &at, &other, &there);
            prop_assert_eq!(contact.outcome.status == Status::Penetrating, meeting, "{} {}", contact.outcome.distance, least);
        }
        prop_assert!(within(&contact.outcome, least.max(0.0)), "{least} {:?}", contact.outcome);
    }
}

#[test]
fn rims_axes_and_hollows() {
    let here = Pose::IDENTITY;
    let point = |x: f64, y: f64, z: f64| single(Point::new([DVec3::new(x, y, z)]).unwrap());
    // On the axis of a ring a whole circle is nearest.
    let found = ask(&body(ring()), &here, &point(0.0, 0.0, 0.0), &here).outcome;
    assert!((found.distance - 1.0).abs() < 1e-12);
    // On its centre line a whole circle of the tube is.
    let found = ask(&body(ring()), &here, &point(1.5, 0.0, 0.0), &here).outcome;
    assert!((found.distance + 0.5).abs() < 1e-12 && found.status == Status::Penetrating);
    // Above the open end of a tube the rim is nearest; a hyperboloid with radii 1 has x² + y² = 1.25 at z = 0.5.
    let tube = body(Superquadric::one_sheet([1.0; 3], [1.0; 2], 0.5).unwrap());
    let found = ask(&tube, &here, &point(0.0, 0.0, 2.0), &here).outcome;
    assert!((found.distance - 3.5f64.sqrt()).abs() < 1e-12 && (found.point_a.z - 0.5).abs() < 1e-12);
    // A pole of two sheets, from between them.
    let bowls = body(Superquadric::two_sheets([1.0; 3], [1.0; 2], 3.0).unwrap());
    let found = ask(&bowls, &here, &point(0.0, 0.0, 0.25), &here).outcome;
    assert!((found.distance - 0.75).abs() < 1e-12);
    // Boxy: the middle of a flat face, where angles crowd.
    let frame = body(Superquadric::toroid([1.0; 3], [0.05; 2], 3.0).unwrap());
    let found = ask(&frame, &here, &point(5.0, 0.013, 0.027), &here).outcome;
    assert!((found.distance - 1.0).abs() < 1e-12, "{}", found.distance);
    // A ring as thin as a wire, from beside and from inside.
    let wire = body(Superquadric::toroid([0.01; 3], [1.0; 2], 300.0).unwrap());
    for (x, z) in [(3.05, 0.02), (2.98, -0.03), (3.004, 0.003)] {
        let found = ask(&wire, &here, &point(x, 0.0, z), &here).outcome;
        assert!((found.distance - ((x - 3.0).hypot(z) - 0.01)).abs() < 1e-9, "{found:?}");
    }
    // A triangle wholly inside a body is inside.
    let speck =
        Triangle::new([DVec3::new(1.5, 0.0, 0.1), DVec3::new(1.5, 0.1, 0.0), DVec3::new(1.6, 0.0, 0.0)]).unwrap();
    assert_eq!(ask(&body(ring()), &here, &single(speck), &here).outcome.status, Status::Penetrating);
    // One that fills the hole without touching the ring is not.
    let plate =
        Triangle::new([DVec3::new(0.9, 0.0, 0.0), DVec3::new(-0.4, 0.7, 0.0), DVec3::new(-0.4, -0.7, 0.0)]).unwrap();
    let found = ask(&body(ring()), &here, &single(plate), &here).outcome;
    assert!((found.distance - 0.1).abs() < 1e-9 && found.status == Status::Separated, "{found:?}");
    // An egg beyond a rim, where many starts find no common normal: the same egg as a fine mesh is as far.
    let wide = body(Superquadric::one_sheet([1.0, 0.8, 0.6], [0.7, 1.3], 1.5).unwrap());
    let egg = Superellipsoid::new([0.7, 0.9, 1.0], [0.8, 1.1]).unwrap();
    let there = Pose::from_translation(DVec3::new(2.0, 1.0, 3.0));
    let found = ask(&wide, &here, &single(egg), &there).outcome;
    let indexed = Superquadric::from_shape(&egg.into()).unwrap().tessellate(4000).unwrap();
    let meshed = ask(&wide, &here, &mesh_of(indexed.vertices, indexed.triangles), &there).outcome;
    assert_eq!(found.status, Status::Separated);
    assert!(found.distance <= meshed.distance && found.distance > meshed.distance - 2e-3, "{found:?} {meshed:?}");
    // What is not finite is refused.
    let nowhere = Pose { rotation: DQuat::IDENTITY, translation: DVec3::new(f64::NAN, 0.0, 0.0) };
    assert!(distance(&body(ring()), &nowhere, &point(0.0, 0.0, 0.0), &here, &Options::DEFAULT).is_err());
}

#[test]
fn moving_bodies_meet_when_samples_of_their_motion_say_so() {
    // A ring turns and comes down over a needle, a tube and another ring; a mesh falls onto a mesh.
    let tube = body(Superquadric::one_sheet([0.4, 0.3, 0.5], [0.8, 1.2], 1.0).unwrap());
    let needle = single(Segment::new([DVec3::new(1.2, 0.0, -2.0), DVec3::new(1.2, 0.1, 0.5)]).unwrap());
    let box_mesh = {
        let indexed = Superquadric::from_shape(&Superellipsoid::new([0.6, 0.7, 0.5], [0.4, 0.4]).unwrap().into());
        let indexed = indexed.unwrap().tessellate(200).unwrap();
        mesh_of(indexed.vertices, indexed.triangles)
    };
    let turning = Motion {
        pose: Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(0.1, 0.2, 4.0)).unwrap(),
        velocity: DVec3::new(0.0, 0.1, -1.0),
        angular_velocity: DVec3::new(0.3, 0.0, 0.5),
    };
    let rest = Motion::rest(Pose::IDENTITY);
    let options = ToiOptions::within(10.0);
    for (a, b) in
        [(body(ring()), needle), (body(ring()), tube), (body(ring()), body(ring())), (box_mesh.clone(), box_mesh)]
    {
        let found = time_of_impact(&a, &turning, &b, &rest, &options).unwrap();
        let Impact::At(time, contact) = found.impact else { panic!("{} and {} meet", a.name(), b.name()) };
        let apart = |time: f64| ask(&a, &turning.at(time), &b, &rest.pose).outcome.distance;
        assert!(apart(time) <= 1e-6 * (a.reach() + b.reach()) && contact.outcome.distance > -1e-9);
        // Nowhere before do samples show a contact.
        let steps = 200;
        let least = (0..steps).map(|k| apart(time * f64::from(k) / f64::from(steps))).fold(f64::INFINITY, f64::min);
        assert!(least > 0.0, "{} and {}: {least}", a.name(), b.name());
        // Away from each other they do not meet.
        let away = Motion { velocity: DVec3::Z, ..turning };
        let never = time_of_impact(&a, &away, &b, &rest, &options).unwrap().impact;
        assert!(matches!(never, Impact::None), "{never:?}");
    }
    let floor = single(Plane::new(DVec3::Z, 0.0).unwrap());
    let refused = time_of_impact(&floor, &turning, &body(ring()), &rest, &options).unwrap_err();
    assert!(refused.to_string().contains("angular_velocity"), "{refused}");
}

/// No normal is common to a body and the wall around it where a whole circle of the wall is nearest: this ended as not converged,
/// with distance zero.
#[test]
fn a_ball_at_the_centre_of_a_tube_is_as_deep_as_the_way_out_through_the_wall() {
    let here = Pose::IDENTITY;
    for (radii, ball) in [([1.0; 3], 0.4), ([0.6, 0.6, 2.0], 0.1), ([1.0; 3], 0.9)] {
        let tube = body(Superquadric::one_sheet(radii, [1.0; 2], 2.0).unwrap());
        let ball_shape = single(Superellipsoid::new([ball; 3], [1.0; 2]).unwrap());
        for (found, sign) in
            [(ask(&tube, &here, &ball_shape, &here), 1.0), (ask(&ball_shape, &here, &tube, &here), -1.0)]
        {
            let outcome = found.outcome;
            assert_eq!(outcome.status, Status::Penetrating, "{outcome:?}");
            assert!((outcome.distance + radii[0] + ball).abs() < 1e-7, "{outcome:?}");
            // Across the wall: the tube's point is on it, the ball's on its far side.
            assert!(outcome.normal.z.abs() < 1e-4);
            let (of_tube, of_ball) =
                if sign > 0.0 { (outcome.point_a, outcome.point_b) } else { (outcome.point_b, outcome.point_a) };
            assert!((of_tube.length() - radii[0]).abs() < 1e-6 && (of_ball.length() - ball).abs() < 1e-6);
            let bounds = outcome.bounds.unwrap();
            assert!(bounds.lower <= outcome.distance && outcome.distance <= bounds.upper && bounds.upper <= 0.0);
        }
    }
}

/// Depths and distances of rings and balls in closed form, between the bounds whatever the pose; and which pairs are tight.
#[test]
fn balls_and_rings_lie_between_their_bounds() {
    let mut random = fastrand::Rng::with_seed(12);
    let mut vector = |size: f64| DVec3::from([0; 3].map(|_| size * (2.0 * random.f64() - 1.0)));
    let (mut apart, mut tight, mut inside) = (0, 0, 0);
    for _ in 0..150 {
        let (at, centre) = (vector(2.0), vector(3.0));
        let pose = Pose::new(DQuat::from_scaled_axis(vector(3.0)), at).unwrap();
        let ball = single(Superellipsoid::new([0.3; 3], [1.0; 2]).unwrap());
        let there = Pose::from_translation(pose.transform_point(centre));
        let outcome = ask(&body(ring()), &pose, &ball, &there).outcome;
        // Of a ball, the depth along the nearest way out is its radius more than its centre's.
        let exact = from_ring(centre) - 0.3;
        let bounds = outcome.bounds.unwrap();
        if exact > 0.0 {
            assert!((outcome.distance - exact).abs() < 1e-7, "{exact} {outcome:?}");
            assert!(within(&outcome, exact), "{exact} {outcome:?}");
            apart += 1;
            tight += u32::from(bounds.upper - bounds.lower < 1e-7);
        } else {
            assert!((outcome.distance - exact).abs() < 1e-6, "{exact} {outcome:?}");
            assert!(outcome.status == Status::Penetrating || exact > -1e-6);
            assert!(within(&outcome, exact), "{exact} {outcome:?}");
            inside += 1;
        }
    }
    // Outside of its hull a ring is as good as convex.
    assert!(apart > 60 && inside > 5 && 2 * tight > apart, "{apart} {inside} {tight}");
}

/// Two round rings: the least distance of their centre circles, by dense samples of both, less both tubes.
#[test]
fn two_rings_are_as_far_as_their_centre_lines() {
    let mut random = fastrand::Rng::with_seed(13);
    let mut vector = |size: f64| DVec3::from([0; 3].map(|_| size * (2.0 * random.f64() - 1.0)));
    let (thin, wide) = (
        Superquadric::toroid([0.2; 3], [1.0; 2], 7.5).unwrap(),
        Superquadric::toroid([0.5; 3], [1.0; 2], 3.0).unwrap(),
    );
    let mut linked = 0;
    for _ in 0..40 {
        let poses = [0; 2].map(|_| Pose::new(DQuat::from_scaled_axis(vector(3.0)), vector(1.5)).unwrap());
        let outcome = ask(&body(thin), &poses[0], &body(wide), &poses[1]).outcome;
        let n = 720;
        let circle = |pose: &Pose| -> Vec<DVec3> {
            let angle = |k: i32| f64::from(k) * std::f64::consts::TAU / f64::from(n);
            (0..n).map(|k| pose.transform_point(1.5 * DVec3::new(angle(k).cos(), angle(k).sin(), 0.0))).collect()
        };
        let (one, other) = (circle(&poses[0]), circle(&poses[1]));
        let least = one.iter().flat_map(|p| other.iter().map(move |q| p.distance(*q))).fold(f64::INFINITY, f64::min);
        // Samples are at most half a step from the nearest points, on either circle.
        let step = 1.5 * std::f64::consts::TAU / f64::from(n);
        let exact = least - 0.7;
        if exact > step {
            assert!(outcome.distance <= exact + 1e-9 && outcome.distance >= exact - step, "{exact} {outcome:?}");
            let bounds = outcome.bounds.unwrap();
            assert!(bounds.lower <= exact + 1e-12 && bounds.upper >= exact - step, "{exact} {outcome:?}");
            linked += 1;
        } else if exact < -step {
            assert_eq!(outcome.status, Status::Penetrating, "{exact} {outcome:?}");
        }
    }
    assert!(linked > 8, "{linked}");
}
