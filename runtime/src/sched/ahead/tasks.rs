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

/// The graph of tasks that share data: edges weigh the bytes that two tasks share.
#[derive(Debug)]
pub(super) struct Sharing<'a> {
    tasks: &'a Tasks,
    readers: Vec<Vec<u32>>,
    /// By task, the bytes shared with the one that is looked at; those with any.
    shared: Vec<u64>,
    sharing: Vec<u32>,
}

impl<'a> Sharing<'a> {
    pub(super) fn new(tasks: &'a Tasks) -> Self {
        let shared = vec![0; tasks.inputs.len()];
        Self { tasks, readers: tasks.readers(), shared, sharing: Vec::new() }
    }

    /// The neighbours of `task` and the weights of the edges to them.
    pub(super) fn neighbours(&mut self, task: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        for other in self.sharing.drain(..) {
            self.shared[other as usize] = 0;
        }
        for &datum in &self.tasks.inputs[task as usize] {
            let readers = &self.readers[datum as usize];
            if readers.len() > MOST_READERS {
                continue;
            }
            for &other in readers.iter().filter(|&&other| other != task) {
                let shared = &mut self.shared[other as usize];
                if *shared == 0 {
                    self.sharing.push(other);
                }
                *shared += self.tasks.bytes[datum as usize];
            }
        }
        self.sharing.iter().map(|&other| (other, self.shared[other as usize]))
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
