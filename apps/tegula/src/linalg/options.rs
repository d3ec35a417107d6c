//! Options of algorithms beside sizes: on which side a matrix stands, whether it enters transposed, the tree
//! of reductions, the accuracy of tiles; and the flags that set them.

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tegula_kernels::option::{Side, Trans};
use tegula_kernels::scalar::Precision;
use tegula_linalg::{PrecisionRule, Tree};

use super::entry::Entry;
use crate::error::refused;

/// An option that an algorithm may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// `--side`.
    Side,
    /// `--trans`, of a triangle: transposed and conjugated are two things.
    Trans,
    /// `--trans`, of an orthogonal or unitary matrix: it enters as it is or as its inverse.
    Adjoint,
    /// `--tree`.
    Tree,
    /// `--band` or `--accuracy`.
    Precisions,
}

impl Choice {
    /// Flags that set it.
    pub(super) const fn flags(self) -> &'static str {
        match self {
            Self::Side => "--side",
            Self::Trans | Self::Adjoint => "--trans",
            Self::Tree => "--tree",
            Self::Precisions => "--band and --accuracy",
        }
    }
}

/// What was chosen, or goes without saying.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// On which side of the result the matrix stands.
    pub(super) side: Side,
    /// How it enters.
    pub(super) trans: Trans,
    /// The order of eliminations.
    pub(super) tree: Tree,
    /// Which tiles are in 32 bits.
    pub(super) rule: PrecisionRule,
}

impl Default for Options {
    fn default() -> Self {
        let (side, trans, tree) = (Side::Left, Trans::No, Tree::Greedy);
        Self { side, trans, tree, rule: PrecisionRule::Norm { accuracy: 1e-8 } }
    }
}

const SIDES: [(&str, &str, Side); 2] =
    [("left", "T B, Q C", Side::Left), ("right", "B T, C Q", Side::Right)];
const TRANSPOSITIONS: [(&str, &str, Trans); 3] = [
    ("no", "as it is", Trans::No),
    ("transposed", "transposed; not of Q in complex precisions", Trans::Yes),
    ("adjoint", "conjugated and transposed", Trans::Conj),
];
/// Rows of tiles of a domain of the tree of two levels.
const DOMAIN: usize = 8;
const TREES: [(&str, &str, Tree); 4] = [
    ("flat", "a column of tiles from top to bottom: least work", Tree::Flat),
    ("binary", "pairs, pairs of pairs: the shortest for one column", Tree::Binary),
    ("greedy", "as many at each time as can be, over all columns", Tree::Greedy),
    ("two-level", "flat in domains of 8 tiles, binary between", Tree::TwoLevel { domain: DOMAIN }),
];

/// A parser of one of some values, each with a line of help.
fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    values: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let known = values.map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(known).map(move |name: String| {
        let found = values.iter().find(|(known, ..)| *known == name);
        found.expect("the parser knows no other").2
    })
}

fn accuracy(text: &str) -> Result<f64, String> {
    let accuracy: f64 = text.parse().map_err(|error| format!("{error}"))?;
    let is_fine = (0.0..=1.0).contains(&accuracy);
    if is_fine { Ok(accuracy) } else { Err("an accuracy is a number from 0 to 1".to_owned()) }
}

/// Flags of options.
#[derive(Args, Debug)]
#[command(next_help_heading = "Variants")]
pub(super) struct OptionFlags {
    /// On which side the triangle T or the orthogonal matrix Q stands [default: left]
    #[arg(long, value_name = "SIDE", value_parser = one_of(SIDES))]
    side: Option<Side>,
    /// How the triangle T or the orthogonal matrix Q enters [default: no]
    #[arg(long, value_name = "TRANS", value_parser = one_of(TRANSPOSITIONS))]
    trans: Option<Trans>,
    /// In which order the tiles of a column are eliminated [default: greedy]
    #[arg(long, value_name = "TREE", value_parser = one_of(TREES))]
    tree: Option<Tree>,
    /// Keep tiles at most BAND tiles off the diagonal in 64 bits, and the others in 32
    #[arg(long, value_name = "BAND", conflicts_with = "accuracy")]
    band: Option<usize>,
    /// Keep those tiles in 32 bits whose rounding changes the matrix by less than ACCURACY
    /// relative to its norm [default: 1e-8]
    #[arg(long, value_name = "ACCURACY", value_parser = accuracy)]
    accuracy: Option<f64>,
}

impl OptionFlags {
    /// What `entry` is asked for; what it has no use for is refused.
    ///
    /// # Errors
    /// That refusal.
    pub(super) fn settle(&self, entry: &Entry, precision: Precision) -> Result<Options> {
        let given = [
            (self.side.is_some(), &[Choice::Side][..]),
            (self.trans.is_some(), &[Choice::Trans, Choice::Adjoint]),
            (self.tree.is_some(), &[Choice::Tree]),
            (self.band.is_some() || self.accuracy.is_some(), &[Choice::Precisions]),
        ];
        for (is_given, choices) in given {
            if is_given && !choices.iter().any(|choice| entry.choices.contains(choice)) {
                let (name, flags) = (entry.name, choices[0].flags());
                return Err(refused(format!("{name} has no such variants: leave {flags} out")));
            }
        }
        let is_unitary = precision.is_complex() && entry.choices.contains(&Choice::Adjoint);
        if is_unitary && self.trans == Some(Trans::Yes) {
            let name = entry.name;
            return Err(refused(format!("{name} takes --trans adjoint in complex precisions")));
        }
        if !entry.precisions.contains(&precision) {
            let letters = entry.precisions.iter().map(|precision| precision.letter());
            let letters = letters.collect::<Vec<_>>().join(" or ");
            return Err(refused(format!("{} takes --precision {letters}", entry.name)));
        }
        let default = Options::default();
        let rule = match (self.band, self.accuracy) {
            (Some(band), _) => PrecisionRule::Band(band),
            (None, Some(accuracy)) => PrecisionRule::Norm { accuracy },
            (None, None) => default.rule,
        };
        Ok(Options {
            side: self.side.unwrap_or(default.side),
            trans: self.trans.unwrap_or(default.trans),
            tree: self.tree.unwrap_or(default.tree),
            rule,
        })
    }
}

impl Options {
    /// Those of `choices` by their names, for results.
    pub(super) fn describe(&self, choices: &[Choice]) -> Vec<(&'static str, String)> {
        let has = |choice| choices.contains(&choice);
        let mut named = Vec::new();
        if has(Choice::Side) {
            named.push(("side", name(&SIDES, &self.side)));
        }
        if has(Choice::Trans) || has(Choice::Adjoint) {
            named.push(("trans", name(&TRANSPOSITIONS, &self.trans)));
        }
        if has(Choice::Tree) {
            named.push(("tree", name(&TREES, &self.tree)));
        }
        if has(Choice::Precisions) {
            named.push(match self.rule {
                PrecisionRule::Band(band) => ("band", band.to_string()),
                PrecisionRule::Norm { accuracy } => ("accuracy", accuracy.to_string()),
            });
        }
        named
    }

    /// All that an algorithm with `choices` can be asked for, in a real or a complex precision.
    #[cfg(test)]
    pub(super) fn all(choices: &[Choice], precision: Precision) -> Vec<Self> {
        let mut all = vec![Self::default()];
        let mut vary = |change: &dyn Fn(Self) -> Vec<Self>| {
            all = all.iter().flat_map(|&options| change(options)).collect();
        };
        for choice in choices {
            vary(&|options| match choice {
                Choice::Side => SIDES.map(|(.., side)| Self { side, ..options }).into(),
                Choice::Trans => TRANSPOSITIONS.map(|(.., trans)| Self { trans, ..options }).into(),
                Choice::Adjoint => {
                    let known = TRANSPOSITIONS.map(|(.., trans)| Self { trans, ..options });
                    let is_taken =
                        |other: &Self| !precision.is_complex() || other.trans != Trans::Yes;
                    known.into_iter().filter(is_taken).collect()
                }
                Choice::Tree => TREES.map(|(.., tree)| Self { tree, ..options }).into(),
                Choice::Precisions => {
                    let norm = |accuracy| PrecisionRule::Norm { accuracy };
                    let rules = [PrecisionRule::Band(0), norm(0.0), norm(1e-8)];
                    rules.map(|rule| Self { rule, ..options }).into()
                }
            });
        }
        all
    }
}

fn name<T: PartialEq>(values: &[(&'static str, &str, T)], value: &T) -> String {
    let found = values.iter().find(|(.., known)| known == value);
    found.expect("chosen among these").0.to_owned()
}
