//! Measures continuous collision detection and prints the tables: `ccd [--quick] [FOLDER]`.

use std::path::PathBuf;
use std::process::ExitCode;

use bench::ccd::{Settings, measure, published_cloth_ball, write_all};

fn main() -> ExitCode {
    let (flags, folders): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let quick = flags.iter().any(|flag| flag == "--quick");
    let folder = folders.first().map_or_else(|| PathBuf::from("bench-out"), PathBuf::from);
    let settings = Settings { quick, cloth_ball: published_cloth_ball() };
    let rows = measure(&settings, |scene| eprintln!("measuring {scene}"));
    match rows.and_then(|rows| write_all(&rows, &folder)) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
