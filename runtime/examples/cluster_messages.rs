//! When messages between the nodes of a simulated cluster arrive.
//!
//! `cargo run --release -p tegula-runtime --example cluster_messages -- FILE [unlimited]`
//!
//! The file has a line for each thing, numbers apart by blanks:
//!
//! ```text
//! latency SECONDS
//! backbone BYTES_PER_SECOND            none: no limit
//! node SEND RECEIVE                    bytes per second out of it and into it
//! message FROM TO BYTES START AFTER    goes START seconds after the beginning, or after AFTER
//! ```
//!
//! Nodes and messages are numbered from 0 in the order of the file; AFTER is an earlier message, or
//! -1. Prints the seconds at which each message has come, a line for each. With `unlimited`, any
//! number of messages leave a node and come to it at a time; without, as many as usual.
#![allow(clippy::print_stdout)]

use std::str::FromStr;
use std::sync::Arc;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle};
use tegula_runtime::platform::{ClassId, Durations, Machine};
use tegula_runtime::ranks::{Owners, Rank, Spot};
use tegula_runtime::sched::policy;
use tegula_runtime::sim::{Cluster, ClusterOptions, NodeOptions};

macro_rules! kernels {
    ($($name:ident $modes:expr;)*) => { $(
        /// Takes so many nanoseconds.
        #[derive(Clone, Copy)]
        struct $name(u64);
        impl Codelet for $name {
            const NAME: &'static str = stringify!($name);
            const ACCESS: &'static [Access] = $modes;
            fn cost(&self) -> Cost {
                Cost { flops: self.0 as f64, bytes: 0.0 }
            }
            fn cpu(&self, _: &Buffers<'_>) -> Result<(), Failure> {
                Ok(())
            }
        }
    )* };
}
use Access::{R, RW, W};
kernels! {
    Make &[W];
    Answer &[R, W];
    Take &[R, RW];
}

/// An operation a nanosecond.
struct Nanoseconds;
impl Durations for Nanoseconds {
    fn nanoseconds(&self, _: &'static str, cost: Cost, _: ClassId) -> Option<u64> {
        Some(cost.flops as u64)
    }
}

/// Rank `row` owns what is in that row.
struct ByRow;
impl Owners for ByRow {
    fn owner(&self, spot: Spot, _: usize) -> Rank {
        Rank(spot.row as u16)
    }
}

struct Message {
    from: usize,
    to: usize,
    bytes: usize,
    start: f64,
    after: Option<usize>,
}

#[derive(Default)]
struct Pattern {
    latency: f64,
    backbone: Option<f64>,
    /// Bytes per second out of each node and into it.
    nodes: Vec<(f64, f64)>,
    messages: Vec<Message>,
}

fn parse<T: FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("{word} is no such number"))
}

fn read(path: &str) -> Pattern {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut pattern = Pattern::default();
    for line in text.lines() {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["latency", seconds] => pattern.latency = parse(seconds),
            ["backbone", rate] => pattern.backbone = Some(parse(rate)),
            ["node", send, receive] => pattern.nodes.push((parse(send), parse(receive))),
            ["message", from, to, bytes, start, after] => pattern.messages.push(Message {
                from: parse(from),
                to: parse(to),
                bytes: parse(bytes),
                start: parse(start),
                after: usize::try_from(parse::<i64>(after)).ok(),
            }),
            _ => panic!("{path}: cannot read {line:?}"),
        }
    }
    pattern
}

/// Makes each message when it is to go, at a node that it leaves, and takes it where it comes to.
fn exchange(flow: &mut Flow, messages: &[Message]) {
    let ranks = flow.ranks();
    let spot = |row| Spot { row, column: 0, rows: ranks, columns: 1 };
    let data: Vec<Handle> = messages
        .iter()
        .map(|message| flow.register_at(message.bytes, spot(message.from)))
        .collect();
    for (message, &datum) in messages.iter().zip(&data) {
        let nanoseconds = (1e9 * message.start).round() as u64;
        match message.after {
            None => flow.submit(Make(nanoseconds), &[(datum, W)], 0),
            Some(before) => flow.submit(Answer(nanoseconds), &[(data[before], R), (datum, W)], 0),
        }
        let taken = flow.register_at(8, spot(message.to));
        flow.submit(Take(0), &[(datum, R), (taken, RW)], 0);
    }
    flow.wait().expect("nothing fails");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().expect("the first word names a file");
    let Pattern { latency, backbone, nodes, messages } = read(path);
    // A core for each task.
    let node = |(number, &(send, receive)): (usize, &(f64, f64))| {
        let tasks = messages.iter().filter(|message| [message.from, message.to].contains(&number));
        let machine = Machine::cores(tasks.count().max(1));
        let options = NodeOptions::new(machine, Nanoseconds, send);
        NodeOptions { receive_bytes_per_second: receive, ..options }
    };
    let nodes = nodes.iter().enumerate().map(node).collect();
    let policy = policy("eager").expect("it is listed");
    let mut options = ClusterOptions::new(nodes, latency, policy);
    (options.backbone_bytes_per_second, options.trace) = (backbone, true);
    if arguments.get(1).is_some_and(|word| word == "unlimited") {
        (options.sends, options.receives) = (usize::MAX, usize::MAX);
        options.receive_bytes = u64::MAX;
    }
    let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
        flow.set_owners(Arc::new(ByRow));
        exchange(flow, &messages);
    });
    let mut records = run.trace.expect("it was recorded").messages;
    records.sort_by_key(|record| record.datum);
    assert_eq!(records.len(), messages.len(), "each datum goes once");
    for record in records {
        println!("{:.9}", 1e-9 * record.end() as f64);
    }
}
