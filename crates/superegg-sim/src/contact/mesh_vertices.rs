//! Meshes as cloth and soft solids meet them, at rest or moved.
//!
//! A mesh is not convex, so the planes that keep cloth out of smooth bodies ([`super::cloth_body`]) do not do: there is no one
//! plane between a triangle and a bowl. But cloth already meets cloth, which is not convex either, by pairs of a vertex and a
//! face and of two edges, with thickness, friction and continuous detection. So a mesh is one more surface there: its
//! vertices are particles of no inverse mass which go where its body takes them, and its triangles meet those of cloth, but not each
//! other. Nothing depends on an inside: open meshes hold cloth off on both sides, closed ones keep it where it began.
//!
//! In a substep the vertices of a mesh go straight from one pose to the next. What would end up on the wrong side of it is
//! carried along; where that cannot be, because the cloth is squeezed against something else, the mesh is held up, as hands are
//! that pull cloth through cloth. So no motion, however fast, leaves cloth behind a mesh.

use std::sync::Arc;

use glam::DVec3;
use superegg::Pose;
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::triangle::nearest_points;

use crate::cloth::Particles;
use crate::cloth::surface::Surface;
use crate::cloth::wrinkles::Separator;

/// Closer than this the line between closest points is no direction, in metres.
const UNSURE: f64 = 1e-9;

/// A mesh among the particles of a world.
#[derive(Clone, Debug)]
pub(crate) struct MeshVertices {
    /// Its triangles among the world's particles.
    pub surface: Surface,
    /// The body that it is on, and its number among proxies.
    pub body: u32,
    pub proxy: u32,
    /// As it was given.
    mesh: Arc<CollisionMesh>,
    pose: Pose,
    /// Where it was when the running substep began.
    before: Pose,
    /// Whether the last substep moved it, and how many have so far.
    in_motion: bool,
    pub moves: u64,
    /// Whether it stays where it is in the running step, and its body is no dynamic one.
    pub stays: bool,
    /// Whether the running substep was taken back.
    pub held_up: bool,
    /// What cloth did to it since it was last asked for: the impulse, and its moment about the world's origin.
    pub impulse: [DVec3; 2],
}

impl MeshVertices {
    /// A mesh whose vertices are the particles of its surface.
    pub fn new(surface: Surface, body: u32, proxy: u32, mesh: Arc<CollisionMesh>, pose: Pose) -> MeshVertices {
        MeshVertices {
            surface,
            body,
            proxy,
            mesh,
            pose,
            before: pose,
            in_motion: false,
            moves: 0,
            stays: false,
            held_up: false,
            impulse: [DVec3::ZERO; 2],
        }
    }

    /// Whether the running substep has moved it.
    pub fn has_moved(&self) -> bool {
        self.pose != self.before
    }

    /// Moves it to where its body is at the end of a substep of length `h`; its particles' places are still those of before,
    /// under `previous`.
    pub fn advance(&mut self, particles: &mut Particles, pose: Pose, h: f64) {
        self.before = self.pose;
        self.held_up = false;
        let range = self.surface.particles.clone();
        if pose == self.pose {
            if std::mem::take(&mut self.in_motion) {
                particles.velocity[range.clone()].fill(DVec3::ZERO);
                particles.position[range.clone()].copy_from_slice(&particles.previous[range]);
            }
            return;
        }
        self.in_motion = true;
        self.moves += 1;
        self.pose = pose;
        for (p, local) in range.zip(self.mesh.positions()) {
            particles.position[p] = pose.transform_point(*local);
            particles.velocity[p] = (particles.position[p] - particles.previous[p]) / h;
        }
    }

    /// Puts it elsewhere at once.
    pub fn jump(&mut self, particles: &mut Particles, pose: Pose) {
        (self.pose, self.before) = (pose, pose);
        for (p, local) in self.surface.particles.clone().zip(self.mesh.positions()) {
            let place = pose.transform_point(*local);
            (particles.position[p], particles.previous[p], particles.velocity[p]) = (place, place, DVec3::ZERO);
        }
    }

    /// Where a point would be at the end of the running substep if it went with the mesh.
    pub fn carry(&self, point: DVec3) -> DVec3 {
        self.pose.transform_point(self.before.inverse_transform_point(point))
    }

    /// Takes back the running substep; its particles are another's to put back.
    pub fn hold_up(&mut self) {
        self.held_up |= self.pose != self.before;
        self.pose = self.before;
    }

    /// Ends a step.
    pub fn end_step(&mut self) {
        self.before = self.pose;
    }

    /// Where it is.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Planes between the triangles of a surface and those of the mesh within a distance of them, as both are now: what stays above
    /// all planes of a triangle is clear of the mesh as that is. A plane that has a triangle of the mesh below it does for all
    /// others that are below it.
    pub fn separators(&self, surface: &Surface, positions: &[DVec3], within: f64, found: &mut Vec<Separator>) {
        if !surface.groups.meets(self.surface.groups) {
            return;
        }
        let to_world = |normal: DVec3| self.pose.transform_vector(normal);
        for (index, corners) in (0u32..).zip(&surface.triangles) {
            let own = corners.map(|p| self.pose.inverse_transform_point(positions[p as usize]));
            let (low, high) = (own[0].min(own[1]).min(own[2]) - within, own[0].max(own[1]).max(own[2]) + within);
            let mut planes: Vec<(DVec3, f64)> = Vec::new();
            let near = |node: &superegg::shape::Aabb| node.min.cmple(high).all() && node.max.cmpge(low).all();
            self.mesh.tree().descend(near, |triangle| {
                let other = self.mesh.topology().corners(triangle).map(|v| self.mesh.positions()[v as usize]);
                let highest = |normal: DVec3| other.map(|p| normal.dot(p)).into_iter().fold(f64::MIN, f64::max);
                if planes.iter().any(|&(normal, level)| highest(normal) <= level) {
                    return;
                }
                if let Some([p, q]) = nearest_points(&own, &other)
                    && (UNSURE..within).contains(&p.distance(q))
                {
                    let normal = (p - q).normalize();
                    planes.push((normal, highest(normal)));
                }
            });
            found.extend(planes.into_iter().map(|(normal, level)| {
                let normal = to_world(normal);
                Separator { triangle: index, normal, level: level + normal.dot(self.pose.translation) }
            }));
        }
    }
}
