//! Packing: a micro-panel of a matrix is copied to the order in which a micro-kernel reads it, and
//! back.

use std::alloc::Layout;
use std::cell::RefCell;
use std::ptr::NonNull;

use super::lanes::Lanes;
use crate::scalar::Real;
use crate::tile::TileRef;

/// A micro-panel of a matrix: `width` rows (at most the packed width) and `k` columns, by raw
/// strides, which may be negative.
#[derive(Clone, Copy)]
pub(super) struct Strided<T> {
    pub(super) first: *const T,
    pub(super) width: usize,
    pub(super) k: usize,
    /// Elements between rows.
    pub(super) across: isize,
    /// Elements between columns.
    pub(super) along: isize,
}

impl<T> Strided<T> {
    /// The matrix as one micro-panel.
    pub(super) fn new(a: TileRef<'_, T>) -> Self {
        let (across, along) = (a.row_stride().cast_signed(), a.col_stride().cast_signed());
        Self { first: a.as_ptr(), width: a.rows(), k: a.cols(), across, along }
    }

    /// The matrix with rows and columns swapped.
    pub(super) fn transposed(self) -> Self {
        let Self { first, width, k, across, along } = self;
        Self { first, width: k, k: width, across: along, along: across }
    }

    /// Rows `row..row + width` and columns `col..col + k`; the caller keeps inside.
    pub(super) fn part(self, row: usize, col: usize, width: usize, k: usize) -> Self {
        let offset = row.cast_signed() * self.across + col.cast_signed() * self.along;
        Self { first: self.first.wrapping_offset(offset), width, k, ..self }
    }
}

/// Columns that are packed at a time where rows are adjacent: a cache line of doubles.
pub(super) const RUN: usize = 8;
/// Rows and columns of a block that [`Lanes::transpose`] turns.
const SIDE: usize = 4;

/// Writes `k` groups of `W` elements; rows that do not exist are zero.
///
/// # Safety
/// The processor has the set of `S`, the micro-panel is readable, at most `W` wide, and `to` holds
/// `W * k` elements.
#[inline(always)]
pub(super) unsafe fn pack<T: Real, S: Lanes<T>, const W: usize>(source: Strided<T>, to: *mut T) {
    let Strided { first, width, k, across, along } = source;
    // SAFETY: all offsets are inside the micro-panel and the packed area.
    unsafe {
        if width == W && across == 1 {
            for p in 0..k {
                let group = first.offset(p.cast_signed() * along).cast::<[T; W]>();
                to.add(p * W).cast::<[T; W]>().write_unaligned(group.read_unaligned());
            }
            return;
        }
        if width < W {
            (0..W * k).for_each(|place| to.add(place).write(T::ZERO));
        }
        // A line of each of four rows at a time, so that it is read once.
        for run in (0..k).step_by(RUN) {
            let whole = along == 1 && k - run >= RUN;
            for i in (0..width).step_by(SIDE) {
                let (rows, place) = (first.offset(i.cast_signed() * across), to.add(run * W + i));
                if whole && width - i >= SIDE {
                    for p in (0..RUN).step_by(SIDE) {
                        S::transpose(rows.add(run + p), across, place.add(p * W), W);
                    }
                    continue;
                }
                for row in 0..SIDE.min(width - i) {
                    let row_of = rows.offset(row.cast_signed() * across);
                    for p in 0..RUN.min(k - run) {
                        let from = row_of.offset((run + p).cast_signed() * along);
                        place.add(p * W + row).write(*from);
                    }
                }
            }
        }
    }
}

/// Writes groups of `W` elements back to where [`pack`] takes them from.
///
/// # Safety
/// The micro-panel is writable, at most `W` wide, and `from` holds `W * k` elements.
#[inline(always)]
pub(super) unsafe fn unpack<T: Real, const W: usize>(from: *const T, target: Strided<T>) {
    let Strided { first, width, k, across, along } = target;
    // SAFETY: all offsets are inside the micro-panel and the packed area.
    unsafe {
        for p in 0..k {
            let group = from.add(p * W);
            let column = first.cast_mut().offset(p.cast_signed() * along);
            if width == W && across == 1 {
                column.cast::<[T; W]>().write_unaligned(group.cast::<[T; W]>().read_unaligned());
            } else {
                for i in 0..width {
                    column.offset(i.cast_signed() * across).write(*group.add(i));
                }
            }
        }
    }
}

/// Memory of a thread for packed operands, kept from call to call.
struct Room {
    first: NonNull<u8>,
    layout: Layout,
}

/// Size and alignment of a large page of x86: packed operands are walked along many pages at once.
const LARGE_PAGE: usize = 2 << 20;

/// Bytes of a cache line.
const LINE: usize = 64;

impl Room {
    /// Room for so many bytes, all zero.
    fn new(bytes: usize) -> Self {
        let size = bytes.next_multiple_of(LARGE_PAGE).max(LARGE_PAGE);
        let layout = Layout::from_size_align(size, LARGE_PAGE).expect("operands fit in memory");
        // SAFETY: the size is not zero.
        let memory = unsafe { std::alloc::alloc(layout) };
        let first = NonNull::new(memory).unwrap_or_else(|| std::alloc::handle_alloc_error(layout));
        // SAFETY: the memory is ours and `size` bytes long; the advice changes no contents, and
        // its refusal costs nothing but speed.
        unsafe {
            #[cfg(target_os = "linux")]
            libc::madvise(memory.cast(), size, libc::MADV_HUGEPAGE);
            first.write_bytes(0, size);
        }
        Self { first, layout }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { std::alloc::dealloc(self.first.as_ptr(), self.layout) };
    }
}

thread_local! {
    static ROOM: RefCell<Option<Room>> = const { RefCell::new(None) };
}

/// Calls `work` with room for two packed operands of so many elements, which begin on cache lines.
/// The room belongs to the thread and is kept for the next call; its contents are arbitrary
/// numbers.
pub(super) fn with_workspace<T: Real, R>(
    elements: [usize; 2],
    work: impl FnOnce([*mut T; 2]) -> R,
) -> R {
    let bytes = elements.map(|count| (count * size_of::<T>()).next_multiple_of(LINE));
    ROOM.with_borrow_mut(|room| {
        let needed = bytes[0] + bytes[1];
        if room.as_ref().is_none_or(|room| room.layout.size() < needed) {
            // The old one goes first, so that there are never two.
            drop(room.take());
        }
        let first = room.get_or_insert_with(|| Room::new(needed)).first.as_ptr();
        // `bytes[0] <= needed`: the second part is inside the room too.
        let second = first.wrapping_add(bytes[0]);
        work([first.cast::<T>(), second.cast::<T>()])
    })
}
