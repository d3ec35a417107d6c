//! New items come to lie where they belong.

use std::sync::Arc;

use proptest::prelude::*;
use tegula_diodon::EmbedError;
use tegula_diodon::mds::Method;
use tegula_diodon::projection::{Embedding, Projection, ProjectionOptions, project};
use tegula_diodon::stream::Overlap;
use tegula_files::source::{MemorySource, Source};
use tegula_kernels::element::Element;
use tegula_kernels::scalar::Real;
use tegula_runtime::exec::Exec;
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::random::SplitMix64;

use super::answers::{N, distances};
use super::support::{How, bent, embed, stored};

/// An embedding of distances, row by row, on at most `axes` axes.
fn embedding(distances: &[f64], axes: usize, change: impl FnOnce(&mut How)) -> Embedding {
    let n = distances.len().isqrt();
    let mut how = How::new(Method::Exact, axes, n);
    change(&mut how);
    let found = embed::<f64>(&stored(distances, Element::F64), &how).expect("distances");
    let weights = how.options.weights;
    let mut coordinates = found.leading.vectors;
    for (axis, value) in coordinates.chunks_exact_mut(n).zip(&found.leading.values) {
        for (item, x) in axis.iter_mut().enumerate() {
            *x *= (value / weights.as_ref().map_or(1.0, |weights| weights[item])).sqrt();
        }
    }
    let constant = found.leading.lingoes.map_or(0.0, |changed| changed.constant);
    let shift = constant * (1.0 - 1.0 / n as f64);
    Embedding {
        ids: (1..=n).map(|number| format!("item{number}")).collect(),
        coordinates,
        eigenvalues: found.leading.values,
        norms2: found.sums.norms2().map(|norm2| norm2 + shift).collect(),
        weights,
        offset: how.options.offset,
        constant,
    }
}

/// Distances of new items, row by row, to `n` items with names.
fn new_items(entries: &[f64], n: usize, element: Element) -> Arc<dyn Source> {
    let m = entries.len() / n;
    let mut bytes = vec![0; entries.len() * element.bytes()];
    element.narrow(entries, &mut bytes);
    let names = (1..=m).map(|number| format!("new{number}")).collect();
    Arc::new(MemorySource::new("N", [m, n], (element, bytes), [Some(names), None]))
}

/// Tiles of so many lines, four at a time.
fn options(edge: usize) -> ProjectionOptions {
    ProjectionOptions { edge, memory: (4 * edge * edge * 8) as u64, overlap: Overlap::default() }
}

fn place<T: Real>(
    source: &Arc<dyn Source>,
    embedding: &Embedding,
    options: ProjectionOptions,
) -> Result<Projection, EmbedError> {
    let mut flow = Flow::new(Exec::with_workers(2), FlowOptions::default());
    project::<T>(&mut flow, source, embedding, options)
}

/// Largest difference of numbers, relative to the largest of these.
fn off(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().map(|x| x.abs()).fold(f64::MIN_POSITIVE, f64::max);
    found.iter().zip(expected).map(|(x, y)| (x - y).abs() / size).fold(0.0, f64::max)
}

#[test]
fn embedded_items_come_back_to_their_places() {
    let n = 60;
    let weights: Vec<f64> = (0..n).map(|item| 0.5 + (item % 7) as f64).collect();
    for weights in [None, Some(weights)] {
        let distances = bent(n, 31);
        let embedding = embedding(&distances, n, |how| how.options.weights = weights);
        let k = embedding.axes();
        assert!(k > n / 3 && k < n - 1, "{k} axes: some eigenvalues are negative");
        let source = new_items(&distances, n, Element::F64);
        let placed = place::<f64>(&source, &embedding, options(16)).expect("distances");
        let size = embedding.eigenvalues[0] / embedding.eigenvalues[k - 1];
        assert!(size < 1e5, "{size}");
        let error = off(&placed.coordinates, &embedding.coordinates);
        assert!(error < 1e-11, "{error:e}");
        assert!(off(&placed.norms2, &embedding.norms2) < 1e-12);
        // What is left of an item is what it has on axes of negative eigenvalues.
        assert!(placed.residuals2.iter().all(|&residual| residual < 0.0));
    }
}

/// Points whose coordinates are normal, row by row.
fn normal(m: usize, p: usize, seed: u64) -> Vec<f64> {
    let mut stream = SplitMix64::new(seed);
    (0..m * p).map(|_| stream.normal()).collect()
}

/// Euclidean distances of the points `x` from the points `y`, `p` coordinates each.
fn between(x: &[f64], y: &[f64], p: usize) -> Vec<f64> {
    let square = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    x.chunks_exact(p).flat_map(|a| y.chunks_exact(p).map(move |b| square(a, b).sqrt())).collect()
}

/// Row `item` of coordinates by columns.
fn point(coordinates: &[f64], count: usize, item: usize) -> Vec<f64> {
    coordinates.chunks_exact(count).map(|axis| axis[item]).collect()
}

#[test]
fn points_keep_their_distances_from_old_and_new_ones() {
    let (n, m, p) = (50, 20, 4);
    let (old, new) = (normal(n, p, 41), normal(m, p, 42));
    let embedding = embedding(&between(&old, &old, p), 9, |_| ());
    assert_eq!(embedding.axes(), p);
    let given = between(&new, &old, p);
    let source = new_items(&given, n, Element::F64);
    let placed = place::<f64>(&source, &embedding, options(16)).expect("distances");
    let rows = |coordinates: &[f64], count: usize| {
        (0..count).flat_map(|item| point(coordinates, count, item)).collect::<Vec<f64>>()
    };
    let (x, y) = (rows(&embedding.coordinates, n), rows(&placed.coordinates, m));
    assert!(off(&between(&y, &x, p), &given) < 1e-12);
    assert!(off(&between(&y, &y, p), &between(&new, &new, p)) < 1e-12);
    assert!(placed.residuals2.iter().all(|residual| residual.abs() < 1e-11));
}

#[test]
fn the_residual_is_the_height_above_the_space_of_the_axes() {
    let (n, m, p) = (40, 6, 3);
    let (mut old, mut new) = (normal(n, p, 51), normal(m, p, 52));
    old.chunks_exact_mut(p).for_each(|point| point[2] = 0.5);
    let height = |item: usize| 0.25 * item as f64;
    new.chunks_exact_mut(p).enumerate().for_each(|(item, point)| point[2] = 0.5 + height(item));
    let embedding = embedding(&between(&old, &old, p), 9, |_| ());
    assert_eq!(embedding.axes(), 2);
    let source = new_items(&between(&new, &old, p), n, Element::F64);
    let placed = place::<f64>(&source, &embedding, options(7)).expect("distances");
    for (item, residual) in placed.residuals2.iter().enumerate() {
        assert!((residual - height(item).powi(2)).abs() < 1e-11, "{item}: {residual}");
    }
}

/// `|3.5 i + 0.7 - j|^0.7 + 0.3 ((i + 2 j) mod 4)`.
fn formula() -> Vec<f64> {
    let distance = |i: usize, j: usize| {
        (3.5 * i as f64 + 0.7 - j as f64).abs().powf(0.7) + ((i + 2 * j) % 4) as f64 * 0.3
    };
    (0..3 * N).map(|at| distance(at / N, at % N)).collect()
}

/// Places of three new items row by row, their squared norms and residuals.
/// What is asked for otherwise.
type Change = dyn Fn(&mut How);

type Answer = ([f64; 9], [f64; 3], [f64; 3]);

const PLAIN: Answer = (
    [
        -2.3433809896725353,
        -0.40197394194983577,
        -0.2048605608226567,
        -0.8757120241562119,
        0.225593342112123,
        0.9587503694981924,
        1.3266046766298578,
        0.04424182341293193,
        -0.10164821227489676,
    ],
    [6.061761444852836, 2.0739905475798945, 1.3458760826064982],
    [0.3667760827069424, 0.3370243713098868, -0.4262935834472952],
);

const WEIGHTED: Answer = (
    [
        -3.0547817681688283,
        -0.7983137164047632,
        -0.3614543100260934,
        -2.112714846066297,
        -0.1973717143349259,
        0.2738340138190726,
        0.1494973428952434,
        0.2501755206551015,
        0.2684239671374033,
    ],
    [12.244190661431816, 5.057128093038599, -0.4002664735571342],
    [2.1445450022587202, 0.47962341150588994, -0.557255146358705],
);

const LINGOES: Answer = (
    [
        -2.142399025646363,
        -0.314155846520934,
        -0.1451324210282796,
        -0.8006058748309814,
        0.1763086109934096,
        0.6792218166750283,
        1.2128273546449109,
        0.034576439006220636,
        -0.07201215832569702,
    ],
    [16.52441901797772, 12.536648120704774, 11.80853365573138],
    [11.814788117350421, 11.403251351333141, 10.33120218247533],
);

const CAILLIEZ: Answer = (
    [
        -3.8680011064105337,
        1.0518596875340762,
        0.6066193428982921,
        -1.4797284970588844,
        -1.1332036246323471,
        -1.260398832606756,
        2.3399697750967197,
        -0.6061559382041781,
        -0.18480310336224348,
    ],
    [46.09930999440255, 36.512956450048044, 33.474291353357465],
    [29.6634816057718, 31.450604352923534, 27.597255596558767],
);

/// NumPy solved least squares for the inner products of a new point with the items, and did not
/// know Gower's formula.
#[test]
fn places_are_those_of_least_squares_in_numpy() {
    let changes: [(&str, &Change, Answer); 4] = [
        ("plain", &|_| (), PLAIN),
        (
            "weighted",
            &|how| how.options.weights = Some((1..=N).map(|item| item as f64).collect()),
            WEIGHTED,
        ),
        ("lingoes", &|how| how.request.lingoes = true, LINGOES),
        ("cailliez", &|how| how.options.offset = 6.189158640137163, CAILLIEZ),
    ];
    for (name, change, (places, norms2, residuals2)) in changes {
        let embedding = embedding(&distances(), 3, change);
        let source = new_items(&formula(), N, Element::F64);
        for edge in [5, 64] {
            let placed = place::<f64>(&source, &embedding, options(edge)).expect("distances");
            let by_columns: Vec<f64> = (0..9).map(|at| places[at % 3 * 3 + at / 3]).collect();
            assert!(off(&placed.coordinates, &by_columns) < 1e-12, "{name}: {placed:?}");
            assert!(off(&placed.norms2, &norms2) < 1e-12, "{name}: {placed:?}");
            assert!(off(&placed.residuals2, &residuals2) < 1e-12, "{name}: {placed:?}");
        }
    }
}

#[test]
fn a_correction_takes_a_new_item_at_the_place_of_an_old_one_for_another() {
    let embedding = embedding(&distances(), 3, |how| how.request.lingoes = true);
    let source = new_items(&distances(), N, Element::F64);
    let placed = place::<f64>(&source, &embedding, options(64)).expect("distances");
    for (axis, value) in embedding.eigenvalues.iter().enumerate() {
        let shrunk = (value - embedding.constant) / value;
        for item in 0..N {
            let (x, y) =
                (embedding.coordinates[axis * N + item], placed.coordinates[axis * N + item]);
            assert!((y - shrunk * x).abs() < 1e-12, "axis {axis}, item {item}: {x} {y}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn places_do_not_depend_on_tiles_memory_or_how_numbers_are_stored(
        n in 2usize..50,
        m in 1usize..50,
        edge in 1usize..60,
        slots in 0u64..10,
        kind in 0usize..3,
        seed in 0u64..1000,
    ) {
        let distances = bent(n, seed);
        let embedding = embedding(&distances, 3, |_| ());
        let mut stream = SplitMix64::new(!seed);
        // Eighths of whole numbers, which all of these kinds hold.
        let given: Vec<f64> = (0..m * n).map(|_| (stream.uniform() * 64.0).round() / 8.0).collect();
        let element = [Element::F16, Element::F32, Element::F64][kind];
        let source = new_items(&given, n, element);
        let how = ProjectionOptions { memory: slots * (edge * edge * 8) as u64, ..options(edge) };
        let placed = place::<f64>(&source, &embedding, how).expect("distances");
        let k = embedding.axes();
        for item in 0..m {
            let squares = (0..n).map(|j| given[item * n + j].powi(2));
            for axis in 0..k {
                let x = &embedding.coordinates[axis * n..(axis + 1) * n];
                let lengths = squares.clone().zip(&embedding.norms2).zip(x);
                let sum: f64 = lengths.map(|((d, r), x)| -0.5 * x * (d - r)).sum();
                let (y, value) = (placed.coordinates[axis * m + item], embedding.eigenvalues[axis]);
                prop_assert!((y - sum / value).abs() < 1e-10 * (1.0 + 64.0 / value), "{} {}", y, sum / value);
            }
        }
        let single = place::<f32>(&source, &embedding, how).expect("distances");
        let least = embedding.eigenvalues[k - 1].min(1.0);
        let error = off(&single.coordinates, &placed.coordinates);
        prop_assert!(error < 1e-3 / least, "{:e}", error);
    }
}

/// The message about new items of which one entry is another.
fn message(value: f64) -> String {
    let mut entries = formula();
    entries[N + 4] = value;
    let embedding = embedding(&distances(), 3, |how| how.options.offset = 1.0);
    let source = new_items(&entries, N, Element::F64);
    place::<f64>(&source, &embedding, options(5)).expect_err("no distances").to_string()
}

#[test]
fn entries_that_are_no_distances_are_refused_by_name() {
    assert_eq!(
        message(f64::NAN),
        "N: 1 entries ((new2 [2], item5 [5]) = NaN) are infinite or no numbers; leave such items out, or fill the gaps"
    );
    let text = message(-0.5);
    assert!(text.contains("(new2 [2], item5 [5]) = -0.5) are negative"), "{text}");
    let text = message(1e160);
    assert!(text.contains("change their unit"), "{text}");
}

#[test]
fn columns_are_matched_with_the_embedded_items_by_name() {
    let embedding = embedding(&distances(), 3, |_| ());
    let with = |columns: Option<Vec<String>>, count: usize| {
        let names = [None, columns];
        let source = MemorySource::new("N", [2, count], (Element::U8, vec![1; 2 * count]), names);
        embedding.clone().in_order_of(&source).map_err(|error| error.to_string())
    };
    assert_eq!(with(None, N).expect("the same order").ids, embedding.ids);
    assert_eq!(with(Some(embedding.ids.clone()), N).expect("the same").ids, embedding.ids);
    let refused = |result: Result<Embedding, String>, words: &[&str]| {
        let text = result.expect_err("other items");
        words.iter().for_each(|word| assert!(text.contains(word), "{text}"));
    };
    refused(with(None, N - 1), &["11 columns, but 12 embedded items"]);
    let mut names = embedding.ids.clone();
    names.swap(3, 7);
    let permuted = with(Some(names.clone()), N).expect("the same names");
    assert_eq!(
        (permuted.norms2[3], permuted.norms2[7]),
        (embedding.norms2[7], embedding.norms2[3])
    );
    assert_eq!(permuted.coordinates[N + 7], embedding.coordinates[N + 3]);
    assert_eq!(permuted.ids, names);
    let mut names = embedding.ids.clone();
    names[9] = "moon".to_owned();
    refused(with(Some(names.clone()), N), &["no embedded item: moon", "without a column: item10"]);
    names[9] = "item2".to_owned();
    refused(with(Some(names.clone()), N), &["come twice: item2", "without a column: item10"]);
    names.truncate(N - 1);
    refused(with(Some(names), N - 1), &["come twice: item2", "column: item10, item12"]);
    // Items without names are taken in their order.
    let mut bare = embedding.clone();
    bare.ids = (1..=N).map(|number| number.to_string()).collect();
    let names = [None, Some(embedding.ids.clone())];
    let named = MemorySource::new("N", [2, N], (Element::U8, vec![1; 2 * N]), names);
    assert_eq!(bare.in_order_of(&named).expect("in order").norms2, embedding.norms2);
    let turned = MemorySource::new("N", [N, 2], (Element::U8, vec![1; 2 * N]), [None, None]);
    let text = embedding.clone().in_order_of(&turned).expect_err("other items").to_string();
    assert!(text.contains("exchanged"), "{text}");
}
