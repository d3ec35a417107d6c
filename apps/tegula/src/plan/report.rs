//! A distribution in words and as JSON.

use serde_json::{Map, Value, json};
use tegula_plan::distribution::messages::Messages;
use tegula_plan::platform::cluster::ClusterPlatform;

use super::Maps;
use super::judge::{MOST, Verdict};
use super::search::Found;
use crate::output::{Align, Console, Table, bytes, count, number, range, seconds};
use crate::simulate::program::{Setting, Spread, Workload};

/// A distribution, and what was found about it.
pub(super) struct Case {
    pub(super) workload: &'static Workload,
    pub(super) setting: Setting,
    pub(super) cluster: ClusterPlatform,
    pub(super) maps: Maps,
    pub(super) verdict: Verdict,
    /// What a search came to.
    pub(super) found: Option<Found>,
}

impl Case {
    pub(super) fn describe(&self, console: &Console) {
        let Self { workload, setting, cluster, maps, verdict, found } = self;
        let sizes = &setting.sizes;
        console.field("program", format_args!("{}: {}", workload.name, workload.summary));
        console.field("sizes", format_args!("{0} x {0} tiles of {1}", sizes.tiles, sizes.nb));
        let nodes = count(cluster.nodes.len(), "node");
        console.field("platform", format_args!("{}: {nodes}", cluster.name));
        console.field("tiles", format_args!("distributed {}", maps.name));
        let total = |messages: &Messages, moved: u64| {
            format!("{}, {}", messages.total(), bytes(moved as f64))
        };
        if let Some((messages, moved)) = verdict.messages.as_ref().zip(verdict.bytes) {
            console.field("messages", total(messages, moved));
        }
        if let Some(messages) = &verdict.redistribution {
            let moved = messages.total() * sizes.tile_bytes() as u64;
            console.field("moves", format_args!("{} between the phases", total(messages, moved)));
        }
        if let Some(bounds) = &verdict.bounds {
            let (area, path) = (seconds(bounds.area), seconds(bounds.critical_path));
            console.field(
                "bounds",
                format_args!("area bound {area}, critical path with messages {path}"),
            );
            let percent = number(100.0 * bounds.imbalance(), 3);
            console.field(
                "imbalance",
                format_args!("the slowest node has {percent} % more than the area bound"),
            );
        }
        if let Some(plan) = &maps.plan {
            console.field("programme", format_args!("ends after {}", seconds(plan.seconds())));
        }
        if let Some(found) = found {
            let (first, best) = (seconds(found.first_seconds), seconds(found.seconds));
            let runs = count(found.simulations, "simulation");
            console.field("search", format_args!("{best}, from {first} at first, in {runs}"));
        }
        if maps.last.is_some() && verdict.messages.is_none() {
            let name = workload.name;
            console.note(format_args!(
                "messages of {name} are counted of up to {MOST} tasks, and these are more"
            ));
        }
        if let Some(remark) = workload.remark(setting) {
            console.note(remark);
        }
        console.line("");
        console.line(self.table());
    }

    /// A row for each kind of nodes, with the least and the most of each.
    fn table(&self) -> Table {
        let mut columns = vec![("nodes", Align::Left), ("tiles", Align::Right)];
        let earlier = self.earlier_tiles();
        let area = self.verdict.bounds.as_ref().map(|bounds| &bounds.of_ranks);
        let received = self.verdict.messages.as_ref().map(|messages| &messages.received);
        columns.extend(earlier.is_some().then_some(("tiles before", Align::Right)));
        columns.extend(area.map(|_| ("area bound", Align::Right)));
        columns.extend(received.map(|_| ("received", Align::Right)));
        let mut table = Table::new(&columns);
        for (first, ranks) in self.cluster.kinds() {
            let name = &self.cluster.nodes[first].platform.name;
            let of = |value: &dyn Fn(usize) -> f64, show: &dyn Fn(f64) -> String| {
                range(ranks.iter().map(|&rank| value(rank)), show)
            };
            let whole = |value: f64| format!("{value:.0}");
            let mut row = vec![format!("{} {name}", ranks.len())];
            row.push(of(&|rank| self.maps.tiles[rank] as f64, &whole));
            row.extend(earlier.as_ref().map(|tiles| of(&|rank| tiles[rank] as f64, &whole)));
            row.extend(area.map(|area| of(&|rank| area[rank], &seconds)));
            row.extend(received.map(|tiles| of(&|rank| tiles[rank] as f64, &whole)));
            table.row(row);
        }
        table
    }

    /// How many tiles each rank makes or reads, where that is planned by itself.
    fn earlier_tiles(&self) -> Option<Vec<usize>> {
        self.maps.earlier.as_ref().map(|map| map.tiles_of_ranks()).or_else(|| {
            let dealing = self.maps.dealing.as_ref().filter(|dealing| dealing.reading.is_some())?;
            let Spread::Lines(storage) = self.workload.spread else { return None };
            Some(dealing.read_by_ranks(self.setting.sizes.tiles_of(storage)))
        })
    }

    pub(super) fn result(&self) -> Value {
        let Self { workload, setting, cluster, maps, verdict, found } = self;
        let sizes = &setting.sizes;
        let mut result = Map::new();
        let mut put = |key: &str, value: Value| result.insert(key.to_owned(), value);
        put("program", workload.name.into());
        put("platform", cluster.name.as_str().into());
        put("ranks", cluster.nodes.len().into());
        put("distribution", maps.name.as_str().into());
        put("tiles", sizes.tiles.into());
        put("tile_size", sizes.nb.into());
        put("owners_per_rank", json!(maps.tiles));
        put("earlier_owners_per_rank", json!(self.earlier_tiles()));
        let memory: Vec<u64> = maps.tiles.iter().map(|&tiles| sizes.tiles_bytes(tiles)).collect();
        put("bytes_per_rank", json!(memory));
        let total = |messages: &Option<Messages>| messages.as_ref().map(Messages::total);
        let (last, between) = (total(&verdict.messages), total(&verdict.redistribution));
        let all = last.map(|last| last + between.unwrap_or(0));
        let tile = sizes.tile_bytes() as u64;
        let moved = verdict.bytes.map(|bytes| bytes + between.unwrap_or(0) * tile);
        let sent = verdict.messages.as_ref().map(|messages| &messages.sent);
        let received = verdict.messages.as_ref().map(|messages| &messages.received);
        put(
            "messages",
            json!({
                "factorization": last.filter(|_| workload.messages.is_some()),
                "redistribution": between,
                "total": all,
                "bytes": moved,
                "sent_per_rank": sent,
                "received_per_rank": received,
            }),
        );
        let bounds = verdict.bounds.as_ref();
        put("abe_seconds", json!(bounds.map(|bounds| bounds.area)));
        put("abe_per_rank_seconds", json!(bounds.map(|bounds| &bounds.of_ranks)));
        put("cpb_seconds", json!(bounds.map(|bounds| bounds.critical_path)));
        put("coarse_seconds", json!(bounds.map(|bounds| bounds.coarse)));
        put("rating_seconds", json!(bounds.map(|bounds| bounds.rating)));
        put("imbalance", json!(bounds.map(super::judge::Bounds::imbalance)));
        put(
            "plan",
            json!(maps.plan.as_ref().map(|plan| {
                json!({
                    "seconds": plan.seconds(),
                    "link_seconds": plan.link_seconds,
                    "first_powers": plan.powers[0].as_slice(),
                    "second_powers": plan.powers[1].as_slice(),
                    "first_ends_seconds": plan.ends[0],
                    "second_ends_seconds": plan.ends[1],
                })
            })),
        );
        put(
            "search",
            json!(found.as_ref().map(|found| {
                json!({
                    "makespan_seconds": found.seconds,
                    "first_makespan_seconds": found.first_seconds,
                    "simulations": found.simulations,
                })
            })),
        );
        Value::Object(result)
    }
}
