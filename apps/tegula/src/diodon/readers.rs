//! How many readers a file bears: found by reading some of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use tegula_data::source::{Block, Source, SourceError};
use tegula_diodon::stream::Edges;
use tegula_runtime::random::mix;

/// Gain for which another reader is worth its while.
const GAIN: f64 = 1.1;
/// Tiles that each reader reads in a trial.
const TILES: usize = 2;

/// How many readers there are to be, and at what rates so many of them read.
#[derive(Clone, Debug)]
pub(super) struct Readers {
    /// How many.
    pub(super) count: usize,
    /// Readers and bytes of entries per second, of each trial.
    pub(super) trials: Vec<(usize, f64)>,
}

/// Tries more and more readers, up to `most`, on tiles of `edge` lines, as long as that is faster.
///
/// # Errors
/// If a tile cannot be read.
pub(super) fn measure(
    source: &Arc<dyn Source>,
    edge: usize,
    most: usize,
) -> Result<Readers, SourceError> {
    let next = AtomicUsize::new(0);
    let bands = Edges::new(source.shape()[0], edge).count();
    let tiles = bands * (bands + 1) / 2;
    let mut trials: Vec<(usize, f64)> = Vec::new();
    let mut readers = 1;
    loop {
        let rate = trial(source, edge, (readers, &next))?;
        let best = trials.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        trials.push((readers, rate));
        let is_used_up = next.load(Ordering::Relaxed) + 2 * readers * TILES > tiles;
        if rate < GAIN * best || readers >= most || is_used_up {
            break;
        }
        readers = (2 * readers).min(most);
    }
    let first = |best: (usize, f64), &(readers, rate): &(usize, f64)| {
        if rate >= GAIN * best.1 { (readers, rate) } else { best }
    };
    let (count, _) = trials.iter().fold((1, 0.0), first);
    Ok(Readers { count, trials })
}

/// Bytes of entries per second that so many readers read together.
fn trial(
    source: &Arc<dyn Source>,
    edge: usize,
    (readers, next): (usize, &AtomicUsize),
) -> Result<f64, SourceError> {
    let edges = Edges::new(source.shape()[0], edge);
    let tiles = scattered(edges.count());
    let size = source.element().bytes();
    let start = Instant::now();
    let read = || {
        let (mut reader, mut bytes) = (source.reader()?, 0);
        let mut entries = Vec::new();
        for _ in 0..TILES {
            let (i, j) = tiles[next.fetch_add(1, Ordering::Relaxed) % tiles.len()];
            let block = Block { rows: edges.range(i), columns: edges.range(j) };
            entries.resize(block.entries() * size, 0);
            reader.read(&block, &mut entries)?;
            bytes += entries.len();
        }
        Ok::<usize, SourceError>(bytes)
    };
    let bytes: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..readers).map(|_| scope.spawn(read)).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| thread.join().expect("no panic");
        threads.into_iter().map(join).sum::<Result<usize, _>>()
    })?;
    Ok(bytes as f64 / start.elapsed().as_secs_f64())
}

/// Tiles at and above the diagonal of so many bands, each once, neighbours far from each other.
fn scattered(bands: usize) -> Vec<(usize, usize)> {
    let mut tiles: Vec<(usize, usize)> =
        (0..bands).flat_map(|i| (i..bands).map(move |j| (i, j))).collect();
    tiles.sort_by_key(|&(i, j)| mix((i * bands + j) as u64));
    tiles
}
