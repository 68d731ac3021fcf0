//! The elementary tests against contacts that are exact by construction, and against distances computed independently.
//!
//! Contacts are made of small integers, so that the features meet exactly, in real arithmetic, at a known time: no
//! rounding can excuse a miss. What is reported is checked by the distance at the reported time, from a plain
//! closest-point computation that is good to about 1e-13 of the features' size.

use proptest::prelude::*;
use superegg_mesh::DVec3;
use superegg_mesh::ccd::elementary::{
    Margin, edge_edge, edge_edge_curved, edge_edge_verdict, vertex_face, vertex_face_curved, vertex_face_verdict,
};

fn lattice(range: i32) -> impl Strategy<Value = DVec3> {
    [-range..=range, -range..=range, -range..=range].prop_map(|p| DVec3::from_array(p.map(f64::from)))
}

/// Powers of two from about 1e-6 to 1e6: scaling by them is exact.
fn scale() -> impl Strategy<Value = f64> {
    (-20..=20i32).prop_map(|e| 2f64.powi(e))
}

/// Four points that pass through `contact` at time `eighths / 8`, exactly.
fn moving(contact: [DVec3; 4], velocity: [DVec3; 4], eighths: i32, scale: f64, offset: DVec3) -> [[DVec3; 4]; 2] {
    let at = |t: i32| std::array::from_fn(|i| (contact[i] + velocity[i] * f64::from(t - eighths) + offset) * scale);
    [at(0), at(8)]
}

fn at(start: &[DVec3; 4], end: &[DVec3; 4], t: f64) -> [DVec3; 4] {
    std::array::from_fn(|i| start[i] * (1.0 - t) + end[i] * t)
}

fn size(points: &[DVec3]) -> f64 {
    points.iter().flat_map(|a| points.iter().map(move |b| a.distance(*b))).fold(0.0, f64::max)
}

fn point_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let ab = b - a;
    let t = if ab == DVec3::ZERO { 0.0 } else { ((p - a).dot(ab) / ab.length_squared()).clamp(0.0, 1.0) };
    p.distance(a + ab * t)
}

fn face_distance([p, a, b, c]: [DVec3; 4]) -> f64 {
    let rim = point_segment(p, a, b).min(point_segment(p, b, c)).min(point_segment(p, c, a));
    let normal = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(u, v)| normal.dot((v - u).cross(p - u)) > 0.0);
    if inside { rim.min((p - a).dot(normal.normalize()).abs()) } else { rim }
}

fn edge_distance([a, b, c, d]: [DVec3; 4]) -> f64 {
    let rim =
        point_segment(a, c, d).min(point_segment(b, c, d)).min(point_segment(c, a, b)).min(point_segment(d, a, b));
    let (u, v, w) = (b - a, d - c, c - a);
    let normal = u.cross(v);
    let (s, t) = (w.cross(v).dot(normal), w.cross(u).dot(normal));
    let area_sq = normal.length_squared();
    let inside = s > 0.0 && s < area_sq && t > 0.0 && t < area_sq;
    if inside { rim.min(w.dot(normal.normalize()).abs()) } else { rim }
}

/// Velocities: general, none, or along one axis, so that coplanar and sliding motions are common.
fn velocities() -> impl Strategy<Value = [DVec3; 4]> {
    prop_oneof![
        std::array::from_fn::<_, 4, _>(|_| lattice(20)),
        std::array::from_fn::<_, 4, _>(|_| lattice(1)),
        lattice(20).prop_map(|v| [v, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO]),
        std::array::from_fn::<_, 4, _>(|_| lattice(9).prop_map(|v| v.with_z(0.0))),
        lattice(9).prop_map(|v| [v; 4]),
    ]
}

/// Corners: general, flat, and with coinciding points.
fn corners() -> impl Strategy<Value = [DVec3; 3]> {
    prop_oneof![
        std::array::from_fn::<_, 3, _>(|_| lattice(30)),
        std::array::from_fn::<_, 3, _>(|_| lattice(30).prop_map(|p| p.with_z(0.0))),
        std::array::from_fn::<_, 3, _>(|_| lattice(1)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: Some(Box::new(proptest::test_runner::FileFailurePersistence::WithSource("proptest-regressions"))), ..ProptestConfig::default() })]

    #[test]
    fn exact_vertex_face_contacts_are_never_missed(
        corners in corners(), weights in [0..=4i32, 0..=4], velocity in velocities(), eighths in 0..=8i32,
        scale in scale(), offset in lattice(1 << 20),
    ) {
        let [a, b, c] = corners.map(|p| p * 16.0);
        // In sixteenths: any point of the closed triangle, its rim included.
        let u = f64::from(weights[0] * weights[1]);
        let v = f64::from(weights[0] * (4 - weights[1]));
        let p = (a * (16.0 - u - v) + b * u + c * v) / 16.0;
        let [start, end] = moving([p, a, b, c], velocity, eighths, scale, offset);
        let time = vertex_face(&start, &end, Margin::EXACT);
        prop_assert!(time.is_some_and(|t| (0.0..=f64::from(eighths) / 8.0).contains(&t)), "{time:?}");
        let extent = size(&start).max(size(&end));
        let distance = face_distance(at(&start, &end, time.unwrap()));
        prop_assert!(distance <= 1e-7 * extent, "at {time:?} still {distance} apart");
    }

    #[test]
    fn exact_edge_edge_contacts_are_never_missed(
        corners in corners(), fractions in [0..=4i32, 0..=4], velocity in velocities(), eighths in 0..=8i32,
        scale in scale(), offset in lattice(1 << 20),
    ) {
        // Two edges through p, which divides each of them in quarters.
        let p = corners[0] * 16.0;
        let ends = |along: DVec3, quarters: i32| {
            [p - along * f64::from(quarters), p + along * f64::from(4 - quarters)]
        };
        let [[a, b], [c, d]] = [ends(corners[1], fractions[0]), ends(corners[2], fractions[1])];
        let [start, end] = moving([a, b, c, d], velocity, eighths, scale, offset);
        let time = edge_edge(&start, &end, Margin::EXACT);
        prop_assert!(time.is_some_and(|t| (0.0..=f64::from(eighths) / 8.0).contains(&t)), "{time:?}");
        let extent = size(&start).max(size(&end));
        let distance = edge_distance(at(&start, &end, time.unwrap()));
        prop_assert!(distance <= 1e-7 * extent, "at {time:?} still {distance} apart");
    }

    /// Random motions: a reported time is one of contact, and before it there is none.
    #[test]
    fn answers_agree_with_sampled_distances(
        start in std::array::from_fn::<_, 4, _>(|_| lattice(9)), end in std::array::from_fn::<_, 4, _>(|_| lattice(9)),
        scale in scale(), separation in prop_oneof![Just(0.0), 0.01..2.0f64],
    ) {
        let (start, end) = (start.map(|p| p * scale), end.map(|p| p * scale));
        let separation = separation * scale;
        let margin = Margin::separation(separation).unwrap();
        let extent = size(&start).max(size(&end)).max(scale);
        let answers = [
            (vertex_face(&start, &end, margin), face_distance as fn([DVec3; 4]) -> f64),
            (edge_edge(&start, &end, margin), edge_distance),
        ];
        for (time, distance) in answers {
            if let Some(t) = time {
                let distance = distance(at(&start, &end, t));
                prop_assert!(distance <= separation + 1e-5 * extent, "at {t} still {distance} apart");
            }
            for step in 0..=64 {
                let t = f64::from(step) / 64.0;
                if time.is_none_or(|first| t < first) {
                    let distance = distance(at(&start, &end, t));
                    prop_assert!(distance > separation - 1e-12 * extent, "{distance} at {t}, before {time:?}");
                }
            }
        }
    }

    /// A linear motion written with more control points is the same motion.
    #[test]
    fn curved_tests_agree_with_linear_ones(
        start in std::array::from_fn::<_, 4, _>(|_| lattice(9)), end in std::array::from_fn::<_, 4, _>(|_| lattice(9)),
    ) {
        // Multiples of twelve: thirds and halves are exact.
        let (start, end) = (start.map(|p| p * 12.0), end.map(|p| p * 12.0));
        let middle = std::array::from_fn(|i| (start[i] + end[i]) / 2.0);
        let third = |k: f64| std::array::from_fn(|i| start[i] + (end[i] - start[i]) * (k / 3.0));
        let cubic = [start, third(1.0), third(2.0), end];
        for (linear, curved) in [
            (vertex_face(&start, &end, Margin::EXACT), vertex_face_curved(&[start, middle, end], Margin::EXACT)),
            (vertex_face(&start, &end, Margin::EXACT), vertex_face_curved(&cubic, Margin::EXACT)),
            (edge_edge(&start, &end, Margin::EXACT), edge_edge_curved(&[start, middle, end], Margin::EXACT)),
            (edge_edge(&start, &end, Margin::EXACT), edge_edge_curved(&cubic, Margin::EXACT)),
        ] {
            match (linear, curved) {
                (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-3, "{a} and {b}"),
                (a, b) => prop_assert_eq!(a, b),
            }
        }
    }
}

/// A vertex on a parabola that dips to the face exactly in the middle of the time.
#[test]
fn quadratic_motion_touches_where_linear_motion_does_not() {
    let face = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];
    let layer = |x: f64, z: f64| [DVec3::new(x, 0.0, z), face[0], face[1], face[2]];
    let [first, last] = [layer(-0.25, 1.0), layer(0.25, 1.0)];
    assert_eq!(vertex_face(&first, &last, Margin::EXACT), None);
    let time = vertex_face_curved(&[first, layer(0.0, -1.0), last], Margin::EXACT).expect("it touches");
    assert!(time <= 0.5 && time > 0.5 - 1e-6, "{time}");
    assert_eq!(vertex_face_curved(&[first, layer(0.0, -0.999), last], Margin::EXACT), None);
}

/// Sliding along at a hair's breadth is told from touching, at bounded cost.
#[test]
fn near_sliding_is_separated_and_bounded() {
    let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
    for gap in [1e-3, 1e-9, 1e-12, 1e-14] {
        let layer = |x: f64| [DVec3::new(x, 0.25, gap), face[0], face[1], face[2]];
        assert_eq!(vertex_face(&layer(0.1), &layer(0.5), Margin::EXACT), None, "gap {gap}");
        // Beside the face, in its plane.
        let beside = |y: f64| [DVec3::new(-gap, y, 0.0), face[0], face[1], face[2]];
        assert_eq!(vertex_face(&beside(0.1), &beside(0.5), Margin::EXACT), None, "gap {gap} in the plane");
        // Parallel edges.
        let edges = |x: f64| [DVec3::new(x, gap, 0.0), DVec3::new(x + 1.0, gap, 0.0), DVec3::ZERO, DVec3::X];
        assert_eq!(edge_edge(&edges(0.0), &edges(0.5), Margin::EXACT), None, "gap {gap} between parallels");
    }
}

/// Ordinary contacts do not need the slow search.
#[test]
fn general_motion_is_settled_by_the_cubic() {
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut refined = 0;
    let mut contacts = 0;
    for _ in 0..20_000 {
        let mut points = || std::array::from_fn(|_| DVec3::new(random(), random(), random()));
        let (start, end): ([DVec3; 4], [DVec3; 4]) = (points(), points());
        for verdict in
            [vertex_face_verdict(&start, &end, Margin::EXACT), edge_edge_verdict(&start, &end, Margin::EXACT)]
        {
            refined += u32::from(verdict.refined);
            contacts += u32::from(verdict.time.is_some());
        }
    }
    assert!(contacts > 5_000, "{contacts} contacts");
    assert!(refined <= 10, "{refined} of 40,000 were refined");
}

#[test]
fn non_finite_differences_are_answered_conservatively() {
    let far = DVec3::splat(1e30);
    let start = [far, -far, DVec3::new(1e30, -1e30, 0.0), DVec3::new(-1e30, 1e30, 5.0)];
    let end = start.map(|p| -p);
    assert!(vertex_face(&start, &end, Margin::EXACT).is_none_or(|t| (0.0..=1.0).contains(&t)));
    let tiny = start.map(|p| p * 1e-90 * 1e-90);
    let through = [tiny[1], tiny[1], tiny[2], tiny[3]];
    assert_eq!(vertex_face(&through, &through, Margin::EXACT), Some(0.0));
}

/// A vertex and a face, and two edges, that slide past each other in parallel planes 3e-17 apart, beside coordinates of
/// one: too close for the cubic, yet told apart along the axis.
#[test]
fn features_in_planes_beside_each_other_are_told_apart_however_close() {
    let at = |points: [[f64; 3]; 4]| points.map(DVec3::from_array);
    for (x, meets) in [(3e-17, false), (0.0, true)] {
        let vertex = |y: f64| at([[x, y, -0.5], [0.0, -1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]]);
        assert_eq!(vertex_face(&vertex(-2.0), &vertex(2.0), Margin::EXACT).is_some(), meets);
        let edges = |y: f64| at([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [x, y, -1.0], [x, y, 1.0]]);
        assert_eq!(edge_edge(&edges(-2.0), &edges(2.0), Margin::EXACT).is_some(), meets);
    }
}

/// A negative separation shrank the bounds of whole queries, which then missed collisions.
#[test]
fn margins_below_nothing_are_refused() {
    for refused in [-1e-300, -1.0, f64::NAN, f64::INFINITY, 1e31] {
        assert!(Margin::separation(refused).is_err(), "{refused}");
        assert!(Margin::new(0.0, refused).is_err(), "{refused}");
    }
    assert_eq!(Margin::new(0.0, 0.0), Ok(Margin::EXACT));
}
