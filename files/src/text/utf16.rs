//! UTF-16 on its way to UTF-8: what spreadsheets call "Unicode text".

use std::io::{self, Read};

use super::TextFault;

/// Bytes that are converted at once.
const CHUNK: usize = 1 << 16;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Which byte of a unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The low one, as Windows writes.
    Little,
    /// The high one.
    Big,
}

impl Order {
    /// The order of the text that begins with `start`, if it is UTF-16: by its byte order mark, or
    /// because every other byte is zero in most of its first characters, and no byte between them.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0xff, 0xfe, ..] => return Some(Self::Little),
            [0xfe, 0xff, ..] => return Some(Self::Big),
            _ => {}
        }
        let (units, _) = start.as_chunks::<2>();
        let zeros = |side: usize| units.iter().filter(|unit| unit[side] == 0).count();
        let is_most = |zeros: usize| units.len() > 1 && 4 * zeros > 3 * units.len();
        match [zeros(0), zeros(1)] {
            [0, low] if is_most(low) => Some(Self::Little),
            [high, 0] if is_most(high) => Some(Self::Big),
            _ => None,
        }
    }

    fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }
}

/// A reader of UTF-8 made of one of UTF-16, without its byte order mark.
pub(super) struct Utf16<R> {
    inner: R,
    order: Order,
    /// Bytes that are not converted yet: less than a character, between two reads.
    raw: Vec<u8>,
    ready: Vec<u8>,
    taken: usize,
    /// Line ends so far.
    lines: u64,
    is_at_start: bool,
}

impl<R: Read> Utf16<R> {
    pub(super) fn new(inner: R, order: Order) -> Self {
        let (raw, ready) = (Vec::with_capacity(CHUNK), Vec::with_capacity(CHUNK));
        Self { inner, order, raw, ready, taken: 0, lines: 0, is_at_start: true }
    }

    /// Makes more bytes ready, unless the end has come.
    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.taken = 0;
        while self.ready.is_empty() {
            let before = self.raw.len();
            self.inner.by_ref().take((CHUNK - before) as u64).read_to_end(&mut self.raw)?;
            let is_end = self.raw.len() < CHUNK;
            if self.raw.is_empty() {
                return Ok(());
            }
            self.convert(is_end)?;
        }
        Ok(())
    }

    /// Converts what is there, but for a character that more bytes may complete.
    fn convert(&mut self, is_end: bool) -> io::Result<()> {
        let (units, rest) = self.raw.as_chunks::<2>();
        let is_first_half = |unit: &[u8; 2]| self.order.unit(*unit) & 0xfc00 == 0xd800;
        let waits = usize::from(!is_end && units.last().is_some_and(is_first_half));
        let used = &units[..units.len() - waits];
        let mut is_whole = !is_end || rest.is_empty();
        let mut utf8 = [0; 4];
        for character in char::decode_utf16(used.iter().map(|&unit| self.order.unit(unit))) {
            let Ok(character) = character else {
                is_whole = false;
                break;
            };
            let is_mark = std::mem::take(&mut self.is_at_start) && character == BYTE_ORDER_MARK;
            if !is_mark {
                self.lines += u64::from(character == '\n');
                self.ready.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
            }
        }
        if !is_whole {
            return Err(TextFault::HalfCharacter { line: self.lines + 1 }.into());
        }
        let used = 2 * used.len();
        self.raw.drain(..used);
        Ok(())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() {
            self.refill()?;
        }
        let count = out.len().min(self.ready.len() - self.taken);
        out[..count].copy_from_slice(&self.ready[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Text;
    use super::*;

    const TEXT: &str = "name\tvalue\r\nÅre, 東京 and 🦀\t1.5\r\nplain\t2\r\n";

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    fn read(bytes: Vec<u8>) -> Result<String, String> {
        let mut text = String::new();
        let read = Text::new(io::Cursor::new(bytes)).and_then(|mut t| t.read_to_string(&mut text));
        read.map(|_| text).map_err(|error| error.to_string())
    }

    #[test]
    fn either_order_is_read_with_a_mark_and_without() {
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            let marked = utf16(&format!("\u{feff}{TEXT}"), unit);
            assert_eq!(read(marked).as_deref(), Ok(TEXT));
            assert_eq!(read(utf16(TEXT, unit)).as_deref(), Ok(TEXT));
        }
        assert_eq!(read(vec![0xff, 0xfe]).as_deref(), Ok(""));
    }

    #[test]
    fn characters_across_chunks_are_kept_whole() {
        let text = "x🦀".repeat(CHUNK / 2 + 7);
        let bytes = utf16(&format!("\u{feff}{text}"), u16::to_le_bytes);
        assert!(read(bytes).is_ok_and(|read| read == text));
    }

    #[test]
    fn half_a_character_is_refused_with_its_line() {
        let mut bytes = utf16("\u{feff}a\nb", u16::to_le_bytes);
        bytes.extend([0x3e, 0xd8]);
        let error = read(bytes.clone()).expect_err("half a crab");
        assert!(error.starts_with("line 2 is damaged"), "{error}");
        bytes.pop();
        assert!(read(bytes).is_err());
    }

    #[test]
    fn eight_bit_text_is_not_taken_for_it() {
        for text in ["", "a", "ab", "x,y\n1,2\n", "\u{feff}x"] {
            assert_eq!(Order::of(text.as_bytes()), None, "{text:?}");
        }
    }
}
