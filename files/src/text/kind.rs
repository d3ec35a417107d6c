//! What a file is that is no text, by the bytes with which it begins.

/// A format that is not read as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What it is, with its article.
    pub name: &'static str,
    /// What to do with it.
    pub advice: &'static str,
}

const SAVE_SHEET: &str = "save the sheet as CSV (File, Save As)";
const EXPORT: &str = "write the columns that are needed as CSV";
const UNPACK: &str = "unpack it first; of compressed texts .gz and .bz2 are read as they are";
const NETCDF: &str =
    "write the variables as CSV (ncdump, cdo outputtab, or xarray's to_dataframe().to_csv())";
const ARRAY: &str = "write it as CSV (numpy.savetxt with delimiter=',')";
const RASTER: &str = "write its cells as CSV (gdal2xyz -csv, or R's as.data.frame with xy = TRUE)";
const VECTOR: &str = "write its places as CSV (ogr2ogr -f CSV -lco GEOMETRY=AS_XY)";
const TABLE_IN_R: &str = "write it as CSV (write.csv in R)";
const PDF: &[u8] = b"%PDF-";
const PICTURE: &str = "name the file with the numbers";
const PAGE: &str = "the link gave a page in place of the file: fetch the file itself";

/// First bytes, and what they mean; of several that fit, the first counts.
const KINDS: &[(&[u8], &str, &str)] = &[
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (.xls)", SAVE_SHEET),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 or NetCDF-4 file", NETCDF),
    (b"CDF\x01", "a NetCDF file", NETCDF),
    (b"CDF\x02", "a NetCDF file", NETCDF),
    (b"CDF\x05", "a NetCDF file", NETCDF),
    (b"\x93NUMPY", "a NumPy array (.npy)", ARRAY),
    (b"PAR1", "a Parquet file", "write it as CSV (pandas: read_parquet(...).to_csv(...))"),
    (b"ARROW1", "an Arrow file", "write it as CSV (pandas: read_feather(...).to_csv(...))"),
    (b"FEA1", "a Feather file", "write it as CSV (pandas: read_feather(...).to_csv(...))"),
    (
        b"MATLAB 5.0 MAT-file",
        "a MATLAB file (.mat)",
        "write it as CSV (writematrix or writetable in MATLAB)",
    ),
    (b"RDX", "a file of R data (.RData)", TABLE_IN_R),
    (b"RDA", "a file of R data (.RData)", TABLE_IN_R),
    (b"X\n\0\0\0", "a file of R data (.rds)", TABLE_IN_R),
    (b"SQLite format 3\0", "an SQLite database or a GeoPackage", EXPORT),
    (b"\0\0\x27\x0a\0\0", "a shapefile (.shp)", VECTOR),
    (b"II*\0", "a TIFF picture or GeoTIFF raster", RASTER),
    (b"MM\0*", "a TIFF picture or GeoTIFF raster", RASTER),
    (b"II+\0", "a TIFF picture or GeoTIFF raster", RASTER),
    (b"GRIB", "a GRIB file", NETCDF),
    (b"\x1f\x8b", "a file that was compressed twice", "decompress it once (gunzip)"),
    (b"\xfd7zXZ\0", "a file compressed by xz", "decompress it first (xz -d)"),
    (b"\x28\xb5\x2f\xfd", "a file compressed by Zstandard", "decompress it first (zstd -d)"),
    (b"\x04\x22\x4d\x18", "a file compressed by LZ4", "decompress it first (lz4 -d)"),
    (b"\x1f\x9d", "a file compressed by compress", "decompress it first (uncompress)"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    (PDF, "a PDF document", "copy its table into a CSV file"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture", PICTURE),
    (b"\xff\xd8\xff", "a JPEG picture", PICTURE),
    (b"\x7fELF", "a program", PICTURE),
    (b"\xff\xfe\0\0", "a text in UTF-32", "save it as UTF-8 (iconv -f UTF-32 -t UTF-8)"),
    (b"\0\0\xfe\xff", "a text in UTF-32", "save it as UTF-8 (iconv -f UTF-32 -t UTF-8)"),
];

/// Members of a zip archive that tell what it is, by names that stand at its start.
const ARCHIVES: &[(&[u8], &str, &str)] = &[
    (b"[Content_Types].xml", "an Excel workbook (.xlsx)", SAVE_SHEET),
    (b"xl/", "an Excel workbook (.xlsx)", SAVE_SHEET),
    (b"opendocument.spreadsheet", "an OpenDocument spreadsheet (.ods)", SAVE_SHEET),
    (b".npy", "an archive of NumPy arrays (.npz)", ARRAY),
];

/// Where a tar archive says what it is.
const TAR: (usize, &[u8]) = (257, b"ustar");

impl Kind {
    /// What a file is in place of a table if it begins with a brace.
    pub(crate) const JSON: Self = Self { name: "a JSON file (GeoJSON, a model)", advice: VECTOR };

    /// What the file is that begins with `start`, unless it may be a text.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let kind = |&(_, name, advice): &(&[u8], &'static str, &'static str)| Self { name, advice };
        if start.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1)) {
            return Some(Self { name: "a tar archive", advice: UNPACK });
        }
        if is_page(start) {
            return Some(Self { name: "a web page", advice: PAGE });
        }
        let found = KINDS.iter().find(|(bytes, ..)| start.starts_with(bytes))?;
        if !is_binary(start) && found.0 != PDF {
            return None;
        }
        let holds = |name: &[u8]| start.windows(name.len()).any(|window| window == name);
        let archive = ARCHIVES.iter().filter(|_| found.0 == KINDS[0].0);
        Some(kind(archive.clone().find(|(name, ..)| holds(name)).unwrap_or(found)))
    }

    /// Whether the file is a spreadsheet.
    pub(crate) fn is_sheet(self) -> bool {
        self.advice == SAVE_SHEET
    }
}

/// Whether `start` holds bytes that no text has: others than letters, blanks and line ends, or no
/// UTF-8.
fn is_binary(start: &[u8]) -> bool {
    let is_odd = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let is_utf8 = |error: std::str::Utf8Error| error.error_len().is_none();
    start.iter().any(is_odd) || !std::str::from_utf8(start).map_or_else(is_utf8, |_| true)
}

/// Whether a file that begins with `start` is a web page.
fn is_page(start: &[u8]) -> bool {
    let start = start.strip_prefix(super::BYTE_ORDER_MARK).unwrap_or(start).trim_ascii_start();
    let begins =
        |word: &[u8]| start.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word));
    begins(b"<!doctype html") || begins(b"<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(start: &[u8]) -> Option<&'static str> {
        Kind::of(start).map(|kind| kind.name)
    }

    #[test]
    fn every_kind_is_known_by_its_first_bytes() {
        for (bytes, expected, _) in KINDS {
            assert_eq!(name(&[bytes, &b"\x15\0"[..]].concat()), Some(*expected));
        }
        let workbook = b"PK\x03\x04\x14\0\x06\0\x08\0........\x13\0\0\0[Content_Types].xml";
        assert_eq!(name(workbook), Some("an Excel workbook (.xlsx)"));
        assert_eq!(name(b"PK\x03\x04....points.npy"), Some("an archive of NumPy arrays (.npz)"));
        assert_eq!(name(b"\n <!DOCTYPE HTML><html>"), Some("a web page"));
        let mut tar = vec![b'x'; 300];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(name(&tar), Some("a tar archive"));
    }

    #[test]
    fn texts_are_none_of_them() {
        for text in [
            "",
            "x,y\n1,2\n",
            "PKD,1\n",
            "PAR1,x\n",
            "GRIB",
            "{\"a\": 1}",
            "\u{feff}id,a\n",
            ">a\nACGT",
        ] {
            assert_eq!(name(text.as_bytes()), None, "{text:?}");
        }
    }
}
