//! A world of rigid bodies and its step.

use glam::DVec3;
use superegg::{InvalidInput, Pose};
use superegg_world::geometry::Geometry;

use super::body::{RigidBody, RigidId, State};
use super::pairs::Pairs;
use super::sleep::{fall_asleep, wake, wake_touched};
use super::solver::{Contact, Softness};
use crate::clock::{PhaseTimes, StopWatch};
use crate::error::require_index;
use crate::{SimError, StepOptions};

/// Bodies in contact rest so far apart, in metres: what a solver leaves undone is a thinner gap, not an overlap, and
/// distances of bodies that are apart are the quickest to find.
pub(super) const SKIN: f64 = 2e-3;
/// Angle after which a body's points of contact follow its surface, in radians.
const TURNED: f64 = 0.005;
/// Contacts of a substep are solved again, so many times at most, while bodies would otherwise get deeper into each other
/// than this, in metres.
const ITERATIONS: usize = 30;
const SETTLED: f64 = 3e-4;
/// Most substeps of a step.
const MOST_SUBSTEPS: u32 = 10_000;

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
    contacts: Vec<Contact>,
    links: Vec<[u32; 2]>,
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidReport {
    /// Seconds spent in each phase; zeros without a clock.
    pub times: PhaseTimes,
    /// Points of contact that carried something at the end.
    pub contacts: usize,
    /// Bodies that were awake.
    pub awake: usize,
    /// A bound of the largest speed of any point of a dynamic body at the end.
    pub max_speed: f64,
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
            contacts: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Adds a body.
    pub fn add(&mut self, body: RigidBody) -> Result<RigidId, SimError> {
        let mut state = State::new(&body)?;
        let index = self.bodies.len();
        self.pairs.add(index as u32, &mut state)?;
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
        for (vector, field) in [(velocity, "velocity"), (angular, "angular_velocity")] {
            InvalidInput::unless(
                vector.is_finite() && vector.length() < 1e9,
                field,
                vector.length(),
                "lengths below 1e9",
            )?;
        }
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

    /// Makes a step.
    pub fn step(&mut self, dt: f64, options: &StepOptions) -> Result<RigidReport, SimError> {
        InvalidInput::unless(dt > 0.0 && dt <= 1e3, "dt", dt, "]0, 1000]")?;
        let substeps = options.substeps;
        InvalidInput::unless((1..=MOST_SUBSTEPS).contains(&substeps), "substeps", f64::from(substeps), "[1, 10000]")?;
        let gravity = self.gravity;
        InvalidInput::unless(gravity.is_finite(), "gravity", gravity.length(), "the finite vectors")?;
        let mut report = RigidReport::default();
        let times = &mut report.times;
        let mut watch = StopWatch::new(options.clock);

        let gain = gravity.length() * dt;
        self.pairs.gather(&mut self.bodies, dt, gain)?;
        loop {
            self.pairs.ask(&self.bodies, options.threads)?;
            if !wake_touched(&mut self.bodies, &self.pairs, &self.links, dt, gain) {
                break;
            }
        }
        watch.lap(&mut times.collision_detection);

        let h = dt / f64::from(substeps);
        for body in &mut self.bodies {
            body.refresh();
        }
        self.make_contacts();
        let soft = Softness::of_contacts(h);
        let mut turned = vec![false; self.bodies.len()];
        watch.lap(&mut times.velocity_constraints);
        for _ in 0..substeps {
            let bodies = &mut self.bodies;
            for contact in &mut self.contacts {
                contact.note_approach(bodies);
            }
            for body in bodies.iter_mut().filter(|body| body.is_dynamic() && !body.asleep) {
                body.velocity += gravity * h;
            }
            watch.lap(&mut times.time_integration);
            for contact in &self.contacts {
                contact.warm_start(bodies);
            }
            for _ in 0..ITERATIONS {
                let mut slowed = 0.0f64;
                for contact in &mut self.contacts {
                    slowed = slowed.max(contact.solve(bodies, h, Some(&soft)));
                }
                if slowed * h < SETTLED {
                    break;
                }
            }
            watch.lap(&mut times.velocity_constraints);
            for (body, turned) in bodies.iter_mut().zip(&mut turned) {
                *turned = false;
                if body.is_moving() {
                    body.advance(h);
                    if body.turned > TURNED {
                        *turned = true;
                        body.refresh();
                    }
                }
            }
            watch.lap(&mut times.time_integration);
            for contact in &mut self.contacts {
                if turned[contact.a as usize] || turned[contact.b as usize] {
                    contact.follow(bodies);
                }
                contact.solve(bodies, h, None);
            }
            for contact in &mut self.contacts {
                contact.bounce(bodies);
            }
            watch.lap(&mut times.velocity_constraints);
        }
        for contact in &self.contacts {
            let point = contact.finished();
            report.contacts += usize::from(point.impulse > 0.0);
            self.pairs.list[contact.pair as usize].points[contact.index as usize] = point;
        }
        for (index, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.is_moving()) {
            if !(body.centre.is_finite() && body.velocity.is_finite() && body.turning.is_finite()) {
                return Err(SimError::Lost { body: index, position: body.centre });
            }
            if body.is_dynamic() {
                report.awake += 1;
                report.max_speed = report.max_speed.max(body.speed());
            }
        }
        if self.sleeping {
            fall_asleep(&mut self.bodies, &self.pairs, &self.links, dt);
        }
        self.time += dt;
        watch.lap(&mut times.velocity_update);
        Ok(report)
    }

    fn make_contacts(&mut self) {
        self.contacts.clear();
        let awake = |i: u32| self.bodies[i as usize].is_dynamic() && !self.bodies[i as usize].asleep;
        for (number, pair) in (0u32..).zip(&self.pairs.list).filter(|(_, pair)| awake(pair.a) || awake(pair.b)) {
            for (index, point) in (0u32..).zip(&pair.points) {
                self.contacts.push(Contact::new(&self.bodies, [pair.a, pair.b], [number, index], point));
            }
        }
    }
}
