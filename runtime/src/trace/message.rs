//! Messages of a trace: what went from rank to rank, as both ends saw it, and who moved it.

/// How a message passed one of its ends, in nanoseconds since the trace began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// At the sender: when what is sent was there. At the receiver: when it was asked for.
    pub ready: u64,
    /// At the sender: when the first part was given to the transport. At the receiver: when the
    /// first part was there. What is shorter than a part, a MiB, comes at once.
    pub start: u64,
    /// At the sender: when the last part had gone. At the receiver: when all was where tasks find
    /// it.
    pub end: u64,
}

impl Passage {
    /// The same with every time replaced by what `map` makes of it.
    pub(super) fn map(self, map: impl Fn(u64) -> u64) -> Self {
        Self { ready: map(self.ready), start: map(self.start), end: map(self.end) }
    }
}

/// Added, in place of the task that another waited for last, to the number of a datum that came for
/// it from another rank: as long as it is not known what wrote that.
pub(crate) const AFTER_MESSAGE: u64 = 1 << 63;

/// One message: a version of a datum that went from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRecord {
    /// Number of the datum, alike on all ranks.
    pub datum: u32,
    /// Which of its versions.
    pub version: u32,
    /// Its size.
    pub bytes: u64,
    /// Number of the rank that sent it, which may have passed on what it received itself.
    pub from: usize,
    /// Number of the rank that received it.
    pub to: usize,
    /// Priority of the task that it was for.
    pub priority: i32,
    /// The task that wrote what it carries: its position in the program plus one; 0: its sender
    /// does not know.
    pub after: u64,
    /// As its sender saw it; none if the trace has no records of that rank.
    pub sent: Option<Passage>,
    /// As its receiver saw it; none if the trace has no records of that rank.
    pub received: Option<Passage>,
}

impl MessageRecord {
    /// When it was first heard of: when it could go or was asked for, whichever came first.
    #[must_use]
    pub fn ready(&self) -> u64 {
        let ends = [self.sent, self.received].into_iter().flatten();
        ends.map(|passage| passage.ready).min().unwrap_or(0)
    }

    /// When it began to move: when its first part went, or else when that came.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.sent.or(self.received).map_or(0, |passage| passage.start)
    }

    /// When it was complete: at its receiver, or else when its last part had gone. Never before its
    /// start, whatever clocks say.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.received.or(self.sent).map_or(0, |passage| passage.end).max(self.start())
    }

    /// Time from its start to its end in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        (self.end() - self.start()) as f64 * 1e-9
    }

    /// By how much it came before it was sent, in nanoseconds: what clocks that are compared badly
    /// make of it. 0 if it did not.
    #[must_use]
    pub fn advance(&self) -> u64 {
        let (Some(sent), Some(received)) = (self.sent, self.received) else { return 0 };
        sent.start.saturating_sub(received.start)
    }
}

/// A time in which a thread of a rank dealt with messages: its own thread for that, or a worker
/// that had nothing else to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollRecord {
    /// Number of the rank.
    pub rank: usize,
    /// Start, in nanoseconds since the trace began.
    pub start: u64,
    /// End, likewise.
    pub end: u64,
}
