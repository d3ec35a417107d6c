//! Tells from variables what launched this process, before any MPI library is opened.

use crate::ranks::PART_BYTES;

/// MPI libraries that share a binary interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Open MPI.
    OpenMpi,
    /// MPICH, and what keeps to its binary interface: Intel MPI, MVAPICH, Cray MPICH.
    Mpich,
}

impl std::fmt::Display for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::OpenMpi => "Open MPI",
            Self::Mpich => "MPICH",
        })
    }
}

/// What launched this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Launcher {
    /// Whose library the launcher most likely expects; nothing if no launcher was seen.
    pub family: Option<Family>,
    /// Which rank this process is, if the launcher says so.
    pub rank: Option<usize>,
    /// How many ranks were launched, if the launcher says so.
    pub ranks: Option<usize>,
}

/// The variables of one launcher.
struct Trace {
    family: Family,
    rank: &'static str,
    /// The first that is there counts.
    ranks: &'static [&'static str],
}

/// Slurm's number of tasks: of the step, or of the job.
const SLURM: &[&str] = &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"];

/// What launchers leave; the first that is there counts. Slurm's own variables tell nothing, as it
/// sets them for batch scripts too.
const TRACES: &[Trace] = &[
    // Open MPI's mpirun.
    Trace {
        family: Family::OpenMpi,
        rank: "OMPI_COMM_WORLD_RANK",
        ranks: &["OMPI_COMM_WORLD_SIZE"],
    },
    // srun --mpi=pmix.
    Trace { family: Family::OpenMpi, rank: "PMIX_RANK", ranks: SLURM },
    // MVAPICH's mpirun_rsh.
    Trace { family: Family::Mpich, rank: "MV2_COMM_WORLD_RANK", ranks: &["MV2_COMM_WORLD_SIZE"] },
    // mpirun of MPICH (Hydra) and of Intel MPI, flux run, srun --mpi=pmi2.
    Trace {
        family: Family::Mpich,
        rank: "PMI_RANK",
        ranks: &["PMI_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
    },
    // Cray's aprun of PALS, srun --mpi=cray_shasta.
    Trace { family: Family::Mpich, rank: "PALS_RANKID", ranks: SLURM },
];

/// How Open MPI is to send over TCP. Receives are always posted before their messages are sent, so
/// that nothing is gained by asking first, which takes a round trip behind all that is under way: a
/// part of a message goes at once. And little is handed to the system before it goes, since nothing
/// overtakes it there. Over links of 200 Mbit/s a Cholesky factorisation took 1.3 times as long
/// without.
const OVER_TCP: &[(&str, &str)] = &[
    // A part, and what MPI writes before it.
    ("OMPI_MCA_btl_tcp_eager_limit", "1052672"),
    ("OMPI_MCA_btl_tcp_rndv_eager_limit", "1052672"),
    ("OMPI_MCA_btl_tcp_max_send_size", "1052672"),
    ("OMPI_MCA_btl_tcp_sndbuf", "131072"),
];
const _: () = assert!(PART_BYTES + 4096 == 1_052_672);

impl Launcher {
    /// Variables that a process should have before MPI starts, unless they are set already.
    #[must_use]
    pub fn advised(&self) -> &'static [(&'static str, &'static str)] {
        if self.family == Some(Family::OpenMpi) { OVER_TCP } else { &[] }
    }

    /// What launched a process with the variables that `get` returns by name.
    pub fn of(get: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| get(name)?.trim().parse::<usize>().ok();
        let launcher = |trace: &Trace| {
            let rank = number(trace.rank)?;
            let ranks = trace.ranks.iter().find_map(|name| number(name));
            Some(Self { family: Some(trace.family), rank: Some(rank), ranks })
        };
        TRACES.iter().find_map(launcher).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Launcher {
        let find = |name: &str| variables.iter().find(|(key, _)| *key == name);
        Launcher::of(|name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    fn found(family: Family, rank: usize, ranks: impl Into<Option<usize>>) -> Launcher {
        Launcher { family: Some(family), rank: Some(rank), ranks: ranks.into() }
    }

    #[test]
    fn launchers_are_told_apart() {
        let open =
            [("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "1")];
        assert_eq!(of(&open), found(Family::OpenMpi, 1, 4));
        let hydra = [("PMI_RANK", "0"), ("PMI_SIZE", "2"), ("PMI_FD", "6"), ("SLURM_NTASKS", "9")];
        assert_eq!(of(&hydra), found(Family::Mpich, 0, 2));
        let rsh = [("MV2_COMM_WORLD_RANK", "3"), ("MV2_COMM_WORLD_SIZE", "8")];
        assert_eq!(of(&rsh), found(Family::Mpich, 3, 8));
    }

    #[test]
    fn only_open_mpi_is_told_how_to_send() {
        let names = |launcher: Launcher| launcher.advised().iter().map(|(name, _)| *name).collect();
        let open: Vec<&str> = names(found(Family::OpenMpi, 0, 2));
        assert!(open.contains(&"OMPI_MCA_btl_tcp_eager_limit"), "{open:?}");
        let others = [found(Family::Mpich, 0, 2), Launcher::default()];
        assert!(others.into_iter().all(|launcher| launcher.advised().is_empty()));
    }

    #[test]
    fn slurm_says_how_many_there_are() {
        let job = ("SLURM_NTASKS", "16");
        let step = ("SLURM_STEP_NUM_TASKS", "4");
        assert_eq!(of(&[("PMIX_RANK", "2"), job]), found(Family::OpenMpi, 2, 16));
        assert_eq!(of(&[("PMIX_RANK", "2"), job, step]), found(Family::OpenMpi, 2, 4));
        assert_eq!(of(&[("PMI_RANK", "2"), ("PMI_FD", "5"), step]), found(Family::Mpich, 2, 4));
        assert_eq!(of(&[("PALS_RANKID", "2"), step]), found(Family::Mpich, 2, 4));
        assert_eq!(of(&[("PMIX_RANK", "2")]), found(Family::OpenMpi, 2, None));
    }

    #[test]
    fn a_batch_script_is_no_rank() {
        assert_eq!(of(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "16")]), Launcher::default());
        assert_eq!(of(&[("PMI_RANK", ""), ("PMI_SIZE", "2")]), Launcher::default());
        assert_eq!(of(&[]), Launcher::default());
    }
}
