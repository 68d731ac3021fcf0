//! Triangle meshes that smooth bodies meet.
//!
//! The papers test a mesh's vertices alone, which lets a small body through a large triangle (000 figure 47, 001 figure
//! 6.2). Here whole triangles are tested, which are their vertices, edges and faces: the solver takes a triangle like
//! any other convex body. A hierarchy of boxes finds the triangles near a body; one support value along a triangle's
//! normal sends most of the rest away.
//!
//! The mesh is a surface: a body wholly inside a closed mesh is as far from it as from its nearest triangle.

use glam::DVec3;
use superegg::query::{Options, Outcome, Ray, RayHit, distance, ray};
use superegg::shape::{Aabb, Shape, Triangle};
use superegg::{DQuat, Pose};
use superegg_mesh::mesh::check_positions;
use superegg_mesh::topology::NO_EDGE;
use superegg_mesh::{MeshError, Topology, TriangleMesh};

use crate::WorldError;
use crate::bound::{Bound, corner_towards, grown};
use crate::broad::{Found, Tree};
use crate::certificate::bounds;
use crate::error::require_length;
use crate::placement::{normalised, placed, relative};

/// A triangle mesh in its own frame, ready to be asked.
///
/// ```
/// use superegg::query::Options;
/// use superegg::shape::{Shape, Superellipsoid};
/// use superegg::{DVec3, Pose};
/// use superegg_mesh::TriangleMesh;
/// use superegg_world::collision_mesh::{Feature, CollisionMesh};
/// let corners = [[-9.0, -9.0], [9.0, -9.0], [0.0, 9.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
/// let floor = CollisionMesh::new(TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]])?)?;
/// // A small egg above the middle: no vertex is anywhere near.
/// let egg: Shape = Superellipsoid::new([0.1, 0.1, 0.2], [1.0, 1.0])?.into();
/// let above = Pose::from_translation(DVec3::new(0.0, 0.0, 0.25));
/// let contact = floor.distance(&Pose::IDENTITY, &egg, &above, &Options::default())?;
/// assert!((contact.outcome.distance - 0.05).abs() < 1e-9);
/// assert_eq!(contact.feature, Feature::Face(0));
/// # Ok::<(), superegg_world::WorldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CollisionMesh {
    positions: Vec<DVec3>,
    topology: Topology,
    tree: Tree,
    reach: f64,
}

/// The part of a mesh that a contact lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// A vertex, by its index.
    Vertex(u32),
    /// An edge, by its index in [`Topology::edges`].
    Edge(u32),
    /// The inside of a triangle.
    Face(u32),
}

/// A body near, at or in a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshContact {
    /// The triangle.
    pub triangle: u32,
    /// Where on it.
    pub feature: Feature,
    /// Distance, points and normal, with the body as a and the mesh as b.
    pub outcome: Outcome,
}

/// Barycentric weight below which a point counts as lying on the opposite edge.
const ON_EDGE: f64 = 1e-6;

impl CollisionMesh {
    /// Refuses a mesh without triangles.
    pub fn new(mesh: TriangleMesh) -> Result<CollisionMesh, WorldError> {
        let (positions, triangles) = mesh.into_parts();
        if triangles.is_empty() {
            return Err(WorldError::EmptyMesh);
        }
        let topology = Topology::new(positions.len(), triangles)?;
        let boxes: Vec<Aabb> = topology.triangles().iter().map(|&corners| box_of(&positions, corners)).collect();
        let tree = Tree::over(&boxes)?;
        let reach = farthest(&positions);
        Ok(CollisionMesh { positions, topology, tree, reach })
    }

    /// The vertices, in the mesh's frame.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The triangles and how they are connected.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The hierarchy over the triangles, in the mesh's frame.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Radius of a ball about the origin of the mesh's frame that holds it.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.positions.capacity() * size_of::<DVec3>() + self.topology.bytes() + self.tree.bytes()
    }

    /// Moves the vertices; the hierarchy follows. Coordinates that [`TriangleMesh::new`] refuses are refused here too, and
    /// leave the mesh as it was.
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<(), WorldError> {
        if positions.len() != self.positions.len() {
            return Err(MeshError::VertexCount { expected: self.positions.len(), found: positions.len() }.into());
        }
        check_positions(positions)?;
        let topology = &self.topology;
        self.tree.refit(|triangle| box_of(positions, topology.corners(triangle)))?;
        self.positions.copy_from_slice(positions);
        self.reach = farthest(positions);
        Ok(())
    }

    /// The box around the posed mesh.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let pose = normalised(pose);
        let nothing = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
        self.positions.iter().fold(nothing, |aabb, position| {
            let at = pose.transform_point(*position);
            Aabb { min: aabb.min.min(at), max: aabb.max.max(at) }
        })
    }

    /// A triangle as a shape, in the mesh's frame.
    pub fn triangle(&self, index: u32) -> Triangle {
        let corners = self.topology.corners(index).map(|vertex| self.positions[vertex as usize]);
        Triangle::new(corners).expect("a mesh's coordinates are within a triangle's range")
    }

    /// The nearest triangle to a body, or the one it is deepest in.
    pub fn distance(
        &self,
        pose: &Pose,
        body: &Shape,
        body_pose: &Pose,
        options: &Options,
    ) -> Result<MeshContact, WorldError> {
        let probe = Probe::new(body, body_pose, pose)?;
        let mut failure = None;
        let mut nearest: Option<MeshContact> = None;
        let mut lower = Some(f64::INFINITY);
        self.tree.nearest(
            1,
            |aabb| probe.bound(aabb),
            |triangle| {
                let best = nearest.as_ref().map_or(f64::INFINITY, |contact| contact.outcome.distance);
                if failure.is_some() || probe.gap_across(&self.triangle(triangle)) > best {
                    return None;
                }
                match self.contact(triangle, pose, body, body_pose, options) {
                    Ok(contact) => {
                        lower = contact.outcome.bounds.and_then(|bounds| Some(lower?.min(bounds.lower)));
                        if contact.outcome.distance < best {
                            nearest = Some(contact);
                        }
                        Some(contact.outcome.distance)
                    }
                    Err(error) => {
                        failure = Some(error);
                        None
                    }
                }
            },
        );
        match (failure, nearest) {
            (Some(error), _) => Err(error),
            (None, Some(mut contact)) => {
                // What was left out is farther away than this one; what was asked may reach a little below it.
                let own = contact.outcome.bounds;
                contact.outcome.bounds = own.and_then(|own| Some(bounds(own.lower.min(lower?), own.upper)));
                Ok(contact)
            }
            (None, None) => Err(WorldError::EmptyMesh),
        }
    }

    /// All contacts within a margin, one for each place where the distance between body and mesh is least nearby: of
    /// triangles that meet in a vertex or an edge only the closest counts there. Sorted by triangle.
    pub fn contacts(
        &self,
        pose: &Pose,
        body: &Shape,
        body_pose: &Pose,
        margin: f64,
        options: &Options,
    ) -> Result<Vec<MeshContact>, WorldError> {
        let found = self.triangles_within(pose, body, body_pose, margin, options)?;
        let size = match body.reach() {
            size if size.is_finite() => size,
            _ => 0.0,
        };
        Ok(self.least_nearby(&found, 4.0 * options.tolerance * (size + margin)))
    }

    /// Every triangle within a margin, those included that only share an edge or a vertex with a closer one. Sorted by
    /// triangle.
    pub fn triangles_within(
        &self,
        pose: &Pose,
        body: &Shape,
        body_pose: &Pose,
        margin: f64,
        options: &Options,
    ) -> Result<Vec<MeshContact>, WorldError> {
        require_length("margin", margin)?;
        let mut near = self.candidates(pose, body, body_pose, margin)?;
        near.sort_unstable();
        let mut found = Vec::with_capacity(near.len());
        for triangle in near {
            let contact = self.contact(triangle, pose, body, body_pose, options)?;
            let lower = contact.outcome.bounds.map_or(contact.outcome.distance, |bounds| bounds.lower);
            if lower <= margin {
                found.push(contact);
            }
        }
        Ok(found)
    }

    /// The triangles that no box and no plane proves to be farther away than a margin, in no particular order.
    pub fn candidates(&self, pose: &Pose, body: &Shape, body_pose: &Pose, margin: f64) -> Result<Vec<u32>, WorldError> {
        let probe = Probe::new(body, body_pose, pose)?;
        let mut near = Vec::new();
        self.tree.descend(
            |aabb| probe.gap(aabb) <= margin,
            |triangle| {
                if probe.gap_across(&self.triangle(triangle)) <= margin {
                    near.push(triangle);
                }
            },
        );
        Ok(near)
    }

    /// One triangle against a body.
    pub fn contact(
        &self,
        triangle: u32,
        pose: &Pose,
        body: &Shape,
        body_pose: &Pose,
        options: &Options,
    ) -> Result<MeshContact, WorldError> {
        let pose = placed(pose)?;
        let body_pose = &placed(body_pose)?;
        let outcome = distance(body, body_pose, &self.triangle(triangle).into(), &pose, options)?;
        let feature = self.feature(triangle, pose.inverse_transform_point(outcome.point_b));
        Ok(MeshContact { triangle, feature, outcome })
    }

    /// Where a ray first meets the mesh, and on which triangle.
    pub fn ray(&self, pose: &Pose, line: &Ray) -> Result<Option<(u32, RayHit)>, WorldError> {
        let pose = placed(pose)?;
        let local =
            Ray::new(pose.inverse_transform_point(line.origin()), pose.inverse_transform_vector(line.direction()))?;
        // What the turn into the mesh's frame may have rounded away.
        let slack = 8.0 * f64::EPSILON * (self.reach + local.origin().length());
        let mut failure = None;
        let mut hits: Vec<(u32, RayHit)> = Vec::new();
        let first =
            self.tree.first_on_ray(&local, slack, |triangle| match ray(&self.triangle(triangle).into(), &pose, line) {
                Ok(hit) => {
                    let hit = hit?;
                    hits.push((triangle, hit));
                    Some(hit.t)
                }
                Err(error) => {
                    failure = Some(error);
                    None
                }
            });
        if let Some(error) = failure {
            return Err(error.into());
        }
        Ok(first.and_then(|Found { item, .. }| hits.into_iter().find(|(triangle, _)| *triangle == item)))
    }

    /// The feature of a triangle that a point of it lies on.
    fn feature(&self, triangle: u32, point: DVec3) -> Feature {
        let corners = self.topology.corners(triangle);
        let [a, b, c] = corners.map(|vertex| self.positions[vertex as usize]);
        let across = (b - a).cross(c - a);
        let area_sq = across.length_squared();
        let away = |p: DVec3, q: DVec3| (q - p).cross(point - p).dot(across) <= ON_EDGE * area_sq;
        if area_sq == 0.0 {
            return Feature::Face(triangle);
        }
        // Opposite to corner 0, 1, 2.
        let on = [away(b, c), away(c, a), away(a, b)];
        let edges = self.topology.edges_of_triangle(triangle);
        let edge = |from: u32, to: u32| {
            let joins = |&&edge: &&u32| {
                edge != NO_EDGE && self.topology.edges()[edge as usize].iter().all(|end| [from, to].contains(end))
            };
            edges.iter().find(joins).map_or(Feature::Face(triangle), |&edge| Feature::Edge(edge))
        };
        match on {
            [false, false, false] => Feature::Face(triangle),
            [true, false, false] => edge(corners[1], corners[2]),
            [false, true, false] => edge(corners[2], corners[0]),
            [false, false, true] => edge(corners[0], corners[1]),
            [true, true, _] => Feature::Vertex(corners[2]),
            [true, false, true] => Feature::Vertex(corners[1]),
            [false, true, true] => Feature::Vertex(corners[0]),
        }
    }

    /// Drops contacts on a vertex or edge around which another triangle is closer, or as close and listed before.
    fn least_nearby(&self, found: &[MeshContact], tolerance: f64) -> Vec<MeshContact> {
        let of_triangle = |triangle: u32| {
            found.binary_search_by_key(&triangle, |contact| contact.triangle).ok().map(|index| &found[index])
        };
        let stays = |contact: &&MeshContact| {
            let around = match contact.feature {
                Feature::Vertex(vertex) => self.topology.triangles_of_vertex(vertex),
                Feature::Edge(edge) => self.topology.triangles_of_edge(edge),
                Feature::Face(_) => return true,
            };
            let others =
                around.iter().filter(|&&other| other != contact.triangle).filter_map(|&other| of_triangle(other));
            !others.into_iter().any(|other| {
                let closer = contact.outcome.distance - other.outcome.distance;
                closer > tolerance
                    || (closer >= -tolerance && other.triangle < contact.triangle && other.feature == contact.feature)
            })
        };
        found.iter().filter(stays).copied().collect()
    }
}

/// A body as boxes and triangles of a mesh see it, in the mesh's frame.
enum Probe<'a> {
    Bounded { body: &'a Shape, aabb: Aabb, center: DVec3, turn: DQuat, reach: f64 },
    Plane { normal: DVec3, offset: f64 },
}

impl Probe<'_> {
    /// Refuses poses that are not finite.
    fn new<'a>(body: &'a Shape, body_pose: &Pose, mesh_pose: &Pose) -> Result<Probe<'a>, WorldError> {
        let body_pose = placed(body_pose)?;
        let mesh_pose = placed(mesh_pose)?;
        let local = relative(&mesh_pose, &body_pose);
        if let Shape::Plane(plane) = body {
            let normal = local.transform_vector(plane.normal());
            return Ok(Probe::Plane { normal, offset: plane.offset() + normal.dot(local.translation) });
        }
        let reach = body.reach();
        // Two poses were composed: their rounding must not cut anything off.
        let slack = 8.0
            * f64::EPSILON
            * (reach + body_pose.translation.length() + mesh_pose.translation.length() + local.translation.length());
        let aabb = grown(&body.aabb(&local), slack);
        let (center, turn) = (local.translation, local.rotation.conjugate());
        Ok(Probe::Bounded { body, aabb, center, turn, reach: reach + slack })
    }

    /// A lower bound of the signed distance to anything in a box; minus infinity where they are not apart for sure.
    fn gap(&self, aabb: &Aabb) -> f64 {
        match self {
            Probe::Bounded { aabb: own, center, reach, .. } => {
                let outside = (aabb.min - *center).max(*center - aabb.max).max(DVec3::ZERO).length() - reach;
                let gap = own.distance(aabb).max(outside);
                if gap > 0.0 { gap } else { f64::NEG_INFINITY }
            }
            Probe::Plane { normal, offset } => {
                let lowest = normal.dot(corner_towards(aabb, -*normal)) - offset;
                lowest - 8.0 * f64::EPSILON * (offset.abs() + aabb.min.length() + aabb.max.length())
            }
        }
    }

    /// The same, and in overlap the widest gap along the axes and along the line to the box's middle, which is negative then:
    /// the shift across it would part the body from the whole box. So the deepest triangles are looked at first, and most
    /// others never.
    fn bound(&self, aabb: &Aabb) -> f64 {
        match self {
            Probe::Bounded { body, aabb: own, center, turn, reach } if self.gap(aabb) == f64::NEG_INFINITY => {
                let along_axes = (aabb.min - own.max).max(own.min - aabb.max).max_element();
                let Some(away) = (0.5 * (aabb.min + aabb.max) - *center).try_normalize() else { return along_axes };
                let rounding = 1e-12 * (reach + (aabb.max - aabb.min).length());
                let nearest = away.dot(corner_towards(aabb, -away) - *center);
                along_axes.max(nearest - body.support_value(*turn * away) - rounding)
            }
            _ => self.gap(aabb),
        }
    }

    /// The gap between a body and the plane of a triangle: a lower bound of their signed distance.
    fn gap_across(&self, triangle: &Triangle) -> f64 {
        let Probe::Bounded { body, center, turn, reach, .. } = self else { return f64::NEG_INFINITY };
        let [a, b, c] = *triangle.points();
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return f64::NEG_INFINITY };
        let height = normal.dot(*center - a);
        // The sphere may settle it; rounding of the normal tilts the plane across the triangle.
        let towards = if height > 0.0 { -normal } else { normal };
        let rounding = 1e-12 * (height.abs() + reach + (b - a).length() + (c - a).length());
        let tilted = |point: DVec3| (towards.dot(point - a)).abs();
        height.abs() - body.support_value(*turn * towards) - tilted(b).max(tilted(c)) - rounding
    }
}

fn box_of(positions: &[DVec3], corners: [u32; 3]) -> Aabb {
    let [a, b, c] = corners.map(|vertex| positions[vertex as usize]);
    Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }
}

fn farthest(positions: &[DVec3]) -> f64 {
    positions.iter().map(|position| position.length()).fold(0.0, f64::max)
}
