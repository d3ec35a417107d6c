//! The way from the root group to the header of a data set, by links that are stored in the usual
//! ways.

use rust_hdf5::format::FormatContext;
use rust_hdf5::format::btree_v1::BTreeV1Node;
use rust_hdf5::format::dense_link::read_dense_links;
use rust_hdf5::format::local_heap::LocalHeapHeader;
use rust_hdf5::format::messages::link::{LinkMessage, LinkTarget};
use rust_hdf5::format::messages::link_info::LinkInfoMessage;
use rust_hdf5::format::messages::{MSG_LINK, MSG_LINK_INFO, MSG_SYMBOL_TABLE};
use rust_hdf5::format::superblock::SymbolTableCache;
use rust_hdf5::format::symbol_table::SymbolTableNode;

use super::headers::{Bytes, number};
use super::index::Blocks;

/// Bytes of an address and of a length.
const WIDTH: usize = 8;
/// Deepest tree of names that is followed.
const DEEPEST: usize = 16;

impl Bytes<'_> {
    /// Address of the header of the data set at `path`; none if it is reached in an unusual way.
    pub(super) fn header_of(self, path: &str) -> Option<u64> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        parts.clone().try_fold(self.superblock.root?, |group, name| self.child(group, name))
    }

    /// Address of the header of the object that the group at `group` calls `name`.
    fn child(self, group: u64, name: &str) -> Option<u64> {
        let messages = self.messages(group)?;
        if let Some(table) = messages.iter().find(|message| message.number == MSG_SYMBOL_TABLE) {
            let (tree, heap) = table.data.get(..2 * WIDTH)?.split_at(WIDTH);
            let heap = self.at(number(heap), 8 + 3 * WIDTH as u64)?;
            let heap = LocalHeapHeader::decode(&heap, WIDTH, WIDTH).ok()?;
            return self.in_tree(number(tree), heap.data_addr, name, DEEPEST);
        }
        let context = FormatContext::default_v3();
        let links = messages.iter().filter(|message| message.number == MSG_LINK);
        let links = links.filter_map(|message| LinkMessage::decode(&message.data, &context).ok());
        // Of a group with many links they stand elsewhere.
        let info = messages.iter().find(|message| message.number == MSG_LINK_INFO);
        let info = info.and_then(|message| LinkInfoMessage::decode(&message.data, &context).ok());
        let many =
            info.and_then(|(info, _)| read_dense_links(&info, &context, &mut Blocks(self)).ok());
        links.map(|(link, _)| link).chain(many.into_iter().flatten()).find_map(|link| {
            match link.target {
                LinkTarget::Hard { address } if link.name == name => Some(address),
                _ => None,
            }
        })
    }

    /// Looks for `name` below a node of a group's tree.
    fn in_tree(self, node: u64, names: u64, name: &str, depth: usize) -> Option<u64> {
        let start = self.at(node, 8)?;
        let used = number(&start[6..8]);
        if start.starts_with(b"SNOD") {
            let bytes = self.at(node, 8 + used * (2 * WIDTH as u64 + 24))?;
            let table = SymbolTableNode::decode(&bytes, WIDTH, WIDTH, u16::MAX).ok()?;
            let found = table.entries.iter().find(|entry| {
                let is_link = matches!(entry.cache, SymbolTableCache::SoftLink { .. });
                !is_link && self.is_called(names, entry.name_offset, name)
            })?;
            return Some(found.obj_header_addr);
        }
        let bytes = self.at(node, 8 + WIDTH as u64 * (2 + 2 * used + 1))?;
        let node = BTreeV1Node::decode(&bytes, WIDTH, WIDTH, u16::MAX).ok()?;
        let depth = depth.checked_sub(1)?;
        node.children.iter().find_map(|&child| self.in_tree(child, names, name, depth))
    }

    /// Whether `name` and a zero stand at `offset` of the heap of names.
    fn is_called(self, names: u64, offset: u64, name: &str) -> bool {
        let stored = names.checked_add(offset).and_then(|at| self.at(at, name.len() as u64 + 1));
        stored.is_some_and(|stored| stored.strip_suffix(&[0]) == Some(name.as_bytes()))
    }
}
