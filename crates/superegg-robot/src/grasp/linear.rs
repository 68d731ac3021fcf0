//! Vectors and small dense systems in six dimensions and a few more.

/// A wrench, or a direction of wrenches: force, then torque over a length.
pub(super) type V6 = [f64; 6];
/// Rows.
pub(super) type M6 = [[f64; 6]; 6];

#[inline]
pub(super) fn dot(a: &V6, b: &V6) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

#[inline]
pub(super) fn norm(a: &V6) -> f64 {
    dot(a, a).sqrt()
}

#[inline]
pub(super) fn scaled(a: &V6, factor: f64) -> V6 {
    a.map(|value| value * factor)
}

/// a + b · factor.
#[inline]
pub(super) fn plus(a: &V6, b: &V6, factor: f64) -> V6 {
    std::array::from_fn(|i| a[i] + b[i] * factor)
}

#[inline]
pub(super) fn minus(a: &V6, b: &V6) -> V6 {
    std::array::from_fn(|i| a[i] - b[i])
}

/// The inverse of a matrix, by elimination with row pivots; `None` if a pivot vanishes.
pub(super) fn inverse(matrix: &M6) -> Option<M6> {
    let mut rows = *matrix;
    let mut inverse: M6 = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for column in 0..6 {
        let pivot = (column..6).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        if rows[pivot][column].abs() < 1e-14 {
            return None;
        }
        rows.swap(pivot, column);
        inverse.swap(pivot, column);
        let factor = 1.0 / rows[column][column];
        (rows[column], inverse[column]) = (scaled(&rows[column], factor), scaled(&inverse[column], factor));
        for row in (0..6).filter(|row| *row != column) {
            let factor = -rows[row][column];
            rows[row] = plus(&rows[row], &rows[column], factor);
            inverse[row] = plus(&inverse[row], &inverse[column], factor);
        }
    }
    Some(inverse)
}

/// Most unknowns of [`solve`].
pub(super) const MOST: usize = 20;

/// Solves a dense system of `n` equations in place: the rows' last entry, at `n`, is the right-hand side. `None` if it is singular.
pub(super) fn solve(rows: &mut [[f64; MOST + 1]; MOST], n: usize) -> Option<[f64; MOST]> {
    for column in 0..n {
        let pivot = (column..n).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        if rows[pivot][column].abs() < 1e-13 {
            return None;
        }
        rows.swap(pivot, column);
        let (above, below) = rows.split_at_mut(column + 1);
        let lead = &above[column];
        let factor = 1.0 / lead[column];
        for row in &mut below[..n - column - 1] {
            let by = row[column] * factor;
            if by != 0.0 {
                for i in column..=n {
                    row[i] -= by * lead[i];
                }
            }
        }
    }
    let mut x = [0.0; MOST];
    for row in (0..n).rev() {
        let sum: f64 = (row + 1..n).map(|i| rows[row][i] * x[i]).sum();
        x[row] = (rows[row][n] - sum) / rows[row][row];
    }
    Some(x)
}
