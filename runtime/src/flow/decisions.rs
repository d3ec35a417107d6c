//! Decisions that follow from what data hold: noted where kernels run, followed where none do.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use super::Flow;

/// The decisions of a run in their order, each a letter of the program's own; written as `2q3c` for
/// twice `q` and three times `c`.
///
/// ```
/// use tegula_runtime::flow::Decisions;
///
/// let decisions: Decisions = "2q3c1q".parse().unwrap();
/// assert_eq!(decisions.to_string(), "2q3cq");
/// assert!("2".parse::<Decisions>().is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions(VecDeque<(u64, char)>);

impl Decisions {
    /// The letters, each once for a run of it.
    pub fn letters(&self) -> impl Iterator<Item = char> {
        self.0.iter().map(|&(_, letter)| letter)
    }

    fn push(&mut self, letter: char, count: u64) {
        match self.0.back_mut() {
            Some((known, last)) if *last == letter => *known = known.saturating_add(count),
            _ => self.0.push_back((count, letter)),
        }
    }

    /// Takes the next decision away if it is `letter`.
    fn pop(&mut self, letter: char) -> bool {
        let Some((count, _)) = self.0.front_mut().filter(|(_, next)| *next == letter) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            self.0.pop_front();
        }
        true
    }
}

impl fmt::Display for Decisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&(count, letter)| match count {
            1 => write!(f, "{letter}"),
            _ => write!(f, "{count}{letter}"),
        })
    }
}

impl FromStr for Decisions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut decisions, mut rest) = (Self::default(), text);
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (digits, after) = rest.split_at(end);
            let mut letters = after.chars();
            let letter = letters.next().ok_or_else(|| format!("{digits} of no letter"))?;
            let count = if digits.is_empty() { Ok(1) } else { digits.parse() };
            match count {
                Ok(count @ 1..) => decisions.push(letter, count),
                _ => return Err(format!("{digits}{letter}: not a number of times")),
            }
            rest = letters.as_str();
        }
        Ok(decisions)
    }
}

/// What becomes of the decisions of a program.
#[derive(Debug, Default)]
pub(super) enum Course {
    /// They are taken.
    #[default]
    Free,
    /// They are taken and noted.
    Noted(Decisions),
    /// They are those of another run, of which these are left; and whether a mark was not there.
    Followed(Decisions, bool),
}

impl Flow {
    /// Whether the program takes the decision `letter`, which by what its data hold it does or not;
    /// if it [follows](Self::follow) a run, what that one did.
    pub fn decide(&mut self, letter: char, is_taken: bool) -> bool {
        match &mut self.course {
            Course::Free => {}
            Course::Noted(noted) if is_taken => noted.push(letter, 1),
            Course::Noted(_) => {}
            Course::Followed(left, _) => return left.pop(letter),
        }
        is_taken
    }

    /// Sets a mark between decisions, where those before and those after could be the same.
    pub fn mark(&mut self, letter: char) {
        let is_there = self.decide(letter, true);
        if let Course::Followed(_, is_lost) = &mut self.course {
            *is_lost |= !is_there;
        }
    }

    /// Notes decisions from now on.
    pub fn note_decisions(&mut self) {
        self.course = Course::Noted(Decisions::default());
    }

    /// The decisions since [`note_decisions`](Self::note_decisions), which are noted no longer.
    pub fn take_decisions(&mut self) -> Decisions {
        match std::mem::take(&mut self.course) {
            Course::Noted(noted) => noted,
            Course::Free | Course::Followed(..) => Decisions::default(),
        }
    }

    /// Has the program take the decisions of another run, for an engine that runs no kernel.
    pub fn follow(&mut self, decisions: Decisions) {
        self.course = Course::Followed(decisions, false);
    }

    /// Ends what [`follow`](Self::follow) began; whether the program could take all decisions.
    pub fn end_following(&mut self) -> bool {
        match std::mem::take(&mut self.course) {
            Course::Followed(left, is_lost) => left.0.is_empty() && !is_lost,
            Course::Free | Course::Noted(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that takes `steps` steps, sets a mark, and takes half as many more.
    fn program(flow: &mut Flow, steps: usize) -> [usize; 2] {
        [steps, steps / 2].map(|most| {
            let mut taken = 0;
            while flow.decide('s', taken < most) {
                taken += 1;
            }
            flow.mark('/');
            taken
        })
    }

    #[test]
    fn what_was_noted_is_followed() {
        let mut flow = Flow::listening();
        flow.note_decisions();
        assert_eq!(program(&mut flow, 4), [4, 2]);
        let noted = flow.take_decisions();
        assert_eq!(noted.to_string(), "4s/2s/");
        flow.follow(noted);
        assert_eq!(program(&mut flow, 0), [4, 2]);
        assert!(flow.end_following());
        assert_eq!(program(&mut flow, 2), [2, 1], "decisions are free again");
    }

    #[test]
    fn decisions_of_another_program_are_found_out() {
        for text in ["", "3s", "3s/", "3s//s", "s/s/q"] {
            let mut flow = Flow::listening();
            flow.follow(text.parse().expect("well-formed"));
            program(&mut flow, 1);
            assert!(!flow.end_following(), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_of_letters_is_refused() {
        for text in ["3", "0q", "q12", "99999999999999999999q"] {
            assert!(text.parse::<Decisions>().is_err(), "{text}");
        }
    }
}
