//! Poses: one, or a batch of them.

use std::sync::{Arc, LazyLock};

use glam::{DMat3, DQuat, DVec3};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use superegg::Pose as CorePose;

use crate::array::{Batch, Numbers, array, array_of_vectors, broadcast, unravel, vectors};
use crate::error::Refusal;
use crate::select::select;
use crate::threads::make_all;

/// Poses that a query refers to.
pub type Poses = Arc<Batch<CorePose>>;

/// Where bodies are: a rotation followed by a translation, from local to world coordinates; one pose or a batch of them.
///
/// ``position`` is an array (…, 3) in metres, ``orientation`` a quaternion x, y, z, w (…, 4) of any length but zero, a rotation matrix (…, 3, 3), or a
/// ``scipy.spatial.transform.Rotation``. Both are broadcast.
///
/// >>> from superegg import Pose
/// >>> pose = Pose([1, 0, 0], [0, 0, 1, 1])
/// >>> pose.transform([1, 0, 0]).round(12).tolist()
/// [1.0, 1.0, 0.0]
/// >>> Pose([[0, 0, 1], [0, 0, 2]]).batch_shape
/// (2,)
/// >>> (pose @ pose.inverse()).as_matrix().round(12).tolist()[0]
/// [1.0, 0.0, 0.0, 0.0]
#[pyclass(frozen, module = "superegg")]
pub struct Pose(pub Poses);

static IDENTITY: LazyLock<Poses> = LazyLock::new(|| Arc::new(Batch::one(CorePose::IDENTITY)));

/// Largest deviation of `R Rᵀ` from one that counts as rounding: matrices in single precision are within it.
const ORTHONORMAL: f64 = 1e-5;

#[pymethods]
impl Pose {
    #[new]
    #[pyo3(signature = (position=None, orientation=None))]
    fn new(
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        orientation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Pose> {
        let positions = crate::array::vectors_or_zero(position, "position")?;
        let rotations = match orientation {
            None => Batch::one(DQuat::IDENTITY),
            Some(object) => rotations(object, "orientation")?,
        };
        assembled(py, &positions, &rotations, "").map(Pose)
    }

    /// Poses from homogeneous matrices (…, 4, 4), whose last row is 0, 0, 0, 1.
    ///
    /// >>> import numpy as np, superegg
    /// >>> superegg.Pose.from_matrix(np.eye(4)).position
    /// array([0., 0., 0.])
    #[staticmethod]
    fn from_matrix(matrix: &Bound<'_, PyAny>) -> PyResult<Pose> {
        of_matrices(matrix, "matrix").map(Pose)
    }

    /// The batch's dimensions: ``()`` for one pose.
    #[getter]
    fn batch_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.dims)
    }

    /// Where the local origins lie in the world, (…, 3).
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let positions: Vec<DVec3> = self.0.items.iter().map(|pose| pose.translation).collect();
        array_of_vectors(py, &positions, &self.0.dims)
    }

    /// Unit quaternions x, y, z, w, (…, 4).
    #[getter]
    fn orientation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numbers = self.0.items.iter().flat_map(|pose| pose.rotation.to_array()).collect();
        array(py, numbers, &[&self.0.dims[..], &[4]].concat())
    }

    /// Homogeneous matrices (…, 4, 4).
    fn as_matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let matrix = |pose: &CorePose| {
            let (r, t) = (pose.rotation_matrix(), pose.translation);
            let row = |i: usize| [r.x_axis[i], r.y_axis[i], r.z_axis[i], t[i]];
            [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]]
        };
        let numbers = self.0.items.iter().flat_map(|pose| matrix(pose).concat()).collect();
        array(py, numbers, &[&self.0.dims[..], &[4, 4]].concat())
    }

    /// Local points (…, 3) in world coordinates.
    fn transform<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.map_points(py, points, CorePose::transform_point)
    }

    /// World points (…, 3) in local coordinates.
    fn inverse_transform<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.map_points(py, points, CorePose::inverse_transform_point)
    }

    /// The poses that undo these.
    fn inverse(&self) -> Pose {
        let items = self.0.items.iter().map(CorePose::inverse).collect();
        Pose(Arc::new(Batch { items, dims: self.0.dims.clone() }))
    }

    /// First the right one, then the left one.
    fn __matmul__(&self, other: &Bound<'_, Pose>) -> PyResult<Pose> {
        let (one, other) = (&self.0, &other.get().0);
        let (dims, [first, second]) = broadcast([("left", &one.dims[..]), ("right", &other.dims[..])])?;
        let count: usize = dims.iter().product();
        let pair = |at: usize| one.items[first.index(at)].compose(&other.items[second.index(at)]);
        Ok(Pose(Arc::new(Batch { items: (0..count).map(pair).collect(), dims })))
    }

    /// Poses of the batch, by any index of NumPy's.
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Pose> {
        let (places, dims) = select(&self.0.dims, key)?;
        Ok(Pose(Arc::new(Batch { items: places.into_iter().map(|at| self.0.items[at]).collect(), dims })))
    }

    fn __len__(&self) -> PyResult<usize> {
        self.0.dims.first().copied().ok_or_else(|| PyTypeError::new_err("one pose has no length"))
    }

    fn __repr__(&self) -> String {
        match (self.0.dims.as_slice(), self.0.items.as_slice()) {
            ([], [pose]) => format!("Pose({:?}, {:?})", pose.translation.to_array(), pose.rotation.to_array()),
            (dims, _) => format!("Pose(batch_shape={dims:?})"),
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (py, pose) = (slf.py(), slf.get());
        let arguments = (pose.position(py)?, pose.orientation(py)?).into_pyobject(py)?;
        Ok((slf.get_type().into_any(), arguments.into_any()))
    }
}

impl Pose {
    fn map_points<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        map: impl Fn(&CorePose, DVec3) -> DVec3,
    ) -> PyResult<Bound<'py, PyAny>> {
        let points = vectors(points, "points")?;
        let (dims, [pose, point]) = broadcast([("pose", &self.0.dims[..]), ("points", &points.dims[..])])?;
        let count: usize = dims.iter().product();
        let mapped: Vec<DVec3> =
            (0..count).map(|at| map(&self.0.items[pose.index(at)], points.items[point.index(at)])).collect();
        array_of_vectors(py, &mapped, &dims)
    }
}

/// Poses from anything that stands for some: none at all (the identity), a [`Pose`], a rotation of SciPy's, positions (…, 3), positions with
/// quaternions (…, 7), or homogeneous matrices (…, 4, 4).
pub fn poses(object: Option<&Bound<'_, PyAny>>, field: &str) -> PyResult<Poses> {
    let Some(object) = object else { return Ok(IDENTITY.clone()) };
    if let Ok(pose) = object.cast::<Pose>() {
        return Ok(pose.get().0.clone());
    }
    let py = object.py();
    if object.hasattr("as_quat")? {
        let rotations = rotations(object, field)?;
        return assembled(py, &Batch::one(DVec3::ZERO), &rotations, field);
    }
    let shape = Numbers::shape_of(object, field)?;
    match shape.as_slice() {
        [.., 4, 4] => of_matrices(object, field),
        [.., 7] => {
            let numbers = Numbers::read(object, field, &[7])?;
            let dims = || numbers.dims.clone();
            let positions = Batch { items: numbers.items().map(DVec3::from_slice).collect(), dims: dims() };
            let turns = numbers.items().map(|item| DQuat::from_slice(&item[3..])).collect();
            assembled(py, &positions, &Batch { items: turns, dims: dims() }, field)
        }
        [.., 3] => assembled(py, &vectors(object, field)?, &Batch::one(DQuat::IDENTITY), field),
        _ => {
            let message = "give a Pose, a scipy Rotation, positions (…, 3), positions and quaternions (…, 7), or matrices (…, 4, 4)";
            Err(Refusal::invalid(field, message).into())
        }
    }
}

/// A single pose.
pub fn one_pose(object: Option<&Bound<'_, PyAny>>, field: &str) -> PyResult<CorePose> {
    match poses(object, field)?.as_ref() {
        Batch { items, dims } if dims.is_empty() => Ok(items[0]),
        Batch { dims, .. } => Err(Refusal::invalid(field, format!("a batch {dims:?} of poses is not one pose")).into()),
    }
}

/// Rotations from quaternions (…, 4), matrices (…, 3, 3) or a rotation of SciPy's.
fn rotations(object: &Bound<'_, PyAny>, field: &str) -> PyResult<Batch<DQuat>> {
    if object.hasattr("as_quat")? {
        return rotations(&object.call_method0("as_quat")?, field);
    }
    let shape = Numbers::shape_of(object, field)?;
    if let [.., 3, 3] = shape.as_slice() {
        let numbers = Numbers::read(object, field, &[3, 3])?;
        let items = numbers.items().enumerate().map(|(place, item)| {
            let rows = DMat3::from_cols_slice(item);
            of_matrix(rows.transpose(), field)
                .map_err(|refused| refused.into_exception(object.py(), Some(&unravel(place, &numbers.dims))))
        });
        return Ok(Batch { items: items.collect::<PyResult<_>>()?, dims: numbers.dims.clone() });
    }
    let numbers = Numbers::read(object, field, &[4])?;
    Ok(Batch { items: numbers.items().map(DQuat::from_slice).collect(), dims: numbers.dims })
}

fn of_matrix(matrix: DMat3, field: &str) -> Result<DQuat, Refusal> {
    let off = (matrix * matrix.transpose() - DMat3::IDENTITY).to_cols_array();
    let turns = off.iter().all(|value| value.abs() <= ORTHONORMAL) && matrix.determinant() > 0.0;
    let refused = || Refusal::invalid(field, "the matrix is no rotation: its rows are not orthonormal, or it mirrors");
    if turns { Ok(DQuat::from_mat3(&matrix)) } else { Err(refused()) }
}

fn of_matrices(object: &Bound<'_, PyAny>, field: &str) -> PyResult<Poses> {
    let (py, numbers) = (object.py(), Numbers::read(object, field, &[4, 4])?);
    let mut items = Vec::new();
    for (place, m) in numbers.items().enumerate() {
        let raise = |refused: Refusal| refused.into_exception(py, Some(&unravel(place, &numbers.dims)));
        if m[12..] != [0.0, 0.0, 0.0, 1.0] {
            return Err(raise(Refusal::invalid(field, "the last row of the matrix is not 0, 0, 0, 1")));
        }
        let rotation = DMat3::from_cols_array(&[m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]]);
        let rotation = of_matrix(rotation, field).map_err(raise)?;
        let pose = CorePose::new(rotation, DVec3::new(m[3], m[7], m[11]));
        items.push(pose.map_err(|refused| raise(Refusal::from(refused).within(field)))?);
    }
    Ok(Arc::new(Batch { items, dims: numbers.dims }))
}

fn assembled(py: Python<'_>, positions: &Batch<DVec3>, rotations: &Batch<DQuat>, field: &str) -> PyResult<Poses> {
    let batches = [("position", &positions.dims[..]), ("orientation", &rotations.dims[..])];
    let (dims, [position, rotation]) = broadcast(batches).map_err(|refused| refused.within(field))?;
    let made = make_all(py, dims.iter().product(), |place| {
        CorePose::new(rotations.items[rotation.index(place)], positions.items[position.index(place)])
    })?;
    let raise =
        |(place, refused)| Refusal::from(refused).within(field).into_exception(py, Some(&unravel(place, &dims)));
    Ok(Arc::new(Batch { items: made.map_err(raise)?, dims }))
}
