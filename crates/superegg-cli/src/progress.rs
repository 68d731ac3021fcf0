//! A progress bar for anything that takes longer than two seconds, and none where it would be in the way.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

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
