//! What to say about entries that are not what they should be: what makes a matrix useless is
//! refused, what can be lived with is a warning with a count.

use tegula_files::source::{last_place, rounding};
use tegula_kernels::element::Element;
use tegula_kernels::kernel::sweep::{Findings, Offender, Offenders};

use crate::EmbedError;
use crate::gram::Gram;

/// Refuses distances that are none.
///
/// # Errors
/// [`EmbedError::Entries`] with what is wrong, where, and what to do.
pub fn refuse(gram: &Gram) -> Result<(), EmbedError> {
    let source = gram.stream().reading().source();
    let names = source.row_names();
    let of = |reason: String| EmbedError::Entries(format!("{}: {reason}", source.name()));
    let sums = gram.sums();
    let limit = limit(&sums.findings, source.element(), gram.tolerance());
    if let Some(reason) = reason(&sums.findings, names, limit) {
        return Err(of(reason));
    }
    let greatest = sums.findings.greatest;
    if !sums.frobenius2.is_finite() || !sums.trace.is_finite() {
        return Err(of(format!(
            "fourth powers of distances up to {greatest:e} overflow: change their unit"
        )));
    }
    if greatest > 0.0 && greatest.powi(4) < f64::MIN_POSITIVE / f64::EPSILON {
        return Err(of(format!(
            "fourth powers of distances up to {greatest:e} vanish: change their unit"
        )));
    }
    Ok(())
}

/// The largest deviation that is rounding: `tolerance` times the greatest entry, or what follows
/// from the kind of the numbers and their last decimal place.
#[must_use]
pub fn limit(findings: &Findings, element: Element, tolerance: Option<f64>) -> f64 {
    let greatest = if findings.greatest.is_finite() { findings.greatest.abs() } else { 0.0 };
    let Some(tolerance) = tolerance else {
        let pairs = findings.asymmetric.first().iter().flat_map(|pair| [pair.value, pair.other]);
        return (rounding(element) * greatest).max(last_place(pairs, greatest));
    };
    tolerance * greatest
}

/// What can be lived with, in a sentence each: it is rounding.
#[must_use]
pub fn warnings(findings: &Findings, names: Option<&[String]>) -> Vec<String> {
    let mut warnings = Vec::new();
    let Findings { asymmetric, diagonal, negative, .. } = findings;
    if asymmetric.count > 0 {
        warnings.push(format!(
            "{} of {} pairs of entries that were compared differ by rounding, {} at most: {}; that above the diagonal \
             counts",
            asymmetric.count,
            findings.compared,
            rough(asymmetric.largest),
            places(asymmetric, [names; 2], true)
        ));
    }
    let others = [(diagonal, "on the diagonal are not zero"), (negative, "are below zero")];
    for (offenders, what) in others.into_iter().filter(|(offenders, _)| offenders.count > 0) {
        warnings.push(format!(
            "{} entries {what} by rounding, {} at most: {}; they count as 0",
            offenders.count,
            rough(offenders.largest),
            places(offenders, [names; 2], false)
        ));
    }
    warnings
}

/// Why the entries are no distances, if they are none, where deviations up to `limit` are rounding.
fn reason(findings: &Findings, names: Option<&[String]>, limit: f64) -> Option<String> {
    let Findings { infinite, negative, diagonal, asymmetric, greatest, .. } = findings;
    let greatest = if greatest.is_finite() { *greatest } else { 0.0 };
    let advice =
        format!("up to {} counts as rounding; --symmetry-tolerance allows for more", rough(limit));
    if infinite.count > 0 {
        return Some(format!(
            "{} entries are infinite or no numbers: {}. Distances must be known: leave such items out, or fill the gaps",
            infinite.count,
            places(infinite, [names; 2], false)
        ));
    }
    let largest = diagonal.first().iter().map(|offender| offender.value).fold(0.0, f64::max);
    if diagonal.count > 0 && largest >= greatest && largest > limit {
        return Some(format!(
            "the diagonal is not zero but {largest}, the largest entry: these look like similarities. Make distances of \
             them, d = sqrt(2 (1 - s)) or d = 1 - s"
        ));
    }
    if negative.count > 0 && exceeds(negative.largest, limit) {
        return Some(format!(
            "{} entries are negative, {} at most: {}. Distances are not: take roots of squares, or another measure ({advice})",
            negative.count,
            rough(negative.largest),
            places(negative, [names; 2], false)
        ));
    }
    if diagonal.count > 0 && exceeds(diagonal.largest, limit) {
        return Some(format!(
            "{} entries on the diagonal are not zero, {} at most: {}. The distance of an item from itself is: this may be no \
             matrix of distances, or rows and columns are not in the same order ({advice})",
            diagonal.count,
            rough(diagonal.largest),
            places(diagonal, [names; 2], false)
        ));
    }
    if asymmetric.count > 0 && !asymmetric.largest.is_finite() {
        return Some(format!(
            "{} of {} pairs of entries that were compared are not symmetric, and some are no numbers: {}. Distances must \
             be known: leave such items out, or fill the gaps",
            asymmetric.count,
            findings.compared,
            places(asymmetric, [names; 2], true)
        ));
    }
    if asymmetric.count > 0 && exceeds(asymmetric.largest, limit) {
        return Some(format!(
            "{} of {} pairs of entries that were compared are not symmetric, by {} at most: {}. If one triangle is empty, copy the \
             other; else take means of both, or see whether rows and columns are in the same order ({advice})",
            asymmetric.count,
            findings.compared,
            rough(asymmetric.largest),
            places(asymmetric, [names; 2], true)
        ));
    }
    None
}

/// A size in two digits: `6`, `0.5`, `1.1e-6`.
fn rough(size: f64) -> String {
    let rounded = format!("{size:.1e}").parse().unwrap_or(size);
    format!("{rounded:?}").trim_end_matches(".0").to_owned()
}

/// Whether a deviation is above a limit, or no number.
fn exceeds(deviation: f64, limit: f64) -> bool {
    deviation.is_nan() || deviation > limit
}

/// The first offenders: `(2, 5) = -1`, rows and columns counted from 1, by name where there are
/// names of rows and of columns.
pub(crate) fn places(
    offenders: &Offenders,
    names: [Option<&[String]>; 2],
    are_pairs: bool,
) -> String {
    let name =
        |side: usize, index: u64| match names[side].and_then(|names| names.get(index as usize)) {
            Some(name) => format!("{name} [{}]", index + 1),
            None => format!("{}", index + 1),
        };
    let one = |offender: &Offender| {
        let Offender { row, column, value, other } = *offender;
        let beside = if are_pairs { format!(" against {other}") } else { String::new() };
        format!("({}, {}) = {value}{beside}", name(0, row), name(1, column))
    };
    let mut text: Vec<String> = offenders.first().iter().map(one).collect();
    if offenders.count > text.len() as u64 {
        text.push("...".to_owned());
    }
    text.join(", ")
}
