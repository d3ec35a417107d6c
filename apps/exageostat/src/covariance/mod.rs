//! The list of covariances: for each its parameters, formula, direct value and radial table.
//!
//! A new covariance is a new file and one line in [`COVARIANCES`]. It gives its value at a
//! distance, for tests and for single values, and a [`RadialTable`], from which the kernel fills
//! tiles; both take the variance and the range among the parameters. The nugget is apart, and
//! available to all. Of each there are forms that depend on [directions](DIRECTIONAL).

mod cauchy;
pub mod composite;
mod directions;
mod exponential;
mod gaussian;
mod law;
mod matern;
pub mod measure;
mod powered_exponential;
mod spherical;
mod wendland;

use composite::Composition;
pub use composite::{COMPOSITES, Role};
use directions::Directions;
pub use directions::{DIRECTIONAL, FORMS, Form, Metric};
pub use law::Law;
use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::{Derivative, RadialTable, Row, SmallDerivative};
use thiserror::Error;

/// All covariances.
pub static COVARIANCES: &[Covariance] = &[
    matern::MATERN,
    exponential::EXPONENTIAL,
    gaussian::GAUSSIAN,
    powered_exponential::POWERED_EXPONENTIAL,
    spherical::SPHERICAL,
    cauchy::CAUCHY,
    wendland::WENDLAND,
    matern::SCALED_MATERN,
];

/// A parameter of a covariance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name in flags, files and output.
    pub name: &'static str,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// Value where none is given.
    pub default: f64,
    /// It must be greater than this.
    pub above: f64,
    /// It must not be greater than this.
    pub most: f64,
    /// Interval in which a fit searches unless told otherwise; the range's is in units of the
    /// largest distance in the data, the variance's in units of their sample variance.
    pub search: (f64, f64),
    /// In which coordinate it is searched, and derivatives are taken.
    pub scale: Scale,
}

/// A coordinate of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Its logarithm.
    Logarithm,
    /// An angle in degrees in radians; half a turn changes nothing.
    Angle,
    /// The value itself.
    Identity,
}

impl Scale {
    /// The coordinate of `value`.
    #[must_use]
    pub fn coordinate(self, value: f64) -> f64 {
        match self {
            Self::Logarithm => value.ln(),
            Self::Angle => value.to_radians(),
            Self::Identity => value,
        }
    }

    /// The value at a `coordinate`; of angles any, not only those within half a turn.
    #[must_use]
    pub fn value(self, coordinate: f64) -> f64 {
        match self {
            Self::Logarithm => coordinate.exp(),
            Self::Angle => coordinate.to_degrees(),
            Self::Identity => coordinate,
        }
    }

    /// The derivative of the value by the coordinate, where it is `value`.
    #[must_use]
    pub fn slope(self, value: f64) -> f64 {
        match self {
            Self::Logarithm => value,
            Self::Angle => 1f64.to_degrees(),
            Self::Identity => 1.0,
        }
    }
}

impl Parameter {
    /// As [`above`](Self::above), of one that may be 0.
    pub(crate) const NOT_NEGATIVE: f64 = -f64::MIN_POSITIVE;

    /// Where its values begin, in words.
    #[must_use]
    pub fn beginning(&self) -> String {
        beginning(self.above)
    }

    /// Whether it may be 0, and not less.
    #[must_use]
    pub fn may_be_zero(&self) -> bool {
        self.above == Self::NOT_NEGATIVE
    }
}

/// The sill: covariance at distance 0.
const VARIANCE: Parameter = Parameter {
    name: "variance",
    meaning: "covariance at distance 0, in squared units of the data",
    default: 1.0,
    // Tail from the ends of the numbers, so that products of covariances are numbers, too.
    above: 1e-80,
    most: 1e80,
    search: (0.01, 100.0),
    scale: Scale::Logarithm,
};

/// The scale of distance.
const RANGE: Parameter = Parameter {
    name: "range",
    meaning: "scale of distance, in its units",
    default: 0.1,
    above: 0.0,
    most: f64::MAX,
    search: (0.001, 2.0),
    scale: Scale::Logarithm,
};

/// A covariance as a function of distance.
#[derive(Clone, Copy, Debug)]
pub struct Covariance {
    /// Name in flags, files and output.
    pub name: &'static str,
    /// The parameters, in the order of their values everywhere.
    pub parameters: &'static [Parameter],
    /// The formula in terms of the parameters and the distance `d > 0`.
    pub formula: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// Where it is a covariance, in words.
    pub validity: &'static str,
    /// Whether it is exactly 0 from some distance on.
    pub is_compact: bool,
    /// Smoothness or power up to which it is known to be a covariance of great-circle distance.
    great_circle: Validity,
    /// How it depends on direction.
    directions: Directions,
    /// The one whose range is a distance, where its own is not.
    by_distance: Option<&'static Self>,
    /// What it is put together from, if it is.
    composition: Option<Composition>,
    function: fn(&[f64]) -> Function,
    tabulate: fn(&[f64], f64, &mut RadialTable),
    /// By the logarithm of each parameter of the function of distance but the variance, in units of
    /// the covariance, or, where it is compact, of the variance.
    derivatives: fn(&[f64]) -> Vec<Partial>,
}

/// A derivative by the logarithm of a parameter: `factor` times a function of the scaled distance.
struct Partial {
    function: Box<dyn Derivative>,
    factor: f64,
}

impl Partial {
    fn new(function: impl Derivative + 'static, factor: f64) -> Self {
        Self { function: Box::new(function), factor }
    }
}

/// A derivative that is `x^power (b + log ln(x^2))` everywhere.
struct PowerLaw {
    b: f64,
    log: f64,
    power: f64,
}

impl Derivative for PowerLaw {
    fn values(&self, x: &Row) -> Row {
        x.map(|x| x.powf(self.power) * (self.b + self.log * (x * x).ln()))
    }

    fn near(&self) -> SmallDerivative {
        SmallDerivative::Power { b: [self.b, 0.0, 0.0], log: self.log, power: 0.5 * self.power }
    }
}

/// A function of distance.
pub type Function = Box<dyn Fn(f64) -> f64 + Send + Sync>;

/// Whether a covariance holds with great-circle distance.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Validity {
    /// For all parameters.
    Always,
    /// For none.
    Never,
    /// Nobody knows.
    Unknown,
    /// If parameter `index` is at most `most`.
    UpTo {
        /// Index of the parameter.
        index: usize,
        /// The bound.
        most: f64,
    },
}

/// Why a covariance cannot be had.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CovarianceError {
    /// No such name in the list.
    #[error(
        "there is no covariance \"{name}\"; there are {}, of each NAME:{}, and sums of them, as \
         matern+exponential",
        names(),
        forms(", NAME:")
    )]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// Another number of parameters.
    #[error("{covariance} takes {expected} parameters, not {found}")]
    Count {
        /// The covariance.
        covariance: &'static str,
        /// Parameters it has.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// A parameter out of its bounds.
    #[error(
        "{parameter} of {covariance} is {}; it must be {}{}", plain(*value), beginning(*above), at_most(*most)
    )]
    Parameter {
        /// The covariance.
        covariance: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value given.
        value: f64,
        /// The bound below.
        above: f64,
        /// The bound above.
        most: f64,
    },
    /// Places of another geometry than directions are of.
    #[error("{covariance} is for places {}; these lie {}", place(*wanted), place(*found))]
    Geometry {
        /// The covariance.
        covariance: &'static str,
        /// Where it is one.
        wanted: Geometry,
        /// Where the places lie.
        found: Geometry,
    },
    /// Parameters that are each in their bounds, and do not go together.
    #[error("{covariance}: {flaw}")]
    Together {
        /// The covariance.
        covariance: &'static str,
        /// What is wrong.
        flaw: String,
    },
    /// A nugget that is negative, infinite or NaN.
    #[error("the nugget is {}; it must be 0 or more", plain(*value))]
    Nugget {
        /// The value given.
        value: f64,
    },
}

/// Whether `nugget` is one.
fn check_nugget(nugget: f64) -> Result<(), CovarianceError> {
    if nugget >= 0.0 && nugget.is_finite() {
        Ok(())
    } else {
        Err(CovarianceError::Nugget { value: nugget })
    }
}

/// The bound below, in words.
pub(crate) fn beginning(above: f64) -> String {
    if above == Parameter::NOT_NEGATIVE {
        "0 or more".to_owned()
    } else if above == -f64::MAX {
        "any number".to_owned()
    } else {
        format!("above {}", plain(above))
    }
}

/// The bound above, for messages; none for a parameter without one.
pub(crate) fn at_most(most: f64) -> String {
    if most < f64::MAX { format!(" and at most {}", plain(most)) } else { String::new() }
}

/// Where places lie, for messages.
fn place(geometry: Geometry) -> &'static str {
    match geometry {
        Geometry::Line => "on a line, with one coordinate",
        Geometry::Plane => "in the plane, with two coordinates",
        Geometry::Space => "in space, with three coordinates",
        Geometry::GreatCircle => "on the sphere (latitude and longitude)",
    }
}

/// A number for messages: with an exponent if it is very large or small.
#[must_use]
pub fn plain(x: f64) -> String {
    let is_usual = x == 0.0 || (1e-4..1e9).contains(&x.abs());
    if is_usual || !x.is_finite() { x.to_string() } else { format!("{x:e}") }
}

/// The names in the list, for messages.
fn names() -> String {
    let all = COVARIANCES.iter().chain(COMPOSITES);
    all.map(|c| c.name).collect::<Vec<_>>().join(", ")
}

/// The names of the forms that depend on direction, for messages.
fn forms(separator: &str) -> String {
    FORMS.iter().map(|form| form.name).collect::<Vec<_>>().join(separator)
}

/// The covariance of a name, of the list, of [`DIRECTIONAL`], of [`COMPOSITES`], or a sum of those
/// of the list.
///
/// # Errors
/// If there is none.
pub fn find(name: &str) -> Result<&'static Covariance, CovarianceError> {
    let all = COVARIANCES.iter().chain(&*DIRECTIONAL).chain(COMPOSITES);
    let found = { all }.find(|c| c.name == name).or_else(|| composite::sum(name));
    found.ok_or_else(|| CovarianceError::Unknown { name: name.to_owned() })
}

impl Covariance {
    /// Whether the values are parameters of this covariance.
    ///
    /// # Errors
    /// If they are too many or too few, or one is out of its bounds.
    pub fn check(&self, values: &[f64]) -> Result<(), CovarianceError> {
        let (expected, found) = (self.parameters.len(), values.len());
        if expected != found {
            return Err(CovarianceError::Count { covariance: self.name, expected, found });
        }
        for (parameter, &value) in self.parameters.iter().zip(values) {
            let &Parameter { name, above, most, .. } = parameter;
            if !(value > above && value <= most) {
                let (covariance, parameter) = (self.name, name);
                return Err(CovarianceError::Parameter {
                    covariance,
                    parameter,
                    value,
                    above,
                    most,
                });
            }
        }
        match self.composition.and_then(|composition| (composition.flaw)(values)) {
            Some(flaw) => Err(CovarianceError::Together { covariance: self.name, flaw }),
            None => Ok(()),
        }
    }

    /// A warning if these values are not known to give a covariance in this geometry.
    ///
    /// The bounds on the sphere are those of T. Gneiting, "Strictly and non-strictly positive
    /// definite functions on spheres", Bernoulli 19 (2013) 1327-1349, table 1.
    ///
    /// # Panics
    /// If there are fewer values than parameters.
    #[must_use]
    pub fn caution(&self, geometry: Geometry, values: &[f64]) -> Option<String> {
        let name = self.name;
        if geometry == Geometry::Space && self.is_planar() {
            return Some(format!(
                "{name} is a covariance {}, and may be none with places in space",
                self.validity
            ));
        }
        if geometry != Geometry::GreatCircle {
            return None;
        }
        match self.great_circle {
            Validity::Always => None,
            Validity::Never => Some(format!("{name} is not a covariance of great-circle distance")),
            Validity::Unknown => {
                Some(format!("{name} is not known to be a covariance of great-circle distance"))
            }
            Validity::UpTo { index, most } if values[index] <= most => None,
            Validity::UpTo { index, most } => Some(format!(
                "{name} is a covariance of great-circle distance only for {} up to {most}, not {:.6}",
                self.parameters[index].name, values[index]
            )),
        }
    }

    /// The parameter that must not be larger than the given bound with great-circle distance, if
    /// there is one.
    #[must_use]
    pub fn sphere_bound(&self) -> Option<(&'static str, f64)> {
        match self.great_circle {
            Validity::UpTo { index, most } => Some((self.parameters[index].name, most)),
            Validity::Always | Validity::Never | Validity::Unknown => None,
        }
    }

    /// The covariance as a function of distance `d >= 0`, evaluated directly: slow and plain. One
    /// that depends on direction is that along its first range; of several variables it is that of
    /// the first, and in space and time that at one time.
    ///
    /// # Panics
    /// If the values do not [`check`](Self::check).
    #[must_use]
    pub fn function(&self, values: &[f64]) -> Function {
        if let Err(error) = self.check(values) {
            panic!("{error}");
        }
        match &self.composition {
            Some(composition) => composition.function(values),
            None => (self.function)(&self.radial(values)),
        }
    }

    /// Fills the table of these parameters and `nugget`.
    ///
    /// # Errors
    /// If a parameter or the nugget is out of its bounds.
    ///
    /// # Panics
    /// If it is put together from several ([`is_radial`](Self::is_radial)).
    pub fn tabulate(
        &self,
        values: &[f64],
        nugget: f64,
        table: &mut RadialTable,
    ) -> Result<(), CovarianceError> {
        self.check(values)?;
        check_nugget(nugget)?;
        (self.tabulate)(&self.radial(values), nugget, table);
        Ok(())
    }

    /// The table of these parameters and `nugget`; of a covariance that depends on direction it is
    /// of distances by its [`metric`](Self::metric).
    ///
    /// # Errors
    /// As [`tabulate`](Self::tabulate).
    pub fn table(&self, values: &[f64], nugget: f64) -> Result<Box<RadialTable>, CovarianceError> {
        let mut table = RadialTable::empty();
        self.tabulate(values, nugget, &mut table)?;
        Ok(table)
    }

    /// The table of these parameters, without nugget, and those of the derivatives by the
    /// coordinates ([`Scale`]) of all but the variance: relative to the covariance unless it is
    /// compact.
    ///
    /// # Errors
    /// As [`tabulate`](Self::tabulate).
    pub fn score_tables(&self, values: &[f64]) -> Result<Vec<RadialTable>, CovarianceError> {
        let mut tables = vec![*self.table(values, 0.0)?];
        let partials = (self.derivatives)(&self.radial(values));
        for (index, times, axes) in self.directions.derivatives(values, partials.len()) {
            let (Partial { function, factor }, mut table) =
                (&partials[index], RadialTable::empty());
            table.tabulate_derivative(&**function, times * factor, &tables[0]);
            if let Some(axes) = axes {
                table.set_axes(axes);
            }
            tables.push(*table);
        }
        debug_assert_eq!(tables.len(), self.parameters.len(), "a table for each parameter");
        Ok(tables)
    }

    /// The default of every parameter.
    #[must_use]
    pub fn defaults(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.default).collect()
    }
}
