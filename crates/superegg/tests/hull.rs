//! Hulls of points against exact boxes, against all pairs of their features, and against closed forms; clouds that are no bodies.

use fastrand::Rng;
use superegg::query::{Options, Outcome, Ray, Status, closest_point, distance, gradient, intersect, ray};
use superegg::shape::{Hull, MassProperties, Plane, Point, Primitive, Segment, Shape, Superellipsoid, Triangle};
use superegg::{DMat3, DQuat, DVec3, Pose};

fn random_vector(rng: &mut Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| 2.0 * rng.f64() - 1.0))
}

fn random_direction(rng: &mut Rng) -> DVec3 {
    loop {
        let v = random_vector(rng);
        if (0.1..=1.0).contains(&v.length()) {
            return v.normalize();
        }
    }
}

fn random_pose(rng: &mut Rng, spread: f64) -> Pose {
    let q = DQuat::from_axis_angle(random_direction(rng), 6.0 * rng.f64());
    Pose::new(q.normalize(), random_vector(rng) * spread).unwrap()
}

fn corners(half: [f64; 3]) -> [DVec3; 8] {
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        DVec3::new(sign(0) * half[0], sign(1) * half[1], sign(2) * half[2])
    })
}

fn random_hull(rng: &mut Rng) -> Hull {
    let count = rng.usize(4..=30);
    let stretch = DVec3::new(0.3 + rng.f64(), 0.3 + rng.f64(), 0.3 + rng.f64());
    let shift = random_vector(rng) * 0.5;
    loop {
        let points: Vec<DVec3> = (0..count).map(|_| random_direction(rng) * stretch + shift).collect();
        if let Ok(hull) = Hull::new(&points) {
            return hull;
        }
    }
}

fn ask(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Outcome {
    distance(a, pose_a, b, pose_b, &Options::DEFAULT).unwrap()
}

/// No corner lies above any face, every edge belongs to two triangles, and Euler's formula holds.
fn assert_closed_and_convex(hull: &Hull) {
    let (vertices, triangles) = (hull.vertices(), hull.triangles());
    assert_eq!(triangles.len(), 2 * vertices.len() - 4);
    let size = hull.radius();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| vertices[corner as usize]);
        let normal = (b - a).cross(c - a).normalize();
        if normal.is_finite() && (b - a).cross(c - a).length() > 1e-6 * size * size {
            for vertex in vertices {
                assert!(normal.dot(*vertex - a) <= 1e-9 * size, "a corner above a face");
            }
        }
    }
    let mut sides: Vec<[u32; 2]> = triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
    sides.sort_unstable();
    let before = sides.len();
    sides.dedup();
    assert_eq!(sides.len(), before, "a side used twice in one sense");
    assert!(sides.iter().all(|[a, b]| sides.binary_search(&[*b, *a]).is_ok()), "a side without its opposite");
}

/// Signed distance of two sharp hulls by brute force. Apart: the least distance of any two triangles, by the library's closed
/// form for these. Overlapping: the least width of the difference body over all its face normals, which are those of the faces
/// and the cross products of all edges. Exact but for rounding, 1e-13 here.
fn brute_force(a: &Hull, pose_a: &Pose, b: &Hull, pose_b: &Pose) -> f64 {
    let world = |hull: &Hull, pose: &Pose| -> Vec<DVec3> {
        hull.vertices().iter().map(|vertex| pose.transform_point(*vertex)).collect()
    };
    let (points_a, points_b) = (world(a, pose_a), world(b, pose_b));
    let edges = |hull: &Hull, points: &[DVec3]| -> Vec<DVec3> {
        let sides = hull.triangles().iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
        sides.filter(|[a, b]| a < b).map(|[a, b]| points[b as usize] - points[a as usize]).collect()
    };
    let normals = |hull: &Hull, points: &[DVec3]| -> Vec<DVec3> {
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|corner| points[corner as usize]);
            (b - a).cross(c - a)
        };
        hull.triangles().iter().map(normal).collect()
    };
    let crossed =
        edges(a, &points_a).into_iter().flat_map(|u| edges(b, &points_b).into_iter().map(move |v| u.cross(v)));
    let all = normals(a, &points_a).into_iter().chain(normals(b, &points_b)).chain(crossed);
    let gap = |normal: DVec3| {
        let top = points_a.iter().map(|point| normal.dot(*point)).fold(f64::NEG_INFINITY, f64::max);
        points_b.iter().map(|point| normal.dot(*point)).fold(f64::INFINITY, f64::min) - top
    };
    let unit = all.filter(|normal| normal.length() > 1e-9).map(DVec3::normalize);
    let widest = unit.flat_map(|normal| [gap(normal), gap(-normal)]).fold(f64::NEG_INFINITY, f64::max);
    if widest <= 0.0 {
        return widest;
    }
    let triangle = |points: &[DVec3], t: &[u32; 3]| -> Shape {
        Triangle::new(t.map(|corner| points[corner as usize])).unwrap().into()
    };
    let mut least = f64::INFINITY;
    for s in a.triangles() {
        for t in b.triangles() {
            let pair = ask(&triangle(&points_a, s), &Pose::IDENTITY, &triangle(&points_b, t), &Pose::IDENTITY);
            least = least.min(pair.distance);
        }
    }
    least
}

#[test]
fn hulls_are_closed_and_convex_and_keep_their_corners() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..200 {
        let count = rng.usize(4..200);
        let points: Vec<DVec3> = (0..count).map(|_| random_vector(&mut rng)).collect();
        let Ok(hull) = Hull::new(&points) else { continue };
        assert_closed_and_convex(&hull);
        for _ in 0..20 {
            let direction = random_direction(&mut rng);
            let farthest = points.iter().map(|point| point.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
            assert!((hull.support_value(direction) - farthest).abs() < 1e-15);
        }
        assert!(points.iter().all(|point| hull.rounded(1e-12).unwrap().contains(*point)));
    }
}

/// Points on the faces and edges of a box, exactly: only its corners are left.
#[test]
fn points_on_faces_are_left_out() {
    let mut rng = Rng::with_seed(2);
    let mut points = corners([1.0, 2.0, 0.5]).to_vec();
    for _ in 0..500 {
        let mut point = random_vector(&mut rng) * DVec3::new(1.0, 2.0, 0.5);
        let axis = rng.usize(0..3);
        point[axis] = [1.0, 2.0, 0.5][axis] * if rng.bool() { 1.0 } else { -1.0 };
        points.push(point);
    }
    rng.shuffle(&mut points);
    let hull = Hull::new(&points).unwrap();
    assert_eq!((hull.vertices().len(), hull.triangles().len()), (8, 12));
    assert!((hull.mass_properties().volume - 8.0).abs() < 1e-13);
}

#[test]
fn hull_of_corners_is_the_box() {
    let mut rng = Rng::with_seed(3);
    let mut overlaps = 0;
    for round in 0..600 {
        let half: [f64; 3] = std::array::from_fn(|_| 0.2 + rng.f64());
        let rounding = if round % 3 == 0 { 0.3 * rng.f64() } else { 0.0 };
        let exact: Shape = Primitive::cuboid(half).unwrap().rounded(rounding).unwrap().into();
        let hull: Shape = Hull::new(&corners(half)).unwrap().rounded(rounding).unwrap().into();
        let other: Shape = match round % 6 {
            0 => Superellipsoid::new([0.5, 0.7, 0.4], [0.3 + rng.f64(), 0.3 + rng.f64()]).unwrap().into(),
            1 => Primitive::cylinder(0.4, 0.6).unwrap().into(),
            2 => Point::new([random_vector(&mut rng)]).unwrap().into(),
            3 => Segment::new([random_vector(&mut rng), random_vector(&mut rng)]).unwrap().into(),
            4 => Plane::new(DVec3::Z, 0.1).unwrap().into(),
            _ => Primitive::cuboid([0.3, 0.5, 0.6]).unwrap().into(),
        };
        let (pose_a, pose_b) = (random_pose(&mut rng, 1.2), random_pose(&mut rng, 1.2));
        let (expected, found) = (ask(&exact, &pose_a, &other, &pose_b), ask(&hull, &pose_a, &other, &pose_b));
        overlaps += usize::from(found.distance < 0.0);
        let (one, two) = (expected.bounds.unwrap(), found.bounds.unwrap());
        assert!(one.lower <= two.upper && two.lower <= one.upper, "round {round}: {expected:?} {found:?}");
        assert_ne!(found.status, Status::NotConverged, "round {round}: {found:?}");
        assert!((expected.distance - found.distance).abs() < 2e-8, "round {round}: {expected:?} {found:?}");
        if expected.is_differentiable() && expected.distance.abs() > 1e-3 {
            assert!((expected.normal - found.normal).length() < 1e-3, "round {round}: {expected:?} {found:?}");
        }
        assert_eq!(intersect(&hull, &pose_a, &other, &pose_b).unwrap(), found.distance <= 0.0, "round {round}");
    }
    assert!(overlaps > 100, "{overlaps}");
}

#[test]
fn pairs_of_hulls_agree_with_all_faces_and_edges() {
    let mut rng = Rng::with_seed(4);
    let (mut apart, mut deep) = (0, 0);
    for round in 0..300 {
        let (a, b) = (random_hull(&mut rng), random_hull(&mut rng));
        let (pose_a, pose_b) = (random_pose(&mut rng, 1.0), random_pose(&mut rng, 1.0));
        let expected = brute_force(&a, &pose_a, &b, &pose_b);
        let found = ask(&a.into(), &pose_a, &b.into(), &pose_b);
        let bounds = found.bounds.unwrap();
        assert_ne!(found.status, Status::NotConverged, "round {round}: {found:?}");
        assert!(
            bounds.lower <= expected + 1e-13 && expected - 1e-13 <= bounds.upper,
            "round {round}: {expected} {found:?}"
        );
        assert!((found.distance - expected).abs() < 5e-9, "round {round}: {expected} {found:?}");
        let gap = (found.point_b - found.point_a) - found.normal * found.distance;
        assert!(gap.length() < 1e-7, "round {round}: {gap} {found:?}");
        if expected > 0.0 { apart += 1 } else { deep += 1 }
    }
    assert!(apart > 50 && deep > 50, "{apart} apart, {deep} overlapping");
}

/// Large hulls walk along edges to their support points: the answer is that of looking at all of them.
#[test]
fn large_hulls_find_their_farthest_corners() {
    let mut rng = Rng::with_seed(5);
    let points: Vec<DVec3> =
        (0..20_000).map(|_| random_direction(&mut rng) * DVec3::new(1.0, 0.4, 2.0) + DVec3::splat(7.0)).collect();
    let hull = Hull::new(&points).unwrap();
    assert!(hull.vertices().len() > 15_000, "{}", hull.vertices().len());
    assert!(hull.support_error() < 1e-10, "{}", hull.support_error());
    for _ in 0..2000 {
        let direction = random_direction(&mut rng);
        let farthest = points.iter().map(|point| (*point - hull.centre()).dot(direction)).fold(f64::MIN, f64::max);
        let found = (hull.support(direction) - hull.centre()).dot(direction);
        assert!((farthest - found).abs() <= hull.support_error() + 1e-14, "{farthest} {found}");
    }
    // Such a hull is an ellipsoid to within the depth of its facets.
    let (hull, ellipsoid) = (Shape::from(hull), Superellipsoid::new([1.0, 0.4, 2.0], [1.0, 1.0]).unwrap().into());
    for _ in 0..50 {
        let away = Pose::from_translation(random_vector(&mut rng) * 4.0);
        let at = Pose::from_translation(away.translation + DVec3::splat(7.0));
        let die: Shape = Primitive::cuboid([0.3; 3]).unwrap().into();
        let (expected, found) = (ask(&ellipsoid, &Pose::IDENTITY, &die, &away), ask(&hull, &Pose::IDENTITY, &die, &at));
        assert!((expected.distance - found.distance).abs() < 3e-3, "{expected:?} {found:?}");
        assert_ne!(found.status, Status::NotConverged, "{found:?}");
    }
}

/// Far from the origin of its own frame a hull loses no more digits than its place has.
#[test]
fn hulls_far_from_their_origin_are_as_exact() {
    let mut rng = Rng::with_seed(6);
    for _ in 0..100 {
        let shift = random_direction(&mut rng) * 1e6;
        let half = [0.5, 1.0, 0.25];
        let far = Hull::new(&corners(half).map(|corner| corner + shift)).unwrap();
        let near: Shape = Primitive::cuboid(half).unwrap().into();
        let egg: Shape = Superellipsoid::new([0.5, 0.7, 0.4], [0.6, 1.2]).unwrap().into();
        let pose = random_pose(&mut rng, 2.0);
        let (expected, found) =
            (ask(&near, &Pose::IDENTITY, &egg, &pose), ask(&far.into(), &Pose::from_translation(-shift), &egg, &pose));
        assert!((expected.distance - found.distance).abs() < 1e-8, "{expected:?} {found:?}");
        let bounds = found.bounds.unwrap();
        // The corners themselves were rounded to 1e-10 as they were moved.
        assert!(bounds.lower - 1e-9 <= expected.distance && expected.distance <= bounds.upper + 1e-9);
    }
}

#[test]
fn nearest_points_and_rays_agree_with_the_box() {
    let mut rng = Rng::with_seed(7);
    let half = [0.5, 1.0, 0.3];
    let mut hits = 0;
    for round in 0..400 {
        let rounding = if round % 2 == 0 { 0.0 } else { 0.2 };
        let exact: Shape = Primitive::cuboid(half).unwrap().rounded(rounding).unwrap().into();
        let hull: Shape = Hull::new(&corners(half)).unwrap().rounded(rounding).unwrap().into();
        let pose = random_pose(&mut rng, 1.0);
        let point = random_vector(&mut rng) * 2.0;
        let of = |shape: &Shape| closest_point(shape, &pose, point, &Options::DEFAULT).unwrap();
        let (expected, found) = (of(&exact), of(&hull));
        assert!((expected.distance - found.distance).abs() < 1e-8, "{expected:?} {found:?}");
        let inside = exact.contains(pose.inverse_transform_point(point));
        assert!(hull.contains(pose.inverse_transform_point(point)) == inside || expected.distance.abs() < 1e-9);
        let target = pose.transform_point(random_vector(&mut rng) * (DVec3::from(half) + 0.3));
        let line = Ray::new(point, (target - point).normalize()).unwrap();
        let cast = |shape: &Shape| ray(shape, &pose, &line).unwrap();
        match (cast(&exact), cast(&hull)) {
            (Some(one), Some(two)) => {
                hits += 1;
                assert!((one.t - two.t).abs() < 1e-6 && one.from_inside == two.from_inside, "{one:?} {two:?}");
                assert!(
                    (one.t - two.t).abs() < 1e-10 || one.normal.dot(line.direction()).abs() < 1e-3,
                    "{one:?} {two:?}"
                );
            }
            (None, None) => {}
            other => panic!("round {round}: {other:?}"),
        }
    }
    assert!(hits > 50, "{hits}");
}

fn close(a: &MassProperties, b: &MassProperties, tolerance: f64) -> bool {
    let off = |a: DMat3, b: DMat3| (a - b).to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    (a.volume - b.volume).abs() < tolerance
        && (a.centroid - b.centroid).length() < tolerance
        && off(a.inertia, b.inertia) < tolerance
}

/// Against the closed forms of boxes, sharp and rounded.
#[test]
fn masses_of_boxes() {
    for half in [[0.5, 0.5, 0.5], [0.2, 0.9, 0.4]] {
        for rounding in [0.0, 0.1, 2.0] {
            let exact = Primitive::cuboid(half).unwrap().rounded(rounding).unwrap().mass_properties();
            let shift = DVec3::new(0.3, -2.0, 0.7);
            let hull = Hull::new(&corners(half).map(|corner| corner + shift)).unwrap().rounded(rounding).unwrap();
            let mut found = hull.mass_properties();
            found.centroid -= shift;
            assert!(
                close(&exact, &found, 1e-12 * (1.0 + exact.volume).powi(2)),
                "{half:?} {rounding}: {exact:?} {found:?}"
            );
        }
    }
}

/// Of any rounded hull, against sums over small cells: 1 % of the cells at the surface are taken wrongly, and cancel.
#[test]
fn masses_of_rounded_hulls_by_cells() {
    let mut rng = Rng::with_seed(8);
    for _ in 0..3 {
        let hull = random_hull(&mut rng).rounded(0.3).unwrap();
        let shape = Shape::from(hull.clone());
        let (exact, aabb) = (hull.mass_properties(), shape.aabb(&Pose::IDENTITY));
        let (count, size) = (60, aabb.max - aabb.min);
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        let cell = size / f64::from(count);
        for index in 0..count * count * count {
            let place = [index % count, index / count % count, index / count / count].map(|i| f64::from(i) + 0.5);
            let point = aabb.min + DVec3::from(place) * cell;
            if hull.contains(point) {
                let weight = cell.x * cell.y * cell.z;
                volume += weight;
                first += point * weight;
                let arm = point - exact.centroid;
                let square = DMat3::from_diagonal(DVec3::splat(arm.length_squared()));
                second += (square - DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z)) * weight;
            }
        }
        let found = MassProperties { volume, centroid: first / volume, inertia: second };
        assert!(close(&exact, &found, 2e-3 * (1.0 + exact.volume)), "{exact:?} {found:?}");
    }
}

/// A rounded hull's mesh lies on its surface, and its volume comes close to the hull's.
#[test]
fn meshes_lie_on_the_surface() {
    let mut rng = Rng::with_seed(9);
    for rounding in [0.0, 0.2] {
        let hull = random_hull(&mut rng).rounded(rounding).unwrap();
        let mesh = hull.tessellate(4000).unwrap();
        let volume: f64 = mesh
            .triangles
            .iter()
            .map(|t| t.map(|corner| mesh.vertices[corner as usize] - hull.centre()))
            .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
            .sum();
        let exact = hull.mass_properties().volume;
        assert!(volume <= exact * (1.0 + 1e-12) && volume > exact * 0.995, "{volume} {exact}");
        let shape = Shape::from(hull);
        for vertex in mesh.vertices {
            let off = closest_point(&shape, &Pose::IDENTITY, vertex, &Options::DEFAULT).unwrap().distance;
            assert!(off.abs() < 1e-8, "{off}");
        }
    }
}

/// Derivatives by both poses against differences of the distance.
#[test]
fn gradients_are_differences() {
    let mut rng = Rng::with_seed(10);
    let mut checked = 0;
    for _ in 0..60 {
        let a: Shape = random_hull(&mut rng).rounded(0.1).unwrap().into();
        let b: Shape = Superellipsoid::new([0.4, 0.6, 0.5], [0.7, 1.2]).unwrap().into();
        let (pose_a, pose_b) = (random_pose(&mut rng, 1.5), random_pose(&mut rng, 1.5));
        let fine = Options { tolerance: 1e-13, ..Options::DEFAULT };
        let found = gradient(&a, &pose_a, &b, &pose_b, &fine).unwrap();
        if !found.outcome.is_differentiable() || found.outcome.distance < 0.01 {
            continue;
        }
        checked += 1;
        for axis in DVec3::AXES {
            let at = |step: f64| {
                let turned = DQuat::from_scaled_axis(axis * step) * pose_a.rotation;
                let turned = Pose { rotation: turned.normalize(), ..pose_a };
                distance(&a, &turned, &b, &pose_b, &fine).unwrap().distance
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((slope - found.a.rotation.dot(axis)).abs() < 1e-4, "{slope} {:?}", found.a);
        }
    }
    assert!(checked > 10, "{checked}");
}

#[test]
fn clouds_that_are_no_bodies_are_refused() {
    let refused = |points: &[DVec3]| Hull::new(points).unwrap_err();
    assert_eq!(refused(&[]).to_string(), "points: 0 is outside [4, 500000000]");
    assert_eq!(refused(&[DVec3::ZERO; 3]).field, "points");
    let flat = "the counts of points that span a volume";
    assert_eq!(refused(&[DVec3::ONE; 50]).allowed, flat);
    let line: Vec<DVec3> = (0..50).map(|i| DVec3::new(1.0, 2.0, 3.0) * f64::from(i)).collect();
    assert_eq!(refused(&line).allowed, flat);
    let plane: Vec<DVec3> = (0..50).map(|i| DVec3::new(f64::from(i % 7), f64::from(i / 7), 0.0)).collect();
    assert_eq!(refused(&plane).allowed, flat);
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    assert_eq!(refused(&plane.iter().map(|p| turn * *p).collect::<Vec<_>>()).allowed, flat);
    assert_eq!(refused(&[DVec3::X, DVec3::Y, DVec3::Z, DVec3::NAN]).field, "points[..][0]");
    assert_eq!(refused(&[DVec3::X, DVec3::Y, DVec3::Z, DVec3::INFINITY]).field, "points[..][0]");
    assert_eq!(refused(&[DVec3::X, DVec3::Y, DVec3::Z, DVec3::X * 1e300]).field, "points[..][0]");
    let tiny = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p * 1e-70);
    assert_eq!(refused(&tiny).allowed, "[1e-60, 1e60]");
    let fine = Hull::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
    assert_eq!(fine.rounded(-1.0).unwrap_err().field, "rounding");
    assert_eq!(fine.rounded(f64::NAN).unwrap_err().field, "rounding");
}

/// Clouds with every kind of coincidence: on grids, doubled, in planes, flat by a hair, huge and tiny. Each gives a closed and convex
/// surface, or is refused.
#[test]
fn degenerate_clouds() {
    let mut rng = Rng::with_seed(11);
    let mut bodies = 0;
    for round in 0..3000 {
        let count = rng.usize(4..40);
        let scale = [1.0, 1e-50, 1e50, 1e-5, 1e7][rng.usize(0..5)];
        let steps = rng.usize(2..5) as f64;
        let squash = [1.0, 1.0, 1e-3, 1e-8, 1e-11][rng.usize(0..5)];
        let turn = if rng.bool() { DQuat::IDENTITY } else { random_pose(&mut rng, 1.0).rotation };
        let shift = if rng.bool() { DVec3::ZERO } else { random_vector(&mut rng) * 1e3 };
        let points: Vec<DVec3> = (0..count)
            .map(|_| {
                let snapped = (random_vector(&mut rng) * steps).round() / steps;
                (turn * (snapped * DVec3::new(1.0, 1.0, squash)) + shift) * scale
            })
            .collect();
        let Ok(hull) = Hull::new(&points) else { continue };
        bodies += 1;
        assert_closed_and_convex(&hull);
        let egg: Shape = Superellipsoid::new([scale; 3], [0.5, 1.0]).unwrap().into();
        let there = Pose::from_translation(random_vector(&mut rng) * (3.0 * scale) + shift * scale);
        let found = ask(&hull.into(), &Pose::IDENTITY, &egg, &there);
        let bounds = found.bounds.unwrap();
        assert!(bounds.lower <= bounds.upper && found.distance.is_finite(), "round {round}: {found:?}");
    }
    assert!(bodies > 1000, "{bodies}");
}

/// A hundred thousand points where quadratic methods would take minutes: on a sphere, on a cone around its tip, on the moment curve,
/// where the first and last point have edges to all others, and on the faces of a turned box, where rounding makes corners.
#[test]
fn many_points_are_no_burden() {
    let mut rng = Rng::with_seed(12);
    let count = 100_000;
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let sphere: Vec<DVec3> = (0..count).map(|_| random_direction(&mut rng)).collect();
    let angle = |i: usize| i as f64 * std::f64::consts::TAU / count as f64;
    let cone =
        |i: usize| if i == 77 { DVec3::new(0.3, 0.2, 1.0) } else { DVec3::new(angle(i).cos(), angle(i).sin(), 0.0) };
    let curve = |i: usize| {
        let t = i as f64 / count as f64;
        DVec3::new(t, t * t, t * t * t)
    };
    let face = |point: &DVec3| turn * (*point / point.abs().max_element());
    let clouds = [
        sphere.clone(),
        (0..count).map(cone).collect(),
        (0..count).map(curve).collect(),
        sphere.iter().map(face).collect::<Vec<_>>(),
    ];
    for points in clouds {
        let hull = Hull::new(&points).unwrap();
        assert_eq!(hull.triangles().len(), 2 * hull.vertices().len() - 4);
        let direction = random_direction(&mut rng);
        let farthest = points.iter().map(|point| point.dot(direction)).fold(f64::MIN, f64::max);
        assert!((hull.support_value(direction) - farthest).abs() <= hull.support_error() + 1e-14);
    }
}
