//! Boxes along the world's axes.

use glam::DVec3;
use superegg::shape::Aabb;

use super::Bound;

impl Bound for Aabb {
    #[inline]
    fn overlaps(&self, other: &Aabb) -> bool {
        overlap(self, other)
    }

    fn distance(&self, other: &Aabb) -> f64 {
        (self.min - other.max).max(other.min - self.max).max(DVec3::ZERO).length()
    }

    fn merged(&self, other: &Aabb) -> Aabb {
        union(self, other)
    }
}

#[inline]
pub(crate) fn overlap(a: &Aabb, b: &Aabb) -> bool {
    a.min.x <= b.max.x
        && b.min.x <= a.max.x
        && a.min.y <= b.max.y
        && b.min.y <= a.max.y
        && a.min.z <= b.max.z
        && b.min.z <= a.max.z
}

#[inline]
pub(crate) fn union(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb { min: a.min.min(b.min), max: a.max.max(b.max) }
}

/// The box with all sides moved outwards.
#[inline]
pub(crate) fn grown(aabb: &Aabb, by: f64) -> Aabb {
    Aabb { min: aabb.min - by, max: aabb.max + by }
}

/// Half the surface of a box: what the chance that a random line or small body meets it is proportional to.
#[inline]
pub(crate) fn half_area(aabb: &Aabb) -> f64 {
    let side = aabb.max - aabb.min;
    side.x * (side.y + side.z) + side.y * side.z
}

/// The corner farthest along a direction.
#[inline]
pub(crate) fn corner_towards(aabb: &Aabb, direction: DVec3) -> DVec3 {
    DVec3::select(direction.cmpge(DVec3::ZERO), aabb.max, aabb.min)
}

/// Whether the box has finite corners, the lower one not above the upper.
pub(crate) fn is_finite(aabb: &Aabb) -> bool {
    aabb.min.is_finite() && aabb.max.is_finite() && aabb.min.cmple(aabb.max).all()
}
