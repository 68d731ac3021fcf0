//! How a scheme is run. The defaults are the papers'.

use superegg::InvalidInput;
use superegg::query::WarmStart;

use crate::{ConstraintSet, Guess};

/// How the derivatives of a common-normal system are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Jacobian {
    /// In closed form.
    #[default]
    Analytic,
    /// By forward differences, as the papers' programs do.
    FiniteDifference,
}

/// What is done when Newton's iteration fails from every guess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// Nothing: the failure is reported.
    #[default]
    None,
    /// A box of angles is halved towards the smallest residual; Newton's iteration starts again from its middle.
    Bisection,
    /// Newton's iteration with steps shortened by false position on the residual along the step.
    RegulaFalsi,
}

/// Options of a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SchemeOptions {
    /// Where an iteration stops: for common normals and optimisation the length of a step, for `geometric` the error of
    /// equation 7, both as a part of the mean of the two bodies' largest radii (of the one body's for a point).
    pub tolerance: f64,
    /// Most iterations from one start.
    pub max_iterations: u32,
    /// Where to start; the method's own guess when left out.
    pub guess: Option<Guess>,
    /// An earlier answer on the same pair, tried before any guess (the papers' temporal coherence).
    pub warm_start: Option<WarmStart>,
    /// Derivatives of the common-normal systems.
    pub jacobian: Jacobian,
    /// How often a failed common-normal run is begun again from a guess that is finer by three levels of a quadtree, or one
    /// of an octree.
    pub restarts: u32,
    /// What follows after the last restart.
    pub fallback: Fallback,
    /// Constraints of the optimisation schemes.
    pub constraints: ConstraintSet,
    /// Whether `geometric` takes the surface's curvature into its distance step (paper 000, section 5.2).
    pub curvature_aware: bool,
    /// Vertices of each mesh of the `mesh` method.
    pub mesh_vertices: usize,
    /// Whether the answer tells what the scheme did.
    pub trace: bool,
}

impl SchemeOptions {
    /// The papers' settings: 1e-6, 30 iterations, meshes of 290 vertices, nothing after a failure.
    pub const DEFAULT: SchemeOptions = SchemeOptions {
        tolerance: 1e-6,
        max_iterations: 30,
        guess: None,
        warm_start: None,
        jacobian: Jacobian::Analytic,
        restarts: 0,
        fallback: Fallback::None,
        constraints: ConstraintSet::E,
        curvature_aware: false,
        mesh_vertices: 290,
        trace: false,
    };

    pub(crate) fn validate(&self) -> Result<(), InvalidInput> {
        let tolerance = self.tolerance > 0.0 && self.tolerance <= 1.0;
        InvalidInput::unless(tolerance, "options.tolerance", self.tolerance, "]0, 1]")?;
        InvalidInput::unless(self.max_iterations > 0, "options.max_iterations", 0.0, "[1, 4294967295]")?;
        let vertices = self.mesh_vertices;
        let enough = (24..=1_000_000).contains(&vertices);
        InvalidInput::unless(enough, "options.mesh_vertices", vertices as f64, "[24, 1000000]")?;
        InvalidInput::unless(self.restarts <= 8, "options.restarts", f64::from(self.restarts), "[0, 8]")
    }
}

impl Default for SchemeOptions {
    fn default() -> SchemeOptions {
        SchemeOptions::DEFAULT
    }
}
