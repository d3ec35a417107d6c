//! Factorisations by the threads of a library that knows nothing of this one (Hugo 2014, section
//! 2.5.1): all at once with too many threads, one after the other on all cores, and in contexts.
//!
//! ```text
//! cargo run --release -p tegula-runtime --example parallel_tasks \
//!     [LIBRARY [ORDER [COUNT [ROUNDS]]]]
//! ```
//!
//! The library is an OpenBLAS whose threads are of OpenMP (Debian: `libopenblas0-openmp`).

#![allow(clippy::print_stdout, unsafe_code)]

use std::ffi::{c_char, c_int};
use std::time::Instant;

use libloading::Library;
use tegula_runtime::exec::{Exec, ExecOptions, Team};
use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle};
use tegula_runtime::platform::usable_cores;
use tegula_runtime::random::SplitMix64;
use tegula_runtime::sched::WorkerId;
use tegula_runtime::sched::contexts::{ContextSpec, JobSpec, Start, Work};

type Potrf =
    unsafe extern "C" fn(*const c_char, *const c_int, *mut f64, *const c_int, *mut c_int, usize);
type SetThreads = unsafe extern "C" fn(c_int);

const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0";

/// LAPACK's dpotrf of the library, on as many of its threads as the team has cores, or on `threads`
/// of them.
#[derive(Clone, Copy)]
struct ForeignPotrf {
    n: c_int,
    threads: Option<c_int>,
    potrf: Potrf,
    set_threads: SetThreads,
}

impl Codelet for ForeignPotrf {
    const NAME: &'static str = "dpotrf";
    const ACCESS: &'static [Access] = &[Access::RW];
    fn cost(&self) -> Cost {
        Cost { flops: f64::from(self.n).powi(3) / 3.0, bytes: 0.0 }
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (a, team, mut info) = (buffers.write::<f64>(0), Team::current(), 0);
        let threads = self.threads.unwrap_or(team.size() as c_int);
        let lower = b'L' as c_char;
        // SAFETY: the matrix has n x n numbers, and its functions have these types.
        team.spread(|| unsafe {
            (self.set_threads)(threads);
            (self.potrf)(&lower, &self.n, a.as_mut_ptr(), &self.n, &mut info, 1);
        });
        if info == 0 { Ok(()) } else { Err(format!("not positive definite at {info}").into()) }
    }
}

/// A symmetric matrix whose diagonal dominates.
fn matrix(n: usize) -> Vec<f64> {
    let mut random = SplitMix64::new(7);
    let mut a = vec![0.0; n * n];
    for j in 0..n {
        for i in j..n {
            a[i + j * n] = random.uniform() - 0.5;
        }
        a[j + j * n] = n as f64;
    }
    a
}

/// Seconds of `count` factorisations in a flow of `workers`, in teams of `size` if that is given.
fn seconds(
    (workers, size): (usize, Option<usize>),
    count: usize,
    a: &[f64],
    potrf: ForeignPotrf,
) -> f64 {
    // What knows nothing of other threads binds none.
    let options = ExecOptions::new(workers);
    let options = ExecOptions { contexts: true, bind: size.is_some(), ..options };
    let mut flow = Flow::new(Exec::new(options), FlowOptions::default());
    let handles: Vec<Handle> = (0..count).map(|_| flow.register_from(a)).collect();
    let teams = size.map_or(1, |size| workers / size);
    let jobs: Vec<_> = (0..teams)
        .filter_map(|team| {
            let size = size?;
            let members = (team * size..(team + 1) * size).map(WorkerId).collect();
            let name = format!("team {team}");
            let context = flow.add_context(ContextSpec::team(&name, members)).expect("cores");
            let job = JobSpec { name, context, start: Start::Now, work: Work::default() };
            Some(flow.add_job(job).expect("its context"))
        })
        .collect();
    let start = Instant::now();
    for (number, &handle) in handles.iter().enumerate() {
        let submit = |flow: &mut Flow| flow.submit(potrf, &[(handle, Access::RW)], 0);
        match jobs.get(number % teams) {
            Some(&job) => flow.within(job, submit),
            None => submit(&mut flow),
        }
    }
    flow.wait().expect("positive definite");
    start.elapsed().as_secs_f64()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let library = arguments.next().unwrap_or_else(|| LIBRARY.to_owned());
    let mut number = |default| arguments.next().map_or(default, |n| n.parse().expect("a number"));
    let (n, count, rounds) = (number(3000), number(4), number(5));
    // SAFETY: OpenBLAS may be loaded at any time, and is never unloaded.
    let library = Box::leak(Box::new(unsafe { Library::new(&library) }.expect("an OpenBLAS")));
    // SAFETY: LAPACK and OpenMP give these functions these types.
    let (potrf, set_threads) = unsafe {
        (
            *library.get::<Potrf>(b"dpotrf_").expect("it has LAPACK"),
            *library.get::<SetThreads>(b"omp_set_num_threads").expect("its threads are OpenMP's"),
        )
    };
    let cores = usable_cores();
    let own = ForeignPotrf { n: n as c_int, threads: None, potrf, set_threads };
    let all = ForeignPotrf { threads: Some(cores as c_int), ..own };
    let a = matrix(n);
    let size = (cores / count.min(cores)).max(1);
    let ways: [(String, &dyn Fn() -> f64); 3] = [
        (format!("all at once, {} threads", count * cores), &|| {
            seconds((count, None), count, &a, all)
        }),
        (format!("one after the other, {cores} threads each"), &|| {
            seconds((cores, Some(cores)), count, &a, own)
        }),
        (format!("{} contexts of {size}", cores / size), &|| {
            seconds((cores, Some(size)), count, &a, own)
        }),
    ];
    let mut times = vec![Vec::new(); ways.len()];
    for _ in 0..rounds {
        ways.iter().zip(&mut times).for_each(|((_, run), times)| times.push(run()));
    }
    println!("{count} factorisations of order {n} on {cores} cores, medians of {rounds}\n");
    println!("| way | s |\n|---|---|");
    for ((name, _), times) in ways.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!("| {name} | {:.3} |", times[rounds / 2]);
    }
}
