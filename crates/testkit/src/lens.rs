//! A shape of the caller's own: a lens, with caps of known curvature and a sharp rim, whose distance from points is a closed form.

use glam::DVec3;
use superegg::shape::{Bend, Convex};

/// What two balls of a radius about (0, 0, ±offset) share.
#[derive(Clone, Copy, Debug)]
pub struct Lens {
    /// Of both balls.
    pub radius: f64,
    /// How far their centres are from the origin; less than the radius.
    pub offset: f64,
    /// Whether it tells how it bends.
    pub bends: bool,
}

impl Lens {
    /// What two unit balls about (0, 0, ±offset) share; it tells no more than its support points.
    pub fn unit(offset: f64) -> Lens {
        Lens { radius: 1.0, offset, bends: false }
    }

    /// Radius of its sharp edge.
    pub fn rim(&self) -> f64 {
        (self.radius * self.radius - self.offset * self.offset).sqrt()
    }

    /// Signed distance of a point outside, in closed form: it is nearest to a cap, or to the rim.
    pub fn distance_outside(&self, p: DVec3) -> f64 {
        let (across, above) = (p.x.hypot(p.y), p.z.abs() + self.offset);
        // The upper cap belongs to the ball about -offset: seen from there, it ends at the rim.
        if across * self.offset <= self.rim() * above {
            across.hypot(above) - self.radius
        } else {
            (across - self.rim()).hypot(p.z)
        }
    }
}

impl Convex for Lens {
    fn support(&self, direction: DVec3) -> DVec3 {
        let on_ball = DVec3::Z * -self.offset.copysign(direction.z) + direction * self.radius;
        if on_ball.z * direction.z >= 0.0 && direction.z != 0.0 {
            return on_ball;
        }
        DVec3::new(direction.x, direction.y, 0.0).normalize_or_zero() * self.rim()
    }

    fn reach(&self) -> f64 {
        self.rim().max(self.radius - self.offset)
    }

    fn bend(&self, direction: DVec3) -> Option<Bend> {
        let around = DVec3::Z.cross(direction).normalize_or(DVec3::X);
        let on_ball = DVec3::Z * -self.offset.copysign(direction.z) + direction * self.radius;
        let bend = if on_ball.z * direction.z >= 0.0 && direction.z != 0.0 {
            Bend { radii: [self.radius; 2], directions: [around, direction.cross(around)] }
        } else {
            let part = direction.x.hypot(direction.y);
            Bend { radii: [self.rim() / part, 0.0], directions: [around, DVec3::ZERO] }
        };
        self.bends.then_some(bend)
    }

    fn name(&self) -> &'static str {
        "lens"
    }
}
