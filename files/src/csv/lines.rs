//! Which line of the file each row stood on, kept in a few words because rows mostly follow each
//! other line by line.

/// Lines of the rows, as runs of rows on consecutive lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// First row of each run, and its line.
    runs: Vec<(usize, u64)>,
    rows: usize,
}

impl Lines {
    /// Appends a row that begins on `line`, counted from 1.
    pub(super) fn push(&mut self, line: u64) {
        let follows =
            self.runs.last().is_some_and(|&(row, first)| first + (self.rows - row) as u64 == line);
        if !follows {
            self.runs.push((self.rows, line));
        }
        self.rows += 1;
    }

    /// Bytes of memory that they take.
    pub(super) fn bytes(&self) -> usize {
        self.runs.len() * size_of::<(usize, u64)>()
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The line of `row`, counted from 0.
    pub(super) fn line(&self, row: usize) -> u64 {
        assert!(row < self.rows, "row {row} of {} rows", self.rows);
        let run = self.runs.partition_point(|&(first, _)| first <= row) - 1;
        let (first, line) = self.runs[run];
        line + (row - first) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_restore_every_line() {
        let lines = [2, 3, 4, 7, 8, 20, 22, 23];
        let mut runs = Lines::default();
        lines.iter().for_each(|&line| runs.push(line));
        assert_eq!(runs.rows(), lines.len());
        assert_eq!(runs.runs.len(), 4);
        for (row, &line) in lines.iter().enumerate() {
            assert_eq!(runs.line(row), line);
        }
    }
}
