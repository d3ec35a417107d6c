//! What the pixels of a TIFF file are, and in which chunks (strips or tiles) they stand.

use std::io;

use super::super::{damaged, unreadable};
use super::decode::{Compression, Predictor};
use super::directory::Directory;

/// Kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Unsigned,
    Signed,
    Float,
}

/// How pixels are stored.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Pixels to the right and down.
    pub(super) size: [u64; 2],
    /// Values of a pixel.
    pub(super) bands: usize,
    /// The kind of a value and its bytes.
    pub(super) kind: Kind,
    pub(super) bytes: usize,
    /// Pixels of a chunk.
    pub(super) chunk: [u64; 2],
    /// Whether a chunk has the values of one band alone.
    pub(super) is_planar: bool,
    /// Whether chunks at the lower end have all rows, as tiles do.
    is_tiled: bool,
    pub(super) compression: Compression,
    pub(super) predictor: Predictor,
    /// Where each chunk is in the file, and its bytes; none for one that was never written.
    chunks: Vec<(u64, u64)>,
}

impl Layout {
    /// That of the pixels of `directory`.
    pub(super) fn read(directory: &Directory) -> io::Result<Self> {
        let size = [directory.one(256, 0)?, directory.one(257, 0)?];
        let bands = directory.one(277, 1)?;
        let is_sane = size.iter().all(|&side| side > 0 && side <= u64::from(u32::MAX));
        if !is_sane || bands == 0 || bands > u64::from(u16::MAX) {
            let [width, height] = size;
            return Err(damaged(format!("it has {width} x {height} pixels of {bands} values")));
        }
        let (kind, bytes) = kind(directory)?;
        let is_planar = match directory.one(284, 1)? {
            1 => false,
            2 => bands > 1,
            other => return Err(damaged(format!("its planar configuration is {other}"))),
        };
        let is_tiled = !directory.unsigned(324)?.is_empty();
        let (chunk, tags) = if is_tiled {
            ([directory.one(322, 0)?, directory.one(323, 0)?], (324, 325))
        } else {
            ([size[0], directory.one(278, size[1])?.min(size[1])], (273, 279))
        };
        if chunk.iter().any(|&side| side == 0 || side > u64::from(u32::MAX)) {
            return Err(damaged(format!("its chunks have {} x {} pixels", chunk[0], chunk[1])));
        }
        let (offsets, counts) = (directory.unsigned(tags.0)?, directory.unsigned(tags.1)?);
        let planes = if is_planar { bands } else { 1 };
        // No overflow: the sides have 32 bits.
        let expected = u128::from(size[0].div_ceil(chunk[0]) * size[1].div_ceil(chunk[1]));
        let expected = expected * u128::from(planes);
        if offsets.len() as u128 != expected || counts.len() != offsets.len() {
            return Err(damaged(format!(
                "its size takes {expected} strips or tiles, and it lists {} places and {} lengths",
                offsets.len(),
                counts.len()
            )));
        }
        Ok(Self {
            size,
            bands: bands as usize,
            kind,
            bytes,
            chunk,
            is_planar,
            is_tiled,
            compression: Compression::of(directory.one(259, 1)?)?,
            predictor: Predictor::of(directory.one(317, 1)?, kind)?,
            chunks: offsets.into_iter().zip(counts).collect(),
        })
    }

    /// Chunks beside each other.
    pub(super) fn across(&self) -> u64 {
        self.size[0].div_ceil(self.chunk[0])
    }

    /// Values of a pixel in a chunk.
    pub(super) fn together(&self) -> usize {
        if self.is_planar { 1 } else { self.bands }
    }

    /// Bytes of a row of a chunk.
    pub(super) fn row_bytes(&self) -> u128 {
        u128::from(self.chunk[0]) * self.together() as u128 * self.bytes as u128
    }

    /// Rows of pixels that are in the chunks of the row `down` of them.
    pub(super) fn rows(&self, down: u64) -> u64 {
        self.chunk[1].min(self.size[1] - down * self.chunk[1])
    }

    /// Rows that such a chunk stores.
    pub(super) fn stored_rows(&self, down: u64) -> u64 {
        if self.is_tiled { self.chunk[1] } else { self.rows(down) }
    }

    /// Where the chunk at `across`, `down` of a plane is; none if it was never written.
    pub(super) fn place(&self, [across, down]: [u64; 2], plane: usize) -> Option<(u64, u64)> {
        let of_plane = self.across() * self.size[1].div_ceil(self.chunk[1]);
        let index = plane as u64 * of_plane + down * self.across() + across;
        let (offset, count) = self.chunks[index as usize];
        (offset != 0 && count != 0).then_some((offset, count))
    }

    /// The value whose bytes these are, the least first.
    pub(super) fn value(&self, bytes: &[u8]) -> f64 {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let word = u64::from_le_bytes(word);
        match (self.kind, self.bytes) {
            (Kind::Unsigned, _) => word as f64,
            (Kind::Signed, 1) => f64::from(word as u8 as i8),
            (Kind::Signed, 2) => f64::from(word as u16 as i16),
            (Kind::Signed, 4) => f64::from(word as u32 as i32),
            (Kind::Signed, _) => word as i64 as f64,
            (Kind::Float, 4) => f64::from(f32::from_bits(word as u32)),
            (Kind::Float, _) => f64::from_bits(word),
        }
    }

    /// What is said of the numbers.
    pub(super) fn kind_name(&self) -> String {
        let name = match self.kind {
            Kind::Unsigned => "uint",
            Kind::Signed => "int",
            Kind::Float => "float",
        };
        format!("{name}{}", 8 * self.bytes)
    }
}

/// The kind of all values, and its bytes.
fn kind(directory: &Directory) -> io::Result<(Kind, usize)> {
    let (mut bits, mut formats) = (directory.unsigned(258)?, directory.unsigned(339)?);
    bits.dedup();
    formats.dedup();
    let (bits, format) = match (bits.as_slice(), formats.as_slice()) {
        ([], [] | [_]) => (1, 1),
        ([bits], []) => (*bits, 1),
        ([bits], [format]) => (*bits, *format),
        _ => {
            return Err(unreadable(
                "its bands are of different kinds: give them one (gdal_translate -ot Float64)",
            ));
        }
    };
    match (format, bits) {
        (1 | 4, 8 | 16 | 32 | 64) => Ok((Kind::Unsigned, bits as usize / 8)),
        (2, 8 | 16 | 32 | 64) => Ok((Kind::Signed, bits as usize / 8)),
        (3, 32 | 64) => Ok((Kind::Float, bits as usize / 8)),
        (5 | 6, _) => Err(unreadable(
            "its values are complex: write their parts as bands (gdal_calc.py --calc=\"real(A)\")",
        )),
        _ => Err(unreadable(format!(
            "its values have {bits} bits, and those of 8, 16, 32 and 64 are read (of floats 32 and \
             64): gdal_translate -ot Float32 makes others of them"
        ))),
    }
}
