//! Answers of NumPy (`numpy.linalg.svd` of the table that is formed), and what differs from
//! pydiodon on purpose.

use tegula_diodon::Names;
use tegula_diodon::pca::{PRETREATMENTS, Pretreatment, ordination};
use tegula_diodon::singular::{METHODS, Method};
use tegula_kernels::element::Element;

use super::support::{How, Rows, analyse, every, random, stored};

/// `x_ij = (7 i + 13 j + 3 i j) mod 17 + j / 4`.
fn table([m, n]: [usize; 2]) -> Rows {
    let entry = |i: usize, j: usize| ((i * 7 + j * 13 + i * j * 3) % 17) as f64 + 0.25 * j as f64;
    (0..m * n).map(|at| entry(at / n, at % n)).collect()
}

/// Name of a pretreatment, three eigenvalues, inertia.
type Answer = (&'static str, [f64; 3], f64);

const TALL: [Answer; 6] = [
    ("standard", [1.530533358162669, 1.1847353221716315, 0.9526750476866334], 5.0),
    ("col-centering", [488.53277897716515, 325.04424223092235, 289.0], 1494.5833333333333),
    ("row-centering", [411.42905032317697, 290.5565187945303, 289.0], 1148.5),
    ("bicentering", [411.4198507139763, 289.0, 262.10896486721055], 1119.6),
    ("scaling", [3.993143016482084, 0.342328122852401, 0.2624808051748836], 5.0),
    ("none", [4415.712775063214, 409.51045000989996, 289.0], 5541.5),
];

const WIDE: [Answer; 6] = [
    ("standard", [3.633797104441712, 3.105944874536845, 2.2602580210214445], 9.0),
    ("col-centering", [306.3653689844518, 238.67645110276072, 73.95817991278763], 619.0),
    (
        "row-centering",
        [312.6164401354502, 243.6228546267087, 197.87204634024826],
        795.9444444444445,
    ),
    ("bicentering", [306.3439392861862, 200.80392648215891, 43.296578676099465], 550.4444444444445),
    ("scaling", [7.320427702796323, 0.8067519409806714, 0.6383200377455218], 9.0),
    ("none", [2521.043350881832, 306.33325203650975, 203.93080072370765], 3073.5),
];

/// Each pretreatment does what it is called, `scaling` no less than others, and to the columns of a
/// table that is wider than high, not to its rows.
#[test]
fn eigenvalues_are_those_of_numpy_and_wide_tables_are_not_turned() {
    for (shape, answers) in [([12, 5], TALL), ([4, 9], WIDE)] {
        let source = stored(&table(shape), shape, Element::F64);
        for (name, eigenvalues, inertia) in answers {
            let (_, pretreatment) =
                every().find(|(listed, _)| *listed == name).expect("it is listed");
            for listed in METHODS {
                let how = How::new(pretreatment, listed.method, (3, shape));
                let found = analyse::<f64>(&source, &how).expect("a table").triples;
                for (value, answer) in found.values.iter().zip(eigenvalues) {
                    let off = (value / answer - 1.0).abs();
                    assert!(off < 1e-11, "{shape:?}, {name}, {}: {value} {answer}", listed.name);
                }
                assert_eq!(found.values.len(), 3);
                assert!((found.inertia / inertia - 1.0).abs() < 1e-12, "{name}");
            }
        }
    }
}

#[test]
fn coordinates_of_items_and_variables_are_those_of_numpy() {
    let shape = [12, 5];
    let source = stored(&table(shape), shape, Element::F64);
    let how = How::new(Pretreatment::Standard, Method::Exact, (2, shape));
    let triples = analyse::<f64>(&source, &how).expect("a table").triples;
    let number = |count: usize| (0..count).map(|at| at.to_string()).collect();
    let names = Names { items: number(12), variables: number(5) };
    let standard = &PRETREATMENTS[0];
    let found = ordination(&triples, (names, &Default::default()), (standard, &METHODS[1]));
    assert_eq!(found.method, "principal components, standard, exact");
    let axis = found.axis(0);
    assert!((axis[0] + 0.5505556806917905).abs() < 1e-12, "{}", axis[0]);
    assert!((axis[11] - 0.3479619872469552).abs() < 1e-12, "{}", axis[11]);
    let variables = found.variables.expect("a table has variables");
    let answers = [
        0.7761040905084206,
        -0.3227136624907412,
        0.40584908293057315,
        0.6057329061828858,
        0.5407641437375654,
    ];
    for (value, answer) in variables.coordinates.iter().zip(answers) {
        assert!((value - answer).abs() < 1e-12, "{value} {answer}");
    }
    let frobenius2 = found.frobenius2.expect("the whole spectrum is known");
    let largest: f64 = found.eigenvalues.iter().map(|x| x * x).sum();
    assert!(largest < frobenius2 && frobenius2 < 25.0, "{frobenius2}");
}

#[test]
fn variables_of_standardised_tables_lie_at_their_correlations_with_the_axes() {
    let shape @ [m, n] = [80, 6];
    let x = random(shape, 31);
    let how = How::new(Pretreatment::Standard, Method::Krylov, (2, shape));
    let triples = analyse::<f64>(&stored(&x, shape, Element::F64), &how).expect("a table").triples;
    let number = |count: usize| (0..count).map(|at| at.to_string()).collect();
    let names = Names { items: number(m), variables: number(n) };
    let found =
        ordination(&triples, (names, &Default::default()), (&PRETREATMENTS[0], &METHODS[0]));
    let variables = found.variables.clone().expect("a table has variables");
    // Columns of norm one: squared cosines are squares of correlations.
    let sizes = variables.sizes.expect("no metric mixes variables");
    assert!(sizes.norms2.iter().all(|norm2| (norm2 - 1.0).abs() < 1e-12), "{:?}", sizes.norms2);
    let variables = variables.coordinates;
    let correlation = |a: &[f64], b: &[f64]| {
        let mean = |x: &[f64]| x.iter().sum::<f64>() / m as f64;
        let product = |x: &[f64], y: &[f64]| {
            let (p, q) = (mean(x), mean(y));
            x.iter().zip(y).map(|(x, y)| (x - p) * (y - q)).sum::<f64>()
        };
        product(a, b) / (product(a, a) * product(b, b)).sqrt()
    };
    for axis in 0..2 {
        for j in 0..n {
            let column: Vec<f64> = (0..m).map(|i| x[i * n + j]).collect();
            let expected = correlation(&column, found.axis(axis));
            let value = variables[axis * n + j];
            assert!((value - expected).abs() < 1e-7, "{value} {expected}");
        }
    }
    let shares: f64 = (0..n).map(|j| variables[j].powi(2)).sum();
    assert!((shares / found.eigenvalues[0] - 1.0).abs() < 1e-9);
}

#[test]
fn the_page_of_the_crate_has_a_row_for_every_pretreatment_and_method() {
    let page = include_str!("../../../README.md");
    let tables = page.split_once("## Tables").expect("a section on tables").1;
    for name in every().map(|(name, _)| name).chain(METHODS.iter().map(|listed| listed.name)) {
        assert!(tables.contains(&format!("\n| `{name}` |")), "{name}");
    }
}
