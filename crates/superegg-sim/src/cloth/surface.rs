//! Triangles of particles that bodies and other triangles must not pass.
//!
//! They are kept in blocks of neighbours with a box each, as paper 001 (section 3.3) groups a cloth's vertices, but by
//! halving the rest shape again and again, so that any mesh will do.

use std::ops::Range;

use crate::body::{Friction, Groups};
use glam::DVec3;

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
    pub(crate) groups: Groups,
    /// Squared lengths at rest of each triangle's sides from corner 0 to 1, 1 to 2 and 2 to 0.
    pub(crate) rest_sq: Vec<[f64; 3]>,
    /// Mean length of the triangles' sides at rest, in metres.
    pub(crate) edge_length: f64,
    /// Whether the rest shape is a full rectangle, so that every half of a half is convex.
    pub(crate) fills_rectangle: bool,
}

impl Surface {
    pub(crate) fn new(triangles: Vec<[u32; 3]>, particles: Range<usize>, rest: &[DVec3]) -> Surface {
        let first = particles.start;
        let side = |corners: &[u32; 3], i: usize| {
            rest[corners[i] as usize - first].distance(rest[corners[(i + 1) % 3] as usize - first])
        };
        let sides = triangles.iter().map(|corners| side(corners, 0) + side(corners, 1) + side(corners, 2)).sum::<f64>();
        let edge_length = sides / (3 * triangles.len().max(1)) as f64;
        let center = |corners: &[u32; 3]| corners.iter().map(|&p| rest[p as usize - first]).sum::<DVec3>() / 3.0;
        let mut centred: Vec<(DVec3, [u32; 3])> = triangles.into_iter().map(|t| (center(&t), t)).collect();
        halve(&mut centred);
        let triangles: Vec<[u32; 3]> = centred.into_iter().map(|(_, corners)| corners).collect();
        let side_sq = |t: &[u32; 3]| [0, 1, 2].map(|i| side(t, i) * side(t, i));
        let rest_sq = triangles.iter().map(side_sq).collect();
        let separation = None;
        let fills_rectangle = fills_rectangle(&triangles, first, rest);
        Surface {
            triangles,
            particles,
            offset: 0.0,
            separation,
            friction: Friction::default(),
            groups: Groups::ALL,
            edge_length,
            rest_sq,
            fills_rectangle,
        }
    }

    /// Particles of each triangle, in an order of neighbourhood.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The particles that the triangles may name.
    pub fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    /// Moves the particles that it names by removing some before them.
    pub(crate) fn shift(&mut self, by: usize) {
        self.triangles.iter_mut().flatten().for_each(|p| *p -= by as u32);
        self.particles = self.particles.start - by..self.particles.end - by;
    }

    /// The triangles of each block.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        let count = self.triangles.len();
        (0..count.div_ceil(BLOCK)).map(move |block| block * BLOCK..((block + 1) * BLOCK).min(count))
    }
}

/// Sorts triangles so that both halves, and their halves again, are divided by a plane across their longest extent.
fn halve(triangles: &mut [(DVec3, [u32; 3])]) {
    if triangles.len() < 2 {
        return;
    }
    let (low, high) = triangles
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), (center, _)| (low.min(*center), high.max(*center)));
    let axis = (high - low).max_position();
    let half = triangles.len() / 2;
    triangles.select_nth_unstable_by(half, |a, b| a.0[axis].total_cmp(&b.0[axis]).then_with(|| a.1.cmp(&b.1)));
    let (left, right) = triangles.split_at_mut(half);
    halve(left);
    halve(right);
}

/// Whether triangles cover a rectangle of a plane z = constant without gap or overlap, by their area.
fn fills_rectangle(triangles: &[[u32; 3]], first: usize, rest: &[DVec3]) -> bool {
    let low = rest.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = rest.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = high - low;
    // Signed: folded triangles do not count twice.
    let area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|p| rest[p as usize - first]);
        0.5 * (b - a).cross(c - a).z
    };
    let (sum, unsigned) =
        triangles.iter().map(area).fold((0.0, 0.0), |(sum, unsigned), area| (sum + area, unsigned + f64::abs(area)));
    let rectangle = size.x * size.y;
    size.z <= 1e-9 * size.x.max(size.y) && (sum.abs() - rectangle).abs() <= 1e-9 * rectangle && unsigned == sum.abs()
}
