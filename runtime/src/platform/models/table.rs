//! What is known of each kernel on each class, and an index that finds it again in a few steps.

use std::collections::HashMap;

use super::curve::{Point, expect};
use super::moments::Moments;
use super::{Basis, Entry, Formula, TRUSTED};
use crate::platform::WorkerModel;
use crate::types::{ClassId, Cost};

/// A task's sizes as whole numbers, so that the last bit of a formula does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Size {
    pub(super) flops: u64,
    pub(super) bytes: u64,
}

impl From<Cost> for Size {
    fn from(cost: Cost) -> Self {
        // Rounds, and brings what is negative or no number to 0.
        Self { flops: (cost.flops + 0.5) as u64, bytes: (cost.bytes + 0.5) as u64 }
    }
}

/// What a question names. The name of a codelet is static, so its address stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    address: usize,
    length: usize,
    class: usize,
    size: Size,
}

impl Key {
    fn new(codelet: &'static str, class: ClassId, size: Size) -> Self {
        let (address, length) = (codelet.as_ptr().addr(), codelet.len());
        Self { address, length, class: class.0, size }
    }

    fn hash(&self) -> usize {
        /// 2^64 by the golden ratio, as in Knuth, "The art of computer programming" 3, 6.4.
        const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
        let name = self.address as u64 ^ (self.length as u64) << 48;
        let task = self.size.flops ^ self.size.bytes.rotate_left(32) ^ (self.class as u64) << 56;
        let mixed = (name.wrapping_mul(MIX) ^ task).wrapping_mul(MIX);
        (mixed ^ mixed >> 32) as usize
    }
}

/// A kernel on a class of workers: the sizes that were met.
#[derive(Debug, Default)]
struct Family {
    /// Cannot run there.
    never: bool,
    formula: Option<Formula>,
    rows: Vec<usize>,
    /// Counts what was learnt; an answer from a smaller count is out of date.
    version: u64,
}

/// One size of one kernel on one class.
#[derive(Debug)]
struct Row {
    family: usize,
    size: Size,
    moments: Moments,
    /// A number from elsewhere, which needs no samples.
    is_given: bool,
    /// The answer, and the version of the family that it was made from; [`SETTLED`]: samples of its
    /// own.
    answer: Option<u64>,
    version: u64,
}

/// Version of an answer that comes from samples of its own.
const SETTLED: u64 = u64::MAX;
/// Version of an answer that is not made yet.
const UNASKED: u64 = u64::MAX - 1;

impl Row {
    fn is_trusted(&self) -> bool {
        self.is_given || self.moments.count >= TRUSTED
    }

    fn is_known(&self) -> bool {
        self.is_given || self.moments.count > 0
    }
}

/// Sizes, those met last, that a curve goes through: a program that has a size of its own for each
/// task must not pay for all of them at each question.
const MOST_POINTS: usize = 256;

/// The models behind the lock.
#[derive(Debug)]
pub(super) struct Table {
    classes: Vec<String>,
    pub(super) guesses: Vec<Option<WorkerModel>>,
    families: Vec<Family>,
    names: Vec<(String, String)>,
    by_name: HashMap<(String, String), usize>,
    rows: Vec<Row>,
    by_size: HashMap<(usize, Size), usize>,
    /// Open hashing with linear steps; its length is a power of two, at most half of it is taken.
    index: Vec<Option<(Key, usize)>>,
    taken: usize,
}

impl Table {
    pub(super) fn new(classes: Vec<String>) -> Self {
        Self {
            guesses: vec![None; classes.len()],
            classes,
            families: Vec::new(),
            names: Vec::new(),
            by_name: HashMap::new(),
            rows: Vec::new(),
            by_size: HashMap::new(),
            index: vec![None; 256],
            taken: 0,
        }
    }

    /// Sets the guess for `class`.
    pub(super) fn guess(&mut self, class: ClassId, guess: Option<WorkerModel>) {
        self.guesses[class.0] = guess;
        self.families.iter_mut().for_each(|family| family.version += 1);
    }

    /// The answer for this task.
    pub(super) fn answer(
        &mut self,
        codelet: &'static str,
        size: Size,
        class: ClassId,
    ) -> Option<u64> {
        let row = self.find(codelet, size, class);
        let Row { family, answer, version, .. } = self.rows[row];
        if version == SETTLED || version == self.families[family].version {
            return answer;
        }
        self.renew(row, class);
        self.rows[row].answer
    }

    /// Notes that this task took so long.
    pub(super) fn record(&mut self, codelet: &'static str, size: Size, class: ClassId, time: u64) {
        let found = self.find(codelet, size, class);
        let row = &mut self.rows[found];
        if row.is_given {
            return;
        }
        row.moments.add(time as f64);
        if row.is_trusted() {
            (row.answer, row.version) = (Some(whole(row.moments.mean)), SETTLED);
        }
        self.families[row.family].version += 1;
    }

    /// Takes in what is known from elsewhere.
    pub(super) fn enter(&mut self, entry: &Entry) {
        let family = self.family(&entry.codelet, &entry.class);
        self.families[family].version += 1;
        self.families[family].never = entry.never;
        if entry.formula.is_some() {
            self.families[family].formula = entry.formula;
        }
        if entry.never || entry.formula.is_some() {
            return;
        }
        let size = Size { flops: entry.flops, bytes: entry.bytes };
        let at = self.row(family, size);
        let row = &mut self.rows[at];
        let (mean, deviation) = (1e9 * entry.seconds, 1e9 * entry.deviation);
        row.version = UNASKED;
        row.is_given = entry.samples.is_none();
        row.moments = Moments::of(entry.samples.unwrap_or(0), mean, deviation);
        if row.is_given {
            row.moments = Moments::of(2, mean, deviation);
        }
        if row.is_trusted() {
            (row.answer, row.version) = (Some(whole(mean)), SETTLED);
        }
    }

    /// Everything that is known, in the order of names and sizes.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self
            .rows
            .iter()
            .filter(|row| row.is_known())
            .map(|row| {
                let (codelet, class) = self.names[row.family].clone();
                Entry {
                    codelet,
                    class,
                    flops: row.size.flops,
                    bytes: row.size.bytes,
                    seconds: 1e-9 * row.moments.mean,
                    deviation: 1e-9 * row.moments.deviation(),
                    samples: (!row.is_given).then_some(row.moments.count),
                    never: false,
                    formula: None,
                }
            })
            .collect();
        for ((codelet, class), family) in self.names.iter().zip(&self.families) {
            let formula = family.formula;
            entries.extend(formula.map(|formula| Entry::of_formula(codelet, class, formula)));
            entries.extend(family.never.then(|| Entry::never(codelet, class)));
        }
        entries.sort_by(|a, b| a.place().cmp(&b.place()));
        entries
    }

    /// The row of this task, made if it was never met.
    fn find(&mut self, codelet: &'static str, size: Size, class: ClassId) -> usize {
        let key = Key::new(codelet, class, size);
        let mask = self.index.len() - 1;
        let mut at = key.hash() & mask;
        while let Some((there, row)) = &self.index[at] {
            if *there == key {
                return *row;
            }
            at = (at + 1) & mask;
        }
        let name = self.classes[class.0].clone();
        let family = self.family(codelet, &name);
        let row = self.row(family, size);
        self.insert(at, key, row);
        row
    }

    fn insert(&mut self, at: usize, key: Key, row: usize) {
        self.index[at] = Some((key, row));
        self.taken += 1;
        if 2 * self.taken <= self.index.len() {
            return;
        }
        let wider = vec![None; 2 * self.index.len()];
        let mask = wider.len() - 1;
        for (key, row) in std::mem::replace(&mut self.index, wider).into_iter().flatten() {
            let mut at = key.hash() & mask;
            while self.index[at].is_some() {
                at = (at + 1) & mask;
            }
            self.index[at] = Some((key, row));
        }
    }

    fn family(&mut self, codelet: &str, class: &str) -> usize {
        let name = (codelet.to_owned(), class.to_owned());
        if let Some(&family) = self.by_name.get(&name) {
            return family;
        }
        self.families.push(Family::default());
        self.names.push(name.clone());
        self.by_name.insert(name, self.families.len() - 1);
        self.families.len() - 1
    }

    fn row(&mut self, family: usize, size: Size) -> usize {
        if let Some(&row) = self.by_size.get(&(family, size)) {
            return row;
        }
        let moments = Moments::default();
        let (is_given, answer, version) = (false, None, UNASKED);
        self.rows.push(Row { family, size, moments, is_given, answer, version });
        let row = self.rows.len() - 1;
        self.by_size.insert((family, size), row);
        self.families[family].rows.push(row);
        row
    }

    /// Makes the answer of `row` anew from what is known of other sizes.
    fn renew(&mut self, row: usize, class: ClassId) {
        let Row { family, size, .. } = self.rows[row];
        let family = &self.families[family];
        let time = if family.never { None } else { self.expected(row, size, class) };
        self.rows[row].version = family.version;
        self.rows[row].answer = time.map(|(time, _)| whole(time));
    }

    /// What the answer for this task comes from.
    pub(super) fn basis(
        &mut self,
        codelet: &'static str,
        size: Size,
        class: ClassId,
    ) -> Option<Basis> {
        let row = self.find(codelet, size, class);
        let Row { family, .. } = self.rows[row];
        match () {
            () if self.families[family].never => None,
            () if self.rows[row].is_trusted() => Some(Basis::Known),
            () => self.expected(row, size, class).map(|(_, basis)| basis),
        }
    }

    /// The number for any bytes; else the formula, the regression, or the guess.
    fn expected(&self, row: usize, size: Size, class: ClassId) -> Option<(f64, Basis)> {
        let family = self.rows[row].family;
        let any = self.by_size.get(&(family, Size { bytes: 0, ..size }));
        let any = any.map(|&any| &self.rows[any]).filter(|any| any.is_trusted());
        if let Some(any) = any {
            return Some((any.moments.mean, Basis::Known));
        }
        if let Some(formula) = &self.families[family].formula {
            return Some((formula.nanoseconds(size), Basis::Known));
        }
        let main = |size: Size| if size.flops > 0 { size.flops as f64 } else { size.bytes as f64 };
        let met = self.families[family].rows.iter().rev().take(MOST_POINTS);
        let known = met.map(|&row| &self.rows[row]);
        let known = known.filter(|row| row.is_known() && row.moments.mean > 0.0);
        let points: Vec<Point> = known
            .map(|row| Point {
                size: main(row.size),
                bytes: row.size.bytes as f64,
                nanoseconds: row.moments.mean,
            })
            .collect();
        let curve = expect(&points, main(size), size.bytes as f64);
        curve.map(|time| (time, Basis::Extrapolated)).or_else(|| {
            let cost = Cost { flops: size.flops as f64, bytes: size.bytes as f64 };
            self.guesses[class.0].map(|guess| (guess.nanoseconds(cost) as f64, Basis::Guessed))
        })
    }
}

/// Whole nanoseconds, at least 1.
fn whole(nanoseconds: f64) -> u64 {
    (nanoseconds.round() as u64).max(1)
}
