//! Shapes as meshes to look at.

use superegg::DVec3;
use superegg::shape::{Plane, Shape, Spacing, Superovoid, Triangle};
use superegg_world::compound::Part;
use superegg_world::geometry::Geometry;
use superegg_world::superquadric::Superquadric;

use crate::files::Files;
use crate::limits::Limits;
use crate::scene::{Body, form};
use crate::wire::geometry::Mesh;

/// Vertices of a preview: a thumbnail of some sixty pixels.
const PREVIEW_VERTICES: usize = 258;
/// Half the edge of the square that stands for a plane, in metres.
const PLANE_REACH: f64 = 12.0;

/// The mesh of a form in its own frame; empty for points and segments, which are drawn as what they are.
pub fn of(form: &Geometry, vertices: usize) -> Mesh {
    match form {
        Geometry::Shape(shape) => of_shape(shape, vertices),
        Geometry::Superquadric(surface) => of_surface(surface, vertices),
        Geometry::Compound(compound) => of_parts(compound.parts(), vertices),
        Geometry::Mesh(mesh) => of_triangles(mesh.positions(), mesh.topology().triangles()),
    }
}

fn of_shape(shape: &Shape, vertices: usize) -> Mesh {
    match shape {
        Shape::Superellipsoid(egg) => of_egg(&Superovoid::from(*egg), vertices),
        Shape::Superovoid(egg) => of_egg(egg, vertices),
        Shape::Primitive(_) | Shape::Hull(_) | Shape::Custom(_) => match shape.tessellate(vertices) {
            Some(Ok(mesh)) => of_triangles(&mesh.vertices, &mesh.triangles),
            _ => Mesh::default(),
        },
        Shape::Triangle(triangle) => of_triangle(triangle),
        Shape::Plane(plane) => of_plane(plane),
        Shape::Point(_) | Shape::Segment(_) => Mesh::default(),
    }
}

/// The mesh of the body with the exponents of the middle of a cell of a grid, e1 along rows from the lowest e2; `None` where
/// a body has no exponents.
pub fn preview(body: &Body, grid: u32, cell: u32, limits: &Limits) -> Option<Mesh> {
    body.exponents?;
    let exponent = |cell: u32| 2.0 * (f64::from(cell) + 0.5) / f64::from(grid);
    let other = Body { exponents: Some([exponent(cell % grid), exponent(cell / grid)]), ..body.clone() };
    let form = form::read("", &other, &Files::default(), limits);
    Some(form.map(|form| of(&form, PREVIEW_VERTICES)).unwrap_or_default())
}

/// All parts, with as many vertices together as one body has.
fn of_parts(parts: &[Part], vertices: usize) -> Mesh {
    let each = (vertices / parts.len().max(1)).max(PREVIEW_VERTICES);
    let mut mesh = Mesh::default();
    for part in parts {
        let own = of_shape(&part.shape, each);
        let base = mesh.vertices.len() as u32;
        mesh.vertices.extend(own.vertices.iter().map(|vertex| part.pose.transform_point(*vertex)));
        mesh.normals.extend(own.normals.iter().map(|normal| part.pose.transform_vector(*normal)));
        mesh.triangles.extend(own.triangles.iter().map(|corners| corners.map(|corner| base + corner)));
    }
    mesh
}

/// A superhyperboloid or supertoroid. Where the implicit function has no normal, as on its ridges, the mesh's own is taken.
fn of_surface(surface: &Superquadric, vertices: usize) -> Mesh {
    let soup = surface.tessellate(vertices.max(24)).unwrap_or_default();
    let mut around = vec![DVec3::ZERO; soup.vertices.len()];
    for &corners in &soup.triangles {
        let [p, q, r] = corners.map(|index| soup.vertices[index as usize]);
        let area = (q - p).cross(r - p);
        for corner in corners {
            around[corner as usize] += area;
        }
    }
    let normal = |(vertex, around): (&DVec3, DVec3)| {
        let around = around.normalize_or(DVec3::Z);
        let exact = surface.gradient(*vertex).1.normalize_or(around);
        if exact.is_finite() { exact } else { around }
    };
    let normals = soup.vertices.iter().zip(around).map(normal).collect();
    Mesh { vertices: soup.vertices, normals, triangles: soup.triangles }
}

/// Triangles that meet at less than this angle look smooth.
const CREASE: f64 = 0.6;

/// A mesh with smooth faces and sharp creases: around a vertex, the normals of triangles within [`CREASE`] of each other
/// are averaged by area.
fn of_triangles(positions: &[DVec3], triangles: &[[u32; 3]]) -> Mesh {
    let area = |corners: &[u32; 3]| {
        let [p, q, r] = corners.map(|index| positions[index as usize]);
        (q - p).cross(r - p)
    };
    let areas: Vec<DVec3> = triangles.iter().map(area).collect();
    let mut at_vertex: Vec<Vec<u32>> = vec![vec![]; positions.len()];
    for (index, corners) in (0u32..).zip(triangles) {
        for corner in corners {
            at_vertex[*corner as usize].push(index);
        }
    }
    let cosine = CREASE.cos();
    let mut mesh = Mesh::default();
    // The vertices made so far at each position, by their normals.
    let mut made: Vec<Vec<u32>> = vec![vec![]; positions.len()];
    for (index, corners) in triangles.iter().enumerate() {
        let own = areas[index].normalize_or_zero();
        mesh.triangles.push(corners.map(|corner| {
            let near = &at_vertex[corner as usize];
            // A vertex of very many triangles is no smooth place, and would cost their square.
            let sum: DVec3 = if near.len() > 64 {
                areas[index]
            } else {
                let smooth = |other: &&u32| areas[**other as usize].normalize_or_zero().dot(own) >= cosine;
                near.iter().filter(smooth).map(|other| areas[*other as usize]).sum()
            };
            let normal = sum.normalize_or(own.normalize_or(DVec3::Z));
            let known = made[corner as usize]
                .iter()
                .take(64)
                .find(|vertex| mesh.normals[**vertex as usize].dot(normal) > 0.9999);
            known.copied().unwrap_or_else(|| {
                let fresh = mesh.vertices.len() as u32;
                mesh.vertices.push(positions[corner as usize]);
                mesh.normals.push(normal);
                made[corner as usize].push(fresh);
                fresh
            })
        }));
    }
    mesh
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
    use crate::wire::read;
    use superegg::shape::Superellipsoid;

    fn body(text: &str) -> Body {
        read(&format!(r#"{{"id":1,"name":"b",{text}}}"#)).unwrap()
    }

    fn form(text: &str) -> Geometry {
        form::read("", &body(text), &Files::default(), &Limits::default()).unwrap()
    }

    fn volume(mesh: &Mesh) -> f64 {
        let signed = |corners: &[u32; 3]| {
            let [p, q, r] = corners.map(|index| mesh.vertices[index as usize]);
            p.dot(q.cross(r)) / 6.0
        };
        mesh.triangles.iter().map(signed).sum()
    }

    #[test]
    fn meshes_lie_on_their_surface_and_face_outward() {
        for (exponents, taper) in [([1.0, 1.0], [0.0, 0.0]), ([0.1, 1.9], [0.3, -0.2]), ([1.9, 0.1], [0.5, 0.5])] {
            let egg = Superovoid::new([1.0, 0.5, 2.0], exponents, taper).unwrap();
            let mesh = of(&Shape::from(egg).into(), Limits::default().vertices);
            assert!(mesh.vertices.len() > 2000 && mesh.normals.len() == mesh.vertices.len());
            for (vertex, normal) in mesh.vertices.iter().zip(&mesh.normals) {
                assert!((egg.gauge(*vertex) - 1.0).abs() < 1e-9 && (normal.length() - 1.0).abs() < 1e-9);
            }
            let (volume, exact) = (volume(&mesh), egg.mass_properties().volume);
            assert!(volume > 0.97 * exact && volume < exact * (1.0 + 1e-9), "{exponents:?}: {volume} {exact}");
        }
    }

    #[test]
    fn further_superquadrics_have_unit_normals_that_agree_with_their_triangles() {
        for kind in [
            r#""type":"superhyperboloid1","height":1.5"#,
            r#""type":"superhyperboloid2","height":2.5"#,
            r#""type":"supertoroid","hole":2.5"#,
        ] {
            for exponents in ["[1,1]", "[0.1,0.3]", "[1.9,1.8]", "[0.02,1.98]"] {
                let mesh = of(&form(&format!(r#"{kind},"radii":[1,0.7,1.2],"exponents":{exponents}"#)), 2600);
                assert!(mesh.vertices.len() > 2000 && mesh.vertices.iter().all(|vertex| vertex.is_finite()), "{kind}");
                assert!(mesh.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-9), "{kind} {exponents}");
                let faces = mesh.triangles.iter().filter(|corners| {
                    let [p, q, r] = corners.map(|index| mesh.vertices[index as usize]);
                    let sum: DVec3 = corners.map(|index| mesh.normals[index as usize]).iter().sum();
                    (q - p).cross(r - p).dot(sum) >= -1e-12
                });
                let agreeing = faces.count() as f64 / mesh.triangles.len() as f64;
                assert!(agreeing > 0.97, "{kind} {exponents}: {agreeing}");
            }
        }
    }

    /// Meshes of primitives and hulls: on the surface, outward, and with the volume that formulas say.
    #[test]
    fn flat_and_rounded_bodies_are_drawn_exactly() {
        use std::f64::consts::PI;
        // A box with rounded edges: itself, its faces, its edges and its corners.
        let rounded = 8.0 * 0.24 + 8.0 * (0.48 + 0.3 + 0.4) * 0.1;
        let rounded = rounded + PI * 0.01 * 2.0 * (0.8 + 0.6 + 0.5) + 4.0 / 3.0 * PI * 0.001;
        for (text, exact) in [
            (r#""type":"box","half_extents":[1,0.5,0.25]"#, 1.0),
            (r#""type":"box","half_extents":[0.8,0.6,0.5],"rounding":0.1"#, rounded),
            (r#""type":"sphere","radius":0.5"#, PI / 6.0),
            (r#""type":"cylinder","radius":0.5,"half_height":1"#, PI / 2.0),
            (r#""type":"cone","radius":1,"half_height":0.75"#, PI / 2.0),
            (r#""type":"capsule","radius":0.5,"half_height":0.5"#, PI / 4.0 + PI / 6.0),
            (r#""type":"frustum","end_radii":[1,0.5],"half_height":0.5"#, PI / 3.0 * 1.75),
            (r#""type":"hull","points":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]]"#, 1.0 / 6.0),
        ] {
            let form = form(text);
            let mesh = of(&form, Limits::default().vertices);
            let Geometry::Shape(shape) = &form else { panic!("{text}") };
            for (vertex, normal) in mesh.vertices.iter().zip(&mesh.normals) {
                let reaches = shape.support_value(*normal);
                assert!((normal.length() - 1.0).abs() < 1e-9 && vertex.dot(*normal) <= reaches + 1e-9, "{text}");
            }
            let volume = volume(&mesh);
            assert!(volume > 0.97 * exact && volume < exact * (1.0 + 1e-9), "{text}: {volume} {exact}");
        }
    }

    #[test]
    fn a_torus_has_the_volume_of_one() {
        let mesh = of(&form(r#""type":"supertoroid","radii":[0.5,0.5,0.5],"exponents":[1,1],"hole":3"#), 2600);
        let exact = 2.0 * std::f64::consts::PI.powi(2) * 1.5 * 0.25;
        assert!((volume(&mesh) / exact - 1.0).abs() < 0.02, "{}", volume(&mesh));
    }

    #[test]
    fn a_compound_is_all_its_parts_in_their_places() {
        let ball =
            |x: f64| format!(r#"{{"type":"superellipsoid","radii":[1,1,1],"exponents":[1,1],"position":[{x},0,0]}}"#);
        let mesh = of(&form(&format!(r#""type":"compound","parts":[{},{}]"#, ball(-3.0), ball(3.0))), 2600);
        for vertex in &mesh.vertices {
            assert!((vertex.distance(DVec3::X * 3.0 * vertex.x.signum()) - 1.0).abs() < 1e-9);
        }
        assert!((volume(&mesh) / (8.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.03);
    }

    #[test]
    fn creases_stay_sharp_and_faces_smooth() {
        let cube: Vec<DVec3> =
            (0..8).map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        let mesh = of_triangles(&cube, &triangles);
        // Three normals at each corner of a cube, each along an axis.
        assert_eq!(mesh.vertices.len(), 24);
        assert!(mesh.normals.iter().all(|normal| (normal.abs().max_element() - 1.0).abs() < 1e-12));
        assert!((volume(&mesh) - 1.0).abs() < 1e-12);
        let ball = Superovoid::new([1.0; 3], [1.0; 2], [0.0; 2]).unwrap().tessellate(600, Spacing::Curvature).unwrap();
        let smooth = of_triangles(&ball.vertices, &ball.triangles);
        assert_eq!(smooth.vertices.len(), ball.vertices.len());
        assert!(smooth.vertices.iter().zip(&smooth.normals).all(|(vertex, normal)| vertex.dot(*normal) > 0.99));
    }

    #[test]
    fn previews_follow_the_grid() {
        let previews =
            |body: &Body| (0..9).map(|cell| preview(body, 3, cell, &Limits::default())).collect::<Option<Vec<_>>>();
        let egg = body(r#""type":"superellipsoid","radii":[1,2,3],"exponents":[0.5,1.5]"#);
        let meshes = previews(&egg).unwrap();
        let middle = Superellipsoid::new([1.0, 2.0, 3.0], [1.0, 1.0]).unwrap();
        assert!(meshes[4].vertices.iter().all(|vertex| (middle.gauge(*vertex) - 1.0).abs() < 1e-9));
        let right = Superellipsoid::new([1.0, 2.0, 3.0], [5.0 / 3.0, 1.0]).unwrap();
        assert!(meshes[5].vertices.iter().all(|vertex| (right.gauge(*vertex) - 1.0).abs() < 1e-9));
        let ring = body(r#""type":"supertoroid","radii":[1,1,1],"exponents":[1,1],"hole":2"#);
        assert!(previews(&ring).unwrap().iter().all(|mesh| !mesh.vertices.is_empty()));
        assert_eq!(previews(&body(r#""type":"point""#)), None);
    }
}
