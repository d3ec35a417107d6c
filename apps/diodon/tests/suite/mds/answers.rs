//! Weights and corrections, against numbers of NumPy 2 and SciPy 1 for distances that a formula
//! makes.
//!
//! NumPy formed the matrices as their definitions say (with weights that of `wcmdscale` of the R
//! package vegan); SciPy's `eigh` and, for Cailliez's constant, `eigvals` took them apart.

use tegula_diodon::mds::{Method, cailliez};
use tegula_kernels::element::Element;

use super::support::{How, deviation, eigen, embed, gram, points, stored};

pub(crate) const N: usize = 12;

/// Distances with both kinds of eigenvalues.
pub(crate) fn distances() -> Vec<f64> {
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

/// Eigenvalues of the distances with Lingoes's correction, but for two that are 0.
const LINGOES: [f64; 10] = [
    58.82618070907484,
    24.814181458595996,
    19.389128780369624,
    16.91510046202941,
    14.9468654370892,
    13.996516198059073,
    11.743046053446303,
    10.59717211507308,
    7.482111530491318,
    5.058857430745171,
];

#[test]
fn lingoes_shifts_all_eigenvalues_but_that_of_the_mean() {
    for method in [Method::Exact, Method::Lanczos] {
        let source = stored(&distances(), Element::F64);
        let mut how = How::new(method, 4, N);
        how.request.lingoes = true;
        let leading = embed::<f64>(&source, &how).expect("distances").leading;
        let changed = leading.lingoes.expect("it was asked for");
        assert!(near(changed.constant, -LOWEST), "{}", changed.constant);
        assert!(deviation(&leading.values, &LINGOES) < 1e-13, "{method:?}");
        assert!(near(changed.trace, 183.76916017497402), "{}", changed.trace);
        assert!(near(changed.frobenius2, 5489.406547765317), "{}", changed.frobenius2);
        assert!(leading.negative.is_empty());
        if let Some(spectrum) = &leading.spectrum {
            let all: Vec<f64> = LINGOES.iter().copied().chain([0.0, 0.0]).collect();
            assert_eq!(spectrum.len(), N);
            assert!(deviation(spectrum, &all) < 1e-13, "{spectrum:?}");
        }
    }
}

#[test]
fn lingoes_makes_axes_of_eigenvalues_that_were_not_positive() {
    // Of the negative eigenvalues but the lowest.
    let last = [
        [
            1.0690040764475197,
            -0.6254173154809922,
            0.2770325989583603,
            -1.3280705967982591,
            -0.31780660332452804,
            1.6397176694701063,
            -0.3739161113551723,
            0.11607984310105138,
            -0.8720280304097109,
            0.25854687569322976,
            0.4816235633485079,
            -0.3247659696501087,
        ],
        [
            -0.766448982176949,
            0.12590329051256124,
            1.2106418792767961,
            -0.5294469157197912,
            -0.1531351594578499,
            -0.22076405016888193,
            0.39728777123231834,
            0.058185998733720296,
            -0.5024696965099944,
            1.207655208185092,
            -0.8735816217949153,
            0.046172277887891466,
        ],
    ];
    for method in [Method::Exact, Method::Lanczos] {
        for axes in [9, 10, N] {
            let source = stored(&distances(), Element::F64);
            let mut how = How::new(method, axes, N);
            how.request.lingoes = true;
            let leading = embed::<f64>(&source, &how).expect("distances").leading;
            assert_eq!(leading.values.len(), axes.min(10), "{method:?}: {:?}", leading.values);
            assert!(deviation(&leading.values, &LINGOES) < 1e-13, "{method:?}");
            for (axis, expected) in (8..axes.min(10)).zip(last) {
                let length = leading.values[axis].sqrt();
                for (item, x) in expected.into_iter().enumerate() {
                    let found = leading.vectors[axis * N + item] * length;
                    assert!((found - x).abs() < 1e-11, "{method:?}, axis {axis}: {found} {x}");
                }
            }
        }
    }
}

#[test]
fn lingoes_makes_axes_of_zero_eigenvalues_without_the_mean() {
    // One positive eigenvalue, one negative, all others are zero.
    let n = 90;
    let step = |i: usize| ((7 * i) % 5) as f64;
    let distance = |i: usize, j: usize| {
        let square = (i as f64 - j as f64).powi(2) - 0.04 * (step(i) - step(j)).powi(2);
        square.max(0.0).sqrt()
    };
    let distances: Vec<f64> = (0..n * n).map(|at| distance(at / n, at % n)).collect();
    let source = stored(&distances, Element::F64);
    let (values, vectors) = eigen(&gram(&distances, &vec![1.0; n]));
    let constant = -values[n - 1];
    assert!(constant > 1.0 && values[1].abs() < 1e-9);
    for (method, width, capacity) in [
        (Method::Exact, 8, 0),
        (Method::Lanczos, 8, 16),
        (Method::Lanczos, 8, 80),
        (Method::Lanczos, n, n),
    ] {
        let mut how = How::new(method, 5, n);
        how.request.lingoes = true;
        (how.request.width, how.request.capacity) = (width, capacity);
        let leading = embed::<f64>(&source, &how).expect("distances").leading;
        assert_ne!(leading.has_converged, Some(false), "{method:?}, width {width}");
        let expected = [values[0] + constant, constant, constant, constant, constant];
        assert_eq!(leading.values.len(), 5, "{method:?}, width {width}");
        assert!(deviation(&leading.values, &expected) < 1e-12, "{:?}", leading.values);
        for vector in leading.vectors.chunks_exact(n) {
            let sum: f64 = vector.iter().sum();
            let lowest: f64 = (0..n).map(|i| vector[i] * vectors[(i, n - 1)]).sum();
            assert!(sum.abs() < 1e-9, "{method:?}, width {width}: a part of the mean, {sum:e}");
            assert!(lowest.abs() < 1e-5, "{method:?}, width {width}: {lowest:e}");
        }
    }
}

#[test]
fn lingoes_leaves_euclidean_distances_and_a_point_alone() {
    for method in [Method::Exact, Method::Lanczos] {
        let n = 40;
        let run = |lingoes: bool| {
            let mut how = How::new(method, 6, n);
            how.request.lingoes = lingoes;
            let source = stored(&points(n, 3, 3), Element::F64);
            embed::<f64>(&source, &how).expect("distances").leading
        };
        let (plain, corrected) = (run(false), run(true));
        assert_eq!(corrected.lingoes.map(|changed| changed.constant), Some(0.0));
        assert_eq!((plain.values.len(), corrected.values.len()), (3, 3), "{method:?}");
        assert!(deviation(&corrected.values, &plain.values) < 1e-12, "{method:?}");
        let mut how = How::new(method, 2, 1);
        how.request.lingoes = true;
        let one = embed::<f64>(&stored(&[0.0], Element::F64), &how).expect("a point");
        assert!(one.leading.values.is_empty());
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
