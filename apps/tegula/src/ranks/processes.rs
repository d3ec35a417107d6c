//! Ranks that are processes, started by `mpirun` or `srun`: MPI between them, and a watch beside it
//! that ends all when one is gone.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use anyhow::{Context, Result};
use tegula_runtime::comm::mpi::Library;
use tegula_runtime::comm::{Mpi, World};
use tegula_runtime::ranks::Rank;
use tegula_runtime::watch::{End, How, Invitation, Rendezvous, Watch, WatchOptions};

use super::{GRACE, WORLD, launcher};
use crate::error;

/// Time that the ranks have to come together.
const ASSEMBLY: Duration = Duration::from_secs(120);

/// Time in which what is printed last is read, or is lost.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Runs `command` as one of the processes; `library` is the file of the MPI library, if it was
/// named.
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
            part(world, watch)?;
            Ok(ExitCode::SUCCESS)
        }
        Ok(Err(failure)) if error::is_stop(&failure) => {
            // All ranks stop in the same pause.
            if world.rank() == Rank(0) {
                let _printed = error::report(&failure);
            }
            part(world, watch)?;
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

/// Ends MPI, then the watch: MPI waits for good for a rank that dies meanwhile.
fn part(world: World, watch: Watch) -> Result<()> {
    world.finish()?;
    Ok(watch.farewell()?)
}

/// Ends this process if the ranks take too long to come together: MPI waits for good for one that
/// dies while it starts, and no watch has begun yet.
struct Alarm(Sender<()>);

impl Alarm {
    fn set() -> Self {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            if receiver.recv_timeout(ASSEMBLY) == Err(RecvTimeoutError::Timeout) {
                say(format!(
                    "error: the ranks have not come together within {} s: one may have died while MPI started \
                     (see what it printed), or the hosts cannot reach each other\n",
                    ASSEMBLY.as_secs()
                ));
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
    let invitation = world.broadcast(invitation)?;
    let rendezvous = match listener {
        Some(listener) => Rendezvous::Host(listener),
        None => Rendezvous::Guest(
            Invitation::from_bytes(&invitation).context("rank 0 runs another version of tegula")?,
        ),
    };
    let options = WatchOptions::new(world.rank(), world.ranks(), host);
    let rank = world.rank();
    let announce = move |end: &End| announce_end(rank, end);
    let leave = move |end| leave_for(rank, &end);
    // The invitation leaves while this rank waits for those that it is for.
    Ok(world.progress_while(|| Watch::start_with_news(options, rendezvous, announce, leave))?)
}

/// Says why all end, on the rank that says it for all: rank 0, or where that is the one that is
/// gone, rank 1.
fn announce_end(me: Rank, end: &End) {
    if me == Rank(0) || me == Rank(1) {
        say(format!("error: {end}\n"));
    }
}

/// Ends this process since another rank is gone or has given up.
fn leave_for(me: Rank, end: &End) {
    if let End::Lost { who, how: How::Silent { .. } } = end
        && who.rank == Rank(0)
        && me > Rank(1)
    {
        // Rank 1 may be on the same host. Where it is not, launchers end all when it ends.
        std::thread::sleep(GRACE);
        say(format!("error: {end}\n"));
    }
    // As the rank that has met it: launchers keep the code of the first process that ends.
    let code = match end {
        End::Aborted { code, .. } => *code,
        End::Lost { .. } => error::FAILED,
    };
    if me == Rank(0) {
        let text = end.to_string();
        in_time(move || error::print_json(&text, code));
    }
    leave(code)
}

/// Ends this process at once: MPI may wait inside itself for one that is gone.
fn leave(code: u8) -> ! {
    in_time(|| drop(std::io::stdout().flush()));
    tegula_runtime::comm::leave(code)
}

/// Writes `line` to standard error, as one piece.
fn say(line: String) {
    in_time(move || drop(std::io::stderr().write_all(line.as_bytes())));
}

/// Does what waits where nobody reads what this process prints, and gives it up then.
fn in_time(write: impl FnOnce() + Send + 'static) {
    let (done, is_done) = mpsc::channel();
    let started = std::thread::Builder::new().spawn(move || {
        write();
        // Nobody waits any more if this took too long.
        let _ = done.send(());
    });
    if started.is_ok() {
        let _ = is_done.recv_timeout(LAST_WORDS);
    }
}

/// What the MPI library that would be opened says of itself.
pub(crate) fn announce() -> String {
    match Library::find(launcher().family, None) {
        Ok(library) => format!("{} ({})", library.version(), library.file()),
        Err(error) => format!("none: {error}"),
    }
}
