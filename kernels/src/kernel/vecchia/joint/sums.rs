//! The sums of sets, of the likelihood and of its score.

use super::super::cpu::{Work, numbers};
use super::super::factor::{backward, dot, forward, start};
use super::{Entries, Joint, Sets};
use crate::error::NumericalError;
use crate::kernel::covariance::Lanes;

/// The sum of some lanes.
#[inline(always)]
fn sum<L: Lanes>(l: L, x: L::F, lanes: u32) -> f64 {
    let numbers = numbers(l, x);
    (0..L::N).filter(|lane| lanes >> lane & 1 == 1).map(|lane| numbers[lane]).sum()
}

pub(super) struct TermsWork<'a> {
    pub(super) sets: Sets,
    pub(super) lists: Vec<&'a [u32]>,
    pub(super) entries: Entries<'a>,
    pub(super) records: &'a [f64],
    pub(super) sums: &'a mut [f64],
}

impl Work for TermsWork<'_> {
    #[inline(always)]
    fn run<L: Lanes, const R: usize, const D: usize, const SPHERE: bool>(
        self,
        l: L,
    ) -> Result<(), NumericalError> {
        let Self { sets, lists, entries, records, sums } = self;
        let columns = sets.columns;
        let mut joint = Joint::<L, R, D, SPHERE>::new(l, sets, records);
        let mut kept = Vec::new();
        sums.fill(0.0);
        for lists in lists.chunks(L::N) {
            joint.gather(lists);
            joint.evaluate(&entries, &mut kept, &mut []);
            std::mem::swap(&mut joint.lower, &mut kept);
            joint.condition()?;
            let slots = joint.slots;
            for slot in 0..slots {
                let own = joint.own(slot);
                if own == 0 {
                    continue;
                }
                let inverse = numbers(l, joint.inverse[slot]);
                for lane in (0..L::N).filter(|lane| own >> lane & 1 == 1) {
                    sums[0] -= 2.0 * inverse[lane].ln();
                }
                for (k, sums) in sums[1..].chunks_exact_mut(columns).enumerate() {
                    for (j, to) in sums.iter_mut().enumerate() {
                        let [a, b] = [j, k].map(|column| joint.values[column * slots + slot]);
                        *to += sum(l, l.mul(a, b), own);
                    }
                }
            }
        }
        Ok(())
    }
}

pub(super) struct ScoreWork<'a> {
    pub(super) sets: Sets,
    pub(super) lists: Vec<&'a [u32]>,
    pub(super) entries: Entries<'a>,
    pub(super) derivatives: usize,
    pub(super) records: &'a [f64],
    pub(super) mix: &'a [f64],
    pub(super) sums: &'a mut [f64],
}

impl Work for ScoreWork<'_> {
    #[inline(always)]
    fn run<L: Lanes, const R: usize, const D: usize, const SPHERE: bool>(
        self,
        l: L,
    ) -> Result<(), NumericalError> {
        let Self { sets, lists, entries, derivatives, records, mix, sums } = self;
        let (count, columns) = (derivatives + 1, sets.columns);
        let zero = l.splat(0.0);
        let mut joint = Joint::<L, R, D, SPHERE>::new(l, sets, records);
        let mut kept: Vec<L::F> = Vec::new();
        let mut derivatives: Vec<Vec<L::F>> = vec![Vec::new(); count - 1];
        // Row `k` of the inverse factor, and of `L^-1 D L^-T` for each derivative; the columns `w`,
        // mixed by what those of the place are.
        let (mut u, mut rows, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
        sums.fill(0.0);
        for lists in lists.chunks(L::N) {
            joint.gather(lists);
            joint.evaluate(&entries, &mut kept, &mut derivatives);
            joint.lower.clone_from(&kept);
            joint.condition()?;
            let slots = joint.slots;
            u.resize(slots, zero);
            rows.resize(count * slots, zero);
            mixed.resize(slots, zero);
            for slot in 0..slots {
                let own = joint.own(slot);
                if own == 0 {
                    continue;
                }
                let size = slot + 1;
                let w = |column: usize| &joint.values[column * slots..][..size];
                mixed[..size].fill(zero);
                for (j, mix) in mix.chunks_exact(columns).enumerate() {
                    let mut factor = zero;
                    for (k, &mix) in mix.iter().enumerate() {
                        factor = l.mul_add(w(k)[slot], l.splat(mix), factor);
                    }
                    for (to, &x) in mixed[..size].iter_mut().zip(w(j)) {
                        *to = l.mul_add(factor, x, *to);
                    }
                }
                u[..slot].fill(zero);
                u[slot] = l.splat(1.0);
                backward(l, size, &joint.lower, &joint.inverse, &mut u);
                for k in 0..count {
                    let row = &mut rows[k * slots..][..size];
                    match derivatives.get(k) {
                        Some(derivative) => multiply(l, derivative, &u[..size], row),
                        None => row.copy_from_slice(&u[..size]),
                    }
                    forward(l, size, &joint.lower, &joint.inverse, row);
                    let once = dot(l, &row[..slot], &mixed[..slot]);
                    let last = l.mul(row[slot], mixed[slot]);
                    sums[k] += sum(l, row[slot], own);
                    sums[count + k] += sum(l, l.add(l.add(once, once), last), own);
                }
                for k in 0..count {
                    for j in 0..count {
                        let [a, b] = [j, k].map(|k| &rows[k * slots..][..size]);
                        let last = l.mul(l.splat(0.5), l.mul(a[slot], b[slot]));
                        let all = l.add(dot(l, &a[..slot], &b[..slot]), last);
                        sums[(2 + k) * count + j] += sum(l, all, own);
                    }
                }
            }
        }
        Ok(())
    }
}

/// `g = D u` with the leading part of a packed `D`.
#[inline(always)]
fn multiply<L: Lanes>(l: L, d: &[L::F], u: &[L::F], g: &mut [L::F]) {
    for i in 0..u.len() {
        let row = &d[start(i)..][..i];
        let (before, rest) = g.split_at_mut(i);
        let mut sum = l.splat(0.0);
        for j in 0..i {
            sum = l.mul_add(row[j], u[j], sum);
            before[j] = l.mul_add(row[j], u[i], before[j]);
        }
        rest[0] = l.mul_add(d[start(i) + i], u[i], sum);
    }
}
