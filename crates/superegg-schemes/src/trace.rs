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

/// One guess of the geometric iteration (paper 000, section 3), in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LambdaGuess {
    /// 0 when the egg is body a, 1 when it is body b.
    pub body: usize,
    /// The point x whose nearest surface point is wanted.
    pub target: DVec3,
    /// Where the averaged direction led from x, before it was brought onto the surface.
    pub foot: DVec3,
    /// The guess, on the surface.
    pub point: DVec3,
    /// Unit vector nμ between the guess and x, outwards.
    pub direction: DVec3,
    /// Outward unit normal n of the surface at the guess.
    pub normal: DVec3,
    /// The weight λ of the surface normal in the averaged direction that led here; none for the radial guess.
    pub factor: Option<f64>,
    /// Signed distance of the guess from x.
    pub distance: f64,
    /// Error of equation 7, in metres.
    pub error: f64,
    /// Whether it became the best so far.
    pub better: bool,
}

/// A triangle of a tessellated body, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facet {
    /// 0 for body a, 1 for body b.
    pub body: usize,
    /// Its corners.
    pub corners: [DVec3; 3],
    /// Whether the closest point lies on it.
    pub nearest: bool,
}

/// What a scheme did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Cells of the guesses, in the order in which they were chosen.
    pub cells: Vec<Cell>,
    /// Points on the way.
    pub iterates: Vec<Iterate>,
    /// Guesses of the geometric iteration.
    pub guesses: Vec<LambdaGuess>,
    /// The triangles that `mesh` compared.
    pub facets: Vec<Facet>,
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

    pub fn guess(&mut self, guess: impl FnOnce() -> LambdaGuess) {
        if let Some(trace) = &mut self.0 {
            trace.guesses.push(guess());
        }
    }
}
