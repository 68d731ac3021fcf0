//! Grasps: contacts with friction, and how well they hold.
//!
//! All on exact friction cones, nothing faceted. Contact i can push with any force n + μ t, |t| ≤ 1, at its point p; with the torque over a length ρ
//! these wrenches are a disc D_i in six dimensions. The hull of all discs contains a ball about the origin if and only if the grasp holds
//! against every small disturbance ([`closure`], Ferrari and Canny's quality is that ball's radius, [`quality`]); so does the sum of the
//! cones up to unit normal forces, for hands whose fingers are limited one by one.
//!
//! [`close_hand`] closes the fingers of any hand on an object by conservative advancement, [`search`] looks for grasps.

mod close;
mod closure;
mod gradient;
mod linear;
mod local;
mod polytope;
mod quality;
mod search;
mod shot;
mod wrench;

pub use close::{CloseOptions, Closed, Hand, HandContact, close_hand};
pub use closure::{Closure, MinWeight, closure, min_weight};
pub use gradient::QualityGradient;
pub use quality::{Accuracy, Quality, Wrenches, qualities, quality, quality_estimate, quality_gradient};
pub use search::{Grasp, SearchOptions, SearchReport, ball_around, search};
pub use wrench::{ContactSet, GraspContact};
