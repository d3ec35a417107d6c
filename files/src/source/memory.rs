//! A matrix in memory, read by blocks like any other.

use std::sync::Arc;

use tegula_kernels::element::Element;

use super::{Block, BlockReader, Coverage, Source, SourceError};

/// A matrix whose entries are in memory, row by row.
#[derive(Clone, Debug)]
pub struct MemorySource {
    name: String,
    shape: [usize; 2],
    element: Element,
    entries: Arc<[u8]>,
    names: [Option<Vec<String>>; 2],
    coverage: Coverage,
}

impl MemorySource {
    /// A matrix with the `entries`, row by row, each an `element` in the byte order of this
    /// machine; `names` are those of the rows and of the columns.
    ///
    /// # Panics
    /// If there are not as many entries, or names, as the shape says.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        shape: [usize; 2],
        (element, entries): (Element, Vec<u8>),
        names: [Option<Vec<String>>; 2],
    ) -> Self {
        assert_eq!(entries.len(), shape[0] * shape[1] * element.bytes(), "bytes of the entries");
        for (names, length) in names.iter().zip(shape) {
            assert!(names.as_ref().is_none_or(|names| names.len() == length), "number of names");
        }
        let (name, entries, coverage) = (name.into(), entries.into(), Coverage::Full);
        Self { name, shape, element, entries, names, coverage }
    }

    /// The same matrix, of which one triangle was given and the other follows from it.
    #[must_use]
    pub fn of_triangle(self) -> Self {
        Self { coverage: Coverage::Triangle, ..self }
    }
}

impl Source for MemorySource {
    fn name(&self) -> &str {
        &self.name
    }

    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn element(&self) -> Element {
        self.element
    }

    fn coverage(&self) -> Coverage {
        self.coverage
    }

    fn stored_bytes_per_entry(&self) -> f64 {
        0.0
    }

    fn row_names(&self) -> Option<&[String]> {
        self.names[0].as_deref()
    }

    fn column_names(&self) -> Option<&[String]> {
        self.names[1].as_deref()
    }

    fn reader(&self) -> Result<Box<dyn BlockReader>, SourceError> {
        Ok(Box::new(self.clone()))
    }
}

impl BlockReader for MemorySource {
    fn read(&mut self, block: &Block, entries: &mut [u8]) -> Result<u64, SourceError> {
        let size = self.element.bytes();
        assert_eq!(entries.len(), block.entries() * size, "bytes of the block");
        let width = block.columns.len() * size;
        for (row, line) in block.rows.clone().zip(entries.chunks_exact_mut(width.max(1))) {
            let start = (row * self.shape[1] + block.columns.start) * size;
            line.copy_from_slice(&self.entries[start..start + width]);
        }
        Ok(0)
    }
}
