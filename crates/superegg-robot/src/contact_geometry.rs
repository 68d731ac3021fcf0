//! What others meet of a robot's links: smooth shapes, fitted to meshes or exactly what the file says.
//!
//! Boxes, cylinders, capsules, spheres, superellipsoids and superovoids are themselves. Meshes are
//! fitted ([`superegg_fit`]), enclosing them with a certificate unless told otherwise.

use std::collections::HashMap;
use std::path::Path;

use glam::DVec3;
use superegg::shape::{Primitive, Shape, Superellipsoid, Superovoid};
use superegg::{Pose, Threads};
use superegg_fit::{Certificate, Containment, Count, Family, Metrics, PartsOptions, Target, fit_parts, metrics};
use superegg_mesh::TriangleMesh;

use crate::error::{Diagnostic, RobotError, Severity};
use crate::model::{Geometry, MeshFile, Origin, Robot, Surface};

/// Exponent of a superellipsoid that encloses a box or cylinder.
const ENCLOSING: f64 = 0.1;
/// By how much enclosing fits grow, so that they enclose although files hold angles where fits have quaternions: rounding moves points by
/// 1e-15 of the length, and the thinnest link is thicker than a millionth of that.
const REWRITTEN: f64 = 1e-9;
/// A mesh longer than this, in metres, is in another unit.
const LONGEST: f64 = 50.0;

/// A shape on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPart {
    /// In its own frame.
    pub shape: Shape,
    /// Its frame on the link.
    pub pose: Pose,
}

impl ContactPart {
    /// A shape in its place.
    pub fn new(shape: impl Into<Shape>, pose: Pose) -> ContactPart {
        ContactPart { shape: shape.into(), pose }
    }
}

/// Where a robot's contact geometry comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// Which shapes meshes are fitted with.
    pub family: Family,
    /// On which side of the fit the meshes are.
    pub containment: Containment,
    /// Parts of a link.
    pub count: Count,
    /// How far meshes may commonly be from the fit, in metres.
    pub max_error: Option<f64>,
    /// Whether boxes, cylinders and capsules become superellipsoids that enclose them.
    pub enclose_primitives: bool,
    /// Whether visual geometry is used even where there is collision geometry.
    pub visual: bool,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions {
            family: Family::Superovoid,
            containment: Containment::Enclose,
            count: Count::Exactly(1),
            max_error: None,
            enclose_primitives: false,
            visual: false,
        }
    }
}

/// What became of a link's meshes.
#[derive(Clone, Debug)]
pub struct LinkFit {
    /// The link.
    pub link: usize,
    /// Triangles of all its meshes.
    pub triangles: usize,
    /// The fitted parts, as they are in [`ContactGeometry`].
    pub parts: Vec<ContactPart>,
    /// Their frames as a file writes them.
    pub origins: Vec<Origin>,
    /// How good they are.
    pub metrics: Metrics,
    /// What is proved, for enclosing fits.
    pub certificate: Option<Certificate>,
}

/// The shapes of all links.
#[derive(Clone, Debug, Default)]
pub struct ContactGeometry {
    /// One list a link.
    pub links: Vec<Vec<ContactPart>>,
    /// Links whose meshes were fitted.
    pub fits: Vec<LinkFit>,
    /// Meshes that could not be used.
    pub diagnostics: Vec<Diagnostic>,
}

/// The surfaces of a link that count: its collision geometry, or what is seen of it if it has none or that is wanted.
fn surfaces<'a>(robot: &'a Robot, link: usize, options: &FitOptions) -> &'a [Surface] {
    let link = &robot.links[link];
    if (options.visual && !link.visuals.is_empty()) || link.collisions.is_empty() {
        &link.visuals
    } else {
        &link.collisions
    }
}

impl ContactGeometry {
    /// The contact geometry of a robot; `progress` is told after each link.
    pub fn new(
        robot: &Robot,
        options: &FitOptions,
        progress: &mut dyn FnMut(usize),
    ) -> Result<ContactGeometry, RobotError> {
        let mut made = ContactGeometry { links: vec![Vec::new(); robot.links.len()], ..ContactGeometry::default() };
        let mut known: HashMap<String, LinkFit> = HashMap::new();
        for link in 0..robot.links.len() {
            let (mut positions, mut triangles, mut key) = (Vec::new(), Vec::new(), String::new());
            for surface in surfaces(robot, link, options) {
                match &surface.geometry {
                    Geometry::Mesh(file) => {
                        let Some(path) = &file.path else { continue };
                        match placed_mesh(file, path, &surface.origin) {
                            Ok(mesh) => {
                                key += &format!("{}|{}|{:?};", path.display(), file.scale, surface.origin);
                                let first = positions.len() as u32;
                                let (own, corners) = mesh.into_parts();
                                positions.extend(own);
                                triangles.extend(corners.into_iter().map(|corners| corners.map(|v| v + first)));
                            }
                            Err(message) => made.diagnostics.push(Diagnostic {
                                at: surface.at.clone(),
                                element: "mesh".into(),
                                severity: Severity::Error,
                                message,
                            }),
                        }
                    }
                    exact => made.links[link].push(primitive(exact, &surface.origin, options)?),
                }
            }
            if !triangles.is_empty() {
                let fit = match known.get(&key) {
                    Some(fit) => LinkFit { link, ..fit.clone() },
                    None => fit_link(robot, link, positions, triangles, options)?,
                };
                made.links[link].extend_from_slice(&fit.parts);
                known.insert(key, fit.clone());
                made.fits.push(fit);
            }
            progress(link + 1);
        }
        Ok(made)
    }

    /// All parts, link by link.
    pub fn parts(&self) -> impl Iterator<Item = (usize, &ContactPart)> {
        self.links.iter().enumerate().flat_map(|(link, parts)| parts.iter().map(move |part| (link, part)))
    }

    /// The same robot with these shapes as its collision geometry, where they were fitted or asked for; the rest stays what it is.
    pub fn applied_to(&self, robot: &Robot, options: &FitOptions) -> Robot {
        let mut made = robot.clone();
        for fit in &self.fits {
            let link = &mut made.links[fit.link];
            let mut kept: Vec<Surface> = surfaces(robot, fit.link, options).to_vec();
            kept.retain(|surface| !matches!(surface.geometry, Geometry::Mesh(_)));
            kept.iter_mut().for_each(|surface| surface.material = None);
            let placed = fit.parts.iter().zip(&fit.origins);
            kept.extend(placed.map(|(part, origin)| Surface::new(smooth(&part.shape), *origin)));
            link.collisions = kept;
        }
        if options.enclose_primitives {
            for surface in made.links.iter_mut().flat_map(|link| &mut link.collisions) {
                if let Some(shape) = enclosing(&surface.geometry) {
                    surface.geometry = Geometry::Superellipsoid(shape);
                }
            }
        }
        made
    }
}

/// A smooth shape as geometry of a file; a superovoid without taper is a superellipsoid.
fn smooth(shape: &Shape) -> Geometry {
    match shape {
        Shape::Superellipsoid(shape) => Geometry::Superellipsoid(*shape),
        Shape::Superovoid(shape) => Geometry::Superovoid(*shape),
        _ => unreachable!("fits are superellipsoids and superovoids"),
    }
}

fn fit_link(
    robot: &Robot,
    link: usize,
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    options: &FitOptions,
) -> Result<LinkFit, RobotError> {
    let failed = |source| RobotError::Fit { link: robot.links[link].name.clone(), source };
    let count = triangles.len();
    let mesh = TriangleMesh::new(positions, triangles).map_err(|e| RobotError::Invalid(e.to_string()))?;
    let target = Target::from_mesh(mesh).map_err(failed)?;
    let wanted = PartsOptions {
        family: options.family,
        containment: options.containment,
        count: options.count,
        max_error: options.max_error,
        threads: Threads::All,
    };
    let found = fit_parts(&target, &wanted, &mut |_| {}).map_err(failed)?;
    let grown = if options.containment == Containment::Enclose { 1.0 + REWRITTEN } else { 1.0 };
    let origins: Vec<Origin> = found.parts.iter().map(|part| Origin::of(&part.pose)).collect();
    let part = |(part, origin): (&superegg_fit::Part, &Origin)| -> Result<ContactPart, RobotError> {
        let (radii, exponents) = (part.shape.radii().map(|radius| radius * grown), part.shape.exponents());
        let shape = if options.family == Family::Superellipsoid {
            Shape::from(Superellipsoid::new(radii, exponents)?)
        } else {
            Superovoid::new(radii, exponents, part.shape.taper())?.into()
        };
        // As a file holds it, so that it is read back to the same numbers.
        Ok(ContactPart::new(shape, origin.pose()))
    };
    let parts = found.parts.iter().zip(&origins).map(part).collect::<Result<Vec<_>, _>>()?;
    let metrics = metrics(&found.parts, &target, Threads::All).map_err(failed)?;
    Ok(LinkFit { link, triangles: count, parts, origins, metrics, certificate: found.certificate })
}

/// A mesh in the frame of its link.
pub(crate) fn placed_mesh(file: &MeshFile, path: &Path, origin: &Origin) -> Result<TriangleMesh, String> {
    let (mesh, conventions) = superegg_io::read_mesh_file(path).map_err(|error| error.to_string())?;
    let (mut positions, triangles) = mesh.into_parts();
    // COLLADA's up axis is not applied by the tools that URDF comes from: axes are those of the file.
    let collada = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("dae"));
    if let (Some(up), true) = (conventions.up, collada) {
        let back = up.to_z_up().inverse();
        positions.iter_mut().for_each(|p| *p = back.transform_point3(*p));
    }
    let pose = origin.pose();
    for position in &mut positions {
        *position = pose.transform_point(*position * file.scale);
    }
    let low = positions.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = positions.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let length = (high - low).max_element();
    if !(0.0..=LONGEST).contains(&length) {
        return Err(format!(
            "{}: {length:.0} m long; it is in another unit: give the <mesh> a scale, as \"0.001 0.001 0.001\" for millimetres",
            file.filename
        ));
    }
    if triangles.is_empty() {
        return Err(format!("{}: has no triangles", file.filename));
    }
    TriangleMesh::new(positions, triangles).map_err(|error| format!("{}: {error}", file.filename))
}

/// A superellipsoid that encloses a box, cylinder or capsule, by the inequality of norms.
fn enclosing(geometry: &Geometry) -> Option<Superellipsoid> {
    let grown = |radii: DVec3, exponents: [f64; 2], factor: f64| {
        Superellipsoid::new((radii * factor * (1.0 + 1e-12)).to_array(), exponents).ok()
    };
    match geometry {
        Geometry::Box { size } => grown(0.5 * *size, [ENCLOSING; 2], 3f64.powf(0.5 * ENCLOSING)),
        Geometry::Cylinder { radius, length } => {
            grown(DVec3::new(*radius, *radius, 0.5 * length), [1.0, ENCLOSING], 2f64.powf(0.5 * ENCLOSING))
        }
        Geometry::Capsule { radius, length } => {
            grown(DVec3::new(*radius, *radius, 0.5 * length + radius), [1.0, ENCLOSING], 2f64.powf(0.5 * ENCLOSING))
        }
        _ => None,
    }
}

/// A shape of the file as what it is.
fn primitive(geometry: &Geometry, origin: &Origin, options: &FitOptions) -> Result<ContactPart, RobotError> {
    let pose = origin.pose();
    if options.enclose_primitives
        && let Some(shape) = enclosing(geometry)
    {
        return Ok(ContactPart::new(shape, pose));
    }
    Ok(match geometry {
        Geometry::Sphere { radius } => ContactPart::new(Primitive::sphere(*radius)?, pose),
        Geometry::Box { size } => ContactPart::new(Primitive::cuboid((0.5 * *size).to_array())?, pose),
        Geometry::Cylinder { radius, length } => ContactPart::new(Primitive::cylinder(*radius, 0.5 * length)?, pose),
        Geometry::Capsule { radius, length } => ContactPart::new(Primitive::capsule(*radius, 0.5 * length)?, pose),
        Geometry::Superellipsoid(shape) => ContactPart::new(*shape, pose),
        Geometry::Superovoid(shape) => ContactPart::new(*shape, pose),
        Geometry::Mesh(_) => return Err(RobotError::Invalid("a mesh has to be fitted".into())),
    })
}
