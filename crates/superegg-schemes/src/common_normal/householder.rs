//! Tangents of a surface from its normal alone, by Householder's reflection (paper 001 equations 18 to 20, 003 equations 13
//! and 14).
//!
//! The papers let the first component of the mirror vector be `nx + ‖n‖` or `nx − ‖n‖`. Here it is the one that adds
//! magnitudes: no digits cancel, and the vector never vanishes.

use superegg::DVec3;

/// The reflection that maps a normal onto the x axis; its second and third columns are the tangents.
#[derive(Clone, Copy)]
pub(crate) struct Reflection {
    normal: DVec3,
    length: f64,
    mirror: DVec3,
    mirror_sq: f64,
}

impl Reflection {
    pub fn new(normal: DVec3) -> Reflection {
        let length = normal.length();
        let mirror = DVec3::new(normal.x + length.copysign(normal.x), normal.y, normal.z);
        Reflection { normal, length, mirror, mirror_sq: mirror.length_squared() }
    }

    /// Unit tangent and bitangent.
    pub fn tangents(&self) -> [DVec3; 2] {
        let scaled = self.mirror * (2.0 / self.mirror_sq);
        [DVec3::Y - scaled * self.mirror.y, DVec3::Z - scaled * self.mirror.z]
    }

    /// Gradients of `vector · tangent` and `vector · bitangent` by the normal.
    pub fn gradients(&self, vector: DVec3) -> [DVec3; 2] {
        let h = self.mirror;
        let along = vector.dot(h);
        let twice = 2.0 / self.mirror_sq;
        let by_mirror =
            |component: f64, axis: DVec3| (h * (twice * along * component) - vector * component - axis * along) * twice;
        let direction = self.normal / self.length * 1f64.copysign(self.normal.x);
        [by_mirror(h.y, DVec3::Y), by_mirror(h.z, DVec3::Z)].map(|gradient| gradient + direction * gradient.x)
    }
}

/// Unit tangent and bitangent of a normal of any length.
pub(crate) fn tangents(normal: DVec3) -> [DVec3; 2] {
    Reflection::new(normal).tangents()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NORMALS: [DVec3; 5] = [
        DVec3::new(1.0, 0.0, 0.0),
        DVec3::new(-2.0, 0.0, 0.0),
        DVec3::new(-1.0, 1e-9, -1e-9),
        DVec3::new(0.3, -2.0, 0.7),
        DVec3::new(0.0, 0.0, 5.0),
    ];

    #[test]
    fn tangents_are_orthonormal_to_any_normal() {
        for normal in NORMALS {
            let [t, b] = tangents(normal);
            for (value, wanted) in
                [(t.length(), 1.0), (b.length(), 1.0), (t.dot(b), 0.0), (t.dot(normal), 0.0), (b.dot(normal), 0.0)]
            {
                assert!((value - wanted).abs() < 1e-15 * 8.0, "{normal}: {value} {wanted}");
            }
        }
    }

    #[test]
    fn gradients_agree_with_central_differences() {
        let vector = DVec3::new(0.4, -0.9, 0.2);
        // Not where nx changes its sign: the mirror changes sides there.
        for normal in [DVec3::new(0.3, -2.0, 0.7), DVec3::new(-1.0, 0.2, 5.0)] {
            let gradients = Reflection::new(normal).gradients(vector);
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let step = axis * 1e-6;
                let (before, after) = (tangents(normal - step), tangents(normal + step));
                for k in 0..2 {
                    let slope = (vector.dot(after[k]) - vector.dot(before[k])) / 2e-6;
                    assert!((slope - gradients[k].dot(axis)).abs() < 1e-8, "{normal} {axis} {k}");
                }
            }
        }
    }
}
