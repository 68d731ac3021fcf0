//! Shapes fitted to points and meshes.

use std::sync::Arc;

use pyo3::prelude::*;
use superegg::Threads;
use superegg_fit::{
    Certificate, Containment, Count, Family, MOST_PARTS, Options, Part, PartsOptions, Target, errors, fit as fit_one,
    fit_parts,
};

use crate::array::{Batch, Numbers, point_list};
use crate::error::Refusal;
use crate::pose::Pose;
use crate::shape::{Shape, triangle_mesh};
use crate::threads::detached;

/// Shapes that were fitted, and how good they are.
#[pyclass(frozen, get_all, module = "superegg")]
pub struct Fit {
    /// The shape, or a batch (n,) of parts.
    shape: Py<Shape>,
    /// Its pose, or theirs.
    pose: Py<Pose>,
    /// How many points or triangles were proved to be inside an enclosing fit, or outside an inscribed one; None for others.
    proved: Option<usize>,
    /// Mean distance of the target from the surface, in metres.
    mean: f64,
    /// Root of the mean square distance.
    rms: f64,
    /// Half of the target is nearer than this.
    median: f64,
    /// 95 % of the target is nearer than this.
    p95: f64,
    /// The largest distance.
    max: f64,
}

#[pymethods]
impl Fit {
    fn __repr__(&self) -> String {
        format!("Fit(rms={:.3e}, max={:.3e}, proved={:?})", self.rms, self.max, self.proved)
    }
}

/// Which shapes to look among, by their name.
pub fn family(name: &str) -> Result<Family, Refusal> {
    match name {
        "superellipsoid" => Ok(Family::Superellipsoid),
        "superovoid" => Ok(Family::Superovoid),
        other => Err(Refusal::invalid("kind", format!("{other:?} is neither 'superellipsoid' nor 'superovoid'"))),
    }
}

fn containment(name: &str) -> Result<Containment, Refusal> {
    match name {
        "free" => Ok(Containment::Free),
        "enclose" => Ok(Containment::Enclose),
        "inside" => Ok(Containment::Inside),
        other => Err(Refusal::invalid("containment", format!("{other:?} is none of 'free', 'enclose', 'inside'"))),
    }
}

/// How many parts: a number, or `"auto"`.
pub fn count(object: &Bound<'_, PyAny>) -> PyResult<Count> {
    if object.extract::<String>().is_ok_and(|text| text == "auto") {
        return Ok(Count::Auto);
    }
    match object.extract::<usize>() {
        Ok(number) if (1..=MOST_PARTS).contains(&number) => Ok(Count::Exactly(number)),
        _ => Err(Refusal::invalid("parts", format!("{object} is neither 'auto' nor in [1, {MOST_PARTS}]")).into()),
    }
}

/// Superellipsoids or superovoids for points (n, 3), for vertices and triangles, or for a mesh of trimesh's.
///
/// ``containment`` is ``'free'`` (the surface goes through the target), ``'enclose'`` or ``'inside'``, which are proved. ``parts`` asks for several
/// shapes: a number, or ``'auto'``. Ctrl-C is heeded once the fit is done.
///
/// >>> import superegg
/// >>> egg = superegg.superovoid([1, 0.8, 1.3], [0.6, 0.9], [0.2, 0.2])
/// >>> found = superegg.fit(egg.triangles(1000)[0])
/// >>> found.max < 1e-6, found.shape.kind
/// (True, 'superovoid')
#[pyfunction]
#[pyo3(signature = (points, triangles=None, *, weights=None, kind="superovoid", containment="free", parts=None, max_error=None))]
#[expect(clippy::too_many_arguments, reason = "keywords, most of them left out")]
pub fn fit(
    py: Python<'_>,
    points: &Bound<'_, PyAny>,
    triangles: Option<&Bound<'_, PyAny>>,
    weights: Option<&Bound<'_, PyAny>>,
    kind: &str,
    containment: &str,
    parts: Option<&Bound<'_, PyAny>>,
    max_error: Option<f64>,
) -> PyResult<Fit> {
    let (family, side) = (family(kind)?, self::containment(containment)?);
    let weights = weights.map(|weights| Numbers::read(weights, "weights", &[])).transpose()?;
    let weights = weights.map(|weights| weights.values().to_vec());
    let is_mesh = triangles.is_some() || points.hasattr("faces")?;
    let target = if is_mesh {
        let mesh = triangle_mesh(points, triangles)?;
        match weights {
            Some(weights) => Target::from_weighted_mesh(mesh, &weights),
            None => Target::from_mesh(mesh),
        }
    } else {
        let points = point_list(points, "points")?;
        match weights {
            Some(weights) => Target::from_weighted_points(points, weights),
            None => Target::from_points(points),
        }
    };
    let target = target.map_err(Refusal::from)?;
    let Some(parts) = parts else {
        let options = Options { family, containment: side };
        let made = detached(py, |_| {
            let found = fit_one(&target, &options)?;
            Ok((errors(&[found.part], &target, Threads::All)?, vec![found.part], found.certificate))
        })?;
        return fitted(py, made.map_err(Refusal::from_fit)?, Vec::new());
    };
    let options = PartsOptions { family, containment: side, count: count(parts)?, max_error, threads: Threads::All };
    let made = detached(py, |_| {
        let found = fit_parts(&target, &options, &mut |_| {})?;
        Ok((errors(&found.parts, &target, Threads::All)?, found.parts, found.certificate))
    })?;
    let made = made.map_err(Refusal::from_fit)?;
    let dims = vec![made.1.len()];
    fitted(py, made, dims)
}

impl Refusal {
    fn from_fit(error: superegg_fit::FitError) -> Refusal {
        error.into()
    }
}

fn fitted(
    py: Python<'_>,
    (errors, parts, certificate): (superegg_fit::Errors, Vec<Part>, Option<Certificate>),
    dims: Vec<usize>,
) -> PyResult<Fit> {
    let shapes = Shape::new(parts.iter().map(|part| part.shape.into()).collect(), dims.clone());
    let poses = Pose(Arc::new(Batch { items: parts.iter().map(|part| part.pose).collect(), dims }));
    Ok(Fit {
        shape: Py::new(py, shapes)?,
        pose: Py::new(py, poses)?,
        proved: certificate.map(|certificate| certificate.proved),
        mean: errors.mean,
        rms: errors.rms,
        median: errors.median,
        p95: errors.p95,
        max: errors.max,
    })
}
