//! The messages of Cloth Table.

use serde::{Deserialize, Serialize};

/// What is on the table: all that can be saved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Table {
    /// Vertices along each side of the cloth.
    pub side: u32,
    /// Of the body.
    pub radii: [f64; 3],
    /// Of the body.
    pub exponents: [f64; 2],
}

/// Changes of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Edit {
    /// Sets the table and drops the cloth anew.
    Set {
        /// What is on it.
        table: Table,
    },
    /// Stops and goes on.
    Pause {
        /// Whether to stop.
        paused: bool,
    },
}

/// Nothing can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Ask {}

/// What a client has to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Facts {
    /// What to begin with.
    pub table: Table,
    /// Smallest and largest number of vertices along a side.
    pub sides: [u32; 2],
    /// Half the edge of the cloth, in metres.
    pub reach: f64,
}

/// What is shown beside the frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct State {
    /// Whether it stands still.
    pub paused: bool,
    /// Why the simulation ended, if it did.
    pub halted: Option<String>,
}

/// Nothing happens that must not be missed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Event {}
