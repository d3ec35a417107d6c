//! Tasks as orders that are made ahead see them, and what they make of them.

/// A datum that more tasks or packages read tells none of them from another: it is not looked at.
pub(super) const MOST_READERS: usize = 1024;

/// Tasks to be put in order, by number in the order of submission.
#[derive(Clone, Debug, Default)]
pub(super) struct Tasks {
    /// The data that each task reads, by number, in growing order.
    pub(super) inputs: Vec<Vec<u32>>,
    /// Expected nanoseconds of each task, in the mean of the sites that run it; at least 1.
    pub(super) nanoseconds: Vec<u64>,
    /// Size of each datum, at least 1.
    pub(super) bytes: Vec<u64>,
    /// What fits.
    pub(super) capacity: u64,
}

/// Tasks in order, in packages that share data within, and tasks that share nothing with the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) packages: Vec<Vec<u32>>,
    pub(super) alone: Vec<u32>,
}

impl Tasks {
    /// By datum, the tasks that read it, in growing order.
    pub(super) fn readers(&self) -> Vec<Vec<u32>> {
        let mut readers = vec![Vec::new(); self.bytes.len()];
        for (task, data) in (0..).zip(&self.inputs) {
            data.iter().for_each(|&datum| readers[datum as usize].push(task));
        }
        readers
    }

    /// Some of them, renumbered in this order.
    pub(super) fn part(&self, numbers: &[u32]) -> Self {
        let numbers = || numbers.iter().map(|&task| task as usize);
        Self {
            inputs: numbers().map(|task| self.inputs[task].clone()).collect(),
            nanoseconds: numbers().map(|task| self.nanoseconds[task]).collect(),
            bytes: self.bytes.clone(),
            capacity: self.capacity,
        }
    }

    /// Cuts an order of all of them into `count` pieces of about the same time.
    pub(super) fn cut(&self, order: Vec<u32>, count: usize) -> Packed {
        let all: u64 = self.nanoseconds.iter().sum();
        let mut packages = vec![Vec::new(); count];
        let mut before = 0;
        for task in order {
            let half = self.nanoseconds[task as usize] / 2;
            let piece = (before + half) as u128 * count as u128 / u128::from(all.max(1));
            packages[(piece as usize).min(count - 1)].push(task);
            before += self.nanoseconds[task as usize];
        }
        packages.retain(|package| !package.is_empty());
        Packed { packages, alone: Vec::new() }
    }
}

/// What one task, or package of tasks, shares with others.
#[derive(Debug)]
pub(super) struct Shared {
    /// By task or package, the bytes; and those with any.
    bytes: Vec<u64>,
    with: Vec<u32>,
}

impl Shared {
    /// For so many tasks or packages.
    pub(super) fn new(count: usize) -> Self {
        Self { bytes: vec![0; count], with: Vec::new() }
    }

    /// Counts what number `me`, which reads `data`, shares with the other `readers`.
    pub(super) fn look(&mut self, me: u32, data: &[u32], readers: &[Vec<u32>], sizes: &[u64]) {
        for other in self.with.drain(..) {
            self.bytes[other as usize] = 0;
        }
        for &datum in data {
            let readers = &readers[datum as usize];
            if readers.len() > MOST_READERS {
                continue;
            }
            for &other in readers.iter().filter(|&&other| other != me) {
                let shared = &mut self.bytes[other as usize];
                if *shared == 0 {
                    self.with.push(other);
                }
                *shared += sizes[datum as usize];
            }
        }
    }

    /// Those that share anything with the one that was looked at, and how many bytes.
    pub(super) fn with(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.with.iter().map(|&other| (other, self.bytes[other as usize]))
    }

    /// Bytes shared with `other`.
    pub(super) fn bytes(&self, other: usize) -> u64 {
        self.bytes[other]
    }
}

/// The graph of tasks that share data: edges weigh the bytes that two tasks share.
#[derive(Debug)]
pub(super) struct Sharing<'a> {
    tasks: &'a Tasks,
    readers: Vec<Vec<u32>>,
    shared: Shared,
}

impl<'a> Sharing<'a> {
    pub(super) fn new(tasks: &'a Tasks) -> Self {
        Self { tasks, readers: tasks.readers(), shared: Shared::new(tasks.inputs.len()) }
    }

    /// The neighbours of `task` and the weights of the edges to them.
    pub(super) fn neighbours(&mut self, task: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let Self { tasks, readers, shared } = self;
        shared.look(task, &tasks.inputs[task as usize], readers, &tasks.bytes);
        shared.with()
    }

    /// By task, the sum of the weights of its edges.
    pub(super) fn degrees(&self) -> Vec<u64> {
        let of_datum = |&datum: &u32| {
            let readers = self.readers[datum as usize].len();
            let others = if readers > MOST_READERS { 0 } else { readers as u64 - 1 };
            others * self.tasks.bytes[datum as usize]
        };
        self.tasks.inputs.iter().map(|data| data.iter().map(of_datum).sum()).collect()
    }
}
