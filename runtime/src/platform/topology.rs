//! Which cores share a memory: the nodes of a machine with non-uniform memory access (NUMA),
//! mostly its sockets, as the system tells.

use std::fs;
use std::path::Path;

use super::cores::allowed_cores;

/// Where Linux lists them.
const NODES: &str = "/sys/devices/system/node";

/// Cores by the memory that is theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Of each node its cores, in their order.
    nodes: Vec<Vec<usize>>,
}

impl Topology {
    /// That of the cores which this thread may use.
    #[must_use]
    pub fn of_this_thread() -> Self {
        Self::of(&allowed_cores(), &read(Path::new(NODES)))
    }

    /// That of `cores`, of which the `nodes` of a machine tell; what none of them has is taken for
    /// one more.
    fn of(cores: &[usize], nodes: &[Vec<usize>]) -> Self {
        let own = |node: &Vec<usize>| -> Vec<usize> {
            cores.iter().copied().filter(|core| node.contains(core)).collect()
        };
        let is_known = |core: &&usize| nodes.iter().any(|node| node.contains(core));
        let rest: Vec<usize> = cores.iter().filter(|core| !is_known(core)).copied().collect();
        let all = nodes.iter().map(own).chain([rest]);
        Self { nodes: all.filter(|node| !node.is_empty()).collect() }
    }

    /// Of each node with cores, these.
    #[must_use]
    pub fn nodes(&self) -> &[Vec<usize>] {
        &self.nodes
    }

    /// All cores, those of a node beside each other: workers that are bound in this order have
    /// neighbours on their own socket.
    #[must_use]
    pub fn cores(&self) -> Vec<usize> {
        self.nodes.concat()
    }
}

/// The cores of each node in the folder `nodes`, in the order of their numbers; none where there is
/// no such folder.
fn read(nodes: &Path) -> Vec<Vec<usize>> {
    let entries = fs::read_dir(nodes).into_iter().flatten().flatten();
    let mut found: Vec<(usize, Vec<usize>)> = entries
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
            let list = fs::read_to_string(entry.path().join("cpulist")).ok()?;
            Some((number, cores_in(&list)))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, cores)| cores).collect()
}

/// The numbers of a list such as `0-3,8`; what is none is passed over.
fn cores_in(list: &str) -> Vec<usize> {
    let part = |part: &str| -> Option<Vec<usize>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some((first..=last.min(super::cores::MOST)).collect())
    };
    list.trim().split(',').filter_map(part).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder as Linux has it, with these lists.
    fn folder(lists: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("online"), "0-1").expect("written");
        for (node, list) in lists {
            fs::create_dir(folder.path().join(node)).expect("made");
            fs::write(folder.path().join(node).join("cpulist"), list).expect("written");
        }
        folder
    }

    #[test]
    fn cores_of_a_socket_stand_beside_each_other() {
        // Even numbers on one socket, odd ones on the other, as some machines have them.
        let folder = folder(&[("node10", "8"), ("node0", "0,2,4-4,6\n"), ("node1", "1,3,5,7\n")]);
        let nodes = read(folder.path());
        assert_eq!(nodes, [vec![0, 2, 4, 6], vec![1, 3, 5, 7], vec![8]]);
        let all = Topology::of(&[0, 1, 2, 3, 4, 5, 6, 7], &nodes);
        assert_eq!(all.nodes().len(), 2);
        assert_eq!(all.cores(), [0, 2, 4, 6, 1, 3, 5, 7]);
        // A process that may use some of them, and one that nobody lists.
        assert_eq!(Topology::of(&[1, 2, 3, 9], &nodes).nodes(), [vec![2], vec![1, 3], vec![9]]);
    }

    #[test]
    fn without_nodes_all_cores_are_one() {
        let nothing = Path::new("/nowhere");
        assert_eq!(Topology::of(&[3, 5], &read(nothing)).nodes(), [vec![3, 5]]);
        let strange =
            folder(&[("node0", "\n"), ("node1", "x-3,,7-5,4"), ("node2", "9-99999999999")]);
        let nodes = read(strange.path());
        assert_eq!((&nodes[0], &nodes[1]), (&vec![], &vec![4]));
        assert_eq!(Topology::of(&[3, 4], &nodes).nodes(), [vec![4], vec![3]]);
    }

    #[test]
    fn every_core_that_may_be_used_is_there() {
        let mut cores = Topology::of_this_thread().cores();
        cores.sort_unstable();
        assert_eq!(cores, allowed_cores());
    }
}
