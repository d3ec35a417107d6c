//! Weights and corrections, against numbers of NumPy 2 and SciPy 1 for distances that a formula makes.
//!
//! NumPy formed the matrices as their definitions say (with weights that of `wcmdscale` of the R package vegan); SciPy's `eigh`
//! and, for Cailliez's constant, `eigvals` took them apart.

use tegula_diodon::mds::{Method, cailliez, lingoes};
use tegula_kernels::element::Element;

use crate::support::{How, deviation, embed, stored};

const N: usize = 12;

/// Distances with both kinds of eigenvalues.
fn distances() -> Vec<f64> {
    let distance = |i: usize, j: usize| {
        let steps = ((i * j) % 5) as f64 * 0.25 + ((i + j) % 3) as f64 * 0.5;
        if i == j { 0.0 } else { (i.abs_diff(j) as f64).powf(0.7) + steps }
    };
    (0..N * N).map(|at| distance(at / N, at % N)).collect()
}

const PLAIN: [f64; 4] =
    [49.16834294926727, 15.156343698788403, 9.731291020562038, 7.257262702221828];
const LOWEST: f64 = -9.657837759807581;

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-13
}

#[test]
fn plain_distances() {
    for method in [Method::Exact, Method::Lanczos, Method::Randomized, Method::Nystrom] {
        let source = stored(&distances(), Element::F64);
        let found = embed::<f64>(&source, &How::new(method, 4, N)).expect("distances");
        assert!(deviation(&found.leading.values, &PLAIN) < 1e-13, "{:?}", found.leading.values);
        assert!(near(found.sums.trace, 77.53294481709062), "{}", found.sums.trace);
        assert!(near(found.sums.frobenius2, 2965.7932114557493), "{}", found.sums.frobenius2);
        let lowest = found.leading.negative[0];
        assert!((lowest - LOWEST).abs() < 1e-12, "{method:?}: {lowest}");
    }
}

#[test]
fn weighted_items() {
    let axis = [
        -3.5246427438964183,
        -2.9515315222726533,
        -2.9544190946560804,
        -3.221099070024949,
        -2.2642962450790347,
        -1.4577811903557893,
        -1.1296953047109686,
        -0.09041580645252671,
        0.6067042739753623,
        0.8674131141888133,
        1.584202469816052,
        2.3595020440828076,
    ];
    let values = [250.16923716094982, 91.9485181794254, 57.9539560860928, 48.89862967214472];
    let weights: Vec<f64> = (1..=N).map(|item| item as f64).collect();
    for method in [Method::Exact, Method::Lanczos] {
        for edge in [5, 64] {
            let mut how = How::new(method, 4, N);
            how.options.weights = Some(weights.clone());
            how.options.edge = edge;
            let source = stored(&distances(), Element::F64);
            let found = embed::<f64>(&source, &how).expect("distances");
            assert!(deviation(&found.leading.values, &values) < 1e-13, "{method:?}");
            assert!(near(found.sums.trace, 422.29181363761836), "{}", found.sums.trace);
            assert!(near(found.sums.frobenius2, 82051.12728578271), "{}", found.sums.frobenius2);
            let length = found.leading.values[0].sqrt();
            for (item, expected) in axis.iter().enumerate() {
                let x = found.leading.vectors[item] * length / weights[item].sqrt();
                assert!((x - expected).abs() < 1e-11, "{method:?}, item {item}: {x}");
            }
        }
    }
}

#[test]
fn equal_weights_change_the_scale_alone() {
    let source = stored(&distances(), Element::F64);
    let mut how = How::new(Method::Lanczos, 4, N);
    how.options.weights = Some(vec![3.0; N]);
    let found = embed::<f64>(&source, &how).expect("distances");
    let scaled: Vec<f64> = PLAIN.iter().map(|value| 3.0 * value).collect();
    assert!(deviation(&found.leading.values, &scaled) < 1e-13, "{:?}", found.leading.values);
}

#[test]
fn lingoes_shifts_all_eigenvalues_but_that_of_the_mean() {
    let values = [58.82618070907481, 24.814181458595968, 19.389128780369617, 16.91510046202941];
    for method in [Method::Exact, Method::Lanczos] {
        let source = stored(&distances(), Element::F64);
        let mut how = How::new(method, 4, N);
        how.request.lowest = true;
        let mut found = embed::<f64>(&source, &how).expect("distances");
        let changed = lingoes(&mut found.leading, &found.sums, N);
        assert!(near(changed.constant, -LOWEST), "{}", changed.constant);
        assert!(deviation(&found.leading.values, &values) < 1e-13, "{method:?}");
        assert!(near(changed.trace, 183.76916017497402), "{}", changed.trace);
        assert!(near(changed.frobenius2, 5489.406547765317), "{}", changed.frobenius2);
        if let Some(spectrum) = &found.leading.spectrum {
            let lowest = spectrum.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(lowest > -1e-12, "{lowest}");
        }
    }
}

#[test]
fn cailliez_makes_distances_euclidean() {
    let values = [160.74859030520108, 69.41378441961957, 60.94442462482099, 52.12948152987185];
    let source = stored(&distances(), Element::F64);
    let constant = cailliez(&*source).expect("distances");
    assert!((constant / 6.189158640137163 - 1.0).abs() < 1e-11, "{constant}");
    for method in [Method::Exact, Method::Lanczos] {
        let mut how = How::new(method, 4, N);
        how.options.offset = constant;
        let found = embed::<f64>(&source, &how).expect("distances");
        assert!(deviation(&found.leading.values, &values) < 1e-11, "{method:?}");
        assert!(found.leading.negative.iter().all(|&x| x > -1e-9), "{:?}", found.leading.negative);
    }
}
