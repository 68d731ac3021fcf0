//! How to make a step, and what is told of it.

use superegg::Threads;

use crate::clock::{Clock, PhaseTimes};

/// Most substeps of a step.
pub(crate) const MOST_SUBSTEPS: u32 = 10_000;

/// How to make a step.
#[derive(Clone, Copy)]
pub struct StepOptions<'a> {
    /// Pieces that a step is cut into.
    pub substeps: u32,
    /// Threads to share large worlds among. The result is the same.
    pub threads: Threads,
    /// Measures the phases, if given.
    pub clock: Option<&'a dyn Clock>,
    /// Seconds of the clock that the step may take: it ends early, after a whole substep, rather than take longer. At least one
    /// substep is made.
    pub budget: Option<f64>,
    /// Whether contacts are to be told by [`World::contacts`](crate::World::contacts), with their impulses.
    pub contacts: bool,
}

impl Default for StepOptions<'_> {
    /// Five substeps on the calling thread.
    fn default() -> Self {
        StepOptions { substeps: 5, threads: Threads::One, clock: None, budget: None, contacts: false }
    }
}

/// How many contacts there were in the last substep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactCounts {
    /// Points of bodies that carried something.
    pub bodies: usize,
    /// Vertices of cloth that were held off smooth bodies.
    pub cloth: usize,
    /// Pairs of features of cloth that were held apart.
    pub cloth_cloth: usize,
    /// Pairs of features of cloth and of meshes that were held apart.
    pub cloth_mesh: usize,
}

/// What happened in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// By how many seconds the world was advanced: less than was asked for if a budget ran out.
    pub advanced: f64,
    /// Substeps that were made: those that were asked for, unless a budget ran out, or several times as many where joints need that or
    /// fast bodies meet cloth.
    pub substeps: u32,
    /// Seconds spent in each phase; zeros without a clock.
    pub times: PhaseTimes,
    /// Dynamic bodies that were awake.
    pub awake: usize,
    /// Contacts of the last substep.
    pub contacts: ContactCounts,
    /// The largest speed of a particle of cloth or a soft solid, or a bound of that of any point of a dynamic body, at the end.
    pub max_speed: f64,
    /// The slots of bodies that were held up by cloth that they would have squeezed through something else.
    pub held_up: Vec<usize>,
}
