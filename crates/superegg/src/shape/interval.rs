//! Interval arithmetic with outward rounding, as far as the proof of convexity needs it.
//!
//! Every operation returns an interval that holds all results over its arguments: the ends are computed in `f64`, which is
//! correct to half a unit in the last place for sums, products, quotients and roots, and moved outward by at least one; powers,
//! of which the standard library promises nothing, by [`POWER_ULPS`] units (the C libraries it calls document less than one).
//! An operation that has no meaning gives an interval of which nothing can be proved: its ends are not numbers, and every
//! comparison with them is false.

use std::ops::{Add, Mul, Sub};

/// How far powers are moved outward, in units in the last place.
const POWER_ULPS: f64 = 8.0;

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub const fn point(value: f64) -> Interval {
        Interval { low: value, high: value }
    }

    /// The interval between the outer ends of two.
    pub fn spanning(a: Interval, b: Interval) -> Interval {
        Interval { low: a.low.min(b.low), high: a.high.max(b.high) }
    }

    /// By one to two units in the last place, without a branch.
    fn outward(low: f64, high: f64) -> Interval {
        Interval {
            low: low - low.abs() * f64::EPSILON - f64::MIN_POSITIVE,
            high: high + high.abs() * f64::EPSILON + f64::MIN_POSITIVE,
        }
    }

    /// The quotient by an interval of positive numbers.
    pub fn over(self, divisor: Interval) -> Interval {
        if divisor.low.is_nan() || divisor.low <= 0.0 {
            return Interval::point(f64::NAN);
        }
        let low = self.low / if self.low < 0.0 { divisor.low } else { divisor.high };
        let high = self.high / if self.high < 0.0 { divisor.high } else { divisor.low };
        Interval::outward(low, high)
    }

    /// The square root of an interval of positive numbers.
    pub fn sqrt(self) -> Interval {
        Interval::outward(self.low.sqrt(), self.high.sqrt())
    }

    /// The square of an interval of numbers that are not negative.
    pub fn squared(self) -> Interval {
        self * self
    }

    /// Without the negative numbers.
    pub fn not_negative(self) -> Interval {
        Interval { low: self.low.max(0.0), high: self.high.max(0.0) }
    }

    /// A number in ]0, 1] to a positive power. An exponent y that is off by a relative δ changes the power by
    /// `δ y |ln base|`, and `|ln base|` is at most the base's binary exponent.
    pub fn power(base: f64, exponent: Interval) -> Interval {
        let value = base.powf(exponent.low);
        let binary_exponent = 1024.0 - (base.to_bits() >> 52) as f64;
        let slack = f64::EPSILON * POWER_ULPS + (exponent.high - exponent.low) * binary_exponent;
        Interval { low: value * (1.0 - slack), high: (value * (1.0 + slack) + f64::MIN_POSITIVE).min(1.0) }
    }

    /// The largest distance of a number of the interval from zero.
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }
}

impl Add for Interval {
    type Output = Interval;

    fn add(self, other: Interval) -> Interval {
        Interval::outward(self.low + other.low, self.high + other.high)
    }
}

impl Sub for Interval {
    type Output = Interval;

    fn sub(self, other: Interval) -> Interval {
        Interval::outward(self.low - other.high, self.high - other.low)
    }
}

impl Mul for Interval {
    type Output = Interval;

    fn mul(self, other: Interval) -> Interval {
        let (a, b) = (self.low * other.low, self.low * other.high);
        let (c, d) = (self.high * other.low, self.high * other.high);
        Interval::outward(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }
}

impl Mul<Interval> for f64 {
    type Output = Interval;

    fn mul(self, other: Interval) -> Interval {
        Interval::point(self) * other
    }
}

#[cfg(test)]
mod tests {
    use super::Interval;

    /// Products and sums of 26-bit numbers are exact in `f64`: every result must lie strictly inside.
    #[test]
    fn exact_results_lie_inside() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut short = || f64::from(random.i32(-(1 << 25)..1 << 25)) / 1024.0;
        for _ in 0..2000 {
            let (a, b, c, d) = (short(), short(), short(), short());
            let (x, y) = (Interval { low: a.min(b), high: a.max(b) }, Interval { low: c.min(d), high: c.max(d) });
            for (p, q) in [(a, c), (a, d), (b, c), (b, d), (0.5 * (a + b), 0.5 * (c + d))] {
                let inside = |range: Interval, value: f64| range.low < value && value < range.high;
                assert!(inside(x + y, p + q) && inside(x - y, p - q) && inside(x * y, p * q), "{x:?} {y:?}");
                let positive = Interval { low: y.low.abs().min(y.high.abs()) + 1.0, high: y.magnitude() + 1.0 };
                let quotient = x.over(positive);
                assert!(quotient.low * positive.high <= x.high.max(x.low * positive.high / positive.low) + 1e-9);
                let back = quotient * positive;
                assert!(back.low <= x.low && back.high >= x.high, "{x:?} {positive:?}");
            }
        }
    }

    #[test]
    fn powers_hold_exact_powers() {
        for k in 1..1000 {
            let base = f64::from(k) / 1000.0;
            for n in [1, 2, 3] {
                let power = Interval::power(base, Interval::point(f64::from(n)));
                // Three roundings at most, well within the eight units that are granted.
                let plain = base.powi(n);
                assert!(power.low < plain && plain <= power.high, "{base} {n}");
            }
        }
        assert_eq!(Interval::power(1.0, Interval::point(0.3)).high, 1.0);
    }

    #[test]
    fn nothing_is_proved_by_a_division_by_zero() {
        let one = Interval::point(1.0);
        let quotient = one.over(Interval { low: 0.0, high: 1.0 });
        let proves = |range: Interval| range.low > 0.0 || range.high < 0.0;
        assert!(!proves(quotient) && !proves(quotient + one) && proves(one));
    }
}
