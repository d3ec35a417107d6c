//! The times of kernels as they stand in a file: of a size, by a formula, or never.

use std::ops::RangeInclusive;

use tegula_runtime::platform::{Entry, Formula};
use toml::Spanned;

use super::error::{PlatformError, Text};
use super::file::KernelPart;
use super::read::{DELAYS, GIGA_RATES, Reader};

type Result<T> = std::result::Result<T, PlatformError>;

/// Times of a task in seconds.
const TIMES: RangeInclusive<f64> = 1e-12..=1e6;
/// Operations, bytes, deviations.
const AMOUNTS: RangeInclusive<f64> = 0.0..=1e18;

/// The entries that the kernels of a file are; their classes may be any.
pub(super) fn entries(text: Text<'_>, parts: &[Spanned<KernelPart>]) -> Result<Vec<Entry>> {
    let reader = Reader { text };
    parts.iter().map(|part| reader.kernel(part)).collect()
}

impl Reader<'_> {
    /// What a line says.
    pub(super) fn kernel(&self, part: &Spanned<KernelPart>) -> Result<Entry> {
        let KernelPart { codelet, class, never, .. } = part.get_ref();
        let &KernelPart { flops, bytes, seconds, deviation, samples, .. } = part.get_ref();
        let entry = Entry::never(codelet, class);
        if *never {
            if flops.is_some() || seconds.is_some() || part.get_ref().gflops.is_some() {
                return self.wrong(part, "never: what cannot run has neither flops nor times");
            }
            return Ok(entry);
        }
        if let Some(formula) = self.formula(part)? {
            return Ok(Entry::of_formula(codelet, class, formula));
        }
        let (Some(flops), Some(seconds)) = (flops, seconds) else {
            return self
                .wrong(part, "a kernel needs flops and seconds, or gflops, or never = true");
        };
        let (bytes, deviation) = (bytes.unwrap_or(0.0), deviation.unwrap_or(0.0));
        for (field, value) in [("flops", flops), ("bytes", bytes), ("deviation", deviation)] {
            self.within(part, field, value, &AMOUNTS)?;
        }
        if samples == Some(0) {
            return self.wrong(part, "samples is 0; leave it out for a number from elsewhere");
        }
        let seconds = self.within(part, "seconds", seconds, &TIMES)?;
        let (flops, bytes) = (flops.round() as u64, bytes.round() as u64);
        Ok(Entry { flops, bytes, seconds, deviation, samples, never: false, ..entry })
    }
    /// The formula that a kernel has in place of a size and its time.
    fn formula(&self, part: &Spanned<KernelPart>) -> Result<Option<Formula>> {
        let &KernelPart { gflops, gbytes_per_second, overhead_seconds, .. } = part.get_ref();
        let Some(gflops) = gflops else {
            if gbytes_per_second.is_some() || overhead_seconds.is_some() {
                return self.wrong(part, "a formula needs gflops");
            }
            return Ok(None);
        };
        let KernelPart { flops, bytes, seconds, deviation, samples, .. } = part.get_ref();
        let is_time = flops.or(*bytes).or(*seconds).or(*deviation).is_some() || samples.is_some();
        if is_time {
            return self.wrong(part, "gflops: give a formula or the time of a size, not both");
        }
        let overhead_seconds = overhead_seconds.unwrap_or(0.0);
        Ok(Some(Formula {
            gflops: self.within(part, "gflops", gflops, &GIGA_RATES)?,
            gbytes_per_second: self.bytes_rate(part, gbytes_per_second)?,
            overhead_seconds: self.within(part, "overhead_seconds", overhead_seconds, &DELAYS)?,
        }))
    }
}
