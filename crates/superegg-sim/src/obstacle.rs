//! Obstacles: triangle meshes that cloth and soft solids do not pass, at rest or moved.
//!
//! A mesh is not convex, so the planes that keep cloth out of smooth bodies ([`crate::contact`]) do not do: there is no one plane
//! between a triangle and a bowl. But cloth already meets cloth, which is not convex either, by pairs of a vertex and a face
//! and of two edges, with thickness, friction and continuous detection. So an obstacle is one more surface there: its vertices
//! are particles of infinite mass which go where its pose takes them, and its triangles meet those of cloth, but not each
//! other. Nothing depends on an inside: open meshes hold cloth off on both sides, closed ones keep it where it began.
//!
//! In a substep the vertices of an obstacle go straight from one pose to the next. What would end up on the wrong side of it is
//! carried along ([`crate::contact`]); where that cannot be, because the cloth is squeezed against something else, the obstacle is
//! held up, as hands are that pull cloth through cloth. So no motion, however fast, leaves cloth behind a mesh.

use glam::{DQuat, DVec3};
use superegg::{InvalidInput, Pose};
use superegg_mesh::TriangleMesh;

use crate::error::require_index;
use crate::surface::{Friction, Surface};
use crate::{Particles, SimError, World};

/// Names an obstacle of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObstacleId(pub usize);

/// A mesh that cloth does not pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Its triangles, in its own frame; open or closed, of any shape.
    pub mesh: TriangleMesh,
    /// Where it is.
    pub pose: Pose,
    /// Of its origin, in metres a second.
    pub velocity: DVec3,
    /// About its origin, in radians a second.
    pub angular_velocity: DVec3,
    /// Against cloth.
    pub friction: Friction,
}

impl Obstacle {
    /// An obstacle that stays where it is, until it is [moved](World::move_obstacle).
    pub fn fixed(mesh: TriangleMesh, pose: Pose) -> Obstacle {
        Obstacle::kinematic(mesh, pose, DVec3::ZERO, DVec3::ZERO)
    }

    /// An obstacle that moves by its velocities.
    pub fn kinematic(mesh: TriangleMesh, pose: Pose, velocity: DVec3, angular_velocity: DVec3) -> Obstacle {
        Obstacle { mesh, pose, velocity, angular_velocity, friction: Friction::default() }
    }

    fn validate(&self) -> Result<(), InvalidInput> {
        InvalidInput::unless(!self.mesh.triangles().is_empty(), "mesh.triangles", 0.0, "one or more")?;
        require_finite("velocity", self.velocity)?;
        require_finite("angular_velocity", self.angular_velocity)?;
        self.friction.validate()
    }
}

fn require_finite(field: &'static str, vector: DVec3) -> Result<(), InvalidInput> {
    InvalidInput::unless(vector.is_finite(), field, vector.length(), "the finite vectors")
}

/// An obstacle in a world.
#[derive(Clone, Debug)]
pub(crate) struct ObstacleState {
    /// Its triangles among the world's particles.
    pub surface: Surface,
    /// Triangles and vertices as the mesh had them.
    triangles: Vec<[u32; 3]>,
    local: Vec<DVec3>,
    pose: Pose,
    /// Where it was when the running substep began.
    before: Pose,
    velocity: DVec3,
    angular_velocity: DVec3,
    /// Where it is to be at the end of the next step.
    target: Option<Pose>,
    /// Whether the last substep moved it, and how many have so far.
    in_motion: bool,
    pub moves: u64,
}

impl ObstacleState {
    fn is_moving(&self) -> bool {
        self.target.is_some() || self.velocity != DVec3::ZERO || self.angular_velocity != DVec3::ZERO
    }

    /// Whether the running substep has moved it.
    pub fn has_moved(&self) -> bool {
        self.pose != self.before
    }

    /// Moves it by its part of the way in the first of `left` substeps of length `h`; its particles' places are still those of
    /// before, under `previous`.
    pub fn advance(&mut self, particles: &mut Particles, left: f64, h: f64) {
        self.before = self.pose;
        let range = self.surface.particles.clone();
        if !self.is_moving() {
            if std::mem::take(&mut self.in_motion) {
                particles.velocity[range.clone()].fill(DVec3::ZERO);
                particles.position[range.clone()].copy_from_slice(&particles.previous[range]);
            }
            return;
        }
        self.in_motion = true;
        self.moves += 1;
        let Pose { rotation, translation } = self.pose;
        self.pose = match self.target {
            Some(target) => {
                let turn = (target.rotation * rotation.conjugate()).to_scaled_axis() / left;
                Pose {
                    rotation: (DQuat::from_scaled_axis(turn) * rotation).normalize(),
                    translation: translation + (target.translation - translation) / left,
                }
            }
            None => Pose {
                rotation: (DQuat::from_scaled_axis(self.angular_velocity * h) * rotation).normalize(),
                translation: translation + self.velocity * h,
            },
        };
        for (p, local) in range.zip(&self.local) {
            particles.position[p] = self.pose.transform_point(*local);
            particles.velocity[p] = (particles.position[p] - particles.previous[p]) / h;
        }
    }

    /// Where a point would be at the end of the running substep if it went with the obstacle.
    pub fn carry(&self, point: DVec3) -> DVec3 {
        self.pose.transform_point(self.before.inverse_transform_point(point))
    }

    /// Takes back the running substep; its particles are another's to put back.
    pub fn hold_up(&mut self) {
        self.pose = self.before;
    }

    /// Ends a step.
    pub fn end_step(&mut self) {
        self.before = self.pose;
        self.target = None;
    }
}

impl World {
    /// Adds a mesh that cloth and soft solids do not pass. Where it starts, nothing should pass through it already: sides are
    /// kept, not judged. Cloth keeps its offset from it, or a thousandth of its own mean edge if that is more.
    ///
    /// ```
    /// use superegg::Pose;
    /// use superegg_mesh::TriangleMesh;
    /// use superegg_sim::{Cloth, DVec3, Fabric, Obstacle, StepOptions, World, step};
    /// let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]].map(DVec3::from);
    /// let table = TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])?;
    /// let mut world = World::new();
    /// let table = world.add_obstacle(&Obstacle::fixed(table, Pose::IDENTITY))?;
    /// let cloth = world.add_cloth(&Cloth::grid([9, 9], [1.0, 1.0], DVec3::new(-0.5, -0.5, 0.02)), &Fabric::default())?;
    /// for index in 1..=50 {
    ///     world.move_obstacle(table, Pose::from_translation(DVec3::Z * 0.01 * f64::from(index)))?;
    ///     step(&mut world, 0.01, &StepOptions::default())?;
    /// }
    /// // The table has lifted the cloth by half a metre; it lies on it at its offset.
    /// let middle = world.cloth_positions(cloth)[40];
    /// assert!((middle.z - 0.505).abs() < 1e-3, "{middle}");
    /// # Ok::<(), superegg_sim::SimError>(())
    /// ```
    pub fn add_obstacle(&mut self, obstacle: &Obstacle) -> Result<ObstacleId, SimError> {
        obstacle.validate()?;
        let Obstacle { mesh, velocity, angular_velocity, friction, .. } = obstacle;
        let pose = Pose::new(obstacle.pose.rotation, obstacle.pose.translation)?;
        // As added to the particles: a pose may take a vertex out of the range of numbers.
        let placed = mesh.positions().iter().map(|local| pose.transform_point(*local)).collect();
        let placed = TriangleMesh::new(placed, mesh.triangles().to_vec())?;
        let (first, count) = (self.particles.len(), mesh.positions().len());
        let most = u32::MAX as usize;
        InvalidInput::unless(first + count <= most, "particles", count as f64, "what 32-bit indices can name")?;
        for &position in placed.positions() {
            self.particles.push(position, 0.0);
        }
        let global = |corners: &[u32; 3]| corners.map(|v| v + first as u32);
        let global = mesh.triangles().iter().map(global).collect();
        let mut surface = Surface::new(global, first..first + count, placed.positions());
        surface.friction = *friction;
        self.obstacles.push(ObstacleState {
            surface,
            triangles: mesh.triangles().to_vec(),
            local: mesh.positions().to_vec(),
            pose,
            before: pose,
            velocity: *velocity,
            angular_velocity: *angular_velocity,
            target: None,
            in_motion: false,
            moves: 0,
        });
        self.body_contacts.forget_all();
        self.surface_contacts.forget();
        Ok(ObstacleId(self.obstacles.len() - 1))
    }

    /// Takes an obstacle to a pose within the next step, evenly and straight, instead of moving it by its velocities. It stops
    /// short where it would squeeze cloth through something else.
    pub fn move_obstacle(&mut self, obstacle: ObstacleId, pose: Pose) -> Result<(), SimError> {
        let pose = Pose::new(pose.rotation, pose.translation)?;
        self.obstacle_mut(obstacle)?.target = Some(pose);
        Ok(())
    }

    /// Gives an obstacle other velocities: of its origin in metres a second, and about it in radians a second.
    pub fn set_obstacle_velocity(
        &mut self,
        obstacle: ObstacleId,
        velocity: DVec3,
        angular_velocity: DVec3,
    ) -> Result<(), SimError> {
        require_finite("velocity", velocity)?;
        require_finite("angular_velocity", angular_velocity)?;
        let state = self.obstacle_mut(obstacle)?;
        (state.velocity, state.angular_velocity) = (velocity, angular_velocity);
        Ok(())
    }

    /// How many obstacles there are.
    pub fn obstacle_count(&self) -> usize {
        self.obstacles.len()
    }

    /// Where an obstacle is; `None` for one that does not exist.
    pub fn obstacle_pose(&self, obstacle: ObstacleId) -> Option<Pose> {
        self.obstacles.get(obstacle.0).map(|state| state.pose)
    }

    /// An obstacle's vertices in its own frame; empty for one that does not exist.
    pub fn obstacle_vertices(&self, obstacle: ObstacleId) -> &[DVec3] {
        self.obstacles.get(obstacle.0).map_or(&[], |state| &state.local)
    }

    /// Where an obstacle's vertices are; empty for one that does not exist.
    pub fn obstacle_positions(&self, obstacle: ObstacleId) -> &[DVec3] {
        self.obstacles.get(obstacle.0).map_or(&[], |state| &self.particles.position[state.surface.particles.clone()])
    }

    /// An obstacle's triangles, of its own vertices; empty for one that does not exist.
    pub fn obstacle_triangles(&self, obstacle: ObstacleId) -> &[[u32; 3]] {
        self.obstacles.get(obstacle.0).map_or(&[], |state| &state.triangles)
    }

    fn obstacle_mut(&mut self, obstacle: ObstacleId) -> Result<&mut ObstacleState, SimError> {
        require_index("obstacle", obstacle.0, self.obstacles.len())?;
        Ok(&mut self.obstacles[obstacle.0])
    }

    /// Refuses particles that are vertices of obstacles.
    pub(crate) fn require_free(&self, particle: usize) -> Result<(), SimError> {
        require_index("particle", particle, self.particles.len())?;
        let taken = self.obstacles.iter().any(|state| state.surface.particles.contains(&particle));
        if taken { Err(SimError::OfObstacle { particle }) } else { Ok(()) }
    }

    /// Whether an obstacle is about to move.
    pub(crate) fn obstacles_move(&self) -> bool {
        self.obstacles.iter().any(ObstacleState::is_moving)
    }
}
