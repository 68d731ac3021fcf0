//! Bounds of single features: whether a vertex and a face, or two edges, are surely apart all the time.
//!
//! They are made from the tracks of the corners whenever they are needed, along the eight axes that fill a vector.

use wide::i16x8;

use super::dop::{MOVING_DOP, Mode, SWEPT_BOX, Track};

/// Extents at both ends of the time interval: low and high at its start, low and high at its end.
#[inline]
fn extents<const K: usize>(corners: [&Track; K]) -> [[i16x8; 2]; 2] {
    let lanes = corners.map(Track::lanes);
    [0, 1].map(|time: usize| {
        let first = lanes[0][time];
        lanes[1..].iter().fold([first, first], |[low, high], corner| [low.min(corner[time]), high.max(corner[time])])
    })
}

/// Whether features, given by the tracks of their corners, are farther apart than `slack` along one axis.
#[inline]
pub(super) fn apart<const MODE: Mode, const A: usize, const B: usize>(
    one: [&Track; A],
    other: [&Track; B],
    slack: i16,
) -> bool {
    let slack = i16x8::splat(slack);
    let ([own_start, own_end], [start, end]) = (extents(one), extents(other));
    // The slack is added to the fewer corners' bound, at each end or where both are one.
    let loosened = |[low, high]: [i16x8; 2]| [low.saturating_sub(slack), high.saturating_add(slack)];
    let sides =
        |[own_low, own_high]: [i16x8; 2], [low, high]: [i16x8; 2]| [own_low.simd_gt(high), low.simd_gt(own_high)];
    if MODE == MOVING_DOP {
        let at_start = sides(loosened(own_start), start);
        let at_end = sides(loosened(own_end), end);
        return ((at_start[0] & at_end[0]) | (at_start[1] & at_end[1])).any();
    }
    let swept = |start: [i16x8; 2], end: [i16x8; 2]| [start[0].min(end[0]), start[1].max(end[1])];
    let [above, below] = sides(loosened(swept(own_start, own_end)), swept(start, end));
    (above | below).to_bitmask() & (if MODE == SWEPT_BOX { 7 } else { 255 }) != 0
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::dop::{Dop, Frame, SWEPT_DOP};
    use super::super::elementary::Margin;
    use super::*;

    /// A small generator of coordinates, the same everywhere.
    fn vectors() -> impl FnMut() -> DVec3 {
        let mut state = 1u64;
        let mut number = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        move || DVec3::new(number(), number(), number())
    }

    /// Features are apart just when their bounds are, along the eight axes.
    fn check<const MODE: Mode>() {
        let mut vector = vectors();
        let mut seen = [0; 2];
        for _ in 0..2_000 {
            let away = vector();
            let motion: [[DVec3; 2]; 4] = std::array::from_fn(|i| {
                let start = vector() + if i < 2 { DVec3::ZERO } else { away };
                [start, start + vector() * 0.3]
            });
            let frame = Frame::new::<2>(motion.as_flattened().iter(), Margin::EXACT, 1.0);
            let tracks = motion.map(|control| frame.track(&frame.local(&control)));
            let [a, b, c, d] = [0, 1, 2, 3].map(|i: usize| &tracks[i]);
            let bound = |corners: &[&Track]| {
                let all = corners.iter().map(|&track| Dop::of_vertex(track));
                all.reduce(|a, b| a.union(&b)).expect("a feature has corners")
            };
            let overlap =
                |own: &[&Track], its: &[&Track]| bound(own).loosened(frame.slack).overlaps::<MODE>(&bound(its));
            let edges = apart::<MODE, 2, 2>([a, b], [c, d], frame.slack);
            assert_eq!(edges, !overlap(&[a, b], &[c, d]));
            assert_eq!(apart::<MODE, 1, 3>([a], [b, c, d], frame.slack), !overlap(&[a], &[b, c, d]));
            seen[usize::from(edges)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }

    #[test]
    fn features_are_told_apart_as_their_bounds_are() {
        check::<SWEPT_BOX>();
        check::<SWEPT_DOP>();
        check::<MOVING_DOP>();
    }
}
