//! Sparse QR factorisations: what their tasks are follows from a matrix, that of a cube of points
//! or one of a file.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::{Value, json};
use tegula_files::sparse::read_sparse;
use tegula_kernels::sparse::SparseMatrix;
use tegula_linalg::sparse::{
    Analysis, Bundles, Ordering, SparseContextError, is_adjoint, laplacian_of_cube, sparse_qr,
    sparse_qr_in_contexts,
};
use tegula_runtime::flow::{Flow, FlowError};
use tegula_runtime::platform::{Machine, WorkerModel};
use tegula_runtime::sched::ContextId;
use tegula_runtime::sim::Census;

use super::{MOST, READERS, Setting, Sizes, Spread, Tasks, Workload};
use crate::simulate::whole;

/// Most points along the edge of a cube: the matrix of more takes gigabytes.
pub(super) const MOST_POINTS: usize = 200;

/// The same tasks, under one policy and in contexts.
pub(super) const SPARSE: [Workload; 2] = [
    of(
        "sparse-qr",
        "sparse QR of the Laplacian of a cube of so many points each way, or of --input",
        in_one,
    ),
    Workload {
        makes_contexts: true,
        ..of(
            "sparse-qr-contexts",
            "sparse-qr, each subtree in a context of its share of the cores, socket by socket",
            in_contexts,
        )
    },
];

const fn of(
    name: &'static str,
    summary: &'static str,
    submit: fn(&mut Flow, &Setting) -> Result<(), FlowError>,
) -> Workload {
    let tasks = Tasks::Described {
        submit,
        most: |sizes| match sizes.matrix {
            None if sizes.tiles > MOST_POINTS => MOST + 1,
            _ => count(sizes),
        },
        working_set: |sizes| 8 * problem(sizes).analysis.peak_entries(),
        flops: Some(|sizes| problem(sizes).analysis.flops()),
    };
    Workload {
        name,
        summary,
        tasks,
        spread: Spread::OneNode,
        messages: None,
        measures: &[],
        makes_contexts: false,
    }
}

fn in_one(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    let Problem { a, analysis } = problem(&setting.sizes);
    sparse_qr(flow, analysis, a, (&[], 0), setting.sizes.nb).map(|_| ())
}

fn in_contexts(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    let root = ContextId::ROOT;
    let all =
        flow.with_contexts(|contexts, view| Ok((view.machine.clone(), contexts.policy_of(root))));
    // What only counts has none, and counts the same tasks.
    let Ok((machine, policy)) = all else { return in_one(flow, setting) };
    let Problem { a, analysis } = problem(&setting.sizes);
    let bundles = Bundles::of(&machine, None, policy);
    let by = (setting.sizes.nb, &bundles);
    match sparse_qr_in_contexts(flow, analysis, a, (&[], 0), by) {
        Ok(_) => Ok(()),
        Err(SparseContextError::Flow(error)) => Err(error),
        Err(error @ SparseContextError::Context(_)) => panic!("contexts of the machine: {error}"),
    }
}

/// A matrix, and what is known of its factorisation.
#[derive(Debug)]
pub(crate) struct Problem {
    a: SparseMatrix<f64>,
    analysis: Arc<Analysis>,
}

impl Problem {
    /// The matrix in a file, with at most so many bytes for it, its columns ordered by COLAMD, or
    /// its adjoint if that has more rows. It is there as long as the program.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn read(path: &Path, memory: u64) -> Result<&'static Self> {
        let a = read_sparse(path, memory)?.matrix;
        let a = if is_adjoint(a.m(), a.n()) { a.adjoint() } else { a };
        Ok(Self::analysed(a, Ordering::Colamd))
    }

    fn analysed(a: SparseMatrix<f64>, ordering: Ordering) -> &'static Self {
        let analysis = Arc::new(Analysis::new(&a, ordering));
        Box::leak(Box::new(Self { a, analysis }))
    }

    /// In words, what is factorised, in tiles of so many columns.
    pub(crate) fn describe(&self, nb: usize) -> String {
        let (m, n, nnz, analysis) = (self.a.m(), self.a.n(), self.a.nnz(), &self.analysis);
        let (fronts, largest) = (analysis.fronts(), analysis.largest_front());
        format!(
            "{m} x {n}, {nnz} entries, {fronts} fronts, the largest {} x {}, in tiles of {nb} columns",
            largest.0, largest.1
        )
    }

    pub(crate) fn describe_json(&self) -> Value {
        let analysis = &self.analysis;
        json!({
            "m": self.a.m(),
            "n": self.a.n(),
            "nnz": self.a.nnz(),
            "ordering": analysis.ordering().name(),
            "fronts": analysis.fronts(),
            "nnz_r": analysis.nnz_r(),
        })
    }
}

impl Workload {
    /// Whether a sparse matrix is what it works on.
    pub(crate) fn takes_matrix(&self) -> bool {
        SPARSE.iter().any(|sparse| sparse.name == self.name)
    }

    /// The sparse matrix of these sizes, if it takes one.
    pub(crate) fn matrix(&self, sizes: &Sizes) -> Option<&'static Problem> {
        self.takes_matrix().then(|| problem(sizes))
    }
}

/// What is factorised: each cube is analysed once.
fn problem(sizes: &Sizes) -> &'static Problem {
    static CUBES: Mutex<Vec<(usize, &'static Problem)>> = Mutex::new(Vec::new());
    if let Some(given) = sizes.matrix {
        return given;
    }
    let mut cubes = CUBES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = cubes.iter().find(|(edge, _)| *edge == sizes.tiles).map(|(_, cube)| *cube);
    known.unwrap_or_else(|| {
        let cube = Problem::analysed(laplacian_of_cube(sizes.tiles as u32), Ordering::Natural);
        cubes.push((sizes.tiles, cube));
        cube
    })
}

/// Most tasks that a flow holds for it.
fn count(sizes: &Sizes) -> u64 {
    let most = problem(sizes).analysis.most_tasks(sizes.nb);
    if most > MOST {
        return most;
    }
    let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
    let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
    let mut flow = Flow::new(census, whole());
    in_one(&mut flow, &Setting::new(*sizes)).expect("a census has no failures");
    let contents = contents.lock().unwrap_or_else(PoisonError::into_inner);
    contents.tasks + contents.reads / READERS as u64
}
