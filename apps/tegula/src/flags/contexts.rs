//! Problems of one command that run at the same time, each in a scheduling context of its share of
//! the workers, where one by itself cannot keep all of them busy.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::{Result, anyhow};
use clap::Args;
use tegula_linalg::factorizations_at_once;
use tegula_runtime::exec::Pool;
use tegula_runtime::sched::WorkerId;
use tegula_runtime::sched::contexts::ContextSpec;

use super::Run;
use crate::error::refused;
use crate::output::{bytes, count};
use crate::ranks;
use crate::seat::{self, Seat};

/// How many problems run at the same time.
#[derive(Args, Clone, Debug)]
pub(crate) struct ContextFlags {
    /// Starts, values or parts at a time [default: by size]
    ///
    /// Several starts, values of a grid, or parts that are left out, each in a scheduling context
    /// of its share of the workers: by default as many as keep these busy, where one by itself does
    /// not.
    #[arg(long, value_name = "N", help_heading = "Run", value_parser = clap::value_parser!(u32).range(1..))]
    contexts: Option<u32>,
}

impl ContextFlags {
    /// That which asks for `count` at the same time.
    pub(crate) fn asking(count: u32) -> Self {
        Self { contexts: Some(count) }
    }

    /// How many of `problems` alike run at once on `run`, each of a matrix of `order`.
    ///
    /// # Errors
    /// If more are asked for than there are workers, or than the memory holds.
    pub(crate) fn at_once(&self, run: &Run, problems: usize, order: usize) -> Result<usize> {
        let cores = run.workers();
        let can_share = run.is_flat() && ranks::ranks() == 1 && seat::machine().is_none();
        let Some(asked) = self.contexts.map(|asked| asked as usize) else {
            let wanted = factorizations_at_once(cores, order, run.nb);
            let fits = |&count: &usize| run.fits(count);
            let at_once = (1..=wanted.min(problems).min(cores)).rev().find(fits).unwrap_or(1);
            return Ok(if can_share { at_once } else { 1 });
        };
        if asked > 1 && !can_share {
            return Err(refused(
                "--contexts shares the cores of one process: without accelerators, --ranks and \
                 --memory below what is needed, and not inside a composition",
            ));
        }
        if asked > cores {
            let cores = count(cores, "worker");
            return Err(refused(format!("--contexts {asked} is more than {cores}")));
        }
        if !run.fits(asked) {
            return Err(refused(format!(
                "--contexts {asked}: so many at once take {}, more than there is; ask for fewer",
                bytes(asked as f64 * run.needed() as f64)
            )));
        }
        Ok(asked.min(problems))
    }
}

/// Does `each` for every number below `count`, `at_once` of them at the same time, each with flows
/// in a context of its share of the workers of `run`; tells `report` how many are done. Workers of
/// a context that has no more to do go to the others.
///
/// # Errors
/// That of the first that fails, after which none is begun.
pub(crate) fn side_by_side<T: Send>(
    run: &Run,
    (count, at_once): (usize, usize),
    each: impl Fn(usize) -> Result<T> + Sync,
    report: &mut dyn FnMut(usize),
) -> Result<Vec<T>> {
    if at_once <= 1 {
        let counted = |number| each(number).inspect(|_| report(number + 1));
        return (0..count).map(counted).collect();
    }
    let pool = Pool::new(run.exec_options(false));
    let (workers, next) = (run.workers(), AtomicUsize::new(0));
    let (sender, receiver) = mpsc::channel();
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let mut failure: Option<(usize, anyhow::Error)> = None;
    let words = seat::arguments().into_iter();
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let mut seats = Vec::with_capacity(at_once);
    for number in 0..at_once {
        let own = (number * workers / at_once..(number + 1) * workers / at_once).map(WorkerId);
        let name = format!("context {number}");
        let context = pool.add_context(ContextSpec::new(&name, run.policy, own.collect()))?;
        // The context is there as long as this job of it.
        let keeper = pool.engine(&name, context)?;
        let (pool, machine) = (pool.clone(), run.machine().clone());
        seats.push((keeper, Seat { pool, context, machine, name, words: words.clone() }));
    }
    std::thread::scope(|scope| {
        for (keeper, seat) in seats {
            let (sender, next, each) = (sender.clone(), &next, &each);
            scope.spawn(move || {
                let _keeper = keeper;
                seat::take(seat, || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count || sender.send((number, each(number))).is_err() {
                            break;
                        }
                    }
                });
            });
        }
        drop(sender);
        for (done, (number, result)) in receiver.into_iter().enumerate() {
            match result {
                Ok(result) => found[number] = Some(result),
                Err(error) => {
                    next.store(count, Ordering::Relaxed);
                    if failure.as_ref().is_none_or(|(first, _)| number < *first) {
                        failure = Some((number, error));
                    }
                }
            }
            report(done + 1);
        }
    });
    match failure {
        Some((_, error)) => Err(error),
        None => found.into_iter().map(|one| one.ok_or_else(|| anyhow!("a part ended"))).collect(),
    }
}
