//! Scenes of many bodies with persistent pairs: which of them are in contact, and what changed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use superegg::Threads;
use superegg::query::{Options, Ray};
use superegg_world::world::{Depth, EventKind, Filter, World as CoreWorld, WorldOptions};

use crate::array::{array, array_of_vectors, one_vector};
use crate::error::Refusal;
use crate::pose::{Pose, poses};
use crate::shape::bodies;
use crate::threads::detached;

type Handle = superegg_world::world::BodyHandle;

struct Inner {
    world: CoreWorld,
    /// By number; `None` once removed.
    handles: Vec<Option<Handle>>,
    numbers: HashMap<Handle, usize>,
}

impl Inner {
    fn handle(&self, number: usize) -> Result<Handle, Refusal> {
        let refused = || Refusal::invalid("body", format!("the world has no body {number}"));
        self.handles.get(number).copied().flatten().ok_or_else(refused)
    }
}

/// Many bodies that move: contacts within a margin, kept up to date from step to step. Bodies are named by numbers.
///
/// >>> import superegg
/// >>> world = superegg.World(margin=0.01)
/// >>> floor = world.add(superegg.plane([0, 0, 1]))
/// >>> eggs = world.add(superegg.superellipsoid([[0.5, 0.5, 0.7], [0.4, 0.4, 0.4]]), [[0, 0, 0.705], [3, 0, 3]])
/// >>> world.update()
/// >>> world.contacts().distance.round(6).tolist(), world.events()
/// ([0.005], [('begin', 0, 1)])
#[pyclass(frozen, module = "superegg")]
pub struct World(Mutex<Inner>);

/// Pairs of bodies of a world that are within its margin.
#[pyclass(frozen, get_all, module = "superegg")]
pub struct Contacts {
    /// Numbers of the first bodies, (n,).
    a: Py<PyAny>,
    /// Numbers of the second bodies, (n,).
    b: Py<PyAny>,
    /// Signed distances, (n,).
    distance: Py<PyAny>,
    /// Closest, or deepest, points of the first, (n, 3).
    point_a: Py<PyAny>,
    /// Closest, or deepest, points of the second, (n, 3).
    point_b: Py<PyAny>,
    /// Unit normals from the first to the second, (n, 3).
    normal: Py<PyAny>,
}

#[pymethods]
impl Contacts {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.distance.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Contacts({} pairs)", self.__len__(py)?))
    }
}

impl World {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Inner> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (margin=0.01, *, tolerance=1e-6, global_depth=false))]
    fn new(margin: f64, tolerance: f64, global_depth: bool) -> PyResult<World> {
        let options = WorldOptions {
            query: Options { tolerance, ..Options::DEFAULT },
            depth: if global_depth { Depth::Global } else { Depth::Followed },
            threads: Threads::All,
            ..WorldOptions::within(margin)
        };
        let world = CoreWorld::new(options).map_err(Refusal::from)?;
        Ok(World(Mutex::new(Inner { world, handles: Vec::new(), numbers: HashMap::new() })))
    }

    /// Adds bodies; the number of one, or an array of the numbers of a batch.
    #[pyo3(signature = (shape, pose=None))]
    fn add<'py>(
        &self,
        py: Python<'py>,
        shape: &Bound<'py, PyAny>,
        pose: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (bodies, poses) = (bodies(shape, "shape")?, poses(pose, "pose")?);
        let batches = [("shape", &bodies.batch.dims[..]), ("pose", &poses.dims[..])];
        let (dims, [body, pose]) = crate::array::broadcast(batches)?;
        let mut inner = self.lock(py);
        let mut numbers = Vec::new();
        for at in 0..dims.iter().product() {
            let shape = bodies.batch.items[body.index(at)].clone();
            let handle = inner.world.add(shape, poses.items[pose.index(at)]).map_err(Refusal::from)?;
            let number = inner.handles.len();
            inner.handles.push(Some(handle));
            inner.numbers.insert(handle, number);
            numbers.push(number as i64);
        }
        if dims.is_empty() { Ok(numbers[0].into_pyobject(py)?.into_any()) } else { array(py, numbers, &dims) }
    }

    /// Removes a body. Its contacts end with the next update.
    fn remove(&self, py: Python<'_>, body: usize) -> PyResult<()> {
        let mut inner = self.lock(py);
        let handle = inner.handle(body)?;
        inner.world.remove(handle).map_err(Refusal::from)?;
        inner.handles[body] = None;
        Ok(())
    }

    /// Moves bodies: one, or a list or array of them.
    fn set_pose(&self, py: Python<'_>, body: &Bound<'_, PyAny>, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let numbers: Vec<usize> = body.extract::<usize>().map(|one| vec![one]).or_else(|_| numbers_of(body))?;
        let poses = poses(Some(pose), "pose")?;
        let (_, [_, spread]) = crate::array::broadcast([("body", &[numbers.len()][..]), ("pose", &poses.dims[..])])?;
        let mut inner = self.lock(py);
        for (at, number) in numbers.into_iter().enumerate() {
            let handle = inner.handle(number)?;
            inner.world.set_pose(handle, poses.items[spread.index(at)]).map_err(Refusal::from)?;
        }
        Ok(())
    }

    /// Where a body is.
    fn pose(&self, py: Python<'_>, body: usize) -> PyResult<Pose> {
        let inner = self.lock(py);
        let pose = inner.world.pose(inner.handle(body)?).map_err(Refusal::from)?;
        Ok(Pose(std::sync::Arc::new(crate::array::Batch::one(pose))))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).world.len()
    }

    /// Finds all contacts anew, after bodies were added, moved and removed.
    fn update(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.lock(py);
        let world = &mut inner.world;
        Ok(detached(py, |_| world.update())?.map_err(Refusal::from)?)
    }

    /// The contacts of the last update.
    fn contacts(&self, py: Python<'_>) -> PyResult<Contacts> {
        let inner = self.lock(py);
        let found = inner.world.contacts();
        let numbers = |of: fn(&superegg_world::world::PairContact) -> Handle| {
            let values = found.iter().map(|pair| inner.numbers[&of(pair)] as i64).collect();
            array(py, values, &[found.len()]).map(Bound::unbind)
        };
        let vectors = |of: fn(&superegg::query::Outcome) -> glam::DVec3| {
            let values: Vec<_> = found.iter().map(|pair| of(&pair.contact.outcome)).collect();
            array_of_vectors(py, &values, &[found.len()]).map(Bound::unbind)
        };
        let distances = found.iter().map(|pair| pair.contact.outcome.distance).collect();
        Ok(Contacts {
            a: numbers(|pair| pair.a)?,
            b: numbers(|pair| pair.b)?,
            distance: array(py, distances, &[found.len()])?.unbind(),
            point_a: vectors(|outcome| outcome.point_a)?,
            point_b: vectors(|outcome| outcome.point_b)?,
            normal: vectors(|outcome| outcome.normal)?,
        })
    }

    /// What the last update changed: ``('begin', a, b)`` and ``('end', a, b)``; contacts that stay are left out.
    fn events(&self, py: Python<'_>) -> Vec<(&'static str, usize, usize)> {
        let inner = self.lock(py);
        let told = inner.world.events().iter().filter_map(|event| {
            let kind = match event.kind {
                EventKind::Begin => "begin",
                EventKind::End => "end",
                EventKind::Stay => return None,
            };
            Some((kind, inner.numbers[&event.a], inner.numbers[&event.b]))
        });
        told.collect()
    }

    /// The first body that a ray meets, and ``t`` with ``point = origin + t · direction``; None if there is none.
    fn ray(
        &self,
        py: Python<'_>,
        origin: &Bound<'_, PyAny>,
        direction: &Bound<'_, PyAny>,
    ) -> PyResult<Option<(usize, f64)>> {
        let line = Ray::new(one_vector(origin, "origin")?, one_vector(direction, "direction")?);
        let inner = self.lock(py);
        let hit = inner.world.ray(&line.map_err(Refusal::from)?, Filter::default()).map_err(Refusal::from)?;
        Ok(hit.map(|hit| (inner.numbers[&hit.body], hit.hit.t)))
    }

    /// The ``count`` bodies nearest to a point with their distances, nearest first.
    #[pyo3(signature = (point, count=1))]
    fn nearest(&self, py: Python<'_>, point: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<(usize, f64)>> {
        let inner = self.lock(py);
        let found =
            inner.world.nearest(one_vector(point, "point")?, count, Filter::default()).map_err(Refusal::from)?;
        Ok(found.into_iter().map(|near| (inner.numbers[&near.body], near.distance)).collect())
    }
}

/// Numbers of bodies from a list or an array.
fn numbers_of(object: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let list = if object.hasattr("tolist")? { object.call_method0("tolist")? } else { object.clone() };
    let refused = |_| PyErr::from(Refusal::invalid("body", "give a number of a body, or a list of them"));
    list.extract().map_err(refused)
}
