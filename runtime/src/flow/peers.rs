//! A flow over ranks: every rank submits all tasks, runs its own, and sends and receives what they
//! need.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::graph::Graph;
use super::task::{Envelope, MAX_ACCESSES};
use super::{Access, Flow, FlowError, Handle, Peering, ReadyTasks, Running, failures};
use crate::memory::Reduction;
use crate::ranks::{
    Change, Contribution, Directory, Exchange, Move, Outcome, Owners, Program, Traffic,
};
use crate::types::{Kind, Rank};

/// Shares of one size that come to a rank at a time: while one is added, others arrive.
const SHARES_UNDER_WAY: usize = 4;

/// What a rank knows of all.
pub(super) struct Peers {
    pub(super) me: Rank,
    pub(super) directory: Directory,
    owners: Arc<dyn Owners>,
    moves: Vec<Move>,
    /// By datum, the handle that this rank's share of a reduction gathers in.
    shares: HashMap<u32, Handle>,
    /// Handles of this rank's own for shares that are given back, by bytes, the oldest first.
    spare: HashMap<usize, VecDeque<Handle>>,
    reductions: HashMap<u32, Reduction>,
    /// Tasks of the program when all ranks last met.
    pub(super) agreed_at: Option<u64>,
    /// Whether they have ever met a failure, as all know alike.
    pub(super) has_failed: bool,
    /// Why the ranks cannot work together.
    pub(super) discord: Option<FlowError>,
    /// What the program has done, if that is only to be noted.
    program: Option<Program>,
}

impl Peers {
    pub(super) fn new(me: Rank, ranks: usize) -> Self {
        Self {
            me,
            directory: Directory::new(Some(me), ranks),
            owners: Arc::new(()),
            moves: Vec::new(),
            shares: HashMap::new(),
            spare: HashMap::new(),
            reductions: HashMap::new(),
            agreed_at: None,
            has_failed: false,
            discord: None,
            program: None,
        }
    }

    /// Those of a flow that only notes what the program does.
    pub(super) fn listening() -> Self {
        Self { program: Some(Program::default()), ..Self::new(Rank(0), 1) }
    }

    pub(super) fn forget_reduction(&mut self, handle: Handle) {
        self.reductions.remove(&handle.index);
    }

    pub(super) fn set_reduction(&mut self, handle: Handle, reduction: Reduction) {
        self.reductions.insert(handle.index, reduction);
    }

    /// A handle of this rank's own for a share of `handle`: one that was given back some time ago,
    /// since the share that it had may still be on its way.
    fn share(&mut self, graph: &mut Graph, handle: Handle) -> Handle {
        let bytes = graph.space().handles.get(handle.index).bytes();
        let spare = self.spare.get_mut(&bytes).filter(|spare| spare.len() >= SHARES_UNDER_WAY);
        let share = spare.and_then(VecDeque::pop_front);
        let share = share.unwrap_or_else(|| graph.register(bytes));
        let reduction = self.reductions.get(&handle.index);
        graph.set_reduction(share, *reduction.expect("what is reduced has a reduction"));
        share
    }
}

/// Who submits what a rank does for others.
struct Hands<'a> {
    graph: &'a mut Graph,
    engine: &'a mut dyn Running,
    tag: (i32, u8),
}

impl Hands<'_> {
    fn message(&mut self, kind: Kind, handle: Handle, envelope: Envelope) {
        let ready = self.graph.message(kind, handle, envelope, self.tag);
        hand_over(self.engine, ready);
    }

    fn receive(&mut self, handle: Handle, envelope: Envelope, ranks: usize) {
        self.message(Kind::Receive, handle, envelope);
        let bytes = self.graph.space().handles.get(handle.index).bytes();
        if Exchange::passes_on(ranks, bytes as u64) {
            self.message(Kind::Relay, handle, envelope);
        }
    }

    fn work(&mut self, kind: Kind, accesses: &[(Handle, Access)]) {
        let ready = self.graph.work(kind, accesses, self.tag);
        hand_over(self.engine, ready);
    }

    fn settle(&mut self, handle: Handle) {
        let ready = self.graph.settle(handle);
        hand_over(self.engine, ready);
    }

    fn discard(&mut self, handle: Handle) {
        let ready = self.graph.discard(handle);
        hand_over(self.engine, ready);
    }
}

fn hand_over(engine: &mut dyn Running, ready: &[u32]) {
    if !ready.is_empty() {
        engine.ready(ReadyTasks(ready));
    }
}

impl Flow {
    /// This rank.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.peers.as_ref().map_or(Rank(0), |peers| peers.me)
    }

    /// Number of ranks that run this program together.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.peers.as_ref().map_or(1, |peers| peers.directory.ranks())
    }

    /// Data that are registered with a [`Spot`](crate::ranks::Spot) from now on belong to whom
    /// `owners` says.
    pub fn set_owners(&mut self, owners: Arc<dyn Owners>) {
        if let Some(peers) = &mut self.peers {
            peers.owners = owners;
        }
    }

    /// Whom data belong to that are registered with a [`Spot`](crate::ranks::Spot) now; of one rank
    /// alone, nothing.
    #[must_use]
    pub fn owners(&self) -> Option<Arc<dyn Owners>> {
        self.peers.as_ref().map(|peers| peers.owners.clone())
    }

    /// From now on, tasks that write `handle` run on `owner`. The contents follow when a task needs
    /// them there, beside whatever else runs; nothing moves that is overwritten first.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn set_owner(&mut self, handle: Handle, owner: Rank) {
        self.graph.check(handle);
        let ranks = self.ranks();
        assert!(self.is_listening() || usize::from(owner.0) < ranks, "rank {owner} of {ranks}");
        self.note(Change::SetOwner(handle, owner));
    }

    pub(super) fn is_listening(&self) -> bool {
        self.peers.as_ref().is_some_and(|peers| peers.program.is_some())
    }

    /// Whether this rank owns `handle`, or nobody does.
    #[must_use]
    pub fn is_owner(&self, handle: Handle) -> bool {
        let owner = |peers: &Peers| match peers.program {
            None => peers.directory.owner(handle).filter(|&owner| owner != peers.me),
            Some(_) => None,
        };
        self.peers.as_ref().and_then(owner).is_none()
    }

    /// Says that copies of `handle` on ranks that did not write it are not needed after what was
    /// submitted so far; a rank that needs it again is sent it again.
    pub fn done_with_copies(&mut self, handle: Handle) {
        self.note(Change::DropCopies(handle));
    }

    /// What all ranks have sent each other so far, after everything submitted has run; all call
    /// this at the same point of the program.
    ///
    /// # Errors
    /// If another rank cannot be reached any more.
    pub fn traffic(&mut self) -> Result<Traffic, FlowError> {
        self.drain();
        let Traffic { messages, bytes } = self.sent();
        let [messages, bytes] = self.total([messages, bytes])?;
        Ok(Traffic { messages, bytes })
    }

    /// What this rank has sent to others so far.
    #[must_use]
    pub fn sent(&self) -> Traffic {
        self.engine.peering().map_or_else(Traffic::default, |peering| peering.traffic())
    }

    /// The sums over all ranks of what each brings; all call this at the same point of the program.
    ///
    /// # Errors
    /// If another rank cannot be reached any more.
    pub fn total(&self, mine: [u64; 2]) -> Result<[u64; 2], FlowError> {
        let Some(peers) = self.peers.as_ref().filter(|_| !self.is_listening()) else {
            return Ok(mine);
        };
        if let Some(discord) = &peers.discord {
            return Err(discord.clone());
        }
        let contribution = Contribution { amounts: mine, ..Contribution::default() };
        Ok(self.peering().barrier(contribution)?.amounts)
    }

    /// What the failure was that `mark` stands for: one of the ranks knows, and all ask.
    ///
    /// # Errors
    /// If another rank cannot be reached any more.
    pub(super) fn ask(&self, mark: u64) -> Result<FlowError, FlowError> {
        let codec = self.options.codec;
        let bytes = failures::encode(codec, self.rank(), Some(&(mark, self.engine.failure(mark))));
        let outcome = self.peering().barrier(Contribution {
            agreed: mark,
            bytes,
            ..Contribution::default()
        })?;
        let (_, error) = failures::decode(codec, &outcome.bytes).expect("it has a mark");
        self.peering().learn_failure(mark, &error);
        Ok(error)
    }

    /// What a [listening](Self::listening) flow has noted.
    #[must_use]
    pub fn take_program(&mut self) -> Program {
        let program = self.peers.as_mut().and_then(|peers| peers.program.as_mut());
        program.map(std::mem::take).unwrap_or_default()
    }

    /// Notes in a [listening](Self::listening) flow whether what follows is taken for granted.
    pub(super) fn note_presumed(&mut self, is_presumed: bool) {
        let program = self.peers.as_mut().and_then(|peers| peers.program.as_mut());
        program.into_iter().for_each(|program| program.push(Change::Presume(is_presumed)));
    }

    /// What the engine does with the other ranks, which there are.
    pub(super) fn peering(&self) -> &dyn Peering {
        self.engine.peering().expect("an engine over ranks")
    }

    /// Meets the other ranks before the first task.
    pub(super) fn greet(&mut self) {
        let amounts = [self.workers as u64, u64::from(!self.is_flat)];
        let contribution = Contribution { agreed: self.options.digest, amounts, bytes: Vec::new() };
        let met = self.peering().barrier(contribution);
        let is_alike = |met: &Outcome| met.dissent.0 == Rank(0);
        let met = met.and_then(|met| {
            let begun = if is_alike(&met) { self.peering().begin() } else { Ok(()) };
            begun.map(|()| met)
        });
        let ranks = self.ranks();
        let Some(peers) = &mut self.peers else { return };
        match met {
            Err(error) => peers.discord = Some(error),
            Ok(Outcome { dissent: (rank, _), amounts: [workers, uneven], .. }) => {
                self.workers = (workers as usize).div_ceil(ranks);
                self.is_flat = uneven == 0;
                if rank != Rank(0) {
                    peers.discord = Some(FlowError::Unlike { rank });
                }
            }
        }
    }

    /// Notes a change in the directory, and does what this rank has to do for it.
    pub(super) fn note(&mut self, change: Change) {
        let Some(peers) = &mut self.peers else { return };
        if let Some(program) = &mut peers.program {
            return program.push(change);
        }
        peers.directory.apply(change, &*peers.owners, &mut peers.moves);
        if !peers.moves.is_empty() {
            self.make_moves(0);
        }
    }

    /// Whether a task is none of this rank's business; it is then noted.
    #[inline(always)]
    pub(super) fn passes(&mut self, accesses: &[(Handle, Access)]) -> bool {
        let is_passed = match &mut self.peers {
            Some(Peers { program: None, directory, .. }) => directory.passes(accesses),
            _ => false,
        };
        if is_passed {
            self.graph.skip();
        }
        is_passed
    }

    /// Notes a task in the directory, and submits what this rank has to send, receive and drop
    /// before it. Answers whether this rank runs it.
    pub(super) fn runs_here(&mut self, accesses: &[(Handle, Access)], priority: i32) -> bool {
        let Some(peers) = &mut self.peers else { return true };
        if let Some(program) = &mut peers.program {
            program.submit(accesses);
            return false;
        }
        if peers.discord.is_some() {
            return false;
        }
        let runner = peers.directory.runner(accesses);
        peers.directory.submit(accesses, runner, &mut peers.moves);
        let is_mine = runner == peers.me;
        if !peers.moves.is_empty() {
            self.make_moves(priority);
        }
        if !is_mine {
            self.graph.skip();
        }
        is_mine
    }

    /// Submits what the moves in the list are for this rank.
    fn make_moves(&mut self, priority: i32) {
        self.end_loan();
        let Some(peers) = &mut self.peers else { return };
        let tag = (priority.saturating_add(self.shift), self.phase);
        let mut hands = Hands { graph: &mut self.graph, engine: &mut *self.engine, tag };
        let (me, ranks) = (peers.me, peers.directory.ranks());
        let mut presumed = self.presumed.as_mut();
        let mut moves = std::mem::take(&mut peers.moves);
        for step in moves.drain(..) {
            match step {
                Move::Message { datum, key, from, to } => {
                    if let Some(presumed) = &mut presumed {
                        // Both have it then.
                        presumed.set(datum, true);
                        continue;
                    }
                    let handle = hands.graph.handle(datum);
                    if from == me {
                        hands.message(Kind::Send, handle, Envelope { key, peer: to });
                    } else {
                        hands.receive(handle, Envelope { key, peer: from }, ranks);
                    }
                }
                Move::Share { datum, key, from, to } if from == me => {
                    let share = peers.shares.remove(&datum).expect("this rank has a share");
                    hands.settle(share);
                    hands.message(Kind::Send, share, Envelope { key, peer: to });
                    peers.put_back(share, &mut hands);
                }
                Move::Share { datum, key, from, .. } => {
                    let handle = hands.graph.handle(datum);
                    let share = peers.share(hands.graph, handle);
                    hands.receive(share, Envelope { key, peer: from }, 1);
                    hands.work(Kind::Add, &[(share, Access::R), (handle, Access::RW)]);
                    peers.put_back(share, &mut hands);
                }
                Move::Drop { datum } => {
                    presumed.iter_mut().for_each(|presumed| presumed.set(datum, false));
                    let handle = hands.graph.handle(datum);
                    hands.discard(handle);
                }
            }
        }
        peers.moves = moves;
    }

    /// `accesses` of a task that this rank runs, with its shares in place of data that are folded
    /// elsewhere.
    pub(super) fn with_shares<'a>(
        &mut self,
        accesses: &'a [(Handle, Access)],
        room: &'a mut [(Handle, Access); MAX_ACCESSES],
    ) -> &'a [(Handle, Access)] {
        let Some(peers) = &mut self.peers else { return accesses };
        let is_away = |&(handle, access): &(Handle, Access)| {
            access == Access::Reduce && !peers.directory.reduces_in_place(handle, peers.me)
        };
        if !accesses.iter().any(is_away) {
            return accesses;
        }
        let room = &mut room[..accesses.len()];
        room.copy_from_slice(accesses);
        let tag = (0, self.phase);
        let mut hands = Hands { graph: &mut self.graph, engine: &mut *self.engine, tag };
        for (handle, access) in room.iter_mut() {
            if *access != Access::Reduce || peers.directory.reduces_in_place(*handle, peers.me) {
                continue;
            }
            let share = match peers.shares.get(&handle.index) {
                Some(&share) => share,
                None => {
                    let share = peers.share(hands.graph, *handle);
                    let accesses = [(share, Access::W), (*handle, Access::R)];
                    let is_seeded = peers.reductions[&handle.index].seed.is_some();
                    hands.work(Kind::Start, &accesses[..1 + usize::from(is_seeded)]);
                    peers.shares.insert(handle.index, share);
                    share
                }
            };
            *handle = share;
        }
        room
    }
}

impl Peers {
    /// Gives a share back, whose buffer goes when it is no longer used.
    fn put_back(&mut self, share: Handle, hands: &mut Hands<'_>) {
        hands.discard(share);
        let bytes = hands.graph.space().handles.get(share.index).bytes();
        self.spare.entry(bytes).or_default().push_back(share);
    }
}
