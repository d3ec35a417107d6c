//! Empirical variograms with the model's semivariances: of each variable, of each two of them, and
//! in time.

use std::collections::HashMap;

use serde_json::Value;
use tegula_exageostat::variogram::{
    self as library, Options, Variogram, model_semivariance_of, subset,
};
use tegula_figures::chart::{Chart, Layer, chart};
use tegula_figures::html::captioned;
use tegula_kernels::geometry::{Geometry, Points};

use super::super::variogram::MOST_POINTS;
use super::Page;
use super::fields::{Field, fields};
use crate::output::{count, number};

/// Points of the line of the model.
const STEPS: usize = 120;
/// A level farther than so many times all that is seen would hide it.
const FAR: f64 = 1.3;

/// What pairs of observations are apart by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Apart {
    /// Distance, at the same time where there is time.
    Distance,
    /// Time, at the same place.
    Time,
}

/// A variogram to be drawn.
struct Sort<'a> {
    page: &'a Page<'a>,
    /// The fields it is of, which may be the same.
    fields: [&'a Field<'a>; 2],
    /// Their variables.
    pair: [usize; 2],
    apart: Apart,
}

/// The figures, or lines that say why there is none.
pub(super) fn variograms(page: &Page<'_>) -> String {
    let all = fields(page.data);
    let (variables, has_time) = (page.data.variables(), page.data.coordinates.time().is_some());
    let pairs = (0..variables).flat_map(|p| (p..variables).map(move |q| [p, q]));
    let aparts = [Some(Apart::Distance), has_time.then_some(Apart::Time)];
    let sorts = pairs.flat_map(|pair| {
        let fields = pair.map(|variable| &all[variable]);
        aparts.into_iter().flatten().map(move |apart| Sort { page, fields, pair, apart })
    });
    let residuals = residuals(page);
    let figure = |sort: Sort<'_>| match residuals.clone().and_then(|all| sort.empirical(&all)) {
        Ok((found, of)) => sort.figure(&found, of),
        Err(why) => captioned(&sort.title(), "", &format!("None: {why}.")),
    };
    sorts.map(figure).collect()
}

/// What the fitted mean leaves of each field, or why that is not known.
fn residuals(page: &Page<'_>) -> Result<Vec<Vec<f64>>, String> {
    let numbers = page.file.value["mean"]["coefficients"].as_array();
    let coefficients: Vec<f64> = numbers.into_iter().flatten().filter_map(Value::as_f64).collect();
    page.data.residuals(&coefficients).ok_or_else(|| {
        "the model's coefficients are not those of its mean on these data".to_owned()
    })
}

/// How many observations a variogram is of, and how many there are.
struct Of {
    used: usize,
    all: usize,
}

impl Sort<'_> {
    /// The variogram of `residuals`, those of replicates averaged.
    fn empirical(&self, residuals: &[Vec<f64>]) -> Result<(Variogram, Of), String> {
        let all = self.observations();
        let chosen = subset(all.len(), MOST_POINTS, self.page.seed);
        let [first, second] = [0, 1]
            .map(|side| -> Vec<usize> { chosen.iter().map(|&place| all[place][side]).collect() });
        let points = &self.page.data.observations.points;
        let has_time = self.page.data.coordinates.time().is_some();
        let times: Vec<f64> = match has_time {
            true => first.iter().map(|&i| points.mark(0)[i]).collect(),
            false => Vec::new(),
        };
        let places = match self.apart {
            Apart::Distance => points.select(&first),
            Apart::Time => Points::new(Geometry::Line, &[&times]).map_err(|e| e.to_string())?,
        };
        let counts = |a: usize, b: usize| match self.apart {
            Apart::Distance => !has_time || times[a] == times[b],
            Apart::Time => points.point(first[a]) == points.point(first[b]),
        };
        let product = |field: &Vec<f64>, a: usize, b: usize| {
            (field[first[a]] - field[first[b]]) * (field[second[a]] - field[second[b]])
        };
        let mean = |a: usize, b: usize| {
            let sum: f64 = residuals.iter().map(|field| product(field, a, b)).sum();
            counts(a, b).then_some(sum / residuals.len() as f64)
        };
        // Times are few: of a third of them, as of distances, hardly a point would be left.
        let span = times.iter().fold([f64::MAX, f64::MIN], |[a, b], &t| [a.min(t), b.max(t)]);
        let half = 0.5 * (span[1] - span[0]);
        let cutoff = (self.apart == Apart::Time && half > 0.0).then_some(half);
        let options = Options { cutoff, ..Options::default() };
        let found = library::variogram_of(&places, &options, mean);
        Ok((found.map_err(|e| e.to_string())?, Of { used: chosen.len(), all: all.len() }))
    }

    /// The numbers of the observations of both fields, which are of the same rows.
    fn observations(&self) -> Vec<[usize; 2]> {
        let rows = &self.page.data.rows;
        let [first, second] = self.fields;
        let by_row: HashMap<usize, usize> = second.of.iter().map(|&i| (rows[i], i)).collect();
        let both = |&i: &usize| by_row.get(&rows[i]).map(|&j| [i, j]);
        first.of.iter().filter_map(both).collect()
    }

    fn is_cross(&self) -> bool {
        self.pair[0] != self.pair[1]
    }

    fn title(&self) -> String {
        let [first, second] = self.fields.map(|field| field.name);
        let name = match (self.is_cross(), self.page.data.variables()) {
            (true, _) => format!("Cross-variogram of {first} and {second}"),
            (false, 1) => "Variogram".to_owned(),
            (false, _) => format!("Variogram of {first}"),
        };
        match (self.apart, self.page.data.coordinates.time()) {
            (Apart::Time, _) => format!("{name} in time, at one place"),
            (Apart::Distance, Some(_)) => format!("{name} in space, at one time"),
            (Apart::Distance, None) => name,
        }
    }

    /// The model's semivariances up to a distance or a time, a line for each direction that it has,
    /// the longest range, which is lowest, first; with the names of the directions.
    fn model(&self, cutoff: f64) -> Vec<(String, Vec<(f64, f64)>)> {
        let model = &self.page.file.model;
        let step = cutoff / STEPS as f64;
        // The first point is beside 0, where the nugget stands.
        let steps = || (0..=STEPS).map(|k| if k == 0 { 1e-6 * step } else { k as f64 * step });
        if self.apart == Apart::Time {
            let value = |lag: f64| (lag, model_semivariance_of(model, self.pair, lag)(0.0));
            return vec![(String::new(), steps().map(value).collect())];
        }
        let semivariance = model_semivariance_of(model, self.pair, 0.0);
        let mut directions = model.covariance.principal(&model.values);
        directions.sort_by(|one, other| one.1.total_cmp(&other.1));
        let line = |times: f64| steps().map(|d| (d, semivariance(d * times))).collect();
        directions.into_iter().map(|(name, times)| (name, line(times))).collect()
    }

    /// What the model's semivariances come to far away.
    fn sill(&self) -> f64 {
        let model = &self.page.file.model;
        let nugget = if self.is_cross() { 0.0 } else { model.nugget };
        model.covariance.function_between(&model.values, self.pair, 0.0)(0.0) + nugget
    }

    /// The figure of what was `found`.
    fn figure(&self, found: &Variogram, of: Of) -> String {
        let points: Vec<(f64, f64)> =
            found.bins.iter().map(|bin| (bin.distance, bin.semivariance)).collect();
        let what = if self.apart == Apart::Time { "time" } else { "distance" };
        let words: Vec<String> = found
            .bins
            .iter()
            .map(|bin| {
                let (distance, value) = (number(bin.distance, 4), number(bin.semivariance, 4));
                format!("{} pairs, {what} {distance}, semivariance {value}", bin.pairs)
            })
            .collect();
        let (names, lines): (Vec<String>, Vec<_>) = self.model(found.cutoff).into_iter().unzip();
        let sill = self.sill();
        let seen = lines.iter().flatten().chain(&points).map(|point| point.1.abs());
        let is_near = sill.abs() <= FAR * seen.fold(0.0, f64::max);
        let mut layers: Vec<Layer<'_>> = lines.iter().map(|line| Layer::Line(line)).collect();
        layers.push(Layer::Points(&points, &words));
        if is_near {
            layers.insert(0, Layer::Level(sill, "sill"));
        }
        let unit = if self.apart == Apart::Time { "" } else { self.page.unit() };
        let x = match (self.apart, self.page.data.coordinates.time(), unit.trim()) {
            (Apart::Time, Some(time), _) => format!("difference of {time}"),
            (_, _, "") => what.to_owned(),
            (.., unit) => format!("{what} in {unit}"),
        };
        let with_y = if is_near { vec![0.0, sill] } else { vec![0.0] };
        let y = if self.is_cross() { "cross semivariance" } else { "semivariance" };
        let axes = (x.as_str(), y);
        let svg = chart(&Chart {
            x: axes.0,
            y: axes.1,
            with_x: &[0.0],
            with_y: &with_y,
            layers: &layers,
        });
        captioned(&self.title(), &svg, &self.words(found, &of, &names, unit))
    }

    /// What the figure shows.
    fn words(&self, found: &Variogram, of: &Of, directions: &[String], unit: &str) -> String {
        let page = self.page;
        let (line, along) = match directions {
            [_] => ("Line", String::new()),
            names => {
                ("Lines", format!(" {}, from the lowest line to the highest", names.join(", ")))
            }
        };
        let mut words = "Points: what the fitted mean leaves, by Matheron's estimator".to_owned();
        if self.is_cross() {
            words += &format!(", of {} that have both", count(of.all, "row"));
        }
        if self.apart == Apart::Distance {
            words += ", in all directions";
        }
        let bins = found.bins.len();
        words += &format!(", up to {}{unit} in {bins} bins.", number(found.cutoff, 4));
        words += &format!(" {line}: the model{along}");
        if !self.is_cross() {
            words += &format!(", nugget {} included", number(page.file.model.nugget, 4));
        }
        words += ".";
        if of.used < of.all {
            let (used, all, seed) = (of.used, of.all, page.seed);
            words += &format!(" Of {used} of the {all} observations, at random with seed {seed}.");
        }
        match page.data.values.replicates() {
            1 => {}
            all => words += &format!(" The mean of {all} replicates."),
        }
        words + page.scale()
    }
}
