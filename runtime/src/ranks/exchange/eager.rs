//! The eager protocol, of contents that are short enough for a frame: they go as soon as they are
//! there, and wait in the unexpected queue of their receiver until that posts a receive.
//!
//! Flow control is by credits: beyond [`CREDITS`], a sender only says what it holds, and sends it
//! when the receiver asks. So what is needed now never waits for room that is taken by what is
//! needed later.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use foldhash::HashMap;

use super::Message;
use crate::ranks::Key;
use crate::types::Rank;

/// Contents that may be sent to a rank before it has said that it took earlier ones.
pub(super) const CREDITS: u32 = 128;
/// A rank returns credits when it has taken so many of one sender.
const RETURNED_AFTER: u32 = CREDITS / 2;

/// What a frame brought: 0 or the mark of the failure that spoiled it, and the contents.
pub(super) type Contents = (u64, Vec<u8>);

/// What a receive finds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The contents have come.
    Here(Contents),
    /// Their owner requests to send them: clear it to.
    Requested,
    /// They will come.
    Nothing,
}

/// Short contents on their way to and from one rank. A version may go to a rank again that has
/// dropped its copy.
#[derive(Debug)]
pub(super) struct Eager {
    /// Posted receives: nodes that await a version.
    posted: HashMap<Key, u32>,
    /// The unexpected queue: what came before its receive was posted.
    unexpected: HashMap<Key, VecDeque<Contents>>,
    /// Versions that others have requested to send, and how often.
    requested: HashMap<Key, usize>,
    /// Versions that this rank has requested to send, with their marks.
    unsent: HashMap<(Key, Rank), VecDeque<(Message, u64)>>,
    /// By rank, contents that were sent to it and that it has not said to have taken.
    uncredited: Vec<u32>,
    /// By rank, contents of it that were taken since it was told.
    taken: Vec<u32>,
}

impl Eager {
    pub(super) fn new(ranks: usize) -> Self {
        Self {
            posted: HashMap::default(),
            unexpected: HashMap::default(),
            requested: HashMap::default(),
            unsent: HashMap::default(),
            uncredited: vec![0; ranks],
            taken: vec![0; ranks],
        }
    }

    /// Whether contents may go to a rank that has not asked for them.
    pub(super) fn may_send(&self, to: Rank) -> bool {
        self.uncredited[usize::from(to.0)] < CREDITS
    }

    /// Contents go to a rank.
    pub(super) fn note_sent(&mut self, to: Rank) {
        self.uncredited[usize::from(to.0)] += 1;
    }

    /// A rank has taken so many.
    pub(super) fn note_taken(&mut self, by: Rank, count: u32) {
        self.uncredited[usize::from(by.0)] -= count;
    }

    /// Keeps what cannot go before it is asked for.
    pub(super) fn hold_back(&mut self, message: Message, to: Rank, spoiled: u64) {
        self.unsent.entry((message.key, to)).or_default().push_back((message, spoiled));
    }

    /// What was kept for a rank, which asks for it now.
    pub(super) fn take_unsent(&mut self, key: Key, to: Rank) -> Option<(Message, u64)> {
        pop(self.unsent.entry((key, to)))
    }

    /// A node awaits a version.
    pub(super) fn post_receive(&mut self, key: Key, node: u32) -> Found {
        if let Some(contents) = pop(self.unexpected.entry(key)) {
            return Found::Here(contents);
        }
        let other = self.posted.insert(key, node);
        debug_assert!(other.is_none(), "{key:?} is received twice");
        if self.requested.is_empty() {
            return Found::Nothing;
        }
        let Entry::Occupied(mut requested) = self.requested.entry(key) else {
            return Found::Nothing;
        };
        *requested.get_mut() -= 1;
        if *requested.get() == 0 {
            requested.remove();
        }
        Found::Requested
    }

    /// The owner of a version holds it for this rank; says whether that awaits it.
    pub(super) fn note_request(&mut self, key: Key) -> bool {
        let is_posted = self.posted.contains_key(&key);
        if !is_posted {
            *self.requested.entry(key).or_default() += 1;
        }
        is_posted
    }

    /// A version has come: answers who awaits it, or keeps it until somebody does.
    pub(super) fn match_receive(
        &mut self,
        key: Key,
        contents: Contents,
    ) -> Option<(u32, Contents)> {
        match self.posted.remove(&key) {
            Some(node) => Some((node, contents)),
            None => {
                self.unexpected.entry(key).or_default().push_back(contents);
                None
            }
        }
    }

    /// Contents of `from` were taken: how many it is to be told of, if it is to be told.
    pub(super) fn count_taken(&mut self, from: Rank) -> Option<u32> {
        let taken = &mut self.taken[usize::from(from.0)];
        *taken += 1;
        (*taken == RETURNED_AFTER).then(|| std::mem::take(taken))
    }
}

/// Takes the first of a queue, which goes when it is empty.
fn pop<K, V>(entry: Entry<'_, K, VecDeque<V>>) -> Option<V> {
    let Entry::Occupied(mut queue) = entry else { return None };
    let first = queue.get_mut().pop_front();
    if queue.get().is_empty() {
        queue.remove();
    }
    first
}
