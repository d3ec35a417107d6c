//! `tegula diodon mds`: principal coordinates of a matrix of distances.

mod measure;
mod pauses;
mod results;
mod setup;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use clap::builder::TypedValueParser;
use serde_json::Value;
use tegula_diodon::EmbedError;
use tegula_diodon::distance::MetricChoice;
use tegula_diodon::gram::{Gram, GramOptions, Sums};
use tegula_diodon::mds::{self, Correction, Leading, METHODS};
use tegula_diodon::output::Output;
use tegula_diodon::stream::{TILE_ENTRIES, TileDistribution};
use tegula_kernels::scalar::{Precision, Real};
use tegula_runtime::flow::Flow;
use tegula_runtime::trace::Trace;

use super::axes::tolerance;
use super::computed::PointFlags;
use super::matrix::{ReadFlags, ToleranceFlags};
use super::overlap::StreamFlags;
use super::readers;
use super::written::describe_written;
use crate::checkpoint::Checkpoints;
use crate::cluster::{Nodes, NodesChoice, NodesRequest, read_learnt};
use crate::error::refused;
use crate::flags::{
    CheckpointFlags, MatrixFlags, OutputFlags, Run, RunFlags, TraceFlags, member, shares,
};
use crate::guest;
use crate::output::{Account, Console, Progress, check_folder_to_make};
use crate::ranks::{is_root, ranks};
use pauses::Between;
use setup::Setup;

/// Flags of `mds`.
#[derive(Args, Debug)]
pub(crate) struct Mds {
    /// The matrix of distances: HDF5, .npy, CSV, PHYLIP ... ("tegula diodon formats")
    ///
    /// HDF5 is FILE or FILE:DATASET, or a manifest of tiles.
    #[arg(value_name = "D")]
    input: OsString,
    /// D holds points or sequences: compute distances by this metric, and store none
    ///
    /// They are computed each time they are needed. "tegula diodon distances --help" lists metrics.
    #[arg(long, value_name = "NAME", help_heading = "Data")]
    metric: Option<MetricChoice>,
    #[command(flatten)]
    points: PointFlags,
    #[command(flatten)]
    read: ReadFlags,
    #[command(flatten)]
    tolerated: ToleranceFlags,
    /// Number of axes
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Model")]
    axes: u32,
    /// How they are found [default: exact up to 2000 items, else lanczos]
    #[arg(long, value_name = "NAME", help_heading = "Model", value_parser = methods())]
    method: Option<usize>,
    /// Passes over the distances [default: 2 of randomized and nystrom]; of lanczos at most
    #[arg(long, value_name = "P", help_heading = "Model", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    passes: Option<u32>,
    /// Vectors of the sketch beyond the axes [default: max(4 k, 40)]
    ///
    /// So by default the sketch is max(5 k, k + 40) wide.
    #[arg(long, value_name = "S", help_heading = "Model", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    oversample: Option<u32>,
    /// Residual at which lanczos ends, relative to the eigenvalue [default: 1e-8]
    ///
    /// By default it is the precision of the stored numbers where that is less.
    #[arg(long, value_name = "T", help_heading = "Model", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// Weights of the items: a file of lines "id,weight"
    #[arg(long, value_name = "FILE", help_heading = "Model")]
    weights: Option<PathBuf>,
    /// Make the distances Euclidean by a constant added to squares, or to them
    #[arg(long, value_name = "NAME", help_heading = "Model", value_parser = corrections())]
    correction: Option<Correction>,
    /// Labels of the items, to colour them by: a file of lines "id,label,..."
    ///
    /// The page colours by the first column, and offers the others. Its first line may be a header.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    labels: Option<PathBuf>,
    /// Folder for results: coordinates.csv, report.html and others
    ///
    /// They are coordinates.csv, eigenvalues.csv, quality.csv, ordination.txt, summary.json and
    /// report.html, and weights.csv if there are --weights. They take the place of all that an
    /// earlier run left there.
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    output_folder: Option<PathBuf>,
    /// Tasks that read at a time [default: measured]
    #[arg(long, value_name = "N", help_heading = "Run", value_parser = clap::value_parser!(u32).range(1..=1024))]
    readers: Option<u32>,
    /// How ranks share the reading of tiles, as --distribution [default: who multiplies a tile
    /// reads it]
    ///
    /// Tiles then go to who multiplies them: products are shared by --distribution.
    #[arg(long, value_name = "NAME", help_heading = "Run")]
    reading: Option<OsString>,
    /// Ranks that multiply, the fastest first: N, or auto[:STRATEGY] by what passes take
    ///
    /// More nodes share the work, and send more messages; a slow one may keep all others waiting.
    /// auto begins with all, and chooses after each pass but the first; "tegula adapt replay -h"
    /// has the strategies. auto:energy spares joules, auto:product joules times seconds, as the
    /// hosts count them ("tegula info"); a strategy may stand before. All ranks read, as far as the
    /// network is worth it, unless their number stands before that of those that multiply, as 3/2;
    /// auto:both chooses both. Tiles are distributed as by --distribution lp.
    #[arg(long, value_name = "N|auto", help_heading = "Run", value_parser = NodesChoice::parse, conflicts_with_all = ["reading", "measure"])]
    nodes: Option<NodesChoice>,
    /// Time passes of reading, of multiplying and of both, instead of embedding
    #[arg(long, help_heading = "Run", conflicts_with_all = ["output_folder", "correction", "labels"])]
    measure: bool,
    #[command(flatten)]
    stream: StreamFlags,
    #[command(flatten)]
    matrix: MatrixFlags,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    checkpoint: CheckpointFlags,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// A parser of the names of [`METHODS`].
fn methods() -> impl TypedValueParser<Value = usize> {
    member(METHODS.iter().map(|listed| (listed.name, listed.summary)).collect())
}

/// A parser of the names of corrections.
fn corrections() -> impl TypedValueParser<Value = Correction> {
    let named = [("lingoes", Correction::Lingoes), ("cailliez", Correction::Cailliez)];
    member(vec![
        ("lingoes", "constant added to squares"),
        ("cailliez", "constant added to distances"),
    ])
    .map(move |index| named[index].1)
}

/// What was computed.
struct Outcome {
    leading: Leading,
    sums: Sums,
    passes: usize,
    /// Passes of an earlier run.
    taken_over: usize,
    compared: usize,
    /// Pairs of entries that mirror each other, if both are stored.
    pairs: Option<u64>,
    tiles: usize,
    held: usize,
    bytes_read: u64,
    seconds: f64,
    trace: Trace,
    account: Account,
    /// What Cailliez added to each distance.
    offset: f64,
    /// How many ranks multiplied, where that was chosen.
    nodes: Option<Nodes<TileDistribution>>,
}

impl Outcome {
    /// What Lingoes's correction added to the eigenvalues.
    fn constant(&self) -> Option<f64> {
        self.leading.lingoes.map(|changed| changed.constant)
    }
}

impl Mds {
    pub(crate) fn run(&self) -> Result<()> {
        let console = self.output.console(None)?;
        self.trace.check()?;
        if self.measure && self.checkpoint.is_given() {
            return Err(refused("--measure embeds nothing: leave --checkpoint and --resume out"));
        }
        self.checkpoint.begin()?;
        if let Some(folder) = &self.output_folder {
            check_folder_to_make(folder).map_err(|reason| refused(format!("-o: {reason}")))?;
        }
        let mut setup = self.set_up(&console)?;
        if self.matrix.dry_run {
            let mut facts = self.facts(&setup);
            setup::expected(&setup).describe(&setup.run, &console, &mut facts)?;
            self.output.write(&Value::Object(facts))?;
            return console.finish();
        }
        let is_double = setup.run.precision == Precision::Double;
        if self.measure {
            let measure = if is_double { Self::measure::<f64> } else { Self::measure::<f32> };
            self.output.write(&measure(self, &setup, &console)?)?;
            return console.finish();
        }
        let checkpoints = match self.checkpoint.is_given() {
            true => Some(self.checkpoint.open(self.about(&setup)?, &console)?),
            false => None,
        };
        let counted = setup.counted.take();
        let embed = if is_double { Self::embed::<f64> } else { Self::embed::<f32> };
        let mut outcome = embed(self, (&setup, counted), checkpoints, &console)?;
        let ordination = results::ordination(&setup, &outcome);
        guest::keep_ordination(&ordination);
        let mut result = self.result(&setup, &outcome, &ordination);
        self.describe(&console, &setup, &outcome, &ordination);
        if let Some(nodes) = &outcome.nodes {
            nodes.describe(&console);
            nodes.describe_json(&mut result);
        }
        if let Some(folder) = self.output_folder.as_deref().filter(|_| is_root()) {
            let title = &self.input.to_string_lossy();
            let (labels, weights) = (setup.labels.as_ref(), setup.weights.as_deref());
            let output =
                Output { ordination: &ordination, labels, weights, summary: &result, title };
            describe_written(&console, folder, &output.write(folder)?);
        }
        setup.run.keep_times(&outcome.account, &console);
        self.trace.write(&mut outcome.trace, &result, &console)?;
        self.output.write(&result)?;
        console.finish()
    }

    /// How ranks share the tiles.
    fn distribution(&self, run: &Run) -> Result<TileDistribution> {
        let mut dealing = run.dealing();
        if let Some(name) = &self.reading {
            dealing.reading = Some(shares(&*run.owners_by(name)?, ranks()));
        }
        Ok(dealing)
    }

    /// The engine, and the distances as something to multiply with, whose tiles are shared by
    /// `distribution`; the correction of Cailliez that they got.
    fn gram(
        &self,
        setup: &Setup,
        distribution: TileDistribution,
        is_recorded: bool,
    ) -> Result<(Flow, Gram, f64)> {
        let mut options = setup.run.exec_options(is_recorded);
        readers::cap(&mut options, setup.most_readers(self.readers));
        let offset = match self.correction {
            Some(Correction::Cailliez) => mds::cailliez(&*setup.distances.source)?,
            _ => 0.0,
        };
        let mut flow = setup.run.flow_on(options, true);
        let gram_options = GramOptions {
            weights: setup.weights.clone(),
            offset,
            edge: setup.run.nb,
            entries: TILE_ENTRIES,
            memory: setup.plan.ring_bytes,
            samples: setup.samples,
            overlap: self.stream.overlap(),
            distribution: Some(distribution),
        };
        let mut gram = Gram::new(&mut flow, &setup.distances.source, gram_options);
        gram.allow(self.tolerated.symmetry_tolerance);
        Ok((flow, gram, offset))
    }

    fn embed<T: Real>(
        &self,
        (setup, counted): (&Setup, Option<NodesRequest>),
        mut checkpoints: Option<Checkpoints>,
        console: &Console,
    ) -> Result<Outcome> {
        let start = Instant::now();
        let mut resumed = checkpoints.as_mut().and_then(Checkpoints::resumed);
        let learnt = resumed.as_mut().map(|body| read_learnt(body)).unwrap_or_default();
        let nodes = counted.map(|request| Nodes::begin(request, &learnt));
        let mut nodes: Option<Nodes<TileDistribution>> = nodes.transpose()?;
        // Panels stay where the first distribution has them: if the ranks change, on all.
        let is_auto = self.nodes.is_some_and(NodesChoice::is_auto);
        let distribution = match &nodes {
            Some(nodes) if !is_auto => nodes.division().clone(),
            _ => self.distribution(&setup.run)?,
        };
        let (mut flow, mut gram, offset) = self.gram(setup, distribution, setup.is_recorded)?;
        if let Some(nodes) = &mut nodes {
            if is_auto {
                gram.distribute(&mut flow, nodes.division());
            }
            nodes.enter(&mut flow);
        }
        let mut progress = Progress::new(console);
        let tasks = 2.0 * gram.stream().tiles() as f64;
        progress.follow(flow.watch(), tasks, "first pass");
        let failure = None;
        let mut between =
            Between { checkpoints, resumed, console, progress, tasks, nodes, failure };
        let found = mds::leading_with::<T>(&mut flow, &mut gram, &setup.request, &mut between);
        between.progress.clear();
        let leading = match found {
            Err(EmbedError::Stopped { passes }) => return Err(between.ending(passes)),
            found => found?,
        };
        let mut nodes = between.nodes;
        nodes.iter_mut().for_each(Nodes::end);
        if self.correction == Some(Correction::Lingoes) && leading.has_converged == Some(false) {
            bail!(
                "lingoes needs the lowest eigenvalue, and lanczos did not find it and the axes in {}: allow more --passes, \
                 more --memory, or --method exact",
                count_of_passes(gram.passes())
            );
        }
        let sums = gram.sums().clone();
        let (passes, taken_over, compared) = (gram.passes(), gram.taken_over(), gram.compared());
        let (tiles, held) = (gram.stream().tiles(), gram.stream().held());
        let pairs = gram.pairs();
        let bytes_read = gram.close(&mut flow);
        let sums = match leading.lingoes {
            Some(changed) => Sums { trace: changed.trace, frobenius2: changed.frobenius2, ..sums },
            None => sums,
        };
        Ok(Outcome {
            leading,
            sums,
            passes,
            taken_over,
            compared,
            pairs,
            tiles,
            held,
            bytes_read,
            seconds: start.elapsed().as_secs_f64(),
            account: Account::of(&mut flow),
            trace: flow.take_trace(),
            offset,
            nodes,
        })
    }
}

/// `1 pass`, `2 passes`.
fn count_of_passes(passes: usize) -> String {
    if passes == 1 { "1 pass".to_owned() } else { format!("{passes} passes") }
}
