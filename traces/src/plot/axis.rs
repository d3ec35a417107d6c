//! Time on an axis: a unit that suits the span, and round marks.

use tegula_figures::scale::scale;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) symbol: &'static str,
    pub(super) nanoseconds: f64,
}

/// Units, the largest first, each with the shortest span that it is used for.
const UNITS: [(Unit, f64); 6] = [
    (Unit { symbol: "h", nanoseconds: 3.6e12 }, 3.6e13),
    (Unit { symbol: "min", nanoseconds: 6e10 }, 6e11),
    (Unit { symbol: "s", nanoseconds: 1e9 }, 1e9),
    (Unit { symbol: "ms", nanoseconds: 1e6 }, 1e6),
    (Unit { symbol: "\u{b5}s", nanoseconds: 1e3 }, 1e3),
    (Unit { symbol: "ns", nanoseconds: 1.0 }, 0.0),
];

/// The unit for a span of so many nanoseconds.
pub(super) fn unit(span: u64) -> Unit {
    let suits = |(_, from): &&(Unit, f64)| span as f64 >= *from;
    UNITS.iter().find(suits).expect("the last unit suits any span").0
}

/// A mark on the axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    /// Time in nanoseconds.
    pub(super) at: f64,
    pub(super) label: String,
}

/// Marks at multiples of 1, 2 or 5 times a power of ten, five to eleven of them.
pub(super) fn marks(span: u64, unit: Unit) -> Vec<Mark> {
    let length = span.max(1) as f64 / unit.nanoseconds;
    let (step, digits) = scale(length, 10.0);
    let count = (length / step * (1.0 + 1e-12)).floor() as usize;
    let mark = |i: usize| {
        let value = i as f64 * step;
        Mark { at: value * unit.nanoseconds, label: format!("{value:.digits$}") }
    };
    (0..=count).map(mark).collect()
}

/// A time in a unit that suits it, with four significant digits.
pub(super) fn duration(nanoseconds: u64) -> String {
    let unit = unit(nanoseconds);
    let value = nanoseconds as f64 / unit.nanoseconds;
    let whole = value.max(1.0).log10().floor() as usize;
    let digits = if unit.symbol == "ns" { 0 } else { 3usize.saturating_sub(whole) };
    format!("{value:.digits$} {}", unit.symbol)
}

/// The least round number that is not below `value`, in a unit that is a power of `base`: one of
/// which the half is round as well. 1 if `value` is nothing.
pub(super) fn round_up(value: f64, base: f64) -> f64 {
    let mut unit = 1.0;
    while value >= unit * base && unit < 1e30 {
        unit *= base;
    }
    let steps = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0];
    let steps = (0..4).flat_map(|power| steps.map(|step| step * 10f64.powi(power)));
    steps.map(|step| step * unit).find(|&step| step >= value).unwrap_or(value)
}

/// An amount of memory in binary units, with three significant digits at most.
pub(super) fn bytes(amount: f64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let power = (0..UNITS.len() - 1).find(|&power| amount < 1024f64.powi(power as i32 + 1));
    let power = power.unwrap_or(UNITS.len() - 1);
    let value = amount / 1024f64.powi(power as i32);
    let digits = if power == 0 || value >= 99.95 || value.fract() == 0.0 { 0 } else { 1 };
    format!("{value:.digits$} {}", UNITS[power])
}

/// `count` with thin spaces between thousands.
pub(super) fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_suit_the_span() {
        let spans = [0, 999, 1_000, 999_999, 1_000_000, 1_500_000_000, 700_000_000_000, u64::MAX];
        let symbols = spans.map(|span| unit(span).symbol);
        assert_eq!(symbols, ["ns", "ns", "\u{b5}s", "\u{b5}s", "ms", "s", "min", "h"]);
    }

    #[test]
    fn marks_are_round_and_some() {
        let labels = |span| {
            let marks = marks(span, unit(span));
            marks.into_iter().map(|mark| mark.label).collect::<Vec<_>>()
        };
        assert_eq!(
            labels(1_000_000),
            ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]
        );
        assert_eq!(labels(11_000_000), ["0", "2", "4", "6", "8", "10"]);
        for span in (0..60).map(|power| 3u64.pow(power % 40) + u64::from(power)) {
            let marks = marks(span, unit(span));
            assert!((2..=11).contains(&marks.len()), "{span}: {marks:?}");
            assert!(marks.iter().all(|mark| mark.at <= span.max(1) as f64 * (1.0 + 1e-9)));
        }
    }

    #[test]
    fn tops_are_round_and_not_below() {
        let tops = [0.0, 1.0, 3.0, 17.0, 1000.0].map(|value| round_up(value, 1000.0));
        assert_eq!(tops, [1.0, 1.0, 3.0, 20.0, 1000.0]);
        let mib = 1024.0 * 1024.0;
        assert_eq!(round_up(4.5 * mib, 1024.0), 6.0 * mib);
        assert_eq!(round_up(1001.0 * mib, 1024.0), 2000.0 * mib);
    }

    #[test]
    fn bytes_read_well() {
        let amounts = [0.0, 1023.0, 1536.0, 5.0 * 1024.0, 200.0 * 1048576.0, 1e300];
        let texts = amounts.map(bytes);
        assert_eq!(texts[..5], ["0 B", "1023 B", "1.5 KiB", "5 KiB", "200 MiB"]);
    }

    #[test]
    fn numbers_read_well() {
        let times = [0, 12, 1_234, 98_765, 123_456_789, 1_000_000_000].map(duration);
        assert_eq!(
            times,
            ["0 ns", "12 ns", "1.234 \u{b5}s", "98.77 \u{b5}s", "123.5 ms", "1.000 s"]
        );
        assert_eq!(
            [7, 1000, 1234567].map(thousands),
            ["7", "1\u{2009}000", "1\u{2009}234\u{2009}567"]
        );
    }
}
