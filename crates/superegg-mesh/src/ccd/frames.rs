//! How one frame of an animation moves into the next when its topology changes in between.
//!
//! The mesh is the one of the later frame. Vertices keep their number; new ones come after the old ones. A new vertex
//! that took the place of an old one in a triangle, as when a surface tears or breaks, starts from where the old one
//! was. A new vertex without such an origin, of an object that just appeared, is at rest where it appears. Triangles
//! that vanished take no part in the step.

use glam::DVec3;

use crate::TriangleMesh;

/// Where the vertices of `to` start from.
///
/// ```
/// use superegg_mesh::{DVec3, TriangleMesh, ccd::start_positions};
/// let square = [DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::Y].to_vec();
/// let whole = TriangleMesh::new(square.clone(), vec![[0, 1, 2], [0, 2, 3]])?;
/// // Torn along its diagonal: the second triangle gets corners of its own, which begin at 0 and 2.
/// let torn = [square, vec![DVec3::Z, DVec3::NEG_Z]].concat();
/// let torn = TriangleMesh::new(torn, vec![[0, 1, 2], [4, 5, 3]])?;
/// assert_eq!(start_positions(&whole, &torn)[4..], [DVec3::ZERO, DVec3::ONE]);
/// # Ok::<(), superegg_mesh::MeshError>(())
/// ```
pub fn start_positions(from: &TriangleMesh, to: &TriangleMesh) -> Vec<DVec3> {
    let old = from.positions();
    let kept = old.len().min(to.positions().len());
    let mut start = [&old[..kept], &to.positions()[kept..]].concat();
    for (before, after) in from.triangles().iter().zip(to.triangles()) {
        for (&origin, &vertex) in before.iter().zip(after) {
            if vertex as usize >= kept {
                start[vertex as usize] = old[origin as usize];
            }
        }
    }
    start
}
