//! How sharply a rigid mesh bends at its edges, which tells the pairs of edges that are needed to keep cloth off it.
//!
//! An edge across which a mesh is flat needs none: where another edge, which is straight, would go through it, it goes through
//! the rim of the flat piece or has an end below it. Where a mesh hardly bends, vertices and faces keep cloth away, and edges
//! only have to see to it that it does not come much closer in between.

use std::collections::HashMap;

use glam::DVec3;

/// How the triangles at an edge meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharpness {
    /// In one plane.
    Flat,
    /// At less than 15°.
    Gentle,
    /// At more, or there is one triangle, or there are three or more.
    Sharp,
}

/// Squared sine of the angle between triangles that are in one plane but for rounding.
const FLAT: f64 = 1e-18;
/// Cosine of the angle between triangles that hardly bend.
const HARDLY_BENT: f64 = 0.966;

/// How triangles meet at each edge, by its ends, the smaller first.
pub(crate) fn edge_sharpness(triangles: &[[u32; 3]], places: &[DVec3]) -> HashMap<(u32, u32), Sharpness> {
    // Normals of each edge's triangles, turned as if all went along it from the smaller end to the larger.
    let mut sides: HashMap<(u32, u32), Vec<DVec3>> = HashMap::new();
    for corners in triangles {
        let [p, q, r] = corners.map(|p| places[p as usize]);
        let normal = (q - p).cross(r - p).normalize_or_zero();
        for i in 0..3 {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            sides.entry((a.min(b), a.max(b))).or_default().push(if a < b { normal } else { -normal });
        }
    }
    sides.into_iter().map(|(edge, normals)| (edge, judge(&normals))).collect()
}

fn judge(normals: &[DVec3]) -> Sharpness {
    let &[one, other] = normals else { return Sharpness::Sharp };
    // Triangles on two sides of an edge go along it in opposite directions.
    let cosine = -one.dot(other);
    if cosine < HARDLY_BENT {
        Sharpness::Sharp
    } else if one.cross(other).length_squared() > FLAT {
        Sharpness::Gentle
    } else {
        Sharpness::Flat
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bend of two triangles that share the edge from 0 to 1 along x, the second turned up by an angle.
    fn bend_at(angle: f64, triangles: &[[u32; 3]]) -> Sharpness {
        let up = DVec3::new(0.3, -angle.cos(), angle.sin());
        let places = [DVec3::ZERO, DVec3::X, DVec3::new(0.4, 1.0, 0.0), up, DVec3::ZERO];
        edge_sharpness(triangles, &places)[&(0, 1)]
    }

    #[test]
    fn edges_are_judged_by_their_angle() {
        let two = [[0, 1, 2], [1, 0, 3]];
        for sign in [1.0, -1.0] {
            assert_eq!(bend_at(sign * 0.2, &two), Sharpness::Gentle);
            assert_eq!(bend_at(sign * 1e-6, &two), Sharpness::Gentle);
            assert_eq!(bend_at(sign * 0.3, &two), Sharpness::Sharp);
            assert_eq!(bend_at(sign * 3.1, &two), Sharpness::Sharp, "folded back");
        }
        assert_eq!(bend_at(0.0, &two), Sharpness::Flat);
        // However the triangles are turned.
        assert_eq!(bend_at(0.0, &[[0, 1, 2], [0, 1, 3]]), Sharpness::Flat);
    }

    #[test]
    fn what_has_no_two_sides_is_sharp() {
        assert_eq!(bend_at(0.0, &[[0, 1, 2]]), Sharpness::Sharp, "a rim");
        assert_eq!(bend_at(0.0, &[[0, 1, 2], [1, 0, 3], [0, 1, 3]]), Sharpness::Sharp, "three triangles");
        assert_eq!(bend_at(0.0, &[[0, 1, 2], [1, 0, 4]]), Sharpness::Sharp, "a triangle without area");
    }
}
