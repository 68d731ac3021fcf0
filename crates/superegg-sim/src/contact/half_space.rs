//! Contacts of one substep as half-spaces, solved together.
//!
//! Where layers of cloth lie on each other and on a body, the push of one contact is undone by the next, and cloth that is
//! pressed from both sides loses its thickness unless all of them are gone through again and again. So every contact of
//! the substep becomes a row: a combination of points, the direction in which it is kept apart, and the length that is to
//! be kept. Rows are relaxed in turn by projected Gauss–Seidel, each with the sum of what it has pushed so far, which is never
//! below zero and bounds its friction: a push that others made needless is taken back.
//!
//! The state at the beginning of the substep fulfils every row but for what the row is to win back. So no number of rounds
//! adds to the kinetic energy: with pushes λ, rows J, bounds b and the way d from the beginning x₀ to the predicted state, the
//! way is |d + Jᵀλ|² ≤ |d|² − 2 D(λ), where the dual function D starts from zero and only grows. What is won back does work on
//! the cloth, and a folded cloth full of strain can be kept moving by that for ever: so its push is bounded.

use glam::DVec3;

use crate::body::Friction;

/// One contact on `N` particles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfSpaceRow<const N: usize> {
    pub particles: [u32; N],
    /// Of the particles in the combination that is kept apart.
    pub weights: [f64; N],
    /// The way that each particle makes for a unit of push.
    pub shares: [f64; N],
    /// The direction, of length one.
    pub unit: DVec3,
    /// The length of the combination along the direction that is kept: not more than it was when the substep began.
    pub held: f64,
    /// What is to be won back beyond, which gives no velocity and no friction.
    pub freed: f64,
    /// The largest push for the sake of that.
    pub gentle: f64,
    /// Where the combination would be without slipping.
    pub anchor: DVec3,
    pub friction: Friction,
    /// What was pushed so far along the direction, and across it.
    pub pressed: f64,
    pub grip: DVec3,
}

impl<const N: usize> HalfSpaceRow<N> {
    /// Pushes as far as is needed now, all in all; whether there is anything to push.
    #[inline]
    pub fn relax(&mut self, points: &mut [DVec3]) -> bool {
        let mut place = DVec3::ZERO;
        for (p, w) in self.particles.iter().zip(self.weights) {
            place += points[*p as usize] * w;
        }
        let needed = self.pressed + self.held - place.dot(self.unit);
        let pressed = needed.max((needed + self.freed).min(self.gentle)).max(0.0);
        if pressed == 0.0 && self.pressed == 0.0 {
            return false;
        }
        let slip = place - self.anchor;
        let mut grip = self.grip - (slip - self.unit * slip.dot(self.unit));
        let load = (pressed - self.freed).max(0.0);
        let length = grip.length();
        if length > self.friction.fixed * load {
            grip *= self.friction.sliding * load / length;
        }
        let push = self.unit * (pressed - self.pressed) + (grip - self.grip);
        (self.pressed, self.grip) = (pressed, grip);
        for (p, share) in self.particles.iter().zip(self.shares) {
            points[*p as usize] += push * share;
        }
        true
    }

    /// Notes the way that gives no velocity.
    pub fn note_recovery(&self, recovered: &mut [DVec3]) {
        let freed = self.unit * self.pressed.min(self.freed).min(self.gentle);
        for (p, share) in self.particles.iter().zip(self.shares) {
            recovered[*p as usize] += freed * share;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points above each other that are to keep apart by one, of equal weight, and the lowest above zero.
    fn stack(count: u32, friction: Friction) -> (Vec<HalfSpaceRow<2>>, HalfSpaceRow<1>) {
        let pair = |low: u32| HalfSpaceRow {
            particles: [low + 1, low],
            weights: [1.0, -1.0],
            shares: [0.5, -0.5],
            unit: DVec3::Z,
            held: 1.0,
            freed: 0.0,
            gentle: 0.0,
            anchor: DVec3::Z,
            friction,
            pressed: 0.0,
            grip: DVec3::ZERO,
        };
        let ground = HalfSpaceRow {
            particles: [0],
            weights: [1.0],
            shares: [1.0],
            unit: DVec3::Z,
            held: 0.0,
            freed: 0.0,
            gentle: 0.0,
            anchor: DVec3::ZERO,
            friction,
            pressed: 0.0,
            grip: DVec3::ZERO,
        };
        ((0..count - 1).map(pair).collect(), ground)
    }

    fn solve(points: &mut [DVec3], friction: Friction, rounds: usize) -> (Vec<HalfSpaceRow<2>>, HalfSpaceRow<1>) {
        let (mut pairs, mut ground) = stack(points.len() as u32, friction);
        for _ in 0..rounds {
            for row in &mut pairs {
                row.relax(points);
            }
            ground.relax(points);
        }
        (pairs, ground)
    }

    #[test]
    fn a_stack_bears_its_weight() {
        // Each of five points has fallen by a tenth: the ground bears five of them, the next gap four, and so on.
        let mut points: Vec<DVec3> = (0..5).map(|i| DVec3::Z * (f64::from(i) - 0.1)).collect();
        let (pairs, ground) = solve(&mut points, Friction::NONE, 400);
        for (i, point) in points.iter().enumerate() {
            assert!(point.distance(DVec3::Z * i as f64) < 1e-9, "{point}");
        }
        assert!((ground.pressed - 0.5).abs() < 1e-9, "{}", ground.pressed);
        for (i, row) in pairs.iter().enumerate() {
            // A push of two points is shared: it counts twice.
            assert!((row.pressed - 0.2 * (4 - i) as f64).abs() < 1e-9, "{}", row.pressed);
        }
    }

    #[test]
    fn no_round_adds_kinetic_energy() {
        let mut random = fastrand::Rng::with_seed(3);
        for case in 0..300 {
            let friction = [Friction::NONE, Friction { fixed: 0.6, sliding: 0.5 }][case % 2];
            let mut number = || 0.2 * (random.f64() - 0.5);
            let start: Vec<DVec3> = (0..6).map(|i| DVec3::Z * f64::from(i)).collect();
            let moved: Vec<DVec3> = start.iter().map(|p| *p + DVec3::new(number(), number(), number())).collect();
            let energy = |points: &[DVec3]| points.iter().zip(&start).map(|(p, q)| p.distance_squared(*q)).sum::<f64>();
            for rounds in 1..12 {
                let mut points = moved.clone();
                solve(&mut points, friction, rounds);
                assert!(energy(&points) <= energy(&moved) * (1.0 + 1e-12), "case {case}, {rounds} rounds");
            }
        }
    }

    #[test]
    fn friction_holds_what_is_pressed_enough() {
        // Two points fall by 0.1 and are dragged sideways by a part of that.
        let drag = |part: f64| {
            let mut points = vec![DVec3::new(0.0, 0.0, -0.1), DVec3::new(0.1 * part, 0.0, 0.9)];
            solve(&mut points, Friction { fixed: 0.5, sliding: 0.4 }, 300);
            points[1].x - points[0].x
        };
        assert!(drag(0.45).abs() < 1e-6, "{}", drag(0.45));
        assert!(drag(1.0) > 0.01, "{}", drag(1.0));
    }

    #[test]
    fn what_is_won_back_is_pushed_for_gently() {
        let (mut rows, _) = stack(2, Friction::NONE);
        let row = &mut rows[0];
        (row.held, row.freed, row.gentle) = (0.5, 0.1, 0.01);
        let mut points = vec![DVec3::ZERO, DVec3::Z * 0.5];
        row.relax(&mut points);
        assert!((points[1].z - points[0].z - 0.51).abs() < 1e-12);
        // Pressed together by more than that, it only holds.
        let (mut rows, _) = stack(2, Friction::NONE);
        let row = &mut rows[0];
        (row.held, row.freed, row.gentle) = (0.5, 0.1, 0.01);
        let mut points = vec![DVec3::ZERO, DVec3::Z * 0.4];
        row.relax(&mut points);
        assert!((points[1].z - points[0].z - 0.5).abs() < 1e-12);
    }
}
