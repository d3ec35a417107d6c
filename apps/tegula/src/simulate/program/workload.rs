//! A program that can be simulated, planned and counted.

use std::fmt;

use anyhow::Result;
use tegula_kernels::scalar::Precision;
use tegula_linalg::program::{self as routine, Counts, Factorised, Inputs, Instance, Program};
use tegula_plan::distribution::messages::{self, Messages};
use tegula_plan::distribution::{Factorisation, OwnerMap};
use tegula_runtime::flow::{Decisions, Flow, FlowError};
use tegula_tiles::Storage;

use super::sparse::MOST_POINTS;
use super::{MOST, Measure, READERS, Setting, Sizes, Spread, WORKLOADS};
use crate::error::refused;

/// A member of [`WORKLOADS`].
pub(crate) struct Workload {
    /// Its name.
    pub(crate) name: &'static str,
    /// One line of help.
    pub(crate) summary: &'static str,
    /// What it does.
    pub(super) tasks: Tasks,
    /// How it is spread over nodes.
    pub(crate) spread: Spread,
    /// How many messages it sends under a map of owners, where that can be counted.
    pub(crate) messages: Option<fn(&OwnerMap) -> Messages>,
    /// What can be left away.
    pub(crate) measures: &'static [Measure],
    /// Whether it makes contexts.
    pub(crate) makes_contexts: bool,
}

/// What a workload does.
pub(super) enum Tasks {
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

/// A program whose data is there.
pub(crate) struct Prepared<'a> {
    workload: &'a Workload,
    setting: &'a Setting,
    /// Of a routine.
    instance: Option<Box<dyn Instance>>,
}

impl Prepared<'_> {
    /// Submits it.
    ///
    /// # Errors
    /// Those of the flow, if it waits.
    pub(crate) fn submit(self, flow: &mut Flow) -> Result<(), FlowError> {
        if let Tasks::Described { submit, .. } = &self.workload.tasks {
            return submit(flow, self.setting);
        }
        if let Some(mut instance) = self.instance {
            let decisions = &self.setting.decisions;
            decisions.iter().for_each(|decisions| flow.follow(decisions.clone()));
            instance.submit(flow);
            instance.retire(flow);
        }
        Ok(())
    }
}

impl fmt::Debug for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Workload {
    /// The member of [`WORKLOADS`] of this name, if there is one.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        WORKLOADS.iter().find(|workload| workload.name == name)
    }

    /// The routine `program` under its own name.
    pub(super) fn of(program: &'static Program) -> Self {
        let spread = match program.factorised {
            Some(Factorised { storage, .. }) => Spread::Factorised(Factorisation::of(storage)),
            None => Spread::Tiles(Factorisation::of(program.storage())),
        };
        let messages: Option<fn(&OwnerMap) -> Messages> = match program.factorised {
            Some(Factorised { storage: Storage::Lower, is_all: true }) => Some(messages::cholesky),
            Some(Factorised { storage: Storage::Full, is_all: true }) => Some(messages::lu),
            _ => None,
        };
        let (name, summary, tasks) =
            (program.name, program.formula, Tasks::Routine(program, |_| {}));
        Self { name, summary, tasks, spread, messages, measures: &[], makes_contexts: false }
    }

    /// A routine under another name than its own.
    pub(super) fn alias(name: &'static str, summary: &'static str, of: &str) -> Self {
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
        self.prepare(flow, setting).submit(flow)
    }

    /// Takes what has to be there before it for granted, which waits for all that was submitted.
    pub(crate) fn prepare<'a>(&'a self, flow: &mut Flow, setting: &'a Setting) -> Prepared<'a> {
        let instance = match &self.tasks {
            Tasks::Routine(program, change) => {
                let sizes = setting.sizes.of_routine(program, *change, flow.workers());
                let mut instance = program.instance(flow, sizes, &Inputs::default());
                instance.touch(flow);
                flow.presume(|flow| instance.prepare(flow));
                Some(instance)
            }
            Tasks::Described { .. } => None,
        };
        Prepared { workload: self, setting, instance }
    }

    /// About as many tasks as a flow holds for it.
    pub(crate) fn tasks(&self, sizes: &Sizes) -> u64 {
        match &self.tasks {
            Tasks::Routine(program, change) => {
                let counts = Counts::of(program, sizes.of_routine(program, *change, 1), false);
                (counts.timed + counts.reads / READERS).ceil() as u64
            }
            Tasks::Described { most, .. } => most(sizes),
        }
    }

    /// What is to be said of its simulation.
    pub(crate) fn remark(&self, setting: &Setting) -> Option<String> {
        match &self.tasks {
            Tasks::Routine(program, _) if !program.is_steady() && setting.decisions.is_none() => {
                Some(format!(
                    "which steps {} takes depends on the entries of its matrices: these are the \
                     steps for zeros; --decisions takes those of a run",
                    self.name
                ))
            }
            _ => None,
        }
    }

    /// The decisions of a run of it.
    ///
    /// # Errors
    /// If it decides nothing of the kind.
    pub(crate) fn read_decisions(&self, text: &str) -> Result<Decisions> {
        let Tasks::Routine(program, _) = &self.tasks else {
            let name = self.name;
            return Err(refused(format!("--decisions {text}: {name} decides nothing by its data")));
        };
        let decisions = program.read_decisions(text);
        decisions.map_err(|why| refused(format!("--decisions {text}: {why}")))
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
        if self.takes_matrix() {
            return Err(refused(format!(
                "--tile-size {}: more than the {MOST} tasks that can be held at once, or a cube of \
                 more than {MOST_POINTS} points each way: take larger tiles, or fewer points",
                sizes.nb
            )));
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
