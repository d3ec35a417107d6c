//! Matern covariances of several variables: parsimonious ones of two and three, and a flexible one
//! of two.

use tegula_kernels::special::gamma::ln_gamma;

use super::super::matern::{MATERN, SMOOTHNESS};
use super::{
    COMPOSITE, Composition, Covariance, Made, Parameter, Part, Parts, RANGE, Role, Scale, VARIANCE,
};

const fn variance(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, meaning, ..VARIANCE }
}

const fn smoothness(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, meaning, ..SMOOTHNESS }
}

/// A correlation between two variables, or what it is in proportion to.
const fn correlation(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter {
        name,
        meaning,
        default: 0.0,
        above: -1.0,
        most: 1.0,
        search: (-0.999, 0.999),
        scale: Scale::Identity,
    }
}

/// A share, from 0 to 1.
const fn share(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter {
        name,
        meaning,
        default: 0.5,
        above: Parameter::NOT_NEGATIVE,
        most: 1.0,
        search: (0.0, 1.0),
        scale: Scale::Identity,
    }
}

const fn own(variable: usize) -> Role {
    Role::Variance { variable, parts: 1 }
}

const ONE_RANGE: Role = Role::Range { part: 0, parts: 1 };

pub(super) const BIVARIATE_PARSIMONIOUS: Covariance = Covariance {
    name: "bivariate-matern-parsimonious",
    parameters: &[
        variance("variance1", "variance of the first variable"),
        variance("variance2", "variance of the second variable"),
        RANGE,
        smoothness("smoothness1", "smoothness of the first variable"),
        smoothness("smoothness2", "smoothness of the second variable"),
        correlation("correlation", "b, in proportion to which the variables are correlated"),
    ],
    formula: "C_pq = rho_pq sqrt(variance_p variance_q) M(d/range; (smoothness_p + smoothness_q)/2), \
              rho_12 = correlation sqrt(smoothness1 smoothness2) / ((smoothness1 + smoothness2)/2)",
    citation: "T. Gneiting, W. Kleiber, M. Schlather, Matern cross-covariance functions for \
               multivariate random fields, J. Amer. Statist. Assoc. 105 (2010) 1167-1177, theorem 3",
    validity: "in the plane",
    composition: Some(Composition {
        variables: 2,
        has_time: false,
        roles: &[own(0), own(1), ONE_RANGE, Role::Shape, Role::Shape, Role::Shape],
        made: Made::By(|v| Parts {
            terms: parsimonious(&v[..2], v[2], &v[3..5], &v[5..]),
            ..Parts::default()
        }),
        flaw: Composition::any,
        simpler: &[],
    }),
    ..COMPOSITE
};

pub(super) const TRIVARIATE_PARSIMONIOUS: Covariance = Covariance {
    name: "trivariate-matern-parsimonious",
    parameters: &[
        variance("variance1", "variance of the first variable"),
        variance("variance2", "variance of the second variable"),
        variance("variance3", "variance of the third variable"),
        RANGE,
        smoothness("smoothness1", "smoothness of the first variable"),
        smoothness("smoothness2", "smoothness of the second variable"),
        smoothness("smoothness3", "smoothness of the third variable"),
        correlation("correlation12", "b_12, in proportion to which these variables are correlated"),
        correlation("correlation13", "b_13, likewise"),
        correlation("correlation23", "b_23, likewise"),
    ],
    formula: "C_pq = rho_pq sqrt(variance_p variance_q) M(d/range; (smoothness_p + smoothness_q)/2), \
              rho_pq = correlation_pq sqrt(smoothness_p smoothness_q) / ((smoothness_p + smoothness_q)/2)",
    validity: "in the plane, if the matrix of the correlations is positive definite",
    composition: Some(Composition {
        variables: 3,
        has_time: false,
        roles: &[
            own(0),
            own(1),
            own(2),
            ONE_RANGE,
            Role::Shape,
            Role::Shape,
            Role::Shape,
            Role::Shape,
            Role::Shape,
            Role::Shape,
        ],
        made: Made::By(|v| Parts {
            terms: parsimonious(&v[..3], v[3], &v[4..7], &v[7..]),
            ..Parts::default()
        }),
        flaw: |v| {
            let [b12, b13, b23] = [v[7], v[8], v[9]];
            let determinant = 1.0 + 2.0 * b12 * b13 * b23 - b12 * b12 - b13 * b13 - b23 * b23;
            (determinant < 0.0).then(|| {
                format!(
                    "the correlations {b12}, {b13} and {b23} do not go together: their matrix is \
                     not positive definite; take smaller ones"
                )
            })
        },
        simpler: &[],
    }),
    ..BIVARIATE_PARSIMONIOUS
};

/// The terms of parsimonious models: pairs in the order 11, 12, .. 22, 23, ..
pub(super) fn parsimonious(
    variances: &[f64],
    range: f64,
    smoothness: &[f64],
    correlations: &[f64],
) -> Vec<Part> {
    let (mut terms, mut given) = (Vec::new(), correlations.iter());
    for p in 0..variances.len() {
        for q in p..variances.len() {
            let mean = f64::midpoint(smoothness[p], smoothness[q]);
            let b = if p == q { 1.0 } else { *given.next().expect("a correlation of each pair") };
            // Of the quotients of Gamma functions this is left: Gamma(x + 1) = x Gamma(x).
            let rho = b * (smoothness[p] * smoothness[q]).sqrt() / mean;
            let weight = rho * (variances[p] * variances[q]).sqrt();
            terms.push(matern([p, q], weight, range, mean));
        }
    }
    terms
}

fn matern(pair: [usize; 2], weight: f64, range: f64, smoothness: f64) -> Part {
    static TERM: Covariance = MATERN;
    let pair = pair.map(|variable| variable as u32);
    Part { pair, weight, covariance: &TERM, shapes: vec![range, smoothness] }
}

pub(super) const BIVARIATE_FLEXIBLE: Covariance = Covariance {
    name: "bivariate-matern-flexible",
    parameters: &[
        Parameter { name: "range1", meaning: "range of the first variable", ..RANGE },
        Parameter { name: "range2", meaning: "range of the second variable", ..RANGE },
        Parameter {
            name: "range_excess",
            meaning: "A, by which the range between the variables may be shorter",
            default: 0.0,
            above: Parameter::NOT_NEGATIVE,
            most: f64::MAX,
            search: (0.0, 1e3),
            scale: Scale::Identity,
        },
        share("range_share", "B, the share of A that does not count"),
        smoothness("smoothness1", "smoothness of the first variable"),
        smoothness("smoothness2", "smoothness of the second variable"),
        Parameter {
            name: "smoothness_excess",
            meaning: "D, by which the smoothness between the variables may be greater",
            default: 0.0,
            above: Parameter::NOT_NEGATIVE,
            most: 2.0,
            search: (0.0, 2.0),
            scale: Scale::Identity,
        },
        share("smoothness_share", "E, the share of D that does not count"),
        variance("scale1", "w_1, which makes the standard deviation of the first variable"),
        variance("scale2", "w_2, that of the second"),
        correlation("correlation", "r, in proportion to which the variables are correlated"),
    ],
    formula: "C_pq = v_pq M(d/a_pq; s_pq), a_pq^-2 = (range_p^-2 + range_q^-2)/2 + A(1 - B), \
              s_pq = (smoothness_p + smoothness_q)/2 + D(1 - E), v_pq = r w_p w_q \
              a_pq^(2D + smoothness_p + smoothness_q) Gamma((smoothness_p + smoothness_q)/2 + 1) \
              Gamma(s_pq) / Gamma(s_pq + 1); for p = q with A = D = 0 but in the power, and r = 1",
    citation: "T. V. Apanasovich, M. G. Genton, Y. Sun, A valid Matern class of cross-covariance \
               functions for multivariate random fields with any number of components, J. Amer. \
               Statist. Assoc. 107 (2012) 180-193",
    validity: "in the plane",
    composition: Some(Composition {
        variables: 2,
        has_time: false,
        roles: &[
            ONE_RANGE,
            ONE_RANGE,
            Role::Shape,
            Role::Shape,
            Role::Shape,
            Role::Shape,
            Role::Shape,
            Role::Shape,
            Role::Root { variable: 0 },
            Role::Root { variable: 1 },
            Role::Shape,
        ],
        made: Made::By(flexible),
        flaw: Composition::any,
        // Without excess the shares say nothing.
        simpler: &[(2, 0.0), (3, 0.5), (6, 0.0), (7, 0.5)],
    }),
    ..COMPOSITE
};

/// The terms of the flexible model.
fn flexible(v: &[f64]) -> Parts {
    let &[a1, a2, excess, share, s1, s2, smoother, smoother_share, w1, w2, r] = v else {
        panic!("11 parameters, not {}", v.len());
    };
    let own = |p: usize, a: f64, s: f64, w: f64| {
        let weight = w * w * (a.ln() * (2.0 * smoother + 2.0 * s) + ln_gamma(s)).exp();
        matern([p, p], weight, a, s)
    };
    let inverse = 0.5 * (a1.powi(-2) + a2.powi(-2)) + excess * (1.0 - share);
    let (a12, mean) = (inverse.sqrt().recip(), f64::midpoint(s1, s2));
    let s12 = mean + smoother * (1.0 - smoother_share);
    let logarithm = a12.ln() * (2.0 * smoother + s1 + s2) + ln_gamma(mean + 1.0) - s12.ln();
    let cross = matern([0, 1], w1 * w2 * r * logarithm.exp(), a12, s12);
    Parts { terms: vec![own(0, a1, s1, w1), cross, own(1, a2, s2, w2)], ..Parts::default() }
}
