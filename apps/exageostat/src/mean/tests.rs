//! Formulas by themselves: what they say, where they are wrong.

use proptest::prelude::*;
use tegula_files::Classes;

use super::*;
use crate::design::{Design, norm};

fn labels(text: &str) -> Vec<String> {
    Formula::parse(text).unwrap_or_else(|error| panic!("{error}")).labels()
}

#[test]
fn a_formula_is_an_intercept_and_terms() {
    for (text, intercept, terms) in [
        ("x + y + sqrt(dist)", true, &["x", "y", "sqrt(dist)"][..]),
        ("1 + x", true, &["x"]),
        ("0 + x", false, &["x"]),
        ("-1 + x", false, &["x"]),
        ("x - 1", false, &["x"]),
        ("~ x + 0", false, &["x"]),
        ("1", true, &[]),
        ("0", false, &[]),
        ("I(x+y) + log( x * y )", true, &["I(x + y)", "log(x * y)"]),
        ("`odd name` + I(-`x`/1000.0*1e5)", true, &["`odd name`", "I(-x/1000 * 1e+05)"]),
    ] {
        let formula = Formula::parse(text).unwrap();
        assert_eq!(formula.has_intercept(), intercept, "{text}");
        assert_eq!(formula.labels(), terms, "{text}");
        assert_eq!(formula.text(), text);
    }
}

/// Order and labels are those of R's `terms`.
#[test]
fn operators_join_terms_as_in_r() {
    for (text, terms) in [
        ("x*y", &["x", "y", "x:y"][..]),
        ("x:y + z", &["z", "x:y"]),
        ("y + x:y", &["y", "y:x"]),
        ("x*y + x", &["x", "y", "x:y"]),
        ("(x + log(y))*z", &["x", "log(y)", "z", "x:z", "log(y):z"]),
        ("x*y*z", &["x", "y", "z", "x:y", "x:z", "y:z", "x:y:z"]),
        ("(x + y)*(x + y)", &["x", "y", "x:y"]),
        ("(x + y + z)^2", &["x", "y", "z", "x:y", "x:z", "y:z"]),
        ("(x + y + z)^3 - x:y:z", &["x", "y", "z", "x:y", "x:z", "y:z"]),
        ("x/y", &["x", "x:y"]),
        ("(x + y)/z", &["x", "y", "x:y:z"]),
        ("x*y - x", &["y", "x:y"]),
        ("(x + y):z + z", &["z", "x:z", "y:z"]),
    ] {
        assert_eq!(labels(text), terms, "{text}");
    }
}

#[test]
fn formulas_that_make_no_sense_are_refused() {
    for (text, message, place) in [
        ("", "empty", ""),
        ("x - y", "cannot be subtracted", "y"),
        ("2 + x", "constant", "2"),
        ("x + sqrt(4)", "constant", "sqrt(4)"),
        ("x + log(y) + log( y )", "twice", "log( y )"),
        ("0 + 1 + x", "both asked for and taken out", "1"),
        ("x +", "missing at the end", ""),
        ("z ~ y", "right of '~'", "~"),
        ("x^2 + y", "write I(x^2)", "^"),
        ("y + x/1000", "write I(x/1000)", "/"),
        ("(x + y)/2", "write I((x + y)/2)", "/"),
        ("y + 2*x", "write I(2*x)", "2"),
        ("x*2", "write I(x*2)", "2"),
        ("x:2", "write I(x*2)", "2"),
        ("y + -x", "write I(-x)", "-"),
        ("x*-y", "write I(x*-y)", "-"),
        ("y + x:x", "the square is I(x^2)", "x:x"),
        ("log(x) * log(x)", "the square is I(log(x)^2)", "log(x) * log(x)"),
        ("(x - 1)*y", "write I((x - 1)*y)", "("),
        ("x y", "operator", "y"),
        ("x:", "missing at the end", ""),
        ("(x", "never closed", "("),
        ("x + log(y", "never closed", "("),
        ("x + log(y +)", "missing before ')'", ")"),
        ("x + lgo(y)", "did you mean 'log'?", "lgo"),
        ("poly(x, 0)", "a whole number from 1", "0"),
        ("poly(x, y)", "poly takes one column", "y"),
        ("poly(x, 2, 3)", "poly takes a column, a degree", "3"),
        ("poly()", "an argument is missing", "poly()"),
        ("factor(x, y)", "takes a column alone", "y"),
        ("x + (y - y)", "no term is left", "("),
    ] {
        let error = Formula::parse(text).unwrap_err();
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert_eq!(&error.text[error.span.start..error.span.end], place, "{text}");
    }
}

#[test]
fn formulas_without_end_are_refused_and_take_no_memory() {
    let columns = |count: usize| (0..count).map(|i| format!("c{i}")).collect::<Vec<_>>();
    for (text, message) in [
        (columns(60).join("*"), "more than 500 terms"),
        (format!("({})^3", columns(60).join("+")), "more than 500 terms"),
        (format!("({}):({})", columns(30).join("+"), columns(60)[30..].join("+")), "more than 500"),
        ("(".repeat(300), "nested"),
        ("(".repeat(100_000), "too long"),
        ("sqrt(".repeat(300) + &")".repeat(300), "nested"),
    ] {
        let error = Formula::parse(&text).unwrap_err();
        assert!(error.message.contains(message), "{error}");
    }
    assert_eq!(labels(&columns(6).join("*")).len(), 63);
}

#[test]
fn models_of_earlier_versions_have_arithmetic_in_their_terms() {
    let formula = Formula::parse_products("0 + x*y + (x + y) + 2*x + x/y^2 + a:b").unwrap();
    assert!(!formula.has_intercept());
    assert_eq!(formula.labels(), ["x*y", "(x + y)", "2*x", "x/y^2", "a:b"]);
    assert!(Formula::parse_products("log(x) + y").unwrap().has_intercept());
    assert!(!Formula::parse_products("x - 1").unwrap().has_intercept());
}

#[test]
fn a_point_stands_for_the_columns_that_are_left() {
    let formula = Formula::parse("~ .*`a b` - 1").unwrap();
    assert!(formula.has_rest());
    let text = formula.with_rest(&["x".to_owned(), "a b".to_owned()]);
    let formula = Formula::parse(&text).unwrap();
    assert!(!formula.has_rest() && !formula.has_intercept());
    assert_eq!(formula.labels(), ["x", "`a b`", "x:`a b`"]);
}

fn classes(texts: &[&str]) -> Values {
    let mut names: Vec<String> = Vec::new();
    let mut code = |text: &&str| {
        let place = names.iter().position(|name| name == text);
        Some(place.unwrap_or_else(|| {
            names.push((*text).to_owned());
            names.len() - 1
        }) as u32)
    };
    let codes = texts.iter().map(&mut code).collect();
    Values::Classes(Classes { names, codes })
}

#[test]
fn levels_are_those_of_the_data() {
    let formula = Formula::parse("land + factor(k)").unwrap();
    let numbers = Values::Numbers(vec![10.0, 2.0, 1.0]);
    let linear = Linear::learn(formula.clone(), &[classes(&["b", "Z", "a"]), numbers]).unwrap();
    assert_eq!(linear.names(), ["(Intercept)", "landa", "landb", "factor(k)2", "factor(k)10"]);
    let places = [classes(&["Z", "b"]), Values::Numbers(vec![1.0, 10.0])];
    let columns = linear.columns(&places, 2).unwrap();
    assert_eq!(columns[1..3], [[0.0, 0.0], [0.0, 1.0]]);
    assert_eq!(columns[3..], [[0.0, 0.0], [0.0, 1.0]]);
    let unknown = [classes(&["a", "z"]), Values::Numbers(vec![1.0, 1.0])];
    let error = linear.columns(&unknown, 2).unwrap_err();
    assert!(matches!(error, MeanError::Level { row: 1, .. }), "{error}");
    let said = "land has no level 'z'; the data of the model have Z, a, b";
    assert_eq!(error.to_string(), said);
    let one = Linear::learn(formula, &[classes(&["a", "a"]), Values::Numbers(vec![1.0, 2.0])]);
    assert!(one.unwrap_err().to_string().contains("one level, a, in all rows"));
}

#[test]
fn polynomials_keep_their_basis() {
    let x = vec![1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 4.0, 6.0];
    let formula = Formula::parse("poly(x, 3)").unwrap();
    let linear = Linear::learn(formula.clone(), &[Values::Numbers(x.clone())]).unwrap();
    let Basis::Orthogonal(poly) = &linear.bases()[0] else { panic!("a basis") };
    // `attr(poly(x, 3), "coefs")` of R 4.2.2, and its prediction at 7.
    let close = |found: &[f64], expected: &[f64]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-12), "{found:?}");
    };
    close(poly.alpha(), &[5.25, 8.75, 6.448818897637796]);
    close(poly.norm2(), &[8.0, 103.5, 1524.0, 9388.660047928786]);
    let at = linear.columns(&[Values::Numbers(vec![7.0])], 1).unwrap().concat();
    close(&at[1..], &[0.17201561551404662, -0.4098524156628481, -0.35695318169557033]);
    let few = Linear::learn(formula, &[Values::Numbers(vec![1.0, 2.0, 3.0, 1.0])]);
    let error = few.unwrap_err().to_string();
    assert!(error.contains("more than 3 different values") && error.contains("^^^^"), "{error}");
}

/// Variables of all kinds.
const VARIABLES: &[&str] =
    &["x", "land", "`a b`", "log(x + 1e5)", "poly(y, 2)", "factor(k)", "I(x*y - 2^-x)"];

/// Random formulas of these variables that make sense.
fn formulas(variables: &'static [&'static str]) -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(variables).prop_map(str::to_owned);
    leaf.prop_recursive(4, 12, 2, |inner| {
        (inner.clone(), prop_oneof![Just("+"), Just(" * "), Just(":"), Just("/")], inner)
            .prop_map(|(left, sign, right)| format!("({left}){sign}({right})"))
    })
}

proptest! {
    /// What is printed, the terms by themselves, is read back as it was.
    #[test]
    fn labels_are_formulas_of_the_same_terms(text in formulas(VARIABLES)) {
        if let Ok(formula) = Formula::parse(&text) {
            let labels = formula.labels();
            let again = Formula::parse(&labels.join(" + ")).unwrap();
            let sorted = |labels: Vec<String>| {
                let factors = |label: String| {
                    let mut parts: Vec<String> = label.split(':').map(str::to_owned).collect();
                    parts.sort();
                    parts
                };
                labels.into_iter().map(factors).collect::<Vec<_>>()
            };
            prop_assert_eq!(sorted(again.labels()), sorted(labels));
        }
    }

    /// No text makes the parser panic, and errors point into it.
    #[test]
    fn any_text_is_read_or_refused(text in "[-x1y0.~+*/^:,=() `aI]{0,24}") {
        for found in [Formula::parse(&text), Formula::parse_products(&text)] {
            if let Err(error) = found {
                prop_assert!(error.text.get(error.span.start..error.span.end).is_some());
                prop_assert!(error.to_string().contains('^'));
            }
        }
    }

    /// Whatever stands in a formula of factors, its columns span those of all levels of each of
    /// its terms.
    #[test]
    fn codings_span_every_term(text in formulas(&["land", "factor(k)", "factor(l)"])) {
        if let Ok(formula) = Formula::parse(&text) {
            let levels = |k: usize| (0..54).map(move |i| (i / k) % 3);
            let texts: Vec<&str> = levels(1).map(|level| ["a", "b", "c"][level]).collect();
            let value = |variable: &Variable| match variable.name() {
                "land" => classes(&texts),
                "factor(k)" => Values::Numbers(levels(3).map(|level| level as f64).collect()),
                _ => Values::Numbers(levels(9).map(|level| level as f64).collect()),
            };
            let learned = |formula: Formula| {
                let values: Vec<Values> = formula.variables().iter().map(value).collect();
                let linear = Linear::learn(formula, &values).unwrap();
                (linear.names(), linear.columns(&values, 54).unwrap())
            };
            let (names, columns) = learned(formula.clone());
            prop_assert_eq!(columns.len(), names.len());
            let (design, _) = Design::reduced(names, columns, 54);
            for label in formula.labels() {
                for column in learned(Formula::parse(&format!("0 + {label}")).unwrap()).1 {
                    let rest = norm(&design.residuals(&column));
                    prop_assert!(rest < 1e-10, "{}: {}", label, rest);
                }
            }
        }
    }
}
