//! A character that walks on a frozen landscape, and the camera behind it.
//!
//! The character is an upright capsule, moved in pieces of a step that are much shorter than its radius, pushed out of what it
//! touches along the shortest way, and put back where it was if its spine or the way of its spine would pass through the ground: so
//! it stays on the side of the cloth on which it began, whatever the folds. It stands on slopes up to [`STEEPEST`], climbs steps,
//! slides down what is steeper, and jumps.
//!
//! The camera goes backwards from the head as far as a ball around it stays clear of the ground, by spheres that are free of
//! ground (sphere tracing, Hart 1996): so it never gets under it.

use std::f64::consts::{FRAC_PI_2, TAU};

use superegg::{DVec2, DVec3};

use super::ground::Ground;
use super::simulation::REACH;

/// The walker's metres in a metre of the table.
pub const SCALE: f64 = 40.0;
/// Of the capsule, in the walker's metres.
const RADIUS: f64 = 0.35;
pub const HEIGHT: f64 = 1.7;
/// Length of its spine: of the segment around which it is a capsule.
const SPINE: f64 = HEIGHT - 2.0 * RADIUS;
/// Cosine of the steepest slope on which it stands.
const STEEPEST: f64 = 0.62;
/// Highest step that it climbs.
const STEP: f64 = 0.35;
/// How far ahead a step is looked for.
const AHEAD: f64 = 0.25;
const SPEED: f64 = 5.0;
const JUMP: f64 = 6.0;
const GRAVITY: f64 = 14.0;
const FASTEST: f64 = 24.0;
/// Pieces of a step of 1/60 s: at the highest speed each is a seventh of the radius.
const PIECES: u32 = 8;
/// How quickly the velocity becomes what is wanted, on the ground and in the air, a second.
const GRIP: f64 = 12.0;
const STEERING: f64 = 2.5;
/// Seconds of being wedged in a fold after which the character is back where it last stood.
const WEDGED: f64 = 1.5;
/// How far from the middle it may walk.
const FARTHEST: f64 = 1.3 * REACH * SCALE;
/// Of the ball around the camera, how far behind the head it is, and how fast it goes back there, in metres a second.
const CAMERA: f64 = 0.22;
const BEHIND: [f64; 2] = [1.5, 12.0];
const RETURNING: f64 = 6.0;

/// What the user wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intent {
    /// To the right and ahead, as seen by the camera; at most 1 long.
    pub stick: DVec2,
    /// Direction in which the camera looks, about the vertical, in radians from x to y.
    pub yaw: f64,
    /// Of the camera's look, upwards.
    pub pitch: f64,
    /// How far behind the camera is wanted.
    pub behind: f64,
    /// A jump that has not happened yet.
    pub jump: bool,
}

impl Default for Intent {
    fn default() -> Intent {
        Intent { stick: DVec2::ZERO, yaw: FRAC_PI_2, pitch: -0.25, behind: 5.0, jump: false }
    }
}

impl Intent {
    /// The same within what makes sense.
    pub fn clamped(self) -> Intent {
        let Intent { stick, yaw, pitch, behind, jump } = self;
        Intent {
            stick: stick.clamp_length_max(1.0),
            yaw: yaw.rem_euclid(TAU),
            pitch: pitch.clamp(-1.4, 1.2),
            behind: behind.clamp(BEHIND[0], BEHIND[1]),
            jump,
        }
    }
}

pub struct Walker {
    ground: Ground,
    pub intent: Intent,
    /// The lower end of the spine.
    place: DVec3,
    velocity: DVec3,
    /// The ground below, if the character stands.
    standing: Option<DVec3>,
    /// Where it last stood.
    safe: DVec3,
    /// For how long it has been wedged.
    wedged: f64,
    /// Where it looks, about the vertical.
    pub facing: f64,
    /// How far the camera is behind the head.
    behind: f64,
}

impl Walker {
    /// A character on a cloth, given in metres of the table.
    pub fn new(positions: &[DVec3], triangles: &[[u32; 3]]) -> Walker {
        let ground = Ground::new(positions.iter().map(|at| *at * SCALE).collect(), triangles.to_vec());
        let (x, y) = (0.05 * SCALE, -0.6 * SCALE);
        let place = DVec3::new(x, y, ground.top(x, y) + RADIUS + 0.3);
        Walker {
            ground,
            intent: Intent::default(),
            place,
            velocity: DVec3::ZERO,
            standing: None,
            safe: place,
            wedged: 0.0,
            facing: FRAC_PI_2,
            behind: Intent::default().behind,
        }
    }

    /// The point between its feet, in metres of the table.
    pub fn feet(&self) -> DVec3 {
        (self.place - DVec3::Z * RADIUS) / SCALE
    }

    pub fn is_standing(&self) -> bool {
        self.standing.is_some()
    }

    /// Part of the speed at which it runs.
    pub fn pace(&self) -> f64 {
        (self.velocity.truncate().length() / SPEED).min(2.0)
    }

    fn head(&self) -> DVec3 {
        self.place + DVec3::Z * SPINE
    }

    /// Where the camera is and what it looks at, in metres of the table.
    pub fn camera(&self) -> [DVec3; 2] {
        [(self.head() + self.backwards() * self.behind) / SCALE, self.head() / SCALE]
    }

    fn backwards(&self) -> DVec3 {
        let Intent { yaw, pitch, .. } = self.intent;
        -DVec3::new(yaw.cos() * pitch.cos(), yaw.sin() * pitch.cos(), pitch.sin())
    }

    /// One step of time.
    pub fn advance(&mut self, dt: f64) {
        let h = dt / f64::from(PIECES);
        for _ in 0..PIECES {
            self.advance_piece(h);
        }
        self.intent.jump = false;
        let across = self.velocity.truncate();
        if across.length() > 0.3 {
            let turn = (across.to_angle() - self.facing + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
            self.facing += turn * (1.0 - (-10.0 * dt).exp());
        }
        self.behind = self.traced().min(self.behind + RETURNING * dt).max(0.0);
    }

    /// What the stick means in the world, in metres a second.
    fn wanted(&self) -> DVec2 {
        let ahead = DVec2::from_angle(self.intent.yaw);
        (ahead * self.intent.stick.y - ahead.perp() * self.intent.stick.x) * SPEED
    }

    fn advance_piece(&mut self, h: f64) {
        let wanted = self.wanted();
        if let Some(normal) = self.standing {
            // Along the slope, at the speed that is wanted on the map, but uphill not faster than on the plain.
            let along = wanted.extend(-wanted.dot(normal.truncate()) / normal.z).clamp_length_max(SPEED);
            self.velocity += (along - self.velocity) * (GRIP * h).min(1.0);
            if std::mem::take(&mut self.intent.jump) {
                self.velocity.z = JUMP;
                self.standing = None;
            }
        } else {
            let across = self.velocity.truncate();
            let steered = across + (wanted - across) * (STEERING * h).min(1.0);
            self.velocity = steered.extend(self.velocity.z - GRAVITY * h).clamp_length_max(FASTEST);
        }
        let from = self.place;
        let was_standing = self.standing.is_some();
        // What stands is kept on the ground while that falls away gently.
        let down = if was_standing {
            DVec3::NEG_Z * (0.8 * h * self.velocity.truncate().length() + 0.02 * h)
        } else {
            DVec3::ZERO
        };
        self.place += self.velocity * h + down;
        let most = DVec2::splat(FARTHEST);
        self.place = self.place.truncate().clamp(-most, most).extend(self.place.z);
        let normals = self.push_out();
        if self.is_blocked(from) {
            self.place = from;
            self.velocity = DVec3::ZERO;
            self.standing = Some(DVec3::Z);
            self.wedge(h);
            return;
        }
        self.settle(from, &normals, was_standing, h);
    }

    /// Takes out of the velocity what leads into the ground, and sees on what the character stands.
    fn settle(&mut self, from: DVec3, normals: &[DVec3], was_standing: bool, h: f64) {
        let moved = self.place - from;
        let flattest = normals.iter().copied().max_by(|a, b| a.z.total_cmp(&b.z));
        for normal in normals {
            self.velocity -= *normal * self.velocity.dot(*normal).min(0.0);
        }
        let wanted = self.wanted();
        let is_steep = |normal: &&DVec3| normal.z < STEEPEST && normal.truncate().dot(wanted) < 0.0;
        if was_standing && wanted.length() > 0.1 && normals.iter().any(|normal| is_steep(&normal)) {
            self.climb(wanted.normalize());
        }
        self.standing = flattest.filter(|normal| normal.z >= STEEPEST && self.velocity.z < 0.8 * JUMP);
        // Between steep walls that hold it from both sides a character stands too.
        let is_held =
            self.standing.is_none() && !normals.is_empty() && moved.length() < 0.05 * h && self.velocity.z <= 0.0;
        if is_held {
            self.standing = Some(DVec3::Z);
            self.wedge(h);
        } else if self.standing.is_some() {
            (self.safe, self.wedged) = (self.place, 0.0);
        }
    }

    /// It does not move by itself: after a while it is where it last stood.
    fn wedge(&mut self, h: f64) {
        self.wedged += h;
        if self.wedged > WEDGED && self.intent.stick.length() > 0.1 {
            (self.place, self.velocity, self.wedged) = (self.safe, DVec3::ZERO, 0.0);
        }
    }

    /// Steps up, if there is ground to stand on a little ahead and above.
    fn climb(&mut self, ahead: DVec2) {
        let above = self.place + DVec3::Z * STEP;
        let over = above + (ahead * AHEAD).extend(0.0);
        let clear = |place: DVec3| self.ground.nearest(place, RADIUS).is_none();
        if !clear(over)
            || !clear(over + DVec3::Z * SPINE)
            || self.ground.blocks(self.place, above)
            || self.ground.blocks(above, over)
        {
            return;
        }
        // A little at a time, so that it looks like climbing.
        let raised = self.place + DVec3::Z * 0.03;
        if !self.ground.blocks(self.head(), raised + DVec3::Z * SPINE) {
            self.place = raised;
            self.velocity += (ahead * 0.4).extend(0.0);
        }
    }

    /// The spine's places around which the capsule is made of balls.
    fn balls(place: DVec3) -> [DVec3; 3] {
        [0.0, 0.5, 1.0].map(|part| place + DVec3::Z * (part * SPINE))
    }

    /// Pushes the capsule out of the ground, deepest first; the normals along which it was pushed.
    fn push_out(&mut self) -> Vec<DVec3> {
        let mut normals = vec![];
        for _ in 0..8 {
            let touching = Walker::balls(self.place).into_iter().flat_map(|ball| {
                let near = self.ground.touching(ball, RADIUS);
                near.into_iter().map(move |near| (RADIUS - near.distance, ball - near.point))
            });
            let Some((depth, off)) = touching.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            let normal = off.normalize_or(DVec3::Z);
            normals.push(normal);
            self.place += normal * (depth + 1e-6);
        }
        normals
    }

    /// Whether the way of the spine from where it was, or the spine itself, passes through the ground.
    fn is_blocked(&self, from: DVec3) -> bool {
        let ways = Walker::balls(from).into_iter().zip(Walker::balls(self.place));
        ways.into_iter().any(|(a, b)| self.ground.blocks(a, b)) || self.ground.blocks(self.place, self.head())
    }

    /// How far behind the head a camera may be.
    fn traced(&self) -> f64 {
        let (head, backwards) = (self.head(), self.backwards());
        let wanted = self.intent.behind;
        let mut at = 0.0;
        for _ in 0..48 {
            let free = self.ground.nearest(head + backwards * at, 1.5).map_or(1.5, |near| near.distance) - CAMERA;
            if free < 0.01 || at >= wanted {
                break;
            }
            at += free;
        }
        at.min(wanted)
    }

    /// Whether the camera is clear of the ground, and on the character's side of it.
    pub fn camera_is_clear(&self) -> bool {
        let [camera, _] = self.camera().map(|place| place * SCALE);
        let free = self.ground.nearest(camera, 1.0).map_or(1.0, |near| near.distance);
        free > 0.9 * CAMERA.min(self.ground.nearest(self.head(), 1.0).map_or(1.0, |near| near.distance))
            && !self.ground.blocks(self.head(), camera)
    }

    /// Whether nothing of the ground is above the character that was below, seen from where it stands: nothing passes through its
    /// spine, and it is above the plain.
    pub fn is_above_ground(&self) -> bool {
        self.place.z > 0.0 && !self.ground.blocks(self.place, self.head())
    }
}
