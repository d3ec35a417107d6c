//! Jobs, the files that they read, and a log of them.

/// Where a job stands in a log of which a part is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Runs already when the clock begins, on the node and since the time that the log says.
    Running,
    /// Submitted before the clock begins, and waiting.
    Waiting,
    /// Submitted before what is evaluated: fills the cluster.
    Before,
    /// Evaluated.
    Evaluated,
    /// Submitted after what is evaluated: keeps the cluster busy.
    After,
}

impl Kind {
    /// All of them, in order of time.
    pub const ALL: [Self; 5] =
        [Self::Running, Self::Waiting, Self::Before, Self::Evaluated, Self::After];

    /// The number that stands for it in a log, from -2 to 2.
    #[must_use]
    pub fn number(self) -> i64 {
        self as i64 - 2
    }

    /// The kind of a number, from -2 to 2.
    #[must_use]
    pub fn of_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

/// A job: so many cores of one node, or of each of several, for at most its walltime.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its name in the log.
    pub id: u64,
    /// When it is submitted, in seconds.
    pub submit: i64,
    /// Seconds after its start at which it is killed; at least 1.
    pub walltime: i64,
    /// Seconds that it computes, once its file is there; at least 1. No scheduler knows it.
    pub duration: i64,
    /// Cores of its node, or of each of them; at least 1.
    pub cores: u32,
    /// Nodes; at least 1.
    pub nodes: u32,
    /// Whose it is: an index into [`Workload::users`].
    pub user: u32,
    /// The file that it reads, if any: an index into [`Workload::files`].
    pub file: Option<u32>,
    /// Gigabytes of that file.
    pub file_gb: f64,
    /// Gigabytes that it writes to the file system when it has computed.
    pub output_gb: f64,
    /// Its part of the log.
    pub kind: Kind,
    /// The node on which it ran and when it started there, of a job that runs already.
    pub ran: Option<(u32, i64)>,
}

impl Job {
    /// Cores of all its nodes.
    #[must_use]
    pub fn all_cores(&self) -> u64 {
        u64::from(self.cores) * u64::from(self.nodes)
    }
}

/// A log of jobs in the order in which they are submitted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// The jobs.
    pub jobs: Vec<Job>,
    /// Names of the users.
    pub users: Vec<String>,
    /// Names of the files.
    pub files: Vec<String>,
    /// When the clock begins, if that is not when the first job that is not of the past is
    /// submitted.
    pub begin: Option<i64>,
}

impl Workload {
    /// When the clock begins: when the first job is submitted that the tested scheduler gets new.
    #[must_use]
    pub fn begin(&self) -> i64 {
        let is_new = |job: &&Job| job.kind >= Kind::Before;
        let submitted = || self.jobs.iter().find(is_new).or(self.jobs.first());
        self.begin.or_else(|| submitted().map(|job| job.submit)).unwrap_or(0)
    }

    /// Jobs that are evaluated.
    pub fn evaluated(&self) -> impl Iterator<Item = (usize, &Job)> {
        self.jobs.iter().enumerate().filter(|(_, job)| job.kind == Kind::Evaluated)
    }
}
