//! The powered exponential covariance, whose range is not raised to the power.

use tegula_kernels::kernel::covariance::{Correlation, SmallExpansion, Tail};

use super::{
    Covariance, Directions, Parameter, Partial, PowerLaw, RANGE, Scale, VARIANCE, Validity,
};

const POWER: Parameter = Parameter {
    name: "power",
    meaning: "exponent of the distance",
    default: 1.0,
    above: 0.0,
    most: 2.0,
    search: (0.1, 2.0),
    scale: Scale::Logarithm,
};

pub(super) const POWERED_EXPONENTIAL: Covariance = Covariance {
    parameters: &[
        VARIANCE,
        Parameter { meaning: "scale, in units of distance to the power", ..RANGE },
        POWER,
    ],
    formula: "variance * exp(-d^power/range)",
    by_distance: Some(&BY_DISTANCE),
    function: |values| {
        let (variance, range, power) = (values[0], values[1], values[2]);
        Box::new(move |d| variance * (-d.powf(power) / range).exp())
    },
    tabulate: |values, nugget, table| {
        let powered = Powered::new(values[1], values[2]);
        table.tabulate(&powered, values[0], powered.scale, nugget);
    },
    // With y = d^power / range they are y, and -power y ln(d).
    derivatives: |values| {
        let Powered { factor, power, scale } = Powered::new(values[1], values[2]);
        let by_power = PowerLaw { b: -scale.ln(), log: -0.5, power };
        vec![
            Partial::new(PowerLaw { b: 1.0, log: 0.0, power }, factor),
            Partial::new(by_power, factor * power),
        ]
    },
    ..BY_DISTANCE
};

/// The same with the range inside the power: a distance, as ranges of directions are.
const BY_DISTANCE: Covariance = Covariance {
    name: "powered-exponential",
    parameters: &[VARIANCE, RANGE, POWER],
    formula: "variance * exp(-(d/range)^power)",
    citation: "P. J. Diggle, J. A. Tawn, R. A. Moyeed, Model-based geostatistics, Applied \
               Statistics 47 (1998) 299-350",
    validity: "in any dimension; with great-circle distance for power up to 1",
    is_compact: false,
    great_circle: Validity::UpTo { index: 2, most: 1.0 },
    directions: Directions::None,
    by_distance: None,
    composition: None,
    function: |values| {
        let (variance, range, power) = (values[0], values[1], values[2]);
        Box::new(move |d| variance * (-(d / range).powf(power)).exp())
    },
    tabulate: |values, nugget, table| {
        let powered = Powered { factor: 1.0, power: values[2], scale: values[1] };
        table.tabulate(&powered, values[0], powered.scale, nugget);
    },
    // With y = (d/range)^power they are power y, and -power y ln(d/range).
    derivatives: |values| {
        let power = values[2];
        let by_power = PowerLaw { b: 0.0, log: -0.5, power };
        vec![
            Partial::new(PowerLaw { b: 1.0, log: 0.0, power }, power),
            Partial::new(by_power, power),
        ]
    },
};

/// `exp(-factor x^power)` with `x = d / scale`; the factor is about 1 wherever the scale that makes
/// it so is a reasonable number.
struct Powered {
    factor: f64,
    power: f64,
    scale: f64,
}

impl Powered {
    fn new(range: f64, power: f64) -> Self {
        let scale = range.powf(1.0 / power).clamp(1e-100, 1e100);
        Self { factor: scale.powf(power) / range, power, scale }
    }
}

impl Correlation for Powered {
    fn value(&self, x: f64) -> f64 {
        self.logarithm(x).exp()
    }

    fn logarithm(&self, x: f64) -> f64 {
        -self.factor * x.powf(self.power)
    }

    /// Not an expansion but the function itself.
    fn near(&self) -> SmallExpansion {
        SmallExpansion::Logarithm {
            a: [0.0; 3],
            b: [-self.factor, 0.0, 0.0],
            power: 0.5 * self.power,
        }
    }

    /// For small powers it decays too slowly for any table.
    fn far(&self) -> Tail {
        Tail::SmallExpansion
    }

    fn first(&self) -> i32 {
        if self.is_slow() { self.split() - 64 } else { -32 }
    }

    /// Of a slow one where the logarithm is -2: up to there coarse cells do.
    fn split(&self) -> i32 {
        if self.is_slow() { (2.0 / self.power).round().min(64.0) as i32 } else { -4 }
    }

    fn bits(&self) -> [u32; 2] {
        if self.is_slow() { [3, 4] } else { [3, 5] }
    }
}

impl Powered {
    /// With powers below 1/2 it changes over many octaves: the table has coarser cells, which
    /// suffice since it changes little in each, and with power 1/4 covers correlations from 0.992
    /// to 1e-14.
    fn is_slow(&self) -> bool {
        self.power < 0.5
    }
}
