//! A scene at one moment: as models for a picture, as objects of an OBJ file.

use std::io::BufWriter;
use std::path::Path;

use glam::{DVec2, Vec2};
use superegg::shape::{Shape, Spacing, TriangleSoup};
use superegg::{DVec3, InvalidInput};
use superegg_io::obj::{Object, write_obj};
use superegg_render::{Camera, Model, Pattern, Picture};
use superegg_sim::scene::{Scene, View};
use superegg_sim::{Body, ClothId, ObstacleId, SoftId};

use crate::error::CliError;

/// Vertices of a body's mesh.
const BODY_VERTICES: usize = 3000;
/// Colours of cloths and bodies, in turn.
pub const CLOTHS: [[f32; 3]; 3] = [[0.55, 0.05, 0.06], [0.05, 0.18, 0.45], [0.06, 0.32, 0.16]];
pub const BODIES: [[f32; 3]; 4] = [[0.52, 0.34, 0.19], [0.30, 0.36, 0.42], [0.58, 0.44, 0.20], [0.42, 0.30, 0.36]];

/// Of the ground between a cloth's stripes, and of soft solids.
pub const GINGHAM: [f32; 3] = [0.85, 0.83, 0.78];
pub const SOFT: [f32; 3] = [0.20, 0.45, 0.30];
/// Of obstacles.
pub const OBSTACLE: [f32; 3] = [0.45, 0.28, 0.14];

/// The body's mesh in its own frame; empty for a plane.
pub fn mesh_of(body: &Body) -> Result<TriangleSoup, InvalidInput> {
    Ok(match &body.shape {
        Shape::Superellipsoid(egg) => egg.tessellate(BODY_VERTICES, Spacing::Curvature)?,
        Shape::Superovoid(egg) => egg.tessellate(BODY_VERTICES, Spacing::Curvature)?,
        Shape::Plane(_) | Shape::Point(_) | Shape::Segment(_) | Shape::Triangle(_) => TriangleSoup::default(),
    })
}

/// The body's mesh in the world.
fn placed_mesh(body: &Body) -> Result<TriangleSoup, InvalidInput> {
    let mut mesh = mesh_of(body)?;
    for vertex in &mut mesh.vertices {
        *vertex = body.pose.transform_point(*vertex);
    }
    Ok(mesh)
}

/// Places on a cloth in units of its pattern, 24 squares along its longer side.
pub fn squares(rest: &[DVec3]) -> Vec<Vec2> {
    let flat = rest.iter().map(|p| p.truncate());
    let (low, high) =
        flat.clone().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    let scale = 24.0 / (high - low).max_element().max(1e-9);
    flat.map(|p| (p * scale).as_vec2()).collect()
}

pub fn single(positions: &[DVec3]) -> Vec<glam::Vec3> {
    positions.iter().map(|p| p.as_vec3()).collect()
}

/// Everything that a picture of the scene shows.
pub fn models(scene: &Scene) -> Result<Vec<Model>, InvalidInput> {
    let world = &scene.world;
    let mut models = Vec::new();
    let mut floor = None;
    let mut lowest = f64::INFINITY;
    for (index, body) in world.bodies().iter().enumerate() {
        if let Shape::Plane(plane) = &body.shape {
            let level = plane.offset() + body.pose.translation.dot(plane.normal());
            floor = Some(floor.unwrap_or(f64::NEG_INFINITY).max(level)).filter(|_| plane.normal().z > 0.9);
            continue;
        }
        let mesh = placed_mesh(body)?;
        lowest = mesh.vertices.iter().fold(lowest, |lowest, p| lowest.min(p.z));
        models.push(Model::new(single(&mesh.vertices), mesh.triangles, Pattern::Plain(BODIES[index % BODIES.len()])));
    }
    for cloth in (0..world.cloth_count()).map(ClothId) {
        let positions = world.skin_positions(cloth);
        lowest = positions.iter().fold(lowest, |lowest, p| lowest.min(p.z));
        models.push(Model::new(
            single(positions),
            world.skin_triangles(cloth).to_vec(),
            Pattern::Gingham {
                light: GINGHAM,
                dark: CLOTHS[cloth.0 % CLOTHS.len()],
                coordinates: squares(world.skin_rest(cloth)),
            },
        ));
    }
    for solid in (0..world.soft_solid_count()).map(SoftId) {
        let positions = world.soft_solid_positions(solid);
        let triangles = world.soft_solid_triangles(solid).to_vec();
        models.push(Model::new(single(positions), triangles, Pattern::Plain(SOFT)));
    }
    for obstacle in (0..world.obstacle_count()).map(ObstacleId) {
        let positions = world.obstacle_positions(obstacle);
        lowest = positions.iter().fold(lowest, |lowest, p| lowest.min(p.z));
        let triangles = world.obstacle_triangles(obstacle);
        models.push(Model::creased(&single(positions), triangles, OBSTACLE));
    }
    let level = floor.unwrap_or(if lowest.is_finite() { lowest - 0.01 } else { 0.0 });
    let target = scene.view.target;
    let half = 6.0 * scene.view.eye.distance(target);
    let centre = DVec3::new(target.x, target.y, level).as_vec3();
    models.push(Model::floor(centre, half as f32, [0.46, 0.45, 0.43]));
    Ok(models)
}

/// Draws the scene into a PNG file.
pub fn picture(scene: &Scene, size: [usize; 2], path: &Path) -> Result<(), CliError> {
    let models = models(scene).map_err(|error| CliError::Usage(error.to_string()))?;
    draw(&models, &scene.view, size, path)
}

/// Draws models into a PNG file.
pub fn draw(models: &[Model], view: &View, size: [usize; 2], path: &Path) -> Result<(), CliError> {
    let name = path.display().to_string();
    let camera =
        Camera { eye: view.eye.as_vec3(), target: view.target.as_vec3(), field_of_view: view.field_of_view as f32 };
    let picture = Picture::new(size, &camera, models);
    let file = std::fs::File::create(path).map_err(|source| CliError::Write { name: name.clone(), source })?;
    picture.write_png(BufWriter::new(file)).map_err(|source| CliError::Write { name, source })
}

/// Writes cloths, soft solids, bodies and obstacles as an OBJ file.
pub fn write_frame(scene: &Scene, path: &Path) -> Result<(), CliError> {
    let world = &scene.world;
    let bodies = world.bodies().iter().map(placed_mesh).collect::<Result<Vec<_>, _>>();
    let bodies = bodies.map_err(|error| CliError::Usage(error.to_string()))?;
    let names: Vec<String> = (0..world.cloth_count()).map(|i| format!("cloth{i}")).collect();
    let soft_names: Vec<String> = (0..world.soft_solid_count()).map(|i| format!("soft{i}")).collect();
    let mesh_names: Vec<String> = (0..world.obstacle_count()).map(|i| format!("mesh{i}")).collect();
    let body_names: Vec<String> = (0..bodies.len()).map(|i| format!("body{i}")).collect();
    let mut objects = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let id = ClothId(index);
        objects.push(Object { name, positions: world.skin_positions(id), triangles: world.skin_triangles(id) });
    }
    for (index, name) in soft_names.iter().enumerate() {
        let id = SoftId(index);
        let (positions, triangles) = (world.soft_solid_positions(id), world.soft_solid_triangles(id));
        objects.push(Object { name, positions, triangles });
    }
    for (index, name) in mesh_names.iter().enumerate() {
        let id = ObstacleId(index);
        objects.push(Object { name, positions: world.obstacle_positions(id), triangles: world.obstacle_triangles(id) });
    }
    for (mesh, name) in bodies.iter().zip(&body_names).filter(|(mesh, _)| !mesh.vertices.is_empty()) {
        objects.push(Object { name, positions: &mesh.vertices, triangles: &mesh.triangles });
    }
    write_objects(&objects, path)
}

/// Writes meshes as an OBJ file.
pub fn write_objects(objects: &[Object], path: &Path) -> Result<(), CliError> {
    let name = path.display().to_string();
    let written = std::fs::File::create(path).and_then(|file| {
        let mut to = BufWriter::new(file);
        write_obj(&mut to, objects)?;
        std::io::Write::flush(&mut to)
    });
    written.map_err(|source| CliError::Write { name, source })
}
