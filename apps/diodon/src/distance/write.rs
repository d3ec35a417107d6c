//! Writing a symmetric matrix that is computed: blocks by several threads, in the order of the file
//! by one.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tegula_files::source::{Block, BlockReader, Sink, Source, SourceError, pieces};

/// How a matrix is computed and written.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// Threads that compute, at least 1; one more writes.
    pub workers: usize,
    /// Bytes of blocks above the diagonal that are kept until the same entries are due below it;
    /// blocks that find no room are computed twice.
    pub kept_bytes: usize,
}

/// Writes all of the symmetric matrix `source` to `sink` and ends the file; `progress` is told how
/// many blocks of how many are written. Threads of its own compute, since the blocks depend on
/// nothing and leave in one order: there is no graph of tasks to schedule.
///
/// # Errors
/// The first one of the source or of the sink; the file is not there then.
///
/// # Panics
/// If the sink takes other numbers than the source gives, the matrix is not square, or there are no
/// workers.
pub fn write_matrix(
    source: &dyn Source,
    mut sink: Box<dyn Sink>,
    options: WriteOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(), SourceError> {
    let [rows, columns] = source.shape();
    assert_eq!(rows, columns, "rows and columns of a symmetric matrix");
    assert_eq!(source.element(), sink.element(), "what the source gives, and what the sink takes");
    assert!(options.workers > 0, "no worker");
    let plan = Plan::new(rows, sink.grain(), source.element().bytes(), options.kept_bytes);
    let readers = (0..options.workers).map(|_| source.reader()).collect::<Result<Vec<_>, _>>()?;
    let board = Board::new(2 * options.workers);
    std::thread::scope(|scope| {
        for reader in readers {
            scope.spawn(|| compute(&plan, &board, reader));
        }
        // Workers end also if this thread panics.
        let _end = End(&board);
        write(&plan, &board, sink.as_mut(), progress)
    })?;
    sink.finish()
}

/// Which blocks there are, and which of them are computed.
struct Plan {
    rows: Vec<Range<usize>>,
    columns: Vec<Range<usize>>,
    element_bytes: usize,
    /// For each block above the diagonal whether it is kept for its mirror image, by its place in
    /// the order of writing.
    kept: Vec<bool>,
}

impl Plan {
    fn new(n: usize, grain: [usize; 2], element_bytes: usize, kept_bytes: usize) -> Self {
        let [rows, columns]: [Vec<_>; 2] = grain.map(|grain| pieces(n, grain).collect());
        let kept = vec![false; rows.len() * columns.len()];
        let mut plan = Self { rows, columns, element_bytes, kept };
        if grain[0] == grain[1] {
            plan.keep(kept_bytes);
        }
        plan
    }

    /// Settles which blocks are kept: in the order of writing, as long as there is room.
    fn keep(&mut self, most: usize) {
        let mut held = 0;
        for index in 0..self.kept.len() {
            let [i, j] = self.place(index);
            let bytes = self.bytes(index);
            if j < i && self.kept[self.index(j, i)] {
                held -= bytes;
            } else if j > i && held + bytes <= most {
                held += bytes;
                self.kept[index] = true;
            }
        }
    }

    fn place(&self, index: usize) -> [usize; 2] {
        [index / self.columns.len(), index % self.columns.len()]
    }

    fn index(&self, i: usize, j: usize) -> usize {
        i * self.columns.len() + j
    }

    fn block(&self, index: usize) -> Block {
        let [i, j] = self.place(index);
        Block { rows: self.rows[i].clone(), columns: self.columns[j].clone() }
    }

    fn bytes(&self, index: usize) -> usize {
        self.block(index).entries() * self.element_bytes
    }

    /// The block of which this one is the mirror image, if that is kept.
    fn original(&self, index: usize) -> Option<usize> {
        let [i, j] = self.place(index);
        let above = self.index(j, i);
        (j < i && self.kept.get(above) == Some(&true)).then_some(above)
    }
}

/// What the threads tell each other.
struct Board {
    state: Mutex<State>,
    changed: Condvar,
    /// Blocks that may be begun and not yet written.
    most: usize,
}

#[derive(Default)]
struct State {
    /// Where the next block to be computed is looked for.
    next: usize,
    /// Blocks that are begun and not yet written.
    open: usize,
    done: HashMap<usize, Result<Vec<u8>, SourceError>>,
    is_over: bool,
}

impl Board {
    fn new(most: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), most }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// The next block that is to be computed, when there is room for it.
    fn claim(&self, plan: &Plan) -> Option<usize> {
        let mut state = self.lock();
        loop {
            while state.next < plan.kept.len() && plan.original(state.next).is_some() {
                state.next += 1;
            }
            if state.is_over || state.next == plan.kept.len() {
                return None;
            }
            if state.open < self.most {
                state.next += 1;
                state.open += 1;
                return Some(state.next - 1);
            }
            state = self.wait(state);
        }
    }

    /// What became of block `index`, when it is done.
    fn take(&self, index: usize) -> Result<Vec<u8>, SourceError> {
        let mut state = self.lock();
        loop {
            if let Some(block) = state.done.remove(&index) {
                state.open -= 1;
                self.changed.notify_all();
                return block;
            }
            assert!(!state.is_over, "a worker ended before block {index} was computed");
            state = self.wait(state);
        }
    }
}

/// When it is dropped, all threads are to end.
struct End<'a>(&'a Board);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.changed.notify_all();
    }
}

/// Computes block after block.
fn compute(plan: &Plan, board: &Board, mut reader: Box<dyn BlockReader>) {
    while let Some(index) = board.claim(plan) {
        // A panic in the reader must not leave the writer waiting.
        let end = End(board);
        let mut entries = vec![0; plan.bytes(index)];
        let read = reader.read(&plan.block(index), &mut entries);
        std::mem::forget(end);
        board.lock().done.insert(index, read.map(|_| entries));
        board.changed.notify_all();
    }
}

/// Writes block after block.
fn write(
    plan: &Plan,
    board: &Board,
    sink: &mut dyn Sink,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<(), SourceError> {
    let mut kept: HashMap<usize, Vec<u8>> = HashMap::new();
    let all = plan.kept.len();
    for index in 0..all {
        let block = plan.block(index);
        let entries = match plan.original(index) {
            Some(original) => {
                let above = kept.remove(&original).expect("a block that is kept");
                transposed(&above, [block.rows.len(), block.columns.len()], plan.element_bytes)
            }
            None => board.take(index)?,
        };
        sink.write(&block, &entries)?;
        if plan.kept[index] {
            kept.insert(index, entries);
        }
        progress(index + 1, all);
    }
    Ok(())
}

/// The `rows x columns` matrix whose transpose `above` is.
fn transposed(above: &[u8], [rows, columns]: [usize; 2], size: usize) -> Vec<u8> {
    const SIDE: usize = 32;
    let mut entries = vec![0; above.len()];
    for (band, from) in
        pieces(rows, SIDE).flat_map(|i| pieces(columns, SIDE).map(move |j| (i.clone(), j)))
    {
        for row in band {
            for column in from.clone() {
                let (to, at) = ((row * columns + column) * size, (column * rows + row) * size);
                entries[to..to + size].copy_from_slice(&above[at..at + size]);
            }
        }
    }
    entries
}
