//! Time as the caller measures it: the simulation itself looks at no clock.

/// Something that tells the time.
pub trait Clock {
    /// Seconds since some moment that stays the same.
    fn now(&self) -> f64;
}

/// Seconds spent in each phase of a step, as the tables of paper 000 divide it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseTimes {
    /// Prediction of positions from velocities and outer forces.
    pub time_integration: f64,
    /// Stretch, bending, attachments, shape matching.
    pub position_constraints: f64,
    /// Contacts with bodies and of cloth with itself, and friction: what paper 000 solves as velocity constraints.
    pub velocity_constraints: f64,
    /// Finding contacts.
    pub collision_detection: f64,
    /// Velocities from positions.
    pub velocity_update: f64,
}

impl PhaseTimes {
    /// All phases together.
    pub fn total(&self) -> f64 {
        self.time_integration
            + self.position_constraints
            + self.velocity_constraints
            + self.collision_detection
            + self.velocity_update
    }
}

/// A clock that may be missing, and the time of the last look at it.
pub(crate) struct StopWatch<'a> {
    clock: Option<&'a dyn Clock>,
    last: f64,
}

impl<'a> StopWatch<'a> {
    pub fn new(clock: Option<&'a dyn Clock>) -> StopWatch<'a> {
        StopWatch { clock, last: clock.map_or(0.0, Clock::now) }
    }

    /// Adds the time since the last lap to a phase.
    pub fn lap(&mut self, phase: &mut f64) {
        if let Some(clock) = self.clock {
            let now = clock.now();
            *phase += now - self.last;
            self.last = now;
        }
    }
}
