//! ISpeed (Hugo 2014, section 3.4.3.3), for contexts of which nobody knows how much they have to
//! do: all are to run at the same speed, by the speeds of the last window.
//!
//! The programme is missing in the thesis. Read from its words: each context does the same
//! operations in a time `T` that is to be smallest, workers of class `k` at the speed that they had
//! in it.

use super::feft::{best, finish};
use super::{Choice, Outlook, Resizing, ResizingPolicy};

pub(super) const POLICY: ResizingPolicy = ResizingPolicy {
    name: "ispeed",
    summary: "contexts run at the same speed, by those of the last window; knows nothing of the end",
    build: || Box::new(ISpeed),
};

struct ISpeed;

impl Resizing for ISpeed {
    fn choose(&mut self, outlook: &Outlook) -> Option<Choice> {
        let speeds: Vec<Vec<f64>> = outlook
            .contexts
            .iter()
            .map(|own| {
                let each = own.measured.iter().zip(&own.speed);
                each.map(|(measured, expected)| measured.unwrap_or(*expected)).collect()
            })
            .collect();
        let rates = |context: usize, workers: &[usize]| finish(1.0, &speeds[context], workers);
        best(outlook, rates)
    }
}
