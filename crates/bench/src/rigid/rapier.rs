//! rapier on a scene of ours: the same bodies as hulls of 506 vertices.

use cpu_time::ThreadTime;
use rapier3d_f64::prelude::*;
use superegg::shape::{Shape, Spacing};
use superegg::{DQuat, DVec3};
use superegg_scene::Scene;
use superegg_world::geometry::Geometry;

use super::Trial;
use crate::Progress;

/// Vertices of a hull: as many as paper 000 gives its bodies.
const VERTICES: usize = 506;

/// Runs the bodies of a scene for some steps; `depth` judges the poses after every `every`-th. `None` if a body has no hull.
pub fn run(
    scene: &Scene,
    steps: usize,
    every: usize,
    progress: &dyn Progress,
    depth: &dyn Fn(&[superegg::Pose]) -> f64,
) -> Option<Trial> {
    let mut world = PhysicsWorld::new();
    let gravity = scene.world.gravity;
    world.gravity = Vector::new(gravity.x, gravity.y, gravity.z);
    world.integration_parameters.dt = scene.dt;
    let mut handles = Vec::new();
    let vector = |v: &DVec3| Vector::new(v.x, v.y, v.z);
    for (index, &body) in scene.bodies.iter().enumerate() {
        let pose = scene.world.body(body).ok()?.pose();
        let (builder, collider) = match super::geometry_of(scene, index)? {
            Geometry::Mesh(mesh) => {
                let vertices = mesh.positions().iter().map(vector).collect();
                let triangles = mesh.topology().triangles().to_vec();
                (RigidBodyBuilder::fixed(), ColliderBuilder::trimesh(vertices, triangles).ok()?)
            }
            Geometry::Shape(Shape::Superellipsoid(egg)) => {
                let points: Vec<Vector> =
                    egg.tessellate(VERTICES, Spacing::Angles).ok()?.vertices.iter().map(vector).collect();
                (RigidBodyBuilder::dynamic(), ColliderBuilder::convex_hull(&points)?.density(500.0))
            }
            _ => return None,
        };
        let at = crate::peers::parry_pose(&pose);
        let (handle, _) = world.insert(builder.pose(at), collider.friction(0.5).restitution(0.0));
        handles.push(handle);
    }
    let mut trial = Trial::default();
    for index in 0..steps {
        let start = ThreadTime::now();
        world.step();
        trial.steps.push(start.elapsed().as_secs_f64());
        let fastest = handles.iter().map(|handle| {
            let body = &world.bodies[*handle];
            if body.is_sleeping() { 0.0 } else { body.linvel().length() }
        });
        trial.note_speed(fastest.fold(0.0, f64::max), (index + 1) as f64 * scene.dt);
        if (index + 1) % every == 0 {
            let place = |handle: &RigidBodyHandle| {
                let pose = world.bodies[*handle].position();
                let (t, r) = (pose.translation, pose.rotation);
                superegg::Pose {
                    rotation: DQuat::from_xyzw(r.x, r.y, r.z, r.w),
                    translation: DVec3::new(t.x, t.y, t.z),
                }
            };
            trial.deepest = trial.deepest.max(depth(&handles.iter().map(place).collect::<Vec<_>>()));
        }
        progress.advance(1);
    }
    Some(trial)
}
