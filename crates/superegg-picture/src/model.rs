//! What is drawn.

use glam::{DVec3, Vec2, Vec3};

use crate::{Mesh, Paint};

/// A mesh with normals, seen from both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) paint: Paint,
}

/// Cosine of the angle between triangles that a [creased](Model::creased) model shows as one smooth surface: 40°.
const SMOOTH: f32 = 0.766;

impl Model {
    /// A smooth surface. Triangles that name vertices which do not exist, and vertices that are not finite, are left out of the picture.
    pub fn new(positions: Vec<Vec3>, mut triangles: Vec<[u32; 3]>, paint: Paint) -> Model {
        triangles.retain(|t| t.iter().all(|&v| positions.get(v as usize).is_some_and(|p| p.is_finite())));
        let mut normals = vec![Vec3::ZERO; positions.len()];
        for &corners in &triangles {
            let [a, b, c] = corners.map(|v| positions[v as usize]);
            let across = (b - a).cross(c - a);
            for v in corners {
                normals[v as usize] += across;
            }
        }
        for normal in &mut normals {
            *normal = normal.normalize_or(Vec3::Z);
        }
        Model { positions, normals, triangles, paint }
    }

    /// A surface of one colour that is smooth where it hardly bends and has an edge where it does, as furniture has. What is left
    /// out is as with [`new`](Model::new).
    pub fn creased(positions: &[Vec3], triangles: &[[u32; 3]], colour: [f32; 3]) -> Model {
        let place = |v: u32| positions.get(v as usize).copied().filter(|p| p.is_finite());
        let whole = |corners: &[u32; 3]| Some([place(corners[0])?, place(corners[1])?, place(corners[2])?]);
        let mut around = vec![Vec::new(); positions.len()];
        let mut faces = Vec::new();
        for (corners, places) in triangles.iter().filter_map(|corners| Some((*corners, whole(corners)?))) {
            let [a, b, c] = places;
            let across = (b - a).cross(c - a);
            corners.into_iter().for_each(|v| around[v as usize].push(across));
            faces.push((corners, places, across));
        }
        let (mut corners_apart, mut normals) = (Vec::new(), Vec::new());
        for (corners, places, across) in faces {
            let unit = across.normalize_or_zero();
            for (v, place) in corners.into_iter().zip(places) {
                let alike = around[v as usize].iter().filter(|other| other.dot(unit) >= SMOOTH * other.length());
                normals.push(alike.sum::<Vec3>().normalize_or(Vec3::Z));
                corners_apart.push(place);
            }
        }
        let triangles = (0..corners_apart.len() as u32).step_by(3).map(|v| [v, v + 1, v + 2]).collect();
        Model { positions: corners_apart, normals, triangles, paint: Paint::Plain(colour) }
    }

    /// A mesh whose vertices are at some places, smooth or [creased](Model::creased).
    pub fn of(positions: &[DVec3], mesh: &Mesh, creased: bool) -> Model {
        let single: Vec<Vec3> = positions.iter().map(|p| p.as_vec3()).collect();
        match (&mesh.paint, creased) {
            (Paint::Plain(colour), true) => Model::creased(&single, &mesh.triangles, *colour),
            _ => Model::new(single, mesh.triangles.clone(), mesh.paint.clone()),
        }
    }

    /// A square piece of floor around a place, in many small pieces.
    pub fn floor(centre: Vec3, half: f32, colour: [f32; 3]) -> Model {
        const CELLS: u32 = 80;
        let at = |i: u32| half * (2.0 * i as f32 / CELLS as f32 - 1.0);
        let positions = (0..=CELLS).flat_map(|j| (0..=CELLS).map(move |i| centre + Vec3::new(at(i), at(j), 0.0)));
        let corner = |i: u32, j: u32| i + (CELLS + 1) * j;
        let cells = (0..CELLS).flat_map(|j| (0..CELLS).map(move |i| (i, j)));
        let triangles = cells.flat_map(|(i, j)| {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            [[a, b, c], [a, c, d]]
        });
        Model::new(positions.collect(), triangles.collect(), Paint::Floor(colour))
    }

    /// The colour at a point of a triangle with these weights of its corners.
    pub(crate) fn colour(&self, corners: [u32; 3], weights: [f32; 3], place: Vec3) -> Vec3 {
        match &self.paint {
            Paint::Plain(colour) => Vec3::from(*colour),
            Paint::Floor(colour) => {
                let odd = (place.x.floor() + place.y.floor()).rem_euclid(2.0) >= 1.0;
                Vec3::from(*colour) * if odd { 0.92 } else { 1.0 }
            }
            Paint::Gingham { light, dark, coordinates } => {
                let at = |v: u32| coordinates.get(v as usize).map_or(Vec2::ZERO, |place| Vec2::from(*place));
                let uv = at(corners[0]) * weights[0] + at(corners[1]) * weights[1] + at(corners[2]) * weights[2];
                let stripe = |x: f32| f32::from(x.rem_euclid(2.0) < 1.0) * 0.5;
                Vec3::from(*light).lerp(Vec3::from(*dark), stripe(uv.x) + stripe(uv.y))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creases_are_where_a_surface_bends() {
        // Two triangles that share an edge along y, the second turned down by an angle.
        let bent = |angle: f32| {
            let down = Vec3::new(angle.cos(), 0.5, -angle.sin());
            let positions = [Vec3::new(-1.0, 0.5, 0.0), Vec3::ZERO, Vec3::Y, down];
            Model::creased(&positions, &[[0, 1, 2], [1, 3, 2], [0, 1, 9]], [0.5; 3])
        };
        let smooth = bent(0.3);
        assert_eq!((smooth.positions.len(), smooth.triangles.len()), (6, 2), "what names no vertex is left out");
        assert!(smooth.normals[1].distance(smooth.normals[3]) < 1e-6 && smooth.normals[1].x > 0.1);
        assert!(smooth.normals[0].distance(Vec3::Z) < 1e-6);
        let sharp = bent(1.5);
        assert!(sharp.normals[..3].iter().all(|normal| normal.distance(Vec3::Z) < 1e-6));
        assert!(sharp.normals[3..].iter().all(|normal| normal.x > 0.9));
    }
}
