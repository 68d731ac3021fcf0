//! What a scheme did, so that it can be drawn.

use superegg::DVec3;

/// A cell that a guess looked into and chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// A cell of the quadtree over a body's two angles.
    Angles {
        /// 0 for body a, 1 for body b.
        body: usize,
        /// Depth, from 1.
        level: u32,
        /// Middle of the cell.
        centre: [f64; 2],
        /// Half its width in both angles.
        half: [f64; 2],
    },
    /// A cell of the octree around a body, in the body's own frame.
    Cube {
        /// 0 for body a, 1 for body b.
        body: usize,
        /// Middle of the cell.
        centre: DVec3,
        /// Half its width.
        half: f64,
    },
}

/// One step of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterate {
    /// Candidate on a, in world coordinates.
    pub point_a: DVec3,
    /// Candidate on b, in world coordinates.
    pub point_b: DVec3,
    /// Outward unit normal of a there.
    pub normal_a: DVec3,
    /// Outward unit normal of b there.
    pub normal_b: DVec3,
    /// What the scheme wants to be zero.
    pub residual: f64,
}

/// What a scheme did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Cells of the guesses, in the order in which they were chosen.
    pub cells: Vec<Cell>,
    /// Points on the way.
    pub iterates: Vec<Iterate>,
}

/// Keeps a trace where one is wanted.
pub(crate) struct Recorder(pub Option<Trace>);

impl Recorder {
    pub fn new(wanted: bool) -> Recorder {
        Recorder(wanted.then(Trace::default))
    }

    pub fn cell(&mut self, cell: impl FnOnce() -> Cell) {
        if let Some(trace) = &mut self.0 {
            trace.cells.push(cell());
        }
    }

    pub fn iterate(&mut self, iterate: impl FnOnce() -> Iterate) {
        if let Some(trace) = &mut self.0 {
            trace.iterates.push(iterate());
        }
    }
}
