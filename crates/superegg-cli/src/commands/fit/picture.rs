//! A picture of the input, left, and the fit, right, in the same size.

use glam::{DVec3, Vec3};
use superegg::shape::Spacing;
use superegg_fit::{FitError, Part, Target};
use superegg_picture::{Camera, Model, Paint, Picture};

const SIZE: [usize; 2] = [1400, 700];
/// Colour of the input.
const INPUT: [f32; 3] = [0.42, 0.42, 0.44];
/// Colours of parts, in turn.
const PARTS: [[f32; 3]; 8] = [
    [0.75, 0.22, 0.14],
    [0.10, 0.34, 0.62],
    [0.80, 0.56, 0.10],
    [0.16, 0.48, 0.24],
    [0.48, 0.22, 0.55],
    [0.08, 0.50, 0.52],
    [0.70, 0.35, 0.45],
    [0.40, 0.30, 0.18],
];
/// Vertices of a part's mesh.
const PART_VERTICES: usize = 3000;
/// Most points that are drawn, as small octahedra.
const MOST_POINTS: usize = 20_000;
/// Half the distance between the two, in units of the input's half diagonal.
const APART: f64 = 0.95;

/// Draws both.
pub fn side_by_side(target: &Target, parts: &[Part]) -> Result<Picture, FitError> {
    let (low, high) = seen_box(target);
    let (middle, half) = (0.5 * (low + high), (0.5 * (high - low).length()).max(1e-300));
    let at = |p: &DVec3, side: f64| ((*p - middle) / half + DVec3::X * side * APART).as_vec3();
    let mut models = vec![match target.mesh() {
        Some(mesh) => {
            let positions: Vec<Vec3> = mesh.positions().iter().map(|p| at(p, -1.0)).collect();
            Model::creased(&positions, mesh.triangles(), INPUT)
        }
        None => {
            let step = target.points().len().div_ceil(MOST_POINTS).max(1);
            let points: Vec<Vec3> = target.points().iter().step_by(step).map(|p| at(p, -1.0)).collect();
            octahedra(&points, 0.6 / (points.len() as f32).sqrt().max(20.0))
        }
    }];
    let mut lowest = (low.z - middle.z) / half;
    for (index, part) in parts.iter().enumerate() {
        let mesh = part.shape.tessellate(PART_VERTICES, Spacing::Curvature)?;
        let world: Vec<DVec3> = mesh.vertices.iter().map(|p| part.pose.transform_point(*p)).collect();
        lowest = world.iter().map(|p| (p.z - middle.z) / half).fold(lowest, f64::min);
        let positions = world.iter().map(|p| at(p, 1.0)).collect();
        models.push(Model::new(positions, mesh.triangles, Paint::Plain(PARTS[index % PARTS.len()])));
    }
    models.push(Model::floor(Vec3::new(0.0, 0.0, lowest as f32 - 0.002), 12.0, [0.62, 0.62, 0.60]));
    let camera = Camera { eye: DVec3::new(1.1, -5.4, 2.4), target: DVec3::new(0.0, 0.0, -0.08), field_of_view: 19.0 };
    Ok(Picture::new(SIZE, &camera, &models))
}

/// The box that a picture shows: all of a mesh, and all but the outermost few of points.
fn seen_box(target: &Target) -> (DVec3, DVec3) {
    let (seen, trimmed) = target.mesh().map_or((target.points(), 0.04), |mesh| (mesh.positions(), 0.0));
    let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
    for axis in 0..3 {
        let mut values: Vec<f64> = seen.iter().map(|p| p[axis]).collect();
        values.sort_unstable_by(f64::total_cmp);
        let skipped = (values.len() as f64 * trimmed) as usize;
        low[axis] = values.get(skipped).copied().unwrap_or_default();
        high[axis] = values.iter().rev().nth(skipped).copied().unwrap_or_default();
    }
    (low, high)
}

/// A small octahedron for each point.
fn octahedra(points: &[Vec3], radius: f32) -> Model {
    const FACES: [[u32; 3]; 8] =
        [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    let corners = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let positions = points.iter().flat_map(|p| corners.map(|corner| *p + corner * radius)).collect();
    let triangles = (0..points.len() as u32).flat_map(|k| FACES.map(|face| face.map(|v| v + 6 * k))).collect();
    Model::new(positions, triangles, Paint::Plain(INPUT))
}
