//! Scales of colour that look evenly spaced.

/// Which scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// Viridis, from dark blue to yellow, for amounts (S. van der Walt, N. Smith, "A better default
    /// colormap for matplotlib", SciPy 2015).
    Amount,
    /// From blue over grey to red, for what may be of either sign.
    Signed,
}

/// Points of viridis at equal steps.
const VIRIDIS: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];
/// Points of the other one.
const BLUE_TO_RED: [[u8; 3]; 7] = [
    [33, 102, 172],
    [67, 147, 195],
    [146, 190, 216],
    [188, 188, 188],
    [240, 160, 130],
    [214, 96, 77],
    [178, 24, 43],
];

impl Colours {
    /// The colour at `share` of the scale, from 0 to 1, as `#rrggbb`.
    #[must_use]
    pub fn at(self, share: f64) -> String {
        let points: &[[u8; 3]] = match self {
            Self::Amount => &VIRIDIS,
            Self::Signed => &BLUE_TO_RED,
        };
        let place = share.clamp(0.0, 1.0) * (points.len() - 1) as f64;
        let below = (place as usize).min(points.len() - 2);
        let part = place - below as f64;
        let [r, g, b] = std::array::from_fn(|k| {
            let (low, high) = (f64::from(points[below][k]), f64::from(points[below + 1][k]));
            (low + part * (high - low)).round() as u8
        });
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_go_from_end_to_end() {
        assert_eq!(Colours::Amount.at(0.0), "#440154");
        assert_eq!(Colours::Amount.at(1.0), "#fde725");
        assert_eq!(Colours::Signed.at(0.5), "#bcbcbc");
        assert_eq!(Colours::Signed.at(f64::INFINITY), "#b2182b");
    }
}
