//! Machine parts that come to rest on each other in a tray: rigid meshes with holes, teeth and corners.

use std::f64::consts::TAU;

use fastrand::Rng;
use glam::{DQuat, DVec2, DVec3};
use superegg::Pose;
use superegg_mesh::{MeshError, TriangleMesh};
use superegg_picture::Camera;
use superegg_sim::{Body, Friction, Material, SimError};
use superegg_world::collision_mesh::CollisionMesh;
use superegg_world::geometry::Geometry;

use super::bodies::floor;
use crate::Description;

/// Of steel that is hollow inside, in kilograms a cubic metre.
const DENSITY: f64 = 2000.0;
/// Points of a circle.
const ROUND: usize = 24;
/// Teeth of a gear.
const TEETH: usize = 12;

/// A point at an angle from x.
fn at(angle: f64, radius: f64) -> DVec2 {
    DVec2::from_angle(angle) * radius
}

/// Points around the z axis.
fn circle(count: usize, radius: f64) -> Vec<DVec2> {
    (0..count).map(|i| at(TAU * i as f64 / count as f64, radius)).collect()
}

/// The same along a hexagon with flats at a distance.
fn hexagon(flats: f64) -> Vec<DVec2> {
    let corner = |i: usize| at(TAU * i as f64 / 6.0, flats / (TAU / 12.0).cos());
    let parts = ROUND / 6;
    (0..ROUND).map(|i| corner(i / parts).lerp(corner(i / parts + 1), (i % parts) as f64 / parts as f64)).collect()
}

/// The outline of a gear: four points a tooth.
fn teeth(radius: f64, height: f64) -> Vec<DVec2> {
    const PROFILE: [(f64, f64); 4] = [(0.08, 0.0), (0.2, 1.0), (0.48, 1.0), (0.6, 0.0)];
    let tooth = |i: usize| PROFILE.map(|(turn, up)| at(TAU * (i as f64 + turn) / TEETH as f64, radius + up * height));
    (0..TEETH).flat_map(tooth).collect()
}

/// The surface through rings of equally many points at heights: closed to a tube without ends, or with flat ends.
fn loft(rings: &[(Vec<DVec2>, f64)], tube: bool) -> Result<TriangleMesh, MeshError> {
    let count = rings[0].0.len() as u32;
    let mut positions: Vec<DVec3> =
        rings.iter().flat_map(|(ring, height)| ring.iter().map(|p| p.extend(*height))).collect();
    let mut triangles = Vec::new();
    let all = rings.len() as u32;
    for from in 0..if tube { all } else { all - 1 } {
        let (low, high) = (from * count, (from + 1) % all * count);
        for i in 0..count {
            let j = (i + 1) % count;
            triangles.extend([[low + i, low + j, high + j], [low + i, high + j, high + i]]);
        }
    }
    if !tube {
        for (ring, turned) in [(0, true), (all - 1, false)] {
            let middle = positions.len() as u32;
            positions.push(DVec3::Z * rings[ring as usize].1);
            for i in 0..count {
                let (one, other) = (ring * count + i, ring * count + (i + 1) % count);
                triangles.push(if turned { [middle, other, one] } else { [middle, one, other] });
            }
        }
    }
    TriangleMesh::new(positions, triangles)
}

/// A disc with a hole, of any two outlines.
fn disc(outer: Vec<DVec2>, inner: Vec<DVec2>, half: f64) -> Result<TriangleMesh, MeshError> {
    loft(&[(inner.clone(), half), (inner, -half), (outer.clone(), -half), (outer, half)], true)
}

/// A rubber ring.
fn torus(radius: f64, thickness: f64) -> Result<TriangleMesh, MeshError> {
    const AROUND: usize = 10;
    let ring = |i: usize| {
        let p = at(TAU * i as f64 / AROUND as f64, thickness);
        (circle(ROUND, radius + p.x), p.y)
    };
    loft(&(0..AROUND).map(ring).collect::<Vec<_>>(), true)
}

/// A hexagonal head on a shaft.
fn bolt(radius: f64, length: f64) -> Result<TriangleMesh, MeshError> {
    let (shaft, head) = (circle(ROUND, radius), hexagon(1.7 * radius));
    let (low, high) = (-0.5 * length, 0.5 * length);
    loft(
        &[(shaft.clone(), low), (shaft, high - 1.2 * radius), (head.clone(), high - 1.2 * radius), (head, high)],
        false,
    )
}

/// A rod of any simple outline, counterclockwise.
fn rod(outline: &[[f64; 2]], half: f64) -> Result<TriangleMesh, MeshError> {
    let count = outline.len() as u32;
    let point = |i: u32| DVec2::from_array(outline[i as usize]);
    let mut positions: Vec<DVec3> = (0..count).map(|i| point(i).extend(-half)).collect();
    positions.extend((0..count).map(|i| point(i).extend(half)));
    let mut triangles = Vec::new();
    for i in 0..count {
        let j = (i + 1) % count;
        triangles.extend([[i, j, count + j], [i, count + j, count + i]]);
    }
    // Ears are cut off one by one (Meisters 1975).
    let mut left: Vec<u32> = (0..count).collect();
    while left.len() >= 3 {
        let ear = (0..left.len()).find(|&k| {
            let [a, b, c] = [left.len() - 1, 0, 1].map(|step| left[(k + step) % left.len()]);
            let side = |p: u32, q: u32, r: u32| (point(q) - point(p)).perp_dot(point(r) - point(p));
            let within = |r: u32| side(a, b, r) >= 0.0 && side(b, c, r) >= 0.0 && side(c, a, r) >= 0.0;
            side(a, b, c) > 0.0 && left.iter().all(|&other| [a, b, c].contains(&other) || !within(other))
        });
        let Some(k) = ear else { break };
        let [a, b, c] = [left.len() - 1, 0, 1].map(|step| left[(k + step) % left.len()]);
        triangles.extend([[count + a, count + b, count + c], [a, c, b]]);
        left.remove(k);
    }
    TriangleMesh::new(positions, triangles)
}

/// The kinds of parts, in metres.
fn kinds() -> Result<[TriangleMesh; 8], MeshError> {
    let angle = [[-0.06, -0.06], [0.07, -0.06], [0.07, -0.035], [-0.035, -0.035], [-0.035, 0.07], [-0.06, 0.07]];
    let channel = [
        [-0.06, -0.04],
        [0.06, -0.04],
        [0.06, 0.05],
        [0.035, 0.05],
        [0.035, -0.015],
        [-0.035, -0.015],
        [-0.035, 0.05],
        [-0.06, 0.05],
    ];
    let tee = [
        [-0.012, -0.07],
        [0.012, -0.07],
        [0.012, 0.04],
        [0.06, 0.04],
        [0.06, 0.065],
        [-0.06, 0.065],
        [-0.06, 0.04],
        [-0.012, 0.04],
    ];
    Ok([
        disc(hexagon(0.075), circle(ROUND, 0.042), 0.03)?,
        rod(&angle, 0.05)?,
        disc(teeth(0.075, 0.02), circle(4 * TEETH, 0.03), 0.018)?,
        disc(circle(ROUND, 0.09), circle(ROUND, 0.045), 0.012)?,
        rod(&channel, 0.07)?,
        torus(0.065, 0.02)?,
        bolt(0.03, 0.16)?,
        rod(&tee, 0.04)?,
    ])
}

/// A square tray with sloping walls.
fn tray() -> Result<TriangleMesh, MeshError> {
    let square = |half: f64| -> Vec<DVec2> {
        [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(|[x, y]| DVec2::new(x, y) * half).to_vec()
    };
    loft(&[(square(0.31), 0.0), (square(0.34), 0.1), (square(0.32), 0.1), (square(0.29), 0.02)], false)
}

/// Parts of eight kinds fall into a tray.
pub(super) fn parts(count: usize) -> Result<Description, SimError> {
    let steel = Material { friction: Friction { fixed: 0.4, sliding: 0.3 }, ..Material::default() };
    let mut bodies = vec![floor(steel)?];
    bodies.push(Body::fixed(CollisionMesh::new(tray()?)?, Pose::IDENTITY).with_material(steel));
    let kinds = kinds()?.into_iter().map(|mesh| Ok(CollisionMesh::new(mesh)?.into()));
    let kinds = kinds.collect::<Result<Vec<Geometry>, SimError>>()?;
    let mut rng = Rng::with_seed(5);
    for index in 0..count {
        let mesh = kinds[index % kinds.len()].clone();
        let (layer, place) = (index / 4, index % 4);
        let side = |bit: usize| if place >> bit & 1 == 1 { 0.125 } else { -0.125 };
        let mut little = || 0.02 * (rng.f64() - 0.5);
        let center = DVec3::new(side(0) + little(), side(1) + little(), 0.16 + 0.22 * layer as f64);
        let turn = DQuat::from_scaled_axis(DVec3::new(40.0 * little(), 40.0 * little(), 100.0 * little()));
        bodies.push(Body::dynamic(mesh, Pose::new(turn, center)?, DENSITY).with_material(steel));
    }
    let (eye, target) = (DVec3::new(0.75, -1.15, 1.0), DVec3::new(0.0, 0.0, 0.08));
    Ok(Description {
        name: "parts".to_owned(),
        dt: 1.0 / 120.0,
        substeps: 4,
        seconds: 5.0,
        camera: Some(Camera { eye, target, field_of_view: 32.0 }),
        bodies,
        ..Description::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_closed_and_turned_outwards() {
        for (index, mesh) in kinds().unwrap().into_iter().chain([tray().unwrap()]).enumerate() {
            assert!(mesh.defects() == Default::default(), "part {index}");
            let ways: std::collections::HashSet<[u32; 2]> =
                mesh.triangles().iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
            assert_eq!(ways.len(), 3 * mesh.triangles().len(), "part {index} has an edge twice");
            assert!(ways.iter().all(|[a, b]| ways.contains(&[*b, *a])), "part {index} is open");
            let corners = mesh.triangles().iter().map(|corners| corners.map(|v| mesh.positions()[v as usize]));
            let volume = corners.map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0;
            assert!(volume > 1e-5, "part {index}: {volume} m³");
        }
    }
}
