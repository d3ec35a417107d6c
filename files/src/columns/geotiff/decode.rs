//! The bytes of a chunk: decompressed, without predictor, least byte first.

use std::io::{self, Read};

use flate2::read::ZlibDecoder;
use weezl::{BitOrder, LzwStatus, decode::Decoder};

use super::super::{damaged, unreadable};
use super::layout::Kind;

/// How chunks are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Lzw,
    Deflate,
    PackBits,
}

/// What was done to values before they were compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Predictor {
    None,
    /// Each is less the one before it.
    Horizontal,
    /// Bytes of a row stand by their weight, each less the one before it.
    Float,
}

/// Names of compressions that are not read.
const OTHERS: [(u64, &str); 8] = [
    (2, "CCITT"),
    (6, "JPEG"),
    (7, "JPEG"),
    (34712, "JPEG 2000"),
    (34887, "LERC"),
    (34925, "LZMA"),
    (50000, "ZSTD"),
    (50001, "WebP"),
];

impl Compression {
    /// That of the number `code`.
    pub(super) fn of(code: u64) -> io::Result<Self> {
        Ok(match code {
            1 => Self::None,
            5 => Self::Lzw,
            8 | 32946 => Self::Deflate,
            32773 => Self::PackBits,
            _ => {
                let known = OTHERS.iter().find(|(other, _)| *other == code);
                let name = known.map_or_else(|| format!("number {code}"), |(_, n)| (*n).to_owned());
                return Err(unreadable(format!(
                    "its pixels are compressed by {name}, and read are DEFLATE, LZW, PackBits and \
                     none: gdal_translate -co COMPRESS=DEFLATE IN.tif OUT.tif writes it again"
                )));
            }
        })
    }

    /// How many times as many bytes as are stored can come of them at most.
    pub(super) fn most(self) -> u64 {
        match self {
            Self::None => 1,
            Self::Lzw => 3000,
            Self::Deflate => 1040,
            Self::PackBits => 64,
        }
    }

    /// The `length` bytes that `stored` was made of.
    pub(super) fn expand(self, stored: Vec<u8>, length: usize) -> io::Result<Vec<u8>> {
        let short = |found: usize| damaged(format!("{found} of {length} bytes in a chunk"));
        let mut bytes = match self {
            Self::None => stored,
            Self::Lzw => lzw(&stored, length)?,
            Self::Deflate => {
                let mut bytes = Vec::with_capacity(length);
                let read = ZlibDecoder::new(stored.as_slice()).take(length as u64);
                { read }.read_to_end(&mut bytes).map_err(damaged)?;
                bytes
            }
            Self::PackBits => pack_bits(&stored, length),
        };
        if bytes.len() < length {
            return Err(short(bytes.len()));
        }
        bytes.truncate(length);
        Ok(bytes)
    }
}

/// Lempel, Ziv and Welch, as TIFF 6.0 has it.
fn lzw(stored: &[u8], length: usize) -> io::Result<Vec<u8>> {
    let mut decoder = Decoder::with_tiff_size_switch(BitOrder::Msb, 8);
    let (mut bytes, mut taken, mut made) = (vec![0; length], 0, 0);
    while made < length {
        let result = decoder.decode_bytes(&stored[taken..], &mut bytes[made..]);
        taken += result.consumed_in;
        made += result.consumed_out;
        match result.status.map_err(damaged)? {
            LzwStatus::Ok => {}
            LzwStatus::Done | LzwStatus::NoProgress => break,
        }
    }
    bytes.truncate(made);
    Ok(bytes)
}

/// Runs of bytes (TIFF 6.0, section 9).
fn pack_bits(stored: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length);
    let mut rest = stored;
    while let [head, after @ ..] = rest
        && bytes.len() < length
    {
        let head = i16::from(*head as i8);
        rest = match (head, after) {
            (0.., _) => {
                let (those, rest) = after.split_at((head as usize + 1).min(after.len()));
                bytes.extend_from_slice(those);
                rest
            }
            (-127..=-1, [byte, rest @ ..]) => {
                bytes.resize(bytes.len() + (1 - head) as usize, *byte);
                rest
            }
            _ => after,
        };
    }
    bytes
}

impl Predictor {
    /// That of the number `code`, for values of this kind.
    pub(super) fn of(code: u64, kind: Kind) -> io::Result<Self> {
        match (code, kind) {
            (1, _) => Ok(Self::None),
            (2, _) => Ok(Self::Horizontal),
            (3, Kind::Float) => Ok(Self::Float),
            _ => Err(damaged(format!("its predictor is {code}, which these values have not"))),
        }
    }

    /// Undoes it in a row of pixels, each `together` values of `size` bytes, and puts the least
    /// byte of values first.
    pub(super) fn undo(self, row: &mut [u8], (together, size): (usize, usize), is_big: bool) {
        match self {
            Self::Float => {
                for place in together..row.len() {
                    row[place] = row[place].wrapping_add(row[place - together]);
                }
                let (shuffled, count) = (row.to_vec(), row.len() / size);
                for (place, value) in row.chunks_exact_mut(size).enumerate() {
                    for (byte, to) in value.iter_mut().enumerate() {
                        *to = shuffled[(size - 1 - byte) * count + place];
                    }
                }
            }
            Self::None | Self::Horizontal => {
                if is_big {
                    row.chunks_exact_mut(size).for_each(<[u8]>::reverse);
                }
                if self == Self::Horizontal {
                    sum(row, (together, size));
                }
            }
        }
    }
}

/// Adds to each value the one that stands `together` values before it, as whole numbers.
fn sum(row: &mut [u8], (together, size): (usize, usize)) {
    for place in together..row.len() / size {
        let (before, here) = row.split_at_mut(place * size);
        let before = &before[(place - together) * size..];
        let mut carry = 0;
        for (to, from) in here[..size].iter_mut().zip(before) {
            let total = u16::from(*to) + u16::from(*from) + carry;
            (*to, carry) = (total as u8, total >> 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_bytes_are_unpacked() {
        // The example of Apple's technical note 1023.
        let packed = b"\xfe\xaa\x02\x80\x00\x2a\xfd\xaa\x03\x80\x00\x2a\x22\xf7\xaa";
        let bytes = b"\xaa\xaa\xaa\x80\x00\x2a\xaa\xaa\xaa\xaa\x80\x00\x2a\x22\xaa\xaa\xaa\xaa\
                      \xaa\xaa\xaa\xaa\xaa\xaa";
        assert_eq!(pack_bits(packed, bytes.len()), bytes);
        assert_eq!(pack_bits(b"\x05ab", 6), b"ab");
    }

    #[test]
    fn predictors_are_undone() {
        let mut row = [250u16, 10, 65535, 3].map(u16::to_be_bytes).concat();
        Predictor::Horizontal.undo(&mut row, (1, 2), true);
        assert_eq!(row, [250u16, 260, 259, 262].map(u16::to_le_bytes).concat());
        let values = [1.5f32, -2.25];
        let weights: Vec<u8> =
            (0..4).flat_map(|byte| values.map(|value| value.to_be_bytes()[byte])).collect();
        let mut row = weights.clone();
        for place in (1..row.len()).rev() {
            row[place] = weights[place].wrapping_sub(weights[place - 1]);
        }
        Predictor::Float.undo(&mut row, (1, 4), false);
        assert_eq!(row, values.map(f32::to_le_bytes).concat());
    }

    #[test]
    fn what_ends_too_early_is_damaged() {
        for compression in
            [Compression::None, Compression::Lzw, Compression::Deflate, Compression::PackBits]
        {
            let error = compression.expand(vec![0x80], 100).expect_err("too short");
            assert!(error.to_string().contains("damaged"), "{error}");
        }
    }
}
