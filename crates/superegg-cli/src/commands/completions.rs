//! `superegg completions`: tab completion for a shell, from the command table.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::error::{CliError, Verdict};

/// Print a tab-completion script for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  superegg completions bash > ~/.local/share/bash-completion/completions/superegg")]
pub struct Args {
    /// The shell to complete in
    shell: Shell,
}

/// Prints the script.
pub fn run(args: Args) -> Result<Verdict, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::Cli::command(), "superegg", &mut script);
    std::io::stdout().write_all(&script).map_err(CliError::stdout)?;
    Ok(Verdict::AllAnswered)
}
