//! `cargo xtask million`: a million queries through the optimised program, with the memory it takes.

use std::process::ExitCode;
use std::time::Instant;

use crate::counts::{Harness, run_and_count};
use crate::test::cargo;

/// Send a million queries through the optimised program; fails when its memory grows with the input
#[derive(clap::Args)]
pub struct Args {}

/// Runs the test that is too long for every change.
pub fn run(Args {}: &Args) -> ExitCode {
    let start = Instant::now();
    let mut command = cargo(&["test", "--release", "--package", "superegg-cli", "--test", "query"]);
    let counts = run_and_count(Harness::Libtest, command.args(["--", "--ignored", "--nocapture", "a_million_lines"]));
    println!("{:.1} s, compilation included", start.elapsed().as_secs_f64());
    if counts.passed == 1 && counts.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
