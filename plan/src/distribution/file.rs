//! Owners from a file: for each row of tiles a line of ranks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tegula_runtime::ranks::{Owners, Rank, Spot};

use super::error::ranks;
use super::{DistributionEntry, DistributionError};
use tegula_files::text::{read_whole, shortened};

/// Bytes that a map may have: one of four thousand tiles squared fits.
const MOST_BYTES: u64 = 64 << 20;

pub(super) const ENTRY: DistributionEntry = DistributionEntry {
    name: "file",
    parameter: Some("OWNERS.csv"),
    summary: "owners from a file: a line of ranks, from 0, for each row of tiles; repeated where it ends",
    make: |request| {
        let path = request.file.filter(|path| !path.is_empty()).ok_or_else(|| {
            let (given, expected) = (String::new(), "name of a file");
            DistributionError::Parameter { name: "file", given, expected }
        })?;
        Ok(Arc::new(OwnerFile::read(Path::new(path), request.ranks())?))
    },
};

/// A map of owners that a file holds, repeated over the tiles where it ends.
///
/// Lines of a triangle may end at the diagonal: what is above it has the owner of what is below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerFile {
    lines: Vec<Vec<u16>>,
}

impl OwnerFile {
    /// Reads the owners in `path`, which are less than `count`.
    ///
    /// # Errors
    /// If it cannot be read, a line is not one of ranks, or has another length than the others of a
    /// rectangle or a triangle have.
    pub fn read(path: &Path, count: usize) -> Result<Self, DistributionError> {
        let unread = |cause| DistributionError::Read { path: path.to_owned(), cause };
        let text = read_whole(path, MOST_BYTES).map_err(unread)?;
        Self::parse(path, &text, count)
    }

    fn parse(path: &Path, text: &str, count: usize) -> Result<Self, DistributionError> {
        let fail = |line: usize, reason: String| DistributionError::File {
            path: PathBuf::from(path),
            line: line + 1,
            reason,
        };
        let mut lines: Vec<Vec<u16>> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let cells = line.split([',', ' ', '\t', ';']).filter(|cell| !cell.is_empty());
            let owner = |cell: &str| match cell.parse::<u16>() {
                Ok(rank) if usize::from(rank) < count => Ok(rank),
                Ok(rank) => {
                    Err(fail(number, format!("rank {rank} of {}: they count from 0", ranks(count))))
                }
                Err(_) => Err(fail(number, format!("'{}' is no rank", shortened(cell)))),
            };
            let owners = cells.map(owner).collect::<Result<Vec<_>, _>>()?;
            if owners.is_empty() {
                continue;
            }
            let place = lines.len();
            let is_triangle = owners.len() == place + 1
                && lines.iter().enumerate().all(|(i, l)| l.len() == i + 1);
            let is_rectangle = lines.first().is_none_or(|first| first.len() == owners.len());
            if !is_triangle && !is_rectangle {
                let (length, first) = (owners.len(), lines[0].len());
                return Err(fail(
                    number,
                    format!(
                        "{length} owners after lines of {first}: lines are equally long, or one longer each"
                    ),
                ));
            }
            lines.push(owners);
        }
        if lines.is_empty() {
            return Err(fail(0, "it holds no owners".to_owned()));
        }
        Ok(Self { lines })
    }
}

impl Owners for OwnerFile {
    fn owner(&self, Spot { row, column, .. }: Spot, _: usize) -> Rank {
        let height = self.lines.len();
        let (row, column) = (row % height, column % self.lines[height - 1].len());
        // Above the diagonal of a triangle, the owner of what mirrors it.
        let line = &self.lines[row];
        let owner =
            line.get(column).or_else(|| self.lines.get(column).and_then(|line| line.get(row)));
        Rank(owner.copied().unwrap_or(line[0]))
    }
}

#[cfg(test)]
mod tests {
    use tegula_tiles::Storage;
    use tegula_tiles::owners::OwnerMap;

    use super::*;

    fn parse(text: &str) -> Result<OwnerFile, String> {
        OwnerFile::parse(Path::new("o.csv"), text, 3).map_err(|error| error.to_string())
    }

    fn owner(file: &OwnerFile, row: usize, column: usize) -> u16 {
        file.owner(Spot { row, column, rows: 9, columns: 9 }, 3).0
    }

    #[test]
    fn rectangles_and_triangles_are_repeated() {
        let file = parse("0,1\n2 0\n").unwrap();
        assert_eq!([owner(&file, 0, 1), owner(&file, 1, 0), owner(&file, 4, 3)], [1, 2, 1]);
        let file = parse("0\n1;2\n0\t1\t2\n").unwrap();
        assert_eq!([owner(&file, 2, 1), owner(&file, 1, 2), owner(&file, 3, 4)], [1, 1, 1]);
    }

    #[test]
    fn wrong_files_are_refused_with_their_line() {
        for (text, expected) in [
            ("0,1\n0,3\n", "o.csv, line 2: rank 3 of 3 ranks: they count from 0"),
            ("0,x\n", "o.csv, line 1: 'x' is no rank"),
            ("\n", "o.csv, line 1: it holds no owners"),
            (
                "0,1\n0\n",
                "o.csv, line 2: 1 owners after lines of 2: lines are equally long, or one longer each",
            ),
        ] {
            assert_eq!(parse(text), Err(expected.to_owned()));
        }
    }

    #[test]
    fn what_never_ends_is_refused() {
        let error = OwnerFile::read(Path::new("/dev/zero"), 2).map_err(|error| error.to_string());
        assert!(error.as_ref().is_err_and(|e| e.contains("a byte that is zero")), "{error:?}");
    }

    #[test]
    fn what_is_written_is_read_back() {
        for storage in [Storage::Full, Storage::Lower] {
            let map = OwnerMap::new((4, 4), storage, 3, |i, j| (i + 2 * j) % 3);
            let file = parse(&map.to_csv()).unwrap();
            assert_eq!(OwnerMap::of(&file, (4, 4), storage, 3), map);
        }
    }
}
