//! One shape for one target.

use crate::certify::{Certificate, avoids_points, avoids_triangles, contains};
use crate::cloud::Cloud;
use crate::error::FitError;
use crate::model::Model;
use crate::part::Part;
use crate::protrusion::{Surroundings, union_of};
use crate::search::{Depth, search};
use crate::solid::Solid;
use crate::target::Target;
use crate::volume::{enclosures, largest, log_volume};

/// Which shapes to look among.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// Without taper.
    Superellipsoid,
    /// With one taper for x and y, so that every fit is convex.
    #[default]
    Superovoid,
}

/// On which side of the surface the target has to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Containment {
    /// The surface goes through the target.
    #[default]
    Free,
    /// The shape contains the target.
    Enclose,
    /// The shape lies inside the target: a closed mesh, or points of which none may be inside the shape.
    Inside,
}

/// What to look for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Which shapes to look among.
    pub family: Family,
    /// On which side of the surface the target has to be.
    pub containment: Containment,
}

/// A fitted shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The shape.
    pub part: Part,
    /// What is proved of an enclosing or inscribed shape.
    pub certificate: Option<Certificate>,
    /// Points farther from the surface than this, a length, had hardly any influence: they count as outliers.
    pub inlier_distance: f64,
    /// Evaluations of the residuals.
    pub evaluations: u32,
}

/// Fits one shape.
///
/// ```
/// use superegg::shape::{Spacing, Superovoid};
/// use superegg_fit::{Options, Target, Threads, errors, fit};
/// let egg = Superovoid::new([1.0, 0.8, 1.3], [0.6, 0.9], [0.2, 0.2])?;
/// let scanned = egg.tessellate(1000, Spacing::Curvature)?.vertices;
/// let target = Target::from_points(scanned)?;
/// let fit = fit(&target, &Options::default())?;
/// assert!(errors(&[fit.part], &target, Threads::All)?.max < 1e-6);
/// assert!((fit.part.shape.mass_properties().volume / egg.mass_properties().volume - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit(target: &Target, options: &Options) -> Result<Fit, FitError> {
    let cloud = Cloud::new(target.points(), target.weights())?;
    let tapered = options.family == Family::Superovoid;
    let found = search(&cloud, tapered, Depth::Full);
    let (part, certificate) = match options.containment {
        Containment::Free => (place(&cloud, &found.model)?, None),
        Containment::Enclose => {
            let surroundings = target.mesh().map(|_| Surroundings::new(target));
            let (part, certificate) =
                enclosing(&cloud, &found.model, target.corners(), 0.0, tapered, surroundings.as_ref())?;
            (part, Some(certificate))
        }
        Containment::Inside => {
            let (part, certificate) = inscribed(&cloud, &found.model, target, tapered)?;
            (part, Some(certificate))
        }
    };
    Ok(Fit { part, certificate, inlier_distance: found.scale * cloud.unit, evaluations: found.evaluations })
}

fn place(cloud: &Cloud, model: &Model) -> Result<Part, FitError> {
    let (shape, pose) = model.placed(cloud.unit, &cloud.frame)?;
    Ok(Part { shape, pose })
}

/// How much a shape is grown or shrunk at a time until its certificate can be given; doubled each time.
const GROWTH: f64 = 1e-9;
/// How often: the last growth is 0.07 %.
const GROWTHS: u32 = 20;

/// Vertices and samples of a part's surface while shapes are compared by their protrusion.
const JUDGED_VERTICES: usize = 160;
const JUDGED_SAMPLES: usize = 400;

/// What a union of parts is judged by: its common protrusion and the mean one.
pub(crate) fn judged(parts: &[Part], surroundings: &Surroundings) -> Result<f64, FitError> {
    let (protrusion, _) = surroundings.protrusion(&union_of(parts, JUDGED_VERTICES)?, JUDGED_SAMPLES)?;
    Ok(protrusion.p95 + protrusion.mean)
}

/// A shape around corners and all within `margin` of them, certified: of those found the one that protrudes least or, where nothing is said to protrude from, the smallest.
pub(crate) fn enclosing(
    cloud: &Cloud,
    start: &Model,
    corners: &[glam::DVec3],
    margin: f64,
    tapered: bool,
    surroundings: Option<&Surroundings>,
) -> Result<(Part, Certificate), FitError> {
    let local: Vec<glam::DVec3> =
        corners.iter().map(|p| cloud.frame.inverse_transform_point(*p) / cloud.unit).collect();
    let mut found: Vec<(f64, Model)> = Vec::new();
    for model in enclosures(start, &local, tapered) {
        let score = match surroundings {
            Some(surroundings) => judged(&[place(cloud, &model)?], surroundings)?,
            None => log_volume(&model),
        };
        found.push((score, model));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.iter().find_map(|(_, model)| grown(cloud, model, corners, margin)).ok_or(FitError::NotCertified("enclosing"))
}

/// The shape, as little larger as its certificate needs it to be.
fn grown(cloud: &Cloud, model: &Model, corners: &[glam::DVec3], margin: f64) -> Option<(Part, Certificate)> {
    let mut model = *model;
    for k in 0..GROWTHS {
        model = model.scaled(1.0 + GROWTH * f64::from(1u32 << k));
        let part = place(cloud, &model).ok()?;
        if let Some(certificate) = contains(&part.shape, &part.pose, corners, margin) {
            return Some((part, certificate));
        }
    }
    None
}

/// The largest shape that is found inside, certified.
fn inscribed(cloud: &Cloud, start: &Model, target: &Target, tapered: bool) -> Result<(Part, Certificate), FitError> {
    let to_local = |p: glam::DVec3| cloud.frame.inverse_transform_point(p) / cloud.unit;
    let local: Vec<glam::DVec3> = target.points().iter().copied().map(to_local).collect();
    let body = target.mesh().map(|mesh| Solid::new(mesh, "an inscribed shape")).transpose()?;
    let allowed = |model: &Model| {
        let center = cloud.frame.transform_point(model.center * cloud.unit);
        body.as_ref().is_none_or(|body| body.contains(center))
    };
    let mut starts = vec![*start];
    if let Some((center, depth)) = body.as_ref().and_then(|body| body.deepest(target.points())) {
        let radii = glam::DVec3::splat(depth / cloud.unit);
        starts.push(Model::new(radii, [0.6; 2], 0.0, start.rotation, to_local(center)));
    }
    let found = starts.iter().filter(|model| allowed(model)).map(|start| largest(start, &local, tapered));
    let model = found
        .filter(allowed)
        .max_by(|a, b| log_volume(a).total_cmp(&log_volume(b)))
        .ok_or(FitError::NotCertified("inscribed"))?;
    let certified = |factor: f64| {
        let part = place(cloud, &model.scaled(factor)).ok()?;
        let certificate = match (&body, target.mesh()) {
            (Some(body), Some(mesh)) => {
                if !body.contains(part.pose.translation) {
                    return None;
                }
                avoids_triangles(&part.shape, &part.pose, mesh)?
            }
            _ => avoids_points(&part.shape, &part.pose, target.points())?,
        };
        Some((part, certificate))
    };
    // Down until it is proved, then up again by halves.
    let mut shrunk = GROWTH;
    let mut refused = 0.0;
    let mut best = loop {
        match certified(1.0 - shrunk) {
            Some(found) => break found,
            None if shrunk > 0.9 => return Err(FitError::NotCertified("inscribed")),
            None => (refused, shrunk) = (shrunk, (4.0 * shrunk).min(0.5 * (1.0 + shrunk))),
        }
    };
    while shrunk - refused > 1e-4 {
        let middle = 0.5 * (shrunk + refused);
        match certified(1.0 - middle) {
            Some(found) => (best, shrunk) = (found, middle),
            None => refused = middle,
        }
    }
    Ok(best)
}
