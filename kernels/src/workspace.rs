//! Room for what a kernel lays out while it runs: one per thread, kept from call to call.

use std::cell::Cell;

use bytemuck::{Pod, Zeroable};

use crate::tile::TileMut;

/// A cache line, so that what is laid out begins on one.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

thread_local! {
    static ROOM: Cell<Vec<Line>> = const { Cell::new(Vec::new()) };
}

/// Calls `work` with room for `count` numbers, whose contents are arbitrary. A kernel that asks
/// again inside `work` gets other room.
///
/// # Panics
/// If there is no memory for it.
pub(crate) fn with_room<T: Pod, R>(count: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
    let mut room = ROOM.take();
    let lines = (count * size_of::<T>()).div_ceil(size_of::<Line>());
    if room.len() < lines {
        room.resize(lines, Line([0; 8]));
    }
    let result = work(&mut bytemuck::cast_slice_mut(&mut room[..lines])[..count]);
    ROOM.set(room);
    result
}

/// Takes a `rows x cols` matrix without gaps off the front of `room`.
///
/// # Panics
/// If there is not so much.
pub(crate) fn carve<'a, T>(room: &mut &'a mut [T], rows: usize, cols: usize) -> TileMut<'a, T> {
    let (mine, rest) = std::mem::take(room).split_at_mut(rows * cols);
    *room = rest;
    TileMut::new(mine, rows, cols)
}
