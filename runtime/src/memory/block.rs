//! A block of the caller's own memory that a handle stands for.

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

    #[test]
    #[should_panic(expected = "overlap")]
    fn lines_that_overlap_are_refused() {
        Block::new([0u8; 8].as_mut_ptr(), (2, 4), 3).check();
    }
}
