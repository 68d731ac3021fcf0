//! Other libraries, asked the same questions: parry always, FCL where it was compiled in.

#[cfg(feature = "fcl")]
mod fcl;
mod parry;

#[cfg(feature = "fcl")]
pub(crate) use fcl::FclMesh;
pub(crate) use parry::{ParryEgg, ParryMesh, ParryPose, parry_pose};

/// Which peers this program has, for a report.
pub(crate) fn present() -> &'static str {
    if cfg!(feature = "fcl") {
        "Peers: parry 0.31 and FCL 0.7."
    } else {
        "Peers: parry 0.31. FCL did not run: build with `--features fcl`, which needs FCL 0.7 (Debian: `libfcl-dev`)."
    }
}
