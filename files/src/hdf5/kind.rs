//! Which numbers a data set holds, by the class and the layout of its type, not by its size.

use rust_hdf5::{ByteOrder, DatatypeMessage};
use tegula_kernels::element::Element;

/// Numbers as they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) element: Element,
    /// Whether the bytes stand in the other order than in this machine.
    pub(super) is_swapped: bool,
}

impl Kind {
    /// The kind of numbers that `datatype` describes.
    ///
    /// # Errors
    /// If it describes something else: the text says what.
    pub(super) fn of(datatype: &DatatypeMessage) -> Result<Self, String> {
        let (element, order) = match datatype {
            DatatypeMessage::FixedPoint { size, byte_order, signed, bit_offset, bit_precision } => {
                let is_whole = *bit_offset == 0 && u32::from(*bit_precision) == size * 8;
                let element = integer(*size, *signed).filter(|_| is_whole);
                let words = || format!("integers of {bit_precision} bits in {size} bytes");
                (element.ok_or_else(words)?, byte_order)
            }
            DatatypeMessage::FloatingPoint {
                size,
                byte_order,
                bit_offset: 0,
                exponent_size,
                mantissa_size,
                exponent_bias,
                ..
            } => {
                let element = float(*size, (*exponent_size, *mantissa_size, *exponent_bias));
                let words = || {
                    let (exponent, mantissa) = (exponent_size, mantissa_size);
                    format!(
                        "floats of {size} bytes, {exponent} of exponent and {mantissa} of fraction bits"
                    )
                };
                (element.ok_or_else(words)?, byte_order)
            }
            other => return Err(words(other)),
        };
        let is_big = matches!(order, ByteOrder::BigEndian);
        Ok(Self { element, is_swapped: is_big != cfg!(target_endian = "big") })
    }

    /// Turns stored numbers into those of this machine, in place.
    pub(super) fn to_native(self, entries: &mut [u8]) {
        if self.is_swapped {
            match self.element.bytes() {
                2 => swap::<2>(entries),
                4 => swap::<4>(entries),
                8 => swap::<8>(entries),
                _ => {}
            }
        }
    }
}

fn swap<const N: usize>(entries: &mut [u8]) {
    entries.as_chunks_mut::<N>().0.iter_mut().for_each(|number| number.reverse());
}

fn integer(size: u32, is_signed: bool) -> Option<Element> {
    Some(match (size, is_signed) {
        (1, false) => Element::U8,
        (1, true) => Element::I8,
        (2, false) => Element::U16,
        (2, true) => Element::I16,
        (4, false) => Element::U32,
        (4, true) => Element::I32,
        (8, false) => Element::U64,
        (8, true) => Element::I64,
        _ => return None,
    })
}

/// By size and bits of exponent, bits of fraction and bias, as IEEE 754 has them.
fn float(size: u32, layout: (u8, u8, u32)) -> Option<Element> {
    match (size, layout) {
        (2, (5, 10, 15)) => Some(Element::F16),
        (4, (8, 23, 127)) => Some(Element::F32),
        (8, (11, 52, 1023)) => Some(Element::F64),
        _ => None,
    }
}

/// What a data set holds that is no matrix of numbers.
fn words(datatype: &DatatypeMessage) -> String {
    let words = match datatype {
        DatatypeMessage::FixedString { .. } | DatatypeMessage::VarLenString { .. } => "text",
        DatatypeMessage::Compound { members, .. } => {
            let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
            return match names[..] {
                ["r", "i"] => "complex numbers".to_owned(),
                _ => format!("records with the fields {}", names.join(", ")),
            };
        }
        DatatypeMessage::Enum { .. } => "an enumeration (of truth values, for example)",
        DatatypeMessage::FloatingPoint { size, .. } => return format!("floats of {size} bytes"),
        DatatypeMessage::BitField { .. } => "bit fields",
        DatatypeMessage::Opaque { .. } => "opaque bytes",
        DatatypeMessage::VarLenSequence { .. } => "sequences of different lengths",
        DatatypeMessage::Array { .. } => "arrays in each entry",
        DatatypeMessage::Reference { .. } => "references",
        DatatypeMessage::FixedPoint { size, .. } => return format!("integers of {size} bytes"),
    };
    words.to_owned()
}

/// What HDF5 calls `element`, the lowest byte first.
pub(super) fn datatype(element: Element) -> DatatypeMessage {
    let size = element.bytes() as u32;
    let byte_order = ByteOrder::LittleEndian;
    let (bit_offset, bit_precision) = (0, 8 * size as u16);
    let float = |exponent_size: u8, mantissa_size: u8| DatatypeMessage::FloatingPoint {
        size,
        byte_order,
        sign_location: 8 * size as u8 - 1,
        bit_offset,
        bit_precision,
        exponent_location: mantissa_size,
        exponent_size,
        mantissa_location: 0,
        mantissa_size,
        exponent_bias: (1 << (exponent_size - 1)) - 1,
    };
    match element {
        Element::F16 => float(5, 10),
        Element::F32 => float(8, 23),
        Element::F64 => float(11, 52),
        _ => {
            let signed =
                matches!(element, Element::I8 | Element::I16 | Element::I32 | Element::I64);
            DatatypeMessage::FixedPoint { size, byte_order, signed, bit_offset, bit_precision }
        }
    }
}
