//! Which file is on which node when: as it is, and as it will be by the plan.

/// When a file is on a node, by the plan of one job or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Its load begins, or it is there already.
    pub(crate) start: i64,
    /// Its load ends.
    pub(crate) loaded: i64,
    /// The last job that uses it ends.
    pub(crate) end: i64,
}

/// A file on a node.
#[derive(Debug)]
struct Resident {
    file: u32,
    size_gb: f64,
    /// When its load ends, or ended.
    loaded: i64,
    /// When the last job that uses it must end, or has ended.
    end: i64,
    users: u32,
    /// By the plan; valid for the plan of this number only.
    spans: Vec<Span>,
    plan: u32,
}

impl Resident {
    /// Whether a job uses it, or did at `time`.
    fn is_used(&self, time: i64) -> bool {
        self.users > 0 || self.end >= time
    }
}

/// The files of a node.
#[derive(Debug, Default)]
struct NodeFiles {
    /// All that ever were there or were planned to be, in that order.
    all: Vec<Resident>,
    /// Those that jobs use, or did a moment ago.
    used: Vec<u32>,
    /// Those with spans.
    planned: Vec<u32>,
    plan: u32,
    /// Gigabytes of those that count at a time, in both precisions, since they last changed.
    counted: Option<(i64, (f64, f32))>,
}

/// The nodes of a file, each with its place there.
#[derive(Clone, Debug, Default)]
struct Holders {
    /// Those on which it ever was or was planned to be, by number.
    ever: Vec<(u32, u32)>,
    /// Those on which it is used, or will be by the plan of this number.
    now: Vec<(u32, u32)>,
    plan: u32,
}

/// The files of all nodes.
#[derive(Debug)]
pub(crate) struct Residence {
    nodes: Vec<NodeFiles>,
    files: Vec<Holders>,
    plan: u32,
    /// When the plan began.
    began: i64,
}

/// How a job gets its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fetch {
    /// Whether it is to load it itself.
    pub(crate) loads: bool,
    /// Seconds for which it waits for another job's load.
    pub(crate) wait: i64,
}

impl Residence {
    pub(crate) fn new(nodes: usize, files: usize) -> Self {
        let nodes = (0..nodes).map(|_| NodeFiles::default()).collect();
        Self { nodes, files: vec![Holders::default(); files], plan: 1, began: 0 }
    }

    /// Forgets all plans at `now`: what is used now stays until the jobs that use it must end.
    pub(crate) fn forget_plans(&mut self, now: i64) {
        self.plan += 1;
        self.began = now;
    }

    /// The nodes on which `file` may be, and its place there.
    pub(crate) fn holders(&mut self, file: u32) -> &[(u32, u32)] {
        let Holders { now, plan, .. } = &mut self.files[file as usize];
        if *plan != self.plan {
            *plan = self.plan;
            let is_used = |&(node, place): &(u32, u32)| {
                self.nodes[node as usize].all[place as usize].is_used(self.began)
            };
            now.retain(is_used);
        }
        now
    }

    /// Makes the spans of `node` those of the present plan.
    fn refresh(&mut self, node: usize) {
        let (plan, now) = (self.plan, self.began);
        let NodeFiles { all, used, planned, plan: of, counted } = &mut self.nodes[node];
        if *of == plan {
            return;
        }
        (*of, *counted) = (plan, None);
        used.retain(|&place| all[place as usize].is_used(now));
        used.sort_unstable();
        planned.clone_from(used);
        for &place in &*planned {
            let resident = &mut all[place as usize];
            resident.spans.clear();
            resident.plan = plan;
            resident.spans.push(if resident.users > 0 {
                Span { start: now, loaded: resident.loaded.max(now), end: resident.end }
            } else {
                Span { start: now, loaded: now, end: now }
            });
        }
    }

    /// The spans of the file at `place` of `node`.
    pub(crate) fn spans(&mut self, node: usize, place: u32) -> &[Span] {
        self.refresh(node);
        let resident = &self.nodes[node].all[place as usize];
        if resident.plan == self.plan { &resident.spans } else { &[] }
    }

    /// Gigabytes of the files on `node`, but for `file` if it may be there, of which `counts` says
    /// so, given their spans and `time`; in double and in single precision. It is the same question
    /// each time.
    pub(crate) fn sizes(
        &mut self,
        node: usize,
        file: Option<u32>,
        time: i64,
        counts: impl Fn(&[Span], i64) -> bool,
    ) -> (f64, f32) {
        self.refresh(node);
        let NodeFiles { all, planned, counted, .. } = &mut self.nodes[node];
        if let Some((_, sums)) = counted.filter(|&(of, _)| file.is_none() && of == time) {
            return sums;
        }
        let mut sums = (0.0, 0f32);
        for resident in planned.iter().map(|&place| &all[place as usize]) {
            if Some(resident.file) != file && counts(&resident.spans, time) {
                sums.0 += resident.size_gb;
                sums.1 += resident.size_gb as f32;
            }
        }
        if file.is_none() {
            *counted = Some((time, sums));
        }
        sums
    }

    /// The place of `file` on `node`, new if it was never there.
    fn place(&mut self, node: usize, file: u32, size_gb: f64) -> u32 {
        let ever = &mut self.files[file as usize].ever;
        let at = match ever.binary_search_by_key(&(node as u32), |&(node, _)| node) {
            Ok(at) => return ever[at].1,
            Err(at) => at,
        };
        let all = &mut self.nodes[node].all;
        let place = all.len() as u32;
        ever.insert(at, (node as u32, place));
        let (loaded, end) = (i64::MIN, i64::MIN);
        all.push(Resident { file, size_gb, loaded, end, users: 0, spans: Vec::new(), plan: 0 });
        place
    }

    /// Notes that `file` may be on `node`, at that place.
    fn hold(&mut self, file: u32, holder: (u32, u32)) {
        self.holders(file);
        let now = &mut self.files[file as usize].now;
        if !now.contains(&holder) {
            now.push(holder);
        }
    }

    /// By the plan, `file` is on `node` during `span`.
    pub(crate) fn plan(&mut self, node: usize, (file, size_gb): (u32, f64), span: Span) {
        let place = self.place(node, file, size_gb);
        self.hold(file, (node as u32, place));
        self.refresh(node);
        let plan = self.plan;
        let NodeFiles { all, planned, counted, .. } = &mut self.nodes[node];
        *counted = None;
        let resident = &mut all[place as usize];
        if resident.plan != plan {
            resident.plan = plan;
            resident.spans.clear();
            let at = planned.partition_point(|&other| other < place);
            planned.insert(at, place);
        }
        resident.spans.push(span);
    }

    /// A job that must end at `end` starts to use `file` on `node` at `now`; `seconds` is what a
    /// load takes.
    pub(crate) fn start(
        &mut self,
        node: usize,
        (file, size_gb): (u32, f64),
        (now, end): (i64, i64),
        seconds: i64,
    ) -> Fetch {
        let place = self.place(node, file, size_gb);
        self.hold(file, (node as u32, place));
        let NodeFiles { all, used, .. } = &mut self.nodes[node];
        let resident = &mut all[place as usize];
        let is_there = resident.users > 0 || resident.end == now;
        let fetch = if is_there {
            Fetch { loads: false, wait: (resident.loaded - now).max(0) }
        } else {
            resident.loaded = now + seconds;
            Fetch { loads: true, wait: 0 }
        };
        resident.users += 1;
        resident.end = resident.end.max(end);
        if !used.contains(&place) {
            used.push(place);
        }
        fetch
    }

    /// `file` is on `node` from `now` on, sooner or later than was thought.
    pub(crate) fn arrive(&mut self, node: usize, file: u32, now: i64) {
        let place = self.place(node, file, 0.0);
        self.nodes[node].all[place as usize].loaded = now;
    }

    /// A job that used `file` on `node` ends at `now`.
    pub(crate) fn end(&mut self, node: usize, file: u32, now: i64) {
        let place = self.place(node, file, 0.0);
        let resident = &mut self.nodes[node].all[place as usize];
        resident.users -= 1;
        if resident.users == 0 {
            resident.end = now;
        }
    }
}
