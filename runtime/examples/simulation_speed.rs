//! How many tasks a second the simulator runs: Cholesky on nine cores and three accelerators.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions};
use tegula_runtime::platform::{ClassId, Durations, Machine, WorkerKind};
use tegula_runtime::sched::{EVICTIONS, POLICIES};
use tegula_runtime::sim::{Sim, SimOptions};

macro_rules! kernels {
    ($($name:ident $modes:expr, $flops:expr;)*) => { $(
        #[derive(Clone, Copy)]
        struct $name;
        impl Codelet for $name {
            const NAME: &'static str = stringify!($name);
            const ACCESS: &'static [Access] = $modes;
            fn cost(&self) -> Cost {
                Cost { flops: $flops, bytes: 0.0 }
            }
            fn cpu(&self, _: &Buffers<'_>) -> Result<(), Failure> {
                Ok(())
            }
        }
    )* };
}
use Access::{R, RW};
kernels! {
    Potrf &[RW], 1.0;
    Trsm &[R, RW], 3.0;
    Syrk &[R, RW], 3.0;
    Gemm &[R, R, RW], 6.0;
}

struct Mirage;
impl Durations for Mirage {
    fn nanoseconds(&self, codelet: &'static str, _: Cost, class: ClassId) -> Option<u64> {
        let (cpu, gpu) = match codelet {
            "Potrf" => (922_110, 2_003_232),
            "Trsm" => (1_868_713, 682_925),
            "Syrk" => (1_631_322, 100_562),
            _ => (3_262_643, 201_125),
        };
        Some(if class.0 == 0 { cpu } else { gpu })
    }
}

fn main() {
    let nt: usize = std::env::args().nth(1).map_or(60, |n| n.parse().expect("a number of tiles"));
    let cap: u64 = std::env::args().nth(2).map_or(5_000_000_000, |n| n.parse().expect("bytes"));
    for policy in POLICIES {
        let mut machine = Machine::cores(9);
        for _ in 0..3 {
            machine.add_accelerator(WorkerKind::Cuda, Some(cap), 6.0e9, 1.0);
        }
        let mut options = SimOptions::new(machine, Mirage, policy);
        options.trace = false;
        options.eviction = EVICTIONS.iter().find(|e| e.name == policy.eviction).unwrap();
        let mut flow = Flow::new(
            Sim::new(options),
            FlowOptions { window: u64::MAX, ..FlowOptions::default() },
        );
        let tiles: Vec<Vec<_>> =
            (0..nt).map(|_| (0..nt).map(|_| flow.register(320 * 320 * 4)).collect()).collect();
        tiles.iter().flatten().for_each(|&tile| flow.touch(tile));
        let start = Instant::now();
        let mut tasks = 0;
        for k in 0..nt {
            let p = |less: usize| 3 * (nt - k) as i32 - less as i32;
            flow.submit(Potrf, &[(tiles[k][k], RW)], p(0));
            for i in k + 1..nt {
                flow.submit(Trsm, &[(tiles[k][k], R), (tiles[i][k], RW)], p(i - k));
            }
            for j in k + 1..nt {
                flow.submit(Syrk, &[(tiles[j][k], R), (tiles[j][j], RW)], p(2 * (j - k)));
                for i in j + 1..nt {
                    flow.submit(
                        Gemm,
                        &[(tiles[i][k], R), (tiles[j][k], R), (tiles[i][j], RW)],
                        p(i + j - 2 * k),
                    );
                }
                tasks += nt - j;
            }
            tasks += nt - k;
        }
        let submitted = start.elapsed().as_secs_f64();
        flow.wait().expect("nothing fails");
        let seconds = start.elapsed().as_secs_f64();
        let totals = flow.totals().expect("it counts");
        println!(
            "{:10} {tasks} tasks, {:.2} us each ({:.2} of them submission), makespan {:.1} ms, {} MiB to GPUs",
            policy.name,
            1e6 * seconds / tasks as f64,
            1e6 * submitted / tasks as f64,
            totals.makespan as f64 * 1e-6,
            (1..4).map(|m| totals.bytes_to(m)).sum::<u64>() >> 20,
        );
    }
}
