//! Files that libhdf5 writes in many layouts: our reader gives the same bytes as libhdf5, and those
//! that were written.

use hdf5_metno::dataset::Layout;
use hdf5_metno::filters::{SZip, ScaleOffset, lzf_available, szip_available};
use hdf5_metno::{Extents, File, SimpleExtents};
use proptest::prelude::*;
use tegula_files::hdf5::{Hdf5Reading, Hdf5Source};
use tegula_files::source::{Source, SourceError};
use tegula_kernels::element::{ELEMENTS, Element};

use crate::{block, bytes_of, datatype, folder, number, path, put, read};

/// What makes the bytes of a chunk fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Squeeze {
    No,
    Gzip(u8),
    Lzf,
    Szip,
    Nbit,
    ScaleOffset,
}

/// How chunks are stored.
#[derive(Clone, Debug)]
struct Chunks {
    shape: [usize; 2],
    is_shuffled: bool,
    is_summed: bool,
    squeeze: Squeeze,
    /// Whether the matrix may grow.
    grows: bool,
}

/// A data set of libhdf5.
#[derive(Clone, Debug)]
struct Stored {
    element: Element,
    is_big: bool,
    is_latest: bool,
    shape: [usize; 2],
    /// Whether what is above the diagonal of a matrix with so many rows is stored in one dimension.
    is_condensed: bool,
    /// How large the part is that is written.
    written: [usize; 2],
    fill: Option<i8>,
    chunks: Option<Chunks>,
    /// Whether the entries stand in the header, if they are few and in no chunks.
    is_compact: bool,
    seed: u64,
}

impl Stored {
    /// Rows and columns as they are stored.
    fn lines(&self) -> [usize; 2] {
        let [m, n] = self.shape;
        if self.is_condensed { [1, m * (m - 1) / 2] } else { [m, n] }
    }

    /// Entry `(i, j)` of what is stored.
    fn entry(&self, i: usize, j: usize) -> f64 {
        if i < self.written[0] && j < self.written[1] {
            return number(self.element, self.seed, i * self.lines()[1] + j);
        }
        self.filling()
    }

    /// What entries are that are not written.
    fn filling(&self) -> f64 {
        let fill = f64::from(self.fill.unwrap_or(0));
        if matches!(self.element, Element::U8 | Element::U16 | Element::U32 | Element::U64) {
            return fill.abs();
        }
        fill
    }

    /// Entry `(i, j)` of the matrix.
    fn expected(&self, i: usize, j: usize) -> f64 {
        if !self.is_condensed {
            return self.entry(i, j);
        }
        let (low, high, n) = (i.min(j), i.max(j), self.shape[0]);
        let place = (0..low).map(|row| n - 1 - row).sum::<usize>() + high - low;
        if i == j { 0.0 } else { self.entry(0, place - 1) }
    }

    /// Writes it to `file` as data set `group/matrix`.
    fn write(&self, folder: &tempfile::TempDir, name: &str) {
        let datatype = datatype(folder.path(), self.element, self.is_big);
        let mut options = File::with_options();
        options.with_fapl(|fapl| {
            if self.is_latest { fapl.libver_latest() } else { fapl.libver_earliest() }
        });
        let file = options.create(path(folder, name)).expect("a file");
        file.create_group("group").expect("a group");
        let lines = self.lines();
        let from = usize::from(self.is_condensed);
        let mut builder = file.new_dataset_builder();
        if let Some(chunks) = &self.chunks {
            builder = chunks.build(builder, from);
        } else if self.is_compact {
            builder = builder.layout(Layout::Compact);
        }
        if let Some(fill) = self.fill {
            let fill = f64::from(fill);
            builder = match self.element {
                Element::F16 | Element::F32 => builder.fill_value(fill as f32),
                Element::F64 => builder.fill_value(fill),
                Element::U8 | Element::U16 | Element::U32 | Element::U64 => {
                    builder.fill_value(fill.abs() as u64)
                }
                _ => builder.fill_value(fill as i64),
            };
        }
        let grows = self.chunks.as_ref().is_some_and(|chunks| chunks.grows);
        let extents = SimpleExtents::fixed(&lines[from..]);
        let extents = if grows { SimpleExtents::resizable(&lines[from..]) } else { extents };
        let builder = builder.empty_as(datatype).shape(Extents::Simple(extents));
        let dataset = builder.create("group/matrix").unwrap_or_else(|e| panic!("{self:?}: {e}"));
        for i in 0..self.written[0] {
            let numbers: Vec<f64> = (0..self.written[1]).map(|j| self.entry(i, j)).collect();
            put(&dataset, self.element, (!self.is_condensed).then_some(i), &numbers);
        }
    }
}

impl Chunks {
    fn build(
        &self,
        mut builder: hdf5_metno::dataset::DatasetBuilder,
        from: usize,
    ) -> hdf5_metno::dataset::DatasetBuilder {
        builder = builder.chunk(&self.shape[from..]);
        if self.is_shuffled {
            builder = builder.shuffle();
        }
        builder = match self.squeeze {
            Squeeze::No => builder,
            Squeeze::Gzip(level) => builder.deflate(level),
            Squeeze::Lzf => builder.lzf(),
            Squeeze::Szip => builder.szip(SZip::NearestNeighbor, 8),
            Squeeze::Nbit => builder.nbit(),
            Squeeze::ScaleOffset => builder.scale_offset(ScaleOffset::Integer(0)),
        };
        if self.is_summed { builder.fletcher32() } else { builder }
    }
}

/// Filters that this libhdf5 has, of those that fit such chunks.
fn squeezes(element: Element, entries: usize) -> Vec<Squeeze> {
    let mut there = vec![Squeeze::No, Squeeze::Gzip(1), Squeeze::Gzip(6), Squeeze::Nbit];
    if lzf_available() {
        there.push(Squeeze::Lzf);
    }
    if szip_available() && entries >= 8 {
        there.push(Squeeze::Szip);
    }
    // Of floats it keeps so many decimals, and no more.
    if !matches!(element, Element::F16 | Element::F32 | Element::F64) {
        there.push(Squeeze::ScaleOffset);
    }
    there
}

fn chunks(element: Element, [m, n]: [usize; 2]) -> impl Strategy<Value = Chunks> {
    let most = [m.min(20), n.min(300)];
    let sizes = (1..=most[0], 1..=most[1], any::<[bool; 3]>(), any::<prop::sample::Index>());
    sizes.prop_map(move |(height, width, [is_shuffled, is_summed, grows], index)| {
        let there = squeezes(element, height * width);
        let squeeze = there[index.index(there.len())];
        // libhdf5 counts entries for these filters, which shuffling does not leave.
        let is_shuffled =
            is_shuffled && !matches!(squeeze, Squeeze::Szip | Squeeze::Nbit | Squeeze::ScaleOffset);
        // It adds no sum behind a filter that may lose something.
        let is_summed = is_summed && squeeze != Squeeze::ScaleOffset;
        Chunks { shape: [height, width], is_shuffled, is_summed, squeeze, grows }
    })
}

fn stored() -> impl Strategy<Value = Stored> {
    let shapes = (1..40usize, 1..40usize, any::<bool>(), 0..ELEMENTS.len());
    let shapes = shapes.prop_flat_map(|(m, n, is_condensed, kind)| {
        let m = if is_condensed { m + 1 } else { m };
        let lines = if is_condensed { [1, m * (m - 1) / 2] } else { [m, n] };
        let shape = if is_condensed { [m, m] } else { [m, n] };
        let chunks = prop::option::weighted(0.8, chunks(ELEMENTS[kind].0, lines));
        let written = prop_oneof![
            2 => Just(lines),
            1 => (0..=lines[0], 0..=lines[1]).prop_map(|(rows, columns)| [rows, columns]),
        ];
        (Just((shape, is_condensed, ELEMENTS[kind].0)), chunks, written)
    });
    let rest = (any::<[bool; 3]>(), prop::option::of(any::<i8>()), any::<u64>());
    (shapes, rest).prop_map(|(((shape, is_condensed, element), chunks, written), rest)| {
        let ([is_big, is_latest, is_compact], fill, seed) = rest;
        Stored {
            element,
            is_big,
            is_latest,
            shape,
            is_condensed,
            written,
            fill: fill.filter(|fill| *fill != i8::MIN),
            chunks,
            is_compact,
            seed,
        }
    })
}

/// Asserts that both readers give what `stored` says.
fn assert_same(stored: &Stored) {
    let folder = folder();
    stored.write(&folder, "a.h5");
    let file = path(&folder, "a.h5");
    let reading = Hdf5Reading { fill: Some(stored.filling()), ..Hdf5Reading::default() };
    let ours = Hdf5Source::open_as(&file, None, reading);
    let is_scaled = |chunks: &Chunks| chunks.squeeze == Squeeze::ScaleOffset;
    if stored.is_big && stored.element.bytes() > 1 && stored.chunks.as_ref().is_some_and(is_scaled)
    {
        // The library that we use does not read these as libhdf5 does.
        assert!(matches!(ours, Err(SourceError::Unsupported { .. })), "{stored:?}");
        return;
    }
    let ours = ours.unwrap_or_else(|e| panic!("{stored:?}: {e}"));
    let theirs = Hdf5Source::open_by_libhdf5(&file, None, reading);
    let theirs = theirs.unwrap_or_else(|e| panic!("{stored:?}: {e}"));
    // Both refuse, or neither does, what is not said to be filled.
    let is_refused = Hdf5Source::open(&file, None).is_err();
    assert_eq!(
        Hdf5Source::open_by_libhdf5(&file, None, Hdf5Reading::default()).is_err(),
        is_refused,
        "{stored:?}"
    );
    for source in [&ours as &dyn Source, &theirs] {
        assert_eq!((source.shape(), source.element()), (stored.shape, stored.element));
    }
    assert_eq!(ours.coverage(), theirs.coverage());
    for index in 0..5 {
        let block = block(stored.shape, stored.seed, index);
        let theirs = read(&theirs, &block).unwrap_or_else(|e| panic!("{stored:?}: {e}"));
        let places = block.rows.clone().flat_map(|i| block.columns.clone().map(move |j| (i, j)));
        let numbers: Vec<f64> = places.map(|(i, j)| stored.expected(i, j)).collect();
        assert_eq!(theirs, bytes_of(stored.element, &numbers), "libhdf5, {block:?} of {stored:?}");
        let ours = read(&ours, &block).unwrap_or_else(|e| panic!("{block:?} of {stored:?}: {e}"));
        assert_eq!(ours, theirs, "{block:?} of {stored:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn what_libhdf5_writes_is_read_as_it_reads_it(stored in stored()) {
        assert_same(&stored);
    }
}

/// More chunks than the file has bytes, of which none was written.
#[test]
fn a_file_may_be_shorter_than_its_list_of_chunks() {
    let (shape, squeeze) = ([1, 1], Squeeze::No);
    let chunks = Chunks { shape, is_shuffled: false, is_summed: false, squeeze, grows: false };
    assert_same(&Stored {
        element: Element::U16,
        is_big: false,
        is_latest: true,
        shape: [120, 120],
        is_condensed: true,
        written: [0, 0],
        fill: None,
        chunks: Some(chunks),
        is_compact: false,
        seed: 7,
    });
}

/// An index of chunks that takes several nodes or pages, of a matrix of which some chunks are
/// missing.
#[test]
fn many_chunks_are_found() {
    for (is_latest, grows) in [(false, false), (true, false), (true, true)] {
        for squeeze in [Squeeze::No, Squeeze::Gzip(1)] {
            let chunks =
                Chunks { shape: [1, 3], is_shuffled: true, is_summed: false, squeeze, grows };
            assert_same(&Stored {
                element: Element::F32,
                is_big: true,
                is_latest,
                shape: [150, 64],
                is_condensed: false,
                written: [140, 64],
                fill: Some(-3),
                chunks: Some(chunks),
                is_compact: false,
                seed: 7,
            });
        }
    }
}
