//! Short contents between two exchanges: they come unasked, as many as their receiver keeps.

use tegula_runtime::ranks::{
    Exchange, ExchangeOptions, Item, Key, Message, Operation, PART_BYTES, PARTS_UNDER_WAY, Rank,
};

/// Two ranks: the first has versions for the second.
struct Pair {
    ends: [Exchange; 2],
    /// Data that were sent, by name.
    sent: Vec<u32>,
    /// Nodes of the second rank that have got theirs.
    delivered: Vec<u32>,
}

impl Pair {
    fn new() -> Self {
        let options = ExchangeOptions {
            room: 1,
            labels: 1024,
            priorities: true,
            lends: false,
            part_bytes: PART_BYTES,
            parts_under_way: PARTS_UNDER_WAY,
        };
        let ends = [0, 1].map(|rank| Exchange::new(Rank(rank), 2, options));
        Self { ends, sent: Vec::new(), delivered: Vec::new() }
    }

    fn message(node: u32, name: u32) -> Message {
        let key = Key { name, version: 0, origin: Rank(0) };
        Message { key, node, datum: 0, bytes: 8, priority: 0, index: node.into() }
    }

    fn offer(&mut self, name: u32) {
        self.ends[0].offer(Self::message(name, name), Rank(1), 0);
        self.settle();
    }

    fn request(&mut self, node: u32, name: u32) {
        self.ends[1].request(Self::message(node, name));
        self.settle();
    }

    /// Moves frames until there are none.
    fn settle(&mut self) {
        let mut operations = Vec::new();
        for me in [0, 1, 0, 1] {
            self.ends[me].take(&mut operations);
            for operation in operations.drain(..) {
                let item = match operation {
                    Operation::SendItem { item, .. } => item,
                    Operation::SendEager { key, .. } => {
                        self.sent.push(key.name);
                        Item::Eager { key, spoiled: 0, contents: vec![0; 8] }
                    }
                    Operation::Deliver { node, .. } => {
                        self.delivered.push(node);
                        continue;
                    }
                    _ => continue,
                };
                self.ends[1 - me].handle(Rank(me as u16), item);
            }
        }
    }

    /// Offers data 0, 1 and so on until one does not go; answers which.
    fn fill(&mut self) -> u32 {
        (0..10_000)
            .find(|&name| {
                self.offer(name);
                self.sent.len() as u32 == name
            })
            .expect("a receiver keeps only so many")
    }
}

#[test]
fn what_is_asked_for_passes_what_waits_for_later() {
    let mut pair = Pair::new();
    let most = pair.fill();
    assert!(most > 10 && pair.delivered.is_empty(), "{most} came unasked");
    // The one that has not gone comes when it is asked for, past all others.
    pair.request(20_000, most);
    assert_eq!((pair.sent.len() as u32, &pair.delivered[..]), (most + 1, &[20_000][..]));
    // Once the others were taken, more go unasked.
    (0..most).for_each(|name| pair.request(name, name));
    pair.offer(30_000);
    assert_eq!(pair.sent.last(), Some(&30_000));
    pair.request(30_000, 30_000);
    assert_eq!(pair.delivered.len() as u32, most + 2);
}

#[test]
fn a_version_comes_as_often_as_it_was_sent() {
    let mut pair = Pair::new();
    let most = pair.fill();
    // Copies that were dropped are sent again: all are held until they are asked for.
    (0..3).for_each(|_| pair.offer(20_000));
    assert_eq!(pair.sent.len() as u32, most);
    (0..3).for_each(|node| pair.request(20_000 + node, 20_000));
    assert_eq!(pair.delivered, [20_000, 20_001, 20_002]);
    // Who asks before there is anything is given it as soon as there is.
    pair.request(1, 30_000);
    (0..most).for_each(|name| pair.request(name, name));
    pair.offer(30_000);
    assert_eq!(pair.delivered.last(), Some(&1));
}
