//! Writing a whole matrix from blocks that several threads compute.

use std::path::Path;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use tegula_diodon::distance::{WriteOptions, write_matrix};
use tegula_files::source::{Block, Sink, Source, SourceError};
use tegula_kernels::element::Element;

use super::{of_points, of_sequences, whole};

/// What a sink in memory was given.
#[derive(Debug, Default)]
struct Taken {
    entries: Vec<f64>,
    blocks: Vec<Block>,
    is_finished: bool,
}

/// A sink in memory, of an `n x n` matrix.
#[derive(Debug)]
struct MemorySink {
    n: usize,
    grain: [usize; 2],
    element: Element,
    /// It is full when it has taken this many blocks.
    most: usize,
    taken: Arc<Mutex<Taken>>,
}

impl Sink for MemorySink {
    fn grain(&self) -> [usize; 2] {
        self.grain
    }

    fn element(&self) -> Element {
        self.element
    }

    fn write(&mut self, block: &Block, entries: &[u8]) -> Result<(), SourceError> {
        let mut taken = self.taken.lock().expect("no panic");
        if taken.blocks.len() == self.most {
            return Err(SourceError::invalid(Path::new("sink"), "the disk is full"));
        }
        let mut numbers = vec![0.0; block.entries()];
        self.element.widen(entries, &mut numbers);
        taken.entries.resize(self.n * self.n, f64::NAN);
        for (row, line) in block.rows.clone().zip(numbers.chunks(block.columns.len())) {
            let start = row * self.n;
            taken.entries[start..][block.columns.clone()].copy_from_slice(line);
        }
        taken.blocks.push(block.clone());
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SourceError> {
        self.taken.lock().expect("no panic").is_finished = true;
        Ok(())
    }
}

/// Writes `source` to a sink with `grain` that takes `most` blocks.
fn write(
    source: &dyn Source,
    grain: [usize; 2],
    most: usize,
    options: WriteOptions,
) -> (Result<(), SourceError>, Taken) {
    let taken = Arc::new(Mutex::new(Taken::default()));
    let [n, _] = source.shape();
    let element = source.element();
    let sink = MemorySink { n, grain, element, most, taken: Arc::clone(&taken) };
    let mut last = 0;
    let result = write_matrix(source, Box::new(sink), options, &mut |done, all| {
        assert!(done == last + 1 && done <= all, "{done} of {all} after {last}");
        last = done;
    });
    let taken = std::mem::take(&mut *taken.lock().expect("no panic"));
    assert!(result.is_err() || last == taken.blocks.len(), "progress is told of every block");
    (result, taken)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn all_entries_are_written_in_the_order_of_the_file(
        n in 1usize..60,
        grain in prop_oneof![(1usize..20).prop_map(|side| [side, side]), [1usize..70, 1usize..70]],
        workers in 1usize..5,
        kept_bytes in 0usize..20_000,
    ) {
        let rows: Vec<Vec<f64>> =
            (0..n).map(|i| vec![(i * 17 % 23) as f64, i as f64 / 3.0]).collect();
        let source = of_points("euclidean", &rows).with_element(Element::F32);
        let (result, taken) = write(&source, grain, usize::MAX, WriteOptions { workers, kept_bytes });
        result.expect("memory takes all");
        prop_assert!(taken.is_finished);
        prop_assert_eq!(taken.entries, whole(&source));
        let starts: Vec<_> = taken.blocks.iter().map(|b| (b.rows.start, b.columns.start)).collect();
        prop_assert!(starts.is_sorted());
        prop_assert!(starts.iter().all(|(i, j)| i % grain[0] == 0 && j % grain[1] == 0));
    }
}

#[test]
fn an_error_of_the_sink_ends_the_writing() {
    let rows: Vec<Vec<f64>> = (0..50).map(|i| vec![f64::from(i)]).collect();
    let source = of_points("manhattan", &rows);
    for (most, kept_bytes) in [(0, 0), (7, 0), (40, 1 << 20)] {
        let (result, taken) = write(&source, [7, 7], most, WriteOptions { workers: 3, kept_bytes });
        assert_eq!(result.expect_err("it is full").to_string(), "sink: the disk is full");
        assert_eq!((taken.blocks.len(), taken.is_finished), (most, false));
    }
}

#[test]
fn an_error_of_the_source_ends_the_writing() {
    let mut sequences = vec!["ACGT"; 30];
    sequences[23] = "NNNN";
    let source = of_sequences("p-distance", &sequences);
    let options = WriteOptions { workers: 2, kept_bytes: 0 };
    let (result, taken) = write(&source, [4, 4], usize::MAX, options);
    let error = result.expect_err("23 has no site").to_string();
    assert!(error.contains("the distance of 0 and 23 is not defined"), "{error}");
    assert!(!taken.is_finished && taken.blocks.len() == 5, "{taken:?}");
}

#[test]
#[should_panic(expected = "what the source gives, and what the sink takes")]
fn other_numbers_than_the_sink_takes_are_a_defect() {
    let source = of_points("manhattan", &[vec![1.0], vec![2.0]]);
    let sink =
        MemorySink { n: 2, grain: [1, 1], element: Element::F32, most: 9, taken: Arc::default() };
    let options = WriteOptions { workers: 1, kept_bytes: 0 };
    let _ = write_matrix(&source, Box::new(sink), options, &mut |_, _| {});
}
