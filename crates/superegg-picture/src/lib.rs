//! Pictures and films of triangle meshes without a window or a graphics card.
//!
//! A [`Picture`] comes from a plain rasteriser: a depth map seen from the sun (`shadow`), then the picture with a depth buffer at
//! twice the size in both directions, averaged down, in bands that bound the memory of large pictures. Light is the sun, with
//! soft-edged shadows, and a sky that is brighter above. Films are animated [glTF](gltf) files, and so are [skeletons](rig) with a
//! skin. Both share [`Camera`], [`Mesh`] and
//! [`Paint`].
//!
//! ```
//! use glam::{DVec3, Vec3};
//! use superegg_picture::{Camera, Model, Paint, Picture};
//! let triangle = Model::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]], Paint::Plain([0.8, 0.1, 0.1]));
//! let camera = Camera { eye: DVec3::new(0.3, 0.3, 3.0), target: DVec3::new(0.3, 0.3, 0.0), field_of_view: 30.0 };
//! let picture = Picture::new([64, 48], &camera, &[triangle]);
//! let [red, _, blue] = picture.pixel(32, 24);
//! assert!(red > 2 * blue, "the middle is red");
//! ```

mod camera;
mod collada;
pub mod gltf;
mod heights;
mod model;
mod paint;
mod picture;
mod raster;
pub mod rig;
mod shadow;

pub use camera::Camera;
pub use heights::write_heights;
pub use model::Model;
pub use paint::{Mesh, Paint};
pub use picture::Picture;
