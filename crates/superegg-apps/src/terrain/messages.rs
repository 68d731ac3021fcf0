//! The messages of Terrain Cloth.

use serde::{Deserialize, Serialize};

use crate::wire::Vector;

/// What lies under the cloth and what the cloth is: all that can be undone, saved and sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Landscape {
    /// What people call it.
    pub name: String,
    /// What there is to see, for ready ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub about: Option<String>,
    /// The bodies under the cloth.
    pub hills: Vec<Hill>,
    /// Everything else.
    pub settings: Settings,
    /// Names this state among those of one client. A session that leaves a moment remembers how the cloth lay, and lays it so
    /// again when it comes back.
    pub moment: u32,
}

/// A superellipsoid under the cloth. It stands upright.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hill {
    /// Unique within the landscape.
    pub id: u32,
    /// Where its axis meets the table, in metres from the middle.
    pub position: [f64; 2],
    /// Half its length, width and height, in metres.
    pub radii: Vector,
    /// Roundness across its axis and along it.
    pub exponents: [f64; 2],
    /// About its axis, in radians.
    pub turn: f64,
    /// 0: its middle is on the table and half of it below; 1: it stands on the table.
    pub lift: f64,
}

/// What is not a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Settings {
    /// What holds the cloth in the air.
    pub pins: Vec<Clothespin>,
    /// What the cloth is made of.
    pub fabric: FabricSettings,
    /// Vertices along each side of the cloth.
    pub side: u32,
    /// Air in motion.
    pub wind: Breeze,
    /// The cloth stays as it is, whatever happens under it.
    pub frozen: bool,
    /// How often the cloth was dropped again.
    pub drops: u32,
    /// How often it was smoothed.
    pub smooths: u32,
}

/// Holds a place of the cloth in the air.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Clothespin {
    /// Unique within the landscape.
    pub id: u32,
    /// Where on the cloth, in parts of its sides from 0 to 1.
    pub place: [f64; 2],
    /// Where in the air, in metres.
    pub at: Vector,
}

/// What the cloth is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FabricSettings {
    /// Against bending: 0 for silk, 1 for canvas.
    pub stiffness: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// In metres.
    pub thickness: f64,
}

/// Air in motion along the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Breeze {
    /// In metres a second.
    pub speed: f64,
    /// Where it goes, in radians from x to y.
    pub direction: f64,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Edit {
    /// Shows another landscape. Without a drape, the cloth is dropped.
    Open {
        /// All of it.
        landscape: Landscape,
        /// How the cloth lies: three sixteen-bit parts of the facts' box for each vertex, little-endian, in base 64.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        drape: Option<String>,
    },
    /// Changes the landscape to one of another, or of the same, moment.
    Change {
        /// Of the landscape after the change.
        moment: u32,
        /// Another name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        name: Option<String>,
        /// Bodies that are new or have changed.
        #[serde(default)]
        hills: Vec<Hill>,
        /// Bodies that are gone.
        #[serde(default)]
        removed: Vec<u32>,
        /// Other settings.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        settings: Option<Settings>,
    },
    /// Walks on the landscape as it lies, or goes back to editing it.
    Walk {
        /// Whether to walk.
        walking: bool,
    },
}

/// Questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Ask {
    /// The landscape as a file for other programs.
    Export {
        /// Which.
        format: ExportFormat,
    },
    /// The landscape as the session holds it.
    Landscape {},
}

/// Files for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ExportFormat {
    /// Wavefront OBJ: the cloth as it lies, in metres.
    Obj,
    /// Binary glTF: the same.
    Glb,
    /// Binary STL: a closed solid with a plate below, in millimetres, a tenth of the size: to be printed.
    Stl,
    /// PNG of sixteen-bit heights, seen from above.
    Heightmap,
}

/// Answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Reply {
    /// A file.
    File {
        /// What to call it.
        name: String,
        /// Its bytes.
        base64: String,
        /// Part of the cloth's area that lies under other parts and is not in the file.
        lost: f64,
        /// Heights of black and white in a heightmap, in metres.
        heights: Option<[f64; 2]>,
    },
    /// The landscape.
    Landscape(Landscape),
}

/// What a client has to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Facts {
    /// Ready landscapes; the first is what to begin with.
    pub gallery: Vec<Landscape>,
    /// Half the edge of the table and of the cloth, in metres.
    pub reach: f64,
    /// How far from the middle a body may be, in metres.
    pub farthest: f64,
    /// Most bodies.
    pub most_hills: u32,
    /// Most clothespins.
    pub most_pins: u32,
    /// Smallest and largest radius, in metres.
    pub radii: [f64; 2],
    /// Smallest and largest exponent.
    pub exponents: [f64; 2],
    /// Fewest and most vertices along a side.
    pub sides: [u32; 2],
    /// Smallest and largest coefficient of friction.
    pub friction: [f64; 2],
    /// Thinnest and thickest cloth, in metres.
    pub thickness: [f64; 2],
    /// Fastest wind, in metres a second.
    pub wind: f64,
    /// Lowest corner and size of the box in which the cloth is, in metres.
    pub r#box: [Vector; 2],
    /// Height of the walker, in metres of the table.
    pub walker: f64,
}

/// What is shown beside the frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct State {
    /// Nothing moves until something is done.
    pub resting: bool,
    /// Whether somebody walks on it.
    pub walking: bool,
    /// Why the cloth was laid back to where it was, if it was.
    pub halted: Option<String>,
}

/// Nothing happens that must not be missed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Event {}
