//! Scenes of bodies.

use fastrand::Rng;
use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Plane, Shape, Superellipsoid};
use superegg_mesh::TriangleMesh;
use superegg_picture::Camera;
use superegg_sim::{Body, Friction, Material, SimError};
use superegg_world::collision_mesh::CollisionMesh;

use crate::{Description, Push};

/// Kilograms a cubic metre.
const DENSITY: f64 = 500.0;

/// Paper 000, section 4.3: random superellipsoids of exponents 0.1 to 1.9 and radii 0.5 to 0.6 fall into a bowl of 10,000
/// triangles and 5,002 vertices, which is a closed surface. The paper does not tell the bowl's size and the bodies' places;
/// here the bowl is a hemisphere with an inner radius of 5 m, larger for more than 50 bodies so that they fill as much
/// of it, and they come in layers.
pub fn bowl(count: usize, seed: u64) -> Result<Description, SimError> {
    bowl_of(count, seed, [0.1, 1.9])
}

/// The same with exponents from another range.
pub fn bowl_of(count: usize, seed: u64, range: [f64; 2]) -> Result<Description, SimError> {
    let scale = (count as f64 / 50.0).cbrt().max(1.0);
    let radius = 5.0 * scale;
    let material =
        Material { friction: Friction { fixed: 0.5, sliding: 0.5 }, restitution: 0.0, rolling: 0.01, spinning: 0.01 };
    let mesh = bowl_mesh(radius, 0.5 * scale)?;
    let mut bodies = vec![Body::fixed(CollisionMesh::new(mesh)?, Pose::IDENTITY).with_material(material)];
    let mut rng = Rng::with_seed(seed);
    let between = |rng: &mut Rng, low: f64, high: f64| low + (high - low) * rng.f64();
    // Layers on a square lattice within the bowl, wide enough for any orientation.
    const SPACING: f64 = 2.0;
    let cells = (0.55 * radius / SPACING).floor() as i32;
    let places: Vec<(i32, i32)> = (-cells..=cells)
        .flat_map(|i| (-cells..=cells).map(move |j| (i, j)))
        .filter(|(i, j)| i * i + j * j <= cells * cells)
        .collect();
    for index in 0..count {
        let (i, j) = places[index % places.len()];
        let layer = (index / places.len()) as f64;
        let jitter = DVec3::new(between(&mut rng, -0.1, 0.1), between(&mut rng, -0.1, 0.1), 0.0);
        let place = DVec3::new(f64::from(i), f64::from(j), 0.0) * SPACING + jitter + DVec3::Z * (1.0 + SPACING * layer);
        let radii = [0; 3].map(|_| between(&mut rng, 0.5, 0.6));
        let exponents = [0; 2].map(|_| between(&mut rng, range[0], range[1]));
        let turn = [0; 4].map(|_| between(&mut rng, -1.0, 1.0));
        let pose = Pose::new(DQuat::from_array(turn), place)?;
        let shape = Shape::from(Superellipsoid::new(radii, exponents)?);
        bodies.push(Body::dynamic(shape, pose, DENSITY).with_material(material));
    }
    Ok(Description {
        name: "bowl".to_owned(),
        dt: 1.0 / 60.0,
        substeps: 8,
        seconds: 15.0,
        camera: Some(Camera {
            eye: DVec3::new(0.0, -9.0, 7.0) * scale,
            target: DVec3::new(0.0, 0.0, -3.2) * scale,
            field_of_view: 45.0,
        }),
        bodies,
        ..Description::default()
    })
}

/// A hemisphere and the deeper half of an ellipsoid around it with a common rim: two squares of 50 × 50 cells, each drawn
/// onto a disc by Shirley and Chiu's concentric map, so that no triangle is thin.
fn bowl_mesh(radius: f64, wall: f64) -> Result<TriangleMesh, SimError> {
    const CELLS: u32 = 50;
    const SIDE: u32 = CELLS + 1;
    let place = |i: u32, j: u32, depth: f64| {
        let [x, y] = [i, j].map(|n| 2.0 * f64::from(n) / f64::from(CELLS) - 1.0);
        let (r, turn) = match (x, y) {
            (0.0, 0.0) => (0.0, 0.0),
            (x, y) if x.abs() >= y.abs() => (x, std::f64::consts::FRAC_PI_4 * y / x),
            (x, y) => (y, std::f64::consts::FRAC_PI_2 - std::f64::consts::FRAC_PI_4 * x / y),
        };
        let (sine, cosine) = (std::f64::consts::FRAC_PI_2 * r).sin_cos();
        DVec3::new(radius * sine * turn.cos(), radius * sine * turn.sin(), -depth * cosine)
    };
    let on_rim = |i: u32, j: u32| i.is_multiple_of(CELLS) || j.is_multiple_of(CELLS);
    let grid = || (0..SIDE).flat_map(|j| (0..SIDE).map(move |i| (i, j)));
    let mut positions: Vec<DVec3> = grid().map(|(i, j)| place(i, j, radius)).collect();
    // The outer half has its own vertices except on the rim.
    let mut outer: Vec<u32> = Vec::with_capacity(positions.len());
    for (i, j) in grid() {
        if on_rim(i, j) {
            outer.push(i + SIDE * j);
        } else {
            outer.push(positions.len() as u32);
            positions.push(place(i, j, radius + wall));
        }
    }
    let mut triangles = Vec::with_capacity(10_000);
    for (i, j) in grid().filter(|(i, j)| *i < CELLS && *j < CELLS) {
        let [a, b, c, d] = [i + SIDE * j, i + 1 + SIDE * j, i + 1 + SIDE * (j + 1), i + SIDE * (j + 1)];
        triangles.extend([[a, b, c], [a, c, d]]);
        let [a, b, c, d] = [a, b, c, d].map(|corner| outer[corner as usize]);
        triangles.extend([[a, c, b], [a, d, c]]);
    }
    Ok(TriangleMesh::new(positions, triangles)?)
}

pub(super) fn floor(material: Material) -> Result<Body, SimError> {
    Ok(Body::fixed(Shape::from(Plane::new(DVec3::Z, 0.0)?), Pose::IDENTITY).with_material(material))
}

/// Piet Hein's superegg, exponent 2/2.5 in both directions, half as wide as high. The first is nudged after a second and
/// stays up, the second is pushed at its top hard enough to fall.
pub(super) fn egg() -> Result<Description, SimError> {
    let material = Material { rolling: 5e-3, spinning: 5e-3, ..Material::default() };
    let mut bodies = vec![floor(material)?];
    let shape = Superellipsoid::new([0.3, 0.3, 0.4], [1.0, 0.8])?;
    let mass = DENSITY * shape.mass_properties().volume;
    let mut pushes = Vec::new();
    for (x, speed) in [(-0.5, 0.05), (0.5, 1.5)] {
        let pose = Pose::from_translation(DVec3::new(x, 0.0, 0.402));
        pushes.push(Push { at: 1.0, body: bodies.len(), arm: DVec3::Z * 0.3, impulse: DVec3::Y * speed * mass });
        bodies.push(Body::dynamic(Shape::from(shape), pose, DENSITY).with_material(material));
    }
    Ok(Description {
        name: "egg".to_owned(),
        dt: 1.0 / 60.0,
        substeps: 8,
        seconds: 8.0,
        camera: Some(Camera {
            eye: DVec3::new(1.2, -3.0, 1.4),
            target: DVec3::new(0.0, 0.4, 0.3),
            field_of_view: 40.0,
        }),
        bodies,
        pushes,
        ..Description::default()
    })
}

/// Boxy superellipsoids on top of each other.
pub(super) fn tower(count: usize) -> Result<Description, SimError> {
    let mut bodies = vec![floor(Material::default())?];
    let shape = Shape::from(Superellipsoid::new([0.5, 0.5, 0.25], [0.15, 0.15])?);
    for level in 0..count {
        let pose = Pose::from_translation(DVec3::Z * (0.252 + 0.502 * level as f64));
        bodies.push(Body::dynamic(shape.clone(), pose, DENSITY));
    }
    let height = 0.5 * count as f64;
    Ok(Description {
        name: "tower".to_owned(),
        dt: 1.0 / 60.0,
        substeps: 12,
        seconds: 60.0,
        camera: Some(Camera {
            eye: DVec3::new(0.6, -1.2, 0.7) * height.max(3.0),
            target: DVec3::Z * 0.45 * height,
            field_of_view: 50.0,
        }),
        bodies,
        ..Description::default()
    })
}

/// A ball hits a row of equal balls: the last one leaves with its speed.
pub(super) fn billiard(count: usize) -> Result<Description, SimError> {
    let material = Material { friction: Friction::NONE, restitution: 1.0, rolling: 0.0, spinning: 0.0 };
    let dull = Material { restitution: 0.0, ..material };
    let ball = Shape::from(Superellipsoid::new([0.2; 3], [1.0; 2])?);
    let gap = 0.02;
    let mut bodies = Vec::new();
    for index in 0..count {
        let pose = Pose::from_translation(DVec3::new(index as f64 * (0.4 + gap), 0.0, 0.2));
        bodies.push(Body::dynamic(ball.clone(), pose, 1700.0).with_material(material));
    }
    let start = Pose::from_translation(DVec3::new(-1.5, 0.0, 0.2));
    let cue = Body::dynamic(ball, start, 1700.0).with_material(dull);
    bodies.push(Body { velocity: DVec3::X * 2.0, ..cue });
    let middle = 0.2 * count as f64;
    Ok(Description {
        name: "billiard".to_owned(),
        dt: 1.0 / 60.0,
        substeps: 8,
        seconds: 2.0,
        camera: Some(Camera {
            eye: DVec3::new(middle, -2.0 - middle, 1.5 + middle),
            target: DVec3::new(middle, 0.0, 0.2),
            field_of_view: 50.0,
        }),
        // Nothing holds the balls up: a row in space, so that nothing but the row acts on them.
        gravity: DVec3::ZERO,
        bodies,
        ..Description::default()
    })
}
