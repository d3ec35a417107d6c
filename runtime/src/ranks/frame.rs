//! What frames say: items one after the other, each with its length fixed or stated.

use super::{Key, Rank};

/// One thing that a rank tells another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// There is room for `key`: send it under `label`.
    ClearToSend {
        /// What.
        key: Key,
        /// Label of the receive, [`Item::EAGER`] or [`Item::REFUSED`].
        label: u32,
        /// How urgent it is.
        priority: i32,
    },
    /// A version that is short enough for a frame.
    Eager {
        /// What.
        key: Key,
        /// 0, or the mark of the failure that spoiled it; it then has no contents.
        spoiled: u64,
        /// The contents.
        contents: Vec<u8>,
    },
    /// A version that is short is here for who is told: to be asked for with a
    /// [`ClearToSend`](Item::ClearToSend).
    RequestToSend {
        /// What.
        key: Key,
    },
    /// Short contents of who receives this were taken: as many more may be sent.
    Credits {
        /// How many since the last time.
        count: u32,
    },
    /// A message comes under the label that was asked for; it has no bytes if it is spoiled.
    Header {
        /// What.
        key: Key,
        /// 0, or the mark of the failure that spoiled it.
        spoiled: u64,
        /// Who else is to be sent it, and under which label: each with the number of those
        /// after it whom it serves.
        branches: Vec<(Rank, u32, u16)>,
    },
    /// A rank has entered a barrier.
    EnterBarrier {
        /// Which: barriers are counted.
        number: u32,
        /// What all must agree on.
        agreed: u64,
        /// What is added up over all.
        amounts: [u64; 2],
        /// What it contributes; the smallest, by its bytes, is what all get.
        bytes: Vec<u8>,
    },
    /// All ranks have entered a barrier.
    LeaveBarrier {
        /// Which.
        number: u32,
        /// A rank that does not agree with rank 0, and its value; `(0, agreed)` if all agree.
        dissent: (Rank, u64),
        /// The sums.
        amounts: [u64; 2],
        /// The smallest of the contributions.
        bytes: Vec<u8>,
    },
}

/// A frame that says nothing known: another program, or another version of this one, has sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message between ranks is not understood at byte {at}: are all ranks the same program?")]
pub struct ItemError {
    /// Where in the frame.
    pub at: usize,
}

impl Item {
    /// In place of a label: the contents are to come in a frame.
    pub const EAGER: u32 = u32::MAX;
    /// In place of a label: there is no room, nothing is to come.
    pub const REFUSED: u32 = u32::MAX - 1;
    /// Added to a label: who receives under it does not pass on what comes.
    pub const LEAF: u32 = 1 << 31;

    /// Most bytes of contents, or of a contribution to a barrier, in an item.
    pub const MOST: usize = 3072;

    /// Appends the item to `frame`.
    pub fn write(&self, frame: &mut Vec<u8>) {
        match self {
            Self::ClearToSend { key, label, priority } => {
                write_key(frame, 1, *key);
                frame.extend(label.to_le_bytes());
                frame.extend(priority.to_le_bytes());
            }
            Self::Eager { key, spoiled, contents } => {
                Self::write_eager(frame, *key, *spoiled, contents);
            }
            Self::RequestToSend { key } => write_key(frame, 6, *key),
            Self::Credits { count } => {
                frame.push(7);
                frame.extend(count.to_le_bytes());
            }
            Self::Header { key, spoiled, branches } => {
                write_key(frame, 3, *key);
                frame.extend(spoiled.to_le_bytes());
                frame.extend((branches.len() as u16).to_le_bytes());
                for (rank, label, below) in branches {
                    frame.extend(rank.0.to_le_bytes());
                    frame.extend(label.to_le_bytes());
                    frame.extend(below.to_le_bytes());
                }
            }
            Self::EnterBarrier { number, agreed, amounts, bytes } => {
                frame.push(4);
                frame.extend(number.to_le_bytes());
                frame.extend(agreed.to_le_bytes());
                amounts.iter().for_each(|amount| frame.extend(amount.to_le_bytes()));
                write_bytes(frame, bytes);
            }
            Self::LeaveBarrier { number, dissent: (rank, value), amounts, bytes } => {
                frame.push(5);
                frame.extend(number.to_le_bytes());
                frame.extend(rank.0.to_le_bytes());
                frame.extend(value.to_le_bytes());
                amounts.iter().for_each(|amount| frame.extend(amount.to_le_bytes()));
                write_bytes(frame, bytes);
            }
        }
    }

    /// Appends [`Item::Eager`] with these fields.
    pub fn write_eager(frame: &mut Vec<u8>, key: Key, spoiled: u64, contents: &[u8]) {
        write_key(frame, 2, key);
        frame.extend(spoiled.to_le_bytes());
        write_bytes(frame, contents);
    }
}

fn write_key(frame: &mut Vec<u8>, kind: u8, key: Key) {
    let mut bytes = [kind; 11];
    bytes[1..5].copy_from_slice(&key.name.to_le_bytes());
    bytes[5..9].copy_from_slice(&key.version.to_le_bytes());
    bytes[9..].copy_from_slice(&key.origin.0.to_le_bytes());
    frame.extend_from_slice(&bytes);
}

fn write_bytes(frame: &mut Vec<u8>, bytes: &[u8]) {
    assert!(bytes.len() <= Item::MOST, "{} bytes in one item of a frame", bytes.len());
    frame.extend((bytes.len() as u16).to_le_bytes());
    frame.extend(bytes);
}

/// The items of a frame.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    frame: &'a [u8],
    at: usize,
}

impl<'a> Items<'a> {
    /// Those of `frame`.
    #[must_use]
    pub fn of(frame: &'a [u8]) -> Self {
        Self { frame, at: 0 }
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], ItemError> {
        let end = self.at + length;
        let piece = self.frame.get(self.at..end).ok_or(ItemError { at: self.at })?;
        self.at = end;
        Ok(piece)
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N], ItemError> {
        Ok(self.take(N)?.try_into().expect("as many bytes as were asked for"))
    }

    fn u16(&mut self) -> Result<u16, ItemError> {
        Ok(u16::from_le_bytes(self.number()?))
    }

    fn u32(&mut self) -> Result<u32, ItemError> {
        Ok(u32::from_le_bytes(self.number()?))
    }

    fn u64(&mut self) -> Result<u64, ItemError> {
        Ok(u64::from_le_bytes(self.number()?))
    }

    fn key(&mut self) -> Result<Key, ItemError> {
        Ok(Key { name: self.u32()?, version: self.u32()?, origin: Rank(self.u16()?) })
    }

    fn bytes(&mut self) -> Result<Vec<u8>, ItemError> {
        let length = usize::from(self.u16()?);
        Ok(self.take(length)?.to_vec())
    }

    fn item(&mut self) -> Result<Item, ItemError> {
        let at = self.at;
        Ok(match self.number::<1>()?[0] {
            1 => {
                let (key, label) = (self.key()?, self.u32()?);
                Item::ClearToSend { key, label, priority: i32::from_le_bytes(self.number()?) }
            }
            2 => {
                let (key, spoiled) = (self.key()?, self.u64()?);
                Item::Eager { key, spoiled, contents: self.bytes()? }
            }
            3 => {
                let (key, spoiled, count) = (self.key()?, self.u64()?, self.u16()?);
                let branch = |_| Ok((Rank(self.u16()?), self.u32()?, self.u16()?));
                Item::Header {
                    key,
                    spoiled,
                    branches: (0..count).map(branch).collect::<Result<_, _>>()?,
                }
            }
            4 => {
                let (number, agreed) = (self.u32()?, self.u64()?);
                let amounts = [self.u64()?, self.u64()?];
                Item::EnterBarrier { number, agreed, amounts, bytes: self.bytes()? }
            }
            5 => {
                let (number, rank, value) = (self.u32()?, Rank(self.u16()?), self.u64()?);
                let amounts = [self.u64()?, self.u64()?];
                Item::LeaveBarrier { number, dissent: (rank, value), amounts, bytes: self.bytes()? }
            }
            6 => Item::RequestToSend { key: self.key()? },
            7 => Item::Credits { count: self.u32()? },
            _ => return Err(ItemError { at }),
        })
    }
}

impl Iterator for Items<'_> {
    type Item = Result<Item, ItemError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.frame.len() {
            return None;
        }
        let item = self.item();
        if item.is_err() {
            self.at = self.frame.len();
        }
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Vec<Item> {
        let key = Key { name: 1, version: u32::MAX, origin: Rank(3) };
        let branches = vec![(Rank(1), 77, 1), (Rank(2), 78, 0)];
        vec![
            Item::ClearToSend { key, label: 5, priority: -6 },
            Item::Eager { key, spoiled: 0, contents: vec![1, 2, 3] },
            Item::Eager { key, spoiled: u64::MAX, contents: vec![] },
            Item::RequestToSend { key },
            Item::Credits { count: 64 },
            Item::Header { key, spoiled: 9, branches },
            Item::EnterBarrier {
                number: 1,
                agreed: 2,
                amounts: [3, u64::MAX],
                bytes: vec![7; Item::MOST],
            },
            Item::LeaveBarrier { number: 1, dissent: (Rank(4), 5), amounts: [6, 7], bytes: vec![] },
        ]
    }

    #[test]
    fn what_was_written_is_read() {
        let mut frame = Vec::new();
        items().iter().for_each(|item| item.write(&mut frame));
        assert_eq!(Items::of(&frame).collect::<Result<Vec<_>, _>>(), Ok(items()));
    }

    #[test]
    fn frames_that_were_cut_are_refused() {
        for item in items() {
            let mut frame = Vec::new();
            item.write(&mut frame);
            for length in 1..frame.len() {
                assert!(
                    Items::of(&frame[..length]).any(|item| item.is_err()),
                    "{item:?} to {length}"
                );
            }
        }
        assert_eq!(Items::of(&[99]).next(), Some(Err(ItemError { at: 0 })));
    }
}
