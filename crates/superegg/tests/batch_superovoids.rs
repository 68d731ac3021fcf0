//! Superovoids in batches, points and pairs, against single queries, which take other ways: no lanes, hulls bounded by a search over all
//! heights, depths of points by an expanding polytope. Both prove their distances to 1e-9 of the size apart; inside, the answers of convex
//! bodies are held against the single query's proof, those of others against its own search.

use superegg::query::batch::{Placed, Threads, closest_points, distances};
use superegg::query::{Options, Status, closest_point, distance};
use superegg::shape::{Shape, Superovoid};
use superegg::{DVec3, Pose};
use testkit::generate::{self, battery};

fn superovoid(random: &mut fastrand::Rng, convex: bool) -> Superovoid {
    loop {
        let mut between = |low: f64, high: f64| low + (high - low) * random.f64();
        let exponents = [between(0.2, 1.5), between(0.2, 1.5)];
        let taper = [between(-0.5, 0.5), between(-0.5, 0.5)];
        let taper = if convex { [taper[0]; 2] } else { taper };
        let shape = Superovoid::new([between(0.3, 1.0), between(0.3, 1.0), 1.0], exponents, taper).unwrap();
        if shape.is_convex() == convex {
            return shape;
        }
    }
}

/// How many of the answers inside may be other local minima than the single query's, by more than the tolerance.
fn expect_points_to_agree(convex: bool, changes: &[f64], most_others: usize) {
    let (mut rng, mut random) = (generate::seeded(21), fastrand::Rng::with_seed(21));
    let mut others = 0;
    for _ in 0..30 {
        let shape = superovoid(&mut random, convex);
        let [x, y, z] = shape.radii();
        let unit = Superovoid::new([1.0; 3], shape.exponents(), shape.taper()).unwrap();
        let pose = Pose { rotation: generate::rotation(&mut rng), translation: DVec3::new(0.3, -2.0, 1.0) };
        let body: Shape = shape.into();
        for &change in changes {
            let points: Vec<_> = battery::points_around_superovoid(&unit, change, 12)
                .into_iter()
                .map(|point| pose.transform_point(point * DVec3::new(x, y, z)))
                .collect();
            let answers = closest_points(&body, &pose, &points, &Options::DEFAULT, Threads::One);
            for (answer, point) in answers.into_iter().zip(points) {
                let answer = answer.unwrap();
                let single = closest_point(&body, &pose, point, &Options::DEFAULT).unwrap();
                let (bounds, of_single) = (answer.bounds.unwrap(), single.bounds.unwrap());
                let what = format!("{shape:?} at {point:?}: {answer:?} and {single:?}");
                assert_eq!(answer.status, single.status, "{what}");
                // What is proved of one and the same distance.
                assert!(bounds.lower <= of_single.upper && of_single.lower <= bounds.upper, "{what}");
                assert!(bounds.lower <= answer.distance && answer.distance <= bounds.upper, "{what}");
                // Where only the descent settles inside, it ends at points 3e-7 beside each other at most, whose distance along
                // the normal is exact to 1e-13.
                let away = (point - answer.point).dot(answer.normal) - answer.distance;
                assert!(away.abs() < 1e-9, "{what}");
                if (answer.distance - single.distance).abs() > 2e-9 {
                    assert!(change < 0.0, "{what}");
                    others += 1;
                }
            }
        }
    }
    assert!(others <= most_others, "{others} others");
}

#[test]
fn points_outside() {
    for convex in [true, false] {
        expect_points_to_agree(convex, &[1e-6, 0.05, 1.5], 0);
    }
}

#[test]
fn points_inside() {
    for convex in [true, false] {
        expect_points_to_agree(convex, &[-1e-6, -0.015, -0.1], 0);
    }
}

#[test]
fn pairs_that_are_not_convex() {
    let (mut rng, mut random) = (generate::seeded(22), fastrand::Rng::with_seed(22));
    let pairs: Vec<[Placed; 2]> = (0..400)
        .map(|index| {
            let (a, b) = (superovoid(&mut random, index % 3 == 0), superovoid(&mut random, false));
            let offset = generate::direction(&mut rng) * (1.0 + 3.0 * random.f64());
            [(a, DVec3::ZERO), (b, offset)].map(|(shape, translation)| Placed {
                shape: shape.into(),
                pose: Pose { rotation: generate::rotation(&mut rng), translation },
            })
        })
        .collect();
    let mut apart = 0;
    for (answer, [a, b]) in distances(&pairs, &Options::DEFAULT, Threads::One).into_iter().zip(&pairs) {
        let answer = answer.unwrap();
        let single = distance(&a.shape, &a.pose, &b.shape, &b.pose, &Options::DEFAULT).unwrap();
        apart += u32::from(single.status == Status::Separated);
        assert_eq!(answer.status, single.status, "{a:?} {b:?}");
        assert!((answer.distance - single.distance).abs() < 4e-9, "{a:?} {b:?}: {answer:?} {single:?}");
        let (bounds, of_single) = (answer.bounds.unwrap(), single.bounds.unwrap());
        assert!(bounds.lower <= of_single.upper && of_single.lower <= bounds.upper, "{a:?} {b:?}");
    }
    assert!(apart > 200, "{apart}");
}
