//! Distance of convex bodies that are apart: Newton's method, and a fallback that cannot fail.

pub(crate) mod ellipsoids;
pub(crate) mod found;
pub(crate) mod gjk;
pub(crate) mod growth;
pub(crate) mod newton;
#[cfg(target_arch = "x86_64")]
pub(crate) mod point;
pub(crate) mod polytopes;
pub(crate) mod separating_axis;
pub(crate) mod side;
pub(crate) mod step;
