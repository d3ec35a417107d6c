//! The list of metrics: for each its name, formula and source, and what it takes.

use std::fmt;
use std::str::FromStr;

use super::error::DistanceError;
use super::pairs::Prepared;
use super::points::{self, Points};
use super::sequences::{self, Sequences};

/// All metrics.
pub static METRICS: &[Metric] = &[
    points::EUCLIDEAN,
    points::MANHATTAN,
    points::BRAY_CURTIS,
    points::JACCARD,
    points::CHI_SQUARE,
    points::HAVERSINE,
    sequences::KMER,
    sequences::P_DISTANCE,
    sequences::K80,
    sequences::SMITH_WATERMAN,
];

/// A way to measure how far two things are apart.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Name in flags and output.
    pub name: &'static str,
    /// What it compares, in a line.
    pub summary: &'static str,
    /// The distance of `x` and `y`.
    pub formula: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// Whether no way over a third thing is shorter.
    pub has_triangle_inequality: bool,
    pub(super) of: Of,
}

/// How a metric is made ready for given data.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    /// Of points.
    Points(fn(Points) -> Prepared),
    /// Of sequences.
    Sequences(fn(&Sequences) -> Prepared),
    /// Of the words of this length in sequences.
    Words(fn(&Sequences, usize) -> Prepared),
}

/// What a metric compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricInput {
    /// Rows of numbers.
    Points,
    /// Sequences of DNA or RNA.
    Sequences,
}

impl fmt::Display for MetricInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Points => "points",
            Self::Sequences => "sequences",
        })
    }
}

impl Metric {
    /// What it compares.
    #[must_use]
    pub fn takes(&self) -> MetricInput {
        match self.of {
            Of::Points(_) => MetricInput::Points,
            Of::Sequences(_) | Of::Words(_) => MetricInput::Sequences,
        }
    }

    /// The name as it is to be given, with the place of a length.
    #[must_use]
    pub fn usage(&self) -> String {
        match self.of {
            Of::Words(_) => format!("{}:K", self.name),
            Of::Points(_) | Of::Sequences(_) => self.name.to_owned(),
        }
    }
}

/// A metric with what stands behind the colon of its name.
#[derive(Clone, Copy, Debug)]
pub struct MetricChoice {
    /// The metric.
    pub metric: &'static Metric,
    /// Length of the words that are counted, for a metric that counts words.
    pub word: usize,
}

impl FromStr for MetricChoice {
    type Err = DistanceError;

    /// Reads `euclidean`, `kmer:6` and the like; `kmer` alone counts words of six letters.
    fn from_str(text: &str) -> Result<Self, DistanceError> {
        let (name, word) = match text.split_once(':') {
            Some((name, word)) => (name, Some(word)),
            None => (text, None),
        };
        let metric = METRICS.iter().find(|metric| metric.name == name);
        let metric = metric.ok_or_else(|| DistanceError::Unknown { name: name.to_owned() })?;
        let refused =
            |reason: String| Err(DistanceError::Parameter { given: text.to_owned(), reason });
        let Some(word) = word else { return Ok(Self { metric, word: sequences::USUAL_WORD }) };
        match (metric.of, word.parse()) {
            (Of::Words(_), Ok(word)) if (1..=sequences::LONGEST_WORD).contains(&word) => {
                Ok(Self { metric, word })
            }
            (Of::Words(_), _) => refused(format!(
                "words have a length from 1 to {}: {name}:{} is usual",
                sequences::LONGEST_WORD,
                sequences::USUAL_WORD
            )),
            (Of::Points(_) | Of::Sequences(_), _) => refused(format!("{name} takes no length")),
        }
    }
}

impl fmt::Display for MetricChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.metric.of {
            Of::Words(_) => write!(f, "{}:{}", self.metric.name, self.word),
            Of::Points(_) | Of::Sequences(_) => f.write_str(self.metric.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{METRICS, MetricChoice};

    #[test]
    fn names_are_read_as_they_are_written() {
        for metric in METRICS {
            let choice: MetricChoice = metric.name.parse().expect("a listed name");
            let again: MetricChoice = choice.to_string().parse().expect("what it calls itself");
            assert_eq!((again.metric.name, again.word), (metric.name, choice.word));
        }
        assert_eq!("kmer:4".parse::<MetricChoice>().expect("a length").word, 4);
    }

    #[test]
    fn what_is_no_metric_is_refused_with_what_there_is() {
        for (text, says) in [
            ("cosine", "euclidean, manhattan"),
            ("kmer:0", "from 1 to 12"),
            ("kmer:x", "kmer:6 is usual"),
            ("euclidean:2", "takes no length"),
        ] {
            let error = text.parse::<MetricChoice>().expect_err(text).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
