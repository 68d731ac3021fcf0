//! Where data made by others is, on machines that have it.

use std::path::{Path, PathBuf};

/// A folder of the shared data: under `SUPEREGG_SHARED`, or beside the project.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("SUPEREGG_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    Some(shared.join("data").join(folder)).filter(|folder| folder.is_dir())
}
