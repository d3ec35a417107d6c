//! Arguments of ScaLAPACK's routines: descriptors and submatrices, checked with the numbers of the
//! reference.

use tegula_kernels::scalar::Scalar;

use super::cyclic::{Axis, Layout};
use super::grid::Grid;
use super::matrix::Distributed;
use crate::array::Array;
use crate::check::Letter;

/// The type of descriptors of block-cyclic matrices, and that of those whose first blocks are of
/// another size, which only PBLAS takes.
const BLOCK_CYCLIC: i32 = 1;
const WITH_FIRST_BLOCKS: i32 = 2;
/// What the number of an argument is multiplied by where entries of a descriptor are numbered, too.
const SCALE: i32 = 100;

/// An argument is wrong: its number from 1, for an entry of a descriptor 100 times that of the
/// descriptor and that of the entry; and who is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    context: i32,
    number: i32,
}

/// What a routine has to say, unless an argument is wrong.
pub(crate) type Outcome<T> = Result<T, Refused>;

/// What `info` becomes: what the routine says, or minus the number of the wrong argument, which is
/// reported.
pub(crate) fn info(symbol: &str, outcome: Outcome<i32>) -> i32 {
    outcome.unwrap_or_else(|Refused { context, number }| {
        super::blacs::pxerbla(context, &name(symbol), number);
        -number
    })
}

/// Ends the program if an argument of a routine of PBLAS is wrong.
pub(crate) fn stop(symbol: &str, outcome: Outcome<()>) {
    if let Err(Refused { context, number }) = outcome {
        super::blacs::abort(context, &name(symbol), number);
    }
}

fn name(symbol: &str) -> String {
    symbol.trim_end_matches('_').to_uppercase()
}

/// Entries of a descriptor with first blocks, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Entry {
    Type,
    Context,
    Rows,
    Columns,
    FirstRowBlock,
    FirstColumnBlock,
    RowBlock,
    ColumnBlock,
    FirstRow,
    FirstColumn,
    Leading,
}

/// Number of them.
const LENGTH: usize = 11;

/// A descriptor.
#[derive(Clone, Copy)]
struct Descriptor {
    entries: [i32; LENGTH],
    /// Whether the sizes of first blocks are entries; they are those of the others if not.
    has_first_blocks: bool,
}

impl Descriptor {
    fn new(given: Array<i32>) -> Self {
        let has_first_blocks = given.get(0) == WITH_FIRST_BLOCKS;
        let entry = |place: usize| match place {
            _ if has_first_blocks => given.get(place),
            0..4 => given.get(place),
            _ => given.get(place - if place < 6 { 0 } else { 2 }),
        };
        Self { entries: std::array::from_fn(entry), has_first_blocks }
    }

    fn get(&self, entry: Entry) -> i32 {
        self.entries[entry as usize]
    }

    /// The number of an entry, from 1.
    fn number(&self, entry: Entry) -> i32 {
        let place = entry as i32 + 1;
        if self.has_first_blocks || entry < Entry::RowBlock { place } else { place - 2 }
    }
}

/// A submatrix as a caller names it: an array, its first row and column from 1, and the descriptor
/// of the matrix; and the number of that argument.
#[derive(Clone, Copy)]
pub(super) struct Submatrix<T> {
    array: Array<T>,
    first: [i32; 2],
    descriptor: Descriptor,
    number: i32,
    may_have_first_blocks: bool,
}

impl<T: Scalar> Submatrix<T> {
    pub(super) fn new(
        array: Array<T>,
        first: [i32; 2],
        descriptor: Array<i32>,
        number: i32,
    ) -> Self {
        let descriptor = Descriptor::new(descriptor);
        Self { array, first, descriptor, number, may_have_first_blocks: false }
    }

    /// The same, as PBLAS takes it.
    pub(super) fn with_first_blocks(self) -> Self {
        Self { may_have_first_blocks: true, ..self }
    }

    fn get(&self, entry: Entry) -> i32 {
        self.descriptor.get(entry)
    }

    /// The number of an entry of the descriptor.
    fn number_of(&self, entry: Entry) -> i32 {
        SCALE * self.number + self.descriptor.number(entry)
    }

    /// The grid over which the matrix is spread.
    pub(super) fn grid(&self) -> Outcome<Grid> {
        let context = self.get(Entry::Context);
        let number = self.number_of(Entry::Context);
        Grid::of(context).ok_or(Refused { context, number })
    }

    /// The number of the first argument that is wrong if the submatrix is to be `m x n`, which are
    /// arguments, too, multiplied as if it were an entry.
    fn fault(
        &self,
        grid: &Grid,
        (m, m_number): (i32, i32),
        (n, n_number): (i32, i32),
    ) -> Option<i32> {
        use Entry::{
            ColumnBlock, Columns, Context, FirstColumn, FirstColumnBlock, FirstRow, FirstRowBlock,
            Leading, RowBlock, Rows, Type,
        };
        let of = |entry| self.get(entry);
        let entry = |entry| self.number_of(entry);
        let [i, j] = self.first;
        let [i_number, j_number] = [2, 1].map(|before| SCALE * (self.number - before));
        let ends = |first: i32, count: i32| i64::from(first) + i64::from(count) - 1;
        let is_empty = m == 0 || n == 0;
        let least = i32::from(!is_empty);
        let is_known =
            of(Type) == BLOCK_CYCLIC || of(Type) == WITH_FIRST_BLOCKS && self.may_have_first_blocks;
        let is_among =
            |entry, processes: usize| usize::try_from(of(entry)).is_ok_and(|p| p < processes);
        let is_short = || {
            let blocks = [FirstRowBlock, FirstColumnBlock, RowBlock, ColumnBlock];
            let is_sound = blocks.into_iter().all(|block| of(block) > 0)
                && of(Rows) >= 0
                && of(Columns) >= 0
                && is_among(FirstRow, grid.rows())
                && is_among(FirstColumn, grid.columns());
            is_sound && {
                let whole = self.layout_of(grid, [1, 1], (of(Rows) as usize, of(Columns) as usize));
                let room = whole.rows.room(grid.row());
                (of(Leading) as usize) < room && whole.columns.room(grid.column()) > 0
            }
        };
        let checks = [
            (is_known, entry(Type)),
            (of(Context) == grid.context(), entry(Context)),
            (m >= 0, SCALE * m_number),
            (n >= 0, SCALE * n_number),
            (i >= 1, i_number),
            (j >= 1, j_number),
            (of(FirstRowBlock) >= 1, entry(FirstRowBlock)),
            (of(FirstColumnBlock) >= 1, entry(FirstColumnBlock)),
            (of(RowBlock) >= 1, entry(RowBlock)),
            (of(ColumnBlock) >= 1, entry(ColumnBlock)),
            (is_among(FirstRow, grid.rows()), entry(FirstRow)),
            (is_among(FirstColumn, grid.columns()), entry(FirstColumn)),
            (of(Leading) >= 1 && !is_short(), entry(Leading)),
            (of(Rows) >= least, entry(Rows)),
            (of(Columns) >= least, entry(Columns)),
            (is_empty || i <= of(Rows), i_number),
            (is_empty || j <= of(Columns), j_number),
            (is_empty || ends(i, m) <= i64::from(of(Rows)), SCALE * m_number),
            (is_empty || ends(j, n) <= i64::from(of(Columns)), SCALE * n_number),
        ];
        checks.into_iter().find(|(holds, _)| !holds).map(|(_, number)| number)
    }

    fn layout_of(&self, grid: &Grid, [i, j]: [i32; 2], (m, n): (usize, usize)) -> Layout {
        use Entry::{
            ColumnBlock, FirstColumn, FirstColumnBlock, FirstRow, FirstRowBlock, RowBlock,
        };
        let axis = |length, before: i32, [first, block, source]: [Entry; 3], processes| Axis {
            length,
            offset: before as usize - 1,
            first: self.get(first) as usize,
            block: self.get(block) as usize,
            source: self.get(source) as usize,
            processes,
        };
        Layout {
            rows: axis(m, i, [FirstRowBlock, RowBlock, FirstRow], grid.rows()),
            columns: axis(n, j, [FirstColumnBlock, ColumnBlock, FirstColumn], grid.columns()),
        }
    }

    /// The `m x n` submatrix, once that was [checked](Checks::matrix).
    pub(super) fn of(&self, grid: &Grid, m: usize, n: usize) -> Distributed<T> {
        let first = if m == 0 || n == 0 { [1, 1] } else { self.first };
        let layout = self.layout_of(grid, first, (m, n));
        Distributed::new(self.array, self.get(Entry::Leading) as usize, layout)
    }

    /// The number from 1 of the first row of the submatrix in the matrix.
    pub(super) fn first_row(&self) -> i32 {
        self.first[0]
    }
}

/// The arguments of a call, as they are checked.
pub(super) struct Checks<'a> {
    grid: &'a Grid,
    /// The smallest number of what is wrong, multiplied.
    worst: Option<i32>,
    /// Numbers and values of the arguments that all processes must give alike.
    alike: Vec<(i32, i32)>,
}

impl<'a> Checks<'a> {
    pub(super) fn new(grid: &'a Grid) -> Self {
        Self { grid, worst: None, alike: Vec::new() }
    }

    fn note(&mut self, number: Option<i32>) {
        self.worst = self.worst.into_iter().chain(number).min();
    }

    /// A letter, argument `number`; the first choice stands for one that is wrong.
    pub(super) fn letter<C: Copy>(
        &mut self,
        letter: Letter,
        number: i32,
        choices: &[(u8, C)],
    ) -> C {
        self.alike.push((number, i32::from(letter.0.to_ascii_uppercase())));
        letter.of(number, choices).unwrap_or_else(|_| {
            self.note(Some(SCALE * number));
            choices[0].1
        })
    }

    /// A number of rows or columns, argument `number`.
    pub(super) fn size(&mut self, size: i32, number: i32) -> usize {
        self.alike.push((number, size));
        usize::try_from(size).unwrap_or_else(|_| {
            self.note(Some(SCALE * number));
            0
        })
    }

    /// A submatrix with so many rows and columns, which are arguments with numbers.
    pub(super) fn matrix<T: Scalar>(
        &mut self,
        matrix: &Submatrix<T>,
        rows: (i32, i32),
        columns: (i32, i32),
    ) {
        self.note(matrix.fault(self.grid, rows, columns));
        let [i, j] = matrix.first;
        self.alike.extend([(matrix.number - 2, i), (matrix.number - 1, j)]);
        // Leading dimensions may differ.
        let entries = matrix.descriptor.entries.iter().take(Entry::Leading as usize);
        self.alike.extend(entries.map(|&entry| (matrix.number, entry)));
    }

    /// Ends the checks on all processes: the smallest number that any of them has found, or of an
    /// argument that they do not give alike.
    pub(super) fn done(self) -> Outcome<()> {
        let Self { grid, worst, alike } = self;
        let mine = std::iter::once(worst.unwrap_or(i32::MAX));
        let mine: Vec<i32> = mine.chain(alike.iter().map(|&(_, value)| value)).collect();
        let all = grid.tell_all(&mine);
        let found = all.chunks(mine.len()).map(|theirs| theirs[0]);
        let differ = alike.iter().enumerate().filter(|&(place, &(_, value))| {
            all.chunks(mine.len()).any(|theirs| theirs[place + 1] != value)
        });
        let number = found.chain(differ.map(|(_, &(number, _))| SCALE * number)).min();
        match number.filter(|&number| number < i32::MAX) {
            None => Ok(()),
            Some(number) => {
                let number = if number % SCALE == 0 { number / SCALE } else { number };
                Err(Refused { context: grid.context(), number })
            }
        }
    }
}
