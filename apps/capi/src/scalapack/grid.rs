//! A grid of processes: the context of a descriptor, its place in it, and flows over it.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use bytemuck::Pod;
use tegula_kernels::error::CODEC;
use tegula_runtime::comm::World;
use tegula_runtime::comm::mpi::{Group, Library};
use tegula_runtime::exec::{Exec, ExecOptions};
use tegula_runtime::flow::{Flow, FlowOptions};
use tegula_runtime::platform::{Topology, usable_cores};
use tegula_tiles::owners::BlockCyclic;

use super::blacs;
use crate::process;

/// The grid of a context, of which this process is one.
pub(super) struct Grid {
    context: i32,
    shape: (usize, usize),
    place: (usize, usize),
    group: Group,
    /// How many of its processes have the same cores as this one, once all have told.
    sharing: Cell<usize>,
}

impl Grid {
    /// The grid of `context`; `None` if this process is not in it.
    ///
    /// # Panics
    /// If MPI cannot be reached.
    pub(super) fn of(context: i32) -> Option<Self> {
        let [rows, columns, row, column] = blacs::grid_info(context).map(usize::try_from);
        let (shape, place) = ((rows.ok()?, columns.ok()?), (row.ok()?, column.ok()?));
        let library = Library::of_process().expect("a program over BLACS has MPI");
        let communicator = blacs::communicator(context, &library);
        // SAFETY: MPI is started where there is a grid, whose communicator exists as long as it.
        let group = unsafe { Group::of(&library, communicator) };
        let group = group.unwrap_or_else(|error| panic!("{error}"));
        Some(Self { context, shape, place, group, sharing: Cell::new(1) })
    }

    pub(super) fn context(&self) -> i32 {
        self.context
    }

    /// Rows of processes.
    pub(super) fn rows(&self) -> usize {
        self.shape.0
    }

    /// Columns of processes.
    pub(super) fn columns(&self) -> usize {
        self.shape.1
    }

    /// The row of this process.
    pub(super) fn row(&self) -> usize {
        self.place.0
    }

    /// The column of this process.
    pub(super) fn column(&self) -> usize {
        self.place.1
    }

    /// Number of processes.
    pub(super) fn processes(&self) -> usize {
        self.shape.0 * self.shape.1
    }

    /// The number of this process, row by row.
    pub(super) fn process(&self) -> usize {
        self.place.0 * self.shape.1 + self.place.1
    }

    pub(super) fn group(&self) -> &Group {
        &self.group
    }

    /// What each process has to tell, in their order: all have as much.
    ///
    /// # Panics
    /// If MPI fails.
    pub(super) fn tell_all(&self, mine: &[i32]) -> Vec<i32> {
        if self.processes() == 1 {
            return mine.to_vec();
        }
        let cores = cores_as_number();
        let halves = [cores as i32, (cores >> 32) as i32];
        let told: Vec<i32> = halves.iter().chain(mine).copied().collect();
        let all = self.gathered(&told);
        let each = all.chunks(told.len());
        self.sharing.set(each.clone().filter(|theirs| theirs[..2] == halves).count());
        each.flat_map(|theirs| &theirs[2..]).copied().collect()
    }

    /// The largest of what the processes have.
    pub(super) fn largest(&self, mine: f64) -> f64 {
        let all = self.gathered(&[mine]);
        all.into_iter()
            .fold(mine, |most, next| if next > most || next.is_nan() { next } else { most })
    }

    /// What each process has, in their order.
    fn gathered<T: Pod>(&self, mine: &[T]) -> Vec<T> {
        let all = self.group.all_gather(bytemuck::cast_slice(mine), self.processes());
        let all = all.unwrap_or_else(|error| panic!("{error}"));
        all.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }

    /// Workers of this process: as many as was asked for, or else its share of its cores.
    fn workers(&self) -> usize {
        process::chosen().unwrap_or_else(|| (usable_cores() / self.sharing.get()).max(1))
    }

    /// Workers of all processes, if others have as many as this one.
    pub(super) fn all_workers(&self) -> usize {
        self.workers() * self.processes()
    }

    /// Runs `work`, which all processes do, on a flow over them.
    ///
    /// # Panics
    /// If MPI fails.
    pub(super) fn on_flow<R>(&self, work: impl FnOnce(&mut Flow) -> R) -> R {
        if self.processes() == 1 {
            return process::on_flow(work);
        }
        let transport = self.group.join().unwrap_or_else(|error| panic!("{error}"));
        let world = World::new(Box::new(transport));
        let options =
            ExecOptions { world: Some(world.clone()), ..ExecOptions::new(self.workers()) };
        let flow_options = FlowOptions { codec: CODEC, ..FlowOptions::default() };
        let mut flow = Flow::new(Exec::new(options), flow_options);
        flow.set_owners(Arc::new(BlockCyclic::squarest(self.processes())));
        let result = work(&mut flow);
        drop(flow);
        world.finish().unwrap_or_else(|error| panic!("{error}"));
        result
    }
}

/// A number that is the same for processes that have the same cores of the same machine.
fn cores_as_number() -> u64 {
    let mut hasher = DefaultHasher::new();
    let host = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    (host, Topology::of_this_thread().cores()).hash(&mut hasher);
    hasher.finish()
}
