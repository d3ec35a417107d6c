//! What an exchange asks of its host, and the messages that it moves.

use crate::ranks::{Item, Key};
use crate::types::Rank;

/// What the host of an exchange must do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Send `item` to `to`.
    SendItem {
        /// To whom.
        to: Rank,
        /// What.
        item: Item,
    },
    /// Find memory for the datum, start to receive its parts under `label`, and say
    /// [`Exchange::posted`](super::Exchange::posted) or
    /// [`Exchange::refused`](super::Exchange::refused).
    Post {
        /// What is received.
        key: Key,
        /// The node that receives it.
        node: u32,
        /// Label of all parts.
        label: u32,
        /// Bytes in all.
        bytes: u64,
    },
    /// Send one part, and say [`Exchange::sent`](super::Exchange::sent) when it has gone.
    Send {
        /// Number of the sending, for [`Exchange::sent`](super::Exchange::sent).
        number: u64,
        /// What.
        key: Key,
        /// The datum, by the number of its handle.
        datum: u32,
        /// To whom.
        to: Rank,
        /// Under which label.
        label: u32,
        /// First byte.
        first: u64,
        /// Bytes; none if the datum is spoiled.
        bytes: u64,
        /// How urgent it is.
        priority: i32,
    },
    /// Send the contents of the datum in a frame.
    SendEager {
        /// What.
        key: Key,
        /// The datum, by the number of its handle.
        datum: u32,
        /// To whom.
        to: Rank,
    },
    /// The contents of what the node receives, which is then done.
    Deliver {
        /// The node.
        node: u32,
        /// The contents.
        contents: Vec<u8>,
    },
    /// A rank has room for a version that is not offered to it; said only if asked for.
    Wanted {
        /// What.
        key: Key,
        /// By whom.
        by: Rank,
    },
    /// The node is done; what it received is spoiled by the failure with this mark, unless it is 0.
    Complete {
        /// The node.
        node: u32,
        /// The mark.
        spoiled: u64,
    },
}

/// A version that a node offers or awaits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// What.
    pub key: Key,
    /// The node.
    pub node: u32,
    /// The datum, by the number of its handle.
    pub datum: u32,
    /// Bytes.
    pub bytes: u64,
    /// How urgent it is.
    pub priority: i32,
    /// Program index of the task that it is for.
    pub index: u64,
}
