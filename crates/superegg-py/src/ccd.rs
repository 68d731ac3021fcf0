//! Continuous collision detection between the frames of a deforming mesh.

use std::sync::{Mutex, PoisonError};

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyTuple;
use superegg_mesh::MeshError;
use superegg_mesh::ccd::elementary::Margin;
use superegg_mesh::ccd::{Detector, Options, Report, Search};

use crate::array::{array, point_list};
use crate::error::Refusal;
use crate::shape::triangle_mesh;
use crate::threads::detached;

/// Finds every collision of a deforming mesh with itself, between frames: none is missed, and no time is late.
///
/// Made for vertices (n, 3) and triangles (m, 3), or a mesh of trimesh's. ``min_separation`` makes features that come as near as that count as colliding;
/// with ``first_only`` only the first contact is looked for, which is faster.
///
/// >>> import numpy as np, superegg
/// >>> low = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
/// >>> frame = lambda z: np.concatenate([low, low + [0.1, 0.1, z]])
/// >>> detector = superegg.CollisionDetector(frame(1), [[0, 1, 2], [3, 4, 5]])
/// >>> found = detector.detect(frame(1), frame(-1))
/// >>> round(found.time_of_impact, 9), found.vertex_face[0].tolist()
/// (0.5, [3, 0])
#[pyclass(frozen, module = "superegg")]
pub struct CollisionDetector(Mutex<Detector>);

/// The collisions between two frames.
#[pyclass(frozen, get_all, module = "superegg")]
pub struct Collisions {
    /// A time in [0, 1] not after the first contact; None where nothing collides.
    time_of_impact: Option<f64>,
    /// Vertices and the triangles they meet, (n, 2).
    vertex_face: Py<PyAny>,
    /// Times in [0, 1] not after these meet, (n,).
    vertex_face_time: Py<PyAny>,
    /// Pairs of edges by their vertices, (n, 4).
    edge_edge: Py<PyAny>,
    /// Times in [0, 1] not after these meet, (n,).
    edge_edge_time: Py<PyAny>,
}

impl Collisions {
    fn new(py: Python<'_>, report: &Report) -> PyResult<Collisions> {
        let Report { vertex_face, edge_edge, time_of_impact, .. } = report;
        let indices = |values: Vec<u32>, width: usize| {
            let rows = values.len() / width;
            array(py, values.into_iter().map(i64::from).collect(), &[rows, width]).map(Bound::unbind)
        };
        let times = |values: Vec<f64>| {
            let count = values.len();
            array(py, values, &[count]).map(Bound::unbind)
        };
        Ok(Collisions {
            time_of_impact: *time_of_impact,
            vertex_face: indices(vertex_face.iter().flat_map(|hit| [hit.vertex, hit.face]).collect(), 2)?,
            vertex_face_time: times(vertex_face.iter().map(|hit| hit.time).collect())?,
            edge_edge: indices(edge_edge.iter().flat_map(|hit| hit.edges.concat()).collect(), 4)?,
            edge_edge_time: times(edge_edge.iter().map(|hit| hit.time).collect())?,
        })
    }
}

#[pymethods]
impl Collisions {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (faces, edges) = (self.vertex_face.bind(py).len()?, self.edge_edge.bind(py).len()?);
        let time = self.time_of_impact.map_or("None".to_owned(), |time| time.to_string());
        Ok(format!("Collisions(time_of_impact={time}, {faces} vertex-face, {edges} edge-edge)"))
    }
}

#[pymethods]
impl CollisionDetector {
    #[new]
    #[pyo3(signature = (vertices, triangles=None, *, min_separation=0.0, first_only=false))]
    fn new(
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        triangles: Option<&Bound<'_, PyAny>>,
        min_separation: f64,
        first_only: bool,
    ) -> PyResult<CollisionDetector> {
        let mesh = triangle_mesh(vertices, triangles)?;
        let search = if first_only { Search::FirstContact } else { Search::AllCollisions };
        let margin = Margin::separation(min_separation).map_err(Refusal::from)?;
        let options = Options { search, margin, ..Options::default() };
        Ok(CollisionDetector(Mutex::new(detached(py, |_| Detector::new(&mesh, options))?)))
    }

    /// The collisions while vertices move from the first frame (n, 3) to the last, linearly; frames between them, at most two, are control points of
    /// Bézier curves.
    #[pyo3(signature = (*frames))]
    fn detect(&self, py: Python<'_>, frames: &Bound<'_, PyTuple>) -> PyResult<Collisions> {
        let read = |(at, frame): (usize, Bound<'_, PyAny>)| point_list(&frame, &format!("frames[{at}]"));
        let layers: Vec<Vec<DVec3>> = frames.iter().enumerate().map(read).collect::<PyResult<_>>()?;
        let mut detector = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let detector = &mut *detector;
        let report: Result<Report, MeshError> = match layers.as_slice() {
            [start, end] => detached(py, |_| detector.detect(start, end))?,
            [start, control, end] => detached(py, |_| detector.detect_curved([start, control, end]))?,
            [start, one, other, end] => detached(py, |_| detector.detect_curved([start, one, other, end]))?,
            _ => {
                let message = format!("{} frames are not a start, an end, and at most two between them", layers.len());
                return Err(Refusal::invalid("frames", message).into());
            }
        };
        Collisions::new(py, &report.map_err(Refusal::from)?)
    }
}
