//! Tables of items and variables: those that make most of the first axes, with coordinates,
//! contributions and squared cosines.

use std::fmt::Write;

use super::escape::escaped;
use super::tables::{percent, rounded, thousands};
use crate::output::Output;
use crate::output::contributions::contribution;
use crate::{Ordination, OrdinationInput};

/// Lines of a table.
const MOST_LINES: usize = 20;
/// Significant digits of coordinates.
const DIGITS: i32 = 4;
/// Axes of a table.
const MOST_AXES: usize = 3;

/// Lines of one side of a table.
struct Lines<'a> {
    title: &'static str,
    /// Where all of them are.
    files: String,
    ids: &'a [String],
    axes: Vec<&'a [f64]>,
    masses: Option<&'a [f64]>,
    norms2: Option<&'a [f64]>,
}

/// The sections of the lines of a table, and of instruments; nothing of distances.
pub(super) fn sections(ordination: &Ordination) -> String {
    let mut html = String::new();
    if ordination.input != OrdinationInput::Table || ordination.axes() == 0 {
        return html;
    }
    let eigenvalues = &ordination.eigenvalues[..];
    if let Some(variables) = &ordination.variables {
        let sizes = variables.sizes.as_ref();
        let names = [Output::VARIABLES_CONTRIBUTIONS, Output::VARIABLES_QUALITY];
        let lines = Lines {
            title: if variables.are_points { "Columns" } else { "Variables" },
            files: if sizes.is_some() { names.join(" and ") } else { Output::VARIABLES.to_owned() },
            ids: &variables.ids,
            axes: variables.columns(),
            masses: sizes.map(|sizes| &sizes.masses[..]),
            norms2: sizes.map(|sizes| &sizes.norms2[..]),
        };
        html += &lines.section(eigenvalues);
    }
    html += &instruments(ordination);
    let is_count = ordination.variables.as_ref().is_some_and(|variables| variables.are_points);
    let masses = ordination.masses.as_deref();
    let names = [Output::CONTRIBUTIONS, Output::QUALITY];
    let lines = Lines {
        title: if is_count { "Rows" } else { "Items that make the axes" },
        files: if masses.is_some() { names.join(" and ") } else { Output::QUALITY.to_owned() },
        ids: &ordination.ids,
        axes: ordination.columns(),
        masses,
        norms2: Some(&ordination.norms2),
    };
    html + &lines.section(eigenvalues)
}

impl Lines<'_> {
    /// What a line makes of the inertia of the first axes, or of its own length where it has no
    /// weight.
    fn weight(&self, line: usize, axes: usize) -> f64 {
        let mass = self.masses.map_or(1.0, |masses| masses[line]);
        (0..axes).map(|axis| mass * self.axes[axis][line].powi(2)).sum()
    }

    fn section(&self, eigenvalues: &[f64]) -> String {
        let axes = eigenvalues.len().min(MOST_AXES);
        let mut order: Vec<usize> = (0..self.ids.len()).collect();
        order.sort_by(|&one, &other| self.weight(other, axes).total_cmp(&self.weight(one, axes)));
        order.truncate(MOST_LINES);
        let head = self.head(axes);
        let rows: String = order.iter().map(|&line| self.row(line, &eigenvalues[..axes])).collect();
        let table = format!("<table class=\"lines\">\n{head}<tbody>\n{rows}</tbody>\n</table>");
        let id = self.title.split(' ').next().unwrap_or_default().to_lowercase();
        format!(
            "<section aria-labelledby=\"of-{id}\">\n<h2 id=\"of-{id}\">{}</h2>\n{}<div class=\"wide\">\n{table}\n</div>\n\
             </section>\n\n",
            self.title,
            self.remark(order.len(), axes)
        )
    }

    /// What the table shows.
    fn remark(&self, shown: usize, axes: usize) -> String {
        let on = if axes == 1 { "axis 1".to_owned() } else { format!("axes 1 to {axes}") };
        let count = if shown < self.ids.len() {
            format!("The {shown} of {} that make most of {on}", thousands(self.ids.len()))
        } else {
            format!("Those first that make most of {on}")
        };
        let mut text =
            format!("<p class=\"quiet\">{count}; all, on all axes, are in {}.", self.files);
        if self.masses.is_some() {
            text += " Contributions are shares of the eigenvalue, bold above their mean.";
        }
        if self.norms2.is_some() {
            text += " Squared cosines are shares of the squared length.";
        }
        text + "</p>\n"
    }

    /// Axes above their columns.
    fn head(&self, axes: usize) -> String {
        let mut names = vec!["coordinate"];
        names.extend(self.masses.map(|_| "contrib."));
        names.extend(self.norms2.map(|_| "cos&sup2;"));
        let mut html = String::from("<thead><tr><th rowspan=\"2\"></th>");
        for axis in 1..=axes {
            let _ =
                write!(html, "<th scope=\"colgroup\" colspan=\"{}\">axis {axis}</th>", names.len());
        }
        html += "</tr>\n<tr>";
        for _ in 0..axes {
            names.iter().for_each(|name| {
                let _ = write!(html, "<th scope=\"col\">{name}</th>");
            });
        }
        html + "</tr></thead>\n"
    }

    fn row(&self, line: usize, eigenvalues: &[f64]) -> String {
        let mut html = format!("<tr><th scope=\"row\">{}</th>", escaped(&self.ids[line]));
        let mean = 1.0 / self.ids.len() as f64;
        for (axis, &eigenvalue) in self.axes.iter().zip(eigenvalues) {
            let x = axis[line];
            let _ = write!(html, "<td>{}</td>", rounded(x, DIGITS));
            if let Some(masses) = self.masses {
                let share = contribution(masses[line], x, eigenvalue);
                let text = percent(share);
                let text = if share > mean { format!("<b>{text}</b>") } else { text };
                let _ = write!(html, "<td>{text}</td>");
            }
            if let Some(norms2) = self.norms2 {
                let norm2 = norms2[line];
                let text = if norm2 > 0.0 { percent(x * x / norm2) } else { String::new() };
                let _ = write!(html, "<td>{text}</td>");
            }
        }
        html + "</tr>\n"
    }
}

/// The table of instruments: correlations with axes.
fn instruments(ordination: &Ordination) -> String {
    let Some(constraints) = &ordination.constraints else { return String::new() };
    let (ids, axes) = (&constraints.ids, ordination.axes().min(2 * MOST_AXES));
    let head: String =
        (1..=axes).map(|axis| format!("<th scope=\"col\">axis {axis}</th>")).collect();
    let mut rows = String::new();
    for (line, id) in ids.iter().enumerate().take(2 * MOST_LINES) {
        let of = |axis: usize| constraints.along.correlations[axis * ids.len() + line];
        let cells: String =
            (0..axes).map(|axis| format!("<td>{}</td>", rounded(of(axis), DIGITS))).collect();
        let _ = writeln!(rows, "<tr><th scope=\"row\">{}</th>{cells}</tr>", escaped(id));
    }
    format!(
        "<section aria-labelledby=\"of-instruments\">\n<h2 id=\"of-instruments\">Instruments</h2>\n<p class=\"quiet\">Correlations \
         with the axes; coefficients are in {}.</p>\n<div class=\"wide\">\n<table class=\"lines\">\n<thead><tr><th></th>{head}\
         </tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n</section>\n\n",
        Output::INSTRUMENTS
    )
}
