//! `superegg studio`: smooth contact to see and touch, in the browser. Also what `superegg` alone does.

use std::io::Write;
use std::net::IpAddr;

use superegg_studio::{ServeOptions, serve};

use crate::error::{CliError, Verdict};

/// Start the studio: smooth contact to see and touch, in the browser
///
/// Prints the address to open and runs until Ctrl-C. Only browsers on this machine are answered, unless another address
/// is named; then the printed link carries a random token, and clients without it are refused.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  superegg studio                  on this machine
  superegg studio --port 8080      under another port
  superegg studio --host 0.0.0.0   for phones and tablets on the same network, by a link with a token")]
pub struct Args {
    /// Port to listen on [default: 7340, or any free one where that is taken]
    #[arg(long, value_name = "P")]
    port: Option<u16>,
    /// Address to listen on
    #[arg(long, value_name = "H", default_value = "127.0.0.1", value_parser = read_host)]
    host: IpAddr,
}

/// An address, or the name of this machine's own.
fn read_host(text: &str) -> Result<IpAddr, String> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(ServeOptions::default().host);
    }
    text.parse().map_err(|_| "give an IP address, such as 127.0.0.1 or 0.0.0.0".to_owned())
}

/// Runs the command.
pub fn run(args: Args) -> Result<Verdict, CliError> {
    let Args { port, host } = args;
    listen(ServeOptions { host, port })
}

/// Runs the studio with its defaults.
pub fn start() -> Result<Verdict, CliError> {
    listen(ServeOptions::default())
}

fn listen(options: ServeOptions) -> Result<Verdict, CliError> {
    let announce = |link: &str| {
        // The studio runs whether or not anyone reads this.
        let mut out = std::io::stdout();
        let _ = writeln!(out, "Superegg Studio: {link}\nCtrl-C ends it; `superegg --help` lists the other commands.");
        let _ = out.flush();
    };
    serve(options, announce).map_err(|error| CliError::Usage(error.to_string()))?;
    Ok(Verdict::AllAnswered)
}
