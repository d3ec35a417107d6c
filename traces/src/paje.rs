//! The text format of Paje, which ViTE and other viewers open: states of workers, variables of
//! memories, links for transfers and messages.
//!
//! Source: "Paje trace file format" (Schnorr, Inria, 2013), the events that are defined at the top.

use std::io::{self, Write};

use tegula_runtime::trace::{Gauge, Trace};

/// Definitions of the events that are used, and the types of what they speak of.
const HEAD: &str = "\
%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineVariableType 2
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeCreateContainer 4
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajeSetState 5
%       Time date
%       Type string
%       Container string
%       Value string
%EndEventDef
%EventDef PajeSetVariable 6
%       Time date
%       Type string
%       Container string
%       Value double
%EndEventDef
%EventDef PajeStartLink 7
%       Time date
%       Type string
%       Container string
%       Value string
%       StartContainer string
%       Key string
%EndEventDef
%EventDef PajeEndLink 8
%       Time date
%       Type string
%       Container string
%       Value string
%       EndContainer string
%       Key string
%EndEventDef
%EventDef PajeDefineLinkType 9
%       Alias string
%       Type string
%       StartContainerType string
%       EndContainerType string
%       Name string
%EndEventDef
0 P 0 \"Program\"
0 W P \"Worker\"
0 M P \"Memory\"
0 N P \"Rank\"
1 S W \"Task\"
2 B M \"Bytes\"
2 R P \"Ready tasks\"
9 T P M M \"Transfer\"
9 L P N N \"Message\"
1 Q N \"Messages\"
3 idle S \"idle\"
3 busy Q \"deals with messages\"
3 quiet Q \"quiet\"
4 0 p P 0 \"program\"
";

/// A line of the trace, with the time and the order at one time that it is sorted by.
type Line = (u64, u8, String);

/// Writes the trace for Paje, times in seconds: a container per worker whose state is the
/// codelet of its task, one per memory with its bytes, the ready tasks of the program, and a link
/// from memory to memory for each transfer, whose value is its purpose. Over ranks there is one
/// per rank whose state says when messages are dealt with, and a link from rank to rank for each
/// message, from its start to its end, whose value is its datum.
///
/// # Errors
/// Those of `out`.
pub fn write_paje(trace: &Trace, mut out: impl Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    let (names, of) = trace.codelets();
    for (number, name) in names.iter().enumerate() {
        writeln!(out, "3 c{number} S {}", string(name))?;
    }
    for worker in 0..trace.workers {
        writeln!(out, "4 0 w{worker} W p {}", string(&trace.worker_name(worker)))?;
    }
    for memory in 0..trace.site.memories.len() {
        writeln!(out, "4 0 m{memory} M p {}", string(&trace.memory_name(memory)))?;
    }
    let ranks = if trace.rank_count() > 1 { trace.rank_count() } else { 0 };
    for rank in 0..ranks {
        writeln!(out, "4 0 n{rank} N p \"rank {rank}\"")?;
    }
    for (time, _, line) in paje_lines(trace, &of) {
        let (number, rest) = line.split_once(' ').unwrap_or((&line, ""));
        writeln!(out, "{number} {:.9} {rest}", time as f64 * 1e-9)?;
    }
    Ok(())
}

/// What changes, in order of time; at one time ends come before starts.
fn paje_lines(trace: &Trace, of: &[usize]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::with_capacity(2 * trace.records.len() + trace.samples.len());
    for (record, codelet) in trace.records.iter().zip(of) {
        let worker = record.worker;
        lines.push((record.start, 1, format!("5 S w{worker} c{codelet}")));
        // A task without length would else be ended before it starts.
        let rank = if record.end > record.start { 0 } else { 1 };
        lines.push((record.end, rank, format!("5 S w{worker} idle")));
    }
    for sample in &trace.samples {
        let (time, value) = (sample.time, sample.value);
        lines.push(match sample.gauge {
            Gauge::Memory(memory) => (time, 2, format!("6 B m{memory} {value}")),
            Gauge::Ready => (time, 2, format!("6 R p {value}")),
        });
    }
    for (number, transfer) in trace.transfers.iter().enumerate() {
        let (src, dst, purpose) = (transfer.src, transfer.dst, transfer.purpose.name());
        lines.push((transfer.start, 3, format!("7 T p \"{purpose}\" m{src} t{number}")));
        lines.push((transfer.end, 4, format!("8 T p \"{purpose}\" m{dst} t{number}")));
    }
    message_lines(trace, &mut lines);
    lines.sort_by_key(|&(time, rank, _)| (time, rank));
    lines
}

/// Messages, and when they were dealt with.
fn message_lines(trace: &Trace, lines: &mut Vec<Line>) {
    for (number, message) in trace.messages.iter().enumerate() {
        let (from, to, datum) = (message.from, message.to, message.datum);
        let link = |event, rank| format!("{event} L p \"datum {datum}\" n{rank} g{number}");
        lines.push((message.start(), 3, link(7, from)));
        lines.push((message.end(), 4, link(8, to)));
    }
    for poll in &trace.polls {
        let state = |is| format!("5 Q n{} {}", poll.rank, if is { "busy" } else { "quiet" });
        lines.push((poll.start, 1, state(true)));
        lines.push((poll.end, if poll.end > poll.start { 0 } else { 1 }, state(false)));
    }
}

/// `text` in quotes, which it must not contain itself.
fn string(text: &str) -> String {
    let plain = |c: char| if c == '"' || c.is_control() { ' ' } else { c };
    format!("\"{}\"", text.chars().map(plain).collect::<String>())
}
