//! The studio's front end: types, lints, unit tests, and the whole program in a real browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::counts::{Counts, Harness, run_and_count};
use crate::test::{cargo, check};

const STUDIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../studio");
/// Where a browser can be named, and the names under which it is looked for.
const BROWSER_VARIABLE: &str = "CHROMIUM";
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Types, lints and unit tests; `Err` says what is missing.
pub fn check_front_end() -> Result<Counts, String> {
    install()?;
    let types = check(npm().args(["run", "--silent", "check"]));
    let lints = check(npm().args(["run", "--silent", "lint"]));
    Ok(types + lints + run_and_count(Harness::Vitest, npm().args(["run", "--silent", "test"])))
}

/// The program in a browser; `Err` says what is missing.
pub fn test_in_browser() -> Result<Counts, String> {
    install()?;
    let browser = find_browser().or_else(install_browser).ok_or_else(|| {
        format!("no Chromium: install it (Debian: apt-get install chromium) or name it in {BROWSER_VARIABLE}")
    })?;
    // The profile of the tests, whose artefacts are there already.
    let built = check(&mut cargo(&["build", "--quiet", "--profile", "test", "--package", "superegg-cli"]));
    if built.failed > 0 {
        return Ok(built);
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| Path::new(STUDIO).join("../target"), PathBuf::from);
    let program = target.join("debug").join(format!("superegg{}", std::env::consts::EXE_SUFFIX));
    let mut tests = npm();
    tests.args(["run", "--silent", "browser"]).env("SUPEREGG_PROGRAM", program).env(BROWSER_VARIABLE, browser);
    Ok(run_and_count(Harness::Vitest, &mut tests))
}

fn npm() -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(STUDIO);
    command
}

/// Installs the locked packages, unless these are installed already.
fn install() -> Result<(), String> {
    if !succeeds(npm().arg("--version")) {
        return Err("Node.js with npm is not installed".to_owned());
    }
    let (lock, installed) =
        (Path::new(STUDIO).join("package-lock.json"), Path::new(STUDIO).join("node_modules/.locked"));
    let wanted = fs::read(&lock).map_err(|error| format!("cannot read {}: {error}", lock.display()))?;
    if fs::read(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let mut command = npm();
    command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]);
    if !command.status().is_ok_and(|status| status.success()) {
        return Err("npm ci failed: is there a network?".to_owned());
    }
    fs::write(&installed, wanted).map_err(|error| format!("cannot write {}: {error}", installed.display()))
}

fn find_browser() -> Option<PathBuf> {
    let named = std::env::var_os(BROWSER_VARIABLE).map(PathBuf::from).filter(|path| path.exists());
    let folders: Vec<PathBuf> = std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect();
    let found = || BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    named.or_else(|| found().find(|path| path.is_file()))
}

/// On Debian, where one may.
fn install_browser() -> Option<PathBuf> {
    if !cfg!(target_os = "linux") || !is_root() || !succeeds(Command::new("apt-get").arg("--version")) {
        return None;
    }
    println!("installing Chromium with apt-get");
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        succeeds(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let installed = apt(&["update"]) && apt(&["install", "--yes", "--no-install-recommends", "chromium"]);
    if installed { find_browser() } else { None }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
