//! Nodes that are slower than their description: what a trace should then show.

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};
use tegula_plan::distribution::ranks_of;
use tegula_plan::platform::cluster::{ClusterNode, ClusterPlatform};

use crate::error::refused;

/// Flags of slow nodes. Distributions are planned as if there were none.
#[derive(Args, Debug)]
pub(super) struct Faults {
    /// These nodes compute at so much of their speed, as 3=0.5 or 0-1,4=0.9
    #[arg(long, value_name = "RANKS=X", value_parser = parse_fault)]
    slow: Vec<Fault>,
    /// These nodes send and receive at so much of their rate
    #[arg(long, value_name = "RANKS=X", value_parser = parse_fault)]
    slow_link: Vec<Fault>,
    /// These nodes read at so much of their rate
    #[arg(long, value_name = "RANKS=X", value_parser = parse_fault)]
    slow_disk: Vec<Fault>,
}

/// Nodes, and the share of its speed that each has left.
#[derive(Clone, Debug)]
struct Fault {
    ranks: String,
    share: f64,
}

fn parse_fault(text: &str) -> Result<Fault, String> {
    let parts = text.split_once('=').filter(|(ranks, _)| !ranks.is_empty());
    let fault = parts.and_then(|(ranks, share)| {
        let share = share.parse().ok().filter(|share| (1e-6..=1.0).contains(share))?;
        Some(Fault { ranks: ranks.to_owned(), share })
    });
    fault.ok_or_else(|| {
        format!(
            "'{text}' names no ranks and their share of the speed, above 0 and at most 1, as 3=0.5"
        )
    })
}

/// What is slow of a node.
type Slow = fn(&mut ClusterNode, f64);

impl Faults {
    /// Each flag with what of nodes it is about, what was given to it, and what that changes.
    fn all(&self) -> [(&'static str, &'static str, &[Fault], Slow); 3] {
        [
            ("--slow", "nodes", &self.slow, |node, share| node.speed *= share),
            ("--slow-link", "links of", &self.slow_link, |node, share| {
                node.network.bytes_per_second *= share
            }),
            ("--slow-disk", "disks of", &self.slow_disk, |node, share| node.reading_speed *= share),
        ]
    }

    /// The first flag that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        self.all().into_iter().find(|(.., faults, _)| !faults.is_empty()).map(|(flag, ..)| flag)
    }

    /// Makes nodes of `cluster` slower, on which a program runs that reads or not.
    ///
    /// # Errors
    /// If a node is named that there is not, or the program reads nothing.
    pub(super) fn apply(&self, cluster: &mut ClusterPlatform, is_read: bool) -> Result<()> {
        if !self.slow_disk.is_empty() && !is_read {
            return Err(refused("--slow-disk: this program reads nothing; mds, pca and coa do"));
        }
        let count = cluster.nodes.len();
        for (flag, _, faults, slow) in self.all() {
            for Fault { ranks, share } in faults {
                let wrong = |error| refused(format!("{flag} {ranks}={share}: {error}"));
                for rank in ranks_of(ranks, count).map_err(wrong)? {
                    slow(&mut cluster.nodes[rank], *share);
                }
            }
        }
        Ok(())
    }

    /// The faults in words.
    pub(super) fn describe(&self) -> String {
        let of = |(_, what, faults, _): (&str, &str, &[Fault], Slow)| {
            let one = |fault: &Fault| format!("{what} {} at {}", fault.ranks, fault.share);
            faults.iter().map(one).collect::<Vec<_>>()
        };
        self.all().into_iter().flat_map(of).collect::<Vec<_>>().join(", ")
    }

    /// Adds them to a result.
    pub(super) fn describe_json(&self, into: &mut Map<String, Value>) {
        let list = |faults: &[Fault]| {
            let one = |fault: &Fault| json!({ "ranks": fault.ranks, "share": fault.share });
            faults.iter().map(one).collect::<Value>()
        };
        for (key, faults) in
            [("slow", &self.slow), ("slow_links", &self.slow_link), ("slow_disks", &self.slow_disk)]
        {
            into.insert(key.to_owned(), list(faults));
        }
    }
}
