//! Numbers as a person reads them.

/// `x` with `digits` significant digits; exponents only where zeros would hide the number.
pub(crate) fn number(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        // Zero has no sign, such as an empty sum's.
        return format!("{}", x + 0.0);
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

/// A share in per cent: `12.3 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
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
    let (amount, unit) = in_unit(bytes, 1024.0, &["byte", "KiB", "MiB", "GiB", "TiB"]);
    if unit == "byte" { count(amount.round() as usize, unit) } else { three(amount, unit) }
}

/// The same, rounded up.
pub(crate) fn bytes_up(amount: u64) -> String {
    let (scaled, _) = in_unit(amount as f64, 1024.0, &[""; 5]);
    let digit = 10f64.powi(scaled.max(1.0).log10().floor() as i32 - 2).min(1.0);
    bytes(amount as f64 * ((scaled / digit).ceil() * digit / scaled).max(1.0))
}

/// An energy and its mean power over so many seconds: `12.3 kJ, 456 W in the mean`.
pub(crate) fn energy(joules: f64, seconds: f64) -> String {
    let (amount, unit) = in_unit(joules, 1000.0, &["J", "kJ", "MJ", "GJ"]);
    let (watts, of_watts) = in_unit(joules / seconds, 1000.0, &["W", "kW", "MW"]);
    format!("{}, {} in the mean", three(amount, unit), three(watts, of_watts))
}

/// A rate of transfers in decimal units, as links are sold.
pub(crate) fn rate(bytes_per_second: f64) -> String {
    let (amount, unit) = in_unit(bytes_per_second, 1000.0, &["B/s", "kB/s", "MB/s", "GB/s"]);
    three(amount, unit)
}

/// `amount` in the largest of `units`, each `step` times the one before, in which it is at least 1.
fn in_unit(amount: f64, step: f64, units: &[&'static str]) -> (f64, &'static str) {
    let (mut amount, mut unit) = (amount, 0);
    while amount >= step && unit + 1 < units.len() {
        amount /= step;
        unit += 1;
    }
    (amount, units[unit])
}

fn three(amount: f64, unit: &str) -> String {
    format!("{} {unit}", number(amount, 3))
}

/// `1 place`, `2 places`.
pub(crate) fn count(amount: usize, what: &str) -> String {
    match what.strip_suffix("is").filter(|_| amount != 1) {
        Some(start) => format!("{amount} {start}es"),
        None => format!("{amount} {what}{}", if amount == 1 { "" } else { "s" }),
    }
}

/// The least and the most of `values`, as `show` writes them.
pub(crate) fn range(values: impl Iterator<Item = f64>, show: impl Fn(f64) -> String) -> String {
    let (least, most) = values
        .fold((f64::MAX, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
    let (least, most) = (show(least), show(most));
    if least == most { least } else { format!("{least} to {most}") }
}

/// Ranks in order, as 0-3, 5.
pub(crate) fn ranges(ranks: &[usize]) -> String {
    let runs = ranks.chunk_by(|one, next| one + 1 == *next);
    let run = |run: &[usize]| match run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    runs.map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_never_printed_as_less() {
        let cases = [
            (1_683_456, "1.61 MiB"),
            (1 << 20, "1.00 MiB"),
            ((1 << 20) + 1, "1.01 MiB"),
            (13_824, "13.5 KiB"),
            (999, "999 bytes"),
            (107_479_040, "103 MiB"),
        ];
        for (amount, expected) in cases {
            assert_eq!(bytes_up(amount), expected);
        }
    }

    #[test]
    fn numbers_keep_their_significant_digits() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
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
        assert_eq!(bytes(1.0), "1 byte");
        assert_eq!(rate(2e9), "2.00 GB/s");
        assert_eq!(count(1, "place"), "1 place");
        assert_eq!(count(0, "place"), "0 places");
    }

    #[test]
    fn ranks_that_follow_each_other_are_one_range() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
    }
}
