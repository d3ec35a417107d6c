//! Names of groups of ranks, put where they cover no other.

use super::super::frame::shortened;
use tegula_figures::svg::Svg;

/// About the width of a character, and the height of a line, in pixels.
const CHARACTER: f64 = 7.0;
const LINE: f64 = 14.0;
/// Most characters of a name.
const MOST: usize = 32;

/// Left, right and baseline of names that were put.
pub(super) struct Labels {
    across: (f64, f64),
    down: (f64, f64),
    put: Vec<(f64, f64, f64)>,
}

impl Labels {
    /// None yet, in a chart that reaches so far across and down.
    pub(super) fn new(across: (f64, f64), down: (f64, f64)) -> Self {
        Self { across, down, put: Vec::new() }
    }

    /// Puts `text` as near to the dot at `(x, y)` as there is room, below or above it; tells if
    /// there is any.
    pub(super) fn put(
        &mut self,
        svg: &mut Svg,
        (x, y): (f64, f64),
        is_below: bool,
        text: &str,
    ) -> bool {
        let text = shortened(text, MOST);
        let half = CHARACTER * text.chars().count() as f64 / 2.0;
        let x = x.clamp(self.across.0 + half, self.across.1 - half);
        let step = if is_below { LINE } else { -LINE };
        let nearest = if is_below { y + 18.0 } else { y - 9.0 };
        let is_free = |at: &f64| {
            let covers = |&(left, right, other): &(f64, f64, f64)| {
                (other - at).abs() < LINE - 2.0 && x - half < right && left < x + half
            };
            *at > self.down.0 + 10.0 && *at < self.down.1 - 4.0 && !self.put.iter().any(covers)
        };
        let places = (0..4).map(|lines| nearest + step * f64::from(lines));
        let Some(at) = places.into_iter().find(is_free) else { return false };
        svg.text((x, at), "m name", &text);
        self.put.push((x - half, x + half, at));
        true
    }
}

/// The numbers in order, with those that follow each other as ranges.
pub(super) fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [only] => only.to_string(),
        [first, second] => format!("{first}, {second}"),
        [first, .., last] => format!("{first}\u{2013}{last}"),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_each_other_are_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 4, 5, 6, 12, 18, 24]), "1\u{2013}6, 12, 18, 24");
        assert_eq!(ranges(&[0, 1]), "0, 1");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn names_stay_apart_and_inside() {
        let (mut svg, mut labels) = (Svg::default(), Labels::new((0.0, 100.0), (0.0, 100.0)));
        let put: Vec<bool> =
            (0..6).map(|_| labels.put(&mut svg, (0.0, 20.0), true, "1, 2")).collect();
        assert_eq!(put, [true, true, true, true, false, false]);
        assert!(
            labels.put.iter().all(|&(left, right, y)| left >= 0.0 && right <= 100.0 && y < 96.0)
        );
        let baselines: Vec<f64> = labels.put.iter().map(|&(_, _, y)| y).collect();
        assert!(
            baselines.windows(2).all(|pair| (pair[0] - pair[1]).abs() >= 12.0),
            "{baselines:?}"
        );
    }
}
