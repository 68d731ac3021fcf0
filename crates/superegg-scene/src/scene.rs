//! A world that is run.

use glam::DVec3;
use superegg_picture::Camera;
use superegg_sim::{BodyId, ClothId, JointId, PinId, Report, SimError, SoftId, StepOptions, World};

use crate::{Hand, Push};

/// A world with everything needed to run and show it.
#[derive(Clone, Debug)]
pub struct Scene {
    /// What to call it.
    pub name: String,
    /// What is simulated.
    pub world: World,
    /// Length of a step, in seconds.
    pub dt: f64,
    /// Substeps of a step.
    pub substeps: u32,
    /// How long it runs, in seconds.
    pub seconds: f64,
    /// Where to look at it from.
    pub camera: Camera,
    /// The bodies in the order of their description.
    pub bodies: Vec<BodyId>,
    /// The joints.
    pub joints: Vec<JointId>,
    /// The cloths.
    pub cloths: Vec<ClothId>,
    /// The soft solids.
    pub soft_solids: Vec<SoftId>,
    pub(crate) grasps: Vec<Grasp>,
    pub(crate) pushes: Vec<Push>,
}

/// A hand and what it holds.
#[derive(Clone, Debug)]
pub(crate) struct Grasp {
    hand: Hand,
    /// Its pins, and where each vertex was when it took hold of it.
    taken: Vec<(PinId, DVec3)>,
}

impl Grasp {
    pub fn new(hand: Hand) -> Grasp {
        Grasp { hand, taken: Vec::new() }
    }

    /// The displacement at a time.
    fn displacement(&self, time: f64) -> DVec3 {
        let path = &self.hand.path;
        let after = path.partition_point(|(t, _)| *t <= time);
        match (after.checked_sub(1).map(|before| path[before]), path.get(after)) {
            (Some((t0, d0)), Some((t1, d1))) => d0.lerp(*d1, (time - t0) / (t1 - t0)),
            (Some((_, d)), None) => d,
            (None, _) => DVec3::ZERO,
        }
    }

    /// Does what is due at the beginning of a step that ends at `end`.
    fn act(&mut self, world: &mut World, cloth: ClothId, end: f64) -> Result<(), SimError> {
        let begins = self.hand.path.first().map_or(0.0, |(time, _)| *time);
        if world.time >= self.hand.until {
            for (pin, _) in self.taken.drain(..) {
                world.unpin(pin)?;
            }
            return Ok(());
        }
        if world.time < begins {
            return Ok(());
        }
        if self.taken.is_empty() {
            for &vertex in &self.hand.vertices {
                let pin = world.pin(cloth, vertex)?;
                self.taken.push((pin, world.cloth_positions(cloth)?[vertex]));
            }
        }
        let displacement = self.displacement(end);
        for (pin, start) in &self.taken {
            world.move_pin(*pin, *start + displacement)?;
        }
        Ok(())
    }
}

impl Scene {
    /// Makes one step. The number of substeps is the scene's own.
    pub fn advance(&mut self, options: &StepOptions) -> Result<Report, SimError> {
        let (begin, end) = (self.world.time, self.world.time + self.dt);
        for grasp in &mut self.grasps {
            let cloth = self.cloths[grasp.hand.cloth];
            grasp.act(&mut self.world, cloth, end)?;
        }
        for push in self.pushes.iter().filter(|push| push.at >= begin && push.at < begin + self.dt) {
            let body = self.bodies[push.body];
            let point = self.world.body(body)?.center() + push.arm;
            self.world.push(body, point, push.impulse)?;
        }
        self.world.step(self.dt, &StepOptions { substeps: self.substeps, ..*options })
    }

    /// How many steps the scene takes.
    pub fn step_count(&self) -> usize {
        (self.seconds / self.dt).round().max(0.0) as usize
    }
}
