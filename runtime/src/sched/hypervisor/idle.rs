//! Idle (Hugo 2014, section 3.5.3): a worker that was without a task for too long goes to another
//! context. The thesis does not say to which: to the one with the most ready tasks for each of its
//! workers.

use super::{Choice, Outlook, Resizing, ResizingPolicy};

pub(super) const POLICY: ResizingPolicy = ResizingPolicy {
    name: "idle",
    summary: "a worker without tasks goes to the context with most ready tasks for each of its own",
    build: || Box::new(Idle),
};

struct Idle;

impl Resizing for Idle {
    fn choose(&mut self, outlook: &Outlook) -> Option<Choice> {
        let (class, from) = outlook.idle?;
        let mut workers: Vec<Vec<usize>> =
            outlook.contexts.iter().map(|own| own.workers.clone()).collect();
        if workers[from][class] <= outlook.contexts[from].limits[class].least {
            return None;
        }
        let need = |place: usize| {
            let own = &outlook.contexts[place];
            let has: usize = own.workers.iter().sum();
            let runs = own.types.iter().any(|kind| kind.seconds[class].is_finite());
            let may = place != from
                && own.ready > has
                && runs
                && own.workers[class] < own.limits[class].most;
            may.then(|| own.ready as f64 / (has as f64 + 0.5))
        };
        let needs = (0..workers.len()).filter_map(|place| Some((need(place)?, place)));
        let (_, to) = needs.max_by(|one, other| one.0.total_cmp(&other.0))?;
        workers[from][class] -= 1;
        workers[to][class] += 1;
        Some(Choice { workers, seconds: (1.0, 1.0) })
    }
}
