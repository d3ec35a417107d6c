//! `--against`: the likelihood-ratio test of two models, one a special case of the other.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use tegula_exageostat::assess::RatioTest;
use tegula_exageostat::covariance::Parameter;
use tegula_exageostat::design::Design;
use tegula_exageostat::transform::Transform;

use super::{Assess, Fitted};
use crate::error::refused;
use crate::exageostat::data::Data;
use crate::exageostat::model_file::ModelFile;
use crate::exageostat::plain;
use crate::output::{Console, count, number};

/// Covariances that are others with a parameter fixed: the special one, the general one, which
/// parameter and where; the others mean the same in both.
const SPECIAL_CASES: [(&str, &str, &str, f64); 3] = [
    ("exponential", "matern", "smoothness", 0.5),
    ("exponential", "matern-scaled", "smoothness", 0.5),
    ("exponential", "powered-exponential", "power", 1.0),
];

/// Share of its length that a column may leave beside columns that it is a combination of.
const ROUNDING: f64 = 1e-8;

/// Share of a log-likelihood by which that of the general model may be less: both are searched.
const SEARCHED: f64 = 1e-8;

/// Probability below which the special case is given up, in words.
const LEVEL: f64 = 0.05;

/// What the special case fixes.
struct Constraint {
    text: String,
    is_at_boundary: bool,
}

/// A fitted model with its file and the columns of its mean.
struct Side<'a> {
    path: &'a Path,
    file: &'a ModelFile,
    fitted: &'a Fitted,
    design: &'a Design,
    /// Replicates, each with a mean of its own.
    replicates: usize,
}

/// The test in words and numbers.
pub(super) struct Done {
    general: PathBuf,
    special: PathBuf,
    logliks: [f64; 2],
    parameters: [usize; 2],
    constraints: Vec<Constraint>,
    test: RatioTest,
}

impl Assess {
    /// The test of the model, whose data are these, against the one that flags name, if they do.
    ///
    /// # Errors
    /// If they cannot be compared, with the reason.
    pub(super) fn against(&self, file: &ModelFile, data: &Data) -> Result<Option<Done>> {
        let Some(path) = &self.against else { return Ok(None) };
        let other = ModelFile::read(path)?;
        let refuse = |why: &str| {
            let (one, other) = (self.model.display(), path.display());
            refused(format!("--against: {one} and {other} cannot be compared: {why}"))
        };
        check_alike(file, &other).map_err(|why| refuse(&why))?;
        let (table, coordinates) = (data.table.clone(), data.coordinates.clone());
        let drop_missing = other.drop_missing || self.drop_missing;
        let (values, mean) = (data.values.clone(), other.mean.clone());
        let its = Data::from_table(table, coordinates, values, mean, drop_missing)?;
        if its.rows != data.rows {
            return Err(refuse("their means leave out different rows, so their data differ"));
        }
        let [one, two] = [(&self.model, file, data), (path, &other, &its)].map(
            |(path, file, data): (&PathBuf, &ModelFile, &Data)| {
                let fitted = file.fitted.as_ref().ok_or_else(|| {
                    let path = path.display();
                    refused(format!("--against: {path} does not say what was estimated: fit again"))
                })?;
                Ok::<_, anyhow::Error>((path, file, fitted, data.observations.design.clone()))
            },
        );
        let (one, two) = (one?, two?);
        let replicates = data.values.replicates();
        let side = |(path, file, fitted, design)| Side { path, file, fitted, design, replicates };
        let sides = [side((one.0, one.1, one.2, &one.3)), side((two.0, two.1, two.2, &two.3))];
        compare(sides).map(Some).map_err(|failure| match failure {
            Failure::NotNested(why) => refuse(&why),
            Failure::NoMaximum(why) => anyhow!("--against: {why}"),
        })
    }
}

/// Why there is no test.
enum Failure {
    /// Neither is a special case of the other.
    NotNested(String),
    /// The general one is less likely than its special case.
    NoMaximum(String),
}

/// Refuses models of other data, or with likelihoods of another kind.
fn check_alike(one: &ModelFile, other: &ModelFile) -> Result<(), String> {
    let is_reml = |file: &ModelFile| file.fitted.as_ref().is_some_and(|f| f.is_restricted);
    let n = |file: &ModelFile| file.fitted.as_ref().map(|fitted| fitted.n);
    if one.digest != other.digest || n(one) != n(other) {
        return Err("they were fitted to different data".to_owned());
    }
    if (&one.values, one.are_replicates) != (&other.values, other.are_replicates) {
        return Err(format!("their values are {} and {}", one.values, other.values));
    }
    if one.coords != other.coords || one.time != other.time || one.distance != other.distance {
        return Err("their coordinates or their distances differ".to_owned());
    }
    if one.method != other.method {
        return Err("their likelihoods are computed by different methods".to_owned());
    }
    if is_reml(one) != is_reml(other) {
        return Err("one is a fit by ML, the other by REML".to_owned());
    }
    Ok(())
}

/// Parameters that a model has estimated.
fn free(side: &Side<'_>) -> usize {
    let mean = if side.fitted.is_restricted { 0 } else { side.replicates * side.design.columns() };
    side.fitted.estimated.len() + mean
}

/// The test of two models, one of which is to be a special case of the other.
fn compare(sides: [Side<'_>; 2]) -> Result<Done, Failure> {
    let [one, two] = &sides;
    let is_same_mean = spans(one.design, two.design) && spans(two.design, one.design);
    if one.fitted.is_restricted && !is_same_mean {
        return Err(Failure::NotNested(
            "restricted likelihoods compare only models of the same mean: fit both without --reml"
                .to_owned(),
        ));
    }
    let (general, special) = match free(one).cmp(&free(two)) {
        std::cmp::Ordering::Greater => (one, two),
        std::cmp::Ordering::Less => (two, one),
        std::cmp::Ordering::Equal => {
            return Err(Failure::NotNested(format!(
                "both estimate {}, so that neither is a special case of the other; AIC and BIC \
                 compare them",
                count(free(one), "parameter")
            )));
        }
    };
    let nested = |why: String| {
        let (special, general) = (special.path.display(), general.path.display());
        Failure::NotNested(format!("{special} is no special case of {general}: {why}"))
    };
    let constraints = constraints(special, general).map_err(nested)?;
    let logliks = [general.fitted.loglik, special.fitted.loglik];
    if logliks[0] < logliks[1] - SEARCHED * logliks[1].abs().max(1.0) {
        return Err(Failure::NoMaximum(format!(
            "{} is less likely than its special case {}, so its fit has not found the maximum: fit it \
             again, with --starts or --start",
            general.path.display(),
            special.path.display()
        )));
    }
    let at_boundary = constraints.iter().filter(|one| one.is_at_boundary).count();
    let test =
        RatioTest::new(logliks[0].max(logliks[1]), logliks[1], constraints.len(), at_boundary);
    Ok(Done {
        general: general.path.to_owned(),
        special: special.path.to_owned(),
        logliks,
        parameters: [free(general), free(special)],
        constraints,
        test,
    })
}

/// Whether the columns of `inner` are combinations of those of `outer`.
fn spans(outer: &Design, inner: &Design) -> bool {
    (0..inner.columns()).all(|j| {
        let rest = outer.residuals(inner.q(j));
        rest.iter().map(|x| x * x).sum::<f64>().sqrt() <= ROUNDING
    })
}

/// What a special case fixes of a general model, or why it is none.
fn constraints(special: &Side<'_>, general: &Side<'_>) -> Result<Vec<Constraint>, String> {
    if !spans(general.design, special.design) {
        return Err("its mean has columns that the other's are no combinations of".to_owned());
    }
    let (ours, theirs) = (special.file.model.covariance, general.file.model.covariance);
    let listed = SPECIAL_CASES.iter().find(|case| case.0 == ours.name && case.1 == theirs.name);
    let mut fixed: Vec<(&str, f64)> =
        listed.map(|&(_, _, name, value)| (name, value)).into_iter().collect();
    // The range of a powered exponential is another with directions.
    if theirs.name == format!("{}:anisotropic", ours.name) && ours.name != "powered-exponential" {
        fixed = vec![("ratio", 1.0), ("angle", 0.0)];
    }
    if ours.name != theirs.name && fixed.is_empty() {
        return Err(match lost_terms(ours.name, theirs.name) {
            Some(variances) => format!(
                "{} is {} with {variances} = 0, the end of what a variance can be, where the other \
                 parameters of that term mean nothing: the statistic is not chi-squared there; AIC \
                 and BIC compare them",
                ours.name, theirs.name
            ),
            None => format!("{} is no special case of {}", ours.name, theirs.name),
        });
    }
    let mut found = Vec::new();
    for (place, parameter) in theirs.parameters.iter().enumerate() {
        let value = general.file.model.values[place];
        let own = fixed.iter().find(|(name, _)| *name == parameter.name).map(|(_, value)| *value);
        let place = ours.parameters.iter().position(|other| other.name == parameter.name);
        let own = own.or_else(|| place.map(|place| special.file.model.values[place]));
        let own = own.ok_or_else(|| format!("{} has no {}", ours.name, parameter.name))?;
        // Ratio 1 is no end: beyond it the angle is another, and both are as two parameters are.
        let is_end = |value: f64, Parameter { most, name, .. }: &Parameter| {
            value == *most && *name != "ratio"
        };
        let is_angle_free = special.fitted.estimated.iter().any(|name| name == "angle");
        if (parameter.name, own, is_angle_free) == ("ratio", 1.0, true) {
            return Err("at ratio 1 its angle tells nothing: fix that, too".to_owned());
        }
        found.extend(constraint(
            parameter.name,
            (special, own),
            (general, value),
            is_end(own, parameter),
        )?);
    }
    let (own, value) = (special.file.model.nugget, general.file.model.nugget);
    found.extend(constraint("nugget", (special, own), (general, value), own == 0.0)?);
    found.extend(of_transform(special, general)?);
    let columns = general.design.columns() - special.design.columns();
    let missing = |name: &&String| !special.design.names().contains(name);
    let names: Vec<&String> = general.design.names().iter().filter(missing).collect();
    let all = (0..general.replicates).flat_map(|_| 0..columns);
    found.extend(all.map(|k| Constraint {
        text: match names.get(k).filter(|_| names.len() == columns) {
            Some(name) => format!("no {name} in the mean"),
            None => "a column less in the mean".to_owned(),
        },
        is_at_boundary: false,
    }));
    Ok(found)
}

/// The variances of the sum `theirs` that are 0 where it is `ours`, in words; none where some term
/// of `ours` is none of the sum.
fn lost_terms(ours: &str, theirs: &str) -> Option<String> {
    let mut left: Vec<(usize, &str)> = (1..).zip(theirs.split('+')).collect();
    for term in ours.split('+') {
        // The last, so that the variances that are named are the first ones.
        let place = left.iter().rposition(|(_, other)| *other == term)?;
        left.remove(place);
    }
    let names: Vec<String> = left.iter().map(|(number, _)| format!("variance{number}")).collect();
    (!names.is_empty()).then(|| names.join(" and "))
}

/// What is fixed of a parameter, which has these values.
fn constraint(
    name: &str,
    (special, own): (&Side<'_>, f64),
    (general, value): (&Side<'_>, f64),
    is_at_boundary: bool,
) -> Result<Option<Constraint>, String> {
    let is_free = |side: &Side<'_>| side.fitted.estimated.iter().any(|other| other == name);
    match (is_free(special), is_free(general)) {
        (true, true) => Ok(None),
        (false, true) => {
            Ok(Some(Constraint { text: format!("{name} = {}", plain(own)), is_at_boundary }))
        }
        (true, false) => Err(format!("it estimates {name}, which the other fixes")),
        (false, false) if (own - value).abs() <= f64::EPSILON * value.abs() => Ok(None),
        (false, false) => Err(format!("they fix {name} at {} and {}", plain(own), plain(value))),
    }
}

/// What is fixed of the transformation.
fn of_transform(special: &Side<'_>, general: &Side<'_>) -> Result<Option<Constraint>, String> {
    let is_free = |side: &Side<'_>| side.fitted.estimated.iter().any(|name| name == "lambda");
    let own = special.file.transform;
    match (is_free(special), is_free(general)) {
        (true, true) => Ok(None),
        (true, false) => Err("it estimates lambda, which the other does not".to_owned()),
        (false, true) => match own {
            Transform::Log => Some(0.0),
            Transform::BoxCox(lambda) => Some(lambda),
            Transform::None | Transform::Sqrt | Transform::TukeyGh { .. } => None,
        }
        .map(|lambda| Constraint {
            text: format!("lambda = {}", plain(lambda)),
            is_at_boundary: false,
        })
        .map(Some)
        .ok_or_else(|| "write its transformation as box-cox:LAMBDA".to_owned()),
        (false, false) if own == general.file.transform => Ok(None),
        (false, false) => Err("their transformations differ".to_owned()),
    }
}

impl Done {
    /// What the test says.
    fn words(&self) -> String {
        let (general, special) = (self.general.display(), self.special.display());
        if self.test.p < LEVEL {
            format!("the data speak against {special}, for {general}")
        } else {
            format!("the data give no reason to prefer {general} to {special}")
        }
    }

    /// Prints it.
    pub(super) fn describe(&self, console: &Console) {
        let RatioTest { statistic, degrees, at_boundary, p } = self.test;
        let texts: Vec<&str> = self.constraints.iter().map(|one| one.text.as_str()).collect();
        console.line("");
        console.line("likelihood-ratio test");
        for (path, k) in [(&self.general, 0), (&self.special, 1)] {
            console.line(format_args!(
                "  {}: log-likelihood {}, {} estimated",
                path.display(),
                number(self.logliks[k], 10),
                count(self.parameters[k], "parameter"),
            ));
        }
        let special = self.special.display();
        console.line(format_args!("  {special} is the special case {}", texts.join(", ")));
        console.line(format_args!(
            "  twice the difference is {} on {}: p = {}{}",
            number(statistic, 6),
            match degrees {
                1 => "1 degree of freedom".to_owned(),
                degrees => format!("{degrees} degrees of freedom"),
            },
            number(p, 4),
            if at_boundary > 1 { " or less" } else { "" },
        ));
        if at_boundary == 1 {
            console.line(format_args!(
                "  by chi-squared with {} and with {degrees} degrees, half and half, since {} is at the end of \
                 its domain",
                degrees - 1,
                self.at_boundary().join(", ")
            ));
        }
        console.line(format_args!("  {} (at the level of 5 %)", self.words()));
    }

    /// The constraints at an end of a domain.
    fn at_boundary(&self) -> Vec<&str> {
        let ends = self.constraints.iter().filter(|one| one.is_at_boundary);
        ends.map(|one| one.text.as_str()).collect()
    }

    /// The same as JSON.
    pub(super) fn json(&self) -> Value {
        let texts: Vec<&str> = self.constraints.iter().map(|one| one.text.as_str()).collect();
        json!({
            "general": self.general.display().to_string(),
            "special": self.special.display().to_string(),
            "logliks": self.logliks,
            "parameters": self.parameters,
            "constraints": texts,
            "at_boundary": self.at_boundary(),
            "statistic": self.test.statistic,
            "df": self.test.degrees,
            "p": self.test.p,
            "words": self.words(),
        })
    }
}
