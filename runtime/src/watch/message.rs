//! What ranks say to each other over the watch, and its bytes.
//!
//! A message is the number of its bytes (two of them, least first), a character for its kind, and
//! its fields: numbers least byte first, texts in UTF-8 after the number of their bytes.

use std::time::Duration;

use super::end::{End, How, MESSAGE_BYTES, Member};
use crate::types::Rank;

/// Most bytes of a message.
const MOST_BYTES: usize = MESSAGE_BYTES + 512;

/// Most bytes of the name of a host.
const HOST_BYTES: usize = 255;

/// What only the processes of one run know.
pub(super) type Token = [u8; 16];

/// What is said over a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// A guest says who it is.
    Hello { token: Token, who: Member },
    /// The host says who it is; the guest's first beat then makes it a member.
    Welcome { token: Token, who: Member },
    /// I am still there.
    Beat,
    /// I have heard that it ends, and so have all whom I had to tell.
    Heard,
    /// From a guest: I am done. From the host: all are done.
    Farewell,
    /// All must end.
    End(End),
}

/// Bytes that are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

impl Message {
    /// Appends the bytes of the message.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.extend([0, 0]);
        match self {
            Self::Hello { token, who } => write_greeting(bytes, b'h', token, who),
            Self::Welcome { token, who } => write_greeting(bytes, b'w', token, who),
            Self::Beat => bytes.push(b'b'),
            Self::Heard => bytes.push(b'k'),
            Self::Farewell => bytes.push(b'f'),
            Self::End(end) => write_end(bytes, end),
        }
        let length = bytes.len() - start - 2;
        bytes[start..start + 2].copy_from_slice(&(length as u16).to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut fields = Fields(bytes);
        let message = match fields.byte()? {
            b'h' => Self::Hello { token: fields.array()?, who: fields.member()? },
            b'w' => Self::Welcome { token: fields.array()?, who: fields.member()? },
            b'b' => Self::Beat,
            b'k' => Self::Heard,
            b'f' => Self::Farewell,
            b'c' => Self::End(End::Lost { who: fields.member()?, how: How::Closed }),
            b's' => Self::End(End::Lost { who: fields.member()?, how: fields.silence()? }),
            b'a' => {
                let (who, code, message) = (fields.member()?, fields.byte()?, fields.text()?);
                Self::End(End::Aborted { who, message, code })
            }
            _ => return Err(Malformed),
        };
        if fields.0.is_empty() { Ok(message) } else { Err(Malformed) }
    }
}

fn write_greeting(bytes: &mut Vec<u8>, kind: u8, token: &Token, who: &Member) {
    bytes.push(kind);
    bytes.extend(token);
    write_member(bytes, who);
}

fn write_end(bytes: &mut Vec<u8>, end: &End) {
    bytes.push(match end {
        End::Lost { how: How::Closed, .. } => b'c',
        End::Lost { how: How::Silent { .. }, .. } => b's',
        End::Aborted { .. } => b'a',
    });
    write_member(bytes, end.who());
    match end {
        End::Lost { how: How::Closed, .. } => {}
        End::Lost { how: How::Silent { time }, .. } => {
            bytes.extend((time.as_millis() as u64).to_le_bytes());
        }
        End::Aborted { message, code, .. } => {
            bytes.push(*code);
            write_text(bytes, message, MESSAGE_BYTES);
        }
    }
}

fn write_member(bytes: &mut Vec<u8>, who: &Member) {
    bytes.extend(who.rank.0.to_le_bytes());
    bytes.extend(who.pid.to_le_bytes());
    write_text(bytes, &who.host, HOST_BYTES);
}

fn write_text(bytes: &mut Vec<u8>, text: &str, most: usize) {
    let text = &text[..text.floor_char_boundary(most)];
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// Bytes of which fields are taken one by one.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]| byte)
    }

    fn text(&mut self) -> Result<String, Malformed> {
        let length = u16::from_le_bytes(self.array()?);
        String::from_utf8(self.take(usize::from(length))?.to_vec()).map_err(|_| Malformed)
    }

    fn member(&mut self) -> Result<Member, Malformed> {
        let rank = Rank(u16::from_le_bytes(self.array()?));
        let pid = u32::from_le_bytes(self.array()?);
        Ok(Member { rank, pid, host: self.text()? })
    }

    fn silence(&mut self) -> Result<How, Malformed> {
        Ok(How::Silent { time: Duration::from_millis(u64::from_le_bytes(self.array()?)) })
    }
}

/// Bytes that came over a connection and are not read yet.
#[derive(Debug, Default)]
pub(super) struct ReceiveBuffer(Vec<u8>);

impl ReceiveBuffer {
    /// Bytes that have come.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    /// The next message, if all of it has come.
    pub(super) fn next(&mut self) -> Result<Option<Message>, Malformed> {
        let Some(length) =
            self.0.first_chunk().map(|&bytes| usize::from(u16::from_le_bytes(bytes)))
        else {
            return Ok(None);
        };
        if length > MOST_BYTES {
            return Err(Malformed);
        }
        let Some(bytes) = self.0.get(2..2 + length) else { return Ok(None) };
        let message = Message::read(bytes)?;
        self.0.drain(..2 + length);
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn members() -> impl Strategy<Value = Member> {
        (any::<u16>(), any::<u32>(), "\\PC{0,60}").prop_map(|(rank, pid, host)| Member {
            rank: Rank(rank),
            host,
            pid,
        })
    }

    fn messages() -> impl Strategy<Value = Message> {
        let time = (0..u64::MAX / 2).prop_map(Duration::from_millis);
        prop_oneof![
            (any::<Token>(), members()).prop_map(|(token, who)| Message::Hello { token, who }),
            (any::<Token>(), members()).prop_map(|(token, who)| Message::Welcome { token, who }),
            Just(Message::Beat),
            Just(Message::Heard),
            Just(Message::Farewell),
            members().prop_map(|who| Message::End(End::Lost { who, how: How::Closed })),
            (members(), time)
                .prop_map(|(who, time)| Message::End(End::Lost { who, how: How::Silent { time } })),
            (members(), "\\PC{0,90}", any::<u8>())
                .prop_map(|(who, message, code)| Message::End(End::Aborted { who, message, code })),
        ]
    }

    proptest! {
        #[test]
        fn messages_are_read_as_written(
            messages in prop::collection::vec(messages(), 0..6),
            piece in 1..40_usize,
        ) {
            let mut bytes = Vec::new();
            messages.iter().for_each(|message| message.write(&mut bytes));
            let (mut inbox, mut read) = (ReceiveBuffer::default(), Vec::new());
            for piece in bytes.chunks(piece) {
                inbox.push(piece);
                while let Some(message) = inbox.next().expect("all are messages") {
                    read.push(message);
                }
            }
            prop_assert_eq!(read, messages);
        }

        #[test]
        fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut inbox = ReceiveBuffer::default();
            inbox.push(&bytes);
            let read = std::iter::from_fn(|| inbox.next().ok().flatten()).count();
            prop_assert!(3 * read <= bytes.len(), "{} messages of {} bytes", read, bytes.len());
        }
    }

    #[test]
    fn long_messages_are_cut() {
        let who = Member { rank: Rank(1), host: "ü".repeat(200), pid: 1 };
        let message = "€".repeat(MESSAGE_BYTES);
        let mut bytes = Vec::new();
        Message::End(End::Aborted { who, message, code: 2 }).write(&mut bytes);
        let mut inbox = ReceiveBuffer::default();
        inbox.push(&bytes);
        let Ok(Some(Message::End(End::Aborted { who, message, code: 2 }))) = inbox.next() else {
            panic!("a message that cannot be read")
        };
        assert_eq!((who.host.chars().count(), message.chars().count()), (127, MESSAGE_BYTES / 3));
    }
}
