//! The Gaussian covariance, with the distance divided by the range and squared, without a half.

use tegula_kernels::kernel::covariance::{Correlation, SmallExpansion};

use super::{Covariance, Directions, Partial, PowerLaw, RANGE, VARIANCE, Validity};

pub(super) const GAUSSIAN: Covariance = Covariance {
    name: "gaussian",
    parameters: &[VARIANCE, RANGE],
    formula: "variance * exp(-(d/range)^2)",
    citation: "N. A. C. Cressie, Statistics for Spatial Data, 1993, section 2.3",
    validity: "in any dimension, but its matrices are nearly singular without a nugget; not with \
               great-circle distance",
    is_compact: false,
    great_circle: Validity::Never,
    directions: Directions::None,
    by_distance: None,
    composition: None,
    function: |values| {
        let (variance, range) = (values[0], values[1]);
        Box::new(move |d| variance * (-(d / range).powi(2)).exp())
    },
    tabulate: |values, nugget, table| table.tabulate(&Gaussian, values[0], values[1], nugget),
    derivatives: |_| vec![Partial::new(PowerLaw { b: 2.0, log: 0.0, power: 2.0 }, 1.0)],
};

struct Gaussian;

impl Correlation for Gaussian {
    fn value(&self, x: f64) -> f64 {
        (-x * x).exp()
    }

    fn logarithm(&self, x: f64) -> f64 {
        -x * x
    }

    fn near(&self) -> SmallExpansion {
        SmallExpansion::Sum { a: [1.0, -1.0, 0.5], b: [0.0; 3], power: 1.0 }
    }
}
