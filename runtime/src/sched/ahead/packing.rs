//! Hierarchical fair packing: an order of tasks in which those that share data stand together
//! (Gonthier 2023, section 3.3, algorithm 5).
//!
//! Packages of tasks merge in rounds. Only the smallest ones may begin, and only with those that
//! they share most with; of several the first in the order of submission. A first phase makes
//! packages whose data fits the memory, a second one puts packages side by side. Which packages
//! share a datum is kept in an index, so that only those that share anything are compared.

use super::flip::flip;
use super::tasks::{Packed, Shared, Tasks};

#[derive(Default)]
struct Package {
    tasks: Vec<u32>,
    /// In growing order.
    data: Vec<u32>,
    bytes: u64,
}

struct Packing<'a> {
    tasks: &'a Tasks,
    flips: bool,
    /// Empty once merged into another.
    packages: Vec<Package>,
    count: usize,
    /// By datum, the packages that read it.
    readers: Vec<Vec<u32>>,
    /// Whether the data of a package must fit.
    is_limited: bool,
    /// What packages share with the one that is looked at.
    shared: Shared,
    alone: Vec<u32>,
}

/// How packages are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    /// Whether packages are turned around in the second phase (section 3.3.5).
    pub(super) flips: bool,
    /// Whether in the first round any two tasks that share a datum merge (section 3.5.1).
    pub(super) starts_fast: bool,
}

impl How {
    /// As published.
    pub(super) const FAIR: Self = Self { flips: true, starts_fast: false };
}

/// Packs `tasks` until `count` packages are left.
pub(super) fn pack(tasks: &Tasks, count: usize, how: How) -> Packed {
    let mut packing = Packing::new(tasks, how);
    if how.starts_fast {
        packing.pair(count);
    }
    while packing.count > count {
        packing.round(count);
    }
    let packages = packing.packages.into_iter().map(|package| package.tasks);
    Packed { packages: packages.filter(|tasks| !tasks.is_empty()).collect(), alone: packing.alone }
}

impl<'a> Packing<'a> {
    fn new(tasks: &'a Tasks, how: How) -> Self {
        let package = |(number, data): (u32, &Vec<u32>)| {
            let bytes = data.iter().map(|&datum| tasks.bytes[datum as usize]).sum();
            Package { tasks: vec![number], data: data.clone(), bytes }
        };
        let packages: Vec<Package> = (0..).zip(&tasks.inputs).map(package).collect();
        Self {
            tasks,
            flips: how.flips,
            count: packages.len(),
            shared: Shared::new(packages.len()),
            packages,
            readers: tasks.readers(),
            is_limited: true,
            alone: Vec::new(),
        }
    }

    /// Merges each task with the first one behind it that shares any datum with it and is free.
    fn pair(&mut self, count: usize) {
        for number in 0..self.packages.len() {
            if self.count <= count {
                break;
            }
            let package = &self.packages[number];
            if package.tasks.len() != 1 {
                continue;
            }
            let readers = package.data.iter().flat_map(|&datum| &self.readers[datum as usize]);
            let others = readers.map(|&other| other as usize);
            let is_free = |other: &usize| *other > number && self.packages[*other].tasks.len() == 1;
            if let Some(partner) = others.filter(is_free).min() {
                self.look(number);
                if self.fits(number, partner) {
                    self.merge(number, partner);
                }
            }
        }
    }

    /// Merges the smallest packages that share most; or puts them aside if they share nothing.
    fn round(&mut self, count: usize) {
        let sizes = self.packages.iter().map(|package| package.tasks.len());
        let least = sizes.filter(|&size| size > 0).min().unwrap_or(0);
        let is_smallest = |&number: &usize| self.packages[number].tasks.len() == least;
        let smallest: Vec<usize> = (0..self.packages.len()).filter(is_smallest).collect();
        let mut shares = self.shares(&smallest);
        if self.is_limited && shares.iter().all(|&share| share == 0) {
            self.is_limited = false;
            shares = self.shares(&smallest);
        }
        let most = shares.iter().copied().max().unwrap_or(0);
        if most == 0 {
            smallest.into_iter().for_each(|number| self.put_aside(number));
            return;
        }
        let mut is_merged = vec![false; self.packages.len()];
        for (&number, _) in smallest.iter().zip(&shares).filter(|&(_, &share)| share == most) {
            if is_merged[number] || self.count <= count {
                continue;
            }
            if let Some(partner) = self.partner(number, most, &is_merged) {
                (is_merged[number], is_merged[partner]) = (true, true);
                self.merge(number, partner);
            }
        }
    }

    /// For each of `numbers` the most bytes that it shares with a package that it may merge with.
    fn shares(&mut self, numbers: &[usize]) -> Vec<u64> {
        let share = |&number: &usize| {
            self.look(number);
            let shared = self.shared.with().filter(|&(other, _)| self.fits(number, other as usize));
            shared.map(|(_, bytes)| bytes).max().unwrap_or(0)
        };
        numbers.iter().map(share).collect()
    }

    /// The first package that shares `most` with `number` and is not merged in this round.
    fn partner(&mut self, number: usize, most: u64, is_merged: &[bool]) -> Option<usize> {
        self.look(number);
        let others = self.shared.with().filter(|&(_, bytes)| bytes == most);
        let may = |other: &usize| !is_merged[*other] && self.fits(number, *other);
        others.map(|(other, _)| other as usize).filter(may).min()
    }

    /// Counts what the others share with package `number`.
    fn look(&mut self, number: usize) {
        let Self { tasks, packages, readers, shared, .. } = self;
        shared.look(number as u32, &packages[number].data, readers, &tasks.bytes);
    }

    fn fits(&self, number: usize, other: usize) -> bool {
        let all =
            self.packages[number].bytes + self.packages[other].bytes - self.shared.bytes(other);
        !self.is_limited || all <= self.tasks.capacity
    }

    /// Takes `partner` into package `number`.
    fn merge(&mut self, number: usize, partner: usize) {
        let mut first = std::mem::take(&mut self.packages[number]);
        let mut second = std::mem::take(&mut self.packages[partner]);
        if self.flips && !self.is_limited {
            flip(&mut first.tasks, &mut second.tasks, self.tasks);
        }
        first.tasks.append(&mut second.tasks);
        let known = first.data.len();
        for datum in second.data {
            let readers = &mut self.readers[datum as usize];
            let place = readers.iter().position(|&reader| reader as usize == partner);
            let place = place.expect("it reads the datum");
            if first.data[..known].binary_search(&datum).is_ok() {
                readers.swap_remove(place);
            } else {
                readers[place] = number as u32;
                first.bytes += self.tasks.bytes[datum as usize];
                first.data.push(datum);
            }
        }
        first.data.sort_unstable();
        self.packages[number] = first;
        self.count -= 1;
    }

    fn put_aside(&mut self, number: usize) {
        let package = std::mem::take(&mut self.packages[number]);
        self.alone.extend(package.tasks);
        for datum in package.data {
            self.readers[datum as usize].retain(|&reader| reader as usize != number);
        }
        self.count -= 1;
    }
}
