//! In which order a factorisation by block columns does what it could: priorities of panels and
//! updates.
//!
//! Updates go step by step, since those by one panel find it in the cache, and those of a step that
//! lags keep its panel in memory. A panel, and what it waits for, goes before them all as soon as
//! the factorisation is no more than [`DEPTH`] steps behind it: Kurzak, Dongarra, "Implementing
//! linear algebra routines on multi-core processors with pipelining and a look ahead", PARA 2006.

/// Steps by which panels may be ahead of the updates.
const DEPTH: i32 = 2;

/// Priorities of a factorisation of so many block columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookahead {
    columns: i32,
}

impl Lookahead {
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns: columns as i32 }
    }

    /// Of factorising block column `k`.
    pub(crate) fn panel(self, k: usize) -> i32 {
        self.columns * (self.columns - k as i32 + DEPTH)
    }

    /// Of updating block column `j` by panel `k`; right-hand sides have `j` past the last.
    pub(crate) fn update(self, k: usize, j: usize) -> i32 {
        let behind = (j - k) as i32;
        let in_turn = self.columns * (self.columns - k as i32) - behind;
        if j < self.columns as usize { in_turn.max(self.panel(j)) } else { in_turn }
    }
}
