//! A client's computation: its conversation, the messages that wait for it, its seat and its core, as one value that moves
//! onto a thread for one turn and comes back. An idle client has no thread.
//!
//! Because all of that is one value, nothing of it is given back while a computation runs: a client that leaves has its seat
//! and its core until the present unit of work is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use superegg_apps::{Clock, Close, Conversation, Message, Next};
use tokio::sync::mpsc;

use crate::admission::{Core, Seat};

/// Messages that go out in one turn.
const MOST_SENT: usize = 64;
/// Length of a turn in seconds; then others have theirs.
const TURN: f64 = 0.01;

/// The host's clock.
pub(crate) struct HostClock(Instant);

impl HostClock {
    pub fn start() -> HostClock {
        HostClock(Instant::now())
    }

    /// When that time is, for timers.
    pub fn instant(&self, time: f64) -> Instant {
        self.0 + std::time::Duration::from_secs_f64(time.clamp(0.0, 1e9))
    }
}

impl Clock for HostClock {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// What a turn came to.
#[derive(Debug)]
pub(crate) enum Turn {
    /// Send these, then go on.
    Send(Vec<Message>),
    /// The slice is over; there is more to do.
    Again,
    /// Nothing to do until then, or until a message comes.
    Wait(Option<f64>),
    /// The conversation is over, after these.
    Close(Close),
    /// The client has left.
    Left,
}

/// A client's computation.
pub(crate) struct Actor {
    pub conversation: Conversation,
    pub incoming: mpsc::Receiver<Message>,
    pub clock: HostClock,
    /// Set by the reader when the client has left.
    pub gone: Arc<AtomicBool>,
    pub core: Option<Core>,
    pub _seat: Seat,
}

impl Actor {
    /// Takes what came in and computes, until there is something to send, nothing to do, or the turn is over.
    pub fn turn(&mut self) -> Turn {
        let end = self.clock.now() + TURN;
        let gone = || self.gone.load(Ordering::Relaxed);
        let mut sending = vec![];
        loop {
            if gone() {
                return Turn::Left;
            }
            while !self.conversation.is_full() {
                match self.incoming.try_recv() {
                    Ok(message) => self.conversation.receive(&message, self.clock.now()),
                    Err(mpsc::error::TryRecvError::Empty) => break,
                    Err(mpsc::error::TryRecvError::Disconnected) => return Turn::Left,
                }
            }
            match self.conversation.poll(&self.clock, &gone) {
                Next::Send(message) => {
                    sending.push(message);
                    if sending.len() < MOST_SENT {
                        continue;
                    }
                    return Turn::Send(sending);
                }
                // What is sent is sent before anything newer is written.
                _ if !sending.is_empty() => return Turn::Send(sending),
                Next::Again if self.clock.now() < end => {}
                Next::Again => return Turn::Again,
                Next::Wait(until) => return Turn::Wait(until),
                Next::Close(close) => return Turn::Close(close),
            }
        }
    }
}
