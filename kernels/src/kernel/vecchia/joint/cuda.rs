//! The sums of sets on a CUDA device, a block of threads for a set.

use tegula_runtime::flow::{Failure, Launch};

use super::super::cuda::Law;
use super::super::{JointScore, JointTerms, ScoreSums, Terms};
use super::Sets;
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Program, Verdict, input, output};
use crate::error::NumericalError;

/// The device's side; that of places by themselves comes before it.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

/// Most bytes that the sets of a task may take on a device.
const MOST_ROOM: usize = 256 << 20;

/// Most blocks of threads of a task: as many as a device runs at a time.
const MOST_BLOCKS: usize = 2048;

impl Sets {
    /// Most numbers that they take, with so many matrices of each beside its own; their list has so
    /// many, more than members.
    fn room(&self, matrices: usize, numbers: usize) -> usize {
        let &Self { columns, marks, geometry, size: (rows, neighbours), .. } = self;
        let (width, squares) = (geometry.stored() + marks, rows * (neighbours + 1).pow(2));
        squares * (1 + matrices) + numbers * (width * (1 + columns) + columns + 2)
    }

    /// Whether a device should have room for them, with so many matrices of each beside its own.
    pub(super) fn fit(&self, matrices: usize) -> bool {
        let (rows, neighbours) = self.size;
        self.room(matrices, rows * (neighbours + 2)) <= MOST_ROOM / size_of::<f64>()
    }

    /// Puts the kernel called `name` on the stream, with so many `matrices` of each set for as many
    /// `derivatives` and arguments of its `own`; `length` sums go to `sums`.
    #[allow(unsafe_code)]
    fn launch(
        &self,
        launch: &Launch<'_>,
        name: &'static str,
        (derivatives, matrices): (usize, usize),
        own: &[Argument<f64>],
        (length, sums): (usize, *mut f64),
    ) -> Result<(), Failure> {
        let &Self { columns, marks, geometry, structure, size: (rows, _), .. } = self;
        let law = Law { structure, derivatives, geometry, marks };
        let (sets, numbers) = launch.read::<u32>(2);
        let (blocks, room) = (rows.clamp(1, MOST_BLOCKS), self.room(matrices, numbers));
        let [rooms, each, bad] =
            Block::<f64>::room(launch, [(room, 1), (blocks, length), (blocks, 1)])?;
        let common = [
            Argument::place(launch.read::<f64>(1).0),
            Argument::place(sets),
            Argument::size(columns),
            Argument::size(matrices),
            rooms.place(),
        ];
        let made = [each.place(), bad.place()];
        let arguments = [&law.arguments(launch)[..], &common, own, &made].concat();
        // SAFETY: the buffers have the sizes of the contract, members of sets are numbers of
        // records, and the squares of their sizes add up to no more than it says: they have room.
        unsafe { Program::run(launch, name, Grid::block_each(blocks), &arguments) }?;
        let blocks = Argument::size(blocks);
        let arguments = [blocks, each.place(), Argument::place(sums)];
        // SAFETY: there are so many numbers of each block, and as many sums.
        unsafe { Program::run(launch, "add_places", Grid::block_each(length), &arguments) }?;
        let verdict = Verdict::new(launch)?;
        let arguments = [blocks, bad.place(), Argument::<f64>::Place(verdict.address())];
        // SAFETY: there is a number for each block, and the verdict is on the device.
        unsafe { Program::run(launch, "find_bad_set", Grid::ONE_BLOCK, &arguments) }?;
        verdict.check(launch, |order| NumericalError::NotPositiveDefinite { order })
    }
}

impl<const TABLES: bool> JointTerms<TABLES> {
    /// Puts the sums on the stream.
    pub(in super::super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let length = Terms::length(self.0.columns);
        let sums = (length, output::<f64>(launch, 3, length));
        self.0.launch(launch, "vecchia_joint", (0, 0), &[], sums)
    }
}

impl<const TABLES: bool> JointScore<TABLES> {
    /// Puts the sums on the stream.
    pub(in super::super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { sets, derivatives } = self;
        let length = ScoreSums::length(derivatives);
        let sums = (length, output::<f64>(launch, 4, length));
        let mix = input::<f64>(launch, 3, sets.columns * sets.columns);
        let own = [Argument::Flag(derivatives as i32), Argument::place(mix)];
        sets.launch(launch, "vecchia_joint_score", (derivatives, derivatives + 1), &own, sums)
    }
}
