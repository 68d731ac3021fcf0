//! How good a union of parts is, in the words of those who use such unions as collision geometry.
//!
//! Surfaces are compared at points spread evenly over them, insides in cells of a grid. On a mesh that is open, or for points
//! alone, there is no inside: volumes are then missing, and all of a part's surface counts as outside.

use glam::DVec3;
use superegg::Threads;

use crate::error::FitError;
use crate::errors::{Errors, places};
use crate::part::Part;
use crate::protrusion::{Surroundings, union_mesh};
use crate::solid::{Solid, open_edges};
use crate::target::Target;

/// Points looked at on each surface.
const SAMPLES: usize = 2000;
/// Cells along the longest side.
const CELLS: usize = 64;
/// Points this far outside count as covered, as a part of the target's length: rounding.
const COVERED: f64 = 1e-9;

/// How good a union of parts is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Parts.
    pub count: usize,
    /// Part of the target's points inside the union.
    pub coverage: f64,
    /// How far the union's surface is outside the target; zero where it is inside.
    pub protrusion: Errors,
    /// How far the target's points are from the union's surface.
    pub gap: Errors,
    /// Mean of the mean distances from the target's surface to the union's and back.
    pub chamfer: f64,
    /// What only a closed mesh has.
    pub volume: Option<VolumeMetrics>,
}

/// Comparison of insides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeMetrics {
    /// The union's volume over the target's.
    pub ratio: f64,
    /// The volume of what is inside both over that of what is inside either, in cells of a 64th of the length.
    pub iou: f64,
}

/// Measures a union of parts.
pub fn metrics(parts: &[Part], target: &Target, threads: Threads) -> Result<Metrics, FitError> {
    let places = places(parts, target.points(), SAMPLES, threads)?;
    let low = target.points().iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = target.points().iter().copied().reduce(DVec3::max).unwrap_or_default();
    let slack = COVERED * (high - low).max_element();
    let covered = places.iter().filter(|place| place.signed <= slack).count();
    let gap = Errors::new(places.iter().map(|place| place.signed.abs()).collect());
    let closed = target.mesh().filter(|mesh| open_edges(mesh) == 0);
    let surroundings = Surroundings::new(target);
    let (protrusion, mean) = surroundings.protrusion(&union_mesh(parts)?, SAMPLES)?;
    Ok(Metrics {
        count: parts.len(),
        coverage: covered as f64 / places.len().max(1) as f64,
        protrusion,
        gap,
        chamfer: 0.5 * (gap.mean + mean),
        volume: closed.and(surroundings.solid()).map(|solid| volumes(parts, solid)),
    })
}

/// Compares insides on a grid: columns along z through the middles of cells, cut by the mesh's triangles.
fn volumes(parts: &[Part], solid: &Solid) -> VolumeMetrics {
    let points = solid.triangles().iter().flatten().copied();
    let mut low = points.clone().reduce(DVec3::min).unwrap_or_default();
    let mut high = points.reduce(DVec3::max).unwrap_or_default();
    for part in parts {
        let bounds = part.shape.aabb(&part.pose);
        (low, high) = (low.min(bounds.min), high.max(bounds.max));
    }
    let cell = (high - low).max_element() / CELLS as f64;
    // Off the middle by parts of a cell that no mesh made by hand has, so that columns do not run along edges.
    let origin = low + DVec3::new(0.5017, 0.4983, 0.5) * cell;
    let size: [usize; 3] = ((high - low) / cell).to_array().map(|n| n.ceil().max(1.0) as usize);
    let crossings = crossings(solid, origin, cell, size);
    let (mut both, mut either, mut of_parts) = (0u64, 0u64, 0u64);
    let mut column_parts: Vec<&Part> = Vec::new();
    for (column, crossings) in crossings.iter().enumerate() {
        let (i, j) = (column % size[0], column / size[0]);
        let (x, y) = (origin.x + cell * i as f64, origin.y + cell * j as f64);
        column_parts.clear();
        column_parts.extend(parts.iter().filter(|part| {
            let bounds = part.shape.aabb(&part.pose);
            x >= bounds.min.x && x <= bounds.max.x && y >= bounds.min.y && y <= bounds.max.y
        }));
        for k in 0..size[2] {
            let point = DVec3::new(x, y, origin.z + cell * k as f64);
            let winding: i32 = crossings.iter().filter(|(z, _)| *z > point.z).map(|(_, turn)| turn).sum();
            let in_mesh = winding != 0;
            let in_parts =
                column_parts.iter().any(|part| part.shape.gauge(part.pose.inverse_transform_point(point)) < 1.0);
            both += u64::from(in_mesh && in_parts);
            either += u64::from(in_mesh || in_parts);
            of_parts += u64::from(in_parts);
        }
    }
    VolumeMetrics { ratio: of_parts as f64 * cell.powi(3) / solid.volume(), iou: both as f64 / either.max(1) as f64 }
}

/// Heights at which each column meets the mesh, with the sense of the triangle there.
fn crossings(solid: &Solid, origin: DVec3, cell: f64, size: [usize; 3]) -> Vec<Vec<(f64, i32)>> {
    let mut columns = vec![Vec::new(); size[0] * size[1]];
    for [a, b, c] in solid.triangles() {
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if area == 0.0 {
            continue;
        }
        let low = (a.min(*b).min(*c) - origin) / cell;
        let high = (a.max(*b).max(*c) - origin) / cell;
        let range = |axis: usize| {
            (low[axis].ceil().max(0.0) as usize, (high[axis].floor() as isize).min(size[axis] as isize - 1))
        };
        let ((i0, i1), (j0, j1)) = (range(0), range(1));
        for j in j0 as isize..=j1 {
            for i in i0 as isize..=i1 {
                let (x, y) = (origin.x + cell * i as f64, origin.y + cell * j as f64);
                let u = ((b.x - x) * (c.y - y) - (b.y - y) * (c.x - x)) / area;
                let v = ((c.x - x) * (a.y - y) - (c.y - y) * (a.x - x)) / area;
                let w = 1.0 - u - v;
                if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                    let turn = if area > 0.0 { 1 } else { -1 };
                    columns[j as usize * size[0] + i as usize].push((u * a.z + v * b.z + w * c.z, turn));
                }
            }
        }
    }
    columns
}
