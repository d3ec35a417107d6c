//! The summary of a trace as JSON.

use serde_json::{Map, Value, json};
use tegula_runtime::trace::Trace;

/// The numbers of the summary, times in seconds.
pub(super) fn summary(trace: &Trace) -> Value {
    let path = trace.critical_path();
    let about: Map<String, Value> =
        trace.about.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
    json!({
        "run": about,
        "tasks": trace.records.len(),
        "workers": trace.workers,
        "makespan_seconds": trace.makespan_seconds(),
        "idle_share": trace.idle_share(),
        "balanced_work_seconds": trace.balanced_seconds(),
        "critical_path_seconds": path.as_ref().map(|path| path.seconds),
        "critical_path_tasks": path.as_ref().map(|path| path.tasks.len()),
        "critical_path_start_seconds": path.as_ref().map(|path| path.start_seconds),
        "critical_path_late_seconds": path.as_ref().map(|path| path.late_seconds),
        "classes": classes(trace),
        "codelets": codelets(trace),
        "transfers": transfers(trace),
    })
}

fn classes(trace: &Trace) -> Value {
    let class = |usage: tegula_runtime::trace::ClassUse| {
        json!({
            "class": usage.class,
            "workers": usage.workers,
            "busy_seconds": usage.busy_seconds,
            "utilisation": usage.utilisation,
            "early_utilisation": usage.early_utilisation,
        })
    };
    trace.utilisation().into_iter().map(class).collect()
}

fn codelets(trace: &Trace) -> Value {
    let classes = trace.classes().0;
    let codelet = |time: tegula_runtime::trace::CodeletTime| {
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
    trace.codelet_times().into_iter().map(codelet).collect()
}

fn transfers(trace: &Trace) -> Value {
    let route = |total: tegula_runtime::trace::RouteTotal| {
        json!({
            "from": trace.memory_name(total.src),
            "to": trace.memory_name(total.dst),
            "purpose": total.purpose.name(),
            "transfers": total.transfers,
            "bytes": total.bytes,
            "seconds": total.seconds,
        })
    };
    trace.route_totals().into_iter().map(route).collect()
}
