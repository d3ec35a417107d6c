//! `--distribution lp`, `auto`: what is planned for the ranks as they are.

use std::borrow::Cow;
use std::ffi::OsStr;

use anyhow::Result;
use tegula_kernels::backend::Backend;
use tegula_kernels::scalar::Precision;

use super::choice::MachineChoice;
use super::{Run, RunFlags, distribution_help, distribution_page};
use crate::cluster::{AUTO, Needs, Planned, Question, is_planned, names, plan};
use crate::error::refused;
use crate::plan::plans_page;
use crate::ranks::{each, ranks};
use crate::simulate::program::{LIKELIHOOD, Sizes, Workload};
use crate::work::Work;

/// What distributes tiles over ranks unless told otherwise.
const USUAL: &str = "what suits the ranks";

/// Help of `--distribution` over ranks, for which some are planned.
pub(super) fn planned_help() -> String {
    format!("{}; planned: {}", distribution_help(USUAL), names().join(", "))
}

/// The same at length.
pub(super) fn planned_page() -> String {
    format!(
        "{}\n\nPlanned for the ranks by what kernels and messages take there, which is measured as \
         the run begins, are (of exact likelihoods and of routines on square matrices)\n{}\n- {AUTO}: \
         the one of these and the others under which a simulated run ends first",
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
    /// itself, or there is one rank.
    ///
    /// # Errors
    /// If the program cannot be planned so, or a rank has no room for its tiles or is gone.
    pub(super) fn planned(
        &self,
        work: &Work<'_>,
        machine: &MachineChoice,
        (nb, precision, backend): (usize, Precision, &'static dyn Backend),
    ) -> Result<Option<Planned>> {
        let name = self.distribution.as_deref().and_then(|name| name.to_str());
        let Some(name) = name.filter(|name| is_planned(name)) else { return Ok(None) };
        let Some(workload) = work.program.and_then(Workload::find) else {
            return Err(refused(format!(
                "--distribution {name}: this run cannot be planned; exact likelihoods, and routines \
                 on square matrices, can: name the owners, as 1d1d"
            )));
        };
        if ranks() == 1 {
            return Ok(None);
        }
        let rooms = match &self.machine.scratch() {
            Some(_) => None,
            None => Some(each(machine.most().map_or(u64::MAX, |(most, _)| most))?),
        };
        let (sizes, codelets) = (sizes(work.order, nb, precision), (work.codelets)());
        let machine = machine.machine();
        let needs = Needs { machine, backend, precision, nb, codelets };
        Ok(Some(plan(&Question { name: name.to_owned(), workload, sizes, rooms }, &needs)?))
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
        let workload = Workload::find(LIKELIHOOD).expect("it is listed");
        let (name, sizes) = (name.to_owned(), sizes(n, nb, precision));
        let question = Question { name, workload, sizes, rooms: None };
        let machine = self.machine().machine();
        (question, Needs { machine, backend, precision, nb, codelets })
    }
}
