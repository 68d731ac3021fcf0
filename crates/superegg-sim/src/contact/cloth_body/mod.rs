//! Surfaces against bodies: every triangle that comes near a body gets a plane to stay above.
//!
//! Once a step the triangles that may reach a body before the step ends are found by boxes (of blocks, then of triangles).
//! Each keeps its [`SupportPlane`] from step to step, in the body's frame; a new one is looked for when its corners have
//! moved noticeably relative to the body, and taken if it is better. In every substep the corners are projected above
//! their planes and slowed by Coulomb friction ([`project`]). A triangle that starts above its plane ends above it, so nothing tunnels
//! at any speed; one that starts too low, because it was put there, is let out at [`RECOVERY`].

mod planes;
mod project;
mod separators;
pub(crate) mod smooth;

use glam::{DMat3, DVec3};
use superegg::Pose;
use superegg::query::batch::{Threads, closest_points};
use superegg::shape::{Aabb, Shape};

use super::half_space::HalfSpaceRow;
use super::mesh_planes::MeshPlanes;
use crate::SimError;
use crate::body::Friction;
use crate::cloth::Part;
use crate::cloth::surface::Surface;
use planes::{QUERY, SupportPlane, best_plane};
use smooth::SmoothBody;

/// Speed at which a surface that is closer to a body than it should be is let out, in metres a second.
const RECOVERY: f64 = 0.2;
/// How close to a body cloth comes where it is squeezed, in metres: far more than what a step leaves undone.
const CLOSEST: f64 = 2e-5;
/// A plane is looked for anew when the triangle's corners have moved by this part of an edge, on average: at the beginning of a
/// step, and within it, where it only has to keep up with a body that rushes past.
pub(crate) const STALE: f64 = 0.01;
pub(crate) const STALE_WITHIN: f64 = 0.1;
/// A speed may grow by this factor within a step before contacts have to be looked for again.
const FASTER: f64 = 1.5;
/// And by this part of an edge within a step, which is what a standing start needs.
const SLACK: f64 = 0.1;

/// A triangle near a body and the plane that is to stay between them.
#[derive(Clone, Copy, Debug)]
struct Near {
    triangle: u32,
    plane: SupportPlane,
    /// Where the corners were in the body's frame when the plane was found.
    corners: [DVec3; 3],
}

/// A plane that corners may meet in this step.
#[derive(Clone, Copy, Debug)]
struct Active {
    corners: [u32; 3],
    pair: u32,
    /// In the world, at the end of the running substep.
    normal: DVec3,
    level: f64,
    /// In the body's frame.
    local_normal: DVec3,
    local_level: f64,
    /// By how much corners may be lower where they are squeezed: what keeps cloth off the body beyond touching it.
    spare: f64,
}

/// A surface and a body, or a mesh that stays where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    body: Option<u32>,
    friction: Friction,
    /// How far above a plane particles may be that contacts with other cloth may push below it.
    margin: f64,
}

/// What is near what, remembered from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyContacts {
    /// For each surface and body, surface by surface: the triangles near it in increasing order.
    near: Vec<Vec<Near>>,
    bodies: usize,
    /// Where bodies and particles were at the last detection, and how far the latter were expected to move.
    body_pose: Vec<Pose>,
    origin: Vec<DVec3>,
    reach: Vec<f64>,
    active: Vec<Active>,
    pairs: Vec<Pair>,
    /// How many of them are of bodies, those of meshes behind them; and which planes of meshes these are.
    of_bodies: [usize; 2],
    version: u64,
    /// How long they are for.
    seconds: f64,
    /// How far each particle was pushed in the running substep, and by which pair last.
    push: Vec<DVec3>,
    pusher: Vec<u32>,
    /// Where each particle was before it was pushed.
    start: Vec<DVec3>,
    /// What was done to each body since it was last asked for: the impulse, and its moment about the world's origin.
    impulses: Vec<[DVec3; 2]>,
    /// Planes that particles meet which are in contact with other cloth as well, and which body each is of.
    rows: Vec<HalfSpaceRow<1>>,
    row_body: Vec<Option<u32>>,
    /// Scratch: which particles these are; then which of them were pushed.
    involved: Vec<bool>,
    /// Particles that a moving body may meet.
    near_moving: Vec<bool>,
    /// Scratch: which query answers for a particle.
    slot: Vec<u32>,
    /// Whether corners may be below a plane at the end of the running substep, and whether some went farther than foreseen.
    contested: bool,
    outran: bool,
    /// Bodies whose shape was changed since the last step.
    reshaped: Vec<usize>,
}

impl BodyContacts {
    /// Forgets everything.
    pub fn forget_all(&mut self) {
        *self = BodyContacts::default();
    }

    /// Takes over other shapes of some bodies: their planes keep their normals, so that cloth stays on its side. What a body has grown
    /// into is let out within the next step.
    pub fn reshape(&mut self, shapes: impl Iterator<Item = (usize, Shape)>) {
        self.reshaped.clear();
        for (body, shape) in shapes {
            self.reshaped.push(body);
            for near in self.near.iter_mut().skip(body).step_by(self.bodies.max(1)).flatten() {
                near.plane = SupportPlane::new(&shape, near.plane.normal);
                near.corners = [DVec3::INFINITY; 3];
            }
        }
    }

    /// Forgets which particles were near moving bodies in the step before.
    pub fn begin_step(&mut self) {
        self.near_moving.fill(false);
    }

    /// Finds the triangles that may meet a body in the next `seconds`, and their planes, from a state that is clear and the
    /// speeds of its particles; planes anew where corners have moved by a part `stale` of an edge.
    #[allow(clippy::too_many_arguments)]
    pub fn detect(
        &mut self,
        parts: &[Part],
        bodies: &[SmoothBody],
        clear: &[DVec3],
        speed: impl Fn(usize) -> f64,
        gravity: DVec3,
        (seconds, stale): (f64, f64),
        threads: Threads,
        planes: &mut MeshPlanes,
    ) -> Result<(), SimError> {
        self.follow(parts, bodies, clear);
        self.foresee(parts, speed, gravity, seconds);
        self.active.clear();
        self.pairs.clear();
        let boxes: Vec<Aabb> = bodies.iter().map(|body| body.shape.aabb(&body.pose)).collect();
        for (index, part) in parts.iter().enumerate() {
            let blocks = self.block_boxes(&part.surface, clear);
            for (b, body) in bodies.iter().enumerate() {
                let margin = part.surface.offset + body.reach;
                if !part.surface.groups.meets(body.groups) {
                    self.near[index * bodies.len() + b].clear();
                    continue;
                }
                let found = near_triangles(&part.surface, clear, &self.reach, &blocks, &boxes[b], margin);
                let list = index * bodies.len() + b;
                if found.is_empty() {
                    self.near[list].clear();
                } else {
                    self.update_planes(list, &found, &part.surface, b, body, clear, (seconds, stale), threads)?;
                }
            }
        }
        self.of_bodies = [self.active.len(), self.pairs.len()];
        self.seconds = seconds;
        planes.improve(clear, stale, |corners| self.foreseen(corners));
        self.activate(planes, clear);
        Ok(())
    }

    /// Activates the planes of meshes that may be met, from a state that is clear.
    fn activate(&mut self, planes: &MeshPlanes, clear: &[DVec3]) {
        self.active.truncate(self.of_bodies[0]);
        self.pairs.truncate(self.of_bodies[1]);
        self.version = planes.version;
        for plane in &planes.planes {
            let from = plane.corners.map(|p| self.origin[p as usize]);
            if plane.gap(&from) >= plane.offset + self.foreseen(plane.corners) {
                continue;
            }
            let pair = Pair { body: None, friction: plane.friction, margin: plane.margin };
            if self.pairs.len() == self.of_bodies[1] || self.pairs.last() != Some(&pair) {
                self.pairs.push(pair);
            }
            let gap = plane.gap(&plane.corners.map(|p| clear[p as usize]));
            let offset = plane.offset.min(gap + RECOVERY * self.seconds);
            let (normal, level) = (plane.normal, plane.support + offset);
            self.active.push(Active {
                corners: plane.corners,
                pair: self.pairs.len() as u32 - 1,
                normal,
                level,
                local_normal: normal,
                local_level: level,
                spare: (offset - CLOSEST).max(0.0),
            });
        }
    }

    /// Takes over planes of meshes that were listed since.
    pub fn take_over(&mut self, planes: &MeshPlanes, clear: &[DVec3]) {
        if self.version != planes.version {
            self.activate(planes, clear);
        }
    }

    /// Notes where everything is.
    fn follow(&mut self, parts: &[Part], bodies: &[SmoothBody], positions: &[DVec3]) {
        let count = positions.len();
        if self.origin.len() != count || self.bodies != bodies.len() || self.near.len() != parts.len() * bodies.len() {
            *self = BodyContacts {
                near: vec![Vec::new(); parts.len() * bodies.len()],
                bodies: bodies.len(),
                body_pose: vec![Pose::IDENTITY; bodies.len()],
                origin: vec![DVec3::ZERO; count],
                // What is no part's, as the vertices of meshes, may go anywhere.
                reach: vec![f64::INFINITY; count],
                push: vec![DVec3::ZERO; count],
                pusher: vec![0; count],
                start: vec![DVec3::ZERO; count],
                impulses: vec![[DVec3::ZERO; 2]; bodies.len()],
                slot: vec![u32::MAX; count],
                involved: vec![false; count],
                near_moving: vec![false; count],
                ..BodyContacts::default()
            };
        }
        self.origin.copy_from_slice(positions);
        self.body_pose.iter_mut().zip(bodies).for_each(|(pose, body)| *pose = body.pose);
    }

    /// How far each particle may go.
    fn foresee(&mut self, parts: &[Part], speed: impl Fn(usize) -> f64, gravity: DVec3, seconds: f64) {
        let fall = gravity.length() * seconds * seconds;
        for part in parts {
            let slack = fall + SLACK * part.surface.edge_length;
            for p in part.surface.particles.clone() {
                self.reach[p] = FASTER * speed(p) * seconds + slack;
            }
        }
    }

    /// Whether a particle went farther than foreseen.
    pub fn outran(&self, positions: &[DVec3]) -> bool {
        let ways = positions.iter().zip(&self.origin).zip(&self.reach);
        ways.fold(false, |outran, ((position, origin), reach)| {
            outran | (position.distance_squared(*origin) > reach * reach)
        })
    }

    /// A box for each block of triangles and the way it may go.
    fn block_boxes(&self, surface: &Surface, positions: &[DVec3]) -> Vec<Aabb> {
        let swept = |block: std::ops::Range<usize>| {
            let nothing = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
            surface.triangles[block].iter().flatten().fold(nothing, |aabb, &p| {
                let (position, reach) = (positions[p as usize], self.reach[p as usize]);
                Aabb { min: aabb.min.min(position - reach), max: aabb.max.max(position + reach) }
            })
        };
        surface.blocks().map(swept).collect()
    }

    /// Keeps, finds or improves the planes of the triangles near a body, and activates those that may be met.
    #[allow(clippy::too_many_arguments)]
    fn update_planes(
        &mut self,
        list: usize,
        found: &[u32],
        surface: &Surface,
        body_index: usize,
        body: &SmoothBody,
        positions: &[DVec3],
        (seconds, stale): (f64, f64),
        threads: Threads,
    ) -> Result<(), SimError> {
        let to_local = DMat3::from_quat(body.pose.rotation).transpose();
        let local = |p: u32| to_local * (positions[p as usize] - body.pose.translation);
        let stale = 3.0 * stale * surface.edge_length;
        let before = std::mem::take(&mut self.near[list]);
        let mut known = before.iter().peekable();
        let mut now: Vec<Near> = Vec::with_capacity(found.len());
        // Indices into `now` of those whose plane is to be improved.
        let mut open: Vec<u32> = Vec::new();
        let body_reach = body.reach;
        for &triangle in found {
            let corners = surface.triangles[triangle as usize];
            let places = corners.map(local);
            while known.next_if(|near| near.triangle < triangle).is_some() {}
            match known.next_if(|near| near.triangle == triangle) {
                Some(near) => {
                    let moved: f64 = near.corners.iter().zip(&places).map(|(then, now)| then.distance(*now)).sum();
                    let foreseen = self.foreseen(corners) + body_reach + surface.offset;
                    if moved > stale && near.plane.gap(&places) < foreseen {
                        open.push(now.len() as u32);
                    }
                    now.push(*near);
                }
                None => {
                    open.push(now.len() as u32);
                    // A plane that proves nothing yet.
                    let plane = SupportPlane { normal: DVec3::Z, support: f64::INFINITY };
                    now.push(Near { triangle, plane, corners: places });
                }
            }
        }
        if matches!(body.shape, Shape::Plane(_)) {
            for &index in &open {
                now[index as usize].plane = SupportPlane::new(&body.shape, DVec3::Z);
            }
        } else {
            self.improve(&mut now, &open, surface, body, positions, threads)?;
        }

        let pair = self.pairs.len() as u32;
        let (friction, margin) = (surface.friction.between(body.friction), surface.separation.unwrap_or(0.0));
        self.pairs.push(Pair { body: Some(body_index as u32), friction, margin });
        let rotation = to_local.transpose();
        for near in &now {
            let corners = surface.triangles[near.triangle as usize];
            let gap = near.plane.gap(&corners.map(local));
            if gap < surface.offset + self.foreseen(corners) + body_reach {
                // Not farther out than it is, but for a slow recovery.
                let recovery = if self.reshaped.contains(&body_index) { f64::INFINITY } else { RECOVERY * seconds };
                let offset = surface.offset.min(gap + recovery);
                let (local_normal, local_level) = (near.plane.normal, near.plane.support + offset);
                let normal = rotation * local_normal;
                let level = local_level + normal.dot(body.pose.translation);
                let spare = (offset - CLOSEST).max(0.0);
                self.active.push(Active { corners, pair, normal, level, local_normal, local_level, spare });
                if body.moves {
                    corners.into_iter().for_each(|p| self.near_moving[p as usize] = true);
                }
            }
        }
        self.near[list] = now;
        Ok(())
    }

    fn foreseen(&self, corners: [u32; 3]) -> f64 {
        let [a, b, c] = corners.map(|p| self.reach[p as usize]);
        a.max(b).max(c)
    }

    /// Looks for better planes for the `open` ones.
    fn improve(
        &mut self,
        now: &mut [Near],
        open: &[u32],
        surface: &Surface,
        body: &SmoothBody,
        positions: &[DVec3],
        threads: Threads,
    ) -> Result<(), SimError> {
        let to_local = DMat3::from_quat(body.pose.rotation).transpose();
        let mut points: Vec<DVec3> = Vec::new();
        let mut asked: Vec<u32> = Vec::new();
        for &index in open {
            for p in surface.triangles[now[index as usize].triangle as usize] {
                if self.slot[p as usize] == u32::MAX {
                    self.slot[p as usize] = points.len() as u32;
                    points.push(to_local * (positions[p as usize] - body.pose.translation));
                    asked.push(p);
                }
            }
        }
        let answers = closest_points(&body.shape, &Pose::IDENTITY, &points, &QUERY, threads);
        let mut outcome = Ok(());
        for &index in open {
            let near = &mut now[index as usize];
            let corners = surface.triangles[near.triangle as usize];
            let slots = corners.map(|p| self.slot[p as usize] as usize);
            let [a, b, c] = slots.map(|slot| answers[slot].as_ref().map(|answer| answer.normal));
            let (a, b, c) = match (a, b, c) {
                (Ok(a), Ok(b), Ok(c)) => (a, b, c),
                (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) => {
                    outcome = Err(SimError::Query(*error));
                    break;
                }
            };
            let places = slots.map(|slot| points[slot]);
            match best_plane(&body.shape, &places, &[a, b, c]) {
                Ok(plane) if plane.gap(&places) > near.plane.gap(&places) => near.plane = plane,
                Ok(_) => {}
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
            near.corners = places;
        }
        for p in asked {
            self.slot[p as usize] = u32::MAX;
        }
        outcome
    }

    /// Whether a moving body's surface has come farther than `most` past a particle that may meet it since planes were found. They go
    /// and turn with the body: they would drag cloth along, or push before it what is to slip over it.
    pub fn were_passed(&self, bodies: &[SmoothBody], positions: &[DVec3], most: f64) -> bool {
        let has_moved = |pair: &Pair| pair.body.is_some_and(|body| self.has_moved(bodies, body as usize, most));
        let far: Vec<bool> = self.pairs.iter().map(has_moved).collect();
        let passed = |active: &Active| {
            let Some(body) = self.pairs[active.pair as usize].body.map(|body| body as usize) else { return false };
            let (then, now) = (&self.body_pose[body], &bodies[body].pose);
            active.corners.iter().map(|&p| p as usize).any(|p| {
                let was = then.inverse_transform_point(self.origin[p]);
                was.distance_squared(now.inverse_transform_point(positions[p])) > most * most
            })
        };
        far.contains(&true) && self.active.iter().filter(|active| far[active.pair as usize]).any(passed)
    }

    /// Whether a body has moved by more than `most` since planes were found.
    fn has_moved(&self, bodies: &[SmoothBody], index: usize, most: f64) -> bool {
        let (body, known) = (&bodies[index], self.body_pose[index]);
        body.moves && {
            let Aabb { min, max } = body.shape.aabb(&Pose::IDENTITY);
            let turn = 2.0 * (known.rotation.conjugate() * body.pose.rotation).xyz().length();
            known.translation.distance(body.pose.translation) + turn * min.abs().max(max.abs()).length() > most
        }
    }

    /// Whether a moving body may meet a particle in the running step.
    pub fn is_near_moving(&self, particle: usize) -> bool {
        self.near_moving.get(particle).is_some_and(|near| *near)
    }
}

/// Triangles whose box, with the way it may go, meets a body's box with a margin.
fn near_triangles(
    surface: &Surface,
    positions: &[DVec3],
    reach: &[f64],
    blocks: &[Aabb],
    body: &Aabb,
    margin: f64,
) -> Vec<u32> {
    let (low, high) = (body.min - margin, body.max + margin);
    let mut found = Vec::new();
    for (block, aabb) in surface.blocks().zip(blocks) {
        if aabb.min.cmple(high).all() && aabb.max.cmpge(low).all() {
            for triangle in block {
                let corners = surface.triangles[triangle];
                let [a, b, c] = corners.map(|p| positions[p as usize]);
                let [ra, rb, rc] = corners.map(|p| reach[p as usize]);
                let reach = ra.max(rb).max(rc);
                let (min, max) = (a.min(b).min(c) - reach, a.max(b).max(c) + reach);
                if min.cmple(high).all() && max.cmpge(low).all() {
                    found.push(triangle as u32);
                }
            }
        }
    }
    found
}
