//! The nearest point of a convex body to a point outside, from support points alone: Gilbert, Johnson and Keerthi's algorithm. On
//! a body of corners it ends at the nearest face, edge or corner; on a curved one it comes close.

use arrayvec::ArrayVec;
use glam::DVec3;

use super::polytope::{nearest_face, nearest_on_simplex};

/// Most support points; a body of corners needs some ten.
const MOST_STEPS: u32 = 100;
/// Part of the reach that products of support points may be off by.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The nearest point of a body.
#[derive(Clone, Debug)]
pub(crate) struct Nearest {
    pub point: DVec3,
    /// Unit vector from there to the point asked for.
    pub normal: DVec3,
    /// The support points that it lies between: one at a corner, two on an edge, three on a face.
    pub corners: ArrayVec<DVec3, 3>,
    /// How much farther along the normal the body reaches than the point: about zero where the search has ended.
    pub excess: f64,
}

/// The nearest point to `p` of the body with a support function, beginning with the support point along `towards`; `None` where p
/// lies inside or on the surface, up to rounding of the reach.
pub(crate) fn nearest_point(support: impl Fn(DVec3) -> DVec3, towards: DVec3, p: DVec3, reach: f64) -> Option<Nearest> {
    let mut corners: ArrayVec<DVec3, 4> = ArrayVec::new();
    corners.push(support(towards));
    let mut weights = [1.0, 0.0, 0.0];
    let mut best: Option<Nearest> = None;
    let mut last = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        let point: DVec3 = corners.iter().zip(weights).map(|(corner, weight)| *corner * weight).sum();
        let away = p - point;
        let length = away.length();
        if length <= ROUNDING * reach {
            return None;
        }
        let normal = away / length;
        let next = support(normal);
        let excess = normal.dot(next - point);
        if best.as_ref().is_none_or(|best| excess < best.excess) {
            best = Some(Nearest { point, normal, corners: corners.iter().copied().collect(), excess });
        }
        if excess <= ROUNDING * reach || corners.contains(&next) || length >= last {
            break;
        }
        last = length;
        corners.push(next);
        let (kept, all_weights) = match corners.len() {
            4 => nearest_face(&std::array::from_fn(|index| corners[index] - p))?,
            _ => ([0, 1, 2], nearest_on_simplex(&corners, p).1),
        };
        let chosen = kept.into_iter().zip(all_weights).filter(|(_, weight)| *weight > 0.0);
        let chosen: ArrayVec<(DVec3, f64), 3> = chosen.map(|(index, weight)| (corners[index], weight)).collect();
        corners.clear();
        weights = [0.0; 3];
        for (index, (corner, weight)) in chosen.into_iter().enumerate() {
            corners.push(corner);
            weights[index] = weight;
        }
    }
    best
}
