//! The generalised Cauchy covariance, whose smoothness and whose decay are told apart.

use tegula_kernels::kernel::covariance::{
    Correlation, Derivative, Row, SmallDerivative, SmallExpansion, Tail,
};

use super::{Covariance, Directions, Parameter, Partial, RANGE, Scale, VARIANCE, Validity};

pub(super) const CAUCHY: Covariance = Covariance {
    name: "cauchy",
    parameters: &[
        VARIANCE,
        RANGE,
        Parameter {
            name: "power",
            meaning: "exponent of the distance; the smoother the field, the greater",
            default: 1.0,
            above: 0.0,
            most: 2.0,
            search: (0.1, 2.0),
            scale: Scale::Logarithm,
        },
        Parameter {
            name: "decay",
            meaning: "exponent with which the covariance falls at large distances",
            default: 1.0,
            above: 0.0,
            most: 100.0,
            search: (0.05, 10.0),
            scale: Scale::Logarithm,
        },
    ],
    formula: "variance * (1 + (d/range)^power)^(-decay/power)",
    citation: "T. Gneiting, M. Schlather, Stochastic models that separate fractal dimension and \
               the Hurst effect, SIAM Review 46 (2004) 269-282",
    validity: "in any dimension; with great-circle distance for power up to 1",
    is_compact: false,
    great_circle: Validity::UpTo { index: 2, most: 1.0 },
    directions: Directions::None,
    by_distance: None,
    composition: None,
    function: |values| {
        let (variance, range) = (values[0], values[1]);
        let cauchy = Cauchy { power: values[2], decay: values[3] };
        Box::new(move |d| if d == 0.0 { variance } else { variance * cauchy.value(d / range) })
    },
    tabulate: |values, nugget, table| {
        let cauchy = Cauchy { power: values[2], decay: values[3] };
        table.tabulate(&cauchy, values[0], values[1], nugget);
    },
    // With z = (d/range)^power they are decay z/(1+z), decay/power ln(1+z) - decay z/(1+z) ln(d/
    // range), and -decay/power ln(1+z).
    derivatives: |values| {
        let (power, decay) = (values[2], values[3]);
        let partial = |logarithm, ratio| Partial::new(Slope { power, logarithm, ratio }, 1.0);
        vec![
            partial(0.0, [decay, 0.0]),
            partial(decay / power, [0.0, -0.5 * decay]),
            partial(-decay / power, [0.0, 0.0]),
        ]
    },
};

#[derive(Clone, Copy)]
struct Cauchy {
    power: f64,
    decay: f64,
}

impl Correlation for Cauchy {
    fn value(&self, x: f64) -> f64 {
        self.logarithm(x).exp()
    }

    fn logarithm(&self, x: f64) -> f64 {
        -self.decay / self.power * parts(x, self.power).0
    }

    /// Not an expansion but the function itself.
    fn near(&self) -> SmallExpansion {
        SmallExpansion::Rational { power: 0.5 * self.power, exponent: self.decay / self.power }
    }

    /// It decays too slowly for any table.
    fn far(&self) -> Tail {
        Tail::SmallExpansion
    }

    /// With small powers it changes at all distances: all cells are fine, from 0.8 % of the range
    /// to 512 times as much.
    fn first(&self) -> i32 {
        self.split()
    }

    fn split(&self) -> i32 {
        -14
    }
}

/// `ln(1 + z)` and `z / (1 + z)` with `z = x^power`, also where that overflows.
fn parts(x: f64, power: f64) -> (f64, f64) {
    let ln_z = power * x.ln();
    if ln_z < 0.0 {
        let z = ln_z.exp();
        (z.ln_1p(), z / (1.0 + z))
    } else {
        let rest = (-ln_z).exp();
        (ln_z + rest.ln_1p(), 1.0 / (1.0 + rest))
    }
}

/// `logarithm ln(1 + z) + (ratio[0] + ratio[1] ln(x^2)) z / (1 + z)` with `z = x^power`.
struct Slope {
    power: f64,
    logarithm: f64,
    ratio: [f64; 2],
}

impl Derivative for Slope {
    fn values(&self, x: &Row) -> Row {
        x.map(|x| {
            let (logarithm, ratio) = parts(x, self.power);
            self.logarithm * logarithm + (self.ratio[0] + self.ratio[1] * 2.0 * x.ln()) * ratio
        })
    }

    fn near(&self) -> SmallDerivative {
        let &Self { power, logarithm, ratio } = self;
        SmallDerivative::Rational { power: 0.5 * power, logarithm, ratio }
    }
}
