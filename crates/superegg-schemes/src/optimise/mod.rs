//! The distance as a constrained minimisation (paper 004): the squared distance of two points, subject to lying on the
//! surfaces and to parallel normals.

mod interior_point;
mod problem;
mod sqp;

pub(crate) use interior_point::interior_point;
pub(crate) use sqp::sqp;

/// Which constraints accompany the two surfaces (paper 004, section 5). The normals are unit vectors, r is the vector
/// between the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstraintSet {
    /// The surfaces only.
    A,
    /// And `na × nb = 0`.
    B,
    /// B, and `na · r = |r|`.
    C,
    /// B, and `nb · r = −|r|`.
    D,
    /// The surfaces and `na · nb = −1`.
    E,
    /// E, and `na · r = |r|`.
    F,
    /// E, and `nb · r = −|r|`.
    G,
    /// The surfaces, `na · r = |r|` and `nb · r = −|r|`.
    H,
}

impl ConstraintSet {
    /// All of them, in the paper's order.
    pub const ALL: [ConstraintSet; 8] = [
        ConstraintSet::A,
        ConstraintSet::B,
        ConstraintSet::C,
        ConstraintSet::D,
        ConstraintSet::E,
        ConstraintSet::F,
        ConstraintSet::G,
        ConstraintSet::H,
    ];

    /// The paper's letter.
    pub fn name(self) -> &'static str {
        match self {
            ConstraintSet::A => "a",
            ConstraintSet::B => "b",
            ConstraintSet::C => "c",
            ConstraintSet::D => "d",
            ConstraintSet::E => "e",
            ConstraintSet::F => "f",
            ConstraintSet::G => "g",
            ConstraintSet::H => "h",
        }
    }

    fn has_cross(self) -> bool {
        matches!(self, ConstraintSet::B | ConstraintSet::C | ConstraintSet::D)
    }

    fn has_dot(self) -> bool {
        matches!(self, ConstraintSet::E | ConstraintSet::F | ConstraintSet::G)
    }

    fn has_along_a(self) -> bool {
        matches!(self, ConstraintSet::C | ConstraintSet::F | ConstraintSet::H)
    }

    fn has_along_b(self) -> bool {
        matches!(self, ConstraintSet::D | ConstraintSet::G | ConstraintSet::H)
    }
}
