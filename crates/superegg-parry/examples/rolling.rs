//! A superegg in rapier, beside a hull of it with 506 vertices.
//!
//! Three scenes, each run with both shapes: it rolls down a slope, rolls over a hill that is a smooth body itself, and
//! stands on its end. Printed are the noise of the contact normal (on the hill; a slope's normal is its own), the noise
//! of the motion, and what becomes of the energy.
//!
//! ```sh
//! cargo run --release -p superegg-parry --example rolling
//! ```

use rapier3d_f64::parry::shape::HalfSpace;
use rapier3d_f64::prelude::*;
use superegg::shape::{Spacing, Superellipsoid};
use superegg_parry::{Egg, EggDispatcher, InvalidInput};

/// Piet Hein's: a superellipse of exponent 2.5 turned about its longer axis.
const RADII: [f64; 3] = [0.3, 0.3, 0.4];
const EXPONENTS: [f64; 2] = [1.0, 0.8];
const STEP: f64 = 1.0 / 240.0;
const GRAVITY: f64 = 9.81;

/// A smooth shape, or the hull of points on it.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Smooth,
    Hull,
}

fn shape(kind: Kind, radii: [f64; 3], exponents: [f64; 2]) -> Result<SharedShape, InvalidInput> {
    let egg = Superellipsoid::new(radii, exponents)?;
    if kind == Kind::Smooth {
        return Ok(Egg::from(egg).shared());
    }
    let indexed = egg.tessellate(506, Spacing::Angles)?;
    let points: Vec<Vector> = indexed.vertices.iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
    Ok(SharedShape::convex_hull(&points).expect("a solid has a hull"))
}

fn half_space(up: Vector) -> SharedShape {
    SharedShape::new(HalfSpace::new(up))
}

struct Scene {
    world: PhysicsWorld,
    ground: ColliderHandle,
    egg: ColliderHandle,
    body: RigidBodyHandle,
}

impl Scene {
    fn new(ground: ColliderBuilder, egg: SharedShape, start: RigidBodyBuilder) -> Scene {
        let mut world = PhysicsWorld::new();
        world.narrow_phase = NarrowPhase::with_query_dispatcher(EggDispatcher);
        world.gravity = Vector::new(0.0, 0.0, -GRAVITY);
        world.integration_parameters.dt = STEP;
        let (_, ground) = world.insert(RigidBodyBuilder::fixed(), ground.friction(1.0));
        let collider = ColliderBuilder::new(egg).density(1000.0).friction(1.0).restitution(0.0);
        let (body, egg) = world.insert(start.can_sleep(false), collider);
        Scene { world, ground, egg, body }
    }

    fn energy(&self) -> f64 {
        let body = &self.world.bodies[self.body];
        body.kinetic_energy() + body.mass() * GRAVITY * body.center_of_mass().z
    }

    /// The normal of the deepest contact, in the world.
    fn normal(&self) -> Option<Vector> {
        let pair = self.world.narrow_phase.contact_pair(self.ground, self.egg)?;
        let deepest =
            |manifold: &&ContactManifold| manifold.points.iter().map(|p| p.dist).fold(f64::INFINITY, f64::min);
        let touched = pair.manifolds().iter().filter(|manifold| !manifold.points.is_empty());
        touched.min_by(|a, b| deepest(a).total_cmp(&deepest(b))).map(|manifold| manifold.data.normal)
    }
}

/// Root mean square of the second differences of a series: what is left when steady change is taken out.
fn roughness(series: &[Vector]) -> f64 {
    let jolts = series.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).length_squared());
    (jolts.sum::<f64>() / series.len().saturating_sub(2).max(1) as f64).sqrt()
}

/// Down a slope of twelve degrees for three seconds, rolling about its long axis.
fn slope(kind: Kind) -> Result<[f64; 3], InvalidInput> {
    let tilt = 12f64.to_radians();
    let up = Vector::new(tilt.sin(), 0.0, tilt.cos());
    let turn = Rotation::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let start = RigidBodyBuilder::dynamic().pose(Pose::from_parts(up * RADII[0], turn));
    let mut scene = Scene::new(ColliderBuilder::new(half_space(up)), shape(kind, RADII, EXPONENTS)?, start);
    let settle = 60;
    let (mut spins, mut heights, mut before, mut top) = (Vec::new(), Vec::new(), 0.0, 0.0);
    for step in 0..720 {
        scene.world.step();
        if step == settle {
            (before, top) = (scene.energy(), scene.world.bodies[scene.body].center_of_mass().z);
        }
        if step > settle {
            let body = &scene.world.bodies[scene.body];
            spins.push(body.angvel());
            heights.push(Vector::new(body.translation().dot(up), 0.0, 0.0));
        }
    }
    let body = &scene.world.bodies[scene.body];
    let released = body.mass() * GRAVITY * (top - body.center_of_mass().z);
    Ok([roughness(&spins), 1e3 * roughness(&heights), (scene.energy() - before) / released])
}

/// Over a smooth hill for two seconds.
fn hill(kind: Kind) -> Result<[f64; 3], InvalidInput> {
    let ground = ColliderBuilder::new(shape(kind, [6.0, 6.0, 1.5], [1.0, 1.0])?);
    let turn = Rotation::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let at = Pose::from_parts(Vector::new(0.05, 0.0, 1.5 + RADII[0]), turn);
    let start = RigidBodyBuilder::dynamic().pose(at).linvel(Vector::new(1.0, 0.0, 0.0)).angvel(Vector::new(
        0.0,
        1.0 / RADII[0],
        0.0,
    ));
    let mut scene = Scene::new(ground, shape(kind, RADII, EXPONENTS)?, start);
    let settle = 60;
    let (mut normals, mut spins, mut before) = (Vec::new(), Vec::new(), 0.0);
    for step in 0..420 {
        scene.world.step();
        if step == settle {
            before = scene.energy();
        }
        if step > settle {
            normals.extend(scene.normal());
            spins.push(scene.world.bodies[scene.body].angvel());
        }
    }
    let kinetic = scene.world.bodies[scene.body].kinetic_energy().max(f64::MIN_POSITIVE);
    Ok([roughness(&normals).to_degrees(), roughness(&spins), (scene.energy() - before) / kinetic])
}

/// On its end for five seconds, after a nudge: how far its axis leans at last and at most, and what it still moves.
fn on_end(kind: Kind) -> Result<[f64; 3], InvalidInput> {
    let start = RigidBodyBuilder::dynamic()
        .pose(Pose::from_parts(Vector::new(0.0, 0.0, RADII[2]), Rotation::from_rotation_x(0.02)))
        .angvel(Vector::new(0.0, 0.05, 0.0));
    let floor = ColliderBuilder::new(half_space(Vector::new(0.0, 0.0, 1.0)));
    let mut scene = Scene::new(floor, shape(kind, RADII, EXPONENTS)?, start);
    let mut most: f64 = 0.0;
    let mut lean = 0.0;
    for _ in 0..1200 {
        scene.world.step();
        let axis = *scene.world.bodies[scene.body].rotation() * Vector::new(0.0, 0.0, 1.0);
        lean = axis.z.clamp(-1.0, 1.0).acos().to_degrees();
        most = most.max(lean);
    }
    let body = &scene.world.bodies[scene.body];
    Ok([lean, most, 1e3 * body.kinetic_energy()])
}

fn main() -> Result<(), InvalidInput> {
    println!("{:<44} {:>14} {:>14}", "", "smooth", "506-vertex hull");
    let print = |name: &str, values: [f64; 2]| println!("{name:<44} {:>14.3e} {:>14.3e}", values[0], values[1]);
    let both = |scene: fn(Kind) -> Result<[f64; 3], InvalidInput>| -> Result<[[f64; 2]; 3], InvalidInput> {
        let (smooth, hull) = (scene(Kind::Smooth)?, scene(Kind::Hull)?);
        Ok([0, 1, 2].map(|k| [smooth[k], hull[k]]))
    };
    let [spin, height, energy] = both(slope)?;
    println!("rolling down a slope");
    print("  roughness of the spin, rad/s a step", spin);
    print("  roughness of the height, mm a step", height);
    print("  energy drift, part of what was released", energy);
    let [normal, spin, energy] = both(hill)?;
    println!("rolling over a hill");
    print("  roughness of the normal, degrees a step", normal);
    print("  roughness of the spin, rad/s a step", spin);
    print("  energy drift, part of the kinetic energy", energy);
    let [lean, most, energy] = both(on_end)?;
    println!("standing on its end");
    print("  lean after 5 s, degrees", lean);
    print("  largest lean, degrees", most);
    print("  kinetic energy left, mJ", energy);
    Ok(())
}
