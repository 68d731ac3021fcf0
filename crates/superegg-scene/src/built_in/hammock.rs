//! Bodies that are caught by a cloth.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Shape, Superellipsoid, Superovoid};
use superegg_picture::Camera;
use superegg_sim::{Body, Fabric, Material, SimError};

use super::bodies::floor;
use crate::{ClothDescription, Description};

/// Vertices of the cloth along each side.
const SIDE: usize = 31;

/// A cloth of 3 m × 3 m is held at its corners, which are 2.3 m apart, so that it sags; eggs of two kilograms fall on it.
pub(super) fn hammock(count: usize) -> Result<Description, SimError> {
    let material = Material { rolling: 5e-3, spinning: 5e-3, ..Material::default() };
    let mut bodies = vec![floor(material)?];
    let shapes: [Shape; 3] = [
        Superellipsoid::new([0.2, 0.2, 0.27], [1.0, 0.8])?.into(),
        Superellipsoid::new([0.2, 0.25, 0.18], [0.3, 0.4])?.into(),
        Superovoid::new([0.2, 0.2, 0.28], [1.0, 1.0], [0.3, 0.3])?.into(),
    ];
    for index in 0..count {
        let turn = 2.4 * index as f64;
        let place = DVec3::new(0.35 * turn.cos(), 0.35 * turn.sin(), 2.2 + 0.45 * index as f64);
        let pose = Pose::new(DQuat::from_rotation_x(0.7 * turn) * DQuat::from_rotation_z(turn), place)?;
        bodies.push(Body::dynamic(shapes[index % 3].clone(), pose, 50.0).with_material(material));
    }
    let fabric = Fabric { density: 0.4, damping: 0.5, ..Fabric::default() };
    let mut sheet = ClothDescription::grid([SIDE; 2], [3.0; 2], DVec3::new(-1.5, -1.5, 0.0), fabric);
    let sagging = |rest: &DVec3| {
        let (u, v) = (rest.x / 1.5, rest.y / 1.5);
        DVec3::new(1.15 * u, 1.15 * v, 1.9 - 0.8 * (1.0 - u * u * v * v))
    };
    sheet.places = Some(sheet.cloth()?.mesh.positions().iter().map(sagging).collect());
    let last = SIDE - 1;
    // Three vertices by three at every corner.
    let corner = |(i, j): &(usize, usize)| i.min(&(last - i)) < &3 && j.min(&(last - j)) < &3;
    let all = (0..SIDE).flat_map(|i| (0..SIDE).map(move |j| (i, j)));
    sheet.held = all.filter(corner).map(|(i, j)| SIDE * i + j).collect();
    let (eye, target) = (DVec3::new(2.6, -4.4, 2.9), DVec3::new(0.0, 0.0, 1.0));
    Ok(Description {
        name: "hammock".to_owned(),
        dt: 1.0 / 60.0,
        substeps: 10,
        seconds: 6.0,
        camera: Some(Camera { eye, target, field_of_view: 42.0 }),
        bodies,
        cloths: vec![sheet],
        ..Description::default()
    })
}
