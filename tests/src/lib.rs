//! What several of the tests need: the samples, the reference answers, engines to run on.

pub mod dense;
pub mod plain;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use serde_json::Value;
use tegula_exageostat::design::Design;
use tegula_exageostat::likelihood::{Likelihood, Overlap};
use tegula_exageostat::observations::Observations;
use tegula_files::Table;
use tegula_kernels::error::CODEC;
use tegula_kernels::geometry::{Geometry, Points};
use tegula_runtime::comm::{Local, World};
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::ranks::Owners;

/// The root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("a crate in a workspace").to_owned()
}

/// A table of `data/samples`.
#[must_use]
pub fn sample(name: &str) -> Table {
    table(root().join("data/samples").join(name))
}

/// A table of reference answers.
#[must_use]
pub fn answer_table(name: &str) -> Table {
    table(root().join("tests/answers").join(name))
}

fn table(path: PathBuf) -> Table {
    Table::read(&path).unwrap_or_else(|error| panic!("{error}"))
}

/// A file of reference answers.
#[must_use]
pub fn answers(name: &str) -> Value {
    let path = root().join("tests/answers").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("the answers are JSON")
}

/// The numbers of a JSON list.
#[must_use]
pub fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("{value} is not a list"));
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// The column called `name`.
#[must_use]
pub fn column(table: &Table, name: &str) -> Vec<f64> {
    let index = table.find(name).unwrap_or_else(|error| panic!("{error}"));
    table.numbers(index).unwrap_or_else(|error| panic!("{error}")).to_vec()
}

/// Places in the plane from two columns.
#[must_use]
pub fn plane(table: &Table, x: &str, y: &str) -> Points {
    let (x, y) = (column(table, x), column(table, y));
    Points::new(Geometry::Plane, &[&x, &y]).unwrap_or_else(|error| panic!("{error}"))
}

/// Set a: 1600 places, mean zero.
#[must_use]
pub fn synthetic() -> Observations {
    let table = sample("a_synth1600.csv");
    let values = column(&table, "z");
    Observations::new(plane(&table, "x", "y"), values.clone(), Design::zero(values.len()))
}

/// A flow on `workers` threads of this machine.
#[must_use]
pub fn flow(workers: usize) -> Flow {
    Flow::new(Exec::new(ExecOptions::new(workers)), FlowOptions::default())
}

/// The likelihood of `observations` on two workers, in tiles of order `nb`.
#[must_use]
pub fn likelihood(observations: &Observations, nb: usize) -> Likelihood<f64> {
    Likelihood::new(flow(2), observations, nb, Overlap::default())
}

/// # Panics
/// If `x` and `y` differ by more than `tolerance` relative to `y`.
#[track_caller]
pub fn assert_close(x: f64, y: f64, tolerance: f64, what: &str) {
    let error = (x - y).abs() / y.abs().max(f64::MIN_POSITIVE);
    assert!(
        error <= tolerance,
        "{what}: {x} against {y}, relative difference {error:.2e} > {tolerance:.0e}"
    );
}

/// Runs `body` on each of `ranks` ranks that are threads, with data that `owners` deal out.
///
/// # Panics
/// With a rank that panicked.
#[must_use]
pub fn over_ranks<T: Send>(
    ranks: usize,
    owners: &Arc<dyn Owners>,
    body: impl Fn(Flow) -> T + Sync,
) -> Vec<T> {
    let run = |end: Local| {
        let world = Some(World::new(Box::new(end)));
        let options = FlowOptions { codec: CODEC, ..FlowOptions::default() };
        let mut flow = Flow::new(Exec::new(ExecOptions { world, ..ExecOptions::new(1) }), options);
        flow.set_owners(owners.clone());
        body(flow)
    };
    let run = &run;
    thread::scope(|scope| {
        let ends = Local::connect(ranks).into_iter();
        let ranks: Vec<_> = ends.map(|end| scope.spawn(move || run(end))).collect();
        ranks.into_iter().map(|rank| rank.join().expect("a rank panicked")).collect()
    })
}
