//! How many readers a file bears: found by reading some of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use tegula_diodon::stream::{Place, Tiling};
use tegula_files::source::{Source, SourceError};
use tegula_runtime::exec::ExecOptions;
use tegula_runtime::platform::Cap;
use tegula_runtime::random::mix;

/// Bytes of a matrix from which it is worth to find out how many readers its file bears.
const LARGE: f64 = 256e6;
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

impl Readers {
    /// Bytes of entries per second that so many of them read.
    pub(super) fn rate(&self) -> f64 {
        let of_count = self.trials.iter().find(|(readers, _)| *readers == self.count);
        of_count.map_or(0.0, |(_, rate)| *rate)
    }
}

/// Finds out how many readers a large matrix bears, if that `is_open` and there is a choice.
///
/// # Errors
/// If a tile cannot be read.
pub(super) fn find(
    source: &Arc<dyn Source>,
    tiling: &Tiling,
    (is_open, workers): (bool, usize),
) -> Result<Option<Readers>, SourceError> {
    let [m, n] = source.shape();
    let bytes = m as f64 * n as f64 * source.element().bytes() as f64;
    let is_measured = is_open && bytes > LARGE && workers > 1;
    is_measured.then(|| measure(source, tiling, workers)).transpose()
}

/// How fast as many readers as are `asked` for read, or as many as pay, of at most `workers`.
///
/// # Errors
/// If a tile cannot be read.
pub(super) fn rated(
    source: &Arc<dyn Source>,
    tiling: &Tiling,
    (asked, workers): (Option<u32>, usize),
) -> Result<Readers, SourceError> {
    let Some(asked) = asked else { return measure(source, tiling, workers) };
    let count = (asked as usize).min(workers);
    let rate = trial(source, &scattered(tiling), (count, &AtomicUsize::new(0)))?;
    Ok(Readers { count, trials: vec![(count, rate)] })
}

/// Readers of `source` that a quarter of `memory` bears, one at least, and not more than there are
/// workers.
pub(super) fn bearable(source: &dyn Source, memory: u64, workers: usize) -> usize {
    let each = source.reader_bytes().max(1);
    usize::try_from(memory / 4 / each).unwrap_or(workers).clamp(1, workers.max(1))
}

/// Tasks that may read at a time, as `asked` or else `found`, but not more than are `bearable`, if
/// fewer than there are workers.
pub(super) fn at_most(
    asked: Option<u32>,
    (found, bearable): (Option<&Readers>, usize),
    workers: usize,
) -> Option<usize> {
    let asked = asked.map(|readers| readers as usize);
    let wanted = asked.or(found.map(|readers| readers.count)).unwrap_or(workers);
    Some(wanted.min(bearable)).filter(|&readers| readers < workers)
}

/// Lets no more tasks read at a time than `most`, if there is such a number.
pub(super) fn cap(options: &mut ExecOptions, most: Option<usize>) {
    if let Some(most) = most {
        let cap = Cap { codelets: vec!["read".to_owned()], most };
        Arc::make_mut(&mut options.machine).caps.push(cap);
    }
}

/// Tries more and more readers, up to `most`, on scattered tiles, as long as that is faster.
///
/// # Errors
/// If a tile cannot be read.
fn measure(source: &Arc<dyn Source>, tiling: &Tiling, most: usize) -> Result<Readers, SourceError> {
    let (next, tiles) = (AtomicUsize::new(0), scattered(tiling));
    let mut trials: Vec<(usize, f64)> = Vec::new();
    let mut readers = 1;
    loop {
        let rate = trial(source, &tiles, (readers, &next))?;
        let best = trials.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        trials.push((readers, rate));
        let is_used_up = next.load(Ordering::Relaxed) + 2 * readers * TILES > tiles.len();
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
    tiles: &[Place],
    (readers, next): (usize, &AtomicUsize),
) -> Result<f64, SourceError> {
    let size = source.element().bytes();
    let start = Instant::now();
    let read = || {
        let (mut reader, mut bytes) = (source.reader()?, 0);
        let mut entries = Vec::new();
        for _ in 0..TILES {
            let tile = &tiles[next.fetch_add(1, Ordering::Relaxed) % tiles.len()];
            entries.resize(tile.block.entries() * size, 0);
            reader.read(&tile.block, &mut entries)?;
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

/// All tiles, neighbours far from each other.
pub(super) fn scattered(tiling: &Tiling) -> Vec<Place> {
    let mut tiles: Vec<(usize, Place)> = tiling.all().into_iter().enumerate().collect();
    tiles.sort_by_key(|&(number, _)| mix(number as u64));
    tiles.into_iter().map(|(_, place)| place).collect()
}
