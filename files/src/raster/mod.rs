//! Values at the nodes of a regular grid, written as rasters that maps are made of: GeoTIFF and
//! NetCDF.
//!
//! Values come node by node, the first coordinate running fastest and each from its least node up,
//! and go into the file in that order, so that of a raster of any size only a row is held.

mod geotiff;
mod netcdf;

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// Nodes at equal distances along a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nodes {
    /// The first one.
    pub from: f64,
    /// The last one, not less.
    pub to: f64,
    /// Their distance, positive also where there is one node.
    pub step: f64,
    /// How many there are, 1 at least.
    pub count: usize,
}

impl Nodes {
    /// The node at `place`, counted from 0. Both ends are exact, and nodes of round numbers round.
    pub fn node(&self, place: usize) -> f64 {
        let last = (self.count - 1) as f64;
        if last == 0.0 {
            return self.from;
        }
        let place = place as f64;
        (self.from * (last - place) + self.to * place) / last
    }
}

/// What a coordinate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Of a line, the plane or space: the first, second and third.
    Straight,
    /// Degrees to the north.
    Latitude,
    /// Degrees to the east.
    Longitude,
}

/// A coordinate of a raster.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its nodes.
    pub nodes: Nodes,
    /// What it is.
    pub direction: Direction,
}

/// A regular grid, and what there is at each of its nodes.
#[derive(Clone, Debug)]
pub struct Raster {
    /// The coordinates, the fastest first.
    pub axes: Vec<Axis>,
    /// Names of the values at a node: bands, variables.
    pub columns: Vec<String>,
}

impl Raster {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.axes.iter().map(|axis| axis.nodes.count).product()
    }
}

/// A format of rasters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RasterFormat {
    /// GeoTIFF, uncompressed, in double precision, all values of a pixel together; BigTIFF above
    /// 4 GiB.
    GeoTiff,
    /// NetCDF in its classic format with CF's conventions, in double precision; CDF-5 where a row
    /// is longer than 2 GiB.
    NetCdf,
}

impl RasterFormat {
    /// The format that the end of a file's name tells.
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "tif" | "tiff" => Some(Self::GeoTiff),
            "nc" => Some(Self::NetCdf),
            _ => None,
        }
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::GeoTiff => "GeoTIFF",
            Self::NetCdf => "NetCDF",
        }
    }

    /// Whether `raster` can be written so.
    ///
    /// # Errors
    /// With the reason why not.
    pub fn check(self, raster: &Raster) -> Result<(), RasterError> {
        match self {
            Self::GeoTiff => geotiff::check(raster),
            Self::NetCdf => Ok(()),
        }
    }
}

/// Why a raster cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RasterError {
    /// GeoTIFF has two coordinates: how many there are.
    Axes(usize),
    /// In GeoTIFF longitudes run along the rows, and latitudes do here.
    Turned,
    /// There are too many bands for GeoTIFF: how many.
    Bands(usize),
    /// There are too many pixels along a coordinate for GeoTIFF: its name, and how many.
    Pixels(String, usize),
}

impl fmt::Display for RasterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Axes(count) => {
                write!(f, "a GeoTIFF has two coordinates, not {count}; NetCDF takes any number")
            }
            Self::Turned => f.write_str(
                "the rows of a GeoTIFF run along the longitude: give the longitude first, or write \
                 NetCDF",
            ),
            Self::Bands(count) => {
                write!(f, "a GeoTIFF has {} bands at most, not {count}", u16::MAX)
            }
            Self::Pixels(name, count) => {
                write!(f, "a GeoTIFF has {} pixels along {name} at most, not {count}", u32::MAX)
            }
        }
    }
}

impl std::error::Error for RasterError {}

/// Writes a raster, nodes after nodes.
pub struct RasterWriter<'a> {
    out: &'a mut dyn Write,
    format: RasterFormat,
    /// Nodes that are still to come.
    left: usize,
    records: netcdf::Records,
}

impl<'a> RasterWriter<'a> {
    /// Begins the file.
    ///
    /// # Errors
    /// Those of `out`.
    ///
    /// # Panics
    /// If [`RasterFormat::check`] refuses the raster.
    pub fn new(out: &'a mut dyn Write, format: RasterFormat, raster: &Raster) -> io::Result<Self> {
        assert_eq!(format.check(raster), Ok(()), "a raster that can be written");
        match format {
            RasterFormat::GeoTiff => geotiff::write_head(out, raster)?,
            RasterFormat::NetCdf => netcdf::write_head(out, raster)?,
        }
        let (left, records) = (raster.nodes(), netcdf::Records::new(raster));
        Ok(Self { out, format, left, records })
    }

    /// Writes the next nodes: a column for each of the raster's, with a value for each node.
    ///
    /// # Errors
    /// Those of the output.
    ///
    /// # Panics
    /// If a column is lacking or longer than others, or there are more nodes than the raster has.
    pub fn write(&mut self, columns: &[Vec<f64>]) -> io::Result<()> {
        assert_eq!(columns.len(), self.records.columns(), "columns of a raster");
        let nodes = columns.first().map_or(0, Vec::len);
        assert!(columns.iter().all(|column| column.len() == nodes), "values of a column");
        self.left = self.left.checked_sub(nodes).expect("no more nodes than the raster has");
        match self.format {
            RasterFormat::GeoTiff => geotiff::write(self.out, columns),
            RasterFormat::NetCdf => self.records.write(self.out, columns),
        }
    }

    /// Ends the file.
    ///
    /// # Panics
    /// If nodes are lacking.
    pub fn finish(self) {
        assert_eq!(self.left, 0, "nodes of a raster that are lacking");
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A raster of 3 x 2 nodes, with its values.
    pub(crate) fn small() -> (Raster, Vec<Vec<f64>>) {
        let axis = |name: &str, from, to, step, count| Axis {
            name: name.to_owned(),
            nodes: Nodes { from, to, step, count },
            direction: Direction::Straight,
        };
        let axes = vec![axis("x", 1.0, 2.0, 0.5, 3), axis("y", 10.0, 14.0, 4.0, 2)];
        let columns = vec!["mean".to_owned(), "a/b".to_owned()];
        let mean = vec![0.5, 1.5, 2.5, 3.5, 4.5, 5.5];
        let other = vec![-1.0, f64::NAN, -3.0, -4.0, -5.0, -6.0];
        (Raster { axes, columns }, vec![mean, other])
    }

    /// The file of a raster whose values come `nodes` at a time.
    pub(crate) fn written(
        format: RasterFormat,
        raster: &Raster,
        columns: &[Vec<f64>],
        nodes: usize,
    ) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = RasterWriter::new(&mut out, format, raster).expect("begun");
        for first in (0..raster.nodes()).step_by(nodes) {
            let end = (first + nodes).min(raster.nodes());
            let part: Vec<Vec<f64>> = columns.iter().map(|c| c[first..end].to_vec()).collect();
            writer.write(&part).expect("written");
        }
        writer.finish();
        out
    }

    #[test]
    fn parts_of_any_length_make_the_same_file() {
        let (raster, columns) = small();
        for format in [RasterFormat::GeoTiff, RasterFormat::NetCdf] {
            let whole = written(format, &raster, &columns, 6);
            for nodes in 1..6 {
                assert_eq!(written(format, &raster, &columns, nodes), whole, "{format:?}");
            }
        }
    }

    #[test]
    fn names_tell_formats() {
        let of = |name: &str| RasterFormat::of_name(Path::new(name));
        assert_eq!(of("a/map.TIF"), Some(RasterFormat::GeoTiff));
        assert_eq!(of("map.tiff"), Some(RasterFormat::GeoTiff));
        assert_eq!(of("map.nc"), Some(RasterFormat::NetCdf));
        assert!([".nc", "-", "nc", "map.csv", "map.nc4"].iter().all(|name| of(name).is_none()));
    }

    #[test]
    fn nodes_are_as_round_as_their_ends() {
        let nodes = Nodes { from: 178_460.0, to: 181_540.0, step: 40.0, count: 78 };
        assert!((0..78).all(|i| nodes.node(i) == 178_460.0 + 40.0 * i as f64));
        let one = Nodes { from: 3.0, to: 3.0, step: 1.0, count: 1 };
        assert_eq!(one.node(0), 3.0);
    }
}
