//! How ranks tell each other of failures, so that all end with the same one.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Failure, FlowError};
use crate::ranks::Item;

/// Turns errors of kernels into bytes and back, so that they mean the same on every rank; what it
/// does not know arrives as text.
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

/// What a rank brings to a meeting about a failure: the smallest names the failure of all.
pub(super) fn encode(codec: FailureCodec, failure: Option<&FirstFailure>) -> Vec<u8> {
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
            bytes.extend(text_of(source.as_ref()).bytes());
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
        Some((name, false, rest)) => (keep(&name), String::from_utf8_lossy(rest).into()),
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
        let least = brought.iter().map(|failure| encode(codec, failure.as_ref())).min().unwrap();
        let (mark, error) = decode(codec, &least).unwrap();
        assert_eq!((mark, error.to_string()), (3, "potrf (task 2): early".to_owned()));
        assert!(decode(codec, &encode(codec, None)).is_none());
    }
}
