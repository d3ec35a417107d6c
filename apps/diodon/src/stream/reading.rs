//! Tasks that read a block of a matrix, and the readers that they share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tegula_files::source::{Block, BlockReader, Source, SourceError};
use tegula_runtime::flow::Access::{self, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure};

/// A matrix that tasks read: as long as this is there, its tasks find it.
#[derive(Debug)]
pub struct Reading {
    key: u32,
    shared: Arc<Shared>,
}

/// A source with readers that nobody uses at the moment: each task takes one, or opens another.
struct Shared {
    source: Arc<dyn Source>,
    idle: Mutex<Vec<Box<dyn BlockReader>>>,
    bytes: AtomicU64,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("source", &self.source).finish_non_exhaustive()
    }
}

/// Matrices that tasks of this process read, by number: the arguments of a task are plain numbers.
static OPEN: Mutex<BTreeMap<u32, Arc<Shared>>> = Mutex::new(BTreeMap::new());

/// The next number.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// Locks what a panic elsewhere cannot have left half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reading {
    /// Lets tasks read `source`.
    #[must_use]
    pub fn new(source: Arc<dyn Source>) -> Self {
        let bytes = AtomicU64::new(source.bytes_read());
        let shared = Shared { source, idle: Mutex::default(), bytes };
        let (key, shared) = (NEXT.fetch_add(1, Ordering::Relaxed), Arc::new(shared));
        locked(&OPEN).insert(key, Arc::clone(&shared));
        Self { key, shared }
    }

    /// What is read.
    #[must_use]
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.shared.source
    }

    /// Bytes that were taken from the disk so far, with those of opening the source.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }

    /// A task that reads `block`.
    ///
    /// # Panics
    /// If the matrix has more than `2^32` rows or columns.
    #[must_use]
    pub fn task(&self, block: &Block) -> Read {
        let number = |x: usize| u32::try_from(x).expect("at most 2^32 rows and columns");
        Read {
            key: self.key,
            rows: [block.rows.start, block.rows.end].map(number),
            columns: [block.columns.start, block.columns.end].map(number),
            element_bytes: self.shared.source.element().bytes() as u32,
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        locked(&OPEN).remove(&self.key);
    }
}

/// Reads a block; buffer `[A: W]`, at the front of which its entries come row by row.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    key: u32,
    rows: [u32; 2],
    columns: [u32; 2],
    element_bytes: u32,
}

impl Read {
    fn block(&self) -> Block {
        let range = |[start, end]: [u32; 2]| start as usize..end as usize;
        Block { rows: range(self.rows), columns: range(self.columns) }
    }
}

impl Codelet for Read {
    const NAME: &'static str = "read";
    const ACCESS: &'static [Access] = &[W];

    fn cost(&self) -> Cost {
        let bytes = self.block().entries() * self.element_bytes as usize;
        Cost { flops: 0.0, bytes: bytes as f64 }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let shared = locked(&OPEN).get(&self.key).cloned();
        let shared = shared.ok_or("the matrix was closed before its tasks ran")?;
        let block = self.block();
        let entries = &mut buffers.write::<u8>(0)[..block.entries() * self.element_bytes as usize];
        shared.read(&block, entries)?;
        Ok(())
    }
}

impl Shared {
    fn read(&self, block: &Block, entries: &mut [u8]) -> Result<(), SourceError> {
        let idle = locked(&self.idle).pop();
        let mut reader = idle.map_or_else(|| self.source.reader(), Ok)?;
        let bytes = reader.read(block, entries)?;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        locked(&self.idle).push(reader);
        Ok(())
    }
}
