//! Continuous normal cones: a direction that the normals of all triangles of a moving patch have in common.
//!
//! Over motion of degree d a triangle's normal is a polynomial of degree 2 d in time, so the 2 d + 1 control vectors of
//! its Bernstein form bound its directions: three for linear motion. All that the contour test needs to know of the cone
//! around the normals of a patch is a direction less than a right angle away from each. The paper merges cones
//! bottom-up (X. Provot's rule), all over the mesh and wider at each step; here the mean normal of some triangles is
//! held against the control vectors of all, where and when a patch is looked into.

use glam::DVec3;

use super::path::{Product, until};

/// The mean is taken over about as many triangles.
const SAMPLE: usize = 16;

/// A control vector must be positive beyond this part of the squared lengths of the triangle's sides: much more than
/// what it and the projection along the direction are rounded by.
const CERTAIN: f64 = 1e-12;

/// A unit vector against which the normals of all triangles are surely positive up to the time `latest`; corners move
/// along curves.
pub(super) fn positive_direction<'a, const N: usize>(
    triangles: impl ExactSizeIterator<Item = [&'a [DVec3; N]; 3]> + Clone,
    latest: f64,
) -> Option<DVec3> {
    let step = triangles.len().div_ceil(SAMPLE).max(1);
    let sample = triangles.clone().step_by(step).map(|triangle| Normals::new(triangle, latest));
    let axis = sample.map(|normals| normals.product.control().iter().sum::<DVec3>()).sum::<DVec3>().try_normalize()?;
    let mut normals = triangles.map(|triangle| Normals::new(triangle, latest));
    normals.all(|normals| normals.positive(axis)).then_some(axis)
}

/// The normals of a moving triangle.
struct Normals {
    product: Product<DVec3>,
    /// The squared lengths of two sides, as long as they get.
    scale: f64,
}

impl Normals {
    #[inline]
    fn new<const N: usize>([a, b, c]: [&[DVec3; N]; 3], latest: f64) -> Normals {
        let side = |to: &[DVec3; N]| -> [DVec3; N] {
            let whole = std::array::from_fn(|i| to[i] - a[i]);
            until(&whole, DVec3::ZERO, latest)
        };
        let longest_sq = |side: &[DVec3; N]| side.iter().map(|s| s.length_squared()).fold(0.0, f64::max);
        let (u, v) = (side(b), side(c));
        // For linear motion the middle one is the paper's (n0 + n1 - delta) / 2.
        Normals { product: Product::new(&u, &v, DVec3::cross), scale: longest_sq(&u) + longest_sq(&v) }
    }

    /// Whether they are positive against a direction at all times.
    #[inline]
    fn positive(&self, axis: DVec3) -> bool {
        self.product.control().iter().all(|control| control.dot(axis) > CERTAIN * self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip over the parabola z = bend x², four triangles, whose corners move by `by`.
    fn strip(bend: f64, by: impl Fn(DVec3) -> DVec3) -> Vec<[[DVec3; 2]; 3]> {
        let at = |x: i32, y: i32| {
            let x = f64::from(x);
            let start = DVec3::new(x, f64::from(y), bend * x * x);
            [start, by(start)]
        };
        (-1..1).flat_map(|x| [[at(x, 0), at(x + 1, 0), at(x, 1)], [at(x + 1, 0), at(x + 1, 1), at(x, 1)]]).collect()
    }

    fn direction(strip: &[[[DVec3; 2]; 3]], latest: f64) -> Option<DVec3> {
        positive_direction(strip.iter().map(|triangle| triangle.each_ref()), latest)
    }

    #[test]
    fn bent_patches_have_a_direction_until_they_fold() {
        for bend in [0.0, 1.0, 20.0] {
            let axis = direction(&strip(bend, |p| p + DVec3::ONE), 1.0).expect("a graph over the plane");
            assert!(axis.distance(DVec3::Z) < 1e-12, "{axis}");
        }
        // One half turns over onto the other, past upright at half time.
        let folding = strip(0.0, |p| if p.x > 0.0 { DVec3::new(-0.9 * p.x, p.y, 0.1) } else { p });
        assert_eq!(direction(&folding, 1.0), None);
        assert!(direction(&folding, 0.4).is_some());
    }

    #[test]
    fn what_has_no_normal_has_no_direction() {
        let flat = [[DVec3::ZERO; 2], [DVec3::X; 2], [2.0 * DVec3::X; 2]];
        assert_eq!(direction(&[flat], 1.0), None);
        assert_eq!(direction(&[], 1.0), None);
    }
}
