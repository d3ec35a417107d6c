//! An engine that several flows share, each from a thread of its own.

use std::sync::Arc;
use std::time::Instant;

use super::programs::Programs;
use super::{Heterogeneous, POLL, Shared, Threads, prepare};
use crate::exec::ExecOptions;
use crate::flow::{Engine, FlowSpace, Naming, Running, once};
use crate::sched::View;
use crate::sched::contexts::{ContextError, ContextSpec, Contexts, JobSpec, Start, Work};
use crate::trace::{Records, Site, Totals};
use crate::types::{ContextId, JobId};

/// Workers that several flows share, each in a scheduling context.
///
/// ```
/// use tegula_runtime::exec::{ExecOptions, Pool};
/// use tegula_runtime::flow::{Flow, FlowOptions};
/// use tegula_runtime::sched::contexts::ContextSpec;
/// use tegula_runtime::sched::{WorkerId, policy};
///
/// let pool = Pool::new(ExecOptions::new(2));
/// let eager = policy("eager").expect("a listed policy");
/// let one = pool.add_context(ContextSpec::new("one", eager, vec![WorkerId(0)])).unwrap();
/// let two = pool.add_context(ContextSpec::new("two", eager, vec![WorkerId(1)])).unwrap();
/// std::thread::scope(|scope| {
///     for (name, context) in [("a", one), ("b", two)] {
///         let engine = pool.engine(name, context).unwrap();
///         scope.spawn(|| {
///             let mut flow = Flow::new(engine, FlowOptions::default());
///             flow.wait().unwrap();
///         });
///     }
/// });
/// ```
#[derive(Clone)]
pub struct Pool {
    threads: Arc<Threads>,
    options: Arc<ExecOptions>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}

impl Pool {
    /// Starts the workers of `options`, which have contexts in any case.
    ///
    /// # Panics
    /// If there are other ranks: flows over ranks have an engine of their own.
    #[must_use]
    pub fn new(options: ExecOptions) -> Self {
        assert!(options.world.is_none(), "flows over ranks share no engine");
        let options = ExecOptions { contexts: true, ..options };
        let threads = Threads::start(&options, Programs::new(), None, Instant::now());
        Self { threads: Arc::new(threads), options: Arc::new(options) }
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.threads.shared
    }

    /// Looks at the contexts, or changes them.
    ///
    /// # Errors
    /// Those of `look`.
    pub fn with_contexts<T>(
        &self,
        look: impl FnOnce(&mut Contexts, &View<'_>) -> Result<T, ContextError>,
    ) -> Result<T, ContextError> {
        once(look, |look| self.shared().with_core(|core| core.with_contexts(self.shared(), look)))
    }

    /// Makes a context.
    ///
    /// # Errors
    /// If there is no such worker, or a context that loses workers could not go on.
    pub fn add_context(&self, spec: ContextSpec) -> Result<ContextId, ContextError> {
        self.with_contexts(|contexts, view| contexts.create(spec, view))
    }

    /// The engine of a flow whose tasks are those of a new job of this name in `context`. The job
    /// ends with the flow.
    ///
    /// # Errors
    /// If there is no such context.
    pub fn engine(&self, name: &str, context: ContextId) -> Result<PoolEngine, ContextError> {
        let (name, start, work) = (name.to_owned(), Start::Now, Work::default());
        let spec = JobSpec { name, context, start, work };
        let job = self.with_contexts(|contexts, view| contexts.add_job(spec, view))?;
        Ok(self.engine_of(job))
    }

    /// The engine of a flow whose tasks are those of `job`, which ends with it.
    #[must_use]
    pub fn engine_of(&self, job: JobId) -> PoolEngine {
        let naming = self.shared().programs.naming(job);
        PoolEngine { naming, pool: self.clone(), is_started: false }
    }

    /// What was run and moved so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.shared().totals()
    }

    /// Names of the workers and memories.
    #[must_use]
    pub fn site(&self) -> Site {
        self.shared().machine.site()
    }

    /// What was recorded since the last call: tasks of flows that have ended, also those that the
    /// flows themselves have taken, transfers, samples, and contexts. No two tasks have one number:
    /// those of a flow follow those of the flows whose engines were made before.
    #[must_use]
    pub fn take_records(&self) -> Records {
        self.shared().with_core(super::Core::take_records)
    }
}

/// The engine of a flow, on the workers of a [`Pool`].
#[derive(Debug)]
pub struct PoolEngine {
    pool: Pool,
    naming: Naming,
    is_started: bool,
}

impl Drop for PoolEngine {
    fn drop(&mut self) {
        if self.is_started {
            return;
        }
        let job = self.naming.job;
        // Whoever has ended it already has nothing to end.
        let _ended = self.pool.with_contexts(|contexts, view| contexts.finish_job(job, view));
        self.pool.shared().programs.remove(self.naming.owner);
    }
}

impl Engine for PoolEngine {
    fn workers(&self) -> usize {
        self.pool.options.machine.workers.len()
    }

    fn naming(&self) -> Naming {
        self.naming.clone()
    }

    fn start(mut self: Box<Self>, space: FlowSpace) -> Box<dyn Running> {
        self.is_started = true;
        let Pool { threads, options } = &self.pool;
        prepare(&space.0, options);
        let origin = options.trace.then_some(threads.shared.origin);
        threads.shared.stores.adopt(&space.0);
        let program = threads.shared.programs.add(space.0, origin);
        let (shared, threads) = (threads.shared.clone(), threads.clone());
        Box::new(Heterogeneous { shared, program, _threads: threads, held: None })
    }
}

impl Heterogeneous {
    /// Ends the part of this flow, all of whose tasks are done, in the engine that it shares.
    pub(super) fn leave(&mut self) {
        let (shared, program) = (&self.shared, &self.program);
        let (job, number) = (program.space.naming.job, program.number());
        shared.with_core(|core| {
            core.forget(shared, program);
            // Whoever has ended it already has nothing to end.
            let mut finish =
                |contexts: &mut Contexts, view: &View<'_>| contexts.finish_job(job, view);
            let _ended = core.with_contexts(shared, &mut finish);
        });
        // Others may have had its data moved out of their way.
        while shared.with_core(|core| core.is_moving(Some(number))) {
            std::thread::sleep(POLL);
        }
        shared.with_core(|_| shared.stores.clear(&program.space));
        shared.programs.remove(program.space.naming.owner);
    }
}
