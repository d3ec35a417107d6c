//! GeoTIFFs of any layout, and such that are refused.

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};
use weezl::{BitOrder, encode::Encoder};

use crate::{columns, read_with, refused};

/// A TIFF in the making: width, height, tags with a kind and values, and chunks.
#[derive(Clone)]
struct Tiff {
    is_big_endian: bool,
    tags: Vec<(u16, u16, Vec<f64>)>,
    chunks: Vec<Vec<u8>>,
}

const SHORT: u16 = 3;
const LONG: u16 = 4;
const DOUBLE: u16 = 12;

impl Tiff {
    /// One of 3 x 2 values of 16 bits in strips of one row, at x 0.5 to 2.5, y 0.5 and 1.5.
    fn new(is_big_endian: bool) -> Self {
        let tags = vec![
            (256, LONG, vec![3.0]),
            (257, LONG, vec![2.0]),
            (258, SHORT, vec![16.0]),
            (259, SHORT, vec![1.0]),
            (277, SHORT, vec![1.0]),
            (278, LONG, vec![1.0]),
            (33550, DOUBLE, vec![1.0, 1.0, 0.0]),
            (33922, DOUBLE, vec![0.0, 0.0, 0.0, 0.0, 2.0, 0.0]),
        ];
        let mut tiff = Self { is_big_endian, tags, chunks: Vec::new() };
        tiff.chunks = [[4, 5, 60_000], [1, 2, 3]].map(|row| tiff.shorts(&row)).to_vec();
        tiff
    }

    fn shorts(&self, values: &[u16]) -> Vec<u8> {
        let bytes = |value: &u16| {
            if self.is_big_endian { value.to_be_bytes() } else { value.to_le_bytes() }
        };
        values.iter().flat_map(bytes).collect()
    }

    /// With these values of a tag, or without it.
    fn with(mut self, tag: u16, kind: u16, values: &[f64]) -> Self {
        self.tags.retain(|(other, ..)| *other != tag);
        if !values.is_empty() {
            self.tags.push((tag, kind, values.to_vec()));
        }
        self
    }

    fn number(&self, kind: u16, value: f64) -> Vec<u8> {
        let mut bytes = match kind {
            SHORT => (value as u16).to_le_bytes().to_vec(),
            LONG => (value as u32).to_le_bytes().to_vec(),
            DOUBLE => value.to_le_bytes().to_vec(),
            _ => vec![value as u8],
        };
        if self.is_big_endian {
            bytes.reverse();
        }
        bytes
    }

    fn bytes(&self) -> Vec<u8> {
        let is_tiled = self.tags.iter().any(|(tag, ..)| *tag == 322);
        let (offsets, counts) = if is_tiled { (324, 325) } else { (273, 279) };
        let mut place = 8;
        let mut bytes = if self.is_big_endian { b"MM\0*".to_vec() } else { b"II*\0".to_vec() };
        let chunks = self.chunks.concat();
        bytes.extend(self.number(LONG, (8 + chunks.len()) as f64));
        bytes.extend(&chunks);
        let mut tags = self.tags.clone();
        let places = self.chunks.iter().map(|chunk| {
            place += chunk.len();
            (place - chunk.len()) as f64
        });
        let places: Vec<f64> = places.collect();
        let lengths = self.chunks.iter().map(|chunk| chunk.len() as f64).collect();
        for (tag, values) in [(offsets, places), (counts, lengths)] {
            if !tags.iter().any(|(other, ..)| *other == tag) {
                tags.push((tag, LONG, values));
            }
        }
        let mut outside = Vec::new();
        let first = bytes.len() + 2 + 12 * tags.len() + 4;
        bytes.extend(self.number(SHORT, tags.len() as f64));
        for (tag, kind, values) in &tags {
            let mut field: Vec<u8> =
                values.iter().flat_map(|&value| self.number(*kind, value)).collect();
            if field.len() > 4 {
                let at = self.number(LONG, (first + outside.len()) as f64);
                outside.extend(field);
                field = at;
            }
            field.resize(4, 0);
            bytes.extend(self.number(SHORT, f64::from(*tag)));
            bytes.extend(self.number(SHORT, f64::from(*kind)));
            bytes.extend(self.number(LONG, values.len() as f64));
            bytes.extend(field);
        }
        bytes.extend([0; 4]);
        bytes.extend(outside);
        bytes
    }
}

/// The values of the column `band1` of a table of places in order.
fn values(tiff: &Tiff) -> Vec<f64> {
    let table = read_with(&tiff.bytes(), 1 << 26).unwrap_or_else(|error| panic!("{error}"));
    let columns = columns(&table);
    assert_eq!(columns[0], ("x".to_owned(), vec![0.5, 1.5, 2.5, 0.5, 1.5, 2.5]));
    assert_eq!(columns[1], ("y".to_owned(), vec![0.5, 0.5, 0.5, 1.5, 1.5, 1.5]));
    assert_eq!(columns[2].0, "band1");
    columns[2].1.clone()
}

type Compress<'a> = &'a dyn Fn(&Vec<u8>) -> Vec<u8>;

const EXPECTED: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 60_000.0];

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Strips in either byte order, by each compression; differences of neighbours.
#[test]
fn strips_of_each_compression_hold_the_same() {
    for is_big_endian in [false, true] {
        let tiff = Tiff::new(is_big_endian);
        assert_eq!(values(&tiff), EXPECTED);
        let lzw = |bytes: &Vec<u8>| {
            Encoder::with_tiff_size_switch(BitOrder::Msb, 8).encode(bytes).expect("memory")
        };
        let packed = |bytes: &Vec<u8>| [&[5][..], bytes].concat();
        let zip = |bytes: &Vec<u8>| deflated(bytes);
        let ways: [(f64, Compress<'_>); 4] =
            [(5.0, &lzw), (8.0, &zip), (32946.0, &zip), (32773.0, &packed)];
        for (code, compress) in ways {
            let mut other = tiff.clone().with(259, SHORT, &[code]);
            other.chunks = tiff.chunks.iter().map(compress).collect();
            assert_eq!(values(&other), EXPECTED, "compression {code}");
        }
        let mut other = tiff.clone().with(317, SHORT, &[2.0]).with(259, SHORT, &[8.0]);
        let rows = [[4, 1, 59_995], [1, 1, 1]];
        other.chunks = rows.map(|row| deflated(&tiff.shorts(&row))).to_vec();
        assert_eq!(values(&other), EXPECTED, "differences");
    }
}

/// Tiles go over the edge; one that was never written has no value, or zeros.
#[test]
fn tiles_are_cut_at_the_edge() {
    let tiff = Tiff::new(false).with(278, 0, &[]);
    let mut tiff = tiff.with(322, LONG, &[2.0]).with(323, LONG, &[2.0]);
    tiff.chunks = vec![tiff.shorts(&[4, 5, 1, 2]), tiff.shorts(&[60_000, 9, 3, 9])];
    assert_eq!(values(&tiff), EXPECTED);
    tiff.chunks[1].clear();
    assert_eq!(values(&tiff), [1.0, 2.0, 0.0, 4.0, 5.0, 0.0]);
    let tiff = tiff.with(42113, 2, &[b'7'.into(), 0.0]);
    let table = read_with(&tiff.bytes(), 1 << 26).expect("a raster");
    assert_eq!(columns(&table)[2].1, [1.0, 2.0, 4.0, 5.0]);
    assert!(table.describe().contains("2 pixels without a value left out"));
}

/// Pixels by their corner, by their centre, by a matrix, from the south up, in degrees; bands one
/// after the other; a value that stands for none.
#[test]
fn places_and_bands_are_found() {
    let points = Tiff::new(false).with(33922, DOUBLE, &[0.0, 0.0, 0.0, 0.5, 1.5, 0.0]).with(
        34735,
        SHORT,
        &[1.0, 1.0, 0.0, 1.0, 1025.0, 0.0, 1.0, 2.0],
    );
    assert_eq!(values(&points), EXPECTED);
    let by_matrix = |dy: f64, y: f64| {
        let matrix = [1.0, 0.0, 0.0, 0.0, 0.0, dy, 0.0, y, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        Tiff::new(false).with(33550, 0, &[]).with(33922, 0, &[]).with(34264, DOUBLE, &matrix)
    };
    assert_eq!(values(&by_matrix(-1.0, 2.0)), EXPECTED);
    assert_eq!(values(&by_matrix(1.0, 0.0)), [4.0, 5.0, 60_000.0, 1.0, 2.0, 3.0]);
    let degrees = Tiff::new(false).with(34735, SHORT, &[1.0, 1.0, 0.0, 1.0, 1024.0, 0.0, 1.0, 2.0]);
    let table = read_with(&degrees.bytes(), 1 << 26).expect("a raster");
    assert_eq!(table.names(), ["lon", "lat", "band1"]);
    let mut two = Tiff::new(false)
        .with(277, SHORT, &[2.0])
        .with(258, SHORT, &[16.0, 16.0])
        .with(284, SHORT, &[2.0])
        .with(42113, 2, &[b'5'.into(), 0.0]);
    let more = two.chunks.iter().rev().cloned().collect::<Vec<_>>();
    two.chunks.extend(more);
    let table = read_with(&two.bytes(), 1 << 26).expect("a raster");
    let columns = columns(&table);
    assert_eq!([&*columns[2].0, &*columns[3].0], ["band1", "band2"]);
    assert!(columns[2].1[4].is_nan() && columns[3].1[1].is_nan());
    assert_eq!(columns[3].1[2..], [60_000.0, 1.0, 2.0, 3.0]);
}

#[test]
fn what_no_table_can_be_made_of_is_refused() {
    let tiff = || Tiff::new(false);
    let none = |tiff: Tiff| tiff.with(33550, 0, &[]).with(33922, 0, &[]);
    let matrix = [0.9, 0.1, 0.0, 0.0, -0.1, 0.9, 0.0, 0.0];
    let matrix = [&matrix[..], &[0.0; 8]].concat();
    let ties: Vec<f64> = (0..18).map(f64::from).collect();
    for (tiff, words) in [
        (none(tiff()), "does not say where its pixels are"),
        (none(tiff()).with(34264, DOUBLE, &matrix), "rotated or sheared"),
        (none(tiff()).with(33922, DOUBLE, &ties), "gdalwarp"),
        (tiff().with(33550, DOUBLE, &[0.0, 1.0, 0.0]), "0 by -1 large"),
        (tiff().with(259, SHORT, &[7.0]), "compressed by JPEG"),
        (tiff().with(259, SHORT, &[50000.0]), "compressed by ZSTD"),
        (tiff().with(259, SHORT, &[77.0]), "compressed by number 77"),
        (tiff().with(339, SHORT, &[5.0]), "its values are complex"),
        (tiff().with(258, SHORT, &[1.0]), "its values have 1 bits"),
        (tiff().with(258, SHORT, &[]), "its values have 1 bits"),
        (tiff().with(339, SHORT, &[3.0]), "of floats 32 and 64"),
        (tiff().with(258, SHORT, &[16.0, 8.0]), "of different kinds"),
        (tiff().with(317, SHORT, &[3.0]), "its predictor is 3"),
        (tiff().with(256, LONG, &[0.0]), "it has 0 x 2 pixels"),
        (tiff().with(277, SHORT, &[0.0]), "of 0 values"),
        (tiff().with(284, SHORT, &[3.0]), "planar configuration is 3"),
        (tiff().with(257, LONG, &[3.0]), "takes 3 strips or tiles, and it lists 2 places"),
        (tiff().with(256, LONG, &[4.0]), "a chunk of 8 bytes cannot be in the 6 bytes"),
        (tiff().with(273, LONG, &[8.0, 4e9]), "6 bytes should stand at byte 4000000000"),
        (tiff().with(256, DOUBLE, &[3.0]), "tag 256 has values of kind 12"),
        (tiff().with(259, SHORT, &[5.0]), "damaged"),
        (tiff().with(259, SHORT, &[8.0]), "damaged"),
        (tiff().with(42113, 2, &[b'n'.into()]).with(259, SHORT, &[32773.0]), "bytes in a chunk"),
    ] {
        refused(&tiff.bytes(), words);
    }
}

/// A size that the file cannot hold is found before memory is taken for it, and one that it says
/// in few bytes (a tile that was never written) as rows come.
#[test]
fn sizes_are_held_against_the_file_and_the_memory() {
    let most = f64::from(u32::MAX);
    let wide = |side: f64| Tiff::new(false).with(256, LONG, &[side]).with(257, LONG, &[side]);
    refused(&wide(most).bytes(), "takes 4294967295 strips");
    let one = wide(most).with(278, LONG, &[most]).with(259, SHORT, &[8.0]);
    let mut one = one;
    one.chunks = vec![deflated(&[0; 600])];
    refused(&one.bytes(), "cannot be in the");
    one.chunks = vec![Vec::new()];
    refused(&one.bytes(), "allow more memory");
    let empty = one.with(42113, 2, &[b'0'.into(), 0.0]);
    refused(&empty.bytes(), "no pixel of it has a value");
    let bytes = Tiff::new(true).bytes();
    for length in 5..bytes.len() - 1 {
        let error = read_with(&bytes[..length], 1 << 26).expect_err("cut short").to_string();
        assert!(error.contains("damaged or was cut short"), "{length}: {error}");
    }
}
