//! Triangles of particles that bodies and other triangles must not pass.
//!
//! They are kept in blocks of neighbours with a box each, as paper 001 (section 3.3) groups a cloth's vertices, but
//! along a Morton curve of the rest shape, so that any mesh will do.

use std::ops::Range;

use glam::DVec3;
use superegg::InvalidInput;

use crate::error::{require, require_not_negative};

/// Coulomb friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Coefficient up to which a contact sticks.
    pub fixed: f64,
    /// Coefficient of a contact that slides.
    pub sliding: f64,
}

impl Friction {
    /// None at all.
    pub const NONE: Friction = Friction { fixed: 0.0, sliding: 0.0 };

    /// Of two materials in contact: the geometric mean of theirs.
    pub(crate) fn between(self, other: Friction) -> Friction {
        Friction { fixed: (self.fixed * other.fixed).sqrt(), sliding: (self.sliding * other.sliding).sqrt() }
    }

    pub(crate) fn validate(&self) -> Result<(), InvalidInput> {
        require_not_negative("friction.static", self.fixed)?;
        let sliding = self.sliding;
        require(sliding >= 0.0 && sliding <= self.fixed, "friction.dynamic", sliding, "[0, friction.static]")
    }
}

impl Default for Friction {
    /// Cotton on wood.
    fn default() -> Friction {
        Friction { fixed: 0.4, sliding: 0.3 }
    }
}

/// Triangles in a block.
const BLOCK: usize = 32;

/// Triangles that collide.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Particles of each triangle, neighbours close together.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The range of particles that the triangles may name.
    pub(crate) particles: Range<usize>,
    /// How far the surface stays away from bodies, in metres.
    pub(crate) offset: f64,
    /// How far it stays away from itself and from other surfaces, in metres; `None` if it may pass through them.
    pub(crate) separation: Option<f64>,
    pub(crate) friction: Friction,
    /// Mean length of the triangles' sides at rest, in metres.
    pub(crate) edge_length: f64,
}

impl Surface {
    pub(crate) fn new(mut triangles: Vec<[u32; 3]>, particles: Range<usize>, rest: &[DVec3]) -> Surface {
        let low = rest.iter().copied().reduce(DVec3::min).unwrap_or(DVec3::ZERO);
        let high = rest.iter().copied().reduce(DVec3::max).unwrap_or(DVec3::ZERO);
        let size = (high - low).max_element().max(f64::MIN_POSITIVE);
        let first = particles.start;
        let side = |corners: &[u32; 3], i: usize| {
            rest[corners[i] as usize - first].distance(rest[corners[(i + 1) % 3] as usize - first])
        };
        let sides = triangles.iter().map(|corners| side(corners, 0) + side(corners, 1) + side(corners, 2)).sum::<f64>();
        let edge_length = sides / (3 * triangles.len().max(1)) as f64;
        triangles.sort_by_cached_key(|corners| {
            let centre = corners.iter().map(|&p| rest[p as usize - first]).sum::<DVec3>() / 3.0;
            morton((centre - low) / size)
        });
        Surface { triangles, particles, offset: 0.0, separation: None, friction: Friction::default(), edge_length }
    }

    /// Particles of each triangle, in an order of neighbourhood.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The triangles of each block.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        let count = self.triangles.len();
        (0..count.div_ceil(BLOCK)).map(move |block| block * BLOCK..((block + 1) * BLOCK).min(count))
    }
}

/// Interleaved bits of a point of the unit cube.
fn morton(point: DVec3) -> u64 {
    let spread = |value: f64| {
        let cell = (value.clamp(0.0, 1.0) * 2_097_151.0) as u64;
        (0..21).fold(0, |bits, i| bits | (cell >> i & 1) << (3 * i))
    };
    spread(point.x) | spread(point.y) << 1 | spread(point.z) << 2
}
