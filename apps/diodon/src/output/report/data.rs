//! The data of the page: numbers as base 64 of single precision, one element for each axis, the
//! rest as JSON.

use std::io::{self, Write};

use base64::{display::Base64Display, engine::general_purpose::STANDARD};
use serde::Serialize;

use super::groups::{Group, groups};
use super::{Report, escape::write_json};
use crate::output::labels::LabelColumn;
use crate::output::shares::Whole;
use crate::{Accuracy, Ordination, OrdinationInput};

/// Most coordinates that a page holds: 2^24, about 90 MB as text.
const MOST_COORDINATES: usize = 1 << 24;
/// Axes that a page holds whatever the number of items.
const LEAST_AXES: usize = 3;
/// Negative eigenvalues that are drawn.
const MOST_NEGATIVE: usize = 200;

/// What the scripts know besides the numbers of items.
#[derive(Serialize)]
struct Meta<'a> {
    items: usize,
    /// Axes computed, and those whose coordinates are in the page.
    axes: usize,
    shown: usize,
    /// Coordinates in the page times this are coordinates; squared norms times its square.
    scale: f64,
    eigenvalues: &'a [f64],
    /// The lowest first, at most [`MOST_NEGATIVE`] of `negatives`.
    negative: &'a [f64],
    negatives: usize,
    complete: bool,
    estimated: bool,
    wholes: Vec<WholeMeta>,
    labels: Vec<LabelsMeta<'a>>,
    groups: Vec<GroupMeta>,
    /// Items from this one on are new among others.
    fresh: Option<usize>,
}

/// A denominator, with its sum if it is known.
#[derive(Serialize)]
struct WholeMeta {
    name: &'static str,
    sum: Option<f64>,
}

#[derive(Serialize)]
struct LabelsMeta<'a> {
    name: &'a str,
    classes: &'a [String],
    numeric: bool,
    /// Bytes of a code.
    width: usize,
}

/// Lines that are drawn among the items.
#[derive(Serialize)]
struct GroupMeta {
    name: &'static str,
    /// Whether they are directions, and not points among the items.
    arrows: bool,
    /// How many there are, and how many the page holds.
    count: usize,
    shown: usize,
    /// Coordinates in the page times this are coordinates.
    unit: f64,
}

/// Axes whose coordinates the page holds.
pub(super) fn shown_axes(ordination: &Ordination) -> usize {
    let fit = MOST_COORDINATES / ordination.items().max(1);
    ordination.axes().min(fit.max(LEAST_AXES))
}

/// Writes the elements with the data.
pub(super) fn write(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let ordination = report.ordination;
    let scale = scale(ordination);
    element(out, "meta", |out| write_json(out, &meta(report, scale)))?;
    element(out, "ids", |out| write_json(out, &ordination.ids))?;
    for axis in 0..shown_axes(ordination) {
        let values = ordination.axis(axis).iter();
        element(out, &format!("axis{axis}"), |out| {
            base64(out, values.map(|&value| ((value / scale) as f32).to_le_bytes()))
        })?;
    }
    let norms = ordination.norms2.iter();
    element(out, "norms", |out| {
        base64(out, norms.map(|&value| ((value / scale / scale) as f32).to_le_bytes()))
    })?;
    for (number, column) in label_columns(report).iter().enumerate() {
        element(out, &format!("codes{number}"), |out| codes(out, column))?;
    }
    for (number, group) in groups(ordination).iter().enumerate() {
        write_group(out, number, group, scale)?;
    }
    Ok(())
}

/// Columns of labels, if there are any.
fn label_columns<'a>(report: &Report<'a>) -> &'a [LabelColumn] {
    report.labels.map_or(&[], |labels| &labels.columns)
}

fn meta<'a>(report: &Report<'a>, scale: f64) -> Meta<'a> {
    let ordination = report.ordination;
    let whole =
        |whole: &Whole| WholeMeta { name: whole.name(ordination), sum: whole.sum(ordination) };
    let unknown = |whole: &&Whole| whole.sum(ordination).is_none() && **whole != Whole::Trace;
    let known = Whole::known(ordination);
    // The trace first, also where it is not positive.
    let mut wholes = vec![whole(&Whole::Trace)];
    wholes.extend(known.iter().filter(|&&whole| whole != Whole::Trace).map(whole));
    wholes.extend(Whole::all(ordination).iter().filter(unknown).map(whole));
    let labels = label_columns(report).iter().map(|column| LabelsMeta {
        name: &column.name,
        classes: &column.classes,
        numeric: column.are_numbers(),
        width: width(column),
    });
    let groups = groups(ordination);
    let group = |group: &Group<'_>| GroupMeta {
        name: group.name,
        arrows: group.are_arrows,
        count: group.ids.len(),
        shown: group.places.len(),
        unit: group.unit(scale),
    };
    Meta {
        items: ordination.items(),
        axes: ordination.axes(),
        shown: shown_axes(ordination),
        scale,
        eigenvalues: &ordination.eigenvalues,
        negative: &ordination.negative[..ordination.negative.len().min(MOST_NEGATIVE)],
        negatives: ordination.negative.len(),
        complete: ordination.spectrum.is_some(),
        estimated: ordination.accuracy == Accuracy::Estimated,
        wholes,
        labels: labels.collect(),
        groups: groups.iter().map(group).collect(),
        fresh: match ordination.input {
            OrdinationInput::Placed { embedded } => Some(embedded),
            OrdinationInput::Distances | OrdinationInput::Table => None,
        },
    }
}

/// A power of two near the largest coordinate, so that single precision can hold what is divided by
/// it.
fn scale(ordination: &Ordination) -> f64 {
    let largest = ordination.coordinates.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    if largest.is_normal() {
        2f64.powi((largest.log2().floor() as i32).clamp(-1000, 1000))
    } else {
        1.0
    }
}

/// Bytes that the codes of `labels` need; 0 stands for no label.
fn width(labels: &LabelColumn) -> usize {
    match labels.classes.len() {
        0..=255 => 1,
        256..=65535 => 2,
        _ => 4,
    }
}

/// Writes the ids of a group, and where it lies along the axes.
fn write_group(
    out: &mut dyn Write,
    number: usize,
    group: &Group<'_>,
    scale: f64,
) -> io::Result<()> {
    let unit = group.unit(scale);
    let ids: Vec<&String> = group.places.iter().map(|&place| &group.ids[place]).collect();
    element(out, &format!("group{number}ids"), |out| write_json(out, &ids))?;
    for (axis, values) in group.axes.iter().enumerate() {
        let values =
            group.places.iter().map(|&place| ((values[place] / unit) as f32).to_le_bytes());
        element(out, &format!("group{number}axis{axis}"), |out| base64(out, values))?;
    }
    Ok(())
}

fn codes(out: &mut dyn Write, labels: &LabelColumn) -> io::Result<()> {
    let codes = labels.codes.iter().map(|code| code.map_or(0, |code| code + 1));
    match width(labels) {
        1 => base64(out, codes.map(|code| [code as u8])),
        2 => base64(out, codes.map(|code| (code as u16).to_le_bytes())),
        _ => base64(out, codes.map(u32::to_le_bytes)),
    }
}

/// Writes the bytes that `values` become in base 64: letters that may stand anywhere in a page.
fn base64<const N: usize>(
    out: &mut dyn Write,
    values: impl Iterator<Item = [u8; N]>,
) -> io::Result<()> {
    let bytes: Vec<u8> = values.flatten().collect();
    write!(out, "{}", Base64Display::new(&bytes, &STANDARD))
}

fn element(
    out: &mut dyn Write,
    id: &str,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, "<script type=\"text/plain\" id=\"{id}\">")?;
    fill(out)?;
    out.write_all(b"</script>\n")
}
