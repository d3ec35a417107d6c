//! The thread of the watch: hands the protocol what comes over sockets, and does what it asks for.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Read, Write};
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::message::ReceiveBuffer;
use super::party::Party;
use super::sockets::{Wire, awaited, has_hung_up, wait};
use super::terms::{Action, Link, Report};
use super::{OnEnd, OnNews};

/// Time for which what has come waits for more.
const PAUSE: Duration = Duration::from_millis(5);

/// What the program asks of the thread.
#[derive(Debug)]
pub(super) enum Command {
    Abort(String, u8),
    Farewell,
    /// Close everything, with no word.
    Vanish,
}

/// What the program and the thread share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    commands: VecDeque<Command>,
    has_met: bool,
    last: Option<Last>,
}

/// How it ended.
#[derive(Clone, Debug)]
pub(super) enum Last {
    Report(Report),
    Failed(String),
    Vanished,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn ask(&self, command: Command) {
        self.lock().commands.push_back(command);
    }

    /// Waits until all have met, or until there is no hope.
    pub(super) fn wait_for_meeting(&self) -> Option<Last> {
        let state = self.changed.wait_while(self.lock(), |s| !s.has_met && s.last.is_none());
        let state = state.unwrap_or_else(PoisonError::into_inner);
        if state.has_met { None } else { state.last.clone() }
    }

    /// Waits until it is over.
    pub(super) fn wait_for_end(&self) -> Last {
        let state = self.changed.wait_while(self.lock(), |s| s.last.is_none());
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.last.clone().unwrap_or(Last::Vanished)
    }

    /// Waits until it is over, but no longer than `limit`.
    pub(super) fn wait_for_end_within(&self, limit: Duration) {
        drop(self.changed.wait_timeout_while(self.lock(), limit, |s| s.last.is_none()));
    }

    fn set_met(&self) {
        self.lock().has_met = true;
        self.changed.notify_all();
    }

    pub(super) fn set_last(&self, last: Last) {
        self.lock().last.get_or_insert(last);
        self.changed.notify_all();
    }
}

/// The thread's side.
pub(super) struct Watcher {
    party: Party,
    listeners: Vec<TcpListener>,
    wires: BTreeMap<Link, Wire>,
    next_link: u32,
    /// Readable when there are commands.
    bell: UnixStream,
    shared: Arc<Shared>,
    start: Instant,
    has_met: bool,
    on_news: OnNews,
    on_end: OnEnd,
}

impl Watcher {
    pub(super) fn new(
        party: Party,
        listeners: Vec<TcpListener>,
        wire: Option<(Link, Wire)>,
        bell: UnixStream,
        shared: Arc<Shared>,
        (on_news, on_end): (OnNews, OnEnd),
    ) -> Self {
        let (start, wires) = (Instant::now(), wire.into_iter().collect());
        let (next_link, has_met) = (1, false);
        Self { party, listeners, wires, next_link, bell, shared, start, has_met, on_news, on_end }
    }

    /// Watches until it is over.
    pub(super) fn run(mut self) {
        let last = loop {
            match self.step() {
                Ok(None) => {}
                Ok(Some(last)) => break last,
                Err(error) => break Last::Failed(error.to_string()),
            }
        };
        let end = match &last {
            Last::Report(Report::Ended(end)) => Some(end.clone()),
            Last::Failed(reason) => Some(self.party.failed(reason)),
            Last::Report(_) | Last::Vanished => None,
        };
        self.shared.set_last(last);
        if let (Some(end), true) = (end, self.has_met) {
            (self.on_end)(end);
        }
    }

    /// Waits for something to happen, and does what follows.
    fn step(&mut self) -> io::Result<Option<Last>> {
        if let Some(last) = self.act() {
            return Ok(Some(last));
        }
        let ready = self.sleep()?;
        self.party.advance(self.start.elapsed());
        self.accept()?;
        ready.into_iter().for_each(|link| self.read(link));
        if self.obey() {
            return Ok(Some(Last::Vanished));
        }
        self.party.judge();
        Ok(self.act())
    }

    /// Waits until something comes or is due; gives the connections over which something came.
    fn sleep(&self) -> io::Result<Vec<Link>> {
        let mut files = vec![awaited(self.bell.as_raw_fd(), false)];
        files.extend(self.listeners.iter().map(|socket| awaited(socket.as_raw_fd(), false)));
        let others = files.len();
        let wires = self.wires.values();
        files.extend(wires.map(|wire| awaited(wire.stream.as_raw_fd(), wire.has_more())));
        wait(&mut files, self.party.rest())?;
        let connections = &files[others..];
        let ready = self.wires.keys().zip(connections).filter(|(_, file)| file.revents != 0);
        let ready: Vec<Link> = ready.map(|(&link, _)| link).collect();
        // That a rank is gone must be said before a launcher ends this one.
        if !ready.is_empty() && !connections.iter().any(has_hung_up) {
            // Beats of many ranks are then read together.
            std::thread::sleep(PAUSE);
        }
        Ok(ready)
    }

    fn accept(&mut self) -> io::Result<()> {
        for listener in &self.listeners {
            loop {
                let stream = match listener.accept() {
                    Ok((stream, _)) => stream,
                    Err(error) if is_passing(&error) => continue,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error),
                };
                let Ok(wire) = Wire::new(stream, ReceiveBuffer::default()) else { continue };
                let link = Link(self.next_link);
                self.next_link += 1;
                self.wires.insert(link, wire);
                self.party.accept(link);
            }
        }
        Ok(())
    }

    fn read(&mut self, link: Link) {
        let (party, Some(wire)) = (&mut self.party, self.wires.get_mut(&link)) else { return };
        if !wire.read(|message| party.hear(link, message)) {
            party.lose(link);
            self.wires.remove(&link);
        }
    }

    /// Does what the program asks for; says whether that is to vanish.
    fn obey(&mut self) -> bool {
        let mut rings = [0; 64];
        while matches!(self.bell.read(&mut rings), Ok(1..)) {}
        let commands = std::mem::take(&mut self.shared.lock().commands);
        for command in commands {
            match command {
                Command::Abort(message, code) => self.party.abort(message, code),
                Command::Farewell => self.party.farewell(),
                Command::Vanish => return true,
            }
        }
        false
    }

    /// Does what the protocol asks for; says how it ended, if it did.
    fn act(&mut self) -> Option<Last> {
        let mut last = None;
        for action in self.party.take_actions() {
            match action {
                Action::Send(link, message) => {
                    self.wires.entry(link).and_modify(|wire| wire.push(&message));
                }
                Action::Close(link) => drop(self.wires.remove(&link)),
                Action::Announce(end) if self.has_met => (self.on_news)(&end),
                Action::Announce(_) => {}
                Action::Report(Report::Met) => {
                    self.has_met = true;
                    self.listeners.clear();
                    self.shared.set_met();
                }
                Action::Report(report) => last = Some(Last::Report(report)),
            }
        }
        self.wires.values_mut().for_each(Wire::flush);
        last
    }
}

/// Whether a connection failed before it was accepted, which is not the listener's fault.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted)
}

/// Wakes the thread at the other end.
pub(super) fn ring(mut bell: &UnixStream) {
    // A bell that is full has been rung.
    let _ = bell.write(&[1]);
}
