//! How soon two bodies that are apart may meet.
//!
//! A pair that was asked for its distance is at least as far apart later on as that less what one center has moved as seen from
//! the other, and less what points of both have moved by turning. Bodies that fall side by side stay apart by this
//! however far they fall.

use glam::DVec3;

use crate::body::BodyState;

/// Where a body is and how it moves, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Trajectory {
    pub center: DVec3,
    pub velocity: DVec3,
    /// How far points of it may have moved by turning since it was made, and how fast they move so now.
    pub swung: f64,
    pub swinging: f64,
}

impl Trajectory {
    pub fn of(body: &BodyState) -> Trajectory {
        let mut trajectory =
            Trajectory { center: body.center, velocity: body.velocity, swung: body.swung, swinging: 0.0 };
        trajectory.turn(body.velocity, body.turning, body.reach);
        trajectory
    }

    /// Takes over other velocities of a body of a reach.
    #[inline]
    pub fn turn(&mut self, velocity: DVec3, turning: DVec3, reach: f64) {
        self.velocity = velocity;
        let rate = turning.length();
        self.swinging = if rate > 0.0 { rate * reach } else { 0.0 };
    }

    /// How far points of two bodies may approach each other in a number of substeps, and in one if either is held back.
    #[inline]
    pub fn closing(&self, other: &Trajectory, substeps: f64, h: f64) -> f64 {
        let parting_sq = substeps * substeps * self.velocity.distance_squared(other.velocity);
        let fastest_sq = self.velocity.length_squared().max(other.velocity.length_squared()).max(parting_sq);
        h * (fastest_sq.sqrt() + substeps * (self.swinging + other.swinging))
    }
}

/// How far apart two bodies were when that was last asked, and how they stood then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeparationBound {
    lower: f64,
    between: DVec3,
    swung: f64,
}

impl SeparationBound {
    /// Bodies of which nothing is known.
    pub const UNKNOWN: SeparationBound = SeparationBound { lower: f64::NEG_INFINITY, between: DVec3::ZERO, swung: 0.0 };

    /// Bodies that are at least so far apart now.
    pub fn now(lower: f64, a: &Trajectory, b: &Trajectory) -> SeparationBound {
        SeparationBound { lower, between: b.center - a.center, swung: a.swung + b.swung }
    }

    /// How far apart they are at least; not a number if a body without bounds has turned.
    #[inline]
    pub fn gap(&self, a: &Trajectory, b: &Trajectory) -> f64 {
        self.lower - (b.center - a.center).distance(self.between) - (a.swung + b.swung - self.swung)
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use superegg::Pose;
    use superegg::query::{Options, distance};
    use superegg::shape::{Shape, Superellipsoid};

    use super::*;
    use crate::body::Body;

    #[test]
    fn bodies_are_never_closer_than_said() {
        let shape = Superellipsoid::new([0.5, 0.3, 0.2], [0.3, 1.4]).unwrap();
        let mut rng = fastrand::Rng::with_seed(3);
        let mut nearest = f64::INFINITY;
        for _ in 0..50 {
            let mut vector = |size: f64| DVec3::from([0; 3].map(|_| size * (2.0 * rng.f64() - 1.0)));
            let bodies = [DVec3::ZERO, DVec3::new(1.6, 0.1, -0.2)].map(|place| {
                let pose = Pose::new(DQuat::from_scaled_axis(vector(3.0)), place).unwrap();
                let body = Body::dynamic(shape, pose, 1.0);
                let common = DVec3::new(0.0, 0.0, -30.0);
                Body { velocity: common + vector(1.0), angular_velocity: vector(3.0), ..body }
            });
            let mut states = bodies.map(|body| BodyState::of_body(&body));
            let measured = |states: &[BodyState; 2]| {
                let [a, b] = states.each_ref().map(BodyState::pose);
                distance(&Shape::from(shape), &a, &Shape::from(shape), &b, &Options::DEFAULT).unwrap().distance
            };
            let trajectories = states.each_ref().map(Trajectory::of);
            let known = SeparationBound::now(measured(&states), &trajectories[0], &trajectories[1]);
            for _ in 0..20 {
                let before = states.each_ref().map(Trajectory::of);
                states.iter_mut().for_each(|state| state.advance(0.01));
                let [a, b] = states.each_ref().map(Trajectory::of);
                let said = known.gap(&a, &b);
                assert!(said <= measured(&states) + 1e-9, "{said} of {}", measured(&states));
                let foreseen = known.gap(&before[0], &before[1]) - before[0].closing(&before[1], 1.0, 0.01);
                // But for what the axes of turning move in a step.
                assert!(foreseen <= said + 1e-3, "{foreseen} of {said}");
                nearest = nearest.min(measured(&states) - said);
            }
        }
        // It is not far from the truth either, though all have fallen by six metres.
        assert!(nearest < 0.05, "{nearest}");
    }
}
