//! One step of a world: [`bodies`] moves bodies by impulses, [`surfaces`] cloth and soft solids by positions, [`step`] both together.

pub(crate) mod bodies;
mod clamp_rounds;
mod contact;
mod groups;
mod impulses;
pub(crate) mod islands;
mod mesh_clamp;
mod motion_clamp;
pub(crate) mod options;
pub(crate) mod step;
mod substep_count;
pub(crate) mod surfaces;
