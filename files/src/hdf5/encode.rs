//! Chunks made of blocks: filled up at the edges, shuffled and deflated.

use libdeflater::{CompressionLvl, Compressor};

use super::sink::Compression;
use crate::source::Block;

/// Makes what the file holds of a chunk; each thread may have one, while one writes.
pub struct ChunkEncoder {
    shape: [usize; 2],
    chunk: [usize; 2],
    entry_bytes: usize,
    compression: Compression,
    deflate: Option<Compressor>,
    /// The chunk, entry by entry, and shuffled.
    image: Vec<u8>,
    planes: Vec<u8>,
}

impl ChunkEncoder {
    /// For chunks of a matrix of that shape, with entries of so many bytes.
    pub(super) fn new(
        shape: [usize; 2],
        chunk: [usize; 2],
        entry_bytes: usize,
        compression: Compression,
    ) -> Self {
        let deflate = match compression {
            Compression::None => None,
            Compression::Gzip(level) => {
                let level = CompressionLvl::new(level.clamp(1, 9).into());
                Some(Compressor::new(level.expect("levels from 1 to 9 exist")))
            }
        };
        let (image, planes) = (Vec::new(), Vec::new());
        Self { shape, chunk, entry_bytes, compression, deflate, image, planes }
    }

    /// What the file holds of `block`, whose entries these are, row by row without gaps.
    ///
    /// # Panics
    /// If the block is none of those that the sink takes, or there are not as many entries.
    pub fn encode(&mut self, block: &Block, entries: &[u8]) -> Vec<u8> {
        assert_block(self.shape, self.chunk, block);
        assert_eq!(entries.len(), block.entries() * self.entry_bytes, "bytes of the block");
        let (from, to) = (block.columns.len() * self.entry_bytes, self.chunk[1] * self.entry_bytes);
        self.image.clear();
        self.image.resize(self.chunk[0] * to, 0);
        let lines = self.image.chunks_exact_mut(to).zip(entries.chunks_exact(from.max(1)));
        lines.for_each(|(to, line)| to[..from].copy_from_slice(line));
        let Some(deflate) = &mut self.deflate else { return self.image.clone() };
        let count = self.image.len() / self.entry_bytes;
        self.planes.clear();
        for byte in 0..self.entry_bytes {
            self.planes.extend(self.image.iter().skip(byte).step_by(self.entry_bytes));
        }
        debug_assert_eq!(self.planes.len(), count * self.entry_bytes);
        let mut encoded = vec![0; deflate.zlib_compress_bound(self.planes.len())];
        let length = deflate.zlib_compress(&self.planes, &mut encoded);
        encoded.truncate(length.expect("there is room for the worst case"));
        encoded
    }
}

impl Clone for ChunkEncoder {
    fn clone(&self) -> Self {
        Self::new(self.shape, self.chunk, self.entry_bytes, self.compression)
    }
}

impl std::fmt::Debug for ChunkEncoder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { shape, chunk, compression, .. } = self;
        write!(out, "ChunkEncoder({chunk:?} of {shape:?}, {compression:?})")
    }
}

/// # Panics
/// If `block` is not one of the blocks of shape `grain` that a matrix of that shape is cut into.
pub(super) fn assert_block(shape: [usize; 2], grain: [usize; 2], block: &Block) {
    for (axis, range) in [&block.rows, &block.columns].into_iter().enumerate() {
        let (length, grain) = (shape[axis], grain[axis]);
        let expected = range.start..(range.start + grain).min(length);
        assert!(
            range.start.is_multiple_of(grain) && range.start < length && *range == expected,
            "{range:?} is no piece of {grain} of 0..{length}"
        );
    }
}
