//! The bytes of a file on their way to the cell splitter: digest taken, line ends made equal, runs
//! of blanks reduced.

use std::io::{self, BufRead, Read};

use sha2::{Digest as _, Sha256};

const CHUNK: usize = 1 << 16;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A reader that hands on `inner` without byte order mark, with `\n` as the only line end and one
/// at the very end; with `squeeze`, also with each run of spaces and tabs outside quotes reduced to
/// one space, and none at either end of a line.
pub(super) struct Input<R> {
    inner: R,
    squeeze: bool,
    hasher: Sha256,
    raw: Box<[u8]>,
    ready: Vec<u8>,
    taken: usize,
    state: State,
    ended: bool,
}

struct State {
    /// Nothing has been seen yet, so that a byte order mark may come.
    untouched: bool,
    /// The last byte was `\r`, and a line end was handed on for it.
    after_return: bool,
    /// Nothing of the present line has been handed on.
    at_line_start: bool,
    /// A blank is owed if anything follows in this line.
    blank_owed: bool,
    in_quotes: bool,
    in_comment: bool,
    /// The last byte that was no line end.
    last_visible: u8,
    ends_with_newline: bool,
}

impl<R: Read> Input<R> {
    pub(super) fn new(inner: R, squeeze: bool) -> Self {
        Self {
            inner,
            squeeze,
            hasher: Sha256::new(),
            raw: vec![0; CHUNK].into_boxed_slice(),
            ready: Vec::with_capacity(CHUNK + 1),
            taken: 0,
            state: State {
                untouched: true,
                after_return: false,
                at_line_start: true,
                blank_owed: false,
                in_quotes: false,
                in_comment: false,
                last_visible: b'\n',
                ends_with_newline: true,
            },
            ended: false,
        }
    }

    /// Where the bytes come from.
    pub(super) fn inner(&self) -> &R {
        &self.inner
    }

    /// The digest of every byte read so far, as they stand in the file.
    pub(super) fn into_hasher(self) -> Sha256 {
        self.hasher
    }

    /// Whether everything was handed on, and what stands at the very end is no quote.
    pub(super) fn ends_unquoted(&self) -> bool {
        self.ended && self.taken == self.ready.len() && self.state.last_visible != b'"'
    }

    /// Makes more bytes ready, unless the end has come.
    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.taken = 0;
        while self.ready.is_empty() && !self.ended {
            let count = self.read_chunk()?;
            self.hasher.update(&self.raw[..count]);
            let mut chunk = &self.raw[..count];
            if self.state.untouched {
                chunk = chunk.strip_prefix(BYTE_ORDER_MARK).unwrap_or(chunk);
                self.state.untouched = false;
            }
            if count == 0 {
                self.ended = true;
                if !self.state.ends_with_newline {
                    self.ready.push(b'\n');
                }
            } else if self.squeeze {
                self.state.squeeze(chunk, &mut self.ready);
            } else {
                self.state.pass(chunk, &mut self.ready);
            }
        }
        Ok(())
    }

    /// Reads once, or a few times so that the first chunk holds a byte order mark whole.
    fn read_chunk(&mut self) -> io::Result<usize> {
        let wanted = if self.state.untouched { BYTE_ORDER_MARK.len() } else { 1 };
        let mut count = 0;
        while count < wanted {
            match self.inner.read(&mut self.raw[count..]) {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }
}

impl<R: Read> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.ready.len() {
            self.refill()?;
        }
        Ok(&self.ready[self.taken..])
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount;
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let count = out.len().min(ready.len());
        out[..count].copy_from_slice(&ready[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl State {
    /// Hands on `chunk` with its line ends made equal.
    fn pass(&mut self, chunk: &[u8], ready: &mut Vec<u8>) {
        if !self.after_return && !chunk.contains(&b'\r') {
            ready.extend_from_slice(chunk);
        } else {
            for &byte in chunk {
                if let Some(byte) = self.newline_of(byte) {
                    ready.push(byte);
                }
            }
        }
        self.note_end(ready);
    }

    /// `\n` for each line end, once; any other byte as it is.
    fn newline_of(&mut self, byte: u8) -> Option<u8> {
        let second_half = byte == b'\n' && self.after_return;
        self.after_return = byte == b'\r';
        match byte {
            _ if second_half => None,
            b'\r' => Some(b'\n'),
            byte => Some(byte),
        }
    }

    fn squeeze(&mut self, chunk: &[u8], ready: &mut Vec<u8>) {
        for &byte in chunk {
            match self.newline_of(byte) {
                None => {}
                Some(b'\n') => {
                    ready.push(b'\n');
                    (self.at_line_start, self.blank_owed, self.in_comment) = (true, false, false);
                }
                Some(b' ' | b'\t') if !self.in_quotes => self.blank_owed = !self.at_line_start,
                Some(byte) => self.push_visible(byte, ready),
            }
        }
        self.note_end(ready);
    }

    fn push_visible(&mut self, byte: u8, ready: &mut Vec<u8>) {
        let begins_cell = self.at_line_start || self.blank_owed;
        if self.at_line_start && !self.in_quotes && byte == b'#' {
            self.in_comment = true;
        }
        if self.blank_owed {
            ready.push(b' ');
        }
        if byte == b'"' && !self.in_comment && (begins_cell || self.in_quotes) {
            self.in_quotes = !self.in_quotes;
        }
        ready.push(byte);
        (self.at_line_start, self.blank_owed) = (false, false);
    }

    fn note_end(&mut self, ready: &[u8]) {
        if let Some(&last) = ready.last() {
            self.ends_with_newline = last == b'\n';
        }
        if let Some(&visible) = ready.iter().rev().find(|&&byte| byte != b'\n') {
            self.last_visible = visible;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte at a time, the hardest way.
    struct Dribble<'a>(&'a [u8]);

    impl Read for Dribble<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(out.len()).min(1);
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn through(bytes: &[u8], squeeze: bool) -> String {
        let mut whole = String::new();
        Input::new(bytes, squeeze).read_to_string(&mut whole).unwrap();
        let mut dribbled = String::new();
        Input::new(Dribble(bytes), squeeze).read_to_string(&mut dribbled).unwrap();
        assert_eq!(whole, dribbled);
        whole
    }

    #[test]
    fn line_ends_are_made_equal() {
        assert_eq!(
            through(b"\xef\xbb\xbfa,b\r\n1,2\r3,4\n\r\n5, 6", false),
            "a,b\n1,2\n3,4\n\n5, 6\n"
        );
        assert_eq!(through(b"", false), "");
        assert_eq!(through(b"a", false), "a\n");
    }

    #[test]
    fn blanks_are_reduced_outside_quotes() {
        assert_eq!(
            through(b"  1   2\t 3  \r\n\"a  b\"  4\n   \n5", true),
            "1 2 3\n\"a  b\" 4\n\n5\n"
        );
        assert_eq!(through(b"# it's  \"odd\n1  2", true), "# it's \"odd\n1 2\n");
        assert_eq!(through(b"5\"  6\n7  8", true), "5\" 6\n7 8\n");
    }
}
