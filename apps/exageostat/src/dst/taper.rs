//! Radial tables of covariances times a taper.

use tegula_kernels::kernel::covariance::{Correlation, RadialTable, SmallExpansion};

use crate::covariance::{Function, find};

/// The covariance of the list that is the taper, with a variance of 1: of a field with two
/// continuous derivatives, in up to three dimensions, so that fields of a smoothness up to 1.5 keep
/// theirs (Furrer, Genton, Nychka 2006, theorem 1 and table 1).
pub(super) const TAPER: &str = "wendland";

/// Exponents of two between which the squares of distances lie from which on cells are fine.
const SPLITS: (i32, i32) = (-16, -4);

/// Exponent of two of the first square of a distance in the table.
const FIRST: i32 = -64;

/// The table of what `table` holds times a taper of this `range`; of a covariance that `is_compact`
/// the shorter of both ranges is the end.
pub(super) fn tapered(table: &RadialTable, is_compact: bool, range: f64) -> Box<RadialTable> {
    let own = if is_compact { table.end.sqrt() * table.scale } else { f64::INFINITY };
    let scale = range.min(own);
    let wendland = find(TAPER).expect("it is listed");
    let tapered = Tapered { table, taper: wendland.function(&[1.0, range]), scale };
    RadialTable::new(&tapered, table.variance, scale, table.nugget)
}

/// The product as a function of distance in units of `scale`, from which on it is 0.
struct Tapered<'a> {
    table: &'a RadialTable,
    taper: Function,
    scale: f64,
}

impl Correlation for Tapered<'_> {
    fn value(&self, x: f64) -> f64 {
        let d = x * self.scale;
        self.table.value(d) / self.table.variance * (self.taper)(d)
    }

    fn logarithm(&self, x: f64) -> f64 {
        self.value(x).ln()
    }

    /// What is lost towards such distances, or its logarithm, is a power of them, if it is anything
    /// at all, but for what is of the order of its square.
    fn near(&self) -> SmallExpansion {
        let first = f64::from(FIRST / 2).exp2();
        // Of what is lost, or of its logarithm, a power that meets it at two distances, and how far
        // that is off at a third.
        let fitted = |lost: &dyn Fn(f64) -> f64| {
            let [whole, half, quarter] = [first, 0.5 * first, 0.25 * first].map(lost);
            let is_power = whole > half && half > 1e-15;
            let power = if is_power { 0.5 * (whole / half).log2() } else { 1.0 };
            let b = if is_power { whole / first.powf(2.0 * power) } else { 0.0 };
            let off = (quarter - b * (0.25 * first).powf(2.0 * power)).abs();
            (b, power, off)
        };
        let (b, power, off) = fitted(&|x| 1.0 - self.value(x));
        let (rate, exponent, log_off) = fitted(&|x| -self.value(x).ln());
        if log_off < off {
            let (a, b) = ([0.0; 3], [-rate, 0.0, 0.0]);
            return SmallExpansion::Logarithm { a, b, power: exponent };
        }
        SmallExpansion::Sum { a: [1.0, 0.0, 0.0], b: [-b, 0.0, 0.0], power }
    }

    fn support(&self) -> f64 {
        1.0
    }

    fn first(&self) -> i32 {
        FIRST
    }

    /// Where that of the covariance is.
    fn split(&self) -> i32 {
        let split = self.table.split * (self.table.scale / self.scale).powi(2);
        (split.log2().floor() as i32).clamp(SPLITS.0, SPLITS.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::covariance::COVARIANCES;

    /// At any distance, with any range of the taper, short and long.
    #[test]
    fn tables_are_those_of_the_product() {
        for covariance in COVARIANCES {
            for (range, smoothness) in [(0.1, 0.5), (0.003, 0.3), (2.0, 1.4), (0.1, 0.07)] {
                let mut values = covariance.defaults();
                (values[0], values[1]) = (2.5, range);
                if let Some(shape) = values.get_mut(2) {
                    *shape = smoothness;
                }
                let own = covariance.function(&values);
                let table = covariance.table(&values, 0.3).expect("parameters");
                for reach in [0.02, 0.15, 1.0, 40.0] {
                    let found = tapered(&table, covariance.is_compact, reach);
                    let taper = find(TAPER).expect("it is listed").function(&[1.0, reach]);
                    assert_eq!((found.variance, found.nugget), (2.5, 0.3));
                    let far = (-400..=40).map(|k| reach * f64::from(k).mul_add(0.1, 0.03).exp2());
                    let first = f64::from(FIRST / 2).exp2();
                    for d in far.chain([0.0, 0.9999 * reach, reach, 1.0001 * reach]) {
                        let expected = own(d) * taper(d);
                        let error = (found.value(d) - expected).abs();
                        let what = format!("{} {values:?}, {reach}: {d}", covariance.name);
                        let is_near = d < reach * first;
                        // A power leaves a part of the square of what is lost there.
                        let lost = 1.0 - own(reach * first) / 2.5;
                        let most = if is_near { 2.5e-9 + 0.5 * lost * lost } else { 2.5e-12 };
                        assert!(error <= most, "{what}: {error:e}");
                        assert!(d < reach || found.value(d) == 0.0, "{what}");
                    }
                }
            }
        }
    }
}
