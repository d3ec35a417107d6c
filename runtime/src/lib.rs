//! Tegula's task runtime: schedules tasks and moves data; knows nothing of matrices.
//!
//! Read [`flow`] first: it is what programs see. [`exec`] runs a flow on this machine, [`sim`] in
//! virtual time, both under the policies of [`sched`].
//!
//! # The life of a task
//!
//! 1. [`Flow::submit`](flow::Flow::submit) copies the codelet's value into a task slot
//!    (`flow::task`) and asks each handle who used it last (`flow::handle`). Users in a compatible
//!    way (readers; `Commute`; `Reduce`) form a group and do not wait for each other; the next
//!    group waits for all of it.
//! 2. For each predecessor that is not done, an edge is hung on its list of successors
//!    (`flow::edge`). The edge lives in the successor's own slot, so nothing is allocated. A task
//!    with more than eight predecessors waits for *join* tasks, which the graph inserts and which
//!    complete without a worker.
//! 3. A task whose last predecessor completes goes to the engine, which asks the policy for a
//!    place: a *shard*, an ordered queue, and a key in it. The real engine locks each shard by
//!    itself; only the submitter's outbox and the cache of buffers have one lock each. Tasks of a
//!    few microseconds that are ready when they are submitted are handed out in batches, and
//!    thieves take some along.
//! 4. A worker pops it, finds its buffers (allocating them now if the handle is written for the
//!    first time), calls the kernel, closes the list of successors, and gives the slot back to the
//!    submitter (`flow::lane`). Where the policy allows, it goes on at once with the best task that
//!    it has made ready.
//! 5. Idle workers search for some microseconds, then sleep (`exec::shared_memory::sleep`, which
//!    says why no wake-up is lost).
//!
//! Submitting stops at a window of unfinished tasks (8192 unless told otherwise): the submitting
//! thread, which is worker 0, then helps to run some.
//!
//! That is the life on cores that share one memory without limit, under a policy of queues
//! (`exec::shared_memory`). On all other machines, and under policies that plan, a
//! [dispatcher](dispatch) takes the place of the shards, in the real engine (`exec::heterogeneous`)
//! and in the simulator alike.
//!
//! # Invariants
//!
//! - Only the submitting thread builds the graph; workers touch slots, edges and handles through
//!   atomics.
//! - A task's data is written before the task is published and constant until its slot is given
//!   back. Slots and handles carry a generation, so a name that outlives its task is found out.
//! - Arbiters of commuting handles are taken in the order of the handles: tasks that wait for each
//!   other never form a circle.
//! - Every buffer is aligned to 64 bytes and reads as zero until it is written.
//! - No memory ever holds more than its capacity; what a task reads is valid in its worker's memory
//!   from its start to its end.
//! - The simulator's outcome is the same on every run, to the last record.
//! - Results of every policy in every engine equal those of [`exec::Sequential`], to the bit for
//!   `R`, `W` and `RW`.

pub mod comm;
pub mod cuda;
pub mod dispatch;
pub mod energy;
pub mod exec;
pub mod flow;
pub mod memory;
pub mod platform;
pub mod random;
pub mod ranks;
pub mod sched;
pub mod sim;
mod sync;
pub mod trace;
mod types;
#[cfg(unix)]
pub mod watch;
