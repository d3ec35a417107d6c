//! Whose random numbers, and places, `tegula exageostat sample` takes.

use anyhow::Result;
use clap::ValueEnum;
use tegula_exageostat::sample::exageostat::{self, MAX_SEED};
use tegula_exageostat::sample::{Random, scattered_places};
use tegula_kernels::geometry::{Geometry, Points};

use crate::error::refused;

/// Values of `--generator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Generator {
    /// Those of this program
    Tegula,
    /// Those of ExaGeoStat, to draw its fields again: in the plane, --seed up to 4095
    Exageostat,
}

impl Generator {
    /// Its stream of `seed`.
    pub(super) fn stream(self, seed: u64) -> Result<Stream> {
        match self {
            Self::Tegula => Ok(Stream::Tegula(Box::new(Random::new(seed)))),
            Self::Exageostat => match u16::try_from(seed) {
                Ok(seed) if seed <= MAX_SEED => Ok(Stream::Exageostat(seed)),
                _ => Err(refused(format!(
                    "--seed {seed} is above {MAX_SEED}, the last one that --generator exageostat \
                     tells from others"
                ))),
            },
        }
    }
}

/// A generator with its seed.
pub(super) enum Stream {
    Tegula(Box<Random>),
    Exageostat(u16),
}

impl Stream {
    /// The order in which a field of so many `variables` at `n` places is drawn, of values that
    /// stand variable by variable.
    pub(super) fn order(&self, n: usize, variables: usize) -> Vec<usize> {
        match self {
            Self::Tegula(_) => (0..n * variables).collect(),
            // Place by place.
            Self::Exageostat(_) => {
                (0..n).flat_map(|i| (0..variables).map(move |v| v * n + i)).collect()
            }
        }
    }

    /// Refuses places at several times.
    ///
    /// # Errors
    /// If the generator's are not known.
    pub(super) fn check_times(&self) -> Result<()> {
        match self {
            Self::Tegula(_) => Ok(()),
            Self::Exageostat(_) => Err(refused(
                "--times: ExaGeoStat draws other places at each time, in an order that is not \
                 documented, so that --generator exageostat has none in space and time; name a \
                 table of places with --at, or leave the generator out",
            )),
        }
    }

    /// `count` standard normal numbers.
    pub(super) fn normals(&mut self, count: usize) -> Vec<f64> {
        match self {
            Self::Tegula(random) => random.normals(count),
            Self::Exageostat(seed) => exageostat::normals(count, *seed),
        }
    }

    /// `n` scattered places with their coordinates.
    pub(super) fn places(
        &mut self,
        geometry: Geometry,
        n: usize,
    ) -> Result<(Points, Vec<Vec<f64>>)> {
        match self {
            Self::Tegula(random) => Ok(scattered_places(geometry, n, random)?),
            Self::Exageostat(seed) if geometry == Geometry::Plane => {
                Ok(exageostat::places(n, *seed)?)
            }
            Self::Exageostat(_) => Err(refused(
                "--generator exageostat draws places in the plane; leave --dimensions and \
                 --distance out, or name a table with --at",
            )),
        }
    }
}
