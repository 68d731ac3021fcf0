//! Bodies that a hand drags under a cloth on a table, fast, as live apps do: nothing ends on the wrong side.
//!
//! After every substep each triangle lies above a plane that has the body below it, whatever the speed; a body that cannot go on
//! without breaking that is held up. So the certified depth of whole triangles is zero, in passing too.

use superegg::shape::{Plane, Superellipsoid};
use superegg::{DVec3, Pose};
use superegg_sim::{Body, BodyId, Cloth, ClothId, Collider, Fabric, Friction, StepOptions, World, measure};

const DT: f64 = 1.0 / 60.0;
/// Depths that are rounding, in metres.
const DEEPEST: f64 = 1e-6;
/// Corners of a cloth of 41 × 41 vertices.
const CORNERS: [usize; 4] = [0, 40, 41 * 40, 41 * 41 - 1];

fn options() -> StepOptions<'static> {
    StepOptions { substeps: 8, ..StepOptions::default() }
}

fn table() -> Body {
    Body::fixed(Plane::new(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY).with_friction(Friction::default())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// A body that stands on a table, or is sunk into it, under a cloth of 41 × 41 vertices and 2 m, which has come to lie on both.
struct Covered {
    world: World,
    body: BodyId,
    cloth: ClothId,
    height: f64,
}

impl Covered {
    fn new(shape: Superellipsoid, height: f64, self_separation: Option<f64>, pins: &[usize]) -> Covered {
        let mut world = World::new();
        world.add_body(table()).unwrap();
        let body = Body::kinematic(shape, at(-0.4, 0.0, height), DVec3::ZERO, DVec3::ZERO);
        let body = world.add_body(body.with_friction(Friction::default())).unwrap();
        let corner = DVec3::new(-1.0, -1.0, height + shape.radii()[2] + 0.02);
        let sheet = Cloth::grid([41, 41], [2.0, 2.0], corner).unwrap().pinned(pins.iter().copied());
        let cloth = world.add_cloth(&sheet, &Fabric { self_separation, ..Fabric::default() }).unwrap();
        let mut covered = Covered { world, body, cloth, height };
        (0..30).for_each(|_| covered.step());
        covered
    }

    /// Makes a step and judges it.
    fn step(&mut self) {
        self.world.step(DT, &options()).unwrap();
        let depth = measure::cloth_penetration(&self.world).unwrap().max;
        assert!(depth < DEEPEST, "{} mm deep", depth * 1e3);
    }

    /// Drags the body to and fro along x within ±0.4 m.
    fn drag(&mut self, speed: f64, steps: usize) {
        let (mut x, mut way) = (-0.4f64, speed * DT);
        for _ in 0..steps {
            x += way;
            if x.abs() > 0.4 {
                (x, way) = (x.clamp(-0.4, 0.4), -way);
            }
            self.world.move_to(self.body, at(x, 0.0, self.height)).unwrap();
            self.step();
        }
    }

    /// How often the cloth is met on the way straight up from the body's center: an odd number of times if it covers the body.
    fn layers_above(&self) -> usize {
        let center = self.world.body(self.body).unwrap().center();
        let positions = self.world.cloth_positions(self.cloth).unwrap();
        let above = |corners: &&[u32; 3]| {
            let [a, b, c] = corners.map(|v| positions[v as usize] - center);
            let side = |p: DVec3, q: DVec3| p.truncate().perp_dot(q.truncate());
            let [u, v, w] = [side(b, c), side(c, a), side(a, b)];
            let within = (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
            within && (a.z * u + b.z * v + c.z * w) / (u + v + w) > 0.0
        };
        self.world.skin_triangles(self.cloth).unwrap().iter().filter(above).count()
    }
}

fn shapes() -> [(Superellipsoid, f64); 3] {
    let egg = |radii: [f64; 3], exponents| Superellipsoid::new(radii, exponents).unwrap();
    // Standing on the table, a hill in it, nearly a box.
    [(egg([0.25, 0.2, 0.15], [0.6, 0.8]), 0.16), (egg([0.2; 3], [1.0; 2]), 0.05), (egg([0.2; 3], [0.2; 2]), 0.205)]
}

/// Drags a body under a free cloth, at some speeds for some steps each.
fn drag_under(shape: Superellipsoid, height: f64, self_separation: Option<f64>, drags: &[(f64, usize)]) {
    for &(speed, steps) in drags {
        let mut covered = Covered::new(shape, height, self_separation, &[]);
        covered.drag(speed, steps);
        assert!(
            self_separation.is_none() || measure::self_intersections(&covered.world) == 0,
            "{shape:?}, {speed} m/s"
        );
    }
}

#[test]
fn fast_bodies_do_not_get_into_the_cloth() {
    for (shape, height) in shapes() {
        drag_under(shape, height, None, &[(1.0, 24), (5.0, 24), (20.0, 24)]);
        drag_under(shape, height, Some(0.008), &[(5.0, 4)]);
    }
    let [(shape, height), ..] = shapes();
    drag_under(shape, height, Some(0.008), &[(20.0, 2)]);
}

/// Under a cloth on four pins, which keep their places.
fn drag_under_pinned(shape: Superellipsoid, height: f64, drags: &[(f64, usize)]) {
    for &(speed, steps) in drags {
        let mut covered = Covered::new(shape, height, Some(0.008), &CORNERS);
        let pinned = CORNERS.map(|v| covered.world.cloth_positions(covered.cloth).unwrap()[v]);
        covered.drag(speed, steps);
        assert_eq!(covered.layers_above() % 2, 1, "{shape:?} at {speed} m/s");
        (0..10).for_each(|_| covered.step());
        assert_eq!(covered.layers_above() % 2, 1, "{shape:?} at {speed} m/s");
        assert_eq!(measure::self_intersections(&covered.world), 0);
        assert_eq!(CORNERS.map(|v| covered.world.cloth_positions(covered.cloth).unwrap()[v]), pinned);
    }
}

#[test]
fn a_pinned_cloth_keeps_its_pins_and_what_it_covers() {
    shapes().into_iter().for_each(|(shape, height)| drag_under_pinned(shape, height, &[(5.0, 4)]));
    let [(shape, height), ..] = shapes();
    drag_under_pinned(shape, height, &[(20.0, 3)]);
}

/// All shapes at all speeds, to and fro.
#[test]
#[ignore = "minutes: run by `cargo xtask long`"]
fn long_drags_to_and_fro() {
    for (shape, height) in shapes() {
        drag_under(shape, height, Some(0.008), &[(1.0, 48), (5.0, 16), (20.0, 16)]);
        drag_under_pinned(shape, height, &[(1.0, 48), (5.0, 16), (20.0, 16)]);
    }
}

/// A pin in the way stops a body; nothing is pushed off its pin.
#[test]
fn a_body_stops_at_a_pin() {
    let shape = Superellipsoid::new([0.15; 3], [1.0; 2]).unwrap();
    for self_separation in [None, Some(0.008)] {
        let mut covered = Covered::new(shape, 0.05, self_separation, &[]);
        let vertex = 41 * 20 + 30;
        let place = covered.world.cloth_positions(covered.cloth).unwrap()[vertex];
        covered.world.pin(covered.cloth, vertex).unwrap();
        let mut held_up = 0;
        for index in 1..=20 {
            let target = at(-0.4 + 5.0 * DT * f64::from(index), 0.0, 0.05);
            covered.world.move_to(covered.body, target).unwrap();
            held_up += covered.world.step(DT, &options()).unwrap().held_up.len();
            assert!(measure::cloth_penetration(&covered.world).unwrap().max < DEEPEST);
        }
        let found = covered.world.cloth_positions(covered.cloth).unwrap()[vertex];
        assert!(found.distance(place) < 1e-9, "{found} is not {place}");
        assert!(held_up > 0, "the body went through");
        assert!(covered.world.body(covered.body).unwrap().center().x < place.x);
    }
}

#[test]
fn a_body_that_grows_lifts_the_cloth() {
    let shape = |size: f64| Superellipsoid::new([0.25 * size, 0.2 * size, 0.15 * size], [0.6, 0.8]).unwrap();
    for self_separation in [None, Some(0.008)] {
        let mut covered = Covered::new(shape(1.0), 0.0, self_separation, &CORNERS);
        let collider = covered.world.body(covered.body).unwrap().colliders().next().unwrap();
        // By up to 5, 20 and 60 mm a step.
        for rate in [0.02, 0.08, 0.25] {
            for index in 0..10 {
                let size = 1.0 + rate * f64::from(if index < 5 { index } else { 9 - index });
                let material = covered.world.collider(collider).unwrap().material;
                let grown = Collider { material, ..Collider::new(shape(size)) };
                covered.world.set_collider(collider, grown).unwrap();
                covered.step();
            }
        }
        assert_eq!(measure::self_intersections(&covered.world), 0);
        assert_eq!(covered.layers_above() % 2, 1);
    }
}

/// Between a heavy ball and the table the cloth gives up its distance from both, and is in neither.
#[test]
fn cloth_between_a_ball_and_the_table_is_in_neither() {
    for (self_separation, drop) in [(None, 0.3), (Some(0.008), 0.3), (None, 2.0)] {
        let mut world = World::new();
        world.add_body(table()).unwrap();
        let sheet = Cloth::grid([41, 41], [2.0, 2.0], DVec3::new(-1.0, -1.0, 0.02)).unwrap();
        world.add_cloth(&sheet, &Fabric { self_separation, ..Fabric::default() }).unwrap();
        let ball = Superellipsoid::new([0.15; 3], [1.0; 2]).unwrap();
        let ball = world.add_body(Body::dynamic(ball, at(0.01, 0.02, 0.2 + drop), 2000.0)).unwrap();
        for index in 0..120 {
            world.step(DT, &options()).unwrap();
            let depth = measure::cloth_penetration(&world).unwrap().max;
            assert!(depth < DEEPEST, "{} mm deep in step {index}", depth * 1e3);
        }
        let state = world.body(ball).unwrap();
        assert!((state.center().z - 0.15).abs() < 0.02, "it rests at {}", state.center());
        assert!(state.velocity().length() < 0.05, "it moves by {}", state.velocity());
    }
}
