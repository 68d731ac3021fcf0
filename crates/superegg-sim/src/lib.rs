//! One simulation world: bodies, joints, cloth and soft solids that meet each other.
//!
//! A [`World`] holds what is simulated, named by handles; [`World::step`] advances it. There is no global state, no file, no clock
//! and no thread of this crate's own choosing: the caller passes in what it wants used ([`StepOptions`]).
//!
//! ```
//! use superegg::{DVec3, Pose, shape::Superellipsoid};
//! use superegg_sim::{Body, Cloth, Fabric, StepOptions, World};
//! let mut world = World::new();
//! world.add_body(Body::fixed(Superellipsoid::new([0.5; 3], [1.0; 2])?, Pose::IDENTITY))?;
//! let sheet = Cloth::grid([9, 9], [2.0, 2.0], DVec3::new(-1.0, -1.0, 0.6))?;
//! let cloth = world.add_cloth(&sheet, &Fabric::default())?;
//! for _ in 0..100 {
//!     world.step(0.005, &StepOptions::default())?;
//! }
//! let middle = world.cloth_positions(cloth)?[40];
//! assert!(middle.z > 0.5 && middle.z < 0.6, "{middle}");
//! # Ok::<(), superegg_sim::SimError>(())
//! ```
//!
//! Data flows one way: bodies, joints and cloth are state; contacts find what meets; the solver moves it; the world keeps it all by
//! handles. [`measure`] judges the outcome by other means.

mod body;
mod clock;
mod cloth;
mod contact;
mod error;
mod handle;
mod joint;
pub mod measure;
mod soft;
mod solver;
mod world;

pub use glam::DVec3;

pub use body::{Body, Collider, Friction, Groups, Mass, Material, Motion};
pub use clock::{Clock, PhaseTimes};
pub use cloth::surface::Surface;
pub use cloth::{Bending, Cloth, Fabric, Particles, RestLength, Wind, Wrinkles};
pub use error::SimError;
pub use handle::{BodyId, ClothId, ColliderId, DragId, Handle, JointId, Kind, PinId, SoftId};
pub use joint::{Axis, AxisState, Cone, Joint, JointKind, Mimic, Servo, Spring, axes_frame, axis_frame};
pub use soft::SoftSolid;
pub use solver::options::{ContactCounts, Report, StepOptions};
pub use world::{BodyRef, ContactPoint, ContactReport, Flexible, Hit, Place, Side, Snapshot, World};
