//! The way between two places along the sphere of the Earth.

use std::f64::consts::PI;
use std::ops::Range;

use tegula_kernels::geometry::EARTH_RADIUS_KM;

use super::Points;
use super::panels::{PanelPairs, Rule};
use crate::distance::error::DistanceError;
use crate::distance::metric::{Metric, Of};
use crate::distance::pairs::Prepared;

/// Great circles.
pub(in crate::distance) const HAVERSINE: Metric = Metric {
    name: "haversine",
    summary: "km along the sphere; the columns are latitude and longitude in degrees",
    formula: "2 R asin(sqrt(sin^2((lat_y - lat_x) / 2) + cos(lat_x) cos(lat_y) sin^2((lon_y - lon_x) / 2)))",
    citation: "Sinnott (1984), Sky and Telescope 68:159; sklearn.metrics.pairwise.haversine_distances times 6371 km",
    has_triangle_inequality: true,
    of: Of::Points(prepare),
};

/// From the chord between unit vectors, of which the sum is the square: `2 R asin(chord / 2)`, and
/// beyond a quarter turn half a turn less the distance to the antipode. Rounding leaves some
/// nanometres.
///
/// The radius is 6371 km, as in the documentation of scikit-learn; geopy's 6371.009 km gives 1.4e-6
/// more.
#[derive(Debug)]
struct Haversine {
    places: Vec<[f64; 3]>,
}

impl Rule for Haversine {
    #[inline(always)]
    fn add<const FUSED: bool>(sum: f64, x: f64, y: f64) -> f64 {
        let difference = x - y;
        if FUSED { difference.mul_add(difference, sum) } else { difference * difference + sum }
    }

    #[inline(always)]
    fn finish(&self, row: usize, columns: Range<usize>, sums: &mut [f64]) {
        let from = self.places[row];
        for (chord, to) in sums.iter_mut().zip(&self.places[columns]) {
            let angle = if *chord <= 2.0 {
                2.0 * (0.5 * chord.sqrt()).asin()
            } else {
                let opposite: f64 = from.iter().zip(to).map(|(a, b)| (a + b) * (a + b)).sum();
                PI - 2.0 * (0.5 * opposite.sqrt()).asin()
            };
            *chord = EARTH_RADIUS_KM * angle;
        }
    }
}

fn prepare(points: Points) -> Prepared {
    let [latitude, longitude] = &points.columns[..] else {
        let text =
            format!("places are a latitude and a longitude, not {} columns", points.columns.len());
        return Err(DistanceError::Points(text));
    };
    for ((name, column, bound), at) in
        [("latitude", latitude, 90.0), ("longitude", longitude, 360.0)].into_iter().zip(0..)
    {
        let beyond = points.rows().position(|row| row[at].abs() > bound);
        if let Some(row) = beyond {
            let (value, point) = (points.coordinates[2 * row + at], &points.names[row]);
            return Err(DistanceError::Points(format!(
                "point {point} has {column} = {value}, which is no {name} in degrees; the first column is the \
                 latitude, the second the longitude"
            )));
        }
    }
    let places: Vec<[f64; 3]> = points.rows().map(unit).collect();
    let coordinates = places.as_flattened().to_vec();
    Ok(PanelPairs::new(Haversine { places }, 3, &coordinates))
}

/// The unit vector of a latitude and a longitude.
fn unit(degrees: &[f64]) -> [f64; 3] {
    let (latitude, longitude) = (degrees[0].to_radians(), degrees[1].to_radians());
    [latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()]
}
