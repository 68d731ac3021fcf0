//! The truth about elementary tests, in integers: no rounding anywhere.
//!
//! Points with integer coordinates move linearly over the time `[0, 1]`. Whether features touch is a combination of
//! signs of polynomials in time (determinants, cross and dot products), so the first contact is at time 0 or at a root
//! of one of them. Roots are isolated by Sturm's theorem, and the sign of another polynomial at a root is decided by
//! the greatest common divisor of the two.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

/// Coefficients, the constant first, without leading zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Poly(Vec<BigInt>);

impl Poly {
    fn new(coefficients: impl IntoIterator<Item = BigInt>) -> Poly {
        let mut all: Vec<BigInt> = coefficients.into_iter().collect();
        while all.last().is_some_and(BigInt::is_zero) {
            all.pop();
        }
        Poly(all)
    }

    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn combine(&self, other: &Poly, sign: i32) -> Poly {
        let at = |p: &Poly, i: usize| p.0.get(i).cloned().unwrap_or_default();
        Poly::new((0..self.0.len().max(other.0.len())).map(|i| at(self, i) + at(other, i) * sign))
    }

    fn times(&self, other: &Poly) -> Poly {
        let mut product = vec![BigInt::zero(); self.0.len() + other.0.len()];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Poly::new(product)
    }

    fn derivative(&self) -> Poly {
        Poly::new(self.0.iter().enumerate().skip(1).map(|(i, c)| c * i))
    }

    /// Divided by the common divisor of all coefficients, which keeps all signs.
    fn primitive(self) -> Poly {
        let content = self.0.iter().fold(BigInt::zero(), |gcd, c| gcd.gcd(c));
        if content.is_zero() { self } else { Poly(self.0.into_iter().map(|c| c / &content).collect()) }
    }

    /// The remainder of a division, times a positive number.
    fn remainder(&self, divisor: &Poly) -> Poly {
        let mut rest = self.clone();
        let lead = divisor.0.last().expect("not zero").clone();
        while rest.0.len() >= divisor.0.len() {
            let top = rest.0.last().expect("not zero").clone() * lead.signum();
            let shift = rest.0.len() - divisor.0.len();
            let mut next: Vec<BigInt> = rest.0.iter().map(|c| c * lead.abs()).collect();
            for (i, c) in divisor.0.iter().enumerate() {
                next[i + shift] -= c * &top;
            }
            rest = Poly::new(next).primitive();
        }
        rest
    }

    fn gcd(&self, other: &Poly) -> Poly {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let rest = a.remainder(&b);
            (a, b) = (b, rest);
        }
        a.primitive()
    }

    /// A polynomial with the same roots, each once.
    fn square_free(&self) -> Poly {
        let common = self.gcd(&self.derivative());
        // Exact division by long division over the rationals, scaled.
        let (mut rest, mut quotient) = (self.clone(), Poly::new([]));
        let lead = common.0.last().expect("not zero").clone();
        while rest.0.len() >= common.0.len() {
            let shift = rest.0.len() - common.0.len();
            let top = rest.0.last().expect("not zero").clone();
            let term = Poly::new(std::iter::repeat_n(BigInt::zero(), shift).chain([top]));
            let scaled = |p: &Poly| Poly::new(p.0.iter().map(|c| c * &lead));
            rest = scaled(&rest).combine(&term.times(&common), -1);
            quotient = scaled(&quotient).combine(&term, 1);
        }
        assert!(rest.is_zero());
        quotient.primitive()
    }

    fn sign_at(&self, at: &Dyadic) -> Ordering {
        // Horner's rule, with powers of the denominator multiplied in.
        let mut value = BigInt::zero();
        for (step, c) in self.0.iter().rev().enumerate() {
            value = value * &at.numerator + (c << (at.shift as usize * step));
        }
        value.sign_ordering()
    }
}

trait SignOrdering {
    fn sign_ordering(&self) -> Ordering;
}

impl SignOrdering for BigInt {
    fn sign_ordering(&self) -> Ordering {
        self.cmp(&BigInt::zero())
    }
}

/// `numerator / 2^shift`.
#[derive(Clone, Debug)]
struct Dyadic {
    numerator: BigInt,
    shift: u32,
}

impl Dyadic {
    fn integer(n: i32) -> Dyadic {
        Dyadic { numerator: n.into(), shift: 0 }
    }

    fn middle(&self, other: &Dyadic) -> Dyadic {
        let shift = self.shift.max(other.shift);
        let raised = |d: &Dyadic| &d.numerator << (shift - d.shift) as usize;
        Dyadic { numerator: raised(self) + raised(other), shift: shift + 1 }
    }
}

/// How many roots a square-free polynomial has in an interval, by Sturm's theorem.
#[derive(Clone, Debug)]
struct Sturm(Vec<Poly>);

impl Sturm {
    fn new(square_free: &Poly) -> Sturm {
        let mut chain = vec![square_free.clone(), square_free.derivative()];
        while let [.., a, b] = &chain[..]
            && !b.is_zero()
        {
            let rest = a.remainder(b);
            chain.push(Poly::new(rest.0.into_iter().map(|c| -c)));
        }
        chain.pop();
        Sturm(chain)
    }

    fn changes(&self, at: &Dyadic) -> usize {
        let mut signs: Vec<Ordering> = self.0.iter().map(|p| p.sign_at(at)).collect();
        signs.retain(|sign| sign.is_ne());
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    /// Roots in `]low, high]`.
    fn count(&self, low: &Dyadic, high: &Dyadic) -> usize {
        self.changes(low) - self.changes(high)
    }
}

/// The only root of a polynomial in `]low, high]`.
#[derive(Clone, Debug)]
pub struct Time {
    polynomial: Poly,
    sturm: Sturm,
    low: Dyadic,
    high: Dyadic,
}

impl Time {
    /// All roots of a polynomial other than zero in `[0, 1]`.
    fn roots(polynomial: &Poly) -> Vec<Time> {
        let polynomial = polynomial.square_free();
        let sturm = Sturm::new(&polynomial);
        let mut found = Vec::new();
        // From a little below zero, so that zero is included.
        let mut pieces = vec![(Dyadic::integer(-1), Dyadic::integer(0)), (Dyadic::integer(0), Dyadic::integer(1))];
        while let Some((low, high)) = pieces.pop() {
            match sturm.count(&low, &high) {
                0 => {}
                1 => found.push(Time { polynomial: polynomial.clone(), sturm: sturm.clone(), low, high }),
                _ => {
                    let middle = low.middle(&high);
                    pieces.extend([(low, middle.clone()), (middle, high)]);
                }
            }
        }
        let before_zero = |time: &Time| time.sign(&Poly::new([0.into(), 1.into()])).is_lt();
        found.retain(|time| !before_zero(time));
        found
    }

    /// The sign of another polynomial at this time.
    fn sign(&self, other: &Poly) -> Ordering {
        if other.is_zero() {
            return Ordering::Equal;
        }
        let common = self.polynomial.gcd(other);
        if common.0.len() > 1 && Sturm::new(&common.square_free()).count(&self.low, &self.high) > 0 {
            return Ordering::Equal;
        }
        let sturm = Sturm::new(&other.square_free());
        let (mut low, mut high) = (self.low.clone(), self.high.clone());
        while sturm.count(&low, &high) > 0 {
            let middle = low.middle(&high);
            if self.sturm.count(&low, &middle) > 0 { high = middle } else { low = middle }
        }
        other.sign_at(&high)
    }

    /// Whether it is before `t`, a number in `[0, 1]`.
    pub fn is_before(&self, t: f64) -> bool {
        // Numbers below a power of two as integers: exact.
        let mut shift = 0;
        let mut numerator = t;
        while numerator.fract() != 0.0 {
            numerator *= 2.0;
            shift += 1;
        }
        let one = BigInt::from(1) << shift;
        self.sign(&Poly::new([-BigInt::from(numerator as i128), one])).is_lt()
    }
}

/// A vector of polynomials.
type Vector = [Poly; 3];

/// Where a point is, from integers at both ends.
fn moving(start: [i64; 3], end: [i64; 3]) -> Vector {
    std::array::from_fn(|i| Poly::new([start[i].into(), (end[i] - start[i]).into()]))
}

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| a[i].combine(&b[i], -1))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j].times(&b[k]).combine(&a[k].times(&b[j]), -1)
    })
}

fn dot(a: &Vector, b: &Vector) -> Poly {
    (0..3).fold(Poly::new([]), |sum, i| sum.combine(&a[i].times(&b[i]), 1))
}

/// The origin lies on the segment between two points: they are on one line with it, on different sides.
struct OnSegment {
    cross: Vector,
    dot: Poly,
}

impl OnSegment {
    fn new(a: &Vector, b: &Vector) -> OnSegment {
        OnSegment { cross: cross(a, b), dot: dot(a, b) }
    }

    fn holds(&self, time: &Time) -> bool {
        self.cross.iter().all(|c| time.sign(c).is_eq()) && time.sign(&self.dot).is_le()
    }
}

/// Times of contact among which is the first, if any: roots of `determinant`, or of anything in `others` when the
/// features are coplanar all the time, at which `touches` holds.
fn contacts(determinant: &Poly, others: &[&Poly], touches: impl Fn(&Time) -> bool) -> Vec<Time> {
    let mut times = if determinant.is_zero() {
        let zero = Poly::new([0.into(), 1.into()]);
        let all = others.iter().copied().filter(|p| !p.is_zero()).chain([&zero]);
        all.flat_map(Time::roots).collect()
    } else {
        Time::roots(determinant)
    };
    times.retain(touches);
    times
}

/// When `[vertex, corner, corner, corner]` touch: times among which is the first contact, none if there is none.
pub fn vertex_face(start: &[[i64; 3]; 4], end: &[[i64; 3]; 4]) -> Vec<Time> {
    let [v, a, b, c] = std::array::from_fn(|i| moving(start[i], end[i]));
    let corners = [minus(&a, &v), minus(&b, &v), minus(&c, &v)];
    let turns: [Vector; 3] = std::array::from_fn(|i| cross(&corners[i], &corners[(i + 1) % 3]));
    let normal = cross(&minus(&b, &a), &minus(&c, &a));
    let rim: [OnSegment; 3] = std::array::from_fn(|i| OnSegment::new(&corners[i], &corners[(i + 1) % 3]));
    let determinant = dot(&corners[0], &turns[1]);
    let others: Vec<&Poly> =
        turns.iter().chain([&normal]).flatten().chain(rim.iter().map(|segment| &segment.dot)).collect();
    contacts(&determinant, &others, |time| {
        // Along an axis along which the face has an area, the vertex is in it or on some side's outer side.
        match (0..3).find(|&axis| time.sign(&normal[axis]).is_ne()) {
            Some(axis) => {
                let up = time.sign(&normal[axis]);
                turns.iter().all(|turn| time.sign(&turn[axis]) != up.reverse())
            }
            None => rim.iter().any(|segment| segment.holds(time)),
        }
    })
}

/// When the edges of `[a, b, c, d]`, ab and cd, touch: times among which is the first contact, none if there is none.
pub fn edge_edge(start: &[[i64; 3]; 4], end: &[[i64; 3]; 4]) -> Vec<Time> {
    let [a, b, c, d] = std::array::from_fn(|i| moving(start[i], end[i]));
    let (ab, cd) = (minus(&b, &a), minus(&d, &c));
    let normal = cross(&ab, &cd);
    let determinant = dot(&minus(&c, &a), &normal);
    // On which side of an edge's line both ends of the other are.
    let sides = [
        [cross(&ab, &minus(&c, &a)), cross(&ab, &minus(&d, &a))],
        [cross(&cd, &minus(&a, &c)), cross(&cd, &minus(&b, &c))],
    ];
    let touching = [[&a, &c, &d], [&b, &c, &d], [&c, &a, &b], [&d, &a, &b]]
        .map(|[p, q, r]| OnSegment::new(&minus(q, p), &minus(r, p)));
    let others: Vec<&Poly> = sides
        .iter()
        .flatten()
        .chain([&normal])
        .flatten()
        .chain(touching.iter().flat_map(|segment| segment.cross.iter().chain([&segment.dot])))
        .collect();
    contacts(&determinant, &others, |time| match (0..3).find(|&axis| time.sign(&normal[axis]).is_ne()) {
        Some(axis) => sides.iter().all(|[one, other]| {
            let (one, other) = (time.sign(&one[axis]), time.sign(&other[axis]));
            one.is_eq() || other.is_eq() || one != other
        }),
        None => touching.iter().any(|segment| segment.holds(time)),
    })
}
