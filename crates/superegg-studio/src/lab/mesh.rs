//! Shapes as meshes to look at.

use superegg::DVec3;
use superegg::shape::{Plane, Shape, Spacing, Superovoid, Triangle};

use crate::protocol::frame::Mesh;

/// Vertices of a preview: a thumbnail of some sixty pixels.
const PREVIEW_VERTICES: usize = 258;
/// Half the edge of the square that stands for a plane, in metres.
const PLANE_REACH: f64 = 12.0;

/// The mesh of a shape in its own frame; empty for points and segments, which are drawn as what they are.
pub(super) fn of(shape: &Shape, vertices: usize) -> Mesh {
    match shape {
        Shape::Superellipsoid(egg) => of_egg(&Superovoid::from(*egg), vertices),
        Shape::Superovoid(egg) => of_egg(egg, vertices),
        Shape::Triangle(triangle) => of_triangle(triangle),
        Shape::Plane(plane) => of_plane(plane),
        Shape::Point(_) | Shape::Segment(_) => Mesh::default(),
    }
}

/// Meshes of the shape with the exponents of the middles of a grid's cells, e1 along rows; `None` where a shape has no
/// exponents.
pub(super) fn previews(shape: &Shape, grid: usize) -> Option<Vec<Mesh>> {
    let (radii, taper) = match shape {
        Shape::Superellipsoid(egg) => (egg.radii(), [0.0; 2]),
        Shape::Superovoid(egg) => (egg.radii(), egg.taper()),
        _ => return None,
    };
    let exponent = |cell: usize| 2.0 * (cell as f64 + 0.5) / grid as f64;
    let cells = (0..grid).flat_map(|row| (0..grid).map(move |column| [exponent(column), exponent(row)]));
    let mesh = |exponents| Superovoid::new(radii, exponents, taper).map(|egg| of_egg(&egg, PREVIEW_VERTICES));
    Some(cells.map(|exponents| mesh(exponents).unwrap_or_default()).collect())
}

fn of_egg(egg: &Superovoid, vertices: usize) -> Mesh {
    // Refused only for a vertex count outside [6, 10^7], and then there is nothing to see.
    let soup = egg.tessellate(vertices, Spacing::Curvature).unwrap_or_default();
    let normals = soup.vertices.iter().map(|vertex| egg.normal_at(*vertex)).collect();
    Mesh { vertices: soup.vertices, normals, triangles: soup.triangles }
}

/// Both sides, so that each has its normal.
fn of_triangle(triangle: &Triangle) -> Mesh {
    let [p, q, r] = *triangle.points();
    let normal = (q - p).cross(r - p).normalize_or(DVec3::Z);
    Mesh {
        vertices: vec![p, q, r, p, q, r],
        normals: [[normal; 3], [-normal; 3]].concat(),
        triangles: vec![[0, 1, 2], [3, 5, 4]],
    }
}

fn of_plane(plane: &Plane) -> Mesh {
    let normal = plane.normal();
    let (u, v) = normal.any_orthonormal_pair();
    let center = normal * plane.offset();
    let corner = |x: f64, y: f64| center + (u * x + v * y) * PLANE_REACH;
    Mesh {
        vertices: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        normals: vec![normal; 4],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use superegg::shape::Superellipsoid;

    #[test]
    fn meshes_lie_on_their_surface_and_face_outward() {
        for (exponents, taper) in [([1.0, 1.0], [0.0, 0.0]), ([0.1, 1.9], [0.3, -0.2]), ([1.9, 0.1], [0.5, 0.5])] {
            let egg = Superovoid::new([1.0, 0.5, 2.0], exponents, taper).unwrap();
            let mesh = of(&egg.into(), Limits::default().vertices);
            assert!(mesh.vertices.len() > 2000 && mesh.normals.len() == mesh.vertices.len());
            for (vertex, normal) in mesh.vertices.iter().zip(&mesh.normals) {
                assert!((egg.gauge(*vertex) - 1.0).abs() < 1e-9 && (normal.length() - 1.0).abs() < 1e-9);
            }
            let volume: f64 = mesh
                .triangles
                .iter()
                .map(|&[p, q, r]| {
                    let [p, q, r] = [p, q, r].map(|index| mesh.vertices[index as usize]);
                    p.dot(q.cross(r)) / 6.0
                })
                .sum();
            let exact = egg.mass_properties().volume;
            assert!(volume > 0.97 * exact && volume < exact * (1.0 + 1e-9), "{exponents:?}: {volume} {exact}");
        }
    }

    #[test]
    fn previews_follow_the_grid() {
        let egg = Superellipsoid::new([1.0, 2.0, 3.0], [0.5, 1.5]).unwrap();
        let meshes = previews(&egg.into(), 3).unwrap();
        assert_eq!(meshes.len(), 9);
        let middle = Superellipsoid::new([1.0, 2.0, 3.0], [1.0, 1.0]).unwrap();
        assert!(meshes[4].vertices.iter().all(|vertex| (middle.gauge(*vertex) - 1.0).abs() < 1e-9));
        let right = Superellipsoid::new([1.0, 2.0, 3.0], [5.0 / 3.0, 1.0]).unwrap();
        assert!(meshes[5].vertices.iter().all(|vertex| (right.gauge(*vertex) - 1.0).abs() < 1e-9));
        let point = superegg::shape::Point::new([DVec3::ZERO]).unwrap();
        assert_eq!(previews(&point.into(), 3), None);
    }
}
