//! Distances between points.

use proptest::prelude::*;
use tegula_diodon::distance::{METRICS, MetricInput};
use tegula_files::source::{Coverage, Source};
use tegula_kernels::element::Element;

use super::{check, check_triangles, choice, condensed, of_points, try_points, whole};

/// The counts that SciPy 1.17.1 and vegan 2.6-4 were given.
const COUNTS: [[f64; 4]; 4] =
    [[1.0, 0.0, 3.0, 2.0], [0.0, 5.0, 1.0, 0.0], [2.0, 2.0, 0.0, 7.0], [4.0, 0.0, 0.0, 1.0]];

/// The formulas as they are written in books, term by term.
fn reference(metric: &str, x: &[f64], y: &[f64], table: &[Vec<f64>]) -> f64 {
    let pairs = || x.iter().zip(y);
    match metric {
        "euclidean" => pairs().map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt(),
        "manhattan" => pairs().map(|(a, b)| (a - b).abs()).sum(),
        "bray-curtis" => {
            let different: f64 = pairs().map(|(a, b)| (a - b).abs()).sum();
            different / pairs().map(|(a, b)| a + b).sum::<f64>()
        }
        "jaccard" => {
            let any = pairs().filter(|&(&a, &b)| a != 0.0 || b != 0.0).count();
            let one = pairs().filter(|&(&a, &b)| (a != 0.0) != (b != 0.0)).count();
            if any == 0 { 0.0 } else { one as f64 / any as f64 }
        }
        "chi-square" => {
            let all: f64 = table.iter().flatten().sum();
            let (rx, ry): (f64, f64) = (x.iter().sum(), y.iter().sum());
            let term = |k: usize| {
                let total: f64 = table.iter().map(|row| row[k]).sum();
                let difference = x[k] / rx - y[k] / ry;
                if total == 0.0 { 0.0 } else { all / total * difference * difference }
            };
            (0..x.len()).map(term).sum::<f64>().sqrt()
        }
        "haversine" => {
            let half = |k: usize| (0.5 * (x[k] - y[k]).to_radians()).sin().powi(2);
            let cosines = x[0].to_radians().cos() * y[0].to_radians().cos();
            2.0 * 6371.0 * (half(0) + cosines * half(1)).sqrt().min(1.0).asin()
        }
        other => panic!("there is no reference for {other}: add one"),
    }
}

/// Relative error allowed: some roundings per coordinate, of terms of one sign.
fn tolerance(metric: &str, dimensions: usize) -> f64 {
    match metric {
        // Both ways lose accuracy towards the antipodes, the textbook's way more.
        "haversine" => 1e-7,
        // Terms are differences of rounded shares.
        "chi-square" => 1e-9,
        _ => (4 + dimensions) as f64 * f64::EPSILON,
    }
}

fn metrics() -> impl Iterator<Item = &'static str> {
    METRICS.iter().filter(|metric| metric.takes() == MetricInput::Points).map(|metric| metric.name)
}

fn table(
    values: impl Strategy<Value = f64> + Clone,
    n: std::ops::Range<usize>,
    p: std::ops::Range<usize>,
) -> impl Strategy<Value = Vec<Vec<f64>>> {
    (n, p).prop_flat_map(move |(n, p)| {
        let row = prop::collection::vec(values.clone(), p);
        prop::collection::vec(row, n)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(25))]
    #[test]
    fn abundances_have_the_distances_of_the_formulas(
        rows in table(prop_oneof![Just(0.0), 0.0..50.0], 2..45, 1..75)
    ) {
        // At least one number in each row, so that all metrics are defined.
        let rows: Vec<Vec<f64>> =
            rows.into_iter().map(|mut row| { row[0] += 1.0; row }).collect();
        for name in metrics().filter(|&name| name != "haversine") {
            let source = of_points(name, &rows);
            check(&source, tolerance(name, rows[0].len()), |i, j| reference(name, &rows[i], &rows[j], &rows));
            if choice(name).metric.has_triangle_inequality {
                check_triangles(&source);
            }
        }
    }

    #[test]
    fn places_have_the_distances_of_the_formula(
        places in prop::collection::vec((-90.0..90.0, -180.0..180.0), 2..45)
    ) {
        let rows: Vec<Vec<f64>> = places.into_iter().map(|(a, b)| vec![a, b]).collect();
        let source = of_points("haversine", &rows);
        check(&source, tolerance("haversine", 2), |i, j| reference("haversine", &rows[i], &rows[j], &rows));
        check_triangles(&source);
    }
}

#[test]
fn more_points_than_are_computed_at_once_are_cut_without_a_seam() {
    let rows: Vec<Vec<f64>> =
        (0..1100).map(|i| vec![f64::from(i * i % 97), f64::from(i) / 7.0, 1.0]).collect();
    for name in ["euclidean", "bray-curtis", "jaccard"] {
        let source = of_points(name, &rows);
        check(&source, tolerance(name, 3), |i, j| reference(name, &rows[i], &rows[j], &rows));
    }
}

#[test]
fn near_points_far_from_the_origin_keep_their_distance() {
    let rows: Vec<Vec<f64>> =
        (0..20).map(|i| vec![1e8, 1e8 + f64::from(i) * 2f64.powi(-20), -1e8]).collect();
    // Differences of the coordinates are exact, and so are the roots of their squares.
    let source = of_points("euclidean", &rows);
    check(&source, 0.0, |i, j| (i as f64 - j as f64).abs() * 2f64.powi(-20));
    let places = [vec![48.8566, 2.3522], vec![48.8566 + 1e-7, 2.3522]];
    let found = whole(&of_points("haversine", &places))[1];
    // 1e-7 degrees are 11.1 mm, of which some nanometres are lost.
    assert!((found - 6371.0 * 1e-7_f64.to_radians()).abs() < 1e-11, "{found}");
}

#[test]
fn numbers_are_those_of_scipy_scikit_learn_and_vegan() {
    let rows: Vec<Vec<f64>> = COUNTS.iter().map(|row| row.to_vec()).collect();
    let facts: [(&str, [f64; 6]); 5] = [
        (
            "euclidean",
            [
                5.830951894845301,
                6.244997998398398,
                4.358898943540674,
                7.937253933193772,
                6.557438524302,
                6.6332495807108,
            ],
        ),
        ("manhattan", [10.0, 11.0, 7.0, 13.0, 11.0, 10.0]),
        (
            "bray-curtis",
            [
                0.8333333333333334,
                0.6470588235294118,
                0.6363636363636364,
                0.7647058823529411,
                1.0,
                0.625,
            ],
        ),
        ("jaccard", [0.75, 0.5, 0.3333333333333333, 0.75, 1.0, 0.3333333333333333]),
        (
            "chi-square",
            [
                1.994436706886879,
                1.4629649002478524,
                1.845053446982559,
                1.77720232881319,
                2.375757189239301,
                1.4812101373790214,
            ],
        ),
    ];
    for (name, expected) in facts {
        let found = condensed(&whole(&of_points(name, &rows)), 4);
        for (x, y) in found.iter().zip(expected) {
            assert!((x - y).abs() <= 4.0 * f64::EPSILON * y, "{name}: {found:?}");
        }
    }
    // Paris, Sydney, New York, the antipode of Paris, 11 m north of Paris; scikit-learn 1.9.1,
    // times 6371.
    let places = [
        [48.8566, 2.3522],
        [-33.8688, 151.2093],
        [40.7128, -74.0060],
        [-48.8566, -177.6478],
        [48.8567, 2.3522],
    ];
    let expected = [
        16960.497376398744,
        5837.240903825839,
        20015.086796020572,
        0.011119492664568353,
        15988.755507039632,
        3054.5894196218283,
        16960.49331473573,
        14177.845892194731,
        5837.236775516249,
        20015.075676020926,
    ];
    let rows: Vec<Vec<f64>> = places.iter().map(|row| row.to_vec()).collect();
    let found = condensed(&whole(&of_points("haversine", &rows)), 5);
    for (x, y) in found.iter().zip(expected) {
        // The formula of scikit-learn loses half the digits at the antipode, some micrometres of
        // the rest.
        assert!((x - y).abs() <= 1e-9 * y.max(1.0), "{found:?}");
    }
}

#[test]
fn points_without_presences_are_alike() {
    let rows = [vec![0.0, 0.0], vec![0.0, 0.0], vec![0.0, 3.0]];
    assert_eq!(condensed(&whole(&of_points("jaccard", &rows)), 3), [0.0, 1.0, 1.0]);
}

#[test]
fn the_antipode_is_half_a_turn_away() {
    let rows = [vec![12.5, 40.0], vec![-12.5, -140.0], vec![90.0, 0.0], vec![-90.0, 77.0]];
    let found = condensed(&whole(&of_points("haversine", &rows)), 4);
    let half = 6371.0 * std::f64::consts::PI;
    assert!((found[0] - half).abs() < 1e-11 && (found[5] - half).abs() < 1e-11, "{found:?}");
}

#[test]
fn points_that_have_no_distance_are_refused_by_name() {
    let two = |a: [f64; 2], b: [f64; 2]| [a.to_vec(), b.to_vec()];
    for (name, rows, says) in [
        ("euclidean", two([1.0, f64::NAN], [0.0, 0.0]), "point 0 has x1 = NaN"),
        ("euclidean", two([1.0, 0.0], [f64::INFINITY, 0.0]), "point 1 has x0 = inf"),
        ("bray-curtis", two([1.0, 0.0], [0.0, -2.0]), "point 1 has x1 = -2, and abundances"),
        ("bray-curtis", two([0.0, 0.0], [0.0, 0.0]), "points 0 and 1 are all zeros"),
        ("chi-square", two([1.0, -1.0], [0.0, 1.0]), "counts are not negative"),
        ("chi-square", two([1.0, 1.0], [0.0, 0.0]), "point 1 is all zeros"),
        ("haversine", two([1.0, 1.0], [91.0, 0.0]), "point 1 has x0 = 91, which is no latitude"),
        ("haversine", two([1.0, 400.0], [9.0, 0.0]), "point 0 has x1 = 400, which is no longitude"),
        ("kmer:6", two([1.0, 1.0], [9.0, 0.0]), "kmer is a distance between sequences"),
    ] {
        let error = try_points(name, &rows).expect_err(says);
        assert!(error.contains(says), "{error}");
    }
    let error = try_points("haversine", &[vec![1.0, 2.0, 3.0]]).expect_err("three columns");
    assert!(error.contains("not 3 columns"), "{error}");
    let error = try_points("euclidean", &[]).expect_err("no point");
    assert!(error.contains("0 points"), "{error}");
}

#[test]
fn one_empty_community_is_as_far_from_the_others_as_can_be() {
    let rows = [vec![0.0, 0.0], vec![1.0, 3.0], vec![2.0, 0.0]];
    let source = of_points("bray-curtis", &rows);
    check(&source, 1e-15, |i, j| reference("bray-curtis", &rows[i], &rows[j], &rows));
    assert_eq!(whole(&source)[1], 1.0);
}

#[test]
fn a_source_says_what_it_is() {
    let source = of_points("manhattan", &[vec![1.0], vec![4.0], vec![6.0]]);
    assert_eq!((source.name(), source.shape()), ("points", [3, 3]));
    assert_eq!((source.element(), source.coverage()), (Element::F64, Coverage::Triangle));
    assert_eq!(source.stored_bytes_per_entry(), 0.0);
    assert_eq!(source.row_names(), Some(&["0", "1", "2"].map(str::to_owned)[..]));
    assert_eq!(source.row_names(), source.column_names());
    for element in [Element::F32, Element::F16, Element::U16, Element::I8] {
        let other = source.clone().with_element(element);
        assert_eq!(other.element(), element);
        assert_eq!(whole(&other), whole(&source), "{element:?}");
    }
}

#[test]
fn numbers_that_a_kind_does_not_hold_are_refused_with_their_pair() {
    let far = of_points("manhattan", &[vec![0.0], vec![70_000.0], vec![70_000.5]]);
    let whole_error = |element| {
        let source = far.clone().with_element(element);
        let block = tegula_files::source::Block { rows: 0..3, columns: 0..3 };
        super::read(&source, &block).expect_err("does not fit").to_string()
    };
    assert!(
        whole_error(Element::U16).contains("the distance of 0 and 1 is 70000, which is no uint16")
    );
    assert!(whole_error(Element::F16).contains("which is no float16"));
    assert!(whole_error(Element::U32).contains("the distance of 0 and 2 is 70000.5"));
    let far = of_points("euclidean", &[vec![0.0], vec![1e200]]);
    let block = tegula_files::source::Block { rows: 0..1, columns: 0..2 };
    let error = super::read(&far, &block).expect_err("its square is infinite").to_string();
    assert!(error.contains("points: the distance of 0 and 1 is too large"), "{error}");
}

#[test]
#[should_panic(expected = "the block ends at 3, the matrix at 2")]
fn a_block_beyond_the_matrix_is_a_defect() {
    let source = of_points("manhattan", &[vec![1.0], vec![4.0]]);
    let _ = super::read(&source, &tegula_files::source::Block { rows: 0..1, columns: 0..3 });
}
