//! Sums, weights and conditionals on a CUDA device, a block of threads for a place: neighbours that
//! are missing are left out there.

use tegula_runtime::flow::{Failure, Launch};

use super::{Conditionals, Places, ScoreSums, ScoreTerms, Terms, Weights};
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Program, Verdict, input, output};
use crate::error::NumericalError;
use crate::geometry::Geometry;
use crate::kernel::covariance::TABLE_BYTES;

/// The device's side; that of covariances comes before it.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

/// Most bytes that all blocks of threads of a task work in, if that is enough for one of them.
const MOST_ROOM: usize = 16 << 20;

/// Most blocks of threads of a task: more than any device runs at a time.
const MOST_BLOCKS: usize = 4096;

/// What is made of each place.
enum Made {
    /// So many numbers, which are added up there.
    Sums(usize, *mut f64),
    /// What lies there.
    Out(*mut f64),
}

/// A kernel of `kernel.cu`.
struct Kernel<'a> {
    name: &'static str,
    /// Tables in the first buffer.
    tables: usize,
    /// Vectors of a place and its neighbours that it needs room for, beside their matrix.
    vectors: usize,
    /// Coordinates of the places, if they are none of records.
    targets: Option<*const f64>,
    /// Arguments of its own.
    own: &'a [Argument<f64>],
    made: Made,
}

impl Kernel<'_> {
    /// Puts it on the stream, for these places. The task fails at the first one that is bad.
    #[allow(unsafe_code)]
    fn launch(&self, launch: &Launch<'_>, places: Places) -> Result<(), Failure> {
        let Places { first, rows, neighbours: m, columns, geometry } = places;
        let (stored, height, width) = (geometry.stored(), m + 1 + columns, m + 1);
        let room = stored * height + height * width + (1 + self.vectors) * width + self.tables;
        let blocks = (MOST_ROOM / (room * size_of::<f64>())).clamp(1, MOST_BLOCKS).min(rows);
        let length = if let Made::Sums(length, _) = self.made { length } else { 0 };
        let [rooms, each, bad] =
            Block::<f64>::room(launch, [(room, blocks), (rows, length), (rows, 1)])?;
        let made = match self.made {
            Made::Sums(..) => each.place(),
            Made::Out(out) => Argument::place(out),
        };
        let common = [
            Argument::place(input::<u8>(launch, 0, self.tables * TABLE_BYTES)),
            Argument::place(launch.read::<f64>(1).0),
            Argument::place(input::<u32>(launch, 2, rows * m)),
            Argument::place(self.targets.unwrap_or(std::ptr::null())),
            Argument::size(first),
            Argument::size(rows),
            Argument::size(m),
            Argument::size(columns),
            Argument::Flag(stored as i32),
            Argument::Flag(i32::from(geometry == Geometry::GreatCircle)),
            rooms.place(),
            Argument::size(room),
        ];
        if rows > 0 {
            let arguments = [&common[..], self.own, &[made, bad.place()]].concat();
            // SAFETY: the buffers have the sizes of the contract, neighbours are numbers of
            // records, and each block of threads has its room.
            unsafe { Program::run(launch, self.name, Grid::small_blocks(blocks), &arguments) }?;
        }
        let rows = Argument::size(rows);
        if let Made::Sums(length, sums) = self.made {
            let arguments = [rows, each.place(), Argument::place(sums)];
            // SAFETY: there are so many numbers of each place, and as many sums.
            unsafe { Program::run(launch, "add_places", Grid::block_each(length), &arguments) }?;
        }
        let verdict = Verdict::new(launch)?;
        let arguments = [rows, bad.place(), Argument::<f64>::Place(verdict.address())];
        // SAFETY: there is a number for each place, and the verdict is on the device.
        unsafe { Program::run(launch, "find_bad_place", Grid::ONE_BLOCK, &arguments) }?;
        verdict.check(launch, move |place| NumericalError::NotPositiveDefinite {
            order: first + place,
        })
    }
}

impl Terms {
    /// Puts the sums on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let length = Self::length(self.0.columns);
        let made = Made::Sums(length, output::<f64>(launch, 3, length));
        let name = "vecchia_terms";
        Kernel { name, tables: 1, vectors: 0, targets: None, own: &[], made }.launch(launch, self.0)
    }
}

impl ScoreTerms {
    /// Puts the sums on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { places, derivatives, is_relative } = self;
        let length = ScoreSums::length(derivatives);
        let own = [
            Argument::Flag(derivatives as i32),
            Argument::Flag(i32::from(is_relative)),
            Argument::place(input::<f64>(launch, 3, places.columns * places.columns)),
        ];
        let made = Made::Sums(length, output::<f64>(launch, 4, length));
        let (name, tables) = ("vecchia_score", derivatives + 1);
        // Of each derivative, and of that by the nugget, one; and two more.
        let vectors = derivatives + 3;
        Kernel { name, tables, vectors, targets: None, own: &own, made }.launch(launch, places)
    }
}

impl Weights {
    /// Puts the predictions on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let Places { rows, columns, geometry, .. } = self.0;
        let targets = Some(input::<f64>(launch, 3, rows * geometry.stored()));
        let made = Made::Out(output::<f64>(launch, 4, rows * (columns + 1)));
        let name = "vecchia_weights";
        Kernel { name, tables: 1, vectors: 0, targets, own: &[], made }.launch(launch, self.0)
    }
}

impl Conditionals {
    /// Puts the conditionals on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { places, derivatives, is_relative } = self;
        let own = [Argument::Flag(derivatives as i32), Argument::Flag(i32::from(is_relative))];
        let made = Made::Out(output::<f64>(launch, 3, self.length()));
        let (name, tables) = ("vecchia_conditionals", derivatives + 1);
        Kernel { name, tables, vectors: 2, targets: None, own: &own, made }.launch(launch, places)
    }
}
