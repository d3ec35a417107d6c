//! The command with which a run goes on.

/// Characters that a shell takes as they are.
const PLAIN: &str = "_-./:=,+@%";

/// The command of a run with these `arguments` that goes on with another value of the first of `flags`, and without
/// the others, as a shell takes it.
pub(super) fn command(arguments: Vec<String>, flags: &[&str], value: &str) -> String {
    let mut words = vec!["tegula".to_owned()];
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let (flag, has_value) =
            argument.split_once('=').map_or((&*argument, false), |(flag, _)| (flag, true));
        if !flags.contains(&flag) {
            words.push(quoted(&argument));
        } else if !has_value {
            arguments.next();
        }
    }
    words.extend([flags[0].to_owned(), quoted(value)]);
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
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        command(arguments, &["--resume"], "a run/c")
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
        let arguments = arguments.map(str::to_owned).to_vec();
        let again = command(arguments, &["--start", "--resume"], "range=3");
        assert_eq!(again, "tegula fit d.csv --start range=3");
    }

    #[test]
    fn what_a_shell_would_change_is_quoted() {
        assert_eq!(
            again(&["fit", "--mean", "x + y", "--values", "log('z')", ""]),
            r"tegula fit --mean 'x + y' --values 'log('\''z'\'')' '' --resume 'a run/c'"
        );
    }
}
