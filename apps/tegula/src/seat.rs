//! The place of a command that runs beside others in one process: the workers that it shares with
//! them, its context, and its name before each line that it prints.

use std::cell::RefCell;
use std::ffi::OsString;

use tegula_runtime::exec::{Pool, PoolEngine};
use tegula_runtime::sched::ContextId;

use crate::flags::MachineChoice;
use crate::guest;

/// The place of a command.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub(crate) pool: Pool,
    pub(crate) context: ContextId,
    pub(crate) machine: MachineChoice,
    /// Its name.
    pub(crate) name: String,
    /// What would stand after the name of the program, were it run alone.
    pub(crate) words: Vec<String>,
}

thread_local! {
    static SEAT: RefCell<Option<Seat>> = const { RefCell::new(None) };
}

/// Runs `command` on `seat`, on this thread.
pub(crate) fn take<T>(seat: Seat, command: impl FnOnce() -> T) -> T {
    SEAT.with_borrow_mut(|place| *place = Some(seat));
    let result = command();
    SEAT.with_borrow_mut(|place| *place = None);
    result
}

/// The engine of a flow of this thread, if it shares workers.
pub(crate) fn engine() -> Option<PoolEngine> {
    let seat = SEAT.with_borrow(Clone::clone)?;
    Some(seat.pool.engine(&seat.name, seat.context).expect("the context of a command is there"))
}

/// The machine that this thread shares, if it does.
pub(crate) fn machine() -> Option<MachineChoice> {
    SEAT.with_borrow(|seat| seat.as_ref().map(|seat| seat.machine.clone()))
}

/// What stands after the name of the program, of the command of this thread.
pub(crate) fn arguments() -> Vec<OsString> {
    let words = SEAT.with_borrow(|seat| seat.as_ref().map(|seat| seat.words.clone()));
    match words.or_else(guest::words) {
        Some(words) => words.into_iter().map(OsString::from).collect(),
        None => std::env::args_os().skip(1).collect(),
    }
}

/// `text` with the name of the command that prints it before each line, if others run beside it.
pub(crate) fn labelled(text: String) -> String {
    SEAT.with_borrow(|seat| match seat {
        None => text,
        Some(Seat { name, .. }) => {
            let lines = text.lines().map(|line| format!("{name:<10} | {line}"));
            lines.collect::<Vec<_>>().join("\n")
        }
    })
}
