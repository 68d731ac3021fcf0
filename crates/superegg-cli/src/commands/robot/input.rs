//! What the actions read: the robot, its contact geometry, configurations, trajectories, obstacles.

use std::path::{Path, PathBuf};

use superegg::{Pose, Threads};
use superegg_fit::{Containment, Count, PartsOptions, Target, fit_parts};
use superegg_mesh::TriangleMesh;
use superegg_robot::collide::{AllowedCollisions, CollisionModel};
use superegg_robot::contact_geometry::{ContactGeometry, ContactPart, FitOptions};
use superegg_robot::hand::{HandShapes, Side, built_in_hand};
use superegg_robot::kinematics::Kinematics;
use superegg_robot::model::Robot;
use superegg_robot::srdf::{self, Srdf};
use superegg_robot::{Diagnostic, ReadOptions, read_file};
use superegg_world::geometry::Geometry;

use super::refused;
use crate::commands::fit_options::{ShapeName, check_max_error, parse_count};
use crate::error::CliError;
use crate::json::geometry::read_general_body;
use crate::json::{Field, parse};
use crate::progress::Progress;

/// A robot and all that was said about its files.
pub struct Loaded {
    pub robot: Robot,
    pub kinematics: Kinematics,
    pub diagnostics: Vec<Diagnostic>,
    pub srdf: Option<Srdf>,
}

impl Loaded {
    pub fn new(file: &Path, packages: &[PathBuf], strict: bool, srdf: Option<&Path>) -> Result<Loaded, CliError> {
        let built_in = match file.to_str() {
            Some("right-hand") if !file.exists() => Some(Side::Right),
            Some("left-hand") if !file.exists() => Some(Side::Left),
            _ => None,
        };
        let (robot, diagnostics) = match built_in {
            Some(side) => (built_in_hand(side, HandShapes::Mixed).map_err(refused)?, Vec::new()),
            None => {
                let options = ReadOptions { package_path: packages.to_vec(), strict };
                let loaded = read_file(file, &options).map_err(refused)?;
                (loaded.robot, loaded.diagnostics)
            }
        };
        let kinematics = Kinematics::new(&robot);
        let mut made = Loaded { robot, kinematics, diagnostics, srdf: None };
        if let Some(path) = srdf {
            let (read, said) = srdf::read_file(path).map_err(refused)?;
            if strict && let Some(first) = said.first() {
                return Err(CliError::Usage(format!("{}: {first}", path.display())));
            }
            made.diagnostics.extend(said);
            made.srdf = Some(read);
        }
        Ok(made)
    }

    /// Lets links touch that the SRDF says may; names of links that the robot does not have are reported.
    pub fn allow_by_srdf(&self, allowed: &mut AllowedCollisions) {
        if let Some(srdf) = &self.srdf {
            let unknown = srdf.allow(&self.robot, allowed);
            if let Some(first) = unknown.first() {
                eprintln!(
                    "superegg: note: the SRDF names {} links that the robot does not have, as {first}",
                    unknown.len()
                );
            }
        }
    }

    /// The robot with its contact geometry and obstacles.
    pub fn model(&self, geometry: &ContactGeometry, obstacles: &[ContactPart]) -> Result<CollisionModel, CliError> {
        let mut allowed = AllowedCollisions::adjacent(&self.robot, &self.kinematics);
        self.allow_by_srdf(&mut allowed);
        CollisionModel::new(&self.robot, geometry, &allowed, obstacles).map_err(refused)
    }

    /// A configuration from `--state` and `--joints`.
    pub fn configuration(&self, choice: &Configuration) -> Result<Vec<f64>, CliError> {
        let mut values: Vec<(String, f64)> = Vec::new();
        if let Some(name) = &choice.state {
            let states = self.srdf.as_ref().map(|srdf| srdf.states.as_slice()).unwrap_or_default();
            let Some(state) = states.iter().find(|state| &state.name == name) else {
                let known: Vec<&str> = states.iter().map(|state| state.name.as_str()).collect();
                let hint = if known.is_empty() { "give an --srdf that has it".into() } else { known.join(", ") };
                return Err(CliError::Usage(format!("--state: there is no state {name:?}: {hint}")));
            };
            // States name mimics and fixed joints too.
            let leads = |joint: &str| self.robot.joint(joint).is_some_and(|j| self.robot.joints[j].mimic.is_none());
            values.extend(state.joints.iter().filter(|(joint, _)| leads(joint)).cloned());
        }
        for pair in choice.joints.iter().flat_map(|list| list.split(',')).filter(|pair| !pair.trim().is_empty()) {
            let parsed = pair.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
            let (name, value) = parsed.ok_or_else(|| {
                CliError::Usage(format!("--joints: {:?} is not of the form joint=number", pair.trim()))
            })?;
            values.push((name.to_owned(), value));
        }
        let named = values.iter().map(|(name, value)| (name.as_str(), *value));
        self.kinematics.configuration(&self.robot, named).map_err(refused)
    }
}

/// Where the joints are.
#[derive(clap::Args)]
pub struct Configuration {
    /// Positions of joints in radians or metres; others are at zero, or as near to it as they can
    #[arg(long, value_name = "J1=0.1,J2=…")]
    joints: Vec<String>,
    /// A named state of the SRDF
    #[arg(long, value_name = "NAME")]
    state: Option<String>,
}

/// How meshes become smooth.
#[derive(clap::Args)]
pub struct Fitting {
    /// Smooth parts for the meshes of a link: a number up to 256, or `auto` for as many as the error needs
    #[arg(long, value_name = "N|auto", default_value = "1", value_parser = parse_count)]
    parts: Count,
    /// How far meshes may commonly be from the surface, in metres
    #[arg(long, value_name = "D")]
    max_error: Option<f64>,
    /// Which shapes to fit
    #[arg(long, value_enum, default_value_t = ShapeName::Superovoid)]
    shape: ShapeName,
    /// Surfaces go through the meshes instead of enclosing them, which is closer but proves nothing
    #[arg(long)]
    through: bool,
    /// Boxes, cylinders and capsules become superellipsoids that enclose them, instead of staying what they are
    #[arg(long)]
    enclose_primitives: bool,
    /// Use what is seen of links even where they have collision geometry
    #[arg(long)]
    visual: bool,
}

impl Fitting {
    pub fn options(&self) -> Result<FitOptions, CliError> {
        check_max_error(self.max_error, 1e3)?;
        Ok(FitOptions {
            family: self.shape.into(),
            containment: if self.through { Containment::Free } else { Containment::Enclose },
            count: self.parts,
            max_error: self.max_error,
            enclose_primitives: self.enclose_primitives,
            visual: self.visual,
        })
    }

    /// The contact geometry of a robot; meshes that cannot be used are reported on standard error.
    pub fn geometry(&self, loaded: &Loaded) -> Result<ContactGeometry, CliError> {
        let made = self.fitted(loaded)?;
        made.diagnostics.iter().for_each(|told| eprintln!("superegg: {told}"));
        Ok(made)
    }

    /// The same for a caller that reports these meshes itself.
    pub fn fitted(&self, loaded: &Loaded) -> Result<ContactGeometry, CliError> {
        let mut progress = Progress::of_percent();
        let (mut done, links) = (0, loaded.robot.links.len().max(1));
        let mut told = |link: usize| {
            let percent = (100 * link / links) as u64;
            progress.advance(percent - done);
            done = percent;
        };
        let made = ContactGeometry::new(&loaded.robot, &self.options()?, &mut told).map_err(refused)?;
        progress.finish();
        if made.parts().next().is_none() {
            let of_meshes = loaded.diagnostics.iter().filter(|told| told.element == "mesh");
            let why: Vec<String> = of_meshes.chain(&made.diagnostics).take(3).map(ToString::to_string).collect();
            let why = if why.is_empty() { "there are none".to_owned() } else { why.join("; ") };
            let message =
                format!("the robot has no contact geometry, neither shapes nor meshes that can be used: {why}");
            return Err(CliError::Usage(message));
        }
        Ok(made)
    }
}

/// Shapes from a JSON file: one body (a shape, a compound, a mesh) or a list of them.
pub fn read_bodies(path: &Path) -> Result<Vec<ContactPart>, CliError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|source| CliError::Read { name: name.clone(), source })?;
    let wrong = |refusal: crate::json::Refusal| {
        let field = refusal.field.map_or(String::new(), |field| format!("{field}: "));
        CliError::Usage(format!("{name}: {field}{}", refusal.message))
    };
    let document = parse(text.as_bytes()).map_err(wrong)?;
    let top = Field::top(&document);
    let mut parts = Vec::new();
    let fields = if top.object().is_ok() { vec![top] } else { top.items("bodies").map_err(wrong)? };
    for field in fields {
        let body = read_general_body(&field).map_err(wrong)?;
        parts.extend(contact_parts(&body.form, &body.pose, &name)?);
    }
    if parts.is_empty() {
        return Err(CliError::Usage(format!("{name}: there is no body in it")));
    }
    Ok(parts)
}

fn contact_parts(form: &Geometry, pose: &Pose, name: &str) -> Result<Vec<ContactPart>, CliError> {
    Ok(match form {
        Geometry::Shape(shape) => vec![ContactPart::new(shape.clone(), *pose)],
        Geometry::Compound(compound) => {
            compound.parts().iter().map(|part| ContactPart::new(part.shape.clone(), pose.compose(&part.pose))).collect()
        }
        Geometry::Mesh(mesh) => {
            let wrong = |error: String| CliError::Usage(format!("{name}: {error}"));
            let copy = TriangleMesh::new(mesh.positions().to_vec(), mesh.topology().triangles().to_vec());
            let target =
                Target::from_mesh(copy.map_err(|e| wrong(e.to_string()))?).map_err(|e| wrong(e.to_string()))?;
            let options = PartsOptions {
                containment: Containment::Enclose,
                count: Count::Auto,
                threads: Threads::All,
                ..PartsOptions::default()
            };
            let found = fit_parts(&target, &options, &mut |_| {}).map_err(|e| wrong(e.to_string()))?;
            found.parts.iter().map(|part| ContactPart::new(part.shape, pose.compose(&part.pose))).collect()
        }
        Geometry::Superquadric(_) => {
            let message = format!(
                "{name}: a {} is not convex; give superellipsoids, superovoids, compounds or meshes",
                form.name()
            );
            return Err(CliError::Usage(message));
        }
    })
}

/// A trajectory: a header of joint names, then a line a sample.
pub fn read_trajectory(path: &Path, loaded: &Loaded) -> Result<Vec<Vec<f64>>, CliError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|source| CliError::Read { name: name.clone(), source })?;
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let wrong = |line: usize, message: String| CliError::Usage(format!("{name}: line {line}: {message}"));
    let Some((first, header)) = lines.next() else {
        return Err(wrong(1, "the file is empty; it begins with a line of joint names".into()));
    };
    let joints: Vec<&str> = header.split(',').map(|word| word.trim().trim_matches('"')).collect();
    let zeros = joints.iter().map(|joint| (*joint, 0.0));
    loaded.kinematics.configuration(&loaded.robot, zeros).map_err(|error| wrong(first, error.to_string()))?;
    let mut samples = Vec::new();
    for (number, line) in lines {
        let words: Vec<&str> = line.split(',').map(str::trim).collect();
        if words.len() != joints.len() {
            return Err(wrong(number, format!("{} numbers for {} joints", words.len(), joints.len())));
        }
        let mut values = Vec::with_capacity(words.len());
        for (joint, word) in joints.iter().zip(words) {
            let value: f64 = word.parse().map_err(|_| wrong(number, format!("{joint}: {word:?} is not a number")))?;
            values.push((*joint, value));
        }
        let sample =
            loaded.kinematics.configuration(&loaded.robot, values).map_err(|e| wrong(number, e.to_string()))?;
        samples.push(sample);
    }
    if samples.is_empty() {
        return Err(wrong(first, "there are no samples below the joint names".into()));
    }
    Ok(samples)
}
