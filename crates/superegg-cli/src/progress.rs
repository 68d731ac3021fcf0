//! A progress bar for anything that takes longer than two seconds, and none where it would be in the way.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a command runs before it shows its progress.
const PATIENCE: Duration = Duration::from_secs(2);

/// Progress through a known amount of work, shown on standard error.
pub struct Progress {
    started: Instant,
    total: Option<u64>,
    done: u64,
    template: &'static str,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Progress through so many bytes; nothing is shown when the amount is unknown, when standard error is no terminal,
    /// or when the answers go to the terminal themselves.
    pub fn of_bytes(total: Option<u64>) -> Progress {
        let visible = std::io::stderr().is_terminal() && !std::io::stdout().is_terminal();
        let template = "{bar:40} {bytes}/{total_bytes} ({eta} left)";
        Progress { started: Instant::now(), total: total.filter(|_| visible), done: 0, template, bar: None }
    }

    /// Progress through so many steps between frames; nothing is shown when standard error is no terminal.
    pub fn of_frames(total: u64) -> Progress {
        let total = Some(total).filter(|_| std::io::stderr().is_terminal());
        Progress {
            started: Instant::now(),
            total,
            done: 0,
            template: "{bar:40} frame {pos}/{len} ({eta} left) {msg}",
            bar: None,
        }
    }

    /// Progress in per cent; nothing is shown when standard error is no terminal.
    pub fn of_percent() -> Progress {
        let total = Some(100).filter(|_| std::io::stderr().is_terminal());
        Progress { started: Instant::now(), total, done: 0, template: "{bar:40} {pos} % ({eta} left)", bar: None }
    }

    /// So many more are done.
    pub fn advance(&mut self, count: u64) {
        self.done += count;
        let Some(total) = self.total else { return };
        if self.bar.is_none() && self.started.elapsed() > PATIENCE {
            let style = ProgressStyle::with_template(self.template);
            let bar = ProgressBar::new(total).with_style(style.expect("a valid template")).with_elapsed(PATIENCE);
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }

    /// So many more are done, with something to say about it where it is shown.
    pub fn advance_told(&mut self, count: u64, message: impl FnOnce() -> String) {
        self.advance(count);
        if let Some(bar) = &self.bar {
            bar.set_message(message());
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What a benchmark is doing, as a bar on standard error; notes are printed above it. No bar when standard error is no
/// terminal.
pub struct WorkBar {
    bar: ProgressBar,
}

impl WorkBar {
    /// A bar that appears with the first piece of work.
    pub fn new() -> WorkBar {
        let style = ProgressStyle::with_template("{bar:40} {msg} {pos}/{len}").expect("a valid template");
        let target =
            if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        WorkBar { bar: ProgressBar::with_draw_target(None, target).with_style(style) }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl bench::Progress for WorkBar {
    fn begin(&self, work: &str, steps: u64) {
        self.bar.reset();
        self.bar.set_length(steps);
        self.bar.set_message(work.to_owned());
    }

    fn advance(&self, steps: u64) {
        self.bar.inc(steps);
    }

    fn note(&self, text: &str) {
        // Nothing is lost when this cannot be said.
        self.bar.suspend(|| drop(writeln!(std::io::stderr(), "{text}")));
    }
}
