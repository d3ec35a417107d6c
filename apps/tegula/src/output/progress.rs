//! Progress of a run that takes more than two seconds: one line that is refreshed on a terminal, a
//! line now and then in a log. Over ranks, rank 0 shows what all have done.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tegula_runtime::comm::World;
use tegula_runtime::flow::Watch;

use super::Console;
use crate::guest::{self, Report};
use crate::ranks;

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
    line: Arc<Mutex<Line>>,
    follower: Option<Follower>,
    /// The other ranks, if there are any and something is shown.
    world: Option<World>,
}

impl Progress {
    /// The progress of a run that starts now.
    pub(crate) fn new(console: &Console) -> Self {
        let (start, is_terminal) = (Instant::now(), io::stderr().is_terminal());
        let report = guest::report();
        let pause = if is_terminal || report.is_some() { REFRESH } else { LOG };
        let is_silent = console.is_quiet() && report.is_none();
        let next = start + if report.is_some() { REFRESH } else { PATIENCE };
        let line = Line { start, next, pause, is_terminal, is_silent, shown: 0, report };
        let world = ranks::world().filter(|_| !console.is_silent());
        Self { start, line: Arc::new(Mutex::new(line)), follower: None, world }
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Shows `text`, given the seconds since the start, if it is time to.
    pub(crate) fn show(&mut self, text: impl FnOnce(f64) -> String) {
        lock(&self.line).show(text);
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

    /// From now on also shows, from a thread of its own, how far the flow under `watch` is with
    /// each step; the first one, of `tasks` tasks and called `step`, begins now.
    pub(crate) fn follow(&mut self, watch: Watch, tasks: f64, step: impl Into<String>) {
        self.follow_all(vec![watch], tasks, step);
    }

    /// As [`follow`](Self::follow), of several flows together.
    pub(crate) fn follow_all(&mut self, watches: Vec<Watch>, tasks: f64, step: impl Into<String>) {
        self.world.iter().for_each(World::show_progress);
        if self.world.is_some() && !ranks::is_root() {
            return;
        }
        let watch = Eyes { watches, world: self.world.clone() };
        let step = Arc::new(Mutex::new(Some(Step::new(step, tasks, &watch))));
        let (shared, line, watched) = (step.clone(), self.line.clone(), watch.clone());
        let body = move || {
            loop {
                std::thread::park_timeout(REFRESH);
                let Some(step) = lock(&shared).clone() else { return };
                let done = watched.completed().saturating_sub(step.completed);
                lock(&line).show(|_| step.text(done));
            }
        };
        // Without a thread there is no progress to see, which is no reason to stop.
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(body).ok();
        self.follower = Some(Follower { watch, step, thread });
    }

    /// The next step, of `tasks` tasks and called `step`, begins, if steps are followed.
    pub(crate) fn begin(&self, tasks: f64, step: impl Into<String>) {
        if let Some(follower) = &self.follower {
            *lock(&follower.step) = Some(Step::new(step, tasks, &follower.watch));
        }
    }

    /// Clears the line; no more steps are followed.
    pub(crate) fn clear(&mut self) {
        drop(self.follower.take());
        lock(&self.line).clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Sees how many tasks are done, on this rank and, as far as it was told, on the others.
#[derive(Clone, Debug)]
struct Eyes {
    watches: Vec<Watch>,
    world: Option<World>,
}

impl Eyes {
    fn completed(&self) -> u64 {
        let here: u64 = self.watches.iter().map(Watch::completed).sum();
        here + self.world.as_ref().map_or(0, World::done_elsewhere)
    }
}

/// The thread that shows progress within a step.
#[derive(Debug)]
struct Follower {
    watch: Eyes,
    /// None ends the thread.
    step: Arc<Mutex<Option<Step>>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Follower {
    fn drop(&mut self) {
        *lock(&self.step) = None;
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It prints, and does not panic.
            let _ = thread.join();
        }
    }
}

/// A part of a run.
#[derive(Clone, Debug)]
struct Step {
    name: String,
    start: Instant,
    /// Its tasks.
    tasks: u64,
    /// Tasks that were completed when it began.
    completed: u64,
}

impl Step {
    /// The step that begins now in the flow under `watch`.
    fn new(name: impl Into<String>, tasks: f64, watch: &Eyes) -> Self {
        let (name, start, completed) = (name.into(), Instant::now(), watch.completed());
        Self { name, start, tasks: tasks as u64, completed }
    }

    /// A line about the step when `done` of its tasks are done.
    fn text(&self, done: u64) -> String {
        let &Self { ref name, tasks, .. } = self;
        let elapsed = self.start.elapsed().as_secs_f64();
        let rate = super::number(done as f64 / elapsed, 3);
        if done == 0 {
            return format!("{name}: {} so far", super::seconds(elapsed));
        }
        // Of how many is not known, or was not known well.
        if done > tasks {
            let so_far = super::seconds(elapsed);
            return format!("{name}: {done} tasks, {rate} per second, {so_far} so far");
        }
        let share = done as f64 / tasks as f64;
        let percent = 100.0 * share;
        let left = super::seconds(elapsed * (1.0 - share) / share);
        format!("{name}: {done} of {tasks} tasks ({percent:.0} %), {rate} per second, {left} left")
    }
}

/// The line on standard error.
struct Line {
    start: Instant,
    next: Instant,
    pause: Duration,
    is_terminal: bool,
    is_silent: bool,
    /// Characters of the line that is on the terminal.
    shown: usize,
    /// Who hears of it in place of standard error.
    report: Option<Report>,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl Line {
    fn show(&mut self, text: impl FnOnce(f64) -> String) {
        let now = Instant::now();
        if self.is_silent || now < self.next {
            return;
        }
        self.next = now + self.pause;
        let text = text(self.start.elapsed().as_secs_f64());
        if let Some(report) = &self.report {
            report(&text);
            return;
        }
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

    fn clear(&mut self) {
        if self.is_terminal && self.shown > 0 {
            let _ = write!(io::stderr().lock(), "\r{}\r", " ".repeat(self.shown));
            self.shown = 0;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_tells_its_share_and_the_time_left() {
        let start = Instant::now() - Duration::from_secs(30);
        let step = Step { name: "evaluation 2".to_owned(), start, tasks: 400, completed: 0 };
        let text = step.text(300);
        let start = "evaluation 2: 300 of 400 tasks (75 %), 10";
        assert!(text.starts_with(start) && text.contains(" per second, 10"), "{text}");
        assert!(step.text(0).starts_with("evaluation 2: 30"), "{}", step.text(0));
        let text = step.text(402);
        let start = "evaluation 2: 402 tasks, 13.4 per second, 30";
        assert!(text.starts_with(start) && text.ends_with(" so far"), "{text}");
    }
}
