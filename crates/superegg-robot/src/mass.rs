//! What links weigh whose files do not say: their shapes, filled with water. Parts that overlap count twice.

use glam::{DMat3, DVec3};
use superegg::Pose;
use superegg::shape::Shape;

use crate::contact_geometry::ContactPart;
use crate::model::{Inertial, Origin};

/// Mass of a body whose links say none, in kilograms a cubic metre of their shapes.
const DENSITY: f64 = 1000.0;
/// Mass, centre and inertia about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weight {
    pub mass: f64,
    pub center: DVec3,
    pub inertia: DMat3,
}

impl Weight {
    pub fn none() -> Weight {
        Weight { mass: 0.0, center: DVec3::ZERO, inertia: DMat3::ZERO }
    }

    pub fn plus(self, other: Weight) -> Weight {
        let mass = self.mass + other.mass;
        if mass <= 0.0 {
            return self;
        }
        let center = (self.center * self.mass + other.center * other.mass) / mass;
        let about = |w: Weight| w.inertia + parallel(w.mass, w.center - center);
        Weight { mass, center, inertia: about(self) + about(other) }
    }

    /// Of a shape whose frame is on a body.
    pub fn of(part: &ContactPart, on_body: &Pose) -> Weight {
        let Some(properties) = part.shape.mass_properties() else { return Weight::none() };
        let pose = on_body.compose(&part.pose);
        let turn = pose.rotation_matrix();
        Weight {
            mass: DENSITY * properties.volume,
            center: pose.transform_point(properties.centroid),
            inertia: turn * (properties.inertia * DENSITY) * turn.transpose(),
        }
    }
}

/// Inertia of a point about another (Steiner).
fn parallel(mass: f64, arm: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
    (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * mass
}

/// Mass and inertia of a link that is filled with water; none if its shapes have no inside.
pub fn inertial(parts: &[ContactPart]) -> Option<Inertial> {
    let whole = parts.iter().map(|part| Weight::of(part, &Pose::IDENTITY)).fold(Weight::none(), Weight::plus);
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = whole.inertia;
    let found = Inertial {
        origin: Origin { xyz: whole.center, rpy: DVec3::ZERO },
        mass: whole.mass,
        inertia: [x.x, x.y, x.z, y.y, y.z, z.z],
    };
    found.is_physical().then_some(found)
}
