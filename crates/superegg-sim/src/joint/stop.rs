//! The ends of the ranges of joints' axes, each a row while it holds. Which do is found by an active-set method (primal and dual at once:
//! Hintermüller, Ito, Kunisch, SIAM J. Optim. 2002): an axis that would leave its range is stopped, one whose stop would have to pull is let
//! go, and all joints are solved again, exactly, until neither happens. Corrected in turn with the contacts instead, a limit would feel
//! its two bodies only and not all that hangs on them, and give way to a strong pull.

use super::axis_row::{AxisRow, FASTEST};
use super::equality::Equality;

/// Speeds that are not told apart, in metres or radians a second.
const SAME: f64 = 1e-9;
/// A range that is no longer than this is a place, in metres or radians.
const POINT: f64 = 1e-12;

/// Which end of its range holds an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stop {
    #[default]
    Free,
    Low,
    High,
    /// Both, for they are the same.
    Both,
}

impl Stop {
    /// The stop that an axis needs that moves at a speed without one; what is off is brought back in the first of two times, in substeps of
    /// the second.
    pub fn needed(row: &AxisRow, speed: f64, times: [f64; 2]) -> Stop {
        let Some([low, high]) = row.axis.limits else { return Stop::Free };
        let exceeds = |stop: Stop| speed + stop.biases(row, times).map_or(0.0, |[bias, _]| bias);
        if high - low <= POINT {
            Stop::Both
        } else if exceeds(Stop::Low) < -SAME {
            Stop::Low
        } else if exceeds(Stop::High) > SAME {
            Stop::High
        } else {
            Stop::Free
        }
    }

    /// Whether a stop that has pushed by an impulse did not have to pull.
    pub fn pushes(self, impulse: f64) -> bool {
        match self {
            Stop::Free => false,
            Stop::Low => impulse >= 0.0,
            Stop::High => impulse <= 0.0,
            Stop::Both => true,
        }
    }

    /// What it holds of an axis, if anything.
    pub fn row(self, which: usize, row: &AxisRow, times: [f64; 2]) -> Option<Equality> {
        Some(row.equality().stopped(which as u8, self.biases(row, times)?))
    }

    /// The opposite of the speed that takes an axis to the stop, or brings it back there; and without bringing it back.
    fn biases(self, row: &AxisRow, [back, h]: [f64; 2]) -> Option<[f64; 2]> {
        let [low, high] = row.axis.limits?;
        let off = row.value - if self == Stop::High { high } else { low };
        let beyond = match self {
            Stop::Free => return None,
            Stop::Low => off < 0.0,
            Stop::High => off > 0.0,
            Stop::Both => true,
        };
        Some(if beyond { [(off / back).clamp(-FASTEST, FASTEST), 0.0] } else { [off / h; 2] })
    }
}
