//! What a method did, as things to draw: the front end knows these, and nothing of any method.

use serde::{Deserialize, Serialize};

use crate::wire::{Quaternion, Vector};

/// A method's way to its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Trace {
    /// The method that was traced.
    pub method: String,
    /// The two bodies.
    pub pair: [u32; 2],
    /// In order.
    pub steps: Vec<TraceStep>,
    /// Steps that were left out because there were too many.
    pub omitted: u32,
    /// How numbers changed from step to step.
    pub curves: Vec<Curve>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TraceStep {
    /// Two or three words.
    pub title: String,
    /// What happened, with its numbers.
    pub text: String,
    /// What it looks like, in the world.
    pub drawings: Vec<Drawing>,
}

/// Something to draw, in world coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Drawing {
    /// A dot.
    Point {
        /// Where.
        at: Vector,
        /// What it means.
        role: Role,
    },
    /// A line through points.
    Line {
        /// Its vertices.
        points: Vec<Vector>,
        /// What it means.
        role: Role,
    },
    /// An arrow of a length chosen by the viewer.
    Arrow {
        /// Its foot.
        at: Vector,
        /// A unit vector.
        direction: Vector,
        /// What it means.
        role: Role,
    },
    /// Many separate short lines, such as the edges of a mesh.
    Edges {
        /// Their ends, two and two.
        points: Vec<Vector>,
        /// What they mean.
        role: Role,
    },
    /// The edges of a box, such as an octree cell.
    Cell {
        /// Its centre.
        center: Vector,
        /// Half its edges.
        half: Vector,
        /// How it is turned.
        orientation: Quaternion,
        /// What it means.
        role: Role,
    },
}

/// What a drawing means; the front end gives each its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Role {
    /// Belongs to the first body.
    A,
    /// Belongs to the second body.
    B,
    /// The answer so far.
    Answer,
    /// A candidate that was looked at.
    Candidate,
    /// A candidate that was kept.
    Chosen,
    /// The end of the search.
    Final,
}

/// How a number changed from step to step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Whether it is best seen on a logarithmic scale.
    pub log: bool,
    /// One value a step; none where the step has none.
    pub values: Vec<Option<f64>>,
}
