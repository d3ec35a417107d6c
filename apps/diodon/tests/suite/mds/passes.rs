//! How often tiles are read, and that it does not matter in which order, how many are held, or what
//! overlaps.

use proptest::prelude::*;
use tegula_diodon::mds::Method;
use tegula_diodon::stream::Overlap;
use tegula_files::source::Source;
use tegula_kernels::element::Element;

use super::support::{Embedded, How, bent, deviation, embed, stored};

#[test]
fn no_toggle_changes_the_result() {
    let n = 200;
    let source = stored(&bent(n, 1), Element::F64);
    let run = |overlap: Overlap| {
        let mut how = How::new(Method::Randomized, 5, n);
        how.options.overlap = overlap;
        embed::<f64>(&source, &how).expect("distances")
    };
    let all = Overlap::default();
    let expected = run(all);
    let toggled = [
        Overlap { asynchronous: false, ..all },
        Overlap { split_gram: false, ..all },
        Overlap { commute: false, ..all },
        Overlap { read_order: false, ..all },
        Overlap { priorities: false, ..all },
    ];
    for overlap in toggled {
        let Embedded { leading, passes, sums, .. } = run(overlap);
        assert_eq!(passes, if overlap.split_gram { 2 } else { 3 }, "{overlap:?}");
        let off = deviation(&leading.values, &expected.leading.values);
        assert!(off < 1e-12, "{overlap:?}: {off:e}");
        assert!((sums.trace / expected.sums.trace - 1.0).abs() < 1e-13, "{overlap:?}");
    }
}

#[test]
fn tiles_that_are_held_are_read_once() {
    #[derive(Debug)]
    struct Counted(std::sync::Arc<dyn Source>);
    impl Source for Counted {
        fn name(&self) -> &str {
            self.0.name()
        }
        fn shape(&self) -> [usize; 2] {
            self.0.shape()
        }
        fn element(&self) -> Element {
            self.0.element()
        }
        fn reader(
            &self,
        ) -> Result<Box<dyn tegula_files::source::BlockReader>, tegula_files::source::SourceError>
        {
            struct Reader(Box<dyn tegula_files::source::BlockReader>);
            impl tegula_files::source::BlockReader for Reader {
                fn read(
                    &mut self,
                    block: &tegula_files::source::Block,
                    entries: &mut [u8],
                ) -> Result<u64, tegula_files::source::SourceError> {
                    self.0.read(block, entries)?;
                    Ok(entries.len() as u64)
                }
            }
            Ok(Box::new(Reader(self.0.reader()?)))
        }
    }
    let n = 200;
    let source: std::sync::Arc<dyn Source> =
        std::sync::Arc::new(Counted(stored(&bent(n, 2), Element::F32)));
    // 200 lines in bands of 64: 64, 64, 64 and 8.
    let triangle = 4 * (200 * 200 + 3 * 64 * 64 + 8 * 8) / 2;
    let run = |memory: u64| {
        let mut how = How::new(Method::Randomized, 5, n);
        how.options.memory = memory;
        how.options.samples = 0;
        how.request.passes = Some(3);
        embed::<f64>(&source, &how).expect("distances").bytes_read
    };
    assert_eq!(run(1 << 30), triangle as u64);
    assert_eq!(run(0), 3 * triangle as u64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn results_do_not_depend_on_tiles_memory_or_workers(
        n in 2usize..90,
        edge in 1usize..70,
        height in 1usize..70,
        slots in 0u64..20,
        workers in 1usize..4,
        is_single in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let element = if is_single { Element::F32 } else { Element::F64 };
        let source = stored(&bent(n, seed), element);
        let exact = embed::<f64>(&source, &How::new(Method::Exact, 4, n)).expect("distances");
        let mut how = How::new(Method::Lanczos, 4, n);
        how.workers = workers;
        how.options.edge = edge;
        how.options.entries = edge * height;
        how.options.memory = slots * (edge * edge * 8) as u64;
        let found = embed::<f64>(&source, &how).expect("distances");
        prop_assert_eq!(found.leading.values.len(), exact.leading.values.len());
        if !exact.leading.values.is_empty() {
            let off = deviation(&found.leading.values, &exact.leading.values);
            prop_assert!(off < 1e-11, "{:e}", off);
        }
        prop_assert!((found.sums.frobenius2 / exact.sums.frobenius2 - 1.0).abs() < 1e-11);
    }
}

#[test]
fn lanczos_finds_the_same_when_memory_makes_it_start_again() {
    let n = 500;
    let source = stored(&bent(n, 4), Element::F64);
    let run = |capacity: usize| {
        let mut how = How::new(Method::Lanczos, 4, n);
        how.request.width = 8;
        how.request.capacity = capacity;
        embed::<f64>(&source, &how).expect("distances")
    };
    let (free, tight) = (run(1 << 20), run(40));
    assert_eq!((free.leading.has_converged, tight.leading.has_converged), (Some(true), Some(true)));
    assert!(tight.passes >= free.passes, "{} and {} passes", tight.passes, free.passes);
    assert!(deviation(&tight.leading.values, &free.leading.values) < 1e-12);
}
