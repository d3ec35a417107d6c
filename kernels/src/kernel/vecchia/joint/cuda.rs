//! The sums of sets on a CUDA device, a block of threads for a set.

use tegula_runtime::flow::{Failure, Launch};

use super::super::cuda::{Law, add_up, judge};
use super::super::{JointScore, JointTerms, ScoreSums, Terms};
use super::Sets;
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Program, input, output};

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

    /// Whether devices run tasks on them, with so many matrices of each beside its own: if the
    /// covariance has tables, and they should have room.
    pub(in super::super) fn run_on_cuda(&self, matrices: usize) -> bool {
        let (rows, neighbours) = self.size;
        self.structure.has_tables()
            && self.room(matrices, rows * (neighbours + 2)) <= MOST_ROOM / size_of::<f64>()
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
        add_up(launch, blocks, each, (length, sums))?;
        judge(launch, "find_bad_set", (blocks, bad), 0)
    }
}

impl JointTerms {
    /// Puts the sums on the stream.
    pub(in super::super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let length = Terms::length(self.0.columns);
        let sums = (length, output::<f64>(launch, 3, length));
        self.0.launch(launch, "vecchia_joint", (0, 0), &[], sums)
    }
}

impl JointScore {
    /// Matrices of a set, beside its own: one of each derivative, and that of the nugget.
    pub(in super::super) fn matrices(&self) -> usize {
        self.derivatives + 1
    }

    /// Puts the sums on the stream.
    pub(in super::super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { sets, derivatives } = self;
        let length = ScoreSums::length(derivatives);
        let sums = (length, output::<f64>(launch, 4, length));
        let mix = input::<f64>(launch, 3, sets.columns * sets.columns);
        let own = [Argument::Flag(derivatives as i32), Argument::place(mix)];
        let matrices = (derivatives, self.matrices());
        sets.launch(launch, "vecchia_joint_score", matrices, &own, sums)
    }
}
