//! Expressions give the right values, formulas the right columns, and mistakes are shown where they
//! stand.

use tegula_files::expression::{EvaluateError, Expression, Function, Span, split_list};
use tegula_files::{ReadOptions, Table, TableError};

fn table(text: &str) -> Table {
    Table::from_bytes("t.csv", text.into(), &ReadOptions::default()).unwrap()
}

fn value(text: &str) -> f64 {
    let table = table("x,y,odd name,dist.m,log\n3,4,5,6,7\n");
    let values = Expression::parse(text).unwrap().evaluate(&table).unwrap();
    assert_eq!(values.len(), 1);
    values[0]
}

/// The first line of a parse error, and the text under its carets.
fn mistake(text: &str) -> (String, String) {
    let error = Expression::parse(text).unwrap_err();
    (error.message.clone(), error.text[error.span.start..error.span.end].to_owned())
}

#[test]
fn operators_bind_as_in_mathematics() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24 / 4 / 2", 3.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ -1", 0.5),
        ("- - 2", 2.0),
        ("+x*-y", -12.0),
        ("x*y^2", 48.0),
        ("1.5e1 + .5", 15.5),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn columns_are_named_plainly_or_in_backquotes() {
    assert_eq!(value("x + `odd name` + dist.m"), 14.0);
    assert_eq!(value("log + X"), 10.0, "a name without parenthesis is a column, in any case");
    assert_eq!(value("`2`"), 4.0, "a number in backquotes is the number of a column");
    let expression = Expression::parse("y + x * y + sqrt(`odd name`)").unwrap();
    assert_eq!(expression.columns(), ["y", "x", "odd name"]);
    assert_eq!(expression.as_column(), None);
    assert_eq!(Expression::parse(" ( x ) ").unwrap().as_column(), Some("x"));
}

#[test]
fn every_function_is_called_by_its_name() {
    let x = 0.7_f64;
    let expected = [x.sqrt(), x.ln(), x.log10(), x.exp(), x, x.sin(), x.cos(), x];
    for (function, expected) in Function::ALL.into_iter().zip(expected) {
        assert_eq!(value(&format!("{}(x - 2.3)", function.name())), function.apply(3.0 - 2.3));
        assert_eq!(function.apply(x), expected);
    }
    assert_eq!(value("abs(-x)"), 3.0);
}

#[test]
fn a_column_comes_before_arithmetic() {
    let table = table("a-b,z\n1,2\n");
    let read = |text| Expression::column_or_parse(text, &table).unwrap().evaluate(&table).unwrap();
    assert_eq!(read("a-b"), [1.0]);
    assert_eq!(read("2"), [2.0]);
    assert_eq!(read("2 + 0"), [2.0]);
    assert_eq!(Expression::column_or_parse("2", &table).unwrap().as_column(), Some("z"));
    let beyond = Expression::column_or_parse("7", &table).unwrap().evaluate(&table).unwrap_err();
    assert!(beyond.to_string().contains("no column '7'"), "{beyond}");
    assert!(Expression::column_or_parse("0", &table).unwrap().evaluate(&table).is_err());
    assert_eq!(read("`a-b` - 2*z"), [-3.0]);
}

#[test]
fn missing_inputs_give_missing_results() {
    let table = table("x,z\n1,4\nNA,5\n-1,NA\n");
    let values = Expression::parse("0 * x + sqrt(z)").unwrap().evaluate(&table).unwrap();
    assert_eq!(values[0], 2.0);
    assert!(values[1].is_nan() && values[2].is_nan());
}

#[test]
fn results_that_are_no_numbers_are_refused_with_line_and_place() {
    let table = table("# zinc\nx,z\n1,4\nNA,5\n\n2,-2\n0,1\n");
    let message =
        |text: &str| Expression::parse(text).unwrap().evaluate(&table).unwrap_err().to_string();
    assert_eq!(
        message("1 + log(z)"),
        "t.csv, line 6: log(-2) is not a finite number\n  1 + log(z)\n      ^^^^^^"
    );
    assert_eq!(message("z / x"), "t.csv, line 7: 1 / 0 is not a finite number\n  z / x\n  ^^^^^");
    assert!(message("10 ^ 1000").contains("10 ^ 1000 is not a finite number"));
}

#[test]
fn unknown_columns_and_text_are_shown_in_place() {
    let table = table("zinc,soil\n1,clay\n2,sand\n");
    let failure = |text: &str| Expression::parse(text).unwrap().evaluate(&table).unwrap_err();
    let unknown = failure("2 * log(zink)");
    assert!(unknown.to_string().contains("did you mean 'zinc'?"), "{unknown}");
    assert!(unknown.to_string().ends_with("\n  2 * log(zink)\n          ^^^^"), "{unknown}");
    let EvaluateError::Column { cause, .. } = failure("soil + 1") else {
        panic!("the column is at fault")
    };
    assert!(matches!(*cause, TableError::NotANumber { line: 2, .. }), "{cause}");
}

#[test]
fn mistakes_are_shown_where_they_stand() {
    for (text, message, place) in [
        ("", "empty", ""),
        ("x +", "missing at the end", ""),
        ("x + * y", "missing before '*'", "*"),
        ("x ** 2", "a power is written '^'", "*"),
        ("(x + 1", "never closed", "("),
        ("sqrt(x", "never closed", "("),
        ("x + 1)", "never opened", ")"),
        ("x y", "operator", "y"),
        ("(x y)", "operator", "y"),
        ("2x", "write '*' between them", "2x"),
        ("2e", "write '*' between them", "2e"),
        ("1.2.3", "not a number", "1.2.3"),
        ("1e999", "beyond double precision", "1e999"),
        ("x + `a", "never closed", "`"),
        ("x + ``", "no name", "``"),
        ("x & y", "backquotes", "&"),
        ("x:y", "in arithmetic a product is written '*'", ":"),
        ("(x:y)", "in arithmetic a product is written '*'", ":"),
        ("1,5", "decimals are written with a point", ","),
        ("sqr(x)", "did you mean 'sqrt'?", "sqr"),
        ("gamma(x)", "there are sqrt, log", "gamma"),
        ("sqrt()", "missing before ')'", ")"),
    ] {
        let (found, at) = mistake(text);
        assert!(found.contains(message), "{text}: {found}");
        assert_eq!(at, place, "{text}: {found}");
    }
    let shown = Expression::parse("größe + + *").unwrap_err().to_string();
    assert!(shown.ends_with("\n  größe + + *\n            ^"), "{shown}");
}

#[test]
fn deep_nesting_is_refused_and_not_fatal() {
    for text in ["(", "-", "x^", "sqrt("] {
        let nested = text.repeat(300);
        assert!(Expression::parse(&nested).unwrap_err().message.contains("nested"), "{text}");
        let endless = text.repeat(100_000);
        assert!(Expression::parse(&endless).unwrap_err().message.contains("too long"), "{text}");
    }
    // A sum is a tree as deep as it is long.
    let long = vec!["x"; 501].join("+");
    assert!(Expression::parse(&long).unwrap_err().message.contains("too long"));
    let wide = vec!["x"; 500].join("+");
    assert_eq!(value(&wide), 1500.0);
}

#[test]
fn a_part_of_a_text_is_read_with_its_places_in_the_whole() {
    let text = "x + log(z*) ~";
    let error = Expression::parse_part(text, Span { start: 4, end: 11 }).unwrap_err();
    assert_eq!((&text[error.span.start..error.span.end], error.text.as_str()), (")", text));
    let part = Expression::parse_part(text, Span { start: 0, end: 1 }).unwrap();
    assert_eq!(part.as_column(), Some("x"));
    let unknown = Expression::parse_part("1 + zink", Span { start: 4, end: 8 }).unwrap();
    let error = unknown.evaluate(&table("zinc\n1\n")).unwrap_err().to_string();
    assert!(error.ends_with("\n  1 + zink\n      ^^^^"), "{error}");
}

#[test]
fn lists_are_split_at_commas_that_separate() {
    assert_eq!(split_list("x, y"), ["x", "y"]);
    assert_eq!(split_list("log(z), `a,b`,"), ["log(z)", "`a,b`", ""]);
    assert_eq!(split_list("f(a,b)),c"), ["f(a,b))", "c"]);
}
