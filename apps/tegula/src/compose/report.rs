//! What a composition came to, in words and as JSON.

use anyhow::Result;
use serde_json::{Value, json};
use tegula_runtime::flow::Flow;
use tegula_runtime::sched::contexts::{Contexts, JobReport, Resize, Statistics};
use tegula_runtime::sched::hypervisor::Hypervisor;
use tegula_runtime::sched::{ContextId, WorkerId};
use tegula_runtime::trace::{Site, Totals};

use super::contexts::Job;
use super::{Compose, Sharing};
use crate::error::refused;
use crate::output::{Align, Console, Table, bytes, count, number, seconds};

/// Most changes of workers that are listed.
const MOST_RESIZES: usize = 12;

/// What a composition came to.
pub(super) struct Outcome {
    kernels: Vec<KernelOutcome>,
    contexts: Vec<ContextOutcome>,
    resizes: Vec<Resize>,
    /// Nanoseconds of real time spent on decisions, and their number.
    spent: (u64, u64),
    totals: Totals,
    site: Site,
    /// Seconds until the last kernel ended.
    makespan: f64,
}

pub(super) struct KernelOutcome {
    pub(super) name: String,
    pub(super) context: ContextId,
    pub(super) start: f64,
    pub(super) seconds: f64,
    pub(super) flops: f64,
    /// Why it failed, if it did.
    pub(super) failure: Option<String>,
}

struct ContextOutcome {
    name: String,
    workers: Vec<String>,
    tasks: u64,
    flops: f64,
    busy: f64,
    bytes: u64,
}

/// What contexts had done at the end.
pub(super) struct Looked {
    contexts: Vec<ContextOutcome>,
    pub(super) jobs: Vec<JobReport>,
    resizes: Vec<Resize>,
    spent: (u64, u64),
}

/// Looks at `contexts` on the workers of `site`.
pub(super) fn look(contexts: &Contexts, site: &Site) -> Looked {
    let name = |worker: &WorkerId| site.workers[worker.0].clone();
    let outcome =
        |(context, workers, statistics): (&str, &[WorkerId], &Statistics)| ContextOutcome {
            name: context.to_owned(),
            workers: workers.iter().map(name).collect(),
            tasks: statistics.done(),
            flops: statistics.flops(),
            busy: statistics.all.iter().map(|work| work.busy as f64 * 1e-9).sum(),
            bytes: statistics.bytes,
        };
    Looked {
        contexts: contexts.contexts().map(outcome).collect(),
        jobs: contexts.jobs(),
        resizes: contexts.resizes().to_vec(),
        spent: contexts.hypervisor().map_or((0, 0), Hypervisor::spent),
    }
}

impl Outcome {
    /// Of a simulation.
    pub(super) fn of(flow: &mut Flow, jobs: &[Job]) -> Result<Self> {
        let totals = flow.totals().unwrap_or_default();
        let site = flow.site();
        let looked = flow.with_contexts(|contexts, _| Ok(look(contexts, &site)));
        let looked = looked.map_err(|error| refused(error.to_string()))?;
        let kernel = |job: &Job| {
            let report = &looked.jobs[usize::from(job.id.0)];
            let (began, ended) = (report.began.unwrap_or(0), report.ended.unwrap_or(0));
            KernelOutcome {
                name: job.name.clone(),
                context: report.context,
                start: began as f64 * 1e-9,
                seconds: ended.saturating_sub(began) as f64 * 1e-9,
                flops: job.flops,
                failure: None,
            }
        };
        let kernels = jobs.iter().map(kernel).collect();
        let makespan = totals.makespan as f64 * 1e-9;
        Ok(Self::new(kernels, looked, totals, site, makespan))
    }

    pub(super) fn new(
        kernels: Vec<KernelOutcome>,
        looked: Looked,
        totals: Totals,
        site: Site,
        makespan: f64,
    ) -> Self {
        let Looked { contexts, resizes, spent, .. } = looked;
        Self { kernels, contexts, resizes, spent, totals, site, makespan }
    }

    fn hits(&self) -> (u64, u64) {
        (self.totals.hits.iter().sum(), self.totals.misses.iter().sum())
    }

    pub(super) fn describe(
        &self,
        console: &Console,
        (flags, sharing): (&Compose, Sharing),
        platform: &str,
    ) {
        console.field(
            "platform",
            format_args!("{platform}, {}", count(self.site.workers.len(), "worker")),
        );
        let hypervisor = flags.hypervisor.map_or(String::new(), |number| {
            let name = tegula_runtime::sched::hypervisor::RESIZING[number].name;
            format!(", workers moved by {name}")
        });
        console.field("contexts", format_args!("{}{hypervisor}", sharing.name()));
        console.field("makespan", seconds(self.makespan));
        console.line("");
        let mut table = Table::new(&[
            ("kernel", Align::Left),
            ("context", Align::Left),
            ("start", Align::Right),
            ("time", Align::Right),
            ("Gflop/s", Align::Right),
        ]);
        for kernel in &self.kernels {
            table.row(vec![
                kernel.name.clone(),
                self.contexts[usize::from(kernel.context.0)].name.clone(),
                seconds(kernel.start),
                seconds(kernel.seconds),
                number(1e-9 * kernel.flops / kernel.seconds.max(1e-9), 4),
            ]);
        }
        console.line(table);
        console.line("");
        self.describe_contexts(console);
        self.describe_hits(console);
        self.describe_resizes(console);
    }

    fn describe_contexts(&self, console: &Console) {
        let mut table = Table::new(&[
            ("context", Align::Left),
            ("tasks", Align::Right),
            ("busy", Align::Right),
            ("moved", Align::Right),
        ]);
        for context in self.contexts.iter().filter(|context| context.tasks > 0) {
            table.row(vec![
                context.name.clone(),
                context.tasks.to_string(),
                seconds(context.busy),
                bytes(context.bytes as f64),
            ]);
        }
        console.line(table);
    }

    fn describe_hits(&self, console: &Console) {
        if self.site.memories.is_empty() {
            return;
        }
        console.line("");
        let mut table = Table::new(&[
            ("memory", Align::Left),
            ("data there", Align::Right),
            ("brought", Align::Right),
            ("hits", Align::Right),
        ]);
        let each = self.totals.hits.iter().zip(&self.totals.misses);
        for (name, (&hits, &misses)) in self.site.memories.iter().zip(each) {
            let share = percent(hits, misses);
            table.row(vec![name.clone(), hits.to_string(), misses.to_string(), share]);
        }
        let (hits, misses) = self.hits();
        table.row(vec![
            "all".to_owned(),
            hits.to_string(),
            misses.to_string(),
            percent(hits, misses),
        ]);
        console.line(table);
        let moved: u64 = self.totals.bytes.iter().sum();
        console.line(format_args!("  {} moved between memories", bytes(moved as f64)));
    }

    fn describe_resizes(&self, console: &Console) {
        let changes: Vec<&Resize> =
            self.resizes.iter().filter(|resize| resize.policy != "program").collect();
        if changes.is_empty() {
            return;
        }
        console.line("");
        let mut table = Table::new(&[
            ("time", Align::Right),
            ("why", Align::Left),
            ("by", Align::Left),
            ("workers", Align::Left),
            ("decided in", Align::Right),
        ]);
        for resize in changes.iter().take(MOST_RESIZES) {
            table.row(vec![
                seconds(resize.time as f64 * 1e-9),
                resize.trigger.name().to_owned(),
                resize.policy.to_owned(),
                self.moves(resize),
                seconds(resize.decision as f64 * 1e-9),
            ]);
        }
        console.line(table);
        if changes.len() > MOST_RESIZES {
            console.line(format_args!("  and {} more", changes.len() - MOST_RESIZES));
        }
        let (spent, decisions) = self.spent;
        if decisions > 0 {
            let (decisions, spent) = (count(decisions as usize, "decision"), spent as f64 * 1e-9);
            console.line(format_args!("  {decisions} in {}", seconds(spent)));
        }
    }

    /// Which workers moved, those between the same contexts together.
    fn moves(&self, resize: &Resize) -> String {
        let mut ways: Vec<((ContextId, ContextId), usize)> = Vec::new();
        for &(_, left, joined) in &resize.moved {
            match ways.iter_mut().find(|(way, _)| *way == (left, joined)) {
                Some((_, count)) => *count += 1,
                None => ways.push(((left, joined), 1)),
            }
        }
        let name = |context: ContextId| self.contexts[usize::from(context.0)].name.as_str();
        let text =
            |&((left, joined), count): &_| format!("{count} {} to {}", name(left), name(joined));
        ways.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn result(&self, (flags, sharing): (&Compose, Sharing), platform: &str) -> Value {
        let kernels: Vec<Value> = self
            .kernels
            .iter()
            .map(|kernel| {
                json!({
                    "name": kernel.name,
                    "context": self.contexts[usize::from(kernel.context.0)].name,
                    "start": kernel.start,
                    "seconds": kernel.seconds,
                    "gflops": 1e-9 * kernel.flops / kernel.seconds.max(1e-9),
                    "failure": kernel.failure,
                })
            })
            .collect();
        let contexts: Vec<Value> = self
            .contexts
            .iter()
            .map(|context| {
                json!({
                    "name": context.name,
                    "workers": context.workers,
                    "tasks": context.tasks,
                    "flops": context.flops,
                    "busy_seconds": context.busy,
                    "bytes_moved": context.bytes,
                })
            })
            .collect();
        let share = |hits: u64, misses: u64| match hits + misses {
            0 => Value::Null,
            all => json!(hits as f64 / all as f64),
        };
        let memories: Vec<Value> = self
            .site
            .memories
            .iter()
            .zip(self.totals.hits.iter().zip(&self.totals.misses))
            .map(|(name, (&hits, &misses))| json!({ "memory": name, "hits": share(hits, misses) }))
            .collect();
        let (hits, misses) = self.hits();
        let spent = self.spent.0 as f64 * 1e-9;
        json!({
            "platform": platform,
            "contexts_by": sharing.name(),
            "hypervisor": flags.hypervisor.map(|n| tegula_runtime::sched::hypervisor::RESIZING[n].name),
            "policy": flags.policy().name,
            "seed": flags.run.seed,
            "seconds": self.makespan,
            "kernels": kernels,
            "contexts": contexts,
            "hits": { "per_memory": memories, "total": share(hits, misses) },
            "bytes_moved": self.totals.bytes.iter().sum::<u64>(),
            "resizes": self.resizes.iter().map(|resize| self.resize(resize)).collect::<Vec<_>>(),
            "hypervisor_seconds": spent,
            "hypervisor_share": spent / self.makespan.max(1e-9),
            "decisions": self.spent.1,
            "workers_over_time": self.workers_over_time(),
        })
    }

    fn resize(&self, resize: &Resize) -> Value {
        let name = |context: ContextId| self.contexts[usize::from(context.0)].name.as_str();
        let moved: Vec<Value> = resize
            .moved
            .iter()
            .map(|&(worker, left, joined)| {
                json!({
                    "worker": self.site.workers[worker.0],
                    "from": name(left),
                    "to": name(joined),
                })
            })
            .collect();
        json!({
            "time": resize.time as f64 * 1e-9,
            "trigger": resize.trigger.name(),
            "policy": resize.policy,
            "moved": moved,
            "decision_seconds": resize.decision as f64 * 1e-9,
        })
    }

    /// How many workers each context has from a time on.
    fn workers_over_time(&self) -> Vec<Value> {
        let mut of: Vec<Vec<ContextId>> = vec![Vec::new(); self.site.workers.len()];
        let mut all = Vec::new();
        for resize in &self.resizes {
            for &(worker, left, joined) in &resize.moved {
                of[worker.0].retain(|&context| context != left);
                if joined != ContextId::ROOT {
                    of[worker.0].push(joined);
                }
            }
            let counts: serde_json::Map<String, Value> = self
                .contexts
                .iter()
                .enumerate()
                .skip(1)
                .map(|(number, context)| {
                    let id = ContextId(number as u16);
                    let has = of.iter().filter(|own| own.contains(&id)).count();
                    (context.name.clone(), has.into())
                })
                .collect();
            all.push(json!({ "time": resize.time as f64 * 1e-9, "workers": counts }));
        }
        all
    }
}

fn percent(hits: u64, misses: u64) -> String {
    match hits + misses {
        0 => String::new(),
        all => format!("{} %", number(100.0 * hits as f64 / all as f64, 4)),
    }
}
