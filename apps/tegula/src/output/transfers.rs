//! What a run moved between memories, and what each worker did beside waiting for it.

use serde_json::{Map, Value, json};
use tegula_runtime::trace::{Site, Totals};

use super::{Align, Console, Table, bytes, number};

/// Most idle workers that have rows of their own.
const MOST_IDLE: usize = 8;

/// Prints the transfers by way, and the workers.
pub(crate) fn describe(console: &Console, totals: &Totals, site: &Site) {
    let mut ways = Table::new(&[
        ("from", Align::Left),
        ("to", Align::Left),
        ("transfers", Align::Right),
        ("moved", Align::Right),
    ]);
    for (src, dst, count, moved) in used(totals, site) {
        ways.row(vec![src.to_owned(), dst.to_owned(), count.to_string(), bytes(moved as f64)]);
    }
    if totals.transfers.iter().all(|&count| count == 0) {
        console.line("  nothing moved between memories");
    } else {
        console.line(ways);
    }
    let mut workers = Table::new(&[
        ("worker", Align::Left),
        ("tasks", Align::Right),
        ("busy", Align::Right),
        ("waits for data", Align::Right),
    ]);
    let is_idle = |worker: &usize| totals.tasks[*worker] == 0;
    let idle = (0..site.workers.len()).filter(is_idle).count();
    for (worker, name) in site.workers.iter().enumerate() {
        if idle > MOST_IDLE && is_idle(&worker) {
            continue;
        }
        let share = |time: u64| format!("{} %", number(percent(time, totals), 3));
        let (busy, waited) = (share(totals.busy[worker]), share(totals.waited[worker]));
        workers.row(vec![name.clone(), totals.tasks[worker].to_string(), busy, waited]);
    }
    console.line("");
    console.line(workers);
    if idle > MOST_IDLE {
        console.line(format_args!("  {idle} workers ran no task"));
    }
}

/// Adds the transfers and the tasks by worker to a result.
pub(crate) fn describe_json(into: &mut Map<String, Value>, totals: &Totals, site: &Site) {
    let ways = used(totals, site).map(|(src, dst, count, moved)| {
        json!({ "from": src, "to": dst, "transfers": count, "bytes": moved })
    });
    let all: u64 = totals.bytes.iter().sum();
    into.insert("bytes_to_disk".to_owned(), to_disk(totals, site).into());
    let ways: Vec<Value> = ways.collect();
    let transfers = json!({ "bytes": all, "per_device": per_device(totals, site), "ways": ways });
    into.insert("transfers".to_owned(), transfers);
    let workers = site.workers.iter().enumerate().map(|(worker, name)| {
        json!({
            "worker": name,
            "tasks": totals.tasks[worker],
            "busy_share": percent(totals.busy[worker], totals) / 100.0,
            "waiting_share": percent(totals.waited[worker], totals) / 100.0,
        })
    });
    into.insert("tasks".to_owned(), workers.collect());
    if totals.events > 0 {
        let conflicts = json!({ "events": totals.events, "left": totals.conflicts });
        into.insert("conflicts".to_owned(), conflicts);
        into.insert("deciding_seconds".to_owned(), json!(totals.deciding as f64 * 1e-9));
    }
}

/// What went to a disk.
pub(super) fn to_disk(totals: &Totals, site: &Site) -> u64 {
    let disk = site.memories.iter().position(|name| name == "disk");
    disk.map_or(0, |disk| totals.bytes_to(disk))
}

/// What went into each accelerator's memory, and out of it.
fn per_device(totals: &Totals, site: &Site) -> Vec<Value> {
    let memories = site.memories.len();
    let out = |src: usize| totals.bytes[src * memories..][..memories].iter().sum::<u64>();
    let of = |(memory, name): (usize, &String)| json!({ "device": name, "bytes_in": totals.bytes_to(memory), "bytes_out": out(memory) });
    let devices = site.memories.iter().enumerate().skip(1).filter(|(_, name)| *name != "disk");
    devices.map(of).collect()
}

/// Ways on which something moved: from, to, transfers, bytes.
fn used<'a>(
    totals: &'a Totals,
    site: &'a Site,
) -> impl Iterator<Item = (&'a str, &'a str, u64, u64)> {
    let memories = site.memories.len();
    let way = move |pair: usize| {
        let (src, dst) = (&site.memories[pair / memories], &site.memories[pair % memories]);
        (src.as_str(), dst.as_str(), totals.transfers[pair], totals.bytes[pair])
    };
    (0..memories * memories).map(way).filter(|way| way.2 > 0)
}

fn percent(time: u64, totals: &Totals) -> f64 {
    100.0 * time as f64 / totals.makespan.max(1) as f64
}
