//! `--distribution lp`, `auto`: what is planned for the ranks as they are.

use std::borrow::Cow;
use std::ffi::OsStr;

use anyhow::Result;
use tegula_kernels::backend::Backend;
use tegula_kernels::scalar::Precision;
use tegula_plan::distribution::Powers;

use super::choice::MachineChoice;
use super::{Run, RunFlags, distribution_help, distribution_page};
use crate::cluster::{AUTO, Needs, Planned, Question, are_alike, is_planned, names, plan};
use crate::error::refused;
use crate::plan::{Reading, plans_page};
use crate::ranks::{each, ranks};
use crate::simulate::program::{LIKELIHOOD, MDS, PASS_OF_MDS, SWEEP, Sizes};
use crate::work::{Passes, Program, Work};

/// Order of the largest tiles that are multiplied to see how long that takes.
const MOST_TIMED: usize = 1024;

/// Seconds that a run takes by a rough guess from which on a distribution is planned though none
/// was asked for: to measure the ranks takes about one, and as much to compare distributions.
const WORTH_PLANNING: f64 = 20.0;

/// What distributes tiles over ranks unless told otherwise.
const USUAL: &str = "what suits the ranks";

/// Help of `--distribution` over ranks, for which some are planned.
pub(super) fn planned_help() -> String {
    format!("{}; planned: {}", distribution_help(USUAL), names().join(", "))
}

/// The same at length.
pub(super) fn planned_page() -> String {
    format!(
        "{}\n\nUnless told otherwise it is block-cyclic over equal ranks and 1d1d over unequal ones, \
         and {AUTO} where these take long (by a rough guess {WORTH_PLANNING} s).\n\nPlanned for the \
         ranks by what kernels and messages take there, which is measured as the run begins, are \
         (of exact likelihoods, routines on square matrices, and mds)\n{}\n- {AUTO}: the one of \
         these and the others under which a simulated run ends first",
        distribution_page(USUAL),
        plans_page(),
    )
}

impl RunFlags {
    /// The distribution that was asked for.
    pub(crate) fn distribution(&self) -> Option<Cow<'_, str>> {
        self.distribution.as_deref().map(OsStr::to_string_lossy)
    }

    /// The same flags, for a run that plans the distribution `name` when it has begun.
    pub(crate) fn planned_later(&self, name: &'static str) -> Self {
        let mut flags = self.clone();
        flags.planned_later = Some(name);
        flags
    }

    /// What `--distribution` has planned for tiles of order `nb`; nothing if it names owners
    /// itself, or there is one rank. Where none was asked for, a plan is made if it is worth its
    /// while: of long runs over ranks that differ, by the `powers` that they are known to have or
    /// by how fast their cores go on.
    ///
    /// # Errors
    /// If the program cannot be planned so, or a rank has no room for its tiles or is gone.
    pub(super) fn planned(
        &self,
        work: &Work<'_>,
        (machine, powers): (&MachineChoice, &Powers),
        (nb, precision, backend): (usize, Precision, &'static dyn Backend),
    ) -> Result<Option<Planned>> {
        let asked = self.distribution.as_deref().map(|name| name.to_str().unwrap_or_default());
        if ranks() == 1 && work.program.is_some() || asked.is_some_and(|name| !is_planned(name)) {
            return Ok(None);
        }
        let Some(program) = work.program else {
            let refuse = |name| {
                Err(refused(format!(
                    "--distribution {name}: this run cannot be planned; exact likelihoods, routines \
                     on square matrices, and mds, can: name the owners, as 1d1d"
                )))
            };
            return asked.map_or(Ok(None), refuse);
        };
        let needs = |nb, codelets| {
            let machine = machine.machine();
            Needs { machine, backend, precision, nb, codelets }
        };
        let name = match asked {
            Some(name) => name,
            None if self.deterministic || work.seconds(nb, powers) < WORTH_PLANNING => {
                return Ok(None);
            }
            None if powers.are_equal() && are_alike(&needs(nb.min(MOST_TIMED), Vec::new()))? => {
                return Ok(None);
            }
            None => AUTO,
        };
        let (question, needs) = match program {
            Program::OfTiles(program) => {
                let rooms = match &self.machine.scratch() {
                    Some(_) => None,
                    None => Some(each(machine.most().map_or(u64::MAX, |(most, _)| most))?),
                };
                let sizes = sizes(work.order, nb, precision);
                let question = Question { rooms, ..Question::new(name, program, sizes) };
                (question, needs(nb, (work.codelets)()))
            }
            Program::OfPasses(passes) => {
                let question = passes.question(name, work.order, (nb, machine.workers()))?;
                (question, needs(nb.min(MOST_TIMED), vec![SWEEP]))
            }
        };
        plan(&Question { is_asked: asked.is_some(), ..question }, &needs)
    }
}

impl Passes<'_> {
    /// The passes over a matrix of this order in tiles of order `nb`, shared by `name` over ranks
    /// that this one has so many workers of. Where tiles are read in each pass, all passes are like
    /// one. All ranks call it.
    fn question(
        &self,
        name: &str,
        order: usize,
        (nb, workers): (usize, usize),
    ) -> Result<Question> {
        let reading = (self.reading)(nb, workers)?;
        let rates = each(reading.bytes_per_second.max(1.0) as u64)?;
        let of_rank = |(rate, readers)| Reading {
            bytes_per_second: rate as f64,
            readers: readers as usize,
            ..reading
        };
        let all = rates.into_iter().zip(each(reading.readers as u64)?).map(of_rank);
        let program = if reading.products > 1 { MDS } else { PASS_OF_MDS };
        let (width, passes) = (self.width, self.count);
        let sizes = Sizes { width, passes, ..sizes(order, nb, self.precision) };
        Ok(Question { reading: all.collect(), ..Question::new(name, program, sizes) })
    }
}

/// Those of a matrix of this order in tiles of order `nb`.
fn sizes(order: usize, nb: usize, precision: Precision) -> Sizes {
    Sizes { precision, ..Sizes::new(order.div_ceil(nb).max(1), nb) }
}

impl Run {
    /// An exact likelihood of `n` places, to be distributed over the ranks by `name`, and what that
    /// asks of them.
    pub(crate) fn question(
        &self,
        name: &str,
        n: usize,
        codelets: Vec<&'static str>,
    ) -> (Question, Needs) {
        let (nb, precision, backend) = (self.nb, self.precision, self.backend);
        let question = Question::new(name, LIKELIHOOD, sizes(n, nb, precision));
        let machine = self.machine().machine();
        (question, Needs { machine, backend, precision, nb, codelets })
    }

    /// Passes over a matrix of `n` lines, to be distributed over the ranks by `name`, and what that
    /// asks of them. All ranks call it.
    ///
    /// # Errors
    /// If the matrix cannot be read, or a rank is gone.
    pub(crate) fn question_of_passes(
        &self,
        name: &str,
        n: usize,
        passes: &Passes<'_>,
    ) -> Result<(Question, Needs)> {
        let question = passes.question(name, n, (self.nb, self.workers()))?;
        let (precision, backend) = (self.precision, self.backend);
        let machine = self.machine().machine();
        // Nodes are sorted by their products.
        let (nb, codelets) = (self.nb.min(MOST_TIMED), vec!["gemm", SWEEP]);
        Ok((question, Needs { machine, backend, precision, nb, codelets }))
    }
}
