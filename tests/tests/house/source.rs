//! Reads Rust just enough for the rules: drops comments, contents of strings, and tests.

use crate::has_word;

/// `text` without comments, and with empty strings and characters; lines stay where they are.
pub(crate) fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => 1 + string(&rest[1..]),
            'r' if !code.ends_with(is_identifier) && raw_string(rest).is_some() => {
                raw_string(rest).unwrap_or(1)
            }
            '\'' => character(rest).unwrap_or(0),
            _ => 0,
        };
        if length == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let dropped = &rest[..length];
        if !dropped.starts_with('/') {
            code.push_str("\"\"");
        }
        code.extend(dropped.chars().filter(|&c| c == '\n'));
        rest = &rest[length..];
    }
    code
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length of the comment, which may hold others, at the start of `text`.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let here = &text[at..];
        if here.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if here.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Length of a string after its opening quote, the closing one included.
fn string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of the raw string at the start of `text`, if there is one.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text[1..].bytes().take_while(|&b| b == b'#').count();
    let start = 1 + hashes;
    let content = text[start..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    content.find(&end).map(|length| start + 1 + length + end.len())
}

/// Length of the character at the start of `text`, unless it is a lifetime.
fn character(text: &str) -> Option<usize> {
    let mut characters = text.char_indices().skip(1);
    match characters.next()?.1 {
        '\\' => {
            characters.next()?;
            characters.find(|&(_, c)| c == '\'').map(|(at, _)| at + 1)
        }
        _ => characters.next().filter(|&(_, c)| c == '\'').map(|(at, _)| at + 1),
    }
}

/// `code` without the items under `#[cfg(test)]`, or `#[cfg(all(test, ...))]`.
pub(crate) fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find("#[cfg(") {
        let end = start + rest[start..].find(")]").map_or(rest.len() - start, |end| end + 2);
        let is_test = has_word(&rest[start..end], "test");
        kept.push_str(&rest[..if is_test { start } else { end }]);
        rest = &rest[end..];
        if is_test {
            rest = &rest[item(rest)..];
        }
    }
    kept + rest
}

/// Length of the item at the start of `code`: up to a semicolon or the brace that closes it.
fn item(code: &str) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            ';' if depth == 0 => return at + 1,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

#[test]
fn comments_and_strings_are_dropped() {
    let text = "a /* b /* c */ d */ e // f\n\"g \\\" // h\" i r#\"j \" k\"# 'l' '\\'' &'m n";
    assert_eq!(code(text), "a  e \n\"\" i \"\" \"\" \"\" &'m n");
    assert_eq!(code("let r = \"x\ny\"; for"), "let r = \"\"\n; for");
}

#[test]
fn tests_are_dropped() {
    let text = "a #[cfg(test)]\nmod tests; b #[cfg(test)]\nmod tests { fn c() { d } } e";
    assert_eq!(without_tests(text), "a  b  e");
    let text = "a #[cfg(loom)] b; #[cfg(all(test, loom))] mod models { c } d";
    assert_eq!(without_tests(text), "a #[cfg(loom)] b;  d");
}
