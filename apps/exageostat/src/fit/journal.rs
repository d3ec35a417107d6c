//! The evaluations of a fit so far: another run that has them takes their outcomes over, and so
//! comes to where this one was.
//!
//! The search is deterministic: given the same outcomes it asks for the same parameters. Those of
//! the first evaluations are looked up, to the last bit; where they differ in the last bits, as
//! they may on another machine, the nearest is taken.

use std::io::{self, Read, Write};

use tegula_files::checkpoint::{read_numbers, read_word, write_numbers, write_word};

use crate::likelihood::{Evaluation, LikelihoodError, Score};

/// Relative difference of parameters that are the same but for rounding.
const ROUNDING: f64 = 1e-12;

/// What an evaluation was asked for beside the likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wanted {
    /// The score where the likelihood is above this.
    Score { above: f64 },
    /// The expected information.
    Information,
}

/// What an evaluation gave beside the likelihood.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Extra {
    Nothing,
    Score(Score),
    /// The expected information, in the score's coordinates.
    Information(Vec<f64>),
}

/// What an evaluation came to.
pub(super) type Found = Result<(Evaluation, Extra), LikelihoodError>;

/// What an evaluation came to, if the parameters alone decide on it.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Value(Evaluation, Extra),
    NotPositiveDefinite { order: usize, n: usize },
    DependentMean,
}

impl Outcome {
    fn of(result: &Found) -> Option<Self> {
        match result {
            Ok((evaluation, extra)) => Some(Self::Value(evaluation.clone(), extra.clone())),
            &Err(LikelihoodError::NotPositiveDefinite { order, n }) => {
                Some(Self::NotPositiveDefinite { order, n })
            }
            Err(LikelihoodError::DependentMean) => Some(Self::DependentMean),
            Err(_) => None,
        }
    }

    /// Whether it answers what is `wanted`.
    fn answers(&self, wanted: Wanted) -> bool {
        let is_information = matches!(self, Self::Value(_, Extra::Information(_)));
        !matches!(self, Self::Value(..)) || is_information == (wanted == Wanted::Information)
    }

    fn result(&self) -> Found {
        match self {
            Self::Value(evaluation, extra) => Ok((evaluation.clone(), extra.clone())),
            &Self::NotPositiveDefinite { order, n } => {
                Err(LikelihoodError::NotPositiveDefinite { order, n })
            }
            Self::DependentMean => Err(LikelihoodError::DependentMean),
        }
    }
}

/// An evaluation.
#[derive(Clone, Debug, PartialEq)]
struct Record {
    /// Parameters, then the nugget.
    point: Vec<f64>,
    outcome: Outcome,
}

/// Evaluations of a fit, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    records: Vec<Record>,
    /// Of those that are looked up, which come first: whether they were.
    are_taken: Vec<bool>,
    /// How many of them are of an earlier run; the others are of [other searches](Self::join).
    earlier: usize,
}

impl Journal {
    /// Number of evaluations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Writes all evaluations.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_word(out, self.records.len() as u64)?;
        self.records.iter().try_for_each(|record| record.write(out))
    }

    /// Reads what [`write`](Self::write) wrote, for a run that takes it over.
    ///
    /// # Errors
    /// Those of `input`, or that it holds something else.
    pub fn read(input: &mut dyn Read) -> io::Result<Self> {
        let count = read_word(input)?;
        let records = (0..count).map(|_| Record::read(input)).collect::<io::Result<Vec<_>>>()?;
        Ok(Self { are_taken: vec![false; records.len()], earlier: records.len(), records })
    }

    /// Takes the evaluations that `other`, a copy of this one, has got beside it: they are looked
    /// up as those of an earlier run are.
    ///
    /// # Panics
    /// If this one has evaluations of its own run.
    pub fn join(&mut self, other: Self) {
        assert_eq!(self.records.len(), self.are_taken.len(), "a journal of a run under way");
        self.records.extend(other.records.into_iter().skip(self.earlier));
        self.are_taken.resize(self.records.len(), false);
    }

    /// What was found before at these parameters by whoever `wanted` the same, and whether it was
    /// an earlier run; an evaluation is taken over once.
    pub(super) fn find(
        &mut self,
        values: &[f64],
        nugget: f64,
        wanted: Wanted,
    ) -> Option<(Found, bool)> {
        let point = point(values, nugget);
        let left = || {
            let given = self.records.iter().zip(&self.are_taken).enumerate();
            let left = given
                .filter(|(_, (record, is_taken))| !**is_taken && record.outcome.answers(wanted));
            left.map(|(place, (record, _))| (place, record.distance(&point)))
        };
        // Of places that were visited twice the first; where none is the same, the nearest.
        let (place, distance) =
            left().reduce(|one, other| if other.1 < one.1 { other } else { one })?;
        if distance > ROUNDING {
            return None;
        }
        self.are_taken[place] = true;
        Some((self.records[place].outcome.result(), place < self.earlier))
    }

    /// Notes an evaluation of this run.
    pub(super) fn note(&mut self, values: &[f64], nugget: f64, result: &Found) {
        if let Some(outcome) = Outcome::of(result) {
            self.records.push(Record { point: point(values, nugget), outcome });
        }
    }
}

fn point(values: &[f64], nugget: f64) -> Vec<f64> {
    values.iter().copied().chain([nugget]).collect()
}

impl Record {
    /// Largest relative difference of its parameters from those of `point`; without end if they are
    /// not as many.
    fn distance(&self, point: &[f64]) -> f64 {
        if self.point.len() != point.len() {
            return f64::INFINITY;
        }
        let pairs = self.point.iter().zip(point).filter(|(x, y)| x != y);
        pairs.map(|(x, y)| (x - y).abs() / x.abs().max(y.abs())).fold(0.0, f64::max)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_list(out, &self.point)?;
        match &self.outcome {
            Outcome::Value(evaluation, extra) => {
                let Evaluation {
                    n,
                    replicates,
                    logdet,
                    quadratic,
                    coefficients,
                    coefficient_covariance,
                } = evaluation;
                match extra {
                    Extra::Nothing => write_word(out, 0)?,
                    Extra::Score(Score { gradient, information }) => {
                        write_word(out, 3)?;
                        write_list(out, gradient)?;
                        write_list(out, information)?;
                    }
                    Extra::Information(information) => {
                        write_word(out, 4)?;
                        write_list(out, information)?;
                    }
                }
                [*n, *replicates]
                    .into_iter()
                    .try_for_each(|count| write_word(out, count as u64))?;
                write_numbers(out, &[*logdet, *quadratic])?;
                write_list(out, coefficients)?;
                write_list(out, coefficient_covariance)
            }
            &Outcome::NotPositiveDefinite { order, n } => {
                [1, order as u64, n as u64].into_iter().try_for_each(|word| write_word(out, word))
            }
            Outcome::DependentMean => write_word(out, 2),
        }
    }

    fn read(input: &mut dyn Read) -> io::Result<Self> {
        let point = read_list(input)?;
        let outcome = match read_word(input)? {
            kind @ (0 | 3 | 4) => {
                let extra = match kind {
                    0 => Extra::Nothing,
                    3 => {
                        let (gradient, information) = (read_list(input)?, read_list(input)?);
                        Extra::Score(Score { gradient, information })
                    }
                    _ => Extra::Information(read_list(input)?),
                };
                let (n, replicates) = (read_count(input)?, read_count(input)?);
                let numbers = read_numbers(input, 2)?;
                let (coefficients, coefficient_covariance) = (read_list(input)?, read_list(input)?);
                let (logdet, quadratic) = (numbers[0], numbers[1]);
                let evaluation = Evaluation {
                    n,
                    replicates,
                    logdet,
                    quadratic,
                    coefficients,
                    coefficient_covariance,
                };
                Outcome::Value(evaluation, extra)
            }
            1 => Outcome::NotPositiveDefinite { order: read_count(input)?, n: read_count(input)? },
            2 => Outcome::DependentMean,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        Ok(Self { point, outcome })
    }
}

fn write_list(out: &mut dyn Write, numbers: &[f64]) -> io::Result<()> {
    write_word(out, numbers.len() as u64)?;
    write_numbers(out, numbers)
}

fn read_list(input: &mut dyn Read) -> io::Result<Vec<f64>> {
    let count = read_count(input)?;
    read_numbers(input, count)
}

fn read_count(input: &mut dyn Read) -> io::Result<usize> {
    usize::try_from(read_word(input)?).map_err(|_| io::ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Wanted = Wanted::Score { above: 0.0 };

    fn evaluation(logdet: f64) -> Evaluation {
        let (coefficients, coefficient_covariance) = (vec![0.1, -0.2], vec![1.0, 0.5, 0.5, 2.0]);
        let (n, replicates, quadratic) = (7, 1, 1.0 / 3.0);
        Evaluation { n, replicates, logdet, quadratic, coefficients, coefficient_covariance }
    }

    /// A journal with one of each outcome, as another run gets it.
    fn journal() -> Journal {
        let mut journal = Journal::default();
        let score = Score { gradient: vec![0.5, -1.5], information: vec![2.0, 1.0, 1.0, 3.0] };
        journal.note(&[1.0, 0.1], 0.0, &Ok((evaluation(-3.5), Extra::Score(score))));
        let information = Extra::Information(vec![1.0, 0.5, 0.5, 2.0]);
        journal.note(&[1.0, 0.1], 0.0, &Ok((evaluation(-3.125), information)));
        let failed = LikelihoodError::NotPositiveDefinite { order: 3, n: 7 };
        journal.note(&[1.0, 0.2], 0.0, &Err(failed));
        journal.note(&[1.0, 0.3], 1e-9, &Err(LikelihoodError::DependentMean));
        journal.note(&[1.0, 0.4], 0.0, &Err(LikelihoodError::Scale));
        journal.note(&[1.0, 0.1], 0.0, &Ok((evaluation(-3.25), Extra::Nothing)));
        let mut bytes = Vec::new();
        journal.write(&mut bytes).expect("there is room");
        let read = Journal::read(&mut &bytes[..]).expect("all of it");
        assert_eq!(read.records, journal.records);
        assert!(Journal::read(&mut &bytes[..bytes.len() - 1]).is_err());
        read
    }

    #[test]
    fn evaluations_are_found_in_their_order_to_the_last_bit() {
        let mut journal = journal();
        assert_eq!(journal.len(), 5, "what the parameters do not decide on is left out");
        let logdet = |journal: &mut Journal, range: f64| {
            journal
                .find(&[1.0, range], 0.0, ANY)
                .map(|(result, _)| result.map(|(found, _)| found.logdet))
        };
        assert!(matches!(logdet(&mut journal, 0.1), Some(Ok(x)) if x == -3.5));
        let failed = logdet(&mut journal, 0.2);
        assert!(matches!(
            failed,
            Some(Err(LikelihoodError::NotPositiveDefinite { order: 3, n: 7 }))
        ));
        let dependent = journal.find(&[1.0, 0.3], 1e-9, ANY);
        assert!(matches!(dependent, Some((Err(LikelihoodError::DependentMean), true))));
        assert!(matches!(logdet(&mut journal, 0.1), Some(Ok(x)) if x == -3.25), "the second time");
        assert!(logdet(&mut journal, 0.1).is_none(), "there was no third time");
        let information = journal.find(&[1.0, 0.1], 0.0, Wanted::Information);
        assert!(matches!(information, Some((Ok((found, _)), true)) if found.logdet == -3.125));
    }

    #[test]
    fn what_differs_by_rounding_is_the_same_and_by_more_is_not() {
        let mut journal = journal();
        assert!(journal.find(&[1.0, 0.1 * (1.0 + 5e-13)], 0.0, ANY).is_some());
        assert!(journal.find(&[1.0, 0.1 * (1.0 + 5e-12)], 0.0, ANY).is_none());
        assert!(journal.find(&[1.0, 0.1], 1e-300, ANY).is_none(), "another nugget");
        assert!(journal.find(&[1.0], 0.1, ANY).is_none(), "another covariance");
    }

    #[test]
    fn evaluations_of_this_run_are_not_taken_over() {
        let mut journal = Journal::default();
        journal.note(&[2.0], 0.0, &Ok((evaluation(1.0), Extra::Nothing)));
        assert!(journal.find(&[2.0], 0.0, ANY).is_none());
        assert_eq!(journal.len(), 1);
    }

    #[test]
    fn what_other_searches_found_is_looked_up_and_not_of_an_earlier_run() {
        let mut journal = journal();
        let others = [5.0, 6.0].map(|x| {
            let mut other = journal.clone();
            other.note(&[x], 0.0, &Ok((evaluation(x), Extra::Nothing)));
            other
        });
        others.into_iter().for_each(|other| journal.join(other));
        assert_eq!(journal.len(), 7, "what they began with is there once");
        for x in [6.0, 5.0] {
            let found = journal.find(&[x], 0.0, ANY);
            assert!(matches!(found, Some((Ok((found, _)), false)) if found.logdet == x));
            assert!(journal.find(&[x], 0.0, ANY).is_none(), "there was one");
        }
        assert!(journal.find(&[1.0, 0.2], 0.0, ANY).is_some_and(|(_, is_earlier)| is_earlier));
    }
}
