//! The Matern covariance, in the parameterisation without the factor `sqrt(2 smoothness)`, and in
//! the one with it.

use tegula_kernels::kernel::covariance::{
    Correlation, Derivative, RadialTable, Row, SmallDerivative, SmallExpansion,
};
use tegula_kernels::special::matern::NEAR;
use tegula_kernels::special::{
    MAX_PROFILE_SMOOTHNESS, Matern, MaternDerivatives, MaternProfile, Octaves,
};

use super::{Covariance, Directions, Parameter, Partial, RANGE, Scale, VARIANCE, Validity};

pub(super) const SMOOTHNESS: Parameter = Parameter {
    name: "smoothness",
    meaning: "the field has as many mean-square derivatives as integers below it",
    default: 0.5,
    above: 0.0,
    most: MAX_PROFILE_SMOOTHNESS,
    search: (0.05, 5.0),
    scale: Scale::Logarithm,
};

pub(super) const MATERN: Covariance = Covariance {
    name: "matern",
    parameters: &[VARIANCE, RANGE, SMOOTHNESS],
    formula: "variance * 2^(1-smoothness) / Gamma(smoothness) * (d/range)^smoothness \
              * K_smoothness(d/range)",
    citation: "B. Matern, Spatial Variation, 1960; M. L. Stein, Interpolation of Spatial Data, \
               1999, section 2.10",
    validity: "in any dimension; with great-circle distance for smoothness up to 0.5",
    is_compact: false,
    great_circle: Validity::UpTo { index: 2, most: 0.5 },
    directions: Directions::None,
    by_distance: None,
    composition: None,
    function: |values| {
        let (variance, range, matern) = (values[0], values[1], Matern::new(values[2]));
        Box::new(move |d| variance * matern.value(d / range))
    },
    tabulate: |values, nugget, table| tabulate(values[0], values[1], values[2], nugget, table),
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

pub(super) const SCALED_MATERN: Covariance = Covariance {
    name: "matern-scaled",
    parameters: &[
        VARIANCE,
        Parameter {
            meaning: "scale of distance, about the same for every smoothness, in its units",
            ..RANGE
        },
        SMOOTHNESS,
    ],
    formula: "variance * 2^(1-smoothness) / Gamma(smoothness) * x^smoothness * K_smoothness(x), \
              x = sqrt(2 smoothness) d/range",
    citation: "M. S. Handcock, M. L. Stein, A Bayesian analysis of kriging, Technometrics 35 \
               (1993) 403-410; C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine \
               Learning, 2006, section 4.2",
    function: |values| {
        (MATERN.function)(&[values[0], plain_range(values[1], values[2]), values[2]])
    },
    tabulate: |values, nugget, table| {
        tabulate(values[0], plain_range(values[1], values[2]), values[2], nugget, table);
    },
    // The plain range falls with the root of the smoothness.
    derivatives: |values| {
        let smoothness = values[2];
        let matern = MaternDerivatives::new(smoothness);
        let sampled = |function: &dyn Fn(f64) -> f64| Sampled::new(function, smoothness);
        let by_smoothness =
            |x: f64| smoothness * matern.by_smoothness(x) - 0.5 * matern.by_range(x);
        vec![
            Partial::new(sampled(&|x| matern.by_range(x)), 1.0),
            Partial::new(sampled(&by_smoothness), 1.0),
        ]
    },
    ..MATERN
};

/// The range without the factor, of one with it.
fn plain_range(range: f64, smoothness: f64) -> f64 {
    range / (2.0 * smoothness).sqrt()
}

fn tabulate(variance: f64, range: f64, smoothness: f64, nugget: f64, table: &mut RadialTable) {
    let profile = MaternProfile::new(Matern::new(smoothness));
    table.tabulate(&Tabulated(profile), variance, range, nugget);
}

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
    /// Towards 0 the derivatives fall like `x^(2 smoothness)`, and at most like `x^2`, up
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
