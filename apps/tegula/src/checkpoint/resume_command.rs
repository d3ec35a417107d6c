//! The command with which a run goes on.

use std::ffi::{OsStr, OsString};

use os_str_bytes::OsStrBytesExt;

/// Characters that a shell takes as they are.
const PLAIN: &str = "_-./:=,+@%";

/// The command of a run with these `arguments` that goes on with another value of the first of
/// `flags`, and without the others, as a shell takes it.
pub(super) fn command(arguments: Vec<OsString>, flags: &[&str], value: &OsStr) -> String {
    let mut words = vec!["tegula".to_owned()];
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let (flag, value) = argument
            .split_once('=')
            .map_or((&*argument, None), |(flag, value)| (flag, Some(value)));
        if !flags.iter().any(|known| flag == *known) {
            words.push(quoted(&argument));
        } else if value.is_none() {
            arguments.next();
        }
    }
    words.extend([flags[0].to_owned(), quoted(value)]);
    words.join(" ")
}

/// `word` in quotes, if a shell would see something else in it; bytes that are no UTF-8 as bash,
/// zsh and ksh spell them, in octal digits.
fn quoted(word: &OsStr) -> String {
    let Some(text) = word.to_str() else {
        let spelled = word.as_encoded_bytes().iter().map(|&byte| match byte {
            b'\'' | b'\\' => format!("\\{}", char::from(byte)),
            b' '..=b'~' => char::from(byte).to_string(),
            _ => format!("\\{byte:03o}"),
        });
        return format!("$'{}'", spelled.collect::<String>());
    };
    let is_plain = |c: char| c.is_alphanumeric() || PLAIN.contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(arguments: &[&str]) -> String {
        command(
            arguments.iter().map(OsString::from).collect(),
            &["--resume"],
            OsStr::new("a run/c"),
        )
    }

    #[test]
    fn the_command_goes_on_from_the_new_checkpoint() {
        let expected = "tegula diodon mds D.h5:x --checkpoint 'a run/c' --resume 'a run/c'";
        let words = ["diodon", "mds", "D.h5:x", "--checkpoint", "a run/c"];
        assert_eq!(again(&words), expected);
        let old = ["diodon", "mds", "--resume", "old", "D.h5:x", "--checkpoint", "a run/c"];
        assert_eq!(again(&old), expected);
        let old = ["diodon", "mds", "--resume=old", "D.h5:x", "--checkpoint", "a run/c"];
        assert_eq!(again(&old), expected);
    }

    #[test]
    fn other_flags_are_left_out() {
        let arguments = ["fit", "d.csv", "--resume", "c", "--start=range=1", "--start", "range=2"];
        let arguments = arguments.map(OsString::from).to_vec();
        let again = command(arguments, &["--start", "--resume"], OsStr::new("range=3"));
        assert_eq!(again, "tegula fit d.csv --start range=3");
    }

    #[test]
    fn what_a_shell_would_change_is_quoted() {
        assert_eq!(
            again(&["fit", "--mean", "x + y", "--values", "log('z')", ""]),
            r"tegula fit --mean 'x + y' --values 'log('\''z'\'')' '' --resume 'a run/c'"
        );
        use std::os::unix::ffi::OsStrExt;
        let latin = OsStr::from_bytes(b"d\xe9j\xe0 'vu'");
        assert_eq!(quoted(latin), r"$'d\351j\340 \'vu\''");
    }
}
