//! What one document may hold. One place for all of it, each with its reason.

/// Bounds of what clients may ask an app for.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Bytes of an edit. The largest legal scene of Contact Lab takes nine tenths of it.
    pub edit_bytes: usize,
    /// Bytes of any other text: questions are short.
    pub ask_bytes: usize,
    /// Bodies of one world: pairs grow with the square.
    pub bodies: usize,
    /// Parts of one compound.
    pub parts: usize,
    /// Points of the hulls of one body, all its parts together.
    pub hull_points: usize,
    /// Bytes of a mesh's file.
    pub mesh_bytes: usize,
    /// Triangles of one mesh.
    pub mesh_triangles: usize,
    /// Triangles of all meshes that one client has sent, and of all bodies of its world together.
    pub total_triangles: usize,
    /// Keys of one body's motion.
    pub keys: usize,
    /// Vertices of the mesh that shows a body.
    pub vertices: usize,
    /// Samples of a motion plot.
    pub samples: usize,
    /// Rows and columns of the parameter widget's previews.
    pub preview_grid: usize,
    /// Steps of a trace; what a scheme did beyond them is told as a number.
    pub trace_steps: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            edit_bytes: 1 << 20,
            ask_bytes: 128 * 1024,
            bodies: 24,
            parts: 48,
            hull_points: 128,
            mesh_bytes: 4 << 20,
            mesh_triangles: 40_000,
            total_triangles: 120_000,
            keys: 32,
            vertices: 2_600,
            samples: 400,
            preview_grid: 9,
            trace_steps: 200,
        }
    }
}
