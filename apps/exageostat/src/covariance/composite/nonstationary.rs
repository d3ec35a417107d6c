//! A Matern covariance whose variance, range and smoothness differ from place to place.

use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::Recipe;
use tegula_kernels::kernel::covariance::composite::{Composite, FIELDS, composite_buffer};

use super::super::Function;
use super::{COMPOSITE, Composition, Covariance, Made, Parameter, Parts, Role, Scale};

/// A number of any sign.
const fn slope(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter {
        name,
        meaning,
        default: 0.0,
        above: -f64::MAX,
        most: f64::MAX,
        search: (-10.0, 10.0),
        scale: Scale::Identity,
    }
}

/// A number that is 0 or more.
const fn part(name: &'static str, meaning: &'static str, search: (f64, f64)) -> Parameter {
    Parameter { above: Parameter::NOT_NEGATIVE, search, ..slope(name, meaning) }
}

pub(super) const NONSTATIONARY: Covariance = Covariance {
    name: "nonstationary-matern",
    parameters: &[
        Parameter {
            default: 0.01,
            above: 0.0,
            search: (1e-6, 1e6),
            scale: Scale::Logarithm,
            ..slope("square", "a, level of the squared range")
        },
        slope("wave", "b, frequency of the waves of the squared range"),
        Parameter {
            default: 1.0,
            ..part("deviation", "d, standard deviation at the origin, but its base", (0.0, 1e3))
        },
        slope("deviation_growth", "e, rate at which it grows with the sum of the coordinates"),
        part("deviation_base", "f, base of the standard deviation", (0.0, 1e3)),
        Parameter {
            default: 0.5,
            ..part("smoothness", "g, smoothness at the origin, but its base", (0.01, 5.0))
        },
        slope("smoothness_growth", "h, rate at which it grows with the sum of the coordinates"),
        part("smoothness_base", "i, base of the smoothness", (0.0, 5.0)),
    ],
    formula: "s_i s_j sqrt(l_i l_j) 2/(l_i + l_j) M(2 sqrt(v Q); v), Q = 2 d^2/(l_i + l_j), \
              v = (v_i + v_j)/2; l = a exp(sin bx + sin by), s = d exp(e(x + y)) + f, \
              v_i = g exp(h(x + y)) + i",
    citation: "C. J. Paciorek, M. J. Schervish, Spatial modelling using a new class of \
               nonstationary covariance functions, Environmetrics 17 (2006) 483-506",
    validity: "in the plane",
    composition: Some(Composition {
        variables: 1,
        has_time: false,
        roles: &[
            Role::SquaredRange,
            Role::Rate,
            Role::Root { variable: 0 },
            Role::Rate,
            Role::Level { variable: 0 },
            Role::Shape,
            Role::Rate,
            Role::Shape,
        ],
        made: Made::By(|v| Parts {
            fields: Some(v.try_into().expect("8 parameters")),
            ..Parts::default()
        }),
        flaw: |v| {
            let lacking = |level: f64, base: f64| level + base <= 0.0;
            if lacking(v[2], v[4]) {
                return Some("deviation and deviation_base are both 0".to_owned());
            }
            lacking(v[5], v[7]).then(|| "smoothness and smoothness_base are both 0".to_owned())
        },
        // Stationary.
        simpler: &[(1, 0.0), (3, 0.0), (4, 0.0), (6, 0.0), (7, 0.0)],
    }),
    ..COMPOSITE
};

/// The covariance of the origin with a place on the first axis.
pub(super) fn function(fields: [f64; FIELDS]) -> Function {
    let recipe = Recipe { is_nonstationary: 1, fields, ..bytemuck::Zeroable::zeroed() };
    let buffer = composite_buffer(&recipe, &[]);
    Box::new(move |d| {
        let composite = Composite::new(bytemuck::cast_slice(&buffer), Geometry::Plane);
        composite.value(&[0.0, 0.0], &[d, 0.0])
    })
}
