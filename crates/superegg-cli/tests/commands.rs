//! The program as a whole: overview, help, exit codes, manual and completions.

mod program;

use program::{Ran, run, superegg};

const COMMANDS: &[&str] = &["studio", "query", "bench", "ccd", "sim", "render", "completions", "man"];

#[test]
fn the_help_lists_the_commands() {
    let Ran { code, out, err } = run(superegg(&["--help"]), "");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    for command in COMMANDS {
        assert!(out.lines().any(|line| line.trim_start().starts_with(command)), "{command} is missing in\n{out}");
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in COMMANDS {
        let Ran { code, out, err } = run(superegg(&[command, "--help"]), "");
        assert_eq!((code, err.as_str()), (Some(0), ""), "{command}");
        assert!(out.contains(&format!("Usage: superegg {command}")) && out.contains("\nExample"), "{out}");
    }
    assert_eq!(run(superegg(&["--version"]), "").out, format!("superegg {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn bad_usage_exits_with_1_and_says_why() {
    for (arguments, reason) in [
        (&["qurey"][..], "a similar subcommand exists: 'query'"),
        (&["query", "--no-such-flag"], "--no-such-flag"),
        (&["query", "one", "two"], "two"),
        (&["completions", "no-such-shell"], "no-such-shell"),
        (&["man", "no-such-command"], "there is no command `no-such-command`"),
    ] {
        let Ran { code, out, err } = run(superegg(arguments), "");
        assert_eq!((code, out.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(err.contains(reason), "{arguments:?}: {err}");
    }
}

#[test]
fn manual_and_completions_name_every_command() {
    let man = run(superegg(&["man"]), "");
    let bash = run(superegg(&["completions", "bash"]), "");
    assert_eq!((man.code, bash.code), (Some(0), Some(0)));
    for command in COMMANDS {
        assert!(man.out.contains(&format!("superegg\\-{command}(1)")) && bash.out.contains(command), "{command}");
        let page = run(superegg(&["man", command]), "");
        assert_eq!(page.code, Some(0));
        assert!(page.out.contains(&format!("superegg\\-{command}")), "{}", page.out);
    }
}
