//! From a stroke to the corners of a chain of bones (paper 001, section 4.1): the stroke is sampled at nearly regular steps and split
//! where its direction changes by more than 35°, unless a bone would be very short.
//!
//! Hands tremble, so directions are those of lines fitted to all samples of a window, before a place and after it, and a corner is where
//! they differ most. Between corners a curve is split whenever it has turned by 35° since the last split.

use glam::{DMat2, DVec2};

/// Angle at which a stroke is split, in radians.
const SPLIT: f64 = 35.0 * std::f64::consts::PI / 180.0;
/// Length of a window in reaches of a finger, and the least part of the stroke that it is.
const WINDOW: f64 = 1.5;
const LEAST_WINDOW: f64 = 1.0 / 22.0;
/// Samples of a window.
const SAMPLES: usize = 10;
/// Shortest bone, in windows.
const SHORTEST: f64 = 1.25;
/// Most samples of a stroke: what a hand draws has far fewer.
const MOST: usize = 4000;

/// The corners of a chain along a stroke, its ends among them; none for what is shorter than a finger's reach.
pub fn corners(points: &[DVec2], reach: f64) -> Option<Vec<DVec2>> {
    let length = length(points);
    if !(length > reach && length.is_finite() && reach > 0.0) {
        return None;
    }
    let window = (WINDOW * reach).max(LEAST_WINDOW * length);
    let samples = resample(points, ((length / window * SAMPLES as f64).ceil() as usize).clamp(SAMPLES, MOST));
    let spacing = length / (samples.len() - 1) as f64;
    let span = ((window / spacing).round() as usize).max(2);
    let shortest = ((SHORTEST * window / spacing).round() as usize).max(1);
    let mut splits = sharp_corners(&samples, span, shortest);
    add_bends(&samples, span, shortest, &mut splits);
    Some(placed(&samples, &splits, span, window))
}

/// The places of splits. Where two straight pieces meet it is where their lines do: a hand cuts corners.
fn placed(samples: &[DVec2], splits: &[usize], span: usize, window: f64) -> Vec<DVec2> {
    let line = |from: usize, to: usize| {
        // Without what may belong to the corners.
        let trim = (span / 3).min((to - from) / 4);
        let piece = &samples[from + trim..=to - trim];
        let (along, mean) = (direction(piece), piece.iter().sum::<DVec2>() / piece.len() as f64);
        let straight = piece.iter().all(|point| along.perp_dot(*point - mean).abs() < 0.3 * window);
        straight.then_some((mean, along))
    };
    let met = |k: usize| {
        let (one, way) = line(splits[k - 1], splits[k])?;
        let (other, away) = line(splits[k], splits[k + 1])?;
        let across = way.perp_dot(away);
        let place = one + way * ((other - one).perp_dot(away) / across);
        (across.abs() > (0.6 * SPLIT).sin() && place.distance(samples[splits[k]]) < 1.5 * window).then_some(place)
    };
    let last = splits.len() - 1;
    (0..=last).map(|k| if k == 0 || k == last { None } else { met(k) }.unwrap_or(samples[splits[k]])).collect()
}

/// Length of a line through points.
pub fn length(points: &[DVec2]) -> f64 {
    points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// As many intervals of equal length along a line through points.
pub fn resample(points: &[DVec2], intervals: usize) -> Vec<DVec2> {
    let step = length(points) / intervals as f64;
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return vec![] };
    let mut made = vec![first];
    let mut left = step;
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut far = from.distance(to);
        while far >= left && made.len() < intervals && far > 0.0 {
            from = from.lerp(to, left / far);
            made.push(from);
            far = from.distance(to);
            left = step;
        }
        left -= far;
    }
    made.resize(intervals, last);
    made.push(last);
    made
}

/// The direction of the line through samples, by least squares, the way they run.
fn direction(samples: &[DVec2]) -> DVec2 {
    let mean = samples.iter().sum::<DVec2>() / samples.len() as f64;
    let spread = samples.iter().fold(DMat2::ZERO, |sum, point| {
        let off = *point - mean;
        sum + DMat2::from_cols(off * off.x, off * off.y)
    });
    let (xx, xy, yy) = (spread.x_axis.x, spread.x_axis.y, spread.y_axis.y);
    let along = DVec2::from_angle(0.5 * (2.0 * xy).atan2(xx - yy));
    let way = samples[samples.len() - 1] - samples[0];
    if along.dot(way) < 0.0 { -along } else { along }
}

/// How much the stroke turns at a sample, without a sign.
fn turn_at(samples: &[DVec2], at: usize, span: usize) -> f64 {
    let before = &samples[at.saturating_sub(span)..=at];
    let after = &samples[at..=(at + span).min(samples.len() - 1)];
    direction(before).angle_to(direction(after)).abs()
}

/// The ends, and where the stroke turns sharply: the sharpest first, each at least a bone's length from the others.
fn sharp_corners(samples: &[DVec2], span: usize, shortest: usize) -> Vec<usize> {
    let last = samples.len() - 1;
    let turns: Vec<f64> = (0..=last)
        .map(|at| if at < span / 2 || at + span / 2 > last { 0.0 } else { turn_at(samples, at, span) })
        .collect();
    let mut order: Vec<usize> = (1..last).filter(|&at| turns[at] > SPLIT).collect();
    order.sort_by(|&a, &b| turns[b].total_cmp(&turns[a]));
    let mut splits = vec![0, last];
    for at in order {
        // A curve turns as much everywhere; a corner more than a little before and after.
        let around = at.saturating_sub(span / 2)..=(at + span / 2).min(last);
        let is_peak = around.clone().all(|other| turns[other] <= turns[at]);
        if is_peak && splits.iter().all(|&other| at.abs_diff(other) >= shortest) {
            splits.push(at);
        }
    }
    splits.sort_unstable();
    splits
}

/// Splits curves between corners wherever they have turned enough.
fn add_bends(samples: &[DVec2], span: usize, shortest: usize, splits: &mut Vec<usize>) {
    let corners = splits.clone();
    for pair in corners.windows(2) {
        let (mut start, end) = (pair[0], pair[1]);
        let mut heading = direction(&samples[start..=(start + span).min(end)]);
        for at in start + 1..end {
            let ahead = direction(&samples[at..=(at + span).min(end)]);
            let far_from_both = at - start >= shortest && end - at >= shortest;
            if far_from_both && heading.angle_to(ahead).abs() > SPLIT {
                splits.push(at);
                (start, heading) = (at, ahead);
            }
        }
    }
    splits.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::super::shaky::{Hand, Shaken};
    use super::super::sheet_tests::{USUAL_AND_SHAKIER, Wrong, assert_right};
    use super::*;

    #[test]
    fn samples_are_evenly_spread_and_keep_the_ends() {
        let points = [DVec2::ZERO, DVec2::new(1.0, 0.0), DVec2::new(1.0, 3.0)];
        let samples = resample(&points, 8);
        assert_eq!(samples.len(), 9);
        assert_eq!((samples[0], samples[8]), (points[0], points[2]));
        assert!((samples[2] - points[1]).length() < 1e-12 && (samples[4] - DVec2::new(1.0, 1.0)).length() < 1e-12);
        // Points upon points.
        assert_eq!(resample(&[DVec2::ONE; 3], 4), vec![DVec2::ONE; 5]);
        assert!(corners(&[DVec2::ONE; 3], 0.1).is_none() && corners(&[], 0.1).is_none());
        assert!(corners(&[DVec2::ZERO, DVec2::splat(f64::NAN)], 0.1).is_none());
    }

    /// Chains of one to six bones with corners of 45° to 135°. Right is: as many bones, and every joint within three quarters of a
    /// finger's reach of where it was meant.
    fn wrong_chain(seed: u64, shake: f64) -> Option<Wrong> {
        let mut hand = Hand::new(seed, shake);
        let (meant, reach) = hand.chain();
        let Shaken { points, .. } = hand.along(&meant, reach);
        let found = corners(&points, reach).unwrap_or_default();
        let off = found.iter().zip(&meant).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        let (bones, wanted) = (found.len().saturating_sub(1), meant.len() - 1);
        let why = format!("seed {seed}: {bones} bones for {wanted}, off by {:.2} reaches", off / reach);
        (bones != wanted || off > 0.75 * reach).then_some(Wrong { why, meant, stroke: points, found })
    }

    /// Arcs turn by 35° a bone, or a little more: the chain stays close to them.
    fn wrong_arc(seed: u64, shake: f64) -> Option<Wrong> {
        let mut hand = Hand::new(seed, shake);
        let (arc, turned, reach) = hand.arc();
        let Shaken { points, .. } = hand.along(&arc, reach);
        let found = corners(&points, reach).unwrap_or_default();
        let bones = found.len().saturating_sub(1) as f64;
        let whole = turned / SPLIT;
        let why = format!("seed {seed}: {bones} bones for {:.0}°", turned.to_degrees());
        let right = bones >= (0.6 * whole).floor().max(1.0) && bones <= whole.ceil() + 1.0;
        (!right).then_some(Wrong { why, meant: arc, stroke: points, found })
    }

    #[test]
    fn shaky_strokes_become_the_chains_that_were_meant() {
        for (name, shake) in USUAL_AND_SHAKIER {
            assert_right(&format!("chains{name}"), 1200, |seed| wrong_chain(seed, shake));
            assert_right(&format!("arcs{name}"), 400, |seed| wrong_arc(seed, shake));
        }
    }
}
