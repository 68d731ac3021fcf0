//! The simulation behind Cloth Table: the only place that knows how worlds are made and stepped.

use superegg::shape::Superellipsoid;
use superegg::{DQuat, DVec3, Pose};
use superegg_sim::{Body, BodyId, Cloth, ClothId, Fabric, PinId, SimError, StepOptions, World};

use super::messages::Table;

/// Half the edge of the cloth, in metres.
pub const REACH: f64 = 1.0;
/// How fast the body follows the hand at most, in metres a second.
const FASTEST: f64 = 6.0;
/// Steps of the simulation in one of the session.
const STEPS: u32 = 3;

/// A cloth over a body.
pub struct Simulation {
    world: World,
    cloth: ClothId,
    body: BodyId,
    /// Where the hand wants the body.
    target: DVec3,
    /// What holds the vertex that a hand pulls.
    pulled: Option<PinId>,
    shortest: f64,
}

impl Simulation {
    pub fn new(table: &Table) -> Result<Simulation, SimError> {
        let mut world = World::new();
        let shape = Superellipsoid::new(table.radii, table.exponents)?;
        let place = DVec3::new(0.0, 0.0, table.radii[2]);
        let pose = Pose::new(DQuat::IDENTITY, place)?;
        let body = world.add_body(Body::kinematic(shape, pose, DVec3::ZERO, DVec3::ZERO))?;
        let floor = superegg::shape::Plane::new(DVec3::Z, 0.0)?;
        world.add_body(Body::fixed(floor, Pose::IDENTITY))?;
        let side = table.side as usize;
        let corner = DVec3::new(-REACH, -REACH, 2.0 * table.radii[2] + 0.1);
        let sheet = Cloth::grid([side, side], [2.0 * REACH; 2], corner)?;
        let cloth = world.add_cloth(&sheet, &Fabric::default())?;
        let shortest = 2.0 * REACH / (side - 1) as f64;
        Ok(Simulation { world, cloth, body, target: place, pulled: None, shortest })
    }

    pub fn positions(&self) -> &[DVec3] {
        self.world.cloth_positions(self.cloth).unwrap_or_default()
    }

    pub fn triangles(&self) -> &[[u32; 3]] {
        self.world.cloth_triangles(self.cloth).unwrap_or_default()
    }

    /// Rest length of the shortest edge.
    pub fn shortest(&self) -> f64 {
        self.shortest
    }

    pub fn pose(&self) -> Pose {
        // The body is never removed.
        self.world.body(self.body).map_or(Pose::IDENTITY, |body| body.pose())
    }

    /// Where the body is to go.
    pub fn move_body(&mut self, target: DVec3) {
        let most = DVec3::splat(2.0 * REACH);
        self.target = target.clamp(-most, most).with_z(self.target.z);
    }

    pub fn grab(&mut self, vertex: usize) {
        self.release();
        self.pulled = self.world.pin(self.cloth, vertex).ok();
    }

    pub fn pull(&mut self, target: DVec3) {
        if let Some(pin) = self.pulled {
            let high = DVec3::splat(3.0 * REACH);
            // A pin is there until it is taken off, so this is not refused.
            let _ = self.world.move_pin(pin, target.clamp(-high, high));
        }
    }

    pub fn release(&mut self) {
        if let Some(pin) = self.pulled.take() {
            let _ = self.world.unpin(pin);
        }
    }

    pub fn advance(&mut self, dt: f64) -> Result<(), SimError> {
        let pose = self.pose();
        let way = (self.target - pose.translation).clamp_length_max(FASTEST * dt);
        let options = StepOptions { substeps: 3, ..StepOptions::default() };
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            self.world.move_to(self.body, Pose { translation: pose.translation + part * way, ..pose })?;
            self.world.step(dt / f64::from(STEPS), &options)?;
        }
        Ok(())
    }

    pub fn is_finite(&self) -> bool {
        self.positions().iter().all(|at| at.is_finite())
    }
}
