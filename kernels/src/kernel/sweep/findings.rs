//! What is noticed about the entries of a matrix while it is read.

use bytemuck::{Pod, Zeroable};

/// An entry that should not be as it is.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Offender {
    /// Its row in the whole matrix, from 0.
    pub row: u64,
    /// Its column.
    pub column: u64,
    /// What it is.
    pub value: f64,
    /// What it should equal, where that is another entry.
    pub other: f64,
}

/// Entries of one kind that should not be: how many, and the first few of them.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Offenders {
    /// How many there are.
    pub count: u64,
    /// The largest deviation from what should be.
    pub largest: f64,
    /// The first ones, row by row.
    first: [Offender; SHOWN],
}

/// How many are kept.
const SHOWN: usize = 3;

impl Offenders {
    const NONE: Self = Self {
        count: 0,
        largest: 0.0,
        first: [Offender { row: 0, column: 0, value: 0.0, other: 0.0 }; SHOWN],
    };

    /// The first ones, row by row.
    #[must_use]
    pub fn first(&self) -> &[Offender] {
        &self.first[..SHOWN.min(self.count as usize)]
    }

    /// Notes one more, which deviates by so much.
    pub fn note(&mut self, offender: Offender, deviation: f64) {
        let kept = self.first().len();
        let key = |offender: &Offender| (offender.row, offender.column);
        let place = self.first[..kept].partition_point(|other| key(other) < key(&offender));
        if place < SHOWN {
            self.first[place..].rotate_right(1);
            self.first[place] = offender;
        }
        self.count += 1;
        let is_known = !deviation.is_nan() && !self.largest.is_nan();
        self.largest = if is_known { self.largest.max(deviation) } else { f64::NAN };
    }

    fn add(&mut self, other: &Self) {
        let count = self.count + other.count;
        other.first().iter().for_each(|&offender| self.note(offender, other.largest));
        self.count = count;
    }
}

/// All that was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Findings {
    /// Entries that are infinite or no numbers.
    pub infinite: Offenders,
    /// Negative ones where there should be none.
    pub negative: Offenders,
    /// Entries on the diagonal that are not zero where they should be.
    pub diagonal: Offenders,
    /// Entries that differ from their mirror images.
    pub asymmetric: Offenders,
    /// The least entry off the diagonal.
    pub least: f64,
    /// The greatest one.
    pub greatest: f64,
    /// How many pairs of entries were compared with each other.
    pub compared: u64,
}

impl Findings {
    /// Before anything was read.
    pub const NONE: Self = Self {
        infinite: Offenders::NONE,
        negative: Offenders::NONE,
        diagonal: Offenders::NONE,
        asymmetric: Offenders::NONE,
        least: f64::INFINITY,
        greatest: f64::NEG_INFINITY,
        compared: 0,
    };

    /// Adds what was noticed elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.infinite.add(&other.infinite);
        self.negative.add(&other.negative);
        self.diagonal.add(&other.diagonal);
        self.asymmetric.add(&other.asymmetric);
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
        self.compared += other.compared;
    }
}

#[cfg(test)]
mod tests {
    use super::{Findings, Offender};

    fn at(row: u64, column: u64) -> Offender {
        Offender { row, column, value: -1.0, other: 0.0 }
    }

    #[test]
    fn the_first_offenders_are_kept_in_any_order_of_finding() {
        let places = [(4, 1), (0, 9), (2, 2), (2, 1), (7, 0)];
        let (mut one, mut other) = (Findings::NONE, Findings::NONE);
        for (number, (row, column)) in places.into_iter().enumerate() {
            let half = if number % 2 == 0 { &mut one } else { &mut other };
            half.negative.note(at(row, column), row as f64);
        }
        one.add(&other);
        assert_eq!(one.negative.count, 5);
        assert_eq!(one.negative.largest, 7.0);
        assert_eq!(one.negative.first(), [at(0, 9), at(2, 1), at(2, 2)]);
        one.negative.note(at(9, 9), f64::NAN);
        one.negative.note(at(9, 9), 1.0);
        assert!(one.negative.largest.is_nan());
    }
}
