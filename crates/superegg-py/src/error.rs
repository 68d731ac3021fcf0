//! Refusals as Python's exceptions: each carries the field, as the command line's errors do, and the item of a batch.
//!
//! The classes are Python's own (`superegg/_errors.py`), so that they can be caught, pickled and documented like any other.

use std::ops::RangeInclusive;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};
use superegg::query::QueryError;
use superegg::{InvalidInput, Legible};
use superegg_fit::FitError;
use superegg_mesh::MeshError;
use superegg_robot::RobotError;
use superegg_scene::file::SceneError;
use superegg_sim::SimError;
use superegg_world::WorldError;

/// Why something was refused, before it is an exception.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// A field is outside its domain.
    Invalid {
        /// The path of the field.
        field: String,
        /// The number that was refused, where it was one.
        value: Option<f64>,
        /// What is wrong.
        message: String,
    },
    /// There is no method for what was asked.
    Unsupported(String),
    /// A file could not be read.
    Unreadable(String),
}

impl Refusal {
    /// A field that is outside its domain.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Refusal {
        Refusal::Invalid { field: field.into(), value: None, message: message.into() }
    }

    /// The same, of a field within another.
    pub fn within(self, outer: &str) -> Refusal {
        match self {
            Refusal::Invalid { field, value, message } if !outer.is_empty() => {
                Refusal::Invalid { field: format!("{outer}.{field}"), value, message }
            }
            other => other,
        }
    }

    /// The exception; `index` is the item's place in its batch.
    pub fn into_exception(self, py: Python<'_>, index: Option<&[usize]>) -> PyErr {
        match self.exception(py, index) {
            Ok(error) | Err(error) => error,
        }
    }

    fn exception(self, py: Python<'_>, index: Option<&[usize]>) -> PyResult<PyErr> {
        let index = match index {
            Some(index) if !index.is_empty() => Some(PyTuple::new(py, index)?),
            _ => None,
        };
        let made = match self {
            Refusal::Invalid { field, value, message } => {
                class(py, &INVALID_INPUT, "InvalidInput")?.call1((message, field, value, index))?
            }
            Refusal::Unsupported(message) => class(py, &UNSUPPORTED, "Unsupported")?.call1((message, index))?,
            Refusal::Unreadable(message) => return Ok(PyOSError::new_err(message)),
        };
        Ok(PyErr::from_value(made))
    }
}

/// Refuses a number outside of a range, for functions of the library that name several fields at once.
pub fn allow(
    field: &'static str,
    value: f64,
    range: RangeInclusive<f64>,
    allowed: &'static str,
) -> Result<(), Refusal> {
    Ok(InvalidInput::unless(range.contains(&value), field, value, allowed)?)
}

static INVALID_INPUT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static UNSUPPORTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn class<'py>(py: Python<'py>, cell: &'static PyOnceLock<Py<PyType>>, name: &str) -> PyResult<Bound<'py, PyType>> {
    cell.import(py, "superegg._errors", name).cloned()
}

/// A refusal that is about no item of a batch.
impl From<Refusal> for PyErr {
    fn from(refusal: Refusal) -> PyErr {
        Python::attach(|py| refusal.into_exception(py, None))
    }
}

impl From<InvalidInput> for Refusal {
    fn from(refused: InvalidInput) -> Refusal {
        let InvalidInput { field, value, allowed } = refused;
        let message = format!("{} is outside {allowed}", Legible(value));
        Refusal::Invalid { field: field.into(), value: Some(value), message }
    }
}

impl From<QueryError> for Refusal {
    fn from(error: QueryError) -> Refusal {
        match error {
            QueryError::InvalidInput(refused) => refused.into(),
            QueryError::Unsupported { .. } => Refusal::Unsupported(error.to_string()),
        }
    }
}

impl From<WorldError> for Refusal {
    fn from(error: WorldError) -> Refusal {
        match error {
            WorldError::Input(refused) => refused.into(),
            WorldError::Query(refused) => refused.into(),
            WorldError::Mesh(refused) => refused.into(),
            WorldError::EmptyMesh => Refusal::invalid("triangles", error.to_string()),
            WorldError::EmptyCompound | WorldError::Part { .. } => Refusal::invalid("parts", error.to_string()),
            WorldError::NoSuchBody(_) => Refusal::invalid("body", error.to_string()),
            WorldError::Tree(_) => Refusal::invalid("pose", error.to_string()),
            WorldError::Undecided { .. } | WorldError::Unsupported { .. } => Refusal::Unsupported(error.to_string()),
        }
    }
}

impl From<MeshError> for Refusal {
    fn from(error: MeshError) -> Refusal {
        let field = match &error {
            MeshError::Coordinate { vertex, .. } => format!("vertices[{vertex}]"),
            MeshError::Index { triangle, .. } => format!("triangles[{triangle}]"),
            MeshError::TooMany { what, .. } => (*what).to_owned(),
            MeshError::Margin { field, .. } => (*field).to_owned(),
            MeshError::VertexCount { .. } => "vertices".to_owned(),
        };
        Refusal::invalid(field, error.to_string())
    }
}

impl From<FitError> for Refusal {
    fn from(error: FitError) -> Refusal {
        match error {
            FitError::InvalidInput(refused) => refused.into(),
            FitError::Coordinate { index, .. } => Refusal::invalid(format!("points[{index}]"), error.to_string()),
            FitError::Weights(message) => Refusal::invalid("weights", message),
            other => Refusal::invalid("points", other.to_string()),
        }
    }
}

impl From<RobotError> for Refusal {
    fn from(error: RobotError) -> Refusal {
        match error {
            RobotError::Io { .. } => Refusal::Unreadable(error.to_string()),
            RobotError::Shape(refused) => refused.into(),
            RobotError::Query(refused) => refused.into(),
            RobotError::World(refused) => refused.into(),
            RobotError::Sim(refused) => refused.into(),
            RobotError::Format { .. } | RobotError::Strict { .. } => Refusal::invalid("file", error.to_string()),
            RobotError::Fit { ref link, .. } => Refusal::invalid(format!("links[{link}]"), error.to_string()),
            other => Refusal::invalid("configuration", other.to_string()),
        }
    }
}

impl From<SimError> for Refusal {
    fn from(error: SimError) -> Refusal {
        match error {
            SimError::InvalidInput(refused) => refused.into(),
            SimError::Mesh(refused) => refused.into(),
            SimError::Query(refused) => refused.into(),
            SimError::Bodies(refused) => refused.into(),
            SimError::Stale { what, .. } | SimError::Foreign { what } | SimError::NoSuch { what, .. } => {
                Refusal::invalid(what, error.to_string())
            }
            SimError::Lost { what, .. } => Refusal::invalid(what, error.to_string()),
        }
    }
}

impl From<SceneError> for Refusal {
    fn from(error: SceneError) -> Refusal {
        match error {
            SceneError::Io { .. } => Refusal::Unreadable(error.to_string()),
            other => Refusal::invalid("scene", other.to_string()),
        }
    }
}
