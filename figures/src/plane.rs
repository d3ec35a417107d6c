//! Two axes, and the places of numbers between them.

use crate::scale::round;
use crate::svg::{Svg, px};

/// Width of a figure in pixels.
pub const WIDTH: f64 = 460.0;
/// Where the plane of a figure starts.
pub const LEFT: f64 = 62.0;
/// Its width.
pub const CHART: f64 = WIDTH - LEFT - 16.0;
/// Where it starts from above.
pub const TOP: f64 = 12.0;
/// What the numbers and the label of the axis below it take.
pub const FOOT: f64 = 46.0;
/// Most round numbers on an axis.
const NUMBERS: f64 = 6.0;

/// Two axes over a part of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The least and the greatest number to the right.
    pub x: (f64, f64),
    /// The least and the greatest number upwards.
    pub y: (f64, f64),
    /// Height in pixels.
    pub height: f64,
}

impl Plane {
    /// A plane of these numbers; a range that is a point is widened.
    #[must_use]
    pub fn new(x: (f64, f64), y: (f64, f64), height: f64) -> Self {
        let wide = |(low, high): (f64, f64)| {
            let least = 1e-9 * low.abs().max(high.abs()).max(1e-300);
            if high - low > least { (low, high) } else { (low - 0.5, high + 0.5) }
        };
        Self { x: wide(x), y: wide(y), height }
    }

    /// Where a point is, in pixels.
    #[must_use]
    pub fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let part = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
        (LEFT + CHART * part(x, self.x), TOP + self.height * (1.0 - part(y, self.y)))
    }

    /// Where the plane ends below.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        TOP + self.height
    }

    /// The ground, lines at round numbers, and what the axes are.
    pub fn ground(&self, svg: &mut Svg, x: &str, y: &str) {
        let (bottom, height) = (px(self.bottom()), px(self.height));
        svg.line(format_args!(
            "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{CHART}\" height=\"{height}\" class=\"r\"/>"
        ));
        // Lines of text need room.
        let most = (self.height / 34.0).clamp(2.0, NUMBERS);
        for (value, label) in round(self.y, most) {
            let at = px(self.place((self.x.0, value)).1);
            svg.line(format_args!("<path d=\"M{LEFT} {at}h{CHART}\" class=\"g\"/>"));
            svg.text((LEFT - 6.0, at + 4.0), "e q", &label);
        }
        // Long numbers need more.
        let widest = round(self.x, NUMBERS).iter().map(|(_, label)| label.len()).max();
        let most = (CHART / (11.0 * widest.unwrap_or(1) as f64)).clamp(2.0, NUMBERS);
        for (value, label) in round(self.x, most) {
            let at = px(self.place((value, self.y.0)).0);
            svg.line(format_args!("<path d=\"M{at} {TOP}V{bottom}\" class=\"g\"/>"));
            svg.text((at, bottom + 17.0), "m q", &label);
        }
        svg.text((LEFT + 0.5 * CHART, bottom + 36.0), "m", x);
        let middle = px(TOP + 0.5 * self.height);
        let label = crate::svg::escaped(y);
        svg.line(format_args!(
            "<text transform=\"translate(14 {middle}) rotate(-90)\" class=\"m\">{label}</text>"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_those_of_the_plane() {
        let plane = Plane::new((1.0, 3.0), (-1.0, 1.0), 200.0);
        assert_eq!(plane.place((1.0, -1.0)), (LEFT, TOP + 200.0));
        assert_eq!(plane.place((3.0, 1.0)), (LEFT + CHART, TOP));
        assert_eq!(Plane::new((2.0, 2.0), (0.0, 1.0), 1.0).x, (1.5, 2.5));
    }
}
