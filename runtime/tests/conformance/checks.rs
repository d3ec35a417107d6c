//! What the trace of a random program must show.

use tegula_runtime::exec::Sequential;
use tegula_runtime::flow::{Access, FlowOptions};
use tegula_runtime::trace::{Gauge, TaskRecord, Trace};

use crate::program::{KINDS, Step, accesses, run};

/// Steps that are tasks of their own, with their program index.
pub(crate) fn tasks(program: &[Step]) -> Vec<&Step> {
    program.iter().filter(|step| step.kind != KINDS - 1).collect()
}

/// As many tasks as the program has, each once, beside folds.
pub(crate) fn check_tasks(trace: &Trace, program: &[Step]) {
    let own = trace.records.iter().filter(|record| record.codelet != "fold");
    let own: Vec<u64> = own.map(|record| record.task).collect();
    assert_eq!(own.len(), tasks(program).len(), "number of tasks that ran");
    let different: std::collections::BTreeSet<u64> = own.iter().copied().collect();
    assert_eq!(different.len(), own.len(), "a task ran twice");
}

/// Each task exactly once; folds, which the flow inserts, are counted apart.
pub(crate) fn check_once(trace: &Trace, program: &[Step]) {
    check_tasks(trace, program);
    let mut indices: Vec<u64> = trace.records.iter().map(|record| record.task).collect();
    indices.sort_unstable();
    indices.dedup();
    assert_eq!(indices.len(), trace.records.len(), "a task ran twice");
}

/// Conflicting tasks ran in program order and did not overlap; commuting ones did not overlap.
pub(crate) fn check_order(trace: &Trace, program: &[Step]) {
    let mut records: Vec<&TaskRecord> =
        trace.records.iter().filter(|record| record.codelet != "fold").collect();
    records.sort_unstable_by_key(|record| record.task);
    let steps = tasks(program);
    for (later, step) in steps.iter().enumerate() {
        for (earlier, other) in steps[..later].iter().enumerate() {
            let (first, second) = (records[earlier], records[later]);
            for (handle, mode) in accesses(step) {
                for (_, before) in accesses(other).iter().filter(|(same, _)| *same == handle) {
                    let alike = mode == *before;
                    let ordered = first.end <= second.start;
                    match mode {
                        Access::R | Access::Reduce if alike => {}
                        Access::Commute if alike => {
                            assert!(
                                ordered || second.end <= first.start,
                                "{first:?} overlaps {second:?}"
                            );
                        }
                        _ => assert!(ordered, "{second:?} did not wait for {first:?}"),
                    }
                }
            }
        }
    }
}

/// Running the program sequentially in the order in which the simulation started its tasks gives
/// the results of the program.
pub(crate) fn check_replay(trace: &Trace, program: &[Step]) {
    let steps = tasks(program);
    // Program indices count folds; a fold comes right before the task that caused it.
    let mut order: Vec<&TaskRecord> = trace.records.iter().collect();
    order.sort_unstable_by_key(|record| record.task);
    let own: Vec<u64> =
        order.iter().filter(|record| record.codelet != "fold").map(|record| record.task).collect();
    let place = |task: u64| own.binary_search(&task).ok();
    let keeps = |step: &Step| step.kind != KINDS - 1;
    let plain: Vec<Step> = program.iter().filter(|step| keeps(step)).cloned().collect();
    let replayed: Vec<Step> = trace
        .records
        .iter()
        .filter_map(|record| place(record.task))
        .map(|position| steps[position].clone())
        .collect();
    let (expected, _) = run(Sequential::new(), FlowOptions::default(), &plain);
    let (end, _) = run(Sequential::new(), FlowOptions::default(), &replayed);
    // Discards are not in the trace, and a program with them reads zeros after them.
    if plain.len() == program.len() {
        assert_eq!(end, expected);
    }
}

/// Whenever a task waited though its predecessors were done, every worker was busy.
pub(crate) fn check_busy(trace: &Trace, program: &[Step], workers: usize) {
    let mut records: Vec<&TaskRecord> = trace.records.iter().collect();
    records.sort_unstable_by_key(|record| record.task);
    let steps = tasks(program);
    for (later, step) in steps.iter().enumerate() {
        let conflicts = |other: &Step| {
            accesses(step).iter().any(|&(handle, mode)| {
                accesses(other)
                    .iter()
                    .any(|&(same, before)| same == handle && (mode.writes() || before.writes()))
            })
        };
        let before = (0..later).filter(|&earlier| conflicts(steps[earlier]));
        let ready = before.map(|earlier| records[earlier].end).max().unwrap_or(0);
        let start = records[later].start;
        let mut times: Vec<u64> =
            records.iter().map(|r| r.start).filter(|&t| t >= ready && t < start).collect();
        if ready < start {
            times.push(ready);
        }
        for time in times {
            let busy = records.iter().filter(|r| r.start <= time && time < r.end).count();
            assert_eq!(
                busy, workers,
                "{:?} was ready at {ready} and waited at {time}",
                records[later]
            );
        }
    }
}

/// No memory ever holds more than it may; transfers start from where the data is valid; and what a
/// task reads was written, or brought, to the memory of its worker.
pub(crate) fn check_memories(trace: &Trace, program: &[Step]) {
    if trace.site.memories.is_empty() {
        return;
    }
    for sample in &trace.samples {
        if let Gauge::Memory(memory) = sample.gauge {
            let most = trace.site.capacities[memory].unwrap_or(u64::MAX);
            assert!(sample.value <= most, "{} bytes in memory {memory} of {most}", sample.value);
        }
    }
    let mut records: Vec<&TaskRecord> =
        trace.records.iter().filter(|record| record.codelet != "fold").collect();
    records.sort_unstable_by_key(|record| record.task);
    for (place, step) in tasks(program).iter().enumerate() {
        let record = records[place];
        let memory = memory_of(trace, record.worker);
        for (handle, mode) in accesses(step) {
            let is_discarded = |step: &Step| step.kind == KINDS - 1 && step.handles[0] == handle;
            if mode == Access::W || program.iter().any(is_discarded) {
                continue;
            }
            let brought = trace.transfers.iter().any(|transfer| {
                (transfer.handle as usize, transfer.dst) == (handle, memory)
                    && transfer.end <= record.start
            });
            let written = records.iter().zip(tasks(program)).any(|(other, step)| {
                let writes = |&(h, mode): &(usize, Access)| h == handle && mode.writes();
                other.end <= record.start
                    && memory_of(trace, other.worker) == memory
                    && accesses(step).iter().any(writes)
            });
            let touched = |worker: &TaskRecord| worker.start <= record.start;
            let is_fresh = !records.iter().zip(tasks(program)).any(|(other, step)| {
                touched(other)
                    && other.task < record.task
                    && accesses(step).iter().any(|&(h, mode)| h == handle && mode.writes())
            });
            assert!(
                brought || written || is_fresh,
                "{record:?} reads handle {handle}, which never came to memory {memory}"
            );
        }
    }
}

/// The memory of a worker: accelerators, named alike, have one of their own.
fn memory_of(trace: &Trace, worker: usize) -> usize {
    let name = &trace.site.workers[worker];
    trace.site.memories.iter().position(|memory| memory == name).unwrap_or(0)
}
