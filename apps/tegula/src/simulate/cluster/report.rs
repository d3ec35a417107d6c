//! What a simulation of a cluster came to, in words and as JSON.

use serde_json::{Map, Value, json};

use super::{Case, Done};
use crate::output::{Align, Console, Table, bytes, count, energy, number, range, rate, seconds};
use crate::simulate::program::Spread;

impl Case<'_> {
    pub(super) fn describe(&self, console: &Console, done: &Done) {
        self.describe_setting(console, done);
        console.field("makespan", seconds(done.makespan_seconds()));
        console.field("rate", format_args!("{} Gflop/s", number(done.gflops(), 5)));
        if let Some(area) = done.area {
            let path = self.critical_path(done).map_or_else(String::new, |path| {
                format!(", critical path without messages {}", seconds(path))
            });
            let of = if self.flags.noise > 0.0 { ", of times without noise" } else { "" };
            console.field("bounds", format_args!("area bound {}{path}{of}", seconds(area)));
        }
        let all = 0..self.cluster.nodes.len();
        console
            .field("busy", format_args!("{} % of all workers", number(100.0 * done.busy(all), 3)));
        if let Some(joules) = self.joules(done) {
            console.field("energy", energy(joules, done.makespan_seconds()));
        }
        let sent = done.sent();
        console.field("messages", format_args!("{}, {}", sent.messages, bytes(sent.bytes as f64)));
        self.flags.costs.tell(&self.asked, console);
        if let Some(evaluations) = &self.setting.evaluations {
            let show = |(name, time): (String, f64)| format!("{} {name}", seconds(time));
            let times = evaluations.times().into_iter().map(show).collect::<Vec<_>>();
            console.field("evaluations", times.join(", "));
        }
        console.line("");
        self.describe_nodes(console, done);
        if let Some(remark) = self.workload.remark(&self.setting) {
            console.note(remark);
        }
        if console.is_verbose() {
            let rate = done.contents.tasks as f64 / done.seconds;
            console.line(format_args!("simulated {} tasks a second", number(rate, 3)));
        }
    }

    /// The longest chain of tasks, in seconds, where it is that of one node, too: sums that tasks
    /// add to one after the other are, over nodes, added up beside each other.
    fn critical_path(&self, done: &Done) -> Option<f64> {
        let is_same = !matches!(self.workload.spread, Spread::Lines(_));
        is_same.then_some(done.contents.critical_path_seconds)
    }

    /// What is simulated, on what.
    fn describe_setting(&self, console: &Console, done: &Done) {
        let (workload, sizes) = (self.workload, &self.setting.sizes);
        console.field("program", format_args!("{}: {}", workload.name, workload.summary));
        let working_set = bytes(workload.working_set(sizes) as f64);
        let tasks = count(done.contents.tasks as usize, "task");
        console.field(
            "sizes",
            format_args!(
                "{0} x {0} tiles of {1}, {tasks}, working set {working_set}",
                sizes.tiles, sizes.nb
            ),
        );
        let (nodes, latency) = (self.cluster.nodes.len(), self.cluster.latency_seconds);
        let or_none = |name, limit: Option<f64>| {
            limit.map_or(String::new(), |limit| format!(", {name} {}", rate(limit)))
        };
        let backbone = or_none("backbone", self.cluster.backbone_bytes_per_second);
        let cores = or_none("cores move", self.cluster.core_bytes_per_second);
        let latency = seconds(latency);
        console.field(
            "platform",
            format_args!(
                "{}: {}, latency {latency}{backbone}{cores}",
                self.cluster.name,
                count(nodes, "node")
            ),
        );
        console.field("tiles", format_args!("distributed {}", self.maps.name));
        if !self.setting.without.is_empty() {
            console.field("without", self.setting.without.join(", "));
        }
        let slow = self.flags.cluster.faults.describe();
        if !slow.is_empty() {
            console.field("slow", slow);
        }
        let noise = match self.flags.noise {
            0.0 => String::new(),
            noise => format!(", noise {}", number(noise, 3)),
        };
        let (policy, eviction, seed) = (self.policy.name, self.eviction.name, self.flags.seed);
        console.field("policy", format_args!("{policy}, eviction {eviction}, seed {seed}{noise}"));
    }

    /// A row for each kind of nodes.
    fn describe_nodes(&self, console: &Console, done: &Done) {
        let mut table = Table::new(&[
            ("nodes", Align::Left),
            ("workers", Align::Right),
            ("network", Align::Right),
            ("tiles", Align::Right),
            ("tasks", Align::Right),
            ("busy", Align::Right),
            ("sent", Align::Right),
            ("memory", Align::Right),
            ("last task", Align::Right),
        ]);
        let tiles = &self.maps.tiles;
        for (first, ranks) in self.cluster.kinds() {
            let node = &self.cluster.nodes[first];
            let name = match node.speed {
                1.0 => format!("{} {}", ranks.len(), node.platform.name),
                speed => format!("{} {} x {speed}", ranks.len(), node.platform.name),
            };
            let of = |value: &dyn Fn(usize) -> f64, show: &dyn Fn(f64) -> String| {
                range(ranks.iter().map(|&rank| value(rank)), show)
            };
            let whole = |value: f64| format!("{value:.0}");
            table.row(vec![
                name,
                node.machine.workers.len().to_string(),
                rate(node.network.bytes_per_second),
                of(&|rank| tiles[rank] as f64, &whole),
                of(&|rank| done.tasks(rank) as f64, &whole),
                of(&|rank| 100.0 * done.busy([rank]), &|share| format!("{} %", number(share, 3))),
                of(&|rank| done.run.sent[rank].bytes as f64, &bytes),
                of(&|rank| done.peaks[rank] as f64, &bytes),
                of(&|rank| 1e-9 * done.run.totals[rank].makespan as f64, &seconds),
            ]);
        }
        console.line(table);
    }

    pub(super) fn result(&self, done: &Done) -> Value {
        let (workload, sizes, flags) = (self.workload, &self.setting.sizes, self.flags);
        let mut result = Map::new();
        let mut put = |key: &str, value: Value| result.insert(key.to_owned(), value);
        put("program", workload.name.into());
        put("platform", self.cluster.name.as_str().into());
        put("ranks", self.cluster.nodes.len().into());
        put("distribution", self.maps.name.as_str().into());
        put("tiles", sizes.tiles.into());
        put("tile_size", sizes.nb.into());
        put("precision", flags.precision.letter().into());
        put("policy", self.policy.name.into());
        put("eviction", self.eviction.name.into());
        put("message_priorities", (!flags.cluster.no_message_priorities).into());
        put("sends", json!(flags.cluster.sends));
        put("receives", json!(flags.cluster.receives));
        put("receive_memory_bytes", json!(flags.cluster.receive_memory));
        put("seed", flags.seed.into());
        put("noise", flags.noise.into());
        put("without", json!(self.setting.without));
        flags.cluster.faults.describe_json(&mut result);
        flags.costs.tell_json(&self.asked, &mut result);
        let mut put = |key: &str, value: Value| result.insert(key.to_owned(), value);
        put("simulated_tasks", done.contents.tasks.into());
        put("working_set_bytes", workload.working_set(sizes).into());
        put("makespan_seconds", done.makespan_seconds().into());
        put("gflops", done.gflops().into());
        put("utilization", done.busy(0..self.cluster.nodes.len()).into());
        put("energy_joules", json!(self.joules(done)));
        put("abe_seconds", json!(done.area));
        put("cpb_seconds", json!(self.critical_path(done)));
        let sent = done.sent();
        put("messages", sent.messages.into());
        put("bytes", sent.bytes.into());
        let tasks: u64 = (0..self.cluster.nodes.len()).map(|rank| done.tasks(rank)).sum();
        put("tasks", tasks.into());
        put("simulated_tasks_per_second", (done.contents.tasks as f64 / done.seconds).into());
        let times = self.setting.evaluations.as_ref().map(|own| own.times());
        let one = |(name, time)| json!({ "distribution": name, "seconds": time });
        let times = times.map(|times| times.into_iter().map(one).collect::<Vec<Value>>());
        put("evaluations", json!(times));
        put("nodes", self.nodes_json(done));
        Value::Object(result)
    }

    fn nodes_json(&self, done: &Done) -> Value {
        let tiles = &self.maps.tiles;
        let of = |rank: usize| {
            let node = &self.cluster.nodes[rank];
            json!({
                "rank": rank,
                "platform": node.platform.name,
                "speed": node.speed,
                "workers": node.machine.workers.len(),
                "tiles": tiles[rank],
                "tasks": done.tasks(rank),
                "utilization": done.busy([rank]),
                "messages": done.run.sent[rank].messages,
                "bytes": done.run.sent[rank].bytes,
                "peak_bytes": done.peaks[rank],
                "installed_bytes": node.platform.ram_bytes,
                "energy_joules": node.joules(&done.run.totals[rank], done.makespan_seconds()),
                "last_task_seconds": 1e-9 * done.run.totals[rank].makespan as f64,
            })
        };
        (0..self.cluster.nodes.len()).map(of).collect()
    }
}
