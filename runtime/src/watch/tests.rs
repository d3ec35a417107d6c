//! The protocol in a network of its own, in virtual time: messages are late, ranks die, stop and
//! are cut off.

use std::collections::VecDeque;
use std::time::Duration;

use proptest::prelude::*;

use super::end::{End, How, Member};
use super::message::Message;
use super::party::Party;
use super::terms::{Action, Link, Report, Terms};
use crate::random::SplitMix64;
use crate::types::Rank;

const TOKEN: [u8; 16] = [7; 16];
const STEP: u64 = 50;
const BEAT: u64 = 1000;
const PATIENCE: u64 = 5000;
const RENDEZVOUS: u64 = 30_000;

fn member(rank: usize) -> Member {
    Member { rank: Rank(rank as u16), host: format!("node{rank}"), pid: 100 + rank as u32 }
}

fn terms(rank: usize, ranks: usize) -> Terms {
    let [beat, patience, rendezvous] = [BEAT, PATIENCE, RENDEZVOUS].map(Duration::from_millis);
    Terms { me: member(rank), ranks, token: TOKEN, beat, patience, rendezvous }
}

/// What comes over a connection.
#[derive(Clone, Debug)]
enum Event {
    Connected,
    Message(Message),
    Closed,
}

/// One direction of the connection between rank 0 and a guest: events in order, each with its time.
#[derive(Default)]
struct Way {
    events: VecDeque<(u64, Event)>,
    is_cut: bool,
}

struct Process {
    party: Option<Party>,
    reports: Vec<Report>,
    announced: Vec<End>,
    is_dead: bool,
    stopped_until: u64,
}

/// All ranks and what is between them. Times in milliseconds.
struct Network {
    now: u64,
    processes: Vec<Process>,
    /// Per guest: to rank 0, and from it.
    ways: Vec<[Way; 2]>,
    random: SplitMix64,
    most_delay: u64,
}

impl Network {
    fn new(ranks: usize, seed: u64, most_delay: u64) -> Self {
        let process = |_| Process {
            party: None,
            reports: Vec::new(),
            announced: Vec::new(),
            is_dead: false,
            stopped_until: 0,
        };
        let mut network = Self {
            now: 0,
            processes: (0..ranks).map(process).collect(),
            ways: (0..ranks).map(|_| Default::default()).collect(),
            random: SplitMix64::new(seed),
            most_delay,
        };
        network.processes[0].party = Some(Party::host(terms(0, ranks)));
        for guest in 1..ranks {
            network.post(guest, 0, Event::Connected);
            let hello = Message::Hello { token: TOKEN, who: member(guest) };
            network.post(guest, 0, Event::Message(hello));
        }
        network
    }

    /// Ranks that have met.
    fn met(ranks: usize, seed: u64, most_delay: u64) -> Self {
        let mut network = Self::new(ranks, seed, most_delay);
        network.run(3000);
        assert!(network.processes.iter().all(|process| process.reports == [Report::Met]));
        network
    }

    fn post(&mut self, guest: usize, way: usize, event: Event) {
        let delay = self.random.next_u64() % (self.most_delay + 1);
        let way = &mut self.ways[guest][way];
        if !way.is_cut {
            let last = way.events.back().map_or(0, |(time, _)| *time);
            way.events.push_back((last.max(self.now + delay), event));
        }
    }

    fn run(&mut self, time: u64) {
        for _ in 0..time / STEP {
            self.now += STEP;
            (0..self.processes.len()).for_each(|rank| self.step(rank));
        }
    }

    fn step(&mut self, rank: usize) {
        if self.processes[rank].is_dead || self.now < self.processes[rank].stopped_until {
            return;
        }
        if let Some(party) = &mut self.processes[rank].party {
            party.advance(Duration::from_millis(self.now));
        }
        let guests = if rank == 0 { 1..self.ways.len() } else { rank..rank + 1 };
        for guest in guests {
            self.deliver(rank, guest);
        }
        if let Some(party) = &mut self.processes[rank].party {
            party.judge();
        }
        self.act(rank);
    }

    fn deliver(&mut self, rank: usize, guest: usize) {
        let (way, link) = if rank == 0 { (0, Link(guest as u32)) } else { (1, Link(0)) };
        while let Some((_, event)) = self.ways[guest][way].events.pop_front_if(|e| e.0 <= self.now)
        {
            let process = &mut self.processes[rank];
            match (&mut process.party, event) {
                (Some(party), Event::Connected) => party.accept(link),
                (Some(party), Event::Message(message)) => party.hear(link, message),
                (Some(party), Event::Closed) => party.lose(link),
                (None, Event::Message(Message::Welcome { token, who }))
                    if process.reports.is_empty() =>
                {
                    assert_eq!(token, TOKEN);
                    let mut party = Party::guest(terms(rank, self.ways.len()), link, who);
                    party.advance(Duration::from_millis(self.now));
                    process.party = Some(party);
                }
                (None, _) => {}
            }
        }
    }

    fn act(&mut self, rank: usize) {
        let Some(party) = &mut self.processes[rank].party else { return };
        let mut is_over = false;
        for action in party.take_actions() {
            let side = |link: Link| if rank == 0 { (link.0 as usize, 1) } else { (rank, 0) };
            match action {
                Action::Send(link, message) => {
                    self.post(side(link).0, side(link).1, Event::Message(message));
                }
                Action::Close(link) => self.post(side(link).0, side(link).1, Event::Closed),
                Action::Announce(end) => self.processes[rank].announced.push(end),
                Action::Report(report) => {
                    is_over |= report != Report::Met;
                    self.processes[rank].reports.push(report);
                }
            }
        }
        if is_over {
            self.leave(rank);
        }
    }

    /// The process closes all its connections.
    fn leave(&mut self, rank: usize) {
        self.processes[rank].party = None;
        match rank {
            0 => (1..self.ways.len()).for_each(|guest| self.post(guest, 1, Event::Closed)),
            _ => self.post(rank, 0, Event::Closed),
        }
    }

    fn kill(&mut self, rank: usize) {
        self.processes[rank].is_dead = true;
        self.leave(rank);
    }

    /// Drops what goes from and to a rank, unseen.
    fn cut(&mut self, rank: usize) {
        let guests = if rank == 0 { 1..self.ways.len() } else { rank..rank + 1 };
        self.ways[guests]
            .iter_mut()
            .flatten()
            .for_each(|way| *way = Way { is_cut: true, ..Way::default() });
    }

    fn ask(&mut self, rank: usize, ask: impl FnOnce(&mut Party)) {
        ask(self.processes[rank].party.as_mut().expect("the party goes on"));
        self.act(rank);
    }

    /// The ranks that have announced an end, which all did once.
    fn announcers(&self) -> Vec<usize> {
        let processes = self.processes.iter().enumerate();
        let announcers =
            processes.flat_map(|(rank, process)| process.announced.iter().map(move |_| rank));
        announcers.collect()
    }

    /// What the ranks but `other` reported after they had met.
    fn reports_without(&self, other: usize) -> Vec<&[Report]> {
        let processes = self.processes.iter().enumerate().filter(|(rank, _)| *rank != other);
        processes.map(|(_, process)| &process.reports[1..]).collect()
    }
}

fn is_end_of(reports: &[Report], rank: usize, how: impl Fn(&End) -> bool) -> bool {
    matches!(reports, [Report::Ended(end)] if *end.who() == member(rank) && how(end))
}

fn is_silence(end: &End) -> bool {
    matches!(end, End::Lost { how: How::Silent { .. }, .. })
}

/// Everything is known by then, after a silence.
const KNOWN: u64 = PATIENCE + 2 * BEAT + 2000;

proptest! {
    #[test]
    fn all_learn_who_died(ranks in 2..9_usize, dead in 0..9_usize, seed: u64, delay in 0..400_u64) {
        let dead = dead % ranks;
        let mut network = Network::met(ranks, seed, delay);
        network.kill(dead);
        network.run(3000);
        for reports in network.reports_without(dead) {
            let closed = |end: &End| matches!(end, End::Lost { how: How::Closed, .. });
            prop_assert!(is_end_of(reports, dead, closed), "{:?}", reports);
        }
        let first = if dead == 0 { (1..ranks).collect() } else { vec![0] };
        prop_assert_eq!(network.announcers(), first);
    }

    #[test]
    fn all_learn_who_is_silent(ranks in 2..9_usize, gone in 0..9_usize, seed: u64, delay in 0..400_u64) {
        let gone = gone % ranks;
        let mut network = Network::met(ranks, seed, delay);
        network.cut(gone);
        network.run(KNOWN);
        for reports in network.reports_without(gone) {
            prop_assert!(is_end_of(reports, gone, is_silence), "{:?}", reports);
        }
        let own = &network.processes[gone].reports[1..];
        let other = if gone == 0 { 1..ranks } else { 0..1 };
        prop_assert!(other.into_iter().any(|rank| is_end_of(own, rank, is_silence)), "{:?}", own);
    }

    #[test]
    fn who_was_stopped_learns_it(ranks in 2..9_usize, stopped in 0..9_usize, seed: u64) {
        let stopped = stopped % ranks;
        let mut network = Network::met(ranks, seed, 100);
        network.processes[stopped].stopped_until = network.now + 60_000;
        network.run(70_000);
        for process in &network.processes {
            let reports = &process.reports[1..];
            prop_assert!(is_end_of(reports, stopped, is_silence), "{:?}", reports);
        }
    }

    #[test]
    fn all_hear_an_abort(ranks in 2..9_usize, loud in 0..9_usize, seed: u64, delay in 0..200_u64) {
        let loud = loud % ranks;
        let mut network = Network::met(ranks, seed, delay);
        network.ask(loud, |party| party.abort("the disk is full".into(), 1));
        network.run(1000);
        for reports in network.reports_without(loud) {
            let is_told = |end: &End| end.to_string().ends_with("gave up: the disk is full");
            prop_assert!(is_end_of(reports, loud, is_told), "{:?}", reports);
        }
        network.run(1000);
        prop_assert_eq!(&network.processes[loud].reports[1..], [Report::GivenUp]);
        prop_assert_eq!(network.announcers(), if loud == 0 { vec![] } else { vec![0] });
    }

    #[test]
    fn a_clean_run_raises_no_alarm(
        plans in prop::collection::vec((0..20_000_u64, 0..20_000_u64, 0..2500_u64), 1..8),
        seed: u64,
        delay in 0..400_u64,
    ) {
        let mut network = Network::met(plans.len(), seed, delay);
        let start = network.now;
        while network.now < start + 30_000 {
            for (rank, &(stop, leave, time)) in plans.iter().enumerate() {
                if start + stop / STEP * STEP == network.now {
                    network.processes[rank].stopped_until = network.now + time;
                }
                if start + leave / STEP * STEP == network.now {
                    network.ask(rank, Party::farewell);
                }
            }
            network.run(STEP);
        }
        for reports in network.reports_without(usize::MAX) {
            prop_assert_eq!(reports, [Report::Parted]);
        }
    }

    #[test]
    fn several_deaths_leave_nobody_waiting(
        ranks in 3..9_usize,
        faults in prop::collection::vec((0..9_usize, 0..4_u32, 0..4000_u64), 1..4),
        seed: u64,
    ) {
        let mut network = Network::met(ranks, seed, 200);
        let mut culprits = Vec::new();
        for (rank, kind, pause) in faults {
            let rank = rank % ranks;
            culprits.push(Rank(rank as u16));
            match kind {
                0 => network.kill(rank),
                1 => network.cut(rank),
                2 => network.processes[rank].stopped_until = u64::MAX,
                _ if network.processes[rank].party.is_some() => {
                    network.ask(rank, |party| party.abort("no memory".into(), 1));
                }
                _ => {}
            }
            network.run(pause);
        }
        network.run(2 * KNOWN);
        for (rank, process) in network.processes.iter().enumerate() {
            if process.is_dead || process.stopped_until == u64::MAX {
                continue;
            }
            let reports = &process.reports[1..];
            prop_assert_eq!(reports.len(), 1, "rank {}: {:?}", rank, reports);
            let is_culprit = culprits.contains(&Rank(rank as u16));
            match &reports[0] {
                Report::Ended(end) => prop_assert!(is_culprit || culprits.contains(&end.who().rank), "{end}"),
                report => prop_assert!(is_culprit, "rank {}: {:?}", rank, report),
            }
        }
    }
}

#[test]
fn all_stopped_together_blame_nobody() {
    let mut network = Network::met(5, 3, 100);
    network.run(500);
    let end = network.now + 600_000;
    network.processes.iter_mut().for_each(|process| process.stopped_until = end);
    network.run(620_000);
    assert!(network.reports_without(usize::MAX).iter().all(|reports| reports.is_empty()));
}

#[test]
fn a_death_after_the_farewell_is_no_alarm() {
    let mut network = Network::met(4, 5, 100);
    network.ask(2, Party::farewell);
    network.run(1000);
    network.kill(2);
    network.run(20_000);
    assert!(network.reports_without(2).iter().all(|reports| reports.is_empty()));
    [0, 1, 3].into_iter().for_each(|rank| network.ask(rank, Party::farewell));
    network.run(3000);
    assert!(network.reports_without(2).iter().all(|reports| *reports == [Report::Parted]));
}

#[test]
fn who_waits_after_its_farewell_learns_of_a_death() {
    let mut network = Network::met(4, 5, 100);
    network.ask(2, Party::farewell);
    network.run(1000);
    network.kill(3);
    network.run(3000);
    assert!(is_end_of(&network.processes[2].reports[1..], 3, |_| true));
}

#[test]
fn who_does_not_come_is_named() {
    let mut network = Network::new(4, 1, 100);
    network.ways[2][0].events.clear();
    network.run(RENDEZVOUS + 5000);
    assert_eq!(network.processes[0].reports, [Report::Missing(vec![Rank(2)])]);
    for rank in [1, 3] {
        let message = "rank 0 on node0 gave up: 1 ranks did not come, rank 2 among them";
        let is_told = |end: &End| end.to_string() == message;
        assert!(is_end_of(&network.processes[rank].reports[1..], 0, is_told));
    }
}

/// What a host of two ranks does about `messages` over a new connection.
fn answers(messages: Vec<Message>) -> Vec<Action> {
    let mut host = Party::host(terms(0, 2));
    host.accept(Link(9));
    messages.into_iter().for_each(|message| host.hear(Link(9), message));
    host.take_actions()
}

#[test]
fn strangers_are_dropped() {
    let closed = [Action::Close(Link(9))];
    let hello = |token, rank| Message::Hello { token, who: member(rank) };
    assert_eq!(answers(vec![hello([8; 16], 1)]), closed, "a wrong token");
    assert_eq!(answers(vec![hello(TOKEN, 2)]), closed, "no such rank");
    assert_eq!(answers(vec![hello(TOKEN, 0)]), closed, "a second host");
    assert_eq!(answers(vec![Message::Beat]), closed, "no hello");
    let end = End::Lost { who: member(0), how: How::Closed };
    assert_eq!(answers(vec![Message::End(end)]), closed, "an alarm by a stranger");
    assert_eq!(
        answers(vec![hello(TOKEN, 1), Message::Beat]).last(),
        Some(&Action::Report(Report::Met))
    );
}

#[test]
fn the_host_stays_until_all_have_heard() {
    let mut host = Party::host(terms(0, 3));
    for guest in 1..3 {
        host.accept(Link(guest));
        host.hear(Link(guest), Message::Hello { token: TOKEN, who: member(guest as usize) });
        host.hear(Link(guest), Message::Beat);
    }
    host.take_actions();
    let end = End::Aborted { who: member(1), message: "no memory".into(), code: 2 };
    host.hear(Link(1), Message::End(end.clone()));
    let told = Action::Send(Link(2), Message::End(end.clone()));
    assert_eq!(host.take_actions(), [Action::Announce(end.clone()), told]);
    host.hear(Link(2), Message::Heard);
    let last = [Action::Send(Link(1), Message::Heard), Action::Report(Report::Ended(end))];
    assert_eq!(host.take_actions(), last);
}

#[test]
fn a_stranger_that_says_nothing_is_dropped_and_a_second_try_is_welcome() {
    let mut host = Party::host(terms(0, 2));
    host.accept(Link(1));
    host.accept(Link(2));
    host.hear(Link(2), Message::Hello { token: TOKEN, who: member(1) });
    host.accept(Link(3));
    host.hear(Link(3), Message::Hello { token: TOKEN, who: member(1) });
    host.lose(Link(2));
    host.hear(Link(3), Message::Beat);
    assert!(host.take_actions().ends_with(&[Action::Report(Report::Met)]));
    (1..9).for_each(|second| {
        host.advance(Duration::from_secs(second));
        host.hear(Link(3), Message::Beat);
        host.judge();
    });
    assert!(host.take_actions().contains(&Action::Close(Link(1))));
}
