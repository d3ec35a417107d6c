//! Checkpoints of a run: when one is due, what is written, and how a run that was asked to end does
//! so.
//!
//! Over ranks all take the same decision in the same pause, which is that of rank 0: it comes to
//! the others as data of the flow. All bring together what is to be saved, and rank 0 writes it.

mod bell;
mod resume_command;
mod signals;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tegula_files::WriteError;
use tegula_files::checkpoint::{
    About, Body, Checkpoint, keep_checkpoint, remove_unfinished_checkpoints, write_checkpoint,
};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_runtime::ranks::Rank;

use crate::error::{interrupted, stopped};
use crate::files::is_same;
use crate::output::{Console, DeferringWriter};
use crate::ranks;
use crate::seat;

pub(crate) use signals::{catch_signals, caught, release_signals, tidy_on_signals};

/// Writes what a run holds in a pause, first what is set apart of it; over ranks all call it.
pub(crate) type Save<'a> = dyn FnMut(&mut Flow, &mut dyn Write) -> Result<()> + 'a;

/// What is done in a pause, as a word that rank 0 sends.
const NOTHING: u64 = 0;
/// A checkpoint is written. More than this is a signal, added to it: the run ends as well.
const WRITE: u64 = 1;

/// What `about` says of a run of `task`, with these facts.
pub(crate) fn about(task: &str, facts: Vec<(&str, String)>) -> About {
    let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    About { program: env!("CARGO_PKG_VERSION").to_owned(), task: task.to_owned(), facts }
}

/// The checkpoints of a run.
pub(crate) struct Checkpoints {
    path: Option<PathBuf>,
    /// Least time between two.
    every: Duration,
    /// When the last one was written, or the run began.
    last: Instant,
    about: About,
    resumed: Option<Body>,
    /// Whether the file at `path` is whole and of this run, which has read or written it: then it
    /// is kept when the next one takes its place.
    is_worth_keeping: bool,
    /// Whether a signal ends the run in a pause, also where no file is written.
    listens: bool,
    /// How the run came to its end before it was done.
    ending: Option<Ending>,
}

enum Ending {
    /// A signal came, and there is a checkpoint if a file was named.
    Signal(u64),
    Failure(anyhow::Error),
}

impl Checkpoints {
    /// Those to `path`, no more often than `every`, of a run that is what `about` says and goes on
    /// from `resumed`.
    ///
    /// # Errors
    /// If `resumed` is of another run.
    pub(crate) fn open(
        (path, every): (Option<PathBuf>, Duration),
        resumed: Option<Checkpoint>,
        about: About,
    ) -> Result<Self> {
        let both = path.as_deref().zip(resumed.as_ref());
        let is_worth_keeping = both.is_some_and(|(path, from)| is_same(path, from.path()));
        let resumed = resumed.map(|checkpoint| checkpoint.into_body(&about)).transpose()?;
        if let Some(path) = path.as_deref().filter(|_| ranks::is_root()) {
            remove_unfinished_checkpoints(path);
        }
        let (last, listens) = (Instant::now(), path.is_some());
        Ok(Self { path, every, last, about, resumed, is_worth_keeping, listens, ending: None })
    }

    /// From now on a signal ends the run in its next pause, also where no file is written: what it
    /// has found so far is then said by [`interruption`](Self::interruption).
    pub(crate) fn listen(&mut self) {
        catch_signals(
            "this run ends after its current step, and says what it has found; Ctrl-C again ends it at once",
        );
        self.listens = true;
    }

    /// What the run goes on from, once.
    pub(crate) fn resumed(&mut self) -> Option<Body> {
        self.resumed.take()
    }

    /// Least time between two, of a run that writes some.
    pub(crate) fn every(&self) -> Option<Duration> {
        self.path.as_ref().map(|_| self.every)
    }

    /// A pause: writes what `save` writes if it is time to, of which so many bytes are set `apart`,
    /// and says whether to go on.
    pub(crate) fn pause(
        &mut self,
        flow: &mut Flow,
        console: &Console,
        (apart, save): (u64, &mut Save<'_>),
    ) -> ControlFlow<()> {
        if !self.listens {
            return ControlFlow::Continue(());
        }
        match self.act(flow, console, (apart, save)) {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(signal)) => self.ending = Some(Ending::Signal(signal)),
            Err(failure) => self.ending = Some(Ending::Failure(failure)),
        }
        ControlFlow::Break(())
    }

    /// Does what is due; the signal if one ends the run.
    fn act(
        &mut self,
        flow: &mut Flow,
        console: &Console,
        (apart, save): (u64, &mut Save<'_>),
    ) -> Result<Option<u64>> {
        let due = agreed(flow, self.due())?;
        if due == NOTHING {
            return Ok(None);
        }
        if self.path.is_none() {
            return Ok(Some(due - WRITE));
        }
        let written = self.write(flow, (apart, save))?;
        self.last = Instant::now();
        if due == WRITE {
            // The run is worth more than its checkpoint: later ones may succeed.
            if let Err(error) = written {
                console.warn(format_args!("{error}; the run goes on without this checkpoint"));
            }
            return Ok(None);
        }
        let signal = due - WRITE;
        written.with_context(|| {
            format!("{} came, but there is no checkpoint to go on from", signals::name(signal))
        })?;
        Ok(Some(signal))
    }

    /// What this rank would do.
    fn due(&self) -> u64 {
        match signals::caught() {
            0 if self.path.is_some() && self.last.elapsed() >= self.every => WRITE,
            0 => NOTHING,
            signal => {
                signals::answer();
                WRITE + signal
            }
        }
    }

    /// Writes a checkpoint. Where the file fails, what is saved is still brought together, since
    /// other ranks are at it.
    fn write(
        &mut self,
        flow: &mut Flow,
        (apart, save): (u64, &mut Save<'_>),
    ) -> Result<Result<(), WriteError>> {
        let path = self.path.as_deref().filter(|_| ranks::is_root());
        let Some(path) = path else { return Ok(Ok(save(flow, &mut io::sink())?)) };
        if self.is_worth_keeping {
            keep_checkpoint(path);
        }
        let mut saved = None;
        let written = write_checkpoint(path, &self.about, apart, |out| {
            let mut out = DeferringWriter::new(out);
            let outcome = saved.insert(save(flow, &mut out));
            out.finish()?;
            if outcome.is_err() { Err(io::Error::other("it is not whole")) } else { Ok(()) }
        });
        match saved {
            Some(outcome) => outcome?,
            None => save(flow, &mut io::sink())?,
        }
        self.is_worth_keeping |= written.is_ok();
        Ok(written)
    }

    /// Why the run has ended in a pause, after it had `done` so much; nothing if it has not.
    pub(crate) fn ending(&mut self, done: &str) -> Option<anyhow::Error> {
        Some(match self.ending.take()? {
            Ending::Failure(failure) => failure,
            Ending::Signal(signal) => {
                let path = self.path.as_deref().expect("it was written");
                let command = again(&["--resume"], path.as_os_str());
                let signal = signals::name(signal);
                stopped(format_args!("stopped by {signal} after {done}; go on with: {command}"))
            }
        })
    }

    /// As [`ending`](Self::ending), of a run that may write no file: it then says what it has
    /// `found`, if anything.
    pub(crate) fn interruption(
        &mut self,
        done: &str,
        found: Option<Found>,
    ) -> Option<anyhow::Error> {
        let (None, &Some(Ending::Signal(signal))) = (&self.path, &self.ending) else {
            return self.ending(done);
        };
        let mut text = format!("stopped by {} after {done}", signals::name(signal));
        if let Some(Found { says, flags, value }) = found {
            text += &format!("; {says}\ngo on from there with: {}", again(flags, value.as_ref()));
        }
        Some(interrupted(signal, text))
    }
}

/// What a run has found when it is asked to end.
pub(crate) struct Found {
    /// What it is, in words.
    pub(crate) says: String,
    /// The flag with which another run starts from there, and those that it then goes without.
    pub(crate) flags: &'static [&'static str],
    /// The value of that flag.
    pub(crate) value: String,
}

/// The command of this run with another value of the first of `flags`, and without the others.
fn again(flags: &[&str], value: &OsStr) -> String {
    resume_command::command(seat::arguments(), flags, value)
}

/// What rank 0 has decided, on every rank.
pub(crate) fn agreed(flow: &mut Flow, mine: u64) -> Result<u64, FlowError> {
    Ok(words_of(flow, Rank(0), &[mine])?[0])
}

/// The words that `rank` has, on every rank; all bring as many.
pub(crate) fn words_of(flow: &mut Flow, rank: Rank, mine: &[u64]) -> Result<Vec<u64>, FlowError> {
    if flow.ranks() == 1 {
        return Ok(mine.to_vec());
    }
    let words = flow.register(size_of_val(mine));
    flow.set_owner(words, rank);
    flow.overwrite(words, mine)?;
    let theirs = flow.read::<u64>(words)?.to_vec();
    flow.unregister(words);
    Ok(theirs)
}
