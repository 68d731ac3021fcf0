//! Pictures of links, objects, contacts and normals.

use glam::{DQuat, DVec3, Vec3};
use superegg::Pose;
use superegg::shape::{IndexedTriangles, Shape, Superellipsoid};
use superegg_mesh::TriangleMesh;
use superegg_picture::{Camera, Model, Paint, Picture};

use crate::contact_geometry::{ContactGeometry, ContactPart};
use crate::error::RobotError;

/// A colour: linear red, green and blue.
pub type Colour = [f32; 3];

/// Colours of links, in turn.
pub const LINKS: [Colour; 8] = [
    [0.62, 0.62, 0.64],
    [0.20, 0.42, 0.66],
    [0.72, 0.50, 0.16],
    [0.24, 0.50, 0.30],
    [0.50, 0.30, 0.56],
    [0.16, 0.50, 0.52],
    [0.66, 0.36, 0.40],
    [0.44, 0.38, 0.28],
];
/// Of an object that is grasped, of contacts, of distances, of what touches.
pub const OBJECT: Colour = [0.85, 0.72, 0.45];
/// Of contacts and normals.
pub const CONTACT: Colour = [0.80, 0.06, 0.05];
/// Of distances.
pub const NEAR: Colour = [0.05, 0.55, 0.15];
const FLOOR: Colour = [0.62, 0.62, 0.60];
/// Vertices of a part's mesh.
const VERTICES: usize = 1600;

/// What is drawn, in metres.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    meshes: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Piece {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    colour: Colour,
    /// Whether it has edges.
    creased: bool,
}

impl Drawing {
    /// An empty drawing.
    pub fn new() -> Drawing {
        Drawing::default()
    }

    /// A part where its frame is.
    pub fn add_part(&mut self, part: &ContactPart, frame: &Pose, colour: Colour) -> Result<(), RobotError> {
        let pose = frame.compose(&part.pose);
        let Some(mesh) = part.shape.tessellate(VERTICES).transpose()? else { return Ok(()) };
        let creased = matches!(&part.shape, Shape::Primitive(shape) if shape.rounding() == 0.0);
        let IndexedTriangles { vertices, triangles } = mesh;
        let positions = vertices.iter().map(|p| pose.transform_point(*p)).collect();
        self.meshes.push(Piece { positions, triangles, colour, creased });
        Ok(())
    }

    /// All links of a robot.
    pub fn add_links(
        &mut self,
        geometry: &ContactGeometry,
        poses: &[Pose],
        colour: impl Fn(usize) -> Colour,
    ) -> Result<(), RobotError> {
        for (link, part) in geometry.parts() {
            self.add_part(part, &poses[link], colour(link))?;
        }
        Ok(())
    }

    /// A mesh with edges.
    pub fn add_mesh(&mut self, mesh: &TriangleMesh, pose: &Pose, colour: Colour) {
        let positions = mesh.positions().iter().map(|p| pose.transform_point(*p)).collect();
        self.meshes.push(Piece { positions, triangles: mesh.triangles().to_vec(), colour, creased: true });
    }

    /// A ball.
    pub fn add_ball(&mut self, center: DVec3, radius: f64, colour: Colour) -> Result<(), RobotError> {
        let ball = Superellipsoid::new([radius; 3], [1.0; 2])?;
        self.add_part(&ContactPart::new(ball, Pose::from_translation(center)), &Pose::IDENTITY, colour)
    }

    /// A rod from one place to another.
    pub fn add_rod(&mut self, from: DVec3, to: DVec3, radius: f64, colour: Colour) -> Result<(), RobotError> {
        let length = from.distance(to);
        if !(1e-9..1e9).contains(&length) {
            return Ok(());
        }
        let rod = Superellipsoid::new([radius, radius, 0.5 * length], [1.0, 0.2])?;
        let rotation = DQuat::from_rotation_arc(DVec3::Z, (to - from) / length);
        let pose = Pose { rotation, translation: 0.5 * (from + to) };
        self.add_part(&ContactPart::new(rod, pose), &Pose::IDENTITY, colour)
    }

    /// How large what is drawn is.
    pub fn size(&self) -> f64 {
        let (low, high) = self.extent();
        (high - low).length().max(1e-6)
    }

    fn extent(&self) -> (DVec3, DVec3) {
        let places = self.meshes.iter().flat_map(|mesh| &mesh.positions);
        let (low, high) =
            places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
        if low.is_finite() { (low, high) } else { (-DVec3::ONE, DVec3::ONE) }
    }

    /// A picture from a direction, with everything in it.
    pub fn picture(&self, size: [usize; 2], from: DVec3) -> Picture {
        let (low, high) = self.extent();
        let (middle, half) = (0.5 * (low + high), (0.5 * (high - low).length()).max(1e-6));
        // In units of half the diagonal, since shadows and cameras are made for scenes of about a metre.
        let at = |p: &DVec3| -> Vec3 { ((*p - middle) / half).as_vec3() };
        let mut models: Vec<Model> = Vec::with_capacity(self.meshes.len() + 1);
        for Piece { positions, triangles, colour, creased } in &self.meshes {
            let positions: Vec<Vec3> = positions.iter().map(at).collect();
            models.push(if *creased {
                Model::creased(&positions, triangles, *colour)
            } else {
                Model::new(positions, triangles.clone(), Paint::Plain(*colour))
            });
        }
        let floor = ((low.z - middle.z) / half) as f32 - 0.01;
        models.push(Model::floor(Vec3::new(0.0, 0.0, floor), 14.0, FLOOR));
        // Never from below the floor.
        let from = DVec3::new(from.x, from.y, from.z.max(0.3 * from.truncate().length()));
        let eye = from.normalize_or(DVec3::new(0.5, -0.75, 0.5)) * 4.6;
        let camera = Camera { eye, target: DVec3::ZERO, field_of_view: 25.0 };
        Picture::new(size, &camera, &models)
    }
}
