//! `--input` and `--rhs`: matrices from files, and the sizes that follow from them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use tegula_kernels::scalar::Precision;

use tegula_linalg::program::{self, InputMatrix, Operand, Program, Role, Size, Sizes};

use super::file::MatrixFile;
use super::load::FileMatrix;
use crate::error::refused;
use crate::output::check_output;

/// Flags about files of matrices.
#[derive(Args, Debug)]
#[command(next_help_heading = "Files")]
pub(super) struct FileFlags {
    /// The matrix: a file of NumPy's, HDF5 (or FILE.h5:DATASET), or of another format that "tegula
    /// diodon formats" lists; sizes come from it [default: a random one]
    #[arg(long, value_name = "A")]
    input: Option<PathBuf>,
    /// The right-hand sides, likewise
    #[arg(long, value_name = "B", requires = "input")]
    rhs: Option<PathBuf>,
    /// What entries of HDF5 are that were never written [default: a matrix with such is refused]
    #[arg(long, value_name = "VALUE", requires = "input", allow_negative_numbers = true)]
    fill: Option<f64>,
    /// Write what the algorithm leaves to a NumPy file: factors, solutions, inverses, products,
    /// vectors of a spectrum (of gesvd and qdwh U), or its values where there are no vectors
    #[arg(long = "output", value_name = "X.npy")]
    pub(super) result: Option<PathBuf>,
}

/// Matrices that were given, by the part that they play.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs(Vec<(Role, Arc<MatrixFile>)>);

impl Inputs {
    /// They as the program takes them.
    pub(super) fn to_program(&self) -> program::Inputs {
        let of = |role| {
            let found = self.0.iter().find(|(other, _)| *other == role);
            found.map(|(_, file)| Arc::new(FileMatrix(Arc::clone(file))) as Arc<dyn InputMatrix>)
        };
        program::Inputs { matrix: of(Role::Matrix), right_sides: of(Role::RightSides) }
    }
}

impl Inputs {
    /// Which files they are, by the names of their flags: digests of samples of them.
    ///
    /// # Errors
    /// If one cannot be read.
    pub(super) fn digests(&self) -> Result<Vec<(&'static str, String)>> {
        let digest = |(flag, role): (&'static str, Role)| {
            let matrix = self.0.iter().find(|(other, _)| *other == role);
            let digest = match matrix {
                Some((_, matrix)) => format!("SHA-256 {}", matrix.sample()?),
                None => "none".to_owned(),
            };
            Ok((flag, digest))
        };
        [("--input", Role::Matrix), ("--rhs", Role::RightSides)].into_iter().map(digest).collect()
    }
}

impl FileFlags {
    /// What is read, with the names of the flags.
    fn read(&self) -> impl Iterator<Item = (&'static str, Role, &Path)> {
        let input = ("--input", Role::Matrix, self.input.as_deref());
        let rhs = ("--rhs", Role::RightSides, self.rhs.as_deref());
        [input, rhs].into_iter().filter_map(|(flag, role, path)| Some((flag, role, path?)))
    }

    /// Opens the files that `program` takes, and sets the sizes that follow from them; those in
    /// `asked` have been asked for as well, and have to be the same.
    ///
    /// # Errors
    /// If the algorithm takes no such file, a file is no matrix, or sizes contradict each other.
    pub(super) fn open(
        &self,
        program: &Program,
        (asked, sizes): (&mut Vec<Size>, &mut Sizes),
        memory: u64,
    ) -> Result<Inputs> {
        let mut inputs = Inputs::default();
        for (flag, role, path) in self.read() {
            let Some(operand) = program.operands.iter().find(|operand| operand.role == role) else {
                return Err(refused(format!("{} takes no {flag}", program.name)));
            };
            let matrix = MatrixFile::open(path, memory / 4, self.fill)?;
            check_kind(&matrix, sizes.precision)?;
            adopt(&matrix, (program, operand), asked, sizes)?;
            inputs.0.push((role, Arc::new(matrix)));
        }
        Ok(inputs)
    }

    /// Refuses an output that `program` does not have, or that cannot be written.
    ///
    /// # Errors
    /// In these cases.
    pub(super) fn check_result(&self, program: &Program) -> Result<()> {
        let Some(path) = &self.result else { return Ok(()) };
        if !program.has_result() {
            return Err(refused(format!("{} leaves no matrix: leave --output out", program.name)));
        }
        if let Some(ending) = path.extension().filter(|ending| *ending != "npy") {
            return Err(refused(format!(
                "--output {}: results are written as NumPy's files, which end in .npy, not in .{}; tegula diodon \
                 convert makes other formats of them",
                path.display(),
                ending.display()
            )));
        }
        check_output(path)
    }
}

/// Refuses complex numbers in real precisions.
fn check_kind(matrix: &MatrixFile, precision: Precision) -> Result<()> {
    if precision.is_complex() || !matrix.is_complex() {
        return Ok(());
    }
    let name = matrix.name();
    Err(refused(format!("{name} holds complex numbers: give --precision c or z")))
}

/// Sets the sizes of `operand` to those of `matrix`.
fn adopt(
    matrix: &MatrixFile,
    (program, operand): (&Program, &Operand),
    asked: &mut Vec<Size>,
    sizes: &mut Sizes,
) -> Result<()> {
    let (m, n) = matrix.shape();
    let [rows, columns] = operand.letters(sizes);
    let wrong = |sizes: &Sizes, letter: Size| {
        let (path, name, shape) = (matrix.name(), program.name, operand.describe(sizes));
        let (expected, letter) = (sizes.of(letter), letter.name());
        refused(format!(
            "{path} is a {m} x {n} matrix; {name} takes one of {shape}, with {letter} = {expected}"
        ))
    };
    set_size(rows, m, asked, sizes).map_err(|letter| wrong(sizes, letter))?;
    let (letter, found) = match operand.is_batch() {
        false => (columns, n),
        true => across(n, columns, asked, sizes).map_err(|letter| wrong(sizes, letter))?,
    };
    set_size(letter, found, asked, sizes).map_err(|letter| wrong(sizes, letter))
}

/// Sets the size called `letter` to what was `found`; answers `letter` if another was asked for.
fn set_size(
    letter: Size,
    found: usize,
    asked: &mut Vec<Size>,
    sizes: &mut Sizes,
) -> Result<(), Size> {
    if asked.contains(&letter) && sizes.of(letter) != found {
        return Err(letter);
    }
    sizes.set(letter, found);
    asked.push(letter);
    Ok(())
}

/// What follows from the `n` columns of problems side by side, each of which has as many as
/// `columns` says: that size, or the number of problems; the other one if it does not divide them.
fn across(n: usize, columns: Size, asked: &[Size], sizes: &Sizes) -> Result<(Size, usize), Size> {
    let both = (Size::Count, columns);
    let (unknown, known) = if asked.contains(&columns) { both } else { (both.1, both.0) };
    let divisor = sizes.of(known);
    match n.checked_rem(divisor) {
        Some(0) => Ok((unknown, n / divisor)),
        None if n == 0 => Ok((unknown, 0)),
        _ => Err(known),
    }
}
