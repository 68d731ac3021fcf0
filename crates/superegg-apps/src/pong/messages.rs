//! The messages of Duper Bowl Pong.

use serde::{Deserialize, Serialize};

/// How a match is played: all that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Match {
    /// Who plays on the right.
    pub right: Opponent,
    /// Points to win, 1 to 21.
    pub points: u32,
}

/// Who plays on the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Opponent {
    /// A second person at the same screen.
    Person,
    /// The computer, slow and careless.
    Easy,
    /// The computer.
    Medium,
    /// The computer, quick, and it aims.
    Hard,
}

/// What is done to a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Edit {
    /// Begins a new match.
    Begin {
        /// How.
        r#match: Match,
    },
    /// Sends the ball off; it goes by itself after a while.
    Serve {},
    /// Stops and goes on.
    Pause {
        /// Whether to stop.
        paused: bool,
    },
    /// Ends the match.
    Leave {},
}

/// Nothing can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Ask {}

/// What a client has to know to draw the court and to move paddles as the session does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Facts {
    /// Half the width and half the height of the court, in metres.
    pub court: [f64; 2],
    /// Distance of the paddles' line from the middle.
    pub line: f64,
    /// Half the length of a paddle.
    pub paddle: f64,
    /// Half its thickness.
    pub thickness: f64,
    /// Largest tilt, in radians.
    pub tilt: f64,
    /// How fast a paddle moves, in metres a second, and turns, in radians a second.
    pub speed: [f64; 2],
    /// Seconds of a step.
    pub dt: f64,
}

/// Where a match stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct State {
    /// What happens.
    pub phase: Phase,
    /// How it is played.
    pub r#match: Match,
    /// Points of the left and the right player.
    pub score: [u32; 2],
    /// Who serves: 0 left, 1 right.
    pub server: u32,
    /// Hits of the present rally.
    pub rally: u32,
}

/// What happens in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Phase {
    /// No match has begun.
    Start,
    /// The ball waits in the middle.
    Serve,
    /// The ball is in play.
    Play,
    /// Stopped; goes on where it was.
    Paused,
    /// Somebody has won.
    Over,
}

/// What is heard and must not be missed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Event {
    /// The ball met a wall or a paddle.
    Bounce {
        /// Whose paddle: 0 left, 1 right; none for a wall.
        paddle: Option<u32>,
        /// Where, in metres.
        at: [f64; 2],
        /// How hard, in metres a second.
        speed: f64,
    },
    /// A player has a point.
    Point {
        /// Who: 0 left, 1 right.
        by: u32,
        /// Both players' points.
        score: [u32; 2],
    },
    /// A player has won.
    Won {
        /// Who: 0 left, 1 right.
        by: u32,
    },
}
