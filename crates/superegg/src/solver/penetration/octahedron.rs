//! How the facets of a closed surface of triangles join, and the first such surface of a polytope as a table, made and checked when the
//! program is compiled.

/// One side of a facet: from corner `index` to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side(u16);

impl Side {
    pub const NONE: Side = Side(0);

    pub const fn new(facet: usize, index: usize) -> Side {
        Side((facet << 2 | index) as u16)
    }

    pub fn facet(self) -> usize {
        usize::from(self.0 >> 2)
    }

    pub fn index(self) -> usize {
        usize::from(self.0 & 3)
    }
}

/// The corner after `index`, of three.
pub(super) const fn next(index: usize) -> usize {
    [1, 2, 0, 0][index & 3]
}

/// Corners and neighbours of one facet. The fourth of each is of no use but for indices of two bits, which need no check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    pub corners: [u16; 4],
    /// For each side, the same side in the neighbour.
    pub across: [Side; 4],
}

impl Triangle {
    /// In place of a facet that is gone.
    pub const UNUSED: Triangle = Triangle { corners: [0; 4], across: [Side::NONE; 4] };

    /// Whether there is no facet.
    pub fn is_unused(&self) -> bool {
        self.corners[0] == self.corners[1]
    }
}

/// Facets between support points along x, -x, y, -y, z, -z.
pub(super) static OCTAHEDRON: [Triangle; 8] = joined(octahedron());

const fn octahedron() -> [[u16; 3]; 8] {
    let mut triangles = [[0; 3]; 8];
    let mut octant = 0;
    while octant < 8 {
        let [x, y, z] = [(octant & 1) as u16, 2 + (octant >> 1 & 1) as u16, 4 + (octant >> 2) as u16];
        // An odd number of negative half-axes turns the facet round.
        let turned = (octant & 1) ^ (octant >> 1 & 1) ^ (octant >> 2) == 1;
        triangles[octant] = if turned { [y, x, z] } else { [x, y, z] };
        octant += 1;
    }
    triangles
}

/// Finds the neighbours: a side runs the other way round in the facet across.
const fn joined<const N: usize>(triangles: [[u16; 3]; N]) -> [Triangle; N] {
    let mut all = [Triangle { corners: [0; 4], across: [Side::NONE; 4] }; N];
    let mut facet = 0;
    while facet < N {
        let [a, b, c] = triangles[facet];
        let mut across = [Side::NONE; 4];
        let mut index = 0;
        while index < 3 {
            let (from, to) = (triangles[facet][index], triangles[facet][next(index)]);
            let mut found = false;
            let mut other = 0;
            while other < N {
                let mut there = 0;
                while there < 3 {
                    if triangles[other][there] == to && triangles[other][next(there)] == from {
                        assert!(!found, "a side has two neighbours");
                        across[index] = Side::new(other, there);
                        found = true;
                    }
                    there += 1;
                }
                other += 1;
            }
            assert!(found, "a side has no neighbour");
            index += 1;
        }
        across[3] = across[2];
        all[facet] = Triangle { corners: [a, b, c, c], across };
        facet += 1;
    }
    all
}
