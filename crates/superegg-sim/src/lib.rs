//! Position-based cloth and soft solids on smooth bodies.
//!
//! A [`World`] holds particles, bodies and the constraints between them; [`step`] advances it. There is no global state,
//! no file, no clock and no thread of this crate's own choosing: the caller passes in what it wants used
//! ([`StepOptions`]).
//!
//! ```
//! use superegg::{DVec3, Pose, shape::Superellipsoid};
//! use superegg_sim::{Body, Cloth, Fabric, StepOptions, World, step};
//! let mut world = World::new();
//! world.add_body(Body::fixed(Superellipsoid::new([0.5; 3], [1.0; 2])?.into(), Pose::IDENTITY))?;
//! let sheet = Cloth::grid([9, 9], [2.0, 2.0], DVec3::new(-1.0, -1.0, 0.6));
//! let cloth = world.add_cloth(&sheet, &Fabric::default())?;
//! for _ in 0..100 {
//!     step(&mut world, 0.005, &StepOptions::default())?;
//! }
//! let middle = world.cloth_positions(cloth)[40];
//! assert!(middle.z > 0.5 && middle.z < 0.6, "{middle}");
//! # Ok::<(), superegg_sim::SimError>(())
//! ```
//!
//! Data flows one way: [`Particles`], [`Body`] and [`Obstacle`] are state, [`constraint`] moves particles, [`contact`] keeps
//! them out of bodies, off meshes and apart, [`step`] puts the phases in order, [`measure`] judges the outcome by other means,
//! [`scene`] makes worlds to try it on.

mod body;
mod clock;
mod cloth;
pub mod constraint;
pub mod contact;
mod error;
pub mod measure;
mod obstacle;
mod particles;
pub mod rigid;
pub mod scene;
mod soft;
mod step;
mod surface;
mod wind;
mod world;
mod wrinkle;

pub use glam::DVec3;

pub use body::{Body, BodyId, Motion};
pub use clock::{Clock, PhaseTimes};
pub use cloth::{Bending, Cloth, ClothId, Fabric, RestLength};
pub use error::SimError;
pub use obstacle::{Obstacle, ObstacleId};
pub use particles::Particles;
pub use soft::{SoftId, SoftSolid};
pub use step::{StepOptions, StepReport, step};
pub use surface::{Friction, Surface};
pub use wind::Wind;
pub use world::World;
pub use wrinkle::Wrinkles;
