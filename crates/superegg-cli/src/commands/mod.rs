//! The table of commands: one file each, with its arguments (a clap `Args`) and a `run`.
//!
//! To add a command: a file here, a `mod` line, a variant of [`Command`] and its arm in [`Command::run`].

mod bench;
mod ccd;
mod completions;
mod fit;
mod fit_options;
mod man;
mod query;
mod render;
mod robot;
mod sim;
mod studio;

use clap::Subcommand;

use crate::error::{CliError, Verdict};

pub use studio::start as start_studio;

/// Everything `superegg` can do.
#[derive(Subcommand)]
pub enum Command {
    Studio(studio::Args),
    Query(query::Args),
    Bench(bench::Args),
    Ccd(ccd::Args),
    Fit(fit::Args),
    Robot(robot::Args),
    Sim(sim::Args),
    Render(render::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Runs the command to its end.
    pub fn run(self) -> Result<Verdict, CliError> {
        match self {
            Command::Studio(args) => studio::run(args),
            Command::Query(args) => query::run(args),
            Command::Bench(args) => bench::run(args),
            Command::Ccd(args) => ccd::run(args),
            Command::Fit(args) => fit::run(args),
            Command::Robot(args) => robot::run(args),
            Command::Sim(args) => sim::run(args),
            Command::Render(args) => render::run(args),
            Command::Completions(args) => completions::run(args),
            Command::Man(args) => man::run(args),
        }
    }
}
