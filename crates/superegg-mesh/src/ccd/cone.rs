//! Continuous normal cones: all directions that the normals of moving triangles take.
//!
//! Over linear motion a triangle's normal is quadratic in time, so the three control vectors of its Bernstein form
//! bound its directions. Cones of larger regions come from merging (X. Provot's rule), by cosines alone. Every step
//! widens the cone by more than single precision can lose.

use glam::{DVec3, Vec3};

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

    /// The normals of a triangle that moves linearly.
    #[inline]
    pub fn of_triangle(start: [DVec3; 3], end: [DVec3; 3]) -> Cone {
        let sides = |[a, b, c]: [DVec3; 3]| (b - a, c - a);
        let ((u0, v0), (u1, v1)) = (sides(start), sides(end));
        let first = u0.cross(v0);
        let last = u1.cross(v1);
        // The paper's (n0 + n1 - delta) / 2, written as the mixed products it equals.
        let middle = 0.5 * (u0.cross(v1) + u1.cross(v0));
        Cone::of_controls(
            &[first, middle, last],
            u0.length_squared().max(u1.length_squared()) + v0.length_squared().max(v1.length_squared()),
        )
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
