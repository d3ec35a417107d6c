//! Covariances that are put together from several, of sets and of the neighbours of a place: column
//! by column, as tiles of them are filled, since what an entry takes depends on its marks.

use tegula_runtime::flow::Access::{self, R, W};
use tegula_runtime::flow::{Buffers, Codelet, Cost, Failure, Launch};

use super::factor::{backward, dot, factor, forward, start};
use super::group::MOST;
use super::{NONE, Places};
use crate::error::NumericalError;
use crate::kernel::covariance::composite::Room;
use crate::kernel::covariance::{Composite, Single, Structure, Vectors};

/// Rows of a block of the scalar factorisation.
const ROWS: usize = 3;

/// Sets in lanes, as they were gathered.
pub(super) struct Gathered<'a> {
    /// Numbers of the records, slot by slot, one lane beside the other.
    pub(super) staged: &'a [f64],
    /// Numbers of a record.
    pub(super) width: usize,
    /// Members of the largest set; others have theirs in the last slots.
    pub(super) slots: usize,
    /// Members of the set of each lane.
    pub(super) members: [usize; MOST],
    /// Lanes with a set of their own; the others repeat the last.
    pub(super) filled: usize,
}

/// Room for the covariances of a set.
#[derive(Default)]
pub(super) struct Scratch {
    room: Room,
    /// Places, run by run of a coordinate or mark, and one of them.
    places: Vec<f64>,
    place: Vec<f64>,
    /// A column of the covariances, and of all derivatives.
    column: Vec<f64>,
    slopes: Vec<f64>,
    /// Packed matrices, one lane beside the other.
    lanes: Vec<f64>,
}

impl Scratch {
    /// The lower triangle of the covariance matrix of `count` places, whose numbers `at` gives,
    /// without noise, entry by entry: `put` is told row, column, which derivative (0 is the
    /// covariance itself), and the number.
    fn triangle(
        &mut self,
        composite: &Composite<'_>,
        (count, derivatives): (usize, usize),
        at: impl Fn(usize, usize) -> f64,
        mut put: impl FnMut(usize, usize, usize, f64),
    ) {
        let Self { room, places, place, column, slopes, .. } = self;
        let width = composite.width();
        places.clear();
        places.extend((0..width * count).map(|index| at(index % count, index / count)));
        column.resize(count, 0.0);
        slopes.resize(derivatives * count, 0.0);
        room.forget();
        for j in 0..count {
            composite.point((places, count), j, place);
            let wanted = (derivatives > 0).then_some(&mut slopes[..]);
            composite.column(Vectors::widest(), (places, count, j), place, room, column, wanted);
            (j..count).for_each(|i| put(i, j, 0, column[i]));
            for (k, slope) in slopes.chunks_exact(count).enumerate() {
                (j..count).for_each(|i| put(i, j, k + 1, slope[i]));
            }
        }
    }
}

/// The covariances of sets in so many `lanes`, packed, noise on the diagonal, then their
/// `derivatives`, one lane of an entry beside the other. What members that are missing have is
/// undefined.
pub(super) fn scatter<'a>(
    (lanes, derivatives): (usize, usize),
    composite: &Composite<'_>,
    gathered: &Gathered<'_>,
    scratch: &'a mut Scratch,
) -> &'a [f64] {
    let &Gathered { staged, width, slots, members, filled } = gathered;
    let (size, nugget) = (start(slots) * lanes, composite.recipe().nugget);
    let mut made = std::mem::take(&mut scratch.lanes);
    made.resize((derivatives + 1) * size, 0.0);
    for lane in 0..filled {
        let missing = slots - members[lane];
        let at = |place: usize, k: usize| staged[((missing + place) * width + k) * lanes + lane];
        scratch.triangle(composite, (members[lane], derivatives), at, |i, j, which, x| {
            let entry = start(missing + i) + missing + j;
            let noise = if which == 0 && i == j { nugget } else { 0.0 };
            made[which * size + entry * lanes + lane] = x + noise;
        });
    }
    for entry in made.chunks_exact_mut(lanes) {
        let last = entry[filled - 1];
        entry[filled..].fill(last);
    }
    scratch.lanes = made;
    &scratch.lanes
}

/// Predictions from neighbours by a composite covariance; buffers `[recipe and tables: R, records:
/// R, neighbours: R, targets: R, out: W]`.
///
/// As [`Weights`](super::Weights); targets have their marks after their coordinates.
#[derive(Clone, Copy, Debug)]
pub struct CompositeWeights {
    /// The targets, and what they are given.
    pub places: Places,
    /// Marks of each.
    pub marks: usize,
    /// What the covariance is made from.
    pub structure: Structure,
}

impl Codelet for CompositeWeights {
    const NAME: &'static str = "vecchia_composite_weights";
    const ACCESS: &'static [Access] = &[R, R, R, R, W];

    fn cost(&self) -> Cost {
        let Places { rows, neighbours, columns, geometry, .. } = self.places;
        let (rows, m) = (rows as f64, neighbours as f64 + 1.0);
        let numbers = m * (0.5 + (geometry.stored() + self.marks + columns) as f64);
        Cost {
            flops: rows * (m.powi(3) / 3.0 + 40.0 * m * m),
            bytes: rows * numbers * size_of::<f64>() as f64,
        }
    }

    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
        let (records, neighbours, targets) = (buffers.read(1), buffers.read(2), buffers.read(3));
        Ok(self.compute(buffers.read(0), records, neighbours, targets, buffers.write(4))?)
    }

    const HAS_CUDA: bool = true;

    fn runs_on_cuda(&self) -> bool {
        self.structure.has_tables()
    }

    fn cuda(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        self.launch(launch)
    }
}

impl CompositeWeights {
    /// Overwrites `out`, `columns + 1` numbers for each target.
    ///
    /// # Errors
    /// If a matrix is not positive definite; the order is the number of the target, from 1.
    ///
    /// # Panics
    /// If a shape is another.
    pub fn compute(
        &self,
        tables: &[u8],
        records: &[f64],
        neighbours: &[u32],
        targets: &[f64],
        out: &mut [f64],
    ) -> Result<(), NumericalError> {
        let Places { rows, neighbours: most, columns, geometry, .. } = self.places;
        let composite = Composite::new(tables, geometry);
        assert_eq!(composite.recipe().marks(), self.marks, "marks of places");
        let (own, nugget) = (composite.width(), composite.recipe().nugget);
        let width = own + columns;
        assert_eq!(records.len() % width, 0, "numbers of the records");
        assert_eq!(neighbours.len(), rows * most, "neighbours");
        assert_eq!(targets.len(), rows * own, "targets");
        assert_eq!(out.len(), rows * (columns + 1), "numbers of the targets");
        let (mut scratch, mut lower) = (Scratch::default(), Vec::new());
        let (mut cross, mut inverse, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let lists = neighbours.chunks_exact(most.max(1));
        let rows = lists.zip(targets.chunks_exact(own)).zip(out.chunks_exact_mut(columns + 1));
        for (row, ((list, target), out)) in rows.enumerate() {
            let missing = list.iter().take_while(|&&index| index == NONE).count();
            let list = &list[missing..];
            let m = list.len();
            let record = |place: usize| &records[list[place] as usize * width..][..width];
            let at = |place: usize, k: usize| match place {
                place if place < m => record(place)[k],
                _ => target[k],
            };
            lower.resize(start(m), 0.0);
            inverse.resize(m, 0.0);
            cross.resize(m, 0.0);
            scratch.triangle(&composite, (m + 1, 0), at, |i, j, _, x| match i {
                i if i < m => lower[start(i) + j] = if i == j { x + nugget } else { x },
                _ if j < m => cross[j] = x,
                _ => {}
            });
            if factor::<Single, ROWS>(Single, m, &mut lower, &mut inverse) != 0 {
                return Err(NumericalError::NotPositiveDefinite { order: row + 1 });
            }
            forward(Single, m, &lower, &inverse, &mut cross);
            weights.clone_from(&cross);
            backward(Single, m, &lower, &inverse, &mut weights);
            out[columns] = dot(Single, &cross, &cross);
            for (column, out) in out[..columns].iter_mut().enumerate() {
                let values = (0..m).map(|place| record(place)[own + column]);
                *out = weights.iter().zip(values).map(|(a, x)| a * x).sum();
            }
        }
        Ok(())
    }
}
