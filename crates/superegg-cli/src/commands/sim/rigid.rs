//! `superegg sim` for scenes of rigid bodies.

use std::fmt;

use cpu_time::ThreadTime;
use serde::Serialize;
use superegg::DVec3;
use superegg::query::batch::Threads;
use superegg::shape::{Shape, Spacing};
use superegg_io::obj::Object;
use superegg_render::{Model, Pattern};
use superegg_sim::rigid::scene::{RigidScene, built_in};
use superegg_sim::rigid::{RigidId, penetration};
use superegg_sim::{ClothId, SimError, StepOptions, World};
use superegg_world::geometry::Geometry;

use super::film::{Recorder, is_film, stride};
use super::frame::{CLOTHS, GINGHAM, draw, single, squares, write_objects};
use super::report::{Contacts, Depths, write_end};
use super::{Args, Choice, Processor, tell};
use crate::error::{CliError, Verdict};
use crate::progress::Progress;

/// Vertices of a body's mesh.
const BODY_VERTICES: usize = 800;
/// Slower than this, everything is at rest, in metres a second.
const AT_REST: f64 = 0.02;
/// Colours of bodies, in turn.
pub const COLOURS: [[f32; 3]; 6] = [
    [0.62, 0.16, 0.12],
    [0.10, 0.32, 0.55],
    [0.66, 0.48, 0.12],
    [0.16, 0.42, 0.22],
    [0.42, 0.22, 0.48],
    [0.60, 0.58, 0.54],
];
/// Of what does not move.
pub const OBSTACLE: [f32; 3] = [0.50, 0.47, 0.42];

/// As the program tells of it.
pub fn usage(error: SimError) -> CliError {
    CliError::Usage(error.to_string())
}

/// Finds and adjusts a scene; `None` for a name that is no scene of rigid bodies.
pub fn load(name: &str, choice: &Choice) -> Result<Option<RigidScene>, CliError> {
    let Some(scene) = built_in(name, choice.bodies.or(choice.size)) else { return Ok(None) };
    let mut scene = scene.map_err(usage)?;
    choice.adjust(&mut scene.seconds, &mut scene.dt, &mut scene.substeps)?;
    if let Some(coupling) = &mut scene.cloth {
        choice.wrinkle(coupling.cloth_mut()).map_err(usage)?;
    }
    Ok(Some(scene))
}

/// What is told of a run.
#[derive(Serialize)]
struct Report {
    scene: &'static str,
    steps: usize,
    dt: f64,
    substeps: u32,
    bodies: usize,
    ms: Milliseconds,
    penetration: Depths,
    contacts: Contacts,
    at_rest_after: Option<f64>,
}

#[derive(Default, Serialize)]
struct Milliseconds {
    time_integration: f64,
    velocity_constraints: f64,
    collision_detection: f64,
    velocity_update: f64,
    total: f64,
    slowest: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { scene, steps, dt, bodies, ms, penetration, contacts, .. } = self;
        writeln!(f, "{scene}: {bodies} bodies, {steps} steps of {dt:.5} s")?;
        writeln!(f, "  {:.3} ms of processor time a step, {:.3} ms the slowest:", ms.total, ms.slowest)?;
        writeln!(f, "    collision detection   {:.3}", ms.collision_detection)?;
        writeln!(f, "    velocity constraints  {:.3}", ms.velocity_constraints)?;
        writeln!(f, "    time integration      {:.3}", ms.time_integration)?;
        write_end(f, penetration, contacts, self.at_rest_after)
    }
}

/// Runs a scene.
pub fn run(mut scene: RigidScene, args: &Args) -> Result<Verdict, CliError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(args.threads)).build();
    let pool = pool.map_err(|error| CliError::Usage(format!("--threads: {error}")))?;
    let threads = if args.threads > 1 { Threads::All } else { Threads::One };
    let steps = scene.step_count();
    let every = stride(args, steps, scene.dt)?;
    let mut recorder = Recorder::of_rigid(args, &scene)?;
    let mut progress = Progress::of_frames(steps as u64);
    let (mut ms, mut depths, mut contacts) = (Milliseconds::default(), Depths::default(), Contacts::default());
    let mut at_rest = None;
    for index in 0..=steps {
        if index % every == 0 {
            write_outputs(args, &scene, index / every)?;
            if let Some(recorder) = &mut recorder {
                recorder.shoot_rigid(&scene)?;
            }
        }
        if index == steps {
            break;
        }
        let done = pool.install(|| {
            let clock = Processor(ThreadTime::now());
            scene.advance(&StepOptions { threads, clock: Some(&clock), ..StepOptions::default() })
        });
        let done = done.map_err(usage)?;
        let scale = 1e3 / steps as f64;
        ms.time_integration += scale * done.times.time_integration;
        ms.velocity_constraints += scale * done.times.velocity_constraints;
        ms.collision_detection += scale * done.times.collision_detection;
        ms.velocity_update += scale * done.times.velocity_update;
        ms.total += scale * done.times.total();
        ms.slowest = ms.slowest.max(1e3 * done.times.total());
        let depth = penetration(&scene.world).map_err(usage)?;
        (depths.final_max, depths.final_count) = (depth.max, depth.count);
        depths.max = depths.max.max(depth.max);
        contacts.mean += done.contacts as f64 / steps as f64;
        contacts.max = contacts.max.max(done.contacts);
        at_rest = if done.max_speed < AT_REST { at_rest.or(Some(scene.world.time)) } else { None };
        progress.advance_told(1, || format!("{:.2} s, {} awake", scene.world.time, done.awake));
    }
    progress.finish();
    if let Some(recorder) = &recorder {
        recorder.save()?;
    }
    let report = Report {
        scene: scene.name,
        steps,
        dt: scene.dt,
        substeps: scene.substeps,
        bodies: scene.world.len(),
        ms,
        penetration: depths,
        contacts,
        at_rest_after: at_rest,
    };
    tell(&report, args.report.as_deref())
}

/// A body's mesh.
pub struct Drawn {
    /// In the body's frame or in the world.
    pub vertices: Vec<DVec3>,
    /// Corners by their index.
    pub triangles: Vec<[u32; 3]>,
    /// Whether it is part of the surroundings.
    pub is_obstacle: bool,
}

/// The mesh of a body in its own frame, if it has one.
pub fn local_mesh(geometry: &Geometry) -> Result<Option<Drawn>, CliError> {
    let refused = |error: superegg::InvalidInput| CliError::Usage(error.to_string());
    let soup = match geometry {
        Geometry::Mesh(mesh) => {
            let (vertices, triangles) = (mesh.positions().to_vec(), mesh.topology().triangles().to_vec());
            return Ok(Some(Drawn { vertices, triangles, is_obstacle: true }));
        }
        Geometry::Shape(Shape::Superellipsoid(egg)) => egg.tessellate(BODY_VERTICES, Spacing::Curvature),
        Geometry::Shape(Shape::Superovoid(egg)) => egg.tessellate(BODY_VERTICES, Spacing::Curvature),
        Geometry::Compound(compound) => {
            let mut whole = Drawn { vertices: Vec::new(), triangles: Vec::new(), is_obstacle: false };
            for part in compound.parts() {
                let Some(mesh) = local_mesh(&part.shape.into())? else { continue };
                let first = whole.vertices.len() as u32;
                whole.vertices.extend(mesh.vertices.iter().map(|vertex| part.pose.transform_point(*vertex)));
                whole.triangles.extend(mesh.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
            }
            return Ok(Some(whole));
        }
        Geometry::Shape(_) => return Ok(None),
    };
    let soup = soup.map_err(refused)?;
    Ok(Some(Drawn { vertices: soup.vertices, triangles: soup.triangles, is_obstacle: false }))
}

/// Names and meshes of all bodies in the world.
fn meshes(scene: &RigidScene) -> Result<Vec<(String, Drawn)>, CliError> {
    let mut drawn = Vec::new();
    for body in (0..scene.world.len()).map(RigidId) {
        let pose = scene.world.pose(body).map_err(usage)?;
        if let Some(mut mesh) = local_mesh(scene.world.geometry(body).map_err(usage)?)? {
            mesh.vertices.iter_mut().for_each(|vertex| *vertex = pose.transform_point(*vertex));
            drawn.push((format!("body{}", body.0), mesh));
        }
    }
    Ok(drawn)
}

/// The cloths that the bodies meet.
pub fn cloths(scene: &RigidScene) -> Vec<(&World, ClothId)> {
    let worlds = scene.cloth.iter().map(|coupling| coupling.cloth());
    worlds.flat_map(|world| (0..world.cloth_count()).map(move |cloth| (world, ClothId(cloth)))).collect()
}

fn write_outputs(args: &Args, scene: &RigidScene, number: usize) -> Result<(), CliError> {
    let frames = args.frames.as_ref().filter(|path| !is_film(path));
    if frames.is_none() && args.png.is_none() {
        return Ok(());
    }
    let drawn = meshes(scene)?;
    let cloths = cloths(scene);
    if let Some(folder) = frames {
        let bodies = drawn.iter();
        let bodies = bodies.map(|(name, mesh)| Object { name, positions: &mesh.vertices, triangles: &mesh.triangles });
        let cloths = cloths.iter().map(|(world, cloth)| Object {
            name: "cloth",
            positions: world.skin_positions(*cloth),
            triangles: world.skin_triangles(*cloth),
        });
        let objects: Vec<Object> = bodies.chain(cloths).collect();
        write_objects(&objects, &folder.join(format!("{}{number:05}.obj", scene.name)))?;
    }
    if let Some(folder) = &args.png {
        let mut lowest = 0.0f64;
        let mut models = Vec::new();
        for (index, (_, mesh)) in drawn.iter().enumerate() {
            lowest = mesh.vertices.iter().fold(lowest, |lowest, p| lowest.min(p.z));
            let colour = if mesh.is_obstacle { OBSTACLE } else { COLOURS[index % COLOURS.len()] };
            models.push(Model::new(single(&mesh.vertices), mesh.triangles.clone(), Pattern::Plain(colour)));
        }
        for (world, cloth) in &cloths {
            let (positions, triangles) = (world.skin_positions(*cloth), world.skin_triangles(*cloth).to_vec());
            lowest = positions.iter().fold(lowest, |lowest, p| lowest.min(p.z));
            let (light, dark) = (GINGHAM, CLOTHS[cloth.0 % CLOTHS.len()]);
            let pattern = Pattern::Gingham { light, dark, coordinates: squares(world.skin_rest(*cloth)) };
            models.push(Model::new(single(positions), triangles, pattern));
        }
        let target = scene.view.target;
        let half = 6.0 * scene.view.eye.distance(target);
        let centre = DVec3::new(target.x, target.y, lowest).as_vec3();
        models.push(Model::floor(centre, half as f32, [0.46, 0.45, 0.43]));
        draw(&models, &scene.view, [960, 640], &folder.join(format!("{}{number:05}.png", scene.name)))?;
    }
    Ok(())
}
