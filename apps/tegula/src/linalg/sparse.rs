//! `tegula linalg sparse-qr` and `sparse-gels`: a sparse matrix of a file is factorised, least
//! squares are solved with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use tegula_files::sparse::{
    is_matrix_market_file, read_dense, read_sparse, write_array, write_coordinates,
};
use tegula_files::{FillError, WriteError};
use tegula_kernels::scalar::Precision;
use tegula_kernels::sparse::SparseMatrix;
use tegula_linalg::program::{Footprint, THRESHOLD};
use tegula_linalg::sparse::{
    Analysis, Bundles, Factored, ORDERINGS, Ordering, RankFindings, Residual, SparseR,
    TILE_COLUMNS, is_adjoint, rank_tolerance, sparse_qr, sparse_qr_in_contexts,
};
use tegula_runtime::exec::ExecOptions;
use tegula_runtime::platform::Topology;
use tegula_runtime::trace::Trace;
use tegula_tiles::Storage;

use super::file::MatrixFile;
use super::report::check_passed;
use crate::error::refused;
use crate::flags::{MatrixFlags, OutputFlags, Run, RunFlags, TraceFlags, member};
use crate::output::{
    Account, Console, Progress, bytes, check_output, count, is_standard_output, number, seconds,
    write_file,
};
use crate::work::Work;
use crate::{ranks, seat};

/// Sparse matrices.
#[derive(Subcommand, Debug)]
pub(crate) enum Sparse {
    /// Factorise a sparse matrix, A P = Q R, and keep R
    SparseQr(SparseQr),
    /// Sparse least squares, or the solution of least norm with fewer rows than columns
    SparseGels(SparseGels),
}

/// Flags of `sparse-qr`.
#[derive(Args, Debug)]
pub(crate) struct SparseQr {
    #[command(flatten)]
    common: Common,
    /// Write R in coordinates of Matrix Market's; the JSON then has the order of its columns
    #[arg(short = 'o', long = "output", value_name = "R.mtx", help_heading = "Files")]
    result: Option<PathBuf>,
}

/// Flags of `sparse-gels`.
#[derive(Args, Debug)]
pub(crate) struct SparseGels {
    #[command(flatten)]
    common: Common,
    /// The right-hand sides: Matrix Market, or what --input of dense algorithms takes [default: A
    /// times ones]
    #[arg(long, value_name = "B.mtx", help_heading = "Files")]
    rhs: Option<PathBuf>,
    /// Write the solutions as an array of Matrix Market's
    #[arg(short = 'o', long = "output", value_name = "X.mtx", help_heading = "Files")]
    result: Option<PathBuf>,
}

/// Flags of both.
#[derive(Args, Debug)]
struct Common {
    /// The matrix: Matrix Market (coordinate), Harwell-Boeing or Rutherford-Boeing (assembled),
    /// real
    #[arg(long, value_name = "A.mtx", help_heading = "Files")]
    input: PathBuf,
    /// How columns are ordered, on which depends how much of R fills in
    #[arg(long, value_name = "NAME", default_value = "colamd", value_parser = orderings())]
    ordering: Ordering,
    /// Check the result by a backward error
    #[arg(long)]
    check: bool,
    /// Subtrees in contexts of their share of the cores, socket by socket: the same result
    #[arg(long, help_heading = "Run")]
    contexts: bool,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

fn orderings() -> impl TypedValueParser<Value = Ordering> {
    let names = ORDERINGS.iter().map(|&(_, name, summary)| (name, summary)).collect();
    member(names).map(|index| ORDERINGS[index].0)
}

/// Names of the codelets that run.
const CODELETS: [&str; 7] =
    ["subtrees", "activate", "assemble", "factor_front", "geqrt", "unmqr", "deactivate"];

impl Sparse {
    pub(crate) fn run(&self) -> Result<()> {
        let (common, result) = match self {
            Self::SparseQr(qr) => (&qr.common, qr.result.as_deref()),
            Self::SparseGels(gels) => (&gels.common, gels.result.as_deref()),
        };
        let console = common.output.console(result)?;
        common.check(result)?;
        let problem = common.read(self.name(), &console)?;
        let (analysis, analysis_seconds) = problem.analyse(&console);
        let right_sides = match self {
            Self::SparseGels(gels) => {
                Some(RightSides::read(gels.rhs.as_deref(), &problem.a, common, &console)?)
            }
            Self::SparseQr(_) => None,
        };
        let run = common.resolve(&analysis, right_sides.as_ref())?;
        run.describe(&console);
        let job = Job { problem, analysis, run, common, console: &console, result };
        let mut json = job.head(analysis_seconds);
        if common.matrix.dry_run {
            console.line("dry run: nothing was computed");
            json.insert("dry_run".to_owned(), true.into());
        } else {
            match &right_sides {
                None => job.factorise(&mut json)?,
                Some(right_sides) => job.solve(right_sides, &mut json)?,
            }
        }
        let json = Value::Object(json);
        common.output.write(&json)?;
        console.finish()?;
        check_passed(&json)
    }

    fn name(&self) -> &'static str {
        match self {
            Self::SparseQr(_) => "sparse-qr",
            Self::SparseGels(_) => "sparse-gels",
        }
    }
}

impl Common {
    /// Refuses what cannot be done.
    fn check(&self, result: Option<&Path>) -> Result<()> {
        self.trace.check()?;
        if ranks::ranks() > 1 {
            return Err(refused("sparse matrices are factorised on one rank: leave --ranks out"));
        }
        if self.matrix.precision != Precision::Double {
            return Err(refused("sparse matrices are factorised in --precision d alone"));
        }
        if self.contexts && seat::machine().is_some() {
            return Err(refused(
                "--contexts: inside a composition the kernel has a context already; leave it out",
            ));
        }
        let Some(path) = result else { return Ok(()) };
        if let Some(ending) = path.extension().filter(|ending| *ending != "mtx") {
            return Err(refused(format!(
                "--output {}: results are written in Matrix Market's format, which ends in .mtx, not in .{}",
                path.display(),
                ending.display()
            )));
        }
        if is_standard_output(path) { Ok(()) } else { check_output(path) }
    }

    /// Reads the matrix.
    fn read(&self, algorithm: &'static str, console: &Console) -> Result<Problem> {
        let file = read_sparse(&self.input, self.run.memory()? / 4)?;
        let a = file.matrix;
        let entries = count(a.nnz(), "entry").replace("entrys", "entries");
        console.field("algorithm", algorithm);
        console.field("matrix", format_args!("{} x {}, {entries} ({})", a.m(), a.n(), file.format));
        let is_adjoint = algorithm == "sparse-gels" && is_adjoint(a.m(), a.n());
        Ok(Problem { algorithm, a, is_adjoint, ordering: self.ordering })
    }

    /// How tasks run.
    fn resolve(&self, analysis: &Analysis, right_sides: Option<&RightSides>) -> Result<Run> {
        let (m, n) = (analysis.m() as u64, analysis.n() as u64);
        let nrhs = right_sides.map_or(0, |sides| sides.nrhs as u64);
        // R, right-hand sides, and the matrix by columns and by rows.
        let r = 8 * (analysis.nnz_r() + n * nrhs);
        let plain = r + 32 * analysis.nnz() as u64 + 8 * nrhs * (2 * m + n);
        let front = 8 * analysis.largest_front().0 as u64 * analysis.largest_front().1 as u64;
        let footprint = |nb: usize, _workers: usize| Footprint {
            bytes: 8 * analysis.peak_entries(),
            plain_bytes: plain,
            task_bytes: front,
            pieces: analysis.fronts() + analysis.n().div_ceil(nb),
            tasks: analysis.fronts() as f64,
            ..Footprint::default()
        };
        let work = Work {
            order: analysis.n(),
            tile_size: &|_| TILE_COLUMNS.min(analysis.n().max(1)),
            device_tile_size: None,
            codelets: &|| CODELETS.to_vec(),
            storage: Storage::Full,
            program: None,
            footprint: &footprint,
        };
        self.run.resolve(&self.matrix, &work)
    }
}

/// A matrix and what is to be done with it.
struct Problem {
    algorithm: &'static str,
    a: SparseMatrix<f64>,
    is_adjoint: bool,
    ordering: Ordering,
}

impl Problem {
    /// Analyses what is factorised; says how long that took.
    fn analyse(&self, console: &Console) -> (Arc<Analysis>, f64) {
        let start = Instant::now();
        let analysis = if self.is_adjoint {
            Analysis::new(&self.a.adjoint(), self.ordering)
        } else {
            Analysis::new(&self.a, self.ordering)
        };
        let time = start.elapsed().as_secs_f64();
        if self.is_adjoint {
            console.note(
                "fewer rows than columns: the solution of least norm, by a factorisation of the transpose",
            );
        }
        let (m, n) = analysis.largest_front();
        console.field("ordering", self.ordering.name());
        console.field(
            "analysis",
            format_args!(
                "{}, the largest {m} x {n}; R has {} entries, {} operations, {} beside R; {}",
                count(analysis.fronts(), "front"),
                number(analysis.nnz_r() as f64, 4),
                number(analysis.flops(), 4),
                bytes(8.0 * analysis.peak_entries() as f64),
                seconds(time)
            ),
        );
        (Arc::new(analysis), time)
    }
}

/// Right-hand sides, column by column.
struct RightSides {
    entries: Vec<f64>,
    nrhs: usize,
    is_given: bool,
}

impl RightSides {
    fn read(
        path: Option<&Path>,
        a: &SparseMatrix<f64>,
        common: &Common,
        console: &Console,
    ) -> Result<Self> {
        let Some(path) = path else {
            let mut entries = vec![0.0; a.m()];
            a.multiply(1.0, &vec![1.0; a.n()], &mut entries);
            console.field("right-hand side", "A times ones");
            return Ok(Self { entries, nrhs: 1, is_given: false });
        };
        let memory = common.run.memory()? / 4;
        let (shape, entries) = if matches!(is_matrix_market_file(path), Ok(true)) {
            let dense = read_dense(path, memory)?;
            (dense.shape, dense.entries)
        } else {
            let file = MatrixFile::open(path, memory, None)?;
            let block = file.block((0, 0), file.shape(), |_, _| true);
            (file.shape(), block.map_err(anyhow::Error::from_boxed)?)
        };
        if shape.0 != a.m() {
            let (path, rows, m) = (path.display(), shape.0, a.m());
            return Err(refused(format!(
                "{path} has {rows} rows, where the matrix has {m}: give right-hand sides of as many"
            )));
        }
        Ok(Self { entries, nrhs: shape.1, is_given: true })
    }
}

/// A run.
struct Job<'a> {
    problem: Problem,
    analysis: Arc<Analysis>,
    run: Run,
    common: &'a Common,
    console: &'a Console,
    result: Option<&'a Path>,
}

impl Job<'_> {
    /// What a result begins with.
    fn head(&self, analysis_seconds: f64) -> Map<String, Value> {
        let Problem { algorithm, a, is_adjoint, ordering } = &self.problem;
        let (front_m, front_n) = self.analysis.largest_front();
        let head = json!({
            "algorithm": algorithm,
            "m": a.m(),
            "n": a.n(),
            "nnz": a.nnz(),
            "transposed": is_adjoint,
            "ordering": ordering.name(),
            "fronts": self.analysis.fronts(),
            "largest_front": [front_m, front_n],
            "nnz_r": self.analysis.nnz_r(),
            "flops": self.analysis.flops(),
            "front_bytes": 8 * self.analysis.peak_entries(),
            "contexts": self.common.contexts,
            "analysis_seconds": analysis_seconds,
        });
        let Value::Object(mut head) = head else { unreachable!("it was written as an object") };
        self.run.describe_json(&mut head);
        head
    }

    /// Factorises `a`, with right-hand sides along, and tells how fast that was.
    fn factor(
        &self,
        json: &mut Map<String, Value>,
        a: &SparseMatrix<f64>,
        right_sides: (&[f64], usize),
    ) -> Result<SparseR<f64>> {
        let (run, analysis, contexts) = (&self.run, &self.analysis, self.common.contexts);
        let trace = self.common.trace.is_wanted();
        let options = ExecOptions { contexts, ..run.exec_options(trace) };
        let machine = options.machine.clone();
        let mut flow = run.flow_on(options, true);
        let mut progress = Progress::new(self.console);
        progress.follow(flow.watch(), 0.0, "factorisation");
        let start = Instant::now();
        let r = if contexts {
            let bundles = Bundles::of(&machine, Some(&Topology::of_this_thread()), run.policy);
            let by = (run.nb, &bundles);
            sparse_qr_in_contexts(&mut flow, analysis, a, right_sides, by)?
        } else {
            sparse_qr(&mut flow, analysis, a, right_sides, run.nb)?
        };
        let time = start.elapsed().as_secs_f64();
        progress.clear();
        let account = Account::of(&mut flow);
        let mut trace: Trace = flow.take_trace();
        let gflops = self.analysis.flops() / time * 1e-9;
        let rate = format!("{}, {} Gflop/s", seconds(time), number(gflops, 4));
        self.console.field("factorisation", rate);
        json.insert("factor_seconds".to_owned(), time.into());
        json.insert("gflops".to_owned(), gflops.into());
        account.describe_json(json);
        self.run.keep_times(&account, self.console);
        let result = Value::Object(json.clone());
        self.common.trace.write(&mut trace, &result, self.console)?;
        Ok(r)
    }

    /// Tells what the diagonal of `R` says.
    fn describe_rank(&self, rank: &RankFindings, json: &mut Map<String, Value>) {
        let RankFindings { rank, tolerance, smallest, largest, first_dependent } = *rank;
        let n = self.analysis.n();
        let (least, most, limit) = (number(smallest, 3), number(largest, 3), number(tolerance, 3));
        let verdict = if rank == n { "full" } else { "NOT full" };
        self.console.field(
            "rank",
            format_args!("{verdict}: {rank} of {n} diagonal entries of R are larger than {limit}; {least} to {most}"),
        );
        let rank = json!({
            "rank": rank,
            "is_full": rank == n,
            "tolerance": tolerance,
            "smallest_diagonal": smallest,
            "largest_diagonal": largest,
            "first_dependent": first_dependent.map(|place| place + 1),
        });
        json.insert("rank".to_owned(), rank);
    }

    /// Tells whether `value`, in units of rounding, is small enough.
    fn verdict(&self, name: &str, value: f64, json: &mut Map<String, Value>) {
        if !self.common.check {
            return;
        }
        let passed = value < THRESHOLD;
        let word = if passed { "passed" } else { "FAILED" };
        let shown = number(value, 3);
        self.console.line(format_args!("\ncheck {word}: {name} = {shown}, threshold {THRESHOLD}"));
        let check = json!({
            "name": name, "value": value, "threshold": THRESHOLD, "passed": passed,
        });
        json.insert("check".to_owned(), check);
    }

    /// `sparse-qr`.
    fn factorise(&self, json: &mut Map<String, Value>) -> Result<()> {
        let a = &self.problem.a;
        let r = self.factor(json, a, (&[], 0))?;
        self.describe_rank(&r.rank(rank_tolerance(a)), json);
        if self.common.check {
            let error = r.gram_error(a);
            self.verdict("|R'R x - P'A'AP x| / ((m + n) eps |A|^2 |x|)", error, json);
        }
        let Some(path) = self.result else { return Ok(()) };
        let order: Vec<u32> = self.analysis.column_order().iter().map(|&j| j + 1).collect();
        json.insert("column_order".to_owned(), order.into());
        let (n, count) = (self.analysis.n(), r.entries().count());
        let comment = "R of A P = Q R, by tegula linalg sparse-qr";
        write_file::<WriteError>(path, |out| {
            write_coordinates(out, (n, n, count), r.entries(), comment).map_err(FillError::from)
        })
    }

    /// `sparse-gels`.
    fn solve(&self, right_sides: &RightSides, json: &mut Map<String, Value>) -> Result<()> {
        let (a, RightSides { entries: b, nrhs, .. }) = (&self.problem.a, right_sides);
        let r = if self.problem.is_adjoint {
            self.factor(json, &a.adjoint(), (&[], 0))?
        } else {
            self.factor(json, a, (b, *nrhs))?
        };
        let factored = Factored::new(r, a, *nrhs);
        self.describe_rank(&factored.rank, json);
        let start = Instant::now();
        let x = factored.solve(a, b)?;
        let time = start.elapsed().as_secs_f64();
        self.console.field("solve", seconds(time));
        json.insert("solve_seconds".to_owned(), time.into());
        json.insert("nrhs".to_owned(), (*nrhs).into());
        json.insert(
            "rhs".to_owned(),
            if right_sides.is_given { "given" } else { "A times ones" }.into(),
        );
        self.residuals(right_sides, &x, json);
        let Some(path) = self.result else { return Ok(()) };
        let comment = "solutions, by tegula linalg sparse-gels";
        write_file::<WriteError>(path, |out| {
            write_array(out, (a.n(), *nrhs), &x, comment).map_err(FillError::from)
        })
    }

    /// Tells how far `x` is from solutions: of each right-hand side, the worst on the screen.
    fn residuals(&self, right_sides: &RightSides, x: &[f64], json: &mut Map<String, Value>) {
        let a = &self.problem.a;
        let (m, n) = (a.m(), a.n());
        let of = |k: usize| {
            Residual::of(a, &x[k * n..(k + 1) * n], &right_sides.entries[k * m..(k + 1) * m])
        };
        let residuals: Vec<Residual> = (0..right_sides.nrhs).map(of).collect();
        let list = |of: fn(&Residual) -> f64| residuals.iter().map(of).collect::<Vec<f64>>();
        let norms = list(|residual| residual.norm);
        let gradients = list(|residual| residual.gradient);
        let errors = list(|residual| residual.backward_error);
        let largest = |list: &[f64]| number(list.iter().copied().fold(0.0, f64::max), 3);
        self.console.field("|Ax - b|", largest(&norms));
        self.console.field("|A'(Ax - b)| / (|A| |Ax - b|)", largest(&gradients));
        json.insert("residual_norms".to_owned(), norms.into());
        json.insert("gradients".to_owned(), gradients.into());
        json.insert("backward_errors".to_owned(), errors.into());
        // Of a residual that is rounding alone, the direction says nothing.
        let units = (m + n) as f64 * f64::EPSILON;
        let error = |residual: &Residual| residual.gradient.min(residual.backward_error) / units;
        let worst = residuals.iter().map(error).fold(0.0, f64::max);
        let name = "min(|A'r| / (|A| |r|), |r| / (|A| |x| + |b|)) / ((m + n) eps)";
        self.verdict(name, worst, json);
    }
}
