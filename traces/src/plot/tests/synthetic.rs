//! Traces of a machine that never was, with all that a trace can hold.

use tegula_runtime::ranks::Spot;
use tegula_runtime::trace::{
    Gauge, MessageRecord, Outcome, Passage, PollRecord, Purpose, Records, Sample, Site, TaskRecord,
    Trace, TransferRecord,
};

/// Time that a task of each codelet takes on a CPU and on a GPU, in nanoseconds.
const CODELETS: [(&str, [u64; 2]); 4] = [
    ("potrf", [2_500_000, 1_600_000]),
    ("trsm", [6_000_000, 900_000]),
    ("syrk", [5_600_000, 600_000]),
    ("gemm", [11_000_000, 800_000]),
];
/// Bytes of a tile, and the time that it takes to move one.
const TILE: u64 = 7_372_800;
const MOVE: u64 = 600_000;

/// Workers of two classes that take tasks in program order.
struct Machine {
    cpus: usize,
    /// Tiles of a row, and of a column.
    nt: usize,
    /// When each worker is free.
    free: Vec<u64>,
    /// Of each tile when it was last written, by which task, and in which memory it is.
    tiles: Vec<(u64, u64, usize)>,
    used: Vec<u64>,
    records: Records,
}

/// A Cholesky factorisation of `nt x nt` tiles on so many CPUs and GPUs.
pub(super) fn cholesky(nt: usize, cpus: usize, gpus: usize) -> Trace {
    let mut machine = Machine {
        cpus,
        nt,
        free: vec![0; cpus + gpus],
        tiles: vec![(0, 0, 0); nt * nt],
        used: vec![0; 1 + gpus],
        records: Records::default(),
    };
    let tile = |i: usize, j: usize| i * nt + j;
    for k in 0..nt {
        machine.run(0, k, &[tile(k, k)]);
        for i in k + 1..nt {
            machine.run(1, k, &[tile(k, k), tile(i, k)]);
        }
        for i in k + 1..nt {
            machine.run(2, k, &[tile(i, k), tile(i, i)]);
            for j in k + 1..i {
                machine.run(3, k, &[tile(i, k), tile(j, k), tile(i, j)]);
            }
        }
    }
    let name = |kind: &'static str, count: usize| (0..count).map(move |i| format!("{kind} {i}"));
    let classes = [vec!["cpu".to_owned(); cpus], vec!["cuda-0".to_owned(); gpus]].concat();
    let site = Site {
        workers: name("CPU", cpus).chain(name("GPU", gpus)).collect(),
        classes,
        memories: ["RAM".to_owned()].into_iter().chain(name("GPU", gpus)).collect(),
        capacities: [None].into_iter().chain(vec![Some(40 * TILE); gpus]).collect(),
        ..Site::default()
    };
    Trace::new(machine.records, site, &["none", "factorization"])
}

/// The same on `ranks` ranks, each of two CPUs: every other task sends its tile to the next rank.
pub(super) fn cholesky_over(nt: usize, ranks: usize) -> Trace {
    let mut trace = cholesky(nt, 2 * ranks, 0);
    trace.site.ranks = (0..2 * ranks).map(|worker| worker / 2).collect();
    trace.site.workers =
        (0..2 * ranks).map(|worker| format!("rank {} worker {}", worker / 2, worker % 2)).collect();
    trace.site.uncertainties = (0..ranks as u64).map(|rank| 500 * rank).collect();
    for record in trace.records.iter().step_by(2) {
        let (from, start) = (record.worker / 2, record.end);
        let passage = |start, end| Some(Passage { ready: start, start, end });
        trace.messages.push(MessageRecord {
            datum: record.task as u32,
            version: 1,
            bytes: TILE,
            from,
            to: (from + 1) % ranks,
            priority: record.priority,
            after: record.task + 1,
            sent: passage(start, start + MOVE),
            received: passage(start + MOVE / 2, start + 2 * MOVE),
        });
        trace.polls.push(PollRecord { rank: from, start, end: start + 2_000 });
    }
    trace
}

impl Machine {
    /// Runs a task on the worker that would end it first; it writes the last of `tiles`.
    fn run(&mut self, codelet: usize, iteration: usize, tiles: &[usize]) {
        let task = self.records.tasks.len() as u64;
        let (name, durations) = CODELETS[codelet];
        let (ready, after) =
            tiles.iter().map(|&tile| (self.tiles[tile].0, self.tiles[tile].1)).max().expect("one");
        let cpus = self.cpus;
        let class = |worker: usize| usize::from(worker >= cpus);
        let end = |&worker: &usize| self.free[worker].max(ready) + durations[class(worker)];
        let worker = (0..self.free.len()).min_by_key(end).expect("there are workers");
        let memory = if worker < self.cpus { 0 } else { 1 + worker - self.cpus };
        let mut start = self.free[worker].max(ready);
        for &tile in tiles {
            start = start.max(self.fetch(tile, memory, start));
        }
        // One in a hundred takes much longer than the others.
        let factor = if task % 100 == 57 { 4 } else { 1 };
        let end = start + factor * durations[class(worker)] + task % 7;
        self.free[worker] = end;
        let (last, nt) = (tiles[tiles.len() - 1], self.nt);
        self.tiles[last] = (end, task + 1, memory);
        self.count(ready, 1);
        self.count(start, 0);
        self.records.tasks.push(TaskRecord {
            task,
            codelet: name,
            phase: 1,
            job: 0,
            worker,
            priority: -(iteration as i32),
            iteration: iteration as u32,
            spot: Some(Spot { row: last / nt, column: last % nt, rows: nt, columns: nt }),
            after,
            start,
            end,
            outcome: Outcome::Done,
        });
    }

    /// Moves `tile` to `memory` if it is elsewhere; returns when it is there.
    fn fetch(&mut self, tile: usize, memory: usize, start: u64) -> u64 {
        let src = std::mem::replace(&mut self.tiles[tile].2, memory);
        if src == memory {
            return start;
        }
        let purpose = Purpose::ALL[tile % 3];
        let (handle, end) = (tile as u32, start + MOVE);
        let transfer =
            TransferRecord { handle, bytes: TILE, src, dst: memory, purpose, start, end };
        self.records.transfers.push(transfer);
        for (memory, used) in
            [(src, self.used[src].saturating_sub(TILE)), (memory, self.used[memory] + TILE)]
        {
            self.used[memory] = used;
            self.records.samples.push(Sample {
                time: end,
                gauge: Gauge::Memory(memory),
                value: used,
            });
        }
        end
    }

    fn count(&mut self, time: u64, value: u64) {
        self.records.samples.push(Sample { time, gauge: Gauge::Ready, value });
    }
}
