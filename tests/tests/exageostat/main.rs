//! Likelihoods, fits and krigings against the answers of independent tools (`tests/answers`).

mod assess;
mod composite;
mod directions;
mod draws;
mod dst;
mod fits;
mod kriging;
mod latent;
mod likelihood;
mod means;
mod mixed;
mod nested;
mod ranks;
mod replicates;
mod scores;
mod tlr;
mod vecchia;

use serde_json::Value;
use tegula_exageostat::covariance::{Covariance, find};
use tegula_exageostat::design::Design;
use tegula_exageostat::observations::Observations;
use tegula_files::Table;
use tegula_kernels::geometry::Geometry;
use tegula_tests::{column, numbers, root, sample};

fn covariance(name: &str) -> &'static Covariance {
    find(name).unwrap_or_else(|error| panic!("{error}"))
}

/// Values and nugget from a `theta` with or without a fourth entry.
fn split(theta: &Value) -> (Vec<f64>, f64) {
    let theta = numbers(theta);
    (theta[..3].to_vec(), theta.get(3).copied().unwrap_or(0.0))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// The Texas stations: places, temperature, and latitude as a column of the mean.
fn texas(constant: bool) -> (Table, Observations) {
    let table = sample("texas-wind.csv");
    let (latitude, longitude) = (column(&table, "latitude"), column(&table, "longitude"));
    let values = column(&table, "air_temperature_c");
    let points =
        tegula_kernels::geometry::Points::new(Geometry::GreatCircle, &[&latitude, &longitude])
            .expect("stations on the sphere");
    let n = values.len();
    let design = if constant {
        Design::constant(n)
    } else {
        let names = ["(Intercept)", "latitude"].map(str::to_owned).to_vec();
        Design::new(names, vec![vec![1.0; n], latitude], n).expect("independent columns")
    };
    (table, Observations::new(points, values, design))
}

/// Meuse, if the set-up has fetched it (it is under the GPL, so it is not part of the project).
#[allow(clippy::print_stderr)]
fn meuse() -> Option<Table> {
    let path = root().join("target/peers/meuse.csv");
    if path.exists() {
        return Some(Table::read(&path).unwrap_or_else(|error| panic!("{error}")));
    }
    eprintln!("SKIPPED: {} is not there; scripts/setup fetches it", path.display());
    None
}

/// Meuse in km, log zinc, with the mean that `design` makes of (sqrt(dist), values).
fn meuse_observations(
    table: &Table,
    design: impl FnOnce(Vec<f64>, &mut Vec<f64>) -> Design,
) -> Observations {
    let km = |name| column(table, name).iter().map(|x| x / 1000.0).collect::<Vec<f64>>();
    let points = tegula_kernels::geometry::Points::new(Geometry::Plane, &[&km("x"), &km("y")])
        .expect("in the plane");
    let mut values: Vec<f64> = column(table, "zinc").iter().map(|z| z.ln()).collect();
    let root_of_distance = column(table, "dist").iter().map(|d| d.sqrt()).collect();
    let design = design(root_of_distance, &mut values);
    Observations::new(points, values, design)
}

fn demeaned(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|z| *z -= mean);
}

fn with_sqrt_dist(dist: Vec<f64>, values: &[f64]) -> Design {
    let n = values.len();
    let names = ["(Intercept)", "sqrt(dist)"].map(str::to_owned).to_vec();
    Design::new(names, vec![vec![1.0; n], dist], n).expect("independent columns")
}
