//! Matrices in tiles, and lists of tiles that are wrong.

use std::fs;

use tegula_files::hdf5::{Hdf5Options, ManifestSource};
use tegula_files::source::{Source, SourceError};
use tegula_kernels::element::Element;

use crate::{assert_holds, assert_says, entry, folder, is_full, mirrored, path, write};

/// Writes tiles, each by its first row and column and its shape, and a list of them; opens the
/// list.
fn open(
    folder: &tempfile::TempDir,
    tiles: &[([usize; 2], [usize; 2], Element)],
) -> Result<ManifestSource, SourceError> {
    let mut list = "file,row,column\n".to_owned();
    for (index, (corner, shape, element)) in tiles.iter().enumerate() {
        let options = Hdf5Options {
            chunk: Some([8, 8]),
            names: [0, 1].map(|axis| {
                let of = corner[axis]..corner[axis] + shape[axis];
                Some(of.map(|index| format!("n{index}")).collect())
            }),
            ..Hdf5Options::default()
        };
        let name = format!("tile {index}.h5");
        write(&path(folder, &name), *shape, (*element, *corner), &options).expect("a tile");
        list += &format!("{name},{},{}\n", corner[0], corner[1]);
    }
    list_of(folder, &list)
}

fn list_of(folder: &tempfile::TempDir, list: &str) -> Result<ManifestSource, SourceError> {
    let file = path(folder, "tiles.csv");
    fs::write(&file, list).expect("a list");
    ManifestSource::open(&file)
}

const F: Element = Element::F32;

#[test]
fn tiles_make_up_a_matrix() {
    let folder = folder();
    let tiles = [
        ([0, 0], [16, 24], F),
        ([0, 24], [16, 9], F),
        ([16, 0], [5, 24], F),
        ([16, 24], [5, 9], F),
    ];
    let source = open(&folder, &tiles).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((source.shape(), source.tiles(), source.element()), ([21, 33], 4, F));
    assert!(is_full(&source));
    assert_holds(&source, entry);
    assert_eq!(source.row_names().expect("names")[20], "n20");
    assert_eq!(source.column_names().expect("names").len(), 33);
}

#[test]
fn the_upper_triangle_is_enough() {
    let folder = folder();
    let mut tiles = Vec::new();
    for i in 0..6 {
        for j in i..6 {
            // More tiles than are open at once.
            tiles.push(([i * 5, j * 5], [5, 5], F));
        }
    }
    let source = open(&folder, &tiles).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(source.tiles(), 21);
    assert!(!is_full(&source));
    // Tiles on the diagonal are whole; others follow.
    let expected = |i: usize, j: usize| {
        if i / 5 <= j / 5 { entry(i, j) } else { entry(j, i) }
    };
    assert_holds(&source, expected);
    assert_eq!(source.row_names().expect("names")[29], "n29");
}

#[test]
fn the_diagonal_may_be_left_out() {
    let folder = folder();
    let mut strips: Vec<_> = (0..7).map(|i| ([i, i + 1], [1, 7 - i], F)).collect();
    strips.push(([7, 7], [1, 1], F));
    let source = open(&folder, &strips).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(source.shape(), [8, 8]);
    assert!(!is_full(&source));
    assert_holds(&source, |i, j| if i == 7 && j == 7 { entry(7, 7) } else { mirrored(i, j) });
}

#[test]
fn wrong_lists_are_refused() {
    let folder = folder();
    let gap = [([0, 0], [4, 4], F), ([0, 4], [4, 4], F), ([4, 0], [4, 4], F)];
    assert_says(open(&folder, &gap), &["tiles.csv", "no tile holds entry (4, 7)", "8 x 8"]);
    let overlap = [([0, 0], [4, 4], F), ([3, 2], [4, 4], F)];
    assert_says(
        open(&folder, &overlap),
        &["(3, 2)", "two tiles", "tile 0.h5", "tile 1.h5 (line 3"],
    );
    let kinds = [([0, 0], [4, 4], F), ([0, 4], [4, 4], Element::F64)];
    assert_says(open(&folder, &kinds), &["line 2", "float32", "line 3", "float64"]);
    for (list, words) in [
        ("file,row\na.h5,0\n", &["no column 'column'"][..]),
        ("file,row,column\n", &["no file is named"]),
        ("", &["no column 'file'"]),
        ("file,row,column\nnone.h5,0,0\n", &["line 2", "none.h5", "No such file"]),
        ("file,row,column\ntile 0.h5,0,x\n", &["line 2", "column 'x'"]),
        ("file,row,column\ntile 0.h5,-1,0\n", &["line 2", "row '-1'"]),
        ("file,row,column\n,0,0\n", &["line 2 names no file"]),
        ("file,row,column\ntile 0.h5,0\n", &["line: 2"]),
        ("file,row,column,dataset\ntile 0.h5,0,0,other\n", &["line 2", "'other'", "'values'"]),
        ("file,row,column\ntile 0.h5,18446744073709551615,0\n", &["line 2", "too large"]),
    ] {
        assert_says(list_of(&folder, list), words);
    }
    let names = [([0, 0], [4, 4], F), ([1, 4], [4, 4], F)];
    assert_says(open(&folder, &names), &["no tile holds entry (0, 4)"]);
    let list = "file,row,column\ntile 0.h5,0,0\ntile 1.h5,0,4\n";
    let words = ["row 0", "'n0' by the file of line 2", "'n1' by that of line 3"];
    assert_says(list_of(&folder, list), &words);
    fs::write(path(&folder, "tile 0.h5"), "x").expect("a file");
    assert_says(list_of(&folder, "file,row,column\ntile 0.h5,0,0\n"), &["line 2", "no HDF5 file"]);
}
