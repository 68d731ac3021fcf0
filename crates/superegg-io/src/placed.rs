//! Meshes of a tree of nodes, put together in one: what scene formats such as COLLADA and glTF need.

use glam::{DMat4, DVec3};

use crate::polygon::Parts;

/// Deepest tree that is followed; files made by people have a dozen levels.
pub(crate) const DEEPEST: usize = 64;
/// Most triangles and vertices of a whole, and of one that is made from a small file, with what each byte of a larger one adds: a
/// few nodes that name each other could otherwise fill any memory.
const MOST: usize = 20_000_000;
const MOST_OF_SMALL: usize = 1_000_000;
const MORE_A_BYTE: usize = 100;

/// Meshes put together so far.
pub(crate) struct Assembly {
    parts: Parts,
    nodes: usize,
    most: usize,
}

impl Assembly {
    /// Nothing yet, of a file of this length.
    pub fn new(file_length: usize) -> Assembly {
        let most = MOST.min(MOST_OF_SMALL.saturating_add(file_length.saturating_mul(MORE_A_BYTE)));
        Assembly { parts: Parts::default(), nodes: 0, most }
    }

    /// Adds a mesh in its place.
    pub fn add(&mut self, place: &DMat4, (positions, triangles): &Parts) -> Result<(), String> {
        let first = self.parts.0.len();
        let most = self.most;
        if first + positions.len() > most || self.parts.1.len() + triangles.len() > most {
            return Err(format!("the scene has more than {most} vertices or triangles when put together"));
        }
        self.parts.0.extend(positions.iter().map(|p| place.transform_point3(*p)));
        let first = first as u32;
        // A mirroring turns triangles inside out.
        let mirrored = place.determinant() < 0.0;
        for &[a, b, c] in triangles {
            let [b, c] = if mirrored { [c, b] } else { [b, c] };
            let corners = [a, b, c].map(|v| v.checked_add(first));
            let [Some(a), Some(b), Some(c)] = corners else { return Err("too many vertices".into()) };
            self.parts.1.push([a, b, c]);
        }
        Ok(())
    }

    /// Counts a node that is visited; refuses trees that are too deep or too large.
    pub fn visit(&mut self, depth: usize) -> Result<(), String> {
        self.nodes += 1;
        if depth > DEEPEST {
            return Err(format!("nodes are nested deeper than {DEEPEST} levels, or contain themselves"));
        }
        if self.nodes > 1_000_000 {
            return Err("more than a million nodes".into());
        }
        Ok(())
    }

    /// The whole, after a last transformation.
    pub fn finish(mut self, place: &DMat4) -> Parts {
        let place = |p: &mut DVec3| *p = place.transform_point3(*p);
        self.parts.0.iter_mut().for_each(place);
        self.parts
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.parts.0.is_empty()
    }
}
