//! Ranks that are processes, started by `mpirun` or `srun`: MPI between them, and a watch beside it that
//! ends all when one is gone.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use anyhow::{Context, Result};
use tegula_runtime::comm::mpi::Library;
use tegula_runtime::comm::watch::{End, Invitation, Meeting, Watch, WatchOptions};
use tegula_runtime::comm::{Mpi, World};
use tegula_runtime::ranks::Rank;

use super::{GRACE, WORLD, launcher};
use crate::error;

/// Time that the ranks have to come together.
const ASSEMBLY: Duration = Duration::from_secs(120);

/// Runs `command` as one of the processes; `library` is the file of the MPI library, if it was named.
///
/// # Errors
/// If the ranks do not come together.
pub(super) fn run(
    library: Option<&Path>,
    command: &(dyn Fn() -> Result<()> + Sync),
) -> Result<ExitCode> {
    let launcher = launcher();
    let library = Library::find(launcher.family, library)?;
    let alarm = Alarm::set();
    let mpi = Mpi::start(&library, &launcher)?;
    let host = mpi.processor()?;
    let world = World::new(Box::new(mpi));
    if world.ranks() == 1 {
        alarm.clear();
        let result = command();
        if result.as_ref().err().is_none_or(error::is_stop) {
            world.finish()?;
        }
        return result.map(|()| ExitCode::SUCCESS);
    }
    let watch = watch(&world, &host).context("the ranks cannot watch over each other")?;
    alarm.clear();
    WORLD.set(Some(world.clone()));
    let result = catch_unwind(AssertUnwindSafe(command));
    WORLD.set(None);
    match result {
        Ok(Ok(())) => {
            watch.farewell()?;
            world.finish()?;
            Ok(ExitCode::SUCCESS)
        }
        Ok(Err(failure)) if error::is_stop(&failure) => {
            // All ranks stop in the same pause.
            if world.rank() == Rank(0) {
                let _printed = error::report(&failure);
            }
            watch.farewell()?;
            world.finish()?;
            Ok(ExitCode::from(error::exit_code(&failure)))
        }
        Ok(Err(failure)) => {
            let code = error::exit_code(&failure);
            if world.rank() == Rank(0) {
                let _printed = error::report_of(world.rank(), &failure);
            } else {
                // Rank 0 says it better, if it fails likewise: it then ends this one.
                std::thread::sleep(GRACE);
            }
            watch.abort(&error::message(&failure), code);
            leave(code)
        }
        Err(panic) => {
            watch.abort("it panicked", error::FAILED);
            resume_unwind(panic)
        }
    }
}

/// Ends this process if the ranks take too long to come together: MPI waits for good for one that dies while it
/// starts, and no watch has begun yet.
struct Alarm(Sender<()>);

impl Alarm {
    fn set() -> Self {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            if receiver.recv_timeout(ASSEMBLY) == Err(RecvTimeoutError::Timeout) {
                let _ = writeln!(
                    std::io::stderr(),
                    "error: the ranks have not come together within {} s: one may have died while MPI started \
                     (see what it printed), or the hosts cannot reach each other",
                    ASSEMBLY.as_secs()
                );
                leave(error::FAILED);
            }
        });
        Self(sender)
    }

    fn clear(self) {
        drop(self.0);
    }
}

/// Has the ranks watch over each other.
fn watch(world: &World, host: &str) -> Result<Watch> {
    let is_first = world.rank() == Rank(0);
    let listener = if is_first { Some(Watch::listen(host)?) } else { None };
    let invitation = listener.as_ref().map_or_else(Vec::new, |mine| mine.invitation().to_bytes());
    let invitation = world.follow(invitation)?;
    let meeting = match listener {
        Some(listener) => Meeting::Host(listener),
        None => Meeting::Guest(
            Invitation::from_bytes(&invitation).context("rank 0 runs another version of tegula")?,
        ),
    };
    let options = WatchOptions::new(world.rank(), world.ranks(), host);
    let rank = world.rank();
    Ok(Watch::start(options, meeting, Box::new(move |end| leave_for(rank, &end)))?)
}

/// Ends this process since another rank is gone or has given up.
fn leave_for(me: Rank, end: &End) {
    // What rank 0 gives up for, it has printed itself.
    let is_said = matches!(end, End::Aborted { .. }) && end.who().rank == Rank(0);
    if !is_said {
        let _ = writeln!(std::io::stderr(), "error: rank {me} ends: {end}");
    }
    // As the rank that has met it: launchers keep the code of the first process that ends.
    leave(match end {
        End::Aborted { code, .. } => *code,
        End::Lost { .. } => error::FAILED,
    })
}

/// Ends this process at once: MPI may wait inside itself for one that is gone.
fn leave(code: u8) -> ! {
    let _ = std::io::stdout().flush();
    tegula_runtime::comm::leave(code)
}

/// What the MPI library that would be opened says of itself.
pub(crate) fn announce() -> String {
    match Library::find(launcher().family, None) {
        Ok(library) => format!("{} ({})", library.version(), library.file()),
        Err(error) => format!("none: {error}"),
    }
}
