//! How many tests passed and failed, read off the summaries of nextest, of Rust's own test harness, of Vitest and of pytest.

use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::ops::Add;
use std::process::{Command, Stdio};
use std::thread;

/// Passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests, or whole steps, that passed.
    pub passed: u64,
    /// Tests, or whole steps, that failed.
    pub failed: u64,
}

impl Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

/// Which program runs the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harness {
    /// cargo-nextest: one summary for everything. It repeats, indented, what failed tests printed, their own harness's
    /// summaries included.
    Nextest,
    /// Rust's own: a summary for each binary.
    Libtest,
    /// Vitest, which runs the front end's tests.
    Vitest,
    /// pytest, which runs those of the Python package.
    Pytest,
}

/// Runs a test command, shows what it prints and adds up its summaries. A command that fails without a failed test, say
/// because something does not compile, counts as one failure.
pub fn run_and_count(harness: Harness, command: &mut Command) -> Counts {
    let colour = if std::io::stdout().is_terminal() { "always" } else { "never" };
    command.env("CARGO_TERM_COLOR", colour).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            println!("cannot run {}: {error}", command.get_program().to_string_lossy());
            return Counts { passed: 0, failed: 1 };
        }
    };
    // Both streams at once: a full pipe that nobody reads would stop the tests.
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let other = thread::spawn(move || err.map_or(Counts::default(), |stream| show_and_count(harness, stream)));
    let mut counts = out.map_or(Counts::default(), |stream| show_and_count(harness, stream));
    counts = counts + other.join().unwrap_or_default();
    let success = child.wait().is_ok_and(|status| status.success());
    if !success && counts.failed == 0 {
        counts.failed = 1;
    }
    counts
}

fn show_and_count(harness: Harness, stream: impl Read) -> Counts {
    let mut counts = Counts::default();
    for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        counts = counts + summary(harness, &line).unwrap_or_default();
    }
    counts
}

/// The counts in a line that sums up tests; `None` in any other line.
fn summary(harness: Harness, line: &str) -> Option<Counts> {
    let plain = without_colour(line);
    let is_summary = match harness {
        Harness::Nextest => plain.trim_start().starts_with("Summary ["),
        Harness::Libtest => plain.starts_with("test result: "),
        Harness::Vitest => plain.trim_start().starts_with("Tests  "),
        // `=== 2 failed, 7 passed in 0.3s ===`; titles of sections have no time.
        Harness::Pytest => plain.starts_with('=') && plain.contains(" in ") && plain.ends_with('='),
    };
    if !is_summary {
        return None;
    }
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let count = |name: &str| {
        let numbers = words.windows(2).filter(|pair| pair[1] == name).filter_map(|pair| pair[0].parse::<u64>().ok());
        numbers.sum::<u64>()
    };
    // nextest tells tests that ran out of time, or could not start, from those that failed.
    // pytest counts what fails outside of a test as errors.
    let failed = ["failed", "timed", "exec", "error", "errors"].into_iter().map(count).sum();
    Some(Counts { passed: count("passed"), failed })
}

/// The line without the escape sequences of a terminal.
fn without_colour(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut pieces = line.split("\u{1b}[");
    plain.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        plain.push_str(piece.split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, text)| text));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read() {
        let counts = |passed, failed| Some(Counts { passed, failed });
        let nextest = |line| summary(Harness::Nextest, line);
        assert_eq!(nextest("     Summary [   0.003s] 1 test run: 1 passed, 0 skipped"), counts(1, 0));
        let mixed = "     Summary [  61.003s] 12 tests run: 8 passed (1 slow), 3 failed, 1 timed out, 0 skipped";
        assert_eq!(nextest(mixed), counts(8, 4));
        let coloured = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.2s] \u{1b}[1m2\u{1b}[0m tests run: \u{1b}[1m2\u{1b}[0m \
                        \u{1b}[32;1mpassed\u{1b}[0m";
        assert_eq!(nextest(coloured), counts(2, 0));
        // Counted twice before: nextest repeats the harness's summary of every failed test.
        assert_eq!(nextest("    test result: FAILED. 0 passed; 1 failed; 0 ignored; finished in 0.1s"), None);

        let libtest = |line| summary(Harness::Libtest, line);
        let result = "test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s";
        assert_eq!(libtest(result), counts(3, 2));
        assert_eq!(libtest("test it::works_when_2_passed ... ok"), None);
        assert_eq!(libtest("I said: test result: 5 passed"), None);

        let vitest = |line| summary(Harness::Vitest, line);
        assert_eq!(vitest("      Tests  1 failed | 23 passed (24)"), counts(23, 1));
        assert_eq!(vitest(" Test Files  3 passed (3)"), None);

        let pytest = |line| summary(Harness::Pytest, line);
        assert_eq!(pytest("===== 2 failed, 7 passed, 1 skipped, 1 error in 61.30s (0:01:01) ====="), counts(7, 3));
        assert_eq!(pytest("=========================== short test summary info ============================"), None);
        assert_eq!(pytest("==== 1 failed in a test's own output"), None);
    }

    #[test]
    fn a_command_that_fails_without_a_summary_counts_as_a_failure() {
        let mut command = Command::new("cargo");
        let counts = run_and_count(Harness::Libtest, command.arg("no-such-subcommand"));
        assert_eq!(counts, Counts { passed: 0, failed: 1 });
    }
}
