//! A run that is stopped between two passes goes on to the same end, on other workers and tiles.

use std::io::{Cursor, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

use tegula_diodon::EmbedError;
use tegula_diodon::gram::Gram;
use tegula_diodon::mds::{Leading, Method, Pauses, Save, leading_with};
use tegula_diodon::stream::TileDistribution;
use tegula_files::source::Source;
use tegula_kernels::element::Element;
use tegula_kernels::error::CODEC;
use tegula_plan::distribution::Powers;
use tegula_runtime::comm::{Local, World};
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::random::SplitMix64;
use tegula_tiles::owners::BlockCyclic;

use super::support::{Embedded, How, bent, deviation, stored};

/// Stops in the pause after `last` passes, with what is saved there.
#[derive(Default)]
struct Stop {
    last: Option<usize>,
    resumed: Option<Vec<u8>>,
    saved: Vec<u8>,
    /// Passes after which there was a pause.
    pauses: Vec<usize>,
}

impl Pauses for Stop {
    fn resume(&mut self) -> Option<Box<dyn Read>> {
        Some(Box::new(Cursor::new(self.resumed.take()?)))
    }

    fn pause(&mut self, flow: &mut Flow, gram: &mut Gram, save: &mut Save<'_>) -> ControlFlow<()> {
        let passes = gram.passes();
        self.pauses.push(passes);
        if self.last != Some(passes) {
            return ControlFlow::Continue(());
        }
        save(flow, gram, &mut self.saved).expect("there is room");
        ControlFlow::Break(())
    }
}

fn embed(source: &Arc<dyn Source>, how: &How, stop: &mut Stop) -> Result<Embedded, EmbedError> {
    let mut flow = Flow::new(Exec::with_workers(how.workers), FlowOptions::default());
    let mut gram = Gram::new(&mut flow, source, how.options.clone());
    let leading = leading_with::<f64>(&mut flow, &mut gram, &how.request, stop)?;
    let (sums, passes) = (gram.sums().clone(), gram.passes());
    let bytes_read = gram.close(&mut flow);
    Ok(Embedded { leading, sums, passes, bytes_read })
}

fn largest(found: &[f64], expected: &[f64]) -> f64 {
    found.iter().zip(expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// Stops `how` in each of its pauses, and goes on otherwise.
fn check(how: &How, least_pauses: usize) {
    let n = 230;
    let source = stored(&bent(n, 4), Element::F64);
    let mut all = Stop::default();
    let expected = embed(&source, how, &mut all).expect("distances");
    assert!(all.pauses.len() >= least_pauses, "{:?}: {:?}", how.request.method, all.pauses);
    for &last in &all.pauses {
        let mut stop = Stop { last: Some(last), ..Stop::default() };
        let stopped = embed(&source, how, &mut stop);
        let is_told = matches!(stopped, Err(EmbedError::Stopped { passes }) if passes == last);
        assert!(is_told, "{last}: {stopped:?}");
        let mut other = how.clone();
        (other.workers, other.options.edge) = (1, 40);
        let mut rest = Stop { resumed: Some(stop.saved), ..Stop::default() };
        let found = embed(&source, &other, &mut rest).expect("distances");
        let left: Vec<usize> = all.pauses.iter().copied().filter(|&passes| passes > last).collect();
        assert_eq!((found.passes, &rest.pauses), (expected.passes, &left));
        let what = format!("{:?} after {last}", how.request.method);
        compare(&found.leading, &expected.leading, &what);
        assert!((found.sums.trace / expected.sums.trace - 1.0).abs() < 1e-13, "{what}");
        assert_eq!(found.sums.findings, expected.sums.findings, "{what}");
        assert!(found.bytes_read >= expected.bytes_read / 2, "{what}: bytes of both runs count");
    }
}

fn compare(found: &Leading, expected: &Leading, what: &str) {
    let off = deviation(&found.values, &expected.values);
    assert!(off < 1e-12 && found.values.len() == expected.values.len(), "{what}: {off:e}");
    let off = largest(&found.vectors, &expected.vectors);
    assert!(off < 1e-7, "{what}: vectors differ by {off:e}");
    assert_eq!(found.has_converged, expected.has_converged, "{what}");
}

#[test]
fn sketches_go_on_after_each_pass() {
    for method in [Method::Randomized, Method::Nystrom] {
        let mut how = How::new(method, 4, 230);
        how.request.passes = Some(4);
        check(&how, 3);
        how.options.weights = Some((0..230).map(|i| 1.0 + (i % 3) as f64).collect());
        how.options.overlap.split_gram = false;
        check(&how, 3);
    }
}

#[test]
fn lanczos_goes_on_after_each_pass() {
    let mut how = How::new(Method::Lanczos, 4, 230);
    how.request.width = 9;
    check(&how, 3);
    // With a space that is compressed.
    how.request.capacity = 30;
    check(&how, 4);
    how.request.lingoes = true;
    how.options.weights = None;
    check(&how, 3);
}

#[test]
fn a_state_that_ends_too_soon_is_an_error() {
    let source = stored(&bent(100, 4), Element::F64);
    let how = How::new(Method::Lanczos, 4, 100);
    let mut stop = Stop { last: Some(1), ..Stop::default() };
    assert!(embed(&source, &how, &mut stop).is_err());
    let saved = stop.saved;
    for length in [0, 7, 100, saved.len() / 2, saved.len() - 1] {
        let mut rest = Stop { resumed: Some(saved[..length].to_vec()), ..Stop::default() };
        let error = embed(&source, &how, &mut rest).expect_err("cut");
        assert!(matches!(error, EmbedError::State(_)), "{length}: {error}");
    }
}

/// Shares each pass in another way over the ranks.
struct Shuffled {
    stream: SplitMix64,
}

impl Shuffled {
    /// Powers of ranks, of which some have none.
    fn powers(&mut self, ranks: usize) -> Powers {
        let mut power = || (3.0 * self.stream.uniform()).floor();
        let powers: Vec<f64> = (0..ranks).map(|_| power()).collect();
        Powers::new(powers).unwrap_or_else(|| Powers::equal(ranks))
    }
}

impl Pauses for Shuffled {
    fn resume(&mut self) -> Option<Box<dyn Read>> {
        None
    }

    fn pause(&mut self, flow: &mut Flow, gram: &mut Gram, _: &mut Save<'_>) -> ControlFlow<()> {
        let ranks = flow.ranks();
        let products = self.powers(ranks);
        let reading = (self.stream.uniform() < 0.5).then(|| self.powers(ranks));
        gram.distribute(flow, &TileDistribution { products, reading });
        ControlFlow::Continue(())
    }
}

#[test]
fn ranks_may_share_each_pass_in_another_way() {
    let (n, ranks) = (230, 3);
    let source = &stored(&bent(n, 4), Element::F64);
    for (method, tiles, seed) in
        [(Method::Lanczos, 4, 1), (Method::Lanczos, 1000, 2), (Method::Randomized, 4, 3)]
    {
        let mut how = How::new(method, 4, n);
        how.request.width = 9;
        how.request.passes = (method == Method::Randomized).then_some(6);
        how.options.memory = tiles * 64 * 64 * 8;
        let expected = embed(source, &how, &mut Stop::default()).expect("distances");
        let how = &how;
        let run = |end: Local| {
            let world = Some(World::new(Box::new(end)));
            let options = ExecOptions { world, ..ExecOptions::new(1) };
            let codec = FlowOptions { codec: CODEC, ..FlowOptions::default() };
            let mut flow = Flow::new(Exec::new(options), codec);
            flow.set_owners(Arc::new(BlockCyclic::squarest(ranks)));
            let mut gram = Gram::new(&mut flow, source, how.options.clone());
            let mut shuffled = Shuffled { stream: SplitMix64::new(seed) };
            let found = leading_with::<f64>(&mut flow, &mut gram, &how.request, &mut shuffled);
            let passes = gram.passes();
            gram.close(&mut flow);
            (found.expect("distances"), passes)
        };
        std::thread::scope(|scope| {
            let ends = Local::connect(ranks).into_iter();
            let ranks: Vec<_> = ends.map(|end| scope.spawn(move || run(end))).collect();
            for (rank, found) in ranks.into_iter().enumerate() {
                let (found, passes) = found.join().expect("it runs");
                assert!(passes == expected.passes && passes > 3, "{passes} passes");
                compare(&found, &expected.leading, &format!("{method:?} on rank {rank}"));
            }
        });
    }
}
