//! Small dense systems: Gaussian elimination with partial pivoting.

/// Solves `matrix · x = right`, in place; `None` where a pivot vanishes or a number is not finite.
pub(crate) fn solve<const N: usize>(matrix: &mut [[f64; N]; N], right: &[f64; N]) -> Option<[f64; N]> {
    let mut x = *right;
    solve_leading(matrix, &mut x, N).then_some(x)
}

/// Solves the leading `size` rows and columns, leaving the solution in `x`; `false` where a pivot vanishes or a number is
/// not finite.
pub(crate) fn solve_leading<const N: usize>(matrix: &mut [[f64; N]; N], x: &mut [f64; N], size: usize) -> bool {
    for column in 0..size {
        let mut pivot = column;
        for row in column + 1..size {
            if matrix[row][column].abs() > matrix[pivot][column].abs() {
                pivot = row;
            }
        }
        let largest = matrix[pivot][column].abs();
        if largest.is_nan() || largest < 1e-300 {
            return false;
        }
        matrix.swap(column, pivot);
        x.swap(column, pivot);
        let top = matrix[column];
        let reciprocal = 1.0 / top[column];
        for row in column + 1..size {
            let factor = matrix[row][column] * reciprocal;
            if factor != 0.0 {
                for k in column + 1..size {
                    matrix[row][k] -= factor * top[k];
                }
                x[row] -= factor * x[column];
            }
        }
    }
    for row in (0..size).rev() {
        let mut sum = x[row];
        for k in row + 1..size {
            sum -= matrix[row][k] * x[k];
        }
        x[row] = sum / matrix[row][row];
    }
    x[..size].iter().all(|value| value.is_finite())
}

/// Euclidean length.
pub(crate) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_satisfies_the_system() {
        let matrix = [[0.0, 2.0, 1.0], [1.0, -1.0, 3.0], [4.0, 0.5, -2.0]];
        let right = [1.0, 2.0, 3.0];
        let x = solve(&mut matrix.clone(), &right).unwrap();
        for (row, wanted) in matrix.iter().zip(right) {
            let product: f64 = row.iter().zip(x).map(|(m, x)| m * x).sum();
            assert!((product - wanted).abs() < 1e-14);
        }
    }

    #[test]
    fn singular_and_non_finite_systems_have_no_solution() {
        assert_eq!(solve(&mut [[1.0, 2.0], [2.0, 4.0]], &[1.0, 1.0]), None);
        assert_eq!(solve(&mut [[1.0, f64::NAN], [2.0, 4.0]], &[1.0, 1.0]), None);
    }
}
