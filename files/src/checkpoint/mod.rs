//! Checkpoints: files that hold what a long run has found so far, so that another run can go on
//! from there.
//!
//! A file is written whole or not at all, and the one before it may be kept beside it. It begins
//! with what it belongs to (program, computation, data, flags) and ends with the SHA-256 of all
//! before it, so that a damaged file, or one of another computation, is told before anything is
//! used. Numbers are 64-bit words, little-endian.
//!
//! What is large may be set apart, in pieces: the digest at the end leaves it out, and covers the
//! digests of its pieces. Then nobody reads all of a file who needs some pieces of it.

mod detached;
mod previous;
mod words;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::{FillError, WriteError, write_atomically};

pub use detached::DetachedData;
pub use previous::{keep_checkpoint, previous_checkpoint, remove_unfinished_checkpoints};
pub use words::{
    read_digests, read_numbers, read_word, read_words, write_digests, write_numbers, write_word,
    write_words,
};
use words::{read_text, write_text};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"TEGULA\x1a\n";
/// Version of the format.
const FORMAT: u64 = 2;
/// Bytes of magic and version, and of how much the file says of itself and how much is set apart.
const HEAD: u64 = 32;
/// Bytes of the digest at the end.
const SEAL: u64 = 32;
/// Bytes that are read at a time.
const PIECE: usize = 1 << 18;

/// What a checkpoint belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Version of the program.
    pub program: String,
    /// Name of the computation.
    pub task: String,
    /// What must not differ when a run goes on, each with its name: digests of the data, flags that
    /// change the result.
    pub facts: Vec<(String, String)>,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("cannot read the checkpoint {}: {cause}; without --resume the run starts anew", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// It is something else.
    #[error("{} is no checkpoint; name a file that --checkpoint wrote", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// It was cut short, or bytes of it have changed.
    #[error(
        "the checkpoint {} is damaged or cut short; take another copy of it, or leave --resume out to start anew",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// Bytes of what is set apart have changed, and there is the checkpoint before it.
    #[error(
        "the checkpoint {} is damaged or cut short; go on from the one before it with --resume {}, or leave --resume out \
         to start anew",
        path.display(),
        before.display()
    )]
    DamagedApart {
        /// The file.
        path: PathBuf,
        /// The one before.
        before: PathBuf,
    },
    /// Another version of the program wrote it.
    #[error(
        "the checkpoint {} is of {theirs}, and this is {ours}; go on with that one, or leave --resume out to start anew",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// What wrote it.
        theirs: String,
        /// What reads it.
        ours: String,
    },
    /// It is of other data, or of a run with other flags.
    #[error(
        "the checkpoint {} is of another run, which differs in {name}: {theirs} there, {ours} here; go on with the data \
         and flags of that run, or leave --resume out to start anew",
        path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        name: String,
        /// What it was.
        theirs: String,
        /// What it is.
        ours: String,
    },
}

/// Writes a checkpoint to `path` through `fill`, so that there always is the old one or the whole
/// new one. The first `apart` bytes that `fill` writes are set apart: it writes the digests of
/// their pieces after them.
///
/// # Errors
/// If the file cannot be written, or `fill` fails; the old file is then as it was.
///
/// # Panics
/// If `fill` writes less than what is set apart.
pub fn write_checkpoint(
    path: &Path,
    about: &About,
    apart: u64,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    write_atomically(path, |out| {
        let mut says = Vec::new();
        about.write(&mut says)?;
        let mut out = Sealing { out, hasher: Sha256::new(), apart: 0 };
        out.write_all(&MAGIC)?;
        write_words(&mut out, &[FORMAT, says.len() as u64, apart])?;
        out.write_all(&says)?;
        out.apart = apart;
        fill(&mut out)?;
        let Sealing { out, hasher, apart: missing } = out;
        assert!(missing == 0, "{missing} of {apart} bytes that are set apart were not written");
        out.write_all(&hasher.finalize())?;
        Ok::<(), FillError<WriteError>>(())
    })
}

/// Takes the digest of what is written.
struct Sealing<'a> {
    out: &'a mut dyn Write,
    hasher: Sha256,
    /// Bytes to come that are left out of it.
    apart: u64,
}

impl Write for Sealing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        let left_out = written.min(usize::try_from(self.apart).unwrap_or(written));
        self.apart -= left_out as u64;
        self.hasher.update(&bytes[left_out..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl About {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_text(out, &self.program)?;
        write_text(out, &self.task)?;
        write_word(out, self.facts.len() as u64)?;
        self.facts.iter().try_for_each(|(name, value)| {
            write_text(out, name)?;
            write_text(out, value)
        })
    }

    fn read(input: &mut dyn Read) -> io::Result<Self> {
        let (program, task, count) = (read_text(input)?, read_text(input)?, read_word(input)?);
        let facts = (0..count).map(|_| Ok((read_text(input)?, read_text(input)?)));
        Ok(Self { program, task, facts: facts.collect::<io::Result<_>>()? })
    }

    /// The first fact in which `theirs` differs, with both values.
    fn difference(&self, theirs: &Self) -> Option<[String; 3]> {
        let value = |facts: &[(String, String)], name: &str| {
            let found = facts.iter().find(|(other, _)| other == name);
            found.map_or_else(|| "none".to_owned(), |(_, value)| value.clone())
        };
        let names = self.facts.iter().chain(&theirs.facts).map(|(name, _)| name);
        names
            .map(|name| [name.clone(), value(&theirs.facts, name), value(&self.facts, name)])
            .find(|[_, theirs, ours]| theirs != ours)
    }
}

/// A checkpoint that was found whole but for what is set apart, and can be read.
#[derive(Debug)]
pub struct Checkpoint {
    about: About,
    body: Body,
}

/// What a checkpoint holds: what was written after what is set apart, and that.
#[derive(Debug)]
pub struct Body {
    rest: BufReader<io::Take<File>>,
    apart: DetachedData,
}

impl Body {
    /// What is set apart.
    #[must_use]
    pub fn apart(&self) -> &DetachedData {
        &self.apart
    }
}

impl Read for Body {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.rest.read(bytes)
    }
}

impl Checkpoint {
    /// Opens the file at `path`, and reads all of it once to see whether it is whole; not what is
    /// set apart.
    ///
    /// # Errors
    /// If it cannot be read, is no checkpoint, or is damaged.
    pub fn open(path: &Path) -> Result<Self, CheckpointError> {
        let read = |cause| CheckpointError::Read { path: path.to_owned(), cause };
        let damaged = || CheckpointError::Damaged { path: path.to_owned() };
        let mut file = File::open(path).map_err(read)?;
        let length = file.metadata().map_err(read)?.len();
        let mut head = Vec::new();
        (&mut file).take(HEAD).read_to_end(&mut head).map_err(read)?;
        let (magic, version) = head.split_at(head.len().min(MAGIC.len()));
        if !MAGIC.starts_with(magic) {
            return Err(CheckpointError::Foreign { path: path.to_owned() });
        }
        if length < HEAD + SEAL {
            return Err(damaged());
        }
        let (version, sizes) = version.split_at(8);
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        let version = word(version);
        if version != FORMAT {
            let [theirs, ours] = [version, FORMAT].map(|version| format!("format {version}"));
            return Err(CheckpointError::Version { path: path.to_owned(), theirs, ours });
        }
        let [says, apart] = [&sizes[..8], &sizes[8..]].map(word);
        let first = HEAD.checked_add(says).filter(|&first| first <= length - SEAL);
        let first = first.ok_or_else(damaged)?;
        let last = first.checked_add(apart).filter(|&last| last <= length - SEAL);
        let last = last.ok_or_else(damaged)?;
        if !is_whole(&mut file, first..last, length).map_err(read)? {
            return Err(damaged());
        }
        file.seek(SeekFrom::Start(HEAD)).map_err(read)?;
        let about = About::read(&mut (&mut file).take(says)).map_err(|_| damaged())?;
        file.seek(SeekFrom::Start(last)).map_err(read)?;
        let pieces = Arc::new(file.try_clone().map_err(read)?);
        let apart = DetachedData::new(pieces, path.to_owned(), first..last);
        let rest = BufReader::with_capacity(PIECE, file.take(length - SEAL - last));
        Ok(Self { about, body: Body { rest, apart } })
    }

    /// What it says of `name`, if that is among its facts.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&str> {
        let found = self.about.facts.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Refuses a checkpoint of anything but what `mine` says, and gives what was written after
    /// that.
    ///
    /// # Errors
    /// If program, computation, data or flags differ.
    pub fn into_body(self, mine: &About) -> Result<Body, CheckpointError> {
        let Self { about, body } = self;
        let path = body.apart.path().to_owned();
        if about.program != mine.program {
            let [theirs, ours] = [&about, mine].map(|about| format!("version {}", about.program));
            return Err(CheckpointError::Version { path, theirs, ours });
        }
        if about.task != mine.task {
            let (name, ours) = ("what is computed".to_owned(), mine.task.clone());
            return Err(CheckpointError::Other { path, name, theirs: about.task, ours });
        }
        match mine.difference(&about) {
            Some([name, theirs, ours]) => Err(CheckpointError::Other { path, name, theirs, ours }),
            None => Ok(body),
        }
    }
}

/// Whether the last bytes of a file of so many are the digest of those before, but for those
/// `apart`.
fn is_whole(file: &mut File, apart: Range<u64>, length: u64) -> io::Result<bool> {
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE];
    for part in [0..apart.start, apart.end..length - SEAL] {
        file.seek(SeekFrom::Start(part.start))?;
        let mut left = part.end - part.start;
        while left > 0 {
            let count = PIECE.min(usize::try_from(left).unwrap_or(PIECE));
            file.read_exact(&mut piece[..count])?;
            hasher.update(&piece[..count]);
            left -= count as u64;
        }
    }
    let mut seal = [0; SEAL as usize];
    file.read_exact(&mut seal)?;
    Ok(hasher.finalize()[..] == seal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest_bytes;

    const BODY: [f64; 3] = [1.0, -0.0, f64::NAN];
    /// What is set apart, in pieces of four bytes.
    const APART: &[u8; 12] = b"in pieces...";

    pub(super) fn about() -> About {
        let fact = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let facts = vec![fact("--precision", "d"), fact("the data", "ab12")];
        About { program: "1.2.3".to_owned(), task: "a fit".to_owned(), facts }
    }

    /// A folder, a path in it, and the bytes of a checkpoint that was written there.
    pub(super) fn written() -> (tempfile::TempDir, PathBuf, Vec<u8>) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("run.checkpoint");
        write_checkpoint(&path, &about(), APART.len() as u64, fill).expect("it is written");
        let bytes = std::fs::read(&path).expect("it is there");
        (folder, path, bytes)
    }

    fn fill(out: &mut dyn Write) -> io::Result<()> {
        out.write_all(APART)?;
        write_digests(out, &APART.chunks(4).map(digest_bytes).collect::<Vec<_>>())?;
        write_numbers(out, &BODY)
    }

    fn body(path: &Path, mine: &About) -> Result<Vec<u64>, CheckpointError> {
        let mut body = Checkpoint::open(path)?.into_body(mine)?;
        let digests = read_digests(&mut body, APART.len() / 4).expect("they are there");
        for (index, (expected, digest)) in APART.chunks(4).zip(&digests).enumerate() {
            let mut piece = [0; 4];
            body.apart().read(4 * index as u64, &mut piece, digest)?;
            assert_eq!(piece, expected);
        }
        let words = read_words(&mut body, BODY.len()).expect("it is there");
        assert!(read_word(&mut body).is_err(), "the digest is no part of the body");
        Ok(words)
    }

    #[test]
    fn numbers_come_back_to_the_last_bit() {
        let (_folder, path, _) = written();
        assert_eq!(body(&path, &about()).expect("whole"), BODY.map(f64::to_bits));
        let more = |out: &mut dyn Write| write_numbers(out, &[2.0; 3]);
        write_checkpoint(&path, &about(), 0, more).expect("it is written over the old one");
        let mut body = Checkpoint::open(&path).expect("whole").into_body(&about()).expect("ours");
        assert_eq!(read_numbers(&mut body, 3).expect("it is there"), [2.0; 3]);
        assert_eq!(body.apart().bytes(), 0);
    }

    #[test]
    fn a_file_that_was_cut_or_has_grown_is_refused() {
        let (_folder, path, bytes) = written();
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).expect("it is written");
            let error = Checkpoint::open(&path).expect_err("cut");
            assert!(matches!(error, CheckpointError::Damaged { .. }), "{length}: {error}");
        }
        std::fs::write(&path, [&bytes[..], b"x"].concat()).expect("it is written");
        let error = Checkpoint::open(&path).expect_err("grown");
        assert!(matches!(error, CheckpointError::Damaged { .. }), "{error}");
    }

    #[test]
    fn a_byte_that_was_changed_is_noticed_wherever_it_is() {
        let (_folder, path, bytes) = written();
        let apart = bytes.windows(APART.len()).position(|some| some == APART).expect("it is there");
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            std::fs::write(&path, &changed).expect("it is written");
            // What is set apart is looked at when it is read.
            let is_apart = (apart..apart + APART.len()).contains(&place);
            assert_eq!(Checkpoint::open(&path).is_ok(), is_apart, "{place}");
            let error = body(&path, &about()).expect_err("changed");
            let is_told = match error {
                CheckpointError::Foreign { .. } => place < 8,
                CheckpointError::Version { .. } => (8..16).contains(&place),
                CheckpointError::Damaged { .. } => place >= 16,
                _ => false,
            };
            assert!(is_told, "{place}: {error}");
        }
    }

    #[test]
    fn what_belongs_to_something_else_is_refused_with_what_differs() {
        let (_folder, path, _) = written();
        let refused = |change: &dyn Fn(&mut About), words: &[&str]| {
            let mut mine = about();
            change(&mut mine);
            let error = body(&path, &mine).expect_err("another").to_string();
            words.iter().for_each(|word| assert!(error.contains(word), "{word} in {error}"));
        };
        refused(&|mine| mine.program = "1.2.4".to_owned(), &["version 1.2.3", "version 1.2.4"]);
        refused(
            &|mine| mine.task = "an embedding".to_owned(),
            &["a fit there", "an embedding here"],
        );
        refused(&|mine| mine.facts[1].1 = "cd34".to_owned(), &["the data: ab12 there, cd34 here"]);
        refused(&|mine| drop(mine.facts.remove(0)), &["--precision: d there, none here"]);
        let more = ("--tolerance".to_owned(), "1".to_owned());
        refused(&|mine| mine.facts.push(more.clone()), &["--tolerance: none there, 1 here"]);
    }

    #[test]
    fn what_is_no_checkpoint_is_said_to_be_none() {
        let (folder, path, _) = written();
        std::fs::write(&path, "x,y\n1,2\n").expect("it is written");
        assert!(matches!(Checkpoint::open(&path), Err(CheckpointError::Foreign { .. })));
        let none = folder.path().join("none");
        assert!(matches!(Checkpoint::open(&none), Err(CheckpointError::Read { .. })));
        assert!(matches!(Checkpoint::open(folder.path()), Err(CheckpointError::Read { .. })));
    }

    #[test]
    fn a_failure_half_way_leaves_the_old_file() {
        let (_folder, path, bytes) = written();
        let failed = write_checkpoint(&path, &about(), 8, |out| {
            write_word(out, 7)?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.expect_err("it failed").to_string().contains("free some space"));
        assert_eq!(std::fs::read(&path).expect("it is there"), bytes);
    }
}
