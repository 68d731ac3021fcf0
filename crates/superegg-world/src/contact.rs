//! Two bodies near, at or in each other.

use superegg::query::Outcome;

/// Two bodies near, at or in each other: which parts of them, and the distance query's answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The part of a compound body or the triangle of a mesh; 0 for a single shape.
    pub part_a: u32,
    /// The same of b.
    pub part_b: u32,
    /// Distance, points and normal.
    pub outcome: Outcome,
}

impl Contact {
    /// The same contact with a and b exchanged.
    pub fn swapped(self) -> Contact {
        Contact { part_a: self.part_b, part_b: self.part_a, outcome: self.outcome.swapped() }
    }
}
