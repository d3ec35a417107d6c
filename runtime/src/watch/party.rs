//! The protocol of the watch without its sockets: what a rank does about what it hears.
//!
//! Rank 0 is the *host*, all others are *guests* with one connection, to the host. A guest says
//! hello, is welcomed, and is a member from its first beat. Who learns that the run must end tells
//! all members that it knows, waits until they have heard it, and reports it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::end::{End, How, Member};
use super::message::Message;
use super::terms::{Action, Link, Peer, Report, Stage, Terms};
use crate::types::Rank;

/// Time that the host waits until all have heard something; a guest, which waits for the host, is
/// more patient.
const LINGER: Duration = Duration::from_millis(1000);
const LINGER_OF_GUEST: Duration = Duration::from_millis(1800);

/// Exit code of a run whose ranks do not come together, or cannot be watched.
const FAILED: u8 = 1;

#[derive(Debug)]
enum Phase {
    /// The host waits for guests.
    Rendezvous,
    Running,
    /// This rank has said farewell.
    Leaving,
    /// The host has told all that all are done, and waits until they have closed.
    Parting {
        since: Duration,
    },
    /// All are told why it ends.
    Ending {
        since: Duration,
        report: Report,
        asker: Option<Link>,
    },
    Over,
}

/// One rank's side of the protocol.
#[derive(Debug)]
pub(super) struct Party {
    terms: Terms,
    phase: Phase,
    peers: BTreeMap<Link, Peer>,
    actions: Vec<Action>,
    /// Time in which this process has run: the longest pause between two looks at the clock that
    /// counts in full is two beats, so that a process that was stopped does not blame the others.
    clock: Duration,
    /// The last time that [`Party::advance`] was told.
    told: Duration,
    next_beat: Duration,
}

impl Party {
    /// The host's side.
    pub(super) fn host(terms: Terms) -> Self {
        let mut party = Self::new(terms, Phase::Rendezvous);
        party.meet_if_all_are_there();
        party
    }

    /// The side of a guest that `host` has welcomed on `link`.
    pub(super) fn guest(terms: Terms, link: Link, host: Member) -> Self {
        let mut party = Self::new(terms, Phase::Running);
        party.peers.insert(link, Peer::new(Stage::Member(host), Duration::ZERO));
        party.send(link, Message::Beat);
        party.actions.push(Action::Report(Report::Met));
        party
    }

    fn new(terms: Terms, phase: Phase) -> Self {
        let zero = Duration::ZERO;
        let next_beat = terms.beat;
        let (peers, actions) = (BTreeMap::new(), Vec::new());
        Self { terms, phase, peers, actions, clock: zero, told: zero, next_beat }
    }

    /// What the program is told when the watch itself fails.
    pub(super) fn failed(&self, reason: &str) -> End {
        self.give_up(format!("its watch over the ranks failed: {reason}"), FAILED)
    }

    /// What is to be done since the last call.
    pub(super) fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Says that it is `now`, which never goes back. What came until now is told next, then
    /// [`Party::judge`] is called.
    pub(super) fn advance(&mut self, now: Duration) {
        self.clock += (now - self.told).min(2 * self.terms.beat);
        self.told = now;
    }

    /// How long nothing needs to be done if nothing comes.
    pub(super) fn rest(&self) -> Duration {
        let due = match self.phase {
            Phase::Parting { since } | Phase::Ending { since, .. } => since + self.linger(),
            _ => self.next_beat,
        };
        due.min(self.next_beat).saturating_sub(self.clock)
    }

    /// Someone has connected.
    pub(super) fn accept(&mut self, link: Link) {
        self.peers.insert(link, Peer::new(Stage::Stranger, self.clock));
    }

    /// A message has come.
    pub(super) fn hear(&mut self, link: Link, message: Message) {
        let Some(peer) = self.peers.get_mut(&link) else { return };
        peer.heard = self.clock;
        match (&peer.stage, message) {
            (Stage::Stranger, Message::Hello { token, who }) if token == self.terms.token => {
                self.greet(link, who);
            }
            (Stage::Greeted(who), Message::Beat) => {
                peer.stage = Stage::Member(who.clone());
                self.meet_if_all_are_there();
            }
            (Stage::Member(_), Message::Beat) => {}
            (Stage::Member(_), Message::Heard) => {
                peer.owes = false;
                self.end_if_all_have_heard();
            }
            (Stage::Member(_), Message::Farewell) => self.hear_farewell(link),
            (Stage::Member(_), Message::End(end)) => {
                self.end(&end, Report::Ended(end.clone()), Some(link));
            }
            _ => self.close(link),
        }
    }

    fn greet(&mut self, link: Link, who: Member) {
        let is_known =
            self.peers.values().any(|peer| peer.member().is_some_and(|m| m.rank == who.rank));
        if is_known || who.rank == Rank(0) || usize::from(who.rank.0) >= self.terms.ranks {
            return self.close(link);
        }
        // A guest that has lost its patience comes again over another connection.
        let former =
            |peer: &Peer| matches!(&peer.stage, Stage::Greeted(other) if other.rank == who.rank);
        let former: Vec<Link> =
            self.peers.iter().filter(|(_, peer)| former(peer)).map(|(&link, _)| link).collect();
        former.into_iter().for_each(|link| self.close(link));
        self.send(link, Message::Welcome { token: self.terms.token, who: self.terms.me.clone() });
        self.peers.insert(link, Peer::new(Stage::Greeted(who), self.clock));
    }

    fn meet_if_all_are_there(&mut self) {
        let is_meeting = matches!(self.phase, Phase::Rendezvous);
        if is_meeting && self.members().count() + 1 == self.terms.ranks {
            self.phase = Phase::Running;
            self.actions.push(Action::Report(Report::Met));
        }
    }

    fn hear_farewell(&mut self, link: Link) {
        if self.is_host() {
            self.peers.entry(link).and_modify(|peer| peer.left = true);
            self.part_if_all_have_left();
        } else if matches!(self.phase, Phase::Leaving) {
            self.close(link);
            self.report(Report::Parted);
        }
    }

    /// A connection has closed; what came over it was told before.
    pub(super) fn lose(&mut self, link: Link) {
        let Some(peer) = self.peers.remove(&link) else { return };
        let Stage::Member(who) = peer.stage else { return };
        match self.phase {
            Phase::Rendezvous | Phase::Running | Phase::Leaving if !peer.left => {
                let end = End::Lost { who, how: How::Closed };
                self.end(&end, Report::Ended(end.clone()), None);
            }
            Phase::Leaving => self.part_if_all_have_left(),
            Phase::Parting { .. } if self.members().count() == 0 => self.report(Report::Parted),
            Phase::Ending { .. } => self.end_if_all_have_heard(),
            _ => {}
        }
    }

    /// This rank gives up; all are to end with the exit code `code`.
    pub(super) fn abort(&mut self, message: String, code: u8) {
        let end = self.give_up(message, code);
        self.end(&end, Report::GivenUp, None);
    }

    /// This rank is done.
    pub(super) fn farewell(&mut self) {
        if !matches!(self.phase, Phase::Running) {
            return;
        }
        self.phase = Phase::Leaving;
        if self.is_host() {
            self.part_if_all_have_left();
        } else {
            self.tell_members(&Message::Farewell);
        }
    }

    fn part_if_all_have_left(&mut self) {
        let is_leaving = matches!(self.phase, Phase::Leaving) && self.is_host();
        if !is_leaving || !self.peers.values().all(|peer| peer.left || peer.member().is_none()) {
            return;
        }
        self.tell_members(&Message::Farewell);
        self.phase = Phase::Parting { since: self.clock };
        if self.members().count() == 0 {
            self.report(Report::Parted);
        }
    }

    /// Tells all members but `asker`, from whom it came, of the end, then reports it. The host,
    /// through which all hear of it, announces it before, and so does who has lost the host.
    fn end(&mut self, end: &End, report: Report, asker: Option<Link>) {
        if matches!(self.phase, Phase::Parting { .. } | Phase::Ending { .. } | Phase::Over) {
            asker.into_iter().for_each(|link| self.send(link, Message::Heard));
            return;
        }
        if matches!(report, Report::Ended(_)) && (self.is_host() || asker.is_none()) {
            self.actions.push(Action::Announce(end.clone()));
        }
        let lost = matches!(end, End::Lost { .. }).then_some(end.who().rank);
        for (&link, peer) in &mut self.peers {
            let Some(rank) = peer.member().map(|member| member.rank) else { continue };
            if Some(link) != asker {
                // Who was merely stopped learns later that it was given up.
                peer.owes = Some(rank) != lost;
                self.actions.push(Action::Send(link, Message::End(end.clone())));
            }
        }
        self.phase = Phase::Ending { since: self.clock, report, asker };
        self.end_if_all_have_heard();
    }

    fn end_if_all_have_heard(&mut self) {
        if !self.peers.values().any(|peer| peer.owes) {
            self.end_now();
        }
    }

    fn end_now(&mut self) {
        let Phase::Ending { report, asker, .. } = &self.phase else { return };
        let (report, asker) = (report.clone(), *asker);
        asker.into_iter().for_each(|link| self.send(link, Message::Heard));
        self.report(report);
    }

    /// Does what is due, after all that came was told.
    pub(super) fn judge(&mut self) {
        match self.phase {
            Phase::Over => return,
            Phase::Ending { since, .. } if self.clock >= since + self.linger() => self.end_now(),
            Phase::Parting { since } if self.clock >= since + self.linger() => {
                self.report(Report::Parted);
            }
            Phase::Rendezvous if self.clock >= self.terms.rendezvous => self.miss(),
            _ => {}
        }
        if self.clock >= self.next_beat {
            self.next_beat = self.clock + self.terms.beat;
            self.tell_members(&Message::Beat);
        }
        self.look_for_the_silent();
    }

    fn look_for_the_silent(&mut self) {
        let limit = self.terms.patience;
        let silent: Vec<Link> = (self.peers.iter())
            .filter(|(_, peer)| !peer.left && self.clock - peer.heard > limit)
            .map(|(&link, _)| link)
            .collect();
        for link in silent {
            let time = self.clock - self.peers[&link].heard;
            match self.peers[&link].member().cloned() {
                None => self.close(link),
                Some(who) => {
                    let end = End::Lost { who, how: How::Silent { time } };
                    self.end(&end, Report::Ended(end.clone()), None);
                }
            }
        }
    }

    /// Gives up because some did not come.
    fn miss(&mut self) {
        let here: Vec<Rank> = self.members().map(|(_, member)| member.rank).collect();
        let all = (1..self.terms.ranks).map(|rank| Rank(rank as u16));
        let missing: Vec<Rank> = all.filter(|rank| !here.contains(rank)).collect();
        let message =
            format!("{} ranks did not come, rank {} among them", missing.len(), missing[0]);
        let end = self.give_up(message, FAILED);
        self.end(&end, Report::Missing(missing), None);
    }

    fn give_up(&self, message: String, code: u8) -> End {
        End::Aborted { who: self.terms.me.clone(), message, code }
    }

    fn is_host(&self) -> bool {
        self.terms.me.rank == Rank(0)
    }

    fn linger(&self) -> Duration {
        if self.is_host() { LINGER } else { LINGER_OF_GUEST }
    }

    fn members(&self) -> impl Iterator<Item = (Link, &Member)> {
        self.peers.iter().filter_map(|(&link, peer)| Some((link, peer.member()?)))
    }

    fn tell_members(&mut self, message: &Message) {
        let links: Vec<Link> = self.members().map(|(link, _)| link).collect();
        links.into_iter().for_each(|link| self.send(link, message.clone()));
    }

    fn send(&mut self, link: Link, message: Message) {
        self.actions.push(Action::Send(link, message));
    }

    fn close(&mut self, link: Link) {
        self.peers.remove(&link);
        self.actions.push(Action::Close(link));
    }

    fn report(&mut self, report: Report) {
        self.phase = Phase::Over;
        self.actions.push(Action::Report(report));
    }
}
