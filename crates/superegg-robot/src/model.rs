//! A robot as plain data: links, joints, and everything else that its file said.
//!
//! Links and joints refer to each other by index. What this crate does not use (transmissions, sensors, elements of other tools) is
//! kept as the text it was, and written back.

use std::path::PathBuf;

use glam::{DMat3, DQuat, DVec3, EulerRot};
use superegg::Pose;
use superegg::shape::{Superellipsoid, Superovoid};

use crate::error::Place;

/// A tree of links and joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robot {
    /// Its name.
    pub name: String,
    /// In the order of the file.
    pub links: Vec<Link>,
    /// In the order of the file.
    pub joints: Vec<Joint>,
    /// Materials defined for the whole robot.
    pub materials: Vec<Material>,
    /// The link that is no joint's child.
    pub root: usize,
    /// Elements that are kept, not used.
    pub kept: Vec<Kept>,
    /// Prefixes and addresses of name spaces that kept elements may use.
    pub namespaces: Vec<(String, String)>,
    /// Attributes of the robot's element that are kept, not used.
    pub attributes: Vec<(String, String)>,
}

/// A rigid part of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// What it weighs.
    pub inertial: Option<Inertial>,
    /// What is seen of it.
    pub visuals: Vec<Surface>,
    /// What others meet of it.
    pub collisions: Vec<Surface>,
    /// Elements that are kept, not used.
    pub kept: Vec<Kept>,
}

/// A place as URDF writes it. Kept as numbers of the file, so that it is written back as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Origin {
    /// Position, in metres.
    pub xyz: DVec3,
    /// Angles about the fixed axes x, then y, then z, in radians.
    pub rpy: DVec3,
}

impl Origin {
    /// The pose.
    pub fn pose(&self) -> Pose {
        if self.rpy == DVec3::ZERO {
            return Pose::from_translation(self.xyz);
        }
        let rotation = DQuat::from_euler(EulerRot::ZYX, self.rpy.z, self.rpy.y, self.rpy.x).normalize();
        Pose { rotation, translation: self.xyz }
    }

    /// The origin whose pose is this one, up to rounding.
    pub fn of(pose: &Pose) -> Origin {
        let matrix = DMat3::from_quat(pose.rotation.normalize());
        // The row that holds the sine of the pitch; both other angles come from what the pitch leaves.
        let sine = -matrix.x_axis.z;
        let rpy = if sine.abs() < 1.0 - 1e-12 {
            let roll = matrix.y_axis.z.atan2(matrix.z_axis.z);
            let yaw = matrix.x_axis.y.atan2(matrix.x_axis.x);
            let pitch = sine.atan2(matrix.x_axis.x.hypot(matrix.x_axis.y));
            DVec3::new(roll, pitch, yaw)
        } else {
            // Looking straight up or down: roll and yaw turn about the same axis.
            let yaw = (-matrix.y_axis.x).atan2(matrix.y_axis.y);
            DVec3::new(0.0, std::f64::consts::FRAC_PI_2.copysign(sine), yaw)
        };
        Origin { xyz: pose.translation, rpy }
    }
}

/// Mass, its centre and inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertial {
    /// The frame at the centre of mass.
    pub origin: Origin,
    /// In kilograms.
    pub mass: f64,
    /// xx, xy, xz, yy, yz, zz about the centre of mass along that frame, in kilogram square metres.
    pub inertia: [f64; 6],
}

impl Inertial {
    /// The inertia along the link's axes.
    pub fn matrix(&self) -> DMat3 {
        let [xx, xy, xz, yy, yz, zz] = self.inertia;
        let own = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
        let turn = self.origin.pose().rotation_matrix();
        turn * own * turn.transpose()
    }

    /// Whether a body with it can be moved: a positive mass, and principal moments that some distribution of it has.
    pub fn is_physical(&self) -> bool {
        let matrix = self.matrix();
        let minors = [
            matrix.x_axis.x,
            matrix.x_axis.x * matrix.y_axis.y - matrix.x_axis.y * matrix.y_axis.x,
            matrix.determinant(),
        ];
        self.mass > 0.0 && minors.into_iter().all(|minor| minor > 0.0)
    }
}

/// A piece of geometry on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Where it is on the link.
    pub origin: Origin,
    /// What it is.
    pub geometry: Geometry,
    /// Its colour.
    pub material: Option<Material>,
    /// Elements that are kept, not used.
    pub kept: Vec<Kept>,
    /// Where it was read from.
    pub at: Place,
}

impl Surface {
    /// A nameless surface.
    pub fn new(geometry: Geometry, origin: Origin) -> Surface {
        Surface { name: None, origin, geometry, material: None, kept: Vec::new(), at: Place::default() }
    }
}

/// What a surface is.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A box by its edges.
    Box {
        /// Lengths along x, y and z.
        size: DVec3,
    },
    /// A cylinder along z.
    Cylinder {
        /// Of the disc.
        radius: f64,
        /// From disc to disc.
        length: f64,
    },
    /// A cylinder along z with half balls on its ends.
    Capsule {
        /// Of the balls.
        radius: f64,
        /// From centre to centre.
        length: f64,
    },
    /// A ball.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A mesh file.
    Mesh(MeshFile),
    /// A superellipsoid.
    Superellipsoid(Superellipsoid),
    /// A superovoid.
    Superovoid(Superovoid),
}

impl Geometry {
    /// The element's name.
    pub fn name(&self) -> &'static str {
        match self {
            Geometry::Box { .. } => "box",
            Geometry::Cylinder { .. } => "cylinder",
            Geometry::Capsule { .. } => "capsule",
            Geometry::Sphere { .. } => "sphere",
            Geometry::Mesh(_) => "mesh",
            Geometry::Superellipsoid(_) => "superellipsoid",
            Geometry::Superovoid(_) => "superovoid",
        }
    }
}

/// A mesh by its file.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// As the robot's file writes it.
    pub filename: String,
    /// Along x, y and z.
    pub scale: DVec3,
    /// Where it was found; `None` if it is missing.
    pub path: Option<PathBuf>,
}

/// A colour with a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// Red, green, blue and opacity.
    pub rgba: Option<[f64; 4]>,
    /// A picture.
    pub texture: Option<String>,
}

/// A joint between two links.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// The link that it hangs on.
    pub parent: usize,
    /// The link that hangs on it.
    pub child: usize,
    /// Its frame on the parent, which is that of the child where the joint is at zero.
    pub origin: Origin,
    /// Unit axis in the joint's frame: of rotation, of translation, or the normal of the plane.
    pub axis: DVec3,
    /// How far, how strong and how fast.
    pub limits: Option<Limits>,
    /// Damping and dry friction.
    pub dynamics: Option<Dynamics>,
    /// Another joint that it follows.
    pub mimic: Option<Mimic>,
    /// Elements that are kept, not used.
    pub kept: Vec<Kept>,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// About an axis, within limits.
    Revolute,
    /// About an axis, without limits.
    Continuous,
    /// Along an axis, within limits.
    Prismatic,
    /// Not at all.
    Fixed,
    /// In every way.
    Floating,
    /// In the plane across the axis.
    Planar,
}

impl Joint {
    /// A joint that is not yet between links, at the origin and about z, without limits.
    pub(crate) fn unplaced(name: String, kind: JointKind) -> Joint {
        Joint {
            name,
            kind,
            parent: 0,
            child: 0,
            origin: Origin::default(),
            axis: DVec3::Z,
            limits: None,
            dynamics: None,
            mimic: None,
            kept: Vec::new(),
        }
    }

    /// Three joints about x, y and z of a frame, which together turn in every way up to a right angle of the second.
    pub(crate) fn ball(name: &str, frame: DQuat, dynamics: Option<Dynamics>) -> [Joint; 3] {
        [("x", DVec3::X), ("y", DVec3::Y), ("z", DVec3::Z)].map(|(letter, axis)| Joint {
            axis: frame * axis,
            dynamics,
            ..Joint::unplaced(format!("{name}_{letter}"), JointKind::Continuous)
        })
    }
}

impl JointKind {
    /// All of them.
    pub const ALL: [JointKind; 6] = [
        JointKind::Revolute,
        JointKind::Continuous,
        JointKind::Prismatic,
        JointKind::Fixed,
        JointKind::Floating,
        JointKind::Planar,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            JointKind::Revolute => "revolute",
            JointKind::Continuous => "continuous",
            JointKind::Prismatic => "prismatic",
            JointKind::Fixed => "fixed",
            JointKind::Floating => "floating",
            JointKind::Planar => "planar",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<JointKind> {
        JointKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// How many numbers say where it is: an angle or a length; two lengths and an angle of a planar joint; a position and a
    /// rotation vector of a floating one.
    pub fn freedoms(self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => 1,
            JointKind::Planar => 3,
            JointKind::Floating => 6,
        }
    }
}

/// Limits of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Least position, in radians or metres.
    pub lower: f64,
    /// Greatest position, in radians or metres.
    pub upper: f64,
    /// Greatest torque or force, in newton metres or newtons.
    pub effort: f64,
    /// Greatest speed, in radians or metres a second.
    pub velocity: f64,
}

/// Losses of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dynamics {
    /// Viscous.
    pub damping: f64,
    /// Dry.
    pub friction: f64,
}

/// A joint that follows another: `multiplier · position of the other + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// The other joint.
    pub joint: usize,
    /// Gear ratio.
    pub multiplier: f64,
    /// Position where the other is at zero.
    pub offset: f64,
}

/// An element that is kept as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Its name.
    pub element: String,
    /// Its whole text.
    pub text: String,
    /// The line it began in.
    pub line: u32,
}

impl Robot {
    /// The link of this name.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.name == name)
    }

    /// The joint of this name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// How many numbers a configuration has: joints that follow others do not count.
    pub fn freedoms(&self) -> usize {
        self.joints.iter().filter(|joint| joint.mimic.is_none()).map(|joint| joint.kind.freedoms()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_of_all_rotations() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut angle = || random.f64() * 6.0 - 3.0;
        for n in 0..2000 {
            let pitch = match n % 4 {
                0 => std::f64::consts::FRAC_PI_2,
                1 => -std::f64::consts::FRAC_PI_2,
                _ => angle(),
            };
            let origin = Origin { xyz: DVec3::X, rpy: DVec3::new(angle(), pitch, angle()) };
            let pose = origin.pose();
            let back = Origin::of(&pose).pose();
            assert!(back.rotation.dot(pose.rotation).abs() > 1.0 - 1e-11, "{origin:?}");
        }
        // Fixed axes: x first, then y, then z.
        let origin = Origin { xyz: DVec3::ZERO, rpy: DVec3::new(0.3, -0.4, 0.7) };
        let by_hand = DMat3::from_rotation_z(0.7) * DMat3::from_rotation_y(-0.4) * DMat3::from_rotation_x(0.3);
        let error = by_hand - origin.pose().rotation_matrix();
        assert!(error.to_cols_array().iter().all(|e| e.abs() < 1e-15));
    }
}
