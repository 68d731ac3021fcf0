//! Scenes of cloth.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Plane, Shape, Spacing, Superellipsoid};
use superegg_mesh::TriangleMesh;

use superegg_picture::Camera;
use superegg_sim::{Body, Fabric, Friction, RestLength, SimError, Wind};
use superegg_world::collision_mesh::CollisionMesh;

use crate::{ClothDescription, Description, Hand};

/// Paper 000, section 4.2: a superellipsoid of radii 3.5, 3, 2 and exponents 0.4, 0.3 under a cloth of 60 × 54 or 76 × 85
/// vertices that keeps 25 mm away. The papers do not tell the cloth's size and height; here it is 11 m × 9.9 m and falls
/// from two metres above. With a separation it meets itself, too, which the paper's does not.
pub fn tablecloth(vertices: usize, self_separation: Option<f64>) -> Result<Description, SimError> {
    let table = smooth(Superellipsoid::new(TABLE.0, TABLE.1)?, Pose::IDENTITY);
    Ok(lay_tablecloth(table, vertices, self_separation))
}

/// The same over the table as a mesh of about so many vertices.
pub fn tablecloth_over_mesh(vertices: usize, mesh_vertices: usize) -> Result<Description, SimError> {
    let soup = Superellipsoid::new(TABLE.0, TABLE.1)?.tessellate(mesh_vertices, Spacing::Curvature)?;
    let mesh = CollisionMesh::new(TriangleMesh::new(soup.vertices, soup.triangles)?)?;
    Ok(lay_tablecloth(Body::fixed(mesh, Pose::IDENTITY).with_friction(Friction::default()), vertices, None))
}

/// A fixed body of wood, which cloth slides on.
fn smooth(shape: impl Into<Shape>, pose: Pose) -> Body {
    Body::fixed(shape.into(), pose).with_friction(Friction::default())
}

/// Radii and exponents of the table.
const TABLE: ([f64; 3], [f64; 2]) = ([3.5, 3.0, 2.0], [0.4, 0.3]);

fn lay_tablecloth(table: Body, vertices: usize, self_separation: Option<f64>) -> Description {
    let count = if vertices.abs_diff(3240) <= vertices.abs_diff(6460) { [60, 54] } else { [85, 76] };
    let fabric = Fabric { offset: 0.025, self_separation, ..Fabric::default() };
    Description {
        name: "tablecloth".to_owned(),
        dt: 0.005,
        substeps: 5,
        seconds: 10.0,
        // As in the paper: every step is made.
        sleeping: false,
        camera: Some(view([8.0, -11.5, 7.0], [0.0, 0.0, 0.1], 34.0)),
        bodies: vec![table],
        cloths: vec![ClothDescription::grid(count, [11.0, 9.9], DVec3::new(-5.5, -4.95, 4.0), fabric)],
        ..Description::default()
    }
}

fn view(eye: [f64; 3], target: [f64; 3], field_of_view: f64) -> Camera {
    Camera { eye: eye.into(), target: target.into(), field_of_view }
}

/// Paper 001, section 6.1: a cloth of 41 × 41 vertices falls over a square grid of superellipsoids that it covers, and over
/// the ground.
pub(super) fn terrain(bodies: usize) -> Result<Description, SimError> {
    let side = (bodies.clamp(1, 10_000) as f64).sqrt().ceil() as usize;
    let mut all = vec![smooth(Plane::new(DVec3::Z, 0.0)?, Pose::IDENTITY)];
    // Fixed pseudo-random numbers in [0, 1[, the same on every machine.
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let spacing = 8.0 / side as f64;
    for index in 0..bodies.clamp(1, 10_000) {
        let (i, j) = (index % side, index / side);
        let mut radii = [0.0; 3].map(|_: f64| spacing * (0.2 + 0.15 * random()));
        radii[2] *= 2.0;
        let exponents = [0.3 + 1.2 * random(), 0.3 + 1.2 * random()];
        let place = DVec3::new(i as f64 + 0.5, j as f64 + 0.5, 0.0) * spacing - DVec3::new(4.0, 4.0, 0.0);
        let turn = DQuat::from_rotation_z(3.0 * random());
        all.push(smooth(Superellipsoid::new(radii, exponents)?, Pose::new(turn, place)?));
    }
    let highest = spacing * 0.7;
    let fabric = Fabric { offset: 0.01, ..Fabric::default() };
    Ok(Description {
        name: "terrain".to_owned(),
        dt: 1.0 / 120.0,
        substeps: 5,
        seconds: 6.0,
        sleeping: false,
        camera: Some(view([6.5, -10.0, 6.5], [0.0, -0.3, 0.2], 42.0)),
        bodies: all,
        cloths: vec![ClothDescription::grid([41, 41], [9.5, 9.5], DVec3::new(-4.75, -4.75, highest + 0.3), fabric)],
        ..Description::default()
    })
}

/// Hangs from rings, blown at by gusts; tethers keep it from growing under its weight.
pub(super) fn curtain() -> Result<Description, SimError> {
    let pillar = Superellipsoid::new([0.35, 0.35, 0.5], [1.0, 0.6])?;
    let fabric = Fabric {
        tethers: Some(RestLength::Geodesic),
        offset: 0.01,
        self_separation: Some(0.015),
        bending_compliance: 3e3,
        ..Fabric::default()
    };
    let (columns, rows) = (61, 41);
    // Made in the plane, hung up in folds: the rings are closer together than the cloth is wide.
    let mut sheet = ClothDescription::grid([columns, rows], [3.6, 2.3], DVec3::ZERO, fabric);
    sheet.pins = (0..columns).step_by(6).collect();
    sheet.places = Some(sheet.cloth()?.mesh.positions().iter().map(|p| folded(*p, 3.6, 2.4)).collect());
    Ok(Description {
        name: "curtain".to_owned(),
        dt: 0.005,
        substeps: 8,
        seconds: 8.0,
        wind: Some(Wind { velocity: DVec3::new(0.0, 4.5, 0.0), gusts: 0.9, density: 1.2 }),
        camera: Some(view([2.6, 5.2, 2.0], [0.0, 0.2, 1.2], 34.0)),
        bodies: vec![
            smooth(Plane::new(DVec3::Z, 0.0)?, Pose::IDENTITY),
            smooth(pillar, Pose::from_translation(DVec3::new(0.5, 0.75, 0.5))),
        ],
        cloths: vec![sheet],
        ..Description::default()
    })
}

/// A point of a flat sheet of width `width`, hung from `height` in waves along x that shorten it by a tenth.
fn folded(rest: DVec3, width: f64, height: f64) -> DVec3 {
    let waves = 10.0;
    let phase = std::f64::consts::TAU * waves * rest.x / width;
    // A sine of slope s is about 1 + s²/4 times as long as its base.
    let slope: f64 = 0.65;
    let shrink = 1.0 / (1.0 + 0.25 * slope * slope);
    let amplitude = slope * width * shrink / (std::f64::consts::TAU * waves);
    DVec3::new((rest.x - 0.5 * width) * shrink, amplitude * phase.sin(), height - rest.y)
}

/// Two hands fold a blanket of wool over a ball, first along, then both layers across.
pub(super) fn blanket() -> Result<Description, SimError> {
    let grip = Friction { fixed: 0.9, sliding: 0.7 };
    let ground = smooth(Plane::new(DVec3::Z, 0.0)?, Pose::IDENTITY).with_friction(grip);
    let ball = smooth(Superellipsoid::new([0.25; 3], [1.0; 2])?, Pose::from_translation(DVec3::Z * -0.1));
    let fabric = Fabric {
        density: 0.4,
        offset: 0.01,
        self_separation: Some(0.012),
        friction: grip,
        bending_compliance: 2e3,
        damping: 3.0,
        ..Fabric::default()
    };
    let (columns, rows) = (41, 41);
    // The edge at x = 1 is carried over by 1.7 m, almost to the other edge, then the edge at y = 1.
    let over = |a: DVec3| {
        let path = move |t: f64| {
            let angle = std::f64::consts::PI * t;
            a * (0.5 * (1.0 - angle.cos()) * 1.7) + DVec3::Z * (0.8 * angle.sin())
        };
        (0..=20).map(move |i| path(f64::from(i) / 20.0))
    };
    let timed = |start: f64, a: DVec3| -> Vec<(f64, DVec3)> {
        over(a).enumerate().map(|(i, d)| (start + 0.1 * i as f64, d + DVec3::Z * 0.08 * (i as f64 / 20.0))).collect()
    };
    let along: Vec<usize> = (0..rows).step_by(4).map(|row| columns - 1 + columns * row).collect();
    let across: Vec<usize> = (0..columns).step_by(4).map(|column| column + columns * (rows - 1)).collect();
    let hand = |vertices, path, until| Hand { cloth: 0, vertices, path, until };
    Ok(Description {
        name: "blanket".to_owned(),
        dt: 0.005,
        substeps: 5,
        seconds: 12.0,
        camera: Some(view([1.4, -2.6, 1.7], [-0.2, -0.2, 0.1], 40.0)),
        bodies: vec![ground, ball.with_friction(grip)],
        cloths: vec![ClothDescription::grid([columns, rows], [2.0, 2.0], DVec3::new(-1.0, -1.0, 0.5), fabric)],
        hands: vec![hand(along, timed(1.5, -DVec3::X), 3.6), hand(across, timed(5.0, -DVec3::Y), 7.1)],
        ..Description::default()
    })
}
