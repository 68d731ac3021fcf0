//! Picking: what a ray meets first.

use glam::DVec3;
use superegg::query::{Ray, ray};
use superegg_world::geometry::Geometry;

use super::World;
use crate::SimError;
use crate::body::Groups;
use crate::cloth::Owner;
use crate::handle::{BodyId, ClothId, ColliderId, SoftId};

/// A place on something, which goes with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A point of a body.
    Body {
        /// The body.
        body: BodyId,
        /// In the body's frame.
        point: DVec3,
    },
    /// A point of a cloth's triangle.
    Cloth {
        /// The cloth.
        cloth: ClothId,
        /// The triangle's number in the mesh that the cloth was made of.
        triangle: u32,
        /// Weights of its corners, which add up to one.
        weights: [f64; 3],
    },
    /// A point of a soft solid's triangle.
    Soft {
        /// The soft solid.
        solid: SoftId,
        /// The triangle's number in its mesh.
        triangle: u32,
        /// Weights of its corners, which add up to one.
        weights: [f64; 3],
    },
}

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Where on what: what a drag takes hold of.
    pub place: Place,
    /// The collider, if it is a body's.
    pub collider: Option<ColliderId>,
    /// The part of a compound or the triangle of a mesh; 0 otherwise.
    pub part: u32,
    /// Distance along the ray.
    pub t: f64,
    /// In the world.
    pub point: DVec3,
    /// Of the surface, against the ray.
    pub normal: DVec3,
}

impl World {
    /// The first thing of some groups on a ray.
    ///
    /// ```
    /// use superegg::query::Ray;
    /// use superegg::shape::Superellipsoid;
    /// use superegg::{DVec3, Pose};
    /// use superegg_sim::{Body, Cloth, Fabric, Groups, Place, World};
    /// let mut world = World::new();
    /// let ball = Superellipsoid::new([0.5; 3], [1.0; 2])?;
    /// world.add_body(Body::fixed(ball, Pose::IDENTITY))?;
    /// let sheet = Cloth::grid([3, 3], [2.0, 2.0], DVec3::new(-1.0, -1.0, 1.0))?;
    /// let cloth = world.add_cloth(&sheet, &Fabric::default())?;
    /// let down = |x: f64| Ray::new(DVec3::new(x, 0.1, 3.0), -DVec3::Z);
    /// let hit = world.pick(&down(0.2)?, Groups::ALL)?.unwrap();
    /// assert!(matches!(hit.place, Place::Cloth { cloth: on, .. } if on == cloth) && (hit.t - 2.0).abs() < 1e-12);
    /// assert!(world.pick(&down(1.5)?, Groups::ALL)?.is_none());
    /// # Ok::<(), superegg_sim::SimError>(())
    /// ```
    pub fn pick(&self, line: &Ray, groups: Groups) -> Result<Option<Hit>, SimError> {
        let mut first: Option<Hit> = None;
        let mut keep = |hit: Hit| {
            if first.is_none_or(|known| hit.t < known.t) {
                first = Some(hit);
            }
        };
        for proxy in self.bodies.pairs.proxies.iter().filter(|proxy| !proxy.dead && proxy.groups.meets(groups)) {
            let state = &self.bodies.list[proxy.body as usize];
            let pose = proxy.placed(state).pose();
            let found = match &proxy.geometry {
                Geometry::Shape(shape) => ray(shape, &pose, line)?.map(|hit| (proxy.part, hit)),
                Geometry::Mesh(mesh) => mesh.ray(&pose, line)?,
                _ => None,
            };
            let body = self.body_slots.handle(proxy.body as usize, &self.stamp);
            if let (Some((part, hit)), Some(body)) = (found, body) {
                let point = state.pose().inverse_transform_point(hit.point);
                let collider = self.collider_slots.handle(proxy.collider as usize, &self.stamp);
                let place = Place::Body { body, point };
                keep(Hit { place, collider, part, t: hit.t, point: hit.point, normal: hit.normal });
            }
        }
        for part in self.surfaces.parts.iter().filter(|part| part.surface.groups.meets(groups)) {
            let positions = &self.surfaces.particles.position[part.surface.particles.clone()];
            for (triangle, corners) in (0u32..).zip(part.triangles.iter()) {
                let corners = corners.map(|v| positions[v as usize]);
                let Some((t, weights)) = through(line, &corners) else { continue };
                let place = match part.owner {
                    Owner::Cloth(slot) => {
                        let Some(cloth) = self.cloth_slots.handle(slot as usize, &self.stamp) else { continue };
                        Place::Cloth { cloth, triangle, weights }
                    }
                    Owner::Soft(slot) => {
                        let Some(solid) = self.soft_slots.handle(slot as usize, &self.stamp) else { continue };
                        Place::Soft { solid, triangle, weights }
                    }
                };
                let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
                let normal = if normal.dot(line.direction()) > 0.0 { -normal } else { normal };
                let point = line.origin() + line.direction() * t;
                keep(Hit { place, collider: None, part: triangle, t, point, normal });
            }
        }
        Ok(first)
    }
}

/// Where a ray goes through a triangle, and the weights of its corners there (Möller and Trumbore 1997).
fn through(line: &Ray, [a, b, c]: &[DVec3; 3]) -> Option<(f64, [f64; 3])> {
    let (origin, direction) = (line.origin(), line.direction());
    let (ab, ac) = (*b - *a, *c - *a);
    let across = direction.cross(ac);
    let determinant = ab.dot(across);
    if determinant == 0.0 {
        return None;
    }
    let from = origin - *a;
    let u = from.dot(across) / determinant;
    let up = from.cross(ab);
    let v = direction.dot(up) / determinant;
    let t = ac.dot(up) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0 && t.is_finite()).then_some((t, [1.0 - u - v, u, v]))
}
