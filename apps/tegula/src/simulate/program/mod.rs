//! Programs to simulate: those of `linalg`, those of the applications, and sets of independent tasks
//! that share data, with which schedulers are studied.

mod embedding;
mod likelihood;
mod sets;

use std::fmt;
use std::sync::{Arc, LazyLock};

use anyhow::Result;
use tegula_diodon::stream::Dealing;
use tegula_kernels::kernel::gemm::Gemm;
use tegula_kernels::option::Trans;
use tegula_kernels::scalar::{Precision, Scalar};
use tegula_linalg::Tree;
use tegula_linalg::program::{self as routine, Counts, Inputs, PROGRAMS, Program};
use tegula_plan::distribution::messages::{self, Messages};
use tegula_plan::distribution::{Factorisation, OwnerMap};
use tegula_runtime::flow::Access::{R, RW};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_runtime::ranks::Owners;
use tegula_tiles::{Storage, TileMatrix};

use crate::error::refused;
use crate::plan::Maps;
pub(crate) use embedding::read_and_sweep;
pub(crate) use likelihood::{CRITICAL, CRITICAL_WORKER};

/// Most tasks that a flow holds at once.
const MOST: u64 = 1 << 24;

/// Tasks that read a datum, for every so many of which a flow inserts one.
const READERS: f64 = 7.0;

/// Most tasks that a flow holds for `tasks` of a program that each read so many data, and drop so
/// many results: it inserts one for some that read a datum, and one for each that is dropped.
fn held(tasks: u64, reads: u64, dropped: u64) -> u64 {
    tasks + (tasks * reads) / READERS as u64 + tasks * dropped
}

/// Sizes of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Tiles along an edge.
    pub(crate) tiles: usize,
    /// Order of a tile.
    pub(crate) nb: usize,
    /// Of the numbers.
    pub(crate) precision: Precision,
    /// Right-hand sides of a solve.
    pub(crate) nrhs: usize,
    /// Columns of panels.
    pub(crate) width: usize,
    /// Evaluations of a fit.
    pub(crate) evaluations: usize,
    /// Places to predict at.
    pub(crate) places: usize,
    /// Seed of random programs.
    pub(crate) seed: u64,
}

impl Sizes {
    /// Whether its numbers have 32 bits, of a program in real numbers.
    pub(crate) fn is_single(&self) -> bool {
        self.precision == Precision::Single
    }

    /// Bytes of a tile.
    pub(crate) fn tile_bytes(&self) -> usize {
        self.nb * self.nb * self.precision.bytes()
    }

    /// Bytes of so many tiles.
    pub(crate) fn tiles_bytes(&self, tiles: usize) -> u64 {
        tiles as u64 * self.tile_bytes() as u64
    }

    fn order(&self) -> f64 {
        (self.tiles * self.nb) as f64
    }

    /// Those of a routine of linear algebra on square matrices of so many tiles.
    fn of_routine(
        &self,
        program: &Program,
        change: fn(&mut routine::Sizes),
        workers: usize,
    ) -> routine::Sizes {
        let mut sizes = program.sizes_of_tiles(self.tiles, self.nb, self.precision);
        (sizes.nrhs, sizes.workers, sizes.sharers) = (self.nrhs, workers, workers);
        change(&mut sizes);
        sizes
    }
}

/// A program as it is to be run.
#[derive(Clone)]
pub(crate) struct Setting {
    /// Its sizes.
    pub(crate) sizes: Sizes,
    /// The [measures](Workload::measures) that are not taken.
    pub(crate) without: Vec<&'static str>,
    /// Who has each tile in an earlier phase, if not who has it in the last one.
    pub(crate) earlier: Option<Arc<dyn Owners>>,
    /// How nodes share tiles that are read; in turn, unless told otherwise.
    pub(crate) dealing: Option<Dealing>,
}

impl Setting {
    /// All measures taken, one map for all phases.
    pub(crate) fn new(sizes: Sizes) -> Self {
        Self { sizes, without: Vec::new(), earlier: None, dealing: None }
    }

    /// Spreads it as `maps` say.
    pub(crate) fn spread(&mut self, maps: &Maps) {
        self.earlier = maps.earlier.clone().map(|earlier| Arc::new(earlier) as Arc<dyn Owners>);
        self.dealing.clone_from(&maps.dealing);
    }

    /// Whether this measure is taken.
    pub(crate) fn has(&self, measure: &str) -> bool {
        !self.without.contains(&measure)
    }
}

/// How a program is spread over nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Its data have no places: it runs on one node.
    OneNode,
    /// Tiles have owners.
    Tiles,
    /// Tiles have owners, and are factorised.
    Factorised(Factorisation),
    /// The same of a triangle that is generated before, by the same owners or by others.
    GeneratedAndFactorised,
    /// Bands of panels have owners, and tiles are dealt out as they are read.
    Lines,
}

impl Spread {
    /// How data are distributed over equal nodes, or over unequal ones, unless told otherwise.
    pub(crate) fn distribution(self, is_equal: bool) -> &'static str {
        match self {
            _ if is_equal => "block-cyclic",
            Self::GeneratedAndFactorised | Self::Lines => "lp",
            Self::OneNode | Self::Tiles | Self::Factorised(_) => "1d1d",
        }
    }

    /// What is done with tiles that have owners: by the costs of this they are distributed.
    pub(crate) fn factorisation(self) -> Option<Factorisation> {
        match self {
            Self::OneNode | Self::Lines => None,
            Self::Tiles => Some(Factorisation::Lu),
            Self::Factorised(factorisation) => Some(factorisation),
            Self::GeneratedAndFactorised => Some(Factorisation::Cholesky),
        }
    }
}

/// What lets phases of a program overlap, and can be left away to see what it is worth.
#[derive(Debug)]
pub(crate) struct Measure {
    /// Its name.
    pub(crate) name: &'static str,
    /// What happens without it.
    pub(crate) without: &'static str,
}

/// A member of [`WORKLOADS`].
pub(crate) struct Workload {
    /// Its name.
    pub(crate) name: &'static str,
    /// One line of help.
    pub(crate) summary: &'static str,
    /// What it does.
    tasks: Tasks,
    /// How it is spread over nodes.
    pub(crate) spread: Spread,
    /// How many messages it sends under a map of owners, where that can be counted.
    pub(crate) messages: Option<fn(&OwnerMap) -> Messages>,
    /// What can be left away.
    pub(crate) measures: &'static [Measure],
}

/// What a workload does.
enum Tasks {
    /// A routine of linear algebra, on square matrices, with other sizes than the usual ones.
    Routine(&'static Program, fn(&mut routine::Sizes)),
    /// Tasks on data that are only described.
    Described {
        /// Submits them, in single or double precision.
        submit: fn(&mut Flow, &Setting) -> Result<(), FlowError>,
        /// Most tasks that the flow holds at once.
        most: fn(&Sizes) -> u64,
        /// Bytes of what they read or work on in place.
        working_set: fn(&Sizes) -> u64,
        /// Their operations, if a formula is given.
        flops: Option<fn(&Sizes) -> f64>,
    },
}

impl fmt::Debug for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Workload {
    /// The routine `program` under its own name.
    fn of(program: &'static Program) -> Self {
        let spread = match program.name {
            "potrf" => Spread::Factorised(Factorisation::Cholesky),
            "getrf-nopiv" => Spread::Factorised(Factorisation::Lu),
            _ => Spread::Tiles,
        };
        let messages: Option<fn(&OwnerMap) -> Messages> = match spread {
            Spread::Factorised(Factorisation::Cholesky) => Some(messages::cholesky),
            Spread::Factorised(Factorisation::Lu) => Some(messages::lu),
            _ => None,
        };
        let (name, summary, tasks) =
            (program.name, program.formula, Tasks::Routine(program, |_| {}));
        Self { name, summary, tasks, spread, messages, measures: &[] }
    }

    /// A routine under another name than its own.
    fn alias(name: &'static str, summary: &'static str, of: &str) -> Self {
        Self { name, summary, ..Self::of(Program::find(of).expect("a listed name")) }
    }

    /// Whether it is a routine of linear algebra under its own name, of which there are many.
    pub(crate) fn is_plain_routine(&self) -> bool {
        matches!(&self.tasks, Tasks::Routine(program, _) if program.name == self.name)
    }

    /// Whether `measure` is one of its measures.
    pub(crate) fn takes(&self, measure: &str) -> bool {
        self.measures.iter().any(|taken| taken.name == measure)
    }

    /// Submits it.
    ///
    /// # Errors
    /// Those of the flow, if it waits.
    pub(crate) fn submit(&self, flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
        match &self.tasks {
            Tasks::Routine(program, change) => {
                let sizes = setting.sizes.of_routine(program, *change, flow.workers());
                let mut instance = program.instance(flow, sizes, &Inputs::default());
                instance.touch(flow);
                instance.prepare(flow);
                instance.submit(flow);
                instance.retire(flow);
                Ok(())
            }
            Tasks::Described { submit, .. } => submit(flow, setting),
        }
    }

    /// About as many tasks as a flow holds for it.
    pub(crate) fn tasks(&self, sizes: &Sizes) -> u64 {
        match &self.tasks {
            Tasks::Routine(program, change) => {
                let counts = Counts::of(program, sizes.of_routine(program, *change, 1), false);
                (counts.prepared + counts.timed + counts.reads / READERS).ceil() as u64
            }
            Tasks::Described { most, .. } => most(sizes),
        }
    }

    /// What is to be said of its simulation.
    pub(crate) fn remark(&self) -> Option<String> {
        match &self.tasks {
            Tasks::Routine(program, _) if !program.is_steady => Some(format!(
                "how many steps {} takes depends on the entries of its matrices: these are the steps for zeros",
                self.name
            )),
            _ => None,
        }
    }

    /// Refuses numbers that it does not compute with.
    pub(crate) fn check_precision(&self, precision: Precision) -> Result<()> {
        let Tasks::Routine(program, _) = &self.tasks else { return Ok(()) };
        program.check_precision(precision).map_err(refused)
    }

    /// Bytes of what it reads or works on in place.
    pub(crate) fn working_set(&self, sizes: &Sizes) -> u64 {
        match &self.tasks {
            Tasks::Routine(program, change) => {
                let of_routine = sizes.of_routine(program, *change, 1);
                program.operands.iter().map(|operand| operand.grid(&of_routine).bytes()).sum()
            }
            Tasks::Described { working_set, .. } => working_set(sizes),
        }
    }

    /// Its operations, if a formula is given: those of its tasks otherwise.
    pub(crate) fn flops(&self, sizes: &Sizes) -> Option<f64> {
        match &self.tasks {
            Tasks::Routine(program, change) => {
                Some(program.flops(&sizes.of_routine(program, *change, 1)))
            }
            Tasks::Described { flops, .. } => flops.map(|flops| flops(sizes)),
        }
    }

    /// Tiles along the edges of the matrix that is distributed over nodes.
    pub(crate) fn grid(&self, sizes: &Sizes) -> (usize, usize) {
        match &self.tasks {
            Tasks::Routine(program, change) => {
                let grid = program.operands[0].grid(&sizes.of_routine(program, *change, 1));
                (grid.mt(), grid.nt())
            }
            Tasks::Described { .. } => (sizes.tiles, sizes.tiles),
        }
    }

    /// Refuses more tiles than go, before any work is done.
    pub(crate) fn check(&self, sizes: &Sizes) -> Result<()> {
        let goes = |tiles: usize| self.tasks(&Sizes { tiles, ..*sizes }) <= MOST;
        if goes(sizes.tiles) {
            return Ok(());
        }
        let (mut most, mut beyond) = (0, sizes.tiles);
        while beyond - most > 1 {
            let middle = most + (beyond - most) / 2;
            if goes(middle) { most = middle } else { beyond = middle }
        }
        Err(refused(format!(
            "--tiles {}: more than the {MOST} tasks that can be held at once; {} goes up to {most} \
             tiles",
            sizes.tiles, self.name
        )))
    }
}

/// Every program: routines under the names by which schedulers are studied, other programs, and every
/// routine under its own name.
pub(crate) static WORKLOADS: LazyLock<Vec<Workload>> = LazyLock::new(|| {
    let mut all = vec![
        Workload::alias(
            "cholesky",
            "Cholesky factorisation, of which the lower tiles exist: potrf",
            "potrf",
        ),
        Workload::alias("lu", "LU factorisation without pivoting: getrf-nopiv", "getrf-nopiv"),
        Workload {
            tasks: Tasks::Routine(Program::find("geqrf-tree").expect("a listed name"), |sizes| {
                sizes.options.tree = Tree::Flat
            }),
            messages: Some(messages::qr),
            ..Workload::alias(
                "qr",
                "QR factorisation of tiles, down a flat tree: geqrf-tree",
                "geqrf-tree",
            )
        },
    ];
    all.extend(likelihood::EXAGEOSTAT);
    all.push(embedding::DIODON);
    all.extend(SETS);
    all.extend(PROGRAMS.iter().map(Workload::of));
    all
});

/// Independent tasks.
const SETS: [Workload; 6] = [
    Workload {
        name: "gemm-3d",
        summary: "the tasks of gemm without their dependencies, whose results are dropped",
        tasks: Tasks::Described {
            submit: |flow, setting| with(flow, &setting.sizes, products::<f32>, products::<f64>),
            most: |sizes| {
                let n = sizes.tiles as u64;
                held(n * n * n, 2, 1)
            },
            working_set: |sizes| sizes.tiles_bytes(2 * sizes.tiles.pow(2)),
            flops: Some(|sizes| 2.0 * sizes.order().powi(3)),
        },
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
    },
    Workload {
        name: "gemm-2d",
        summary: "one task for each pair of a row of A and a column of B, four tiles each",
        tasks: Tasks::Described {
            submit: |flow, setting| sets::products(flow, &setting.sizes, sets::all),
            most: |sizes| {
                let n = sizes.tiles as u64;
                held(n * n, 2, 1)
            },
            working_set: sets::strips_bytes,
            flops: None,
        },
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
    },
    Workload {
        name: "gemm-2d-shuffled",
        summary: "gemm-2d, submitted in random order",
        tasks: Tasks::Described {
            submit: |flow, setting| sets::products(flow, &setting.sizes, sets::shuffled),
            most: |sizes| {
                let n = sizes.tiles as u64;
                held(n * n, 2, 1)
            },
            working_set: sets::strips_bytes,
            flops: None,
        },
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
    },
    Workload {
        name: "gemm-2d-random",
        summary: "as many tasks as gemm-2d, each with a row and a column drawn at random",
        tasks: Tasks::Described {
            submit: |flow, setting| sets::products(flow, &setting.sizes, sets::random),
            most: |sizes| {
                let n = sizes.tiles as u64;
                held(n * n, 2, 1)
            },
            working_set: sets::strips_bytes,
            flops: None,
        },
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
    },
    Workload {
        name: "gemm-2d-sparse",
        summary: "a tenth of the tasks of gemm-2d, drawn at random",
        tasks: Tasks::Described {
            submit: |flow, setting| sets::products(flow, &setting.sizes, sets::sparse),
            // No draw is ten deviations, 3 n, above its mean.
            most: |sizes| {
                let n = sizes.tiles as u64;
                held(n * n / 10 + 3 * n, 2, 1)
            },
            working_set: sets::strips_bytes,
            flops: None,
        },
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
    },
    Workload {
        name: "cholesky-set",
        summary: "the tasks of a Cholesky factorisation without their dependencies",
        tasks: Tasks::Described {
            submit: |flow, setting| {
                sets::cholesky(flow, &setting.sizes);
                Ok(())
            },
            most: |sizes| {
                let n = sizes.tiles as u64;
                held(n * (n + 1) * (n + 2) / 6, 3, 0)
            },
            working_set: triangle,
            flops: None,
        },
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
    },
];

fn triangle(sizes: &Sizes) -> u64 {
    sizes.tiles_bytes(sizes.tiles * (sizes.tiles + 1) / 2)
}

fn with(
    flow: &mut Flow,
    sizes: &Sizes,
    single: fn(&mut Flow, &Sizes),
    double: fn(&mut Flow, &Sizes),
) -> Result<(), FlowError> {
    if sizes.is_single() {
        single(flow, sizes)
    } else {
        double(flow, sizes)
    }
    Ok(())
}

/// A matrix whose contents exist.
fn matrix<T: Scalar>(flow: &mut Flow, sizes: &Sizes, storage: Storage) -> TileMatrix<T> {
    let n = sizes.tiles * sizes.nb;
    let matrix = TileMatrix::new(flow, (n, n), (sizes.nb, sizes.nb), storage);
    let tiles: Vec<_> = matrix.indices().map(|at| matrix.tile(at.row, at.column)).collect();
    tiles.into_iter().for_each(|tile| flow.touch(tile));
    matrix
}

fn products<T: Scalar>(flow: &mut Flow, sizes: &Sizes) {
    let [a, b] = [(); 2].map(|()| matrix::<T>(flow, sizes, Storage::Full));
    let n = sizes.nb;
    let (trans_a, trans_b) = (Trans::No, Trans::No);
    let gemm = Gemm { trans_a, trans_b, m: n, n, k: n, alpha: T::ONE, beta: T::ZERO };
    for i in 0..sizes.tiles {
        for j in 0..sizes.tiles {
            for k in 0..sizes.tiles {
                // Nobody has written it, so nothing is brought.
                let c = flow.register(sizes.tile_bytes());
                flow.submit(gemm, &[(a.tile(i, k), R), (b.tile(k, j), R), (c, RW)], 0);
                flow.done_with(c);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tegula_runtime::flow::FlowOptions;
    use tegula_runtime::platform::{Machine, WorkerModel};
    use tegula_runtime::sim::Census;

    use super::*;

    fn sizes(tiles: usize) -> Sizes {
        Sizes {
            tiles,
            nb: 1,
            precision: Precision::Double,
            nrhs: 1,
            width: 2,
            evaluations: 2,
            places: 3,
            seed: 3,
        }
    }

    #[test]
    fn no_program_has_more_tasks_than_it_says() {
        let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
        for program in WORKLOADS.iter() {
            for tiles in [1, 2, 7, 30] {
                let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
                let mut flow =
                    Flow::new(census, FlowOptions { window: u64::MAX, ..FlowOptions::default() });
                let submitted = program.submit(&mut flow, &Setting::new(sizes(tiles)));
                submitted.expect("a census has no failures");
                flow.wait().expect("a census has no failures");
                let tasks = contents.lock().expect("it goes on").tasks;
                let most = program.tasks(&sizes(tiles));
                assert!(tasks <= most, "{} on {tiles}: {tasks} over {most}", program.name);
                let is_close = most <= 3 * tasks + 20 * tiles as u64;
                assert!(is_close, "{} on {tiles}: {tasks}, not {most}", program.name);
            }
        }
    }

    #[test]
    fn the_most_tiles_that_go_are_named() {
        let named = |name: &str| WORKLOADS.iter().find(|program| program.name == name);
        for (name, most) in [("cholesky", 427), ("lu", 340), ("gemm", 235), ("gemm-2d", 2709)] {
            let program = named(name).expect("it is listed");
            assert!(program.check(&sizes(most)).is_ok(), "{name}");
            let refused = program.check(&sizes(most + 1)).expect_err(name).to_string();
            assert!(refused.contains(&format!("up to {most} tiles")), "{refused}");
            assert!(program.check(&sizes(1_000_000)).is_err(), "{name}");
        }
    }
}
