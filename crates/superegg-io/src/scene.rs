//! Scene files in TOML: bodies, cloths, wind and a view, read into a [`Scene`] that can be run.
//!
//! Every refusal names the file, the line and the key. What a key means and may be is in the project's documentation.

use std::path::Path;

use glam::{DQuat, DVec3};
use serde::Deserialize;
use superegg::shape::{self, Shape};
use superegg::{InvalidInput, Legible, Pose};
use superegg_mesh::TriangleMesh;
use superegg_sim::scene::{Scene, View};
use superegg_sim::{
    Bending, Body, Cloth, Fabric, Friction, Motion, Obstacle, RestLength, SimError, Wind, World, Wrinkles, measure,
};
use thiserror::Error;
use toml::Spanned;

use crate::{ReadError, read_mesh};

/// Why a scene file was refused.
#[derive(Debug, Error)]
pub enum SceneError {
    /// It could not be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no TOML, or a key is unknown, missing or of the wrong type.
    #[error("{path}: {message}")]
    Syntax {
        /// The file.
        path: String,
        /// Line, column and key.
        message: String,
    },
    /// A value is out of its domain.
    #[error("{path}: line {line}: {message}")]
    Value {
        /// The file.
        path: String,
        /// Where the key is, counted from 1.
        line: usize,
        /// Key, value and what is allowed.
        message: String,
    },
}

/// The largest scene file.
const LARGEST_FILE: u64 = 16 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    seconds: Option<Spanned<f64>>,
    dt: Option<Spanned<f64>>,
    substeps: Option<Spanned<u32>>,
    gravity: Option<[f64; 3]>,
    wind: Option<Spanned<WindTable>>,
    view: Option<ViewTable>,
    #[serde(default)]
    body: Vec<Spanned<BodyTable>>,
    #[serde(default)]
    cloth: Vec<Spanned<ClothTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WindTable {
    velocity: [f64; 3],
    gusts: Option<f64>,
    density: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ViewTable {
    eye: [f64; 3],
    target: [f64; 3],
    field_of_view: Option<f64>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum ShapeType {
    Superellipsoid,
    Superovoid,
    Plane,
    Mesh,
}

impl ShapeType {
    /// With its article.
    fn name(self) -> &'static str {
        match self {
            ShapeType::Superellipsoid => "a superellipsoid",
            ShapeType::Superovoid => "a superovoid",
            ShapeType::Plane => "a plane",
            ShapeType::Mesh => "a mesh",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyTable {
    #[serde(rename = "type")]
    kind: ShapeType,
    radii: Option<[f64; 3]>,
    exponents: Option<[f64; 2]>,
    taper: Option<[f64; 2]>,
    normal: Option<[f64; 3]>,
    offset: Option<f64>,
    file: Option<String>,
    scale: Option<f64>,
    position: Option<[f64; 3]>,
    orientation: Option<[f64; 4]>,
    velocity: Option<[f64; 3]>,
    angular_velocity: Option<[f64; 3]>,
    friction: Option<[f64; 2]>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BendingName {
    None,
    Isometric,
    Dihedral,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TetherName {
    Euclidean,
    Geodesic,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClothTable {
    mesh: Option<String>,
    vertices: Option<[usize; 2]>,
    size: Option<[f64; 2]>,
    corner: Option<[f64; 3]>,
    #[serde(default)]
    pins: Vec<usize>,
    density: Option<f64>,
    compliance: Option<[f64; 3]>,
    compression_compliance: Option<f64>,
    strain_limit: Option<f64>,
    bending: Option<BendingName>,
    bending_compliance: Option<f64>,
    tethers: Option<TetherName>,
    offset: Option<f64>,
    self_separation: Option<f64>,
    friction: Option<[f64; 2]>,
    damping: Option<f64>,
    internal_damping: Option<f64>,
    wrinkles: Option<WrinklesTable>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrinklesTable {
    level: u32,
    reach: Option<f64>,
}

/// Reads a scene file. Mesh files are looked for beside it.
pub fn read_scene(path: &Path) -> Result<Scene, SceneError> {
    let name = path.display().to_string();
    let io = |source| SceneError::Io { path: name.clone(), source };
    let size = std::fs::metadata(path).map_err(io)?.len();
    if size > LARGEST_FILE {
        let source = std::io::Error::other(format!("{size} bytes are more than a scene needs"));
        return Err(SceneError::Io { path: name, source });
    }
    let text = std::fs::read_to_string(path).map_err(io)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let title = path.file_stem().map_or_else(|| "scene".to_owned(), |stem| stem.to_string_lossy().into_owned());
    parse_scene(&text, &name, &title, folder)
}

/// Makes a scene of a file's text; `path` names it in messages, meshes are looked for in `folder`.
///
/// ```
/// use superegg_io::scene::parse_scene;
/// let text = r#"
///     seconds = 1.0
///     [[body]]
///     type = "superellipsoid"
///     radii = [1, 1, 0.5]
///     exponents = [0.5, 0.5]
///     [[cloth]]
///     vertices = [20, 20]
///     size = [3, 3]
///     corner = [-1.5, -1.5, 1.0]
/// "#;
/// let scene = parse_scene(text, "table.toml", "table", ".".as_ref())?;
/// assert_eq!(scene.world.particles().len(), 400);
/// let broken = parse_scene(&text.replace("[0.5, 0.5]", "[0.5, 2.5]"), "table.toml", "table", ".".as_ref());
/// assert_eq!(broken.unwrap_err().to_string(), "table.toml: line 6: exponents[1]: 2.5 is outside ]0, 2[");
/// # Ok::<(), superegg_io::scene::SceneError>(())
/// ```
pub fn parse_scene(text: &str, path: &str, name: &str, folder: &Path) -> Result<Scene, SceneError> {
    let file: File = toml::from_str(text).map_err(|error| SceneError::Syntax {
        path: path.to_owned(),
        message: error.to_string().trim_end().to_owned(),
    })?;
    let refuse = Refuser { text, path };
    let mut world = World::new();
    if let Some(gravity) = file.gravity {
        world.gravity = DVec3::from(gravity);
        if !world.gravity.is_finite() {
            return Err(refuse.value(0, "gravity", "gravity: only finite numbers are allowed".to_owned()));
        }
    }
    if let Some(wind) = &file.wind {
        let table = wind.get_ref();
        let still = Wind::default();
        let wind_value = Wind {
            velocity: DVec3::from(table.velocity),
            gusts: table.gusts.unwrap_or(0.0),
            density: table.density.unwrap_or(still.density),
        };
        let sound = wind_value.velocity.is_finite() && wind_value.gusts >= 0.0 && wind_value.density >= 0.0;
        if !sound {
            let message = "wind: velocity must be finite, gusts and density not negative".to_owned();
            return Err(refuse.value(wind.span().start, "velocity", message));
        }
        world.wind = Some(wind_value);
    }
    for table in &file.body {
        let start = table.span().start;
        let added = table.get_ref().add_to(&mut world, folder).map_err(|refusal| refuse.refusal(start, refusal))?;
        added.map_err(|error| refuse.sim(start, error))?;
    }
    for table in &file.cloth {
        let start = table.span().start;
        let own = table.get_ref();
        let cloth = own.cloth(folder).map_err(|refusal| refuse.refusal(start, refusal))?;
        let id = world.add_cloth(&cloth, &own.fabric()).map_err(|error| refuse.sim(start, error))?;
        if let Some(WrinklesTable { level, reach }) = own.wrinkles {
            let reach = reach.unwrap_or(Wrinkles::NATURAL_REACH * world.edge_length(id));
            world.set_wrinkles(id, Some(Wrinkles { level, reach })).map_err(|error| refuse.sim(start, error))?;
        }
        if measure::obstacle_intersections(&world) > 0 {
            let message = "the cloth passes through a mesh where it begins".to_owned();
            return Err(refuse.value(start, "corner", message));
        }
    }
    let number = |given: &Option<Spanned<f64>>, key: &str, default: f64, most: f64| match given {
        None => Ok(default),
        Some(value) if *value.get_ref() > 0.0 && *value.get_ref() <= most => Ok(*value.get_ref()),
        Some(value) => {
            let message = format!("{key}: {} is outside ]0, {most}]", Legible(*value.get_ref()));
            Err(refuse.value(value.span().start, key, message))
        }
    };
    let substeps = file.substeps.as_ref().map_or(5, |value| *value.get_ref());
    if !(1..=10_000).contains(&substeps) {
        let start = file.substeps.as_ref().map_or(0, |value| value.span().start);
        return Err(refuse.value(start, "substeps", format!("substeps: {substeps} is outside [1, 10000]")));
    }
    let view = file.view.as_ref().map_or_else(
        || default_view(&world),
        |view| View {
            eye: DVec3::from(view.eye),
            target: DVec3::from(view.target),
            field_of_view: view.field_of_view.unwrap_or(40.0),
        },
    );
    Ok(Scene {
        name: name.to_owned(),
        dt: number(&file.dt, "dt", 0.005, 1.0)?,
        seconds: number(&file.seconds, "seconds", 5.0, 1e5)?,
        substeps,
        hands: Vec::new(),
        view,
        world,
    })
}

/// A view that holds all particles.
fn default_view(world: &World) -> View {
    let positions = &world.particles().position;
    let low = positions.iter().copied().reduce(DVec3::min).unwrap_or(-DVec3::ONE);
    let high = positions.iter().copied().reduce(DVec3::max).unwrap_or(DVec3::ONE);
    let target = 0.5 * (low + high);
    let eye = target + DVec3::new(0.5, -0.75, 0.5) * ((high - low).length() * 1.6).max(0.1);
    View { eye, target, field_of_view: 40.0 }
}

/// Why a table was refused: the key to blame and what to say.
struct Refusal {
    key: String,
    message: String,
}

impl Refusal {
    fn missing(key: &str, of: &str) -> Refusal {
        Refusal { key: String::new(), message: format!("{key} is missing: {of} needs it") }
    }

    fn surplus(key: &str, of: &str) -> Refusal {
        Refusal { key: key.to_owned(), message: format!("{key}: {of} has none") }
    }
}

impl From<InvalidInput> for Refusal {
    fn from(refused: InvalidInput) -> Refusal {
        let key = refused.field.split(['[', '.']).next().unwrap_or_default().to_owned();
        Refusal { key, message: refused.to_string() }
    }
}

/// Finds the lines that messages name.
struct Refuser<'a> {
    text: &'a str,
    path: &'a str,
}

impl Refuser<'_> {
    /// Blames a key of the table that starts at a byte.
    fn value(&self, start: usize, key: &str, message: String) -> SceneError {
        let first = self.text[..start.min(self.text.len())].matches('\n').count();
        let own = self.text.lines().enumerate().skip(first);
        let mut within = own.take_while(|(index, line)| *index == first || !line.trim_start().starts_with('['));
        let names = |line: &str| {
            let rest = line.trim_start().strip_prefix(key).unwrap_or("#");
            rest.trim_start().starts_with('=')
        };
        let line = within.find(|(_, line)| !key.is_empty() && names(line)).map_or(first, |(index, _)| index) + 1;
        SceneError::Value { path: self.path.to_owned(), line, message }
    }

    fn refusal(&self, start: usize, refusal: Refusal) -> SceneError {
        self.value(start, &refusal.key, refusal.message)
    }

    fn sim(&self, start: usize, error: SimError) -> SceneError {
        match error {
            SimError::InvalidInput(refused) => self.refusal(start, refused.into()),
            SimError::NoSuch { what: "vertex", .. } => self.value(start, "pins", format!("pins: {error}")),
            other => self.value(start, "", other.to_string()),
        }
    }
}

fn friction(given: Option<[f64; 2]>) -> Friction {
    given.map_or(Friction::default(), |[fixed, sliding]| Friction { fixed, sliding })
}

impl BodyTable {
    /// Adds the body or the mesh that it describes; the inner error is the world's.
    fn add_to(&self, world: &mut World, folder: &Path) -> Result<Result<(), SimError>, Refusal> {
        self.refuse_surplus()?;
        let orientation = DQuat::from_array(self.orientation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
        let pose = Pose::new(orientation, DVec3::from(self.position.unwrap_or([0.0; 3])))?;
        let velocity = self.velocity.map_or(DVec3::ZERO, DVec3::from);
        let angular_velocity = self.angular_velocity.map_or(DVec3::ZERO, DVec3::from);
        let friction = friction(self.friction);
        if let ShapeType::Mesh = self.kind {
            let mesh = self.mesh(folder)?;
            let obstacle = Obstacle { friction, ..Obstacle::kinematic(mesh, pose, velocity, angular_velocity) };
            return Ok(world.add_obstacle(&obstacle).map(|_| ()));
        }
        let moves = velocity != DVec3::ZERO || angular_velocity != DVec3::ZERO;
        let motion = if moves { Motion::Kinematic } else { Motion::Fixed };
        let body = Body { motion, friction, ..Body::kinematic(self.shape()?, pose, velocity, angular_velocity) };
        Ok(world.add_body(body).map(|_| ()))
    }

    /// Refuses keys that other kinds of bodies have.
    fn refuse_surplus(&self) -> Result<(), Refusal> {
        use ShapeType::{Mesh, Plane, Superellipsoid, Superovoid};
        let smooth: &[ShapeType] = &[Superellipsoid, Superovoid];
        let keys: [(&str, bool, &[ShapeType]); 7] = [
            ("radii", self.radii.is_some(), smooth),
            ("exponents", self.exponents.is_some(), smooth),
            ("taper", self.taper.is_some(), &[Superovoid]),
            ("normal", self.normal.is_some(), &[Plane]),
            ("offset", self.offset.is_some(), &[Plane]),
            ("file", self.file.is_some(), &[Mesh]),
            ("scale", self.scale.is_some(), &[Mesh]),
        ];
        match keys.into_iter().find(|(_, given, of)| *given && !of.contains(&self.kind)) {
            Some((key, ..)) => Err(Refusal::surplus(key, self.kind.name())),
            None => Ok(()),
        }
    }

    fn shape(&self) -> Result<Shape, Refusal> {
        let need = |key: &str| Refusal::missing(key, self.kind.name());
        if let ShapeType::Plane = self.kind {
            let normal = self.normal.ok_or_else(|| need("normal"))?;
            return Ok(shape::Plane::new(DVec3::from(normal), self.offset.unwrap_or(0.0))?.into());
        }
        let radii = self.radii.ok_or_else(|| need("radii"))?;
        let exponents = self.exponents.ok_or_else(|| need("exponents"))?;
        Ok(match self.kind {
            ShapeType::Superovoid => {
                shape::Superovoid::new(radii, exponents, self.taper.ok_or_else(|| need("taper"))?)?.into()
            }
            _ => shape::Superellipsoid::new(radii, exponents)?.into(),
        })
    }

    /// The mesh of the file, scaled.
    fn mesh(&self, folder: &Path) -> Result<TriangleMesh, Refusal> {
        let blame = |key: &str, message: String| Refusal { key: key.to_owned(), message };
        let file = self.file.as_ref().ok_or_else(|| Refusal::missing("file", self.kind.name()))?;
        let scale = self.scale.unwrap_or(1.0);
        if !(scale > 0.0 && scale <= 1e6) {
            return Err(blame("scale", format!("scale: {} is outside ]0, 1000000]", Legible(scale))));
        }
        let (mut positions, triangles) =
            read_mesh(&folder.join(file)).map_err(|error| blame("file", format!("file: {error}")))?.into_parts();
        positions.iter_mut().for_each(|position| *position *= scale);
        if triangles.is_empty() {
            return Err(blame("file", format!("file: {file} has no triangles")));
        }
        TriangleMesh::new(positions, triangles).map_err(|error| blame("scale", format!("scale: {error}")))
    }
}

impl ClothTable {
    fn cloth(&self, folder: &Path) -> Result<Cloth, Refusal> {
        let corner = DVec3::from(self.corner.unwrap_or([0.0; 3]));
        let blame = |key: &str, message: String| Refusal { key: key.to_owned(), message };
        if !corner.is_finite() {
            return Err(blame("corner", "corner: only finite numbers are allowed".to_owned()));
        }
        if let Some(file) = &self.mesh {
            if self.vertices.is_some() || self.size.is_some() {
                return Err(blame("vertices", "vertices, size: a cloth with a mesh has none".to_owned()));
            }
            let mesh =
                read_mesh(&folder.join(file)).map_err(|error: ReadError| blame("mesh", format!("mesh: {error}")))?;
            return Ok(Cloth { mesh, pins: self.pins.clone() });
        }
        let need = |key: &str| Refusal::missing(key, "a cloth without a mesh");
        let vertices = self.vertices.ok_or_else(|| need("vertices"))?;
        let size = self.size.ok_or_else(|| need("size"))?;
        if vertices.iter().any(|n| !(2..=2000).contains(n)) {
            return Err(blame("vertices", format!("vertices: {vertices:?} is outside [2, 2000] each way")));
        }
        if size.iter().any(|s| !(*s > 0.0 && *s <= 1e6)) {
            return Err(blame("size", format!("size: {size:?} is outside ]0, 1000000] each way")));
        }
        Ok(Cloth::grid(vertices, size, corner).pinned(self.pins.iter().copied()))
    }

    fn fabric(&self) -> Fabric {
        let cotton = Fabric::default();
        Fabric {
            density: self.density.unwrap_or(cotton.density),
            compliance: self.compliance.unwrap_or(cotton.compliance),
            compression_compliance: self.compression_compliance.unwrap_or(cotton.compression_compliance),
            strain_limit: self.strain_limit.unwrap_or(cotton.strain_limit),
            bending: self.bending.map_or(cotton.bending, |name| match name {
                BendingName::None => Bending::None,
                BendingName::Isometric => Bending::Isometric,
                BendingName::Dihedral => Bending::Dihedral,
            }),
            bending_compliance: self.bending_compliance.unwrap_or(cotton.bending_compliance),
            tethers: self.tethers.map(|name| match name {
                TetherName::Euclidean => RestLength::Euclidean,
                TetherName::Geodesic => RestLength::Geodesic,
            }),
            offset: self.offset.unwrap_or(cotton.offset),
            self_separation: self.self_separation,
            friction: friction(self.friction),
            damping: self.damping.unwrap_or(cotton.damping),
            internal_damping: self.internal_damping.unwrap_or(cotton.internal_damping),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superegg_sim::ObstacleId;

    const GOOD: &str = "seconds = 1\n\n[[body]]\ntype = \"plane\"\nnormal = [0, 0, 1]\n\n[[cloth]]\nvertices = [3, 3]\nsize = [1, 1]\npins = [0]\n";

    fn message(text: &str) -> String {
        parse_scene(text, "s.toml", "s", Path::new(".")).unwrap_err().to_string()
    }

    #[test]
    fn refusals_name_line_and_key() {
        parse_scene(GOOD, "s.toml", "s", Path::new(".")).unwrap();
        let cases = [
            ("seconds = 1", "seconds = -1", ["line 1", "seconds: -1"]),
            ("size = [1, 1]", "size = [1, 0]", ["line 9", "size"]),
            ("pins = [0]", "pins = [9]", ["line 10", "vertex 9 does not exist"]),
            ("pins = [0]", "density = 0", ["line 10", "density: 0 is outside"]),
            ("pins = [0]", "friction = [0.1, 0.2]", ["line 10", "friction.dynamic"]),
            ("pins = [0]", "wrinkles = { level = 5 }", ["line 10", "wrinkles.level: 5"]),
            ("pins = [0]", "wrinkles = { level = 1, reach = 0 }", ["line 10", "wrinkles.reach: 0"]),
            ("pins = [0]", "wrinkles = { reach = 0.1 }", ["line 10", "missing field `level`"]),
            ("pins = [0]", "pin = [0]", ["line 10", "unknown field `pin`"]),
            ("normal = [0, 0, 1]", "normal = [0, 0, 0]", ["line 5", "normal"]),
            ("normal = [0, 0, 1]", "", ["line 3", "normal is missing"]),
            ("normal = [0, 0, 1]", "normal = [0, 0]", ["line 5", "invalid length 2"]),
            ("[[cloth]]", "[[cloth]", ["line 7", "TOML parse error"]),
            ("vertices = [3, 3]", "vertices = [3, 100000]", ["line 8", "vertices"]),
            ("type = \"plane\"", "type = \"torus\"", ["line 4", "unknown variant `torus`"]),
        ];
        for (from, to, wanted) in cases {
            let said = message(&GOOD.replace(from, to));
            assert!(wanted.iter().all(|part| said.contains(part)), "{to}: {said}");
        }
    }

    #[test]
    fn a_mesh_is_read_from_beside_the_scene_file() {
        let folder = tempfile::tempdir().unwrap();
        let roof = "v -1 -1 0\nv 1 -1 0\nv 1 1 0.5\nv -1 1 0.5\nf 1 2 3 4\n";
        std::fs::write(folder.path().join("roof.obj"), roof).unwrap();
        std::fs::write(folder.path().join("empty.obj"), "v 0 0 0\n").unwrap();
        let text = "[[body]]\ntype = \"mesh\"\nfile = \"roof.obj\"\nscale = 2\nposition = [0, 0, 1]\n\
                    angular_velocity = [0, 0, 3]\nfriction = [0.2, 0.1]\n\n\
                    [[cloth]]\nvertices = [3, 3]\nsize = [1, 1]\ncorner = [-0.5, -0.5, 2.1]\n";
        let read = |text: &str| parse_scene(text, "s.toml", "s", folder.path());
        let scene = read(text).unwrap();
        let world = &scene.world;
        assert_eq!((world.obstacle_count(), world.cloth_count()), (1, 1));
        let corners = world.obstacle_positions(ObstacleId(0));
        assert_eq!(corners, [[-2.0, -2.0, 1.0], [2.0, -2.0, 1.0], [2.0, 2.0, 2.0], [-2.0, 2.0, 2.0]].map(DVec3::from));
        assert!(world.particles().position.iter().all(|p| p.distance(scene.view.target) < scene.view.eye.length()));
        let cases = [
            ("roof.obj", "wall.obj", ["line 3", "file: "]),
            ("roof.obj", "roof.txt", ["line 3", "unknown kind of mesh file"]),
            ("roof.obj", "empty.obj", ["line 3", "no triangles"]),
            ("file = \"roof.obj\"", "", ["line 1", "file is missing: a mesh needs it"]),
            ("scale = 2", "scale = -1", ["line 4", "scale: -1 is outside"]),
            ("scale = 2", "scale = nan", ["line 4", "scale: NaN is outside"]),
            ("scale = 2", "radii = [1, 1, 1]", ["line 4", "radii: a mesh has none"]),
            ("position = [0, 0, 1]", "position = [0, nan, 1]", ["line 5", "position"]),
            ("friction = [0.2, 0.1]", "orientation = [0, 0, 0, 0]", ["line 7", "orientation"]),
            ("angular_velocity = [0, 0, 3]", "angular_velocity = [0, 0, inf]", ["line 6", "angular_velocity"]),
            ("corner = [-0.5, -0.5, 2.1]", "corner = [-0.5, -0.5, 1.52]", ["line 12", "passes through a mesh"]),
            ("type = \"mesh\"", "type = \"plane\"\nnormal = [0, 0, 1]", ["line 4", "file: a plane has none"]),
        ];
        for (from, to, wanted) in cases {
            let said = read(&text.replace(from, to)).unwrap_err().to_string();
            assert!(wanted.iter().all(|part| said.contains(part)), "{to}: {said}");
        }
    }
}
