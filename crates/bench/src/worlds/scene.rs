//! A box of random superovoids that touch but hardly overlap, and their motion: the same for both sides of a comparison.
//!
//! Bodies are thrown into a box at random and pushed out of each other; then each drifts by a hundredth of its size a
//! step and turns, bounces off what it runs into and is pushed out of it, as grains are. The poses are worked out
//! beforehand, so that nothing but finding contacts is timed.

use glam::{DQuat, DVec3};
use rand::RngExt;
use superegg::Pose;
use superegg::Threads;
use superegg::shape::{Shape, Superovoid};
use superegg_world::WorldError;
use superegg_world::world::{BodyHandle, World, WorldOptions};
use testkit::generate::{Rng, direction, largest_convex_taper, rotation, seeded};

/// Shapes, and where each is in every step.
pub struct Scene {
    /// The distinct shapes; body `i` has shape `i % shapes.len()`.
    pub shapes: Vec<Superovoid>,
    /// Poses of all bodies, step by step.
    pub steps: Vec<Vec<Pose>>,
    /// Contacts are pairs closer than this.
    pub margin: f64,
    /// Mean number of bodies in contact with a body.
    pub neighbours: f64,
    /// Pairs in contact that overlap, as a part of them.
    pub overlapping: f64,
}

/// Which superovoids to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Equal tapers, small enough for a convex shape.
    Convex,
    /// The papers' battery: independent tapers, which make nearly every shape a little hollow.
    Battery,
}

/// Distinct shapes of a scene: enough for variety, few enough for their hulls to fit into memory.
const SHAPES: usize = 500;

/// Volume of the bodies as a part of the box.
const FILLING: f64 = 0.3;

fn shape(rng: &mut Rng, kind: Kind) -> Superovoid {
    let radii = [0; 3].map(|_| rng.random_range(0.5..1.0));
    let exponents = [0; 2].map(|_| rng.random_range(0.3..1.1));
    let mut taper: [f64; 2] = [0; 2].map(|_| rng.random_range(-0.4..0.4));
    if kind == Kind::Convex {
        let allowed = 0.999 * largest_convex_taper(exponents[1]);
        taper = [taper[0].clamp(-allowed, allowed); 2];
    }
    Superovoid::new(radii, exponents, taper).expect("the papers' range is accepted")
}

impl Scene {
    /// Makes a scene of `count` bodies and `steps` steps after the first.
    pub fn new(seed: u64, count: usize, steps: usize, kind: Kind) -> Result<Scene, WorldError> {
        let mut rng = seeded(seed);
        let shapes: Vec<Superovoid> = (0..count.min(SHAPES)).map(|_| shape(&mut rng, kind)).collect();
        let volume: f64 = (0..count).map(|i| shapes[i % shapes.len()].mass_properties().volume).sum();
        let side = (volume / FILLING).cbrt();
        let place = |rng: &mut Rng| DVec3::from([0; 3].map(|_| rng.random_range(0.0..side)));
        let mut poses: Vec<Pose> =
            (0..count).map(|_| Pose { rotation: rotation(&mut rng), translation: place(&mut rng) }).collect();

        let options = WorldOptions { threads: Threads::All, ..WorldOptions::within(0.0) };
        let mut world = World::new(options)?;
        let handles: Vec<BodyHandle> =
            (0..count).map(|i| world.add(Shape::from(shapes[i % shapes.len()]), poses[i])).collect::<Result<_, _>>()?;
        let index_of: std::collections::HashMap<BodyHandle, usize> = handles.iter().copied().zip(0..).collect();
        // Pushed out of each other, half the depth each, until hardly any overlap is left.
        for _ in 0..30 {
            move_all(&mut world, &handles, &poses)?;
            for contact in world.contacts() {
                let outcome = &contact.contact.outcome;
                let push = outcome.normal * (0.55 * outcome.distance.min(0.0));
                poses[index_of[&contact.a]].translation += push;
                poses[index_of[&contact.b]].translation -= push;
            }
        }
        let mut velocities: Vec<DVec3> = (0..count).map(|_| direction(&mut rng)).collect();
        let turns: Vec<DQuat> = (0..count).map(|_| DQuat::from_scaled_axis(direction(&mut rng) * 0.01)).collect();
        let sizes: Vec<f64> = (0..count).map(|i| 0.01 * Shape::from(shapes[i % shapes.len()]).reach()).collect();
        let mut all = vec![poses.clone()];
        let mut overlapping = 0;
        for _ in 0..steps {
            for (index, pose) in poses.iter_mut().enumerate() {
                let translation = pose.translation + velocities[index] * sizes[index];
                // Walls send bodies back.
                for axis in 0..3 {
                    if !(0.0..=side).contains(&translation[axis]) {
                        velocities[index][axis] =
                            (0.5 * side - translation[axis]).signum() * velocities[index][axis].abs();
                    }
                }
                *pose = Pose { rotation: (turns[index] * pose.rotation).normalize(), translation };
            }
            move_all(&mut world, &handles, &poses)?;
            overlapping = world.contacts().len();
            for contact in world.contacts() {
                let (a, b, normal) = (index_of[&contact.a], index_of[&contact.b], contact.contact.outcome.normal);
                for (index, outwards) in [(a, -normal), (b, normal)] {
                    let along = velocities[index].dot(outwards);
                    if along < 0.0 {
                        velocities[index] -= 2.0 * along * outwards;
                    }
                    // As any simulation would, push out what got in.
                    poses[index].translation += outwards * (-0.5 * contact.contact.outcome.distance.min(0.0));
                }
            }
            all.push(poses.clone());
        }
        let (margin, near) = margin_for(&shapes, all.last().unwrap_or(&poses))?;
        let neighbours = 2.0 * near as f64 / count as f64;
        Ok(Scene { shapes, steps: all, margin, neighbours, overlapping: overlapping as f64 / near.max(1) as f64 })
    }

    /// The shape of a body.
    pub fn shape(&self, body: usize) -> &Superovoid {
        &self.shapes[body % self.shapes.len()]
    }
}

fn move_all(world: &mut World, handles: &[BodyHandle], poses: &[Pose]) -> Result<(), WorldError> {
    for (handle, pose) in handles.iter().zip(poses) {
        world.set_pose(*handle, *pose)?;
    }
    world.update()
}

/// Neighbours that a body is to have within the margin.
const NEIGHBOURS: f64 = 5.0;

/// The margin within which bodies have five neighbours in the mean, and the pairs within it.
fn margin_for(shapes: &[Superovoid], poses: &[Pose]) -> Result<(f64, usize), WorldError> {
    let widest = 0.5;
    let mut world = World::new(WorldOptions::within(widest))?;
    for (index, pose) in poses.iter().enumerate() {
        world.add(Shape::from(shapes[index % shapes.len()]), *pose)?;
    }
    world.update()?;
    let mut distances: Vec<f64> = world.contacts().iter().map(|contact| contact.contact.outcome.distance).collect();
    distances.sort_by(f64::total_cmp);
    let wanted = (0.5 * NEIGHBOURS * poses.len() as f64) as usize;
    let margin = distances.get(wanted).copied().unwrap_or(widest).max(0.0);
    Ok((margin, distances.partition_point(|distance| *distance <= margin)))
}
