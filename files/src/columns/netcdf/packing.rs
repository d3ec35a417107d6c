//! What a stored value of a variable means: none at all, or a number once it is unpacked.

use super::header::{Kind, Variable};

/// How values of a variable are stored.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    /// As what.
    pub(super) kind: Kind,
    /// What stands for no value.
    missing: Vec<f64>,
    /// Between what values are, as they are stored.
    range: [f64; 2],
    scale: f64,
    offset: f64,
}

impl Packing {
    /// That of `variable`, by its attributes.
    pub(super) fn of(variable: &Variable) -> Self {
        let is_unsigned = variable.text("_Unsigned").as_deref() == Some("true");
        let kind = if is_unsigned { variable.kind.unsigned() } else { variable.kind };
        let numbers = |name: &str| variable.numbers(name, is_unsigned);
        let mut missing = numbers("_FillValue");
        if missing.is_empty() {
            missing.extend(kind.fill());
        }
        missing.extend(numbers("missing_value"));
        let one = |name: &str, default: f64| numbers(name).first().copied().unwrap_or(default);
        let range = match numbers("valid_range")[..] {
            [low, high] => [low, high],
            _ => [one("valid_min", f64::NEG_INFINITY), one("valid_max", f64::INFINITY)],
        };
        let (scale, offset) = (one("scale_factor", 1.0), one("add_offset", 0.0));
        Self { kind, missing, range, scale, offset }
    }

    /// The value that is stored in these bytes; NaN is none.
    pub(super) fn value(&self, bytes: &[u8]) -> f64 {
        let stored = self.kind.value(bytes);
        if self.missing.contains(&stored) || stored < self.range[0] || stored > self.range[1] {
            return f64::NAN;
        }
        if self.scale == 1.0 && self.offset == 0.0 {
            stored
        } else {
            stored * self.scale + self.offset
        }
    }
}
