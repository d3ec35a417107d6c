//! What a launcher and Slurm say of this process: how many ranks share its host, and what of the
//! host the job has; from that the cores, the memory and the devices of each.

use tegula_runtime::comm::mpi::Launcher;

use crate::output::count;

/// The place of a rank among those of its host, and their number, by launcher: Open MPI's mpirun,
/// MVAPICH's, Hydra of MPICH and of Intel MPI, Cray's PALS.
const SEATS: [[&str; 2]; 4] = [
    ["OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"],
    ["MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"],
    ["MPI_LOCALRANKID", "MPI_LOCALNRANKS"],
    ["PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"],
];

/// Numbers of hosts, the first that is there counts: of a step or a job of Slurm, of a job of Flux.
const NODES: [&str; 3] = ["SLURM_STEP_NUM_NODES", "SLURM_JOB_NUM_NODES", "FLUX_JOB_NNODES"];

/// What variables say of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allocation {
    /// Ranks on this host, at least this one.
    pub(crate) here: usize,
    /// Which of them this is, from 0.
    pub(crate) place: usize,
    /// The job of Slurm, if there is one.
    pub(crate) job: Option<Job>,
}

/// What Slurm has given a job on this host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Job {
    /// Its number.
    pub(crate) number: String,
    /// Nodes of all of it.
    pub(crate) nodes: Option<usize>,
    /// Cores here.
    pub(crate) cores: Option<usize>,
    /// Cores of a task, if it was said how many.
    pub(crate) cores_per_task: Option<usize>,
    /// Bytes of memory here, if it has not all.
    pub(crate) memory: Option<u64>,
    /// Devices here.
    pub(crate) devices: Option<usize>,
}

/// What of a host processes may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cores {
    /// Cores that this process is bound to.
    pub(crate) bound: usize,
    /// How many of them it may keep busy: fewer, if its control group has a quota.
    pub(crate) usable: usize,
    /// Cores that the process that has launched the ranks of this host is bound to.
    pub(crate) launcher: usize,
}

impl Allocation {
    /// That of a process with the variables that `get` returns by name.
    pub(crate) fn of(get: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| get(name)?.trim().parse::<usize>().ok();
        let named = |[place, here]: [&str; 2]| Some((number(place)?, number(here)?));
        let seat = SEATS.into_iter().find_map(named).or_else(|| slurm_seat(&get));
        let (place, here) = seat.or_else(|| guess(&get)).unwrap_or((0, 1));
        Self { here: here.max(1), place, job: Job::of(&get) }
    }

    /// That of one of `ranks` threads of a process.
    pub(super) fn of_thread(self, place: usize, ranks: usize) -> Self {
        Self { here: ranks, place, ..self }
    }

    /// In a few words, if there is anything to say.
    pub(crate) fn describe(&self) -> Option<String> {
        let job = self.job.as_ref().map(|job| {
            let nodes = job.nodes.map(|nodes| format!(" on {}", count(nodes, "node")));
            format!("job {} of Slurm{}", job.number, nodes.unwrap_or_default())
        });
        let share = (self.here > 1).then(|| {
            let (which, all) = (self.place + 1, self.here);
            format!("this is the {which}{} of {all} ranks on its host", ending(which))
        });
        let said: Vec<String> = [job, share].into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// Cores of this rank, if `reserve` of those of all ranks here are left to others.
    pub(crate) fn cores(&self, found: Cores, reserve: usize) -> usize {
        // A quota is that of all ranks together.
        let quota = if found.usable < found.bound { found.usable } else { usize::MAX };
        let job = self.job.as_ref();
        let all = [Some(found.launcher), Some(quota), job.and_then(|job| job.cores)];
        let all = all.into_iter().flatten().min().unwrap_or(1);
        let share = all.saturating_sub(reserve) / self.here;
        let task = job.and_then(|job| job.cores_per_task).unwrap_or(usize::MAX);
        share.min(found.usable).min(task).max(1)
    }

    /// Bytes of memory of this rank, where a process may use `there`.
    pub(crate) fn memory(&self, there: Option<u64>) -> Option<u64> {
        let job = self.job.as_ref().and_then(|job| job.memory);
        let all = [there, job].into_iter().flatten().min();
        all.map(|bytes| bytes / self.here as u64)
    }

    /// Which of the `visible` devices are for this rank, where the host has `on_host`: all, if
    /// others see others, else every so many.
    pub(crate) fn devices(&self, visible: usize, on_host: Option<usize>) -> Vec<usize> {
        let of_job = self.job.as_ref().and_then(|job| job.devices);
        let sees_its_own = of_job.or(on_host).is_some_and(|all| visible * self.here <= all);
        let is_mine = |number: &usize| sees_its_own || number % self.here == self.place;
        (0..visible).filter(is_mine).collect()
    }
}

/// What follows the digits of an ordinal number.
fn ending(number: usize) -> &'static str {
    match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

impl Job {
    fn of(get: &impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| get(name)?.trim().parse::<usize>().ok();
        let cores = number("SLURM_CPUS_ON_NODE").filter(|&cores| cores > 0);
        // In MiB; 0 asks for all that a node has.
        let per_core = || Some(number("SLURM_MEM_PER_CPU")? * cores?);
        let mebibytes = number("SLURM_MEM_PER_NODE").or_else(per_core).filter(|&size| size > 0);
        Some(Self {
            number: get("SLURM_JOB_ID")?,
            nodes: NODES.into_iter().find_map(number),
            cores,
            cores_per_task: number("SLURM_CPUS_PER_TASK").filter(|&cores| cores > 0),
            memory: mebibytes.map(|size| (size as u64) << 20),
            devices: number("SLURM_GPUS_ON_NODE").filter(|&devices| devices > 0),
        })
    }
}

/// Place and number of the tasks that `srun` has started on this host.
fn slurm_seat(get: &impl Fn(&str) -> Option<String>) -> Option<(usize, usize)> {
    let number = |name: &str| get(name)?.trim().parse::<usize>().ok();
    let node = number("SLURM_NODEID")?;
    let here = tasks_of_node(&get("SLURM_STEP_TASKS_PER_NODE")?, node)?;
    Some((number("SLURM_LOCALID")?, here))
}

/// The entry of the node `node` in a list as `2,1(x3)`: two, and one on each of three more.
fn tasks_of_node(list: &str, node: usize) -> Option<usize> {
    let mut first = 0;
    for entry in list.split(',') {
        let (tasks, times) = entry.trim().split_once("(x").unwrap_or((entry.trim(), "1)"));
        first += times.strip_suffix(')')?.parse::<usize>().ok()?;
        if node < first {
            return tasks.parse().ok();
        }
    }
    None
}

/// Ranks in equal shares over the hosts, where a launcher does not say who is where; all here, if
/// the hosts are not known either.
fn guess(get: &impl Fn(&str) -> Option<String>) -> Option<(usize, usize)> {
    let Launcher { rank, ranks, .. } = Launcher::of(get);
    let number = |name: &str| get(name)?.trim().parse::<usize>().ok();
    let nodes = NODES.into_iter().find_map(number).filter(|&nodes| nodes > 0).unwrap_or(1);
    let here = ranks?.div_ceil(nodes);
    Some((rank? % here.max(1), here))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &str) -> Allocation {
        let find = |name: &str| {
            let mut all = variables.split_whitespace().filter_map(|pair| pair.split_once('='));
            all.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
        };
        Allocation::of(find)
    }

    #[track_caller]
    fn assert_seat(variables: &str, place: usize, here: usize) {
        let found = of(variables);
        assert_eq!((found.place, found.here), (place, here), "{variables}");
    }

    /// What a batch script has in a job of four tasks on three nodes (Slurm 22.05), `--mem=100`.
    const SCRIPT: &str = "SLURM_JOB_ID=7 SLURM_JOB_NUM_NODES=3 SLURM_NTASKS=4 SLURM_NODEID=0 SLURM_LOCALID=0 \
        SLURM_PROCID=0 SLURM_CPUS_ON_NODE=2 SLURM_CPUS_PER_TASK=1 SLURM_TASKS_PER_NODE=2,1(x2) \
        SLURM_MEM_PER_NODE=100";

    #[test]
    fn a_batch_script_has_its_node() {
        let found = of(SCRIPT);
        assert_eq!((found.place, found.here), (0, 1));
        let job = found.job.expect("a job");
        assert_eq!((job.number.as_str(), job.nodes, job.cores), ("7", Some(3), Some(2)));
        assert_eq!((job.cores_per_task, job.memory, job.devices), (Some(1), Some(100 << 20), None));
        assert_eq!(of("SLURM_NTASKS=4"), Allocation { here: 1, place: 0, job: None });
    }

    #[test]
    fn mpirun_says_who_is_here() {
        // Open MPI starts its daemons on other nodes as tasks of a step, whose variables ranks
        // there have.
        let away = "OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=1 OMPI_COMM_WORLD_SIZE=4 \
            OMPI_COMM_WORLD_RANK=2 PMIX_RANK=2 SLURM_NODEID=0 SLURM_LOCALID=0 SLURM_JOB_ID=7 \
            SLURM_STEP_TASKS_PER_NODE=1(x2) SLURM_NTASKS=2 SLURM_CPUS_ON_NODE=1";
        assert_seat(away, 0, 1);
        let here = "OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_SIZE=4 \
            OMPI_COMM_WORLD_RANK=1";
        assert_seat(&format!("{here} {SCRIPT}"), 1, 2);
        // So does Hydra, on all nodes.
        let hydra = "MPI_LOCALNRANKS=2 MPI_LOCALRANKID=1 PMI_RANK=1 PMI_SIZE=4 SLURM_NODEID=0 SLURM_LOCALID=0 \
            SLURM_STEP_TASKS_PER_NODE=1(x3)";
        assert_seat(hydra, 1, 2);
    }

    #[test]
    fn srun_says_how_many_tasks_each_node_has() {
        let task = |node: usize, place: usize| {
            format!(
                "PMIX_RANK=1 SLURM_STEP_NUM_TASKS=4 SLURM_STEP_TASKS_PER_NODE=2,1(x2) \
                 SLURM_NODEID={node} SLURM_LOCALID={place} SLURM_JOB_ID=7"
            )
        };
        assert_seat(&task(0, 1), 1, 2);
        assert_seat(&task(1, 0), 0, 1);
        assert_seat(&task(2, 0), 0, 1);
        let tasks: Vec<_> = (0..7).map(|node| tasks_of_node("3(x2),1,2(x3)", node)).collect();
        assert_eq!(
            tasks,
            [3, 3, 1, 2, 2, 2].map(Some).into_iter().chain([None]).collect::<Vec<_>>()
        );
    }

    #[test]
    fn it_is_told_in_words() {
        let told = |variables: &str, place, here| of(variables).of_thread(place, here).describe();
        let expected = "job 7 of Slurm on 3 nodes, this is the 2nd of 2 ranks on its host";
        assert_eq!(told(SCRIPT, 1, 2).as_deref(), Some(expected));
        assert_eq!(told("", 0, 1), None);
        let endings: Vec<_> = [1, 3, 11, 12, 22, 24].map(ending).into();
        assert_eq!(endings, ["st", "rd", "th", "th", "nd", "th"]);
    }

    #[test]
    fn others_are_guessed() {
        assert_seat("PMI_RANK=5 PMI_SIZE=8 FLUX_JOB_NNODES=2", 1, 4);
        assert_seat("PMI_RANK=5 PMI_SIZE=8", 5, 8);
        assert_seat("", 0, 1);
    }

    /// Cores of a rank of `here` where each process is bound to `bound` cores of `launcher`.
    fn cores(variables: &str, here: usize, bound: usize, launcher: usize) -> usize {
        let allocation = of(variables).of_thread(0, here);
        allocation.cores(Cores { bound, usable: bound, launcher }, 0)
    }

    #[test]
    fn ranks_share_the_cores_of_their_host() {
        assert_eq!(cores("", 1, 8, 8), 8);
        assert_eq!(cores("", 4, 8, 8), 2, "not bound");
        assert_eq!(cores("", 3, 8, 8), 2);
        assert_eq!(cores("", 16, 8, 8), 1);
        assert_eq!(cores("", 2, 4, 8), 4, "each bound to its socket");
        assert_eq!(cores("", 4, 4, 8), 2, "two bound to each socket");
        assert_eq!(cores("", 2, 1, 8), 1, "each bound to a core");
    }

    #[test]
    fn a_job_has_what_slurm_says() {
        let job = "SLURM_JOB_ID=7 SLURM_CPUS_ON_NODE=16";
        assert_eq!(cores(job, 1, 64, 64), 16);
        assert_eq!(cores(job, 4, 64, 64), 4);
        assert_eq!(cores(&format!("{job} SLURM_CPUS_PER_TASK=2"), 4, 64, 64), 2);
        assert_eq!(cores(&format!("{job} SLURM_CPUS_PER_TASK=8"), 1, 4, 64), 4, "bound");
    }

    #[test]
    fn a_quota_and_a_reserve_are_those_of_all() {
        let cores = |here, reserve| {
            let found = Cores { bound: 64, usable: 8, launcher: 64 };
            of("").of_thread(0, here).cores(found, reserve)
        };
        assert_eq!((cores(1, 0), cores(2, 0), cores(2, 4), cores(2, 100)), (8, 4, 2, 1));
    }

    #[test]
    fn ranks_share_memory() {
        let memory = |variables: &str, here| of(variables).of_thread(0, here).memory(Some(8 << 30));
        assert_eq!((memory("", 1), memory("", 4)), (Some(8 << 30), Some(2 << 30)));
        assert_eq!(memory(SCRIPT, 2), Some(50 << 20));
        let all = SCRIPT.replace("SLURM_MEM_PER_NODE=100", "SLURM_MEM_PER_NODE=0");
        assert_eq!(memory(&all, 2), Some(4 << 30));
        let per_core = "SLURM_JOB_ID=7 SLURM_MEM_PER_CPU=100 SLURM_CPUS_ON_NODE=6";
        assert_eq!(memory(per_core, 2), Some(300 << 20));
        assert_eq!(of("").of_thread(0, 2).memory(None), None);
    }

    #[test]
    fn devices_are_dealt_out_unless_each_rank_sees_its_own() {
        let devices = |variables: &str, place, here, visible, on_host| {
            of(variables).of_thread(place, here).devices(visible, on_host)
        };
        assert_eq!(devices("", 0, 1, 2, Some(2)), [0, 1]);
        assert_eq!(devices("", 0, 2, 4, Some(4)), [0, 2]);
        assert_eq!(devices("", 1, 2, 4, Some(4)), [1, 3]);
        assert_eq!(devices("", 2, 3, 2, None), [] as [usize; 0]);
        assert_eq!(devices("", 1, 4, 1, Some(4)), [0], "a wrapper has shown each rank one");
        let job = "SLURM_JOB_ID=7 SLURM_GPUS_ON_NODE=2";
        assert_eq!(devices(job, 1, 2, 2, Some(8)), [1], "the job has two of eight");
        assert_eq!(devices(job, 1, 2, 1, Some(8)), [0], "bound by srun");
    }
}
