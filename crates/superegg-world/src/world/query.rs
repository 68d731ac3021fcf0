//! Questions asked of a world between updates: rays, boxes, nearest bodies, casts. Bodies answer where they are now.

use glam::DVec3;
use superegg::query::{Options, Ray, RayHit};
use superegg::shape::{Aabb, Point, Shape};
use superegg::{InvalidInput, Pose};

use super::{BodyHandle, Filter, World};
use crate::WorldError;
use crate::bound::{grown, is_finite, overlap};
use crate::geometry::{self, Geometry, distance};
use crate::motion::{Impact, Motion, TimeOfImpact, ToiOptions, time_of_impact};

/// A body that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyHit {
    /// The body.
    pub body: BodyHandle,
    /// The part of a compound or the triangle of a mesh; 0 for a single shape.
    pub part: u32,
    /// Where.
    pub hit: RayHit,
}

/// A body near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearBody {
    /// The body.
    pub body: BodyHandle,
    /// Its signed distance from the point, negative inside.
    pub distance: f64,
}

/// The first body that a moving one meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit {
    /// The body.
    pub body: BodyHandle,
    /// When and where, with the moving body as a.
    pub found: TimeOfImpact,
}

impl World {
    /// The first body that a ray meets among those that a filter allows.
    pub fn ray(&self, line: &Ray, filter: Filter) -> Result<Option<BodyHit>, WorldError> {
        let mut failure = None;
        let mut nearest: Option<BodyHit> = None;
        let mut ask = |index: u32| -> Option<f64> {
            let body = &self.bodies[index as usize];
            if !filter.allows(&body.filter) {
                return None;
            }
            match geometry::ray(&body.geometry, &body.pose, line) {
                Ok(found) => {
                    let (part, hit) = found?;
                    let candidate = BodyHit { body: body.handle(index), part, hit };
                    if nearest.is_none_or(|best| (hit.t, index) < (best.hit.t, best.body.index)) {
                        nearest = Some(candidate);
                    }
                    Some(hit.t)
                }
                Err(error) => {
                    failure = Some(error);
                    None
                }
            }
        };
        self.tree.first_on_ray(line, 0.0, &mut ask);
        for &index in &self.unbounded {
            ask(index);
        }
        failure.map_or(Ok(nearest), Err)
    }

    /// The bodies whose tight boxes overlap a box, planes that reach into it included, in the order of their places.
    pub fn overlapping(&self, aabb: &Aabb) -> Result<Vec<BodyHandle>, WorldError> {
        if !is_finite(aabb) {
            return Err(crate::broad::TreeError::Box { min: aabb.min, max: aabb.max }.into());
        }
        let mut found = Vec::new();
        self.tree.overlapping(aabb, |index| {
            let body = &self.bodies[index as usize];
            if overlap(&body.geometry.aabb(&body.pose), aabb) {
                found.push(index);
            }
        });
        for &index in &self.unbounded {
            let body = &self.bodies[index as usize];
            if let Some(Shape::Plane(plane)) = body.as_shape() {
                let up = body.pose.transform_vector(plane.normal());
                let lowest = crate::bound::corner_towards(aabb, -up) - body.pose.translation;
                if up.dot(lowest) <= plane.offset() {
                    found.push(index);
                }
            }
        }
        found.sort_unstable();
        Ok(found.into_iter().map(|index| self.bodies[index as usize].handle(index)).collect())
    }

    /// The `count` bodies nearest to a point among those that a filter allows, nearest first.
    pub fn nearest(&self, point: DVec3, count: usize, filter: Filter) -> Result<Vec<NearBody>, WorldError> {
        let probe = Geometry::Shape(Point::new([DVec3::ZERO])?.into());
        let place = Pose::from_translation(point);
        for (value, field) in point.to_array().into_iter().zip(["point[0]", "point[1]", "point[2]"]) {
            if value.is_nan() || value.abs() > 1e60 {
                return Err(InvalidInput { field, value, allowed: "[-1e60, 1e60]" }.into());
            }
        }
        let options = Options { warm_start: None, ..self.options.query };
        let mut failure = None;
        let mut ask = |index: u32| -> Option<f64> {
            let body = &self.bodies[index as usize];
            if !filter.allows(&body.filter) {
                return None;
            }
            match distance(&probe, &place, &body.geometry, &body.pose, &options) {
                Ok(nearest) => Some(nearest.contact.outcome.distance),
                Err(error) => {
                    failure = Some(error);
                    None
                }
            }
        };
        // Inside a box the signed distance may be anything negative.
        let bound = |aabb: &Aabb| {
            let outside = (aabb.min - point).max(point - aabb.max).max(DVec3::ZERO).length();
            if outside > 0.0 { outside } else { f64::NEG_INFINITY }
        };
        let mut found: Vec<(f64, u32)> =
            self.tree.nearest(count, bound, &mut ask).into_iter().map(|found| (found.at, found.item)).collect();
        found.extend(self.unbounded.iter().filter_map(|&index| Some((ask(index)?, index))));
        if let Some(error) = failure {
            return Err(error);
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        found.truncate(count);
        let near =
            |(distance, index): (f64, u32)| NearBody { body: self.bodies[index as usize].handle(index), distance };
        Ok(found.into_iter().map(near).collect())
    }

    /// The first body, all of them at rest where they are now, that a moving one meets among those that a filter allows.
    pub fn cast(
        &self,
        geometry: &Geometry,
        motion: &Motion,
        options: &ToiOptions,
        filter: Filter,
    ) -> Result<Option<CastHit>, WorldError> {
        let end = motion.at(options.horizon);
        let (from, to) = (motion.pose.translation, end.translation);
        let reach = geometry.reach();
        let mut candidates: Vec<u32> = Vec::new();
        let path = grown(&Aabb { min: from.min(to), max: from.max(to) }, reach);
        if is_finite(&path) {
            let largest = self.tree.extent().map_or(0.0, |extent| (extent.max - extent.min).length());
            let near = options.separation + 2.0 * options.tolerance * (reach + largest);
            self.tree.overlapping(&grown(&path, near), |index| candidates.push(index));
            candidates.extend(&self.unbounded);
        } else {
            candidates.extend((0u32..).zip(&self.bodies).filter(|(_, body)| body.alive).map(|(index, _)| index));
        }
        candidates.sort_unstable();
        let mut first: Option<CastHit> = None;
        for index in candidates {
            let body = &self.bodies[index as usize];
            if !filter.allows(&body.filter) {
                continue;
            }
            let horizon = first.map_or(options.horizon, |hit| hit.found.impact.free_until().min(options.horizon));
            let options = ToiOptions { horizon, ..*options };
            let found = time_of_impact(geometry, motion, &body.geometry, &Motion::rest(body.pose), &options)?;
            let until = first.map_or(f64::INFINITY, |hit| hit.found.impact.free_until());
            if found.impact != Impact::None && found.impact.free_until() < until {
                first = Some(CastHit { body: body.handle(index), found });
            }
        }
        Ok(first)
    }
}
