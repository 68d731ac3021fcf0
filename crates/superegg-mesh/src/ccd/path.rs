//! How vertices move: along Bézier curves of `N` control points, of degree one (linear motion), two or three.
//!
//! Whatever is a polynomial in time (positions, differences, normals, projections) is handled through the control
//! points of its Bernstein form, which contain it in their hull.

use std::ops::{Add, Mul};

use glam::DVec3;

/// A curve from `origin`, up to the time `latest` only; the whole curve is moved without another change.
#[inline]
pub(super) fn until<const N: usize>(control: &[DVec3; N], origin: DVec3, latest: f64) -> [DVec3; N] {
    let mut local = control.map(|point| point - origin);
    if latest != 1.0 {
        // De Casteljau's construction; the first point of each round is a control point of the first part.
        for kept in 1..N {
            for i in (kept..N).rev() {
                local[i] = local[i - 1] * (1.0 - latest) + local[i] * latest;
            }
        }
    }
    local
}

/// How far a curve's coordinates along the axes of bounds are from those of a straight and even motion between its
/// ends. Its control points are compared with those that the straight motion would have.
#[inline]
pub(super) fn deviation<const N: usize>(control: &[DVec3; N]) -> f64 {
    let mut most: f64 = 0.0;
    for (i, point) in control.iter().enumerate().take(N - 1).skip(1) {
        let off = (*point - control[0].lerp(control[N - 1], i as f64 / (N - 1) as f64)).abs();
        // Along a diagonal two coordinates add up.
        most = most.max(off.element_sum() - off.min_element());
    }
    most
}

/// Both halves of a polynomial in Bernstein form.
#[inline]
pub(super) fn halves<T: Copy, const N: usize>(control: &[T; N], mean: impl Fn(T, T) -> T) -> [[T; N]; 2] {
    let (mut left, mut right) = (*control, *control);
    for (kept, slot) in left.iter_mut().enumerate().skip(1) {
        for i in 0..N - kept {
            right[i] = mean(right[i], right[i + 1]);
        }
        *slot = right[0];
    }
    [left, right]
}

/// Most control points of a product of two polynomials with up to four.
const PRODUCT: usize = 7;

/// The Bernstein form of a product of polynomials of equal degree: `2 N - 1` control points.
pub(super) struct Product<T> {
    control: [T; PRODUCT],
    len: usize,
}

impl<T: Copy + Default + Add<Output = T> + Mul<f64, Output = T>> Product<T> {
    /// From the products of control points.
    #[inline]
    pub fn new<U: Copy, const N: usize>(a: &[U; N], b: &[U; N], times: impl Fn(U, U) -> T) -> Product<T> {
        let mut control = [T::default(); PRODUCT];
        for i in 0..N {
            for j in 0..N {
                let weight = BINOMIAL[N - 1][i] * BINOMIAL[N - 1][j] / BINOMIAL[2 * N - 2][i + j];
                control[i + j] = control[i + j] + times(a[i], b[j]) * weight;
            }
        }
        Product { control, len: 2 * N - 1 }
    }

    /// The control points.
    #[inline]
    pub fn control(&self) -> &[T] {
        &self.control[..self.len]
    }
}

/// `BINOMIAL[n][k]`: how many ways there are to choose `k` of `n`.
const BINOMIAL: [[f64; PRODUCT]; PRODUCT] = {
    let mut table = [[0.0; PRODUCT]; PRODUCT];
    let mut n = 0;
    while n < PRODUCT {
        table[n][0] = 1.0;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn value<const N: usize>(control: &[DVec3; N], t: f64) -> DVec3 {
        until(control, DVec3::ZERO, t)[N - 1]
    }

    const CURVE: [DVec3; 4] = [
        DVec3::new(1.0, -2.0, 0.5),
        DVec3::new(3.0, 4.0, -1.0),
        DVec3::new(-2.0, 0.25, 7.0),
        DVec3::new(5.0, 1.0, 1.0),
    ];

    #[test]
    fn parts_and_halves_are_the_same_curve() {
        let part = until(&CURVE, DVec3::ZERO, 0.3);
        let [left, right] = halves(&CURVE, |a, b| 0.5 * (a + b));
        for step in 0..=10 {
            let t = f64::from(step) / 10.0;
            // By Bernstein polynomials.
            let expected = |t: f64| {
                (0..4)
                    .map(|i| CURVE[i as usize] * BINOMIAL[3][i as usize] * t.powi(i) * (1.0 - t).powi(3 - i))
                    .sum::<DVec3>()
            };
            assert!(value(&CURVE, t).distance(expected(t)) < 1e-14);
            assert!(value(&part, t).distance(expected(0.3 * t)) < 1e-14);
            assert!(value(&left, t).distance(expected(0.5 * t)) < 1e-14);
            assert!(value(&right, t).distance(expected(0.5 + 0.5 * t)) < 1e-14);
        }
    }

    #[test]
    fn products_have_the_values_of_products() {
        let other = CURVE.map(|p| DVec3::new(p.z, p.x + 1.0, -p.y));
        let product = Product::new(&CURVE, &other, DVec3::cross);
        let control: [DVec3; 7] = product.control().try_into().expect("degree six");
        for step in 0..=10 {
            let t = f64::from(step) / 10.0;
            assert!(value(&control, t).distance(value(&CURVE, t).cross(value(&other, t))) < 1e-12);
        }
    }

    #[test]
    fn curves_stay_within_their_deviation() {
        let most = deviation(&CURVE);
        let mut seen: f64 = 0.0;
        for step in 0..=100 {
            let t = f64::from(step) / 100.0;
            let DVec3 { x, y, z } = value(&CURVE, t) - CURVE[0].lerp(CURVE[3], t);
            let axes = [x, y, z, x + y, x + z, y + z, x - y, x - z, y - z];
            seen = axes.iter().fold(seen, |most, x| most.max(x.abs()));
        }
        assert!(seen <= most && seen > 0.2 * most, "{seen} of {most}");
        let straight = std::array::from_fn(|i| CURVE[0].lerp(CURVE[3], i as f64 / 3.0));
        assert!(deviation::<4>(&straight) < 1e-6);
    }
}
