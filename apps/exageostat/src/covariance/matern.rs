//! The Matern covariance, in the parameterisation without the factor `sqrt(2 smoothness)`.

use tegula_kernels::kernel::covariance::{
    Correlation, Derivative, RadialTable, Row, SmallDerivative, SmallExpansion,
};
use tegula_kernels::special::matern::NEAR;
use tegula_kernels::special::{
    MAX_PROFILE_SMOOTHNESS, Matern, MaternDerivatives, MaternProfile, Octaves,
};

use super::{Covariance, Parameter, Partial, RANGE, VARIANCE, Validity};

pub(super) const MATERN: Covariance = Covariance {
    name: "matern",
    parameters: &[
        VARIANCE,
        RANGE,
        Parameter {
            name: "smoothness",
            meaning: "the field has as many mean-square derivatives as integers below it",
            default: 0.5,
            above: 0.0,
            most: MAX_PROFILE_SMOOTHNESS,
            search: (0.05, 5.0),
        },
    ],
    formula: "variance * 2^(1-smoothness) / Gamma(smoothness) * (d/range)^smoothness \
              * K_smoothness(d/range)",
    citation: "B. Matern, Spatial Variation, 1960; M. L. Stein, Interpolation of Spatial Data, \
               1999, section 2.10",
    validity: "in any dimension; with great-circle distance for smoothness up to 0.5",
    is_compact: false,
    great_circle: Validity::UpTo { index: 2, most: 0.5 },
    function: |values| {
        let (variance, range, matern) = (values[0], values[1], Matern::new(values[2]));
        Box::new(move |d| variance * matern.value(d / range))
    },
    tabulate: |values, nugget, table: &mut RadialTable| {
        let profile = MaternProfile::new(Matern::new(values[2]));
        table.tabulate(&Tabulated(profile), values[0], values[1], nugget);
    },
    derivatives: |values| {
        let smoothness = values[2];
        let matern = MaternDerivatives::new(smoothness);
        let sampled = |function: &dyn Fn(f64) -> f64| Sampled::new(function, smoothness);
        vec![
            Partial::new(sampled(&|x| matern.by_range(x)), 1.0),
            Partial::new(sampled(&|x| matern.by_smoothness(x)), smoothness),
        ]
    },
};

/// The correlation through its interpolant, which makes the table several times faster to fill.
struct Tabulated(MaternProfile);

impl Correlation for Tabulated {
    fn value(&self, x: f64) -> f64 {
        self.0.matern().value(x)
    }

    fn logarithm(&self, x: f64) -> f64 {
        self.0.matern().scaled(x).ln() - x
    }

    fn near(&self) -> SmallExpansion {
        let near = self.0.matern().near();
        SmallExpansion::Sum { a: near.a, b: near.b, power: near.power }
    }

    fn values(&self, x: &Row) -> Row {
        let scaled = self.0.scaled(x);
        std::array::from_fn(|i| scaled[i] * (-x[i]).exp())
    }

    fn remainders(&self, x: &Row, high: f64) -> Row {
        let scaled = self.0.scaled(x);
        std::array::from_fn(|i| scaled[i].ln() + (-x[i] - high))
    }
}

/// A derivative through its interpolant.
struct Sampled {
    octaves: Octaves,
    near: SmallDerivative,
}

impl Sampled {
    /// SmallExpansion 0 both derivatives fall like `x^(2 smoothness)`, and at most like `x^2`, up
    /// to logarithms.
    fn new(function: &dyn Fn(f64) -> f64, smoothness: f64) -> Self {
        let near = SmallDerivative::meeting(function, NEAR, smoothness.min(1.0));
        Self { octaves: Octaves::of(function), near }
    }
}

impl Derivative for Sampled {
    fn values(&self, x: &Row) -> Row {
        self.octaves.values(x)
    }

    fn near(&self) -> SmallDerivative {
        self.near
    }
}
