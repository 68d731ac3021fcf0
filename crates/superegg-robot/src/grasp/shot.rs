//! How far a ray from inside a set of wrenches goes before it leaves: column generation.
//!
//! The largest t with c + t r in the set is the least of (h(y) - c·y) over all y with r·y = 1. Six support points whose cone contains the ray give
//! both: a point of the set at t, and with the normal y of their facet the upper bound t (h(y) - c·y). Pivots of the simplex method exchange one of the six for
//! the support point along y until both meet.

use super::linear::{M6, V6, dot, minus, norm};
use super::wrench::WrenchSet;

/// Length of the artificial columns of the start: short, so that they leave first.
const ARTIFICIAL: f64 = 1e-4;
/// Most pivots; ordinary ones need 7 to 40.
const MOST_PIVOTS: usize = 250;
/// The inverse is computed anew after so many rank-one changes.
const REFACTOR: usize = 24;

/// When a shot may end before it is exact.
pub(super) enum Until {
    /// Upper and lower bound are within this part of each other.
    Tolerance(f64),
    /// It is decided whether t is above or below this.
    Decided(f64),
}

/// Where a ray leaves.
#[derive(Clone, Debug)]
pub(super) struct Shot {
    /// At least so far.
    pub t: f64,
    /// At most t times this.
    pub factor: f64,
    /// Normal of the facet, with y·(w - c) = 1 on it.
    pub y: V6,
    /// Weights of the six points; their sum is one.
    pub weights: V6,
    /// The points.
    pub points: [V6; 6],
    /// The directions along which they are support points.
    pub directions: [V6; 6],
    /// Rows of the inverse of the points' matrix, about `from`: distances from the facets through it are measured by them.
    pub rows: M6,
    /// Whether a column of the start is left: the set is flat there, or t is not reached.
    pub artificial: bool,
}

/// Shoots along a unit direction from a point of the set.
pub(super) fn shoot(set: &impl WrenchSet, from: &V6, along: &V6, until: &Until) -> Shot {
    let sign = |i: usize| if along[i] < 0.0 { -1.0 } else { 1.0 };
    // Columns are points minus `from`.
    let mut columns: M6 = [[0.0; 6]; 6];
    let mut inverse: M6 = [[0.0; 6]; 6];
    for i in 0..6 {
        columns[i][i] = sign(i) * ARTIFICIAL;
        inverse[i][i] = sign(i) / ARTIFICIAL;
    }
    let mut shot = Shot {
        t: 0.0,
        factor: f64::INFINITY,
        y: [0.0; 6],
        weights: [0.0; 6],
        points: [*from; 6],
        directions: [[0.0; 6]; 6],
        rows: inverse,
        artificial: true,
    };
    let mut real = [false; 6];
    for pivot in 0..MOST_PIVOTS {
        let lambda: V6 = std::array::from_fn(|i| dot(&inverse[i], along));
        let sum: f64 = lambda.iter().sum();
        shot.y = std::array::from_fn(|i| (0..6).map(|j| inverse[j][i]).sum());
        shot.t = 1.0 / sum;
        shot.weights = lambda.map(|value| value / sum);
        shot.artificial = real.contains(&false);
        let (value, point) = set.support(&shot.y);
        shot.factor = value - dot(from, &shot.y);
        let done = match until {
            Until::Tolerance(tolerance) => shot.factor - 1.0 < *tolerance,
            Until::Decided(wanted) => {
                (!shot.artificial && shot.t > *wanted) || shot.t * shot.factor < *wanted || shot.factor - 1.0 < 1e-12
            }
        };
        if done {
            break;
        }
        let column = minus(&point, from);
        let alpha: V6 = std::array::from_fn(|i| dot(&inverse[i], &column));
        let mut leaving: Option<(f64, usize)> = None;
        for i in (0..6).filter(|&i| alpha[i] > 1e-11) {
            let ratio = lambda[i] / alpha[i];
            // Of equals, columns of the start leave first.
            if leaving.is_none_or(|(best, j)| ratio < best || (ratio == best && real[j] && !real[i])) {
                leaving = Some((ratio, i));
            }
        }
        let Some((_, out)) = leaving else { break };
        columns[out] = column;
        shot.points[out] = point;
        shot.directions[out] = shot.y;
        real[out] = true;
        if (pivot + 1) % REFACTOR == 0 {
            // Columns of the matrix are rows here.
            let matrix: M6 = std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]));
            let Some(exact) = super::linear::inverse(&matrix) else { break };
            inverse = exact;
        } else {
            let factor = 1.0 / alpha[out];
            let lead = inverse[out].map(|value| value * factor);
            for i in (0..6).filter(|&i| i != out) {
                for j in 0..6 {
                    inverse[i][j] -= alpha[i] * lead[j];
                }
            }
            inverse[out] = lead;
        }
    }
    shot.rows = inverse;
    shot
}

impl Shot {
    /// The distance of the point at `length` along the ray from the nearest facet of the simplex of the start and the six points.
    pub fn depth_at(&self, length: f64) -> f64 {
        let share = length / self.t;
        let sides = self.weights.iter().zip(&self.rows).map(|(weight, row)| weight * share / norm(row));
        sides.fold((1.0 - share) / norm(&self.y), f64::min)
    }
}
