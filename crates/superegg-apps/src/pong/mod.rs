//! Duper Bowl Pong (paper 001, appendix B): tennis with a ball that is a superellipse, whose exponent and eccentricity change
//! as the game goes on. Unlike the paper's game the ball bounces by its true shape, normal, mass and spin, and nothing passes
//! a paddle at any speed.
//!
//! `ball` and `paddle` are what there is, `bounce` what happens when they meet, `motion` when they do, `opponent` a player,
//! `game` the rules, `session` the app.

mod ball;
mod bounce;
mod game;
pub mod messages;
mod motion;
mod opponent;
mod paddle;
mod session;

pub use session::Pong;
