//! Numbers with a 256-bit mantissa (77 digits), and the same with two partial derivatives.

use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

use astro_float::{BigFloat, Consts, RoundingMode, Sign};

const BITS: usize = 256;
const ROUNDING: RoundingMode = RoundingMode::ToEven;

thread_local! {
    static CONSTANTS: RefCell<Consts> = RefCell::new(Consts::new().expect("memory for a few constants"));
}

/// A number with a 256-bit mantissa.
#[derive(Clone, Debug)]
pub struct Real(BigFloat);

impl Real {
    /// Exactly this number.
    pub fn new(value: f64) -> Real {
        Real(BigFloat::from_f64(value, BITS))
    }

    /// The nearest `f64`, up to an ulp.
    pub fn to_f64(&self) -> f64 {
        if self.0.is_zero() {
            return 0.0;
        }
        let Some((words, _, sign, exponent, _)) = self.0.as_raw_parts() else { return f64::NAN };
        // The mantissa is a binary fraction in [1/2, 1) with its highest word last.
        let mut mantissa = 0.0;
        for &word in words.iter().rev().take(2).rev() {
            mantissa = (mantissa + word as f64) / 2f64.powi(astro_float::WORD_BIT_SIZE as i32);
        }
        let exponent = exponent.clamp(-4000, 4000);
        // Two steps, so that the power of two itself does not leave the range.
        let half = exponent / 2;
        let value = mantissa * 2f64.powi(half) * 2f64.powi(exponent - half);
        if sign == Sign::Neg { -value } else { value }
    }

    /// Absolute value.
    pub fn abs(&self) -> Real {
        Real(self.0.abs())
    }

    /// Square root.
    pub fn sqrt(&self) -> Real {
        Real(self.0.sqrt(BITS, ROUNDING))
    }

    /// Natural logarithm.
    pub fn ln(&self) -> Real {
        CONSTANTS.with_borrow_mut(|constants| Real(self.0.ln(BITS, ROUNDING, constants)))
    }

    /// Exponential function.
    pub fn exp(&self) -> Real {
        CONSTANTS.with_borrow_mut(|constants| Real(self.0.exp(BITS, ROUNDING, constants)))
    }

    /// This non-negative number to a power; zero stays zero.
    pub fn pow(&self, exponent: &Real) -> Real {
        if self.0.is_zero() { self.clone() } else { (&self.ln() * exponent).exp() }
    }

    /// Whether this is less than another number.
    pub fn is_less(&self, other: &Real) -> bool {
        self.0.cmp(&other.0).is_some_and(|order| order < 0)
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether this is a number.
    pub fn is_finite(&self) -> bool {
        !self.0.is_nan() && !self.0.is_inf()
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl $trait<&Real> for &Real {
            type Output = Real;
            fn $method(self, other: &Real) -> Real {
                Real(self.0.$method(&other.0, BITS, ROUNDING))
            }
        }
        impl $trait<Real> for Real {
            type Output = Real;
            fn $method(self, other: Real) -> Real {
                (&self).$method(&other)
            }
        }
        impl $trait<&Real> for Real {
            type Output = Real;
            fn $method(self, other: &Real) -> Real {
                (&self).$method(other)
            }
        }
        impl $trait<Real> for &Real {
            type Output = Real;
            fn $method(self, other: Real) -> Real {
                self.$method(&other)
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Neg for &Real {
    type Output = Real;
    fn neg(self) -> Real {
        Real(BigFloat::neg(&self.0))
    }
}

/// A number and its derivatives by two unknowns.
#[derive(Clone, Debug)]
pub struct Jet {
    /// The number.
    pub value: Real,
    /// Its derivatives.
    pub slope: [Real; 2],
}

impl Jet {
    /// A constant.
    pub fn constant(value: Real) -> Jet {
        Jet { value, slope: [Real::new(0.0), Real::new(0.0)] }
    }

    /// One of the two unknowns.
    pub fn unknown(value: Real, index: usize) -> Jet {
        Jet { value, slope: std::array::from_fn(|i| Real::new(if i == index { 1.0 } else { 0.0 })) }
    }

    fn map(&self, value: Real, derivative: &Real) -> Jet {
        Jet { value, slope: std::array::from_fn(|i| &self.slope[i] * derivative) }
    }

    /// Exponential function.
    pub fn exp(&self) -> Jet {
        let value = self.value.exp();
        self.map(value.clone(), &value)
    }

    /// Natural logarithm.
    pub fn ln(&self) -> Jet {
        self.map(self.value.ln(), &(Real::new(1.0) / &self.value))
    }

    /// Square root.
    pub fn sqrt(&self) -> Jet {
        let root = self.value.sqrt();
        self.map(root.clone(), &(Real::new(0.5) / &root))
    }

    /// Multiplied by a constant.
    pub fn times(&self, factor: &Real) -> Jet {
        self.map(&self.value * factor, factor)
    }

    /// Plus a constant.
    pub fn plus(&self, summand: &Real) -> Jet {
        Jet { value: &self.value + summand, slope: self.slope.clone() }
    }
}

impl Add<&Jet> for &Jet {
    type Output = Jet;
    fn add(self, other: &Jet) -> Jet {
        Jet { value: &self.value + &other.value, slope: std::array::from_fn(|i| &self.slope[i] + &other.slope[i]) }
    }
}

impl Sub<&Jet> for &Jet {
    type Output = Jet;
    fn sub(self, other: &Jet) -> Jet {
        Jet { value: &self.value - &other.value, slope: std::array::from_fn(|i| &self.slope[i] - &other.slope[i]) }
    }
}

impl Mul<&Jet> for &Jet {
    type Output = Jet;
    #[expect(clippy::suspicious_arithmetic_impl, reason = "the product rule")]
    fn mul(self, other: &Jet) -> Jet {
        let slope = std::array::from_fn(|i| &self.slope[i] * &other.value + &self.value * &other.slope[i]);
        Jet { value: &self.value * &other.value, slope }
    }
}

impl Div<&Jet> for &Jet {
    type Output = Jet;
    #[expect(clippy::suspicious_arithmetic_impl, reason = "the quotient rule")]
    fn div(self, other: &Jet) -> Jet {
        let value = &self.value / &other.value;
        let slope = std::array::from_fn(|i| (&self.slope[i] - &value * &other.slope[i]) / &other.value);
        Jet { value, slope }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversion_keeps_every_bit() {
        for value in [1.0, -0.1, 3e-300, 1.7e308, 1.0 + f64::EPSILON, -2.5e-8] {
            assert_eq!(Real::new(value).to_f64(), value);
        }
    }

    #[test]
    fn seventy_digits() {
        let third = Real::new(1.0) / Real::new(3.0);
        let error = (&third.ln().exp() * &Real::new(3.0) - Real::new(1.0)).abs().to_f64();
        assert!(error < 1e-74, "{error:e}");
        let two = Real::new(2.0);
        let error = (&two.sqrt() * &two.sqrt() - two).abs().to_f64();
        assert!(error < 1e-75, "{error:e}");
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let f =
            |x: &Jet, y: &Jet| (&(&(x * y).exp().plus(&Real::new(2.0)).sqrt() / &y.ln()) - x).times(&Real::new(3.0));
        let at = |x: f64, y: f64| f(&Jet::unknown(Real::new(x), 0), &Jet::unknown(Real::new(y), 1));
        let jet = at(0.7, 1.9);
        let difference = |dx: f64, dy: f64| {
            (at(0.7 + dx, 1.9 + dy).value - at(0.7 - dx, 1.9 - dy).value).to_f64() / (2.0 * (dx + dy))
        };
        assert!((jet.slope[0].to_f64() - difference(1e-5, 0.0)).abs() < 1e-8);
        assert!((jet.slope[1].to_f64() - difference(0.0, 1e-5)).abs() < 1e-8);
    }
}
