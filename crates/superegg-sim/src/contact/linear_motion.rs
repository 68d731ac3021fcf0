//! A quick proof that two features did not go through each other.

use glam::DVec3;

use super::features::Features;

/// Whether some direction separates two features all the way: one that does so at both ends does so in between, since every
/// point goes straight. Tried are the axes and the features' normals; sides alone would not do, because features can go
/// through each other and change sides again beside each other.
pub(crate) fn stay_apart<F: Features>(before: &[DVec3; 4], points: &[DVec3; 4]) -> bool {
    let swept = |own: std::ops::Range<usize>| {
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        own.fold(nothing, |(low, high), i| (low.min(before[i]).min(points[i]), high.max(before[i]).max(points[i])))
    };
    let ((low, high), (floor, ceiling)) = (swept(0..F::FIRST), swept(F::FIRST..4));
    if low.cmpgt(ceiling).any() || high.cmplt(floor).any() {
        return true;
    }
    let separated = |axis: DVec3| {
        let range = |points: &[DVec3; 4], own: std::ops::Range<usize>| {
            let along = points[own].iter().map(|p| (*p - before[0]).dot(axis));
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let [(a, b), (c, d)] = [before, points].map(|points| {
            let ((a, b), (c, d)) = (range(points, 0..F::FIRST), range(points, F::FIRST..4));
            (a - d, c - b)
        });
        // Farther apart than rounding reaches.
        let least = 1e-12 * axis.length();
        (a > least && c > least) || (b > least && d > least)
    };
    separated(F::normal(before)) || separated(F::normal(points))
}

#[cfg(test)]
mod tests {
    use super::super::features::{EdgeEdge, VertexFace};
    use super::*;

    /// A vertex that goes through a face and then round its plane beside it is on the side where it was: sides told nothing,
    /// and cloth was left pierced.
    #[test]
    fn a_crossing_that_leaves_the_sides_alone_is_seen() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut hidden, mut plain) = (0, 0);
        for _ in 0..200_000 {
            let mut place = || DVec3::new(random.f64(), random.f64(), random.f64());
            let before: [DVec3; 4] = std::array::from_fn(|_| place());
            let after: [DVec3; 4] = std::array::from_fn(|_| place());
            let side = |points: &[DVec3; 4]| VertexFace::between(points).dot(VertexFace::normal(points)) >= 0.0;
            let meets = VertexFace::meet(&before, &after).is_some();
            hidden += usize::from(meets && side(&before) == side(&after));
            plain += usize::from(meets);
            assert!(!(meets && stay_apart::<VertexFace>(&before, &after)));
            let meets = EdgeEdge::meet(&before, &after).is_some();
            assert!(!(meets && stay_apart::<EdgeEdge>(&before, &after)));
        }
        assert!(hidden > 100 && plain > hidden, "{hidden} of {plain}");
    }
}
