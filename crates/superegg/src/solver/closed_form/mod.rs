//! Pairs whose distance is known in closed form.

pub(crate) mod balls;
pub(crate) mod footing;
pub(crate) mod plane;
pub(crate) mod simplices;
