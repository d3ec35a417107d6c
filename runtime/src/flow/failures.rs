//! How ranks tell each other of failures, so that all end with the same one.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Failure, FlowError};
use crate::ranks::Item;
use crate::types::Rank;

/// Turns errors of kernels into bytes and back, so that they mean the same on every rank; what it
/// does not know arrives as text that names the rank.
#[derive(Clone, Copy)]
pub struct FailureCodec {
    /// The bytes of an error, at most 1 KiB, if it is known.
    pub encode: fn(&(dyn Error + 'static)) -> Option<Vec<u8>>,
    /// The error of some bytes, if they are known.
    pub decode: fn(&[u8]) -> Option<Failure>,
}

impl FailureCodec {
    /// Knows no error.
    pub const TEXT: Self = Self { encode: |_| None, decode: |_| None };
}

impl std::fmt::Debug for FailureCodec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FailureCodec")
    }
}

/// A failure that the flow has met: its mark, and what it was if it was raised on this rank.
pub type FirstFailure = (u64, Option<FlowError>);

/// An error of a kernel on another rank, as text.
#[derive(Debug, thiserror::Error)]
#[error("on rank {rank}: {text}")]
struct Elsewhere {
    rank: Rank,
    text: String,
}

/// What the rank `me` contributes to a barrier about a failure: the smallest names the failure of
/// all.
pub(super) fn encode(codec: FailureCodec, me: Rank, failure: Option<&FirstFailure>) -> Vec<u8> {
    let Some((mark, error)) = failure else { return u64::MAX.to_be_bytes().to_vec() };
    let mut bytes = mark.to_be_bytes().to_vec();
    let Some(FlowError::Task { codelet, source, .. }) = error else {
        bytes.push(1);
        return bytes;
    };
    bytes.push(0);
    let name = &codelet.as_bytes()[..codelet.len().min(255)];
    bytes.push(name.len() as u8);
    bytes.extend(name);
    match (codec.encode)(source.as_ref()) {
        Some(known) => {
            bytes.push(1);
            bytes.extend(known);
        }
        None => {
            bytes.push(0);
            let (rank, text) = match source.downcast_ref::<Elsewhere>() {
                Some(Elsewhere { rank, text }) => (*rank, text.clone()),
                None => (me, text_of(source.as_ref())),
            };
            bytes.extend(rank.0.to_le_bytes());
            bytes.extend(text.bytes());
        }
    }
    bytes.truncate(Item::MOST);
    bytes
}

/// Whether no rank that has met the failure in `bytes` knows what it was.
pub(super) fn is_unknown(bytes: &[u8]) -> bool {
    bytes.get(8) == Some(&1)
}

/// An error with all its causes.
fn text_of(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The failure of all, with its mark, from the smallest of what was brought.
pub(super) fn decode(codec: FailureCodec, bytes: &[u8]) -> Option<(u64, FlowError)> {
    let (mark, rest) = bytes.split_first_chunk::<8>()?;
    let mark = u64::from_be_bytes(*mark);
    if mark == u64::MAX {
        return None;
    }
    let parts = || {
        let (&0, rest) = rest.split_first()? else { return None };
        let (&length, rest) = rest.split_first()?;
        let (name, rest) = rest.split_at_checked(usize::from(length))?;
        let (&is_known, rest) = rest.split_first()?;
        Some((String::from_utf8_lossy(name), is_known == 1, rest))
    };
    let (codelet, source): (_, Failure) = match parts() {
        Some((name, true, rest)) => {
            let known = (codec.decode)(rest);
            (keep(&name), known.unwrap_or_else(|| "an error that this rank does not know".into()))
        }
        Some((name, false, rest)) => {
            let (rank, text) = rest.split_first_chunk().unwrap_or((&[0; 2], rest));
            let (rank, text) = (Rank(u16::from_le_bytes(*rank)), String::from_utf8_lossy(text));
            (keep(&name), Elsewhere { rank, text: text.into_owned() }.into())
        }
        None => ("task", "it failed on another rank".into()),
    };
    Some((mark, FlowError::Task { codelet, task: mark - 1, source: Arc::from(source) }))
}

/// `name` for good: there are as many as codelets that failed.
fn keep(name: &str) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.iter().find(|&&known| known == name) {
        return known;
    }
    names.push(Box::leak(name.to_owned().into_boxed_str()));
    names[names.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(mark: u64, text: &str) -> FirstFailure {
        let source: Failure = text.into();
        (
            mark,
            Some(FlowError::Task { codelet: "potrf", task: mark - 1, source: Arc::from(source) }),
        )
    }

    #[test]
    fn the_earliest_failure_is_that_of_all() {
        let codec = FailureCodec::TEXT;
        let brought =
            [None, Some(failure(700, "late")), Some((3, None)), Some(failure(3, "early"))];
        let encode = |me, failure: Option<&FirstFailure>| encode(codec, Rank(me), failure);
        let least = (0..).zip(&brought).map(|(me, failure)| encode(me, failure.as_ref())).min();
        let least = least.unwrap();
        let (mark, error) = decode(codec, &least).unwrap();
        assert_eq!((mark, error.to_string()), (3, "potrf (task 2): on rank 3: early".to_owned()));
        // Who has heard of it says whose it is.
        assert_eq!(encode(1, Some(&(mark, Some(error)))), least);
        assert!(decode(codec, &encode(0, None)).is_none());
    }
}
