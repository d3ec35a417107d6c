//! Names that are read from a file, kept for the life of the program as those in code are.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// The one copy of `name`, so that records stay small and can be copied. It is never freed: who
/// reads names limits how many there may be.
pub(super) fn intern(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&known) = names.get(name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_interned_once() {
        let other = ["a name", "of a test"].join(" ");
        let (first, second) = (intern("a name of a test"), intern(&other));
        assert!(std::ptr::eq(first, second));
        assert_eq!(intern(""), "");
    }
}
