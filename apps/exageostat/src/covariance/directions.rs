//! Covariances that depend on direction: of distance in coordinates that are turned and stretched.
//!
//! With a linear map `M` of coordinates the covariance of places that are `h` apart is that of the
//! length of `w = M h` (geometric anisotropy: J.-P. Chiles, P. Delfiner, "Geostatistics", 2nd
//! edition (2012), section 2.5.2). `M` leaves lengths along the first range as they are, so that
//! the function of distance has that range. Since `d|w| = w' dM M^-1 w / |w|`, the derivative by
//! any of its parameters is that by the logarithm of the range times `w_i w_j / w' w`:
//!
//! - by the angle, `i = 1` and `j = 2`, times `1/ratio - ratio`;
//! - by the logarithm of the ratio, `i = j = 2`;
//! - by the logarithm of the range along a coordinate, `i = j` its number.

use std::sync::LazyLock;

use tegula_kernels::geometry::Geometry;

use super::{COVARIANCES, Covariance, CovarianceError, Parameter, Scale, Validity};

/// The direction of the first range.
const ANGLE: Parameter = Parameter {
    name: "angle",
    meaning: "direction of the range, in degrees counter-clockwise from the first coordinate",
    default: 0.0,
    above: -360.0,
    most: 360.0,
    search: (0.0, 180.0),
    scale: Scale::Angle,
};

/// How much shorter the other one is.
const RATIO: Parameter = Parameter {
    name: "ratio",
    meaning: "range across that direction, in units of the range along it",
    default: 0.5,
    above: 0.0,
    most: 1.0,
    search: (0.01, 1.0),
    scale: Scale::Logarithm,
};

/// How a covariance depends on direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directions {
    /// Not at all.
    None,
    /// By the angle of its range and the ratio of the range across to it, the last two parameters.
    Angle,
    /// By a range along each of so many coordinates, the parameters after the variance.
    Axes(usize),
}

impl Directions {
    /// Of each parameter but the variance, for a function of distance with so many `shapes`: the
    /// derivative of that function which its own is made of, its factor, and the coordinates that
    /// it goes by.
    pub(super) fn derivatives(
        self,
        values: &[f64],
        shapes: usize,
    ) -> Vec<(usize, f64, Option<[usize; 2]>)> {
        let plain = |index: usize| (index, 1.0, None);
        match self {
            Self::None => (0..shapes).map(plain).collect(),
            Self::Angle => {
                let ratio = values[values.len() - 1];
                let own = [(0, ratio.recip() - ratio, Some([0, 1])), (0, 1.0, Some([1, 1]))];
                (0..shapes).map(plain).chain(own).collect()
            }
            Self::Axes(count) => {
                let own = (0..count).map(|axis| (0, 1.0, Some([axis, axis])));
                own.chain((1..shapes).map(plain)).collect()
            }
        }
    }
}

/// A form of covariances that depends on direction.
#[derive(Debug)]
pub struct Form {
    /// What follows the name of a covariance and a colon.
    pub name: &'static str,
    /// Which parameters it has, in words.
    pub parameters: &'static str,
    /// What distance in units of the range is.
    pub formula: &'static str,
    /// Where the places lie.
    pub geometry: Geometry,
    directions: Directions,
}

/// All forms.
pub static FORMS: &[Form] = &[
    Form {
        name: "anisotropic",
        parameters: "those of NAME, angle, ratio",
        formula: "d/range the length of (u/range, v/(ratio range)), u along angle and v across it",
        geometry: Geometry::Plane,
        directions: Directions::Angle,
    },
    Form {
        name: "xy",
        parameters: "range_x, range_y instead of range",
        formula: "d/range the length of (x/range_x, y/range_y)",
        geometry: Geometry::Plane,
        directions: Directions::Axes(2),
    },
    Form {
        name: "xyz",
        parameters: "range_x, range_y, range_z instead of range",
        formula: "d/range the length of (x/range_x, y/range_y, z/range_z)",
        geometry: Geometry::Space,
        directions: Directions::Axes(3),
    },
];

/// Every covariance of the list in every one of the [`FORMS`], with names as `matern:anisotropic`.
pub static DIRECTIONAL: LazyLock<Vec<Covariance>> = LazyLock::new(|| {
    COVARIANCES.iter().flat_map(|listed| FORMS.iter().map(|form| directed(listed, form))).collect()
});

/// A listed covariance in a form; what is made of names lives as long as the program.
fn directed(listed: &'static Covariance, form: &'static Form) -> Covariance {
    let radial = listed.by_distance.unwrap_or(listed);
    let leaked = |text: String| -> &'static str { String::leak(text) };
    let range = radial.parameters[1];
    let along = |(axis, name): (&str, &'static str)| {
        let meaning = leaked(format!("{}, along {axis}", range.meaning));
        Parameter { name, meaning, ..range }
    };
    let axes = [("x", "range_x"), ("y", "range_y"), ("z", "range_z")];
    let (first, rest) = (&radial.parameters[..1], &radial.parameters[2..]);
    let parameters: Vec<Parameter> = match form.directions {
        Directions::Axes(count) => {
            let ranges = axes[..count].iter().copied().map(along);
            first.iter().copied().chain(ranges).chain(rest.iter().copied()).collect()
        }
        _ => {
            let range = along(("the angle", range.name));
            let own = rest.iter().copied().chain([ANGLE, RATIO]);
            first.iter().copied().chain([range]).chain(own).collect()
        }
    };
    Covariance {
        name: leaked(format!("{}:{}", listed.name, form.name)),
        parameters: parameters.leak(),
        formula: leaked(format!("{}, {}", radial.formula, form.formula)),
        validity: if form.geometry == Geometry::Space { "in space" } else { "in the plane" },
        great_circle: Validity::Never,
        directions: form.directions,
        by_distance: None,
        ..*radial
    }
}

impl Covariance {
    /// The geometry of the places that it is for, if it has directions.
    #[must_use]
    pub fn geometry(&self) -> Option<Geometry> {
        match self.directions {
            Directions::None => None,
            Directions::Axes(3) => Some(Geometry::Space),
            Directions::Angle | Directions::Axes(_) => Some(Geometry::Plane),
        }
    }

    /// Whether it is one of places in this `geometry`.
    ///
    /// # Errors
    /// If it has directions, and they are of another geometry.
    pub fn check_geometry(&self, geometry: Geometry) -> Result<(), CovarianceError> {
        match self.geometry() {
            Some(wanted) if wanted != geometry => {
                Err(CovarianceError::Geometry { covariance: self.name, wanted, found: geometry })
            }
            _ => Ok(()),
        }
    }

    /// The parameter that is an angle, after which stands the ratio of ranges, if it has one.
    #[must_use]
    pub fn angle(&self) -> Option<usize> {
        (self.directions == Directions::Angle).then(|| self.parameters.len() - 2)
    }

    /// How many of the parameters after the variance are ranges of distance.
    #[must_use]
    pub fn ranges(&self) -> usize {
        if let Directions::Axes(count) = self.directions { count } else { 1 }
    }

    /// The parameters of its function of distance, from all.
    pub(super) fn radial(&self, values: &[f64]) -> Vec<f64> {
        match self.directions {
            Directions::None => values.to_vec(),
            Directions::Angle => values[..values.len() - 2].to_vec(),
            Directions::Axes(count) => [&values[..2], &values[1 + count..]].concat(),
        }
    }

    /// The directions along which and across which it is what it is, in words, with how many times
    /// as long distances along them count: of a covariance without directions one without words.
    ///
    /// # Panics
    /// If the values do not [`check`](Self::check).
    #[must_use]
    pub fn principal(&self, values: &[f64]) -> Vec<(String, f64)> {
        match self.directions {
            Directions::None => vec![(String::new(), 1.0)],
            Directions::Angle => {
                let [angle, ratio] = [2, 1].map(|last| values[values.len() - last]);
                let along = |angle: f64| format!("along {:.1} degrees", angle.rem_euclid(180.0));
                vec![(along(angle), 1.0), (along(angle + 90.0), ratio.recip())]
            }
            Directions::Axes(count) => {
                let axes = ["x", "y", "z"].iter().zip(&values[1..=count]);
                axes.map(|(axis, range)| (format!("along {axis}"), values[1] / range)).collect()
            }
        }
    }

    /// What distance is measured by, if not as it is.
    ///
    /// # Errors
    /// As [`check_geometry`](Self::check_geometry), and [`check`](Self::check).
    pub fn metric(
        &self,
        geometry: Geometry,
        values: &[f64],
    ) -> Result<Option<Metric>, CovarianceError> {
        self.check_geometry(geometry)?;
        self.check(values)?;
        let mut matrix = [[0.0; 3]; 3];
        match self.directions {
            Directions::None => return Ok(None),
            Directions::Angle => {
                let [angle, ratio] = [2, 1].map(|last| values[values.len() - last]);
                let (sin, cos) = angle.to_radians().sin_cos();
                matrix[0] = [cos, sin, 0.0];
                matrix[1] = [-sin / ratio, cos / ratio, 0.0];
            }
            Directions::Axes(count) => {
                (0..count).for_each(|axis| matrix[axis][axis] = values[1] / values[1 + axis]);
            }
        }
        Ok(Some(Metric { matrix }))
    }
}

/// A linear map of coordinates: lengths of what it makes of places are distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// By rows; of coordinates that places lack, 0.
    pub matrix: [[f64; 3]; 3],
}

impl Metric {
    /// What it makes of a place, or of what lies between two.
    #[must_use]
    pub fn of(&self, at: [f64; 3]) -> [f64; 3] {
        self.matrix.map(|row| row[0] * at[0] + row[1] * at[1] + row[2] * at[2])
    }
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    /// Along the angle the range is the range, across it is shorter by the ratio.
    #[test]
    fn a_metric_stretches_what_lies_across() {
        let exponential = find("exponential:anisotropic").expect("listed");
        let metric = exponential.metric(Geometry::Plane, &[2.0, 0.3, 30.0, 0.25]);
        let metric = metric.expect("parameters").expect("it has directions");
        let (sin, cos) = 30f64.to_radians().sin_cos();
        let length = |at: [f64; 3]| metric.of(at).iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((length([cos, sin, 0.0]) - 1.0).abs() < 1e-15);
        assert!((length([-sin, cos, 0.0]) - 4.0).abs() < 1e-14);
        let directions = exponential.principal(&[2.0, 0.3, 30.0, 0.25]);
        assert_eq!(directions[0], ("along 30.0 degrees".to_owned(), 1.0));
        assert_eq!(directions[1], ("along 120.0 degrees".to_owned(), 4.0));
    }

    #[test]
    fn every_covariance_has_every_form() {
        assert_eq!(DIRECTIONAL.len(), FORMS.len() * COVARIANCES.len());
        let names = |name: &str| -> Vec<&str> {
            find(name).expect("listed").parameters.iter().map(|one| one.name).collect()
        };
        let angle = ["variance", "range", "smoothness", "angle", "ratio"];
        assert_eq!(names("matern:anisotropic"), angle);
        assert_eq!(names("cauchy:xy"), ["variance", "range_x", "range_y", "power", "decay"]);
        assert_eq!(names("wendland:xyz"), ["variance", "range_x", "range_y", "range_z"]);
        for covariance in DIRECTIONAL.iter() {
            assert_eq!(covariance.check(&covariance.defaults()), Ok(()), "{}", covariance.name);
            assert!(covariance.check_geometry(Geometry::GreatCircle).is_err());
        }
    }

    /// The range of a powered exponential without directions is no distance: its power is.
    #[test]
    fn ranges_of_directions_are_distances() {
        let [plain, with] = ["powered-exponential", "powered-exponential:anisotropic"]
            .map(|name| find(name).expect("listed"));
        let plain = plain.function(&[2.0, 0.3f64.powf(1.5), 1.5]);
        let with = with.function(&[2.0, 0.3, 1.5, 20.0, 0.5]);
        assert!((plain(0.4) - with(0.4)).abs() < 1e-15);
    }
}
