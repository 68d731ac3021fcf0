//! Scenes to start from, each with something to see.

use superegg::{DQuat, DVec3};

use super::case_studies;
use super::messages::{Scene, Solver};
use crate::scene::{Body, Key, Part, ShapeType};
use crate::wire::Vector;

/// All of them, the opening one first.
pub(super) fn all() -> Vec<Scene> {
    let mut scenes = vec![
        egg_and_die(),
        superegg_on_end(),
        through_the_ring(),
        molar(),
        family(),
        paper_pair(),
        ridge_and_face(),
        deep(),
        dented(),
        nest(),
        needle_and_coin(),
        point(),
    ];
    scenes.extend([case_studies::hands(), case_studies::bite()].into_iter().flatten());
    scenes
}

fn egg_and_die() -> Scene {
    let die = egg("Die", [1.0, 1.0, 1.0], [0.25, 0.25]).at([0.0, 0.0, 0.0]).turned(DVec3::new(1.0, 1.0, 0.3), 0.5);
    let passing = [
        (0.0, [3.4, -1.7, 0.9], turn(DVec3::Y, 0.4)),
        (2.0, [1.55, 0.6, 0.55], turn(DVec3::new(0.3, 1.0, 0.2), 1.7)),
        (4.0, [0.2, 2.6, 0.4], turn(DVec3::new(0.6, 1.0, 0.5), 3.0)),
        (6.0, [-2.2, 1.9, 0.7], turn(DVec3::new(1.0, 0.6, 0.5), 3.9)),
    ];
    let egg = ovoid("Egg", [0.72, 0.72, 1.0], [1.0, 1.0], [-0.22, -0.22]).moving(&passing);
    Scene::new("Egg and die", "An egg passes a rounded cube, and touches it on its way.", [die, egg], 6.0)
}

fn superegg_on_end() -> Scene {
    let rock = |time: f64, angle: f64| {
        // Rolling on its end: the contact stays below the middle, which rises with the tilt.
        (time, [angle * 1.05, 0.0, 1.0 + 0.12 * angle.abs()], turn(DVec3::Y, angle))
    };
    let rocking = [rock(0.0, 0.0), rock(1.0, 0.5), rock(2.0, 0.0), rock(3.0, -0.5), rock(4.0, 0.0)];
    let superegg = egg("Superegg", [0.75, 0.75, 1.0], [1.0, 0.8]).moving(&rocking);
    let floor = Body { normal: Some([0.0, 0.0, 1.0]), offset: Some(0.0), ..Body::new("Table", ShapeType::Plane) };
    Scene::new(
        "A superegg on its end",
        "Piet Hein's superellipsoid stands where an ellipsoid falls over.",
        [superegg, floor],
        4.0,
    )
}

fn paper_pair() -> Scene {
    let a = ovoid("A", [1.0; 3], [0.45, 0.8], [0.3, -0.2]).at([0.0, 0.0, 0.0]).turned(DVec3::new(0.2, 1.0, 0.5), 0.9);
    let b = ovoid("B", [1.0; 3], [0.9, 0.5], [-0.35, -0.1]).at([0.0, 2.21, 0.0]).turned(DVec3::new(1.0, 0.3, 0.8), 2.2);
    Scene::new(
        "The papers' pair",
        "Two superovoids of the battery of paper 003, whose methods to compare.",
        [a, b],
        4.0,
    )
}

fn through_the_ring() -> Scene {
    let ring = Body { hole: Some(3.0), ..of_type(egg("Ring", [0.42, 0.42, 0.42], [0.8, 0.8]), ShapeType::Supertoroid) };
    let path = [
        (0.0, [-1.5, 0.4, 2.4], turn(DVec3::X, 0.3)),
        (2.5, [-0.1, 0.1, 0.5], turn(DVec3::new(1.0, 0.6, 0.0), 0.9)),
        (5.0, [0.3, -0.2, -1.6], turn(DVec3::new(1.0, 0.2, 0.0), 1.6)),
    ];
    let egg = ovoid("Egg", [0.55, 0.55, 0.8], [1.0, 1.0], [0.2, 0.2]).moving(&path);
    let ring = ring.turned(DVec3::X, 0.25);
    Scene::new(
        "Through the ring",
        "An egg threads a supertoroid: not convex, so many starts find the way.",
        [ring, egg],
        5.0,
    )
}

fn molar() -> Scene {
    let cusp = |x: f64, y: f64| part([0.34, 0.32, 0.42], [1.0, 1.0], Some([-0.2, -0.2]), [x, y, 0.42]);
    let root = |x: f64, tilt: f64| {
        let root = part([0.3, 0.42, 0.95], [1.0, 1.0], Some([0.45, 0.45]), [x, 0.0, -0.85]);
        Part { orientation: turn(DVec3::Y, tilt).to_array(), ..root }
    };
    let crown = part([0.86, 0.78, 0.55], [0.55, 0.6], None, [0.0, 0.0, 0.0]);
    let parts = vec![
        crown,
        cusp(0.45, 0.4),
        cusp(-0.45, 0.4),
        cusp(0.45, -0.4),
        cusp(-0.45, -0.4),
        root(0.42, -0.16),
        root(-0.42, 0.16),
    ];
    let tooth = Body { parts: Some(parts), ..Body::new("Molar", ShapeType::Compound) };
    let bite = [
        (0.0, [0.1, 0.0, 2.4], turn(DVec3::X, 1.2)),
        (2.0, [0.0, 0.05, 0.9], turn(DVec3::new(1.0, 0.3, 0.0), 1.5)),
        (4.0, [1.9, 0.2, 1.3], turn(DVec3::new(1.0, 0.8, 0.0), 2.4)),
    ];
    let olive = egg("Olive", [0.34, 0.34, 0.52], [1.0, 0.9]).moving(&bite);
    Scene::new("A molar and an olive", "A compound of seven parts; the timeline marks the bite.", [tooth, olive], 4.0)
}

fn family() -> Scene {
    let of =
        |name: &str, r#type, x: f64, y: f64| of_type(egg(name, [0.5, 0.5, 0.6], [0.9, 0.9]).at([x, y, 0.0]), r#type);
    let bodies = [
        egg("Superellipsoid", [0.8, 0.8, 0.9], [0.5, 0.5]).at([-2.3, -1.2, 0.0]).turned(DVec3::Z, 0.3),
        ovoid("Superovoid", [0.75, 0.75, 1.0], [1.0, 0.9], [-0.3, -0.3]).at([0.0, -1.5, 0.0]),
        Body { height: Some(1.1), ..of("Hourglass", ShapeType::Superhyperboloid1, 2.4, -1.1) },
        Body { height: Some(1.25), ..of("Two bowls", ShapeType::Superhyperboloid2, 1.35, 1.5) },
        Body {
            radii: Some([0.3, 0.3, 0.3]),
            hole: Some(2.6),
            ..of("Ring", ShapeType::Supertoroid, -1.35, 1.5).turned(DVec3::X, 0.5)
        },
    ];
    Scene::new("The family", "All superquadrics of paper 004: hold one and slide through its exponents.", bodies, 4.0)
}

fn ridge_and_face() -> Scene {
    let sharp =
        egg("Octahedron", [0.9, 0.9, 1.1], [1.9, 1.9]).at([0.0, 0.0, 1.75]).turned(DVec3::new(1.0, 0.4, 0.0), 0.6);
    let flat = egg("Box", [1.3, 0.9, 0.6], [0.1, 0.1]).turned(DVec3::Z, 0.4);
    Scene::new(
        "Ridge and face",
        "Exponents near 2 and near 0, where the published iterations have trouble.",
        [sharp, flat],
        4.0,
    )
}

fn deep() -> Scene {
    let a = egg("Drum", [1.0, 1.0, 0.8], [1.0, 0.2]);
    let b = ovoid("Egg", [0.7, 0.7, 1.0], [1.0, 1.0], [0.25, 0.25]).at([0.7, 0.3, 0.55]).turned(DVec3::Y, 0.8);
    Scene::new("Deep overlap", "The red segment is the shortest way out.", [a, b], 4.0)
}

fn dented() -> Scene {
    let horn = ovoid("Horn", [1.0, 1.0, 1.3], [1.0, 1.6], [0.85, 0.85]);
    let ball = egg("Ball", [0.35; 3], [1.0, 1.0]).at([1.05, 0.0, -0.1]);
    Scene::new(
        "Not convex",
        "A strong taper dents the body: the distance holds for its true surface, without a certificate.",
        [horn, ball],
        4.0,
    )
}

fn nest() -> Scene {
    let shells =
        [([1.0, 1.0], [0.2, 0.2]), ([0.6, 1.0], [0.0, 0.0]), ([1.0, 0.4], [0.15, 0.15]), ([1.4, 1.0], [0.0, 0.0])];
    let mut bodies: Vec<Body> = (0..8)
        .map(|k| {
            let (exponents, taper) = shells[k % shells.len()];
            let angle = std::f64::consts::TAU * k as f64 / 8.0;
            let radius = if k % 2 == 0 { 1.75 } else { 1.6 };
            let tilt = DVec3::new(-angle.sin(), angle.cos(), 0.3);
            ovoid(&format!("Egg {}", k + 1), [0.52, 0.5, 0.68], exponents, taper)
                .at([radius * angle.cos(), radius * angle.sin(), 0.62 + 0.12 * (k % 3) as f64])
                .turned(tilt, 0.5 + 0.3 * k as f64)
        })
        .collect();
    bodies.push(Body { normal: Some([0.0, 0.0, 1.0]), offset: Some(0.0), ..Body::new("Table", ShapeType::Plane) });
    Scene::new("A nest", "Eight eggs on a table: thirty-six distances at once.", bodies, 4.0)
}

fn needle_and_coin() -> Scene {
    let needle =
        egg("Needle", [0.05, 0.05, 1.6], [1.0, 0.6]).at([0.35, 0.2, 1.5]).turned(DVec3::new(1.0, 0.2, 0.0), 0.7);
    let coin = egg("Coin", [1.3, 1.3, 0.06], [1.0, 0.15]).turned(DVec3::X, 0.15);
    Scene::new("Needle and coin", "Radii of thirty to one.", [needle, coin], 4.0)
}

fn point() -> Scene {
    let cube = egg("Pillow", [1.0, 0.8, 0.6], [0.6, 0.9]).turned(DVec3::new(0.1, 0.2, 1.0), 0.4);
    let above = [
        (0.0, [-1.6, -0.9, 0.9], DQuat::IDENTITY),
        (2.0, [0.2, -0.2, 0.8], DQuat::IDENTITY),
        (4.0, [1.5, 0.9, 0.2], DQuat::IDENTITY),
    ];
    let point = Body::new("Cloth vertex", ShapeType::Point).moving(&above);
    let scene = Scene::new(
        "A point over a pillow",
        "The question that cloth asks. Open the trace to see the λ iteration of paper 000 answer it.",
        [cube, point],
        4.0,
    );
    Scene { solver: Solver { method: "geometric".to_owned(), tolerance: 1e-3 }, ..scene }
}

fn egg(name: &str, radii: Vector, exponents: [f64; 2]) -> Body {
    Body { radii: Some(radii), exponents: Some(exponents), ..Body::new(name, ShapeType::Superellipsoid) }
}

fn of_type(body: Body, r#type: ShapeType) -> Body {
    Body { r#type, ..body }
}

/// A part of a compound: a superovoid where it tapers.
fn part(radii: Vector, exponents: [f64; 2], taper: Option<[f64; 2]>, position: Vector) -> Part {
    let r#type = if taper.is_some() { ShapeType::Superovoid } else { ShapeType::Superellipsoid };
    Body { taper, position, ..of_type(egg("", radii, exponents), r#type) }.as_part()
}

fn ovoid(name: &str, radii: Vector, exponents: [f64; 2], taper: [f64; 2]) -> Body {
    Body { taper: Some(taper), r#type: ShapeType::Superovoid, ..egg(name, radii, exponents) }
}

fn turn(axis: DVec3, angle: f64) -> DQuat {
    DQuat::from_axis_angle(axis.normalize(), angle)
}

impl Body {
    fn at(self, position: Vector) -> Body {
        Body { position, ..self }
    }

    fn turned(self, axis: DVec3, angle: f64) -> Body {
        Body { orientation: turn(axis, angle).to_array(), ..self }
    }

    fn moving(self, keys: &[(f64, Vector, DQuat)]) -> Body {
        let keys: Vec<Key> = keys
            .iter()
            .map(|&(time, position, orientation)| Key { time, position, orientation: orientation.to_array() })
            .collect();
        let start = keys.first().map_or((self.position, self.orientation), |key| (key.position, key.orientation));
        Body { position: start.0, orientation: start.1, keys, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::lab::contacts::tests::state;
    use crate::lab::messages::{Edit, PairStatus};
    use crate::lab::world::World;
    use crate::limits::Limits;

    fn contacts(scene: Scene) -> Vec<PairStatus> {
        let mut world = World::empty();
        let limits = Limits::default();
        world.apply(Edit::SetScene { scene }, 1, &Files::default(), &limits).unwrap();
        state(&world).0.pairs.into_iter().map(|pair| pair.answer.unwrap().status).collect()
    }

    #[test]
    fn every_scene_is_sound_and_solved() {
        for scene in all() {
            let name = scene.name.clone();
            let bodies = scene.bodies.len();
            let statuses = contacts(scene);
            assert_eq!(statuses.len(), bodies * (bodies - 1) / 2, "{name}");
            assert!(!statuses.contains(&PairStatus::NotConverged), "{name}: {statuses:?}");
        }
    }

    #[test]
    fn scenes_show_what_they_say() {
        assert_eq!(contacts(deep()), [PairStatus::Penetrating]);
        assert_eq!(contacts(paper_pair()), [PairStatus::Separated]);
        assert_eq!(contacts(ridge_and_face()), [PairStatus::Separated]);
    }
}
