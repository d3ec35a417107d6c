//! The header that R's C includes declares each function that there is, and no other.

use std::collections::BTreeSet;
use std::path::Path;

/// The words in `text` that begin with `tegula_c`, stand before `end`, and name functions.
fn names(text: &str, before: &str) -> BTreeSet<String> {
    let of_line = |line: &str| {
        let (_, rest) = line.split_once(before)?;
        let name: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        name.starts_with("tegula_c").then_some(name)
    };
    text.lines().filter_map(of_line).collect()
}

#[test]
fn the_header_says_what_there_is() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(here.join(path)).expect(path);
    let there = names(&read("src/c.rs"), "extern \"C\" fn ");
    let header = read("tegula/src/tegula_r.h");
    let words = header.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let calls = words.filter(|word| word.starts_with("tegula_c") && *word != "tegula_call");
    let declared: BTreeSet<String> = calls.map(str::to_owned).collect();
    assert_eq!(declared, there);
    assert_eq!(tegula_r::Call::default().failure(), None);
}
