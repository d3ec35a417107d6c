//! Flags that say what stands in a table of data.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What distance means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Distance {
    /// Straight lines, in the units of the coordinates
    Euclidean,
    /// Along the sphere, in km; latitude and longitude in degrees
    GreatCircle,
    /// Straight through the sphere, in km; latitude and longitude in degrees; every covariance is
    /// one with it
    Chordal,
}

impl Distance {
    /// Its name on the command line and in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Euclidean => "euclidean",
            Self::GreatCircle => "great-circle",
            Self::Chordal => "chordal",
        }
    }

    /// The one called `name`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::value_variants().iter().copied().find(|distance| distance.name() == name)
    }

    /// Whether places are latitudes and longitudes.
    pub(crate) fn is_on_sphere(self) -> bool {
        self != Self::Euclidean
    }
}

/// Which columns are places.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Data")]
pub(crate) struct PlaceFlags {
    /// Coordinates, as names or numbers of columns or expressions ("lon,lat", "x/1000,y/1000")
    /// [default: the obvious names]
    #[arg(long, value_name = "X,Y[,Z]", allow_hyphen_values = true)]
    pub(crate) coords: Option<String>,
    /// What distance means [default: great-circle for latitude and longitude, else euclidean]
    #[arg(long, value_name = "NAME")]
    pub(crate) distance: Option<Distance>,
    /// Time, a column or an expression, for covariances in space and time
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
}

/// What is read from a table of observations.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataFlags {
    /// Observations, one per row: CSV with or without a header, any delimiter, also as .gz or .bz2;
    /// a GeoTIFF or classic NetCDF, a row per pixel
    ///
    /// Pixels with no value at all are left out. Columns of a GeoTIFF are x and y (lon and lat in
    /// degrees), the centres of its pixels, and its bands, by their names or as band1, band2, ...;
    /// those of NetCDF are its coordinates and variables. Parquet is read by programs that were
    /// built with it (cargo build --release --features parquet).
    #[arg(value_name = "DATA.csv", help_heading = None)]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) places: PlaceFlags,
    /// Observed values, a column or an expression ("log(zinc)"), of several variables a list
    /// [default: z, value, or the only numeric column left]
    #[arg(long, value_name = "Z[,Z2[,Z3]]", allow_hyphen_values = true)]
    pub(crate) values: Option<String>,
    /// --values lists replicates: independent fields at the same places
    ///
    /// They are of one variable. Their likelihood is one of all, from one factorisation; each has a
    /// mean of its own.
    #[arg(long, requires = "values")]
    pub(crate) replicates: bool,
    /// Known variance of the noise of each value, likewise ("error^2")
    #[arg(long, value_name = "V[,V2[,V3]]", allow_hyphen_values = true)]
    pub(crate) noise: Option<String>,
    /// Leave out rows with missing values, which are refused otherwise
    #[arg(long)]
    pub(crate) drop_missing: bool,
}
