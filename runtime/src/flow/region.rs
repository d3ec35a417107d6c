//! Where a buffer lies: what kernels make views of, when a slice would say too much.

use std::marker::PhantomData;

use bytemuck::Pod;

use crate::memory::Block;

/// How the elements of a buffer lie: `lines` lines of `length` elements, `pitch` elements apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Number of lines.
    pub lines: usize,
    /// Elements of a line.
    pub length: usize,
    /// Elements from the start of a line to the start of the next.
    pub pitch: usize,
    /// Whether kernels that take lines for columns are to take these for rows.
    pub is_turned: bool,
}

impl Lines {
    /// The lines of `block`, buffer `index` of a task.
    ///
    /// # Panics
    /// If a line or a pitch is no multiple of `T`'s size, or the block is not aligned to `T`.
    pub(super) fn of<T: Pod>(block: &Block, index: usize) -> Self {
        let &Block { pointer, lines, line_bytes, pitch_bytes, is_turned, .. } = block;
        let size = size_of::<T>();
        assert!(
            line_bytes % size == 0 && pitch_bytes % size == 0,
            "buffer {index} has lines of {line_bytes} bytes, {pitch_bytes} apart: not elements of {size}"
        );
        let align = align_of::<T>();
        assert!(
            pointer.addr() % align == 0,
            "buffer {index} at {pointer:?} is not aligned to {align}"
        );
        Self { lines, length: line_bytes / size, pitch: pitch_bytes / size, is_turned }
    }
}

/// A buffer of a running task, to read: each element of each line is valid and initialised, and
/// nobody writes it during `'a`. What lies between the lines may be anybody's.
#[derive(Clone, Copy, Debug)]
pub struct Region<'a, T> {
    pub(super) pointer: *const T,
    /// `None` for a buffer of the runtime's own, which is one line.
    pub(super) block: Option<Lines>,
    pub(super) length: usize,
    pub(super) lifetime: PhantomData<&'a T>,
}

/// A buffer of a running task, to write: as [`Region`], and nobody else reads or writes it.
#[derive(Debug)]
pub struct RegionMut<'a, T> {
    pub(super) pointer: *mut T,
    pub(super) block: Option<Lines>,
    pub(super) length: usize,
    pub(super) lifetime: PhantomData<&'a mut T>,
}

impl<T> Region<'_, T> {
    /// The first element of the first line.
    #[must_use]
    pub fn pointer(&self) -> *const T {
        self.pointer
    }

    /// The lines of a block that was lent; `None` for a buffer of the runtime's own.
    #[must_use]
    pub fn block(&self) -> Option<Lines> {
        self.block
    }

    /// Number of elements in all lines.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }
}

impl<T> RegionMut<'_, T> {
    /// As [`Region::pointer`].
    #[must_use]
    pub fn pointer(&self) -> *mut T {
        self.pointer
    }

    /// As [`Region::block`].
    #[must_use]
    pub fn block(&self) -> Option<Lines> {
        self.block
    }

    /// As [`Region::length`].
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }
}
