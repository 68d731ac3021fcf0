//! How deep rigid bodies are in each other, by certified distances alone.

use superegg::query::{Options, distance};
use superegg_world::geometry::{self, Geometry};

use super::RigidWorld;
use crate::SimError;
use crate::measure::Penetration;

/// Overlaps shallower than this are rounding.
const TOUCHING: f64 = 1e-6;

/// The depth of all dynamic bodies in each other and in everything else. Pairs whose boxes are apart are not asked; what
/// the step knows of its pairs is not used.
pub fn penetration(world: &RigidWorld) -> Result<Penetration, SimError> {
    let mut worst = Penetration::default();
    let options = Options { tolerance: 1e-6, ..Options::DEFAULT };
    let boxes: Vec<_> = world.bodies.iter().map(|body| body.geometry.aabb(&body.pose())).collect();
    for (i, one) in world.bodies.iter().enumerate() {
        for (j, other) in world.bodies.iter().enumerate().skip(i + 1) {
            let apart = boxes[i].min.cmpgt(boxes[j].max).any() || boxes[j].min.cmpgt(boxes[i].max).any();
            if apart || !(one.is_dynamic() || other.is_dynamic()) {
                continue;
            }
            let found = match (&one.geometry, &other.geometry) {
                (Geometry::Shape(a), Geometry::Shape(b)) => {
                    distance(a, &one.pose(), b, &other.pose(), &options)?.distance
                }
                (a, b) => geometry::distance(a, &one.pose(), b, &other.pose(), &options)?.contact.outcome.distance,
            };
            worst.max = worst.max.max(-found);
            worst.count += usize::from(found < -TOUCHING);
        }
    }
    Ok(worst)
}
