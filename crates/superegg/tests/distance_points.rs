//! The points of paper 000 around its seven shapes, outside and inside.
//!
//! Outside, the answer's own certificate is checked with independent support functions. Inside, where a point has
//! several local minima of its depth, every twentieth answer is held against branch and bound.

use superegg::query::{Options, Status, distance};
use superegg::shape::{Point, Shape};
use superegg::{DVec3, Pose};
use testkit::generate::{self, battery};
use testkit::oracle::certified;
use testkit::{Pair, check};

fn expect_answers(change: f64, expected: Status) {
    let mut failures = Vec::new();
    for index in 0..battery::SEVEN_SHAPES.len() {
        let body: Shape = battery::shape_of_seven(index).into();
        let mut rng = generate::seeded(index as u64);
        let pose = Pose { rotation: generate::rotation(&mut rng), translation: DVec3::new(3.0, -1.0, 2.0) };
        for (number, point) in battery::points_around(index, change, 40).into_iter().enumerate() {
            let point: Shape = Point::new([pose.transform_point(point)]).unwrap().into();
            let pair = Pair { a: body.clone(), pose_a: pose, b: point, pose_b: Pose::IDENTITY };
            let outcome = distance(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b, &Options::DEFAULT).unwrap();
            let mut found = check::contradictions(&pair, &outcome, &Options::DEFAULT);
            if outcome.status != expected {
                found.push(format!("{:?} instead of {expected:?}", outcome.status));
            }
            if number % 20 == 0 {
                let truth = certified::signed_distance(&pair, 1e-7, 20_000);
                if outcome.distance < truth.lower - 1e-9 || outcome.distance > truth.upper + 1e-9 {
                    found.push(format!("{} is outside of {truth:?}", outcome.distance));
                }
            }
            if !found.is_empty() {
                failures.push(format!("shape {index}, point {number}: {}: {}", found.join("; "), pair.to_rust()));
            }
        }
    }
    let shown: Vec<_> = failures.iter().take(5).cloned().collect();
    assert!(failures.is_empty(), "{} failed, such as\n{}", failures.len(), shown.join("\n"));
}

#[test]
fn outside() {
    expect_answers(battery::RADIUS_CHANGES[0], Status::Separated);
}

#[test]
fn inside() {
    expect_answers(battery::RADIUS_CHANGES[1], Status::Penetrating);
}

/// Far below the surface there are several local minima and the medial axis is near.
#[test]
fn deep_inside() {
    expect_answers(-0.3, Status::Penetrating);
}
