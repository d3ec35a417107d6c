//! Why a run over ranks ends before it is done, in words that name the rank.

use std::fmt;
use std::time::Duration;

use crate::types::Rank;

/// Most bytes of a message that [`Watch::abort`](super::Watch::abort) takes along; the rest is cut
/// off.
pub const MESSAGE_BYTES: usize = 4000;

/// A process of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its rank.
    pub rank: Rank,
    /// Name of its host.
    pub host: String,
    /// Its number on that host.
    pub pid: u32,
}

/// How it was seen that a rank is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Its connection closed without a farewell: the process has ended.
    Closed,
    /// Nothing has come from it for a time.
    Silent {
        /// How long, by the clock of who waited, which stands still while that process is stopped.
        time: Duration,
    },
}

/// Why all ranks must end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A rank is gone.
    Lost {
        /// Which.
        who: Member,
        /// How that was seen.
        how: How,
    },
    /// A rank gave up.
    Aborted {
        /// Which.
        who: Member,
        /// What it said.
        message: String,
        /// The exit code with which all are to end.
        code: u8,
    },
}

impl End {
    /// The rank that is the cause.
    #[must_use]
    pub fn who(&self) -> &Member {
        match self {
            Self::Lost { who, .. } | Self::Aborted { who, .. } => who,
        }
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} on {} (process {})", self.rank, self.host, self.pid)
    }
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("is gone: its connection closed"),
            Self::Silent { time } => {
                f.write_str("has not been heard of for ")?;
                match time.as_secs() {
                    0 => write!(f, "{} ms", time.as_millis())?,
                    seconds => write!(f, "{seconds} s")?,
                }
                f.write_str(": its host or the network is down, or the process is stopped")
            }
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost { who, how } => write!(f, "{who} {how}"),
            Self::Aborted { who, message, .. } => {
                write!(f, "rank {} on {} gave up: {message}", who.rank, who.host)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_rank() {
        let who = Member { rank: Rank(2), host: "node17".into(), pid: 4711 };
        let lost = |how| End::Lost { who: who.clone(), how }.to_string();
        assert_eq!(
            lost(How::Closed),
            "rank 2 on node17 (process 4711) is gone: its connection closed"
        );
        assert_eq!(
            lost(How::Silent { time: Duration::from_millis(5400) }),
            "rank 2 on node17 (process 4711) has not been heard of for 5 s: \
             its host or the network is down, or the process is stopped"
        );
        let aborted = End::Aborted { who, message: "the disk is full".into(), code: 1 };
        assert_eq!(aborted.to_string(), "rank 2 on node17 gave up: the disk is full");
    }
}
