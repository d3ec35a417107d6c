//! Programs on data that are only described, for engines that run no kernel: passes over distances
//! and tables, and principal coordinates, components and correspondences of so many passes.
//!
//! Where a method goes on as the entries say, this is one way that it may take: panels are
//! orthonormal after [`ROUNDS`] round, no eigenvalue has converged before the last pass, and a
//! Krylov space is never compressed. Small decompositions between the passes are made on the
//! calling thread and are no tasks, so they take no time here. The exact methods are not described:
//! they form the matrix on the calling thread, and what is left is `heevd` of `tegula-linalg`, or
//! no task.

use std::sync::Arc;

use tegula_files::source::{BlockReader, Source, SourceError};
use tegula_kernels::dense::Matrix;
use tegula_kernels::element::Element;
use tegula_kernels::kernel::sweep::Entry;
use tegula_kernels::scalar::Real;
use tegula_runtime::flow::{Flow, FlowError};
use tegula_tiles::TileMatrix;

use crate::EmbedError;
use crate::basis::{fill_normal, inner, orthonormalise_in, times};
use crate::gram::{Gram, GramOptions};
use crate::mds::lanczos::last_columns;
use crate::mds::ritz::{Ritz, Space};
use crate::mds::{copy, sketch_width};
use crate::singular::{block_width, square};
use crate::stream::{Overlap, TileDistribution};
use crate::table::{COLUMNS, Form, Margins, ROWS, Table, TableOptions, Treatment};

/// Rounds of scaling after which the columns of a product are orthonormal, if it is well
/// conditioned.
pub const ROUNDS: usize = 1;

/// A matrix of which nothing is known but its sizes, and how it is multiplied with.
#[derive(Clone, Debug)]
pub struct Described {
    /// Rows and columns; of distances both are the items.
    pub shape: [usize; 2],
    /// Lines of a band, and of a tile.
    pub edge: usize,
    /// What is stored.
    pub element: Element,
    /// Columns of the panels.
    pub width: usize,
    /// Bytes of tiles that are held; where all fit, later passes read nothing.
    pub memory: u64,
    /// What overlaps.
    pub overlap: Overlap,
    /// How ranks share the tiles; in turn, unless told otherwise.
    pub distribution: Option<TileDistribution>,
}

/// What a table is analysed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Analysis {
    /// Principal components of standardised columns.
    Components,
    /// Correspondences of counts.
    Correspondences,
}

impl Described {
    /// A pass of `mds`: the Gram matrix of distances times a panel that is there. Waits.
    ///
    /// # Errors
    /// Those of the flow.
    ///
    /// # Panics
    /// If there are not as many columns as rows.
    pub fn multiply_gram<T: Real>(&self, flow: &mut Flow) -> Result<(), FlowError> {
        let mut gram = self.gram(flow);
        let [x, y] = [(); 2].map(|()| gram.panel(flow, self.width));
        (0..x.mt()).for_each(|band| flow.touch(x.tile(band, 0)));
        gram.multiply::<T>(flow, &x, &y)
    }

    /// The first pass of `pca` or `coa`: what is made of a table times a panel that is there, with
    /// the sums along lines. Waits.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn multiply_table<T: Real>(
        &self,
        flow: &mut Flow,
        analysis: Analysis,
    ) -> Result<(), FlowError> {
        let mut table = self.table(flow, analysis);
        let x = table.panel(flow, COLUMNS, self.block());
        (0..x.mt()).for_each(|band| flow.touch(x.tile(band, 0)));
        table.first_product::<T>(flow, &x).map_err(of_flow)?;
        Ok(())
    }

    /// `mds` by the randomised method, in so many `passes`, two at least; `width` is that of the
    /// sketch.
    ///
    /// # Errors
    /// Those of the flow.
    ///
    /// # Panics
    /// If there are not as many columns as rows.
    pub fn mds<T: Real>(&self, flow: &mut Flow, passes: usize) -> Result<(), FlowError> {
        let width = self.width.min(self.shape[COLUMNS]);
        let mut gram = self.gram(flow);
        let mut q = gram.panel(flow, width);
        fill_normal(flow, &q, 0);
        let mut z = gram.panel(flow, width);
        gram.multiply::<T>(flow, &q, &z)?;
        for _ in 1..passes.max(2) {
            std::mem::replace(&mut q, z).retire(flow);
            flow.phase("projection");
            orthonormalise_in(ROUNDS, flow, &mut q)?;
            z = gram.panel(flow, width);
            gram.multiply::<T>(flow, &q, &z)?;
        }
        flow.phase("projection");
        let mut p = copy(flow, &z);
        orthonormalise_in(ROUNDS, flow, &mut p)?;
        inner(flow, &p, &z)?;
        inner(flow, &p, &q)?;
        let axes = axes(width, |axes| sketch_width(axes, gram.n()));
        let small = Matrix::zeros(width, axes);
        let [vectors, e] = [(); 2].map(|()| TileMatrix::panel(flow, (z.m(), axes), z.mb()));
        times(flow, &p, &small, (1.0, 0.0), &vectors)?;
        times(flow, &z, &small, (1.0, 0.0), &e)?;
        times(flow, &q, &small, (1.0, 1.0), &e)?;
        inner(flow, &e, &e)?;
        flow.wait()?;
        [q, z, p, e, vectors].into_iter().for_each(|panel| panel.unregister(flow));
        gram.close(flow);
        Ok(())
    }

    /// `pca` by block Lanczos in so many `passes`, four at least (three of wide tables, or where a
    /// side has no more lines than panels have columns), and one for coordinates, or two of wide
    /// tables.
    ///
    /// # Errors
    /// Those of the flow.
    pub fn pca<T: Real>(&self, flow: &mut Flow, passes: usize) -> Result<(), FlowError> {
        self.decompose::<T>(flow, Analysis::Components, passes)
    }

    /// `coa` by block Lanczos, in passes as [`pca`](Self::pca).
    ///
    /// # Errors
    /// Those of the flow.
    pub fn coa<T: Real>(&self, flow: &mut Flow, passes: usize) -> Result<(), FlowError> {
        self.decompose::<T>(flow, Analysis::Correspondences, passes)
    }

    fn decompose<T: Real>(
        &self,
        flow: &mut Flow,
        analysis: Analysis,
        passes: usize,
    ) -> Result<(), FlowError> {
        let mut table = self.table(flow, analysis);
        let [m, n] = table.shape();
        let (short, length) = if n <= m { (COLUMNS, n) } else { (ROWS, m) };
        let axes = axes(self.block(), |axes| block_width(axes, [m, n]));
        let places: Vec<usize> = (0..axes).collect();
        let mut block = self.first_block::<T>(flow, &mut table, short)?;
        let mut space = Space::default();
        let ritz = loop {
            let image = square::<T>(flow, &mut table, &block, short)?;
            flow.phase("projection");
            space.add(flow, block, image)?;
            let ritz = Ritz::unknown(space.dimension());
            space.residuals(flow, &ritz, &places)?;
            let room = length - space.dimension();
            if room == 0 || table.passes() + 2 > passes {
                break ritz;
            }
            block = last_columns(flow, &space, room)?;
            space.separate_by(flow, &mut block, |round, flow, block| {
                orthonormalise_in(if round == 0 { ROUNDS } else { 0 }, flow, block)
            })?;
        };
        space.residuals(flow, &ritz, &places)?;
        let mut vectors = space.vectors(flow, &ritz, &places)?;
        if short == ROWS {
            let image = table.left_product::<f64>(flow, &vectors)?;
            std::mem::replace(&mut vectors, image).unregister(flow);
        }
        for band in 0..vectors.mt() {
            flow.read::<f64>(vectors.tile(band, 0))?;
        }
        vectors.unregister(flow);
        space.close(flow);
        table.last_product(flow, &vec![0.0; n * axes])?;
        table.close(flow);
        Ok(())
    }

    /// The product of the first pass with random numbers, brought to the `short` side by another.
    fn first_block<T: Real>(
        &self,
        flow: &mut Flow,
        table: &mut Table,
        short: usize,
    ) -> Result<TileMatrix<f64>, FlowError> {
        let omega = table.panel(flow, COLUMNS, self.block());
        fill_normal(flow, &omega, 0);
        let y = table.first_product::<T>(flow, &omega).map_err(of_flow)?;
        omega.unregister(flow);
        inner(flow, &y, &y)?;
        let mut block = if self.block() == table.shape()[short] {
            let block = table.panel(flow, short, self.block());
            fill_normal(flow, &block, 1);
            y.unregister(flow);
            block
        } else if short == ROWS {
            y
        } else {
            let block = table.left_product::<T>(flow, &y)?;
            y.unregister(flow);
            block
        };
        orthonormalise_in(ROUNDS, flow, &mut block)?;
        Ok(block)
    }

    /// Columns of a block, of which there are no more than lines of either side.
    fn block(&self) -> usize {
        self.shape.into_iter().fold(self.width, usize::min)
    }

    fn source(&self) -> Arc<dyn Source> {
        Arc::new(Unread { shape: self.shape, element: self.element })
    }

    fn gram(&self, flow: &mut Flow) -> Gram {
        let options = GramOptions {
            weights: None,
            offset: 0.0,
            edge: self.edge,
            entries: self.edge * self.edge,
            memory: self.memory,
            samples: 0,
            overlap: self.overlap,
            distribution: self.distribution.clone(),
        };
        Gram::new(flow, &self.source(), options)
    }

    fn table(&self, flow: &mut Flow, analysis: Analysis) -> Table {
        let Self { edge, memory, overlap, .. } = *self;
        let equal = || TileDistribution::equal(flow.ranks());
        let distribution = self.distribution.clone().unwrap_or_else(equal);
        let options = (TableOptions { edge, memory, overlap }, edge * edge);
        Table::shared(flow, &self.source(), Box::new(analysis), options, &distribution)
    }
}

/// Most axes, one at least, for which panels of `width` columns are wide enough.
fn axes(width: usize, wanted: impl Fn(usize) -> usize) -> usize {
    (1..=width).rev().find(|&axes| wanted(axes) <= width).unwrap_or(1).min(width)
}

/// What the flow says: the entries, all zeros, are never wrong.
fn of_flow(error: EmbedError) -> FlowError {
    match error {
        EmbedError::Flow(error) => error,
        other => unreachable!("{other}: nothing was read"),
    }
}

/// A matrix that nobody ever reads.
#[derive(Debug)]
struct Unread {
    shape: [usize; 2],
    element: Element,
}

impl Source for Unread {
    fn name(&self) -> &str {
        "a described matrix"
    }

    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn element(&self) -> Element {
        self.element
    }

    fn reader(&self) -> Result<Box<dyn BlockReader>, SourceError> {
        unreachable!("no task that reads is run")
    }
}

/// Scales and factors as the analysis has them, all zeros.
impl Treatment for Analysis {
    fn entry(&self) -> Entry {
        match self {
            Self::Components => Entry::Plain,
            Self::Correspondences => Entry::Count,
        }
    }

    fn form(&self, _: &mut Flow, _: &Margins, source: &dyn Source) -> Result<Form, EmbedError> {
        let zeros = |side: usize| vec![0.0; source.shape()[side]];
        let rows = (*self == Self::Correspondences).then(|| zeros(ROWS));
        let scales = [rows, Some(zeros(COLUMNS))];
        Ok(Form { scales, factors: [zeros(ROWS), zeros(COLUMNS)], rank: 1, ..Form::plain(0.0) })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use tegula_files::source::MemorySource;
    use tegula_kernels::error::CODEC;
    use tegula_runtime::comm::{Local, World};
    use tegula_runtime::exec::{Exec, ExecOptions};
    use tegula_runtime::flow::FlowOptions;
    use tegula_runtime::platform::{Machine, WorkerModel};
    use tegula_runtime::random::SplitMix64;
    use tegula_runtime::ranks::Traffic;
    use tegula_runtime::sched::policy;
    use tegula_runtime::sim::{Census, Cluster, ClusterOptions, NodeOptions};
    use tegula_tiles::owners::BlockCyclic;

    use super::*;
    use crate::pca::Pretreatment;
    use crate::{coa, mds, singular};

    const MODEL: WorkerModel =
        WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };

    fn described(shape: [usize; 2], width: usize) -> Described {
        let (memory, overlap) = (u64::MAX, Overlap::default());
        Described {
            shape,
            edge: 8,
            element: Element::F64,
            width,
            memory,
            overlap,
            distribution: None,
        }
    }

    fn stored(shape: [usize; 2], entries: &[f64]) -> Arc<dyn Source> {
        let bytes = bytemuck::cast_slice(entries).to_vec();
        Arc::new(MemorySource::new("X", shape, (Element::F64, bytes), [None, None]))
    }

    /// A table of positive numbers.
    fn counts([m, n]: [usize; 2]) -> Arc<dyn Source> {
        let mut stream = SplitMix64::new(3);
        let entries: Vec<f64> = (0..m * n).map(|_| stream.normal().abs() + 0.1).collect();
        stored([m, n], &entries)
    }

    /// Distances of points in space.
    fn distances(n: usize) -> Arc<dyn Source> {
        let mut stream = SplitMix64::new(4);
        let points: Vec<f64> = (0..n * n).map(|_| stream.normal()).collect();
        let distance = |at: usize| -> f64 {
            let point = |i: usize| points[i * n..(i + 1) * n].iter();
            let squares = point(at / n).zip(point(at % n)).map(|(x, y)| (x - y).powi(2));
            squares.sum::<f64>().sqrt()
        };
        stored([n, n], &(0..n * n).map(distance).collect::<Vec<f64>>())
    }

    /// The matrix that `described` is one of.
    fn table(flow: &mut Flow, described: &Described, analysis: Analysis) -> Table {
        let treatment: Box<dyn Treatment> = match analysis {
            Analysis::Components => Box::new(Pretreatment::Standard),
            Analysis::Correspondences => Box::new(coa::Correspondence),
        };
        let Described { edge, memory, overlap, .. } = *described;
        let options = TableOptions { edge, memory, overlap };
        Table::new(flow, &counts(described.shape), treatment, options)
    }

    fn gram(flow: &mut Flow, described: &Described) -> Gram {
        let Described { edge, memory, overlap, .. } = *described;
        let options = GramOptions {
            weights: None,
            offset: 0.0,
            edge,
            entries: edge * edge,
            memory,
            samples: 0,
            overlap,
            distribution: None,
        };
        Gram::new(flow, &distances(described.shape[0]), options)
    }

    /// A pass over a table, or without one over distances.
    type Pass = Option<Analysis>;

    /// What a pass sends over `ranks` ranks that are threads.
    fn sent(described: &Described, pass: Pass, ranks: usize) -> Traffic {
        let run = |end: Local| {
            let world = Some(World::new(Box::new(end)));
            let options = ExecOptions { world, ..ExecOptions::new(1) };
            let codec = FlowOptions { codec: CODEC, ..FlowOptions::default() };
            let flow = &mut Flow::new(Exec::new(options), codec);
            flow.set_owners(Arc::new(BlockCyclic::squarest(ranks)));
            let before = |flow: &mut Flow, x: &TileMatrix<f64>| {
                fill_normal(flow, x, 1);
                flow.wait().expect("it runs");
                flow.traffic().expect("all ranks are there")
            };
            let before = if let Some(analysis) = pass {
                let mut table = table(flow, described, analysis);
                let x = table.panel(flow, COLUMNS, described.width);
                let before = before(flow, &x);
                table.first_product::<f64>(flow, &x).expect("it runs");
                before
            } else {
                let mut gram = gram(flow, described);
                let [x, y] = [(); 2].map(|()| gram.panel(flow, described.width));
                let before = before(flow, &x);
                gram.multiply::<f64>(flow, &x, &y).expect("it runs");
                before
            };
            let Traffic { messages, bytes } = flow.traffic().expect("all ranks are there");
            Traffic { messages: messages - before.messages, bytes: bytes - before.bytes }
        };
        thread::scope(|scope| {
            let ranks: Vec<_> = Local::connect(ranks)
                .into_iter()
                .map(|end| scope.spawn(move || run(end)))
                .collect();
            let sent: Vec<Traffic> =
                ranks.into_iter().map(|rank| rank.join().expect("it runs")).collect();
            sent[0]
        })
    }

    /// The same on a simulated cluster.
    fn simulated(described: &Described, pass: Pass, ranks: usize) -> Traffic {
        let node = |_| NodeOptions::new(Machine::cores(1), vec![MODEL], 1e9);
        let policy = policy("prio").expect("a listed policy");
        let options = ClusterOptions::new((0..ranks).map(node).collect(), 1e-5, policy);
        let run = Cluster::new(options).run(FlowOptions::default(), |flow| {
            flow.set_owners(Arc::new(BlockCyclic::squarest(ranks)));
            match pass {
                Some(analysis) => described.multiply_table::<f64>(flow, analysis),
                None => described.multiply_gram::<f64>(flow),
            }
        });
        run.traffic()
    }

    #[test]
    fn a_simulation_sends_what_a_run_sends() {
        use Analysis::{Components, Correspondences};
        for ranks in [2, 3] {
            let cases = [
                ([37, 37], None),
                ([50, 37], Some(Components)),
                ([21, 45], Some(Components)),
                ([50, 37], Some(Correspondences)),
            ];
            for (shape, pass) in cases {
                let described = described(shape, 3);
                let expected = sent(&described, pass, ranks);
                assert!(expected.messages > 0, "{pass:?} over {ranks} ranks");
                let found = simulated(&described, pass, ranks);
                assert_eq!(found, expected, "{pass:?} of {shape:?} over {ranks} ranks");
            }
        }
    }

    /// Tasks that a program submits on one worker.
    fn counted(program: impl FnOnce(&mut Flow) -> Result<(), FlowError>) -> u64 {
        let (census, contents) = Census::new(Arc::new(vec![MODEL]), &Machine::cores(1));
        let flow = &mut Flow::new(census, FlowOptions::default());
        program(flow).and_then(|()| flow.wait()).expect("a census has no failures");
        contents.lock().expect("it goes on").tasks
    }

    /// Of matrices that are well conditioned.
    #[test]
    fn whole_programs_have_the_tasks_of_a_run() {
        let flow = &mut Flow::new(Exec::with_workers(1), FlowOptions::default());
        let ran = |flow: &mut Flow, run: &mut dyn FnMut(&mut Flow)| {
            let before = flow.watch().completed();
            run(flow);
            flow.wait().expect("it runs");
            flow.watch().completed() - before
        };
        for passes in [2, 3] {
            let described = described([90, 90], sketch_width(2, 90));
            let expected = ran(flow, &mut |flow| {
                let mut gram = gram(flow, &described);
                let request = mds::Request {
                    axes: 2,
                    method: mds::Method::Randomized,
                    width: described.width,
                    passes: Some(passes),
                    tolerance: 0.0,
                    capacity: 90,
                    seed: 5,
                    lingoes: false,
                };
                mds::leading::<f64>(flow, &mut gram, &request).expect("it runs");
                gram.close(flow);
            });
            let found = counted(|flow| described.mds::<f64>(flow, passes));
            assert_eq!(found, expected, "mds in {passes} passes");
        }
        for (analysis, shape, passes) in [
            (Analysis::Components, [90, 70], 4),
            (Analysis::Components, [90, 70], 7),
            (Analysis::Correspondences, [70, 90], 5),
        ] {
            let described = described(shape, block_width(3, shape));
            let expected = ran(flow, &mut |flow| {
                let mut table = table(flow, &described, analysis);
                let request = singular::Request {
                    axes: 3,
                    method: singular::Method::Krylov,
                    width: described.width,
                    passes: Some(passes),
                    tolerance: 0.0,
                    capacity: 90,
                    seed: 5,
                };
                singular::leading::<f64>(flow, &mut table, &request).expect("it runs");
                table.close(flow);
            });
            let found = counted(|flow| described.decompose::<f64>(flow, analysis, passes));
            assert_eq!(found, expected, "{analysis:?} of {shape:?} in {passes} passes");
        }
    }
}
