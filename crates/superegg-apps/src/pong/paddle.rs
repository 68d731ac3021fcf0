//! The court and its paddles: capsules around segments, moved by hands within limits that the client knows too.

use superegg::DVec2;

/// Half the width and height of the court, in metres.
pub const COURT: DVec2 = DVec2::new(8.0, 4.5);
/// Distance of the paddles' line from the middle.
pub const LINE: f64 = 7.0;
/// Half the length of a paddle, and half its thickness.
pub const HALF: f64 = 1.0;
pub const THICKNESS: f64 = 0.13;
/// Largest tilt from upright.
pub const TILT: f64 = 0.7;
/// Fastest motion and turn: the court's height in a fifth of a second.
pub const SPEED: f64 = 45.0;
pub const TURN: f64 = 14.0;

/// One player's paddle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paddle {
    /// Its middle.
    pub position: DVec2,
    /// Counter-clockwise from upright.
    pub tilt: f64,
    /// Of its middle.
    pub velocity: DVec2,
    pub spin: f64,
    /// Where the hand wants it.
    pub target: f64,
    pub target_tilt: f64,
}

impl Paddle {
    /// Of the left (0) or right (1) player.
    pub fn new(side: usize) -> Paddle {
        let position = DVec2::new(if side == 0 { -LINE } else { LINE }, 0.0);
        Paddle { position, tilt: 0.0, velocity: DVec2::ZERO, spin: 0.0, target: 0.0, target_tilt: 0.0 }
    }

    /// Where a hand wants it; clamped to the court.
    pub fn aim(&mut self, height: f64, tilt: f64) {
        self.target = height.clamp(-reach(), reach());
        self.target_tilt = tilt.clamp(-TILT, TILT);
    }

    /// Sets the velocities that bring it nearer to its target within a step.
    pub fn start(&mut self, dt: f64) {
        self.velocity = DVec2::new(0.0, ((self.target - self.position.y) / dt).clamp(-SPEED, SPEED));
        self.spin = ((self.target_tilt - self.tilt) / dt).clamp(-TURN, TURN);
    }

    pub fn fly(&mut self, seconds: f64) {
        self.position += self.velocity * seconds;
        self.tilt += self.spin * seconds;
    }

    /// The ends of its segment.
    pub fn ends(&self) -> [DVec2; 2] {
        let along = HALF * DVec2::from_angle(self.tilt).perp();
        [self.position - along, self.position + along]
    }

    /// Velocity of the point of the paddle that is at a place in the world.
    pub fn velocity_at(&self, place: DVec2) -> DVec2 {
        self.velocity + self.spin * (place - self.position).perp()
    }
}

/// How far its middle may go.
fn reach() -> f64 {
    COURT.y - 0.6 * HALF
}
