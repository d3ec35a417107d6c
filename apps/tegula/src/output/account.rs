//! What the tasks of a flow came to: who ran them, and what moved for them.

use serde_json::{Map, Value, json};
use tegula_runtime::flow::Flow;
use tegula_runtime::ranks::Traffic;
use tegula_runtime::trace::{Site, Totals};

use super::meter::Measured;
use super::{Console, bytes, transfers};

/// What a flow came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    /// Tasks that each worker ran; over ranks of this one.
    tasks: Vec<u64>,
    /// Tasks and bytes that went to a disk, on all ranks.
    all: [u64; 2],
    /// What moved, and how busy the workers were; nothing where data never moves.
    totals: Option<Totals>,
    site: Site,
    /// What ranks have sent each other.
    traffic: Traffic,
    /// What the machines took, if they count it.
    energy: Option<Measured>,
}

impl Account {
    /// What `flow` came to so far; all ranks call this.
    pub(crate) fn of(flow: &mut Flow) -> Self {
        let tasks = flow.watch().completed_by_worker();
        let (totals, site) = (flow.totals(), flow.site());
        let to_disk = totals.as_ref().map_or(0, |totals| transfers::to_disk(totals, &site));
        let run = totals.as_ref().map_or(&tasks, |totals| &totals.tasks).iter().sum();
        // If a rank is gone, the next wait says so.
        let all = flow.total([run, to_disk]).unwrap_or([run, to_disk]);
        let traffic = flow.traffic().unwrap_or_else(|_| flow.sent());
        let energy = Measured::of(flow);
        Self { tasks, all, totals, site, traffic, energy }
    }

    /// What came on top of `before`, an earlier state of the same flow.
    pub(crate) fn since(mut self, before: &Self) -> Self {
        self.tasks.iter_mut().zip(&before.tasks).for_each(|(now, then)| *now -= then);
        self.all.iter_mut().zip(before.all).for_each(|(now, then)| *now -= then);
        self.traffic.messages -= before.traffic.messages;
        self.traffic.bytes -= before.traffic.bytes;
        self.totals = self.totals.zip(before.totals.as_ref()).map(|(now, then)| now.since(then));
        self.energy = self.energy.zip(before.energy.as_ref()).map(|(now, then)| now.since(then));
        self
    }

    /// Prints the energy, what moved and how busy the workers were, if that is known.
    pub(crate) fn describe(&self, console: &Console) {
        self.energy.iter().for_each(|energy| energy.describe(console));
        if self.traffic.messages > 0 {
            let Traffic { messages, bytes: sent } = self.traffic;
            console.field(
                "messages",
                format_args!("{messages} between ranks, {}", bytes(sent as f64)),
            );
        }
        if let Some(totals) = &self.totals {
            console.line("");
            transfers::describe(console, totals, &self.site);
        }
    }

    /// What moved, and how busy the workers were; nothing where data never moves.
    pub(crate) fn totals(&self) -> Option<&Totals> {
        self.totals.as_ref()
    }

    /// Whether [`describe`](Self::describe) prints how busy the workers were.
    pub(crate) fn is_counted(&self) -> bool {
        self.totals.is_some()
    }

    /// Adds the tasks by worker, the transfers, the messages and the energy to a result.
    pub(crate) fn describe_json(&self, into: &mut Map<String, Value>) {
        let joules = self.energy.as_ref().map(Measured::joules);
        into.insert("energy_joules".to_owned(), joules.into());
        self.energy.iter().for_each(|energy| energy.describe_parts(into));
        into.insert("messages".to_owned(), self.traffic.messages.into());
        into.insert("bytes_sent".to_owned(), self.traffic.bytes.into());
        match &self.totals {
            Some(totals) => transfers::describe_json(into, totals, &self.site),
            None => self.describe_plainly(into),
        }
        let [run, to_disk] = self.all;
        into.insert("tasks_run".to_owned(), run.into());
        into.insert("bytes_to_disk".to_owned(), to_disk.into());
    }

    /// Adds the tasks by worker, where nothing moves.
    fn describe_plainly(&self, into: &mut Map<String, Value>) {
        let workers = self.tasks.iter().enumerate().map(|(worker, tasks)| {
            let name = format!("CPU {worker}");
            json!({ "worker": name, "tasks": tasks, "busy_share": null, "waiting_share": 0.0 })
        });
        into.insert("transfers".to_owned(), json!({ "bytes": 0, "per_device": [], "ways": [] }));
        into.insert("tasks".to_owned(), workers.collect());
    }
}
