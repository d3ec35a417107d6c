//! The command line: every subcommand, from which help, completions and manual pages derive.

use anyhow::Result;
use clap::{Arg, ArgAction, Command, CommandFactory, Parser, Subcommand};

use crate::adapt::Adapt;
use crate::batch::Batch;
use crate::bench::Bench;
use crate::compose::Compose;
use crate::diodon::Diodon;
use crate::exageostat::Exageostat;
use crate::info::Info;
use crate::linalg::Linalg;
use crate::manual::{Completions, Man};
use crate::plan::Plan;
use crate::platform::PlatformCommand;
use crate::simulate::Simulate;
use crate::trace::TraceCommand;

/// Tiled linear algebra and geostatistics on one task runtime
#[derive(Parser, Debug)]
#[command(name = "tegula", version, infer_long_args = false)]
#[command(after_help = "\
Examples:
  tegula exageostat fit data.csv --covariance matern --estimate-nugget -o model.json
  tegula exageostat predict model.json --at places.csv -o predictions.csv
  tegula linalg potrf -n 8000 --check
  tegula help topics                      pages to read: a first fit, methods, formulas, clusters ...

Exit codes: 0 done, 1 the computation failed, 2 bad usage or bad input,
75 stopped with a checkpoint, 128 + N ended by signal N (130: Ctrl-C).")]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Tegula,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
enum Tegula {
    /// Gaussian random fields: likelihood, fitting, prediction, draws
    #[command(subcommand)]
    Exageostat(Exageostat),
    /// Place items on axes by huge matrices of distances, or tables (MDS, PCA, CoA)
    #[command(subcommand)]
    Diodon(Diodon),
    /// Time and check a tiled algorithm, on random matrices or on those of files
    Linalg(Linalg),
    /// Run a program in virtual time on a machine that is only described
    Simulate(Simulate),
    /// Run several programs side by side, in contexts between which workers move
    Compose(Compose),
    /// Distribute tiles over the nodes of a cluster that is only described, and judge it
    Plan(Plan),
    /// How many nodes each phase of a program should use, studied on simulated durations
    #[command(subcommand)]
    Adapt(Adapt),
    /// Batch jobs that share input files on the nodes of a cluster: schedulers, simulated
    #[command(subcommand)]
    Batch(Batch),
    /// Measure this build on this machine
    #[command(subcommand)]
    Bench(Bench),
    /// What happened in a recorded run: numbers, tables, pictures, a report
    Trace(TraceCommand),
    /// Machines: what a description says of one, and measuring this one
    #[command(subcommand)]
    Platform(PlatformCommand),
    /// What this build and this machine have
    Info(Info),
    /// Print completions for a shell
    Completions(Completions),
    /// Print a manual page, or write all of them
    Man(Man),
}

/// The definition of the command line.
pub(crate) fn command() -> Command {
    with_short_help(with_usual_flags(Cli::command()), "")
}

/// `command`, called so under the root, whose `--help` fits two screens as `-h` does: what each
/// value means stands on its page.
fn with_short_help(command: Command, path: &str) -> Command {
    let names: Vec<String> =
        command.get_subcommands().map(|child| child.get_name().to_owned()).collect();
    let command = names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(name, |child| with_short_help(child, &path))
    });
    let help = match path {
        "" => "Print help".to_owned(),
        path => format!("Print help; 'tegula help{path}' says more"),
    };
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort).help(help);
    command.disable_help_flag(true).arg(help)
}

/// `command` with flags without a value that may be repeated, and values of flags that may begin
/// with a minus: what refuses them says why, where clap would advise to write them after `--`. A
/// flag that is given two values is refused, unless they add up.
fn with_usual_flags(command: Command) -> Command {
    let names: Vec<String> =
        command.get_subcommands().map(|child| child.get_name().to_owned()).collect();
    let command = names
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, with_usual_flags));
    command.mut_args(|flag| {
        let id = flag.get_id().clone();
        match flag.get_action() {
            ArgAction::SetTrue => flag.overrides_with(id),
            action if action.takes_values() && !flag.is_allow_hyphen_values_set() => {
                flag.allow_negative_numbers(true)
            }
            _ => flag,
        }
    })
}

impl Cli {
    /// Runs the command; `is_prepared` says whether OpenBLAS finds the environment it should.
    pub(crate) fn run(&self, is_prepared: bool) -> Result<()> {
        match &self.command {
            Tegula::Exageostat(command) => command.run(),
            Tegula::Diodon(command) => command.run(),
            Tegula::Linalg(command) => command.run(),
            Tegula::Simulate(command) => command.run(),
            Tegula::Compose(command) => command.run(),
            Tegula::Plan(command) => command.run(),
            Tegula::Adapt(command) => command.run(),
            Tegula::Batch(command) => command.run(),
            Tegula::Bench(command) => command.run(),
            Tegula::Trace(command) => command.run(),
            Tegula::Platform(command) => command.run(),
            Tegula::Info(command) => command.run(is_prepared),
            Tegula::Completions(command) => command.run(),
            Tegula::Man(command) => command.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        super::command().debug_assert();
    }
}
