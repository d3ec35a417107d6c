//! `--params-file`: sets of parameters, one per line, to be evaluated one after the other.

use std::path::Path;

use anyhow::Result;
use tegula_exageostat::covariance::Covariance;
use tegula_files::nearest_name;
use tegula_files::text::read_whole;

use super::places::STANDARD_INPUT;
use crate::error::refused;
use crate::flags::assignments;
use crate::output::count;

/// Bytes that the file may have.
const MOST_BYTES: u64 = 256 << 20;

/// What the nugget is called among the parameters.
const NUGGET: &str = "nugget";

/// A set of parameters, in the domain of the covariance or not.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ParameterSet {
    /// Line of the file.
    pub(super) line: usize,
    /// Parameters of the covariance, in its order.
    pub(super) values: Vec<f64>,
    /// The nugget.
    pub(super) nugget: f64,
}

/// Reads the sets of `covariance` in the file at `path`; where it says no nugget it is `nugget`.
///
/// # Errors
/// With the line that cannot be read.
pub(super) fn read_sets(
    path: &Path,
    covariance: &Covariance,
    nugget: f64,
) -> Result<Vec<ParameterSet>> {
    let path = if path == Path::new("-") { Path::new(STANDARD_INPUT) } else { path };
    let text = read_whole(path, MOST_BYTES)
        .map_err(|error| refused(format!("--params-file {}: {error}", path.display())))?;
    let names = covariance.parameters.iter().map(|parameter| parameter.name);
    let names: Vec<&'static str> = names.chain([NUGGET]).collect();
    let sets = parse(&text, &path.display().to_string(), &names, nugget)?;
    if sets.is_empty() {
        let order = names[..names.len() - 1].join(",");
        return Err(refused(format!(
            "--params-file {}: there is no set of parameters; write one per line, numbers in the order \
             {order}, or name=value,...",
            path.display()
        )));
    }
    Ok(sets)
}

/// The one set in the value `text` of `flag`; where it says no nugget that is 0.
///
/// # Errors
/// If a parameter is missing, unknown, or no number.
pub(super) fn one_set(flag: &str, text: &str, covariance: &Covariance) -> Result<ParameterSet> {
    let names = covariance.parameters.iter().map(|parameter| parameter.name);
    let names: Vec<&'static str> = names.chain([NUGGET]).collect();
    let values = match text.contains('=') {
        true => named(text, flag, &names)?,
        false => bare(text, &names).map_err(|why| refused(format!("{flag}: {why}")))?,
    };
    let last = names.len() - 1;
    if let Some(missing) = values[..last].iter().position(Option::is_none) {
        return Err(refused(format!("{flag}: {} is left out", names[missing])));
    }
    let nugget = values[last].unwrap_or(0.0);
    Ok(ParameterSet { line: 1, values: values.into_iter().take(last).flatten().collect(), nugget })
}

/// The sets in `text`; `names` are those of the parameters, the nugget's last.
fn parse(text: &str, file: &str, names: &[&'static str], nugget: f64) -> Result<Vec<ParameterSet>> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).peekable();
    let mut columns = None;
    if let Some((number, line)) = lines.next_if(|(_, line)| is_header(line)) {
        columns = Some(header(line, names).map_err(|why| at(file, number, &why))?);
    }
    let set = |(line, text): (usize, &str)| {
        let values = match &columns {
            _ if text.contains('=') => named(text, &format!("{file}, line {line}"), names)?,
            Some(columns) => {
                in_columns(text, columns, names).map_err(|why| at(file, line, &why))?
            }
            None => bare(text, names).map_err(|why| at(file, line, &why))?,
        };
        let last = names.len() - 1;
        let missing = values[..last].iter().position(Option::is_none);
        if let Some(missing) = missing {
            return Err(at(file, line, &format!("{} is left out", names[missing])));
        }
        let nugget = values[last].unwrap_or(nugget);
        let values = values[..last].iter().copied().flatten().collect();
        Ok(ParameterSet { line, values, nugget })
    };
    lines.map(set).collect()
}

/// The error `why` in a line.
fn at(file: &str, line: usize, why: &str) -> anyhow::Error {
    refused(format!("{file}, line {line}: {why}"))
}

/// The cells of a line: between commas, semicolons or, where there are none, blanks.
fn cells(line: &str) -> Vec<&str> {
    let separator = [',', ';'].into_iter().find(|&separator| line.contains(separator));
    let all: Vec<&str> = match separator {
        Some(separator) => line.split(separator).collect(),
        None => line.split_whitespace().collect(),
    };
    all.into_iter().map(|cell| cell.trim().trim_matches('"')).collect()
}

/// Whether a line is made of names.
fn is_header(line: &str) -> bool {
    let is_name = |cell: &str| cell.parse::<f64>().is_err();
    !line.contains('=') && cells(line).into_iter().all(is_name)
}

/// Which parameter each column of a header has; none for a column without a name, as R writes one
/// for the names of rows.
fn header(line: &str, names: &[&'static str]) -> Result<Vec<Option<usize>>, String> {
    let mut columns: Vec<Option<usize>> = Vec::new();
    for cell in cells(line) {
        let place = names.iter().position(|name| *name == cell);
        if place.is_none() && !cell.is_empty() {
            let near = nearest_name(cell, names.iter().copied());
            let hint = near.map_or(String::new(), |near| format!(" (did you mean {near}?)"));
            let list = names.join(", ");
            return Err(format!("there is no parameter '{cell}'{hint}; there are {list}"));
        }
        if place.is_some() && columns.contains(&place) {
            return Err(format!("{cell} is given twice"));
        }
        columns.push(place);
    }
    let last = names.len() - 1;
    match (0..last).find(|&place| !columns.contains(&Some(place))) {
        Some(missing) => Err(format!("the header leaves out {}", names[missing])),
        None => Ok(columns),
    }
}

/// The number `cell` of the parameter called `name`; what is no finite number is left to the
/// covariance.
fn number(cell: &str, name: &str) -> Result<f64, String> {
    cell.parse().map_err(|_| format!("'{cell}' for {name} is not a number"))
}

/// The values of a line of `name=value` pairs; `place` says where it stands.
fn named(text: &str, place: &str, names: &[&'static str]) -> Result<Vec<Option<f64>>> {
    let pairs = assignments(place, text, names)?;
    let value = |name: &&'static str| {
        let given = pairs.iter().find(|(other, _)| other == name);
        let number = given.map(|(_, text)| number(text, name)).transpose();
        number.map_err(|why| refused(format!("{place}: {why}")))
    };
    names.iter().map(value).collect()
}

/// The values of a line below a header.
fn in_columns(
    text: &str,
    columns: &[Option<usize>],
    names: &[&str],
) -> Result<Vec<Option<f64>>, String> {
    let cells = cells(text);
    if cells.len() != columns.len() {
        let (found, wanted) = (count(cells.len(), "cell"), columns.len());
        return Err(format!("{found}, and the header has {wanted}"));
    }
    let mut values = vec![None; names.len()];
    for (cell, column) in cells.into_iter().zip(columns) {
        if let Some(place) = *column {
            values[place] = Some(number(cell, names[place])?);
        }
    }
    Ok(values)
}

/// The values of a line of numbers alone, in the order of the parameters; the nugget's may follow.
fn bare(text: &str, names: &[&str]) -> Result<Vec<Option<f64>>, String> {
    let cells = cells(text);
    if cells.len() != names.len() && cells.len() + 1 != names.len() {
        let (parameters, found) = (names[..names.len() - 1].join(","), cells.len());
        let found = count(found, "number");
        return Err(format!("{found} given; write {parameters}, and the nugget after them or not"));
    }
    let given = cells.iter().zip(names).map(|(cell, name)| number(cell, name).map(Some));
    let mut values = given.collect::<Result<Vec<_>, String>>()?;
    values.resize(names.len(), None);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["variance", "range", "nugget"];

    fn sets(text: &str) -> Vec<(usize, Vec<f64>, f64)> {
        let sets = parse(text, "f", &NAMES, 0.5).expect("sets");
        sets.into_iter().map(|set| (set.line, set.values, set.nugget)).collect()
    }

    #[test]
    fn sets_are_read_in_every_form() {
        let one = vec![(2, vec![1.0, 0.1], 0.5), (4, vec![2.0, 0.2], 0.25)];
        assert_eq!(sets("# a grid\n1,0.1\n\n2, 0.2, 0.25\n"), one);
        assert_eq!(sets("\r\n1 0.1\r\n\r\n2\t0.2\t0.25"), one);
        assert_eq!(sets("\nrange=0.1,variance=1\n#\nnugget=0.25, variance=2,range=0.2"), one);
        let two = vec![(2, vec![1.0, 0.1], 0.25), (3, vec![2.0, 0.2], 0.0)];
        assert_eq!(
            sets("\"\",\"range\",\"nugget\",\"variance\"\n\"1\",0.1,0.25,1\n\"2\",0.2,0,2"),
            two
        );
        // Out of its domain, which a covariance says.
        assert!(sets("nan -1")[0].1[0].is_nan());
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        for (text, words) in [
            ("1,2\n1", "f, line 2: 1 number given"),
            ("1,x", "f, line 1: 'x' for range is not a number"),
            ("variance,rang\n1,2", "f, line 1: there is no parameter 'rang' (did you mean range?)"),
            ("variance,variance\n1,2", "f, line 1: variance is given twice"),
            ("variance,nugget\n1,2", "f, line 1: the header leaves out range"),
            ("variance,range\n1,2\n1,2,3", "f, line 3: 3 cells, and the header has 2"),
            ("variance=1", "f, line 1: range is left out"),
            ("variance=1,range=x", "f, line 1: 'x' for range is not a number"),
            ("variance=1,rang=2", "f, line 1: there is no parameter 'rang'"),
        ] {
            let error = parse(text, "f", &NAMES, 0.0).expect_err(text).to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
