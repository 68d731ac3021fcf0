//! Recognises an ellipse in a stroke: closed or nearly, drawn either way round, tilted, shaky. What is no ellipse is told why.
//!
//! The ellipse is the direct least-squares fit of Fitzgibbon, Pilu and Fisher in the stable form of Halíř and Flusser. It is believed if the
//! stroke goes round it about once and in one sense, stays close to it, and is not so thin that it could be a line.

use glam::{DMat3, DVec2, DVec3};

use super::stroke::{length, resample};

/// Samples of a stroke.
const SAMPLES: usize = 96;
/// Least and most turns about the middle.
const TURNS: [f64; 2] = [0.72, 1.45];
/// Most of the way that may lead backwards.
const BACKWARDS: f64 = 0.12;
/// How far the stroke may be off the ellipse: root mean square and most, in radii of the direction.
const OFF: [f64; 2] = [0.14, 0.42];
/// Thinnest ellipse.
const THINNEST: f64 = 0.13;

/// An ellipse in a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    pub center: DVec2,
    /// The longer first.
    pub radii: [f64; 2],
    /// Of the longer axis, in radians from x.
    pub tilt: f64,
}

/// The ellipse that a stroke means, or what to do instead.
pub fn recognise(points: &[DVec2], reach: f64) -> Result<Ellipse, &'static str> {
    const LINE: &str = "That looks like a line. Draw an ellipse around a part of a bone.";
    const OPEN: &str = "Close the ellipse: end where you began.";
    const SCRIBBLE: &str = "That is no ellipse yet. Go round once, in one go.";
    let points: Vec<DVec2> = points.iter().copied().filter(|point| point.is_finite()).collect();
    let whole = length(&points);
    if whole.is_nan() || whole <= 3.0 * reach {
        return Err("That is too small. Draw an ellipse around a part of a bone.");
    }
    let samples = resample(&points, SAMPLES);
    let found = fit(&samples).ok_or(LINE)?;
    if found.radii[1] < THINNEST * found.radii[0] {
        return Err(LINE);
    }
    let (turns, backwards) = going_round(&samples, &found);
    if backwards > BACKWARDS {
        return Err(SCRIBBLE);
    }
    if turns < TURNS[0] {
        return Err(if turns < 0.3 { LINE } else { OPEN });
    }
    let (mean, most) = off(&samples, &found);
    if turns > TURNS[1] || mean > OFF[0] || most > OFF[1] {
        return Err(SCRIBBLE);
    }
    Ok(found)
}

impl Ellipse {
    /// A place in units of the radii along the axes.
    fn local(&self, point: DVec2) -> DVec2 {
        DVec2::from_angle(-self.tilt).rotate(point - self.center) / DVec2::from_array(self.radii)
    }
}

/// Turns about the middle, without a sign, and the part of the way round that leads backwards.
fn going_round(samples: &[DVec2], ellipse: &Ellipse) -> (f64, f64) {
    let local: Vec<DVec2> = samples.iter().map(|point| ellipse.local(*point)).collect();
    let steps: Vec<f64> =
        local.windows(2).map(|pair| pair[0].angle_to(pair[1])).filter(|angle| angle.is_finite()).collect();
    let (sum, all): (f64, f64) = (steps.iter().sum(), steps.iter().map(|angle| angle.abs()).sum());
    (sum.abs() / std::f64::consts::TAU, if all > 0.0 { (all - sum.abs()) / (2.0 * all) } else { 1.0 })
}

/// How far samples are off the ellipse, in radii of their directions: root mean square and most.
fn off(samples: &[DVec2], ellipse: &Ellipse) -> (f64, f64) {
    let offs = samples.iter().map(|point| (ellipse.local(*point).length() - 1.0).abs());
    let (sum, most) = offs.fold((0.0, 0.0f64), |(sum, most), off| (sum + off * off, most.max(off)));
    ((sum / samples.len() as f64).sqrt(), most)
}

/// The ellipse of least algebraic distance; none if the points are on a line.
fn fit(points: &[DVec2]) -> Option<Ellipse> {
    let count = points.len() as f64;
    let mean = points.iter().sum::<DVec2>() / count;
    let spread = points.iter().map(|point| point.distance_squared(mean)).sum::<f64>() / count;
    let scale = spread.sqrt();
    if !(scale > 0.0 && scale.is_finite()) {
        return None;
    }
    // Sums over quadratic and linear parts of the conic a x² + b xy + c y² + d x + e y + f.
    let (mut s1, mut s2, mut s3) = (DMat3::ZERO, DMat3::ZERO, DMat3::ZERO);
    for point in points {
        let DVec2 { x, y } = (*point - mean) / scale;
        let (quadratic, linear) = (DVec3::new(x * x, x * y, y * y), DVec3::new(x, y, 1.0));
        s1 += outer(quadratic, quadratic);
        s2 += outer(quadratic, linear);
        s3 += outer(linear, linear);
    }
    if s3.determinant().abs() < 1e-9 * count.powi(3) {
        return None;
    }
    let to_linear = -(s3.inverse() * s2.transpose());
    let reduced = s1 + s2 * to_linear;
    // The inverse of the constraint 4ac - b² = 1.
    let constraint = DMat3::from_cols(DVec3::new(0.0, 0.0, 0.5), DVec3::new(0.0, -1.0, 0.0), DVec3::new(0.5, 0.0, 0.0));
    let matrix = constraint * reduced;
    let conic = eigenvalues(&matrix)
        .into_iter()
        .filter_map(|value| eigenvector(&matrix, value))
        .find(|conic| 4.0 * conic.x * conic.z - conic.y * conic.y > 0.0)?;
    let found = of_conic(conic, to_linear * conic)?;
    Some(Ellipse {
        center: mean + scale * found.center,
        radii: found.radii.map(|radius| scale * radius),
        tilt: found.tilt,
    })
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Real eigenvalues of a matrix, by its characteristic polynomial.
fn eigenvalues(matrix: &DMat3) -> Vec<f64> {
    let trace = matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z;
    let squared = *matrix * *matrix;
    let minors = 0.5 * (trace * trace - squared.x_axis.x - squared.y_axis.y - squared.z_axis.z);
    // λ³ - trace λ² + minors λ - determinant, shifted so that the square vanishes.
    let (third, determinant) = (trace / 3.0, matrix.determinant());
    let p = minors - trace * trace / 3.0;
    let q = -2.0 * third.powi(3) + third * minors - determinant;
    let discriminant = 0.25 * q * q + p.powi(3) / 27.0;
    if discriminant > 0.0 {
        let root = discriminant.sqrt();
        return vec![third + (-0.5 * q + root).cbrt() + (-0.5 * q - root).cbrt()];
    }
    let radius = 2.0 * (-p / 3.0).max(0.0).sqrt();
    let angle = if radius > 0.0 { (-4.0 * q / radius.powi(3)).clamp(-1.0, 1.0).acos() / 3.0 } else { 0.0 };
    (0..3).map(|k| third + radius * (angle - std::f64::consts::TAU * f64::from(k) / 3.0).cos()).collect()
}

/// A unit vector that a matrix takes to a multiple of itself.
fn eigenvector(matrix: &DMat3, value: f64) -> Option<DVec3> {
    let rows = (*matrix - DMat3::from_diagonal(DVec3::splat(value))).transpose();
    let candidates = [rows.x_axis.cross(rows.y_axis), rows.y_axis.cross(rows.z_axis), rows.z_axis.cross(rows.x_axis)];
    candidates.into_iter().max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))?.try_normalize()
}

/// Middle, axes and tilt of a conic that is an ellipse.
fn of_conic(quadratic: DVec3, linear: DVec3) -> Option<Ellipse> {
    let (a, b, c) = (quadratic.x, quadratic.y, quadratic.z);
    let (d, e, f) = (linear.x, linear.y, linear.z);
    let determinant = 4.0 * a * c - b * b;
    let center = DVec2::new(b * e - 2.0 * c * d, b * d - 2.0 * a * e) / determinant;
    let level = -(f + 0.5 * (d * center.x + e * center.y));
    let (middle, half) = (0.5 * (a + c), 0.5 * (a - c).hypot(b));
    // The smaller eigenvalue belongs to the longer axis, whatever the sign of the conic.
    let values = if middle > 0.0 { [middle - half, middle + half] } else { [middle + half, middle - half] };
    let radii = values.map(|value| (level / value).sqrt());
    let tilt = 0.5 * b.atan2(a - c) + if middle > 0.0 { std::f64::consts::FRAC_PI_2 } else { 0.0 };
    radii.iter().all(|radius| radius.is_finite() && *radius > 0.0).then_some(Ellipse { center, radii, tilt })
}

#[cfg(test)]
mod tests {
    use super::super::shaky::Hand;
    use super::super::sheet_tests::{USUAL_AND_SHAKIER, Wrong, assert_right};
    use super::*;

    fn ellipse_points(ellipse: &Ellipse, start: f64, turned: f64) -> Vec<DVec2> {
        let at = |k: usize| {
            let angle = start + turned * k as f64 / 120.0;
            let [a, b] = ellipse.radii;
            ellipse.center + DVec2::from_angle(ellipse.tilt).rotate(DVec2::new(a * angle.cos(), b * angle.sin()))
        };
        (0..=120).map(at).collect()
    }

    fn any_ellipse(hand: &mut Hand, reach: f64) -> Ellipse {
        let long = reach * hand.between(2.5, 14.0);
        let short = (long * hand.between(0.25, 1.0)).max(1.2 * reach);
        let center = DVec2::new(hand.between(-1.0, 1.0), hand.between(-1.0, 1.0));
        Ellipse { center, radii: [long.max(short), long.min(short)], tilt: hand.between(-1.5, 1.5) }
    }

    #[test]
    fn an_exact_ellipse_is_itself() {
        for seed in 0..200 {
            let mut hand = Hand::new(seed, 1.0);
            let meant = any_ellipse(&mut hand, 0.05);
            // Three quarters are enough.
            let found = fit(&ellipse_points(&meant, hand.between(0.0, 6.0), 4.7)).unwrap();
            assert!(found.center.distance(meant.center) < 1e-6 * meant.radii[0], "{seed}: {found:?} {meant:?}");
            for k in 0..2 {
                assert!((found.radii[k] / meant.radii[k] - 1.0).abs() < 1e-6, "{seed}: {found:?} {meant:?}");
            }
            let turned = DVec2::from_angle(found.tilt).perp_dot(DVec2::from_angle(meant.tilt));
            assert!(turned.abs() * (1.0 - meant.radii[1] / meant.radii[0]) < 1e-6, "{seed}");
        }
    }

    /// A shaky ellipse: either way round, from 85 % of a turn to 120 %, off by up to a twelfth of its smaller radius. Right is: found,
    /// the middle within a fifth of the smaller radius, both radii within a fifth, the tilt of long ones within 15°.
    fn ellipse_is_right(seed: u64, shake: f64) -> Result<(), Wrong> {
        let mut hand = Hand::new(seed, shake);
        let reach = hand.between(0.015, 0.06);
        let meant = any_ellipse(&mut hand, reach);
        let turned = hand.between(0.85, 1.2) * if hand.between(-1.0, 1.0) > 0.0 { 1.0 } else { -1.0 };
        let line = ellipse_points(&meant, hand.between(0.0, 6.3), std::f64::consts::TAU * turned);
        let (wander, tremor) =
            (hand.between(0.0, 1.0 / 12.0) * meant.radii[1], hand.between(0.0, 0.03) * meant.radii[1]);
        let points = hand.shaken(&line, wander, tremor, reach).points;
        let wrong = |why: String, found: Option<Ellipse>| Wrong {
            why: format!("seed {seed}: {why}"),
            meant: ellipse_points(&meant, 0.0, std::f64::consts::TAU),
            stroke: points.clone(),
            found: found.map_or(vec![], |found| ellipse_points(&found, 0.0, std::f64::consts::TAU)),
        };
        let found = recognise(&points, reach).map_err(|hint| wrong(format!("refused: {hint}"), None))?;
        let off = found.center.distance(meant.center) / meant.radii[1];
        let grown = (0..2).map(|k| (found.radii[k] / meant.radii[k] - 1.0).abs()).fold(0.0, f64::max);
        let turned = DVec2::from_angle(found.tilt).perp_dot(DVec2::from_angle(meant.tilt)).abs().asin().to_degrees();
        let is_long = meant.radii[1] < 0.75 * meant.radii[0];
        if off > 0.2 || grown > 0.2 || (is_long && turned > 15.0) {
            let why = format!("off by {off:.2}, grown by {grown:.2}, turned by {turned:.0}° of {meant:?}");
            return Err(wrong(why, Some(found)));
        }
        Ok(())
    }

    /// Lines, arcs, corners, zigzags, waves, eights, spirals and scribbles: none is an ellipse.
    fn other_is_refused(seed: u64, shake: f64) -> Result<(), Wrong> {
        let mut hand = Hand::new(seed, shake);
        let reach = hand.between(0.015, 0.06);
        let size = reach * hand.between(6.0, 14.0);
        let turn = DVec2::from_angle(hand.between(-3.0, 3.0));
        let kind = seed % 8;
        let extent = hand.between(0.2, 0.62);
        let curve = |k: usize| -> DVec2 {
            let t = k as f64 / 120.0;
            let tau = std::f64::consts::TAU;
            match kind {
                0 => DVec2::new(t, 0.0),
                1 => DVec2::from_angle(tau * extent * t),
                2 => {
                    if t < 0.5 {
                        DVec2::new(t, 0.0)
                    } else {
                        DVec2::new(0.5, t - 0.5)
                    }
                }
                3 => DVec2::new(t, 0.35 * ((6.0 * t).fract() * 2.0 - 1.0).abs()),
                4 => DVec2::new(2.0 * t, 0.3 * (1.5 * tau * t).sin()),
                5 => DVec2::new((tau * t).sin(), 0.6 * (2.0 * tau * t).sin()),
                6 => (0.15 + t) * DVec2::from_angle(2.6 * tau * t),
                // There and back again.
                _ => DVec2::new(1.0 - (2.0 * t - 1.0).abs(), 0.02 * t),
            }
        };
        let line: Vec<DVec2> = (0..=120).map(|k| size * turn.rotate(curve(k))).collect();
        let points = hand.shaken(&line, 0.15 * reach, 0.05 * reach, reach).points;
        match recognise(&points, reach) {
            Err(hint) if !hint.is_empty() => Ok(()),
            found => Err(Wrong {
                why: format!("seed {seed}: kind {kind} taken for {found:?}"),
                meant: line,
                stroke: points,
                found: found.map_or(vec![], |found| ellipse_points(&found, 0.0, std::f64::consts::TAU)),
            }),
        }
    }

    #[test]
    fn shaky_ellipses_are_found_and_other_strokes_are_refused() {
        for (name, shake) in USUAL_AND_SHAKIER {
            assert_right(&format!("ellipses{name}"), 1000, |seed| ellipse_is_right(seed, shake).err());
            assert_right(&format!("others{name}"), 1000, |seed| other_is_refused(seed, shake).err());
        }
    }

    #[test]
    fn anything_is_answered() {
        assert!(recognise(&[], 0.1).is_err() && recognise(&[DVec2::NAN; 9], 0.1).is_err());
        assert!(recognise(&[DVec2::ONE; 50], 0.1).is_err());
        assert!(recognise(&[DVec2::ZERO, DVec2::X * 1e300, DVec2::Y * -1e300], 0.1).is_err());
    }
}
