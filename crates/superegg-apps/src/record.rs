//! Conversations as recordings: what a client said and when, and what it heard. A recording is replayed into a fresh
//! conversation, whose words are then compared with the recorded ones; so a session is reported, and kept as a test.
//!
//! | offset | type | field |
//! |---|---|---|
//! | 0 | 8 bytes | `EGGREC`, version 1, 0 |
//! | 8 | entries | u8 tag (0: said, 1: heard), u8 kind (0: text, 1: bytes), u16 0, u32 length, f64 time, content |

use std::cell::Cell;
use std::collections::VecDeque;

use crate::conversation::{Conversation, Message, Next, Setup};
use crate::session::Clock;

const MAGIC: [u8; 8] = *b"EGGREC\x01\0";
const HEADER: usize = 16;
/// Bytes of a recording; the oldest entries go first.
const MOST: usize = 16 << 20;

/// A clock that grows by a microsecond with every look at it, so that a conversation says the same on every machine.
#[derive(Debug, Default)]
pub struct Counting(Cell<u64>);

impl Clock for Counting {
    fn now(&self) -> f64 {
        self.0.set(self.0.get() + 1);
        self.0.get() as f64 * 1e-6
    }
}

/// One message of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Whether the client heard it; else it said it.
    pub heard: bool,
    /// When, in seconds.
    pub time: f64,
    /// What.
    pub message: Message,
}

impl Entry {
    fn size(&self) -> usize {
        HEADER + content(&self.message).len()
    }
}

fn content(message: &Message) -> &[u8] {
    match message {
        Message::Text(text) => text.as_bytes(),
        Message::Binary(bytes) => bytes,
    }
}

/// What was said and heard, as much of it as is remembered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    entries: VecDeque<Entry>,
    size: usize,
    /// Whether the beginning is still there; only then it can be replayed.
    cut: bool,
}

impl Recording {
    /// Remembers one more message.
    pub fn push(&mut self, heard: bool, time: f64, message: Message) {
        let entry = Entry { heard, time, message };
        self.size += entry.size();
        self.entries.push_back(entry);
        while self.size > MOST {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.size -= oldest.size();
            self.cut = true;
        }
    }

    /// In order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Whether the beginning was forgotten.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The bytes of a file.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for entry in &self.entries {
            let kind = u8::from(matches!(entry.message, Message::Binary(_)));
            let content = content(&entry.message);
            bytes.extend_from_slice(&[u8::from(entry.heard), kind, 0, 0]);
            bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&entry.time.to_le_bytes());
            bytes.extend_from_slice(content);
        }
        bytes
    }

    /// Reads a file; what is wrong with it otherwise.
    pub fn read(bytes: &[u8]) -> Result<Recording, String> {
        let mut rest = bytes.strip_prefix(&MAGIC).ok_or("this is no recording of version 1")?;
        let mut recording = Recording::default();
        while !rest.is_empty() {
            let cut = || format!("the recording is cut off after {} messages", recording.entries.len());
            let (header, after) = rest.split_at_checked(HEADER).ok_or_else(cut)?;
            let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
            let (content, after) = after.split_at_checked(length).ok_or_else(cut)?;
            let time = f64::from_le_bytes(std::array::from_fn(|k| header[8 + k]));
            let message = match header[1] {
                0 => Message::Text(String::from_utf8(content.to_vec()).map_err(|error| error.to_string())?),
                _ => Message::Binary(content.to_vec()),
            };
            recording.push(header[0] != 0, time, message);
            rest = after;
        }
        Ok(recording)
    }
}

/// Says all that a client said, one message after the other, and records what it hears to each. Live sessions have their
/// core from the beginning.
pub fn replay<'a>(said: impl IntoIterator<Item = &'a Message>, setup: Setup) -> Recording {
    let clock = Counting::default();
    let mut conversation = Conversation::new(setup);
    let mut recording = Recording::default();
    for message in said {
        let now = clock.now();
        recording.push(false, now, message.clone());
        conversation.receive(message, now);
        conversation.grant(true, now);
        // As long as there is something to do; a live session never comes to an end.
        for _ in 0..100_000 {
            match conversation.poll(&clock, &|| false) {
                Next::Send(message) => recording.push(true, clock.now(), message),
                Next::Again => {}
                Next::Wait(_) | Next::Close(_) => break,
            }
        }
    }
    recording
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_read_as_written() {
        let mut recording = Recording::default();
        recording.push(false, 0.5, Message::Text("{\"ä\":1}".into()));
        recording.push(true, 0.75, Message::Binary(vec![1, 2, 3]));
        let bytes = recording.write();
        assert_eq!(Recording::read(&bytes), Ok(recording));
        assert!(Recording::read(&bytes[..bytes.len() - 1]).unwrap_err().contains("after 1 messages"));
        assert!(Recording::read(b"EGGREC\x02\0").is_err());
    }

    #[test]
    fn recordings_forget_their_beginning_rather_than_grow() {
        let mut recording = Recording::default();
        for k in 0..40 {
            recording.push(true, f64::from(k), Message::Binary(vec![0; 1 << 20]));
        }
        assert!(recording.is_cut() && recording.size <= MOST && recording.entries.len() == 15);
        assert_eq!(recording.entries().last().unwrap().time, 39.0);
    }
}
