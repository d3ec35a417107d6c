//! Tables of a trace as comma-separated lines: one row per task, per transfer, per message, per
//! pair of ranks that sent any, and per task of the critical path.
//!
//! [`write_table`] is the table of tasks in seconds with all that a record holds. The others
//! have the columns and milliseconds of StarVZ (L. L. Nesi, PhD thesis, UGA and UFRGS, 2023, tables
//! 4.2 to 4.4), so that scripts for those can be used; the number of the process, which stands in
//! front of names there, is that of the rank.

use std::io::{self, Write};

use crate::{CriticalPath, PairTotal, pair_totals};
use tegula_runtime::trace::{Purpose, TaskRecord, Trace};

/// Writes the task table as CSV: one line per task, times in seconds.
///
/// # Errors
/// Those of `out`.
pub fn write_table(trace: &Trace, mut out: impl Write) -> io::Result<()> {
    writeln!(
        out,
        "task,codelet,phase,worker,priority,start_seconds,end_seconds,outcome,iteration,row,column"
    )?;
    for record in &trace.records {
        writeln!(
            out,
            "{},{},{},{},{},{:.9},{:.9},{},{},{}",
            record.task,
            field(record.codelet),
            field(trace.phase_of(record)),
            record.worker,
            record.priority,
            record.start as f64 * 1e-9,
            record.end as f64 * 1e-9,
            record.outcome.name(),
            record.iteration,
            spot(record),
        )?;
    }
    Ok(())
}

/// Writes one line per task, in the order in which they started.
///
/// # Errors
/// Those of `out`.
pub fn write_tasks(trace: &Trace, mut out: impl Write) -> io::Result<()> {
    writeln!(out, "ResourceId,Start,End,Duration,Value,JobId,Iteration,Phase,Row,Column")?;
    let resources = resources(trace);
    for record in &trace.records {
        writeln!(
            out,
            "{},{},{},{}_{},{},{},{}",
            field(&resources[record.worker]),
            times(record.start, record.end),
            field(record.codelet),
            trace.site.rank_of(record.worker),
            record.task,
            record.iteration,
            field(trace.phase_of(record)),
            spot(record),
        )?;
    }
    Ok(())
}

/// Writes one line per transfer between memories, in the order in which they started.
///
/// # Errors
/// Those of `out`.
pub fn write_transfers(trace: &Trace, mut out: impl Write) -> io::Result<()> {
    writeln!(out, "Type,Start,End,Duration,Key,Origin,Dest,Bytes,Handle")?;
    for (number, transfer) in trace.transfers.iter().enumerate() {
        let kind = match transfer.purpose {
            Purpose::Fetch => "Intra-node Fetch",
            Purpose::Prefetch => "Intra-node TaskPreFetch",
            Purpose::WriteBack => "Intra-node WriteBack",
        };
        let times = times(transfer.start, transfer.end);
        let (src, dst) = (transfer.src, transfer.dst);
        let (bytes, handle) = (transfer.bytes, transfer.handle);
        writeln!(out, "{kind},{times},com_{number},0_MEM{src},0_MEM{dst},{bytes},{handle}")?;
    }
    Ok(())
}

/// Writes one line per message between ranks, in the order in which they began to move.
///
/// # Errors
/// Those of `out`.
pub fn write_messages(trace: &Trace, mut out: impl Write) -> io::Result<()> {
    writeln!(
        out,
        "Type,Start,End,Duration,Key,Origin,Dest,Bytes,Handle,Version,Priority,\
         Ready,FirstOut,Gone,Asked,FirstIn,Here"
    )?;
    for (number, message) in trace.messages.iter().enumerate() {
        let times = times(message.start(), message.end());
        let [sent, received] = [message.sent, message.received].map(|passage| {
            passage.map_or_else(
                || ",,".to_owned(),
                |passage| {
                    let [ready, start, end] =
                        [passage.ready, passage.start, passage.end].map(milliseconds);
                    format!("{ready},{start},{end}")
                },
            )
        });
        let (from, to, bytes) = (message.from, message.to, message.bytes);
        let (datum, version, priority) = (message.datum, message.version, message.priority);
        writeln!(
            out,
            "Inter-node,{times},mpicom_{number},{from},{to},{bytes},\
             {datum},{version},{priority},{sent},{received}"
        )?;
    }
    Ok(())
}

/// Writes one line per pair of ranks of which one sent to the other, times in milliseconds: what it
/// sent, how long messages took, bytes per second of the time in which any was in flight, and the
/// share of that time in which the receiver computed; empty where there was no such time.
///
/// # Errors
/// Those of `out`.
pub fn write_pairs(trace: &Trace, mut out: impl Write) -> io::Result<()> {
    writeln!(out, "Origin,Dest,Messages,Bytes,Mean,InFlight,BytesPerSecond,Overlap")?;
    for pair in pair_totals(trace) {
        let PairTotal { from, to, messages, bytes, overlap, .. } = pair;
        let (mean, flight) = (1e3 * pair.mean_seconds(), 1e3 * overlap.flight_seconds);
        let rate = pair.bandwidth().map_or_else(String::new, |rate| format!("{rate:.0}"));
        let share = overlap.share().map_or_else(String::new, |share| format!("{share:.6}"));
        writeln!(out, "{from},{to},{messages},{bytes},{mean:.6},{flight:.6},{rate},{share}")?;
    }
    Ok(())
}

/// Writes one line per task of the critical path with its lateness, in order of time; the head
/// alone if the path is not known.
///
/// # Errors
/// Those of `out`.
pub fn write_critical_path(trace: &Trace, mut out: impl Write) -> io::Result<()> {
    writeln!(out, "JobId,Node,ResourceId,Value,Start,End,Duration,Lateness")?;
    let resources = resources(trace);
    for task in CriticalPath::of(trace).unwrap_or_default().tasks {
        let TaskRecord { task: job, worker, codelet, start, end, .. } = trace.records[task.record];
        let lateness = task.lateness.map_or(String::new(), milliseconds);
        let (resource, codelet) = (field(&resources[worker]), field(codelet));
        let rank = trace.site.rank_of(worker);
        let times = times(start, end);
        writeln!(out, "{rank}_{job},{rank},{resource},{codelet},{times},{lateness}")?;
    }
    Ok(())
}

/// Row and column of the tile that a task works on, empty if it works on none.
fn spot(record: &TaskRecord) -> String {
    record.spot.map_or_else(|| ",".to_owned(), |spot| format!("{},{}", spot.row, spot.column))
}

/// Names of the workers without blanks, after the number of the rank.
fn resources(trace: &Trace) -> Vec<String> {
    let name = |worker| {
        let (name, rank) = (trace.worker_name(worker), trace.site.rank_of(worker));
        let own = name.strip_prefix(&format!("rank {rank} ")).unwrap_or(&name);
        format!("{rank}_{}", own.replace(' ', ""))
    };
    (0..trace.workers).map(name).collect()
}

/// Start, end and duration in milliseconds.
fn times(start: u64, end: u64) -> String {
    format!("{},{},{}", milliseconds(start), milliseconds(end), milliseconds(end - start))
}

/// Nanoseconds as milliseconds, exactly.
fn milliseconds(nanoseconds: u64) -> String {
    format!("{}.{:06}", nanoseconds / 1_000_000, nanoseconds % 1_000_000)
}

/// `text` as a field of a table: in quotes where it needs them.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
