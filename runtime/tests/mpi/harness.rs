//! Starts tests again as the ranks of an MPI program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use tegula_runtime::comm::mpi::{Family, Launcher, Library};
use tegula_runtime::comm::{Mpi, Transport};

use crate::traffic::Peer;

/// Variables that make a process a rank of this test: which, and where it says that it got through.
const TEST: &str = "TEGULA_MPI_TEST";
const FOLDER: &str = "TEGULA_MPI_FOLDER";

/// Seconds after which launchers end a test that hangs.
const SECONDS: &str = "900";

/// One test at a time has ranks: they all poll.
static TURN: Mutex<()> = Mutex::new(());

/// How to start ranks of one family: programs, and what the right one says of its version.
const LAUNCHERS: &[(Family, &[&str], &str)] = &[
    (Family::OpenMpi, &["mpirun.openmpi", "mpirun"], "Open MPI"),
    (Family::Mpich, &["mpirun.mpich", "mpirun"], "HYDRA"),
];

pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn skip(test: &str, why: &str) {
    eprintln!("SKIPPED {test}: {why}");
}

/// A test of several ranks.
pub(crate) struct Ranks {
    test: &'static str,
    ranks: usize,
    piece: Option<usize>,
}

impl Ranks {
    /// Ranks for the test of this name.
    pub(crate) fn new(test: &'static str, ranks: usize) -> Self {
        Self { test, ranks, piece: None }
    }

    pub(crate) fn with_pieces(self, bytes: usize) -> Self {
        Self { piece: Some(bytes), ..self }
    }

    /// Runs `body` on each rank, between start and end of MPI, under all launchers.
    pub(crate) fn run(&self, body: impl Fn(&mut Peer)) {
        if let Some(folder) = self.folder_of_rank() {
            let mut peer = Peer::new(self.start());
            body(&mut peer);
            let rank = peer.mpi.rank().0;
            peer.mpi.finish().unwrap();
            return got_through(&folder, rank.into());
        }
        self.under_all(|family, folder| {
            let output = self.launch(family, folder)?;
            assert!(output.0, "{} under {family}:\n{}", self.test, output.1);
            let count = std::fs::read_dir(folder).unwrap().count();
            assert_eq!(count, self.ranks, "ranks that got through under {family}:\n{}", output.1);
            Some(())
        });
    }

    /// Runs `body`, which ends on rank 0 only; then all ranks are aborted.
    pub(crate) fn run_to_abort(&self, body: impl Fn(&mut Peer)) {
        if let Some(folder) = self.folder_of_rank() {
            let mut peer = Peer::new(self.start());
            body(&mut peer);
            got_through(&folder, peer.mpi.rank().0.into());
            peer.mpi.abort(3);
        }
        self.under_all(|family, folder| {
            let output = self.launch(family, folder)?;
            assert!(!output.0, "{} under {family} ends well:\n{}", self.test, output.1);
            let is_through = folder.join("0").exists();
            assert!(is_through, "{} under {family}:\n{}", self.test, output.1);
            Some(())
        });
    }

    /// Runs `body` without starting MPI.
    pub(crate) fn run_without(&self, body: impl Fn(Family)) {
        if let Some(folder) = self.folder_of_rank() {
            let launcher = Launcher::of(environment);
            body(launcher.family.expect("a launcher"));
            return got_through(&folder, launcher.rank.expect("a rank"));
        }
        self.under_all(|family, folder| {
            let output = self.launch(family, folder)?;
            let count = std::fs::read_dir(folder).unwrap().count();
            assert_eq!(count, self.ranks, "ranks that got through under {family}:\n{}", output.1);
            Some(())
        });
    }

    fn start(&self) -> Mpi {
        let launcher = Launcher::of(environment);
        let library = Library::find(launcher.family, None).unwrap();
        assert_eq!(Some(library.family()), launcher.family, "{}", library.file());
        let mpi = Mpi::start(&library, &launcher).unwrap();
        match self.piece {
            Some(bytes) => mpi.with_pieces(bytes),
            None => mpi,
        }
    }

    /// Where to say that this rank got through, if this process is one.
    fn folder_of_rank(&self) -> Option<PathBuf> {
        let is_rank = environment(TEST).is_some_and(|test| test == self.test);
        is_rank.then(|| environment(FOLDER).expect("a folder").into())
    }

    fn under_all(&self, check: impl Fn(Family, &Path) -> Option<()>) {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        for &(family, programs, _) in LAUNCHERS {
            let folder = tempfile::tempdir().unwrap();
            if check(family, folder.path()).is_none() {
                let why = format!("no {} of {family} here; scripts/setup installs it", programs[0]);
                skip(self.test, &why);
            }
        }
    }

    /// Whether the ranks ended well, and what they said; nothing if there is no launcher.
    #[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn launch(&self, family: Family, folder: &Path) -> Option<(bool, String)> {
        let mut command = Command::new(launcher(family)?);
        if family == Family::OpenMpi {
            command.arg("--oversubscribe");
        }
        command.args(["-n", &self.ranks.to_string()]).arg(std::env::current_exe().unwrap());
        command.args(["--exact", self.test, "--nocapture", "--test-threads", "1"]);
        command.env(TEST, self.test).env(FOLDER, folder);
        command.env("MPIEXEC_TIMEOUT", SECONDS);
        // Open MPI's launcher refuses to be run by root, as tests in containers are, unless told
        // twice.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        if let Some(why) = said.lines().find_map(|line| line.split_once("SKIPPED ")) {
            eprintln!("SKIPPED {}", why.1);
        }
        Some((output.status.success(), said))
    }
}

/// The first launcher of a family that is installed.
fn launcher(family: Family) -> Option<&'static str> {
    let (_, programs, mark) = LAUNCHERS.iter().find(|(listed, ..)| *listed == family)?;
    let is_right = |program: &&&str| {
        let output = Command::new(program).arg("--version").output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(mark))
    };
    programs.iter().find(is_right).copied()
}

fn got_through(folder: &Path, rank: usize) {
    std::fs::write(folder.join(rank.to_string()), "").unwrap();
}
