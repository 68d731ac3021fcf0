//! The project's chores, for people and for continuous integration alike: `cargo xtask --help`.

mod counts;
mod front_end;
mod long;
mod python;
mod test;
mod wasm;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The project's chores
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    Test(test::Args),
    Long(long::Args),
}

fn main() -> ExitCode {
    match Cli::parse().chore {
        Chore::Test(args) => test::run(&args),
        Chore::Long(args) => long::run(&args),
    }
}
