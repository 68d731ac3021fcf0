//! Strokes as a shaky hand would draw them, for tests: a slow wander off the line, a tremor, uneven speed, and places rounded to pixels.

use glam::DVec2;

pub struct Hand {
    random: fastrand::Rng,
    /// How much shakier than usual it is.
    shake: f64,
}

/// A stroke.
pub struct Shaken {
    pub points: Vec<DVec2>,
}

impl Hand {
    pub fn new(seed: u64, shake: f64) -> Hand {
        let random = fastrand::Rng::with_seed(0x5ce7_c4e2 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Hand { random, shake }
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random.f64()
    }

    /// The corners of a chain of one to six bones, and a finger's reach.
    pub fn chain(&mut self) -> (Vec<DVec2>, f64) {
        let reach = self.between(0.015, 0.06);
        let bones = 1 + self.random.usize(..6);
        let mut heading = self.between(-3.0, 3.0);
        let mut corners = vec![DVec2::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0))];
        for bone in 0..bones {
            if bone > 0 {
                let bend = self.between(45f64.to_radians(), 135f64.to_radians());
                heading += if self.random.bool() { bend } else { -bend };
            }
            let far = reach * self.between(5.0, 14.0);
            corners.push(corners[bone] + far * DVec2::from_angle(heading));
        }
        (corners, reach)
    }

    /// A part of a circle, by how much it turns, and a finger's reach.
    pub fn arc(&mut self) -> (Vec<DVec2>, f64, f64) {
        let reach = self.between(0.015, 0.06);
        let turned = self.between(40f64.to_radians(), 300f64.to_radians());
        let radius = reach * self.between(8.0, 20.0);
        let start = self.between(-3.0, 3.0);
        let sign = if self.random.bool() { 1.0 } else { -1.0 };
        let at = |k: usize| radius * DVec2::from_angle(start + sign * turned * k as f64 / 60.0);
        ((0..=60).map(at).collect(), turned, reach)
    }

    /// A stroke along a line, off it by up to half a finger's reach.
    pub fn along(&mut self, line: &[DVec2], reach: f64) -> Shaken {
        let (wander, tremor) = (self.between(0.0, 0.2) * reach, self.between(0.0, 0.05) * reach);
        self.shaken(line, wander, tremor, reach)
    }

    /// A stroke along a line: `wander` is how far it slowly strays, `tremor` how far every place is off.
    pub fn shaken(&mut self, line: &[DVec2], wander: f64, tremor: f64, reach: f64) -> Shaken {
        let (wander, tremor) = (self.shake * wander, self.shake * tremor);
        let length: f64 = line.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        let waves: Vec<[f64; 3]> = (0..6)
            .map(|k| {
                [
                    self.between(0.4, 1.0) * f64::from(k + 1) / (8.0 * reach),
                    self.between(0.0, 6.3),
                    self.between(-1.0, 1.0),
                ]
            })
            .collect();
        let stray = |at: f64, offset: f64| -> f64 {
            let sum: f64 = waves.iter().map(|[rate, phase, size]| size * (rate * at + phase + offset).sin()).sum();
            0.4 * wander * sum
        };
        let mut points = vec![];
        let mut at = 0.0;
        while at < length {
            let place = along(line, at);
            let jitter = DVec2::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0)) * tremor;
            points.push(
                ((place + DVec2::new(stray(at, 0.0), stray(at, 2.0)) + jitter) / (0.05 * reach)).round()
                    * (0.05 * reach),
            );
            // Faster in the middle than at the ends, and never the same.
            let speed = 0.25 + (at / length * std::f64::consts::PI).sin();
            at += reach * speed * self.between(0.1, 0.4);
        }
        points.push(line[line.len() - 1]);
        Shaken { points }
    }
}

fn along(line: &[DVec2], mut at: f64) -> DVec2 {
    for pair in line.windows(2) {
        let far = pair[0].distance(pair[1]);
        if at <= far && far > 0.0 {
            return pair[0].lerp(pair[1], at / far);
        }
        at -= far;
    }
    line[line.len() - 1]
}
