//! Flags that several subcommands share, and what they are turned into.

mod data;
mod devices;
mod eviction;
mod machine;
mod model;
mod output;
mod overlap;
mod run;
mod trace;

pub(crate) use data::{DataFlags, Distance, PlaceFlags};
pub(crate) use devices::usable as usable_devices;
pub(crate) use eviction::{check_eviction, chosen_eviction, evictions};
pub(crate) use machine::{DISK_RATE, kernels, parse_bytes, parse_rate};
pub(crate) use model::{CovarianceFlags, assignments, nugget, parameters, parse_number};
pub(crate) use output::OutputFlags;
pub(crate) use overlap::OverlapFlags;
pub(crate) use run::{MatrixFlags, Run, RunFlags, policies, precision_name, precision_parser};
pub(crate) use trace::{TraceFlags, form, title};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// A parser of the names of a list, each with its line of help, that yields the member's index.
pub(crate) fn member(
    list: Vec<(&'static str, &'static str)>,
) -> impl TypedValueParser<Value = usize> {
    let names: Vec<&str> = list.iter().map(|(name, _)| *name).collect();
    let values = list.iter().map(|(name, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values)
        .map(move |name| names.iter().position(|listed| *listed == name).expect("a listed name"))
}
