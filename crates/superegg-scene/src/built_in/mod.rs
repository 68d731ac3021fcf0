//! The scenes that come with the program: those of the papers, and others of our own.

mod arm;
mod bodies;
mod chair;
mod cloth;
mod hammock;
mod parts;
mod ragdoll;

use superegg_sim::SimError;

use crate::{Description, Scene};
pub use bodies::{bowl, bowl_of};
pub use cloth::{tablecloth, tablecloth_over_mesh};

/// Names and descriptions of the built-in scenes.
pub const BUILT_IN: [(&str, &str); 13] = [
    ("tablecloth", "a cloth of 3,240 (or --size 6460) vertices falls on a large table (paper 000, section 4.2)"),
    ("terrain", "a cloth of 1,681 vertices over n×n superellipsoids (paper 001, section 6.1)"),
    ("curtain", "hangs from rings in a gusty wind and meets itself"),
    ("blanket", "is folded twice onto itself over a ball"),
    ("chair", "a dust sheet falls over a chair, which is a mesh"),
    ("bowl", "50 (or --bodies N) random superellipsoids fall into a bowl of 10,000 triangles (paper 000, section 4.3)"),
    ("egg", "two supereggs stand on their ends; one is nudged, the other is pushed over"),
    ("tower", "boxy superellipsoids, 20 (or --bodies N) on top of each other"),
    ("billiard", "a ball hits a row of 5 (or --bodies N) others"),
    ("ragdoll", "1 (or --bodies N) jointed figures fall down some steps"),
    ("hammock", "6 (or --bodies N) bodies are caught by a cloth"),
    (
        "parts",
        "20 (or --bodies N) machine parts, rigid meshes with holes and teeth, come to rest on each other in a tray",
    ),
    (
        "arm",
        "an arm of seven joints holds a pose with a load of 3 (or --bodies N) kilograms, within the efforts of its servos",
    ),
];

/// Most bodies that a scene can be asked for.
const MOST: usize = 100_000;

/// Describes a built-in scene, `None` for a name that is none of them. `size` is the number of vertices of the tablecloth (3,240 or
/// 6,460, the nearest is taken), of bodies of other scenes, clamped to [1, 100,000]; `None` takes each scene's own.
pub fn description(name: &str, size: Option<usize>) -> Option<Result<Description, SimError>> {
    let count = |default: usize| size.unwrap_or(default).clamp(1, MOST);
    match name {
        "tablecloth" => Some(tablecloth(size.unwrap_or(3240), None)),
        "terrain" => Some(cloth::terrain(count(25))),
        "curtain" => Some(cloth::curtain()),
        "blanket" => Some(cloth::blanket()),
        "chair" => Some(chair::chair()),
        "bowl" => Some(bowl(count(50), 1)),
        "egg" => Some(bodies::egg()),
        "tower" => Some(bodies::tower(count(20))),
        "billiard" => Some(bodies::billiard(count(5))),
        "ragdoll" => Some(ragdoll::ragdoll(count(1))),
        "hammock" => Some(hammock::hammock(count(6))),
        "parts" => Some(parts::parts(count(20))),
        "arm" => Some(arm::arm(count(3))),
        _ => None,
    }
}

/// Makes a built-in scene.
pub fn scene(name: &str, size: Option<usize>) -> Option<Result<Scene, SimError>> {
    Some(description(name, size)?.and_then(|description| description.build()))
}
