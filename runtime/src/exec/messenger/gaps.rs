//! Contents with gaps between their lines, blocks of the program's own memory, as messages see
//! them: they go and come as slices.
#![allow(unsafe_code)]

use std::collections::hash_map::HashMap;
use std::ptr::NonNull;

use crate::flow::Space;
use crate::memory::HandleSlot;

/// A part of the contents of `slot`, which has gaps, as a slice; `None` if it has none. A message
/// in the flow keeps the contents as they are meanwhile.
pub(super) fn without_gaps(slot: &HandleSlot, first: usize, bytes: usize) -> Option<Box<[u8]>> {
    let block = slot.gapped()?;
    let mut copy: Box<[u8]> = vec![0; bytes].into();
    // SAFETY: nobody writes what a message sends.
    unsafe { block.copy_out(first, &mut copy) };
    Some(copy)
}

/// Gives a datum, whose buffer is `memory`, the `contents` that a message brings; the message in
/// the flow alone has access to it.
///
/// # Panics
/// If it is not as long as they are.
pub(super) fn fill(slot: &HandleSlot, memory: NonNull<u8>, contents: &[u8]) {
    let bytes = slot.bytes();
    assert!(bytes == contents.len(), "{} bytes for a datum of {bytes}", contents.len());
    // SAFETY: the message in the flow alone has access to the memory, which is as long as the
    // contents.
    unsafe {
        match slot.gapped() {
            Some(block) => block.copy_in(contents),
            None => memory.copy_from_nonoverlapping(NonNull::from(contents).cast(), bytes),
        }
    }
}

/// What comes in parts for contents with gaps, by the message that receives it.
#[derive(Default)]
pub(super) struct Landed(HashMap<u32, Box<[u8]>>);

impl Landed {
    /// Where to receive what is for contents with gaps; `None` if they have none.
    pub(super) fn room(&mut self, space: &Space, node: u32) -> Option<NonNull<u8>> {
        let slot = space.handles.get(space.task(node).handles[0]);
        slot.gapped()?;
        let room = self.0.entry(node).or_insert_with(|| vec![0; slot.bytes()].into());
        Some(NonNull::from(&mut **room).cast())
    }

    /// All has come.
    pub(super) fn take(&mut self, space: &Space, node: u32) {
        if let Some(contents) = self.0.remove(&node) {
            let slot = space.handles.get(space.task(node).handles[0]);
            let memory = slot.buffer().expect("a block is lent");
            fill(slot, memory, &contents);
        }
    }
}
