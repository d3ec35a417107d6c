//! Comparisons of kernels of real and complex numbers.

use std::marker::PhantomData;

use tegula_kernels::backend;
use tegula_kernels::kernel::centre::{Centre, Factors};
use tegula_kernels::kernel::check_diagonal::CheckDiagonal;
use tegula_kernels::kernel::convert::Convert;
use tegula_kernels::kernel::copy_part::{Block, CopyPart};
use tegula_kernels::kernel::diagonal_solve::DiagonalSolve;
use tegula_kernels::kernel::getrf::Getrf;
use tegula_kernels::kernel::getrf_nopiv::GetrfNopiv;
use tegula_kernels::kernel::getrf_update::GetrfUpdate;
use tegula_kernels::kernel::lascal::Lascal;
use tegula_kernels::kernel::laset::Laset;
use tegula_kernels::kernel::laset_triangle::LasetTriangle;
use tegula_kernels::kernel::laswp::Laswp;
use tegula_kernels::kernel::lauum::Lauum;
use tegula_kernels::kernel::line_sums::{Line, LineSums, Term};
use tegula_kernels::kernel::negligible::Negligible;
use tegula_kernels::kernel::norm::{Norm, NormFold, NormShare};
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::kernel::potrf::Potrf;
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::scale_lines::{Root, ScaleLines};
use tegula_kernels::kernel::symm::Symm;
use tegula_kernels::kernel::syr2k::Syr2k;
use tegula_kernels::kernel::tradd::Tradd;
use tegula_kernels::kernel::trsm_block::TrsmBlock;
use tegula_kernels::kernel::trsm_column::TrsmColumn;
use tegula_kernels::kernel::trtri::Trtri;
use tegula_kernels::option::{Diag, Form, Part, Side, Storev, Trans, Uplo};
use tegula_kernels::scalar::{Real, Scalar};

use crate::{Comparison, raw};

impl Comparison<'_> {
    /// What is symmetric or Hermitian.
    pub(super) fn symmetric<T: Scalar>(
        &mut self,
        (m, n, k): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        let (alpha, size) = (T::from_f64(0.75), 8.0 * (k + m + n) as f64);
        for (form, uplo, beta) in Form::ALL
            .into_iter()
            .flat_map(|form| Uplo::ALL.map(|uplo| (form, uplo)))
            .flat_map(|(form, uplo)| [0.0, -0.5].map(|beta| (form, uplo, T::from_f64(beta))))
        {
            for side in Side::ALL {
                let symm = Symm { form, side, uplo, m, n, alpha, beta };
                let order = symm.order();
                let [a, b, c] =
                    [order * order, m * n, m * n].map(|count| raw(&random.numbers::<T>(count)));
                self.compare::<T, T::Real, _>(symm, &[a, b, c], size);
            }
            for trans in [Trans::No, form.mirror()] {
                let syr2k = Syr2k { form, uplo, trans, n, k, alpha, beta };
                let [a, b, c] = [n * k, n * k, n * n].map(|count| raw(&random.numbers::<T>(count)));
                self.compare::<T, T::Real, _>(syr2k, &[a, b, c], size);
            }
        }
    }

    /// Factorizations and triangles of any numbers.
    pub(super) fn factored<T: Scalar>(
        &mut self,
        (m, n, _): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        let size = 16.0 * n as f64;
        for spoil in [None, Some(-1.0), Some(f64::NAN), Some(0.0)] {
            let mut a = random.dominant::<T>(n);
            if let Some(value) = spoil {
                a[(n - 1) / 2 * (n + 1)] = T::from_f64(value);
            }
            for uplo in Uplo::ALL {
                let a = [raw(&a)];
                self.compare::<T, T::Real, _>(Potrf::<T>::new(uplo, n, 10), &a, size);
                if spoil.is_none() {
                    self.compare::<T, T::Real, _>(Lauum::<T>::new(uplo, n), &a, size);
                }
                for diag in Diag::ALL.into_iter().filter(|_| spoil.is_none_or(|x| x == 0.0)) {
                    self.compare::<T, T::Real, _>(Trtri::<T>::new(uplo, diag, n, 3), &a, size);
                }
            }
        }
        let mut a = random.numbers::<T>(m * n);
        (0..m.min(n)).for_each(|i| a[i * (m + 1)] = T::from_f64(2.0 * (m + n) as f64));
        let (size, last) = (64.0 * (m + n) as f64, m.min(n) - 1);
        self.compare::<T, T::Real, _>(GetrfNopiv::<T>::new(m, n, 0), &[raw(&a)], size);
        a[last * (m + 1)] = T::NAN;
        self.compare::<T, T::Real, _>(GetrfNopiv::<T>::new(m, n, 4), &[raw(&a)], size);
    }

    /// What is done entry by entry.
    pub(super) fn entries<T: Scalar>(
        &mut self,
        (m, n, _): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        let (alpha, scalar) = (random.number::<T>(), PhantomData::<T>);
        for part in Part::ALL {
            let mut tile = || raw(&random.numbers::<T>(m * n));
            for (alpha, beta) in [(alpha, T::ZERO), (T::ZERO, alpha), (T::ONE, alpha)] {
                for trans in Trans::ALL {
                    let tradd = Tradd { part, trans, m, n, alpha, beta };
                    self.compare::<T, T::Real, _>(tradd, &[tile(), tile()], 4.0);
                }
                self.compare::<T, T::Real, _>(Lascal { part, m, n, alpha }, &[tile()], 4.0);
            }
            let other = raw(&vec![<T::Other as Scalar>::ONE; m * n]);
            let convert = Convert { part, m, n, scalar };
            self.compare::<T, <T::Other as Scalar>::Real, _>(convert, &[tile(), other], 0.0);
            for (term, row, column, all) in
                [(Term::Entry, 0.25, 0.5, 0.125), (Term::Square, 0.0, 0.5, 0.0)]
            {
                let centre =
                    Centre { part, term, m, n, alpha, factors: Factors { row, column, all } };
                let mut sums = |factor: f64, count| {
                    raw(&random.numbers::<T>(if factor == 0.0 { 0 } else { count }))
                };
                let buffers = [sums(row, m), sums(column, n), sums(all, 1), sums(1.0, m * n)];
                self.compare::<T, T::Real, _>(centre, &buffers, 16.0);
            }
        }
        let (off_diagonal, diagonal) = (random.number::<T>(), random.number::<T>());
        let tile = raw(&random.numbers::<T>(m * n));
        let laset = Laset { m, n, off_diagonal, diagonal };
        self.compare::<T, T::Real, _>(laset, std::slice::from_ref(&tile), 0.0);
        for uplo in Uplo::ALL {
            let laset = LasetTriangle { uplo, m, n, off_diagonal, diagonal };
            self.compare::<T, T::Real, _>(laset, std::slice::from_ref(&tile), 0.0);
        }
        let block = |tile: (usize, usize), first: (usize, usize)| {
            let short = |(i, j): (usize, usize)| (i as u32, j as u32);
            Block { tile: short(tile), first: short(first) }
        };
        let (from, to) = (block((m, n), (m / 3, n / 2)), block((m + 1, n + 2), (1, 2)));
        let size = ((m - m / 3) as u32, (n - n / 2) as u32);
        let target = raw(&random.numbers::<T>((m + 1) * (n + 2)));
        let copy = CopyPart { from, to, size, scalar };
        self.compare::<T, T::Real, _>(copy, &[tile.clone(), target], 0.0);
        let d = raw(&random.dominant::<T>(m));
        let solve = DiagonalSolve { m, n, scalar };
        self.compare::<T, T::Real, _>(solve, &[d, tile.clone()], 4.0);
        for zero in [None, Some(0), Some(m.min(n) - 1)] {
            let mut a = random.dominant::<T>(m.max(n));
            a.truncate(m * n);
            zero.iter().for_each(|&i| a[i * (m + 1)] = T::ZERO);
            (0..m.min(n)).filter(|&i| Some(i) != zero).for_each(|i| a[i * (m + 1)] = T::ONE);
            let check = CheckDiagonal { m, n, offset: 7, scalar };
            self.compare::<T, T::Real, _>(check, &[raw(&a)], 0.0);
        }
        self.lines::<T>((m, n), random);
    }

    /// Steps of solves with a triangle in columns of blocks.
    pub(super) fn columns<T: Real>(
        &mut self,
        (n, k, rest): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        let (size, scalar) = (16.0 * (n + k + rest) as f64, PhantomData::<T>);
        let (m, first) = (k + rest, rest / 2);
        let b = raw(&random.numbers::<T>(m * n));
        let mut heavy = |rows: usize, cols: usize, row: usize, col: usize| {
            let mut a = random.numbers::<T>(rows * cols);
            let diagonal = (0..k.min(cols - col)).map(|i| row + i + (col + i) * rows);
            diagonal.for_each(|place| a[place] = T::from_f64(4.0 * (k + 1) as f64));
            raw(&a)
        };
        for trans in Trans::ALL {
            for uplo in Uplo::ALL {
                let diag = Diag::NonUnit;
                let column = TrsmColumn { uplo, trans, diag, m, n, k, first, scalar };
                self.compare::<T, T, _>(column, &[heavy(m, k, first, 0), b.clone()], size);
            }
            if trans == Trans::Yes {
                continue;
            }
            for storev in [Storev::Columns, Storev::Rows] {
                let (nrhs, offset) = (n as u32, first);
                let block = TrsmBlock { storev, trans, m, n: k, k, offset, rows: m, nrhs, scalar };
                let a = match storev {
                    Storev::Columns => heavy(m, k, first, 0),
                    Storev::Rows => heavy(k, m, 0, first),
                };
                self.compare::<T, T, _>(block, &[a, Vec::new(), b.clone()], size);
            }
        }
    }

    /// Panels with pivots, from their first row or a later one on, whole or with a column of zeros.
    pub(super) fn panels<T: Real>(
        &mut self,
        (m, n, _): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        for (first, zero) in [(0, None), (m / 3, None), (m / 3, Some(n / 2))] {
            let getrf = Getrf::<T>::new(m, n, first);
            let mut a = random.numbers::<T>(m * n);
            zero.iter().for_each(|&j| a[j * m..(j + 1) * m].fill(T::ZERO));
            let steps = getrf.steps();
            // With as many notes that all that is written is whole numbers of any type.
            let all = first + steps + (first + 2 * steps) % 2;
            let (pivots, all) = (vec![0; 4 * steps], vec![7; 4 * all]);
            let size = 64.0 * (m + n) as f64;
            self.compare::<T, T, _>(getrf, &[raw(&a), pivots, all, vec![0; 8]], size);
        }
    }

    /// Exchanges of rows, and the update of a column of blocks by a panel.
    pub(super) fn pivots<T: Scalar>(
        &mut self,
        (m, n, k): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        let scalar = PhantomData::<T>;
        for (first, backward) in [(0, false), (m / 3, false), (m / 3, true)] {
            let pivots: Vec<u32> = (0..m - m / 4)
                .map(|i| (i + (random.bits() % (m - i) as u64) as usize) as u32)
                .collect();
            let first = first.min(pivots.len());
            let a = raw(&random.numbers::<T>(m * n));
            let laswp = Laswp { m, n, first, backward, scalar };
            let pivots = bytemuck::cast_slice(&pivots).to_vec();
            self.compare::<T, T::Real, _>(laswp, &[pivots, a], 0.0);
        }
        let height = T::blas(backend::current()).micro_panel_height();
        for (first, height) in [(0, None), (m / 3, None), (m / 3, height), (0, height)] {
            let update = GetrfUpdate { m, n, k, first, height, scalar };
            let steps = update.steps();
            let pivots: Vec<u32> = (first..first + steps)
                .map(|i| (i + (random.bits() % (m - i) as u64) as usize) as u32)
                .collect();
            let small = |count: usize, random: &mut RandomInputs| -> Vec<T> {
                let scale = T::from_f64(1.0 / (k + 1) as f64);
                random.numbers::<T>(count).into_iter().map(|x| x * scale).collect()
            };
            let panel = small(if height.is_some() { steps * k } else { m * k }, random);
            let packed = small(update.packed().map_or(1, |shape| shape.elements() + 5), random);
            let pivots = bytemuck::cast_slice(&pivots).to_vec();
            let column = raw(&random.numbers::<T>(m * n));
            let buffers = [raw(&panel), pivots, raw(&packed), column];
            self.compare::<T, T::Real, _>(update, &buffers, 4.0 * (k + 1) as f64);
        }
    }

    /// Sums along lines, and what is made of them.
    fn lines<T: Scalar>(&mut self, (m, n): (usize, usize), random: &mut RandomInputs) {
        let scalar = PhantomData::<T>;
        let squares = |count: usize, random: &mut RandomInputs| -> Vec<T> {
            let mut squares: Vec<T> = random.numbers::<T>(count);
            squares.iter_mut().for_each(|x| *x = T::from_real(x.abs_squared() + T::Real::ONE));
            squares[0] = T::ZERO;
            squares
        };
        for (row, column) in
            [(Root::None, Root::Fourth), (Root::Square, Root::None), (Root::Fourth, Root::Square)]
        {
            let scale = ScaleLines { row, column, m, n, scalar };
            let sums = |root, count, random: &mut RandomInputs| match root {
                Root::None => Vec::new(),
                _ => raw(&squares(count, random)),
            };
            let (s, t) = (sums(row, m, random), sums(column, n, random));
            let a = raw(&random.numbers::<T>(m * n));
            self.compare::<T, T::Real, _>(scale, &[s, t, a], 4.0);
        }
        let negligible = Negligible { n, part: 1.0, scalar };
        let (before, after) = (squares(n, random), squares(n, random));
        self.compare::<T, T::Real, _>(negligible, &[raw(&before), raw(&after)], 0.0);
        let mut structures = vec![(Structure::General, m, n)];
        for uplo in Uplo::ALL {
            structures.extend(Diag::ALL.map(|diag| (Structure::Triangular(uplo, diag), m, n)));
            structures.extend(Form::ALL.map(|form| (Structure::Symmetric(form, uplo), n, n)));
        }
        for (structure, m, n) in structures {
            let mut a = random.numbers::<T>(m * n);
            for line in [Line::Row, Line::Column] {
                for term in [Term::Entry, Term::Square] {
                    let count = if line == Line::Row { m } else { n };
                    let sums = LineSums { line, term, structure, m, n, scalar };
                    let buffers = [raw(&a), raw(&random.numbers::<T>(count))];
                    self.compare::<T, T::Real, _>(sums, &buffers, 4.0 * (m + n) as f64);
                }
            }
            for (norm, special) in Norm::ALL
                .into_iter()
                .flat_map(|norm| [0.0, f64::INFINITY, f64::NAN].map(|x| (norm, x)))
            {
                a[0] = T::from_f64(special);
                let share = NormShare { norm, structure, twice: m > n, m, n, scalar };
                let before = vec![T::Real::ONE; norm.share(m, n)];
                // Of so many terms the roundings of the order of addition walk at random.
                let terms = (m * n) as f64;
                let size = terms * terms.sqrt().max(4.0);
                self.compare::<T, T::Real, _>(share, &[raw(&a), raw(&before)], size);
                let length = before.len();
                let mut share = random.numbers::<T::Real>(length);
                share.iter_mut().for_each(|x| *x = x.abs());
                share[0] = T::Real::of_f64(special);
                let fold = NormFold { norm, length, scalar };
                let result = vec![T::Real::ONE; norm.share(1, 1)];
                self.compare::<T, T::Real, _>(fold, &[raw(&share), raw(&result)], 16.0);
            }
        }
    }
}
