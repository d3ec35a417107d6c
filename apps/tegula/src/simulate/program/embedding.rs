//! What `diodon` runs: principal coordinates, components and correspondences, and one pass of the
//! first.

use tegula_diodon::program::Described;
use tegula_diodon::stream::Overlap;
use tegula_kernels::element::Element;
use tegula_plan::platform::READ;
use tegula_runtime::flow::{Cost, Flow, FlowError};
use tegula_tiles::Storage;

use super::{Measure, Setting, Sizes, Spread, Tasks, Workload, held, square, triangle};

/// Principal coordinates, and a pass of them.
pub(crate) const MDS: &str = "mds";
pub(crate) const PASS_OF_MDS: &str = "diodon";

/// The codelet that multiplies with a tile.
pub(crate) const SWEEP: &str = "sweep";

/// Without it, tiles do not stay in memory from one pass to the next.
const KEEP: &str = "keep";

/// Tiles that a worker has read ahead where they do not all stay.
const AHEAD: usize = 16;

const PASSES: &[Measure] = &[
    Measure { name: "overlap", without: "read, wait, multiply, wait" },
    Measure { name: "split-gram", without: "wait for all sums before the first product" },
    Measure { name: "commute", without: "on one node, add to panels in the order of the program" },
    Measure { name: "read-order", without: "read row of tiles by row of tiles" },
    Measure { name: "priorities", without: "no task before another" },
    Measure { name: KEEP, without: "read again in each pass, with 16 tiles a worker in memory" },
];

/// Those of one pass, after which nothing is read again.
const PASS: &[Measure] = PASSES.split_at(PASSES.len() - 1).0;

/// A program of `diodon` that submits its tasks so, on distances or on a table.
const fn of(
    (name, summary): (&'static str, &'static str),
    storage: Storage,
    submit: fn(&mut Flow, &Setting) -> Result<(), FlowError>,
    most: fn(&Sizes) -> u64,
) -> Workload {
    let working_set = match storage {
        Storage::Lower => triangle,
        Storage::Full => square,
    };
    Workload {
        name,
        summary,
        tasks: Tasks::Described { submit, most, working_set, flops: None },
        spread: Spread::Lines(storage),
        messages: None,
        measures: PASSES,
        makes_contexts: false,
    }
}

pub(super) const DIODON: [Workload; 4] = [
    Workload {
        measures: PASS,
        makes_contexts: false,
        ..of(
            (
                PASS_OF_MDS,
                "a pass of mds: reading distances, a product with their Gram matrix, centring",
            ),
            Storage::Lower,
            multiply,
            pass,
        )
    },
    of(
        (MDS, "principal coordinates by the randomised method, in so many passes"),
        Storage::Lower,
        mds,
        coordinates,
    ),
    of(
        ("pca", "principal components of a square table, in so many passes and the last one"),
        Storage::Full,
        pca,
        components,
    ),
    of(
        ("coa", "correspondences of a square table of counts, in passes as pca"),
        Storage::Full,
        coa,
        components,
    ),
];

/// Most tasks that a flow holds for a pass of `mds`.
fn pass(sizes: &Sizes) -> u64 {
    let n = sizes.tiles as u64;
    held(n * (n + 1), 5, 0) + 6 * n + 8
}

/// The same of all passes, all of which read, and of products of panels: a task for each band.
fn coordinates(sizes: &Sizes) -> u64 {
    let (n, passes) = (sizes.tiles as u64, sizes.passes.max(2) as u64);
    passes * pass(sizes) + held((3 * (passes - 1) + 11) * n, 3, 0)
}

/// Of the passes over a table, and of the products that keep blocks of a Krylov space apart.
fn components(sizes: &Sizes) -> u64 {
    let (n, passes) = (sizes.tiles as u64, sizes.passes.max(4) as u64);
    let blocks = passes / 2 - 1;
    let of_panels = (22 + 12 * blocks + 5 * blocks * blocks) * n;
    (passes + 1) * held(2 * n * n, 4, 0) + held(of_panels, 3, 0)
}

impl Workload {
    /// Products with each tile that is read: one, unless tiles stay in memory for all passes.
    pub(crate) fn products(&self, setting: &Setting) -> usize {
        match self.name {
            _ if !self.takes(KEEP) || !setting.has(KEEP) => 1,
            MDS => setting.sizes.passes.max(2),
            // A product with random numbers, two for each block, and the last one.
            _ => setting.sizes.passes.max(4) / 2 * 2 + 1,
        }
    }
}

/// What reading a tile, of a matrix of distances off the diagonal, and multiplying it, those from
/// both sides, cost: codelets and costs.
pub(crate) fn read_and_sweep(sizes: &Sizes, storage: Storage) -> [(&'static str, Cost); 2] {
    let (nb, width) = (sizes.nb as f64, sizes.width as f64);
    let stored = nb * nb * sizes.precision.bytes() as f64;
    let sides = if storage == Storage::Lower { 2.0 } else { 1.0 };
    let panels = 8.0 * (2.0 * nb * width) * 2.0 * sides;
    let sweep = Cost { flops: 2.0 * sides * nb * nb * width, bytes: stored + panels };
    [(READ, Cost { flops: 0.0, bytes: stored }), (SWEEP, sweep)]
}

fn multiply(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    let described = described(flow, setting);
    match setting.sizes.is_single() {
        true => described.multiply_gram::<f32>(flow),
        false => described.multiply_gram::<f64>(flow),
    }
}

fn mds(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    let (described, passes) = (described(flow, setting), setting.sizes.passes);
    match setting.sizes.is_single() {
        true => described.mds::<f32>(flow, passes),
        false => described.mds::<f64>(flow, passes),
    }
}

fn pca(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    let (described, passes) = (described(flow, setting), setting.sizes.passes);
    match setting.sizes.is_single() {
        true => described.pca::<f32>(flow, passes),
        false => described.pca::<f64>(flow, passes),
    }
}

fn coa(flow: &mut Flow, setting: &Setting) -> Result<(), FlowError> {
    let (described, passes) = (described(flow, setting), setting.sizes.passes);
    match setting.sizes.is_single() {
        true => described.coa::<f32>(flow, passes),
        false => described.coa::<f64>(flow, passes),
    }
}

fn described(flow: &Flow, setting: &Setting) -> Described {
    let overlap = Overlap {
        asynchronous: setting.has("overlap"),
        split_gram: setting.has("split-gram"),
        commute: setting.has("commute"),
        read_order: setting.has("read-order"),
        priorities: setting.has("priorities"),
    };
    let sizes = &setting.sizes;
    let memory = match setting.has(KEEP) {
        true => u64::MAX,
        false => sizes.tiles_bytes(AHEAD * flow.workers()),
    };
    Described {
        shape: [sizes.tiles * sizes.nb; 2],
        edge: sizes.nb,
        element: if sizes.is_single() { Element::F32 } else { Element::F64 },
        width: sizes.width,
        memory,
        overlap,
        distribution: setting.dealing.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tegula_kernels::scalar::Precision;
    use tegula_runtime::flow::FlowOptions;
    use tegula_runtime::platform::{Machine, WorkerModel};
    use tegula_runtime::sim::{Census, Contents};

    use super::*;

    fn sizes() -> Sizes {
        Sizes {
            tiles: 4,
            nb: 32,
            precision: Precision::Single,
            nrhs: 1,
            width: 5,
            evaluations: 1,
            places: 1,
            passes: 2,
            seed: 0,
            matrix: None,
        }
    }

    fn census(workload: &Workload, setting: &Setting) -> Contents {
        let model = WorkerModel { gflops: 1.0, gbytes_per_second: 1.0, overhead_seconds: 0.0 };
        let (census, contents) = Census::new(Arc::new(vec![model]), &Machine::cores(1));
        let mut flow = Flow::new(census, FlowOptions::default());
        workload.submit(&mut flow, setting).expect("a census has no failures");
        contents.lock().expect("it goes on").clone()
    }

    fn tasks(contents: &Contents, codelet: &str) -> u64 {
        let kinds = contents.types.iter().zip(&contents.codelets);
        kinds.filter(|(_, (name, _))| *name == codelet).map(|(kind, _)| kind.tasks).sum()
    }

    #[test]
    fn tasks_cost_what_is_said() {
        for workload in &DIODON {
            let Spread::Lines(storage) = workload.spread else { panic!("{workload:?}") };
            let codelets = census(workload, &Setting::new(sizes())).codelets;
            for expected in read_and_sweep(&sizes(), storage) {
                assert!(codelets.contains(&expected), "{workload:?}: {expected:?} in {codelets:?}");
            }
        }
    }

    /// Where tiles stay in memory, they are read once; each pass multiplies all of them.
    #[test]
    fn every_pass_multiplies_and_those_without_memory_read() {
        // More tiles than 16.
        let tiles = 8;
        for (workload, asked, made) in [(1, 2, 2), (1, 5, 5), (2, 2, 5), (2, 7, 7), (3, 8, 9)]
            .map(|(at, a, m)| (&DIODON[at], a, m))
        {
            let sizes = Sizes { tiles, passes: asked, ..sizes() };
            let Spread::Lines(storage) = workload.spread else { panic!("{workload:?}") };
            let all = sizes.tiles_of(storage) as u64;
            let mut setting = Setting::new(sizes);
            for (without, reads) in [(vec![], all), (vec![KEEP], made * all)] {
                setting.without = without;
                let contents = census(workload, &setting);
                assert_eq!(tasks(&contents, "sweep"), made * all, "{workload:?} {asked}");
                let products = (made * all / reads) as usize;
                assert_eq!(workload.products(&setting), products, "{workload:?} {asked}");
                assert_eq!(tasks(&contents, READ), reads, "{workload:?} {asked}");
                let most = workload.tasks(&sizes);
                assert!(contents.tasks <= most, "{workload:?}: {} over {most}", contents.tasks);
                assert!(most < 3 * contents.tasks, "{workload:?}: {}, not {most}", contents.tasks);
            }
        }
    }
}
