//! Robots made by others, where they are present.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::{Path, PathBuf};

/// A folder of the shared data, or nothing, which is said.
pub fn shared(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = std::env::var_os("SUPEREGG_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let folder = data.join("data").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: shared data ({name}) not found");
    None
}

/// The URDF files of the shared robots.
pub fn robots() -> Vec<PathBuf> {
    let Some(folder) = shared("robots") else { return Vec::new() };
    ["panda/panda.urdf", "allegro_hand_right/allegro_hand_right.urdf", "schunk_hand_right/schunk_svh_hand_right.urdf"]
        .map(|name| folder.join(name))
        .into_iter()
        .filter(|path| path.is_file())
        .collect()
}
