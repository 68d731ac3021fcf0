//! Judges of a simulation that share nothing with the solver but the shapes.

use superegg::query::{Options, QueryError, distance};
use superegg::shape::{Aabb, Shape, Triangle};
use superegg::{DVec3, Pose};

use crate::World;

/// How deep surfaces are inside bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Penetration {
    /// The largest depth of a triangle in a body, in metres.
    pub max: f64,
    /// How many pairs of a triangle and a body overlap by more than a micrometre.
    pub count: usize,
}

/// Overlaps shallower than this are rounding.
const TOUCHING: f64 = 1e-6;

/// The depth of all triangles, each as a whole, in all bodies, by the certified distance. Triangles that a plane through the
/// surface below their centre separates from a body are not looked at more closely: such a plane is a proof.
pub fn penetration(world: &World) -> Result<Penetration, QueryError> {
    let mut worst = Penetration::default();
    let positions = &world.particles().position;
    for body in world.bodies() {
        let Aabb { min, max } = body.shape.aabb(&body.pose);
        for surface in world.surfaces() {
            for corners in surface.triangles() {
                let [a, b, c] = corners.map(|p| positions[p as usize]);
                let apart = a.min(b).min(c).cmpgt(max).any() || a.max(b).max(c).cmplt(min).any();
                if apart {
                    continue;
                }
                let local = [a, b, c].map(|p| body.pose.inverse_transform_point(p));
                if is_proved_clear(&body.shape, &local) {
                    continue;
                }
                let triangle = Triangle::new(local)?.into();
                let answer = distance(&body.shape, &Pose::IDENTITY, &triangle, &Pose::IDENTITY, &Options::DEFAULT)?;
                worst.max = worst.max.max(-answer.distance);
                worst.count += usize::from(answer.distance < -TOUCHING);
            }
        }
    }
    Ok(worst)
}

/// Whether the plane with the normal of the level set through a triangle's centre has the shape below and the triangle
/// above.
fn is_proved_clear(shape: &Shape, points: &[DVec3; 3]) -> bool {
    let centre = (points[0] + points[1] + points[2]) / 3.0;
    let lowest = |normal: DVec3| points.iter().map(|p| normal.dot(*p)).fold(f64::INFINITY, f64::min);
    match shape {
        Shape::Superellipsoid(egg) => {
            let normal = egg.normal_at(centre);
            lowest(normal) >= egg.support_value(normal)
        }
        Shape::Superovoid(egg) => {
            let normal = egg.normal_at(centre);
            lowest(normal) >= egg.support_value(normal)
        }
        Shape::Plane(plane) => lowest(plane.normal()) >= plane.offset(),
        Shape::Point(_) | Shape::Segment(_) | Shape::Triangle(_) => false,
    }
}

/// Kinetic and potential energy of all particles, in joules; heights are measured from the origin.
pub fn energy(world: &World) -> f64 {
    let particles = world.particles();
    let of = |p: usize| {
        let weight = particles.inverse_mass[p];
        let mass = if weight > 0.0 { 1.0 / weight } else { 0.0 };
        mass * (0.5 * particles.velocity[p].length_squared() - world.gravity.dot(particles.position[p]))
    };
    (0..particles.len()).map(of).sum()
}
