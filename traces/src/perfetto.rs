//! The JSON format that Perfetto and `chrome://tracing` open: tasks on tracks of their workers,
//! transfers on tracks of their routes, messages on tracks of their ranks, and counters.

use std::io::{self, Write};

use tegula_runtime::trace::{Gauge, MessageRecord, Passage, Trace};

/// Numbers of the groups of tracks. The workers of rank 0 are a group, and those of each rank above
/// it one more, in which its messages are, too.
const WORKERS: usize = 0;
const ROUTES: usize = 1;
const COUNTERS: usize = 2;
/// Number of the first track of messages in the group of a rank: above those of all workers.
const MESSAGES: usize = 1 << 20;

/// The group of the workers of `rank`.
fn group(rank: usize) -> usize {
    if rank == 0 { WORKERS } else { COUNTERS + rank }
}

/// Writes the trace for Perfetto, times in microseconds: one track per worker with a slice per
/// task, one per route between memories with a slice per transfer (as many rows as go on at once),
/// and one counter per memory and for ready tasks. Over ranks, each is a process with tracks of its
/// workers, of who deals with messages, and of messages sent and received, as many as are under way
/// at once; an arrow leads from where a message was sent to where it was received.
///
/// # Errors
/// Those of `out`.
pub fn write_perfetto(trace: &Trace, mut out: impl Write) -> io::Result<()> {
    write!(out, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    let ranks = trace.rank_count();
    let name = |rank| if ranks == 1 { "workers".to_owned() } else { format!("rank {rank}") };
    write!(out, "\n{}", named("process_name", WORKERS, 0, &name(0)))?;
    for rank in 1..ranks {
        write!(out, ",\n{}", named("process_name", group(rank), 0, &name(rank)))?;
    }
    for worker in 0..trace.workers {
        let (group, name) = (group(trace.site.rank_of(worker)), trace.worker_name(worker));
        write!(out, ",\n{}", named("thread_name", group, worker, &name))?;
    }
    write_slices(trace, &mut out)?;
    write_polls(trace, &mut out)?;
    write_messages_of(trace, &mut out, Way::Out)?;
    write_messages_of(trace, &mut out, Way::In)?;
    if !trace.transfers.is_empty() {
        write!(out, ",\n{}", named("process_name", ROUTES, 0, "transfers"))?;
        write_routes(trace, &mut out)?;
    }
    if !trace.samples.is_empty() {
        write!(out, ",\n{}", named("process_name", COUNTERS, 0, "counters"))?;
        write_counters(trace, &mut out)?;
    }
    writeln!(out, "\n]}}")
}

fn write_slices(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    for record in &trace.records {
        write!(
            out,
            ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"name\":{},\"cat\":{},\
             \"ts\":{:.3},\"dur\":{:.3},\
             \"args\":{{\"task\":{},\"priority\":{},\"iteration\":{}}}}}",
            group(trace.site.rank_of(record.worker)),
            record.worker,
            string(record.codelet),
            string(trace.phase_of(record)),
            record.start as f64 * 1e-3,
            (record.end - record.start) as f64 * 1e-3,
            record.task,
            record.priority,
            record.iteration,
        )?;
    }
    Ok(())
}

/// When messages were dealt with, on a track per rank.
fn write_polls(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    let mut named_ranks = std::collections::BTreeSet::new();
    for poll in &trace.polls {
        let group = group(poll.rank);
        if named_ranks.insert(poll.rank) {
            write!(out, ",\n{}", named("thread_name", group, MESSAGES, "messenger"))?;
        }
        let (start, length) = (poll.start as f64 * 1e-3, (poll.end - poll.start) as f64 * 1e-3);
        write!(
            out,
            ",\n{{\"ph\":\"X\",\"pid\":{group},\"tid\":{MESSAGES},\"name\":\"messages\",\
             \"cat\":\"messenger\",\"ts\":{start:.3},\"dur\":{length:.3}}}"
        )?;
    }
    Ok(())
}

/// The messages that ranks have sent, or those that they have received, each on the first track of
/// its rank that is free; with the start or the end of its arrow.
fn write_messages_of(trace: &Trace, out: &mut impl Write, way: Way) -> io::Result<()> {
    let mut free: Vec<Vec<u64>> = vec![Vec::new(); trace.rank_count()];
    let mut order: Vec<(usize, &MessageRecord, usize, Passage)> = Vec::new();
    for (number, message) in trace.messages.iter().enumerate() {
        let end = way.of(message);
        order.extend(end.map(|(rank, passage)| (number, message, rank, passage)));
    }
    order.sort_by_key(|&(number, _, _, passage)| (passage.start, number));
    for (number, message, rank, Passage { start, end, .. }) in order {
        // What comes in one part takes no time there, and should be seen all the same.
        let end = end.max(start + 1);
        let tracks = &mut free[rank];
        let track = tracks.iter().position(|&free| free <= start).unwrap_or(tracks.len());
        let tid = MESSAGES + 1 + 2 * track + way as usize;
        if track == tracks.len() {
            tracks.push(end);
            write!(out, ",\n{}", named("thread_name", group(rank), tid, way.name()))?;
        }
        tracks[track] = end;
        let at = format!("\"pid\":{},\"tid\":{tid},\"ts\":{:.3}", group(rank), start as f64 * 1e-3);
        write_message(out, message, &at, (end - start) as f64 * 1e-3)?;
        if message.sent.is_some() && message.received.is_some() {
            let arrow = way.arrow();
            write!(
                out,
                ",\n{{{arrow},{at},\"cat\":\"message\",\"name\":\"message\",\"id\":{number}}}"
            )?;
        }
    }
    Ok(())
}

/// Transfers of one route may overlap, so that each is a pair of events with its own number.
fn write_routes(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    for (number, transfer) in trace.transfers.iter().enumerate() {
        let (src, dst) = (trace.memory_name(transfer.src), trace.memory_name(transfer.dst));
        let head = format!(
            "\"pid\":{ROUTES},\"tid\":0,\"cat\":\"transfer\",\"id\":{number},\"name\":{}",
            string(&format!("{src} \u{2192} {dst}"))
        );
        let (start, end) = (transfer.start as f64 * 1e-3, transfer.end as f64 * 1e-3);
        let (purpose, bytes, handle) = (transfer.purpose.name(), transfer.bytes, transfer.handle);
        write!(
            out,
            ",\n{{\"ph\":\"b\",{head},\"ts\":{start:.3},\"args\":{{\"purpose\":\"{purpose}\",\
             \"bytes\":{bytes},\"handle\":{handle}}}}},\n{{\"ph\":\"e\",{head},\"ts\":{end:.3}}}"
        )?;
    }
    Ok(())
}

fn write_counters(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    for sample in &trace.samples {
        let (name, unit) = match sample.gauge {
            Gauge::Memory(memory) => (format!("in {}", trace.memory_name(memory)), "bytes"),
            Gauge::Ready => ("ready".to_owned(), "tasks"),
        };
        write!(
            out,
            ",\n{{\"ph\":\"C\",\"pid\":{COUNTERS},\"name\":{},\"ts\":{:.3},\
             \"args\":{{\"{unit}\":{}}}}}",
            string(&name),
            sample.time as f64 * 1e-3,
            sample.value,
        )?;
    }
    Ok(())
}

/// One of the ends of messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Out,
    In,
}

impl Way {
    fn name(self) -> &'static str {
        if self == Self::Out { "sent" } else { "received" }
    }

    /// The rank at this end of `message`, and how it passed it.
    fn of(self, message: &MessageRecord) -> Option<(usize, Passage)> {
        match self {
            Self::Out => message.sent.map(|passage| (message.from, passage)),
            Self::In => message.received.map(|passage| (message.to, passage)),
        }
    }

    /// The kind of event for this end of an arrow.
    fn arrow(self) -> &'static str {
        if self == Self::Out { "\"ph\":\"s\"" } else { "\"ph\":\"f\",\"bp\":\"e\"" }
    }
}

/// A message on a track, at a place and time and so many microseconds long.
fn write_message(
    out: &mut impl Write,
    message: &MessageRecord,
    at: &str,
    length: f64,
) -> io::Result<()> {
    let &MessageRecord { datum, version, bytes, from, to, priority, .. } = message;
    write!(
        out,
        ",\n{{\"ph\":\"X\",{at},\"dur\":{length:.3},\"cat\":\"message\",\
         \"name\":\"{from} \u{2192} {to}: datum {datum}\",\
         \"args\":{{\"bytes\":{bytes},\"version\":{version},\"priority\":{priority}}}}}"
    )
}

/// The event that names a track or a group of them.
fn named(what: &str, group: usize, track: usize, name: &str) -> String {
    let name = string(name);
    format!(
        "{{\"ph\":\"M\",\"pid\":{group},\"tid\":{track},\"name\":\"{what}\",\"args\":{{\"name\":{name}}}}}"
    )
}

/// `text` as a string of JSON.
fn string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            control if control.is_control() => quoted.push('\u{fffd}'),
            plain => quoted.push(plain),
        }
    }
    quoted.push('"');
    quoted
}
