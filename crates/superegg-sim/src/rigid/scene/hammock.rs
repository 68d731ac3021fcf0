//! Bodies that are caught by a cloth.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Shape, Superellipsoid, Superovoid};

use super::{RigidScene, floor};
use crate::rigid::{Coupling, Material, RigidBody, RigidWorld};
use crate::scene::View;
use crate::{Cloth, Fabric, SimError, World};

/// Vertices of the cloth along each side.
const SIDE: usize = 31;

/// A cloth of 3 m × 3 m is held at its corners, which are 2.3 m apart, so that it sags; eggs of two kilograms fall on it.
pub(super) fn hammock(count: usize) -> Result<RigidScene, SimError> {
    let mut world = RigidWorld::new();
    let material = Material { rolling: 5e-3, spinning: 5e-3, ..Material::default() };
    world.add(floor(material)?)?;
    let shapes: [Shape; 3] = [
        Superellipsoid::new([0.2, 0.2, 0.27], [1.0, 0.8])?.into(),
        Superellipsoid::new([0.2, 0.25, 0.18], [0.3, 0.4])?.into(),
        Superovoid::new([0.2, 0.2, 0.28], [1.0, 1.0], [0.3, 0.3])?.into(),
    ];
    for index in 0..count {
        let turn = 2.4 * index as f64;
        let place = DVec3::new(0.35 * turn.cos(), 0.35 * turn.sin(), 2.2 + 0.45 * index as f64);
        let pose = Pose::new(DQuat::from_rotation_x(0.7 * turn) * DQuat::from_rotation_z(turn), place)?;
        world.add(RigidBody { material, ..RigidBody::dynamic(shapes[index % 3], pose, 50.0) })?;
    }
    let mut cloth = World::new();
    let fabric = Fabric { density: 0.4, damping: 0.5, ..Fabric::default() };
    let sheet = cloth.add_cloth(&Cloth::grid([SIDE; 2], [3.0; 2], DVec3::new(-1.5, -1.5, 0.0)), &fabric)?;
    let sagging = |rest: &DVec3| {
        let (u, v) = (rest.x / 1.5, rest.y / 1.5);
        DVec3::new(1.15 * u, 1.15 * v, 1.9 - 0.8 * (1.0 - u * u * v * v))
    };
    let places: Vec<DVec3> = cloth.cloth_rest(sheet).iter().map(sagging).collect();
    cloth.place_cloth(sheet, &places)?;
    let first = cloth.first_particle(sheet).unwrap_or(0);
    let last = SIDE - 1;
    for (i, j) in (0..SIDE).flat_map(|i| (0..SIDE).map(move |j| (i, j))) {
        // Three vertices by three at every corner.
        if i.min(last - i) < 3 && j.min(last - j) < 3 {
            cloth.grab(first + SIDE * i + j)?;
        }
    }
    let cloth = Some(Coupling::new(&mut world, cloth)?);
    Ok(RigidScene {
        name: "hammock",
        world,
        cloth,
        dt: 1.0 / 60.0,
        substeps: 10,
        seconds: 6.0,
        view: View { eye: DVec3::new(2.6, -4.4, 2.9), target: DVec3::new(0.0, 0.0, 1.0), field_of_view: 42.0 },
        pushes: Vec::new(),
    })
}
