//! TEFT, tasks in the earliest finish time (Hugo 2014, equation 3.2): the time of a context is the
//! area bound of the tasks that it has left, by type, on its workers.
//!
//! The programme of the thesis gives each worker to one context; workers of a class are alike, so
//! that only their number counts.

use super::feft::best;
use super::{Choice, Outlook, Resizing, ResizingPolicy, area_seconds};

pub(super) const POLICY: ResizingPolicy = ResizingPolicy {
    name: "teft",
    summary: "the tasks left of each context, by their expected times, end as soon as can be",
    build: || Box::new(Teft),
};

struct Teft;

impl Resizing for Teft {
    fn choose(&mut self, outlook: &Outlook) -> Option<Choice> {
        best(outlook, |context, workers| area_seconds(&outlook.contexts[context].types, workers))
    }
}
