//! An iterative solver on sub-domains that exchange their borders: what runs beside a factorisation
//! in Hugo, "Composability of parallel codes on heterogeneous architectures", PhD thesis,
//! Bordeaux, 2014, appendix C.

use tegula_runtime::flow::Access::{self, R, RW, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Flow, Handle};

use super::{Setting, Sizes, Spread, Tasks, Workload, held};

/// Operations on a value in one iteration.
const FLOPS_PER_VALUE: f64 = 10.0;

/// `tiles` sub-domains in a row, of a tile each, `passes` iterations.
pub(super) const STENCIL: Workload = Workload {
    name: "stencil",
    summary: "iterations on a row of sub-domains, a tile each, that exchange their borders",
    tasks: Tasks::Described {
        submit: |flow, setting| {
            submit(flow, setting);
            Ok(())
        },
        most: |sizes| held((sizes.tiles * sizes.passes) as u64, 2, 0),
        working_set: |sizes| sizes.tiles_bytes(sizes.tiles),
        flops: Some(|sizes| (sizes.tiles * sizes.passes) as f64 * flops(sizes)),
    },
    spread: Spread::OneNode,
    messages: None,
    measures: &[],
    makes_contexts: false,
};

fn flops(sizes: &Sizes) -> f64 {
    FLOPS_PER_VALUE * (sizes.nb * sizes.nb) as f64
}

/// One iteration on a sub-domain: reads the borders of its neighbours, writes its own for the next.
#[derive(Clone, Copy)]
struct Stencil(Cost);

impl Codelet for Stencil {
    const NAME: &'static str = "stencil";
    const ACCESS: &'static [Access] = &[RW, R, R, W];
    fn cost(&self) -> Cost {
        self.0
    }
    fn cpu(&self, _buffers: &Buffers<'_>) -> Result<(), Failure> {
        Err("this program is only simulated".into())
    }
}

fn submit(flow: &mut Flow, setting: &Setting) {
    let sizes = &setting.sizes;
    let border = sizes.nb * sizes.precision.bytes();
    let domains: Vec<Handle> =
        (0..sizes.tiles).map(|_| flow.register(sizes.tile_bytes())).collect();
    let mut borders = || -> Vec<Handle> { domains.iter().map(|_| flow.register(border)).collect() };
    let sides = [borders(), borders()];
    domains.iter().chain(&sides[0]).for_each(|&handle| flow.touch(handle));
    let bytes = (2 * sizes.tile_bytes()) as f64;
    let work = Stencil(Cost { flops: flops(sizes), bytes });
    for pass in 0..sizes.passes {
        flow.iteration(pass);
        let (old, new) = (&sides[pass % 2], &sides[(pass + 1) % 2]);
        for (place, &domain) in domains.iter().enumerate() {
            let next = old[(place + 1).min(domains.len() - 1)];
            let accesses =
                [(domain, RW), (old[place.saturating_sub(1)], R), (next, R), (new[place], W)];
            flow.submit(work, &accesses, 0);
        }
    }
}
