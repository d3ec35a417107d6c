//! What a fit estimates, from `--fix`, `--bounds`, `--start`, `--nugget` and `--estimate-nugget`.

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::fit::{FitOptions, INFORMATIONS, NuggetChoice, OPTIMIZERS, Optimizer};
use tegula_exageostat::likelihood::Criterion;

use crate::error::refused;
use crate::flags::{assignments, nugget, parse_number};

/// Name of the nugget among the parameters.
const NUGGET: &str = "nugget";

/// What is estimated, and how far the search goes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Model")]
pub(super) struct EstimationFlags {
    /// Parameters that are known ("smoothness=0.5"); may be repeated
    #[arg(long, value_name = "NAME=VALUE,...")]
    fix: Vec<String>,
    /// Where to search ("range=0.01:3"), by default very far
    #[arg(long, value_name = "NAME=LOW:HIGH,...")]
    bounds: Vec<String>,
    /// Where to begin, as Ctrl-C prints it [default: near the maximum by neighbours]
    ///
    /// Without --checkpoint, Ctrl-C, SIGTERM, SIGHUP and SIGUSR1 end a fit after the current
    /// evaluation: it prints its best parameters in this form and ends with 128 and the number of
    /// the signal, 130 for Ctrl-C. A second Ctrl-C ends it at once.
    #[arg(long, value_name = "NAME=VALUE,...", help_heading = "Search")]
    start: Vec<String>,
    /// Known variance of the noise of each observation [default: 0]
    #[arg(long, value_name = "VALUE", value_parser = nugget, allow_negative_numbers = true, conflicts_with = "estimate_nugget")]
    nugget: Option<f64>,
    /// Estimate the nugget, too
    #[arg(long)]
    estimate_nugget: bool,
    /// Who searches
    #[arg(long, value_name = "NAME", help_heading = "Search", default_value = OPTIMIZERS[0].1, value_parser = optimizers())]
    pub(super) optimizer: String,
    /// Search from K starts, the first as always
    ///
    /// The others are spread over what is searched. The best is kept.
    #[arg(long, value_name = "K", help_heading = "Search", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    starts: u32,
    /// What standard errors are by
    #[arg(long, value_name = "NAME", help_heading = "Model", default_value = INFORMATIONS[0].1, value_parser = informations())]
    pub(super) information: String,
    /// Find 95 % intervals by the profile likelihood, too
    ///
    /// Some fits for each parameter.
    #[arg(long)]
    pub(super) profile_intervals: bool,
    /// Maximise the restricted likelihood (REML)
    ///
    /// It does not take the mean for known, as the likelihood does.
    #[arg(long)]
    pub(super) reml: bool,
    /// Most evaluations of the likelihood, from each start
    #[arg(long, value_name = "N", help_heading = "Search", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    max_evaluations: u32,
    /// Relative accuracy of the parameters [default: 0.001 / sqrt(n)]
    #[arg(long, value_name = "X", help_heading = "Search", value_parser = tolerance, allow_negative_numbers = true)]
    tolerance: Option<f64>,
}

/// The searches there are.
fn optimizers() -> PossibleValuesParser {
    let value =
        |&(_, name, help): &(_, &'static str, &'static str)| PossibleValue::new(name).help(help);
    PossibleValuesParser::new(OPTIMIZERS.iter().map(value))
}

/// What standard errors can be by.
fn informations() -> PossibleValuesParser {
    let value =
        |&(_, name, help): &(_, &'static str, &'static str)| PossibleValue::new(name).help(help);
    PossibleValuesParser::new(INFORMATIONS.iter().map(value))
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("an accuracy is a number between 0 and 1".to_owned()),
    }
}

impl EstimationFlags {
    /// Whether there is a nugget, known or estimated.
    pub(super) fn has_nugget(&self) -> bool {
        self.estimate_nugget || self.nugget.is_some_and(|nugget| nugget > 0.0)
    }

    /// What `--start` says.
    pub(super) fn start_text(&self) -> String {
        self.start.join(",")
    }

    /// The options of a fit of `covariance`, with starts by `seed`.
    ///
    /// # Errors
    /// If a parameter is unknown, a value is no number, or bounds contradict what is fixed.
    pub(super) fn options(&self, covariance: &Covariance, seed: u64) -> Result<FitOptions> {
        let names: Vec<&'static str> = covariance.parameters.iter().map(|p| p.name).collect();
        let index = |name: &str| names.iter().position(|listed| *listed == name);
        let (fix, bounds) = (self.fix.join(","), self.bounds.join(","));
        let optimizer = OPTIMIZERS.iter().find(|(_, name, _)| *name == self.optimizer);
        let information = INFORMATIONS.iter().find(|(_, name, _)| *name == self.information);
        let mut options = FitOptions {
            max_evaluations: self.max_evaluations as usize,
            tolerance: self.tolerance,
            criterion: if self.reml { Criterion::Restricted } else { Criterion::Full },
            optimizer: optimizer.expect("clap takes listed names").0,
            information: information.expect("clap takes listed names").0,
            profile_intervals: self.profile_intervals,
            starts: self.starts as usize,
            seed,
            ..FitOptions::all_free(names.len())
        };
        for (name, text) in pairs("--fix", &fix, &names)? {
            let value = parse_number("--fix", name, text)?;
            match index(name) {
                Some(index) => options.fixed[index] = Some(value),
                None => return Err(refused("--fix: the nugget is fixed with --nugget VALUE")),
            }
        }
        let mut nugget_bounds = None;
        for (name, text) in pairs("--bounds", &bounds, &names)? {
            let bounds = interval(name, text)?;
            match index(name) {
                Some(index) if options.fixed[index].is_some() => {
                    return Err(refused(format!("{name} has both --fix and --bounds: choose one")));
                }
                Some(index) => options.bounds[index] = Some(bounds),
                None => nugget_bounds = Some(bounds),
            }
        }
        if nugget_bounds.is_some() && !self.estimate_nugget {
            return Err(refused("--bounds: the nugget has bounds only with --estimate-nugget"));
        }
        self.start(&names, &mut options)?;
        options.nugget = if self.estimate_nugget {
            NuggetChoice::Estimated { bounds: nugget_bounds }
        } else {
            NuggetChoice::Fixed(self.nugget.unwrap_or(0.0))
        };
        check_fixed(covariance, &options)?;
        Ok(options)
    }

    /// Takes over where the search starts.
    fn start(&self, names: &[&'static str], options: &mut FitOptions) -> Result<()> {
        for (name, text) in pairs("--start", &self.start_text(), names)? {
            let value = parse_number("--start", name, text)?;
            match names.iter().position(|listed| *listed == name) {
                Some(index) if options.fixed[index].is_some() => {
                    return Err(refused(format!("{name} has both --fix and --start: choose one")));
                }
                Some(index) => options.start[index] = Some(value),
                None if !self.estimate_nugget => {
                    return Err(refused(
                        "--start: the nugget has a start only with --estimate-nugget",
                    ));
                }
                None => {
                    nugget(text).map_err(|why| refused(format!("--start: {why}")))?;
                    options.start_nugget = Some(value);
                }
            }
        }
        Ok(())
    }
}

/// Evaluations that a fit is expected to take, by number of parameters that are searched.
pub(super) fn expected_evaluations(options: &FitOptions, optimizer: Optimizer) -> usize {
    let nugget = usize::from(matches!(options.nugget, NuggetChoice::Estimated { .. }));
    let free = options.fixed.iter().filter(|fixed| fixed.is_none()).count() + nugget;
    // The variance is profiled out.
    match optimizer {
        Optimizer::AverageInformation => [1, 2, 8, 12, 18, 22][free.min(5)],
        Optimizer::FisherScoring => [1, 4, 14, 20, 30, 38][free.min(5)],
        Optimizer::Surrogate => [2, 2, 5, 8, 11, 14][free.min(5)],
        Optimizer::Bobyqa => [2, 2, 20, 50, 110, 150][free.min(5)],
    }
}

/// The pairs in the value `text` of `flag`, for parameters with these `names` or the nugget.
fn pairs<'a>(
    flag: &str,
    text: &'a str,
    names: &[&'static str],
) -> Result<Vec<(&'static str, &'a str)>> {
    let known: Vec<&'static str> = names.iter().copied().chain([NUGGET]).collect();
    if text.is_empty() { Ok(Vec::new()) } else { assignments(flag, text, &known) }
}

/// `low:high`.
fn interval(name: &str, text: &str) -> Result<(f64, f64)> {
    let Some((low, high)) = text.split_once(':') else {
        return Err(refused(format!("--bounds: {name}={text} is not of the form {name}=low:high")));
    };
    let bounds = (parse_number("--bounds", name, low)?, parse_number("--bounds", name, high)?);
    if bounds.0 < bounds.1 {
        Ok(bounds)
    } else {
        Err(refused(format!("--bounds: {name}={text} is empty: the lower bound comes first")))
    }
}

/// Refuses fixed values, and starts, that the covariance does not allow.
fn check_fixed(covariance: &Covariance, options: &FitOptions) -> Result<()> {
    let defaults = covariance.defaults();
    let values: Vec<f64> = options
        .fixed
        .iter()
        .zip(&options.start)
        .zip(&defaults)
        .map(|((fixed, start), default)| fixed.or(*start).unwrap_or(*default))
        .collect();
    Ok(covariance.check(&values)?)
}
