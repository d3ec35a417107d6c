//! Wendland's covariance of a field with two continuous derivatives: 0 from the range on.

use tegula_kernels::geometry::EARTH_RADIUS_KM;
use tegula_kernels::kernel::covariance::{
    Correlation, Derivative, Row, SmallDerivative, SmallExpansion,
};

use super::{Covariance, Directions, Parameter, Partial, RANGE, VARIANCE, Validity};

pub(super) const WENDLAND: Covariance = Covariance {
    name: "wendland",
    parameters: &[
        VARIANCE,
        Parameter { meaning: "distance from which the covariance is 0", ..RANGE },
    ],
    formula: "variance * (1 - d/range)^4 * (1 + 4 d/range) for d < range, else 0",
    citation: "H. Wendland, Piecewise polynomial, positive definite and compactly supported \
               radial functions of minimal degree, Adv. Comput. Math. 4 (1995) 389-396",
    validity: "in up to three dimensions; with great-circle distance for range up to half a turn",
    is_compact: true,
    great_circle: Validity::UpTo { index: 1, most: std::f64::consts::PI * EARTH_RADIUS_KM },
    directions: Directions::None,
    by_distance: None,
    composition: None,
    function: |values| {
        let (variance, range) = (values[0], values[1]);
        Box::new(move |d| variance * correlation(d / range))
    },
    tabulate: |values, nugget, table| table.tabulate(&Wendland, values[0], values[1], nugget),
    derivatives: |values| vec![Partial::new(ByRange, values[0])],
};

fn correlation(x: f64) -> f64 {
    if x < 1.0 { (1.0 - x).powi(4) * (1.0 + 4.0 * x) } else { 0.0 }
}

struct Wendland;

impl Correlation for Wendland {
    fn value(&self, x: f64) -> f64 {
        correlation(x)
    }

    fn logarithm(&self, x: f64) -> f64 {
        correlation(x).ln()
    }

    /// `1 - 10 x^2 + 20 x^3 - 15 x^4 + 4 x^5`.
    fn near(&self) -> SmallExpansion {
        SmallExpansion::Sum { a: [1.0, -10.0, -15.0], b: [20.0, 4.0, 0.0], power: 1.5 }
    }

    fn support(&self) -> f64 {
        1.0
    }

    /// So low that one term of the derivative is enough below.
    fn first(&self) -> i32 {
        -64
    }
}

/// `20 x^2 (1 - x)^3`, the derivative of the correlation by the logarithm of the range.
struct ByRange;

impl Derivative for ByRange {
    fn values(&self, x: &Row) -> Row {
        x.map(|x| 20.0 * x * x * (1.0 - x).powi(3))
    }

    fn near(&self) -> SmallDerivative {
        SmallDerivative::Power { b: [20.0, 0.0, 0.0], log: 0.0, power: 1.0 }
    }
}
