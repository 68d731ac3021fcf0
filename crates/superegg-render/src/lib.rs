//! Lit, shadowed pictures of triangle meshes without a window or a graphics card.
//!
//! A plain rasteriser: a depth map seen from the sun (`shadow`), then the picture with a depth buffer at twice the size in
//! both directions, averaged down. Light is the sun, with soft-edged shadows, and a sky that is brighter above.
//!
//! ```
//! use glam::Vec3;
//! use superegg_render::{Camera, Model, Pattern, Picture};
//! let triangle = Model::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]], Pattern::Plain([0.8, 0.1, 0.1]));
//! let camera = Camera { eye: Vec3::new(0.3, 0.3, 3.0), target: Vec3::new(0.3, 0.3, 0.0), field_of_view: 30.0 };
//! let picture = Picture::new([64, 48], &camera, &[triangle]);
//! let [red, _, blue] = picture.pixel(32, 24);
//! assert!(red > 2 * blue, "the middle is red");
//! ```

mod model;
mod picture;
mod raster;
mod shadow;

pub use model::{Model, Pattern};
pub use picture::{Camera, Picture};
