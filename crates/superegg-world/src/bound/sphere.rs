//! Spheres.

use glam::DVec3;
use superegg::shape::Sphere;

use super::Bound;

impl Bound for Sphere {
    fn overlaps(&self, other: &Sphere) -> bool {
        let reach = self.radius + other.radius;
        self.center.distance_squared(other.center) <= reach * reach
    }

    fn distance(&self, other: &Sphere) -> f64 {
        (self.center.distance(other.center) - self.radius - other.radius).max(0.0)
    }

    /// The smallest sphere around both.
    fn merged(&self, other: &Sphere) -> Sphere {
        let apart: DVec3 = other.center - self.center;
        let distance = apart.length();
        if distance + other.radius <= self.radius {
            return *self;
        }
        if distance + self.radius <= other.radius {
            return *other;
        }
        let radius = 0.5 * (distance + self.radius + other.radius);
        // Rounding may leave either sphere out by an ulp of the coordinates.
        let slack = 4.0 * f64::EPSILON * (self.center.abs().max_element() + distance + radius);
        Sphere { center: self.center + apart * ((radius - self.radius) / distance), radius: radius + slack }
    }
}
