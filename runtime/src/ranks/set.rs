//! Sets of ranks, one for each datum.

use super::Rank;

/// Sets of ranks by number: a bit for each rank.
#[derive(Clone, Debug)]
pub(super) struct RankSets {
    words: Vec<u64>,
    ranks: usize,
    /// Words of a set.
    stride: usize,
}

impl RankSets {
    pub(super) fn new(ranks: usize) -> Self {
        Self { words: Vec::new(), ranks, stride: ranks.div_ceil(64) }
    }

    /// Makes sure that there are `length` sets.
    pub(super) fn resize(&mut self, length: usize) {
        self.words.resize(self.words.len().max(length * self.stride), 0);
    }

    fn place(&self, set: u32, rank: Rank) -> (usize, u64) {
        (set as usize * self.stride + usize::from(rank.0) / 64, 1 << (rank.0 % 64))
    }

    fn of(&mut self, set: u32) -> &mut [u64] {
        let first = set as usize * self.stride;
        &mut self.words[first..first + self.stride]
    }

    #[inline]
    pub(super) fn contains(&self, set: u32, rank: Rank) -> bool {
        let (word, bit) = self.place(set, rank);
        self.words[word] & bit != 0
    }

    #[inline]
    pub(super) fn insert(&mut self, set: u32, rank: Rank) {
        let (word, bit) = self.place(set, rank);
        self.words[word] |= bit;
    }

    /// Makes `rank` the only one.
    #[inline]
    pub(super) fn set_one(&mut self, set: u32, rank: Rank) {
        let (word, bit) = self.place(set, rank);
        if self.stride == 1 {
            self.words[word] = bit;
        } else {
            self.of(set).fill(0);
            self.words[word] = bit;
        }
    }

    /// Puts all ranks in.
    pub(super) fn set_all(&mut self, set: u32) {
        let ranks = self.ranks;
        for (number, word) in self.of(set).iter_mut().enumerate() {
            let rest = ranks - 64 * number;
            *word = if rest >= 64 { u64::MAX } else { (1 << rest) - 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        for ranks in [1usize, 2, 63, 64, 65, 200] {
            let mut sets = RankSets::new(ranks);
            sets.resize(3);
            let all = || (0..ranks as u16).map(Rank);
            let held =
                |sets: &RankSets, set| all().filter(|&rank| sets.contains(set, rank)).count();
            sets.set_all(1);
            assert_eq!((held(&sets, 0), held(&sets, 1), held(&sets, 2)), (0, ranks, 0));
            let last = Rank(ranks as u16 - 1);
            sets.set_one(1, last);
            assert_eq!((held(&sets, 1), sets.contains(1, last)), (1, true));
            sets.insert(0, Rank(0));
            sets.insert(0, last);
            assert_eq!(held(&sets, 0), ranks.min(2));
        }
    }
}
