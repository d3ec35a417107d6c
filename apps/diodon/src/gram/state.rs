//! What passes leave beside their products, so that another run can go on with it.

use std::io::{Read, Write};

use tegula_files::checkpoint::{
    read_numbers, read_word, read_words, write_numbers, write_word, write_words,
};
use tegula_kernels::kernel::sweep::Findings;
use tegula_kernels::kernel::sweep::lines::{Lines, initial};
use tegula_runtime::flow::Flow;
use tegula_runtime::ranks::Rank;

use super::{Gram, Sums};
use crate::EmbedError;

/// Words of what was noticed about the distances.
const FINDINGS: usize = size_of::<Findings>() / size_of::<u64>();

impl Gram {
    /// Writes what the passes so far have left.
    ///
    /// # Errors
    /// Those of `out`.
    ///
    /// # Panics
    /// Before the first pass.
    pub(crate) fn save(&self, flow: &Flow, out: &mut dyn Write) -> Result<(), EmbedError> {
        let Sums { means, mean, trace, frobenius2, findings } = self.sums();
        write_word(out, self.passes as u64)?;
        write_word(out, self.compared as u64)?;
        write_word(out, self.bytes(flow))?;
        write_numbers(out, means)?;
        write_numbers(out, &[*mean, *trace, *frobenius2])?;
        write_words(out, bytemuck::cast_slice(std::slice::from_ref(findings)))?;
        Ok(())
    }

    /// Takes over what [`save`](Self::save) wrote, before a first pass. Waits.
    ///
    /// # Errors
    /// Those of `input`, or if there is no memory.
    pub(crate) fn load(&mut self, flow: &mut Flow, input: &mut dyn Read) -> Result<(), EmbedError> {
        let n = self.n();
        self.passes = read_word(input)? as usize;
        self.taken_over = self.passes;
        self.compared = read_word(input)? as usize;
        let bytes = read_word(input)?;
        // Those of all ranks.
        self.bytes_beside = if flow.rank() == Rank(0) { bytes } else { 0 };
        let means = read_numbers(input, n)?;
        let numbers = read_numbers(input, 3)?;
        let words = read_words(input, FINDINGS)?;
        let findings: Findings = *bytemuck::from_bytes(bytemuck::cast_slice(&words));
        let total: f64 = self.weights.as_ref().map_or(n as f64, |weights| weights.iter().sum());
        let share = |i: usize| self.weights.as_ref().map_or(1.0, |weights| weights[i]) / total;
        for (band, &handle) in self.lines.iter().enumerate() {
            let range = self.stream.tiling.bands[0].range(band);
            let mut lines = initial(&range.clone().map(share).collect::<Vec<f64>>());
            Lines::of(&mut lines).sums.copy_from_slice(&means[range]);
            flow.overwrite(handle, &lines)?;
        }
        let (mean, trace, frobenius2) = (numbers[0], numbers[1], numbers[2]);
        self.sums = Some(Sums { means, mean, trace, frobenius2, findings });
        Ok(())
    }
}
