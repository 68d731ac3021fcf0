//! What is seen of a world: painted meshes, for pictures, films and mesh files.

use glam::{DVec2, DVec3};
use superegg::shape::Shape;
use superegg::{InvalidInput, Pose};
use superegg_picture::{Camera, Mesh, Model, Paint, Picture};
use superegg_sim::{Motion, SimError, World};
use superegg_world::geometry::Geometry;

use crate::Scene;

/// Colours of cloths, of bodies that move and of those that do not, in turn.
const CLOTHS: [[f32; 3]; 3] = [[0.55, 0.05, 0.06], [0.05, 0.18, 0.45], [0.06, 0.32, 0.16]];
const MOVING: [[f32; 3]; 6] = [
    [0.62, 0.16, 0.12],
    [0.10, 0.32, 0.55],
    [0.66, 0.48, 0.12],
    [0.16, 0.42, 0.22],
    [0.42, 0.22, 0.48],
    [0.60, 0.58, 0.54],
];
const FIXED: [[f32; 3]; 4] = [[0.52, 0.34, 0.19], [0.30, 0.36, 0.42], [0.58, 0.44, 0.20], [0.42, 0.30, 0.36]];
/// Of fixed meshes, of the ground between a cloth's stripes, of soft solids, of floors.
const MESH: [f32; 3] = [0.50, 0.47, 0.42];
const GINGHAM: [f32; 3] = [0.85, 0.83, 0.78];
const SOFT: [f32; 3] = [0.20, 0.45, 0.30];
const FLOOR: [f32; 3] = [0.46, 0.45, 0.43];
/// Vertices of a smooth shape's mesh where there are few shapes, and where there are many.
const VERTICES: [usize; 2] = [3000, 800];
const MANY: usize = 30;

/// How something is where it is.
#[derive(Clone, Debug)]
pub enum Placement {
    /// A mesh in the frame of a body.
    Rigid(Pose),
    /// A mesh in the world.
    Soft,
}

/// Something that is seen.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// What to call it.
    pub name: String,
    /// Its mesh and colour.
    pub mesh: Mesh,
    /// Where it is.
    pub placement: Placement,
    /// Whether it has edges, as a mesh, rather than being smooth.
    pub creased: bool,
}

impl Drawn {
    /// Its vertices in the world.
    pub fn positions(&self) -> Vec<DVec3> {
        match self.placement {
            Placement::Rigid(pose) => self.mesh.positions.iter().map(|p| pose.transform_point(*p)).collect(),
            Placement::Soft => self.mesh.positions.clone(),
        }
    }
}

/// A view that holds everything that is bounded.
pub fn whole_view(world: &World) -> Camera {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for place in &world.particles().position {
        (low, high) = (low.min(*place), high.max(*place));
    }
    for body in world.bodies().filter_map(|body| world.body(body).ok()) {
        for collider in body.colliders().filter_map(|collider| world.collider(collider).ok()) {
            let aabb = collider.geometry.aabb(&body.pose().compose(&collider.pose));
            if aabb.min.is_finite() && aabb.max.is_finite() {
                (low, high) = (low.min(aabb.min), high.max(aabb.max));
            }
        }
    }
    if !low.is_finite() {
        (low, high) = (-DVec3::ONE, DVec3::ONE);
    }
    let target = 0.5 * (low + high);
    let eye = target + DVec3::new(0.5, -0.75, 0.5) * ((high - low).length() * 1.6).max(0.1);
    Camera { eye, target, field_of_view: 40.0 }
}

/// Places on a cloth in units of its pattern, 24 squares along its longer side.
fn squares(rest: &[DVec3]) -> Vec<[f32; 2]> {
    let flat = rest.iter().map(|p| p.truncate());
    let (low, high) =
        flat.clone().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    let scale = 24.0 / (high - low).max_element().max(1e-9);
    flat.map(|p| (p * scale).as_vec2().to_array()).collect()
}

/// Vertices and triangles.
type Triangles = (Vec<DVec3>, Vec<[u32; 3]>);

/// The mesh of a geometry in its own frame; planes have none.
fn geometry_mesh(geometry: &Geometry, vertices: usize) -> Result<Option<Triangles>, InvalidInput> {
    Ok(match geometry {
        Geometry::Mesh(mesh) => Some((mesh.positions().to_vec(), mesh.topology().triangles().to_vec())),
        Geometry::Shape(shape) => shape_mesh(shape, vertices)?,
        Geometry::Superquadric(surface) => {
            let mesh = surface.tessellate(vertices)?;
            Some((mesh.vertices, mesh.triangles))
        }
        Geometry::Compound(compound) => {
            let (mut positions, mut triangles) = (Vec::new(), Vec::new());
            for part in compound.parts() {
                let Some((own, corners)) = shape_mesh(&part.shape, vertices)? else { continue };
                let first = positions.len() as u32;
                positions.extend(own.iter().map(|vertex| part.pose.transform_point(*vertex)));
                triangles.extend(corners.iter().map(|corners| corners.map(|corner| corner + first)));
            }
            Some((positions, triangles))
        }
    })
}

fn shape_mesh(shape: &Shape, vertices: usize) -> Result<Option<Triangles>, InvalidInput> {
    Ok(shape.tessellate(vertices).transpose()?.map(|mesh| (mesh.vertices, mesh.triangles)))
}

/// Everything that is seen of a scene but for floors: bodies first, then cloths, then soft solids.
pub fn drawn(scene: &Scene) -> Result<Vec<Drawn>, SimError> {
    let world = &scene.world;
    let mut found = Vec::new();
    let vertices = VERTICES[usize::from(world.body_count() > MANY)];
    for (index, id) in world.bodies().enumerate() {
        let body = world.body(id)?;
        let moves = body.motion() != Motion::Fixed;
        for (number, collider) in body.colliders().enumerate() {
            let collider = world.collider(collider)?;
            let Some((positions, triangles)) = geometry_mesh(&collider.geometry, vertices)? else { continue };
            let creased = matches!(collider.geometry, Geometry::Mesh(_));
            let colour = match (moves, creased) {
                (true, _) => MOVING[index % MOVING.len()],
                (false, true) => MESH,
                (false, false) => FIXED[index % FIXED.len()],
            };
            let name = if number == 0 { format!("body{index}") } else { format!("body{index}_{number}") };
            found.push(Drawn {
                name,
                mesh: Mesh { positions, triangles, paint: Paint::Plain(colour) },
                placement: Placement::Rigid(body.pose().compose(&collider.pose)),
                creased,
            });
        }
    }
    for (index, cloth) in world.cloths().enumerate() {
        let coordinates = squares(world.skin_rest(cloth)?);
        let paint = Paint::Gingham { light: GINGHAM, dark: CLOTHS[index % CLOTHS.len()], coordinates };
        let (positions, triangles) = (world.skin_positions(cloth)?.to_vec(), world.skin_triangles(cloth)?.to_vec());
        let mesh = Mesh { positions, triangles, paint };
        found.push(Drawn { name: format!("cloth{index}"), mesh, placement: Placement::Soft, creased: false });
    }
    for (index, solid) in world.soft_solids().enumerate() {
        let positions = world.soft_solid_positions(solid)?.to_vec();
        let mesh =
            Mesh { positions, triangles: world.soft_solid_triangles(solid)?.to_vec(), paint: Paint::Plain(SOFT) };
        found.push(Drawn { name: format!("soft{index}"), mesh, placement: Placement::Soft, creased: false });
    }
    Ok(found)
}

/// The planes of a scene: normal and level of each in the world.
fn planes(scene: &Scene) -> Result<Vec<(DVec3, f64)>, SimError> {
    let mut found = Vec::new();
    for id in scene.world.bodies() {
        let body = scene.world.body(id)?;
        for collider in body.colliders() {
            let collider = scene.world.collider(collider)?;
            if let Geometry::Shape(Shape::Plane(plane)) = &collider.geometry {
                let pose = body.pose().compose(&collider.pose);
                let normal = pose.transform_vector(plane.normal());
                found.push((normal, plane.offset() + normal.dot(pose.translation)));
            }
        }
    }
    Ok(found)
}

/// Square pieces of a scene's planes around what is looked at, for films.
pub fn floors(scene: &Scene) -> Result<Vec<Mesh>, SimError> {
    let Camera { eye, target, .. } = scene.camera;
    let piece = |(normal, level): (DVec3, f64)| {
        let center = target + normal * (level - normal.dot(target));
        let half = 2.0 * eye.distance(target);
        let (u, v) = normal.any_orthonormal_pair();
        let corner = |a: f64, b: f64| center + (u * a + v * b) * half;
        let positions = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        Mesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]], paint: Paint::Plain(FLOOR) }
    };
    Ok(planes(scene)?.into_iter().map(piece).collect())
}

/// A picture of a scene.
pub fn picture(scene: &Scene, size: [usize; 2]) -> Result<Picture, SimError> {
    let drawn = drawn(scene)?;
    let mut models = Vec::with_capacity(drawn.len() + 1);
    let mut lowest = f64::INFINITY;
    for one in &drawn {
        let positions = one.positions();
        lowest = positions.iter().fold(lowest, |lowest, p| lowest.min(p.z));
        models.push(Model::of(&positions, &one.mesh, one.creased));
    }
    let level = planes(scene)?
        .into_iter()
        .filter(|(normal, _)| normal.z > 0.9)
        .map(|(_, level)| level)
        .fold(f64::NEG_INFINITY, f64::max);
    let level = match (level.is_finite(), lowest.is_finite()) {
        (true, _) => level,
        (false, true) => lowest - 0.01,
        (false, false) => 0.0,
    };
    let Camera { eye, target, .. } = scene.camera;
    let half = 6.0 * eye.distance(target);
    models.push(Model::floor(DVec3::new(target.x, target.y, level).as_vec3(), half as f32, FLOOR));
    Ok(Picture::new(size, &scene.camera, &models))
}
