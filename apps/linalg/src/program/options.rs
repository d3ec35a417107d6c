//! Options of programs beside sizes: on which side a matrix stands, whether it enters transposed,
//! the tree of reductions, the accuracy of tiles.

use crate::{PrecisionRule, Tree};
use tegula_kernels::option::{Side, Trans};
use tegula_kernels::scalar::Precision;

/// An option that an algorithm may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
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
    pub const fn flags(self) -> &'static str {
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
pub struct Options {
    /// On which side of the result the matrix stands.
    pub side: Side,
    /// How it enters.
    pub trans: Trans,
    /// The order of eliminations.
    pub tree: Tree,
    /// Which tiles are in 32 bits.
    pub rule: PrecisionRule,
}

impl Default for Options {
    fn default() -> Self {
        let (side, trans, tree) = (Side::Left, Trans::No, Tree::Greedy);
        Self { side, trans, tree, rule: PrecisionRule::Norm { accuracy: 1e-8 } }
    }
}

/// Values of [`Choice::Side`], by their names, each with a line of help.
pub const SIDES: [(&str, &str, Side); 2] =
    [("left", "T B, Q C", Side::Left), ("right", "B T, C Q", Side::Right)];
/// Those of [`Choice::Trans`] and [`Choice::Adjoint`].
pub const TRANSPOSITIONS: [(&str, &str, Trans); 3] = [
    ("no", "as it is", Trans::No),
    ("transposed", "transposed; not of Q in complex precisions", Trans::Yes),
    ("adjoint", "conjugated and transposed", Trans::Conj),
];
/// Rows of tiles of a domain of the tree of two levels.
const DOMAIN: usize = 8;
/// Those of [`Choice::Tree`].
pub const TREES: [(&str, &str, Tree); 4] = [
    ("flat", "a column of tiles from top to bottom: least work", Tree::Flat),
    ("binary", "pairs, pairs of pairs: the shortest for one column", Tree::Binary),
    ("greedy", "as many at each time as can be, over all columns", Tree::Greedy),
    ("two-level", "flat in domains of 8 tiles, binary between", Tree::TwoLevel { domain: DOMAIN }),
];

impl Options {
    /// Those of `choices` by their names, for results.
    pub fn describe(&self, choices: &[Choice]) -> Vec<(&'static str, String)> {
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
    pub fn all(choices: &[Choice], precision: Precision) -> Vec<Self> {
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
