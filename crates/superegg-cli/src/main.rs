//! The `superegg` program: reads the command line, runs one command, turns its outcome into an exit code.
//!
//! Exit codes: 0 all answered, 1 bad usage or unreadable file, 2 some inputs were refused (each named), the rest
//! answered. The commands, their help, the manual and the shell completions all come from one table,
//! [`commands::Command`].

mod commands;
mod error;
mod json;
mod progress;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use commands::Command;

/// Distances, closest points and normals between smooth bodies, with a certificate. Without a command: the studio.
#[derive(Parser)]
#[command(name = "superegg", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const EXIT_CODES: &str = "\
Exit codes: 0 all answered; 1 bad usage or unreadable file; 2 some inputs were refused, each of
them named, and the rest answered.";

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => {
            // Help and version come this way too. A message that cannot be shown has nowhere else to go.
            let _ = message.print();
            return if message.use_stderr() { ExitCode::from(1) } else { ExitCode::SUCCESS };
        }
    };
    let outcome = match cli.command {
        Some(command) => command.run(),
        None => commands::start_studio(),
    };
    match outcome {
        Ok(verdict) => verdict.exit_code(),
        // Whoever read the answers has had enough of them.
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "superegg: {error}");
            ExitCode::from(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_table_is_sound() {
        Cli::command().debug_assert();
    }
}
