//! Input that waits for the next step: of moves the latest of each control since its last press or release, of presses,
//! releases and cancels every one, in order.

use crate::wire::input::Input;
use crate::wire::{Control, Phase};

/// Presses and releases that may wait; beyond them the host stops reading.
pub const MOST: usize = 64;

/// What hands did and the session has not seen.
#[derive(Debug, Default)]
pub struct Inbox {
    waiting: Vec<Control>,
    /// Waiting records that may not be merged.
    firm: usize,
    /// Of the newest message.
    sequence: u32,
    /// Of the newest message that the session has seen.
    consumed: u32,
}

impl Inbox {
    /// Takes a message.
    pub fn push(&mut self, input: &Input) {
        self.sequence = input.sequence;
        for control in &input.controls {
            if control.phase == Phase::Move {
                let last = self.waiting.iter_mut().rev().find(|other| other.control == control.control);
                match last {
                    Some(last) if last.phase == Phase::Move => *last = *control,
                    _ => self.waiting.push(*control),
                }
            } else {
                self.waiting.push(*control);
                self.firm += 1;
            }
        }
        // Nothing to see: the message counts as seen when all before it is.
        if self.waiting.is_empty() {
            self.consumed = self.sequence;
        }
    }

    /// Whether a hand waits for the next step.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether no more presses and releases may be taken.
    pub fn is_full(&self) -> bool {
        self.firm >= MOST
    }

    /// Hands over what waits.
    pub fn take(&mut self) -> Vec<Control> {
        self.consumed = self.sequence;
        self.firm = 0;
        std::mem::take(&mut self.waiting)
    }

    /// Sequence of the newest input that the session has seen.
    pub fn consumed(&self) -> u32 {
        self.consumed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(control: u8, phase: Phase, x: f32) -> Control {
        Control { control, phase, flags: 0, object: 0, values: [x, 0.0, 0.0, 0.0, 0.0, 0.0] }
    }

    #[test]
    fn the_latest_move_wins_and_nothing_else_is_lost() {
        use Phase::{Cancel, Move, Press, Release};
        let mut inbox = Inbox::default();
        let mut push = |sequence, controls: &[Control]| {
            inbox.push(&Input { sequence, drawn: 0, controls: controls.to_vec() });
        };
        push(1, &[control(1, Press, 0.0), control(1, Move, 1.0), control(2, Move, 5.0)]);
        push(2, &[control(1, Move, 2.0), control(2, Move, 6.0)]);
        push(3, &[control(1, Release, 2.0), control(1, Press, 3.0), control(1, Move, 4.0), control(1, Cancel, 0.0)]);
        assert_eq!((inbox.is_waiting(), inbox.consumed()), (true, 0));
        let taken = inbox.take();
        let expected = [
            control(1, Press, 0.0),
            control(1, Move, 2.0),
            control(2, Move, 6.0),
            control(1, Release, 2.0),
            control(1, Press, 3.0),
            control(1, Move, 4.0),
            control(1, Cancel, 0.0),
        ];
        assert_eq!(taken, expected);
        assert_eq!((inbox.is_waiting(), inbox.consumed()), (false, 3));
        inbox.push(&Input { sequence: 9, drawn: 0, controls: vec![] });
        assert_eq!(inbox.consumed(), 9);
    }

    #[test]
    fn moves_take_no_room_and_presses_do() {
        let mut inbox = Inbox::default();
        for sequence in 0..10_000 {
            inbox.push(&Input {
                sequence,
                drawn: 0,
                controls: vec![control(1, Phase::Move, 0.0), control(2, Phase::Move, 1.0)],
            });
        }
        assert!(!inbox.is_full() && inbox.waiting.len() == 2);
        for sequence in 0..MOST as u32 {
            assert!(!inbox.is_full());
            inbox.push(&Input { sequence, drawn: 0, controls: vec![control(1, Phase::Press, 0.0)] });
        }
        assert!(inbox.is_full());
        inbox.take();
        assert!(!inbox.is_full());
    }
}
