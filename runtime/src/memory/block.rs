//! A block of the caller's own memory that a handle stands for.
#![allow(unsafe_code)]

use std::mem::size_of;

/// Lines of equal length, at equal distances: the columns of a part of a larger array, say.
///
/// Blocks may interleave: two parts of one array share a range of addresses and no element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The first byte of the first line.
    pub pointer: *mut u8,
    /// Number of lines.
    pub lines: usize,
    /// Bytes of a line.
    pub line_bytes: usize,
    /// Bytes from the start of a line to the start of the next.
    pub pitch_bytes: usize,
    /// Bytes of an element.
    pub item_bytes: usize,
    /// Whether kernels that take lines for columns are to take these for rows.
    pub is_turned: bool,
}

impl Block {
    /// `lines` lines of `length` elements, whose starts are `pitch` elements apart.
    #[must_use]
    pub fn new<T>(pointer: *mut T, (lines, length): (usize, usize), pitch: usize) -> Self {
        let bytes = |elements: usize| {
            elements.checked_mul(size_of::<T>()).expect("a line fits the address space")
        };
        Self {
            pointer: pointer.cast(),
            lines,
            line_bytes: bytes(length),
            pitch_bytes: bytes(pitch),
            item_bytes: size_of::<T>(),
            is_turned: false,
        }
    }

    /// The same lines, to be taken for rows.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { is_turned: !self.is_turned, ..self }
    }

    /// Bytes in all lines.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lines * self.line_bytes
    }

    /// Whether its lines follow each other without a gap, in the usual order.
    #[must_use]
    pub fn is_slice(&self) -> bool {
        self.lines == 1 || (self.pitch_bytes == self.line_bytes && !self.is_turned)
    }

    /// Copies its contents from byte `first` on to `into`, in the order of a slice of its own: line
    /// by line, of a turned block across the lines.
    ///
    /// # Safety
    /// The lines are valid for reads, and nobody writes them.
    pub(crate) unsafe fn copy_out(&self, first: usize, mut into: &mut [u8]) {
        for (place, bytes) in self.pieces(first, into.len()) {
            let (piece, rest) = into.split_at_mut(bytes);
            // SAFETY: the piece lies in the block.
            unsafe { self.pointer.add(place).copy_to_nonoverlapping(piece.as_mut_ptr(), bytes) };
            into = rest;
        }
    }

    /// Replaces its contents, in the same order, by `contents`.
    ///
    /// # Safety
    /// The lines are valid for writes, and nobody else uses them.
    pub(crate) unsafe fn copy_in(&self, mut contents: &[u8]) {
        for (place, bytes) in self.pieces(0, contents.len()) {
            let (piece, rest) = contents.split_at(bytes);
            // SAFETY: the piece lies in the block.
            unsafe { self.pointer.add(place).copy_from_nonoverlapping(piece.as_ptr(), bytes) };
            contents = rest;
        }
    }

    /// The pieces without gaps of `length` bytes of its contents from byte `first` on: where each
    /// lies behind its pointer, and its bytes.
    fn pieces(&self, first: usize, length: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let &Self { lines, line_bytes, pitch_bytes, item_bytes, is_turned, .. } = self;
        let (end, mut at) = (first + length, first);
        assert!(end <= lines * line_bytes, "byte {end} of {} in a block", lines * line_bytes);
        let most = if is_turned { item_bytes } else { line_bytes };
        std::iter::from_fn(move || {
            let (number, inside) = (at / most, at % most);
            let (line, start) =
                if is_turned { (number % lines, number / lines * item_bytes) } else { (number, 0) };
            let bytes = (most - inside).min(end - at);
            at += bytes;
            (bytes > 0).then_some((line * pitch_bytes + start + inside, bytes))
        })
    }

    /// # Panics
    /// If there is nothing in it, its lines overlap, or it leaves the address space.
    pub(crate) fn check(&self) {
        let &Self { pointer, lines, line_bytes, pitch_bytes, .. } = self;
        assert!(!pointer.is_null(), "a block to lend has no address");
        assert!(lines > 0 && line_bytes > 0, "{lines} lines of {line_bytes} bytes are no block");
        assert!(
            pitch_bytes >= line_bytes,
            "lines of {line_bytes} bytes overlap when they are {pitch_bytes} bytes apart"
        );
        let span = (lines - 1).checked_mul(pitch_bytes).and_then(|s| s.checked_add(line_bytes));
        assert!(
            span.is_some_and(|span| isize::try_from(span).is_ok()),
            "{lines} lines, {pitch_bytes} bytes apart, leave the address space"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_without_gaps_is_a_slice_unless_it_is_turned() {
        let mut array = [0.0f64; 12];
        let mut block = |shape, pitch| Block::new(array.as_mut_ptr(), shape, pitch);
        assert!(block((3, 4), 4).is_slice());
        assert!(!block((3, 4), 4).turned().is_slice());
        assert!(!block((3, 3), 4).is_slice());
        assert!(block((1, 3), 4).turned().is_slice());
        assert_eq!(block((3, 3), 4).bytes(), 72);
    }

    /// A block of 3 lines of 2 numbers of 16 bits, 4 apart, that begins at the number 0.
    fn numbers(array: &mut [u16]) -> Block {
        array.iter_mut().zip(0..).for_each(|(entry, value)| *entry = value);
        Block::new(array.as_mut_ptr(), (3, 2), 4)
    }

    fn bytes(numbers: &[u16]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
    }

    #[test]
    fn contents_are_copied_as_those_of_a_slice() {
        let mut array = [0; 12];
        let block = numbers(&mut array);
        for (block, order) in [(block, [0, 1, 4, 5, 8, 9]), (block.turned(), [0, 4, 8, 1, 5, 9])] {
            for (first, length) in [(0, 12), (2, 7), (3, 4), (5, 0), (11, 1)] {
                let mut copy = vec![0; length];
                // SAFETY: the block is a part of the array.
                unsafe { block.copy_out(first, &mut copy) };
                assert_eq!(copy, bytes(&order)[first..first + length], "{block:?}, {first}");
            }
        }
    }

    #[test]
    fn contents_are_replaced_and_nothing_beside_them() {
        let mut array = [0; 12];
        let block = numbers(&mut array);
        // SAFETY: the block is a part of the array.
        unsafe { block.copy_in(&bytes(&[20, 21, 22, 23, 24, 25])) };
        assert_eq!(array, [20, 21, 2, 3, 22, 23, 6, 7, 24, 25, 10, 11]);
        let block = numbers(&mut array).turned();
        // SAFETY: as above.
        unsafe { block.copy_in(&bytes(&[20, 21, 22, 23, 24, 25])) };
        assert_eq!(array, [20, 23, 2, 3, 21, 24, 6, 7, 22, 25, 10, 11]);
    }

    #[test]
    #[should_panic(expected = "overlap")]
    fn lines_that_overlap_are_refused() {
        Block::new([0u8; 8].as_mut_ptr(), (2, 4), 3).check();
    }
}
