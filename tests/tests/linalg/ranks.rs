//! Algorithms over ranks that are threads: what they send is what is counted, and as little as the
//! literature says.

use std::sync::Arc;

use tegula_kernels::error::NumericalError;
use tegula_linalg::{Tree, geqrf_tree, getrf_nopiv, potrf};
use tegula_plan::distribution::messages::{self, Messages};
use tegula_plan::distribution::{BlockCyclic, OwnerMap, Traffic, count, distribution};
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure, Flow, FlowOptions};
use tegula_runtime::ranks::{Owners, Rank, Spot};
use tegula_tests::over_ranks;
use tegula_tiles::{Order, Storage, TileMatrix, random_spd_entry};

/// A factorisation of the tiles of a matrix.
type Factorise = fn(&mut Flow, &TileMatrix<f64>);

const FACTORISATIONS: &[(&str, Storage, Factorise)] = &[
    ("potrf", Storage::Lower, |flow, a| potrf(flow, a)),
    ("getrf_nopiv", Storage::Full, |flow, a| getrf_nopiv(flow, a)),
    ("geqrf_tree", Storage::Full, |flow, a| geqrf_tree(flow, a, Tree::Flat).retire(flow)),
];

/// A matrix of `tiles x tiles` tiles of order `nb` that has all factors.
fn matrix(flow: &mut Flow, tiles: usize, nb: usize, storage: Storage) -> TileMatrix<f64> {
    let n = tiles * nb;
    let a = TileMatrix::new(flow, (n, n), (nb, nb), storage);
    a.fill_with(flow, |i, j| random_spd_entry(1, n, i, j)).expect("matrices are filled");
    a
}

/// Owners without any pattern.
struct Scattered;

impl Owners for Scattered {
    fn owner(&self, Spot { row, column, .. }: Spot, ranks: usize) -> Rank {
        Rank(((row * 7 + column * 13 + row * column) % ranks) as u16)
    }
}

#[test]
fn what_is_sent_is_what_is_counted() {
    for &(name, storage, factorise) in FACTORISATIONS {
        for (ranks, text) in [(2, "block-cyclic"), (4, "block-cyclic:4x1"), (6, "scattered")] {
            let owners: Arc<dyn Owners> = match text {
                "scattered" => Arc::new(Scattered),
                text => distribution(text, ranks).expect("a distribution"),
            };
            let mut listening = Flow::listening();
            let a = matrix(&mut listening, 9, 8, storage);
            factorise(&mut listening, &a);
            let (counted, _) = count(&listening.take_program(), ranks, &*owners);
            let sent = over_ranks(ranks, &owners, |mut flow| {
                let a = matrix(&mut flow, 9, 8, storage);
                factorise(&mut flow, &a);
                flow.wait().expect("the matrix has factors");
                flow.traffic().expect("all ranks are there")
            });
            assert!(counted.messages > 0);
            sent.iter().for_each(|sent| assert_eq!(*sent, counted, "{name} {text}"));
        }
    }
}

/// Between two factorisations the tiles go to other owners, in the same flow.
#[test]
fn tiles_change_owners_while_tasks_run() {
    let squarest: Arc<dyn Owners> = Arc::new(BlockCyclic::squarest(4));
    let program = |flow: &mut Flow| {
        let a = matrix(flow, 7, 8, Storage::Lower);
        for step in 0..3 {
            if step > 0 {
                let owners: &dyn Owners = if step == 1 { &Scattered } else { &() };
                a.redistribute(flow, owners);
            }
            // What is left of a factor is factorised again, its diagonal made heavy.
            potrf(flow, &a);
            for index in a.indices().filter(|index| index.row == index.column) {
                let tile = a.tile(index.row, index.column);
                flow.submit(Heavy, &[(tile, Access::RW)], 0);
            }
        }
        let mut array = vec![0.0; 56 * 56];
        let order = Order::ColumnMajor { ld: 56 };
        a.gather(flow, &mut array, order).expect("the matrix has factors");
        array
    };
    let mut alone = Flow::new(Exec::with_workers(1), FlowOptions::default());
    let expected = program(&mut alone);
    for found in over_ranks(4, &squarest, |mut flow| program(&mut flow)) {
        assert!(found == expected, "the same operations in the same order");
    }
}

/// Makes the diagonal of a tile heavy.
#[derive(Clone, Copy)]
struct Heavy;

impl Codelet for Heavy {
    const NAME: &'static str = "heavy";
    const ACCESS: &'static [Access] = &[Access::RW];
    fn cost(&self) -> Cost {
        Cost::default()
    }
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        buffers.write::<f64>(0).iter_mut().step_by(9).for_each(|entry| *entry += 100.0);
        Ok(())
    }
}

/// What is counted of tiles alone is what the program of the algorithm sends, in all and by rank.
#[test]
fn factorisations_send_what_is_counted_without_their_tasks() {
    let counters: [fn(&OwnerMap) -> Messages; 3] = [messages::cholesky, messages::lu, messages::qr];
    for (&(name, storage, factorise), counter) in FACTORISATIONS.iter().zip(counters) {
        let mut listening = Flow::listening();
        let a = matrix(&mut listening, 11, 4, storage);
        factorise(&mut listening, &a);
        let program = listening.take_program();
        for ranks in [1, 4, 6, 7] {
            let grid: Arc<dyn Owners> = Arc::new(BlockCyclic::squarest(ranks));
            for owners in [grid, Arc::new(Scattered)] {
                let (_, each) = count(&program, ranks, &*owners);
                let each: Vec<u64> = each.iter().map(|traffic| traffic.messages).collect();
                let map = OwnerMap::of(&*owners, (11, 11), storage, ranks);
                assert_eq!(counter(&map).sent, each, "{name} on {ranks} ranks");
            }
        }
    }
}

/// Nesi, "Strategies for distributing task-based applications on heterogeneous platforms", 2023,
/// section 5.4: 100 x 100 tiles over 22 nodes in a block-cyclic grid send 55 329 of them.
#[test]
fn lu_sends_as_many_tiles_as_it_must() {
    let mut flow = Flow::listening();
    let a = TileMatrix::<f64>::new(&mut flow, (100, 100), (1, 1), Storage::Full);
    getrf_nopiv(&mut flow, &a);
    let (Traffic { messages, .. }, _) =
        count(&flow.take_program(), 22, &BlockCyclic { p: 2, q: 11 });
    assert_eq!(messages, 55_329);
}

#[test]
fn a_failure_on_one_rank_is_that_of_all() {
    let squarest: Arc<dyn Owners> = Arc::new(BlockCyclic::squarest(3));
    let errors = over_ranks(3, &squarest, |mut flow| {
        let flow = &mut flow;
        let a = matrix(flow, 6, 5, Storage::Lower);
        a.fill_with(flow, |i, j| match (i, j) {
            (17, 17) => -1.0,
            (i, j) => f64::from(u8::from(i == j)),
        })
        .expect("matrices are filled");
        potrf(flow, &a);
        let error = flow.wait().expect_err("the matrix is not positive definite");
        // What is spoiled is healed by new contents, on every rank.
        a.fill_with(flow, |i, j| f64::from(u8::from(i == j))).expect("matrices are filled");
        potrf(flow, &a);
        flow.wait().expect("it is now");
        error.kernel_error::<NumericalError>().copied()
    });
    for error in errors {
        assert_eq!(error, Some(NumericalError::NotPositiveDefinite { order: 18 }));
    }
}
