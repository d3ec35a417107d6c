//! Answers of NumPy and SciPy: `numpy.linalg.svd` of `sqrtm(D) X sqrtm(Q)`, and projections by
//! `numpy.linalg.solve`.

use faer::Mat;
use tegula_diodon::metric::Metric;
use tegula_diodon::pca::Pretreatment;
use tegula_diodon::singular::{METHODS, Method};

use super::instruments;
use super::support::{analyse, stored};

const SHAPE: (usize, usize) = (12, 5);

/// `x_ij = (7 i + 13 j + 3 i j) mod 17 + j / 4`.
fn table() -> Mat<f64> {
    let entry = |i: usize, j: usize| ((i * 7 + j * 13 + i * j * 3) % 17) as f64 + 0.25 * j as f64;
    Mat::from_fn(SHAPE.0, SHAPE.1, entry)
}

/// Weights `1 + (i mod 3) / 2` of the rows and `1 / (1 + j)` of the columns.
fn weights() -> [Metric; 2] {
    let rows = (0..SHAPE.0).map(|i| 1.0 + (i % 3) as f64 / 2.0).collect();
    let columns = (0..SHAPE.1).map(|j| 1.0 / (1 + j) as f64).collect();
    [Metric::diagonal(rows), Metric::diagonal(columns)]
}

/// `2^-|i - k|` of the rows, `min(j, k) + 1`, and 1/2 more on the diagonal, of the columns.
fn full() -> [Metric; 2] {
    let rows = Mat::from_fn(SHAPE.0, SHAPE.0, |i, k| 0.5_f64.powi(i.abs_diff(k) as i32));
    let columns =
        Mat::from_fn(SHAPE.1, SHAPE.1, |j, k| j.min(k) as f64 + if j == k { 1.5 } else { 1.0 });
    [rows, columns].map(|metric| Metric::full(stored("M", &metric)).expect("symmetric"))
}

/// Pretreatment, three eigenvalues, inertia.
type Answer = (Pretreatment, [f64; 3], f64);

const OF_WEIGHTS: [Answer; 6] = [
    (
        Pretreatment::Standard,
        [1.0377101413113952, 0.5764794795059807, 0.30235327980878557],
        2.283333333333333,
    ),
    (
        Pretreatment::ColumnCentering,
        [442.45855062423135, 248.22332260470523, 140.46175537524988],
        1002.9342592592592,
    ),
    (
        Pretreatment::RowCentering,
        [302.4113964920897, 228.40282544626086, 117.243034781741],
        709.0702554744526,
    ),
    (
        Pretreatment::Bicentering,
        [289.09633164055026, 224.06193888206306, 116.9220590980821],
        687.2089416058394,
    ),
    (
        Pretreatment::Scaling,
        [1.8738002172649832, 0.17890809443600791, 0.12602023363186307],
        2.283333333333333,
    ),
    (
        Pretreatment::None,
        [3032.8743953821477, 300.7186758248804, 228.07592369879058],
        3735.1270833333333,
    ),
];

const OF_FULL: [Answer; 6] = [
    (
        Pretreatment::Standard,
        [15.369970335570468, 1.4552293896253052, 1.1961542761884634],
        19.35499506934305,
    ),
    (
        Pretreatment::ColumnCentering,
        [5846.030990072159, 464.2091429259558, 261.9722628953896],
        6835.186561054335,
    ),
    (
        Pretreatment::RowCentering,
        [677.1400031525529, 423.0954714651454, 154.3673210654707],
        1387.3947780443273,
    ),
    (
        Pretreatment::Bicentering,
        [675.4873557980902, 394.65878237817384, 148.59943602208014],
        1333.4860917812018,
    ),
    (
        Pretreatment::Scaling,
        [52.08411545054071, 0.22961153389692074, 0.17652031659091974],
        52.603075437570936,
    ),
    (
        Pretreatment::None,
        [132497.9648438394, 656.2813843165201, 405.56845562611375],
        133823.88934326172,
    ),
];

/// Asserts that both are the same but for rounding.
#[track_caller]
fn assert_near(values: &[f64], answers: &[f64], what: &str) {
    assert_eq!(values.len(), answers.len(), "{what}");
    for (value, answer) in values.iter().zip(answers) {
        assert!((value / answer - 1.0).abs() < 1e-9, "{what}: {value} {answer}");
    }
}

#[test]
fn eigenvalues_are_those_of_numpy() {
    for (metrics, answers) in [(weights(), OF_WEIGHTS), (full(), OF_FULL)] {
        for (pretreatment, eigenvalues, inertia) in answers {
            for listed in METHODS {
                let how = (pretreatment, metrics.clone());
                let found = analyse(&table(), how, (listed.method, 3)).expect("a table");
                let what = format!("{pretreatment:?}, {}", listed.name);
                assert_near(&found.values, &eigenvalues, &what);
                assert_near(&[found.inertia], &[inertia], &what);
            }
        }
    }
}

#[test]
fn coordinates_are_those_of_numpy() {
    let how = (Pretreatment::ColumnCentering, full());
    let found = analyse(&table(), how, (Method::Exact, 1)).expect("a table");
    let scaled: Vec<f64> = found.right.iter().map(|a| a * found.values[0].sqrt()).collect();
    let answers = [
        6.177870247982291,
        -0.9817126031622065,
        6.502450964874806,
        20.404170171563116,
        10.302181205390061,
    ];
    assert_near(&scaled, &answers, "variables");
    let items = [found.left[0], found.left[11]];
    assert_near(&items, &[-16.60832450811494, 13.346379566042266], "items");
    let norms2 = [found.norms2[0], found.norms2[11]];
    assert_near(&norms2, &[352.45607011139685, 242.38640060668206], "norms");
}

/// `i mod 5`, `i^2 mod 7`, and the first less twice the second, plus 3.
fn variables() -> Mat<f64> {
    let (a, b) = (|i: usize| (i % 5) as f64, |i: usize| (i * i % 7) as f64);
    Mat::from_fn(SHAPE.0, 3, |i, j| [a(i), b(i), a(i) - 2.0 * b(i) + 3.0][j])
}

#[test]
fn axes_of_instruments_are_those_of_numpy() {
    let cases = [
        (
            Default::default(),
            [0.679806568920299, 0.29342484261009055],
            [0.9732314115303897, 5.0],
            [-0.19147555143430645, -0.13193532701277338],
            [0.9495909236039527, -0.11572513167127384, 0.5875466069120304],
            [0.16978884593305776, -0.05512431075576231],
        ),
        (
            full(),
            [3.388706339368221, 0.3772743094897402],
            [3.7659806488579637, 19.35499506934305],
            [0.323570408317284, -0.25228549294191505],
            [0.38593621882551615, -0.7675336597451369, 0.9878761132476018],
            [0.28131607349866505, -0.428585987378932],
        ),
    ];
    for (metrics, values, inertia, items, correlations, coefficients) in cases {
        let how = (Pretreatment::Standard, metrics);
        let found = instruments::analyse(&table(), how, (&variables(), 3, None));
        let (found, explained) = found.expect("a table");
        assert_near(&found.values, &values, "eigenvalues");
        assert_near(&[explained.constrained, explained.total], &inertia, "inertia");
        assert_eq!(explained.dropped, [2]);
        let along = explained.axes.expect("their axes");
        // Signs are free.
        let sign = (found.left[0] * items[0]).signum();
        assert_near(&[sign * found.left[0], sign * found.left[11]], &items, "items");
        let all: Vec<f64> = along.correlations[..3].iter().map(|x| sign * x).collect();
        assert_near(&all, &correlations, "correlations");
        let kept: Vec<f64> = along.coefficients[..3].iter().flatten().map(|x| sign * x).collect();
        assert_near(&kept, &coefficients, "coefficients");
    }
}

#[test]
fn axes_without_instruments_are_those_of_numpy() {
    let cases = [
        (
            Default::default(),
            [1.3290792266048863, 1.033003082248119, 0.764299179182788],
            4.02676858846961,
            [-0.4706169360978133, 0.0804099395157612],
        ),
        (
            full(),
            [12.204321324149745, 1.444187276145483, 0.9801016837570111],
            15.589014420485087,
            [-1.1527941814261162, 1.0286904906438508],
        ),
    ];
    for (metrics, values, inertia, items) in cases {
        for listed in METHODS {
            let how = (Pretreatment::Standard, metrics.clone());
            let asked = (&variables(), 3, Some(listed.method));
            let (found, _) = instruments::analyse(&table(), how, asked).expect("a table");
            assert_near(&found.values, &values, listed.name);
            assert_near(&[found.inertia], &[inertia], listed.name);
            let sign = (found.left[0] * items[0]).signum();
            let both = [sign * found.left[0], sign * found.left[11]];
            let off = both.iter().zip(items).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6, "{both:?} {items:?}");
        }
    }
}
