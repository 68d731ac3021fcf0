//! The Python package: installed from the repository into a fresh virtual environment, typed, tested, its examples run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::counts::{Counts, Harness, run_and_count};
use crate::test::check;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// Where an interpreter can be named, and the names under which it is looked for.
const VARIABLE: &str = "PYTHON";
const INTERPRETERS: &[&str] = &["python3", "python"];
/// Prints nothing where the interpreter will do, and what it lacks otherwise.
const PROBE: &str = "import sys
if sys.version_info < (3, 10): print('Python 3.10 or newer is needed, found', sys.version.split()[0]); sys.exit(1)
try: import venv, ensurepip
except ImportError: print('Python has no venv (Debian: apt-get install python3-venv)'); sys.exit(1)";

/// Installs the package and what its tests use, checks types, runs the tests; `Err` says what is missing.
pub fn test_python() -> Result<Counts, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| Path::new(ROOT).join("target"), PathBuf::from);
    let environment = target.join("python");
    let python = fresh_environment(&find_interpreter()?, &environment)?;
    let pip = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        command.args(quiet).args(arguments).current_dir(ROOT);
        command
    };
    if !succeeds(&mut pip(&["--requirement", "crates/superegg-py/tests/requirements.txt"])) {
        return Err("pip cannot install what the tests of the Python package use: is there a network?".to_owned());
    }
    // Ray has no wheels for some interpreters; its tests are skipped by name where it is missing.
    if !succeeds(&mut pip(&["--only-binary=:all:", "ray[data]"])) {
        println!("Ray could not be installed: its tests are skipped");
    }
    // The artefacts of the Rust tests are used again: their profile is `dev`, optimised as here. `cargo rustc`, which maturin calls,
    // takes the name `test` for something else.
    let mut install = pip(&["--config-settings=build-args=--profile dev", "--no-deps", "."]);
    install.env("CARGO_PROFILE_DEV_OPT_LEVEL", "2").env("CARGO_TARGET_DIR", &target);
    let installed = check(&mut install);
    if installed.failed > 0 {
        return Ok(installed);
    }
    let mut types = Command::new(&python);
    types.args(["-m", "mypy", "--package", "superegg"]).current_dir(ROOT);
    let mut tests = Command::new(&python);
    // Not from the sources: what was installed is what is tested.
    tests.args(["-m", "pytest", "-p", "no:cacheprovider", "-rs"]).current_dir(ROOT);
    Ok(installed + check(&mut types) + run_and_count(Harness::Pytest, &mut tests))
}

fn find_interpreter() -> Result<PathBuf, String> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let mut lacking = format!("no Python: install Python 3.10 or newer, or name it in {VARIABLE}");
    for candidate in named.into_iter().chain(INTERPRETERS.iter().map(PathBuf::from)) {
        match Command::new(&candidate).args(["-c", PROBE]).output() {
            Ok(output) if output.status.success() => return Ok(candidate),
            Ok(output) if !output.stdout.is_empty() => {
                lacking = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            }
            _ => {}
        }
    }
    Err(lacking)
}

/// The interpreter of a new virtual environment.
fn fresh_environment(python: &Path, environment: &Path) -> Result<PathBuf, String> {
    if environment.exists() {
        fs::remove_dir_all(environment).map_err(|error| format!("cannot clear {}: {error}", environment.display()))?;
    }
    if !succeeds(Command::new(python).args(["-m", "venv"]).arg(environment)) {
        return Err(format!("{} cannot make a virtual environment", python.display()));
    }
    let folder = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    Ok(environment.join(folder))
}

fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}
