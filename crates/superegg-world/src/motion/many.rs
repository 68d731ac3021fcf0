//! Bodies of many parts: the first of their parts to meet.
//!
//! Pairs of parts are taken in the order in which the balls around them can meet, and each only has to be followed up to
//! the earliest impact so far. Of a mesh, only the triangles near a part's path come into question: the path is cut into
//! pieces, each held in a box of the mesh's frame, and the pieces are taken in the order of time.

use glam::DVec3;
use superegg::Pose;
use superegg::shape::{Aabb, Shape, Triangle};

use super::advance_by_distance::advance_by_distance;
use super::axis::Track;
use super::pair::advance;
use super::{Impact, Motion, TimeOfImpact, ToiOptions};
use crate::WorldError;
use crate::collision_mesh::CollisionMesh;
use crate::contact::Contact;
use crate::geometry::Geometry;

/// When two moving bodies first touch: any two of their parts or triangles.
///
/// ```
/// use superegg::shape::Superellipsoid;
/// use superegg_mesh::TriangleMesh;
/// use superegg_world::geometry::Geometry;
/// use superegg_world::motion::{Impact, Motion, ToiOptions, time_of_impact};
/// use superegg_world::collision_mesh::CollisionMesh;
/// use superegg_world::{DVec3, Pose};
/// // A bullet against a large triangle: neither vertices nor a step of a hundredth of a second would see it.
/// let corners = [[-9.0, -9.0], [9.0, -9.0], [0.0, 9.0]].map(|[y, z]| DVec3::new(5.0, y, z));
/// let wall: Geometry = CollisionMesh::new(TriangleMesh::new(corners.to_vec(), vec![[0, 1, 2]])?)?.into();
/// let bullet = Geometry::Shape(Superellipsoid::new([0.01, 0.004, 0.004], [1.0, 1.0])?.into());
/// let flight = Motion::linear(Pose::IDENTITY, DVec3::X * 400.0);
/// let found = time_of_impact(&bullet, &flight, &wall, &Motion::rest(Pose::IDENTITY), &ToiOptions::within(1.0))?;
/// let Impact::At(time, contact) = found.impact else { panic!("it does not tunnel") };
/// assert!((time - 4.99 / 400.0).abs() < 1e-9);
/// assert_eq!(contact.part_b, 0);
/// # Ok::<(), superegg_world::WorldError>(())
/// ```
pub fn time_of_impact(
    a: &Geometry,
    motion_a: &Motion,
    b: &Geometry,
    motion_b: &Motion,
    options: &ToiOptions,
) -> Result<TimeOfImpact, WorldError> {
    options.validate()?;
    let (motion_a, motion_b) = (motion_a.checked(options.horizon)?, motion_b.checked(options.horizon)?);
    match (a, b) {
        (Geometry::Superquadric(_), _) | (_, Geometry::Superquadric(_)) | (Geometry::Mesh(_), Geometry::Mesh(_)) => {
            advance_by_distance(a, b, [motion_a, motion_b], options)
        }
        (Geometry::Mesh(mesh), body) => {
            let mut found = against_mesh(body, motion_b, mesh, motion_a, options)?;
            found.impact = match found.impact {
                Impact::Already(contact) => Impact::Already(contact.swapped()),
                Impact::At(time, contact) => Impact::At(time, contact.swapped()),
                other => other,
            };
            Ok(found)
        }
        (body, Geometry::Mesh(mesh)) => against_mesh(body, motion_a, mesh, motion_b, options),
        _ => parts_against_parts(a, motion_a, b, motion_b, options),
    }
}

/// The earliest impact so far.
struct Earliest {
    impact: Impact,
    queries: u32,
    looks: u32,
}

impl Earliest {
    fn new() -> Earliest {
        Earliest { impact: Impact::None, queries: 0, looks: 0 }
    }

    /// Takes note of what became of two parts.
    fn note(&mut self, found: &TimeOfImpact, part_a: u32, part_b: u32) {
        self.queries += found.queries;
        self.looks += found.looks;
        if found.impact.free_until() < self.impact.free_until() {
            let named = |contact: Contact| Contact { part_a, part_b, ..contact };
            self.impact = match found.impact {
                Impact::Already(contact) => Impact::Already(named(contact)),
                Impact::At(time, contact) => Impact::At(time, named(contact)),
                other => other,
            };
        }
    }

    fn result(self) -> TimeOfImpact {
        TimeOfImpact { impact: self.impact, queries: self.queries, looks: self.looks }
    }
}

fn parts_against_parts(
    a: &Geometry,
    motion_a: Motion,
    b: &Geometry,
    motion_b: Motion,
    options: &ToiOptions,
) -> Result<TimeOfImpact, WorldError> {
    let (Some(parts_a), Some(parts_b)) = (a.parts(), b.parts()) else {
        return Err(WorldError::Unsupported { operation: "time_of_impact", a: a.name(), b: b.name() });
    };
    let tracks_a: Vec<Track> = parts_a.iter().map(|part| Track::new(&part.shape, part.pose, motion_a)).collect();
    let tracks_b: Vec<Track> = parts_b.iter().map(|part| Track::new(&part.shape, part.pose, motion_b)).collect();
    let mut order = Vec::with_capacity(tracks_a.len() * tracks_b.len());
    for (index_a, a) in (0u32..).zip(&tracks_a) {
        for (index_b, b) in (0u32..).zip(&tracks_b) {
            let after = a.balls_meet_after(b, 0.0, options.separation);
            if after <= options.horizon {
                order.push((after, index_a, index_b));
            }
        }
    }
    order.sort_by(|one, other| one.0.total_cmp(&other.0).then((one.1, one.2).cmp(&(other.1, other.2))));
    let mut earliest = Earliest::new();
    for (after, index_a, index_b) in order {
        let horizon = earliest.impact.free_until().min(options.horizon);
        if after > horizon {
            break;
        }
        let found = advance(&tracks_a[index_a as usize], &tracks_b[index_b as usize], 0.0, horizon, options)?;
        earliest.note(&found, index_a, index_b);
    }
    Ok(earliest.result())
}

/// Most pieces that a path is cut into.
const MAX_PIECES: f64 = 64.0;

fn against_mesh(
    body: &Geometry,
    motion: Motion,
    mesh: &CollisionMesh,
    mesh_motion: Motion,
    options: &ToiOptions,
) -> Result<TimeOfImpact, WorldError> {
    let Some(parts) = body.parts() else {
        return Err(WorldError::Unsupported { operation: "time_of_impact", a: body.name(), b: "mesh" });
    };
    let mut earliest = Earliest::new();
    for (index, part) in (0u32..).zip(parts.iter()) {
        let track = Track::new(&part.shape, part.pose, motion);
        part_against_mesh(index, &track, mesh, mesh_motion, options, &mut earliest)?;
    }
    Ok(earliest.result())
}

fn part_against_mesh(
    index: u32,
    part: &Track,
    mesh: &CollisionMesh,
    mesh_motion: Motion,
    options: &ToiOptions,
    earliest: &mut Earliest,
) -> Result<(), WorldError> {
    let path = Path::new(part, mesh_motion, options);
    // In the mesh's frame the tolerance of a pair counts the triangle's size too, which is at most the mesh's.
    let near = options.separation + options.tolerance * (path.radius + mesh.reach());
    let pieces = path.pieces();
    for piece in 0..pieces {
        let limit = earliest.impact.free_until().min(options.horizon);
        let [start, end] = [piece, piece + 1].map(|k| options.horizon * (f64::from(k) / f64::from(pieces)));
        if start > limit {
            break;
        }
        let mut triangles = Vec::new();
        match path.cover(start, end) {
            Some(cover) => {
                let cover = Aabb { min: cover.min - near, max: cover.max + near };
                mesh.tree().overlapping(&cover, |triangle| triangles.push(triangle));
            }
            None => triangles.extend(0..mesh.topology().triangles().len() as u32),
        }
        triangles.sort_unstable();
        for triangle in triangles {
            let until = earliest.impact.free_until().min(end);
            let (shape, local) = about_its_middle(&mesh.triangle(triangle));
            let track = Track::new(&shape, local, mesh_motion);
            let found = advance(part, &track, start, until, options)?;
            earliest.note(&found, index, triangle);
        }
    }
    Ok(())
}

/// A triangle in a frame of its own, whose origin is its middle: balls about that are small.
fn about_its_middle(triangle: &Triangle) -> (Shape, Pose) {
    let points = *triangle.points();
    let middle = (points[0] + points[1] + points[2]) / 3.0;
    let shape = Triangle::new(points.map(|point| point - middle)).expect("differences of a mesh's coordinates");
    (shape.into(), Pose::from_translation(middle))
}

/// The path of a part's ball in the frame of a mesh.
struct Path<'a> {
    part: &'a Track<'a>,
    mesh: Motion,
    radius: f64,
    /// Bound of the second derivative of the centre.
    bending: f64,
    /// Bound of its length up to the horizon.
    length: f64,
}

impl Path<'_> {
    fn new<'a>(part: &'a Track<'a>, mesh: Motion, options: &ToiOptions) -> Path<'a> {
        // The centre of a part that turns about another point is taken to be that point.
        let radius = if part.is_turning() { part.swing() } else { part.reach };
        let speed = (part.motion.velocity - mesh.velocity).length();
        let turn = mesh.angular_velocity.length();
        let offset = if part.is_turning() { 0.0 } else { part.local.translation.length() };
        let away = (part.motion.pose.translation - mesh.pose.translation).length() + offset + speed * options.horizon;
        Path {
            part,
            mesh,
            radius,
            bending: turn * (turn * away + 2.0 * speed),
            length: (speed + turn * away) * options.horizon,
        }
    }

    fn pieces(&self) -> u32 {
        if self.radius.is_finite() && self.radius > 0.0 {
            (0.5 * self.length / self.radius).ceil().clamp(1.0, MAX_PIECES) as u32
        } else {
            1
        }
    }

    fn center(&self, time: f64) -> DVec3 {
        let center = if self.part.is_turning() { self.part.motion.at(time) } else { self.part.at(time) };
        self.mesh.at(time).inverse_transform_point(center.translation)
    }

    /// A box of the mesh's frame that holds the part from `start` to `end`; `None` for a plane.
    fn cover(&self, start: f64, end: f64) -> Option<Aabb> {
        if !self.radius.is_finite() {
            return None;
        }
        let (from, to) = (self.center(start), self.center(end));
        let width = end - start;
        let rounding = 1e-14 * (from.length() + to.length() + self.part.motion.pose.translation.length());
        let around = self.radius + 0.125 * self.bending * width * width + rounding;
        Some(Aabb { min: from.min(to) - around, max: from.max(to) + around })
    }
}
