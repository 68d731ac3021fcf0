//! Builds the front end in `studio/` with the locked npm packages and writes the table of files that the studio embeds.
//!
//! Everything happens in `OUT_DIR`: the sources are copied there, so the source tree stays as it is. Packages are installed
//! anew only when the lock file has changed. When Node.js, npm, the network or the sources are missing, the program is
//! built all the same, and its page says what to install. `SUPEREGG_SKIP_FRONT_END=1` leaves the front end out.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the build needs; tests and their settings are not among it.
const SOURCES: &[&str] =
    &["src", "public", "index.html", "package.json", "package-lock.json", ".npmrc", "tsconfig.json", "vite.config.ts"];
/// The oldest Node.js that Vite runs on.
const OLDEST_NODE: (u32, u32) = (20, 19);
const SKIP: &str = "SUPEREGG_SKIP_FRONT_END";

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let sources = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../studio");
    println!("cargo:rerun-if-env-changed={SKIP}");
    println!("cargo:rerun-if-changed=build.rs");
    for source in SOURCES {
        println!("cargo:rerun-if-changed={}", sources.join(source).display());
    }
    let table = match build(&sources, &out.join("front-end")) {
        Ok(dist) => table(&dist, None)?,
        Err(reason) => {
            println!("cargo:warning=the studio's pages were not built: {reason}");
            table(Path::new(""), Some(&reason.to_string()))?
        }
    };
    fs::write(out.join("assets.rs"), table)?;
    Ok(())
}

/// Builds the front end; returns the folder of its files.
fn build(sources: &Path, work: &Path) -> Result<PathBuf, Box<dyn Error>> {
    if env::var_os(SKIP).is_some_and(|value| value != "0") || env::var_os("DOCS_RS").is_some() {
        return Err(format!("{SKIP} asked for it").into());
    }
    if !sources.join("package-lock.json").exists() {
        return Err("its sources are not part of this package".into());
    }
    check_node()?;
    fs::create_dir_all(work)?;
    let stale = work.join("src");
    if stale.exists() {
        fs::remove_dir_all(stale)?;
    }
    for source in SOURCES {
        copy(&sources.join(source), &work.join(source))?;
    }
    // The lock file of the last complete installation.
    let (lock, installed) = (work.join("package-lock.json"), work.join("installed.json"));
    if fs::read(&lock).ok() != fs::read(&installed).ok() {
        run(npm(work).args(["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]))?;
        fs::copy(&lock, &installed)?;
    }
    run(npm(work).args(["run", "build"]))?;
    Ok(work.join("dist"))
}

fn npm(work: &Path) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    // One retry: without a network the build should go on soon.
    command.current_dir(work).env("npm_config_fetch_retries", "1").env("npm_config_loglevel", "error");
    command
}

fn check_node() -> Result<(), Box<dyn Error>> {
    let output = Command::new("node").arg("--version").output().map_err(|_| "Node.js is not installed")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.trim().trim_start_matches('v').split('.').map(|number| number.parse().unwrap_or(0));
    let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < OLDEST_NODE {
        let (major, minor) = OLDEST_NODE;
        return Err(format!("Node.js {} is older than {major}.{minor}", text.trim()).into());
    }
    Ok(())
}

fn run(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let output = command.output().map_err(|error| format!("npm is not installed ({error})"))?;
    if output.status.success() {
        return Ok(());
    }
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    eprintln!("{}\n{said}", String::from_utf8_lossy(&output.stdout));
    Err(format!("npm {} failed: {first}", arguments.join(" ")).into())
}

/// Copies a file or a folder; what does not exist is left out.
fn copy(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else if from.exists() {
        fs::copy(from, to)?;
    }
    Ok(())
}

/// The Rust source of the embedded files.
fn table(dist: &Path, missing: Option<&str>) -> Result<String, Box<dyn Error>> {
    let mut files = vec![];
    if missing.is_none() {
        collect(dist, &mut files)?;
        files.sort();
    }
    let mut table = format!("const MISSING: Option<&str> = {missing:?};\nstatic ASSETS: &[Asset] = &[\n");
    for file in files {
        let path: Vec<_> = file.strip_prefix(dist)?.iter().map(|part| part.to_string_lossy()).collect();
        writeln!(
            table,
            "    Asset {{ path: {:?}, bytes: include_bytes!({file:?}) }},",
            format!("/{}", path.join("/"))
        )?;
    }
    table.push_str("];\n");
    Ok(table)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
