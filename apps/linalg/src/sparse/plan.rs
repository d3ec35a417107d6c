//! The numbers of a sparse factorisation beside its analysis, which tasks find by a number; and how
//! fronts are filled from them and from each other.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tegula_kernels::scalar::Scalar;
use tegula_kernels::sparse::SparseMatrix;

use super::analysis::Analysis;
use super::groups::{Group, groups};
use super::tasks::Tile;

/// How fronts are cut into tasks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Columns of a tile of a front.
    pub(super) columns: usize,
    /// Operations below which a front is one tile.
    pub(super) small_front: f64,
    /// Operations that are always few enough for subtrees to be one task.
    pub(super) small_subtree: f64,
}

impl Cut {
    /// Tiles of so many columns, tasks of a millisecond at least.
    pub(super) fn into_columns(columns: usize) -> Self {
        assert!(columns > 0, "tiles of {columns} columns");
        Self { columns, small_front: 2e7, small_subtree: 4e6 }
    }
}

/// What is factorised together.
pub(super) enum Part {
    /// The group of this number, by one task.
    Group(usize),
    /// A front, with its tiles.
    Front(Vec<Tile>),
}

impl Part {
    /// Pieces of `R` that it leaves.
    pub(super) fn pieces(&self) -> usize {
        match self {
            Self::Group(_) => 1,
            Self::Front(tiles) => tiles.len(),
        }
    }
}

/// A factorisation as its tasks see it.
pub(super) struct Plan<T> {
    pub(super) analysis: Arc<Analysis>,
    /// Small subtrees that are factorised in one task.
    pub(super) groups: Vec<Group>,
    /// Entries of `A`, row after row in the new order.
    values: Vec<T>,
    /// Right-hand sides, column after column, their rows in the new order.
    right_sides: Vec<T>,
    pub(super) nrhs: usize,
    pub(super) cut: Cut,
    /// The rows of `R`, which tasks leave and none reads, in the order of the walk.
    pub(super) pieces: Vec<OnceLock<Vec<T>>>,
}

impl<T: Scalar> Plan<T> {
    /// The factorisation of `a` along with `b` (column-major, of as many rows as `a`).
    ///
    /// # Panics
    /// If `a` has not the shape, or not the number of entries, that was analysed.
    pub(super) fn new(
        analysis: &Arc<Analysis>,
        a: &SparseMatrix<T>,
        (b, nrhs): (&[T], usize),
        cut: Cut,
    ) -> Self {
        let shape = |m, n, nnz| format!("{m} x {n} with {nnz} entries");
        let given = shape(a.m(), a.n(), a.nnz());
        let expected = shape(analysis.m(), analysis.n(), analysis.nnz());
        assert!(given == expected, "{given}, but what was analysed is {expected}");
        assert!(b.len() == a.m() * nrhs, "{} numbers are not {nrhs} of {} rows", b.len(), a.m());
        let rows = &analysis.rows;
        let mut places = vec![usize::MAX; a.m()];
        rows.iter().enumerate().for_each(|(place, &row)| places[row as usize] = place);
        let mut next = analysis.row_starts.clone();
        let mut values = vec![T::ZERO; a.nnz()];
        for &j in &analysis.columns {
            for (i, value) in a.column(j as usize) {
                let next = &mut next[places[i]];
                values[*next] = value;
                *next += 1;
            }
        }
        let side = |k: usize| rows.iter().map(move |&row| b[k * a.m() + row as usize]);
        let right_sides = (0..nrhs).flat_map(side).collect();
        let groups = groups(analysis, cut.small_subtree);
        let pieces = Vec::new();
        let analysis = Arc::clone(analysis);
        let mut plan = Self { analysis, groups, values, right_sides, nrhs, cut, pieces };
        let count = plan.parts().iter().map(Part::pieces).sum();
        plan.pieces.resize_with(count, OnceLock::new);
        plan
    }

    /// What is factorised together, in the order of the walk: groups, and the other fronts.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut groups = self.groups.iter().enumerate().peekable();
        let (mut parts, mut number) = (Vec::new(), 0);
        while number < self.analysis.fronts() {
            if let Some((index, group)) = groups.next_if(|(_, group)| group.fronts.start == number)
            {
                parts.push(Part::Group(index));
                number = group.fronts.end;
            } else {
                parts.push(Part::Front(self.tiles(number)));
                number += 1;
            }
        }
        parts
    }

    /// The tiles of front `number`: block columns, each as high as the staircase in its last
    /// column.
    fn tiles(&self, number: usize) -> Vec<Tile> {
        let (front, width) = (&self.analysis.fronts[number], self.width(number));
        let tile = |first: usize, end: usize, height: usize| Tile {
            front: number as u32,
            columns: [first as u32, end as u32],
            height: height as u32,
        };
        let Cut { columns: nb, small_front, .. } = self.cut;
        if front.n <= nb || front.flops < small_front {
            return vec![tile(0, width, front.m)];
        }
        let heights = self.analysis.heights_of(number);
        let block_column = |first: usize| {
            let end = (first + nb).min(front.n);
            tile(first, end, heights[end - 1] as usize)
        };
        let mut tiles: Vec<Tile> = (0..front.n).step_by(nb).map(block_column).collect();
        if self.nrhs > 0 {
            tiles.push(tile(front.n, width, front.m));
        }
        tiles
    }

    /// Columns of front `number`, with those of the right-hand sides.
    pub(super) fn width(&self, number: usize) -> usize {
        self.analysis.fronts[number].n + self.nrhs
    }

    /// Columns that front `number` leaves to its parent, with those of the right-hand sides.
    pub(super) fn left_width(&self, number: usize) -> usize {
        self.width(number) - self.analysis.fronts[number].pivots
    }

    /// Overwrites `a`, `columns` of front `number` with `ld` rows, by its own rows.
    pub(super) fn fill(&self, number: usize, columns: Range<usize>, a: &mut [T], ld: usize) {
        a.fill(T::ZERO);
        let front = &self.analysis.fronts[number];
        for row in front.own_rows.clone() {
            let place = self.analysis.place_of(row);
            let (starts, in_columns) = (&self.analysis.row_starts, self.analysis.columns_of(row));
            let values = &self.values[starts[row]..starts[row + 1]];
            let first = in_columns.partition_point(|&j| (j as usize) < columns.start);
            for (&j, &value) in in_columns[first..].iter().zip(&values[first..]) {
                if j as usize >= columns.end {
                    break;
                }
                a[place + (j as usize - columns.start) * ld] = value;
            }
            for j in columns.start.max(front.n)..columns.end {
                let at = (j - front.n) * self.analysis.rows.len() + row;
                a[place + (j - columns.start) * ld] = self.right_sides[at];
            }
        }
    }

    /// Puts what `child` has left in the columns `given` of these, packed in `left`, into `a`,
    /// `columns` of its parent with `ld` rows.
    pub(super) fn place(
        &self,
        (child, given, left): (usize, Range<usize>, &[T]),
        (columns, a): (Range<usize>, &mut [T]),
        ld: usize,
    ) {
        let front = &self.analysis.fronts[child];
        let parent = &self.analysis.fronts[front.parent as usize];
        let to = self.analysis.columns_in_parent(child);
        let rows = self.analysis.rows_in_parent(child);
        let target = |j: usize| match to.get(j) {
            Some(&column) => column as usize,
            None => parent.n + j - to.len(),
        };
        let start = front.left_entries(given.start);
        for j in given.filter(|&j| columns.contains(&target(j))) {
            let from = &left[front.left_entries(j) - start..front.left_entries(j + 1) - start];
            let column = &mut a[(target(j) - columns.start) * ld..][..ld];
            from.iter().zip(rows).for_each(|(&value, &row)| column[row as usize] = value);
        }
    }

    /// Appends the rows of `R` in `columns` of the factorised front `number`, from `a` with `ld`
    /// rows, to `r`, column after column.
    pub(super) fn take_r(
        &self,
        (number, columns): (usize, Range<usize>),
        (a, ld): (&[T], usize),
        r: &mut Vec<T>,
    ) {
        let rows = self.analysis.fronts[number].r_rows();
        for (place, j) in columns.enumerate().filter(|_| rows > 0) {
            r.extend_from_slice(&a[place * ld..][..rows.min(j + 1)]);
        }
    }

    /// Calls `put` with what the factorised front `number` leaves in each of its `columns`, from
    /// `a` with `ld` rows.
    pub(super) fn take_left(
        &self,
        (number, columns): (usize, Range<usize>),
        (a, ld): (&[T], usize),
        mut put: impl FnMut(&[T]),
    ) {
        let front = &self.analysis.fronts[number];
        let (first, rows) = (front.r_rows(), front.left_rows());
        for (place, j) in columns.enumerate().filter(|(_, j)| rows > 0 && *j >= front.pivots) {
            put(&a[place * ld + first..][..rows.min(j + 1 - front.pivots)]);
        }
    }

    /// Entries of `R` of these fronts, with those of right-hand sides.
    pub(super) fn r_entries(&self, fronts: Range<usize>) -> usize {
        fronts.map(|number| self.analysis.fronts[number].r_entries(self.width(number))).sum()
    }

    /// The staircase of the front of a tile, and the columns of the tile that have reflectors.
    pub(super) fn reflectors(&self, tile: &Tile) -> (&[u32], Range<usize>) {
        let number = tile.front as usize;
        let columns = tile.range();
        let end = columns.end.min(self.analysis.fronts[number].m);
        (self.analysis.heights_of(number), columns.start..end)
    }

    /// Keeps `r` as this piece of `R`.
    pub(super) fn keep(&self, piece: u32, r: Vec<T>) {
        // A task that ran before has left the same.
        let _ = self.pieces[piece as usize].set(r);
    }
}

/// Plans whose tasks run in this process, by number: the arguments of a task are plain numbers.
static OPEN: Mutex<BTreeMap<u32, Arc<dyn Any + Send + Sync>>> = Mutex::new(BTreeMap::new());

/// The next number.
static NEXT: AtomicU32 = AtomicU32::new(0);

fn open() -> MutexGuard<'static, BTreeMap<u32, Arc<dyn Any + Send + Sync>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A plan that tasks find by its number as long as this is there.
pub(super) struct Opened<T> {
    pub(super) plan: Arc<Plan<T>>,
    pub(super) key: u32,
}

impl<T: Scalar> Opened<T> {
    pub(super) fn new(plan: Plan<T>) -> Self {
        let (plan, key) = (Arc::new(plan), NEXT.fetch_add(1, Ordering::Relaxed));
        let shared: Arc<dyn Any + Send + Sync> = plan.clone();
        open().insert(key, shared);
        Self { plan, key }
    }

    /// The plan, whose tasks have all run.
    ///
    /// # Panics
    /// If one of them has not.
    pub(super) fn close(self) -> Plan<T> {
        let plan = Arc::clone(&self.plan);
        drop(self);
        Arc::into_inner(plan).expect("no task holds the plan after all have run")
    }
}

impl<T> Drop for Opened<T> {
    fn drop(&mut self) {
        open().remove(&self.key);
    }
}

/// The plan with this number.
///
/// # Panics
/// If there is none of these numbers: it was dropped before its tasks had run.
pub(super) fn plan<T: Scalar>(key: u32) -> Arc<Plan<T>> {
    let plan = open().get(&key).cloned().and_then(|plan| plan.downcast::<Plan<T>>().ok());
    plan.expect("a plan stays until its tasks have run")
}
