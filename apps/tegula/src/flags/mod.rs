//! Flags that several subcommands share, and what they are turned into.

mod checkpoint;
mod choice;
mod contexts;
mod data;
mod devices;
mod eviction;
mod generation;
mod machine;
mod matrix;
mod model;
mod output;
mod overlap;
mod pass;
mod planned;
mod run;
mod shared;
mod shares;
mod time;
pub(crate) mod trace;

pub(crate) use checkpoint::CheckpointFlags;
pub(crate) use choice::{DISK_RATE, MachineChoice, default_policies};
pub(crate) use contexts::{ContextFlags, side_by_side};
pub(crate) use data::{DataFlags, Distance, PlaceFlags};
pub(crate) use devices::{CudaDevices, usable as usable_devices};
pub(crate) use eviction::{check_eviction, chosen_eviction, evictions};
pub(crate) use generation::GenerationFlags;
pub(crate) use machine::{AskedDevices, kernels, parse_asked_devices, parse_bytes, parse_rate};
pub(crate) use matrix::{MatrixFlags, precision_name, precision_parser, run_on_devices};
pub(crate) use model::{
    CovarianceFlags, MeanFlags, assignments, covariance, nugget, parameters, parse_number,
};
pub(crate) use output::OutputFlags;
pub(crate) use overlap::OverlapFlags;
pub(crate) use pass::PassFlags;
pub(crate) use run::{Run, RunFlags, backends, distribution_help, distribution_page, policies};
pub(crate) use shares::shares;
pub(crate) use time::{parse_seconds, parse_span};
pub(crate) use trace::{TraceFlags, form, title};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser of the names of a list, each with its line of help, that yields the member's index. A
/// dash stands for an underscore, too.
pub(crate) fn member(
    list: Vec<(&'static str, &'static str)>,
) -> impl TypedValueParser<Value = usize> {
    let dashed = |name: &str| name.replace('_', "-");
    let names: Vec<String> = list.iter().map(|(name, _)| dashed(name)).collect();
    let values = list
        .into_iter()
        .map(|(name, help)| PossibleValue::new(name).alias(dashed(name)).help(help));
    PossibleValuesParser::new(values).map(move |name| {
        names.iter().position(|listed| *listed == dashed(&name)).expect("a listed name")
    })
}
