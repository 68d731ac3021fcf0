//! Contacts: which colliders and surfaces may meet, and where.
//!
//! [`broad`] lists pairs of colliders, [`smooth_smooth`], [`smooth_mesh`] and [`mesh_mesh`] find their points of contact,
//! [`separation_bound`] tells how long a pair cannot meet. [`cloth_body`] keeps the surfaces of cloth and soft solids out of smooth bodies by planes,
//! [`cloth_cloth`] apart from each other, from themselves and from meshes by features, or by planes where these do ([`mesh_planes`]); [`carriers`] are the
//! bodies that take cloth along.

pub(crate) mod broad;
pub(crate) mod carriers;
pub(crate) mod cloth_body;
pub(crate) mod cloth_cloth;
mod convex_rings;
mod edge_sharpness;
mod features;
pub(crate) mod half_space;
mod linear_motion;
pub(crate) mod manifold;
pub(crate) mod mesh_mesh;
pub(crate) mod mesh_planes;
pub(crate) mod mesh_vertices;
mod narrow;
mod separating_plane;
pub(crate) mod separation_bound;
mod smooth_mesh;
mod smooth_smooth;
mod surface_tree;

/// Bodies in contact rest so far apart, in metres: what a solver leaves undone is a thinner gap, not an overlap, and
/// distances of bodies that are apart are the quickest to find.
pub(crate) const SKIN: f64 = 2e-3;
