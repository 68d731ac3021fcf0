//! A pair of bodies in the frame in which it is solved.

pub(crate) mod frame;
pub(crate) mod placement;
