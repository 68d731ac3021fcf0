//! Vectors and symmetric matrices of [`Real`] numbers.

use std::ops::{Add, Mul, Neg, Sub};

use glam::DVec3;

use super::Real;

/// Three coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct V3<R> {
    pub x: R,
    pub y: R,
    pub z: R,
}

impl<R: Real> V3<R> {
    #[inline(always)]
    pub fn new(x: R, y: R, z: R) -> V3<R> {
        V3 { x, y, z }
    }

    #[inline(always)]
    pub fn splat(value: R) -> V3<R> {
        V3 { x: value, y: value, z: value }
    }

    #[inline(always)]
    pub fn dot(self, other: V3<R>) -> R {
        self.x.mul_add(other.x, self.y.mul_add(other.y, self.z * other.z))
    }

    #[inline(always)]
    pub fn cross(self, other: V3<R>) -> V3<R> {
        V3 {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    #[inline(always)]
    pub fn length_sq(self) -> R {
        self.dot(self)
    }

    #[inline(always)]
    pub fn sum(self) -> R {
        self.x + self.y + self.z
    }

    /// `self * factor + term`.
    #[inline(always)]
    pub fn mul_add(self, factor: R, term: V3<R>) -> V3<R> {
        V3 { x: self.x.mul_add(factor, term.x), y: self.y.mul_add(factor, term.y), z: self.z.mul_add(factor, term.z) }
    }

    /// Component by component.
    #[inline(always)]
    pub fn times(self, other: V3<R>) -> V3<R> {
        V3 { x: self.x * other.x, y: self.y * other.y, z: self.z * other.z }
    }

    #[inline(always)]
    pub fn select(mask: R::Mask, yes: V3<R>, no: V3<R>) -> V3<R> {
        V3 { x: R::select(mask, yes.x, no.x), y: R::select(mask, yes.y, no.y), z: R::select(mask, yes.z, no.z) }
    }
}

impl<R: Real + Into<f64>> V3<R> {
    /// The same numbers in every lane.
    #[inline(always)]
    pub fn spread<S: Real>(self) -> V3<S> {
        V3 { x: S::splat(self.x.into()), y: S::splat(self.y.into()), z: S::splat(self.z.into()) }
    }
}

#[cfg(target_arch = "x86_64")]
impl V3<super::avx2::F64x4> {
    /// Every lane on its own.
    #[inline(always)]
    pub fn lanes(self) -> [V3<f64>; super::avx2::LANES] {
        let (x, y, z) = (self.x.to_array(), self.y.to_array(), self.z.to_array());
        std::array::from_fn(|lane| V3 { x: x[lane], y: y[lane], z: z[lane] })
    }
}

#[cfg(target_arch = "x86_64")]
impl<R: super::Lanes> V3<R> {
    /// The vector of each lane.
    #[inline(always)]
    pub fn gather(value: impl Fn(usize) -> DVec3) -> V3<R> {
        V3 {
            x: R::gather(|lane| value(lane).x),
            y: R::gather(|lane| value(lane).y),
            z: R::gather(|lane| value(lane).z),
        }
    }

    /// The coordinates of each lane; [`vector_of`] is one of them.
    #[inline(always)]
    pub fn to_arrays(self) -> [R::Array; 3] {
        [self.x.to_array(), self.y.to_array(), self.z.to_array()]
    }
}

/// The vector of one lane.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn vector_of<A: std::ops::Index<usize, Output = f64>>(arrays: &[A; 3], lane: usize) -> DVec3 {
    DVec3::new(arrays[0][lane], arrays[1][lane], arrays[2][lane])
}

impl From<DVec3> for V3<f64> {
    #[inline(always)]
    fn from(v: DVec3) -> V3<f64> {
        V3 { x: v.x, y: v.y, z: v.z }
    }
}

impl From<V3<f64>> for DVec3 {
    #[inline(always)]
    fn from(v: V3<f64>) -> DVec3 {
        DVec3::new(v.x, v.y, v.z)
    }
}

impl<R: Real> Add for V3<R> {
    type Output = V3<R>;
    #[inline(always)]
    fn add(self, other: V3<R>) -> V3<R> {
        V3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<R: Real> Sub for V3<R> {
    type Output = V3<R>;
    #[inline(always)]
    fn sub(self, other: V3<R>) -> V3<R> {
        V3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<R: Real> Neg for V3<R> {
    type Output = V3<R>;
    #[inline(always)]
    fn neg(self) -> V3<R> {
        V3 { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<R: Real> Mul<R> for V3<R> {
    type Output = V3<R>;
    #[inline(always)]
    fn mul(self, factor: R) -> V3<R> {
        V3 { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

/// A rotation matrix by its columns.
#[derive(Clone, Copy)]
pub(crate) struct M3<R> {
    pub x: V3<R>,
    pub y: V3<R>,
    pub z: V3<R>,
}

impl<R: Real> M3<R> {
    #[inline(always)]
    pub fn apply(&self, v: V3<R>) -> V3<R> {
        self.x.mul_add(v.x, self.y.mul_add(v.y, self.z * v.z))
    }

    #[inline(always)]
    pub fn apply_transposed(&self, v: V3<R>) -> V3<R> {
        V3 { x: self.x.dot(v), y: self.y.dot(v), z: self.z.dot(v) }
    }
}

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy)]
pub(crate) struct Sym3<R> {
    pub xx: R,
    pub xy: R,
    pub xz: R,
    pub yy: R,
    pub yz: R,
    pub zz: R,
}

impl<R: Real> Sym3<R> {
    #[inline(always)]
    pub fn zero() -> Sym3<R> {
        let zero = R::splat(0.0);
        Sym3 { xx: zero, xy: zero, xz: zero, yy: zero, yz: zero, zz: zero }
    }

    #[inline(always)]
    pub fn diagonal(v: V3<R>) -> Sym3<R> {
        Sym3 { xx: v.x, yy: v.y, zz: v.z, ..Sym3::zero() }
    }

    /// `self + factor v vᵀ`.
    #[inline(always)]
    pub fn add_outer(self, v: V3<R>, factor: R) -> Sym3<R> {
        let u = v * factor;
        Sym3 {
            xx: u.x.mul_add(v.x, self.xx),
            xy: u.x.mul_add(v.y, self.xy),
            xz: u.x.mul_add(v.z, self.xz),
            yy: u.y.mul_add(v.y, self.yy),
            yz: u.y.mul_add(v.z, self.yz),
            zz: u.z.mul_add(v.z, self.zz),
        }
    }

    #[inline(always)]
    pub fn add_diagonal(self, value: R) -> Sym3<R> {
        Sym3 { xx: self.xx + value, yy: self.yy + value, zz: self.zz + value, ..self }
    }

    #[inline(always)]
    pub fn times(self, factor: R) -> Sym3<R> {
        Sym3 {
            xx: self.xx * factor,
            xy: self.xy * factor,
            xz: self.xz * factor,
            yy: self.yy * factor,
            yz: self.yz * factor,
            zz: self.zz * factor,
        }
    }

    #[inline(always)]
    pub fn apply(&self, v: V3<R>) -> V3<R> {
        V3 {
            x: self.xx.mul_add(v.x, self.xy.mul_add(v.y, self.xz * v.z)),
            y: self.xy.mul_add(v.x, self.yy.mul_add(v.y, self.yz * v.z)),
            z: self.xz.mul_add(v.x, self.yz.mul_add(v.y, self.zz * v.z)),
        }
    }

    #[inline(always)]
    pub fn trace(&self) -> R {
        self.xx + self.yy + self.zz
    }

    /// `uᵀ self v`.
    #[inline(always)]
    pub fn form(&self, u: V3<R>, v: V3<R>) -> R {
        let x = self.xx.mul_add(v.x, self.xy.mul_add(v.y, self.xz * v.z));
        let y = self.xy.mul_add(v.x, self.yy.mul_add(v.y, self.yz * v.z));
        let z = self.xz.mul_add(v.x, self.yz.mul_add(v.y, self.zz * v.z));
        u.dot(V3 { x, y, z })
    }

    /// Sum of the principal 2×2 minors.
    #[inline(always)]
    pub fn minors(&self) -> R {
        self.xx * self.yy + self.xx * self.zz + self.yy * self.zz
            - (self.xy * self.xy + self.xz * self.xz + self.yz * self.yz)
    }

    /// Solves `self x = b` for a positive definite matrix by `L D Lᵀ`.
    #[inline(always)]
    pub fn solve(&self, b: V3<R>) -> V3<R> {
        let one = R::splat(1.0);
        // Rounding may push a pivot of an almost singular matrix to zero or below.
        let floor = self.trace() * R::splat(1e-15);
        let i1 = one / self.xx.max(floor);
        let l21 = self.xy * i1;
        let l31 = self.xz * i1;
        let d2 = (self.yy - l21 * self.xy).max(floor);
        let i2 = one / d2;
        let m32 = self.yz - l31 * self.xy;
        let l32 = m32 * i2;
        let d3 = (self.zz - l31 * self.xz - l32 * m32).max(floor);
        let y2 = b.y - l21 * b.x;
        let y3 = b.z - l31 * b.x - l32 * y2;
        let z = y3 / d3;
        let y = y2 * i2 - l32 * z;
        let x = b.x * i1 - l21 * y - l31 * z;
        V3 { x, y, z }
    }
}

impl<R: Real> Add for Sym3<R> {
    type Output = Sym3<R>;
    #[inline(always)]
    fn add(self, other: Sym3<R>) -> Sym3<R> {
        Sym3 {
            xx: self.xx + other.xx,
            xy: self.xy + other.xy,
            xz: self.xz + other.xz,
            yy: self.yy + other.yy,
            yz: self.yz + other.yz,
            zz: self.zz + other.zz,
        }
    }
}
