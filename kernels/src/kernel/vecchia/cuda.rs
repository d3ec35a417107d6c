//! Sums, weights and conditionals on a CUDA device, a block of threads for a place: neighbours that
//! are missing are left out there.

use tegula_runtime::flow::{Failure, Launch};

use super::{CompositeWeights, Conditionals, Places, ScoreSums, ScoreTerms, Terms, Weights};
use crate::cuda::device_code::Argument;
use crate::cuda::{Block, Grid, Program, Verdict, input, output};
use crate::error::NumericalError;
use crate::geometry::Geometry;
use crate::kernel::covariance::composite::Recipe;
use crate::kernel::covariance::{Structure, TABLE_BYTES};

/// The device's side; that of covariances comes before it.
pub(crate) const SOURCE: &str = include_str!("kernel.cu");

/// What covariances, and so many derivatives, are made from.
#[derive(Clone, Copy)]
pub(super) struct Law {
    pub(super) structure: Structure,
    pub(super) derivatives: usize,
    pub(super) geometry: Geometry,
    /// Marks of a place.
    pub(super) marks: usize,
}

impl Law {
    /// That of tables, by distance.
    fn radial(geometry: Geometry, derivatives: usize, is_relative: bool) -> Self {
        Self { structure: Structure::Radial { is_relative }, derivatives, geometry, marks: 0 }
    }

    /// Numbers of a place.
    pub(super) fn width(&self) -> usize {
        self.geometry.stored() + self.marks
    }

    /// What a kernel is told; it is in the first buffer.
    pub(super) fn arguments(&self, launch: &Launch<'_>) -> [Argument<f64>; 6] {
        let &Self { structure, derivatives, geometry, marks } = self;
        let (bytes, found) = launch.read::<u8>(0);
        let (is_composite, is_relative, least) = match structure {
            Structure::Radial { is_relative } => (false, is_relative, derivatives * TABLE_BYTES),
            Structure::Composite { .. } => (true, false, size_of::<Recipe>()),
        };
        assert!(found >= least + TABLE_BYTES, "{found} bytes of a covariance");
        let flag = |holds| Argument::Flag(i32::from(holds));
        [
            Argument::place(bytes),
            flag(is_composite),
            flag(is_relative),
            Argument::Flag(geometry.stored() as i32),
            Argument::Flag(marks as i32),
            flag(geometry == Geometry::GreatCircle),
        ]
    }
}

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
    law: Law,
    /// Vectors of a place and its neighbours that it needs room for, beside their matrix.
    vectors: usize,
    /// The places, if they are none of records.
    targets: Option<*const f64>,
    /// Arguments of its own.
    own: &'a [Argument<f64>],
    made: Made,
}

impl Kernel<'_> {
    /// Puts it on the stream, for these places. The task fails at the first one that is bad.
    #[allow(unsafe_code)]
    fn launch(&self, launch: &Launch<'_>, places: Places) -> Result<(), Failure> {
        let (Places { first, rows, neighbours: m, columns, .. }, law) = (places, self.law);
        let (height, width) = (m + 1 + columns, m + 1);
        let rest = (1 + self.vectors) * width + 1 + law.derivatives;
        let room = law.width() * height + height * width + rest;
        let blocks = (MOST_ROOM / (room * size_of::<f64>())).clamp(1, MOST_BLOCKS).min(rows);
        let length = if let Made::Sums(length, _) = self.made { length } else { 0 };
        let [rooms, each, bad] =
            Block::<f64>::room(launch, [(room, blocks), (rows, length), (rows, 1)])?;
        let made = match self.made {
            Made::Sums(..) => each.place(),
            Made::Out(out) => Argument::place(out),
        };
        let common = [
            Argument::place(launch.read::<f64>(1).0),
            Argument::place(input::<u32>(launch, 2, rows * m)),
            Argument::place(self.targets.unwrap_or(std::ptr::null())),
            Argument::size(first),
            Argument::size(rows),
            Argument::size(m),
            Argument::size(columns),
            rooms.place(),
            Argument::size(room),
        ];
        if rows > 0 {
            let arguments =
                [&law.arguments(launch)[..], &common, self.own, &[made, bad.place()]].concat();
            // SAFETY: the buffers have the sizes of the contract, neighbours are numbers of
            // records, and each block of threads has its room.
            unsafe { Program::run(launch, self.name, Grid::small_blocks(blocks), &arguments) }?;
        }
        if let Made::Sums(length, sums) = self.made {
            add_up(launch, rows, each, (length, sums))?;
        }
        judge(launch, "find_bad_place", (rows, bad), first)
    }
}

/// Puts the sums of what there is of each of `count` places or sets on the stream, so many numbers.
#[allow(unsafe_code)]
pub(super) fn add_up(
    launch: &Launch<'_>,
    count: usize,
    each: Block<f64>,
    (length, sums): (usize, *mut f64),
) -> Result<(), Failure> {
    let arguments = [Argument::size(count), each.place(), Argument::place(sums)];
    // SAFETY: there are so many numbers of each, and as many sums.
    unsafe { Program::run(launch, "add_places", Grid::block_each(length), &arguments) }
}

/// Puts the kernel that looks through the numbers of `bad` places on the stream: the task fails
/// with the order that it finds, and `first` more.
#[allow(unsafe_code)]
pub(super) fn judge(
    launch: &Launch<'_>,
    kernel: &'static str,
    (count, bad): (usize, Block<f64>),
    first: usize,
) -> Result<(), Failure> {
    let verdict = Verdict::new(launch)?;
    let arguments = [Argument::size(count), bad.place(), Argument::<f64>::Place(verdict.address())];
    // SAFETY: there are so many numbers, and the verdict is on the device.
    unsafe { Program::run(launch, kernel, Grid::ONE_BLOCK, &arguments) }?;
    verdict.check(launch, move |place| NumericalError::NotPositiveDefinite { order: first + place })
}

impl Terms {
    /// Puts the sums on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let length = Self::length(self.0.columns);
        let made = Made::Sums(length, output::<f64>(launch, 3, length));
        let (name, law) = ("vecchia_terms", Law::radial(self.0.geometry, 0, false));
        Kernel { name, law, vectors: 0, targets: None, own: &[], made }.launch(launch, self.0)
    }
}

impl ScoreTerms {
    /// Puts the sums on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { places, derivatives, is_relative } = self;
        let length = ScoreSums::length(derivatives);
        let own = [
            Argument::Flag(derivatives as i32),
            Argument::place(input::<f64>(launch, 3, places.columns * places.columns)),
        ];
        let made = Made::Sums(length, output::<f64>(launch, 4, length));
        let law = Law::radial(places.geometry, derivatives, is_relative);
        // Of each derivative, and of that by the nugget, one; and two more.
        let (name, vectors) = ("vecchia_score", derivatives + 3);
        Kernel { name, law, vectors, targets: None, own: &own, made }.launch(launch, places)
    }
}

/// Puts predictions on the stream, for `places` of which there are no records.
fn weights(launch: &Launch<'_>, places: Places, law: Law) -> Result<(), Failure> {
    let targets = Some(input::<f64>(launch, 3, places.rows * law.width()));
    let made = Made::Out(output::<f64>(launch, 4, places.rows * (places.columns + 1)));
    let name = "vecchia_weights";
    Kernel { name, law, vectors: 0, targets, own: &[], made }.launch(launch, places)
}

impl Weights {
    /// Puts the predictions on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        weights(launch, self.0, Law::radial(self.0.geometry, 0, false))
    }
}

impl CompositeWeights {
    /// Puts the predictions on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { places, marks, structure } = self;
        let law = Law { structure, derivatives: 0, geometry: places.geometry, marks };
        weights(launch, places, law)
    }
}

impl Conditionals {
    /// Puts the conditionals on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { places, derivatives, is_relative } = self;
        let own = [Argument::Flag(derivatives as i32)];
        let made = Made::Out(output::<f64>(launch, 3, self.length()));
        let law = Law::radial(places.geometry, derivatives, is_relative);
        let name = "vecchia_conditionals";
        Kernel { name, law, vectors: 2, targets: None, own: &own, made }.launch(launch, places)
    }
}
