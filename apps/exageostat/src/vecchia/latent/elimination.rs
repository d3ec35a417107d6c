//! In which order the field is eliminated, and which pairs of neighbours meet.
//!
//! A place is eliminated before those that it is given. Places that none waits for come first, then
//! those that wait for these alone, and so on; among equals the order is that of the tree.

use tegula_kernels::kernel::vecchia::NONE;

/// The order of elimination.
#[derive(Debug)]
pub(super) struct Elimination {
    /// Of each place of the tree its position in the order.
    pub(super) positions: Vec<u32>,
    /// Of each position its place of the tree.
    pub(super) places: Vec<u32>,
}

/// The pattern: column `i` has rows at its neighbours and at `i`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern<'a> {
    /// Rows of a column but its own.
    pub(super) neighbours: usize,
    /// Of each column the positions of its neighbours.
    pub(super) lists: &'a [u32],
    /// Of each entry of those where it stands in `entries`.
    places: &'a [u32],
    /// Where the entries at a row start.
    starts: &'a [u32],
    /// Entries of the lists, by their row.
    entries: &'a [u32],
    /// Of each of `entries` where its pairs start.
    spans: &'a [u32],
    /// Slots: in the column of the entry, and, times 2^16, in that of its row.
    pairs: &'a [u32],
}

/// A column, the slot of a row in it, and pairs of slots.
pub(super) type Entry<P> = (usize, usize, P);

impl Elimination {
    /// From the neighbours of each place of the tree and its number in Vecchia's order; and
    /// the pattern of the factors as one buffer, that [`Pattern`] is a view of.
    ///
    /// # Panics
    /// If neighbours are 2^16 or more, or pairs 2^32.
    pub(super) fn new(neighbours: usize, given: &[u32], ranks: &[u32]) -> (Self, Vec<u32>) {
        let (n, m) = (ranks.len(), neighbours);
        assert!(m < 1 << 16, "{m} neighbours have no numbers of 16 bits");
        let list = |place: usize| given[place * m..][..m].iter().filter(|&&other| other != NONE);
        let mut by_rank = vec![0; n];
        (0..n).for_each(|place| by_rank[ranks[place] as usize] = place);
        let mut level = vec![0_u32; n];
        for &place in by_rank.iter().rev() {
            for &other in list(place) {
                level[other as usize] = level[other as usize].max(level[place] + 1);
            }
        }
        let mut places: Vec<u32> = (0..n as u32).collect();
        places.sort_unstable_by_key(|&place| (level[place as usize], place));
        let mut positions = vec![0; n];
        for (position, &place) in places.iter().enumerate() {
            positions[place as usize] = position as u32;
        }
        let at = |&other: &u32| if other == NONE { NONE } else { positions[other as usize] };
        let lists: Vec<u32> = places
            .iter()
            .flat_map(|&place| given[place as usize * m..][..m].iter().map(at))
            .collect();
        let pattern = pattern(n, m, &lists);
        (Self { positions, places }, pattern)
    }
}

/// The buffer: lists, places, starts, entries, spans, pairs.
fn pattern(n: usize, m: usize, lists: &[u32]) -> Vec<u32> {
    let mut starts = vec![0_u32; n + 1];
    for &row in lists.iter().filter(|&&row| row != NONE) {
        starts[row as usize + 1] += 1;
    }
    (0..n).for_each(|row| starts[row + 1] += starts[row]);
    let mut next = starts.clone();
    let mut entries = vec![0_u32; starts[n] as usize];
    let mut places = vec![NONE; n * m];
    for (entry, &row) in lists.iter().enumerate().filter(|(_, row)| **row != NONE) {
        let to = &mut next[row as usize];
        entries[*to as usize] = entry as u32;
        places[entry] = *to;
        *to += 1;
    }
    let (mut spans, mut pairs) = (Vec::with_capacity(entries.len() + 1), Vec::new());
    // Of each place its slot in the column of the row at hand, and for which row that was noted.
    let mut slots = vec![(NONE, 0_u32); n];
    spans.push(0);
    for row in 0..n {
        for (slot, &other) in lists[row * m..][..m].iter().enumerate() {
            if other != NONE {
                slots[other as usize] = (row as u32, slot as u32);
            }
        }
        for &entry in &entries[starts[row] as usize..starts[row + 1] as usize] {
            let column = entry as usize / m;
            for (slot, &other) in lists[column * m..][..m].iter().enumerate() {
                if other != NONE && slots[other as usize].0 == row as u32 {
                    pairs.push(slot as u32 | slots[other as usize].1 << 16);
                }
            }
            spans.push(u32::try_from(pairs.len()).expect("pairs have numbers of 32 bits"));
        }
    }
    [lists, &places, &starts, &entries, &spans, &pairs].concat()
}

impl<'a> Pattern<'a> {
    /// The view of a buffer, of `n` places.
    pub(super) fn new(n: usize, neighbours: usize, all: &'a [u32]) -> Self {
        let (lists, rest) = all.split_at(n * neighbours);
        let (places, rest) = rest.split_at(n * neighbours);
        let (starts, rest) = rest.split_at(n + 1);
        let (entries, rest) = rest.split_at(starts[n] as usize);
        let (spans, pairs) = rest.split_at(entries.len() + 1);
        Self { neighbours, lists, places, starts, entries, spans, pairs }
    }

    /// Number of places.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The slots of a column that hold neighbours, with their positions.
    pub(super) fn rows(&self, column: usize) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        let list = &self.lists[column * self.neighbours..][..self.neighbours];
        let list = list.iter().enumerate().filter(|(_, row)| **row != NONE);
        list.map(|(slot, &row)| (slot, row as usize))
    }

    /// The columns that have a row, with its slot, and the pairs of slots that both have: of the
    /// column, and of the row's own.
    pub(super) fn columns(
        &self,
        row: usize,
    ) -> impl Iterator<Item = Entry<impl Iterator<Item = (usize, usize)> + use<'a>>> + use<'a> {
        let those = self.starts[row] as usize..self.starts[row + 1] as usize;
        let (m, this) = (self.neighbours, *self);
        those.map(move |which| {
            let entry = this.entries[which] as usize;
            (entry / m, entry % m, this.span(which))
        })
    }

    /// The pairs of slots that a column, and the column of what stands in its `slot`, both have.
    pub(super) fn pairs(
        &self,
        column: usize,
        slot: usize,
    ) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        self.span(self.places[column * self.neighbours + slot] as usize)
    }

    fn span(&self, which: usize) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        let pairs = &self.pairs[self.spans[which] as usize..self.spans[which + 1] as usize];
        pairs.iter().map(|pair| ((pair & 0xffff) as usize, (pair >> 16) as usize))
    }
}
