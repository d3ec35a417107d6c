//! Records of scheduling contexts: which there were, which jobs ran in them, and which workers
//! changed from one to another.

/// The contexts of a run, and what happened to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextRecords {
    /// Names of the contexts, by number; 0 is that of all workers. Empty: there were none.
    pub names: Vec<String>,
    /// The jobs, by number.
    pub jobs: Vec<JobRecord>,
    /// Changes of workers, in order of time.
    pub resizes: Vec<ResizeRecord>,
}

/// A job of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobRecord {
    /// Its name.
    pub name: String,
    /// Number of its context.
    pub context: usize,
}

/// Workers that changed their contexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResizeRecord {
    /// When, in nanoseconds since the engine was made.
    pub time: u64,
    /// What made it necessary.
    pub trigger: &'static str,
    /// Who chose the workers.
    pub policy: &'static str,
    /// How long the choice took, in nanoseconds of real time.
    pub decision: u64,
    /// Which.
    pub moved: Vec<WorkerMove>,
}

/// A worker that changed its contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerMove {
    /// Number of the worker.
    pub worker: usize,
    /// Number of the context that it left; 0: none.
    pub left: usize,
    /// Number of the context that it joined; 0: none.
    pub joined: usize,
}

impl ContextRecords {
    /// Number of the context that `job` ran in.
    #[must_use]
    pub fn of_job(&self, job: u16) -> usize {
        self.jobs.get(usize::from(job)).map_or(0, |job| job.context)
    }

    /// Name of context `number`.
    #[must_use]
    pub fn name(&self, number: usize) -> &str {
        self.names.get(number).map_or("all", String::as_str)
    }

    /// Whether there was more than the context of all workers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.len() < 2
    }

    /// How many of `workers` workers each context has from a time on, at every change; the first
    /// entry is that of time 0. The context of all workers counts those that are in no other.
    #[must_use]
    pub fn worker_counts(&self, workers: usize) -> Vec<(u64, Vec<usize>)> {
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); workers];
        let count = |of: &[Vec<usize>]| {
            let mut counts = vec![0; self.names.len().max(1)];
            for contexts in of {
                counts[0] += usize::from(contexts.is_empty());
                contexts.iter().for_each(|&context| counts[context] += 1);
            }
            counts
        };
        let mut all = vec![(0, count(&of))];
        for resize in &self.resizes {
            for moved in resize.moved.iter().filter(|moved| moved.worker < workers) {
                let own = &mut of[moved.worker];
                own.retain(|&context| context != moved.left);
                if moved.joined != 0 && !own.contains(&moved.joined) {
                    own.push(moved.joined);
                }
            }
            if all.last().is_some_and(|&(time, _)| time == resize.time) {
                all.pop();
            }
            all.push((resize.time, count(&of)));
        }
        all
    }
}
