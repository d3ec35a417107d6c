//! Messages of the header of one object, as far as they say where its parts stand.

use std::fs::File;

use rust_hdf5::format::messages::MSG_OBJ_HEADER_CONTINUATION;
use tegula_runtime::platform::ByPosition;

use super::guard::Superblock;

/// Most pieces of one header that are followed, and the longest.
const MOST_PIECES: usize = 256;
const LONGEST_PIECE: u64 = 16 << 20;
/// In the flags of a message: it stands elsewhere, and other objects share it.
const SHARED: u8 = 2;

/// A message of a header.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) number: u8,
    pub(super) is_shared: bool,
    pub(super) data: Vec<u8>,
}

/// Bytes at addresses of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a> {
    pub(super) file: &'a File,
    pub(super) superblock: Superblock,
}

impl Bytes<'_> {
    /// The `count` bytes at `address`; none if the file has not so many there.
    pub(super) fn at(self, address: u64, count: u64) -> Option<Vec<u8>> {
        let from = self.within(address, count)?;
        let mut bytes = vec![0; usize::try_from(count).ok()?];
        self.file.read_exact_at(&mut bytes, from).ok()?;
        Some(bytes)
    }

    /// Where in the file `count` bytes at `address` stand, if they are within it.
    pub(super) fn within(self, address: u64, count: u64) -> Option<u64> {
        let from = address.checked_add(self.superblock.base)?;
        let end = from.checked_add(count)?;
        (end <= self.superblock.length).then_some(from)
    }

    /// Up to `count` bytes at `address`: fewer where the file ends.
    pub(super) fn up_to(self, address: u64, count: u64) -> Option<Vec<u8>> {
        let from = address.checked_add(self.superblock.base)?;
        let left = self.superblock.length.checked_sub(from)?;
        self.at(address, count.min(left))
    }

    /// The messages of the object whose header is at `address`; none if it is not understood.
    pub(super) fn messages(self, address: u64) -> Option<Vec<Message>> {
        let start = self.up_to(address, 64)?;
        if start.starts_with(b"OHDR") {
            self.messages_2(address, &start)
        } else {
            self.messages_1(address, &start)
        }
    }

    /// Version 1: a prefix of 16 bytes, messages at multiples of 8.
    fn messages_1(self, address: u64, start: &[u8]) -> Option<Vec<Message>> {
        if *start.first()? != 1 {
            return None;
        }
        let size = number(start.get(8..12)?);
        let mut pieces = vec![(address.checked_add(16)?, size)];
        let mut messages = Vec::new();
        let mut done = 0;
        while done < pieces.len() && done < MOST_PIECES {
            let (at, size) = pieces[done];
            done += 1;
            let piece = self.at(at, Some(size).filter(|&size| size <= LONGEST_PIECE)?)?;
            let mut rest = &piece[..];
            while let Some((head, after)) = rest.split_at_checked(8) {
                let (count, flags) = (number(&head[2..4]) as usize, head[4]);
                let (data, after) = after.split_at_checked(count)?;
                rest = after;
                let number = u8::try_from(number(&head[..2])).ok()?;
                note(
                    &mut messages,
                    &mut pieces,
                    Message { number, is_shared: flags & SHARED != 0, data: data.to_vec() },
                );
            }
        }
        Some(messages)
    }

    /// Version 2: a signature, messages without gaps, a checksum at the end of each piece.
    fn messages_2(self, address: u64, start: &[u8]) -> Option<Vec<Message>> {
        let flags = *start.get(5)?;
        let times = if flags & 0x20 != 0 { 16 } else { 0 };
        let limits = if flags & 0x10 != 0 { 4 } else { 0 };
        let (from, width) = (6 + times + limits, 1 << (flags & 3));
        let size = number(start.get(from..from + width)?);
        let head = if flags & 4 != 0 { 6 } else { 4 };
        let mut pieces = vec![(address.checked_add((from + width) as u64)?, size)];
        let mut messages = Vec::new();
        let mut done = 0;
        while done < pieces.len() && done < MOST_PIECES {
            let (at, size) = pieces[done];
            let piece = self.at(at, Some(size).filter(|&size| size <= LONGEST_PIECE)?)?;
            let mut rest = match done {
                0 => &piece[..],
                _ => piece.strip_prefix(b"OCHK")?.split_last_chunk::<4>()?.0,
            };
            done += 1;
            while let Some((start, after)) = rest.split_at_checked(head) {
                let Some((data, after)) = after.split_at_checked(number(&start[1..3]) as usize)
                else {
                    break;
                };
                rest = after;
                let is_shared = start[3] & SHARED != 0;
                note(
                    &mut messages,
                    &mut pieces,
                    Message { number: start[0], is_shared, data: data.to_vec() },
                );
            }
        }
        Some(messages)
    }
}

/// Takes up `message`; one that says where the header goes on adds to `pieces`.
fn note(messages: &mut Vec<Message>, pieces: &mut Vec<(u64, u64)>, message: Message) {
    if message.number == MSG_OBJ_HEADER_CONTINUATION {
        if let Some((address, size)) = message.data.split_at_checked(8) {
            pieces.push((number(address), number(&size[..size.len().min(8)])));
        }
    } else {
        messages.push(message);
    }
}

/// The number that up to eight bytes stand for, the lowest first.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
