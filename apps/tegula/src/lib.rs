//! The `tegula` command as a library: reads flags, calls the libraries, prints what comes back.
//!
//! The program is [`main`]. Another program runs commands in its own process by [`guest`].
//!
//! Exit codes: 0 done, 1 the computation failed, 2 bad usage or bad input, 75 stopped with a
//! checkpoint, 128 + N ended by signal N.

mod adapt;
mod batch;
mod bench;
mod checkpoint;
mod cli;
mod cluster;
mod compose;
mod config;
mod diodon;
mod error;
mod exageostat;
mod files;
mod flags;
pub mod guest;
mod info;
mod linalg;
mod machine;
mod manual;
mod output;
mod plan;
mod platform;
mod ranks;
mod seat;
mod simulate;
mod trace;
mod usage;
mod work;

use std::ffi::OsString;
use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::FromArgMatches;
use os_str_bytes::OsStrBytesExt;
use tegula_kernels::backend::environment;

/// The program: reads the command line and runs the command.
#[must_use]
pub fn main() -> ExitCode {
    // Before anything starts a thread: see `environment::prepare`.
    let is_prepared = environment::prepare(ranks::launcher().advised());
    error::announce_panics();
    catch_unwind(|| run(is_prepared)).unwrap_or(ExitCode::from(error::FAILED))
}

/// Reads the command line, runs the command and turns what went wrong into an exit code.
fn run(is_prepared: bool) -> ExitCode {
    let mut command = cli::command();
    let given: Vec<OsString> = std::env::args_os().collect();
    if let Some(page) = manual::topics::asked(&given) {
        let answer = page.and_then(|text| manual::topics::print(&text));
        let answered =
            |failure| ranks::say_once(error::exit_code(&failure), || _ = error::report(&failure));
        return answer.map_or_else(answered, |()| ExitCode::SUCCESS);
    }
    error::expect_json(asks_for_json(&given));
    let arguments = match config::arguments(&command, given) {
        Ok(arguments) => arguments,
        Err(failure) => {
            let code = error::exit_code(&failure);
            return ranks::say_once(code, || _ = error::report(&failure));
        }
    };
    error::expect_json(asks_for_json(&arguments.all));
    let parsed = command
        .try_get_matches_from_mut(&arguments.all)
        .and_then(|matches| Ok((cli::Cli::from_arg_matches(&matches)?, matches)))
        .map_err(usage::reworded);
    match parsed {
        Ok((cli, matches)) => {
            if files::fills_standard_output(&matches) {
                error::expect_json(false);
            }
            ranks::run(&matches, &|| {
                files::check_apart(&command, &matches)?;
                cli.run(is_prepared)
            })
        }
        Err(usage) => {
            let code = u8::try_from(usage.exit_code()).unwrap_or(error::REFUSED);
            ranks::say_once(code, || {
                // Nobody is left to be told if this cannot be printed.
                let _ = usage.print();
                if code != 0 {
                    let text = usage.render().to_string();
                    error::print_json(text.trim_start_matches("error: ").trim_end(), code);
                }
                if let Some(origin) = arguments.origin(&usage) {
                    output::Console::new(true, false, false).note(origin);
                }
            })
        }
    }
}

/// Whether one of `arguments` is `--json`.
fn asks_for_json(arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| argument == "--json" || argument.starts_with("--json="))
}
