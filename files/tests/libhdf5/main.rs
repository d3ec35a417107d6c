//! libhdf5 as an oracle: what it writes we read as it does, and it reads what we write.

mod instead;
mod layouts;
mod names;
mod sinks;

use std::path::{Path, PathBuf};

use hdf5_metno::{Dataset, Datatype, File, H5Type};
use rust_hdf5::{ByteOrder, DatatypeMessage, H5File};
use tegula_files::source::{Block, Source, SourceError};
use tegula_kernels::element::Element;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

fn path(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

/// Number `index` of those that look like chance (Steele et al., "Fast splittable pseudorandom
/// number generators", 2014), below `bound`.
fn below(seed: u64, index: usize, bound: u64) -> u64 {
    let mut bits = seed.wrapping_add((index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ bits >> 31) % bound
}

/// Number `index` of kind `element`, as a 64-bit float that it equals.
fn number(element: Element, seed: u64, index: usize) -> f64 {
    let whole = |least: i64, count: u64| (least + below(seed, index, count) as i64) as f64;
    match element {
        Element::U8 => whole(0, 1 << 8),
        Element::I8 => whole(-(1 << 7), 1 << 8),
        Element::U16 => whole(0, 1 << 16),
        Element::I16 => whole(-(1 << 15), 1 << 16),
        Element::U32 => whole(0, 1 << 32),
        Element::I32 => whole(-(1 << 31), 1 << 32),
        Element::U64 => whole(0, 1 << 53),
        Element::I64 => whole(-(1 << 52), 1 << 53),
        Element::F16 => whole(-2048, 4097) / 64.0,
        Element::F32 => whole(-(1 << 23), 1 << 24) / 1024.0,
        Element::F64 => whole(-(1 << 52), 1 << 53) / 1048576.0,
    }
}

/// `numbers` as kind `element` in the byte order of this machine.
fn bytes_of(element: Element, numbers: &[f64]) -> Vec<u8> {
    let mut bytes = vec![0; numbers.len() * element.bytes()];
    element.narrow(numbers, &mut bytes);
    bytes
}

/// What libhdf5 calls `element` in this byte order. It has names for the kinds of C alone, so
/// another library describes it in the file `type.h5` of `folder`.
fn datatype(folder: &Path, element: Element, is_big: bool) -> Datatype {
    let (size, bits) = (element.bytes() as u32, 8 * element.bytes() as u16);
    let byte_order = if is_big { ByteOrder::BigEndian } else { ByteOrder::LittleEndian };
    let float = |exponent_size: u8, mantissa_size: u8| DatatypeMessage::FloatingPoint {
        size,
        byte_order,
        sign_location: bits as u8 - 1,
        bit_offset: 0,
        bit_precision: bits,
        exponent_location: mantissa_size,
        exponent_size,
        mantissa_location: 0,
        mantissa_size,
        exponent_bias: (1 << (exponent_size - 1)) - 1,
    };
    let integer = |signed: bool| DatatypeMessage::FixedPoint {
        size,
        byte_order,
        signed,
        bit_offset: 0,
        bit_precision: bits,
    };
    let message = match element {
        Element::F16 => float(5, 10),
        Element::F32 => float(8, 23),
        Element::F64 => float(11, 52),
        Element::U8 | Element::U16 | Element::U32 | Element::U64 => integer(false),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => integer(true),
    };
    let path = folder.join("type.h5");
    let file = H5File::create(&path).expect("a file");
    let dataset = file.new_dataset::<u8>().datatype(message).shape([1]).create("x");
    dataset.expect("a data set").write_raw_bytes(&vec![0; element.bytes()]).expect("a number");
    file.close().expect("it is written");
    let file = File::open(&path).expect("a file");
    file.dataset("x").and_then(|dataset| dataset.dtype()).expect("a datatype")
}

/// Writes `numbers` into row `row` of `dataset` from its first column on; without a row, into one
/// of one dimension.
fn put(dataset: &Dataset, element: Element, row: Option<usize>, numbers: &[f64]) {
    fn with<T: H5Type>(dataset: &Dataset, row: Option<usize>, numbers: &[T]) {
        let columns = 0..numbers.len();
        let written = match row {
            Some(row) => dataset.write_slice(numbers, (row, columns)),
            None => dataset.write_slice(numbers, columns),
        };
        written.unwrap_or_else(|error| panic!("{error}"));
    }
    macro_rules! each {
        ($kind:ty) => {
            with(dataset, row, &numbers.iter().map(|&x| x as $kind).collect::<Vec<_>>())
        };
    }
    match element {
        Element::U8 => each!(u8),
        Element::I8 => each!(i8),
        Element::U16 => each!(u16),
        Element::I16 => each!(i16),
        Element::U32 => each!(u32),
        Element::I32 => each!(i32),
        Element::U64 => each!(u64),
        Element::I64 => each!(i64),
        Element::F16 | Element::F32 => each!(f32),
        Element::F64 => each!(f64),
    }
}

/// The bytes of `block` of `source`.
fn read(source: &dyn Source, block: &Block) -> Result<Vec<u8>, SourceError> {
    let mut bytes = vec![0xa5; block.entries() * source.element().bytes()];
    source.reader()?.read(block, &mut bytes)?;
    Ok(bytes)
}

/// Block number `index` of a matrix of that shape: rows and columns by chance, the whole matrix at
/// first.
fn block([m, n]: [usize; 2], seed: u64, index: usize) -> Block {
    let range = |length: usize, index: usize| {
        let start = below(seed, 2 * index, length as u64) as usize;
        start..start + 1 + below(seed, 2 * index + 1, (length - start) as u64) as usize
    };
    match index {
        0 => Block { rows: 0..m, columns: 0..n },
        _ => Block { rows: range(m, 2 * index), columns: range(n, 2 * index + 1) },
    }
}
