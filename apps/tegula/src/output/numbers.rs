//! Numbers as a person reads them.

/// `x` with `digits` significant digits; exponents only where zeros would hide the number.
pub(crate) fn number(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let digits = digits.max(1);
    let scientific = format!("{x:.*e}", digits - 1);
    let exponent: i32 =
        scientific.split_once('e').and_then(|(_, text)| text.parse().ok()).unwrap_or(0);
    if exponent < -4 || exponent > digits.max(6) as i32 {
        return scientific;
    }
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    format!("{x:.decimals$}")
}

/// A time: `0.0123 s`, `4 min 05 s`, `3 h 20 min`.
pub(crate) fn seconds(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".to_owned();
    }
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 1e-6 => format!("{} ns", number(s * 1e9, 3)),
        s if s < 1e-3 => format!("{} us", number(s * 1e6, 3)),
        s if s < 1.0 => format!("{} ms", number(s * 1e3, 3)),
        s if s < 100.0 => format!("{} s", number(s, 3)),
        s if s < 3600.0 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// An amount of memory in binary units.
pub(crate) fn bytes(bytes: f64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    let mut amount = bytes;
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{amount:.0} bytes")
    } else {
        format!("{} {}", number(amount, 3), UNITS[unit])
    }
}

/// `1 place`, `2 places`.
pub(crate) fn count(amount: usize, what: &str) -> String {
    format!("{amount} {what}{}", if amount == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_significant_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1.0000"),
            (-355.461677, "-355.46"),
            (0.000123456, "0.00012346"),
            (1.5e-9, "1.5000e-9"),
            (6310.422, "6310.4"),
            (99999.7, "100000"),
            (180_490_347.0, "1.8049e8"),
            (1.0e12, "1.0000e12"),
            (f64::INFINITY, "inf"),
        ];
        for (x, expected) in cases {
            assert_eq!(number(x, 5), expected);
        }
    }

    #[test]
    fn times_and_memory_choose_their_unit() {
        assert_eq!(seconds(2.5e-8), "25.0 ns");
        assert_eq!(seconds(0.0123), "12.3 ms");
        assert_eq!(seconds(12.345), "12.3 s");
        assert_eq!(seconds(245.2), "4 min 05 s");
        assert_eq!(seconds(12010.0), "3 h 20 min");
        assert_eq!(bytes(1000.0), "1000 bytes");
        assert_eq!(bytes(3.5 * 1024.0 * 1024.0), "3.50 MiB");
        assert_eq!(count(1, "place"), "1 place");
        assert_eq!(count(0, "place"), "0 places");
    }
}
