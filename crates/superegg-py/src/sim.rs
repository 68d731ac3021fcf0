//! Simulation: bodies, cloth and robots in one world.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use superegg::Threads;
use superegg_robot::simulate::{SimulatedRobot, SimulationOptions, add_robot};
use superegg_scene::{Scene, built_in, file};
use superegg_sim::{Body, BodyId, Cloth, ClothId, Fabric, Friction, Material, SimError, StepOptions, World};

use crate::array::{Batch, array, array_of_vectors, broadcast, one_vector, vectors_or_zero};
use crate::error::{Refusal, allow};
use crate::pose::{Pose, one_pose, poses};
use crate::robot::Robot;
use crate::shape::{bodies, triangle_mesh};
use crate::threads::detached;

/// What is run: a world, or one with what a scene does to it.
enum Run {
    World(Box<World>),
    Scene(Box<Scene>),
}

struct Inner {
    run: Run,
    bodies: Vec<BodyId>,
    cloths: Vec<ClothId>,
    robots: Vec<SimulatedRobot>,
}

impl Inner {
    fn world(&self) -> &World {
        match &self.run {
            Run::World(world) => world,
            Run::Scene(scene) => &scene.world,
        }
    }

    fn world_mut(&mut self) -> &mut World {
        match &mut self.run {
            Run::World(world) => world,
            Run::Scene(scene) => &mut scene.world,
        }
    }

    fn body(&self, number: usize) -> Result<BodyId, Refusal> {
        named(&self.bodies, "body", number).copied()
    }

    fn cloth(&self, number: usize) -> Result<ClothId, Refusal> {
        named(&self.cloths, "cloth", number).copied()
    }

    fn step(&mut self, dt: Option<f64>, substeps: u32) -> Result<(), SimError> {
        let options = StepOptions { substeps, threads: Threads::All, ..StepOptions::default() };
        match (&mut self.run, dt) {
            (Run::Scene(scene), None) => scene.advance(&options).map(drop),
            (Run::Scene(scene), Some(dt)) => scene.world.step(dt, &options).map(drop),
            (Run::World(world), dt) => world.step(dt.unwrap_or(DT), &options).map(drop),
        }
    }
}

fn named<'a, T>(items: &'a [T], what: &str, number: usize) -> Result<&'a T, Refusal> {
    items
        .get(number)
        .ok_or_else(|| Refusal::invalid(what, format!("there is no {what} {number}, there are {}", items.len())))
}

/// Length of a step where none is given, in seconds.
const DT: f64 = 0.005;

/// A simulated world: rigid bodies, cloth and robots that meet each other. Bodies, cloths and robots are named by numbers.
///
/// >>> import superegg
/// >>> world = superegg.Simulation()
/// >>> floor = world.add_body(superegg.plane([0, 0, 1]))
/// >>> egg = world.add_body(superegg.superellipsoid([0.1, 0.1, 0.15]), [0, 0, 0.5], density=1000)
/// >>> world.step(0.005, count=300)
/// >>> round(world.time, 9), bool(world.poses([egg]).position[0, 2] < 0.2)
/// (1.5, True)
#[pyclass(frozen, module = "superegg")]
pub struct Simulation(Mutex<Inner>);

impl Simulation {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Inner> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (gravity=None))]
    fn new(gravity: Option<&Bound<'_, PyAny>>) -> PyResult<Simulation> {
        let mut world = World::new();
        if let Some(gravity) = gravity {
            world.gravity = one_vector(gravity, "gravity")?;
        }
        let run = Run::World(Box::new(world));
        Ok(Simulation(Mutex::new(Inner { run, bodies: Vec::new(), cloths: Vec::new(), robots: Vec::new() })))
    }

    /// A built-in scene by its name (``'tablecloth'``, ``'bowl'``, ``'ragdoll'``, …), of ``size`` bodies or vertices, or a scene file.
    ///
    /// >>> import superegg
    /// >>> bowl = superegg.Simulation.from_scene("bowl", 5)
    /// >>> bowl.step()
    /// >>> bowl.body_count >= 5
    /// True
    #[staticmethod]
    #[pyo3(signature = (scene, size=None))]
    fn from_scene(py: Python<'_>, scene: &str, size: Option<usize>) -> PyResult<Simulation> {
        let made = detached(py, |_| -> Result<Scene, Refusal> {
            match built_in::scene(scene, size) {
                Some(made) => Ok(made?),
                None => Ok(file::read(Path::new(scene))?.build()?),
            }
        })??;
        let (bodies, cloths) = (made.bodies.clone(), made.cloths.clone());
        Ok(Simulation(Mutex::new(Inner { run: Run::Scene(Box::new(made)), bodies, cloths, robots: Vec::new() })))
    }

    /// Adds bodies: dynamic ones where a ``density`` (kilograms a cubic metre) is given, fixed ones else. The number of one, or an array for a batch.
    #[pyo3(signature = (shape, pose=None, *, density=None, velocity=None, angular_velocity=None, friction=0.5, restitution=0.0))]
    #[expect(clippy::too_many_arguments, reason = "keywords, most of them left out")]
    fn add_body<'py>(
        &self,
        py: Python<'py>,
        shape: &Bound<'py, PyAny>,
        pose: Option<&Bound<'py, PyAny>>,
        density: Option<f64>,
        velocity: Option<&Bound<'py, PyAny>>,
        angular_velocity: Option<&Bound<'py, PyAny>>,
        friction: f64,
        restitution: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (shapes, poses) = (bodies(shape, "shape")?, poses(pose, "pose")?);
        let velocities = vectors_or_zero(velocity, "velocity")?;
        let angular = vectors_or_zero(angular_velocity, "angular_velocity")?;
        let (dims, [at_shape, at_pose, at_velocity, at_angular]) = broadcast([
            ("shape", &shapes.batch.dims),
            ("pose", &poses.dims),
            ("velocity", &velocities.dims),
            ("angular_velocity", &angular.dims),
        ])?;
        let material =
            Material { friction: Friction { fixed: friction, sliding: friction }, restitution, ..Material::default() };
        let mut inner = self.lock(py);
        let mut numbers = Vec::new();
        for place in 0..dims.iter().product() {
            let (shape, pose) = (shapes.batch.items[at_shape.index(place)].clone(), poses.items[at_pose.index(place)]);
            let mut body = match density {
                Some(density) => Body::dynamic(shape, pose, density),
                None => Body::fixed(shape, pose),
            };
            body.velocity = velocities.items[at_velocity.index(place)];
            body.angular_velocity = angular.items[at_angular.index(place)];
            let id = inner.world_mut().add_body(body.with_material(material)).map_err(Refusal::from)?;
            numbers.push(inner.bodies.len() as i64);
            inner.bodies.push(id);
        }
        if dims.is_empty() { Ok(numbers[0].into_pyobject(py)?.into_any()) } else { array(py, numbers, &dims) }
    }

    /// Adds a cloth: vertices (n, 3) and triangles (m, 3) at rest, or a mesh of trimesh's; vertices named in ``pinned`` stay where they are.
    #[pyo3(signature = (vertices, triangles=None, *, pinned=vec![], density=0.2, self_separation=None, offset=0.005, friction=0.4))]
    #[expect(clippy::too_many_arguments, reason = "keywords, most of them left out")]
    fn add_cloth(
        &self,
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        triangles: Option<&Bound<'_, PyAny>>,
        pinned: Vec<usize>,
        density: f64,
        self_separation: Option<f64>,
        offset: f64,
        friction: f64,
    ) -> PyResult<usize> {
        let cloth = Cloth { mesh: triangle_mesh(vertices, triangles)?, pins: pinned };
        let friction = Friction { fixed: friction, sliding: 0.75 * friction };
        let fabric = Fabric { density, self_separation, offset, friction, ..Fabric::default() };
        let mut inner = self.lock(py);
        let id = inner.world_mut().add_cloth(&cloth, &fabric).map_err(Refusal::from)?;
        inner.cloths.push(id);
        Ok(inner.cloths.len() - 1)
    }

    /// Adds a robot whose root is fixed at ``base``; servos hold its joints at the configuration.
    #[pyo3(signature = (robot, configuration=None, base=None, *, frequency=4.0, self_collision=false))]
    fn add_robot(
        &self,
        py: Python<'_>,
        robot: &Bound<'_, Robot>,
        configuration: Option<Vec<f64>>,
        base: Option<&Bound<'_, PyAny>>,
        frequency: f64,
        self_collision: bool,
    ) -> PyResult<usize> {
        allow("frequency", frequency, 0.1..=1000.0, "[0.1, 1000]")?;
        let (robot, base) = (robot.get(), one_pose(base, "base")?);
        let configuration = configuration.unwrap_or_else(|| robot.model.kinematics().neutral());
        let options = SimulationOptions { frequency, self_collision };
        let mut inner = self.lock(py);
        let world = inner.world_mut();
        let made = add_robot(world, &robot.robot, &robot.geometry, &base, &configuration, &options);
        inner.robots.push(made.map_err(Refusal::from)?);
        Ok(inner.robots.len() - 1)
    }

    /// Gives a robot's servos other targets.
    fn set_targets(&self, py: Python<'_>, robot: usize, configuration: Vec<f64>) -> PyResult<()> {
        let mut inner = self.lock(py);
        let robot = named(&inner.robots, "robot", robot)?.clone();
        if configuration.len() != robot.joints.len() || !configuration.iter().all(|target| target.is_finite()) {
            let message = format!("{configuration:?} are not {} finite numbers", robot.joints.len());
            return Err(Refusal::invalid("configuration", message).into());
        }
        Ok(robot.set_targets(inner.world_mut(), &configuration).map_err(Refusal::from)?)
    }

    /// Where a robot's joints are.
    fn configuration<'py>(&self, py: Python<'py>, robot: usize) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock(py);
        let values = named(&inner.robots, "robot", robot)?.configuration(inner.world()).map_err(Refusal::from)?;
        let count = values.len();
        array(py, values, &[count])
    }

    /// Advances by ``count`` steps of ``dt`` seconds each: 5 ms, or what a scene asks for, where none is given. Ctrl-C ends it after a whole step.
    #[pyo3(signature = (dt=None, *, count=1, substeps=5))]
    fn step(&self, py: Python<'_>, dt: Option<f64>, count: usize, substeps: u32) -> PyResult<()> {
        let mut inner = self.lock(py);
        let inner = &mut *inner;
        let done = detached(py, |cancelled| {
            for _ in 0..count {
                if cancelled.is_set() {
                    break;
                }
                inner.step(dt, substeps)?;
            }
            Ok::<(), SimError>(())
        })?;
        Ok(done.map_err(Refusal::from)?)
    }

    /// Simulated time, in seconds.
    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        self.lock(py).world().time
    }

    /// How many bodies were added.
    #[getter]
    fn body_count(&self, py: Python<'_>) -> usize {
        self.lock(py).bodies.len()
    }

    /// How many cloths there are.
    #[getter]
    fn cloth_count(&self, py: Python<'_>) -> usize {
        self.lock(py).cloths.len()
    }

    /// Kinetic and potential energy of the bodies, in joules.
    #[getter]
    fn energy(&self, py: Python<'_>) -> f64 {
        self.lock(py).world().energy()
    }

    /// Poses of bodies (n,): those named, or all.
    #[pyo3(signature = (bodies=None))]
    fn poses(&self, py: Python<'_>, bodies: Option<Vec<usize>>) -> PyResult<Pose> {
        let inner = self.lock(py);
        let numbers = bodies.unwrap_or_else(|| (0..inner.bodies.len()).collect());
        let mut items = Vec::with_capacity(numbers.len());
        for number in numbers {
            items.push(inner.world().body(inner.body(number)?).map_err(Refusal::from)?.pose());
        }
        let dims = vec![items.len()];
        Ok(Pose(Arc::new(Batch { items, dims })))
    }

    /// Velocities of the bodies' centres and their angular velocities, (n, 3) each: of those named, or all.
    #[pyo3(signature = (bodies=None))]
    fn velocities<'py>(
        &self,
        py: Python<'py>,
        bodies: Option<Vec<usize>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let inner = self.lock(py);
        let numbers = bodies.unwrap_or_else(|| (0..inner.bodies.len()).collect());
        let (mut linear, mut angular): (Vec<DVec3>, Vec<DVec3>) = (Vec::new(), Vec::new());
        for number in numbers {
            let body = inner.world().body(inner.body(number)?).map_err(Refusal::from)?;
            linear.push(body.velocity());
            angular.push(body.angular_velocity());
        }
        let count = linear.len();
        Ok((array_of_vectors(py, &linear, &[count])?, array_of_vectors(py, &angular, &[count])?))
    }

    /// Puts a body elsewhere.
    fn set_pose(&self, py: Python<'_>, body: usize, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = one_pose(Some(pose), "pose")?;
        let mut inner = self.lock(py);
        let id = inner.body(body)?;
        Ok(inner.world_mut().set_pose(id, pose).map_err(Refusal::from)?)
    }

    /// Pushes a body at a point by an impulse, in newton seconds.
    fn push(&self, py: Python<'_>, body: usize, point: &Bound<'_, PyAny>, impulse: &Bound<'_, PyAny>) -> PyResult<()> {
        let (point, impulse) = (one_vector(point, "point")?, one_vector(impulse, "impulse")?);
        let mut inner = self.lock(py);
        let id = inner.body(body)?;
        Ok(inner.world_mut().push(id, point, impulse).map_err(Refusal::from)?)
    }

    /// Where the vertices of a cloth are, (n, 3).
    #[pyo3(signature = (cloth=0))]
    fn cloth_vertices<'py>(&self, py: Python<'py>, cloth: usize) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock(py);
        let positions = inner.world().cloth_positions(inner.cloth(cloth)?).map_err(Refusal::from)?;
        array_of_vectors(py, positions, &[positions.len()])
    }

    /// The triangles of a cloth, (m, 3).
    #[pyo3(signature = (cloth=0))]
    fn cloth_triangles<'py>(&self, py: Python<'py>, cloth: usize) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock(py);
        let triangles = inner.world().cloth_triangles(inner.cloth(cloth)?).map_err(Refusal::from)?;
        array(py, triangles.iter().flatten().map(|&index| i64::from(index)).collect(), &[triangles.len(), 3])
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let inner = self.lock(py);
        let (bodies, cloths) = (inner.bodies.len(), inner.cloths.len());
        format!("Simulation(time={}, {bodies} bodies, {cloths} cloths)", inner.world().time)
    }
}
