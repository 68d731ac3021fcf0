//! Cloth and rigid bodies together: each pushes the other.
//!
//! A step is cut into rounds. In each, the cloth takes a substep against the bodies as they move, and what keeps its particles
//! out of a body is given back to that body as an impulse, so that momentum is kept to rounding; then the bodies take a
//! substep of their own. A body feels the cloth one round late, which is stable as long as it is heavier than the part of
//! the cloth that touches it.
//!
//! Everything sleeps together: once bodies and cloth have all been still for half a second, steps only let the time go on, until a
//! body is pushed, held, added or moves by itself, or the cloth is touched. In wind nothing sleeps.

use glam::DVec3;
use superegg_world::geometry::Geometry;

use super::body::State;
use super::sleep::{DROWSY, STILL};
use super::{RigidReport, RigidWorld};
use crate::body::{Body, BodyId, Motion};
use crate::clock::PhaseTimes;
use crate::{SimError, StepOptions, World, step};

/// Cloth that meets the bodies of a [`RigidWorld`].
///
/// ```
/// use superegg::shape::Superellipsoid;
/// use superegg::{DVec3, Pose};
/// use superegg_sim::rigid::{Coupling, RigidBody, RigidWorld};
/// use superegg_sim::{Cloth, Fabric, StepOptions, World};
/// let mut bodies = RigidWorld::new();
/// let ball = Superellipsoid::new([0.2; 3], [1.0; 2])?;
/// let ball = bodies.add(RigidBody::dynamic(ball, Pose::from_translation(DVec3::Z * 0.5), 50.0))?;
/// let mut world = World::new();
/// let cloth = world.add_cloth(&Cloth::grid([11, 11], [1.0, 1.0], DVec3::new(-0.5, -0.5, 0.0)), &Fabric::default())?;
/// for corner in [0, 10, 110, 120] {
///     world.grab(corner)?;
/// }
/// let mut coupling = Coupling::new(&mut bodies, world)?;
/// for _ in 0..40 {
///     coupling.step(&mut bodies, 1.0 / 60.0, &StepOptions::default())?;
/// }
/// // The cloth has caught the ball, which would have fallen to -1.7 m.
/// assert!(bodies.centre(ball)?.z > -0.5);
/// assert!(coupling.cloth().cloth_positions(cloth)[60].z < -0.01);
/// # Ok::<(), superegg_sim::SimError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Coupling {
    cloth: World,
    /// The pieces of rigid bodies that the cloth knows, and as which bodies.
    mirrored: Vec<(u32, BodyId)>,
    /// For how long everything has been still.
    still_for: f64,
    asleep: bool,
}

impl Coupling {
    /// Lets a world of cloth meet the superellipsoids, superovoids and planes of a world of bodies, be they alone or parts of
    /// compounds; it does not meet meshes. Bodies no longer fall asleep by themselves, but all together with the cloth. Those
    /// that are added later are met, too.
    pub fn new(bodies: &mut RigidWorld, cloth: World) -> Result<Coupling, SimError> {
        bodies.sleeping = false;
        let mut coupling = Coupling { cloth, mirrored: Vec::new(), still_for: 0.0, asleep: false };
        coupling.mirror(bodies)?;
        Ok(coupling)
    }

    /// The cloth.
    pub fn cloth(&self) -> &World {
        &self.cloth
    }

    /// The cloth, to be held or moved; it wakes up.
    pub fn cloth_mut(&mut self) -> &mut World {
        (self.asleep, self.still_for) = (false, 0.0);
        &mut self.cloth
    }

    /// Steps both; there are as many rounds as substeps.
    pub fn step(&mut self, bodies: &mut RigidWorld, dt: f64, options: &StepOptions) -> Result<RigidReport, SimError> {
        if self.sleeps_on(bodies) {
            self.cloth.time += dt;
            bodies.time += dt;
            return Ok(RigidReport::default());
        }
        let rounds = options.substeps.clamp(1, 10_000);
        let h = dt / f64::from(rounds);
        let once = StepOptions { substeps: 1, ..*options };
        let mut report = RigidReport::default();
        for _ in 0..rounds {
            self.mirror(bodies)?;
            let done = step(&mut self.cloth, h, &once)?;
            let impulses = self.cloth.body_contacts.take_impulses();
            for (piece, body) in &self.mirrored {
                let [impulse, moment] = impulses.get(body.0).copied().unwrap_or([DVec3::ZERO; 2]);
                let state = &mut bodies.bodies[bodies.pairs.pieces[*piece as usize].body as usize];
                if impulse != DVec3::ZERO && state.is_dynamic() {
                    state.refresh();
                    state.velocity += impulse * state.inverse_mass;
                    state.turning += state.inverse_inertia * (moment - state.centre.cross(impulse));
                }
            }
            let own = bodies.step(h, &once)?;
            report = RigidReport {
                times: sum(&report.times, &sum(&done.times, &own.times)),
                contacts: own.contacts + done.contacts,
                max_speed: own.max_speed.max(done.max_speed),
                ..own
            };
        }
        let moved = self.cloth.obstacles_move() || bodies.bodies.iter().any(carries);
        let calm = report.max_speed < STILL && self.cloth.wind.is_none() && !moved;
        self.still_for = if calm { self.still_for + dt } else { 0.0 };
        if self.still_for >= DROWSY {
            self.asleep = true;
            self.cloth.particles.velocity.fill(DVec3::ZERO);
            for body in bodies.bodies.iter_mut().filter(|body| body.is_dynamic()) {
                body.asleep = true;
                (body.velocity, body.turning) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
        Ok(report)
    }

    /// Whether everything sleeps and nothing has woken up; if anything has, everything does.
    fn sleeps_on(&mut self, bodies: &mut RigidWorld) -> bool {
        let awake = |body: &State| body.is_dynamic() && !body.asleep;
        let roused = |body: &State| awake(body) || carries(body);
        self.asleep &= !bodies.bodies.iter().any(roused);
        if !self.asleep {
            bodies.bodies.iter_mut().for_each(|body| body.asleep = false);
        }
        self.asleep
    }

    /// Shows the cloth where the bodies are and how they move.
    fn mirror(&mut self, bodies: &RigidWorld) -> Result<(), SimError> {
        for (index, piece) in (0u32..).zip(&bodies.pairs.pieces) {
            let known = self.mirrored.iter().position(|(own, _)| *own == index);
            let Geometry::Shape(shape) = &piece.geometry else { continue };
            let state = &bodies.bodies[piece.body as usize];
            let placed = piece.placed(state);
            let body = Body {
                shape: *shape,
                pose: placed.pose(),
                velocity: state.velocity + state.turning.cross(placed.origin - state.centre),
                angular_velocity: state.turning,
                motion: if state.is_moving() { Motion::Kinematic } else { Motion::Fixed },
                friction: state.material.friction,
            };
            match known {
                Some(at) => self.cloth.set_body(self.mirrored[at].1, body)?,
                None => self.mirrored.push((index, self.cloth.add_body(body)?)),
            }
        }
        Ok(())
    }
}

/// Whether a body moves by itself.
fn carries(body: &State) -> bool {
    !body.is_dynamic() && body.is_moving()
}

fn sum(a: &PhaseTimes, b: &PhaseTimes) -> PhaseTimes {
    PhaseTimes {
        time_integration: a.time_integration + b.time_integration,
        position_constraints: a.position_constraints + b.position_constraints,
        velocity_constraints: a.velocity_constraints + b.velocity_constraints,
        collision_detection: a.collision_detection + b.collision_detection,
        velocity_update: a.velocity_update + b.velocity_update,
    }
}
