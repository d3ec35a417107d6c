//! The largest of several values, ties decided at random.

use crate::random::SplitMix64;

/// Keeps the value with the largest key of those that it is shown; each of several with that key is
/// as likely as any other.
pub(super) struct Argmax<'a, K, T> {
    best: Option<(K, T)>,
    ties: u64,
    random: &'a mut SplitMix64,
}

impl<'a, K: PartialOrd, T> Argmax<'a, K, T> {
    pub(super) fn new(random: &'a mut SplitMix64) -> Self {
        Self { best: None, ties: 0, random }
    }

    pub(super) fn show(&mut self, key: K, value: T) {
        match &self.best {
            Some((best, _)) if key < *best => {}
            Some((best, _)) if key == *best => {
                self.ties += 1;
                if self.random.next_u64().is_multiple_of(self.ties) {
                    self.best = Some((key, value));
                }
            }
            _ => (self.best, self.ties) = (Some((key, value)), 1),
        }
    }

    pub(super) fn value(self) -> Option<T> {
        self.best.map(|(_, value)| value)
    }
}
