//! Ranks that are threads of this process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use anyhow::Result;
use tegula_runtime::comm::{Local, World};
use tegula_runtime::ranks::Rank;

use super::{GRACE, SEAT, WORLD};
use crate::error;

/// Stack of a rank, as that of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// Runs `command` on so many threads; the exit code is that of rank 0.
pub(super) fn run(ranks: usize, command: &(dyn Fn() -> Result<()> + Sync)) -> ExitCode {
    let run = |end: Local| {
        let world = World::new(Box::new(end));
        WORLD.set(Some(world.clone()));
        SEAT.set(Some((usize::from(world.rank().0), ranks)));
        let result = catch_unwind(AssertUnwindSafe(command));
        match result {
            Ok(Ok(())) => ExitCode::SUCCESS,
            // All stop alike, and rank 0 says how to go on.
            Ok(Err(failure)) if error::is_stop(&failure) => match world.rank() {
                Rank(0) => error::report(&failure),
                _ => ExitCode::from(error::exit_code(&failure)),
            },
            Ok(Err(failure)) => {
                // Rank 0 says it better, if it fails likewise.
                if world.rank() != Rank(0) {
                    std::thread::sleep(GRACE);
                }
                let _printed = error::report_of(world.rank(), &failure);
                // Others may wait for what this rank would have sent.
                std::process::exit(i32::from(error::exit_code(&failure)))
            }
            Err(_) => std::process::exit(i32::from(error::FAILED)),
        }
    };
    let run = &run;
    std::thread::scope(|scope| {
        let start = |end| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, move || run(end)).expect("the system starts a thread")
        };
        let threads: Vec<_> = Local::connect(ranks).into_iter().map(start).collect();
        let first = threads.into_iter().next().expect("there is a rank 0");
        first.join().unwrap_or(ExitCode::from(error::FAILED))
    })
}
