//! The command with which a run goes on.

/// Characters that a shell takes as they are.
const PLAIN: &str = "_-./:=,+@%";
/// The flag that names the checkpoint to go on from.
const FLAG: &str = "--resume";

/// The command of a run with these `arguments` that goes on from the checkpoint `path`, as a shell takes it.
pub(super) fn command(arguments: Vec<String>, path: &str) -> String {
    let mut words = vec!["tegula".to_owned()];
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == FLAG {
            arguments.next();
        } else if !argument.strip_prefix(FLAG).is_some_and(|rest| rest.starts_with('=')) {
            words.push(quoted(&argument));
        }
    }
    words.extend([FLAG.to_owned(), quoted(path)]);
    words.join(" ")
}

/// `word` in quotes, if a shell would see something else in it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || PLAIN.contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(arguments: &[&str]) -> String {
        command(arguments.iter().map(|&word| word.to_owned()).collect(), "a run/c")
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
    fn what_a_shell_would_change_is_quoted() {
        assert_eq!(
            again(&["fit", "--mean", "x + y", "--values", "log('z')", ""]),
            r"tegula fit --mean 'x + y' --values 'log('\''z'\'')' '' --resume 'a run/c'"
        );
    }
}
