//! Sets of nodes by name: `14chetemi+7chifflet`.

use super::{ClusterError, ClusterNode, MOST_NODES};
use crate::platform::Node;

/// The nodes that `set` names, with their counts, in the order in which they are written. One
/// without a count is one node.
pub(super) fn parse(set: &str) -> Result<Vec<(usize, ClusterNode)>, ClusterError> {
    set.split('+').map(|part| nodes(set, part.trim())).collect()
}

fn nodes(set: &str, part: &str) -> Result<(usize, ClusterNode), ClusterError> {
    let wrong = |why| Err(ClusterError::Set { set: set.to_owned(), part: part.to_owned(), why });
    let name = part.trim_start_matches(|c: char| c.is_ascii_digit());
    let count = &part[..part.len() - name.len()];
    if name.is_empty() {
        return wrong("this names no node");
    }
    let count = if count.is_empty() { Some(1) } else { count.parse().ok() };
    match count {
        Some(0) => wrong("there are 0 of it"),
        Some(count) if count <= MOST_NODES => Ok((count, ClusterNode::new(Node::find(name)?)?)),
        _ => wrong("these are more than 65535"),
    }
}
