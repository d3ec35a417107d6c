//! What happens between passes: checkpoints, and the choice of ranks; and how a run tells that it
//! goes on with the distances of another.

use std::io::{Read, Write};
use std::ops::ControlFlow;

use anyhow::Result;
use tegula_diodon::gram::Gram;
use tegula_diodon::mds::{Method, Pauses, Save};
use tegula_diodon::stream::TileDistribution;
use tegula_files::checkpoint::{About, Body, write_word};
use tegula_files::source::{Block, Source, SourceError, pieces};
use tegula_files::{Digest, digest_bytes, digest_numbers};
use tegula_runtime::flow::Flow;
use tegula_runtime::random::SplitMix64;

use super::setup::Setup;
use super::{Mds, count_of_passes};
use crate::checkpoint::{Checkpoints, about, caught, release_signals};
use crate::cluster::Nodes;
use crate::error::interrupted;
use crate::guest;
use crate::output::{Console, Progress};

/// Items up to which all distances are looked at.
const LOOKED_AT: usize = 2048;
/// The same where distances are computed each time, which may take long.
const COMPUTED: usize = 256;
/// Blocks of more that are.
const BLOCKS: usize = 32;
/// Rows and columns of such a block.
const EDGE: usize = 64;

/// What happens between passes: progress is shown, the ranks that multiply are chosen, and
/// checkpoints are written.
pub(super) struct Between<'a> {
    pub(super) checkpoints: Option<Checkpoints>,
    /// What the method goes on from.
    pub(super) resumed: Option<Body>,
    pub(super) console: &'a Console,
    pub(super) progress: Progress,
    /// Tasks of a pass.
    pub(super) tasks: f64,
    pub(super) nodes: Option<Nodes<TileDistribution>>,
    /// Why the run ends, if not by a signal.
    pub(super) failure: Option<anyhow::Error>,
}

/// Passes that are compared are all alike.
const KIND: u64 = 0;

impl Between<'_> {
    /// The ranks that multiply in the next pass, by what the last one took.
    ///
    /// # Errors
    /// If a rank is gone.
    fn choose(&mut self, flow: &mut Flow, gram: &mut Gram) -> Result<()> {
        let Some(nodes) = &mut self.nodes else { return Ok(()) };
        let took = (Some(KIND), gram.pass_time().as_secs_f64());
        if nodes.next(flow, took, self.console)? {
            gram.distribute(flow, nodes.division());
        }
        Ok(())
    }

    /// Why the run has ended in a pause after so many passes.
    ///
    /// # Panics
    /// If it has not.
    pub(super) fn ending(mut self, passes: usize) -> anyhow::Error {
        let done = count_of_passes(passes);
        if let Some(failure) = self.failure {
            return failure;
        }
        let Some(checkpoints) = &mut self.checkpoints else {
            return interrupted(caught(), format!("stopped after {done}"));
        };
        checkpoints.ending(&done).expect("the run ended in a pause")
    }
}

impl Pauses for Between<'_> {
    fn resume(&mut self) -> Option<Box<dyn Read>> {
        let state = self.resumed.take()?;
        self.console
            .field("goes on", "after the last pass of an earlier run that is in the checkpoint");
        Some(Box::new(state))
    }

    fn pause(&mut self, flow: &mut Flow, gram: &mut Gram, save: &mut Save<'_>) -> ControlFlow<()> {
        self.progress.begin(self.tasks, format!("pass {}", gram.passes() + 1));
        if let Err(error) = self.choose(flow, gram) {
            self.failure = Some(error);
            return ControlFlow::Break(());
        }
        let nodes = &mut self.nodes;
        let goes_on = match &mut self.checkpoints {
            Some(checkpoints) => {
                let mut save = |flow: &mut Flow, out: &mut dyn Write| {
                    match nodes {
                        Some(nodes) => nodes.write(out)?,
                        None => write_word(out, 0)?,
                    }
                    Ok(save(flow, gram, out)?)
                };
                checkpoints.pause(flow, self.console, (0, &mut save))
            }
            None if guest::is_stopped() => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        };
        nodes.iter_mut().for_each(Nodes::go_on);
        goes_on
    }
}

impl Mds {
    /// What must not differ when a run goes on.
    ///
    /// # Errors
    /// If the distances cannot be read.
    pub(super) fn about(&self, setup: &Setup) -> Result<About> {
        let Setup { distances, method, request, weights, run, .. } = setup;
        let digest = |numbers: &Vec<f64>| digest_numbers(&[numbers]).to_string();
        let correction = self.correction.map_or("none".to_owned(), |named| format!("{named:?}"));
        let names = digest_bytes(distances.ids.join("\n").as_bytes());
        let facts = vec![
            ("the distances", format!("SHA-256 {}", sample(&*distances.source)?)),
            ("the number of items", distances.n().to_string()),
            ("the names of items", format!("SHA-256 {names}")),
            ("--weights", weights.as_ref().map_or("none".to_owned(), digest)),
            ("--method", method.name.to_owned()),
            ("--axes", request.axes.to_string()),
            ("the width of the sketch", request.width.to_string()),
            ("--passes", request.passes.map_or("default".to_owned(), |passes| passes.to_string())),
            ("--tolerance", format!("{:?}", request.tolerance)),
            ("--correction", correction),
            ("--seed", request.seed.to_string()),
            ("--precision", run.precision.letter().to_string()),
        ];
        Ok(about("principal coordinates", facts))
    }

    /// Says if the method makes no pauses, though checkpoints were asked for; signals then end it
    /// as ever.
    pub(super) fn describe_checkpoints(&self, setup: &Setup, console: &Console) {
        if self.checkpoint.is_given() && setup.method.method == Method::Exact {
            release_signals();
            console.note(
                "the method exact makes no pauses: no checkpoint is written; --method lanczos has some",
            );
        }
    }
}

/// A digest of all distances of few items, and of blocks here and there of many.
fn sample(source: &dyn Source) -> Result<Digest, SourceError> {
    let ([n, _], element, mut reader) = (source.shape(), source.element(), source.reader()?);
    let mut digests = Vec::new();
    let mut add = |block: Block| -> Result<(), SourceError> {
        let mut entries = vec![0; block.entries() * element.bytes()];
        reader.read(&block, &mut entries)?;
        digests.extend_from_slice(digest_bytes(&entries).as_bytes());
        Ok(())
    };
    let is_computed = source.stored_bytes_per_entry() == 0.0;
    if n <= if is_computed { COMPUTED } else { LOOKED_AT } {
        pieces(n, EDGE).try_for_each(|rows| add(Block { rows, columns: 0..n }))?;
    } else {
        let mut stream = SplitMix64::new(n as u64);
        let mut place = || {
            let start = (stream.uniform() * (n - EDGE) as f64) as usize;
            start..start + EDGE
        };
        for _ in 0..BLOCKS {
            // Some formats store no more than what is above the diagonal.
            let (one, other) = (place(), place());
            let (rows, columns) = if one.start < other.start { (one, other) } else { (other, one) };
            add(Block { rows, columns })?;
        }
    }
    Ok(digest_bytes(&digests))
}
