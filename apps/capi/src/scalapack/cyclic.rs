//! Block-cyclic layouts: which process has which entries of a submatrix, and where.
//!
//! ScaLAPACK Users' Guide (SIAM 1997), section 4.3.1: rows and columns are cut into blocks, which
//! are dealt out in turn.

use std::ops::Range;

/// The rows or the columns of a submatrix of a block-cyclic matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// How many there are.
    pub(super) length: usize,
    /// How many of the matrix stand before them.
    pub(super) offset: usize,
    /// How many are the first block of the matrix.
    pub(super) first: usize,
    /// How many are any other block.
    pub(super) block: usize,
    /// Who has the first block of the matrix.
    pub(super) source: usize,
    /// How many processes share them.
    pub(super) processes: usize,
}

/// Rows or columns that follow each other on one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Who has them.
    pub(super) owner: usize,
    /// Where the first of them stands there.
    pub(super) place: usize,
    /// How many there are.
    pub(super) length: usize,
}

impl Axis {
    /// All rows or columns of a matrix in equal blocks.
    pub(super) fn whole(length: usize, block: usize, processes: usize) -> Self {
        let block = block.max(1);
        Self { length, offset: 0, first: block, block, source: 0, processes }
    }

    /// The number of the block that has number `place` of the matrix, how many of it come before,
    /// and how large it is.
    fn block_of(self, place: usize) -> (usize, usize, usize) {
        match place.checked_sub(self.first) {
            None => (0, place, self.first),
            Some(behind) => (1 + behind / self.block, behind % self.block, self.block),
        }
    }

    /// How many of the blocks before number `number` stand where that stands.
    fn before(self, number: usize) -> usize {
        match (number / self.processes, number % self.processes) {
            (0, _) => 0,
            (turns, 0) => self.first + (turns - 1) * self.block,
            (turns, _) => turns * self.block,
        }
    }

    /// The piece that begins with number `first`, as far as its block reaches.
    pub(super) fn piece(self, first: usize) -> Piece {
        let (number, inside, size) = self.block_of(self.offset + first);
        Piece {
            owner: (self.source + number) % self.processes,
            place: self.before(number) + inside,
            length: (size - inside).min(self.length - first),
        }
    }

    /// All pieces of `process`, each with the number of its first row or column.
    pub(super) fn pieces_of(self, process: usize) -> impl Iterator<Item = (usize, Piece)> {
        let mut first = 0;
        let all = std::iter::from_fn(move || {
            let piece = (first < self.length).then(|| (first, self.piece(first)))?;
            first += piece.1.length;
            Some(piece)
        });
        all.filter(move |(_, piece)| piece.owner == process)
    }

    /// How many of the matrix, up to the last of these, stand at `process`: the room that it needs.
    pub(super) fn room(self, process: usize) -> usize {
        let (last, inside, _) = self.block_of(self.offset + self.length);
        let turn = (process + self.processes - self.source) % self.processes;
        let ours = last % self.processes;
        // Its next block is the last one, or one behind that.
        let next = last - ours + turn + if turn < ours { self.processes } else { 0 };
        self.before(next) + if turn == ours { inside } else { 0 }
    }

    /// Whether all of them follow each other on one process.
    fn is_one_piece(self) -> bool {
        let (_, inside, size) = self.block_of(self.offset);
        self.processes == 1 || inside + self.length <= size
    }

    /// Whether tiles of `size` are whole pieces.
    pub(super) fn is_cut_into(self, size: usize) -> bool {
        let (_, inside, first) = self.block_of(self.offset);
        self.is_one_piece() || inside == 0 && first == size && self.block == size
    }

    /// The only size of tiles that are whole pieces, if there is one.
    pub(super) fn tile(self) -> Option<usize> {
        (!self.is_one_piece() && self.is_cut_into(self.block)).then_some(self.block)
    }
}

/// The layout of a submatrix over a grid of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) rows: Axis,
    pub(super) columns: Axis,
}

impl Layout {
    /// The number of the process in a row and a column of the grid.
    pub(super) fn process(self, row: usize, column: usize) -> usize {
        row * self.columns.processes + column
    }

    /// Row and column of a process in the grid.
    pub(super) fn position(self, process: usize) -> (usize, usize) {
        (process / self.columns.processes, process % self.columns.processes)
    }
}

/// Rows or columns that follow each other in both of two layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Common {
    /// The number of the first of them.
    pub(super) first: usize,
    pub(super) from: Piece,
    pub(super) to: Piece,
}

impl Common {
    /// How many there are.
    pub(super) fn length(self) -> usize {
        self.from.length.min(self.to.length)
    }
}

/// Those of `range`, in order.
pub(super) fn common(from: Axis, to: Axis, range: Range<usize>) -> Vec<Common> {
    let mut found = Vec::new();
    let mut first = range.start;
    while first < range.end {
        let most = range.end - first;
        let [from, to] = [from, to].map(|axis| {
            let piece = axis.piece(first);
            Piece { length: piece.length.min(most), ..piece }
        });
        let next = Common { first, from, to };
        first += next.length();
        found.push(next);
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn axes() -> impl Strategy<Value = Axis> {
        let sizes = (0..40usize, 0..20usize, 1..9usize, 1..9usize, 1..5usize, 0..5usize);
        sizes.prop_map(|(length, offset, first, block, processes, source)| Axis {
            length,
            offset,
            first: if source % 2 == 0 { block } else { first },
            block,
            source: source % processes,
            processes,
        })
    }

    /// Who has each row, by dealing out the blocks of the whole matrix one by one.
    fn dealt(axis: Axis) -> Vec<(usize, usize)> {
        let mut held = vec![0; axis.processes];
        let mut all = Vec::new();
        let (mut owner, mut left) = (axis.source, axis.first);
        for _ in 0..axis.offset + axis.length {
            if left == 0 {
                (owner, left) = ((owner + 1) % axis.processes, axis.block);
            }
            all.push((owner, held[owner]));
            held[owner] += 1;
            left -= 1;
        }
        all.split_off(axis.offset)
    }

    proptest! {
        #[test]
        fn pieces_are_those_of_blocks_that_are_dealt_out(axis in axes(), length in 0..40usize) {
            let dealt = dealt(axis);
            let mut first = 0;
            while first < axis.length {
                let Piece { owner, place, length } = axis.piece(first);
                prop_assert!(length > 0);
                for next in 0..length {
                    prop_assert_eq!(dealt[first + next], (owner, place + next));
                }
                first += length;
            }
            prop_assert_eq!(first, axis.length);
            let whole = Axis { length: axis.offset + length, offset: 0, ..axis };
            let all = super::tests::dealt(whole);
            for process in 0..axis.processes {
                let count = all.iter().filter(|(owner, _)| *owner == process).count();
                prop_assert_eq!(whole.room(process), count);
            }
        }

        #[test]
        fn tiles_that_fit_are_whole_pieces(axis in axes(), size in 1..9usize) {
            for size in axis.tile().into_iter().chain([size]).filter(|&size| axis.is_cut_into(size)) {
                let dealt = dealt(axis);
                for tile in dealt.chunks(size) {
                    for (next, &(owner, place)) in tile.iter().enumerate() {
                        prop_assert_eq!((owner, place), (tile[0].0, tile[0].1 + next));
                    }
                }
            }
        }

        #[test]
        fn what_two_layouts_have_in_common_is_all_there_is(
            from in axes(), to in axes(), cut in 0..40usize,
        ) {
            let length = from.length.min(to.length);
            let (from, to) = (Axis { length, ..from }, Axis { length, ..to });
            let start = cut.min(length);
            let (of_from, of_to) = (dealt(from), dealt(to));
            let mut first = start;
            for piece in common(from, to, start..length) {
                prop_assert_eq!(piece.first, first);
                for next in 0..piece.length() {
                    let Common { from, to, .. } = piece;
                    prop_assert_eq!(of_from[first + next], (from.owner, from.place + next));
                    prop_assert_eq!(of_to[first + next], (to.owner, to.place + next));
                }
                first += piece.length();
            }
            prop_assert_eq!(first, length);
        }
    }
}
