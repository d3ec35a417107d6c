//! Covariances in space and time that are not products: those of Gneiting with Matern margins.

use tegula_kernels::kernel::covariance::composite::Time;

use super::super::matern::{MATERN, SMOOTHNESS};
use super::variables::{BIVARIATE_PARSIMONIOUS, parsimonious};
use super::{
    COMPOSITE, Composition, Covariance, Made, Parameter, Part, Parts, RANGE, Role, Scale, VARIANCE,
};

const TIME_SCALE: Parameter = Parameter {
    name: "time_scale",
    meaning: "scale of the power of time",
    default: 1.0,
    above: 0.0,
    most: f64::MAX,
    search: (1e-6, 1e6),
    scale: Scale::Logarithm,
};

const TIME_POWER: Parameter = Parameter {
    name: "time_power",
    meaning: "alpha, half of the power of time",
    default: 0.5,
    above: 0.0,
    most: 1.0,
    search: (0.02, 1.0),
    scale: Scale::Logarithm,
};

const INTERACTION: Parameter = Parameter {
    name: "interaction",
    meaning: "of space and time, from 0, where the covariance is a product, to 1",
    default: 0.5,
    above: Parameter::NOT_NEGATIVE,
    most: 1.0,
    search: (0.0, 1.0),
    scale: Scale::Identity,
};

const TIME_DECAY: Parameter = Parameter {
    name: "time_decay",
    meaning: "delta, power by which the covariance falls with time beyond the interaction",
    default: 0.0,
    above: Parameter::NOT_NEGATIVE,
    most: 100.0,
    search: (0.0, 10.0),
    scale: Scale::Identity,
};

pub(super) const GNEITING: Covariance = Covariance {
    name: "gneiting-matern",
    parameters: &[VARIANCE, RANGE, SMOOTHNESS, TIME_SCALE, TIME_POWER, INTERACTION, TIME_DECAY],
    formula: "variance psi^-(interaction + time_decay) M(d/(range psi^(interaction/2)); smoothness), \
              psi = 1 + abs(time)^(2 time_power) / time_scale",
    citation: "T. Gneiting, Nonseparable, stationary covariance functions for space-time data, \
               J. Amer. Statist. Assoc. 97 (2002) 590-600, equation 14",
    validity: "in the plane and time",
    composition: Some(Composition {
        variables: 1,
        has_time: true,
        roles: &[
            Role::Variance { variable: 0, parts: 1 },
            Role::Range { part: 0, parts: 1 },
            Role::Shape,
            Role::TimeScale,
            Role::Shape,
            Role::Shape,
            Role::Shape,
        ],
        made: Made::By(|v| {
            static TERM: Covariance = MATERN;
            let shapes = v[1..3].to_vec();
            let part = Part { pair: [0, 0], weight: v[0], covariance: &TERM, shapes };
            Parts { terms: vec![part], time: Some(time(&v[3..])), ..Parts::default() }
        }),
        flaw: Composition::any,
        simpler: &[],
    }),
    ..COMPOSITE
};

pub(super) const BIVARIATE_GNEITING: Covariance = Covariance {
    name: "bivariate-gneiting-matern",
    parameters: &[
        BIVARIATE_PARSIMONIOUS.parameters[0],
        BIVARIATE_PARSIMONIOUS.parameters[1],
        RANGE,
        BIVARIATE_PARSIMONIOUS.parameters[3],
        BIVARIATE_PARSIMONIOUS.parameters[4],
        BIVARIATE_PARSIMONIOUS.parameters[5],
        TIME_SCALE,
        TIME_POWER,
        INTERACTION,
        TIME_DECAY,
    ],
    formula: "that of bivariate-matern-parsimonious at d/psi^(interaction/2), times \
              psi^-(interaction + time_decay), psi = 1 + abs(time)^(2 time_power) / time_scale",
    composition: Some(Composition {
        variables: 2,
        has_time: true,
        roles: &[
            Role::Variance { variable: 0, parts: 1 },
            Role::Variance { variable: 1, parts: 1 },
            Role::Range { part: 0, parts: 1 },
            Role::Shape,
            Role::Shape,
            Role::Shape,
            Role::TimeScale,
            Role::Shape,
            Role::Shape,
            Role::Shape,
        ],
        made: Made::By(|v| Parts {
            terms: parsimonious(&v[..2], v[2], &v[3..5], &v[5..6]),
            time: Some(time(&v[6..])),
            ..Parts::default()
        }),
        flaw: Composition::any,
        simpler: &[],
    }),
    ..GNEITING
};

fn time(v: &[f64]) -> Time {
    let &[scale, alpha, interaction, more] = v else { panic!("4 parameters, not {}", v.len()) };
    Time { scale, alpha, interaction, decay: interaction + more }
}
