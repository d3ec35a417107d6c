//! Policies without time: what they load in the model of Gonthier (2023, sections 2.2 and 2.3), and
//! that they lose no task.

mod checker;
mod evictions;
mod graphs;
mod program;
mod table;
mod workers;
