//! All contacts of a step: our world beside parry's BVH and GJK on hulls.

use std::time::Duration;

use cpu_time::ThreadTime;
use parry3d_f64::bounding_volume::{Aabb as ParryAabb, BoundingVolume};
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhWorkspace};
use parry3d_f64::query::details::contact_support_map_support_map_with_params;
use parry3d_f64::query::gjk::{GJKResult, VoronoiSimplex};
use parry3d_f64::shape::{ConvexPolyhedron, Shape as _};
use superegg::Pose;
use superegg::Threads;
use superegg::shape::{Shape, Spacing, Superovoid};
use superegg_world::WorldError;
use superegg_world::world::{BodyHandle, Depth, Statistics, World, WorldOptions};

use super::scene::Scene;
use crate::peers::{ParryPose, parry_pose};

/// What a side found and how long it took.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Processor time of each step after the first.
    pub times: Vec<Duration>,
    /// Pairs in contact in each of these steps.
    pub contacts: Vec<usize>,
    /// Pairs that went through the exact test in each of these steps.
    pub exact: Vec<usize>,
}

impl Run {
    /// Median milliseconds a step.
    pub fn milliseconds(&self) -> f64 {
        let mut times: Vec<f64> = self.times.iter().map(Duration::as_secs_f64).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).map_or(f64::NAN, |time| time * 1e3)
    }

    /// Mean of contacts and of exact tests.
    pub fn means(&self) -> (f64, f64) {
        let mean = |counts: &[usize]| counts.iter().sum::<usize>() as f64 / counts.len().max(1) as f64;
        (mean(&self.contacts), mean(&self.exact))
    }
}

/// Our side: one world, one thread.
pub struct Ours {
    world: World,
    handles: Vec<BodyHandle>,
}

impl Ours {
    /// A world with the scene's bodies in their first poses.
    pub fn new(scene: &Scene, depth: Depth) -> Result<Ours, WorldError> {
        let options = WorldOptions { depth, threads: Threads::One, ..WorldOptions::within(scene.margin) };
        let mut world = World::new(options)?;
        let handles = (0..scene.steps[0].len())
            .map(|body| world.add(Shape::from(*scene.shape(body)), scene.steps[0][body]))
            .collect::<Result<_, _>>()?;
        world.update()?;
        Ok(Ours { world, handles })
    }

    /// Moves everything and finds all contacts.
    pub fn step(&mut self, poses: &[Pose], run: &mut Run) -> Result<(), WorldError> {
        let start = ThreadTime::now();
        for (handle, pose) in self.handles.iter().zip(poses) {
            self.world.set_pose(*handle, *pose)?;
        }
        self.world.update()?;
        run.times.push(start.elapsed());
        run.contacts.push(self.world.contacts().len());
        run.exact.push(self.world.statistics().exact);
        Ok(())
    }

    /// What the last step had to do.
    pub fn statistics(&self) -> &Statistics {
        self.world.statistics()
    }

    /// Bytes a body.
    pub fn bytes_a_body(&self) -> f64 {
        self.world.bytes() as f64 / self.world.len() as f64
    }

    /// Contacts as pairs of body indices with their distances, sorted.
    pub fn contacts(&self) -> Vec<(usize, usize, f64)> {
        let index: std::collections::HashMap<BodyHandle, usize> = self.handles.iter().copied().zip(0..).collect();
        let mut contacts: Vec<(usize, usize, f64)> = (self.world.contacts().iter())
            .map(|contact| {
                let (a, b) = (index[&contact.a], index[&contact.b]);
                (a.min(b), a.max(b), contact.contact.outcome.distance)
            })
            .collect();
        contacts.sort_by_key(|(a, b, _)| (*a, *b));
        contacts
    }
}

/// Vertices of a hull.
const HULL_VERTICES: usize = 290;

/// Parry's side: the hulls, its BVH with fattened leaves, and its contact query on every pair whose boxes are within the
/// margin, started from the direction that the pair had last time.
pub struct Parry {
    hulls: Vec<ConvexPolyhedron>,
    bvh: Bvh,
    workspace: BvhWorkspace,
    boxes: Vec<ParryAabb>,
    poses: Vec<ParryPose>,
    candidates: Vec<(u32, u32)>,
    margin: f64,
    /// The last normals, where directions are remembered.
    directions: Option<std::collections::HashMap<(u32, u32), ParryVector, rustc_hash::FxBuildHasher>>,
    /// The contacts found: bodies and distance.
    pub contacts: Vec<(u32, u32, f64)>,
}

fn hull(egg: &Superovoid) -> ConvexPolyhedron {
    let indexed = egg.tessellate(HULL_VERTICES, Spacing::Angles).expect("enough vertices");
    let points: Vec<ParryVector> = indexed.vertices.iter().map(|v| ParryVector::new(v.x, v.y, v.z)).collect();
    ConvexPolyhedron::from_convex_hull(&points).expect("a hull of a solid")
}

impl Parry {
    /// Hulls of the scene's shapes; `remember` keeps each pair's last direction.
    pub fn new(scene: &Scene, remember: bool) -> Parry {
        let count = scene.steps[0].len();
        let mut parry = Parry {
            hulls: scene.shapes.iter().map(hull).collect(),
            bvh: Bvh::new(),
            workspace: BvhWorkspace::default(),
            boxes: vec![ParryAabb::new_invalid(); count],
            poses: vec![ParryPose::IDENTITY; count],
            candidates: Vec::new(),
            margin: scene.margin,
            directions: remember.then(Default::default),
            contacts: Vec::new(),
        };
        parry.step(&scene.steps[0], &mut Run::default());
        parry
    }

    /// Moves everything and finds all contacts.
    pub fn step(&mut self, poses: &[Pose], run: &mut Run) {
        let placed: Vec<ParryPose> = poses.iter().map(parry_pose).collect();
        let start = ThreadTime::now();
        self.poses = placed;
        // As in rapier's broad phase: leaves grow when they have to, the tree is refitted and improved bit by bit.
        for (body, pose) in self.poses.iter().enumerate() {
            let aabb = self.hulls[body % self.hulls.len()].compute_aabb(pose);
            let aabb = ParryAabb::new(
                aabb.mins - ParryVector::splat(0.5 * self.margin),
                aabb.maxs + ParryVector::splat(0.5 * self.margin),
            );
            self.boxes[body] = aabb;
            self.bvh.insert_or_update_partially(aabb, body as u32, 0.05);
        }
        self.bvh.refit(&mut self.workspace);
        self.bvh.optimize_incremental(&mut self.workspace);
        self.candidates.clear();
        let candidates = &mut self.candidates;
        self.bvh
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| candidates.push((a.min(b), a.max(b))));
        self.contacts.clear();
        let mut exact = 0;
        for &(a, b) in &self.candidates {
            if !self.boxes[a as usize].intersects(&self.boxes[b as usize]) {
                continue;
            }
            exact += 1;
            let (pose_a, pose_b) = (&self.poses[a as usize], &self.poses[b as usize]);
            let pose = pose_a.inv_mul(pose_b);
            let (hull_a, hull_b) =
                (&self.hulls[a as usize % self.hulls.len()], &self.hulls[b as usize % self.hulls.len()]);
            let direction = self.directions.as_ref().and_then(|directions| directions.get(&(a, b)).copied());
            let mut simplex = VoronoiSimplex::new();
            let found = contact_support_map_support_map_with_params(
                &pose,
                hull_a,
                hull_b,
                self.margin,
                &mut simplex,
                direction,
            );
            if let GJKResult::ClosestPoints(point_a, point_b, normal) = found {
                self.contacts.push((a, b, (point_b - point_a).dot(normal)));
                if let Some(directions) = &mut self.directions {
                    directions.insert((a, b), normal);
                }
            }
        }
        run.times.push(start.elapsed());
        run.contacts.push(self.contacts.len());
        run.exact.push(exact);
    }
}
