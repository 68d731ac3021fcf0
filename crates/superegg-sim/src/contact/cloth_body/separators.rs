//! Planes between cloth and bodies for what is carried by the cloth: wrinkle meshes.

use glam::DVec3;
use superegg::Pose;
use superegg::shape::Aabb;

use super::smooth::SmoothBody;
use super::{BodyContacts, Near, near_triangles};
use crate::cloth::surface::Surface;
use crate::cloth::wrinkles::Separator;

impl BodyContacts {
    /// Planes between the triangles of a surface and the bodies within a distance of them, as both are now. Triangles that are
    /// too far off to have planes of their own are beyond a side of the body's box, which does as well.
    pub fn separators(
        &self,
        index: usize,
        surface: &Surface,
        bodies: &[SmoothBody],
        positions: &[DVec3],
        within: f64,
    ) -> Vec<Separator> {
        let mut found = Vec::new();
        if self.origin.len() != positions.len() || self.bodies != bodies.len() {
            return found;
        }
        let blocks = self.block_boxes(surface, positions);
        for (list, body) in self.near[index * self.bodies..].iter().zip(bodies) {
            let Pose { rotation, translation } = body.pose;
            let mut known = list.iter().peekable();
            let aabb = body.shape.aabb(&body.pose);
            for triangle in near_triangles(surface, positions, &self.reach, &blocks, &aabb, within) {
                while known.next_if(|near| near.triangle < triangle).is_some() {}
                let separator = match known.next_if(|near| near.triangle == triangle) {
                    Some(Near { plane, .. }) => {
                        let normal = rotation * plane.normal;
                        Some(Separator { triangle, normal, level: plane.support + normal.dot(translation) })
                    }
                    None => {
                        beyond_box(triangle, surface.triangles[triangle as usize].map(|p| positions[p as usize]), &aabb)
                    }
                };
                found.extend(separator);
            }
        }
        found
    }
}

/// The side of a box that a triangle is beyond, as a plane.
fn beyond_box(triangle: u32, [a, b, c]: [DVec3; 3], aabb: &Aabb) -> Option<Separator> {
    let (above, below) = (a.min(b).min(c) - aabb.max, aabb.min - a.max(b).max(c));
    let (axis, other) = (above.max_position(), below.max_position());
    let separator = if above[axis] >= below[other] {
        Separator { triangle, normal: DVec3::AXES[axis], level: aabb.max[axis] }
    } else {
        Separator { triangle, normal: -DVec3::AXES[other], level: -aabb.min[other] }
    };
    (above[axis].max(below[other]) >= 0.0).then_some(separator)
}
