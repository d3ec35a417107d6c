//! The exponential covariance: the Matern covariance of smoothness 1/2.

use tegula_kernels::kernel::covariance::{Correlation, SmallExpansion};

use super::{Covariance, Directions, Partial, PowerLaw, RANGE, VARIANCE, Validity};

pub(super) const EXPONENTIAL: Covariance = Covariance {
    name: "exponential",
    parameters: &[VARIANCE, RANGE],
    formula: "variance * exp(-d/range)",
    citation: "N. A. C. Cressie, Statistics for Spatial Data, 1993, section 2.3",
    validity: "in any dimension; with great-circle distance",
    is_compact: false,
    great_circle: Validity::Always,
    directions: Directions::None,
    by_distance: None,
    composition: None,
    function: |values| {
        let (variance, range) = (values[0], values[1]);
        Box::new(move |d| variance * (-d / range).exp())
    },
    tabulate: |values, nugget, table| table.tabulate(&Exponential, values[0], values[1], nugget),
    derivatives: |_| vec![Partial::new(PowerLaw { b: 1.0, log: 0.0, power: 1.0 }, 1.0)],
};

struct Exponential;

impl Correlation for Exponential {
    fn value(&self, x: f64) -> f64 {
        (-x).exp()
    }

    fn logarithm(&self, x: f64) -> f64 {
        -x
    }

    /// Even and odd terms of the exponential series in `x = sqrt(s)`.
    fn near(&self) -> SmallExpansion {
        let (a, b) = ([1.0, 1.0 / 2.0, 1.0 / 24.0], [-1.0, -1.0 / 6.0, -1.0 / 120.0]);
        SmallExpansion::Sum { a, b, power: 0.5 }
    }
}
