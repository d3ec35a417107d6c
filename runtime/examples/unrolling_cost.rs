//! What a task of another rank costs: every rank submits every task of a tiled Cholesky
//! factorisation, and this one owns nothing, or its share. Once the directory alone notes them,
//! once a flow does, whose other rank owns all. As clocks differ by machine and moment, times are
//! also told in clock cycles, four for an exclusive or and a multiplication that wait for those
//! before.
//!
//! `cargo run --release -p tegula-runtime --example unrolling_cost`
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::sync::{Arc, Barrier};
use std::time::Instant;

use tegula_runtime::comm::{Local, World};
use tegula_runtime::exec::{Exec, ExecOptions, Sequential};
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions, Handle};
use tegula_runtime::ranks::{Directory, Move, Owners, Rank, Spot};

/// Ranks in a grid, repeated over the tiles.
struct Grid {
    p: usize,
    q: usize,
}

impl Owners for Grid {
    fn owner(&self, Spot { row, column, .. }: Spot, _: usize) -> Rank {
        Rank(((row % self.p) * self.q + column % self.q) as u16)
    }
}

/// The last rank owns all.
struct Last;

impl Owners for Last {
    fn owner(&self, _: Spot, ranks: usize) -> Rank {
        Rank(ranks as u16 - 1)
    }
}

/// Takes tasks in.
trait Submit {
    fn submit<const N: usize>(&mut self, accesses: &[(Handle, Access); N]);
}

/// The tasks of the factorisation of `tiles`, a lower triangle.
fn cholesky(tiles: &[Vec<Handle>], to: &mut impl Submit) {
    for k in 0..tiles.len() {
        to.submit(&[(tiles[k][k], RW)]);
        for i in k + 1..tiles.len() {
            to.submit(&[(tiles[k][k], R), (tiles[i][k], RW)]);
        }
        for j in k + 1..tiles.len() {
            to.submit(&[(tiles[j][k], R), (tiles[j][j], RW)]);
            for i in j + 1..tiles.len() {
                to.submit(&[(tiles[i][k], R), (tiles[j][k], R), (tiles[i][j], RW)]);
            }
        }
    }
}

/// `nt x nt` tiles, of which there is a lower triangle, each named by `register`.
fn triangle(nt: usize, mut register: impl FnMut(Spot) -> Handle) -> Vec<Vec<Handle>> {
    let spot = |row, column| Spot { row, column, rows: nt, columns: nt };
    (0..nt).map(|i| (0..=i).map(|j| register(spot(i, j))).collect()).collect()
}

/// What was measured.
struct Measured {
    tasks: u64,
    /// Tasks that concern the rank.
    concerned: u64,
    seconds: f64,
}

/// Notes every task in the directory of rank `me`.
fn note(nt: usize, ranks: usize, me: usize) -> Measured {
    let p = (1..=ranks.isqrt()).rev().find(|p| ranks.is_multiple_of(*p)).expect("1 divides");
    let owners = Grid { p, q: ranks / p };
    // One more rank, which owns nothing.
    let mut directory = Directory::new(Some(Rank(me as u16)), ranks + 1);
    let mut flow = Flow::new(Sequential::new(), FlowOptions::default());
    let tiles = triangle(nt, |spot| {
        let handle = flow.register(8);
        directory.register(handle, Some(spot), &owners);
        handle
    });
    let mut noted =
        Noted { directory, me: Rank(me as u16), tasks: 0, concerned: 0, moves: Vec::new() };
    let start = Instant::now();
    cholesky(&tiles, &mut noted);
    let seconds = start.elapsed().as_secs_f64();
    Measured { tasks: noted.tasks, concerned: noted.concerned, seconds }
}

/// A directory of rank `me`.
struct Noted {
    directory: Directory,
    me: Rank,
    tasks: u64,
    concerned: u64,
    moves: Vec<Move>,
}

impl Submit for Noted {
    fn submit<const N: usize>(&mut self, accesses: &[(Handle, Access); N]) {
        self.tasks += 1;
        if self.directory.passes(accesses) {
            return;
        }
        let runner = self.directory.runner(accesses);
        self.directory.submit(accesses, runner, &mut self.moves);
        if !self.moves.is_empty() || runner == self.me {
            self.concerned += 1;
            self.moves.clear();
        }
    }
}

/// Does nothing to so many tiles.
#[derive(Clone, Copy)]
struct Nothing<const TILES: usize>;

impl<const TILES: usize> Codelet for Nothing<TILES> {
    const NAME: &'static str = "nothing";
    const ACCESS: &'static [Access] = match TILES {
        1 => &[RW],
        2 => &[R, RW],
        _ => &[R, R, RW],
    };

    fn cost(&self) -> Cost {
        Cost { flops: 0.0, bytes: 0.0 }
    }

    fn cpu(&self, _: &Buffers<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

/// A flow, and tasks submitted to it.
struct Submitted {
    flow: Flow,
    tasks: u64,
}

impl Submit for Submitted {
    fn submit<const N: usize>(&mut self, accesses: &[(Handle, Access); N]) {
        self.flow.submit(Nothing::<N>, accesses, 0);
        self.tasks += 1;
    }
}

/// Submits every task to a flow of two ranks, of which the first owns nothing.
fn submit(nt: usize) -> Measured {
    let turns = Barrier::new(2);
    let run = |end: Local, is_measured: bool| {
        let world = Some(World::new(Box::new(end)));
        let engine = Exec::new(ExecOptions { world, ..ExecOptions::new(1) });
        let mut flow = Flow::new(engine, FlowOptions::default());
        flow.set_owners(Arc::new(Last));
        let tiles = triangle(nt, |spot| flow.register_at(8, spot));
        // What the owner runs is not to slow what is measured.
        if !is_measured {
            turns.wait();
        }
        let start = Instant::now();
        let mut submitted = Submitted { flow, tasks: 0 };
        cholesky(&tiles, &mut submitted);
        let seconds = start.elapsed().as_secs_f64();
        if is_measured {
            turns.wait();
        }
        Measured { tasks: submitted.tasks, concerned: 0, seconds }
    };
    let mut ends = Local::connect(2).into_iter();
    let (first, second) = (ends.next().expect("two ends"), ends.next().expect("two ends"));
    std::thread::scope(|scope| {
        scope.spawn(|| run(second, false));
        run(first, true)
    })
}

/// Clock cycles in a nanosecond, now.
fn cycles() -> f64 {
    const COUNT: u64 = 1_000_000;
    let start = Instant::now();
    let last = (0..COUNT).fold(black_box(1u64), |x, i| (x ^ i).wrapping_mul(0x5851_f42d_4c95_7f2d));
    black_box(last);
    4.0 * COUNT as f64 / start.elapsed().as_nanos() as f64
}

/// Of five runs, the medians of nanoseconds and of clock cycles of a task.
fn median(run: impl Fn() -> Measured) -> (Measured, f64, f64) {
    let middle = |values: &mut [f64]| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (mut times, mut counts) = (Vec::new(), Vec::new());
    let mut last = None;
    for _ in 0..5 {
        let before = cycles();
        let measured = run();
        let each = 1e9 * measured.seconds / measured.tasks as f64;
        times.push(each);
        counts.push(each * (before + cycles()) / 2.0);
        last = Some(measured);
    }
    (last.expect("five runs"), middle(&mut times), middle(&mut counts))
}

fn main() {
    println!("in a directory    owns nothing                  owns its share");
    println!("tiles  ranks      ns a task      cycles         ns a task      cycles    concern it");
    for nt in [50, 100, 200, 300] {
        for ranks in [2, 16, 63, 255, 1023] {
            let (_, nothing, few) = median(|| note(nt, ranks, ranks));
            let (measured, share, more) = median(|| note(nt, ranks, 0));
            let percent = 100.0 * measured.concerned as f64 / measured.tasks as f64;
            println!(
                "{nt:>5} {ranks:>6} {nothing:>14.1} {few:>11.0} {share:>17.1} {more:>11.0} {percent:>11.1} %"
            );
        }
    }
    println!("in a flow of two ranks, the other of which owns all");
    for nt in [50, 100, 200] {
        let (_, each, count) = median(|| submit(nt));
        println!("{nt:>5} {:>6} {each:>14.1} {count:>11.0}", 2);
    }
}
