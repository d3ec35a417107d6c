//! The kinds of numbers that files hold, and reading them as 64-bit ones.

/// How one entry of a stored matrix is represented, in the byte order of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 64 bits; above `2^53` they are rounded.
    U64,
    /// Signed, 64 bits; beyond `2^53` they are rounded.
    I64,
    /// IEEE 754 binary16.
    F16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

/// All kinds, with the names that NumPy gives them.
pub const ELEMENTS: [(Element, &str); 11] = [
    (Element::U8, "uint8"),
    (Element::I8, "int8"),
    (Element::U16, "uint16"),
    (Element::I16, "int16"),
    (Element::U32, "uint32"),
    (Element::I32, "int32"),
    (Element::U64, "uint64"),
    (Element::I64, "int64"),
    (Element::F16, "float16"),
    (Element::F32, "float32"),
    (Element::F64, "float64"),
];

impl Element {
    /// Bytes of one number.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// NumPy's name of it.
    #[must_use]
    pub fn name(self) -> &'static str {
        ELEMENTS.iter().find(|(element, _)| *element == self).map_or("", |(_, name)| name)
    }

    /// The distance from 1 to the next number: the relative precision of what is stored; 0 of
    /// integers, which are exact.
    #[must_use]
    pub const fn epsilon(self) -> f64 {
        match self {
            Self::F16 => 9.765_625e-4,
            Self::F32 => f32::EPSILON as f64,
            Self::F64 => f64::EPSILON,
            _ => 0.0,
        }
    }

    /// Reads numbers of this kind from `stored`, in the byte order of this machine, into `numbers`.
    ///
    /// # Panics
    /// If there are not as many stored numbers as places.
    #[inline]
    pub fn widen(self, stored: &[u8], numbers: &mut [f64]) {
        assert_eq!(stored.len(), numbers.len() * self.bytes(), "bytes of the stored numbers");
        match self {
            Self::U8 => each(stored, numbers, |[b]: [u8; 1]| f64::from(b)),
            Self::I8 => each(stored, numbers, |b| f64::from(i8::from_ne_bytes(b))),
            Self::U16 => each(stored, numbers, |b| f64::from(u16::from_ne_bytes(b))),
            Self::I16 => each(stored, numbers, |b| f64::from(i16::from_ne_bytes(b))),
            Self::U32 => each(stored, numbers, |b| f64::from(u32::from_ne_bytes(b))),
            Self::I32 => each(stored, numbers, |b| f64::from(i32::from_ne_bytes(b))),
            Self::U64 => each(stored, numbers, |b| u64::from_ne_bytes(b) as f64),
            Self::I64 => each(stored, numbers, |b| i64::from_ne_bytes(b) as f64),
            Self::F16 => each(stored, numbers, |b| half_to_f64(u16::from_ne_bytes(b))),
            Self::F32 => each(stored, numbers, |b| f64::from(f32::from_ne_bytes(b))),
            Self::F64 => each(stored, numbers, f64::from_ne_bytes),
        }
    }

    /// Writes `numbers` as this kind into `stored`; integers are rounded and clamped, of floats the
    /// nearest is taken.
    ///
    /// # Panics
    /// If there are not as many stored numbers as places.
    pub fn narrow(self, numbers: &[f64], stored: &mut [u8]) {
        assert_eq!(stored.len(), numbers.len() * self.bytes(), "bytes of the stored numbers");
        match self {
            Self::U8 => put(numbers, stored, |x| (x.round() as u8).to_ne_bytes()),
            Self::I8 => put(numbers, stored, |x| (x.round() as i8).to_ne_bytes()),
            Self::U16 => put(numbers, stored, |x| (x.round() as u16).to_ne_bytes()),
            Self::I16 => put(numbers, stored, |x| (x.round() as i16).to_ne_bytes()),
            Self::U32 => put(numbers, stored, |x| (x.round() as u32).to_ne_bytes()),
            Self::I32 => put(numbers, stored, |x| (x.round() as i32).to_ne_bytes()),
            Self::U64 => put(numbers, stored, |x| (x.round() as u64).to_ne_bytes()),
            Self::I64 => put(numbers, stored, |x| (x.round() as i64).to_ne_bytes()),
            Self::F16 => put(numbers, stored, |x| half_from_f64(x).to_ne_bytes()),
            Self::F32 => put(numbers, stored, |x| (x as f32).to_ne_bytes()),
            Self::F64 => put(numbers, stored, f64::to_ne_bytes),
        }
    }
}

#[inline(always)]
fn each<const N: usize>(stored: &[u8], numbers: &mut [f64], read: impl Fn([u8; N]) -> f64) {
    let (stored, _) = stored.as_chunks::<N>();
    stored.iter().zip(numbers).for_each(|(&bytes, number)| *number = read(bytes));
}

fn put<const N: usize>(numbers: &[f64], stored: &mut [u8], write: impl Fn(f64) -> [u8; N]) {
    let (stored, _) = stored.as_chunks_mut::<N>();
    stored.iter_mut().zip(numbers).for_each(|(bytes, &number)| *bytes = write(number));
}

/// The number that binary16 `bits` stand for.
#[must_use]
pub fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => sign * f64::INFINITY,
        0x1f => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// The binary16 number nearest to `x`, to even if two are as near.
#[must_use]
pub fn half_from_f64(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = x.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    if magnitude >= 65_520.0 {
        return sign | 0x7c00;
    }
    // In units of the last place of its binade; bits of a binade and of the next follow each other.
    let exponent = (magnitude.max(2f64.powi(-14)).to_bits() >> 52) as i32 - 1023;
    let units = (magnitude * 2f64.powi(10 - exponent)).round_ties_even() as u16;
    let binade = (exponent + 14) as u16;
    sign | (units + (binade << 10))
}

#[cfg(test)]
mod tests {
    use super::{ELEMENTS, Element, half_from_f64, half_to_f64};

    #[test]
    fn every_half_comes_back() {
        for bits in 0..=u16::MAX {
            let x = half_to_f64(bits);
            if x.is_nan() {
                assert!(half_to_f64(half_from_f64(x)).is_nan());
            } else {
                assert_eq!(half_from_f64(x), bits, "{x}");
            }
        }
    }

    #[test]
    fn halves_round_to_the_nearest_and_ties_to_even() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (half_to_f64(bits), half_to_f64(bits + 1));
            let middle = f64::midpoint(low, high);
            assert_eq!(half_from_f64(middle), bits + (bits & 1));
            assert_eq!(half_from_f64(middle.next_up()), bits + 1);
            assert_eq!(half_from_f64(middle.next_down()), bits);
        }
        assert_eq!(half_to_f64(half_from_f64(1e9)), f64::INFINITY);
    }

    #[test]
    fn small_integers_pass_through_every_kind() {
        let numbers = [0.0, 1.0, 7.0, 100.0, 127.0];
        for (element, name) in ELEMENTS {
            let mut stored = vec![0; numbers.len() * element.bytes()];
            element.narrow(&numbers, &mut stored);
            let mut back = [0.0; 5];
            element.widen(&stored, &mut back);
            assert_eq!(back, numbers, "{name}");
            assert_eq!(element.name(), name);
        }
    }

    #[test]
    fn fractions_keep_the_precision_of_their_kind() {
        for element in [Element::F16, Element::F32, Element::F64] {
            let mut stored = vec![0; element.bytes()];
            element.narrow(&[1.0 + element.epsilon()], &mut stored);
            let mut back = [0.0];
            element.widen(&stored, &mut back);
            assert_eq!(back[0], 1.0 + element.epsilon());
        }
    }
}
