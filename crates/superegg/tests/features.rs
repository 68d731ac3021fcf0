//! Shapes, poses and outcomes as data, vectors as those of other crates; run with the features that the test kit asks for.

#![cfg(all(feature = "serde", feature = "mint"))]

use superegg::query::{Options, Outcome, distance};
use superegg::shape::{Plane, Point, Segment, Shape, Superellipsoid, Superovoid, Triangle};
use superegg::{DQuat, DVec3, Pose};

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn everything_is_read_back_as_it_was_written() {
    let shapes: [Shape; 6] = [
        Point::new([DVec3::X]).unwrap().into(),
        Plane::new(DVec3::new(0.6, 0.0, 0.8), 0.25).unwrap().into(),
        Segment::new([DVec3::X, DVec3::Y]).unwrap().into(),
        Triangle::new([DVec3::X, DVec3::Y, DVec3::Z]).unwrap().into(),
        Superellipsoid::new([1.0, 0.3, 1e-7], [0.1, 1.9]).unwrap().into(),
        Superovoid::new([1.0, 2.0, 3.0], [0.8, 1.1], [0.3, -0.1]).unwrap().into(),
    ];
    for shape in &shapes {
        assert_eq!(through_json(shape), *shape);
    }
    let there = Pose::from_translation(DVec3::new(3.0, 0.1, 7.5));
    assert_eq!(through_json(&there), there);
    let outcome = distance(&shapes[4], &Pose::IDENTITY, &shapes[5], &there, &Options::DEFAULT).unwrap();
    assert_eq!(through_json::<Outcome>(&outcome), outcome);
}

#[test]
fn what_a_constructor_refuses_is_refused() {
    let text = r#"{"type":"superellipsoid","radii":[1,1,1],"exponents":[2.5,1]}"#;
    let refused = serde_json::from_str::<Shape>(text).unwrap_err();
    assert!(refused.to_string().contains("exponents[0]: 2.5 is outside ]0, 2["), "{refused}");
    assert!(serde_json::from_str::<Shape>(r#"{"type":"point","points":[[0,0,0]],"radius":1}"#).is_err());
}

#[test]
fn vectors_and_quaternions_go_through_mint() {
    let there = mint::Vector3 { x: 3.0, y: 0.1, z: 7.5 };
    let turn = mint::Quaternion { v: mint::Vector3 { x: 0.0, y: 0.6, z: 0.0 }, s: 0.8 };
    let pose = Pose::new(turn.into(), there.into()).unwrap();
    assert_eq!(pose.translation, DVec3::new(3.0, 0.1, 7.5));
    assert!((pose.rotation - DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8)).length() < 1e-15);
    assert_eq!(mint::Vector3::from(pose.translation), there);
}
