//! Amounts of memory in messages.

use std::fmt;

/// Bytes, which are shown in a unit that suits them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amount(pub(crate) u64);

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u32); 3] = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
        match UNITS.into_iter().find(|(_, bits)| self.0 >= 10 << bits) {
            Some((unit, bits)) => write!(f, "{:.1} {unit}", self.0 as f64 / f64::from(1 << bits)),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_amounts_are_exact_and_large_ones_short() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (10_239, "10239 bytes"),
            (561_152, "548.0 KiB"),
            (12 << 20, "12.0 MiB"),
            ((25 << 30) / 2, "12.5 GiB"),
        ] {
            assert_eq!(Amount(bytes).to_string(), text);
        }
    }
}
