//! Sets of the feature pairs of two triangles: six of a corner and the other triangle, nine of an edge and another.

/// Features of a triangle: bits 0 to 2 for its corners, 3 to 5 for its edges.
pub(super) type Mask = u8;

/// Some of the fifteen feature pairs of two triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FeaturePairs {
    /// Bits 0 to 2: corners of the first triangle, against the second; bits 3 to 5: corners of the second, against the
    /// first.
    corners: u16,
    /// Bit `3 i + j`: edge `i` of the first and edge `j` of the second.
    edges: u16,
}

impl FeaturePairs {
    /// All pairs of these features.
    #[inline]
    pub fn of(one: Mask, other: Mask) -> FeaturePairs {
        let [one, other] = [one, other].map(u16::from);
        // Every edge of the first that is there puts those of the second in its place.
        let places = one >> 3 & 1 | one >> 1 & 8 | one << 1 & 64;
        FeaturePairs { corners: one & 7 | (other & 7) << 3, edges: (other >> 3) * places }
    }

    /// How many there are.
    #[inline]
    pub fn len(self) -> u64 {
        u64::from(self.corners.count_ones() + self.edges.count_ones())
    }

    /// Corners against triangles: which triangle the corner belongs to (0 or 1) and its place there.
    #[inline]
    pub fn corners(self) -> impl Iterator<Item = (usize, usize)> {
        bits(self.corners).map(|bit| (bit / 3, bit % 3))
    }

    /// Edges against edges: the place of either in its triangle.
    #[inline]
    pub fn edges(self) -> impl Iterator<Item = (usize, usize)> {
        bits(self.edges).map(|bit| (bit / 3, bit % 3))
    }

    /// Those that are here or there.
    #[inline]
    pub fn union(self, other: FeaturePairs) -> FeaturePairs {
        FeaturePairs { corners: self.corners | other.corners, edges: self.edges | other.edges }
    }

    /// Those that are here and not there.
    #[inline]
    pub fn without(self, other: FeaturePairs) -> FeaturePairs {
        FeaturePairs { corners: self.corners & !other.corners, edges: self.edges & !other.edges }
    }

    /// Whether a corner of the first (0) or second (1) triangle is among them.
    #[inline]
    pub fn has_corner(self, side: usize, corner: usize) -> bool {
        self.corners >> (3 * side + corner) & 1 == 1
    }

    /// Whether edge `i` of the first and `j` of the second triangle are among them.
    #[inline]
    pub fn has_edges(self, i: usize, j: usize) -> bool {
        self.edges >> (3 * i + j) & 1 == 1
    }

    /// Adds a corner of the first (0) or second (1) triangle.
    pub fn add_corner(&mut self, side: usize, corner: usize) {
        self.corners |= 1 << (3 * side + corner);
    }

    /// Adds edge `i` of the first and `j` of the second triangle.
    pub fn add_edges(&mut self, i: usize, j: usize) {
        self.edges |= 1 << (3 * i + j);
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(mut mask: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = mask.trailing_zeros() as usize;
        let any = mask != 0;
        mask &= mask.wrapping_sub(1);
        any.then_some(next)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_fifteen_pairs() {
        let mut pairs = FeaturePairs::default();
        for i in 0..3 {
            pairs.add_corner(0, i);
            pairs.add_corner(1, i);
            (0..3).for_each(|j| pairs.add_edges(i, j));
        }
        assert_eq!((pairs, pairs.len()), (FeaturePairs::of(63, 63), 15));
    }

    #[test]
    fn products_of_features_are_their_pairs() {
        for (one, other) in (0..64).flat_map(|one: Mask| (0..64).map(move |other: Mask| (one, other))) {
            let has = |mask: Mask, bit: usize| mask >> bit & 1 == 1;
            let mut wanted = FeaturePairs::default();
            for i in 0..3 {
                if has(one, i) {
                    wanted.add_corner(0, i);
                }
                if has(other, i) {
                    wanted.add_corner(1, i);
                }
                (0..3).filter(|&j| has(one, 3 + i) && has(other, 3 + j)).for_each(|j| wanted.add_edges(i, j));
            }
            let pairs = FeaturePairs::of(one, other);
            assert_eq!(pairs, wanted);
            assert!(pairs.corners().all(|(side, i)| has([one, other][side], i)));
            assert!(pairs.edges().all(|(i, j)| has(one, 3 + i) && has(other, 3 + j)));
            assert_eq!(pairs.corners().count() + pairs.edges().count(), pairs.len() as usize);
        }
    }
}
