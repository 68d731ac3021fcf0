//! The ball: a superellipse with mass and moment of inertia from its exact area and second moments.

use superegg::shape::Superellipse;
use superegg::{DVec2, Pose2};

/// Mass of an area, in kilograms a square metre: the ball of the start weighs about half a kilogram.
const DENSITY: f64 = 0.8;
/// Area that the ball always has, in square metres.
const AREA: f64 = 0.62;
/// Exponents and ratios of the radii that the ball takes.
pub const EXPONENTS: [f64; 2] = [0.28, 1.55];
pub const RATIOS: [f64; 2] = [0.62, 1.6];

/// A superellipse that moves and spins in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    pub shape: Superellipse,
    pub position: DVec2,
    /// Radians, counter-clockwise.
    pub angle: f64,
    pub velocity: DVec2,
    /// Radians a second.
    pub spin: f64,
}

impl Ball {
    pub fn at_rest(shape: Superellipse) -> Ball {
        Ball { shape, position: DVec2::ZERO, angle: 0.0, velocity: DVec2::ZERO, spin: 0.0 }
    }

    pub fn pose(&self) -> Pose2 {
        Pose2 { rotation: DVec2::from_angle(self.angle), translation: self.position }
    }

    pub fn mass(&self) -> f64 {
        DENSITY * self.shape.area()
    }

    /// About its middle.
    pub fn inertia(&self) -> f64 {
        let [x, y] = self.shape.second_moments();
        DENSITY * (x + y)
    }

    /// Kinetic energy.
    #[cfg(test)]
    pub fn energy(&self) -> f64 {
        0.5 * self.mass() * self.velocity.length_squared() + 0.5 * self.inertia() * self.spin * self.spin
    }

    /// Velocity of the point of the ball that is at a place in the world.
    pub fn velocity_at(&self, place: DVec2) -> DVec2 {
        self.velocity + self.spin * (place - self.position).perp()
    }

    /// Moves on freely.
    pub fn fly(&mut self, seconds: f64) {
        self.position += self.velocity * seconds;
        self.angle = (self.angle + self.spin * seconds) % std::f64::consts::TAU;
    }
}

/// The superellipse of this exponent and ratio of its radii that has the ball's area. Both are clamped to what a ball may be,
/// for which the shape always exists.
pub fn shape(exponent: f64, ratio: f64) -> Superellipse {
    let (exponent, ratio) = (exponent.clamp(EXPONENTS[0], EXPONENTS[1]), ratio.clamp(RATIOS[0], RATIOS[1]));
    let of = |size: f64| Superellipse::new([size * ratio.sqrt(), size / ratio.sqrt()], exponent);
    let unit = of(1.0).map_or(std::f64::consts::PI, |unit| unit.area());
    let circle = || Superellipse::new([0.44, 0.44], 1.0);
    of((AREA / unit).sqrt()).or_else(|_| circle()).unwrap_or_else(|_| unreachable!("a circle is a superellipse"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use superegg::shape::Spacing;

    #[test]
    fn mass_and_inertia_are_those_of_a_fine_polygon() {
        for (exponent, ratio) in [(0.3, 1.0), (1.0, 1.4), (1.5, 0.7)] {
            let ball = Ball::at_rest(shape(exponent, ratio));
            assert!((ball.shape.area() - AREA).abs() < 1e-12);
            // An inscribed polygon of 4000 corners lacks about a millionth of the area.
            let corners = ball.shape.polygon(4000, Spacing::Curvature).unwrap();
            let (mut area, mut polar) = (0.0, 0.0);
            for (k, p) in corners.iter().enumerate() {
                let q = corners[(k + 1) % corners.len()];
                let cross = p.perp_dot(q);
                area += 0.5 * cross;
                polar += cross * (p.dot(*p) + p.dot(q) + q.dot(q)) / 12.0;
            }
            assert!((ball.mass() / (DENSITY * area) - 1.0).abs() < 1e-5, "{exponent} {ratio}");
            assert!((ball.inertia() / (DENSITY * polar) - 1.0).abs() < 1e-5, "{exponent} {ratio}");
        }
    }
}
