//! Answers that are not unique, shapes that are not bodies, and input that is not valid.

use superegg::query::{Options, Outcome, QueryError, Status, WarmStart, distance};
use superegg::shape::{Plane, Point, Segment, Shape, Superellipsoid, Superovoid, Triangle};
use superegg::{DQuat, DVec3, Pose};
use testkit::generate::{self, Domain};
use testkit::{Pair, check};

fn egg(radii: [f64; 3], exponents: [f64; 2]) -> Shape {
    Superellipsoid::new(radii, exponents).unwrap().into()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// The distance of a pair, after checking that the answer is valid and the same when asked again.
fn valid(a: Shape, pose_a: Pose, b: Shape, pose_b: Pose) -> Outcome {
    let pair = Pair { a: a.clone(), pose_a, b: b.clone(), pose_b };
    let outcome = distance(&a, &pose_a, &b, &pose_b, &Options::DEFAULT).expect("a valid pair");
    let contradictions = check::contradictions(&pair, &outcome, &Options::DEFAULT);
    assert!(contradictions.is_empty(), "{contradictions:?}: {}", pair.to_rust());
    let again = distance(&a, &pose_a, &b, &pose_b, &Options::DEFAULT).expect("a valid pair");
    assert_eq!(format!("{outcome:?}"), format!("{again:?}"), "{}", pair.to_rust());
    outcome
}

/// Exponents from almost a box to almost an octahedron.
const EXPONENTS: [f64; 7] = [0.05, 0.3, 0.5, 1.0, 1.5, 1.7, 1.95];

#[test]
fn parallel_flat_faces() {
    for e in [0.05, 0.1, 0.3, 0.5] {
        for (x, y) in [(0.0, 0.0), (0.3, -0.2), (0.5, 0.5)] {
            for gap in [1e-9, 1e-3, 0.5, 100.0] {
                let block = egg([1.0, 1.0, 1.0], [e, e]);
                let outcome = valid(block.clone(), Pose::IDENTITY, block, at(x, y, 2.0 + gap));
                // Off the centre the faces are not exactly flat: the gap widens, by less than this.
                assert!((gap - 1e-9..gap + 0.05).contains(&outcome.distance), "e {e} gap {gap}: {outcome:?}");
                if (x, y) == (0.0, 0.0) {
                    assert!((outcome.distance - gap).abs() <= 2e-9, "e {e} gap {gap}: {outcome:?}");
                }
            }
        }
    }
}

#[test]
fn concentric_bodies() {
    for e1 in EXPONENTS {
        for e2 in EXPONENTS {
            let outcome = valid(egg([1.0; 3], [e1, e2]), Pose::IDENTITY, egg([0.5; 3], [e1, e2]), Pose::IDENTITY);
            assert_eq!(outcome.status, Status::Penetrating);
            // The support function of the sum is 1.5 times that of the first: least where that one is.
            let least = [e1, e2].map(|e| 2f64.powf(-0.5 * e)).into_iter().product::<f64>();
            assert!(outcome.distance <= -1.5 * least.min(1.0) + 1e-6, "{e1} {e2}: {outcome:?}");
        }
    }
    let ball = egg([1.0; 3], [1.0, 1.0]);
    let outcome = valid(ball.clone(), Pose::IDENTITY, ball, Pose::IDENTITY);
    assert!((outcome.distance + 2.0).abs() < 1e-9, "{outcome:?}");
    let thin = egg([3.0, 2.0, 0.25], [1.0, 1.0]);
    let outcome = valid(thin.clone(), at(5.0, 5.0, 5.0), thin, at(5.0, 5.0, 5.0));
    assert!((outcome.distance + 0.5).abs() < 1e-9, "{outcome:?}");
    assert!(outcome.normal.z.abs() > 0.999_999);
}

#[test]
fn points_on_the_medial_axis() {
    let point = |p: DVec3| Shape::from(Point::new([p]).unwrap());
    for e1 in EXPONENTS {
        for e2 in EXPONENTS {
            for inside in [DVec3::ZERO, DVec3::Z * 0.3, DVec3::X * 0.2, DVec3::new(0.1, 0.1, 0.0), DVec3::splat(0.1)] {
                let outcome = valid(egg([1.0, 1.0, 2.0], [e1, e2]), Pose::IDENTITY, point(inside), Pose::IDENTITY);
                assert_eq!(outcome.status, Status::Penetrating, "{e1} {e2} {inside:?}");
                let swapped = valid(point(inside), Pose::IDENTITY, egg([1.0, 1.0, 2.0], [e1, e2]), Pose::IDENTITY);
                assert!((outcome.distance - swapped.distance).abs() < 1e-8, "{e1} {e2} {inside:?}");
            }
        }
    }
    let outcome = valid(egg([1.0, 1.0, 2.0], [1.0; 2]), Pose::IDENTITY, point(DVec3::ZERO), Pose::IDENTITY);
    assert!((outcome.distance + 1.0).abs() < 1e-9, "{outcome:?}");
}

#[test]
fn points_on_the_surface() {
    for e1 in EXPONENTS {
        for e2 in EXPONENTS {
            for axis in DVec3::AXES {
                let body = egg([1.0, 2.0, 3.0], [e1, e2]);
                let point: Shape = Point::new([axis * DVec3::new(1.0, 2.0, 3.0)]).unwrap().into();
                let outcome = valid(body, Pose::IDENTITY, point, Pose::IDENTITY);
                assert_eq!(outcome.status, Status::Touching, "{e1} {e2} {axis:?}: {outcome:?}");
            }
        }
    }
}

#[test]
fn hulls_without_extent() {
    let body = egg([1.0, 2.0, 3.0], [0.7, 1.3]);
    let apart = DVec3::new(4.0, 0.0, 0.0);
    let single: Shape = Point::new([apart]).unwrap().into();
    let expected = valid(body.clone(), Pose::IDENTITY, single, Pose::IDENTITY).distance;
    let same: [Shape; 2] = [Segment::new([apart; 2]).unwrap().into(), Triangle::new([apart; 3]).unwrap().into()];
    for shape in same {
        assert!((valid(body.clone(), Pose::IDENTITY, shape, Pose::IDENTITY).distance - expected).abs() < 1e-8);
    }
    // Collinear vertices, and two that coincide.
    let line = Triangle::new([apart, apart + DVec3::X, apart + DVec3::X * 0.5]).unwrap();
    assert!((valid(body.clone(), Pose::IDENTITY, line.into(), Pose::IDENTITY).distance - expected).abs() < 1e-8);
    let doubled = Triangle::new([apart, apart, apart + DVec3::X]).unwrap();
    assert!((valid(body, Pose::IDENTITY, doubled.into(), Pose::IDENTITY).distance - expected).abs() < 1e-8);
}

#[test]
fn hulls_that_pass_through_the_centre() {
    for (e1, e2) in [(0.3, 0.3), (1.0, 1.0), (1.7, 1.7), (1.0, 0.3)] {
        let body = egg([1.0, 1.0, 1.0], [e1, e2]);
        let long: Shape = Segment::new([DVec3::Z * -5.0, DVec3::Z * 5.0]).unwrap().into();
        let outcome = valid(body.clone(), Pose::IDENTITY, long, Pose::IDENTITY);
        assert_eq!(outcome.status, Status::Penetrating, "{e1} {e2}: {outcome:?}");
        let sheet: Shape =
            Triangle::new([DVec3::new(-9.0, -9.0, 0.0), DVec3::new(9.0, -9.0, 0.0), DVec3::new(0.0, 9.0, 0.0)])
                .unwrap()
                .into();
        let outcome = valid(body, Pose::IDENTITY, sheet, Pose::IDENTITY);
        assert_eq!(outcome.status, Status::Penetrating, "{e1} {e2}: {outcome:?}");
        assert!((outcome.distance + 1.0).abs() < 1e-8, "{e1} {e2}: {outcome:?}");
    }
}

#[test]
fn touching_exactly() {
    for e1 in EXPONENTS {
        for e2 in EXPONENTS {
            for axis in DVec3::AXES {
                let body = egg([1.0, 2.0, 4.0], [e1, e2]);
                let pose = Pose::from_translation(axis * DVec3::new(2.0, 4.0, 8.0));
                let outcome = valid(body.clone(), Pose::IDENTITY, body, pose);
                assert_eq!(outcome.status, Status::Touching, "{e1} {e2} {axis:?}: {outcome:?}");
            }
        }
    }
}

#[test]
fn extreme_sizes_and_distances() {
    for scale in [1e-59, 1e-30, 1e-6, 1.0, 1e6, 1e30, 1e53] {
        let body = egg([scale, 0.5 * scale, 0.25 * scale], [0.6, 1.4]);
        for apart in [2.0, 2.5, 10.0, 1e6] {
            let outcome = valid(body.clone(), Pose::IDENTITY, body.clone(), at(apart * scale, 0.0, 0.0));
            let relative = outcome.distance / scale;
            assert!((relative - (apart - 2.0)).abs() <= 2e-9 * apart.max(1.0), "{scale:e} {apart}: {outcome:?}");
        }
    }
    // A grain beside a planet: the rounding of the planet is larger than the grain, the answer still right to it.
    let outcome = valid(egg([1e6; 3], [1.0; 2]), Pose::IDENTITY, egg([1e-6; 3], [1.0; 2]), at(0.0, 0.0, 1e6 + 1.0));
    assert!((outcome.distance - (1.0 - 1e-6)).abs() < 1e-3, "{outcome:?}");
}

#[test]
fn exponents_at_the_ends_of_their_range() {
    for e1 in [1e-6, 1e-3, 1.0, 2.0 - 1e-3, 2.0 - 1e-6] {
        for e2 in [1e-6, 1e-3, 1.0, 2.0 - 1e-3, 2.0 - 1e-6] {
            let body = egg([1.0, 1.0, 1.0], [e1, e2]);
            let pose = Pose::new(DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9), DVec3::new(2.0, 2.5, 3.0)).unwrap();
            for pose in [pose, at(0.0, 0.0, 2.5), at(0.1, 0.2, 0.3)] {
                let outcome = distance(&body, &Pose::IDENTITY, &body, &pose, &Options::DEFAULT).unwrap();
                let bounds = outcome.bounds.expect("convex");
                assert!(outcome.distance.is_finite() && outcome.normal.is_finite(), "{e1} {e2}: {outcome:?}");
                assert!(bounds.lower <= bounds.upper, "{e1} {e2}: {outcome:?}");
            }
        }
    }
}

#[test]
fn invalid_poses_are_refused_by_name() {
    let body = egg([1.0; 3], [1.0; 2]);
    let refused = |pose_a: Pose, pose_b: Pose| match distance(&body, &pose_a, &body, &pose_b, &Options::DEFAULT) {
        Err(QueryError::InvalidInput(error)) => error.field,
        other => panic!("{other:?}"),
    };
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(refused(at(bad, 0.0, 0.0), Pose::IDENTITY), "position[0]");
        assert_eq!(refused(Pose::IDENTITY, at(0.0, bad, 0.0)), "position[1]");
        assert_eq!(refused(Pose::IDENTITY, at(0.0, 0.0, bad)), "position[2]");
        let turned = Pose { rotation: DQuat::from_xyzw(0.0, bad, 0.0, 1.0), translation: DVec3::ZERO };
        assert_eq!(refused(turned, Pose::IDENTITY), "orientation");
    }
    let zero = Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), translation: DVec3::ZERO };
    assert_eq!(refused(Pose::IDENTITY, zero), "orientation");
}

#[test]
fn invalid_options_are_refused_by_name() {
    let body = egg([1.0; 3], [1.0; 2]);
    let refused = |options: Options| match distance(&body, &Pose::IDENTITY, &body, &at(3.0, 0.0, 0.0), &options) {
        Err(QueryError::InvalidInput(error)) => error.field,
        other => panic!("{other:?}"),
    };
    for bad in [f64::NAN, 0.0, -1e-9, f64::INFINITY] {
        assert_eq!(refused(Options { tolerance: bad, ..Options::DEFAULT }), "options.tolerance");
    }
    assert_eq!(refused(Options { max_iterations: 0, ..Options::DEFAULT }), "options.max_iterations");
}

#[test]
fn a_warm_start_of_garbage_is_ignored() {
    let body = egg([1.0; 3], [0.4, 1.6]);
    let pose = at(2.0, 1.0, 1.5);
    let expected = valid(body.clone(), Pose::IDENTITY, body.clone(), pose).distance;
    for garbage in [DVec3::NAN, DVec3::INFINITY, DVec3::ZERO, DVec3::MAX, DVec3::splat(1e-300)] {
        let warm = WarmStart { point_a: garbage, normal_a: garbage, point_b: garbage, normal_b: garbage };
        let options = Options { warm_start: Some(warm), ..Options::DEFAULT };
        let outcome = distance(&body, &Pose::IDENTITY, &body, &pose, &options).unwrap();
        assert!((outcome.distance - expected).abs() < 4e-9, "{garbage:?}: {outcome:?}");
    }
}

#[test]
fn two_half_spaces_have_no_distance() {
    let plane: Shape = Plane::new(DVec3::Z, 0.0).unwrap().into();
    let error = distance(&plane, &Pose::IDENTITY, &plane, &at(0.0, 0.0, 1.0), &Options::DEFAULT).unwrap_err();
    assert!(matches!(error, QueryError::Unsupported { operation: "distance", .. }), "{error:?}");
}

/// A cap of one evaluation leaves an honest answer: not converged, but bracketed.
#[test]
fn a_low_iteration_cap_is_reported() {
    let mut not_converged = 0;
    for seed in 0..500 {
        let known = generate::known::apart(&mut generate::seeded(seed), &Domain::MODERATE, false);
        let pair = known.pair;
        let options = Options { max_iterations: 1, ..Options::DEFAULT };
        let outcome = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &options).unwrap();
        let bounds = outcome.bounds.expect("convex");
        assert!(
            bounds.lower <= known.distance + known.error && known.distance <= bounds.upper + known.error,
            "seed {seed}: {} is outside of {bounds:?}: {}",
            known.distance,
            pair.to_rust()
        );
        not_converged += u32::from(outcome.status == Status::NotConverged);
    }
    assert!(not_converged > 100, "{not_converged}");
}

/// Random bits as coordinates: an answer or a typed error, never a panic, never NaN in an answer.
#[test]
fn hostile_numbers() {
    use rand_like::numbers;
    let mut numbers = numbers(7);
    let mut answered = 0;
    for _ in 0..20_000 {
        let mut next = || numbers.next().expect("endless");
        let Ok(a) = Superovoid::new([next(), next(), next()], [next(), next()], [next(), next()]) else { continue };
        let rotation = DQuat::from_xyzw(next(), next(), next(), next());
        let pose = Pose { rotation, translation: DVec3::new(next(), next(), next()) };
        let Ok(b) = Segment::new([DVec3::new(next(), next(), next()), DVec3::new(next(), next(), next())]) else {
            continue;
        };
        for (a, b) in
            [(Shape::from(a), Shape::from(b)), (Shape::from(a), Shape::from(a)), (Shape::from(b), Shape::from(b))]
        {
            let options = Options { max_iterations: 60, ..Options::DEFAULT };
            if let Ok(outcome) = distance(&a, &Pose::IDENTITY, &b, &pose, &options) {
                answered += 1;
                assert!(!outcome.distance.is_nan(), "{a:?} {b:?} {pose:?}: {outcome:?}");
                assert!(!outcome.normal.is_nan(), "{a:?} {b:?} {pose:?}: {outcome:?}");
            }
        }
    }
    assert!(answered > 100, "{answered}");
}

/// Numbers of every magnitude, some special, in a fixed sequence.
mod rand_like {
    /// An endless, deterministic sequence.
    pub fn numbers(seed: u64) -> impl Iterator<Item = f64> {
        let mut state = seed;
        std::iter::from_fn(move || {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = state;
            bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            bits ^= bits >> 31;
            let special =
                [0.0, -0.0, 1.0, -1.0, 0.5, 1e-60, 1e60, f64::MIN_POSITIVE, f64::MAX, f64::NAN, f64::INFINITY];
            Some(match bits % 32 {
                0 => special[(bits >> 8) as usize % special.len()],
                1 => f64::from_bits(bits.rotate_left(17)),
                2..=5 => -((bits >> 11) as f64 / (1u64 << 53) as f64),
                6..=8 => ((bits >> 40) as f64 * 1e-5).exp2() * 1e-30,
                _ => (bits >> 11) as f64 / (1u64 << 53) as f64,
            })
        })
    }
}
