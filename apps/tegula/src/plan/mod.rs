//! `tegula plan`: distributions of tiles over the nodes of a cluster, computed and judged.

mod judge;
mod maps;
mod report;
mod search;
mod write;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use tegula_plan::phases::PLACEMENTS;
use tegula_plan::platform::cluster::ClusterPlatform;

use crate::error::refused;
use crate::flags::{OutputFlags, PassFlags, distribution_help, distribution_page};
use crate::output::{Form, Progress, check_folder_to_make, check_form, check_output};
use crate::simulate::program::{Setting, Sizes, Spread, WORKLOADS, Workload};
use crate::simulate::{check_memory, platform_help, programs};
pub(crate) use maps::{Maps, NOTHING_READ, Reading};
pub(crate) use search::{Judged, fastest_kinds, judged, makespan};
pub(crate) use write::RESULTS;

/// Flags of `plan`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula plan lu --platform 14chetemi+7chifflet --tiles 100 --distribution 1d1d-c+s -o owners/
  tegula plan exageostat --platform 4chiclet+1chifflot --tiles 101 --distribution lp
  tegula plan posv-mixed --platform 4chifflet --tiles 40 --decisions 2r
  tegula exageostat loglik field.csv --params 1,0.1,0.5 --ranks local:2 \\
      --distribution file:owners/factorization.csv --generation file:owners/generation.csv")]
pub(crate) struct Plan {
    /// Program, or a routine that "tegula linalg --list" has
    #[arg(value_name = "PROGRAM", value_parser = programs(distributed()))]
    program: &'static Workload,
    #[arg(long, value_name = "NAME|SET|FILE", help = platform_help())]
    platform: PathBuf,
    /// Tiles along an edge
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    tiles: u32,
    /// Order of the tiles
    #[arg(long, value_name = "N", default_value_t = 960, value_parser = clap::value_parser!(u32).range(1..=65536))]
    tile_size: u32,
    #[command(flatten)]
    pass: PassFlags,
    #[arg(long, value_name = "NAME", help = plans_help(), long_help = plans_and_page())]
    distribution: Option<String>,
    /// Simulate so many maps of a factorisation, from 1d1d-c+s on each near the best so far, or up
    /// to so many plans of two phases, and take the one that ends first
    #[arg(long, value_name = "N", conflicts_with = "distribution", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    search: Option<u32>,
    /// What a run of a routine decided by the entries of its matrices, as "tegula linalg" tells it,
    /// to count its messages [default: what it decides for zeros]
    #[arg(long, value_name = "LETTERS", conflicts_with = "search")]
    decisions: Option<String>,
    /// Seed of the search
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Folder for owners of tiles, a CSV file for each phase, to be used with --distribution
    /// file:FILE, and pictures of them and of the balance of work
    #[arg(long = "output-folder", short = 'o', value_name = "DIR", help_heading = "Output")]
    output_folder: Option<PathBuf>,
    /// Picture of the owners in the last phase, as SVG
    #[arg(long, value_name = "FILE.svg", help_heading = "Output")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    output: OutputFlags,
}

/// Programs whose data can be distributed.
fn distributed() -> Vec<&'static Workload> {
    WORKLOADS.iter().filter(|workload| workload.spread != Spread::OneNode).collect()
}

/// What distributes tiles unless told otherwise.
const USUAL: &str = "what suits the nodes and the program";

/// Help of `--distribution` where phases can be planned: the names.
pub(crate) fn plans_help() -> String {
    let plans: Vec<&str> = PLACEMENTS.iter().map(|plan| plan.name).collect();
    format!("{}; of several phases: {}", distribution_help(USUAL), plans.join(", "))
}

/// The same at length.
pub(crate) fn plans_and_page() -> String {
    format!("{}\n{}", distribution_page(USUAL), plans_page())
}

/// A line for each plan of several phases.
pub(crate) fn plans_page() -> String {
    let plans = PLACEMENTS.iter().map(|plan| format!("- {}: {}", plan.name, plan.summary));
    plans.collect::<Vec<_>>().join("\n")
}

impl Plan {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        if let Some(folder) = &self.output_folder {
            check_folder_to_make(folder).map_err(|reason| refused(format!("-o: {reason}")))?;
        }
        if let Some(path) = &self.plot {
            check_output(path).map_err(|reason| refused(format!("--plot: {reason}")))?;
            check_form("--plot", path, Form::Picture)?;
        }
        let workload = self.program;
        let cluster = ClusterPlatform::find(&self.platform)?;
        let sizes = Sizes {
            width: self.pass.width as usize,
            passes: self.pass.passes as usize,
            seed: self.seed,
            ..Sizes::new(self.tiles as usize, self.tile_size as usize)
        };
        let decisions = self.decisions.as_deref().map(|text| workload.read_decisions(text));
        let decisions = decisions.transpose()?;
        let mut setting = Setting { decisions, ..Setting::new(sizes) };
        let reading = self.pass.reading(workload.products(&setting));
        let cluster = reading.on(cluster);
        let (maps, found) = match self.search {
            Some(evaluations) => {
                let mut progress = Progress::new(&console);
                let count = evaluations as usize;
                let (maps, found) =
                    search::search(workload, &sizes, (&cluster, reading), count, &mut progress)?;
                (maps, Some(found))
            }
            None => {
                let name = self.distribution.as_deref();
                (Maps::new(workload, &sizes, &cluster, name, reading)?, None)
            }
        };
        setting.spread(&maps);
        if !matches!(workload.spread, Spread::Lines(_)) {
            let bytes = maps.tiles.iter().map(|&tiles| sizes.tiles_bytes(tiles));
            check_memory(&cluster, &bytes.collect::<Vec<u64>>())?;
        }
        let verdict = judge::judge(workload, &setting, &cluster, &maps)?;
        let case = report::Case { workload, setting, cluster, maps, verdict, found };
        case.describe(&console);
        if let Some(folder) = &self.output_folder {
            let count = case.write(folder)?;
            console.line(format_args!("{count} files written to {}", folder.display()));
        }
        if let Some(path) = &self.plot {
            case.plot(path)?;
        }
        self.output.write(&case.result())?;
        console.finish()
    }
}
