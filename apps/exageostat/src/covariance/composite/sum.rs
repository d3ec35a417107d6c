//! Sums of listed covariances, `matern+exponential`: each with parameters of its own, which have
//! the number of their term.

use std::sync::Mutex;

use super::super::{COVARIANCES, Covariance, Parameter, Validity};
use super::{COMPOSITE, Composition, Made, Part, Role};

/// Most terms of a sum.
const MOST: usize = 4;

/// The sums that were asked for; what is made of names lives as long as the program.
static SUMS: Mutex<Vec<&'static Covariance>> = Mutex::new(Vec::new());

/// The sum that `name` says, if all its terms are listed.
pub(in super::super) fn sum(name: &str) -> Option<&'static Covariance> {
    let listed = |name: &str| COVARIANCES.iter().find(|one| one.name == name);
    let terms: Vec<&'static Covariance> = name.split('+').map(listed).collect::<Option<_>>()?;
    if !(2..=MOST).contains(&terms.len()) {
        return None;
    }
    let mut sums = SUMS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = sums.iter().find(|known| known.name == name) {
        return Some(known);
    }
    let made: &'static Covariance = Box::leak(Box::new(make(name, &terms)));
    sums.push(made);
    Some(made)
}

fn make(name: &str, terms: &[&'static Covariance]) -> Covariance {
    let leaked = |text: String| -> &'static str { String::leak(text) };
    let (mut parameters, mut roles, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
    for (part, term) in terms.iter().enumerate() {
        let parts = terms.len();
        for (index, &parameter) in term.parameters.iter().enumerate() {
            let name = leaked(format!("{}{}", parameter.name, part + 1));
            let meaning = leaked(format!("of {}: {}", term.name, parameter.meaning));
            if index > 1 {
                shapes.push((parameters.len(), parameter.default));
            }
            parameters.push(Parameter { name, meaning, ..parameter });
            roles.push(match index {
                0 => Role::Variance { variable: 0, parts },
                1 => Role::Range { part, parts },
                _ => Role::Shape,
            });
        }
    }
    let names: Vec<&str> = terms.iter().map(|term| term.name).collect();
    let is_any = terms.iter().all(|term| term.great_circle == Validity::Always);
    Covariance {
        name: leaked(name.to_owned()),
        parameters: parameters.leak(),
        formula: leaked(format!("the sum of {}", names.join(" and "))),
        citation: "J.-P. Chiles, P. Delfiner, Geostatistics, 2012, section 2.4 (nested structures)",
        validity: "where all its terms are covariances",
        great_circle: if is_any { Validity::Always } else { Validity::Unknown },
        composition: Some(Composition {
            variables: 1,
            has_time: false,
            roles: roles.leak(),
            made: Made::Sum(terms.to_vec().leak()),
            flaw: Composition::any,
            simpler: shapes.leak(),
        }),
        ..COMPOSITE
    }
}

/// The terms of a sum.
pub(super) fn parts(terms: &[&'static Covariance], values: &[f64]) -> Vec<Part> {
    let mut rest = values;
    let part = |covariance: &&'static Covariance| {
        let (own, after) = rest.split_at(covariance.parameters.len());
        rest = after;
        Part { pair: [0, 0], weight: own[0], covariance, shapes: own[1..].to_vec() }
    };
    terms.iter().map(part).collect()
}
