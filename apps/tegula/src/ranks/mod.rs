//! Ranks of one command: threads of this process, or processes that `mpirun` or `srun` has started;
//! each runs the whole command, and rank 0 alone prints and writes.

mod allocation;
mod local;
#[cfg_attr(not(unix), path = "no_processes.rs")]
mod processes;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ArgMatches;
use tegula_runtime::comm::World;
use tegula_runtime::comm::mpi::Launcher;
use tegula_runtime::ranks::Rank;

use crate::error;
use crate::machine;

pub(crate) use allocation::{Allocation, Cores};
pub(crate) use processes::announce as describe_mpi;

/// Time that rank 0 has to say what another rank would say.
const GRACE: Duration = Duration::from_millis(500);

/// Time that rank 0 has to start, on a busy machine, and to say what is wrong with the command
/// line.
const START: Duration = Duration::from_secs(3);

/// Most ranks that are threads.
const MOST_LOCAL: usize = 64;

/// Which ranks run a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ranks {
    /// So many threads of this process.
    Local(usize),
    /// The processes of an MPI program, with the file of the library if it was named.
    Mpi(Option<PathBuf>),
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(ranks) => write!(f, "local:{ranks}"),
            Self::Mpi(None) => f.write_str("mpi"),
            Self::Mpi(Some(file)) => write!(f, "mpi:{}", file.display()),
        }
    }
}

impl FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) =
            text.split_once(':').map_or((text, None), |(kind, rest)| (kind, Some(rest)));
        match (kind, rest) {
            ("mpi", None) => Ok(Self::Mpi(None)),
            ("mpi", Some(file)) if !file.is_empty() => Ok(Self::Mpi(Some(file.into()))),
            ("local", Some(count)) => match count.parse() {
                Ok(ranks) if (1..=MOST_LOCAL).contains(&ranks) => Ok(Self::Local(ranks)),
                _ => Err(format!("N of local:N is 1 to {MOST_LOCAL}")),
            },
            _ => Err("local:N, mpi or mpi:LIBRARY is expected".to_owned()),
        }
    }
}

thread_local! {
    /// The ranks of the command that this thread runs, if there are several.
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
    /// Which of how many threads this is, if they are the ranks.
    static SEAT: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// The ranks of the command that this thread runs, if there are several.
pub(crate) fn world() -> Option<World> {
    WORLD.with_borrow(Clone::clone)
}

/// Number of ranks of the command that this thread runs.
pub(crate) fn ranks() -> usize {
    world().map_or(1, |world| world.ranks())
}

/// What a launcher and Slurm say of this rank.
pub(crate) fn allocation() -> Allocation {
    let found = Allocation::of(|name| std::env::var(name).ok());
    match SEAT.get() {
        Some((place, ranks)) => found.of_thread(place, ranks),
        None => found,
    }
}

/// Cores of this rank, if `reserve` of those of all ranks on its host are left to others.
pub(crate) fn cores(reserve: usize) -> usize {
    allocation().cores(machine::cores(), reserve)
}

/// The number of rank 0 in place of `mine`, for what all have to settle alike though their hosts
/// differ; all ask, before the first flow.
///
/// # Errors
/// If rank 0 cannot be heard.
pub(crate) fn agree(mine: u64) -> Result<u64> {
    let Some(world) = world() else { return Ok(mine) };
    let bytes = world.broadcast(mine.to_le_bytes().to_vec())?;
    let bytes = bytes.try_into().ok().context("rank 0 runs another version of tegula")?;
    Ok(u64::from_le_bytes(bytes))
}

/// The number that each rank brings, by rank; all ask, before the first flow.
///
/// # Errors
/// If a rank cannot be heard.
pub(crate) fn each(mine: u64) -> Result<Vec<u64>> {
    let all = gather(mine.to_le_bytes().to_vec())?.unwrap_or_default().concat();
    Ok(words(&broadcast(all)?))
}

/// The words that rank 0 brings, on all ranks; all ask, while no flow runs.
///
/// # Errors
/// If rank 0 cannot be heard.
pub(crate) fn broadcast_words(mine: &[u64]) -> Result<Vec<u64>> {
    let bytes = mine.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(words(&broadcast(bytes)?))
}

/// What was sent as words.
fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes each"));
    bytes.chunks_exact(size_of::<u64>()).map(word).collect()
}

/// What each rank brings, by rank, on rank 0, and nothing on the others; all ask, while no flow
/// runs.
///
/// # Errors
/// If a rank cannot be heard.
pub(crate) fn gather(mine: Vec<u8>) -> Result<Option<Vec<Vec<u8>>>> {
    let Some(world) = world() else { return Ok(Some(vec![mine])) };
    let mut all = Vec::new();
    world.gather(&mine, |_, theirs| all.push(theirs))?;
    all.insert(0, mine);
    Ok((world.rank() == Rank(0)).then_some(all))
}

/// What rank 0 brings, on all ranks; all ask, while no flow runs.
///
/// # Errors
/// If rank 0 cannot be heard.
pub(crate) fn broadcast(mine: Vec<u8>) -> Result<Vec<u8>> {
    /// Bytes that go in one frame.
    const PIECE: usize = 2048;
    let Some(world) = world() else { return Ok(mine) };
    let length = agree(mine.len() as u64)? as usize;
    let mut all = Vec::with_capacity(length.min(1 << 26));
    while all.len() < length {
        let piece = mine.get(all.len()..).map(|rest| &rest[..rest.len().min(PIECE)]);
        all.extend(world.broadcast(piece.unwrap_or_default().to_vec())?);
    }
    Ok(all)
}

/// Whether this rank prints and writes.
pub(crate) fn is_root() -> bool {
    world().is_none_or(|world| world.rank() == Rank(0))
}

/// Who has started this process.
pub(crate) fn launcher() -> Launcher {
    Launcher::of(|name| std::env::var(name).ok())
}

/// Has the first of the processes that were started together say what all of them find in the
/// command line. The others give it time if the exit code `code` is of a failure: launchers end all
/// when one fails.
pub(crate) fn say_once(code: u8, say: impl FnOnce()) -> ExitCode {
    if is_speaker() {
        say();
    } else if code != 0 {
        std::thread::sleep(START);
    }
    ExitCode::from(code)
}

/// Whether this process is to say what all that were started together would: it is the first of
/// them.
pub(crate) fn is_speaker() -> bool {
    launcher().rank.is_none_or(|rank| rank == 0)
}

/// The value of `--ranks` in the matches of the innermost subcommand, if it has that flag: unless
/// told otherwise, the processes that a launcher has started.
fn asked_for(matches: &ArgMatches) -> Option<Ranks> {
    let mut innermost = matches;
    while let Some((_, inside)) = innermost.subcommand() {
        innermost = inside;
    }
    let given = innermost.try_get_one::<Ranks>("ranks").ok()?;
    let launched = || {
        let Launcher { family, ranks, .. } = launcher();
        family.filter(|_| ranks.is_some_and(|ranks| ranks > 1)).map(|_| Ranks::Mpi(None))
    };
    given.cloned().or_else(launched)
}

/// Runs `command` on the ranks that `matches` ask for; the exit code is that of this rank, or, of
/// threads, that of rank 0.
pub(crate) fn run(matches: &ArgMatches, command: &(dyn Fn() -> Result<()> + Sync)) -> ExitCode {
    match asked_for(matches) {
        None | Some(Ranks::Local(1)) => match command() {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => error::report(&failure),
        },
        Some(Ranks::Local(ranks)) => local::run(ranks, command),
        Some(Ranks::Mpi(library)) => processes::run(library.as_deref(), command)
            .unwrap_or_else(|failure| error::report(&failure)),
    }
}
