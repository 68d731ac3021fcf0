//! What is in a scene, as plain data.

use glam::DVec3;
use superegg::{InvalidInput, Pose};
use superegg_mesh::TriangleMesh;
use superegg_picture::Camera;
use superegg_sim::{
    Body, BodyId, Cloth, ClothId, Fabric, Joint, JointId, JointKind, Mimic, SimError, SoftSolid, Wind, World, Wrinkles,
};

use crate::Scene;
use crate::scene::Grasp;

/// A world to be made, how to run it and where to look at it from.
#[derive(Clone, Debug)]
pub struct Description {
    /// What to call it.
    pub name: String,
    /// Length of a step, in seconds.
    pub dt: f64,
    /// Substeps of a step.
    pub substeps: u32,
    /// How long it runs, in seconds.
    pub seconds: f64,
    /// In metres a second squared.
    pub gravity: DVec3,
    /// Whether what is still may fall asleep.
    pub sleeping: bool,
    /// The air.
    pub wind: Option<Wind>,
    /// Where to look at it from; `None` for a place that shows everything.
    pub camera: Option<Camera>,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Joints between them.
    pub joints: Vec<JointDescription>,
    /// Cloths.
    pub cloths: Vec<ClothDescription>,
    /// Soft solids.
    pub soft_solids: Vec<SoftSolid>,
    /// What moves vertices of cloth.
    pub hands: Vec<Hand>,
    /// What happens to bodies on the way.
    pub pushes: Vec<Push>,
}

/// A joint between bodies by their numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDescription {
    /// The body that `b` hangs on; `None` for the world itself.
    pub a: Option<usize>,
    /// The other body.
    pub b: usize,
    /// The joint's frame on `a`, or in the world.
    pub frame_a: Pose,
    /// The joint's frame on `b`.
    pub frame_b: Pose,
    /// What the frames have in common.
    pub kind: JointKind,
    /// Whether the two bodies meet like others.
    pub collide: bool,
    /// The joint, axis, ratio and offset that its first axis follows.
    pub mimic: Option<(usize, usize, f64, f64)>,
}

/// The mesh of a cloth.
#[derive(Clone, Debug, PartialEq)]
pub enum ClothMesh {
    /// A rectangle, as [`Cloth::grid`] makes it.
    Grid {
        /// Vertices along both sides.
        vertices: [usize; 2],
        /// Lengths of both sides.
        size: [f64; 2],
        /// Its lowest corner.
        corner: DVec3,
    },
    /// Any other.
    Mesh(TriangleMesh),
}

/// A cloth.
#[derive(Clone, Debug)]
pub struct ClothDescription {
    /// At rest.
    pub mesh: ClothMesh,
    /// Vertices that are pinned, and that tethers run to.
    pub pins: Vec<usize>,
    /// Vertices that are held without tethers.
    pub held: Vec<usize>,
    /// What it is made of.
    pub fabric: Fabric,
    /// Where its vertices are at first, if not at rest.
    pub places: Option<Vec<DVec3>>,
    /// The finer mesh that is seen.
    pub wrinkles: Option<Wrinkles>,
}

/// Something that takes hold of vertices, moves them along a path and lets them go.
#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    /// Which cloth.
    pub cloth: usize,
    /// The vertices it holds.
    pub vertices: Vec<usize>,
    /// Times and displacements from where it took hold, in increasing order of time; linear in between. The first time is
    /// when it takes hold.
    pub path: Vec<(f64, DVec3)>,
    /// When it lets go; infinite for never.
    pub until: f64,
}

/// A push at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// When, in seconds.
    pub at: f64,
    /// Which body.
    pub body: usize,
    /// Where, from its center of mass along the world's axes.
    pub arm: DVec3,
    /// In newton seconds.
    pub impulse: DVec3,
}

impl Default for Description {
    /// Nothing, for five seconds in steps of five milliseconds.
    fn default() -> Description {
        Description {
            name: "scene".to_owned(),
            dt: 0.005,
            substeps: 5,
            seconds: 5.0,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            sleeping: true,
            wind: None,
            camera: None,
            bodies: Vec::new(),
            joints: Vec::new(),
            cloths: Vec::new(),
            soft_solids: Vec::new(),
            hands: Vec::new(),
            pushes: Vec::new(),
        }
    }
}

impl ClothDescription {
    /// A rectangle of a fabric.
    pub fn grid(vertices: [usize; 2], size: [f64; 2], corner: DVec3, fabric: Fabric) -> ClothDescription {
        let mesh = ClothMesh::Grid { vertices, size, corner };
        ClothDescription { mesh, pins: Vec::new(), held: Vec::new(), fabric, places: None, wrinkles: None }
    }

    /// The cloth as it enters a world.
    pub fn cloth(&self) -> Result<Cloth, SimError> {
        let cloth = match &self.mesh {
            ClothMesh::Grid { vertices, size, corner } => Cloth::grid(*vertices, *size, *corner)?,
            ClothMesh::Mesh(mesh) => Cloth { mesh: mesh.clone(), pins: Vec::new() },
        };
        Ok(cloth.pinned(self.pins.iter().copied()))
    }
}

/// Refuses a number that names nothing.
fn require(what: &'static str, index: usize, count: usize) -> Result<(), SimError> {
    if index < count { Ok(()) } else { Err(SimError::NoSuch { what, index, count }) }
}

/// What could not be made: which kind, which of them, and why.
pub(crate) type Refused = (&'static str, usize, SimError);

impl Description {
    /// Makes the world.
    pub fn build(&self) -> Result<Scene, SimError> {
        self.build_or_blame().map_err(|(.., error)| error)
    }

    /// The same, with what is to blame.
    pub(crate) fn build_or_blame(&self) -> Result<Scene, Refused> {
        let mut world = World::new();
        (world.gravity, world.sleeping, world.wind) = (self.gravity, self.sleeping, self.wind);
        let whole = |error: SimError| ("", 0, error);
        for (value, field, most) in [(self.dt, "dt", 1.0), (self.seconds, "seconds", 1e5)] {
            InvalidInput::unless(
                value > 0.0 && value <= most,
                field,
                value,
                if most == 1.0 { "]0, 1]" } else { "]0, 100000]" },
            )
            .map_err(|error| whole(error.into()))?;
        }
        InvalidInput::unless((1..=10_000).contains(&self.substeps), "substeps", f64::from(self.substeps), "[1, 10000]")
            .map_err(|error| whole(error.into()))?;
        let mut bodies = Vec::with_capacity(self.bodies.len());
        for (index, body) in self.bodies.iter().enumerate() {
            bodies.push(world.add_body(body.clone()).map_err(|error| ("body", index, error))?);
        }
        let joints = self.add_joints(&mut world, &bodies)?;
        let cloths = self.add_cloths(&mut world)?;
        let mut soft_solids = Vec::new();
        for (index, solid) in self.soft_solids.iter().enumerate() {
            soft_solids.push(world.add_soft_solid(solid).map_err(|error| ("soft", index, error))?);
        }
        for (index, hand) in self.hands.iter().enumerate() {
            require("cloth", hand.cloth, cloths.len()).map_err(|error| ("hand", index, error))?;
        }
        for (index, push) in self.pushes.iter().enumerate() {
            require("body", push.body, bodies.len()).map_err(|error| ("push", index, error))?;
        }
        let camera = self.camera.unwrap_or_else(|| crate::drawing::whole_view(&world));
        Ok(Scene {
            name: self.name.clone(),
            dt: self.dt,
            substeps: self.substeps,
            seconds: self.seconds,
            camera,
            bodies,
            joints,
            cloths,
            soft_solids,
            grasps: self.hands.iter().cloned().map(Grasp::new).collect(),
            pushes: self.pushes.clone(),
            world,
        })
    }

    fn add_joints(&self, world: &mut World, bodies: &[BodyId]) -> Result<Vec<JointId>, Refused> {
        let mut joints: Vec<JointId> = Vec::new();
        for (index, given) in self.joints.iter().enumerate() {
            let blame = |error| ("joint", index, error);
            for body in given.a.into_iter().chain([given.b]) {
                require("body", body, bodies.len()).map_err(blame)?;
            }
            let joint = Joint {
                a: given.a.map(|a| bodies[a]),
                b: bodies[given.b],
                frame_a: given.frame_a,
                frame_b: given.frame_b,
                kind: given.kind,
                collide: given.collide,
            };
            joints.push(world.add_joint(joint).map_err(blame)?);
        }
        for (index, given) in self.joints.iter().enumerate() {
            let blame = |error| ("joint", index, error);
            if let Some((of, axis, ratio, offset)) = given.mimic {
                require("joint", of, joints.len()).map_err(blame)?;
                let mimic = Mimic { of: (joints[of], axis), ratio, offset };
                world.set_mimic(joints[index], 0, Some(mimic)).map_err(blame)?;
            }
        }
        Ok(joints)
    }

    fn add_cloths(&self, world: &mut World) -> Result<Vec<ClothId>, Refused> {
        let mut cloths = Vec::new();
        for (index, given) in self.cloths.iter().enumerate() {
            let blame = |error| ("cloth", index, error);
            let cloth = world.add_cloth(&given.cloth().map_err(blame)?, &given.fabric).map_err(blame)?;
            if let Some(places) = &given.places {
                world.place_cloth(cloth, places).map_err(blame)?;
            }
            for &vertex in &given.held {
                world.pin(cloth, vertex).map_err(blame)?;
            }
            if let Some(wrinkles) = given.wrinkles {
                world.set_wrinkles(cloth, Some(wrinkles)).map_err(blame)?;
            }
            cloths.push(cloth);
        }
        Ok(cloths)
    }
}
