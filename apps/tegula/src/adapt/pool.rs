//! `tegula adapt pool`: what two phases take with every count of nodes.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tegula_plan::adapt::{Action, Objective, Pool as Durations, PoolRow, counts};
use tegula_plan::platform::cluster::{ClusterNode, ClusterPlatform, Sorted};

use super::pool_file;
use crate::error::{is_no_room, refused};
use crate::flags::OutputFlags;
use crate::output::{Align, Console, Progress, Table, check_output, count, energy, seconds};
use crate::plan::{Judged, Maps, NOTHING_READ, judged};
use crate::simulate::program::{LIKELIHOOD, Sizes, Workload};
use crate::simulate::{pack_as_known, platform_help};

/// Flags of `pool`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  tegula adapt pool --platform 2chifflot+6chifflet+15chetemi --tiles 101 -o pool.csv
  tegula adapt pool --platform 2chifflot+6chetemi --tiles 60 --both-phases -o pool.csv
  tegula adapt replay pool.csv -o report.html")]
pub(crate) struct Pool {
    #[arg(long, value_name = "SET|FILE", help = platform_help())]
    platform: PathBuf,
    /// Tiles along an edge
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000))]
    tiles: u32,
    /// Order of the tiles
    #[arg(long, value_name = "N", default_value_t = 960, value_parser = clap::value_parser!(u32).range(1..=65536))]
    tile_size: u32,
    /// Count the nodes of the generation, too, not those of the factorisation alone
    #[arg(long)]
    both_phases: bool,
    /// Simulate only counts that are multiples of this, beside ends of groups of equal nodes, their
    /// neighbours, and 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    every: u32,
    /// Write the durations as a table
    #[arg(long, short, value_name = "FILE.csv", help_heading = "Output")]
    output_file: PathBuf,
    #[command(flatten)]
    output: OutputFlags,
}

impl Pool {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(Some(&self.output_file))?;
        check_output(&self.output_file).map_err(|reason| refused(format!("-o: {reason}")))?;
        let workload = Workload::find(LIKELIHOOD).expect("it is listed");
        let nb = self.tile_size as usize;
        let cluster = ClusterPlatform::find(&self.platform)?;
        let Sorted { cluster, ends, .. } = cluster.fastest_first("gemm", nb)?;
        let nodes = cluster.nodes.len();
        if nodes < 2 {
            return Err(refused(format!(
                "--platform {}: of one node there is nothing to choose; name several, as 2chifflot+6chetemi",
                self.platform.display()
            )));
        }
        console.field("program", format_args!("{}: {}", workload.name, workload.summary));
        let tiles = self.tiles as usize;
        console.field("sizes", format_args!("{tiles} x {tiles} tiles of {nb}"));
        console.field("platform", format_args!("{}: {}", cluster.name, groups(&cluster, &ends)));
        let sizes = Sizes::new(tiles, nb);
        pack_as_known(&cluster);
        let counts = counts(&ends, self.every as usize);
        let firsts = if self.both_phases { counts.clone() } else { vec![nodes] };
        let actions: Vec<Action> = firsts
            .iter()
            .flat_map(|&first| counts.iter().map(move |&second| Action { first, second }))
            .collect();
        let mut progress = Progress::new(&console);
        let mut rows = Vec::new();
        for (done, &action) in actions.iter().enumerate() {
            rows.extend(row(workload, &sizes, &cluster, action, &console)?);
            progress.share(done + 1, actions.len(), "simulations");
        }
        progress.clear();
        let all = Action { first: nodes, second: nodes };
        if !rows.iter().any(|row| row.action == all) {
            return Err(refused("with all nodes there is no plan: see the notes above".to_owned()));
        }
        let pool = Durations { ends, rows };
        describe(&pool, &console);
        pool_file::write(&self.output_file, &pool)?;
        console.line(format_args!("written to {}", self.output_file.display()));
        self.output.write(&json!({
            "platform": cluster.name,
            "tiles": tiles,
            "tile_size": nb,
            "groups": pool.ends,
            "front": pool.front(),
            "rows": pool.rows.iter().map(row_json).collect::<Vec<_>>(),
        }))?;
        console.finish()
    }
}

/// What one action takes; none, and a note, if its tasks cannot be planned.
fn row(
    workload: &'static Workload,
    sizes: &Sizes,
    cluster: &ClusterPlatform,
    action: Action,
    console: &Console,
) -> Result<Option<PoolRow>> {
    let Action { first, second } = action;
    let name = format!("lp:free@0-{}/0-{}", first - 1, second - 1);
    let maps = match Maps::new(workload, sizes, cluster, Some(&name), NOTHING_READ) {
        Ok(maps) => maps,
        Err(reason) => {
            console.note(format_args!("{first} and {second} nodes are left out: {reason:#}"));
            return Ok(None);
        }
    };
    let plan = maps.plan.as_ref().expect("two phases are planned");
    let bounds = [0, 1].map(|phase| plan.ends[phase].last().copied().unwrap_or(0.0));
    let judged = match judged(workload, sizes, cluster, &maps) {
        Err(reason) if is_no_room(&reason) => {
            console.note(format_args!("{first} and {second} nodes are left out: {reason:#}"));
            return Ok(None);
        }
        judged => judged?,
    };
    let Judged { seconds, joules } = judged;
    // Nodes that neither phase has are off.
    let on = first.max(second);
    let joules = joules.into_iter().take(on).sum();
    let power = |node: &ClusterNode| Some(node.platform.power.as_ref()?.idle);
    let idle: Option<f64> = cluster.nodes[..on].iter().map(power).sum();
    let least_joules = idle.map(|watts| watts * bounds[1]);
    Ok(Some(PoolRow { action, bounds, seconds, joules, least_joules }))
}

/// How many there are of each group.
fn groups(cluster: &ClusterPlatform, ends: &[usize]) -> String {
    let mut start = 0;
    let group = |&end: &usize| {
        let text = format!("{} {}", end - start, cluster.nodes[end - 1].platform.name);
        start = end;
        text
    };
    ends.iter().map(group).collect::<Vec<_>>().join(", ")
}

/// Its nodes, its time and its energy.
fn described(row: PoolRow) -> String {
    let PoolRow { action: Action { first, second }, seconds: time, joules, .. } = row;
    let joules = energy(joules.unwrap_or(f64::NAN), time);
    format!("{first}|{second}: {}, {joules}", seconds(time))
}

fn describe(pool: &Durations, console: &Console) {
    let mut table = Table::new(&[
        ("nodes", Align::Right),
        ("generation", Align::Right),
        ("programme", Align::Right),
        ("simulated", Align::Right),
        ("energy", Align::Right),
    ]);
    let all = pool.rows.iter().map(|row| row.action.first).max().unwrap_or(0);
    let line = pool.rows.iter().filter(|row| row.action.first == all);
    for row in line {
        let mut cells = vec![row.action.second.to_string()];
        cells.extend([row.bounds[0], row.bounds[1], row.seconds].map(seconds));
        cells.push(row.joules.map_or_else(|| "-".to_owned(), |joules| energy(joules, row.seconds)));
        table.row(cells);
    }
    console.line("");
    console.line(table);
    let best = pool.rows[pool.best(Objective::Time)];
    let Action { first, second } = best.action;
    console.line(format_args!(
        "\nleast: {} with {} for the generation and {second} for the factorisation",
        seconds(best.seconds),
        count(first, "node"),
    ));
    if pool.has_joules() {
        let others = [(Objective::Energy, "energy"), (Objective::Product, "energy times time")];
        for (objective, name) in others {
            let row = described(pool.rows[pool.best(objective)]);
            console.line(format_args!("least {name}: {row}"));
        }
    }
    let front = pool.front();
    if !front.is_empty() {
        let row = |&row: &usize| format!("  {}", described(pool.rows[row]));
        let rows: Vec<String> = front.iter().map(row).collect();
        console.line("none is better in both time and energy than (generation|factorisation)");
        console.line(rows.join("\n"));
    }
    let above = pool.rows.iter().filter(|row| row.bounds[1] > row.seconds).count();
    if above > 0 {
        console.warn(format_args!(
            "of {} the programme expects more than was simulated: it is no bound there, and \
             gp-discontinuous may leave out what is best",
            count(above, "row")
        ));
    }
}

fn row_json(row: &PoolRow) -> serde_json::Value {
    json!({
        "generation": row.action.first,
        "factorization": row.action.second,
        "lp_first_seconds": row.bounds[0],
        "lp_seconds": row.bounds[1],
        "seconds": row.seconds,
        "joules": row.joules,
        "least_joules": row.least_joules,
    })
}
