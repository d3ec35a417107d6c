//! The files of a plan: owners that runs can use, and pictures.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use tegula_files::WriteError;
use tegula_plan::distribution::OwnerMap;
use tegula_plan::distribution::bounds::imbalance;
use tegula_tiles::Storage;
use tegula_traces::plot::{Curve, Curves, curves, owners};

use super::judge::Bounds;
use super::report::Case;
use crate::error::refused;
use crate::output::write_file;

/// Names of all files that a plan may leave in its folder.
pub(crate) static RESULTS: [&str; 6] = [
    "generation.csv",
    "generation.svg",
    "factorization.csv",
    "factorization.svg",
    "balance.svg",
    "iterations.svg",
];

impl Case {
    /// Writes owners and pictures into `folder`, and says how many files these are.
    pub(super) fn write(&self, folder: &Path) -> Result<usize> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut files: Vec<(String, String)> = Vec::new();
        for (phase, map) in self.phases() {
            files.push((format!("{phase}.csv"), map.to_csv()));
            files.push((format!("{phase}.svg"), self.picture(phase, map)));
        }
        if let Some(bounds) = &self.verdict.bounds {
            files.push(("balance.svg".to_owned(), self.balance(bounds)));
            files.push(("iterations.svg".to_owned(), self.iterations(bounds)));
        }
        for (name, text) in &files {
            debug_assert!(RESULTS.contains(&name.as_str()), "{name} is not listed");
            write(&folder.join(name), text)?;
        }
        Ok(files.len())
    }

    /// Draws the owners of the last phase.
    pub(super) fn plot(&self, path: &Path) -> Result<()> {
        let Some(map) = &self.maps.last else {
            let program = self.workload.name;
            return Err(refused(format!(
                "--plot: tiles of {program} are dealt out as they are read"
            )));
        };
        write(path, &self.picture("factorization", map))
    }

    /// The maps, by phase.
    fn phases(&self) -> impl Iterator<Item = (&'static str, &OwnerMap)> {
        let earlier = self.maps.earlier.iter().map(|map| ("generation", map));
        earlier.chain(self.maps.last.iter().map(|map| ("factorization", map)))
    }

    fn title(&self, what: &str) -> String {
        let (program, maps, cluster) = (self.workload.name, &self.maps.name, &self.cluster.name);
        format!("{what} of {program} on {cluster}, {maps}")
    }

    fn picture(&self, phase: &str, map: &OwnerMap) -> String {
        let kinds: Vec<&str> =
            self.cluster.nodes.iter().map(|node| node.platform.name.as_str()).collect();
        let is_there = |i: usize, j: usize| map.storage() == Storage::Full || i >= j;
        let owner = |i: usize, j: usize| is_there(i, j).then(|| map.owner(i, j));
        owners(
            &self.title(&format!("Owners in the {phase}")),
            (map.rows(), map.columns()),
            &kinds,
            owner,
        )
    }

    /// How far apart the nodes are: the sums of their area bounds up to each iteration.
    fn balance(&self, bounds: &Bounds) -> String {
        let along = |value: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
            (0..bounds.cumulative.len()).map(|k| (k as f64, value(k))).collect()
        };
        let ranks = self.cluster.nodes.len();
        let lines: Vec<_> = (0..ranks).map(|rank| along(&|k| bounds.cumulative[k][rank])).collect();
        let apart = imbalance(&bounds.cumulative);
        let apart = along(&|k| apart[k]);
        let mut all: Vec<Curve<'_>> =
            lines.iter().map(|points| Curve { name: "", points, is_faint: true }).collect();
        all.push(Curve { name: "most less least", points: &apart, is_faint: false });
        curves(&Curves {
            title: &self.title("Work of the nodes up to each iteration"),
            x: "iteration",
            y: "cumulated area bound of each node [s]",
            curves: &all,
            borders: &[],
        })
    }

    /// The bounds of each iteration.
    fn iterations(&self, bounds: &Bounds) -> String {
        let along = |value: &dyn Fn(&(f64, f64)) -> f64| -> Vec<(f64, f64)> {
            bounds
                .of_iterations
                .iter()
                .enumerate()
                .map(|(k, both)| (k as f64, value(both)))
                .collect()
        };
        let (all, worst) = (along(&|both| both.0), along(&|both| both.1));
        curves(&Curves {
            title: &self.title("Bounds of each iteration"),
            x: "iteration",
            y: "area bound [s]",
            curves: &[
                Curve { name: "all workers", points: &all, is_faint: false },
                Curve { name: "node that takes longest", points: &worst, is_faint: false },
            ],
            borders: &[],
        })
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    write_file::<WriteError>(path, |out| Ok(out.write_all(text.as_bytes())?))
}
