//! What is fitted: points, or a mesh with points spread evenly over its surface.

use glam::DVec3;
use superegg_mesh::TriangleMesh;

use crate::cloud::validate;
use crate::error::FitError;

/// Points spread over a mesh's surface.
const SURFACE_POINTS: usize = 4096;

/// A point cloud or a mesh, checked.
///
/// ```
/// use superegg_fit::{DVec3, FitError, Target};
/// assert!(Target::from_points(vec![DVec3::ZERO, DVec3::X]).is_ok());
/// let refused = Target::from_points(vec![DVec3::new(0.0, f64::NAN, 0.0)]);
/// assert!(matches!(refused, Err(FitError::Coordinate { index: 0, .. })));
/// ```
#[derive(Clone, Debug)]
pub struct Target {
    points: Vec<DVec3>,
    weights: Option<Vec<f64>>,
    mesh: Option<TriangleMesh>,
}

impl Target {
    /// A point cloud.
    pub fn from_points(points: Vec<DVec3>) -> Result<Target, FitError> {
        validate(&points, None)?;
        Ok(Target { points, weights: None, mesh: None })
    }

    /// A point cloud with a weight for each point, in [0, 1e9]: where the fit has to be close. Points of weight zero do
    /// not pull on the shape; an enclosing one contains them all the same.
    pub fn from_weighted_points(points: Vec<DVec3>, weights: Vec<f64>) -> Result<Target, FitError> {
        validate(&points, Some(&weights))?;
        Ok(Target { points, weights: Some(weights), mesh: None })
    }

    /// A mesh. Its surface is what counts, not how densely its vertices lie.
    pub fn from_mesh(mesh: TriangleMesh) -> Result<Target, FitError> {
        let points = spread_over(&mesh, SURFACE_POINTS).ok_or(FitError::NoSurface)?;
        Ok(Target { points: points.into_iter().map(|(point, _)| point).collect(), weights: None, mesh: Some(mesh) })
    }

    /// A mesh with a weight for each vertex, interpolated over its triangles.
    pub fn from_weighted_mesh(mesh: TriangleMesh, vertex_weights: &[f64]) -> Result<Target, FitError> {
        validate(mesh.positions(), Some(vertex_weights))?;
        let samples = spread_over(&mesh, SURFACE_POINTS).ok_or(FitError::NoSurface)?;
        let weights = samples.iter().map(|(_, corners)| {
            let share = |(vertex, part): &(u32, f64)| vertex_weights[*vertex as usize] * part;
            corners.iter().map(share).sum()
        });
        let weights = Some(weights.collect());
        Ok(Target { points: samples.into_iter().map(|(point, _)| point).collect(), weights, mesh: Some(mesh) })
    }

    /// The points that a shape is fitted to: those given, or those spread over the mesh.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Their weights, where they have some.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The mesh, if it is one.
    pub fn mesh(&self) -> Option<&TriangleMesh> {
        self.mesh.as_ref()
    }

    /// What a convex body has to contain to contain all of it: the points, or the mesh's vertices.
    pub(crate) fn corners(&self) -> &[DVec3] {
        self.mesh.as_ref().map_or(&self.points, TriangleMesh::positions)
    }
}

/// A point of a triangle, and the corners it is mixed from.
type Sample = (DVec3, [(u32, f64); 3]);

/// About `count` points spread evenly over the triangles: each has its share by area, at places that fill it evenly (Basu and
/// Owen's triangular van der Corput points). `None` if there is no area.
pub(crate) fn spread_over(mesh: &TriangleMesh, count: usize) -> Option<Vec<Sample>> {
    let corners = |t: &[u32; 3]| t.map(|v| mesh.positions()[v as usize]);
    let area = |t: &[u32; 3]| {
        let [a, b, c] = corners(t);
        0.5 * (b - a).cross(c - a).length()
    };
    let total: f64 = mesh.triangles().iter().map(area).sum();
    if !(total > 0.0 && total.is_finite()) {
        return None;
    }
    let mut samples = Vec::with_capacity(count + 1);
    // What is owed to the triangles so far; starting at one half rounds to the nearest.
    let mut owed = 0.5;
    for triangle in mesh.triangles() {
        owed += area(triangle) / total * count as f64;
        let [a, b, c] = corners(triangle);
        let mut index = 0u32;
        while owed >= 1.0 {
            owed -= 1.0;
            let [u, v, w] = van_der_corput(index);
            index += 1;
            samples.push((a * u + b * v + c * w, [(triangle[0], u), (triangle[1], v), (triangle[2], w)]));
        }
    }
    Some(samples)
}

/// The `index`-th of a sequence of places that fill a triangle evenly, as shares of its corners: each digit of the index in base
/// four chooses one of the four similar triangles.
fn van_der_corput(mut index: u32) -> [f64; 3] {
    let mut corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let middle = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|i| 0.5 * (a[i] + b[i]));
    for _ in 0..8 {
        let [a, b, c] = corners;
        corners = match index % 4 {
            0 => [middle(b, c), middle(c, a), middle(a, b)],
            1 => [a, middle(a, b), middle(a, c)],
            2 => [middle(b, a), b, middle(b, c)],
            _ => [middle(c, a), middle(c, b), c],
        };
        index /= 4;
    }
    std::array::from_fn(|i| (corners[0][i] + corners[1][i] + corners[2][i]) / 3.0)
}
