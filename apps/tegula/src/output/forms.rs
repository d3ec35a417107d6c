//! Names of files that promise a form in which nothing is written.

use std::path::Path;

use anyhow::Result;

use super::is_standard_output;
use crate::error::refused;

/// What a file is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON.
    Json,
    /// A model, which is JSON.
    Model,
    /// A table: CSV, or what the table that it repeats is written as.
    Table,
    /// A picture, as SVG.
    Picture,
    /// A page, as HTML.
    Page,
}

/// Endings of names, with what a reader of such a file expects.
const OTHERS: &[(&str, &str)] = &[
    (".nc", "NetCDF"),
    (".nc4", "NetCDF-4"),
    (".tif", "GeoTIFF"),
    (".tiff", "GeoTIFF"),
    (".parquet", "Parquet"),
    (".feather", "Feather"),
    (".arrow", "Arrow"),
    (".h5", "HDF5"),
    (".hdf5", "HDF5"),
    (".geojson", "GeoJSON"),
    (".gpkg", "GeoPackage"),
    (".shp", "a shapefile"),
    (".kml", "KML"),
    (".xlsx", "Excel"),
    (".xls", "Excel"),
    (".ods", "OpenDocument"),
    (".npy", "NumPy's format"),
    (".npz", "NumPy's format"),
    (".rds", "R's format"),
    (".rdata", "R's format"),
    (".rda", "R's format"),
    (".mat", "MATLAB's format"),
    (".pkl", "Python's pickle"),
    (".gz", "gzip"),
    (".bz2", "bzip2"),
    (".xz", "xz"),
    (".zst", "zstd"),
    (".zip", "zip"),
    (".html", "HTML"),
    (".pdf", "PDF"),
    (".png", "PNG"),
    (".svg", "SVG"),
];
/// Endings of tables.
const TABLES: &[(&str, &str)] = &[(".csv", "CSV"), (".tsv", "a table")];

/// Refuses the `path` of `flag` if its name promises another form than the one that is written.
///
/// # Errors
/// With a name to take instead.
pub(crate) fn check_form(flag: &str, path: &Path, form: Form) -> Result<()> {
    if is_standard_output(path) || path.exists() && !path.is_file() {
        return Ok(());
    }
    let (more, written, ending): (&[(&str, &str)], _, _) = match form {
        Form::Json => (&[], "JSON", "json"),
        Form::Model => (TABLES, "JSON", "json"),
        Form::Table => (&[(".json", "JSON")], "CSV", "csv"),
        Form::Picture => (TABLES, "SVG", "svg"),
        Form::Page => (&[(".json", "JSON"), (".csv", "CSV")], "HTML", "html"),
    };
    let listed = OTHERS.iter().filter(|(_, format)| *format != written);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ends = |ending: &str| {
        let start = name.len().checked_sub(ending.len());
        start.is_some_and(|start| name.get(start..).is_some_and(|e| e.eq_ignore_ascii_case(ending)))
    };
    let Some((other, format)) = listed.chain(more).find(|(other, _)| ends(other)) else {
        return Ok(());
    };
    let stem = &name[..name.len() - other.len()];
    let stem = stem.strip_suffix(&format!(".{ending}")).unwrap_or(stem);
    let instead = path.with_file_name(format!("{stem}.{ending}"));
    Err(refused(format!(
        "{flag} {}: {format} is not written, but {written}: name it {}",
        path.display(),
        instead.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_promises_another_form_is_refused_with_one_that_does_not() {
        let refused = |name: &str, form| {
            check_form("-o", Path::new(name), form).map_err(|error| error.to_string())
        };
        for (name, form, words) in [
            ("a/p.NC", Form::Table, "-o a/p.NC: NetCDF is not written, but CSV: name it a/p.csv"),
            ("p.csv.gz", Form::Table, "gzip is not written, but CSV: name it p.csv"),
            ("p.json", Form::Table, "JSON is not written, but CSV: name it p.csv"),
            ("m.csv", Form::Model, "CSV is not written, but JSON: name it m.json"),
            ("m.h5", Form::Json, "HDF5 is not written, but JSON: name it m.json"),
            ("owners.png", Form::Picture, "PNG is not written, but SVG: name it owners.svg"),
            ("m.json", Form::Page, "JSON is not written, but HTML: name it m.html"),
            ("größe.tif", Form::Table, "name it größe.csv"),
        ] {
            let error = refused(name, form).expect_err(name);
            assert!(error.contains(words), "{error}");
        }
        for (name, form) in [
            ("-", Form::Table),
            ("p", Form::Table),
            ("p.dat", Form::Table),
            ("p.tsv", Form::Table),
            ("owners.svg", Form::Picture),
            ("nc", Form::Table),
            ("ä", Form::Table),
            ("m.txt", Form::Model),
            ("/dev/null", Form::Json),
        ] {
            assert_eq!(refused(name, form), Ok(()), "{name}");
        }
    }
}
