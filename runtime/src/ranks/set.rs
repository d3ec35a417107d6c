//! Sets of ranks, one for each datum.

use super::Rank;

/// Sets of ranks by number: a bit for each rank.
#[derive(Clone, Debug)]
pub(super) struct RankSets {
    words: Vec<u64>,
    /// Words of a set.
    stride: usize,
}

impl RankSets {
    pub(super) fn new(ranks: usize) -> Self {
        Self { words: Vec::new(), stride: ranks.div_ceil(64) }
    }

    /// Makes sure that there are `length` sets.
    pub(super) fn resize(&mut self, length: usize) {
        self.words.resize(self.words.len().max(length * self.stride), 0);
    }

    /// Takes all ranks out.
    pub(super) fn clear(&mut self, set: u32) {
        let first = set as usize * self.stride;
        self.words[first..first + self.stride].fill(0);
    }

    /// Puts `rank` in, and answers whether it was out.
    pub(super) fn insert(&mut self, set: u32, rank: Rank) -> bool {
        let bit = 1 << (rank.0 % 64);
        let word = &mut self.words[set as usize * self.stride + usize::from(rank.0) / 64];
        let was_out = *word & bit == 0;
        *word |= bit;
        was_out
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
            for _ in 0..2 {
                for rank in (0..ranks as u16).map(Rank) {
                    assert!(sets.insert(1, rank), "{rank} of {ranks} was out");
                    assert!(!sets.insert(1, rank), "{rank} of {ranks} is in");
                }
                sets.clear(1);
            }
            assert!(sets.insert(0, Rank(0)) && sets.insert(2, Rank(0)), "other sets are others");
        }
    }
}
