//! Ordinations to write: seeded points around a few centres, on their own axes.

use tegula_diodon::instruments::Along;
use tegula_diodon::{Accuracy, Constraints, Ordination, OrdinationInput, Sizes, Variables};

/// Numbers between 0 and 1 that look random: a linear congruence (Knuth's MMIX), its upper bits.
struct Numbers(u64);

impl Numbers {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Nearly normal: twelve uniform numbers summed up.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// The class of an item: a few, of different sizes.
pub(super) fn class(item: usize) -> usize {
    [0, 0, 0, 1, 1, 2, 3][item % 7]
}

/// `n` items in eight dimensions, of which `k` are axes. With `negative`, a fifth of each squared
/// norm is taken off, as distances that are not Euclidean do, and three negative eigenvalues were
/// found.
pub(super) fn ordination(n: usize, k: usize, negative: bool) -> Ordination {
    const DIMENSIONS: usize = 8;
    assert!(k <= DIMENSIONS, "{k} axes of {DIMENSIONS}");
    let mut numbers = Numbers(7);
    let column = |dimension: usize, numbers: &mut Numbers| -> Vec<f64> {
        let width = 1.0 / (1.0 + dimension as f64);
        let place = |item: usize| ((class(item) + 1) * (dimension + 2) % 5) as f64 - 1.7;
        (0..n).map(|item| width * (1.4 * place(item) + 0.6 * numbers.normal())).collect()
    };
    let columns: Vec<Vec<f64>> = (0..DIMENSIONS).map(|d| column(d, &mut numbers)).collect();
    let squares = |column: &Vec<f64>| column.iter().map(|x| x * x).sum::<f64>();
    let eigenvalues: Vec<f64> = columns.iter().map(squares).collect();
    let positive: f64 = eigenvalues.iter().sum();
    let lost = if negative { 0.2 } else { 0.0 };
    let norm2 = |item: usize| columns.iter().map(|c| c[item] * c[item]).sum::<f64>() * (1.0 - lost);
    let negative = if negative { vec![-0.1, -0.07, -0.03] } else { Vec::new() };
    let negative: Vec<f64> = negative.iter().map(|part| part * positive).collect();
    let size: f64 = negative.iter().map(|value| value.abs()).sum();
    Ordination {
        method: "principal coordinates, exact".to_owned(),
        ids: (0..n).map(|item| format!("item{item:04}")).collect(),
        coordinates: columns[..k].concat(),
        eigenvalues: eigenvalues[..k].to_vec(),
        residuals: Some((0..k).map(|axis| 1e-9 * (axis + 1) as f64).collect()),
        spectrum: Some(eigenvalues.iter().copied().chain(negative.iter().rev().copied()).collect()),
        trace: positive - size,
        frobenius2: Some(eigenvalues.iter().chain(&negative).map(|value| value * value).sum()),
        norms2: (0..n).map(norm2).collect(),
        negative,
        ..Ordination::default()
    }
}

/// The same as a method for large matrices leaves it: the rest of the spectrum unknown.
pub(super) fn truncated(mut ordination: Ordination) -> Ordination {
    ordination.method = "principal coordinates, randomized".to_owned();
    ordination.accuracy = Accuracy::Estimated;
    ordination.spectrum = None;
    ordination.residuals = None;
    ordination
}

/// A table of `n` items and five variables on `k` axes: of counts, whose columns are points, or of
/// numbers, and then with two instruments.
pub(super) fn table(n: usize, k: usize, is_count: bool) -> Ordination {
    let mut table = ordination(n, k, false);
    table.method = "principal components, standard, exact".to_owned();
    table.input = OrdinationInput::Table;
    table.masses = Some(vec![1.0; n]);
    let coordinates: Vec<f64> = (0..5 * k).map(|at| (1.3 * at as f64 + 0.4).sin()).collect();
    let norms2 = (0..5).map(|line| 2.0 + line as f64).collect();
    table.variables = Some(Variables {
        ids: (1..=5).map(|number| format!("v<{number}>")).collect(),
        coordinates,
        sizes: Some(Sizes { norms2, masses: vec![0.5; 5] }),
        are_points: is_count,
    });
    let along = Along {
        correlations: (0..2 * k).map(|at| 0.9 - 0.1 * at as f64).collect(),
        coefficients: (0..2 * k).map(|at| (at % 2 == 0).then_some(at as f64)).collect(),
        sites: table.coordinates.iter().map(|x| 2.0 * x).collect(),
    };
    let ids = ["height", "depth"].map(str::to_owned).to_vec();
    table.constraints = (!is_count).then_some(Constraints { ids, along });
    table
}

/// Ids that break pages, tables and scripts that do not expect them.
pub(super) const HOSTILE: [&str; 12] = [
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "<!-- comment",
    "a,b",
    "say \"hello\"",
    "two\nlines",
    "tab\there",
    "{{title}}",
    "\u{2028}separator",
    "#comment",
    " blanks ",
    "",
];

/// An ordination whose items have the [`HOSTILE`] ids.
pub(super) fn hostile() -> Ordination {
    let mut ordination = ordination(HOSTILE.len(), 3, false);
    ordination.ids = HOSTILE.map(str::to_owned).to_vec();
    ordination
}
