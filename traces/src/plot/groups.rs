//! Tasks by what a figure colours: their scheduling context; if there is one, their phase; if no
//! phases were named, their codelet.

use tegula_runtime::trace::Trace;

/// Seven colours that differ also for the colour-blind (M. Okabe, K. Ito, "Color universal
/// design", 2008), and whether dark text reads better on them than white.
pub(super) const COLOURS: [(&str, bool); 7] = [
    ("#0072b2", false),
    ("#e69f00", true),
    ("#009e73", false),
    ("#cc79a7", true),
    ("#56b4e9", true),
    ("#d55e00", false),
    ("#f0e442", true),
];
/// The colour of all that has none of its own.
pub(super) const OTHER: (&str, bool) = ("#999999", true);

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
    /// What the groups are: "context", "phase" or "codelet".
    pub(super) by: &'static str,
}

impl Groups {
    /// Groups in the order in which contexts were made, phases named, or codelets first ran. If
    /// they outnumber the colours, those with the least work are gathered in a last one.
    pub(super) fn of(trace: &Trace) -> Self {
        if !trace.contexts.is_empty() {
            return Self::by_context(trace);
        }
        if trace.records.iter().all(|record| record.phase == 0) {
            return Self::by_codelet(trace);
        }
        let most = trace.records.iter().map(|record| record.phase).max().unwrap_or(0);
        let name = |phase: u8| trace.phases.get(usize::from(phase)).copied().unwrap_or("none");
        let names = (0..=most).map(name).collect();
        let of = trace.records.iter().map(|record| usize::from(record.phase)).collect();
        Self::new(trace, names, of, "phase")
    }

    /// Groups of scheduling contexts, in the order in which these were made.
    fn by_context(trace: &Trace) -> Self {
        let names = trace.contexts.names.iter().map(String::as_str).collect();
        let of = trace.records.iter().map(|record| trace.contexts.of_job(record.job)).collect();
        Self::new(trace, names, of, "context")
    }

    /// Groups of codelets, likewise.
    pub(super) fn by_codelet(trace: &Trace) -> Self {
        let (names, of) = trace.codelets();
        Self::new(trace, names, of, "codelet")
    }

    fn new(trace: &Trace, names: Vec<&str>, of: Vec<usize>, by: &'static str) -> Self {
        let mut list: Vec<Group> = names.into_iter().map(Group::empty).collect();
        for (record, &group) in trace.records.iter().zip(&of) {
            list[group].add((record.start, record.end), record.end - record.start, 1);
        }
        let mut groups = Self { list, of, by };
        groups.gather();
        groups
    }

    /// The colours in order.
    pub(super) fn colours(&self) -> impl Iterator<Item = &'static str> {
        self.list.iter().map(|group| group.colour)
    }

    /// Gives the first `own` groups colours in the order of their names, which is the same for all
    /// traces of a program.
    fn colour(&mut self, own: usize) {
        let mut by_name: Vec<&mut Group> = self.list[..own].iter_mut().collect();
        by_name.sort_by(|a, b| a.name.cmp(&b.name));
        for (group, colour) in by_name.into_iter().zip(COLOURS.into_iter().chain([OTHER])) {
            (group.colour, group.is_light) = colour;
        }
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
        self.colour(kept);
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
