//! The summary of a trace as JSON.

use serde_json::{Map, Value, json};
use tegula_runtime::trace::Trace;
use tegula_traces::{
    ClassUse, Cluster, CodeletTime, CriticalPath, Overlap, PROGRESS_BANDWIDTH, PairTotal,
    Progression, RouteTotal, Step, balanced_seconds, codelet_times, energy, idle_share, overlaps,
    pair_totals, route_totals, uncertainty_seconds, utilisation,
};

/// The numbers of the summary, times in seconds.
pub(super) fn summary(trace: &Trace) -> Value {
    let path = CriticalPath::of(trace);
    let about: Map<String, Value> =
        trace.about.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
    json!({
        "run": about,
        "tasks": trace.records.len(),
        "workers": trace.workers,
        "makespan_seconds": trace.makespan_seconds(),
        "energy_joules": energy(trace).map(|(joules, _)| joules),
        "idle_share": idle_share(trace),
        "balanced_work_seconds": balanced_seconds(trace),
        "critical_path_seconds": path.as_ref().map(|path| path.seconds),
        "critical_path_tasks": path.as_ref().map(|path| path.tasks.len()),
        "critical_path_start_seconds": path.as_ref().map(|path| path.start_seconds),
        "critical_path_late_seconds": path.as_ref().map(|path| path.late_seconds),
        "classes": classes(trace),
        "codelets": codelets(trace),
        "transfers": transfers(trace),
        "ranks": trace.site.rank_count(),
        "messages": trace.messages.len(),
        "bytes_sent": trace.messages.iter().map(|message| message.bytes).sum::<u64>(),
        "overlap": overlap(overlaps(trace).1),
        "overlap_by_rank": overlaps(trace).0.into_iter().map(overlap).collect::<Value>(),
        "pairs": pairs(trace),
        "progression": progression(trace),
        "clock_uncertainty_seconds": uncertainty_seconds(trace),
        "messages_early_seconds":
            trace.messages.iter().map(|message| message.advance()).max().map(|most| 1e-9 * most as f64),
    })
}

/// Time in which messages were in flight to a rank, and the share of it in which the rank computed.
fn overlap(overlap: Overlap) -> Value {
    json!({
        "flight_seconds": overlap.flight_seconds,
        "busy_seconds": overlap.busy_seconds,
        "share": overlap.share(),
    })
}

/// Groups of ranks that were equally far with their own work at each tenth of the time, the last
/// first.
fn progression(trace: &Trace) -> Value {
    let group = |group: Cluster| json!({ "ranks": group.ranks, "share": group.share });
    let step = |step: Step| {
        let groups = step.clusters.into_iter().map(group).collect::<Value>();
        json!({ "seconds": 1e-9 * step.time as f64, "groups": groups })
    };
    let steps = Progression::of(trace).steps(trace.makespan(), 10, PROGRESS_BANDWIDTH);
    steps.into_iter().map(step).collect()
}

fn pairs(trace: &Trace) -> Value {
    let pair = |total: PairTotal| {
        json!({
            "from": total.from,
            "to": total.to,
            "messages": total.messages,
            "bytes": total.bytes,
            "mean_seconds": total.mean_seconds(),
            "bytes_per_second": total.bandwidth(),
            "overlap": overlap(total.overlap),
        })
    };
    pair_totals(trace).into_iter().map(pair).collect()
}

fn classes(trace: &Trace) -> Value {
    let class = |usage: ClassUse| {
        json!({
            "class": usage.class,
            "workers": usage.workers,
            "busy_seconds": usage.busy_seconds,
            "utilisation": usage.utilisation,
            "early_utilisation": usage.early_utilisation,
        })
    };
    utilisation(trace).into_iter().map(class).collect()
}

fn codelets(trace: &Trace) -> Value {
    let classes = trace.classes().0;
    let codelet = |time: CodeletTime| {
        let ran = classes.iter().zip(&time.classes).filter(|(_, (tasks, _))| *tasks > 0);
        let means: serde_json::Map<String, Value> = ran
            .map(|(class, &(tasks, seconds))| (class.clone(), (seconds / tasks as f64).into()))
            .collect();
        json!({
            "codelet": time.codelet,
            "tasks": time.tasks,
            "busy_seconds": time.busy_seconds,
            "mean_seconds": means,
        })
    };
    codelet_times(trace).into_iter().map(codelet).collect()
}

fn transfers(trace: &Trace) -> Value {
    let route = |total: RouteTotal| {
        json!({
            "from": trace.memory_name(total.src),
            "to": trace.memory_name(total.dst),
            "purpose": total.purpose.name(),
            "transfers": total.transfers,
            "bytes": total.bytes,
            "seconds": total.seconds,
        })
    };
    route_totals(trace).into_iter().map(route).collect()
}
