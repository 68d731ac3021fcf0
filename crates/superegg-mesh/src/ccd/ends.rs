//! Vectors at both ends of a linear motion, computed side by side: every coordinate is a vector of its values at times 0
//! and 1.

use std::ops::{Add, Sub};

use glam::DVec3;
use wide::f64x2;

/// A vector that moves linearly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    x: f64x2,
    y: f64x2,
    z: f64x2,
}

impl Ends {
    /// From where it is at times 0 and 1.
    #[inline]
    pub fn new([start, end]: &[DVec3; 2]) -> Ends {
        let lanes = |start: f64, end: f64| f64x2::from([start, end]);
        Ends { x: lanes(start.x, end.x), y: lanes(start.y, end.y), z: lanes(start.z, end.z) }
    }

    /// The vector at times 0 and 1.
    #[inline]
    pub fn split(&self) -> [DVec3; 2] {
        let [x, y, z] = [self.x, self.y, self.z].map(f64x2::to_array);
        [DVec3::new(x[0], y[0], z[0]), DVec3::new(x[1], y[1], z[1])]
    }

    /// The vector at a time in between, each coordinate with five roundings at most.
    #[inline]
    pub fn at(&self, t: f64) -> DVec3 {
        let weights = f64x2::from([1.0 - t, t]);
        let [x, y, z] = [self.x, self.y, self.z].map(|coordinate| {
            let [from_start, from_end] = (coordinate * weights).to_array();
            from_start + from_end
        });
        DVec3::new(x, y, z)
    }

    /// Start and end exchanged.
    #[inline]
    pub fn reversed(&self) -> Ends {
        Ends { x: reversed(self.x), y: reversed(self.y), z: reversed(self.z) }
    }

    /// The cross products at both ends.
    #[inline]
    pub fn cross(&self, other: &Ends) -> Ends {
        Ends {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// The dot products at both ends.
    #[inline]
    pub fn dot(&self, other: &Ends) -> f64x2 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The largest absolute coordinates of three vectors at either end.
    #[inline]
    pub fn reach(vectors: [&Ends; 3]) -> DVec3 {
        let [a, b, c] = vectors;
        let largest = |a: f64x2, b: f64x2, c: f64x2| {
            let [start, end] = a.abs().fast_max(b.abs()).fast_max(c.abs()).to_array();
            if end > start { end } else { start }
        };
        DVec3::new(largest(a.x, b.x, c.x), largest(a.y, b.y, c.y), largest(a.z, b.z, c.z))
    }
}

#[inline]
fn reversed(lanes: f64x2) -> f64x2 {
    let [start, end] = lanes.to_array();
    f64x2::from([end, start])
}

impl Add for Ends {
    type Output = Ends;

    #[inline]
    fn add(self, other: Ends) -> Ends {
        Ends { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Ends {
    type Output = Ends;

    #[inline]
    fn sub(self, other: Ends) -> Ends {
        Ends { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}
