//! `superegg man`: the manual page of the program or of one command, from the command table.

use std::io::Write;

use clap::CommandFactory;

use crate::error::{CliError, Verdict};

/// Print the manual page of the program or of one command, in roff
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  superegg man completions > superegg-completions.1 && man ./superegg-completions.1")]
pub struct Args {
    /// The command to describe; the program itself when left out
    command: Option<String>,
}

/// Prints the page.
pub fn run(args: Args) -> Result<Verdict, CliError> {
    let mut program = crate::Cli::command();
    program.build();
    let described = match args.command {
        None => program,
        Some(name) => program
            .find_subcommand(&name)
            .cloned()
            .ok_or_else(|| CliError::Usage(format!("there is no command `{name}`; `superegg --help` lists them")))?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(described).render(&mut page).map_err(CliError::stdout)?;
    std::io::stdout().write_all(&page).map_err(CliError::stdout)?;
    Ok(Verdict::AllAnswered)
}
