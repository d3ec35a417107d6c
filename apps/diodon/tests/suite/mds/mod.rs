//! Principal coordinates against answers that were computed in another way.

mod answers;
mod checks;
mod defects;
mod methods;
mod passes;
mod pauses;
mod projection;
mod support;
