//! Judges of a simulation that share nothing with the solver but the shapes.

use superegg::query::{Options, distance};
use superegg::shape::{Aabb, Shape, Triangle};
use superegg::{DVec3, Pose};
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::geometry::{self, Geometry};

use crate::{BodyId, Collider, Motion, SimError, World};

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

/// The depth of all triangles of cloth and soft solids, each as a whole, in all smooth colliders, by the certified distance.
/// Triangles that a plane through the surface below their center separates from a body are not looked at more closely: such a
/// plane is a proof.
pub fn cloth_penetration(world: &World) -> Result<Penetration, SimError> {
    let mut worst = Penetration::default();
    for surface in world.surfaces() {
        add_penetration(world, &world.particles().position, surface.triangles(), &mut worst)?;
    }
    Ok(worst)
}

/// The same for what is seen of all cloths: their wrinkle meshes, where they have some.
pub fn skin_penetration(world: &World) -> Result<Penetration, SimError> {
    let mut worst = Penetration::default();
    for cloth in world.cloths() {
        add_penetration(world, world.skin_positions(cloth)?, world.skin_triangles(cloth)?, &mut worst)?;
    }
    Ok(worst)
}

/// A collider of a body, with its pose in the world.
type Placed<'a> = (BodyId, &'a Collider, Pose);

/// All colliders.
fn placed(world: &World) -> Result<Vec<Placed<'_>>, SimError> {
    let mut found = Vec::new();
    for body in world.bodies() {
        let pose = world.body(body)?.pose();
        for collider in world.body(body)?.colliders() {
            let collider = world.collider(collider)?;
            found.push((body, collider, pose.compose(&collider.pose)));
        }
    }
    Ok(found)
}

fn add_penetration(
    world: &World,
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    worst: &mut Penetration,
) -> Result<(), SimError> {
    for (_, collider, pose) in placed(world)? {
        let parts = match &collider.geometry {
            Geometry::Shape(shape) => vec![(shape.clone(), pose)],
            Geometry::Compound(compound) => {
                compound.parts().iter().map(|part| (part.shape.clone(), pose.compose(&part.pose))).collect()
            }
            // Colliders that are none of these are refused.
            Geometry::Mesh(_) | Geometry::Superquadric(_) => Vec::new(),
        };
        for (shape, pose) in parts {
            add_depths(&shape, &pose, positions, triangles, worst)?;
        }
    }
    Ok(())
}

fn add_depths(
    shape: &Shape,
    pose: &Pose,
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    worst: &mut Penetration,
) -> Result<(), SimError> {
    let Aabb { min, max } = shape.aabb(pose);
    for corners in triangles {
        let [a, b, c] = corners.map(|p| positions[p as usize]);
        let apart = a.min(b).min(c).cmpgt(max).any() || a.max(b).max(c).cmplt(min).any();
        if apart {
            continue;
        }
        let local = [a, b, c].map(|p| pose.inverse_transform_point(p));
        if is_proved_clear(shape, &local) {
            continue;
        }
        let triangle = Triangle::new(local)?.into();
        let answer = distance(shape, &Pose::IDENTITY, &triangle, &Pose::IDENTITY, &Options::DEFAULT)?;
        worst.max = worst.max.max(-answer.distance);
        worst.count += usize::from(answer.distance < -TOUCHING);
    }
    Ok(())
}

/// Pairs of colliders of different bodies, of which one is dynamic, whose boxes overlap: found by sorting the boxes along x; what
/// the step knows of its pairs is not used.
fn near_bodies<'a>(world: &World, all: &'a [Placed<'a>]) -> Result<Vec<[&'a Placed<'a>; 2]>, SimError> {
    let mut dynamic = Vec::with_capacity(all.len());
    for (body, ..) in all {
        dynamic.push(matches!(world.body(*body)?.motion(), Motion::Dynamic(_)));
    }
    let mut boxed: Vec<(Aabb, usize)> =
        all.iter().enumerate().map(|(index, (_, collider, pose))| (collider.geometry.aabb(pose), index)).collect();
    boxed.sort_by(|(a, _), (b, _)| a.min.x.total_cmp(&b.min.x));
    let mut found = Vec::new();
    for (place, (own, i)) in boxed.iter().enumerate() {
        for (other, j) in boxed[place + 1..].iter().take_while(|(other, _)| other.min.x <= own.max.x) {
            let apart = own.min.cmpgt(other.max).any() || other.min.cmpgt(own.max).any();
            let both = [&all[*i.min(j)], &all[*i.max(j)]];
            if !apart && both[0].0 != both[1].0 && (dynamic[*i] || dynamic[*j]) {
                found.push(both);
            }
        }
    }
    Ok(found)
}

/// The depth of all dynamic bodies in each other and in everything else, by certified distances; of two meshes by how far triangles
/// that cross reach through each other.
pub fn body_penetration(world: &World) -> Result<Penetration, SimError> {
    let mut worst = Penetration::default();
    let options = Options { tolerance: 1e-6, ..Options::DEFAULT };
    for [(_, a, pose_a), (_, b, pose_b)] in near_bodies(world, &placed(world)?)? {
        let found = match (&a.geometry, &b.geometry) {
            (Geometry::Shape(a), Geometry::Shape(b)) => distance(a, pose_a, b, pose_b, &options)?.distance,
            (Geometry::Mesh(a), Geometry::Mesh(b)) => {
                let crossing = crossings([(&**a, pose_a), (&**b, pose_b)]);
                -crossing.iter().map(|[one, other]| reach_through(one, other)).fold(0.0, f64::max)
            }
            (a, b) => geometry::distance(a, pose_a, b, pose_b, &options)?.contact.outcome.distance,
        };
        worst.max = worst.max.max(-found);
        worst.count += usize::from(found < -TOUCHING);
    }
    Ok(worst)
}

/// Pairs of triangles of meshes of different bodies, of which one is dynamic, which pass through each other, by looking at all whose
/// boxes overlap.
pub fn body_crossings(world: &World) -> Result<usize, SimError> {
    let mut count = 0;
    for [(_, a, pose_a), (_, b, pose_b)] in near_bodies(world, &placed(world)?)? {
        if let (Geometry::Mesh(a), Geometry::Mesh(b)) = (&a.geometry, &b.geometry) {
            count += crossings([(&**a, pose_a), (&**b, pose_b)]).len();
        }
    }
    Ok(count)
}

/// The triangles of two meshes that pass through each other, in the world.
fn crossings(both: [(&CollisionMesh, &Pose); 2]) -> Vec<[[DVec3; 3]; 2]> {
    let [own, other] = both.map(|(mesh, pose)| SortedTriangles::new(mesh, pose));
    let mut found = Vec::new();
    for (one, ..) in &own.list {
        found.extend(other.crossed_by(one).map(|other| [*one, *other]));
    }
    found
}

/// How far one of two triangles that cross has to be moved across the other's plane to be free of it: along the shorter way, of the
/// triangle that needs less.
fn reach_through(one: &[DVec3; 3], other: &[DVec3; 3]) -> f64 {
    let through = |one: &[DVec3; 3], other: &[DVec3; 3]| {
        let normal = (other[1] - other[0]).cross(other[2] - other[0]).normalize_or_zero();
        let heights = one.map(|corner| normal.dot(corner - other[0]));
        let above = heights.iter().copied().fold(0.0, f64::max);
        let below = heights.iter().map(|height| -height).fold(0.0, f64::max);
        above.min(below)
    };
    through(one, other).min(through(other, one))
}

/// Whether the plane with the normal of the level set through a triangle's centre has the shape below and the triangle
/// above.
fn is_proved_clear(shape: &Shape, points: &[DVec3; 3]) -> bool {
    let center = (points[0] + points[1] + points[2]) / 3.0;
    let lowest = |normal: DVec3| points.iter().map(|p| normal.dot(*p)).fold(f64::INFINITY, f64::min);
    match shape {
        Shape::Superellipsoid(egg) => {
            let normal = egg.normal_at(center);
            lowest(normal) >= egg.support_value(normal)
        }
        Shape::Superovoid(egg) => {
            let normal = egg.normal_at(center);
            lowest(normal) >= egg.support_value(normal)
        }
        Shape::Primitive(body) => {
            let normal = body.normal_towards(center);
            lowest(normal) >= body.support_value(normal)
        }
        // Their level sets are not known: the centre line is as good a guess as any.
        Shape::Hull(_) | Shape::Custom(_) => {
            let own = shape.aabb(&Pose::IDENTITY);
            let normal = (center - own.min.midpoint(own.max)).normalize_or_zero();
            lowest(normal) >= shape.support_value(normal)
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

/// The triangles of a placed mesh with their boxes, sorted along x, so that few of them are looked at.
struct SortedTriangles {
    list: Vec<([DVec3; 3], DVec3, DVec3)>,
    /// How far the triangles up to each one reach.
    reach: Vec<f64>,
}

impl SortedTriangles {
    fn new(mesh: &CollisionMesh, pose: &Pose) -> SortedTriangles {
        let vertices: Vec<DVec3> = mesh.positions().iter().map(|p| pose.transform_point(*p)).collect();
        let boxed = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|v| vertices[v as usize]);
            ([a, b, c], a.min(b).min(c), a.max(b).max(c))
        };
        let mut list: Vec<_> = mesh.topology().triangles().iter().map(boxed).collect();
        list.sort_by(|(_, a, _), (_, b, _)| a.x.total_cmp(&b.x));
        let farther = |reach: &mut f64, (_, _, max): &([DVec3; 3], DVec3, DVec3)| {
            *reach = reach.max(max.x);
            Some(*reach)
        };
        let reach = list.iter().scan(f64::NEG_INFINITY, farther).collect();
        SortedTriangles { list, reach }
    }

    /// Those that a triangle passes through.
    fn crossed_by<'a>(&'a self, own: &'a [DVec3; 3]) -> impl Iterator<Item = &'a [DVec3; 3]> {
        let (low, high) = (own[0].min(own[1]).min(own[2]), own[0].max(own[1]).max(own[2]));
        let first = self.reach.partition_point(|reach| *reach < low.x);
        let beside = self.list[first..].iter().take_while(move |(_, min, _)| min.x <= high.x);
        let near = beside.filter(move |(_, min, max)| min.cmple(high).all() && max.cmpge(low).all());
        // No vertex is common: numbers that are on neither side.
        let (one, other) = ([0, 1, 2], [3, 4, 5]);
        near.map(|(b, ..)| b).filter(move |b| pierces(one, own, other, b) || pierces(other, b, one, own))
    }
}

/// Pairs of a triangle of a cloth or soft solid and one of a mesh which pass through each other, by looking at all whose boxes
/// overlap.
pub fn mesh_intersections(world: &World) -> Result<usize, SimError> {
    let positions = &world.particles().position;
    let surfaces: Vec<Skin> = world.surfaces().map(|surface| (&positions[..], surface.triangles())).collect();
    intersections(world, &surfaces)
}

/// The same for what is seen of all cloths: their wrinkle meshes, where they have some.
pub fn skin_mesh_intersections(world: &World) -> Result<usize, SimError> {
    let mut skins = Vec::new();
    for cloth in world.cloths() {
        skins.push((world.skin_positions(cloth)?, world.skin_triangles(cloth)?));
    }
    intersections(world, &skins)
}

/// Vertices and triangles.
type Skin<'a> = (&'a [DVec3], &'a [[u32; 3]]);

fn intersections(world: &World, surfaces: &[Skin]) -> Result<usize, SimError> {
    let mut count = 0;
    for (_, collider, pose) in placed(world)? {
        let Geometry::Mesh(mesh) = &collider.geometry else { continue };
        let sorted = SortedTriangles::new(mesh, &pose);
        for (positions, triangles) in surfaces {
            let own = triangles.iter().map(|corners| corners.map(|p| positions[p as usize]));
            count += own.map(|own| sorted.crossed_by(&own).count()).sum::<usize>();
        }
    }
    Ok(count)
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
