//! Tables of all shapes, by each method, under each pretreatment, in tiles of several sizes.

use tegula_diodon::pca::Pretreatment;
use tegula_diodon::singular::{METHODS, Method};
use tegula_kernels::element::Element;

use super::support::{How, analyse, assert_triples, every, pretreated, random, squares, stored};

const AXES: usize = 4;
const SHAPES: [[usize; 2]; 9] =
    [[40, 7], [7, 40], [30, 30], [150, 33], [33, 150], [9, 1], [1, 9], [2, 3], [1, 1]];

#[test]
fn each_method_finds_the_singular_triples_of_each_pretreatment() {
    for shape in SHAPES {
        let x = random(shape, 11);
        let source = stored(&x, shape, Element::F64);
        for (name, pretreatment) in every() {
            let p = pretreated(&x, shape, pretreatment);
            for listed in METHODS {
                let how = How::new(pretreatment, listed.method, (AXES, shape));
                let what = format!("{shape:?}, {name}, {}", listed.name);
                let found = analyse::<f64>(&source, &how).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert!(found.triples.has_converged, "{what}");
                assert_triples(&found.triples, &p, (AXES, 1e-9), &what);
            }
        }
    }
}

#[test]
fn tiles_memory_and_order_change_nothing_but_rounding() {
    let shape = [90, 37];
    let x = random(shape, 12);
    let source = stored(&x, shape, Element::F64);
    for (name, pretreatment) in every() {
        let p = pretreated(&x, shape, pretreatment);
        for (edge, memory) in [(1, 1), (5, 1), (64, 1 << 20), (1000, 1)] {
            let mut how = How::new(pretreatment, Method::Krylov, (AXES, shape));
            (how.options.edge, how.options.memory) = (edge, memory);
            how.options.overlap.split_gram = edge != 5;
            how.options.overlap.commute = edge != 64;
            let found = analyse::<f64>(&source, &how).expect("a table");
            let what = format!("{name}, edge {edge}");
            assert_triples(&found.triples, &p, (AXES, 1e-9), &what);
        }
    }
}

#[test]
fn a_space_that_is_compressed_still_converges() {
    let shape = [300, 120];
    let x = random(shape, 13);
    let source = stored(&x, shape, Element::F64);
    let mut how = How::new(Pretreatment::ColumnCentering, Method::Krylov, (3, shape));
    (how.request.width, how.request.capacity) = (5, 20);
    let found = analyse::<f64>(&source, &how).expect("a table");
    assert!(found.triples.has_converged && found.passes > 12, "{} passes", found.passes);
    let p = pretreated(&x, shape, Pretreatment::ColumnCentering);
    assert_triples(&found.triples, &p, (3, 1e-9), "compressed");
}

#[test]
fn passes_are_counted_and_bounded() {
    let shape = [300, 120];
    let x = random(shape, 14).iter().map(|x| x.fract()).collect::<Vec<_>>();
    let source = stored(&x, shape, Element::F64);
    let mut how = How::new(Pretreatment::None, Method::Krylov, (3, shape));
    how.request.width = 4;
    how.request.passes = Some(8);
    let found = analyse::<f64>(&source, &how).expect("a table");
    // Two for the first block, six for three steps, one for the coordinates.
    assert_eq!((found.passes, found.triples.has_converged), (9, false));
    let exact = squares(&pretreated(&x, shape, Pretreatment::None));
    for (value, exact) in found.triples.values.iter().zip(&exact) {
        assert!(value <= &(exact * (1.0 + 1e-12)), "Ritz values are below: {value} {exact}");
    }
}

#[test]
fn a_rank_below_the_number_of_axes_gives_as_many_axes_as_there_are() {
    let (shape, rank) = ([60, 25], 3);
    let (a, b) = (random([60, rank], 15), random([rank, 25], 16));
    let product = |i: usize, j: usize| (0..rank).map(|k| a[i * rank + k] * b[k * 25 + j]).sum();
    let x: Vec<f64> = (0..60 * 25).map(|at| product(at / 25, at % 25)).collect();
    let source = stored(&x, shape, Element::F64);
    for listed in METHODS {
        let how = How::new(Pretreatment::None, listed.method, (6, shape));
        let found = analyse::<f64>(&source, &how).expect("a table");
        assert_eq!(found.triples.values.len(), rank, "{}", listed.name);
        let sum: f64 = found.triples.values.iter().sum();
        assert!((sum / found.triples.inertia - 1.0).abs() < 1e-10, "{}", listed.name);
    }
}

#[test]
fn what_centring_removes_leaves_no_axis() {
    let shape = [20, 8];
    let x: Vec<f64> = (0..160).map(|at| (at / 8) as f64 * 1.7 + (at % 8) as f64 * 0.3).collect();
    for x in [x, vec![0.0; 160]] {
        let source = stored(&x, shape, Element::F64);
        for listed in METHODS {
            let how = How::new(Pretreatment::Bicentering, listed.method, (3, shape));
            let found = analyse::<f64>(&source, &how).expect("a table");
            assert!(found.triples.values.is_empty(), "{}: {:?}", listed.name, found.triples.values);
            assert!(found.triples.left.is_empty() && found.triples.norms2.len() == 20);
        }
    }
}
