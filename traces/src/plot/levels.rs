//! Something that is counted over time, as the most and the mean in each pixel column.

use super::columns::Columns;
use super::frame::Frame;
use super::style::CHART;
use tegula_runtime::trace::{Gauge, Trace};

/// Most and mean of a gauge in each pixel column.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    most: Vec<f64>,
    mean: Vec<f64>,
    /// The most of all.
    pub(super) peak: f64,
    /// Samples.
    pub(super) samples: usize,
}

impl Levels {
    /// The samples of `gauge`: each holds until the next; before the first there was nothing.
    pub(super) fn of(trace: &Trace, gauge: Gauge, frame: Frame) -> Self {
        let count = CHART as usize;
        let (most, mean) = (vec![0.0f64; count], vec![0.0; count]);
        let mut levels = Self { most, mean, peak: 0.0, samples: 0 };
        let mut last = (0.0, 0.0);
        for sample in trace.samples.iter().filter(|sample| sample.gauge == gauge) {
            let x = frame.x(sample.time);
            levels.hold(last.0, x, last.1);
            last = (x, sample.value as f64);
            levels.peak = levels.peak.max(last.1);
            levels.samples += 1;
            let column = (x as usize).min(count - 1);
            levels.most[column] = levels.most[column].max(last.1);
        }
        levels.hold(last.0, CHART, last.1);
        levels
    }

    /// `value` from pixel `start` to pixel `end`.
    fn hold(&mut self, start: f64, end: f64, value: f64) {
        let last = self.most.len() - 1;
        for column in (start as usize).min(last)..=(end as usize).min(last) {
            let left = column as f64;
            let part = end.min(left + 1.0) - start.max(left);
            if part > 0.0 {
                self.most[column] = self.most[column].max(value);
                self.mean[column] += value * part;
            }
        }
    }

    /// Areas of the most and of the mean, in a row of this height whose top is `top`.
    pub(super) fn areas(&self, top: f64, height: f64) -> [String; 2] {
        let columns = Columns::new(CHART, 1.0, 1);
        [&self.most, &self.mean].map(|values| {
            let shares: Vec<f64> = values.iter().map(|value| (value / top).min(1.0)).collect();
            columns.area(&shares, height)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegula_runtime::trace::{Records, Sample, Site};

    #[test]
    fn values_hold_and_short_ones_are_not_lost() {
        let sample = |time, value| Sample { time, gauge: Gauge::Ready, value };
        let task = tegula_runtime::trace::TransferRecord {
            handle: 0,
            bytes: 0,
            src: 0,
            dst: 0,
            purpose: tegula_runtime::trace::Purpose::Fetch,
            start: 0,
            end: 10_000,
        };
        let samples = vec![sample(10, 4), sample(12, 100), sample(13, 2), sample(5000, 0)];
        let records = Records { transfers: vec![task], samples, ..Records::default() };
        let trace = Trace::new(records, Site::default(), &[]);
        let levels = Levels::of(&trace, Gauge::Ready, Frame::new(trace.span()));
        assert_eq!((levels.most[0], levels.most[1], levels.most[2]), (0.0, 100.0, 2.0));
        assert!((levels.mean[1] - (0.2 * 4.0 + 0.1 * 100.0 + 0.7 * 2.0)).abs() < 1e-9);
        assert_eq!((levels.most[499], levels.mean[700]), (2.0, 0.0));
    }
}
