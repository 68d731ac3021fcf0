//! What is drawn.

use glam::{Vec2, Vec3};

/// How a surface is coloured. Colours are linear red, green and blue in [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// One colour.
    Plain([f32; 3]),
    /// A chequered weave of two colours, by coordinates of the vertices in units of its squares.
    Gingham {
        /// Of the ground.
        light: [f32; 3],
        /// Where both stripes cross.
        dark: [f32; 3],
        /// A place on the cloth for each vertex.
        coordinates: Vec<Vec2>,
    },
    /// Squares of a floor, one metre each.
    Floor([f32; 3]),
}

/// A mesh with smooth normals, seen from both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) pattern: Pattern,
}

impl Model {
    /// Triangles that name vertices which do not exist, and vertices that are not finite, are left out of the picture.
    pub fn new(positions: Vec<Vec3>, mut triangles: Vec<[u32; 3]>, pattern: Pattern) -> Model {
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
        Model { positions, normals, triangles, pattern }
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
        Model::new(positions.collect(), triangles.collect(), Pattern::Floor(colour))
    }

    /// The colour at a point of a triangle with these weights of its corners.
    pub(crate) fn colour(&self, corners: [u32; 3], weights: [f32; 3], place: Vec3) -> Vec3 {
        match &self.pattern {
            Pattern::Plain(colour) => Vec3::from(*colour),
            Pattern::Floor(colour) => {
                let odd = (place.x.floor() + place.y.floor()).rem_euclid(2.0) >= 1.0;
                Vec3::from(*colour) * if odd { 0.92 } else { 1.0 }
            }
            Pattern::Gingham { light, dark, coordinates } => {
                let at = |v: u32| coordinates.get(v as usize).copied().unwrap_or(Vec2::ZERO);
                let uv = at(corners[0]) * weights[0] + at(corners[1]) * weights[1] + at(corners[2]) * weights[2];
                let stripe = |x: f32| f32::from(x.rem_euclid(2.0) < 1.0) * 0.5;
                Vec3::from(*light).lerp(Vec3::from(*dark), stripe(uv.x) + stripe(uv.y))
            }
        }
    }
}
