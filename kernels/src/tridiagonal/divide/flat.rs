//! A plan as two arrays, one of indices and one of numbers, as it passes from task to task.

use super::plan::{Places, Plan};
use crate::scalar::Real;

/// Most indices of a plan of order `n`.
pub(super) const fn indices(n: usize) -> usize {
    5 + 7 * n
}

/// Most numbers.
pub(super) const fn numbers(n: usize) -> usize {
    5 * n
}

impl<R: Real> Plan<R> {
    /// Writes the plan to arrays of [`indices`] and [`numbers`].
    pub(super) fn write(&self, indices: &mut [u32], numbers: &mut [R]) {
        let counts = [self.columns.len(), self.d.len(), self.rotations.len()].map(|x| x as u32);
        let places = self.others.iter().map(|other| &other.1).chain(&self.columns);
        let pairs = self.rotations.iter().map(|rotation| &rotation.0);
        let all = counts.iter().chain(&self.groups).chain(&self.places);
        let all = all.chain(places.flatten()).chain(pairs.flatten());
        indices.iter_mut().zip(all).for_each(|(to, &from)| *to = from);
        let angles = self.rotations.iter().flat_map(|rotation| &rotation.1);
        let others = self.others.iter().map(|other| &other.0);
        let all = self.d.iter().chain(&self.z).chain(others).chain(angles);
        numbers.iter_mut().zip(all).for_each(|(to, &from)| *to = from);
    }

    /// The plan that was written.
    pub(super) fn read(mut indices: &[u32], mut numbers: &[R]) -> Self {
        let [order, kept, rotated] = [0, 1, 2].map(|place| indices[place] as usize);
        let groups = [indices[3], indices[4]];
        indices = &indices[5..];
        let places = take(&mut indices, kept).to_vec();
        let pairs = |indices: &mut &[u32], count| -> Vec<Places> {
            take(indices, 2 * count).as_chunks::<2>().0.to_vec()
        };
        let of_others = pairs(&mut indices, order - kept);
        let columns = pairs(&mut indices, order);
        let rotated = pairs(&mut indices, rotated);
        let (d, z) = (take(&mut numbers, kept).to_vec(), take(&mut numbers, kept).to_vec());
        let others = take(&mut numbers, order - kept).iter().copied().zip(of_others).collect();
        let angles = take(&mut numbers, 2 * rotated.len()).as_chunks::<2>().0;
        let rotations = rotated.into_iter().zip(angles.iter().copied()).collect();
        Self { d, z, places, groups, others, columns, rotations }
    }
}

/// Takes the first entries off.
fn take<'a, X>(from: &mut &'a [X], count: usize) -> &'a [X] {
    let (first, rest) = from.split_at(count);
    *from = rest;
    first
}
