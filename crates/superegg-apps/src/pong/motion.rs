//! When the ball meets something, by conservative advancement: the certified lower bound of the distance, divided by a bound of
//! the speed at which it can shrink, is a time in which nothing can meet. So nothing passes a paddle at any speed.
//!
//! Where the ball is closer than [`SLOP`] it goes on by steps in which no point moves farther than that; a touch whose points
//! approach is a bounce. Walls are lines, whose distance is the support function; paddles are segments, whose ends count as
//! in figure 8.1 of paper 001.

use superegg::DVec2;
use superegg::query::{Options, superellipse_segment};

use super::ball::Ball;
use super::bounce::Touch;
use super::paddle::{COURT, HALF, Paddle, THICKNESS};

/// Closer than this is touching, in metres.
pub const SLOP: f64 = 1e-3;
/// Most advances in a step. Beyond them the rest of the step is dropped: the ball is late, never past.
const MOST_ADVANCES: usize = 20_000;
const FRICTION: f64 = 0.25;

/// What the ball met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Whose paddle; none for a wall.
    pub paddle: Option<usize>,
    /// Where.
    pub at: DVec2,
    /// How fast they approached.
    pub speed: f64,
    /// Seconds of the step that were left.
    pub left: f64,
}

/// How near something is.
struct Near {
    /// It is not nearer than this.
    distance: f64,
    /// The distance shrinks no faster than this, in metres a second.
    closing: f64,
    paddle: Option<usize>,
    touch: Touch,
}

/// Moves ball and paddles on by `dt` and bounces the ball off walls and paddles. The ends of the court are open.
pub fn advance(ball: &mut Ball, paddles: &mut [Paddle; 2], dt: f64, mut met: impl FnMut(Meeting, &mut Ball)) {
    for paddle in paddles.iter_mut() {
        paddle.start(dt);
    }
    let mut left = dt;
    for _ in 0..MOST_ADVANCES {
        let near = everything(ball, paddles);
        for near in &near {
            if near.distance > SLOP {
                continue;
            }
            let speed = near.touch.approach(ball);
            if speed > 0.0 {
                near.touch.bounce(ball);
                met(Meeting { paddle: near.paddle, at: near.touch.point, speed, left }, ball);
            }
            // A paddle that moves into the ball pushes it out.
            if near.distance < 0.0 {
                ball.position += near.distance * near.touch.normal;
            }
        }
        if left <= 0.0 {
            return;
        }
        let free = everything(ball, paddles)
            .iter()
            .map(|near| (near.distance - 0.5 * SLOP).max(0.5 * SLOP) / near.closing.max(1e-9))
            .fold(left, f64::min);
        ball.fly(free);
        for paddle in paddles.iter_mut() {
            paddle.fly(free);
        }
        left -= free;
    }
    // The paddles arrive all the same; the ball is pushed out of their way at the next step.
    for paddle in paddles.iter_mut() {
        paddle.fly(left);
    }
}

fn everything(ball: &Ball, paddles: &[Paddle; 2]) -> [Near; 4] {
    [wall(ball, 1.0), wall(ball, -1.0), near(ball, paddles, 0), near(ball, paddles, 1)]
}

/// The upper (1) or lower (-1) wall.
fn wall(ball: &Ball, side: f64) -> Near {
    let (pose, normal) = (ball.pose(), DVec2::new(0.0, side));
    let point = pose.transform_point(ball.shape.support(pose.inverse_transform_vector(normal)));
    Near {
        distance: COURT.y - side * point.y,
        closing: ball.velocity.y.abs() + ball.spin.abs() * ball.shape.bounding_radius(),
        paddle: None,
        touch: Touch { point, normal, velocity: DVec2::ZERO, restitution: 1.0, friction: 0.0 },
    }
}

fn near(ball: &Ball, paddles: &[Paddle; 2], side: usize) -> Near {
    let paddle = &paddles[side];
    let radius = ball.shape.bounding_radius();
    let closing = (ball.velocity - paddle.velocity).length()
        + ball.spin.abs() * radius
        + paddle.spin.abs() * (HALF + THICKNESS + 2.0 * SLOP);
    let ends = paddle.ends();
    let middle = closest(ends, ball.position);
    let apart = middle.distance(ball.position) - radius - THICKNESS;
    let far = Touch {
        point: ball.position,
        normal: (middle - ball.position).normalize_or(DVec2::X),
        velocity: DVec2::ZERO,
        restitution: 1.0,
        friction: FRICTION,
    };
    if apart > SLOP {
        return Near { distance: apart, closing, paddle: Some(side), touch: far };
    }
    let options = Options { tolerance: 1e-6, ..Options::DEFAULT };
    match superellipse_segment(&ball.shape, &ball.pose(), ends, &options) {
        Ok(found) => {
            let touch = Touch {
                point: found.point_a,
                normal: found.normal,
                velocity: paddle.velocity_at(found.point_b - THICKNESS * found.normal),
                ..far
            };
            Near { distance: found.bounds.lower - THICKNESS, closing, paddle: Some(side), touch }
        }
        // Only for places that are not finite, which the rules do not let happen.
        Err(_) => Near { distance: apart, closing, paddle: Some(side), touch: far },
    }
}

/// The point of a segment that is nearest to another.
fn closest([a, b]: [DVec2; 2], point: DVec2) -> DVec2 {
    let along = b - a;
    a + along * ((point - a).dot(along) / along.length_squared()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pong::ball::shape;
    use crate::pong::paddle::TILT;

    fn number(random: &mut fastrand::Rng, low: f64, high: f64) -> f64 {
        low + (high - low) * random.f64()
    }

    /// Whether the middle of the ball goes through the paddle between two moments of a step, looked at in 64 places: between
    /// them a ball goes straight and a paddle moves and turns evenly.
    fn crosses(from: (f64, DVec2), to: (f64, DVec2), start: &Paddle) -> bool {
        let mut last: Option<DVec2> = None;
        for k in 0..=64 {
            let part = f64::from(k) / 64.0;
            let mut paddle = *start;
            paddle.fly(from.0 + (to.0 - from.0) * part);
            // In the paddle's own frame: x across it.
            let own = DVec2::from_angle(-paddle.tilt).rotate(from.1.lerp(to.1, part) - paddle.position);
            if last.is_some_and(|last| last.x * own.x < 0.0 && last.y.abs() < HALF && own.y.abs() < HALF) {
                return true;
            }
            last = Some(own);
        }
        false
    }

    #[test]
    fn nothing_passes_a_paddle_in_a_hundred_thousand_fast_shots() {
        const DT: f64 = 1.0 / 60.0;
        let mut random = fastrand::Rng::with_seed(7);
        let mut thrown_back = 0;
        for shot in 0..100_000 {
            let mut paddles = [Paddle::new(0), Paddle::new(1)];
            let height = number(&mut random, -3.0, 3.0);
            let tilt = number(&mut random, -TILT, TILT);
            paddles[1].aim(height, tilt);
            (paddles[1].position.y, paddles[1].tilt) = (paddles[1].target, paddles[1].target_tilt);
            // It may move and turn while it is hit.
            let (dy, turn) = (number(&mut random, -0.3, 0.3), number(&mut random, -0.1, 0.1));
            paddles[1].aim(height + dy, tilt + turn);
            let mut ball = Ball::at_rest(shape(number(&mut random, 0.28, 1.55), number(&mut random, 0.62, 1.6)));
            ball.angle = number(&mut random, -4.0, 4.0);
            ball.spin = number(&mut random, -60.0, 60.0);
            // At the paddle, from somewhere in front of it: up to 10 m in a step.
            let goal = paddles[1].position + DVec2::new(0.0, number(&mut random, -0.4, 0.4));
            ball.position = DVec2::new(number(&mut random, 0.0, 5.0), number(&mut random, -2.5, 2.5));
            ball.velocity = (goal - ball.position).normalize() * number(&mut random, 20.0, 600.0);
            let mut met = false;
            for _ in 0..60 {
                let mut start = paddles[1];
                start.start(DT);
                let mut places = vec![(0.0, ball.position)];
                advance(&mut ball, &mut paddles, DT, |meeting, ball| {
                    met |= meeting.paddle == Some(1);
                    places.push((DT - meeting.left, ball.position));
                });
                places.push((DT, ball.position));
                for piece in places.windows(2) {
                    assert!(!crosses(piece[0], piece[1], &start), "shot {shot}: {ball:?}");
                }
                assert!(ball.position.is_finite() && ball.energy().is_finite(), "shot {shot}: {ball:?}");
                if met {
                    break;
                }
            }
            assert!(met, "shot {shot}: the paddle was not met: {ball:?}");
            thrown_back += usize::from(ball.velocity.x < 0.0);
        }
        println!("{thrown_back} of 100,000 shots were thrown back, the others glanced off an end");
        assert!(thrown_back > 80_000, "{thrown_back}");
    }

    #[test]
    fn a_bounce_follows_the_analytic_normal() {
        // Without spin against an upright paddle at rest the touching point is the support point, and the impulse along
        // x only: compared with the formula for a rigid body, whose own error is rounding.
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..2_000 {
            let mut ball = Ball::at_rest(shape(number(&mut random, 0.28, 1.55), number(&mut random, 0.62, 1.6)));
            ball.angle = number(&mut random, -4.0, 4.0);
            ball.velocity = DVec2::new(number(&mut random, 5.0, 40.0), 0.0);
            ball.position = DVec2::new(5.0, 0.0);
            let pose = ball.pose();
            let arm = pose.transform_vector(ball.shape.support(pose.inverse_transform_vector(DVec2::X)));
            let (mass, inertia) = (ball.mass(), ball.inertia());
            let impulse = 2.0 * ball.velocity.x / (1.0 / mass + arm.y * arm.y / inertia);
            let expected = ball.velocity.x - impulse / mass;
            let spin = arm.y * impulse / inertia;
            let mut paddles = [Paddle::new(0), Paddle::new(1)];
            let mut first = None;
            for _ in 0..60 {
                advance(&mut ball, &mut paddles, 1.0 / 60.0, |meeting, after| {
                    if meeting.paddle == Some(1) && first.is_none() {
                        first = Some(*after);
                    }
                });
                if first.is_some() {
                    break;
                }
            }
            let after = first.expect("the paddle is met");
            // Friction acts across the normal, and only when the point slides; it changes spin and height, so what it cannot
            // touch is compared: the push along the normal.
            assert!((after.velocity.x - expected).abs() < 2e-2 * (1.0 + expected.abs()), "{after:?} {expected}");
            let sliding = spin * arm.x;
            if sliding.abs() < 1e-9 {
                assert!((after.spin - spin).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn between_walls_and_resting_paddles_energy_does_not_grow() {
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut ball = Ball::at_rest(shape(number(&mut random, 0.28, 1.55), number(&mut random, 0.62, 1.6)));
            ball.velocity = DVec2::new(number(&mut random, -9.0, 9.0), number(&mut random, -9.0, 9.0));
            ball.spin = number(&mut random, -20.0, 20.0);
            let mut paddles = [Paddle::new(0), Paddle::new(1)];
            let mut energy = ball.energy();
            for step in 0..600 {
                advance(&mut ball, &mut paddles, 1.0 / 60.0, |_, _| ());
                assert!(ball.energy() <= energy * (1.0 + 1e-9), "seed {seed}, step {step}");
                // Pushing out of a wall or paddle is bounded by what a touch is.
                assert!(ball.position.y.abs() < COURT.y, "seed {seed}, step {step}: {ball:?}");
                energy = ball.energy();
            }
        }
    }

    #[test]
    fn walls_without_friction_keep_energy_to_the_last_digits() {
        let mut ball = Ball { velocity: DVec2::new(0.0, 20.0), spin: 9.0, ..Ball::at_rest(shape(0.3, 1.4)) };
        let mut paddles = [Paddle::new(0), Paddle::new(1)];
        let energy = ball.energy();
        let mut bounces = 0;
        for _ in 0..1000 {
            advance(&mut ball, &mut paddles, 1.0 / 60.0, |_, _| bounces += 1);
        }
        assert!(bounces > 20 && (ball.energy() / energy - 1.0).abs() < 1e-10, "{bounces} {}", ball.energy() / energy);
    }
}
