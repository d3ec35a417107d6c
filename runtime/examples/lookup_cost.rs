//! Prints what a question to the models of kernels costs, and what noting a time does.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use tegula_runtime::flow::Cost;
use tegula_runtime::platform::{ClassId, Durations, Machine, Models};

/// Questions per measurement.
const ROUNDS: u32 = 2_000_000;

fn main() {
    const NAMES: [&str; 6] = ["potrf", "trsm", "syrk", "gemm", "getrf_nopiv", "geadd"];
    let models = Models::new(&Machine::unequal_cores(4));
    let tasks: Vec<_> = (0..192_usize)
        .map(|i| (NAMES[i % 6], f64::from(1 + i as u32 / 24) * 1e6, ClassId(i / 6 % 4)))
        .collect();
    let cost = |flops| Cost { flops, bytes: flops / 8.0 };
    for _ in 0..10 {
        tasks.iter().for_each(|&(name, flops, class)| {
            models.record(name, cost(flops), class, flops as u64 / 10);
        });
    }
    let report = |what: &str, ask: &dyn Fn(&'static str, Cost, ClassId)| {
        let start = Instant::now();
        for round in 0..ROUNDS {
            let (name, flops, class) = black_box(tasks[round as usize % tasks.len()]);
            ask(name, cost(flops), class);
        }
        let nanoseconds = 1e9 * start.elapsed().as_secs_f64() / f64::from(ROUNDS);
        println!("{what}: {nanoseconds:.1} ns");
    };
    report("question", &|name, cost, class| {
        black_box(models.nanoseconds(name, cost, class));
    });
    report("note", &|name, cost, class| models.record(name, cost, class, 1000));
}
