//! Judges of a simulation that share nothing with the solver but the shapes.

use superegg::query::{Options, QueryError, distance};
use superegg::shape::{Aabb, Shape, Triangle};
use superegg::{DVec3, Pose};

use crate::{ClothId, ObstacleId, World};

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
    for surface in world.surfaces() {
        add_penetration(world, &world.particles().position, surface.triangles(), &mut worst)?;
    }
    Ok(worst)
}

/// The same for what is seen of all cloths: their wrinkle meshes, where they have some.
pub fn skin_penetration(world: &World) -> Result<Penetration, QueryError> {
    let mut worst = Penetration::default();
    for cloth in (0..world.cloth_count()).map(ClothId) {
        add_penetration(world, world.skin_positions(cloth), world.skin_triangles(cloth), &mut worst)?;
    }
    Ok(worst)
}

fn add_penetration(
    world: &World,
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    worst: &mut Penetration,
) -> Result<(), QueryError> {
    for body in world.bodies() {
        let Aabb { min, max } = body.shape.aabb(&body.pose);
        for corners in triangles {
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
    Ok(())
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

/// Pairs of a triangle of a cloth or soft solid and one of an obstacle which pass through each other, by looking at all whose boxes
/// overlap: those of the obstacle are sorted along x, so that few others are looked at.
pub fn obstacle_intersections(world: &World) -> usize {
    let mut count = 0;
    for obstacle in (0..world.obstacle_count()).map(ObstacleId) {
        let vertices = world.obstacle_positions(obstacle);
        let boxed = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|v| vertices[v as usize]);
            ([a, b, c], a.min(b).min(c), a.max(b).max(c))
        };
        let mut others: Vec<_> = world.obstacle_triangles(obstacle).iter().map(boxed).collect();
        others.sort_by(|(_, a, _), (_, b, _)| a.x.total_cmp(&b.x));
        // How far the triangles up to each one reach.
        let reach: Vec<f64> = others
            .iter()
            .scan(f64::NEG_INFINITY, |reach, (_, _, max)| {
                *reach = reach.max(max.x);
                Some(*reach)
            })
            .collect();
        let positions = &world.particles().position;
        for corners in world.surfaces().flat_map(|surface| surface.triangles()) {
            let own = corners.map(|p| positions[p as usize]);
            let (low, high) = (own[0].min(own[1]).min(own[2]), own[0].max(own[1]).max(own[2]));
            let first = reach.partition_point(|reach| *reach < low.x);
            let beside = others[first..].iter().take_while(|(_, min, _)| min.x <= high.x);
            let near = beside.filter(|(_, min, max)| min.cmple(high).all() && max.cmpge(low).all());
            // No vertex is common: numbers that are on neither side.
            let (one, other) = ([0, 1, 2], [3, 4, 5]);
            count += near.filter(|(b, ..)| pierces(one, &own, other, b) || pierces(other, b, one, &own)).count();
        }
    }
    count
}

/// Pairs of triangles of the surfaces that ask for separation which pass through each other, by brute force over all pairs of
/// an edge and a triangle without a common vertex. Takes seconds for thousands of triangles.
pub fn self_intersections(world: &World) -> usize {
    let positions = &world.particles().position;
    let triangles: Vec<[u32; 3]> = world
        .surfaces()
        .filter(|surface| surface.separation.is_some())
        .flat_map(|surface| surface.triangles().iter().copied())
        .collect();
    let place = |corners: [u32; 3]| corners.map(|p| positions[p as usize]);
    let mut count = 0;
    for (index, &one) in triangles.iter().enumerate() {
        let a = place(one);
        let (low, high) = (a[0].min(a[1]).min(a[2]), a[0].max(a[1]).max(a[2]));
        for &other in &triangles[index + 1..] {
            let b = place(other);
            let apart = b[0].min(b[1]).min(b[2]).cmpgt(high).any() || b[0].max(b[1]).max(b[2]).cmplt(low).any();
            if !apart && (pierces(one, &a, other, &b) || pierces(other, &b, one, &a)) {
                count += 1;
            }
        }
    }
    count
}

/// Whether an edge of one triangle passes through the other, with which it shares no vertex.
fn pierces(one: [u32; 3], a: &[DVec3; 3], other: [u32; 3], b: &[DVec3; 3]) -> bool {
    (0..3).any(|i| {
        let j = (i + 1) % 3;
        if other.contains(&one[i]) || other.contains(&one[j]) {
            return false;
        }
        // Signs of the volumes spanned with each corner: the line goes through when they agree round the triangle, and the
        // segment when its ends lie on different sides.
        let volume = |p: DVec3, q: DVec3, r: DVec3, s: DVec3| (q - p).cross(r - p).dot(s - p);
        let ends = volume(b[0], b[1], b[2], a[i]) * volume(b[0], b[1], b[2], a[j]);
        let [u, v, w] = [0, 1, 2].map(|k| volume(a[i], a[j], b[k], b[(k + 1) % 3]));
        ends < 0.0 && ((u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0))
    })
}
