//! What may take cloth along in a substep: the meshes and smooth shapes of bodies that moved.
//!
//! What goes with one of them keeps its place as seen from it. All shapes of a body go together, and are held up together where they
//! would squeeze cloth against something else.

use glam::DVec3;

use super::cloth_body::smooth::SmoothBody;
use super::mesh_vertices::MeshVertices;

/// Meshes, numbered first, and smooth shapes.
pub(crate) struct Carriers<'a> {
    pub meshes: &'a mut [MeshVertices],
    pub smooth: &'a mut [SmoothBody],
}

impl Carriers<'_> {
    /// The number of a smooth shape.
    pub fn number_of_smooth(&self, index: u32) -> u32 {
        self.meshes.len() as u32 + index
    }

    fn smooth_of(&self, number: u32) -> Option<usize> {
        (number as usize).checked_sub(self.meshes.len())
    }

    /// The body that one is on.
    pub fn body(&self, number: u32) -> u32 {
        match self.smooth_of(number) {
            None => self.meshes[number as usize].body,
            Some(index) => self.smooth[index].body,
        }
    }

    /// Where a point would be at the end of the running substep if it went with one of them.
    pub fn carry(&self, number: u32, point: DVec3) -> DVec3 {
        match self.smooth_of(number) {
            None => self.meshes[number as usize].carry(point),
            Some(index) => self.smooth[index].carry(point),
        }
    }

    /// Whether the running substep has moved one of them.
    pub fn has_moved(&self, number: u32) -> bool {
        match self.smooth_of(number) {
            None => self.meshes[number as usize].has_moved(),
            Some(index) => self.smooth[index].has_moved(),
        }
    }

    /// Takes back the running substep of a body; the particles of its meshes are another's to put back.
    pub fn hold_up(&mut self, body: u32) {
        self.meshes.iter_mut().filter(|mesh| mesh.body == body).for_each(MeshVertices::hold_up);
        self.smooth.iter_mut().filter(|smooth| smooth.body == body).for_each(SmoothBody::hold_up);
    }
}
