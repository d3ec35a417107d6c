//! Progress of a run that takes more than two seconds: one line that is refreshed on a terminal, a
//! line now and then in a log.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::Console;

/// A run that is over before this shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two refreshes on a terminal.
const REFRESH: Duration = Duration::from_millis(200);
/// Time before the second line in a log; each time after is half as long again.
const LOG: Duration = Duration::from_secs(10);

/// Shows how far a run is, on standard error.
#[derive(Debug)]
pub(crate) struct Progress {
    start: Instant,
    next: Instant,
    pause: Duration,
    is_terminal: bool,
    is_silent: bool,
    /// Characters of the line that is on the terminal.
    shown: usize,
}

impl Progress {
    /// The progress of a run that starts now.
    pub(crate) fn new(console: &Console) -> Self {
        let (start, is_terminal) = (Instant::now(), io::stderr().is_terminal());
        let pause = if is_terminal { REFRESH } else { LOG };
        let is_silent = console.is_quiet();
        Self { start, next: start + PATIENCE, pause, is_terminal, is_silent, shown: 0 }
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Shows `text`, if it is time to.
    pub(crate) fn show(&mut self, text: impl FnOnce(f64) -> String) {
        let now = Instant::now();
        if self.is_silent || now < self.next {
            return;
        }
        self.next = now + self.pause;
        let text = text(self.seconds());
        let mut out = io::stderr().lock();
        let length = text.chars().count();
        // Progress is not worth an error.
        let _ = if self.is_terminal {
            write!(out, "\r{text}{}", " ".repeat(self.shown.saturating_sub(length)))
        } else {
            self.pause = self.pause.mul_f64(1.5);
            writeln!(out, "{text}")
        };
        self.shown = length;
        let _ = out.flush();
    }

    /// Shows the share of `total` that is done, with rate and time left.
    pub(crate) fn share(&mut self, done: usize, total: usize, what: &str) {
        self.show(|seconds| {
            let rate = done as f64 / seconds;
            let left = super::seconds((total - done.min(total)) as f64 / rate);
            let percent = 100.0 * done as f64 / total.max(1) as f64;
            format!("{done} of {total} {what} ({percent:.0} %), {rate:.1} per second, {left} left")
        });
    }

    /// Clears the line.
    pub(crate) fn clear(&mut self) {
        if self.is_terminal && self.shown > 0 {
            let _ = write!(io::stderr().lock(), "\r{}\r", " ".repeat(self.shown));
            self.shown = 0;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
