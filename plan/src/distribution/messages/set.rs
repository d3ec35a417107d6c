//! Sets of ranks.

/// A set of ranks, a bit each.
#[derive(Clone, Debug)]
pub(super) struct RankSet(Vec<u64>);

impl RankSet {
    /// The empty set, for so many ranks.
    pub(super) fn empty(ranks: usize) -> Self {
        Self(vec![0; ranks.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, rank: usize) {
        self.0[rank / 64] |= 1 << (rank % 64);
    }

    /// Its ranks, in order.
    pub(super) fn ranks(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(place, &word)| {
            let rest = |bits: &u64| Some(bits & bits.wrapping_sub(1));
            let bits = std::iter::successors(Some(word), rest).take_while(|&bits| bits != 0);
            bits.map(move |bits| 64 * place + bits.trailing_zeros() as usize)
        })
    }
}

impl Extend<usize> for RankSet {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, ranks: I) {
        ranks.into_iter().for_each(|rank| self.insert(rank));
    }
}
