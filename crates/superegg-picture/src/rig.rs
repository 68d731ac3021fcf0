//! Rigs: bones in a tree, surfaces that follow a bone each, and how the bones move; as glTF and COLLADA files.

use std::io::{self, Write};

use glam::DVec3;
use superegg::Pose;

/// A tree of bones with surfaces.
#[derive(Clone, Debug, Default)]
pub struct Rig {
    /// What to call it.
    pub name: String,
    /// Parents before children.
    pub bones: Vec<RigBone>,
    /// What is seen.
    pub pieces: Vec<RigPiece>,
    /// How it moves, in order of time; empty if it does not.
    pub frames: Vec<RigFrame>,
}

/// A bone.
#[derive(Clone, Debug)]
pub struct RigBone {
    /// What to call it.
    pub name: String,
    /// The bone that it hangs on.
    pub parent: Option<usize>,
    /// Where it is at rest, in the world.
    pub rest: Pose,
}

/// A surface that follows a bone.
#[derive(Clone, Debug)]
pub struct RigPiece {
    /// Which.
    pub bone: usize,
    /// Where its vertices are at rest, in the world.
    pub positions: Vec<DVec3>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Where bones are at a time.
#[derive(Clone, Debug)]
pub struct RigFrame {
    /// In seconds.
    pub time: f64,
    /// Of every bone, in the world.
    pub places: Vec<Pose>,
}

impl Rig {
    /// Refuses what no file can hold: names of bones that do not exist, and nothing to be seen.
    fn check(&self) -> io::Result<()> {
        let count = self.bones.len();
        let parents =
            self.bones.iter().enumerate().all(|(index, bone)| bone.parent.is_none_or(|parent| parent < index));
        let pieces = self.pieces.iter().all(|piece| {
            piece.bone < count
                && piece.triangles.iter().flatten().all(|&corner| (corner as usize) < piece.positions.len())
        });
        let frames = self.frames.iter().all(|frame| frame.places.len() == count);
        let seen = self.pieces.iter().any(|piece| !piece.triangles.is_empty());
        if parents && pieces && frames && seen && count <= usize::from(u16::MAX) {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a rig needs a surface, parents before children, and a place for every bone",
        ))
    }

    /// Where bones are at rest.
    pub(crate) fn rest(&self) -> Vec<Pose> {
        self.bones.iter().map(|bone| bone.rest).collect()
    }

    /// Where a bone is on its parent.
    pub(crate) fn local(&self, bone: usize, places: &[Pose]) -> Pose {
        self.bones[bone].parent.map_or(places[bone], |parent| places[parent].inverse().compose(&places[bone]))
    }

    /// Writes a binary glTF file: joints, a skin, an animation.
    pub fn write_glb(&self, to: impl Write) -> io::Result<()> {
        self.check()?;
        let (json, bytes) = crate::gltf::skinned::document(self);
        crate::gltf::container(json, bytes, to)
    }

    /// Writes a COLLADA 1.4 file: nodes, surfaces, an animation.
    pub fn write_collada(&self, to: impl Write) -> io::Result<()> {
        self.check()?;
        crate::collada::write(self, to)
    }
}
