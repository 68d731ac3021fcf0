//! Twenty machine parts, rigid meshes, come to rest on each other: no two of their triangles ever cross, judged by brute force.

use superegg_scene::built_in;
use superegg_sim::{StepOptions, measure};

#[test]
fn twenty_parts_come_to_rest_on_each_other() {
    let mut scene = built_in::scene("parts", None).unwrap().unwrap();
    // A floor, a tray and the parts.
    assert_eq!(scene.bodies.len(), 22);
    let mut deepest = 0.0f64;
    for index in 0..scene.step_count() {
        scene.advance(&StepOptions::default()).unwrap();
        assert_eq!(measure::body_crossings(&scene.world).unwrap(), 0, "step {index}");
        deepest = deepest.max(measure::body_penetration(&scene.world).unwrap().max);
    }
    assert!(deepest < 1e-3, "{deepest} m deep");
    let parts = scene.bodies[2..].iter().map(|body| scene.world.body(*body).unwrap());
    let (mut higher, mut awake) = (0, 0);
    for part in parts {
        let center = part.center();
        assert!(center.truncate().abs().max_element() < 0.4 && center.z > 0.0, "{center} is not in the tray");
        higher += usize::from(center.z > 0.11);
        awake += usize::from(!part.is_asleep());
    }
    assert_eq!(awake, 0, "parts that are awake");
    assert!(higher >= 5, "{higher} parts lie on others");
}
