//! What happens when the ball touches something: impulses along the true normal and, by friction, across it, for a body with
//! mass and inertia against one that yields to nothing.
//!
//! The impulse along the normal reverses the approach of the touching points. The one across it stops their sliding, as far
//! as Coulomb's cone allows. Each on its own never adds energy, so that neither do both.

use superegg::DVec2;

use super::ball::Ball;

/// What touches the ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Where, on the ball.
    pub point: DVec2,
    /// Unit normal from the ball to the other.
    pub normal: DVec2,
    /// Velocity of the other there.
    pub velocity: DVec2,
    /// Part of the approach that is given back.
    pub restitution: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

impl Touch {
    /// Speed at which the touching points approach each other; negative when they part.
    pub fn approach(&self, ball: &Ball) -> f64 {
        (ball.velocity_at(self.point) - self.velocity).dot(self.normal)
    }

    /// Bounces the ball; nothing happens when the points part already.
    pub fn bounce(&self, ball: &mut Ball) {
        let approach = self.approach(ball);
        if approach <= 0.0 {
            return;
        }
        let arm = self.point - ball.position;
        let (mass, inertia) = (ball.mass(), ball.inertia());
        let yielding = |direction: DVec2| {
            let lever = arm.perp_dot(direction);
            1.0 / (1.0 / mass + lever * lever / inertia)
        };
        let push = |impulse: DVec2, ball: &mut Ball| {
            ball.velocity += impulse / mass;
            ball.spin += arm.perp_dot(impulse) / inertia;
        };
        let along = (1.0 + self.restitution) * approach * yielding(self.normal);
        push(-along * self.normal, ball);
        let tangent = self.normal.perp();
        let sliding = (ball.velocity_at(self.point) - self.velocity).dot(tangent);
        let across = (sliding * yielding(tangent)).clamp(-self.friction * along, self.friction * along);
        push(-across * tangent, ball);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pong::ball::shape;

    fn random_ball(random: &mut fastrand::Rng) -> Ball {
        let mut number = |low: f64, high: f64| low + (high - low) * random.f64();
        Ball {
            shape: shape(number(0.28, 1.55), number(0.62, 1.6)),
            position: DVec2::new(number(-5.0, 5.0), number(-3.0, 3.0)),
            angle: number(-4.0, 4.0),
            velocity: DVec2::new(number(-30.0, 30.0), number(-30.0, 30.0)),
            spin: number(-40.0, 40.0),
        }
    }

    /// The point of the ball with this outward normal, which is exact for a superellipse.
    fn touch(ball: &Ball, normal: DVec2, friction: f64, restitution: f64) -> Touch {
        let pose = ball.pose();
        let point = pose.transform_point(ball.shape.support(pose.inverse_transform_vector(normal)));
        Touch { point, normal, velocity: DVec2::ZERO, restitution, friction }
    }

    #[test]
    fn a_smooth_bounce_keeps_energy_and_reverses_the_touching_point() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..10_000 {
            let mut ball = random_ball(&mut random);
            let touch = touch(&ball, DVec2::from_angle(6.3 * random.f64()), 0.0, 1.0);
            let (energy, approach) = (ball.energy(), touch.approach(&ball));
            let across = ball.velocity.dot(touch.normal.perp());
            touch.bounce(&mut ball);
            assert!((ball.energy() / energy - 1.0).abs() < 1e-12);
            if approach > 0.0 {
                assert!((touch.approach(&ball) + approach).abs() < 1e-10 * (1.0 + approach));
                // Without friction nothing pushes across the normal.
                assert!((ball.velocity.dot(touch.normal.perp()) - across).abs() < 1e-11);
            }
        }
    }

    #[test]
    fn friction_never_adds_energy_and_turns_sliding_into_spin() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..10_000 {
            let mut ball = random_ball(&mut random);
            let touch = touch(&ball, DVec2::from_angle(6.3 * random.f64()), random.f64(), random.f64());
            let energy = ball.energy();
            touch.bounce(&mut ball);
            assert!(ball.energy() <= energy * (1.0 + 1e-12));
        }
        // A round ball that comes down at a slant begins to roll: its lowest point moves against the slide.
        let mut ball = Ball { velocity: DVec2::new(5.0, -5.0), ..Ball::at_rest(shape(1.0, 1.0)) };
        let floor = touch(&ball, DVec2::NEG_Y, 0.3, 1.0);
        floor.bounce(&mut ball);
        assert!(ball.spin < -1.0 && ball.velocity.x < 5.0 && (ball.velocity.y - 5.0).abs() < 1e-12);
        // The angular momentum about the touching point is what it was: both impulses go through it.
        let momentum = |ball: &Ball| {
            ball.mass() * (ball.position - floor.point).perp_dot(ball.velocity) + ball.inertia() * ball.spin
        };
        let before = Ball { velocity: DVec2::new(5.0, -5.0), spin: 0.0, ..ball };
        assert!((momentum(&ball) - momentum(&before)).abs() < 1e-12);
    }

    #[test]
    fn a_corner_that_is_hit_off_centre_begins_to_spin_the_right_way() {
        // A tilted square falls flat onto a floor: the corner to the right of its middle is pushed up.
        let square = Ball { angle: 0.3, velocity: DVec2::NEG_Y, ..Ball::at_rest(shape(0.28, 1.0)) };
        let floor = touch(&square, DVec2::NEG_Y, 0.0, 1.0);
        let mut after = square;
        floor.bounce(&mut after);
        let lever = floor.point.x - square.position.x;
        assert!(lever.abs() > 0.05 && after.spin * lever > 0.0, "{lever} {}", after.spin);
    }
}
