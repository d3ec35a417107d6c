//! The spherical covariance: 0 from the range on.

use tegula_kernels::kernel::covariance::{
    Correlation, Derivative, Row, SmallDerivative, SmallExpansion,
};

use super::{Covariance, Directions, Parameter, Partial, RANGE, VARIANCE, Validity};

pub(super) const SPHERICAL: Covariance = Covariance {
    name: "spherical",
    parameters: &[
        VARIANCE,
        Parameter { meaning: "distance from which the covariance is 0", ..RANGE },
    ],
    formula: "variance * (1 - 3/2 d/range + 1/2 (d/range)^3) for d < range, else 0",
    citation: "N. A. C. Cressie, Statistics for Spatial Data, 1993, section 2.3",
    validity: "in up to three dimensions; with great-circle distance",
    is_compact: true,
    great_circle: Validity::Always,
    directions: Directions::None,
    by_distance: None,
    composition: None,
    function: |values| {
        let (variance, range) = (values[0], values[1]);
        Box::new(move |d| variance * correlation(d / range))
    },
    tabulate: |values, nugget, table| table.tabulate(&Spherical, values[0], values[1], nugget),
    derivatives: |values| vec![Partial::new(ByRange, values[0])],
};

/// `1 - 3/2 x + 1/2 x^3` as a product, in which nothing cancels.
fn correlation(x: f64) -> f64 {
    if x < 1.0 { (1.0 - x) * (1.0 - x) * (1.0 + 0.5 * x) } else { 0.0 }
}

struct Spherical;

impl Correlation for Spherical {
    fn value(&self, x: f64) -> f64 {
        correlation(x)
    }

    fn logarithm(&self, x: f64) -> f64 {
        correlation(x).ln()
    }

    fn near(&self) -> SmallExpansion {
        SmallExpansion::Sum { a: [1.0, 0.0, 0.0], b: [-1.5, 0.5, 0.0], power: 0.5 }
    }

    fn support(&self) -> f64 {
        1.0
    }
}

/// `3/2 x (1 - x^2)`, the derivative of the correlation by the logarithm of the range.
struct ByRange;

impl Derivative for ByRange {
    fn values(&self, x: &Row) -> Row {
        x.map(|x| 1.5 * x * (1.0 - x) * (1.0 + x))
    }

    fn near(&self) -> SmallDerivative {
        SmallDerivative::Power { b: [1.5, -1.5, 0.0], log: 0.0, power: 0.5 }
    }
}
