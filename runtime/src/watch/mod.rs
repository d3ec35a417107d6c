//! A watch over the ranks beside the transport: heartbeats, and word to all when one dies or gives
//! up.
//!
//! MPI without ULFM blocks inside its calls when a peer dies, and kills without a word where its
//! launcher notices. So ranks have a channel of their own beside it: one thread per rank, TCP, a
//! star around rank 0. Rank 0 listens on a free port; its address and a random token are brought to
//! the others over the transport ([`Invitation`]), and a stranger without the token is dropped. It
//! moves a few bytes per second and no data of tasks.
//!
//! - Each side of a connection sends a beat every second. One that closes without a farewell, or
//!   over which nothing comes for five seconds, means that the rank at its end is lost. Rank 0
//!   tells all others; if rank 0 is lost, each notices by itself.
//! - [`Watch::abort`] is for a rank that cannot go on (a full disk, no memory): all others hear its
//!   message within a second.
//! - `on_end` is called once on each rank, with an [`End`] that prints as one line and names the
//!   rank, its host and its process. Before the others are told, rank 0 has the news
//!   ([`Watch::start_with_news`]): some launchers end all within a millisecond or two.
//! - What a rank has sent with MPI may leave only when it calls MPI again: `World::attend` does so
//!   while a rank waits over the watch.
//! - [`Watch::farewell`] is collective, and returns when all have said it; a rank that ends after
//!   its farewell is not missed.
//! - The clock by which silence is measured stands still while the process itself is stopped, so
//!   who was stopped does not blame the others; it hears instead that it was given up.
//!
//! `party` holds all of that without a socket or a clock, and is tested in a network with virtual
//! time; `thread` drives it with `poll`, so that rank 0 needs one thread and one file per rank:
//! `ulimit -n` must be above the number of ranks there.
//!
//! ```
//! use tegula_runtime::watch::{Rendezvous, Watch, WatchOptions};
//! use tegula_runtime::ranks::Rank;
//!
//! let listener = Watch::listen("node1")?;
//! let bytes = listener.invitation().to_bytes(); // to be brought to all other ranks
//! let options = WatchOptions::new(Rank(0), 1, "node1");
//! let watch = Watch::start(options, Rendezvous::Host(listener), |end| panic!("{end}"))?;
//! assert!(watch.farewell().is_ok() && bytes.len() < 3000);
//! # Ok::<(), tegula_runtime::watch::WatchError>(())
//! ```

mod addresses;
mod end;
mod message;
mod party;
mod rendezvous;
mod sockets;
mod terms;
#[cfg(test)]
mod tests;
mod thread;

use std::fmt;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

pub use end::{End, How, MESSAGE_BYTES, Member};
pub use rendezvous::{Invitation, Listener};

use crate::types::Rank;
use party::Party;
use sockets::Wire;
use terms::{Link, Report, Terms};
use thread::{Command, Last, Shared, Watcher};

/// What is called when all must end.
type OnEnd = Box<dyn FnOnce(End) + Send>;

/// What is called before, by who knows first.
type OnNews = Box<dyn FnMut(&End) + Send>;

/// Time in which all hear of an abort, or do not.
const ABORT: Duration = Duration::from_secs(2);

/// Who watches, and how closely. All ranks take the same times.
#[derive(Clone, Debug)]
pub struct WatchOptions {
    /// This rank.
    pub rank: Rank,
    /// Number of ranks, at least 1.
    pub ranks: usize,
    /// Name of this rank's host, for messages.
    pub host: String,
    /// Time between two beats: 1 s unless told otherwise.
    pub beat: Duration,
    /// A rank that is silent for longer is lost: 5 s unless told otherwise, at least 3 beats.
    pub patience: Duration,
    /// Time in which all ranks must have come: 30 s unless told otherwise.
    pub rendezvous: Duration,
}

impl WatchOptions {
    /// Usual times for rank `rank` of `ranks`, which runs on `host`.
    #[must_use]
    pub fn new(rank: Rank, ranks: usize, host: &str) -> Self {
        let [beat, patience, rendezvous] = [1, 5, 30].map(Duration::from_secs);
        Self { rank, ranks, host: host.to_owned(), beat, patience, rendezvous }
    }
}

/// How a rank comes to the others.
#[derive(Debug)]
pub enum Rendezvous {
    /// Rank 0 waits for them.
    Host(Listener),
    /// The others go to rank 0.
    Guest(Invitation),
}

/// Why there is no watch.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// No socket, or no thread.
    #[error("the watch over the ranks cannot start: {0}")]
    System(#[from] io::Error),
    /// Rank 0 cannot be reached.
    #[error(
        "rank 0 on {host} cannot be reached within {} s ({reasons}): \
         the hosts of a run must let each other through by TCP", .limit.as_secs()
    )]
    Unreachable {
        /// Its host.
        host: String,
        /// How long it was tried.
        limit: Duration,
        /// What went wrong at each address.
        reasons: String,
    },
    /// Some ranks did not come to rank 0.
    #[error(
        "of {ranks} ranks {} did not come to rank 0, the first of them rank {}",
        .missing.len(), .missing[0]
    )]
    Missing {
        /// Number of all.
        ranks: usize,
        /// Those that did not come; at least one.
        missing: Vec<Rank>,
    },
    /// A rank was lost, or gave up, before all had come.
    #[error("{0}")]
    Ended(End),
    /// The thread failed.
    #[error("the watch over the ranks failed: {reason}")]
    Failed {
        /// How.
        reason: String,
    },
}

/// This rank's part of the watch. One that is dropped without a farewell leaves as a process that
/// dies: the others raise the alarm.
pub struct Watch {
    shared: Arc<Shared>,
    bell: UnixStream,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

impl Watch {
    /// Opens the sockets on which rank 0, on `host`, waits: all interfaces, a port that is free.
    ///
    /// # Errors
    /// If there are none to be had.
    pub fn listen(host: &str) -> Result<Listener, WatchError> {
        Ok(Listener::open(host)?)
    }

    /// Starts to watch, on all ranks at about the same time. Rank 0 waits until all have come, the
    /// others until they have met rank 0.
    ///
    /// `on_end` is called at most once, from the thread of the watch, after the others have been
    /// told: a rank is lost, or another gave up. It is not called after [`Watch::abort`], and not
    /// if this fails.
    ///
    /// # Errors
    /// If the ranks do not meet in time, or one is lost before.
    pub fn start(
        options: WatchOptions,
        rendezvous: Rendezvous,
        on_end: impl FnOnce(End) + Send + 'static,
    ) -> Result<Self, WatchError> {
        Self::start_with_news(options, rendezvous, |_| (), on_end)
    }

    /// As [`Watch::start`]. Before `on_end`, and before the others are told, `on_news` is called:
    /// on rank 0, and on all others if rank 0 is lost. So what it prints is seen also where a
    /// launcher ends all who are left.
    ///
    /// # Errors
    /// As there.
    pub fn start_with_news(
        options: WatchOptions,
        rendezvous: Rendezvous,
        on_news: impl FnMut(&End) + Send + 'static,
        on_end: impl FnOnce(End) + Send + 'static,
    ) -> Result<Self, WatchError> {
        let ranks = options.ranks;
        let watch = Self::spawn(options, rendezvous, (Box::new(on_news), Box::new(on_end)))?;
        match watch.shared.wait_for_meeting() {
            None => Ok(watch),
            Some(Last::Report(Report::Missing(missing))) => {
                Err(WatchError::Missing { ranks, missing })
            }
            Some(Last::Report(Report::Ended(end))) => Err(WatchError::Ended(end)),
            Some(Last::Failed(reason)) => Err(WatchError::Failed { reason }),
            Some(last) => unreachable!("{last:?} before the ranks have met"),
        }
    }

    fn spawn(
        options: WatchOptions,
        rendezvous: Rendezvous,
        calls: (OnNews, OnEnd),
    ) -> Result<Self, WatchError> {
        let terms = terms(options, &rendezvous);
        let (party, sockets, wire) = match rendezvous {
            Rendezvous::Host(listener) => (Party::host(terms), listener.sockets, None),
            Rendezvous::Guest(invitation) => {
                let (stream, inbox, host) = invitation.accept(&terms.me, terms.rendezvous)?;
                let wire = Wire::new(stream, inbox)?;
                (Party::guest(terms, Link(0), host), Vec::new(), Some((Link(0), wire)))
            }
        };
        let (bell, ear) = UnixStream::pair()?;
        ear.set_nonblocking(true)?;
        bell.set_nonblocking(true)?;
        let shared = Arc::new(Shared::default());
        let watcher = Watcher::new(party, sockets, wire, ear, shared.clone(), calls);
        let builder = std::thread::Builder::new().name("watch".into());
        let thread = Some(builder.spawn(move || watcher.run())?);
        Ok(Self { shared, bell, thread })
    }

    fn ask(&self, command: Command) {
        self.shared.ask(command);
        thread::ring(&self.bell);
    }

    /// This rank gives up, and says why: all others hear `message` (its first [`MESSAGE_BYTES`]
    /// bytes) and the exit code with which all are to end, as a rule before this returns, which
    /// takes two seconds at most. Does nothing where all end already.
    pub fn abort(&self, message: &str, code: u8) {
        self.ask(Command::Abort(message.to_owned(), code));
        self.shared.wait_for_end_within(ABORT);
    }

    /// Ends the watch: returns when all ranks have said farewell.
    ///
    /// # Errors
    /// Why all must end, if a rank that has not said farewell was lost or gave up. `on_end` was
    /// called then.
    pub fn farewell(mut self) -> Result<(), WatchError> {
        self.ask(Command::Farewell);
        let last = self.shared.wait_for_end();
        self.join();
        match last {
            Last::Report(Report::Ended(end)) => Err(WatchError::Ended(end)),
            Last::Failed(reason) => Err(WatchError::Failed { reason }),
            _ => Ok(()),
        }
    }

    fn join(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        if thread.thread().id() != std::thread::current().id() {
            // Who panics in `on_end` has said so.
            let _ = thread.join();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.ask(Command::Vanish);
        self.join();
    }
}

fn terms(options: WatchOptions, rendezvous: &Rendezvous) -> Terms {
    let WatchOptions { rank, ranks, host, beat, patience, rendezvous: time } = options;
    assert!(usize::from(rank.0) < ranks, "rank {rank} of {ranks}");
    assert!(
        patience >= 3 * beat && !beat.is_zero(),
        "{patience:?} of patience with beats each {beat:?}"
    );
    let (is_host, token) = match rendezvous {
        Rendezvous::Host(listener) => (true, listener.invitation.token()),
        Rendezvous::Guest(invitation) => (false, invitation.token()),
    };
    assert!(is_host == (rank == Rank(0)), "rank {rank} comes as {rendezvous:?}");
    let me = Member { rank, host, pid: std::process::id() };
    Terms { me, ranks, token, beat, patience, rendezvous: time }
}
