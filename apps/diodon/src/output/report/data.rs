//! The data of the page: numbers as base 64 of single precision, one element for each axis, the rest as JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::{Report, base64, escape::write_json};
use crate::Ordination;
use crate::output::labels::LabelsOfItems;
use crate::output::shares::Whole;

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
    wholes: Vec<WholeMeta>,
    labels: Option<LabelsMeta<'a>>,
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
            base64::write(out, values.map(|&value| ((value / scale) as f32).to_le_bytes()))
        })?;
    }
    let norms = ordination.norms2.iter();
    element(out, "norms", |out| {
        base64::write(out, norms.map(|&value| ((value / scale / scale) as f32).to_le_bytes()))
    })?;
    match report.labels {
        Some(labels) => element(out, "codes", |out| codes(out, labels)),
        None => Ok(()),
    }
}

fn meta<'a>(report: &Report<'a>, scale: f64) -> Meta<'a> {
    let ordination = report.ordination;
    let whole = |whole: Whole| WholeMeta { name: whole.name(), sum: whole.sum(ordination) };
    let labels = report.labels.map(|labels| LabelsMeta {
        name: &labels.name,
        classes: &labels.classes,
        numeric: labels.are_numbers(),
        width: width(labels),
    });
    Meta {
        items: ordination.items(),
        axes: ordination.axes(),
        shown: shown_axes(ordination),
        scale,
        eigenvalues: &ordination.eigenvalues,
        negative: &ordination.negative[..ordination.negative.len().min(MOST_NEGATIVE)],
        negatives: ordination.negative.len(),
        complete: ordination.is_complete,
        wholes: Whole::ALL.map(whole).into(),
        labels,
    }
}

/// A power of two near the largest coordinate, so that single precision can hold what is divided by it.
fn scale(ordination: &Ordination) -> f64 {
    let largest = ordination.coordinates.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    if largest.is_normal() {
        2f64.powi((largest.log2().floor() as i32).clamp(-1000, 1000))
    } else {
        1.0
    }
}

/// Bytes that the codes of `labels` need; 0 stands for no label.
fn width(labels: &LabelsOfItems) -> usize {
    match labels.classes.len() {
        0..=255 => 1,
        256..=65535 => 2,
        _ => 4,
    }
}

fn codes(out: &mut dyn Write, labels: &LabelsOfItems) -> io::Result<()> {
    let codes = labels.codes.iter().map(|code| code.map_or(0, |code| code + 1));
    match width(labels) {
        1 => base64::write(out, codes.map(|code| [code as u8])),
        2 => base64::write(out, codes.map(|code| (code as u16).to_le_bytes())),
        _ => base64::write(out, codes.map(u32::to_le_bytes)),
    }
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
