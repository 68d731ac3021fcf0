//! `cargo xtask test`: everything that has to hold before a change is merged.
//!
//! Needs nothing but stable Rust with rustfmt and clippy. Without cargo-nextest the unit and integration tests run under
//! `cargo test`; without the WebAssembly target, Node.js, Chromium or Python what needs them is not tested, which the summary
//! says. The steps that compile share their artefacts: linting and documentation check the same crates, tests and doctests
//! build the same ones.

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::ValueEnum;

use crate::counts::{Counts, Harness, run_and_count};
use crate::{front_end, python, wasm};

/// Run the checks and tests: all of them, or those named
///
/// The last line says how many passed and failed: every test counts, and so does each step that holds no tests. The exit
/// code is 1 when something failed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask test                 everything, as continuous integration does
  cargo xtask test clippy tests    two steps
  cargo xtask test tests --seed 7  other cases of the property tests")]
pub struct Args {
    /// The seed of the property tests: equal seeds try equal cases, so that a run can be repeated
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The steps to run
    #[arg(value_enum)]
    steps: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Formatting, as rustfmt wants it
    Fmt,
    /// Lints, with warnings as errors
    Clippy,
    /// Documentation, with warnings as errors
    Doc,
    /// Unit, integration and command-line tests
    Tests,
    /// Examples in the documentation
    Doctests,
    /// The studio's apps for WebAssembly; needs the target or the sources of the standard library
    Wasm,
    /// Types, lints and unit tests of the studio's front end; needs Node.js
    FrontEnd,
    /// The studio in a real browser; needs Node.js and Chromium
    Browser,
    /// The Python package in a fresh virtual environment; needs Python 3.10 or newer and a network
    Python,
}

impl Step {
    /// What came of it, or what it lacks to be run.
    fn run(self, seed: u64) -> Result<Counts, String> {
        let tests = |arguments: &[&str]| {
            let mut command = cargo(arguments);
            command.env("PROPTEST_RNG_SEED", seed.to_string());
            command
        };
        Ok(match self {
            Step::Fmt => check(&mut cargo(&["fmt", "--all", "--check"])),
            Step::Clippy => {
                // With rapier, which is optional, so that what stands beside it compiles.
                let all = ["clippy", "--workspace", "--all-targets", "--features", "superegg-bench/rapier", "--quiet"];
                check(cargo(&all).args(["--", "--deny", "warnings"]))
            }
            Step::Doc => {
                check(cargo(&["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "--deny warnings"))
            }
            Step::Tests if has_nextest() => {
                run_and_count(Harness::Nextest, &mut tests(&["nextest", "run", "--workspace", "--no-fail-fast"]))
            }
            Step::Tests => {
                println!(
                    "cargo-nextest is not installed (cargo install cargo-nextest): using cargo test, which is slower"
                );
                // The targets that nextest would run: everything but benchmarks and doctests.
                let targets = ["--lib", "--bins", "--tests", "--examples"];
                run_and_count(Harness::Libtest, tests(&["test", "--workspace", "--no-fail-fast"]).args(targets))
            }
            Step::Doctests => {
                run_and_count(Harness::Libtest, &mut cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]))
            }
            Step::Wasm => wasm::check_wasm()?,
            Step::FrontEnd => front_end::check_front_end()?,
            Step::Browser => front_end::test_in_browser()?,
            Step::Python => python::test_python()?,
        })
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Runs the steps, every one of them even after a failure.
pub fn run(args: &Args) -> ExitCode {
    let all = args.steps.is_empty();
    let steps = if all { Step::value_variants() } else { &args.steps };
    let reports: Vec<Report> = steps.iter().map(|&step| Report::of(step, args.seed, all)).collect();
    println!();
    for Report { step, counts, time, lacking } in &reports {
        let Counts { passed, failed } = counts;
        let told = lacking.as_ref().map_or(String::new(), |lacking| format!("; not run: {lacking}"));
        println!("{:<9} {:>6.1} s   {passed} passed, {failed} failed{told}", step.name(), time.as_secs_f64());
    }
    let total = reports.iter().fold(Counts::default(), |total, report| total + report.counts);
    println!("{} passed, {} failed", total.passed, total.failed);
    if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How a step went.
struct Report {
    step: Step,
    counts: Counts,
    time: Duration,
    /// What the step lacks to be run.
    lacking: Option<String>,
}

impl Report {
    /// Runs a step. One that cannot be run here fails when it was asked for by name, and is only told of among all.
    fn of(step: Step, seed: u64, among_all: bool) -> Report {
        println!("\n== {}", step.name());
        let start = Instant::now();
        let (counts, lacking) = match step.run(seed) {
            Ok(counts) => (counts, None),
            Err(lacking) => {
                println!("{lacking}");
                (Counts { passed: 0, failed: u64::from(!among_all) }, Some(lacking))
            }
        };
        Report { step, counts, time: start.elapsed(), lacking }
    }
}

/// The cargo that runs this program, in the root of the workspace.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    command
}

/// A step without tests: passes or fails as a whole.
pub fn check(command: &mut Command) -> Counts {
    match command.status() {
        Ok(status) if status.success() => Counts { passed: 1, failed: 0 },
        Ok(_) => Counts { passed: 0, failed: 1 },
        Err(error) => {
            println!("cannot run {}: {error}", command.get_program().to_string_lossy());
            Counts { passed: 0, failed: 1 }
        }
    }
}

fn has_nextest() -> bool {
    let mut probe = cargo(&["nextest", "--version"]);
    probe.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
