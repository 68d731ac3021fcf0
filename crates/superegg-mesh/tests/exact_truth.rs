//! The elementary tests against the exact truth, in integers, over every class of degenerate motion.
//!
//! Any seed passes; `PROPTEST_CASES` sets how many cases are tried.

mod exact;

use exact::Time;
use proptest::prelude::*;
use superegg_mesh::DVec3;
use superegg_mesh::ccd::elementary::{Margin, edge_edge, vertex_face};

type Point = [i64; 3];

/// Four points at the start and at the end.
type Motion = [[Point; 4]; 2];

fn lattice(range: i64) -> impl Strategy<Value = Point> {
    [-range..=range, -range..=range, -range..=range]
}

fn plus(a: Point, b: Point, times: i64) -> Point {
    std::array::from_fn(|i| a[i] + b[i] * times)
}

/// Four points as they are at the moment of contact: general, in a plane, on a line, in two places, in one.
fn meeting() -> impl Strategy<Value = [Point; 4]> {
    let four = |range: i64| std::array::from_fn::<_, 4, _>(|_| lattice(range));
    let scaled = |p: Point| p.map(|x| 16 * x);
    // A vertex in a closed triangle, in sixteenths.
    let touching_face = (std::array::from_fn::<_, 3, _>(|_| lattice(9)), 0..=4i64, 0..=4i64).prop_map(
        move |([a, b, c], some, share)| {
            let (u, v) = (some * share, some * (4 - share));
            let vertex = std::array::from_fn(|i| a[i] * (16 - u - v) + b[i] * u + c[i] * v);
            [vertex, scaled(a), scaled(b), scaled(c)]
        },
    );
    // Two edges through one point, which divides each of them in quarters.
    let touching_edges = (std::array::from_fn::<_, 3, _>(|_| lattice(9)), 0..=4i64, 0..=4i64)
        .prop_map(|([p, u, v], s, t)| [plus(p, u, -s), plus(p, u, 4 - s), plus(p, v, -t), plus(p, v, 4 - t)]);
    let on_line = (lattice(9), lattice(3), [-3..=3i64, -3..=3, -3..=3, -3..=3])
        .prop_map(|(origin, along, places)| places.map(|place| plus(origin, along, place)));
    let in_places = (lattice(9), lattice(9), 0..16u8)
        .prop_map(|(a, b, which)| std::array::from_fn(|i| if which >> i & 1 == 0 { a } else { b }));
    let in_plane = (lattice(9), lattice(3), lattice(3), std::array::from_fn::<_, 4, _>(|_| (-3..=3i64, -3..=3i64)))
        .prop_map(|(origin, u, v, places)| places.map(|(x, y)| plus(plus(origin, u, x), v, y)));
    prop_oneof![
        2 => touching_face,
        2 => touching_edges,
        1 => on_line,
        1 => in_places,
        1 => in_plane,
        1 => four(9),
        1 => four(1),
        1 => lattice(9).prop_map(|p| [p; 4]),
    ]
}

/// Velocities: general, none but one, in a plane, along a line, alike.
fn velocities() -> impl Strategy<Value = [Point; 4]> {
    let four = |range: i64| std::array::from_fn::<_, 4, _>(|_| lattice(range));
    let on_line = (lattice(5), [-3..=3i64, -3..=3, -3..=3, -3..=3])
        .prop_map(|(along, speeds)| speeds.map(|speed| along.map(|x| x * speed)));
    let in_plane = (lattice(3), lattice(3), std::array::from_fn::<_, 4, _>(|_| (-3..=3i64, -3..=3i64)))
        .prop_map(|(u, v, speeds)| speeds.map(|(x, y)| plus(plus([0; 3], u, x), v, y)));
    let two = (lattice(9), lattice(9), 0..16u8)
        .prop_map(|(a, b, which)| std::array::from_fn(|i| if which >> i & 1 == 0 { a } else { b }));
    prop_oneof![
        3 => four(20),
        1 => four(1),
        1 => on_line,
        1 => in_plane,
        1 => two,
        1 => lattice(9).prop_map(|v| [v; 4]),
        1 => std::array::from_fn::<_, 4, _>(|_| lattice(9).prop_map(|[x, y, _]| [x, y, 0])),
    ]
}

/// Motions through a meeting, and past it by a little.
fn motions() -> impl Strategy<Value = Motion> {
    let miss = prop_oneof![3 => Just([0; 3]), 1 => lattice(1)];
    let flat = prop_oneof![4 => Just(false), 1 => Just(true)];
    (meeting(), velocities(), 0..=8i64, miss, flat).prop_map(|(mut points, velocity, eighths, miss, flat)| {
        points[0] = plus(points[0], miss, 1);
        let at = |t: i64| {
            std::array::from_fn(|i| {
                let [x, y, z] = plus(points[i], velocity[i], t - eighths);
                if flat { [x, y, x - 2 * y] } else { [x, y, z] }
            })
        };
        [at(0), at(8)]
    })
}

fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

type Truth = fn(&[Point; 4], &[Point; 4]) -> Vec<Time>;
type Test = fn(&[DVec3; 4], &[DVec3; 4], Margin) -> Option<f64>;

const KINDS: [(&str, Truth, Test); 2] =
    [("vertex-face", exact::vertex_face, vertex_face), ("edge-edge", exact::edge_edge, edge_edge)];

/// Checks both kinds of tests on one motion, moved by a lattice vector and scaled by a power of two, which is exact.
fn check([start, end]: &Motion, offset: Point, exponent: i32) -> Result<(), TestCaseError> {
    let placed = |points: &[Point; 4]| {
        points.map(|p| DVec3::from_array(plus(p, offset, 1).map(|x| x as f64)) * 2f64.powi(exponent))
    };
    for (name, truth, test) in KINDS {
        let contacts = truth(start, end);
        let time = test(&placed(start), &placed(end), Margin::EXACT);
        match time {
            Some(time) => {
                prop_assert!((0.0..=1.0).contains(&time), "{name}: {time}");
                prop_assert!(!contacts.iter().any(|contact| contact.is_before(time)), "{name}: {time} is late");
                prop_assert!(!contacts.is_empty(), "{name}: false positive at {time}");
            }
            None => prop_assert!(contacts.is_empty(), "{name}: missed"),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn motions_through_degenerate_meetings(motion in motions(), offset in lattice(1 << 20), exponent in -20..=20i32) {
        check(&motion, offset, exponent)?;
    }

    #[test]
    fn motions_on_a_small_lattice(
        start in std::array::from_fn::<_, 4, _>(|_| lattice(2)), end in std::array::from_fn::<_, 4, _>(|_| lattice(2)),
    ) {
        check(&[start, end], [0; 3], 0)?;
    }
}

/// Four points that all meet in one point at t = 3/8: coordinates cancel, and what is left of them is rounding.
#[test]
fn a_face_that_shrinks_to_the_vertex_is_not_missed() {
    let velocity = [[4, -8, -5], [-10, 11, 10], [15, 17, -20], [-7, 11, -6]];
    let at = |t: i64| velocity.map(|v| plus([-16, -16, 0], v, t - 3));
    for offset in [[0; 3], [1 << 20, -3, 77]] {
        for exponent in [-20, 0, 3] {
            check(&[at(0), at(8)], offset, exponent).unwrap();
        }
    }
    assert!(!exact::vertex_face(&at(0), &at(8)).is_empty());
}

/// A face that shrinks to a point beside the vertex, so that its plane and its inside are rounding alone.
#[test]
fn a_face_that_shrinks_beside_the_vertex_is_not_taken_for_a_contact() {
    let start = [[-9, 1, 0], [-8, 0, 0], [0, 8, 0], [0, 0, -8]];
    let end = [[-1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]];
    assert!(exact::vertex_face(&start, &end).is_empty());
    for exponent in -20..=20 {
        check(&[start, end], [0; 3], exponent).unwrap();
    }
}

/// The oracle knows what can be told by hand.
#[test]
fn exact_truth_of_known_cases() {
    let face = [[0, 0, 0], [2, 0, 0], [0, 2, 0]];
    let above = |p: Point| [p, face[0], face[1], face[2]];
    // Through the inside at 1/2, through a corner, past the rim, along a side, beside it.
    for (from, to, hit) in [
        ([1, 0, 1], [0, 1, -1], Some(0.5)),
        ([0, 0, 1], [0, 0, -1], Some(0.5)),
        ([-1, 0, 1], [-1, 0, -1], None),
        ([-1, 0, 0], [3, 0, 0], Some(0.25)),
        ([-1, -1, 0], [3, -1, 0], None),
        ([0, 0, 3], [0, 0, -1], Some(0.75)),
    ] {
        let contacts = exact::vertex_face(&above(from), &above(to));
        assert_eq!(contacts.is_empty(), hit.is_none(), "{from:?} {to:?}");
        if let Some(time) = hit {
            assert!(contacts.iter().all(|contact| !contact.is_before(time)));
            assert!(contacts.iter().any(|contact| contact.is_before(f64::next_up(time))));
        }
    }
    // Parallel edges that slide over each other, and that do not.
    let edges = |x: i64, y: i64| [[x, y, 0], [x + 1, y, 0], [0, 0, 0], [1, 0, 0]];
    assert!(!exact::edge_edge(&edges(5, 0), &edges(-5, 0)).is_empty());
    assert!(exact::edge_edge(&edges(5, 1), &edges(-5, 1)).is_empty());
    // Irrational: z = 2 t^2 - 1 at sqrt(1/2), from a face that turns.
    let turning = [[[1, 0, -1], [0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 1, 1], [0, 0, 0], [1, 0, 0], [0, 1, 2]]];
    let contacts = exact::vertex_face(&turning[0], &turning[1]);
    assert!(contacts.iter().all(|contact| contact.is_before(1.0)));
}
