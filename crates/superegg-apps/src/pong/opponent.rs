//! The computer as a player: it foresees where the ball will cross its line, by unfolding the walls, with an error that its
//! level has, looks again after a while, and moves no faster than its level may.

use superegg::DVec2;

use super::ball::Ball;
use super::messages::Opponent;
use super::paddle::{COURT, HALF, Paddle, TILT};

/// What tells levels apart.
struct Skill {
    /// Seconds between two looks at the ball.
    looks: f64,
    /// Error of a foresight, in metres a second of flight.
    error: f64,
    /// Metres a second.
    speed: f64,
    /// Part of the largest tilt that it uses to aim.
    aim: f64,
}

fn skill(level: Opponent) -> Skill {
    match level {
        // A person is not played by the computer; whoever asks gets the slowest.
        Opponent::Person | Opponent::Easy => Skill { looks: 0.45, error: 1.9, speed: 4.2, aim: 0.0 },
        Opponent::Medium => Skill { looks: 0.25, error: 1.0, speed: 6.5, aim: 0.35 },
        Opponent::Hard => Skill { looks: 0.1, error: 0.3, speed: 11.0, aim: 0.8 },
    }
}

/// A player without hands.
#[derive(Clone, Debug)]
pub struct Computer {
    level: Opponent,
    random: fastrand::Rng,
    /// Until it looks again.
    wait: f64,
    height: f64,
    tilt: f64,
}

impl Computer {
    pub fn new(level: Opponent, seed: u64) -> Computer {
        Computer { level, random: fastrand::Rng::with_seed(seed), wait: 0.0, height: 0.0, tilt: 0.0 }
    }

    /// Aims its paddle for the next step.
    pub fn play(&mut self, ball: &Ball, own: &mut Paddle, other: &Paddle, dt: f64) {
        let skill = skill(self.level);
        self.wait -= dt;
        if self.wait <= 0.0 {
            self.wait = skill.looks;
            self.look(ball, own, other, &skill);
        }
        let step = (self.height - own.target).clamp(-skill.speed * dt, skill.speed * dt);
        let turn = (self.tilt - own.target_tilt).clamp(-4.0 * dt, 4.0 * dt);
        own.aim(own.target + step, own.target_tilt + turn);
    }

    fn look(&mut self, ball: &Ball, own: &Paddle, other: &Paddle, skill: &Skill) {
        let away = (own.position.x - ball.position.x).signum() != ball.velocity.x.signum();
        if away || ball.velocity.x == 0.0 {
            // Back towards the middle.
            (self.height, self.tilt) = (0.4 * self.height, 0.0);
            return;
        }
        let front = own.position.x - 0.6 * own.position.x.signum();
        let flight = ((front - ball.position.x) / ball.velocity.x).max(0.0);
        let radius = ball.shape.bounding_radius();
        let foreseen = folded(ball.position.y + ball.velocity.y * flight, COURT.y - 0.8 * radius);
        let error = skill.error * (0.25 + flight) * (2.0 * self.random.f64() - 1.0);
        // Not always with the middle of the paddle.
        let off_centre = 0.5 * HALF * (2.0 * self.random.f64() - 1.0);
        self.height = foreseen + error + off_centre;
        // Away from the other player: a paddle that leans by an angle sends a flat ball off by twice that.
        let corner = if other.position.y > 0.0 { -1.0 } else { 1.0 };
        let goal = DVec2::new(other.position.x, corner * (COURT.y - 1.0)) - own.position;
        let wanted = (goal.y / goal.x.abs()).atan();
        let incoming = (ball.velocity.y / ball.velocity.x.abs()).atan();
        let lean = 0.5 * (wanted - incoming) * -own.position.x.signum();
        self.tilt = (skill.aim * lean).clamp(-TILT, TILT);
    }
}

/// A height after its bounces between two walls at ±`most`.
fn folded(height: f64, most: f64) -> f64 {
    let period = 4.0 * most;
    let within = (height + most).rem_euclid(period);
    if within <= 2.0 * most { within - most } else { 3.0 * most - within }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfolding_walls_is_bouncing_between_them() {
        let (most, mut height, mut speed) = (3.7, 0.4, 0.013);
        for step in 0..20_000 {
            let unfolded = 0.4 + 0.013 * f64::from(step);
            assert!((folded(unfolded, most) - height).abs() < 1e-9, "{step}");
            height += speed;
            if height > most {
                (height, speed) = (2.0 * most - height, -speed);
            } else if height < -most {
                (height, speed) = (-2.0 * most - height, -speed);
            }
        }
    }
}
