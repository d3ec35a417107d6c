//! The first directory of a TIFF file: its entries, whose values are read when they are asked for.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use tegula_runtime::platform::ByPosition;

use super::super::damaged;

/// A file with the entries of its first directory.
#[derive(Debug)]
pub(super) struct Directory {
    file: File,
    /// Bytes of the file.
    length: u64,
    /// Whether numbers have their greatest byte first.
    pub(super) is_big_endian: bool,
    /// Whether offsets have eight bytes (BigTIFF).
    is_wide: bool,
    entries: BTreeMap<u16, Entry>,
}

/// Values of one kind, or where they are.
#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: u16,
    count: u64,
    /// The field of the entry, which holds the values if they fit.
    field: [u8; 8],
}

/// Bytes of a value of each kind, by its number.
const SIZES: [u64; 19] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

impl Directory {
    /// Reads the directory of `file`.
    pub(super) fn read(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut directory =
            Self { file, length, is_big_endian: false, is_wide: false, entries: BTreeMap::new() };
        let start = directory.bytes(0, 8)?;
        directory.is_big_endian = start[0] == b'M';
        directory.is_wide = directory.number(&start[2..4]) == 43;
        let (word, size) = if directory.is_wide { (8, 20) } else { (4, 12) };
        let at = if directory.is_wide { directory.at(8, 8)? } else { directory.at(4, 4)? };
        let width = if directory.is_wide { 8 } else { 2 };
        let count = directory.at(at, width)?;
        let bytes = count.checked_mul(size).ok_or_else(|| damaged("its directory is endless"))?;
        let bytes = directory.bytes(at + width, bytes)?;
        for entry in bytes.chunks_exact(size as usize) {
            let (tag, kind) = (directory.number(&entry[..2]), directory.number(&entry[2..4]));
            let count = directory.number(&entry[4..4 + word]);
            let mut field = [0; 8];
            field[..word].copy_from_slice(&entry[4 + word..]);
            let entry = Entry { kind: kind as u16, count, field };
            directory.entries.entry(tag as u16).or_insert(entry);
        }
        Ok(directory)
    }

    /// The unsigned number whose bytes these are, eight at most.
    fn number(&self, bytes: &[u8]) -> u64 {
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        if self.is_big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
    }

    /// The unsigned number of so many bytes at `place`.
    fn at(&self, place: u64, bytes: u64) -> io::Result<u64> {
        Ok(self.number(&self.bytes(place, bytes)?))
    }

    /// `count` bytes from `place` on, which are held against the length of the file first.
    pub(super) fn bytes(&self, place: u64, count: u64) -> io::Result<Vec<u8>> {
        if place.checked_add(count).is_none_or(|end| end > self.length) {
            return Err(damaged(format!(
                "{count} bytes should stand at byte {place}, and it has {}",
                self.length
            )));
        }
        let mut bytes = vec![0; count as usize];
        self.file.read_exact_at(&mut bytes, place)?;
        Ok(bytes)
    }

    /// Kind, bytes of a value, and bytes of all values of a tag, if it is there.
    fn values(&self, tag: u16) -> io::Result<Option<(u16, usize, Vec<u8>)>> {
        let Some(entry) = self.entries.get(&tag) else { return Ok(None) };
        let size = SIZES.get(usize::from(entry.kind)).copied().unwrap_or(0);
        if size == 0 {
            return Err(damaged(format!("tag {tag} has values of kind {}", entry.kind)));
        }
        let bytes = entry.count.checked_mul(size);
        let bytes =
            bytes.ok_or_else(|| damaged(format!("tag {tag} has {} values", entry.count)))?;
        let word: usize = if self.is_wide { 8 } else { 4 };
        let bytes = if bytes <= word as u64 {
            entry.field[..bytes as usize].to_vec()
        } else {
            self.bytes(self.number(&entry.field[..word]), bytes)?
        };
        Ok(Some((entry.kind, size as usize, bytes)))
    }

    /// The unsigned numbers of a tag; none if it is not there.
    pub(super) fn unsigned(&self, tag: u16) -> io::Result<Vec<u64>> {
        let Some((kind, size, bytes)) = self.values(tag)? else { return Ok(Vec::new()) };
        if !matches!(kind, 1 | 3 | 4 | 13 | 16 | 18) {
            return Err(damaged(format!("tag {tag} has values of kind {kind}, not whole ones")));
        }
        Ok(bytes.chunks_exact(size).map(|value| self.number(value)).collect())
    }

    /// The first unsigned number of a tag, or what it is when the tag is not there.
    pub(super) fn one(&self, tag: u16, default: u64) -> io::Result<u64> {
        Ok(self.unsigned(tag)?.first().copied().unwrap_or(default))
    }

    /// The numbers of a tag in double precision; none if it is not there.
    pub(super) fn doubles(&self, tag: u16) -> io::Result<Vec<f64>> {
        let Some((kind, size, bytes)) = self.values(tag)? else { return Ok(Vec::new()) };
        if kind != 12 {
            return Err(damaged(format!("tag {tag} has values of kind {kind}, not doubles")));
        }
        Ok(bytes.chunks_exact(size).map(|value| f64::from_bits(self.number(value))).collect())
    }

    /// The text of a tag; empty if it is not there.
    pub(super) fn text(&self, tag: u16) -> io::Result<String> {
        let bytes = self.values(tag)?.map_or_else(Vec::new, |(_, _, bytes)| bytes);
        let text = bytes.split(|&byte| byte == 0).next().unwrap_or(&[]);
        Ok(String::from_utf8_lossy(text).into_owned())
    }
}
