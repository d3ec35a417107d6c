//! Tasks by what a figure colours: their phase or, if no phases were named, their codelet.

use crate::trace::Trace;

/// Seven colours that differ also for the colour-blind (M. Okabe, K. Ito, "Color universal
/// design", 2008), and whether dark text reads better on them than white.
const COLOURS: [(&str, bool); 7] = [
    ("#0072b2", false),
    ("#e69f00", true),
    ("#009e73", false),
    ("#cc79a7", true),
    ("#56b4e9", true),
    ("#d55e00", false),
    ("#f0e442", true),
];
/// The colour of all that has none of its own.
const OTHER: (&str, bool) = ("#999999", true);

/// Tasks of one colour.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) colour: &'static str,
    /// Whether text on the colour should be dark.
    pub(super) is_light: bool,
    pub(super) tasks: usize,
    /// Time spent in its tasks, in nanoseconds.
    pub(super) busy: u64,
    /// Start of the first and end of the last task, in nanoseconds.
    pub(super) span: (u64, u64),
}

/// The groups of a trace.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) list: Vec<Group>,
    /// Index in the list of the group of each record.
    pub(super) of: Vec<usize>,
    /// What the groups are: "phase" or "codelet".
    pub(super) by: &'static str,
}

impl Groups {
    /// Groups in the order in which phases were named, or codelets first ran. If they outnumber
    /// the colours, those with the least work are gathered in a last one.
    pub(super) fn of(trace: &Trace) -> Self {
        let by_phase = trace.records.iter().any(|record| record.phase != 0);
        let name = |record| if by_phase { trace.phase_of(record) } else { record.codelet };
        let mut names: Vec<&'static str> = if by_phase { trace.phases.clone() } else { Vec::new() };
        let mut of = Vec::with_capacity(trace.records.len());
        for name in trace.records.iter().map(name) {
            let known = names.iter().position(|&other| other == name);
            of.push(known.unwrap_or(names.len()));
            if known.is_none() {
                names.push(name);
            }
        }
        let mut list: Vec<Group> = names.into_iter().map(Group::empty).collect();
        for (record, &group) in trace.records.iter().zip(&of) {
            list[group].add((record.start, record.end), record.end - record.start, 1);
        }
        let by = if by_phase { "phase" } else { "codelet" };
        let mut groups = Self { list, of, by };
        groups.gather();
        groups
    }

    /// Drops empty groups, gathers small ones if there are too many, and gives out colours.
    fn gather(&mut self) {
        let old = std::mem::take(&mut self.list);
        let mut by_work: Vec<usize> = (0..old.len()).filter(|&i| old[i].tasks > 0).collect();
        by_work.sort_by_key(|&i| std::cmp::Reverse(old[i].busy));
        let kept = if by_work.len() > COLOURS.len() + 1 { COLOURS.len() } else { by_work.len() };
        let others = by_work.split_off(kept);
        by_work.sort_unstable();
        let mut place = vec![kept; old.len()];
        for (new, &i) in by_work.iter().enumerate() {
            place[i] = new;
            self.list.push(old[i].clone());
        }
        if !others.is_empty() {
            let mut rest = Group::empty("");
            others.iter().for_each(|&i| rest.add(old[i].span, old[i].busy, old[i].tasks));
            rest.name = format!("{} others", others.len());
            self.list.push(rest);
        }
        for (group, colour) in self.list.iter_mut().zip(COLOURS.into_iter().chain([OTHER])) {
            (group.colour, group.is_light) = colour;
        }
        self.of.iter_mut().for_each(|group| *group = place[*group]);
    }
}

impl Group {
    fn empty(name: &str) -> Self {
        let (colour, is_light) = OTHER;
        Self { name: name.to_owned(), colour, is_light, tasks: 0, busy: 0, span: (u64::MAX, 0) }
    }

    fn add(&mut self, span: (u64, u64), busy: u64, tasks: usize) {
        self.span = (self.span.0.min(span.0), self.span.1.max(span.1));
        self.busy += busy;
        self.tasks += tasks;
    }
}
