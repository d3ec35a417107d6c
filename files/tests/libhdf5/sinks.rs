//! What we write, libhdf5 reads.

use hdf5_metno::File;
use proptest::prelude::*;
use tegula_files::hdf5::{Compression, Hdf5Options, Hdf5Reading, Hdf5Sink, Hdf5Source};
use tegula_files::matrix::create_matrix;
use tegula_files::source::{Block, Sink, Source, pieces};
use tegula_kernels::element::{ELEMENTS, Element};

use crate::{block, bytes_of, folder, number, path, read};

/// A matrix of ours: its kind of numbers, shape, and seed.
type Matrix = (Element, [usize; 2], u64);

fn entries((element, [_, n], seed): Matrix, block: &Block) -> Vec<u8> {
    let places = block.rows.clone().flat_map(|i| block.columns.clone().map(move |j| i * n + j));
    bytes_of(element, &places.map(|index| number(element, seed, index)).collect::<Vec<_>>())
}

/// Writes `matrix` to `sink`.
fn fill(mut sink: Box<dyn Sink>, matrix: Matrix) {
    let ([m, n], [height, width]) = (matrix.1, sink.grain());
    for rows in pieces(m, height) {
        for columns in pieces(n, width) {
            let block = Block { rows: rows.clone(), columns };
            sink.write(&block, &entries(matrix, &block)).expect("it is written");
        }
    }
    sink.finish().expect("it is finished");
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{prefix}{index}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn what_is_written_libhdf5_reads(
        (kind, m, n) in (0..ELEMENTS.len(), 1..70usize, 1..70usize),
        chunk in prop::option::weighted(0.8, (1..40usize, 1..40usize)),
        (level, is_named, is_usual, seed) in (0..=9u8, any::<bool>(), any::<bool>(), any::<u64>()),
    ) {
        let matrix = (ELEMENTS[kind].0, [m, n], seed);
        let folder = folder();
        let file = path(&folder, "a.h5");
        let lists = [is_named.then(|| names("rów", m)), is_named.then(|| names("c", n))];
        let compression = if level == 0 { Compression::None } else { Compression::Gzip(level) };
        let chunk = chunk.map(|(height, width)| [height, width]);
        let options = Hdf5Options { chunk, compression, names: lists.clone(), ..Hdf5Options::default() };
        let sink: Box<dyn Sink> = if is_usual {
            let lists = lists.each_ref().map(|list| list.as_deref());
            create_matrix(&file, None, [m, n], lists, matrix.0).expect("a file")
        } else {
            Box::new(Hdf5Sink::create(&file, [m, n], matrix.0, &options).expect("a file"))
        };
        fill(sink, matrix);
        let found = Hdf5Source::open_by_libhdf5(&file, None, Hdf5Reading::default()).unwrap_or_else(|error| panic!("{error}"));
        prop_assert_eq!((found.shape(), found.element()), ([m, n], matrix.0));
        prop_assert_eq!(found.row_names(), lists[0].as_deref());
        prop_assert_eq!(found.column_names(), lists[1].as_deref());
        for index in 0..4 {
            let block = block([m, n], seed, index);
            prop_assert_eq!(read(&found, &block).expect("a block"), entries(matrix, &block));
        }
    }
}

/// What libhdf5 is asked besides: layout, chunks and filters are those that were wanted.
#[test]
fn chunks_and_filters_are_those_that_were_wanted() {
    let folder = folder();
    let matrix = (Element::F64, [50, 40], 3);
    let options = Hdf5Options { chunk: Some([16, 11]), ..Hdf5Options::default() };
    let sink = Hdf5Sink::create(&path(&folder, "a.h5"), [50, 40], Element::F64, &options);
    fill(Box::new(sink.expect("a file")), matrix);
    let file = File::open(path(&folder, "a.h5")).expect("a file");
    let dataset = file.dataset("values").expect("a data set");
    assert_eq!(dataset.chunk(), Some(vec![16, 11]));
    assert_eq!(dataset.num_chunks(), Some(16));
    let filters: Vec<i32> = dataset.filters().iter().map(|filter| filter.id()).collect();
    assert_eq!(filters, [2, 1], "shuffled, then deflated");
}
