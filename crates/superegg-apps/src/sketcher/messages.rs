//! The messages of Multibody Sketcher.

use serde::{Deserialize, Serialize};

use crate::wire::{Quaternion, Vector};

/// An articulated body: all that can be undone, saved and sent. Places are where things are at rest, in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Creature {
    /// What people call it.
    pub name: String,
    /// What there is to see, for ready ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub about: Option<String>,
    /// Where bones meet and end.
    pub joints: Vec<Joint>,
    /// The first of what hangs together is its root; the others lead away from it.
    pub bones: Vec<Bone>,
    /// What others meet of the bones.
    pub hitboxes: Vec<Hitbox>,
    /// Meshes beside the skeleton, to be fitted or traced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<Backdrop>>"))]
    pub meshes: Vec<Backdrop>,
    /// How it stands.
    pub stance: Stance,
    /// How it moves, in order of time.
    pub keys: Vec<Keyframe>,
    /// What is drawn on one side comes on the other, too: the plane between them is x = 0.
    pub mirror: bool,
}

/// Where bones meet or end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Joint {
    /// Unique among joints.
    pub id: u32,
    /// At rest.
    pub position: Vector,
}

/// A rigid part between two joints. It turns about the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Bone {
    /// Unique among bones.
    pub id: u32,
    /// Unique among bones.
    pub name: String,
    /// The joint nearer to the root.
    pub from: u32,
    /// The other joint.
    pub to: u32,
    /// How it turns.
    pub articulation: Articulation,
}

/// Three turns about axes of a frame, one after the other: bend about x, sway about y, twist about z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Articulation {
    /// The frame at rest; z mostly runs along the bone.
    pub axes: Quaternion,
    /// Least and greatest angle of each turn, in radians; both zero where it does not turn.
    pub ranges: [[f64; 2]; 3],
}

/// A superellipsoid or superovoid on a bone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hitbox {
    /// Unique among hitboxes.
    pub id: u32,
    /// The bone that it is rigidly part of.
    pub bone: u32,
    /// Its middle at rest.
    pub position: Vector,
    /// At rest.
    pub orientation: Quaternion,
    /// Half its size along its own axes.
    pub radii: Vector,
    /// Roundness across z and along it.
    pub exponents: [f64; 2],
    /// How much it narrows along z; zeros for a superellipsoid.
    pub taper: [f64; 2],
}

/// A mesh of a file that was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Backdrop {
    /// Unique among meshes.
    pub id: u32,
    /// Name of the file.
    pub file: String,
    /// Hash of its content, for the client.
    #[serde(default)]
    pub hash: String,
    /// The bone that it moves with; none for what stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub bone: Option<u32>,
    /// At rest.
    pub position: Vector,
    /// At rest.
    pub orientation: Quaternion,
    /// Along its own axes.
    pub scale: Vector,
}

/// Where the root is, and how the bones are turned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Stance {
    /// How far the whole was moved from where it is at rest.
    pub position: Vector,
    /// How the whole is turned about the root's first joint.
    pub orientation: Quaternion,
    /// Bones that are turned; others are at rest.
    pub turns: Vec<Turn>,
}

/// How a bone is turned.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Turn {
    /// Which.
    pub bone: u32,
    /// Bend, sway and twist, in radians.
    pub angles: [f64; 3],
}

/// A stance at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Keyframe {
    /// Seconds from the start.
    pub time: f64,
    /// How it stands then.
    pub stance: Stance,
}

/// A line that a finger drew in a view, seen straight along an axis of the eye.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Stroke {
    /// What is to the right in the view, a unit vector.
    pub right: Vector,
    /// What is up in the view, a unit vector across it.
    pub up: Vector,
    /// Places passed, in metres along both.
    pub points: Vec<[f64; 2]>,
    /// How far a finger may miss what it means, in metres.
    pub reach: f64,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Edit {
    /// Shows another creature.
    Open {
        /// All of it.
        creature: Creature,
    },
    /// Changes parts of it; lists hold what is new or different, by their ids.
    Change {
        /// Another name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        name: Option<String>,
        /// Joints that moved.
        #[serde(default)]
        joints: Vec<Joint>,
        /// Bones that turn in another way or have another name.
        #[serde(default)]
        bones: Vec<Bone>,
        /// Hitboxes that are new or have changed.
        #[serde(default)]
        hitboxes: Vec<Hitbox>,
        /// Hitboxes that are gone.
        #[serde(default)]
        removed: Vec<u32>,
        /// All meshes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        meshes: Option<Vec<Backdrop>>,
        /// How it stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        stance: Option<Stance>,
        /// All keyframes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        keys: Option<Vec<Keyframe>>,
        /// Whether it is drawn on both sides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        mirror: Option<bool>,
    },
    /// Shows it in another way; nothing of the document changes.
    Show {
        /// How.
        show: Show,
    },
}

/// What is shown of a creature.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Show {
    /// As it was drawn.
    Rest {},
    /// As it stands.
    Posed {},
    /// As it moves.
    Playing {
        /// Seconds at which to begin.
        from: f64,
    },
    /// As a body among others.
    Physics {
        /// Its root is held; otherwise it falls.
        hang: bool,
    },
}

/// Questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Ask {
    /// The creature with a stroke as a chain of bones.
    Bones {
        /// What was drawn.
        stroke: Stroke,
    },
    /// The creature with a bone in two.
    Split {
        /// Which bone.
        bone: u32,
        /// Near which place.
        at: Vector,
    },
    /// The creature without some parts.
    Remove {
        /// Joints, with the bones that meet there.
        joints: Vec<u32>,
        /// Bones, with what is on them.
        bones: Vec<u32>,
    },
    /// The creature with a hitbox where an ellipse was drawn.
    Hitbox {
        /// What was drawn.
        stroke: Stroke,
    },
    /// How it stands when a joint is drawn to a place.
    Reach {
        /// The joint.
        joint: u32,
        /// The place.
        to: Vector,
        /// How it stands before.
        stance: Stance,
    },
    /// How it stands when a chain of bones follows a line of action.
    Follow {
        /// The line.
        stroke: Stroke,
        /// How it stands before.
        stance: Stance,
    },
    /// How it stands at a time of its animation.
    At {
        /// Seconds from the start.
        time: f64,
    },
    /// The hitbox of a bone that fits what of the meshes lies around it.
    Fit {
        /// The bone.
        bone: u32,
        /// The hitbox that is replaced; otherwise one is added.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        hitbox: Option<u32>,
    },
    /// A robot as a creature.
    Import {
        /// A URDF file's text.
        text: String,
    },
    /// The creature as a file for other programs.
    Export {
        /// Which.
        format: ExportFormat,
    },
    /// The creature as the session holds it.
    Creature {},
}

/// Files for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ExportFormat {
    /// With superellipsoids and superovoids as they are.
    Urdf,
    /// For tools that know meshes only: an archive of a URDF file and its meshes.
    UrdfCompat,
    /// For MuJoCo.
    Mjcf,
    /// Nodes and surfaces.
    Collada,
    /// Skeleton, skin and animation.
    Glb,
    /// For `superegg sim`.
    Scene,
}

/// Answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Reply {
    /// The creature after what was asked for.
    Drawn {
        /// All of it; none when nothing came of it.
        creature: Option<Creature>,
        /// Hitboxes that are new.
        hitboxes: Vec<u32>,
        /// What to say about it.
        hint: Option<String>,
    },
    /// How it stands.
    Stance {
        /// All of it.
        stance: Stance,
        /// What to say about it.
        hint: Option<String>,
    },
    /// A robot that was read.
    Imported {
        /// As a creature; its meshes are still without a content.
        creature: Creature,
        /// What was not taken over, a line each.
        notes: Vec<String>,
    },
    /// A file.
    File {
        /// What to call it.
        name: String,
        /// Its bytes, in base 64.
        base64: String,
    },
    /// The creature.
    Creature(Creature),
}

/// What a client has to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Facts {
    /// Ready creatures.
    pub gallery: Vec<Creature>,
    /// Ways in which bones commonly turn.
    pub presets: Vec<Preset>,
    /// Most bones.
    pub most_bones: u32,
    /// Most hitboxes.
    pub most_hitboxes: u32,
    /// Most keyframes.
    pub most_keys: u32,
    /// Longest animation, in seconds.
    pub longest: f64,
    /// Smallest and largest radius, in metres.
    pub radii: [f64; 2],
    /// Smallest and largest exponent.
    pub exponents: [f64; 2],
    /// Strongest taper.
    pub taper: f64,
    /// How far from the middle anything may be, in metres.
    pub farthest: f64,
}

/// A way in which bones commonly turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Preset {
    /// What it is called.
    pub name: String,
    /// Least and greatest angle of each turn, in radians.
    pub ranges: [[f64; 2]; 3],
}

/// What is shown beside the frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct State {
    /// What is shown.
    pub show: Show,
    /// Where bones are, as what was moved from rest; empty while frames tell it.
    pub places: Vec<Place>,
    /// Bones that are close to each other or overlap, but are not neighbours.
    pub contacts: Vec<Contact>,
    /// Why physics was left, if it was.
    pub halted: Option<String>,
}

/// How a bone was moved from where it is at rest: turned about the origin, then shifted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Place {
    /// Which.
    pub bone: u32,
    /// Shifted by.
    pub position: Vector,
    /// Turned by.
    pub orientation: Quaternion,
}

/// Two bones that are close.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Contact {
    /// The bones.
    pub bones: [u32; 2],
    /// Between their nearest hitboxes, in metres; negative for a depth.
    pub distance: f64,
    /// The nearest or deepest points.
    pub points: [Vector; 2],
}

/// Nothing happens that must not be missed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Event {}
