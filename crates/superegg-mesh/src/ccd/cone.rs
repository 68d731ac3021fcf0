//! Continuous normal cones: all directions that the normals of moving triangles take.
//!
//! Over motion of degree d a triangle's normal is a polynomial of degree 2 d in time, so the 2 d + 1 control vectors of
//! its Bernstein form bound its directions: three for linear motion. Cones of larger regions come from merging (X. Provot's rule), by cosines alone. Every step
//! widens the cone by more than single precision can lose.

use glam::{DVec3, Vec3};

use super::path::Product;

/// Taken off a cosine at each step; single precision loses less than a tenth of it.
const SLACK: f32 = 4e-6;

/// Directions within an angle of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cone {
    axis: Vec3,
    /// Cosine of the half angle; zero or less when nothing is known.
    cosine: f32,
}

impl Cone {
    /// All directions.
    pub const OPEN: Cone = Cone { axis: Vec3::ZERO, cosine: -1.0 };

    /// The normals of a triangle whose corners move along these curves.
    #[inline]
    pub fn of_triangle<const N: usize>([a, b, c]: &[[DVec3; N]; 3]) -> Cone {
        let side = |to: &[DVec3; N]| -> [DVec3; N] { std::array::from_fn(|i| to[i] - a[i]) };
        let longest_sq = |side: &[DVec3; N]| side.iter().map(|s| s.length_squared()).fold(0.0, f64::max);
        let (u, v) = (side(b), side(c));
        // For linear motion the middle one is the paper's (n0 + n1 - delta) / 2.
        Cone::of_controls(Product::new(&u, &v, DVec3::cross).control(), longest_sq(&u) + longest_sq(&v))
    }

    /// The directions of a Bernstein form with these control vectors, each exact to 1e-13 of `scale`.
    #[inline]
    pub fn of_controls(controls: &[DVec3], scale: f64) -> Cone {
        let sum = controls.iter().sum::<DVec3>();
        let length_sq = sum.length_squared();
        // The least squared cosine to the sum, with the sign of the dot product.
        let mut least = f64::INFINITY;
        let mut shortest_sq = length_sq;
        for control in controls {
            let along = control.dot(sum);
            let own_sq = control.length_squared();
            shortest_sq = shortest_sq.min(own_sq);
            let square = along * along.abs() / (own_sq * length_sq);
            // Written so that NaN from zero vectors counts as the worst.
            least = if square >= least { least } else { square };
        }
        // Shorter vectors have uncertain directions.
        let reliable = shortest_sq > 1e-12 * scale * scale;
        if !(reliable && least > 0.0) {
            return Cone::OPEN;
        }
        Cone { axis: (sum / length_sq.sqrt()).as_vec3(), cosine: least.sqrt() as f32 - SLACK }
    }

    /// A cone around both.
    #[inline]
    pub fn merge(&self, other: &Cone) -> Cone {
        let widest = self.cosine.min(other.cosine);
        if widest <= 0.0 {
            return Cone::OPEN;
        }
        let sum = self.axis + other.axis;
        let half_sum = 0.5 * sum.length();
        let half_difference = 0.5 * (self.axis - other.axis).length();
        if half_sum < 0.1 {
            return Cone::OPEN;
        }
        let sine = (1.0 - widest * widest).max(0.0).sqrt();
        Cone { axis: sum / (2.0 * half_sum), cosine: half_sum * widest - half_difference * sine - SLACK }
    }

    /// A direction against which every normal in the cone is surely positive.
    #[inline]
    pub fn positive_direction(&self) -> Option<DVec3> {
        (self.cosine > 1e-3).then(|| self.axis.as_dvec3())
    }
}
