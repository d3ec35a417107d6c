//! What a simulation came to, in words and as JSON.

use serde_json::{Map, Value, json};

use super::super::program::Problem;
use super::remarks::{guessed, guessed_json, remarks};
use super::{Case, Done};
use crate::output::{Console, bytes, count, energy, number, seconds, transfers};

impl Case<'_> {
    pub(super) fn describe(&self, console: &Console, done: &Done) {
        self.describe_setting(console, done);
        let makespan = 1e-9 * done.totals.makespan as f64;
        console.field("makespan", seconds(makespan));
        console.field("rate", format_args!("{} Gflop/s", number(done.gflops(), 5)));
        if let Some(area) = done.area {
            let (area, path) = (seconds(area), seconds(done.contents.critical_path_seconds));
            let of = if self.flags.noise > 0.0 { ", both of times without noise" } else { "" };
            console
                .field("bounds", format_args!("area bound {area}, critical path bound {path}{of}"));
        }
        console.field("busy", format_args!("{} % of all workers", number(100.0 * done.busy(), 3)));
        if let Some(joules) = self.joules(done) {
            console.field("energy", energy(joules, makespan));
        }
        self.flags.costs.tell(&self.asked, console);
        console.line("");
        transfers::describe(console, &done.totals, &done.site);
        let mut remarks = remarks(self, done);
        remarks.extend(self.workload.remark(&self.setting));
        if !remarks.is_empty() {
            console.line("");
        }
        remarks.into_iter().for_each(|remark| console.note(remark));
        if console.is_verbose() {
            let rate = done.contents.tasks as f64 / done.seconds;
            console.line(format_args!("simulated {} tasks a second", number(rate, 3)));
        }
    }

    /// What is simulated, on what.
    fn describe_setting(&self, console: &Console, done: &Done) {
        let (workload, sizes) = (self.workload, &self.setting.sizes);
        console.field("program", format_args!("{}: {}", workload.name, workload.summary));
        let working_set = bytes(workload.working_set(sizes) as f64);
        let shape = match workload.matrix(sizes) {
            Some(matrix) => matrix.describe(sizes.nb),
            None => format!("{0} x {0} tiles of {1}", sizes.tiles, sizes.nb),
        };
        let tasks = count(done.contents.tasks as usize, "task");
        console.field("sizes", format_args!("{shape}, {tasks}, working set {working_set}"));
        let workers = count(done.site.workers.len(), "worker");
        console.field("platform", format_args!("{}, {workers}", self.platform));
        if !self.setting.without.is_empty() {
            console.field("without", self.setting.without.join(", "));
        }
        let changes = self.flags.changes.describe();
        if !changes.is_empty() {
            console.field("with", changes);
        }
        let noise = match self.flags.noise {
            0.0 => String::new(),
            noise => format!(", noise {}", number(noise, 3)),
        };
        let (policy, eviction, seed) = (self.policy.name, self.eviction.name, self.flags.seed);
        console.field("policy", format_args!("{policy}, eviction {eviction}, seed {seed}{noise}"));
    }

    pub(super) fn result(&self, done: &Done) -> Value {
        let (workload, sizes, flags) = (self.workload, &self.setting.sizes, self.flags);
        let mut result = Map::new();
        let mut put = |key: &str, value: Value| result.insert(key.to_owned(), value);
        put("program", workload.name.into());
        put("platform", self.platform.as_str().into());
        put("tiles", json!(sizes.matrix.is_none().then_some(sizes.tiles)));
        put("tile_size", sizes.nb.into());
        put("matrix", json!(workload.matrix(sizes).map(Problem::describe_json)));
        put("precision", flags.precision.letter().into());
        put("platform_precision", json!(self.times_of.map(|precision| precision.letter())));
        put("policy", self.policy.name.into());
        put("eviction", self.eviction.name.into());
        put("seed", flags.seed.into());
        put("noise", flags.noise.into());
        put("without", json!(self.setting.without));
        flags.changes.describe_json(&mut result);
        flags.costs.tell_json(&self.asked, &mut result);
        let mut put = |key: &str, value: Value| result.insert(key.to_owned(), value);
        put("simulated_tasks", done.contents.tasks.into());
        put("working_set_bytes", workload.working_set(sizes).into());
        put("makespan_seconds", (1e-9 * done.totals.makespan as f64).into());
        put("gflops", done.gflops().into());
        put("utilization", done.busy().into());
        put("energy_joules", json!(self.joules(done)));
        put("abe_seconds", json!(done.area));
        put("cpb_seconds", done.contents.critical_path_seconds.into());
        // One process sends no message to another.
        put("messages", 0.into());
        put("bytes", done.totals.bytes.iter().sum::<u64>().into());
        put("simulated_tasks_per_second", (done.contents.tasks as f64 / done.seconds).into());
        put("guessed", guessed_json(&guessed(self, done)));
        transfers::describe_json(&mut result, &done.totals, &done.site);
        Value::Object(result)
    }
}
