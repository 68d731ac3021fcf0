//! Meshes and their colours, as pictures and films share them.

use glam::DVec3;

/// How a surface is coloured. Colours are linear red, green and blue in [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub enum Paint {
    /// One colour.
    Plain([f32; 3]),
    /// A chequered weave of two colours.
    Gingham {
        /// Of the ground.
        light: [f32; 3],
        /// Where both stripes cross.
        dark: [f32; 3],
        /// A place on the cloth for each vertex, in units of its squares.
        coordinates: Vec<[f32; 2]>,
    },
    /// Squares of a floor, one metre each; in films one colour.
    Floor([f32; 3]),
}

/// A mesh with its colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Places of the vertices.
    pub positions: Vec<DVec3>,
    /// Vertex indices of the triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Colours.
    pub paint: Paint,
}
