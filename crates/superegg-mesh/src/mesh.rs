//! A triangle mesh that has been checked: every coordinate is finite and of usable size, every index in range.
//!
//! Degenerate triangles (a repeated vertex, no area) and edges of more than two triangles are legal; they are
//! reported by [`TriangleMesh::defects`] and handled by everything downstream.

use glam::DVec3;
use thiserror::Error;

/// Largest coordinate that is accepted. Products of eight coordinates must stay finite, and sums fit single precision.
pub const MAX_COORDINATE: f64 = 1e30;

/// Why vertices and triangles were refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MeshError {
    /// A coordinate is NaN, infinite or larger than [`MAX_COORDINATE`].
    #[error("vertex {vertex}: coordinate {value:e} is not a finite number of magnitude at most 1e30")]
    Coordinate {
        /// Index of the vertex.
        vertex: usize,
        /// The refused coordinate.
        value: f64,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle}: vertex index {index} is out of range, the mesh has {vertices} vertices")]
    Index {
        /// Index of the triangle.
        triangle: usize,
        /// The refused vertex index.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// More vertices or triangles than 31-bit indices can name.
    #[error("{count} {what} are more than the {limit} that indices can name")]
    TooMany {
        /// `"vertices"` or `"triangles"`.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A distance that margins cannot have.
    #[error("{field}: {value} is outside [0, 1e30]")]
    Margin {
        /// `"separation"` or `"tolerance"`.
        field: &'static str,
        /// The refused distance.
        value: f64,
    },
    /// Positions were given for another number of vertices than the mesh has.
    #[error("{found} positions for a mesh of {expected} vertices")]
    VertexCount {
        /// Vertices of the mesh.
        expected: usize,
        /// Positions given.
        found: usize,
    },
}

/// Most vertices or triangles a mesh may have: hierarchies hold two nodes a triangle under 32-bit indices.
pub const MAX_ELEMENTS: usize = 1 << 30;

/// Vertices and the triangles between them, validated.
///
/// ```
/// use superegg_mesh::{DVec3, MeshError, TriangleMesh};
/// let square = [DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y];
/// let mesh = TriangleMesh::new(square.to_vec(), vec![[0, 1, 2], [0, 2, 3]])?;
/// assert_eq!(mesh.triangles().len(), 2);
/// let refused = TriangleMesh::new(square.to_vec(), vec![[0, 1, 7]]).unwrap_err();
/// assert_eq!(refused.to_string(), "triangle 0: vertex index 7 is out of range, the mesh has 4 vertices");
/// # Ok::<(), MeshError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// What is unusual, though legal, about a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defects {
    /// Triangles that name a vertex twice.
    pub repeated_vertex: Vec<u32>,
    /// Triangles of three distinct vertices whose computed area is zero.
    pub zero_area: Vec<u32>,
}

impl TriangleMesh {
    /// Checks coordinates and indices.
    pub fn new(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<TriangleMesh, MeshError> {
        check_triangles(positions.len(), &triangles)?;
        check_positions(&positions)?;
        Ok(TriangleMesh { positions, triangles })
    }

    /// The vertices.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Vertex indices of each triangle, anticlockwise as seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Takes the mesh apart.
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        (self.positions, self.triangles)
    }

    /// Lists the degenerate triangles.
    pub fn defects(&self) -> Defects {
        let mut defects = Defects::default();
        for (index, &[a, b, c]) in (0u32..).zip(&self.triangles) {
            let [pa, pb, pc] = [a, b, c].map(|v| self.positions[v as usize]);
            if a == b || b == c || c == a {
                defects.repeated_vertex.push(index);
            } else if (pb - pa).cross(pc - pa) == DVec3::ZERO {
                defects.zero_area.push(index);
            }
        }
        defects
    }
}

/// Refuses triangles that name vertices which do not exist.
pub(crate) fn check_triangles(vertices: usize, triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    for (what, count) in [("vertices", vertices), ("triangles", triangles.len())] {
        if count > MAX_ELEMENTS {
            return Err(MeshError::TooMany { what, count, limit: MAX_ELEMENTS });
        }
    }
    for (triangle, indices) in triangles.iter().enumerate() {
        if let Some(&index) = indices.iter().find(|&&i| i as usize >= vertices) {
            return Err(MeshError::Index { triangle, index, vertices });
        }
    }
    Ok(())
}

/// Refuses coordinates that are not finite or too large to compute with.
pub fn check_positions(positions: &[DVec3]) -> Result<(), MeshError> {
    for (vertex, p) in positions.iter().enumerate() {
        if let Some(&value) = p.as_ref().iter().find(|x| x.is_nan() || x.abs() > MAX_COORDINATE) {
            return Err(MeshError::Coordinate { vertex, value });
        }
    }
    Ok(())
}
