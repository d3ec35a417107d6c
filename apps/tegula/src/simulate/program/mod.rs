//! Programs to simulate: those of `linalg`, those of the applications, and sets of independent
//! tasks that share data, with which schedulers are studied.

mod embedding;
mod evaluations;
mod likelihood;
mod sets;
mod sparse;
mod stencil;
mod workload;

use std::sync::{Arc, LazyLock};

use anyhow::Result;
use tegula_diodon::stream::TileDistribution;
use tegula_kernels::scalar::Precision;
use tegula_linalg::Tree;
use tegula_linalg::program::{self as routine, PROGRAMS, Program};
use tegula_plan::distribution::{Factorisation, messages};
use tegula_runtime::flow::{Decisions, Flow};
use tegula_runtime::ranks::Owners;
use tegula_tiles::Storage;

use crate::error::refused;
use crate::plan::Maps;
pub(crate) use embedding::{MDS, PASS_OF_MDS, SWEEP, read_and_sweep};
pub(crate) use evaluations::Evaluations;
pub(crate) use likelihood::{CRITICAL, CRITICAL_WORKER, FIT, LIKELIHOOD};
pub(crate) use sparse::Problem;
use workload::Tasks;
pub(crate) use workload::Workload;

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
    /// Passes over a matrix that is read.
    pub(crate) passes: usize,
    /// Seed of random programs.
    pub(crate) seed: u64,
    /// A sparse matrix, if not that of a cube.
    pub(crate) matrix: Option<&'static Problem>,
}

impl Sizes {
    /// So many tiles of order `nb` along an edge, in double precision, and one of all else.
    pub(crate) fn new(tiles: usize, nb: usize) -> Self {
        Self {
            tiles,
            nb,
            precision: Precision::Double,
            nrhs: 1,
            width: 1,
            evaluations: 1,
            places: 1,
            passes: 1,
            seed: 0,
            matrix: None,
        }
    }

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

    /// How many tiles a matrix has that is stored so.
    pub(crate) fn tiles_of(&self, storage: Storage) -> usize {
        match storage {
            Storage::Full => self.tiles * self.tiles,
            Storage::Lower => self.tiles * (self.tiles + 1) / 2,
        }
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
    pub(crate) dealing: Option<TileDistribution>,
    /// What a run of it decided by what its matrices hold.
    pub(crate) decisions: Option<Decisions>,
    /// Of a fit, distributions of its evaluations.
    pub(crate) evaluations: Option<Arc<Evaluations>>,
}

impl Setting {
    /// All measures taken, one map for all phases.
    pub(crate) fn new(sizes: Sizes) -> Self {
        Self {
            sizes,
            without: Vec::new(),
            earlier: None,
            dealing: None,
            decisions: None,
            evaluations: None,
        }
    }

    /// Spreads it as `maps` say.
    pub(crate) fn spread(&mut self, maps: &Maps) {
        self.earlier = maps.earlier.clone().map(|earlier| Arc::new(earlier) as Arc<dyn Owners>);
        self.dealing.clone_from(&maps.dealing);
    }

    /// Refuses decisions that were not all taken where `flow` has counted the program.
    pub(crate) fn check_followed(&self, flow: &mut Flow) -> Result<()> {
        if flow.end_following() {
            return Ok(());
        }
        let decisions = self.decisions.as_ref().map(Decisions::to_string).unwrap_or_default();
        Err(refused(format!(
            "--decisions {decisions}: the program does not take them; give those of a run of the \
             same sizes"
        )))
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
    /// Tiles have owners, as many as this would factorise.
    Tiles(Factorisation),
    /// Tiles have owners, and are factorised.
    Factorised(Factorisation),
    /// The same of a triangle that is generated before, by the same owners or by others.
    GeneratedAndFactorised,
    /// Bands of panels have owners, and tiles, those of a triangle or all, are dealt out as they
    /// are read.
    Lines(Storage),
}

impl Spread {
    /// How data are distributed over equal nodes, or over unequal ones, unless told otherwise.
    pub(crate) fn distribution(self, is_equal: bool) -> &'static str {
        match self {
            _ if is_equal => "block-cyclic",
            Self::GeneratedAndFactorised | Self::Lines(_) => "lp",
            Self::OneNode | Self::Tiles(_) | Self::Factorised(_) => "1d1d",
        }
    }

    /// What is done with tiles that have owners: by the costs of this they are distributed.
    pub(crate) fn factorisation(self) -> Option<Factorisation> {
        match self {
            Self::OneNode | Self::Lines(_) => None,
            Self::Tiles(factorisation) | Self::Factorised(factorisation) => Some(factorisation),
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

/// Every program: routines under the names by which schedulers are studied, other programs, and
/// every routine under its own name.
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
    all.extend(embedding::DIODON);
    all.extend(sets::SETS);
    all.push(stencil::STENCIL);
    all.extend(sparse::SPARSE);
    all.extend(PROGRAMS.iter().map(Workload::of));
    all
});

fn triangle(sizes: &Sizes) -> u64 {
    sizes.tiles_bytes(sizes.tiles_of(Storage::Lower))
}

fn square(sizes: &Sizes) -> u64 {
    sizes.tiles_bytes(sizes.tiles_of(Storage::Full))
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
            evaluations: 1,
            places: 3,
            passes: 2,
            seed: 3,
            matrix: None,
        }
    }

    #[test]
    fn no_program_has_more_tasks_than_it_says() {
        let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
        for program in WORKLOADS.iter() {
            for tiles in [1, 2, 7, 30] {
                if program.check(&sizes(tiles)).is_err() {
                    continue;
                }
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

    /// What a routine says that it factorises has the tasks by whose costs tiles are dealt out.
    #[test]
    fn factorisations_have_the_tasks_of_one() {
        let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
        let (n, mut seen) = (6, 0);
        for program in WORKLOADS.iter() {
            let Spread::Factorised(factorisation) = program.spread else { continue };
            let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
            let mut flow = Flow::new(census, FlowOptions::default());
            let submitted = program.submit(&mut flow, &Setting::new(sizes(n)));
            submitted.and_then(|()| flow.wait()).expect("a census has no failures");
            let contents = contents.lock().expect("it goes on");
            let of = |name: &str| -> u64 {
                let kinds = contents.types.iter().zip(&contents.codelets);
                kinds.filter(|(_, (kind, _))| *kind == name).map(|(kind, _)| kind.tasks).sum()
            };
            let n = n as u64;
            let (pairs, triples) = (n * (n - 1) / 2, n * (n - 1) * (n - 2) / 6);
            let expected = match factorisation {
                Factorisation::Cholesky => {
                    [("potrf", n), ("trsm", pairs), ("syrk", pairs), ("gemm", triples)]
                }
                Factorisation::Lu => {
                    let products = (n - 1) * n * (2 * n - 1) / 6;
                    [("getrf_nopiv", n), ("trsm", 2 * pairs), ("syrk", 0), ("gemm", products)]
                }
            };
            for (name, tasks) in expected {
                let (found, is_all) = (of(name), program.messages.is_some());
                let is_there = if is_all { found == tasks } else { found >= tasks };
                assert!(is_there, "{}: {found} {name}, not {tasks}", program.name);
            }
            seen += 1;
        }
        assert!(seen >= 5, "{seen} programs factorise");
    }

    /// What has to run before a routine is no part of its simulation.
    #[test]
    fn what_runs_before_a_routine_is_taken_for_granted() {
        let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
        for (name, left_out) in
            [("potrs", "potrf"), ("getrs", "getrf_panel"), ("ormqr", "geqrt"), ("norm2", "lascal")]
        {
            let program = WORKLOADS.iter().find(|program| program.name == name).expect("listed");
            let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
            let mut flow = Flow::new(census, FlowOptions::default());
            let submitted = program.submit(&mut flow, &Setting::new(sizes(6)));
            submitted.and_then(|()| flow.wait()).expect("a census has no failures");
            let contents = contents.lock().expect("it goes on");
            let names: Vec<&str> = contents.codelets.iter().map(|(name, _)| *name).collect();
            assert!(!names.is_empty() && !names.contains(&left_out), "{name}: {names:?}");
        }
    }

    #[test]
    fn decisions_of_a_run_are_followed() {
        let program = WORKLOADS.iter().find(|program| program.name == "norm2").expect("listed");
        let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
        let count = |decisions: &str| {
            let decisions = program.read_decisions(decisions)?;
            let setting = Setting { decisions: Some(decisions), ..Setting::new(sizes(6)) };
            let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
            let mut flow = Flow::new(census, FlowOptions::default());
            let submitted = program.submit(&mut flow, &setting);
            submitted.and_then(|()| flow.wait()).expect("a census has no failures");
            setting.check_followed(&mut flow)?;
            let tasks = contents.lock().expect("it goes on").tasks;
            anyhow::Ok(tasks)
        };
        let [none, one, two] = ["", "i", "2i"].map(|decisions| count(decisions).expect(decisions));
        assert!(none > 6 && two - one == one - none && one > none, "{none}, {one}, {two} tasks");
        for (wrong, why) in [("1000i", "does not take them"), ("2q", "decides no q"), ("0i", "0i")]
        {
            let refused = count(wrong).expect_err(wrong).to_string();
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn the_most_tiles_that_go_are_named() {
        let named = |name: &str| WORKLOADS.iter().find(|program| program.name == name);
        for (name, most) in [("cholesky", 427), ("lu", 339), ("gemm", 235), ("gemm-2d", 2709)] {
            let program = named(name).expect("it is listed");
            assert!(program.check(&sizes(most)).is_ok(), "{name}");
            let refused = program.check(&sizes(most + 1)).expect_err(name).to_string();
            assert!(refused.contains(&format!("up to {most} tiles")), "{refused}");
            assert!(program.check(&sizes(1_000_000)).is_err(), "{name}");
        }
    }
}
