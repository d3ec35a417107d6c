//! What a task of another rank costs: every rank notes every task of a tiled Cholesky factorisation in its
//! directory, and this one owns nothing, or its share.
//!
//! `cargo run --release -p tegula-runtime --example unrolling_cost`
#![allow(clippy::print_stdout)]

use std::time::Instant;

use tegula_runtime::exec::Sequential;
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, FlowOptions, Handle};
use tegula_runtime::ranks::{Directory, Owners, Rank, Spot};

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

/// Notes every task of the factorisation of `nt x nt` tiles; answers tasks, those with moves for rank
/// `me`, and seconds.
fn unroll(nt: usize, ranks: usize, me: usize) -> (u64, u64, f64) {
    let p = (1..=ranks.isqrt()).rev().find(|p| ranks.is_multiple_of(*p)).expect("1 divides");
    let owners = Grid { p, q: ranks / p };
    // One more rank, which owns nothing.
    let mut directory = Directory::new(Some(Rank(me as u16)), ranks + 1);
    let mut flow = Flow::new(Sequential::new(), FlowOptions::default());
    let mut tiles = vec![Vec::new(); nt];
    for (i, row) in tiles.iter_mut().enumerate() {
        for j in 0..=i {
            let handle: Handle = flow.register(8);
            let spot = Spot { row: i, column: j, rows: nt, columns: nt };
            directory.register(handle, Some(spot), &owners);
            row.push(handle);
        }
    }
    let (mut tasks, mut concerned, mut moves) = (0, 0, Vec::new());
    let mut submit = |accesses: &[(Handle, tegula_runtime::flow::Access)]| {
        let runner = directory.runner(accesses);
        directory.submit(accesses, runner, &mut moves);
        tasks += 1;
        concerned += u64::from(!moves.is_empty() || usize::from(runner.0) == me);
        moves.clear();
    };
    let start = Instant::now();
    for k in 0..nt {
        submit(&[(tiles[k][k], RW)]);
        for i in k + 1..nt {
            submit(&[(tiles[k][k], R), (tiles[i][k], RW)]);
        }
        for j in k + 1..nt {
            submit(&[(tiles[j][k], R), (tiles[j][j], RW)]);
            for i in j + 1..nt {
                submit(&[(tiles[i][k], R), (tiles[j][k], R), (tiles[i][j], RW)]);
            }
        }
    }
    (tasks, concerned, start.elapsed().as_secs_f64())
}

fn main() {
    println!(
        "{:>6} {:>6} {:>10} {:>22} {:>22}",
        "tiles", "ranks", "tasks", "owns nothing", "owns its share"
    );
    for nt in [50, 100, 200, 300] {
        for ranks in [2, 16, 63, 255, 1023] {
            let median = |me| {
                let mut runs: Vec<_> = (0..5).map(|_| unroll(nt, ranks, me)).collect();
                runs.sort_by(|a, b| a.2.total_cmp(&b.2));
                runs[2]
            };
            let (tasks, _, nothing) = median(ranks);
            let (_, concerned, share) = median(0);
            let each = |seconds: f64| 1e9 * seconds / tasks as f64;
            println!(
                "{nt:>6} {ranks:>6} {tasks:>10} {:>14.1} ns each {:>14.1} ns each, {:.1} % concern it",
                each(nothing),
                each(share),
                100.0 * concerned as f64 / tasks as f64
            );
        }
    }
}
