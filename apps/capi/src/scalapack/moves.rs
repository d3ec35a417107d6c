//! Entries of a matrix from one block-cyclic layout to another, all at once.
//!
//! As ScaLAPACK's `p?gemr2d`: J. Dongarra, L. Prylli, B. Tourancheau, "Efficient block cyclic data
//! redistribution", Euro-Par 1996. Each process packs, for each other one, the pieces that they
//! have in common in the order of columns, and the other one takes them out in the same order.

use tegula_kernels::option::Uplo;
use tegula_kernels::scalar::Scalar;

use super::cyclic::{Axis, Common, Layout, common};
use super::grid::Grid;
use super::matrix::Distributed;

/// Bytes that are moved at a time for each process: few, so that they are packed and unpacked in
/// caches.
const ROUND_BYTES: usize = 8 << 20;
/// Most bytes that are moved at a time by all: MPI counts with 32 bits.
const MOST_BYTES: usize = 1 << 30;

/// Copies the entries of `from`, or of its triangle and what shares blocks with that, to `to`, a
/// matrix of the same shape; all processes call it.
///
/// # Panics
/// If MPI fails.
pub(super) fn copy<T: Scalar>(grid: &Grid, from: &Distributed<T>, to: &Distributed<T>) {
    let (m, n) = (from.rows(), from.columns());
    assert!((m, n) == (to.rows(), to.columns()), "a copy of {m} x {n} to another shape");
    if m == 0 {
        return;
    }
    let rows = common(from.layout.rows, to.layout.rows, 0..m);
    let (mut send, mut received) = (Vec::new(), Vec::new());
    let width = round(grid, m * size_of::<T>(), [from, to].map(|matrix| matrix.layout.columns));
    for first in (0..n).step_by(width) {
        let range = first..(first + width).min(n);
        let columns = common(from.layout.columns, to.layout.columns, range);
        Round { grid, from, to, rows: &rows, columns: &columns }.run(&mut send, &mut received);
    }
}

/// Columns of `bytes` bytes that are moved at a time: so many that each process has its turn in
/// both layouts, or else some would wait for one.
fn round(grid: &Grid, bytes: usize, [from, to]: [Axis; 2]) -> usize {
    let [few, most] = [ROUND_BYTES * grid.processes(), MOST_BYTES].map(|all| (all / bytes).max(1));
    let turn = (from.block * from.processes).max(to.block * to.processes);
    few.next_multiple_of(turn).min(most)
}

/// Some columns on their way.
struct Round<'a, T> {
    grid: &'a Grid,
    from: &'a Distributed<T>,
    to: &'a Distributed<T>,
    rows: &'a [Common],
    columns: &'a [Common],
}

/// A piece that goes from one process to another.
struct Passage {
    row: Common,
    column: Common,
}

impl<T: Scalar> Round<'_, T> {
    /// Moves all, through room that is used again.
    fn run(&self, send: &mut Vec<T>, received: &mut Vec<T>) {
        let (send_counts, receive_counts) = (self.counts(true), self.counts(false));
        send.resize(send_counts.iter().sum(), T::ZERO);
        received.resize(receive_counts.iter().sum(), T::ZERO);
        let mut next = starts(&send_counts);
        for Passage { row, column } in self.passages(true) {
            let to = self.other(&row, &column, true);
            for line in 0..column.length() {
                let place = row.from.place + (column.from.place + line) * self.from.ld;
                let piece = &mut send[next[to]..next[to] + row.length()];
                self.from.array.after(place).read(piece);
                next[to] += row.length();
            }
        }
        if self.grid.processes() == 1 {
            received.copy_from_slice(send);
        } else {
            let bytes = |counts: &[usize]| -> Vec<usize> {
                counts.iter().map(|count| count * size_of::<T>()).collect()
            };
            let sent = (bytemuck::cast_slice(&send[..]), &bytes(&send_counts)[..]);
            let room = (bytemuck::cast_slice_mut(&mut received[..]), &bytes(&receive_counts)[..]);
            let moved = self.grid.group().all_to_all(sent, room);
            moved.unwrap_or_else(|error| panic!("{error}"));
        }
        let mut next = starts(&receive_counts);
        for Passage { row, column } in self.passages(false) {
            let from = self.other(&row, &column, false);
            for line in 0..column.length() {
                let place = row.to.place + (column.to.place + line) * self.to.ld;
                let piece = &received[next[from]..next[from] + row.length()];
                self.to.array.after(place).write(piece);
                next[from] += row.length();
            }
        }
    }

    /// What leaves this process, or comes to it, in order.
    fn passages(&self, leaves: bool) -> impl Iterator<Item = Passage> + '_ {
        let layout: Layout = if leaves { self.from.layout } else { self.to.layout };
        let (row, column) = layout.position(self.grid.process());
        let end = move |common: &Common| if leaves { common.from } else { common.to };
        let columns = self.columns.iter().filter(move |common| end(common).owner == column);
        columns.flat_map(move |&column| {
            let is_used = move |row: &&Common| match self.from.triangle {
                None => true,
                Some(Uplo::Lower) => row.first + row.length() > column.first,
                Some(Uplo::Upper) => row.first < column.first + column.length(),
            };
            let rows = self.rows.iter().filter(move |common| end(common).owner == row);
            rows.filter(is_used).map(move |&row| Passage { row, column })
        })
    }

    /// Where what leaves goes, or what comes comes from.
    fn other(&self, row: &Common, column: &Common, leaves: bool) -> usize {
        if leaves {
            self.to.layout.process(row.to.owner, column.to.owner)
        } else {
            self.from.layout.process(row.from.owner, column.from.owner)
        }
    }

    /// Entries for or from each process.
    fn counts(&self, leaves: bool) -> Vec<usize> {
        let mut counts = vec![0; self.grid.processes()];
        for Passage { row, column } in self.passages(leaves) {
            counts[self.other(&row, &column, leaves)] += row.length() * column.length();
        }
        counts
    }
}

/// Where the part of each process begins.
fn starts(counts: &[usize]) -> Vec<usize> {
    let next = counts.iter().scan(0, |end, count| Some(std::mem::replace(end, *end + count)));
    next.collect()
}
