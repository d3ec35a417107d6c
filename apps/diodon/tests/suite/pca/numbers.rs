//! Kinds of numbers, constant columns, large means, and entries that are none.

use tegula_diodon::pca::{Pretreatment, rounding_note};
use tegula_diodon::singular::{METHODS, Method};
use tegula_kernels::element::Element;

use super::support::{How, analyse, assert_triples, pretreated, random, squares, stored};

#[test]
fn each_kind_of_numbers_is_taken_as_it_is_stored() {
    let shape = [70, 12];
    let whole: Vec<f64> = random(shape, 21).iter().map(|x| (x * 4.0).abs().round()).collect();
    let p = pretreated(&whole, shape, Pretreatment::Standard);
    let kinds = [Element::U8, Element::I8, Element::I16, Element::I32, Element::F16, Element::F32];
    for element in kinds {
        for listed in METHODS {
            let how = How::new(Pretreatment::Standard, listed.method, (5, shape));
            let found = analyse::<f64>(&stored(&whole, shape, element), &how).expect("a table");
            let what = format!("{}, {}", element.name(), listed.name);
            assert_triples(&found.triples, &p, (5, 1e-9), &what);
        }
    }
}

#[test]
fn products_in_single_precision_cost_what_single_precision_costs() {
    let shape = [200, 50];
    let x = random(shape, 22);
    let mut how = How::new(Pretreatment::ColumnCentering, Method::Krylov, (4, shape));
    how.request.tolerance = 1e-3;
    let found = analyse::<f32>(&stored(&x, shape, Element::F64), &how).expect("a table");
    assert!(found.triples.has_converged);
    let exact = squares(&pretreated(&x, shape, Pretreatment::ColumnCentering));
    for (value, exact_value) in found.triples.values.iter().zip(&exact) {
        assert!((value - exact_value).abs() < 1e-4 * exact[0], "{value} {exact_value}");
    }
}

#[test]
fn constant_columns_have_no_weight_and_are_named() {
    let (shape, n) = ([50, 6], 6);
    let mut x = random(shape, 23);
    for i in 0..50 {
        x[i * n + 1] = 0.1;
        x[i * n + 4] = 1e9 / 3.0;
    }
    for listed in METHODS {
        let how = How::new(Pretreatment::Standard, listed.method, (6, shape));
        let found = analyse::<f64>(&stored(&x, shape, Element::F64), &how).expect("a table");
        assert!((found.triples.inertia - 4.0).abs() < 1e-10, "{}", found.triples.inertia);
        assert_eq!(found.triples.values.len(), 4);
        let note = found.form.notes.join("; ");
        assert!(note.contains("variable2 [2], variable5 [5]"), "{note}");
        let weights = (0..4).flat_map(|axis| {
            [found.triples.right[axis * n + 1], found.triples.right[axis * n + 4]]
        });
        assert!(weights.into_iter().all(|v| v.abs() < 1e-12));
    }
}

#[test]
fn means_that_are_large_against_deviations_do_not_spoil_norms_of_columns() {
    let shape = [400, 5];
    let deviations = random(shape, 24);
    // Sums of squares have lost the deviations: they are 1e-20 of them.
    let x: Vec<f64> = deviations.iter().map(|x| ((x * 1024.0).round() / 1024.0) + 1e9).collect();
    let shifted: Vec<f64> = x.iter().map(|x| x - 1e9).collect();
    let expected = squares(&pretreated(&shifted, shape, Pretreatment::Standard));
    let source = stored(&x, shape, Element::F64);
    let how = How::new(Pretreatment::Standard, Method::Exact, (5, shape));
    let found = analyse::<f64>(&source, &how).expect("a table");
    assert!(found.form.notes.is_empty(), "{:?}", found.form.notes);
    for (value, expected) in found.triples.values.iter().zip(&expected) {
        assert!((value - expected).abs() < 1e-6, "{value} {expected}");
    }
    assert!((found.triples.inertia - 5.0).abs() < 1e-6, "{}", found.triples.inertia);
    let how = How::new(Pretreatment::Standard, Method::Krylov, (5, shape));
    let found = analyse::<f64>(&source, &how).expect("a table");
    assert!(rounding_note(&found.triples).is_some_and(|note| note.contains("--method exact")));
    for (value, expected) in found.triples.values.iter().zip(&expected) {
        assert!((value - expected).abs() < 1e-4, "{value} {expected}");
    }
}

#[test]
fn entries_that_are_no_numbers_are_refused_by_name() {
    let shape = [30, 5];
    for bad in [f64::NAN, f64::INFINITY] {
        let mut x = random(shape, 25);
        x[17 * 5 + 2] = bad;
        for listed in METHODS {
            let how = How::new(Pretreatment::Standard, listed.method, (2, shape));
            let error =
                analyse::<f64>(&stored(&x, shape, Element::F64), &how).expect_err("refused");
            let text = error.to_string();
            assert!(text.contains("(item18 [18], variable3 [3])"), "{text}");
        }
    }
}
