//! Robots: kinematics, certified distances between links, configurations that are free, trajectories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use superegg::query::Outcome;
use superegg_fit::Containment;
use superegg_robot::collide::{AllowedCollisions, CollisionModel, LinkDistance, Other, Scratch};
use superegg_robot::contact_geometry::{ContactGeometry, ContactPart, FitOptions};
use superegg_robot::hand::{HandShapes, Side, built_in_hand};
use superegg_robot::kinematics::Kinematics;
use superegg_robot::model::Robot as CoreRobot;
use superegg_robot::trajectory::{TrajectoryOptions, check_trajectory};
use superegg_robot::{ReadOptions, Threads, read, read_file};
use superegg_world::geometry::Geometry;

use crate::array::{Batch, Numbers, array};
use crate::error::{Refusal, allow};
use crate::fit::{count, family};
use crate::pose::{Pose, poses};
use crate::record::Answers;
use crate::shape::{Shape, bodies};
use crate::threads::{answer_all, detached};

/// Configurations in a block: one takes some microseconds.
const BLOCK: usize = 512;
/// Configurations in a block whose distances are all wanted: one takes up to a millisecond.
const SMALL_BLOCK: usize = 8;

/// A robot with smooth contact geometry. Use :func:`superegg.load_robot`.
#[pyclass(frozen, module = "superegg")]
pub struct Robot {
    /// The robot.
    pub robot: CoreRobot,
    /// The shapes of its links.
    pub geometry: ContactGeometry,
    /// Both, with obstacles, ready for questions.
    pub model: CollisionModel,
    allowed: AllowedCollisions,
    diagnostics: Vec<String>,
}

/// Distances of all pairs of links and obstacles that are checked: columns are the pairs of :attr:`Robot.pairs`.
#[pyclass(frozen, module = "superegg")]
pub struct LinkDistances {
    answers: Answers,
    dims: Vec<usize>,
    pairs: usize,
    freedoms: usize,
}

/// Numbers of a pair before its gradient.
const PAIR: usize = 12;

#[pymethods]
impl LinkDistances {
    /// Signed distances, (…, pairs).
    #[getter]
    fn distance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, 0, 1)?.get_item((pyo3::types::PyEllipsis::get(py), 0))
    }

    /// Certified: distances are at least this.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, 1, 1)?.get_item((pyo3::types::PyEllipsis::get(py), 0))
    }

    /// Certified: distances are at most this.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, 2, 1)?.get_item((pyo3::types::PyEllipsis::get(py), 0))
    }

    /// Closest points of the first links, (…, pairs, 3).
    #[getter]
    fn point_a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, 3, 3)
    }

    /// Closest points of the others, (…, pairs, 3).
    #[getter]
    fn point_b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, 6, 3)
    }

    /// Unit normals from the first to the others, (…, pairs, 3).
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, 9, 3)
    }

    /// Derivatives of the distances by the configuration, (…, pairs, joints).
    #[getter]
    fn gradient<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, PAIR, self.freedoms)
    }

    fn __repr__(&self) -> String {
        format!("LinkDistances(batch_shape={:?}, {} pairs)", self.dims, self.pairs)
    }
}

impl LinkDistances {
    /// Some columns of all pairs.
    fn columns<'py>(&self, py: Python<'py>, first: usize, width: usize) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.answers.numbers(py, 0, &[self.pairs, PAIR + self.freedoms])?;
        let columns = pyo3::types::PySlice::new(py, first as isize, (first + width) as isize, 1);
        rows.get_item((pyo3::types::PyEllipsis::get(py), columns))
    }
}

/// A trajectory's clearance and its first contact.
#[pyclass(frozen, get_all, module = "superegg")]
pub struct TrajectoryReport {
    /// ``(sample, a, b)``: where the first contact is (between samples as a fraction), and of which links; None if there is none.
    first_contact: Option<(f64, String, String)>,
    /// The least distance at each sample, (n,): certified from below.
    clearance: Py<PyAny>,
}

#[pymethods]
impl TrajectoryReport {
    fn __repr__(&self) -> String {
        match &self.first_contact {
            None => "TrajectoryReport(clear)".into(),
            Some((sample, a, b)) => format!("TrajectoryReport({a} and {b} touch at sample {sample:.4})"),
        }
    }
}

impl Robot {
    fn assembled(
        robot: CoreRobot,
        geometry: ContactGeometry,
        allowed: AllowedCollisions,
        diagnostics: Vec<String>,
        obstacles: &[ContactPart],
    ) -> Result<Robot, Refusal> {
        let model = CollisionModel::new(&robot, &geometry, &allowed, obstacles)?;
        Ok(Robot { robot, geometry, model, allowed, diagnostics })
    }

    /// The robot's links among other obstacles, and none of its own.
    pub fn model_with(&self, obstacles: &[ContactPart]) -> Result<CollisionModel, Refusal> {
        Ok(CollisionModel::new(&self.robot, &self.geometry, &self.allowed, obstacles)?)
    }

    fn freedoms(&self) -> usize {
        self.model.kinematics().freedoms().len()
    }

    fn other_name(&self, other: Other) -> String {
        match other {
            Other::Link(link) => self.robot.links[link].name.clone(),
            Other::Obstacle(number) => format!("obstacle {number}"),
        }
    }

    /// Configurations (…, joints).
    fn configurations<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Numbers<'py>> {
        Numbers::read(object, "configuration", &[self.freedoms()])
    }
}

/// Bodies as contact parts, which obstacles and grasped objects are.
pub fn contact_parts(shape: &Bound<'_, PyAny>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<ContactPart>> {
    let (bodies, poses) = (bodies(shape, "shape")?, poses(pose, "pose")?);
    let batches = [("shape", &bodies.batch.dims[..]), ("pose", &poses.dims[..])];
    let (dims, [body, pose]) = crate::array::broadcast(batches)?;
    let mut parts = Vec::new();
    for at in 0..dims.iter().product() {
        let pose = poses.items[pose.index(at)];
        match &bodies.batch.items[body.index(at)] {
            Geometry::Shape(shape) => parts.push(ContactPart::new(shape.clone(), pose)),
            Geometry::Compound(compound) => {
                parts.extend(
                    compound.parts().iter().map(|part| ContactPart::new(part.shape.clone(), pose.compose(&part.pose))),
                );
            }
            other => {
                let message = format!("a {} is not convex: fit it, and give the fitted shapes", other.name());
                return Err(Refusal::invalid("shape", message).into());
            }
        }
    }
    Ok(parts)
}

#[pymethods]
impl Robot {
    #[staticmethod]
    #[pyo3(signature = (path, text=None, *, package_path=vec![], strict=false, parts=None, kind="superovoid", enclose=true, visual=false,
        allow_touching_at_rest=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords, most of them left out")]
    fn _load(
        py: Python<'_>,
        path: &str,
        text: Option<&str>,
        package_path: Vec<PathBuf>,
        strict: bool,
        parts: Option<&Bound<'_, PyAny>>,
        kind: &str,
        enclose: bool,
        visual: bool,
        allow_touching_at_rest: bool,
    ) -> PyResult<Robot> {
        let mut options = FitOptions { family: family(kind)?, visual, ..FitOptions::default() };
        if !enclose {
            options.containment = Containment::Free;
        }
        if let Some(parts) = parts {
            options.count = count(parts)?;
        }
        let made = detached(py, |_| -> Result<Robot, Refusal> {
            let options_of_file = ReadOptions { package_path, strict };
            let (robot, diagnostics) = match (path, text) {
                ("right-hand", None) => (built_in_hand(Side::Right, HandShapes::Mixed)?, Vec::new()),
                ("left-hand", None) => (built_in_hand(Side::Left, HandShapes::Mixed)?, Vec::new()),
                (path, text) => {
                    let loaded = match text {
                        Some(text) => read(Path::new(path), text, &options_of_file)?,
                        None => read_file(Path::new(path), &options_of_file)?,
                    };
                    (loaded.robot, loaded.diagnostics)
                }
            };
            let geometry = ContactGeometry::new(&robot, &options, &mut |_| {})?;
            let told = diagnostics.iter().chain(&geometry.diagnostics).map(ToString::to_string).collect();
            let allowed = if allow_touching_at_rest {
                AllowedCollisions::at_rest(&robot, &geometry)?
            } else {
                AllowedCollisions::adjacent(&robot, &Kinematics::new(&robot))
            };
            Robot::assembled(robot, geometry, allowed, told, &[])
        })?;
        Ok(made?)
    }

    /// The same robot among obstacles that stand still in the world.
    #[pyo3(signature = (shape, pose=None))]
    fn with_obstacles(&self, shape: &Bound<'_, PyAny>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<Robot> {
        let parts = contact_parts(shape, pose)?;
        let (robot, geometry, allowed) = (self.robot.clone(), self.geometry.clone(), self.allowed.clone());
        Ok(Robot::assembled(robot, geometry, allowed, self.diagnostics.clone(), &parts)?)
    }

    /// The same robot whose links ``a`` and ``b`` may touch, for each pair of names.
    fn with_allowed(&self, pairs: Vec<(String, String)>) -> PyResult<Robot> {
        if self.model.obstacle_count() > 0 {
            return Err(Refusal::invalid("pairs", "allow pairs before obstacles are added").into());
        }
        let mut allowed = self.allowed.clone();
        let link = |name: &str| {
            let missing = || Refusal::invalid("pairs", format!("the robot has no link {name:?}"));
            self.robot.link(name).ok_or_else(missing)
        };
        for (a, b) in &pairs {
            allowed.allow(link(a)?, link(b)?);
        }
        let (robot, geometry) = (self.robot.clone(), self.geometry.clone());
        Ok(Robot::assembled(robot, geometry, allowed, self.diagnostics.clone(), &[])?)
    }

    /// The robot's name.
    #[getter]
    fn name(&self) -> &str {
        &self.robot.name
    }

    /// Names of the links.
    #[getter]
    fn link_names(&self) -> Vec<&str> {
        self.robot.links.iter().map(|link| link.name.as_str()).collect()
    }

    /// Names of the numbers of a configuration: joints that lead, ``joint/0`` and so on for those with several numbers.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        let kinematics = self.model.kinematics();
        (0..self.freedoms()).map(|freedom| kinematics.freedom_name(&self.robot, freedom)).collect()
    }

    /// Lower limits of the joints, (joints,).
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.model.kinematics().freedoms().iter().map(|freedom| freedom.lower).collect(), &[self.freedoms()])
    }

    /// Upper limits of the joints, (joints,).
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.model.kinematics().freedoms().iter().map(|freedom| freedom.upper).collect(), &[self.freedoms()])
    }

    /// All joints at zero, or as near to it as their limits allow, (joints,).
    #[getter]
    fn neutral<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.model.kinematics().neutral(), &[self.freedoms()])
    }

    /// Pairs that are checked, by their names.
    #[getter]
    fn pairs(&self) -> Vec<(String, String)> {
        let name = |(a, b): (usize, Other)| (self.robot.links[a].name.clone(), self.other_name(b));
        self.model.all_pairs().map(name).collect()
    }

    /// A line for each element of the file that was ignored, repaired, missing or wrong.
    #[getter]
    fn diagnostics(&self) -> Vec<String> {
        self.diagnostics.clone()
    }

    /// The contact geometry: names of links, shapes (n,) and their poses (n,) on the links.
    #[getter]
    fn parts(&self) -> (Vec<&str>, Shape, Pose) {
        let parts: Vec<(usize, &ContactPart)> = self.geometry.parts().collect();
        let names = parts.iter().map(|(link, _)| self.robot.links[*link].name.as_str()).collect();
        let dims = vec![parts.len()];
        let shapes = Shape::new(parts.iter().map(|(_, part)| part.shape.clone().into()).collect(), dims.clone());
        (names, shapes, Pose(Arc::new(Batch { items: parts.iter().map(|(_, part)| part.pose).collect(), dims })))
    }

    /// Random configurations within the limits, (count, joints).
    #[pyo3(signature = (count, seed=1))]
    fn random<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        let mut random = fastrand::Rng::with_seed(seed);
        let kinematics = self.model.kinematics();
        let numbers = (0..count).flat_map(|_| kinematics.random(&self.robot, &mut random)).collect();
        array(py, numbers, &[count, self.freedoms()])
    }

    /// Poses of all links, (…, links), of configurations (…, joints).
    fn link_poses(&self, py: Python<'_>, configuration: &Bound<'_, PyAny>) -> PyResult<Pose> {
        let configurations = self.configurations(configuration)?;
        let (kinematics, base, values) = (self.model.kinematics(), self.model.base(), configurations.values());
        let poses = detached(py, |_| kinematics.batch(values, base, Threads::All))?.map_err(Refusal::from)?;
        let dims = [&configurations.dims[..], &[kinematics.link_count()]].concat();
        Ok(Pose(Arc::new(Batch { items: poses, dims })))
    }

    /// Whether nothing touches that must not, of configurations (…, joints).
    ///
    /// >>> import superegg
    /// >>> hand = superegg.load_robot("right-hand")
    /// >>> hand.is_free(hand.random(1000)).shape
    /// (1000,)
    fn is_free<'py>(&self, py: Python<'py>, configuration: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let configurations = self.configurations(configuration)?;
        let (values, width) = (configurations.values(), self.freedoms());
        let rows = answer_all(py, &configurations.dims, 1, BLOCK, |range, rows| {
            let mut scratch = Scratch::default();
            for (place, row) in range.zip(rows) {
                let one = &values[place * width..(place + 1) * width];
                let free = self.model.kinematics().check(one).and_then(|()| self.model.is_free(one, &mut scratch));
                *row = f64::from(u8::from(free.map_err(|error| (place, error.into()))?));
            }
            Ok(())
        })?;
        let answers: Vec<bool> = rows.into_iter().map(|free| free != 0.0).collect();
        array(py, answers, &configurations.dims)?.get_item(())
    }

    /// Distances of all pairs, with bounds and derivatives by the joints, of configurations (…, joints).
    ///
    /// >>> import superegg
    /// >>> hand = superegg.load_robot("right-hand")
    /// >>> found = hand.distances(hand.neutral)
    /// >>> found.distance.shape == (len(hand.pairs),), found.gradient.shape == (len(hand.pairs), len(hand.joint_names))
    /// (True, True)
    fn distances(&self, py: Python<'_>, configuration: &Bound<'_, PyAny>) -> PyResult<LinkDistances> {
        let configurations = self.configurations(configuration)?;
        let (values, freedoms, pairs) = (configurations.values(), self.freedoms(), self.model.all_pairs().count());
        let (of_pair, dims) = (PAIR + freedoms, configurations.dims.clone());
        let width = pairs * of_pair;
        let rows = answer_all(py, &dims, width, SMALL_BLOCK, |range, rows| {
            for (place, row) in range.zip(rows.chunks_exact_mut(width.max(1))) {
                let one = &values[place * freedoms..(place + 1) * freedoms];
                let found = self.model.distances(one).map_err(|error| (place, error.into()))?;
                for (pair, numbers) in found.iter().zip(row.chunks_exact_mut(of_pair)) {
                    write_pair(pair, numbers);
                }
            }
            Ok(())
        })?;
        Ok(LinkDistances { answers: Answers::new(py, rows, dims.clone(), width)?, dims, pairs, freedoms })
    }

    /// Clearance along samples (n, joints) and the first contact, between samples too: never late, at most ``tolerance`` metres early.
    #[pyo3(signature = (samples, *, margin=0.0, tolerance=1e-5))]
    fn check_trajectory(
        &self,
        py: Python<'_>,
        samples: &Bound<'_, PyAny>,
        margin: f64,
        tolerance: f64,
    ) -> PyResult<TrajectoryReport> {
        let samples = Numbers::read(samples, "samples", &[self.freedoms()])?;
        allow("margin", margin, 0.0..=1e3, "[0, 1e3]")?;
        allow("tolerance", tolerance, 1e-9..=1.0, "[1e-9, 1]")?;
        if samples.dims.len() != 1 {
            return Err(Refusal::invalid("samples", "a trajectory is an array (n, joints)").into());
        }
        let samples: Vec<Vec<f64>> = samples.items().map(<[f64]>::to_vec).collect();
        let options = TrajectoryOptions { margin, tolerance };
        let report = detached(py, |_| check_trajectory(&self.model, &samples, &options))?.map_err(Refusal::from)?;
        let named = |contact: superegg_robot::trajectory::FirstContact| {
            (contact.sample, self.robot.links[contact.a].name.clone(), self.other_name(contact.b))
        };
        let clearance = array(py, report.clearance, &[samples.len()])?.unbind();
        Ok(TrajectoryReport { first_contact: report.first_contact.map(named), clearance })
    }

    fn __repr__(&self) -> String {
        let (links, joints) = (self.robot.links.len(), self.freedoms());
        format!("Robot({:?}, {links} links, {joints} joints, {} parts)", self.robot.name, self.model.part_count())
    }
}

fn write_pair(pair: &LinkDistance, numbers: &mut [f64]) {
    let Outcome { distance, point_a, point_b, normal, bounds, .. } = pair.outcome;
    let [lower, upper] = bounds.map_or([f64::NAN; 2], |bounds| [bounds.lower, bounds.upper]);
    numbers[..3].copy_from_slice(&[distance, lower, upper]);
    numbers[3..6].copy_from_slice(&point_a.to_array());
    numbers[6..9].copy_from_slice(&point_b.to_array());
    numbers[9..PAIR].copy_from_slice(&normal.to_array());
    numbers[PAIR..].copy_from_slice(&pair.gradient);
}
