//! `cargo xtask long`: the tests that take too long for every change, through the optimised program.

use std::process::ExitCode;
use std::time::Instant;

use crate::counts::{Harness, run_and_count};
use crate::test::cargo;

/// Run the tests that take minutes: a hundred thousand bounds in 77 digits, as many penetration depths, superovoids that are not convex, a million
/// queries in constant memory, the largest picture in little, the grids of cloths and of rigid bodies, bodies dragged under cloth, thrown meshes, the
/// blanket at rest, fifty landscapes under a cloth and ten minutes of walking on each ready one, the exact collisions with every switch
#[derive(clap::Args)]
pub struct Args {}

/// The ignored tests: package and test file of each.
const LONG: [[&str; 2]; 12] = [
    ["superegg", "certificate"],
    ["superegg", "depth_many"],
    ["superegg", "nonconvex_bounds"],
    ["superegg-cli", "query"],
    ["superegg-sim", "cloth_on_bodies"],
    ["superegg-sim", "dragged_under_cloth"],
    ["superegg-sim", "mesh_on_mesh"],
    ["superegg-sim", "rest"],
    ["superegg-picture", "memory"],
    ["superegg-scene", "bowl"],
    ["superegg-apps", "terrain"],
    ["superegg-bench", "ccd_truth"],
];

/// Runs them all, whatever becomes of the first ones.
pub fn run(Args {}: &Args) -> ExitCode {
    let start = Instant::now();
    let mut failed = false;
    for [package, test] in LONG {
        let mut command = cargo(&["test", "--release", "--package", package, "--test", test]);
        let counts = run_and_count(Harness::Libtest, command.args(["--", "--ignored", "--nocapture"]));
        failed |= counts.passed == 0 || counts.failed > 0;
    }
    println!("{:.1} s, compilation included", start.elapsed().as_secs_f64());
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
