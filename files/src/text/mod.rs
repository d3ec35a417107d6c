//! Text files, opened by whoever reads one: told from binary files, decompressed, as UTF-8, and
//! never more of them at once than their reader allows.
//!
//! Rules, for every text that is read:
//! - a file that begins as gzip or bzip2 do is decompressed, whatever it is called;
//! - UTF-16 is read as well as UTF-8, with a byte order mark or without one: then every other byte
//!   of the first characters is zero;
//! - what begins as a known binary format does is refused by its name (a workbook, a web page,
//!   NetCDF ...), and so is a byte that is zero, which no text has;
//! - a line may be as long as [`longest_line`] says, and a small file (settings, a model) as long
//!   as its reader says.

mod check;
mod fault;
mod kind;
mod lines;
mod utf16;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;

pub use fault::TextFault;
pub(super) use kind::Kind;
pub use lines::{longest_line, read_line};

use check::Checked;
use utf16::{Order, Utf16};

/// Bytes that are read at once.
const CHUNK: usize = 1 << 18;
/// Bytes by which a file is known.
pub(super) const START: usize = 512;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How a text is compressed.
enum Packing {
    Gzip,
    Bzip2,
}

impl Packing {
    /// How the file is compressed that begins with `start`, if it is.
    fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Self::Bzip2),
            _ => None,
        }
    }
}

/// Whether the file that begins with `start` may be a text.
pub(super) fn may_be_text(start: &[u8]) -> bool {
    Packing::of(start).is_some() || Order::of(start).is_some() || !start.contains(&0)
}

/// A text that is being read, as UTF-8; a byte order mark of UTF-8 is still in it.
pub struct Text {
    reader: BufReader<Box<dyn Read + Send>>,
    taken: Arc<AtomicU64>,
    is_compressed: bool,
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Text").field("taken", &self.bytes_taken()).finish_non_exhaustive()
    }
}

impl Text {
    /// Opens the file at `path`.
    ///
    /// # Errors
    /// Those of the system; a [`TextFault`] if it is a folder, or begins as a binary file does.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(TextFault::Folder.into());
        }
        Self::new(file)
    }

    /// The text that `bytes` hold.
    ///
    /// # Errors
    /// Those of `bytes`; a [`TextFault`] if they begin as a binary file does.
    pub fn new(bytes: impl Read + Send + 'static) -> io::Result<Self> {
        let taken = Arc::new(AtomicU64::new(0));
        let bytes = Counted { inner: bytes, taken: Arc::clone(&taken) };
        let (start, bytes) = peek(BufReader::with_capacity(CHUNK, bytes))?;
        let unpacked: Box<dyn Read + Send> = match Packing::of(&start) {
            Some(Packing::Gzip) => Box::new(Unpacked(MultiGzDecoder::new(bytes))),
            Some(Packing::Bzip2) => Box::new(Unpacked(MultiBzDecoder::new(bytes))),
            None => return Self::of_plain(&start, bytes, (taken, false)),
        };
        let (start, bytes) = peek(BufReader::with_capacity(CHUNK, unpacked))?;
        Self::of_plain(&start, bytes, (taken, true))
    }

    /// The text in `bytes`, which are not compressed and begin with `start`.
    fn of_plain(
        start: &[u8],
        bytes: impl Read + Send + 'static,
        (taken, is_compressed): (Arc<AtomicU64>, bool),
    ) -> io::Result<Self> {
        if let Some(kind) = Kind::of(start) {
            return Err(TextFault::Binary(kind).into());
        }
        let reader: Box<dyn Read + Send> = match Order::of(start) {
            Some(order) => Box::new(Checked::new(Utf16::new(bytes, order))),
            None => Box::new(Checked::new(bytes)),
        };
        Ok(Self { reader: BufReader::with_capacity(CHUNK, reader), taken, is_compressed })
    }

    /// Bytes that were taken from the file so far.
    #[must_use]
    pub fn bytes_taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether the file is compressed.
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// Skips a byte order mark, if one is next.
    ///
    /// # Errors
    /// Those of reading.
    pub fn skip_mark(&mut self) -> io::Result<()> {
        if self.reader.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
            self.reader.consume(BYTE_ORDER_MARK.len());
        }
        Ok(())
    }
}

impl Read for Text {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.reader.read(out)
    }
}

impl BufRead for Text {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
    }
}

/// All of the text file at `path`, which may have `most` bytes, without a byte order mark.
///
/// # Errors
/// Those of the system; a [`TextFault`] if it is no text or longer.
pub fn read_whole(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read_bytes(path, most)?).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        TextFault::NotUtf8 { line: 1 + count_lines(before) }.into()
    })
}

/// The same, where it need not be UTF-8.
///
/// # Errors
/// As [`read_whole`], but for those of bytes that are not UTF-8.
pub fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut text = Text::open(path)?;
    text.skip_mark()?;
    let mut bytes = Vec::new();
    text.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(TextFault::Large { most }.into());
    }
    Ok(bytes)
}

/// `text` for a message: without blanks around it, and cut after forty characters.
#[must_use]
pub fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    let mut shown: String = text.trim().chars().take(MOST).collect();
    if text.trim().chars().nth(MOST).is_some() {
        shown.push_str("...");
    }
    shown
}

/// Bytes of memory that `text` takes where it is kept by itself.
pub(super) fn text_bytes(text: &str) -> u64 {
    const ALLOCATION: usize = 16;
    (size_of::<String>() + ALLOCATION + text.len()) as u64
}

/// Line ends in `bytes`.
fn count_lines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// A reader of bytes that were looked at, and of those behind them.
type Peeked<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// The first bytes that `reader` gives, and a reader of them and all others.
fn peek<R: Read>(mut reader: R) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let mut start = Vec::with_capacity(START);
    reader.by_ref().take(START as u64).read_to_end(&mut start)?;
    Ok((start.clone(), Cursor::new(start).chain(reader)))
}

/// A reader that counts what it gives.
struct Counted<R> {
    inner: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// What a decoder gives; its errors are damage of the file.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out).map_err(|cause| match cause.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput => TextFault::Damaged(cause).into(),
            _ => cause,
        })
    }
}
