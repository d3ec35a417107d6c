//! `--grid`: a fit with each of some values of a parameter, of which the likeliest is kept. What
//! the log-likelihood comes to over the values is the profile likelihood of the parameter.

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::fit::{
    Between, Fit as Fitted, FitError, FitOptions, Journal, NuggetChoice, fit_from,
};
use tegula_exageostat::likelihood::Evaluate;
use tegula_exageostat::model::Model;
use tegula_kernels::scalar::Real;

use super::Fit;
use super::starts::Searches;
use crate::error::refused;
use crate::exageostat::parameters_json;
use crate::flags::parse_number;
use crate::output::{Align, Table, number};

/// Most values of a grid.
const MOST: usize = 10_000;

/// Values of a parameter, each to be fitted with.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    parameter: &'static str,
    /// The values, in order, with what the fit with each is to be.
    each: Vec<(f64, FitOptions)>,
}

/// What the fits came to.
#[derive(Debug)]
pub(crate) struct Profile {
    /// The parameter.
    pub(crate) parameter: &'static str,
    points: Vec<Point>,
    /// What the likeliest of the fits is to be.
    pub(super) kept: FitOptions,
}

/// A fit with one value.
#[derive(Debug)]
struct Point {
    value: f64,
    /// Its best, if the likelihood has a value anywhere.
    best: Option<Best>,
}

#[derive(Debug)]
struct Best {
    model: Model,
    loglik: f64,
    converged: bool,
    evaluations: usize,
}

impl Best {
    fn of(fit: Fitted) -> Self {
        let Fitted { model, loglik, converged, evaluations, .. } = fit;
        Self { model, loglik, converged, evaluations }
    }
}

impl Grid {
    /// That of `text`, `NAME=V1,V2,...` or `NAME=LOW:HIGH:COUNT`, for fits of `covariance` that
    /// else are as `options` say.
    ///
    /// # Errors
    /// If it is no such text, the parameter is fixed, searched or started elsewhere by another
    /// flag, or cannot have one of the values.
    pub(super) fn read(text: &str, covariance: &Covariance, options: &FitOptions) -> Result<Self> {
        let wrong = |why: String| refused(format!("--grid: {why}"));
        let Some((name, values)) = text.split_once('=') else {
            return Err(wrong(format!(
                "'{text}' is not of the form NAME=V1,V2,... or NAME=LOW:HIGH:COUNT"
            )));
        };
        let names = covariance.parameters.iter().map(|parameter| parameter.name);
        let names: Vec<&'static str> = names.chain(["nugget"]).collect();
        let Some(index) = names.iter().position(|listed| *listed == name.trim()) else {
            let list = names.join(", ");
            return Err(wrong(format!(
                "there is no parameter '{}'; there are {list}",
                name.trim()
            )));
        };
        let name = names[index];
        let other = match options.fixed.get(index) {
            Some(Some(_)) => Some("--fix"),
            Some(None) if options.bounds[index].is_some() => Some("--bounds"),
            Some(None) if options.start[index].is_some() => Some("--start"),
            Some(None) => None,
            None if options.nugget == NuggetChoice::Fixed(0.0) => None,
            None if matches!(options.nugget, NuggetChoice::Fixed(_)) => Some("--nugget"),
            None => Some("--estimate-nugget"),
        };
        if let Some(other) = other {
            return Err(refused(format!("{name} has both --grid and {other}: choose one")));
        }
        let with = |value: f64| {
            let mut options = options.clone();
            match options.fixed.get_mut(index) {
                Some(fixed) => {
                    *fixed = Some(value);
                    let mut values = covariance.defaults();
                    values[index] = value;
                    covariance.check(&values).map_err(|error| wrong(error.to_string()))?;
                }
                None if value >= 0.0 => options.nugget = NuggetChoice::Fixed(value),
                None => return Err(wrong(format!("a nugget of {value} is below 0"))),
            }
            Ok((value, options))
        };
        let each = values_of(name, values.trim())?.into_iter().map(with).collect::<Result<_>>()?;
        Ok(Self { parameter: name, each })
    }

    /// What the first of the fits is to be, of which all have as many parameters.
    pub(super) fn first(&self) -> &FitOptions {
        &self.each[0].1
    }

    /// How many fits there are.
    pub(super) fn len(&self) -> usize {
        self.each.len()
    }

    /// Whether each of them has noise, known by its nugget.
    pub(super) fn has_nugget(&self) -> bool {
        self.parameter == "nugget" && self.each[0].0 > 0.0
    }
}

/// The values of a grid of the parameter `name`, in order.
fn values_of(name: &str, text: &str) -> Result<Vec<f64>> {
    let number_of = |text: &str| parse_number("--grid", name, text.trim());
    let mut values = match text.split(':').collect::<Vec<_>>()[..] {
        [low, high, count] => {
            let (low, high) = (number_of(low)?, number_of(high)?);
            let count = count.trim().parse().ok().filter(|count| (2..=MOST).contains(count));
            let Some(count) = count.filter(|_| low < high) else {
                return Err(refused(format!(
                    "--grid: {name}={text} is no grid: LOW:HIGH:COUNT goes from the lower value to \
                     the higher one in 2 to {MOST} values"
                )));
            };
            let at = |k: usize| low + (high - low) * k as f64 / (count - 1) as f64;
            (0..count - 1).map(at).chain([high]).collect()
        }
        _ => text.split(',').map(number_of).collect::<Result<Vec<f64>>>()?,
    };
    values.sort_by(f64::total_cmp);
    match values.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(refused(format!("--grid: {name}={} is given twice", pair[0]))),
        None if values.len() > MOST => {
            Err(refused(format!("--grid: {} values are more than {MOST}", values.len())))
        }
        None => Ok(values),
    }
}

impl Fit {
    /// Fits with every value of `grid`, as many at once as keep the workers busy. Says what came of
    /// it and how many seconds it took; the likeliest fit, if it gets the `journal`, then needs no
    /// evaluations.
    pub(super) fn over_grid<T: Real>(
        &self,
        grid: &Grid,
        with: Searches<'_>,
        journal: &mut Journal,
    ) -> Result<(Profile, f64)> {
        let (observations, covariance) = (&with.data.observations, self.covariance.covariance);
        let at_once = self.contexts.at_once(&with.setup.run, grid.len(), observations.len())?;
        let search = |number: usize,
                      likelihood: &mut dyn Evaluate,
                      journal: &mut Journal,
                      between: &mut Between<'_>| {
            let options = &grid.each[number].1;
            let options = &FitOptions { profile_intervals: false, ..options.clone() };
            let found = fit_from(likelihood, observations, covariance, options, journal, between);
            match found {
                Ok(fit) => Ok(Some(Best::of(fit))),
                Err(FitError::Start(_)) => Ok(None),
                Err(error) => Err(error),
            }
        };
        let how = (grid.len(), at_once, "values");
        let (found, seconds) = self.search_side_by_side::<T, _>(with, how, search, journal)?;
        // A fit that was interrupted is gone on with, which tells of it.
        let interrupted = found.iter().position(Option::is_none);
        let values = grid.each.iter().map(|(value, _)| *value);
        let points = values.zip(found).map(|(value, best)| Point { value, best: best.flatten() });
        let points: Vec<Point> = points.collect();
        let Some(kept) = interrupted.or_else(|| likeliest(&points)) else {
            return Err(anyhow!(
                "the likelihood has no value with any {} of --grid: the covariance matrix is \
                 singular; take other values, or a nugget",
                grid.parameter
            ));
        };
        let kept = grid.each[kept].1.clone();
        Ok((Profile { parameter: grid.parameter, points, kept }, seconds))
    }
}

/// The place of the likeliest of the points.
fn likeliest(points: &[Point]) -> Option<usize> {
    let loglik = |place: &usize| points[*place].best.as_ref().map(|best| best.loglik);
    let places = (0..points.len()).filter(|place| loglik(place).is_some());
    places.max_by(|a, b| loglik(a).partial_cmp(&loglik(b)).expect("they are numbers"))
}

impl Profile {
    /// Evaluations of all fits.
    pub(crate) fn evaluations(&self) -> usize {
        self.points.iter().flat_map(|point| &point.best).map(|best| best.evaluations).sum()
    }

    /// A row for each value: the log-likelihood, to which `log_jacobian` is added, what it is less
    /// than the greatest, and the estimates.
    pub(crate) fn table(&self, log_jacobian: f64) -> Table {
        let best = likeliest(&self.points).and_then(|place| self.points[place].best.as_ref());
        let parameters = best.map_or(&[][..], |best| best.model.covariance.parameters);
        let options = &self.kept;
        let free = |place: &usize| options.fixed[*place].is_none();
        let free: Vec<usize> = (0..parameters.len()).filter(free).collect();
        let has_nugget = matches!(options.nugget, NuggetChoice::Estimated { .. });
        let names = free.iter().map(|&place| parameters[place].name);
        let names = names.chain(has_nugget.then_some("nugget")).map(|name| (name, Align::Right));
        let head = [self.parameter, "log-likelihood", "less"].map(|name| (name, Align::Right));
        let mut table = Table::new(&head.into_iter().chain(names).collect::<Vec<_>>());
        let greatest = best.map_or(0.0, |best| best.loglik);
        for point in &self.points {
            let mut row = vec![number(point.value, 6)];
            match &point.best {
                Some(Best { model, loglik, converged, .. }) => {
                    let mark = if *converged { "" } else { " *" };
                    row.push(number(loglik + log_jacobian, 9) + mark);
                    row.push(number(greatest - loglik, 4));
                    row.extend(free.iter().map(|&place| number(model.values[place], 5)));
                    row.extend(has_nugget.then(|| number(model.nugget, 5)));
                }
                None => row.push("none".to_owned()),
            }
            row.resize(3 + free.len() + usize::from(has_nugget), String::new());
            table.row(row);
        }
        table
    }

    /// What the user should know, if some fits have no likelihood, did not converge, or the best is
    /// at an end.
    pub(crate) fn remark(&self) -> Option<String> {
        let (name, last) = (self.parameter, self.points.len() - 1);
        let converged = |point: &&Point| point.best.as_ref().is_some_and(|best| best.converged);
        let not_converged = self.points.len() - self.points.iter().filter(converged).count();
        if not_converged > 0 {
            return Some(format!(
                "--grid: with {not_converged} of {} values of {name} the search did not converge \
                 (marked *) or has no likelihood (none)",
                last + 1
            ));
        }
        let place = likeliest(&self.points).filter(|place| [0, last].contains(place))?;
        Some(format!(
            "--grid: {name} = {} is at the end of the grid: the maximum may lie beyond",
            self.points[place].value
        ))
    }

    /// As JSON; `log_jacobian` is added to log-likelihoods.
    pub(crate) fn json(&self, log_jacobian: f64) -> Value {
        let point = |point: &Point| match &point.best {
            Some(best) => json!({
                "value": point.value,
                "loglik": best.loglik + log_jacobian,
                "params": parameters_json(&best.model),
                "nugget": best.model.nugget,
                "converged": best.converged,
                "evaluations": best.evaluations,
            }),
            None => json!({ "value": point.value, "loglik": null }),
        };
        let points: Vec<Value> = self.points.iter().map(point).collect();
        json!({ "parameter": self.parameter, "points": points })
    }
}
