//! Distances of pairs that are followed: what a track keeps may change the time of an answer, and nothing else.
//!
//! Each answer is compared with that of a query which knows nothing, by the bounds of both (they have to share a number), judged by itself, and
//! now and then held against dense sampling of normals, which never exceeds the signed distance by more than rounding.

use superegg::query::{Options, Outcome, QueryError, Status, Track, distance, tracked_distance};
use superegg::shape::{Plane, Shape, Superellipsoid};
use superegg::{DQuat, DVec3, Pose};
use testkit::generate::random::{Arrangement, Spacing, placed};
use testkit::generate::{self, Domain, Rng, direction};
use testkit::oracle::sampling;
use testkit::{Pair, check};

fn cold(pair: &Pair) -> Outcome {
    distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).expect("a valid pair")
}

fn followed(pair: &Pair, track: &mut Track) -> Outcome {
    tracked_distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT, track).expect("a valid pair")
}

/// Panics unless two answers to the same question agree, and the one of them with itself.
fn expect_same(pair: &Pair, tracked: &Outcome, cold: &Outcome, what: &str) {
    let rounding = 64.0 * pair.rounding();
    if let (Some(one), Some(other)) = (tracked.bounds, cold.bounds) {
        assert!(
            one.lower <= other.upper + rounding && other.lower <= one.upper + rounding,
            "{what}: {one:?} and {other:?}: {}",
            pair.to_rust()
        );
    }
    if tracked.status != Status::NotConverged && cold.status != Status::NotConverged {
        let contradictions = check::contradictions(pair, tracked, &Options::DEFAULT);
        assert!(contradictions.is_empty(), "{what}: {contradictions:?}: {}", pair.to_rust());
    }
}

/// Moves b by about a part of the size, and turns it by as many radians.
fn step(rng: &mut Rng, pair: &mut Pair, part: f64) {
    let turn = DQuat::from_axis_angle(direction(rng), part);
    pair.pose_b.rotation = (turn * pair.pose_b.rotation).normalize();
    pair.pose_b.translation += direction(rng) * (part * pair.size());
}

/// Evaluations of the tracked queries and of those that know nothing, of walks that begin in overlap.
fn walks(count: u64, steps: u64, part: f64, mut draw: impl FnMut(&mut Rng) -> [Shape; 2]) -> [u64; 2] {
    let mut evaluations = [0; 2];
    let mut overlaps = 0;
    for seed in 0..count {
        let mut rng = generate::seeded(seed);
        let [a, b] = draw(&mut rng);
        let spacing = [Spacing::Shallow, Spacing::Deep][seed as usize % 2];
        let mut pair = placed(&mut rng, a, b, Arrangement::ALL[seed as usize / 2 % 4], spacing);
        let mut track = Track::default();
        for at in 0..steps {
            let (tracked, cold) = (followed(&pair, &mut track), cold(&pair));
            expect_same(&pair, &tracked, &cold, &format!("seed {seed}, step {at}"));
            if at == 7 && seed % 8 == 0 {
                let sampled = sampling::over_normals(&pair).distance;
                let upper = tracked.bounds.expect("convex").upper;
                assert!(sampled <= upper + 64.0 * pair.rounding(), "seed {seed}: {sampled:e} above {upper:e}");
            }
            if at > 0 && tracked.status == Status::Penetrating {
                overlaps += 1;
                evaluations[0] += u64::from(tracked.iterations);
                evaluations[1] += u64::from(cold.iterations);
            }
            step(&mut rng, &mut pair, part);
        }
    }
    println!("{overlaps} overlaps, evaluations {evaluations:?}");
    assert!(overlaps * 2 > count * (steps - 1), "{overlaps} overlaps only");
    evaluations
}

#[test]
fn walks_of_ordinary_superellipsoids_take_three_fifths_of_the_evaluations() {
    let domain = Domain { aspect: 4.0, ..Domain::PAPER };
    let [tracked, cold] = walks(60, 30, 0.01, |rng| [0; 2].map(|_| generate::superellipsoid(rng, &domain).into()));
    assert!(5 * tracked < 3 * cold, "{tracked} against {cold}");
}

#[test]
fn walks_over_the_whole_domain() {
    let domain = Domain { exponents: 0.02..=1.98, aspect: 30.0, ..Domain::MODERATE };
    walks(60, 12, 0.02, |rng| [0; 2].map(|_| generate::superellipsoid(rng, &domain).into()));
}

#[test]
fn walks_of_ellipsoids() {
    let domain = Domain { exponents: 1.0..=1.0, ..Domain::MODERATE };
    walks(40, 20, 0.01, |rng| [0; 2].map(|_| generate::superellipsoid(rng, &domain).into()));
}

#[test]
fn walks_of_convex_superovoids() {
    let domain = Domain { aspect: 4.0, ..Domain::MODERATE };
    walks(24, 10, 0.01, |rng| [0; 2].map(|_| generate::convex_superovoid(rng, &domain).into()));
}

#[test]
fn jumps_into_and_out_of_contact() {
    for seed in 0..60 {
        let mut rng = generate::seeded(seed);
        let [a, b]: [Shape; 2] = [0; 2].map(|_| generate::superellipsoid(&mut rng, &Domain::MODERATE).into());
        let mut track = Track::default();
        for at in 0..12 {
            let spacing = [Spacing::Deep, Spacing::Apart, Spacing::Shallow, Spacing::Exactly(-1e-3)][at % 4];
            let pair = placed(&mut rng, a.clone(), b.clone(), Arrangement::ALL[at % 3], spacing);
            expect_same(&pair, &followed(&pair, &mut track), &cold(&pair), &format!("seed {seed}, jump {at}"));
        }
    }
}

/// One track for pairs of all sorts of shapes in turn, each a little different from the last or of another kind: points of one pair prove
/// nothing of another.
#[test]
fn a_track_of_other_shapes_starts_anew() {
    let mut track = Track::default();
    let mut rng = generate::seeded(3);
    let turn = DQuat::from_rotation_y(0.4);
    for at in 0..200 {
        let shrink = 1.0 - 0.004 * f64::from(at);
        let egg = |x: f64| Shape::from(Superellipsoid::new([x, 0.8, 0.6], [0.5, 0.9]).expect("in the domain"));
        let (a, b) = if at % 2 == 0 { (egg(1.0), egg(shrink)) } else { (egg(shrink), egg(1.0)) };
        let pose_b = Pose { rotation: turn, translation: direction(&mut rng) * 0.2 + DVec3::new(0.9, 0.3, 0.2) };
        let pair = Pair { a, pose_a: Pose::IDENTITY, b, pose_b };
        expect_same(&pair, &followed(&pair, &mut track), &cold(&pair), &format!("pair {at}"));
        if at % 50 == 0 {
            let plane = Shape::from(Plane::new(DVec3::Z, 0.0).expect("a plane"));
            let answer =
                tracked_distance(&plane, &Pose::IDENTITY, &pair.b, &pair.pose_b, &Options::DEFAULT, &mut track);
            assert_eq!(
                answer.map(|answer| answer.distance),
                distance(&plane, &Pose::IDENTITY, &pair.b, &pair.pose_b, &Options::DEFAULT)
                    .map(|answer| answer.distance)
            );
        }
    }
}

/// Two bodies of the same form but in another scale have the same numbers in the solver, and other points in the world.
#[test]
fn a_pair_of_another_scale_is_another_pair() {
    let egg =
        |scale: f64| Shape::from(Superellipsoid::new([scale, 0.8 * scale, 0.6 * scale], [0.5, 0.9]).expect("valid"));
    let mut track = Track::default();
    for scale in [1.0, 1000.0, 1e-3, 1.0] {
        let pose_b = Pose { rotation: DQuat::from_rotation_x(0.3), translation: DVec3::new(0.9, 0.4, 0.1) * scale };
        let pair = Pair { a: egg(scale), pose_a: Pose::IDENTITY, b: egg(scale), pose_b };
        expect_same(&pair, &followed(&pair, &mut track), &cold(&pair), &format!("scale {scale}"));
    }
}

#[test]
fn refused_input_leaves_the_track_usable() {
    let egg = Shape::from(Superellipsoid::new([1.0, 0.8, 0.6], [0.5, 0.9]).expect("in the domain"));
    let mut track = Track::default();
    let there = Pose::from_translation(DVec3::new(1.2, 0.1, 0.2));
    let pair = Pair { a: egg.clone(), pose_a: Pose::IDENTITY, b: egg.clone(), pose_b: there };
    let first = followed(&pair, &mut track);
    let nowhere = Pose { translation: DVec3::new(f64::NAN, 0.0, 0.0), ..Pose::IDENTITY };
    let refused = tracked_distance(&egg, &Pose::IDENTITY, &egg, &nowhere, &Options::DEFAULT, &mut track);
    assert!(matches!(refused, Err(QueryError::InvalidInput(_))), "{refused:?}");
    let again = followed(&pair, &mut track);
    expect_same(&pair, &again, &first, "after a refusal");
    assert!(again.iterations < first.iterations, "{} and {}", again.iterations, first.iterations);
}

/// The same walk gives the same bits.
#[test]
fn tracks_are_deterministic() {
    let walk = || {
        let mut rng = generate::seeded(11);
        let [a, b]: [Shape; 2] = [0; 2].map(|_| generate::superellipsoid(&mut rng, &Domain::PAPER).into());
        let mut pair = placed(&mut rng, a, b, Arrangement::ALL[0], Spacing::Shallow);
        let mut track = Track::default();
        let mut bits = Vec::new();
        for _ in 0..50 {
            bits.push(followed(&pair, &mut track.clone()).distance.to_bits());
            bits.push(followed(&pair, &mut track).distance.to_bits());
            step(&mut rng, &mut pair, 0.01);
        }
        bits
    };
    let bits = walk();
    assert!(bits.chunks(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(bits, walk());
}
