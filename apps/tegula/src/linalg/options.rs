//! Flags of options beside sizes: on which side a matrix stands, whether it enters transposed, the
//! tree of reductions, the accuracy of tiles.

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tegula_kernels::option::{Side, Trans};
use tegula_kernels::scalar::Precision;
use tegula_linalg::program::{Choice, Options, Program, SIDES, TRANSPOSITIONS, TREES};
use tegula_linalg::{PrecisionRule, Tree};

use crate::error::refused;

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
    /// relative to its norm, and multiply on devices in TF32 where that does [default: 1e-8]
    #[arg(long, value_name = "ACCURACY", value_parser = accuracy)]
    accuracy: Option<f64>,
}

impl OptionFlags {
    /// What `program` is asked for; what it has no use for is refused.
    ///
    /// # Errors
    /// That refusal.
    pub(super) fn resolve(&self, program: &Program, precision: Precision) -> Result<Options> {
        let given = [
            (self.side.is_some(), &[Choice::Side][..]),
            (self.trans.is_some(), &[Choice::Trans, Choice::Adjoint]),
            (self.tree.is_some(), &[Choice::Tree]),
            (self.band.is_some() || self.accuracy.is_some(), &[Choice::Precisions]),
        ];
        for (is_given, choices) in given {
            if is_given && !choices.iter().any(|choice| program.choices.contains(choice)) {
                let (name, flags) = (program.name, choices[0].flags());
                return Err(refused(format!("{name} has no such variants: leave {flags} out")));
            }
        }
        let is_unitary = precision.is_complex() && program.choices.contains(&Choice::Adjoint);
        if is_unitary && self.trans == Some(Trans::Yes) {
            let name = program.name;
            return Err(refused(format!("{name} takes --trans adjoint in complex precisions")));
        }
        program.check_precision(precision).map_err(refused)?;
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
