//! One pass of an embedding over a matrix of distances, as `diodon mds` makes it.

use std::sync::Arc;

use tegula_diodon::gram::{Gram, GramOptions};
use tegula_diodon::stream::Overlap;
use tegula_files::source::{BlockReader, Source, SourceError};
use tegula_kernels::element::Element;
use tegula_kernels::scalar::Real;
use tegula_plan::platform::READ;
use tegula_runtime::flow::{Cost, Flow, FlowError};

use super::{Measure, Setting, Sizes, Spread, Tasks, Workload, held, triangle};

pub(super) const DIODON: Workload = Workload {
    name: "diodon",
    summary: "a pass of mds: reading distances, a product with their Gram matrix, centring",
    tasks: Tasks::Described {
        submit: |flow, setting| {
            let is_single = setting.sizes.is_single();
            if is_single { multiply::<f32>(flow, setting) } else { multiply::<f64>(flow, setting) }
        },
        most: |sizes| {
            let n = sizes.tiles as u64;
            held(n * (n + 1), 5, 0) + 6 * n + 8
        },
        working_set: triangle,
        flops: None,
    },
    spread: Spread::Lines,
    messages: None,
    measures: &[
        Measure { name: "overlap", without: "read, wait, multiply, wait" },
        Measure { name: "split-gram", without: "wait for all sums before the first product" },
        Measure {
            name: "commute",
            without: "on one node, add to panels in the order of the program",
        },
        Measure { name: "read-order", without: "read row of tiles by row of tiles" },
        Measure { name: "priorities", without: "no task before another" },
    ],
};

/// Distances that nobody ever reads.
#[derive(Debug)]
struct Described {
    items: usize,
    element: Element,
}

impl Source for Described {
    fn name(&self) -> &str {
        "described distances"
    }

    fn shape(&self) -> [usize; 2] {
        [self.items; 2]
    }

    fn element(&self) -> Element {
        self.element
    }

    fn reader(&self) -> Result<Box<dyn BlockReader>, SourceError> {
        unreachable!("no task of a simulation runs")
    }
}

/// What reading a tile off the diagonal and multiplying it from both sides cost: codelets and
/// costs.
pub(crate) fn read_and_sweep(sizes: &Sizes) -> [(&'static str, Cost); 2] {
    let (nb, width) = (sizes.nb as f64, sizes.width as f64);
    let stored = nb * nb * sizes.precision.bytes() as f64;
    let panels = 8.0 * (2.0 * nb * width) * 4.0;
    let sweep = Cost { flops: 4.0 * nb * nb * width, bytes: stored + panels };
    [(READ, Cost { flops: 0.0, bytes: stored }), ("sweep", sweep)]
}

fn multiply<T: Real>(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    let overlap = Overlap {
        asynchronous: setting.has("overlap"),
        split_gram: setting.has("split-gram"),
        commute: setting.has("commute"),
        read_order: setting.has("read-order"),
        priorities: setting.has("priorities"),
    };
    let sizes = &setting.sizes;
    let element = if sizes.is_single() { Element::F32 } else { Element::F64 };
    let source: Arc<dyn Source> = Arc::new(Described { items: sizes.tiles * sizes.nb, element });
    let options = GramOptions {
        weights: None,
        offset: 0.0,
        edge: sizes.nb,
        entries: sizes.nb * sizes.nb,
        memory: u64::MAX,
        samples: 0,
        overlap,
        distribution: setting.dealing.clone(),
    };
    let mut gram = Gram::new(flow, &source, options);
    let [x, y] = [(); 2].map(|()| gram.panel(flow, sizes.width));
    (0..x.mt()).for_each(|band| flow.touch(x.tile(band, 0)));
    gram.multiply::<T>(flow, &x, &y)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tegula_kernels::scalar::Precision;
    use tegula_runtime::flow::FlowOptions;
    use tegula_runtime::platform::{Machine, WorkerModel};
    use tegula_runtime::sim::Census;

    use super::*;

    #[test]
    fn tasks_cost_what_is_said() {
        let sizes = Sizes {
            tiles: 4,
            nb: 32,
            precision: Precision::Single,
            nrhs: 1,
            width: 5,
            evaluations: 1,
            places: 1,
            seed: 0,
        };
        let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
        let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
        let mut flow = Flow::new(census, FlowOptions::default());
        DIODON.submit(&mut flow, &Setting::new(sizes)).expect("a census has no failures");
        let contents = contents.lock().expect("it goes on");
        for expected in read_and_sweep(&sizes) {
            assert!(
                contents.codelets.contains(&expected),
                "{expected:?} in {:?}",
                contents.codelets
            );
        }
    }
}
