//! The papers' case studies as scenes: the two hands that pass through each other, and the bite of two molars.

use superegg::shape::Shape;
use superegg::{DVec3, Pose};
use superegg_robot::hand::{HandPair, HandShapes};
use superegg_robot::teeth::Bite;

use super::messages::Scene;
use crate::scene::{Body, Key, Part, ShapeType};

/// Hands are shown this many times as large as they are, teeth so many: what is looked at is about a metre.
const HANDS: f64 = 12.0;
const TEETH: f64 = 120.0;

/// Two hands of 21 surfaces each.
pub(super) fn hands() -> Option<Scene> {
    let pair = HandPair::new(HandShapes::Mixed).ok()?;
    let compound = |name: &str, side: usize| {
        let palm = pair.palms[0][side];
        let placed = pair.parts[side].iter().zip(&pair.frames[0][side]);
        let parts = placed.map(|((_, part), pose)| as_part(&part.shape, &palm.inverse().compose(pose), HANDS));
        Some(Body { parts: Some(parts.collect::<Option<Vec<Part>>>()?), ..Body::new(name, ShapeType::Compound) })
    };
    let keys =
        pair.palms.iter().enumerate().step_by(20).map(|(frame, palms)| key(frame as f64 / 40.0, &palms[1], HANDS));
    let keys: Vec<Key> = keys.collect();
    let duration = keys.last()?.time;
    let bodies = [compound("Left hand", 0)?, moving(compound("Right hand", 1)?, keys)];
    let about = "Papers 001 and 003: 21 surfaces a hand; the right one comes until the thumbs touch, then turns through the left one.";
    Some(Scene::new("Two hands", about, bodies, duration))
}

/// Two molars as sets of superovoids.
pub(super) fn bite() -> Option<Scene> {
    let bite = Bite::new().ok()?;
    let compound = |name: &str, tooth: &superegg_world::compound::Compound| {
        let parts = tooth.parts().iter().map(|part| as_part(&part.shape, &part.pose, TEETH));
        Some(Body { parts: Some(parts.collect::<Option<Vec<Part>>>()?), ..Body::new(name, ShapeType::Compound) })
    };
    // Down, up and further up are straight: their ends are all there is to say.
    let last = bite.frames.len() - 1;
    let keys: Vec<Key> =
        [0, 79, last].iter().map(|&frame| key(frame as f64 / 30.0, &bite.frames[frame], TEETH)).collect();
    let duration = keys.last()?.time;
    let bodies = [compound("Lower molar", &bite.lower)?, moving(compound("Upper molar", &bite.upper)?, keys)];
    let about =
        "Paper 003, figures 13 and 14: a bite of 181 frames. Meshes report zero in contact, superovoids the depth.";
    Some(Scene::new("A bite", about, bodies, duration))
}

fn moving(body: Body, keys: Vec<Key>) -> Body {
    let start = keys.first().map_or((body.position, body.orientation), |key| (key.position, key.orientation));
    Body { position: start.0, orientation: start.1, keys, ..body }
}

fn key(time: f64, pose: &Pose, scale: f64) -> Key {
    Key { time, position: (pose.translation * scale).to_array(), orientation: pose.rotation.to_array() }
}

fn as_part(shape: &Shape, pose: &Pose, scale: f64) -> Option<Part> {
    let sized = |radii: [f64; 3]| Some((DVec3::from(radii) * scale).to_array());
    let plain = match shape {
        Shape::Superellipsoid(egg) => Body {
            radii: sized(egg.radii()),
            exponents: Some(egg.exponents()),
            ..Body::new("", ShapeType::Superellipsoid)
        },
        Shape::Superovoid(egg) => Body {
            radii: sized(egg.radii()),
            exponents: Some(egg.exponents()),
            taper: Some(egg.taper()),
            ..Body::new("", ShapeType::Superovoid)
        },
        _ => return None,
    };
    Some(
        Body { position: (pose.translation * scale).to_array(), orientation: pose.rotation.to_array(), ..plain }
            .as_part(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_scenes_are_there() {
        let (hands, bite) = (hands().unwrap(), bite().unwrap());
        assert!(hands.bodies.iter().all(|body| body.parts.as_ref().is_some_and(|parts| parts.len() == 21)));
        assert_eq!(bite.bodies.len(), 2);
    }
}
