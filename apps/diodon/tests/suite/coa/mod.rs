//! Correspondence analysis against the definition, and against answers of NumPy and SciPy.

use std::sync::Arc;

use faer::Mat;
use tegula_diodon::coa::{Correspondence, ordination};
use tegula_diodon::singular::{METHODS, Request, block_width, leading};
use tegula_diodon::stream::Overlap;
use tegula_diodon::table::{Margins, Table, TableOptions, Treatment};
use tegula_diodon::{EmbedError, Names, Ordination};
use tegula_files::source::{MemorySource, Source};
use tegula_kernels::element::Element;
use tegula_kernels::kernel::sweep::Findings;
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::random::SplitMix64;

/// `n_ij = (5 i + 7 j + i j) mod 11 + 1`, and 3 more on the diagonal.
fn table([m, n]: [usize; 2]) -> Vec<f64> {
    let entry =
        |i: usize, j: usize| ((i * 5 + j * 7 + i * j) % 11) + 1 + if i == j { 3 } else { 0 };
    (0..m * n).map(|at| entry(at / n, at % n) as f64).collect()
}

/// Counts of which some are zero.
fn random([m, n]: [usize; 2], seed: u64) -> Vec<f64> {
    let mut stream = SplitMix64::new(seed);
    let count = |at: usize, u: f64| if at % n == at / n % n { 9.0 } else { (u * 6.0).floor() };
    (0..m * n).map(|at| count(at, stream.uniform())).collect()
}

fn stored(counts: &[f64], shape: [usize; 2], element: Element) -> Arc<dyn Source> {
    let mut entries = vec![0; counts.len() * element.bytes()];
    element.narrow(counts, &mut entries);
    let names = |what: &str, count| Some((1..=count).map(|at| format!("{what}{at}")).collect());
    let names = [names("site", shape[0]), names("species", shape[1])];
    Arc::new(MemorySource::new("N", shape, (element, entries), names))
}

fn analyse(
    source: &Arc<dyn Source>,
    (method, axes): (usize, usize),
    edge: usize,
) -> Result<Ordination, EmbedError> {
    let shape @ [m, n] = source.shape();
    let listed = &METHODS[method];
    let width = block_width(axes, shape);
    let request = Request {
        axes,
        method: listed.method,
        width,
        passes: None,
        tolerance: 1e-10,
        capacity: 40 * width,
        seed: 3,
    };
    let options = TableOptions { edge, memory: 1 << 12, overlap: Overlap::default() };
    let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
    let mut table = Table::new(&mut flow, source, Box::new(Correspondence), options);
    let triples = leading::<f64>(&mut flow, &mut table, &request)?;
    assert!(triples.has_converged);
    let number = |count: usize| (0..count).map(|at| at.to_string()).collect();
    let names = Names { items: number(m), variables: number(n) };
    let found = ordination(&triples, table.form(), names, listed);
    table.close(&mut flow);
    Ok(found)
}

/// Margins `r` and `c`, and the standardised residuals `S`, as the definition says.
fn definition(counts: &[f64], [m, n]: [usize; 2]) -> (Vec<f64>, Vec<f64>, Mat<f64>) {
    let total: f64 = counts.iter().sum();
    let row = |i: usize| counts[i * n..(i + 1) * n].iter().sum::<f64>() / total;
    let column = |j: usize| (0..m).map(|i| counts[i * n + j]).sum::<f64>() / total;
    let (r, c): (Vec<f64>, Vec<f64>) = ((0..m).map(row).collect(), (0..n).map(column).collect());
    let s =
        Mat::from_fn(m, n, |i, j| (counts[i * n + j] / total - r[i] * c[j]) / (r[i] * c[j]).sqrt());
    (r, c, s)
}

#[test]
fn eigenvalues_and_coordinates_are_those_of_numpy() {
    let shape = [9, 6];
    let source = stored(&table(shape), shape, Element::U8);
    let answers = [
        0.07714233298868932,
        0.04392376031935694,
        0.03904514544233992,
        0.0329414903730592,
        0.0072857612210340175,
    ];
    for method in 0..METHODS.len() {
        let found = analyse(&source, (method, 6), 4).expect("counts");
        // One less than columns: the margins are taken off.
        assert_eq!(found.axes(), 5);
        for (value, answer) in found.eigenvalues.iter().zip(answers) {
            assert!((value - answer).abs() < 1e-12, "{value} {answer}");
        }
        // The chi-square of scipy.stats.chi2_contingency over the total.
        assert!((found.trace - 0.2003384903444792).abs() < 1e-12, "{}", found.trace);
        let rows = found.axis(0);
        assert!((rows[0] + 0.13289543912428115).abs() < 1e-9, "{}", rows[0]);
        assert!((rows[8] - 0.05532747495993432).abs() < 1e-9, "{}", rows[8]);
        let columns = found.variables.expect("a table has columns").coordinates;
        assert!((columns[0] + 0.13247094792669978).abs() < 1e-9, "{}", columns[0]);
        assert!((columns[5] - 0.5784413754855632).abs() < 1e-9, "{}", columns[5]);
    }
}

#[test]
fn tables_of_all_shapes_are_decomposed_as_the_definition_says() {
    for shape @ [m, n] in [[60, 9], [9, 60], [35, 35], [3, 2], [2, 2], [140, 50]] {
        let counts = random(shape, 5);
        let (r, c, s) = definition(&counts, shape);
        let values = s.singular_values().expect("finite entries");
        for (method, edge) in [(0, 7), (0, 64), (1, 16)] {
            let found = analyse(&stored(&counts, shape, Element::I32), (method, 3), edge);
            let found = found.expect("counts");
            let what = format!("{shape:?}, {}, edge {edge}", METHODS[method].name);
            assert_eq!(found.axes(), 3.min(m.min(n) - 1), "{what}");
            let inertia: f64 = values.iter().map(|x| x * x).sum();
            assert!((found.trace / inertia - 1.0).abs() < 1e-10, "{what}: {}", found.trace);
            let columns = &found.variables.as_ref().expect("a table has columns").coordinates;
            for axis in 0..found.axes() {
                let value = found.eigenvalues[axis];
                assert!((value - values[axis].powi(2)).abs() < 1e-9, "{what}: {value}");
                let row = found.axis(axis);
                // Centred at the margins, with the eigenvalue as variance.
                let mean: f64 = row.iter().zip(&r).map(|(x, r)| x * r).sum();
                let variance: f64 = row.iter().zip(&r).map(|(x, r)| x * x * r).sum();
                assert!(mean.abs() < 1e-9 && (variance - value).abs() < 1e-9, "{what}");
                // Columns lie at the means of their rows, over the singular value.
                let total: f64 = counts.iter().sum();
                for j in 0..n {
                    let sum: f64 = (0..m).map(|i| counts[i * n + j] / total * row[i]).sum();
                    let off = (sum / c[j] / value.sqrt() - columns[axis * n + j]).abs();
                    assert!(off < 1e-5, "{what}, axis {axis}, column {j}: {off:e}");
                }
            }
            for i in 0..m {
                let norm2 = (0..n).map(|j| s[(i, j)].powi(2)).sum::<f64>() / r[i];
                assert!((found.norms2[i] - norm2).abs() < 1e-9, "{what}, row {i}");
            }
            let sizes = found.variables.as_ref().and_then(|columns| columns.sizes.as_ref());
            let sizes = sizes.expect("columns are not mixed");
            for j in 0..n {
                let norm2 = (0..m).map(|i| s[(i, j)].powi(2)).sum::<f64>() / c[j];
                assert!((sizes.norms2[j] - norm2).abs() < 1e-9, "{what}, column {j}");
                assert!((sizes.masses[j] - c[j]).abs() < 1e-12, "{what}, column {j}");
            }
        }
    }
}

#[test]
fn lines_of_zeros_are_left_out() {
    let shape = [12, 5];
    let mut counts = random(shape, 6);
    counts[3 * 5..4 * 5].fill(0.0);
    (0..12).for_each(|i| counts[i * 5 + 1] = 0.0);
    let is_kept = |at: &usize| at / 5 != 3 && at % 5 != 1;
    let kept: Vec<f64> = (0..60).filter(is_kept).map(|at| counts[at]).collect();
    for method in 0..METHODS.len() {
        let found = analyse(&stored(&counts, shape, Element::F32), (method, 2), 4);
        let found = found.expect("counts");
        let expected = analyse(&stored(&kept, [11, 4], Element::F32), (method, 2), 4);
        let expected = expected.expect("counts");
        assert_eq!((found.items(), found.ids[3].as_str()), (11, "4"));
        let (one, other) = (found.variables.as_ref(), expected.variables.as_ref());
        let (one, other) = (one.expect("columns"), other.expect("columns"));
        assert_eq!((one.ids.len(), one.ids[1].as_str()), (4, "2"));
        let pairs = [
            (&found.eigenvalues, &expected.eigenvalues),
            (&found.coordinates, &expected.coordinates),
            (&found.norms2, &expected.norms2),
            (&one.coordinates, &other.coordinates),
        ];
        for (one, other) in pairs {
            assert_eq!(one.len(), other.len());
            let is_near = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-9;
            assert!(one.iter().zip(other).all(is_near), "{one:?} {other:?}");
        }
    }
    let nothing = analyse(&stored(&[0.0; 60], shape, Element::F32), (0, 2), 4);
    let error = nothing.expect_err("no counts").to_string();
    assert!(error.contains("nothing but zeros"), "{error}");
}

#[test]
fn lines_that_are_left_out_are_named() {
    let shape = [12, 5];
    let mut counts = random(shape, 6);
    [3, 7].into_iter().for_each(|row: usize| counts[row * 5..row * 5 + 5].fill(0.0));
    let source = stored(&counts, shape, Element::F64);
    let margins = Margins {
        sums: [0, 1].map(|side| {
            let line = |at: usize| if side == 0 { at / 5 } else { at % 5 };
            let sum = |l: usize| (0..60).filter(|&at| line(at) == l).map(|at| counts[at]).sum();
            (0..shape[side]).map(sum).collect()
        }),
        squares: Default::default(),
        findings: Findings::NONE,
    };
    let mut flow = Flow::new(Exec::with_workers(1), FlowOptions::default());
    let form = Correspondence.form(&mut flow, &margins, &*source).expect("counts");
    assert_eq!(form.dropped, [vec![3, 7], vec![]]);
    let words =
        "2 rows hold nothing but zeros and are left out, having no profile: site4 [4], site8 [8]";
    assert_eq!(form.notes, [words]);
}

#[test]
fn counts_below_zero_by_rounding_are_zeros() {
    let shape = [12, 5];
    let mut counts = random(shape, 7);
    counts[9 * 5 + 4] = 0.0;
    let clean = analyse(&stored(&counts, shape, Element::F64), (0, 2), 4).expect("counts");
    counts[9 * 5 + 4] = -1e-16;
    let found = analyse(&stored(&counts, shape, Element::F64), (0, 2), 4).expect("counts");
    // Sums are added in the order in which workers come to them.
    for (found, clean) in found.eigenvalues.iter().zip(&clean.eigenvalues) {
        assert!((found - clean).abs() < 1e-14, "{found} and {clean}");
    }
}

#[test]
fn negative_counts_are_refused_by_name() {
    let shape = [12, 5];
    let mut counts = random(shape, 7);
    counts[9 * 5 + 4] = -1.0;
    let error = analyse(&stored(&counts, shape, Element::I16), (0, 2), 4).expect_err("refused");
    let text = error.to_string();
    assert!(text.contains("(site10 [10], species5 [5]) = -1"), "{text}");
}
