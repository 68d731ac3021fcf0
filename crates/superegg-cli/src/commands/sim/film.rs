//! `--frames FILE.glb`: a run as one animated glTF file.

use std::ffi::OsStr;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use superegg::DVec3;
use superegg::shape::Shape;
use superegg_io::gltf::{Camera, Film, FilmError, MOST_FRAMES, Mesh, MeshId, Paint, State};
use superegg_sim::rigid::RigidId;
use superegg_sim::rigid::scene::RigidScene;
use superegg_sim::scene::{Scene, View};
use superegg_sim::{ClothId, ObstacleId, SoftId, World};
use superegg_world::geometry::Geometry;

use super::frame::{BODIES, CLOTHS, GINGHAM, OBSTACLE, SOFT, mesh_of, squares};
use super::{Args, rigid};
use crate::error::CliError;

fn refused(error: FilmError) -> CliError {
    CliError::Usage(error.to_string())
}

/// Whether frames go to one film rather than to a folder.
pub fn is_film(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("glb"))
}

/// Steps from frame to frame. A film has a bounded number of frames: long runs get fewer a second.
pub fn stride(args: &Args, steps: usize, dt: f64) -> Result<usize, CliError> {
    let usual = ((0.04 / dt).round() as usize).max(1);
    let film = args.frames.as_deref().is_some_and(is_film);
    let least = if film { steps.div_ceil(MOST_FRAMES - 1).max(1) } else { 1 };
    match args.every {
        None => Ok(usual.max(least)),
        Some(every) if every as usize >= least => Ok(every as usize),
        Some(_) => Err(CliError::Usage(format!(
            "--every: a film has at most {MOST_FRAMES} frames, so of {steps} steps every {least}th at most"
        ))),
    }
}

/// A film in the making and where it is to go.
pub struct Recorder {
    film: Film,
    path: PathBuf,
    /// The bodies of a rigid scene that are seen.
    shown: Vec<RigidId>,
}

impl Recorder {
    fn new(name: &str, view: &View, path: &Path) -> Recorder {
        let View { eye, target, field_of_view } = *view;
        let film = Film::new(name, Some(Camera { eye, target, field_of_view }));
        Recorder { film, path: path.to_owned(), shown: Vec::new() }
    }

    /// For a scene of cloth, if a film was asked for.
    pub fn of_scene(args: &Args, scene: &Scene) -> Result<Option<Recorder>, CliError> {
        let Some(path) = args.frames.as_deref().filter(|path| is_film(path)) else { return Ok(None) };
        let mut recorder = Recorder::new(&scene.name, &scene.view, path);
        let film = &mut recorder.film;
        let world = &scene.world;
        for (index, body) in world.bodies().iter().enumerate() {
            let mesh = match &body.shape {
                Shape::Plane(plane) => floor(plane.normal(), plane.offset(), &scene.view),
                _ => {
                    let soup = mesh_of(body).map_err(|error| CliError::Usage(error.to_string()))?;
                    let paint = Paint::Plain(BODIES[index % BODIES.len()]);
                    Mesh { positions: soup.vertices, triangles: soup.triangles, paint }
                }
            };
            let id = film.add_mesh(&mesh).map_err(refused)?;
            film.add_rigid(&format!("body{index}"), id);
        }
        for obstacle in (0..world.obstacle_count()).map(ObstacleId) {
            let (positions, triangles) = (world.obstacle_vertices(obstacle), world.obstacle_triangles(obstacle));
            let paint = Paint::Plain(OBSTACLE);
            let mesh = Mesh { positions: positions.to_vec(), triangles: triangles.to_vec(), paint };
            let id = film.add_mesh(&mesh).map_err(refused)?;
            film.add_rigid(&format!("mesh{}", obstacle.0), id);
        }
        for cloth in (0..world.cloth_count()).map(ClothId) {
            film.add_soft(&format!("cloth{}", cloth.0), &cloth_mesh(world, cloth)).map_err(refused)?;
        }
        for solid in (0..world.soft_solid_count()).map(SoftId) {
            let positions = world.soft_solid_positions(solid).to_vec();
            let triangles = world.soft_solid_triangles(solid).to_vec();
            let mesh = Mesh { positions, triangles, paint: Paint::Plain(SOFT) };
            film.add_soft(&format!("soft{}", solid.0), &mesh).map_err(refused)?;
        }
        Ok(Some(recorder))
    }

    /// Adds a frame of a scene of cloth.
    pub fn shoot_scene(&mut self, scene: &Scene) -> Result<(), CliError> {
        let world = &scene.world;
        let bodies = world.bodies().iter().map(|body| State::Placed(body.pose));
        let meshes = (0..world.obstacle_count()).filter_map(|index| world.obstacle_pose(ObstacleId(index)));
        let meshes = meshes.map(State::Placed);
        let cloths = (0..world.cloth_count()).map(|index| State::Shaped(world.skin_positions(ClothId(index))));
        let solids =
            (0..world.soft_solid_count()).map(|index| State::Shaped(world.soft_solid_positions(SoftId(index))));
        let states: Vec<State> = bodies.chain(meshes).chain(cloths).chain(solids).collect();
        self.film.push_frame(world.time, &states).map_err(refused)
    }

    /// For a scene of rigid bodies, if a film was asked for.
    pub fn of_rigid(args: &Args, scene: &RigidScene) -> Result<Option<Recorder>, CliError> {
        let Some(path) = args.frames.as_deref().filter(|path| is_film(path)) else { return Ok(None) };
        let mut recorder = Recorder::new(scene.name, &scene.view, path);
        // Bodies of one shape and colour share a mesh.
        let mut known: Vec<(Shape, usize, MeshId)> = Vec::new();
        for body in (0..scene.world.len()).map(RigidId) {
            let geometry = scene.world.geometry(body).map_err(rigid::usage)?;
            let colour = body.0 % rigid::COLOURS.len();
            let shape = if let Geometry::Shape(shape) = geometry { Some(*shape) } else { None };
            let same = known.iter().find(|(other, tint, _)| Some(*other) == shape && *tint == colour);
            let id = match same {
                Some(&(.., id)) => id,
                None => {
                    let Some(mesh) = rigid::local_mesh(geometry)? else { continue };
                    let paint = Paint::Plain(if mesh.is_obstacle { rigid::OBSTACLE } else { rigid::COLOURS[colour] });
                    let mesh = Mesh { positions: mesh.vertices, triangles: mesh.triangles, paint };
                    let id = recorder.film.add_mesh(&mesh).map_err(refused)?;
                    known.extend(shape.map(|shape| (shape, colour, id)));
                    id
                }
            };
            recorder.film.add_rigid(&format!("body{}", body.0), id);
            recorder.shown.push(body);
        }
        for (world, cloth) in rigid::cloths(scene) {
            let mesh = cloth_mesh(world, cloth);
            recorder.film.add_soft(&format!("cloth{}", cloth.0), &mesh).map_err(refused)?;
        }
        Ok(Some(recorder))
    }

    /// Adds a frame of a scene of rigid bodies.
    pub fn shoot_rigid(&mut self, scene: &RigidScene) -> Result<(), CliError> {
        let place = |&body: &RigidId| scene.world.pose(body).map(State::Placed).map_err(rigid::usage);
        let mut states = self.shown.iter().map(place).collect::<Result<Vec<State>, CliError>>()?;
        let cloths = rigid::cloths(scene);
        states.extend(cloths.iter().map(|(world, cloth)| State::Shaped(world.skin_positions(*cloth))));
        self.film.push_frame(scene.world.time, &states).map_err(refused)
    }

    /// Writes the film.
    pub fn save(&self) -> Result<(), CliError> {
        let written = std::fs::File::create(&self.path).and_then(|file| {
            let mut to = BufWriter::new(file);
            self.film.write_glb(&mut to)?;
            to.flush()
        });
        written.map_err(|source| CliError::Write { name: self.path.display().to_string(), source })
    }
}

/// A cloth as it is now.
fn cloth_mesh(world: &World, cloth: ClothId) -> Mesh {
    let coordinates = squares(world.skin_rest(cloth)).iter().map(|place| place.to_array()).collect();
    let paint = Paint::Gingham { light: GINGHAM, dark: CLOTHS[cloth.0 % CLOTHS.len()], coordinates };
    Mesh { positions: world.skin_positions(cloth).to_vec(), triangles: world.skin_triangles(cloth).to_vec(), paint }
}

/// A square piece of a plane around what is looked at.
fn floor(normal: DVec3, offset: f64, view: &View) -> Mesh {
    let centre = view.target + normal * (offset - normal.dot(view.target));
    let half = 2.0 * view.eye.distance(view.target);
    let (u, v) = normal.any_orthonormal_pair();
    let corner = |a: f64, b: f64| centre + (u * a + v * b) * half;
    let positions = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    Mesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]], paint: Paint::Plain([0.46, 0.45, 0.43]) }
}

/// Whether a path that names a file of another kind was given by mistake.
pub fn refuse_text(path: &Path) -> Result<(), CliError> {
    match path.extension().and_then(OsStr::to_str) {
        Some("gltf") => Err(CliError::Usage(format!("{}: films are binary, so name it .glb", path.display()))),
        _ => Ok(()),
    }
}
