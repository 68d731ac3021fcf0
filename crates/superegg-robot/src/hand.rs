//! A built-in pair of hands, of the size and make of the iCub's in papers 001 and 003: five fingers of four links of about 16 mm and a
//! palm, 21 surfaces a hand, as superellipsoids, as superovoids, or mixed with superovoids at the finger tips; and the papers' motion.

use glam::{DQuat, DVec3};
use superegg::Pose;
use superegg::shape::{Superellipsoid, Superovoid};

use crate::contact_geometry::{ContactGeometry, ContactPart, FitOptions};
use crate::error::RobotError;
use crate::kinematics::Kinematics;
use crate::model::{Geometry, Inertial, Joint, JointKind, Limits, Link, Mimic, Origin, Robot, Surface};

/// Which hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// What a hand's links are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandShapes {
    /// Superellipsoids.
    Superellipsoids,
    /// Superovoids; the palm stays a superellipsoid with a taper of zero.
    Superovoids,
    /// Superovoids at the finger tips, superellipsoids elsewhere.
    Mixed,
}

impl HandShapes {
    /// All of them.
    pub const ALL: [HandShapes; 3] = [HandShapes::Superellipsoids, HandShapes::Superovoids, HandShapes::Mixed];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            HandShapes::Superellipsoids => "superellipsoids",
            HandShapes::Superovoids => "superovoids",
            HandShapes::Mixed => "superellipsoids/superovoids",
        }
    }
}

/// A finger: where it begins, which way it points, and its links.
struct Finger {
    name: &'static str,
    base: DVec3,
    turn: DQuat,
    lengths: [f64; 4],
    radii: [f64; 4],
}

/// Vertices of a link's mesh, from the base of a finger to its tip, as the papers have them; the palm has their mean.
pub const MESH_VERTICES: [usize; 4] = [300, 440, 910, 770];

fn fingers() -> [Finger; 5] {
    let finger = |name, y: f64, scale: f64| Finger {
        name,
        base: DVec3::new(0.034, y, 0.0),
        turn: DQuat::IDENTITY,
        lengths: [0.016, 0.018, 0.016, 0.015].map(|length| length * scale),
        radii: [0.0072, 0.0070, 0.0066, 0.0062],
    };
    let opposed = DQuat::from_rotation_z(0.85) * DQuat::from_rotation_y(-0.55) * DQuat::from_rotation_x(-0.9);
    let thumb = Finger {
        name: "thumb",
        base: DVec3::new(-0.004, 0.030, 0.006),
        turn: opposed,
        lengths: [0.017, 0.018, 0.017, 0.016],
        radii: [0.0080, 0.0076, 0.0072, 0.0066],
    };
    [
        thumb,
        finger("index", 0.0255, 0.97),
        finger("middle", 0.0085, 1.06),
        finger("ring", -0.0085, 1.0),
        finger("little", -0.0255, 0.85),
    ]
}

/// Density of a link, in kilograms a cubic metre.
const DENSITY: f64 = 1100.0;

/// A hand with its palm at the origin: fingers along x, the palm's normal along z, the thumb on the side of y (right) or -y (left).
pub fn built_in_hand(side: Side, shapes: HandShapes) -> Result<Robot, RobotError> {
    let mirror = if side == Side::Left { -1.0 } else { 1.0 };
    let place = |p: DVec3| DVec3::new(p.x, mirror * p.y, p.z);
    // A mirror in y keeps turns about y and reverses those about x and z.
    let axis = |a: DVec3| DVec3::new(mirror * a.x, a.y, mirror * a.z);
    let turned = |q: DQuat| DQuat::from_xyzw(mirror * q.x, q.y, mirror * q.z, q.w);
    let name = if side == Side::Left { "left_hand" } else { "right_hand" };
    let mut robot = Robot { name: name.to_owned(), ..Robot::default() };
    let palm = smooth([0.037, 0.034, 0.012], [0.5, 0.6], 0.0, shapes == HandShapes::Superovoids)?;
    robot.links.push(link("palm", palm, Origin::default()));
    for finger in fingers() {
        let mut parent = 0;
        for segment in 0..4 {
            let (length, radius) = (finger.lengths[segment], finger.radii[segment]);
            let child = robot.links.len();
            let tip = segment == 3;
            let tapered = shapes == HandShapes::Superovoids || (shapes == HandShapes::Mixed && tip);
            let exponents = if tip { [1.0, 0.85] } else { [0.95, 0.6] };
            let taper = if tapered { if tip { -0.24 } else { -0.06 } } else { 0.0 };
            let shape = smooth([radius, radius * 0.95, 0.56 * length], exponents, taper, tapered)?;
            // Shapes are long in z, fingers in x.
            let along = Pose {
                rotation: DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2),
                translation: DVec3::X * (0.5 * length),
            };
            let link_name = format!("{}_{segment}", finger.name);
            robot.links.push(link(&link_name, shape, Origin::of(&along)));
            let origin = if segment == 0 {
                Origin::of(&Pose { rotation: turned(finger.turn), translation: place(finger.base) })
            } else {
                Origin { xyz: DVec3::X * finger.lengths[segment - 1], rpy: DVec3::ZERO }
            };
            let spread = segment == 0;
            let (lower, upper) = if spread { (-0.3, 0.3) } else { (0.0, 1.57) };
            robot.joints.push(Joint {
                name: format!("{}_joint_{segment}", finger.name),
                kind: JointKind::Revolute,
                parent,
                child,
                origin,
                axis: if spread { axis(DVec3::Z) } else { axis(DVec3::NEG_Y) },
                limits: Some(Limits { lower, upper, effort: 1.0, velocity: 3.0 }),
                dynamics: None,
                // The last joint is coupled to the one before, as in the original.
                mimic: tip.then(|| Mimic { joint: robot.joints.len() - 1, multiplier: 0.8, offset: 0.0 }),
                kept: Vec::new(),
            });
            parent = child;
        }
    }
    Ok(robot)
}

fn smooth(radii: [f64; 3], exponents: [f64; 2], taper: f64, tapered: bool) -> Result<Geometry, RobotError> {
    Ok(if tapered {
        Geometry::Superovoid(Superovoid::new(radii, exponents, [taper; 2])?)
    } else {
        Geometry::Superellipsoid(Superellipsoid::new(radii, exponents)?)
    })
}

fn link(name: &str, geometry: Geometry, origin: Origin) -> Link {
    let properties = match &geometry {
        Geometry::Superellipsoid(shape) => Some(shape.mass_properties()),
        Geometry::Superovoid(shape) => Some(shape.mass_properties()),
        _ => None,
    };
    let pose = origin.pose();
    let inertial = properties.map(|own| Inertial {
        origin: Origin { xyz: pose.transform_point(own.centroid), rpy: origin.rpy },
        mass: DENSITY * own.volume,
        inertia: {
            let m = own.inertia;
            [m.x_axis.x, m.x_axis.y, m.x_axis.z, m.y_axis.y, m.y_axis.z, m.z_axis.z].map(|value| DENSITY * value)
        },
    });
    let surface = Surface::new(geometry, origin);
    Link {
        name: name.to_owned(),
        inertial,
        visuals: vec![surface.clone()],
        collisions: vec![surface],
        kept: Vec::new(),
    }
}

/// Two hands: their shapes, and where they are in each frame of the papers' motion.
#[derive(Clone, Debug)]
pub struct HandPair {
    /// The left hand's and the right hand's shapes, link by link: 21 each.
    pub parts: [Vec<(String, ContactPart)>; 2],
    /// Poses of these shapes in the world, frame by frame.
    pub frames: Vec<[Vec<Pose>; 2]>,
    /// Poses of the palms in the world, frame by frame.
    pub palms: Vec<[Pose; 2]>,
    /// The frame in which the thumbs touch.
    pub touch: usize,
}

/// Frames of the approach, and of the turn that follows.
const APPROACH: usize = 60;
const TURN: usize = 180;
/// Height of the right hand at the beginning, in metres.
const HIGH: f64 = 0.16;
/// How far the right hand turns, in radians.
const TURNED: f64 = 1.7;

impl HandPair {
    /// The palms face each other; the right hand approaches until the tips of the thumbs touch, then turns inward through the left one.
    pub fn new(shapes: HandShapes) -> Result<HandPair, RobotError> {
        let hands = [built_in_hand(Side::Left, shapes)?, built_in_hand(Side::Right, shapes)?];
        let mut parts = [Vec::new(), Vec::new()];
        let mut placed = Vec::new();
        for (robot, parts) in hands.iter().zip(&mut parts) {
            let kinematics = Kinematics::new(robot);
            let bent = (0..kinematics.freedoms().len()).map(|number| {
                let name = kinematics.freedom_name(robot, number);
                let angle = if name.ends_with("_0") {
                    0.0
                } else if name.starts_with("thumb") {
                    0.35
                } else {
                    0.25
                };
                (name, angle)
            });
            let bent: Vec<(String, f64)> = bent.collect();
            let configuration =
                kinematics.configuration(robot, bent.iter().map(|(name, angle)| (name.as_str(), *angle)))?;
            let geometry = ContactGeometry::new(robot, &FitOptions::default(), &mut |_| {})?;
            let poses = kinematics.link_poses(&configuration, &Pose::IDENTITY);
            let mut local = Vec::new();
            for (link, part) in geometry.parts() {
                parts.push((robot.links[link].name.clone(), part.clone()));
                local.push(poses[link].compose(&part.pose));
            }
            placed.push(local);
        }
        let touching = touching_height(&parts, &placed)?;
        let mut made = HandPair { parts, frames: Vec::new(), palms: Vec::new(), touch: APPROACH };
        for frame in 0..=APPROACH + TURN {
            let right = if frame <= APPROACH {
                facing(HIGH + (touching - HIGH) * frame as f64 / APPROACH as f64, 0.0)
            } else {
                facing(touching, TURNED * (frame - APPROACH) as f64 / TURN as f64)
            };
            let of = |palm: &Pose, local: &[Pose]| local.iter().map(|pose| palm.compose(pose)).collect::<Vec<_>>();
            made.frames.push([of(&Pose::IDENTITY, &placed[0]), of(&right, &placed[1])]);
            made.palms.push([Pose::IDENTITY, right]);
        }
        Ok(made)
    }
}

/// The right palm above the left one, facing down, turned about its wrist.
fn facing(height: f64, turned: f64) -> Pose {
    let wrist = DVec3::new(-0.04, 0.0, height);
    let over = DQuat::from_rotation_x(std::f64::consts::PI);
    let inward = DQuat::from_rotation_y(turned);
    let rotation = inward * over;
    Pose { rotation, translation: wrist + rotation * DVec3::new(0.04, 0.0, 0.0) }
}

/// The height at which the first links of the hands touch, thumbs by the way they are made; by bisection of the least distance.
fn touching_height(parts: &[Vec<(String, ContactPart)>; 2], placed: &[Vec<Pose>]) -> Result<f64, RobotError> {
    let thumb_tip = |side: usize| parts[side].iter().position(|(name, _)| name == "thumb_3").unwrap_or(0);
    let (a, b) = (thumb_tip(0), thumb_tip(1));
    let apart = |height: f64| -> Result<f64, RobotError> {
        let pose_b = facing(height, 0.0).compose(&placed[1][b]);
        let (one, other) = (&parts[0][a].1.shape, &parts[1][b].1.shape);
        Ok(superegg::query::distance(one, &placed[0][a], other, &pose_b, &superegg::query::Options::DEFAULT)?.distance)
    };
    let (mut low, mut high) = (0.0, HIGH);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if apart(middle)? > 0.0 { high = middle } else { low = middle }
    }
    Ok(high)
}
