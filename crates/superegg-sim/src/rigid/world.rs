//! A world of rigid bodies and its step.

use glam::DVec3;
use superegg::{InvalidInput, Pose};
use superegg_world::geometry::Geometry;

use super::body::{RigidBody, RigidId, State, require_velocities};
use super::grip::Grip;
use super::linkage::Linkage;
use super::pairs::Pairs;
use super::sleep::wake;
use super::solver::Solver;
use crate::SimError;
use crate::error::require_index;

/// Bodies in contact rest so far apart, in metres: what a solver leaves undone is a thinner gap, not an overlap, and
/// distances of bodies that are apart are the quickest to find.
pub(super) const SKIN: f64 = 2e-3;

/// Rigid bodies that push each other.
///
/// ```
/// use superegg::shape::{Plane, Shape, Superellipsoid};
/// use superegg::{DVec3, Pose};
/// use superegg_sim::StepOptions;
/// use superegg_sim::rigid::{RigidBody, RigidWorld};
/// let mut world = RigidWorld::new();
/// world.add(RigidBody::fixed(Shape::from(Plane::new(DVec3::Z, 0.0)?), Pose::IDENTITY))?;
/// let egg = Superellipsoid::new([0.3, 0.3, 0.4], [1.0, 0.8])?;
/// let egg = world.add(RigidBody::dynamic(egg, Pose::from_translation(DVec3::Z), 1000.0))?;
/// for _ in 0..120 {
///     world.step(1.0 / 60.0, &StepOptions { substeps: 8, ..StepOptions::default() })?;
/// }
/// let height = world.pose(egg)?.translation.z;
/// assert!((height - 0.4).abs() < 0.003, "{height}");
/// # Ok::<(), superegg_sim::SimError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RigidWorld {
    /// In metres a second squared.
    pub gravity: DVec3,
    /// In seconds.
    pub time: f64,
    /// Whether bodies that are still may fall asleep.
    pub sleeping: bool,
    pub(super) bodies: Vec<State>,
    pub(super) pairs: Pairs,
    pub(super) solver: Solver,
    /// Joints, and the pairs of bodies that hang together by them.
    pub(super) linkages: Vec<Option<Linkage>>,
    pub(super) links: Vec<[u32; 2]>,
    pub(super) grips: Vec<Option<Grip>>,
}

impl Default for RigidWorld {
    fn default() -> RigidWorld {
        RigidWorld::new()
    }
}

impl RigidWorld {
    /// An empty world with the earth's gravity.
    pub fn new() -> RigidWorld {
        RigidWorld {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            time: 0.0,
            sleeping: true,
            bodies: Vec::new(),
            pairs: Pairs::default(),
            solver: Solver::default(),
            linkages: Vec::new(),
            links: Vec::new(),
            grips: Vec::new(),
        }
    }

    /// Adds a body.
    pub fn add(&mut self, body: RigidBody) -> Result<RigidId, SimError> {
        let index = self.bodies.len();
        let (state, pieces) = State::new(index as u32, &body)?;
        self.pairs.add(&state, pieces)?;
        self.bodies.push(state);
        Ok(RigidId(index))
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    fn body(&self, body: RigidId) -> Result<&State, SimError> {
        require_index("rigid body", body.0, self.bodies.len())?;
        Ok(&self.bodies[body.0])
    }

    /// Where a body is.
    pub fn pose(&self, body: RigidId) -> Result<Pose, SimError> {
        Ok(self.body(body)?.pose())
    }

    /// What a body is made of.
    pub fn geometry(&self, body: RigidId) -> Result<&Geometry, SimError> {
        Ok(&self.body(body)?.geometry)
    }

    /// A body's centre of mass.
    pub fn centre(&self, body: RigidId) -> Result<DVec3, SimError> {
        Ok(self.body(body)?.centre)
    }

    /// The velocity of a body's centre of mass, and its angular velocity.
    pub fn velocities(&self, body: RigidId) -> Result<[DVec3; 2], SimError> {
        let body = self.body(body)?;
        Ok([body.velocity, body.turning])
    }

    /// A body's mass, in kilograms; infinite for one that nothing can push.
    pub fn mass(&self, body: RigidId) -> Result<f64, SimError> {
        Ok(1.0 / self.body(body)?.inverse_mass)
    }

    /// A dynamic body's angular momentum about its centre of mass.
    pub fn angular_momentum(&self, body: RigidId) -> Result<DVec3, SimError> {
        let body = self.body(body)?;
        Ok(if body.is_dynamic() { body.momentum() } else { DVec3::ZERO })
    }

    /// Whether a body sleeps.
    pub fn is_asleep(&self, body: RigidId) -> Result<bool, SimError> {
        Ok(self.body(body)?.asleep)
    }

    /// Energy of motion and height of all dynamic bodies, in joules.
    pub fn energy(&self) -> f64 {
        let of = |body: &State| {
            let height = if body.is_dynamic() { -self.gravity.dot(body.centre) / body.inverse_mass } else { 0.0 };
            body.kinetic_energy() + height
        };
        self.bodies.iter().map(of).sum()
    }

    /// Gives a body other velocities and wakes it up.
    pub fn set_velocities(&mut self, body: RigidId, velocity: DVec3, angular: DVec3) -> Result<(), SimError> {
        require_index("rigid body", body.0, self.bodies.len())?;
        require_velocities(velocity, angular)?;
        wake(&mut self.bodies, &self.pairs, &self.links, &[body.0 as u32]);
        let state = &mut self.bodies[body.0];
        if !matches!(state.motion, super::RigidMotion::Fixed) {
            (state.velocity, state.turning) = (velocity, angular);
        }
        Ok(())
    }

    /// Pushes a dynamic body at a point of the world with an impulse in newton seconds, and wakes it up.
    pub fn push(&mut self, body: RigidId, point: DVec3, impulse: DVec3) -> Result<(), SimError> {
        InvalidInput::unless(point.is_finite(), "point", point.length(), "the finite vectors")?;
        InvalidInput::unless(impulse.is_finite(), "impulse", impulse.length(), "the finite vectors")?;
        let state = self.body(body)?;
        let (velocity, turning) = (
            state.velocity + impulse * state.inverse_mass,
            state.turning + state.inverse_inertia * (point - state.centre).cross(impulse),
        );
        self.set_velocities(body, velocity, turning)
    }
}
