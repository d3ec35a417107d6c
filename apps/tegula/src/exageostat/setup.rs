//! A covariance matrix to be worked on: its size and tiles, and the workers that do it.

use std::sync::Arc;

use anyhow::Result;
use serde_json::{Map, Value};
use tegula_exageostat::covariance::Covariance;
use tegula_exageostat::dst::{self, Dst, DstLikelihood, Envelope};
use tegula_exageostat::likelihood::{Evaluate, Likelihood, Overlap, Resolve};
use tegula_exageostat::mixed::{Mixed, MixedLikelihood};
use tegula_exageostat::observations::Observations;
use tegula_exageostat::predict::BLOCKS_PER_WORKER;
use tegula_exageostat::program::Computation;
use tegula_exageostat::tlr::{self, Tlr, TlrLikelihood};
use tegula_exageostat::vecchia::{Form, Vecchia, VecchiaLikelihood};
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::{CompositeCovariance, TABLE_BYTES};
use tegula_kernels::scalar::{Precision, Real};
use tegula_linalg::copied_tiles;
use tegula_runtime::flow::{Codelet, Flow};
use tegula_runtime::memory::rounded;
use tegula_runtime::ranks::Owners;
use tegula_tiles::Storage;

use tegula_linalg::program::Footprint;
use tegula_tiles::TileGrid;

use super::method::{Approximation, method_json, method_text};
use crate::error::refused;
use crate::flags::{MatrixFlags, Run, RunFlags, precision_name};
use crate::output::Console;
use crate::simulate::program::LIKELIHOOD;
use crate::work::{Program, Work, potrf_task_bytes, potrf_tasks, solve_task_bytes};

/// Codelets where the likelihood is approximated from neighbours.
const VECCHIA: &[&str] = &[
    "neighbours",
    "vecchia",
    "vecchia_score",
    "vecchia_sets",
    "vecchia_joint",
    "vecchia_joint_score",
    "neighbours_around",
    "vecchia_weights",
    "vecchia_composite_weights",
    "vecchia_conditionals",
    "latent_columns",
    "latent_factor",
    "latent_adjoint",
    "latent_smooth",
    "latent_contract",
    "latent_variance",
];

/// Codelets where it is by tiles of low rank.
const TLR: &[&str] = &[
    "covariance",
    "tlr_update",
    "tlr_compress",
    "tlr_settle",
    "tlr_apply",
    "potrf",
    "trsm",
    "gemm",
    "logdet",
];

/// Codelets of tiles in 64 and 32 bits, beside those of the exact likelihood.
const MIXED: &[&str] = &["norm-share", "convert", "gemm-tf32"];

/// The mean rank of tiles that is counted with before there are any.
pub(super) const EXPECTED_RANK: usize = 32;

/// What is computed, as far as memory and tasks depend on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem {
    /// Order of the matrix.
    pub(super) n: usize,
    /// Right-hand sides: the values and the columns of the mean.
    pub(super) columns: usize,
    /// Places to predict at.
    pub(super) places: usize,
    /// Where the places lie.
    pub(super) geometry: Geometry,
    /// Which tasks that takes, if the likelihood is exact.
    pub(super) computation: Computation,
    /// What approximates the likelihood, if anything does.
    pub(super) method: Approximation,
}

/// A matrix with its tiles, and how tasks on it run.
#[derive(Clone)]
pub(super) struct Setup {
    /// How tasks run.
    pub(super) run: Run,
    /// What is computed.
    pub(super) problem: Problem,
    /// What fills the matrix.
    pub(super) covariance: &'static Covariance,
    /// Whether nothing is to be computed.
    pub(super) is_dry: bool,
}

impl Setup {
    /// The setup for what `problem` says, every default settled.
    ///
    /// # Errors
    /// If the arithmetic asked for cannot be used, the covariance is for places elsewhere, or the
    /// matrix fits nowhere.
    pub(super) fn new(
        matrix: &MatrixFlags,
        run: &RunFlags,
        problem: Problem,
        covariance: &'static Covariance,
    ) -> Result<Self> {
        if matrix.precision.is_complex() {
            let (letter, name) = (matrix.precision.letter(), precision_name(matrix.precision));
            return Err(refused(format!(
                "--precision {letter}: there is no covariance in {name}; give s or d"
            )));
        }
        let misplaced = covariance.check_geometry(problem.geometry);
        misplaced.map_err(|error| refused(error.to_string()))?;
        let number_bytes = matrix.precision.bytes();
        if let Some(name) = problem.method.name()
            && matrix.precision != Precision::Double
        {
            let letter = matrix.precision.letter();
            return Err(refused(format!(
                "--precision {letter}: --method {name} computes in numbers of 64 bits"
            )));
        }
        let has_no_composites = match problem.method {
            Approximation::Vecchia(vecchia) => vecchia.form == Form::Latent,
            Approximation::Dst(..) => true,
            _ => false,
        };
        if !covariance.is_radial() && has_no_composites {
            return Err(refused(format!(
                "--method {}: {} is put together from several covariances, which this does not \
                 take: write exact, vecchia:M, vecchia:M:grouped, tlr:EPS or mixed:EPS",
                method_text(problem.method),
                covariance.name
            )));
        }
        check_taper(&problem)?;
        let footprint = |nb, workers| match &problem.method {
            Approximation::Vecchia(vecchia) => problem.sparse_footprint(vecchia, nb, workers),
            Approximation::Tlr(_) => problem.low_rank_footprint(nb),
            Approximation::Mixed(_) => problem.mixed_footprint(nb, workers),
            Approximation::Dst(_, envelope) => problem.band_footprint(envelope, nb, workers),
            Approximation::None => problem.footprint(nb, workers, number_bytes),
        };
        let Problem { n: order, computation, method, .. } = problem;
        let codelets = || {
            let mut all = match method {
                Approximation::Vecchia(_) => VECCHIA.to_vec(),
                Approximation::Tlr(_) => TLR.to_vec(),
                Approximation::Mixed(_) => [&computation.codelets(), MIXED].concat(),
                Approximation::Dst(..) => computation.codelets(),
                Approximation::None => computation.codelets(),
            };
            if !covariance.is_radial() {
                all.push(CompositeCovariance::<f64>::NAME);
            }
            all
        };
        let tile_size = |workers| match method {
            Approximation::Vecchia(vecchia) => vecchia.block.min(order.max(1)),
            Approximation::Tlr(_) => tlr::tile_size(order),
            Approximation::Dst(..) => dst::tile_size(order),
            Approximation::Mixed(_) | Approximation::None => {
                tegula_linalg::tile_size(order, workers)
            }
        };
        let is_dense = matches!(method, Approximation::Mixed(_) | Approximation::None);
        let device_tile_size = is_dense.then(|| tegula_linalg::device_tile_size(order));
        let (tile_size, codelets, footprint) = (&tile_size, &codelets, &footprint);
        let storage = Storage::Lower;
        let program = (problem.method.name().is_none()).then_some(Program::OfTiles(LIKELIHOOD));
        let work =
            Work { order, tile_size, device_tile_size, codelets, storage, program, footprint };
        let run = run.resolve(matrix, &work)?;
        Ok(Self { run, problem, covariance, is_dry: matrix.dry_run })
    }

    /// Whether numbers have 64 bits, else 32.
    pub(super) fn is_double(&self) -> bool {
        self.run.precision == Precision::Double
    }

    /// What approximates the likelihood, if anything does, in tiles or blocks of their order.
    pub(super) fn method(&self) -> Approximation {
        match self.problem.method {
            Approximation::None => Approximation::None,
            Approximation::Vecchia(vecchia) => {
                let has_time = self.covariance.has_time();
                Approximation::Vecchia(Vecchia { block: self.nb(), has_time, ..vecchia })
            }
            Approximation::Tlr(tlr) => Approximation::Tlr(Tlr { nb: self.nb(), ..tlr }),
            Approximation::Mixed(mixed) => Approximation::Mixed(Mixed { nb: self.nb(), ..mixed }),
            Approximation::Dst(dst, envelope) => {
                Approximation::Dst(Dst { nb: self.nb(), ..dst }, envelope)
            }
        }
    }

    /// The neighbours that approximate it, if those do.
    pub(super) fn vecchia(&self) -> Option<Vecchia> {
        match self.method() {
            Approximation::Vecchia(vecchia) => Some(vecchia),
            _ => None,
        }
    }

    /// What evaluates the likelihood of `observations`, on `flow`.
    pub(super) fn likelihood<T: Real>(
        &self,
        flow: Flow,
        observations: &Observations,
        (overlap, generators): (Overlap, Option<Arc<dyn Owners>>),
    ) -> Box<dyn Evaluate> {
        match self.method() {
            Approximation::Vecchia(vecchia) => {
                return Box::new(VecchiaLikelihood::new(flow, observations, vecchia));
            }
            Approximation::Tlr(tlr) => {
                return Box::new(TlrLikelihood::new(flow, observations, tlr));
            }
            Approximation::Mixed(mixed) => {
                return Box::new(MixedLikelihood::new(flow, observations, mixed));
            }
            Approximation::Dst(dst, _) => {
                return Box::new(DstLikelihood::new(flow, observations, dst));
            }
            Approximation::None => {}
        }
        self.exact::<T>(flow, observations, (overlap, generators))
    }

    /// The exact likelihood.
    fn exact<T: Real>(
        &self,
        flow: Flow,
        observations: &Observations,
        (overlap, generators): (Overlap, Option<Arc<dyn Owners>>),
    ) -> Box<Likelihood<T>> {
        let mut likelihood = Likelihood::<T>::new(flow, observations, self.nb(), overlap);
        if let Some(generators) = generators {
            likelihood.generate_by(generators);
        }
        Box::new(likelihood)
    }

    /// As [`likelihood`](Self::likelihood), what also takes other values.
    ///
    /// # Errors
    /// If it takes none.
    pub(super) fn resolver<T: Real>(
        &self,
        flow: Flow,
        observations: &Observations,
        how: (Overlap, Option<Arc<dyn Owners>>),
    ) -> Result<Box<dyn Resolve>> {
        match self.method() {
            Approximation::Vecchia(vecchia) if vecchia.form != Form::Latent => {
                Ok(Box::new(VecchiaLikelihood::new(flow, observations, vecchia)))
            }
            Approximation::None if self.is_double() => Ok(self.exact::<T>(flow, observations, how)),
            _ => Err(refused(
                "--transform tukey-gh: g and h are estimated in numbers of 64 bits, by --method \
                 exact or vecchia:M, in the form response or grouped",
            )),
        }
    }

    /// Prints how tasks run.
    pub(super) fn describe(&self, console: &Console) {
        console.field("method", method_text(self.method()));
        self.run.describe(console);
    }

    /// What there is to say of an approximation that takes more than the exact likelihood.
    pub(super) fn remark(&self) -> Option<String> {
        let (neighbours, n) = (self.vecchia()?.neighbours, self.problem.n);
        // An approximation factorises a matrix for each place, the exact likelihood one of all.
        (neighbours.pow(3) > n * n).then(|| {
            format!(
                "vecchia:{neighbours} takes longer than the exact likelihood of {n} places: --method \
                 exact has no error, and fewer neighbours are quicker"
            )
        })
    }

    /// Adds how tasks ran to a result.
    pub(super) fn describe_json(&self, into: &mut Map<String, Value>) {
        self.run.describe_json(into);
        into.entry("method").or_insert_with(|| method_json(self.method(), None));
    }

    /// Order of the tiles.
    pub(super) fn nb(&self) -> usize {
        self.run.nb
    }

    /// Tasks of an evaluation.
    pub(super) fn tasks(&self) -> f64 {
        self.run.footprint.tasks
    }

    /// The matrix.
    pub(super) fn matrix(&self) -> TileGrid {
        TileGrid::lower(self.problem.n, self.nb(), self.run.precision.bytes())
    }
}

/// Refuses a taper that is none where the places lie.
fn check_taper(problem: &Problem) -> Result<()> {
    let Approximation::Dst(Dst { range, .. }, _) = problem.method else { return Ok(()) };
    match dst::longest(problem.geometry) {
        Some(longest) if range > longest => Err(refused(format!(
            "--method dst:{range}: with great-circle distance a taper is one up to half a turn, \
             {longest:.0} km; give a shorter range"
        ))),
        _ => Ok(()),
    }
}

impl Problem {
    /// What it asks for where each place has but some neighbours, in blocks of `nb` places: the
    /// tree, the records and the lists, and twice the lists to estimate the error.
    fn sparse_footprint(&self, vecchia: &Vecchia, nb: usize, workers: usize) -> Footprint {
        let &Self { n, columns, places, geometry, .. } = self;
        let neighbours = vecchia.neighbours.min(n);
        // With two marks at most.
        let record = (geometry.stored() + 2 + columns) * size_of::<f64>();
        let list = |rows: usize| rounded(rows * neighbours * size_of::<u32>()) as u64;
        // Places and bounds of the tree's nodes, ranks of both.
        let tree = n * (4 * size_of::<f64>() + size_of::<u32>())
            + n.div_ceil(6) * (8 * size_of::<f64>() + size_of::<u32>());
        let blocks = n.div_ceil(nb.max(1));
        let targets = (places.div_ceil(nb.max(1))).min(16 * workers);
        let shared = (tree + n * record + 4 * TABLE_BYTES) as u64;
        let sums = rounded((columns * columns + 32) * size_of::<f64>()) as u64;
        let latent = match vecchia.form {
            Form::Latent => self.latent_bytes(neighbours),
            Form::Response | Form::Grouped => 0,
        };
        let all_targets = targets as u64 * (list(nb) + rounded(2 * nb * record) as u64);
        Footprint {
            bytes: shared + latent + blocks as u64 * (3 * list(nb) + 3 * sums) + all_targets,
            task_bytes: shared + latent + 2 * list(nb) + sums,
            pieces: 5 * blocks + 3 * targets + 16,
            tasks: blocks as f64,
            ..Footprint::default()
        }
    }

    /// What it asks for on tiles of low rank and of order `nb`, as far as that can be told before:
    /// ranks are those that are expected.
    fn low_rank_footprint(&self, nb: usize) -> Footprint {
        let &Self { n, columns, geometry, .. } = self;
        let (nt, nb) = (n.div_ceil(nb.max(1)), nb.min(n));
        let number = size_of::<f64>();
        let (tile, panel) = (rounded(nb * nb * number), rounded(nb * columns * number));
        let factors = rounded(2 * nb * EXPECTED_RANK.min(nb / 2) * number);
        let below = nt * nt.saturating_sub(1) / 2;
        let place = rounded(nb * geometry.stored() * number);
        let dense = (2 * nt + 1) * tile;
        let bytes = dense + below * factors + nt * (panel + place) + rounded(TABLE_BYTES);
        Footprint {
            bytes: bytes as u64,
            task_bytes: (tile + 2 * 3 * factors + 2 * tile) as u64,
            pieces: below + 5 * nt + 4,
            // Three products to a task of an update; what is filled, compressed and solved with.
            tasks: potrf_tasks(nt) / 3.0 + 4.0 * below as f64 + 5.0 * nt as f64,
            ..Footprint::default()
        }
    }

    /// What it asks for in 64 and 32 bits, as far as that can be told before: with all tiles below
    /// the diagonal in 32.
    fn mixed_footprint(&self, nb: usize, workers: usize) -> Footprint {
        let whole = self.footprint(nb, workers, size_of::<f64>());
        let matrix = TileGrid::lower(self.n, nb, size_of::<f64>());
        let (tile, nt) = (matrix.tile(0, 0), matrix.nt() as u64);
        let halved = (matrix.bytes() - (nt * tile).min(matrix.bytes())) / 2;
        Footprint {
            bytes: whole.bytes - halved,
            dealt: Vec::new(),
            // Of columns in both precisions, and packed in both.
            copy_bytes: 3 * whole.copy_bytes,
            // Norms, and what is converted.
            pieces: 2 * whole.pieces,
            tasks: whole.tasks + 3.0 * matrix.tiles() as f64,
            ..whole
        }
    }

    /// What it asks for in a band of tiles.
    fn band_footprint(&self, envelope: &Envelope, nb: usize, workers: usize) -> Footprint {
        let whole = self.footprint(nb, workers, size_of::<f64>());
        let matrix = TileGrid::lower(self.n, nb, size_of::<f64>());
        // Tiles at the edges of the band are whole.
        let held = envelope.entries + (2 * self.n * nb) as f64;
        let share = (held * size_of::<f64>() as f64 / matrix.bytes().max(1) as f64).min(1.0);
        Footprint {
            bytes: whole.bytes - ((1.0 - share) * matrix.bytes() as f64) as u64,
            dealt: Vec::new(),
            tasks: share.powi(2) * whole.tasks,
            ..whole
        }
    }

    /// What the latent form asks for beside that: ten matrices with the pattern of the factor, what
    /// describes this, with a third of all pairs of neighbours, and nine numbers of a place for
    /// each column and each parameter; to estimate the error three matrices with twice the
    /// neighbours, and what describes these, three times while it is made.
    fn latent_bytes(&self, neighbours: usize) -> u64 {
        let (n, m, columns) = (self.n as u64, neighbours as u64, self.columns as u64);
        let pattern = |m: u64| 4 * (4 * m + m * m / 3);
        let score = 8 * (10 * (m + 1) + 9 * (columns + 4)) + pattern(m);
        let estimate = 8 * (3 * (2 * m + 1) + 4 * columns) + 3 * pattern(2 * m);
        n * (score + estimate)
    }

    /// What it asks for on tiles of order `nb`.
    fn footprint(&self, nb: usize, workers: usize, number_bytes: usize) -> Footprint {
        let &Self { n, columns, places, geometry, .. } = self;
        let matrix = TileGrid::lower(n, nb, number_bytes);
        let panel = TileGrid::full((n, columns), (nb, columns), number_bytes);
        // Places are predicted at in blocks, some at a time.
        let blocks = (BLOCKS_PER_WORKER * workers).min(places.div_ceil(nb));
        let cross = TileGrid::full((n, places.min(blocks * nb)), (nb, nb), number_bytes);
        let block = rounded(nb.min(n) * geometry.stored() * size_of::<f64>()) as u64;
        let table = rounded(TABLE_BYTES) as u64;
        let product = rounded(nb.max(columns) * columns * number_bytes) as u64;
        let nt = matrix.nt();
        let copies = copied_tiles(nt, workers);
        let tasks = [
            table + 2 * block + matrix.tile(0, 0).max(cross.tile(0, 0)),
            potrf_task_bytes(&matrix),
            solve_task_bytes(&matrix, &panel),
            solve_task_bytes(&matrix, &cross),
            panel.tile(0, 0) + cross.tile(0, 0) + product,
        ];
        Footprint {
            bytes: matrix.bytes()
                + 2 * panel.bytes()
                + cross.bytes()
                + 2 * table
                + nt as u64 * block
                + (1 + blocks as u64) * (2 * product + block),
            dealt: vec![matrix, cross],
            copy_bytes: copies as u64 * matrix.tile(0, 0),
            task_bytes: tasks.into_iter().max().unwrap_or(0),
            // With the blocks of places, both panels, and what is summed up.
            pieces: matrix.tiles() + cross.tiles() + copies + 3 * nt + 4 * (blocks + 1),
            tasks: potrf_tasks(nt) + 2.0 * matrix.tiles() as f64 + 3.0 * nt as f64 - 1.0,
            ..Footprint::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use tegula_exageostat::program::Described;
    use tegula_linalg::program::peak_bytes;
    use tegula_runtime::flow::FlowOptions;
    use tegula_runtime::platform::{Machine, WorkerModel};
    use tegula_runtime::sim::Census;

    use super::*;

    fn problem(n: usize) -> Problem {
        let (geometry, computation) = (Geometry::Plane, Computation::Likelihood);
        Problem { n, columns: 1, places: 0, geometry, computation, method: Approximation::None }
    }

    #[test]
    fn an_evaluation_has_as_many_tasks_as_are_counted() {
        let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
        for tiles in 1..12 {
            let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
            let mut flow = Flow::new(census, FlowOptions::default());
            let (n, nb, overlap) = (tiles * 4 - 1, 4, Overlap::default());
            let described = Described { n, nb, overlap, generators: None };
            described.evaluate::<f64>(&mut flow).expect("a census has no failures");
            let contents = contents.lock().expect("it goes on");
            let footprint = problem(n).footprint(nb, 1, size_of::<f64>());
            assert_eq!(contents.tasks as f64, footprint.tasks, "{tiles} tiles");
            assert!(contents.largest_task_bytes <= footprint.task_bytes, "{tiles} tiles");
            for (codelet, _) in &contents.codelets {
                assert!(Computation::Likelihood.codelets().contains(codelet), "{codelet}");
            }
        }
    }

    /// On one worker, to within 5 %.
    #[test]
    fn an_evaluation_takes_the_memory_that_is_announced() {
        for (n, nb) in [(480, 32), (1000, 96)] {
            let described = Described { n, nb, overlap: Overlap::default(), generators: None };
            let window = FlowOptions::default().window;
            let peak = peak_bytes((1, true), window, |flow| described.evaluate::<f64>(flow));
            let Footprint { bytes, copy_bytes, .. } = problem(n).footprint(nb, 1, size_of::<f64>());
            let share = peak.expect("it is simulated") as f64 / (bytes + copy_bytes) as f64;
            assert!((0.95..1.05).contains(&share), "{n} in {nb}: {share} of what is announced");
        }
    }
}
