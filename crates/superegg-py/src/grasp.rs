//! Grasps: how well contacts with friction hold, and a search for them.

use glam::DVec3;
use pyo3::prelude::*;
use superegg_robot::Threads;
use superegg_robot::collide::CollisionModel;
use superegg_robot::contact_geometry::ContactPart;
use superegg_robot::grasp::{
    Accuracy, Closure, ContactSet, Grasp as CoreGrasp, GraspContact, Hand, SearchOptions, SearchReport, Wrenches,
    ball_around, closure, min_weight, quality, quality_estimate, search,
};

use crate::array::{Batch, Numbers, array, array_of_vectors, broadcast, one_vector};
use crate::error::{Refusal, allow};
use crate::pose::Pose;
use crate::record::{Answers, Writer};
use crate::robot::{Robot, contact_parts};
use crate::threads::{Cancelled, answer_all, detached};

/// Grasps in a block: one takes some tens of microseconds.
const BLOCK: usize = 64;
/// Attempts of a search between two looks for Ctrl-C.
const ATTEMPTS: usize = 256;

/// How well grasps hold, on exact friction cones.
#[pyclass(frozen, module = "superegg")]
pub struct GraspQuality {
    answers: Answers,
    contacts: usize,
}

#[pymethods]
impl GraspQuality {
    /// Ferrari and Canny's quality is at least this: above 0 the grasp holds.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answers.number(py, 0)
    }

    /// Ferrari and Canny's quality is at most this.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answers.number(py, 1)
    }

    /// Force closure: 1 it holds, 0 marginal, -1 it does not.
    #[getter]
    fn closure<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answers.count(py, 2)
    }

    /// The min-weight quality, in ]-∞, 1], above 0 where the grasp holds; NaN where the normals cancel.
    #[getter]
    fn min_weight<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answers.number(py, 3)
    }

    /// Derivatives of the min-weight quality by the points, (…, contacts, 3).
    #[getter]
    fn min_weight_by_points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answers.numbers(py, 4, &[self.contacts, 3])
    }

    /// Derivatives of the min-weight quality by the normals, (…, contacts, 3).
    #[getter]
    fn min_weight_by_normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answers.numbers(py, 4 + 3 * self.contacts, &[self.contacts, 3])
    }

    fn __repr__(&self) -> String {
        format!("GraspQuality(batch_shape={:?}, {} contacts)", self.answers.dims(), self.contacts)
    }
}

/// How well contacts hold: ``points`` (…, contacts, 3), unit ``normals`` (…, contacts, 3) into the object, ``friction`` (…).
///
/// Torques are about ``center`` and over ``length``, which should be about the object's radius. ``wrenches`` is ``'hull'`` (contacts share one unit of normal force)
/// or ``'sum'`` (a unit each). With ``certified=False`` the quality is an estimate, several times faster.
///
/// >>> import numpy as np, superegg
/// >>> angle = np.array([0, 2, 4.2])
/// >>> points = np.stack([np.cos(angle), np.sin(angle), [0.1, -0.2, 0.1]], axis=-1)
/// >>> found = superegg.grasp_quality(points, -points * [1, 1, 0], friction=0.6)
/// >>> found.closure, 0 < found.lower <= found.upper
/// (1, True)
#[pyfunction]
#[pyo3(signature = (points, normals, friction=None, *, center=None, length=1.0, wrenches="hull", certified=true))]
#[expect(clippy::too_many_arguments, reason = "keywords, most of them left out")]
pub fn grasp_quality<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    normals: &Bound<'py, PyAny>,
    friction: Option<&Bound<'py, PyAny>>,
    center: Option<&Bound<'py, PyAny>>,
    length: f64,
    wrenches: &str,
    certified: bool,
) -> PyResult<GraspQuality> {
    let wrenches = match wrenches {
        "hull" => Wrenches::Hull,
        "sum" => Wrenches::Sum,
        other => return Err(Refusal::invalid("wrenches", format!("{other:?} is neither 'hull' nor 'sum'")).into()),
    };
    let center = center.map_or(Ok(DVec3::ZERO), |center| one_vector(center, "center"))?;
    let contacts = Numbers::shape_of(points, "points")?.into_iter().rev().nth(1).unwrap_or(0);
    let points = Numbers::read(points, "points", &[contacts, 3])?;
    let normals = Numbers::read(normals, "normals", &[contacts, 3])?;
    let friction = match friction {
        Some(friction) => Numbers::read(friction, "friction", &[])?,
        None => Numbers::read(&array(py, vec![0.5], &[])?, "friction", &[])?,
    };
    let batches = [("points", &points.dims[..]), ("normals", &normals.dims[..]), ("friction", &friction.dims[..])];
    let (dims, [at_points, at_normals, at_friction]) = broadcast(batches)?;
    let (points, normals, friction) = (points.values(), normals.values(), friction.values());
    let width = 4 + 6 * contacts;
    let rows = answer_all(py, &dims, width, BLOCK, |range, rows| {
        for (place, row) in range.zip(rows.chunks_exact_mut(width)) {
            let friction = friction[at_friction.index(place)];
            let contact = |k: usize| GraspContact {
                point: DVec3::from_slice(&points[3 * (at_points.index(place) * contacts + k)..]),
                normal: DVec3::from_slice(&normals[3 * (at_normals.index(place) * contacts + k)..]),
                friction,
            };
            let all: Vec<GraspContact> = (0..contacts).map(contact).collect();
            let refused = |error: superegg_robot::RobotError| (place, Refusal::invalid("contacts", error.to_string()));
            let set = ContactSet::new(&all, center, length).map_err(refused)?;
            write_quality(&mut Writer::new(row), &set, wrenches, certified);
        }
        Ok(())
    })?;
    Ok(GraspQuality { answers: Answers::new(py, rows, dims, width)?, contacts })
}

fn write_quality(to: &mut Writer<'_>, contacts: &ContactSet, wrenches: Wrenches, certified: bool) {
    let found = if certified {
        quality(contacts, wrenches, &Accuracy::default())
    } else {
        quality_estimate(contacts, wrenches)
    };
    let closed = match closure(contacts) {
        Closure::Closed(_) => 1.0,
        Closure::Marginal(_) => 0.0,
        Closure::Open(_) => -1.0,
    };
    to.put([found.lower, found.upper, closed]);
    match min_weight(contacts) {
        Some(weight) => {
            to.one(weight.quality);
            for by in weight.gradient.points.iter().chain(&weight.gradient.normals) {
                to.put(by.to_array());
            }
        }
        None => {
            for _ in 0..=6 * contacts.len() {
                to.one(f64::NAN);
            }
        }
    }
}

/// A grasp that holds, in the object's frame.
#[pyclass(frozen, get_all, module = "superegg")]
pub struct Grasp {
    /// The hand's root.
    base: Py<Pose>,
    /// The hand's joints, (joints,).
    configuration: Py<PyAny>,
    /// Names of the links that touch.
    links: Vec<String>,
    /// Where they touch, (contacts, 3).
    points: Py<PyAny>,
    /// Unit normals into the object, (contacts, 3).
    normals: Py<PyAny>,
    /// The quality is at least this.
    lower: f64,
    /// The quality is at most this.
    upper: f64,
    /// Certified depth of the deepest penetration, in metres.
    depth: f64,
}

#[pymethods]
impl Grasp {
    fn __repr__(&self) -> String {
        format!("Grasp(lower={:.4}, {} contacts)", self.lower, self.links.len())
    }
}

impl Grasp {
    fn new(py: Python<'_>, robot: &Robot, grasp: &CoreGrasp) -> PyResult<Grasp> {
        let count = grasp.contacts.len();
        let vectors = |of: fn(&superegg_robot::grasp::HandContact) -> DVec3| {
            let values: Vec<DVec3> = grasp.contacts.iter().map(of).collect();
            array_of_vectors(py, &values, &[count]).map(Bound::unbind)
        };
        let joints = grasp.configuration.len();
        Ok(Grasp {
            base: Py::new(py, Pose(std::sync::Arc::new(Batch::one(grasp.base))))?,
            configuration: array(py, grasp.configuration.clone(), &[joints])?.unbind(),
            links: grasp.contacts.iter().map(|contact| robot.robot.links[contact.link].name.clone()).collect(),
            points: vectors(|contact| contact.point)?,
            normals: vectors(|contact| contact.normal)?,
            lower: grasp.quality.lower,
            upper: grasp.quality.upper,
            depth: grasp.depth,
        })
    }
}

/// Looks for grasps of an object by a hand: random placements, closed without penetration, ranked by certified quality, best first.
///
/// The object is a convex shape or a compound at the origin. Equal seeds give equal grasps on any number of threads.
///
/// >>> import superegg
/// >>> hand = superegg.load_robot("right-hand", allow_touching_at_rest=True)
/// >>> egg = superegg.superellipsoid([0.02, 0.02, 0.03], [1, 0.8])
/// >>> grasps = superegg.find_grasps(hand, egg, attempts=64, keep=3)
/// >>> len(grasps) <= 3
/// True
#[pyfunction]
#[pyo3(signature = (hand, shape, *, attempts=2000, friction=0.5, keep=10, seed=1))]
pub fn find_grasps(
    py: Python<'_>,
    hand: &Bound<'_, Robot>,
    shape: &Bound<'_, PyAny>,
    attempts: usize,
    friction: f64,
    keep: usize,
    seed: u64,
) -> PyResult<Vec<Grasp>> {
    allow("friction", friction, 0.0..=100.0, "[0, 100]")?;
    let robot = hand.get();
    let object = contact_parts(shape, None)?;
    let model = robot.model_with(&object)?;
    let options = SearchOptions { attempts, friction, keep, seed, threads: Threads::All, ..SearchOptions::default() };
    let found = detached(py, |cancelled| search_in_turns(robot, model, &object, &options, cancelled))??;
    found.iter().map(|grasp| Grasp::new(py, robot, grasp)).collect()
}

/// The search, some attempts at a time so that it can end early; every turn has its own seed.
fn search_in_turns(
    robot: &Robot,
    model: CollisionModel,
    object: &[ContactPart],
    options: &SearchOptions,
    cancelled: &Cancelled,
) -> Result<Vec<CoreGrasp>, Refusal> {
    let hand = Hand::new(&robot.robot, model);
    let (center, radius) = ball_around(object);
    let mut best: Vec<CoreGrasp> = Vec::new();
    for (turn, first) in (0..options.attempts).step_by(ATTEMPTS).enumerate() {
        if cancelled.is_set() {
            break;
        }
        let attempts = ATTEMPTS.min(options.attempts - first);
        let turn = SearchOptions { attempts, seed: options.seed.wrapping_add((turn as u64) << 32), ..*options };
        let SearchReport { grasps, .. } = search(&hand, center, radius, &turn)?;
        best.extend(grasps);
        best.sort_by(|a, b| b.quality.lower.total_cmp(&a.quality.lower));
        best.truncate(options.keep);
    }
    Ok(best)
}
