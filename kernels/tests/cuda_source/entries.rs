//! What is done entry by entry, along lines or to whole rows, from the CUDA source, against the
//! reference loops.

use std::marker::PhantomData;

use libloading::Library;
use tegula_kernels::element::ELEMENTS;
use tegula_kernels::kernel::centre::{Centre, Factors, Sums};
use tegula_kernels::kernel::convert::Convert;
use tegula_kernels::kernel::diagonal_solve::DiagonalSolve;
use tegula_kernels::kernel::laset_triangle::LasetTriangle;
use tegula_kernels::kernel::laswp::Laswp;
use tegula_kernels::kernel::line_sums::{Line, LineSums, Term};
use tegula_kernels::kernel::negligible::Negligible;
use tegula_kernels::kernel::norm::{Norm, NormShare, frobenius};
use tegula_kernels::kernel::pack::Structure;
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::scale_lines::{Root, ScaleLines};
use tegula_kernels::kernel::sweep::{Entry, Panels, Tile};
use tegula_kernels::kernel::tradd::Tradd;
use tegula_kernels::option::{Diag, Form, Part, Trans, Uplo};
use tegula_kernels::packed::{PackedMut, PackedShape};
use tegula_kernels::scalar::{Real, Scalar};
use tegula_kernels::tile::{TileMut, TileRef};

use crate::dense::close;
use crate::played;

const SHAPES: [(usize, usize); 4] = [(1, 1), (5, 3), (4, 11), (0, 3)];

fn check<T: Real>(case: &str, got: &[T], expected: &[T], size: f64) {
    for (place, (&x, &y)) in got.iter().zip(expected).enumerate() {
        let same = close(x, y, size) || x.to_f64().to_bits() == y.to_f64().to_bits();
        assert!(same || x.is_nan() && y.is_nan(), "{case}: number {place} is {x}, not {y}");
    }
}

fn part_number(part: Part) -> i32 {
    Part::ALL.into_iter().position(|other| other == part).expect("it is one of them") as i32
}

fn parts<T: Real>(library: &Library, random: &mut RandomInputs) {
    for ((m, n), part) in SHAPES.into_iter().flat_map(|shape| Part::ALL.map(|part| (shape, part))) {
        let (rows, cols, flag) = (m as u64, n as u64, part_number(part));
        let (a, b) = (random.numbers::<T>(m * n), random.numbers::<T>(m * n));
        for (trans, alpha, beta) in Trans::ALL
            .into_iter()
            .flat_map(|trans| [(trans, 0.0, -0.5), (trans, 0.75, 0.0), (trans, 0.75, -0.5)])
        {
            let (alpha, beta) = (T::from_f64(alpha), T::from_f64(beta));
            let (mut got, mut expected) = (b.clone(), b.clone());
            let stored = trans.stored(m, n);
            let tradd = Tradd { part, trans, m, n, alpha, beta };
            tradd
                .reference(TileRef::new(&a, stored.0, stored.1), TileMut::new(&mut expected, m, n));
            let op = Trans::ALL.into_iter().position(|other| other == trans).expect("it is there");
            let (ld, place) = (stored.0 as u64, got.as_mut_ptr());
            call!(
                library,
                b"call_add_part",
                (u64, u64, i32, i32, T, *const T, u64, T, *mut T, u64),
                (rows, cols, flag, op as i32, alpha, a.as_ptr(), ld, beta, place, rows)
            );
            check(&format!("{tradd:?}"), &got, &expected, 2.0);
        }
        let convert = Convert { part, m, n, scalar: PhantomData::<T> };
        let mut got = vec![<T::Other as Scalar>::NAN; m * n];
        let mut expected = got.clone();
        convert.reference(TileRef::new(&a, m, n), TileMut::new(&mut expected, m, n));
        call!(
            library,
            b"call_convert",
            (u64, u64, i32, *const T, *mut T::Other),
            (rows, cols, flag, a.as_ptr(), got.as_mut_ptr())
        );
        let bits = |numbers: &[T::Other]| bytemuck::cast_slice::<_, u8>(numbers).to_vec();
        assert_eq!(bits(&got), bits(&expected), "{convert:?}");
    }
}

fn tiles<T: Real>(library: &Library, random: &mut RandomInputs) {
    for (m, n) in SHAPES {
        let (rows, cols) = (m as u64, n as u64);
        let a = random.numbers::<T>(m * n);
        let (off_diagonal, diagonal) = (random.number::<T>(), random.number::<T>());
        for uplo in Uplo::ALL {
            let (mut got, mut expected) = (a.clone(), a.clone());
            let laset = LasetTriangle { uplo, m, n, off_diagonal, diagonal };
            laset.reference(TileMut::new(&mut expected, m, n));
            call!(
                library,
                b"call_laset_part",
                (u64, u64, i32, T, T, *mut T),
                (rows, cols, part_number(uplo.into()), off_diagonal, diagonal, got.as_mut_ptr())
            );
            assert_eq!(got, expected, "{laset:?}");
        }
        let d = random.dominant::<T>(m);
        let (mut got, mut expected) = (a.clone(), a.clone());
        let solve = DiagonalSolve { m, n, scalar: PhantomData };
        solve.reference(TileRef::new(&d, m, m), TileMut::new(&mut expected, m, n));
        call!(
            library,
            b"call_diagonal_solve",
            (u64, u64, *const T, *mut T),
            (rows, cols, d.as_ptr(), got.as_mut_ptr())
        );
        check("diagonal solve", &got, &expected, 1.0);
        let noise = random.numbers::<f64>(m);
        let mut got = random.numbers::<T>(m * m);
        let before = got.clone();
        call!(
            library,
            b"call_add_noise",
            (u64, *const f64, *mut T),
            (rows, noise.as_ptr(), got.as_mut_ptr())
        );
        for (place, (&x, &y)) in got.iter().zip(&before).enumerate() {
            let (i, j) = (place % m, place / m);
            assert_eq!(x, if i == j { y + T::from_f64(noise[i]) } else { y }, "({i}, {j})");
        }
        let (x, mut got) = (random.numbers::<T>(m * n), a.clone());
        let times = |place: usize| T::from_f64(0.75 * noise[place % m]) * x[place];
        let expected: Vec<T> = (0..m * n).map(|place| a[place] + times(place)).collect();
        call!(
            library,
            b"call_times_noise",
            (u64, u64, f64, *const f64, *const T, *mut T),
            (rows, cols, 0.75, noise.as_ptr(), x.as_ptr(), got.as_mut_ptr())
        );
        check("noise times columns", &got, &expected, 2.0);
    }
}

fn lines<T: Real>(library: &Library, random: &mut RandomInputs) {
    let squares = |count: usize, random: &mut RandomInputs| -> Vec<T> {
        let mut squares = random.numbers::<T>(count);
        squares.iter_mut().for_each(|x| *x = *x * *x + T::from_f64(0.5));
        squares.iter_mut().take(1).for_each(|x| *x = T::ZERO);
        squares
    };
    let roots = [Root::None, Root::Square, Root::Fourth];
    for (m, n) in SHAPES {
        let (size, a) = ((m as u64, n as u64), random.numbers::<T>(m * n));
        let (s, t) = (squares(m, random), squares(n, random));
        for (row, column) in (0..3).flat_map(|row| [(row, 0), (row, 1), (row, 2)]) {
            let (mut got, mut expected) = (a.clone(), a.clone());
            let scalar = PhantomData::<T>;
            let scale = ScaleLines { row: roots[row], column: roots[column], m, n, scalar };
            scale.reference((&s, &t), TileMut::new(&mut expected, m, n));
            let (row, column) = (row as i32, column as i32);
            let place = got.as_mut_ptr();
            call!(
                library,
                b"call_scale_lines",
                (u64, u64, i32, *const T, i32, *const T, *mut T),
                (size.0, size.1, row, s.as_ptr(), column, t.as_ptr(), place)
            );
            check(&format!("{scale:?}"), &got, &expected, 4.0);
        }
        let (rows, columns, all) =
            (random.numbers::<T>(m), random.numbers::<T>(n), random.numbers::<T>(1));
        for (part, term, factors) in Part::ALL.into_iter().flat_map(|part| {
            let factors = |row, column, all| Factors { row, column, all };
            [
                (part, Term::Entry, factors(0.5, 0.25, 0.125)),
                (part, Term::Square, factors(0.0, 0.25, 0.0)),
            ]
        }) {
            let (mut got, mut expected) = (a.clone(), a.clone());
            let centre = Centre { part, term, m, n, alpha: T::from_f64(-0.5), factors };
            let sums = Sums { rows: &rows, columns: &columns, all: &all };
            centre.reference(sums, TileMut::new(&mut expected, m, n));
            let squared = i32::from(term == Term::Square);
            call!(
                library,
                b"call_centre",
                (u64, u64, i32, i32, T, f64, *const T, f64, *const T, f64, *const T, *mut T),
                (
                    size.0,
                    size.1,
                    part_number(part),
                    squared,
                    centre.alpha,
                    factors.row,
                    rows.as_ptr(),
                    factors.column,
                    columns.as_ptr(),
                    factors.all,
                    all.as_ptr(),
                    got.as_mut_ptr()
                )
            );
            check(&format!("{centre:?}"), &got, &expected, 4.0);
        }
        let (mut got, before) = (squares(n, random), squares(n, random));
        let mut expected = got.clone();
        Negligible { n, part: 1.0, scalar: PhantomData }.reference(&before, &mut expected);
        call!(
            library,
            b"call_negligible",
            (u64, f64, *const T, *mut T),
            (size.1, 1.0, before.as_ptr(), got.as_mut_ptr())
        );
        assert_eq!(got, expected, "negligible sums");
    }
}

/// Every structure, with its two numbers in the source.
fn structures() -> Vec<(Structure, i32, i32)> {
    let mut all = vec![(Structure::General, 0, 0)];
    for (uplo, lower) in [(Uplo::Lower, 1), (Uplo::Upper, 0)] {
        all.push((Structure::Symmetric(Form::Symmetric, uplo), 1, lower));
        all.push((Structure::Symmetric(Form::Hermitian, uplo), 2, lower));
        all.push((Structure::Triangular(uplo, Diag::NonUnit), 3, lower));
        all.push((Structure::Triangular(uplo, Diag::Unit), 4, lower));
    }
    all
}

fn sums<T: Real>(library: &Library, random: &mut RandomInputs) {
    let scalar = PhantomData::<T>;
    for (structure, kind, lower) in structures() {
        let is_square = matches!(structure, Structure::Symmetric(..));
        for (m, n) in [(1, 1), (7, 7), (9, 5), (5, 9)] {
            if is_square && m != n {
                continue;
            }
            let a = random.numbers::<T>(m * n);
            let (tile, rows, cols) = (TileRef::new(&a, m, n), m as u64, n as u64);
            for (line, name, count) in
                [(Line::Row, &b"call_sum_rows"[..], m), (Line::Column, &b"call_sum_columns"[..], n)]
            {
                for (term, number) in [(Term::Entry, 0), (Term::Square, 1)] {
                    let mut got = random.numbers::<T>(count);
                    let mut expected = got.clone();
                    let sums = LineSums { line, term, structure, m, n, scalar };
                    sums.reference(tile, &mut expected);
                    call!(
                        library,
                        name,
                        (u64, u64, i32, i32, i32, *const T, *mut T),
                        (rows, cols, kind, lower, number, a.as_ptr(), got.as_mut_ptr())
                    );
                    check(&format!("{sums:?}"), &got, &expected, (m + n) as f64);
                }
            }
            for norm in Norm::ALL {
                let share = NormShare { norm, structure, twice: false, m, n, scalar };
                let mut got = vec![T::ZERO; norm.share(m, n)];
                shared(library, (kind, lower), &share, &a, &mut got);
                let mut folded = vec![T::ZERO; norm.share(1, 1)];
                let (from, to) = (got.as_ptr(), folded.as_mut_ptr());
                let count = got.len() as u64;
                if norm == Norm::Frobenius {
                    call!(library, b"call_norm_fold_squares", (*const T, *mut T), (from, to));
                } else {
                    call!(
                        library,
                        b"call_norm_fold_largest",
                        (u64, *const T, *mut T),
                        (count, from, to)
                    );
                }
                let got = if norm == Norm::Frobenius { frobenius(&folded) } else { folded[0] };
                let expected = T::from_f64(share.reference(tile));
                check(&format!("{share:?}"), &[got], &[expected], (m * n) as f64);
            }
        }
    }
}

/// Adds the share of `a` to `got`.
fn shared<T: Real>(
    library: &Library,
    (kind, lower): (i32, i32),
    share: &NormShare<T>,
    a: &[T],
    got: &mut [T],
) {
    let (m, n, to) = (share.m as u64, share.n as u64, got.as_mut_ptr());
    match share.norm {
        Norm::Max => call!(
            library,
            b"call_norm_largest",
            (u64, u64, i32, i32, *const T, *mut T),
            (m, n, kind, lower, a.as_ptr(), to)
        ),
        Norm::Frobenius => call!(
            library,
            b"call_norm_squares",
            (u64, u64, i32, i32, i32, f64, *const T, *mut T),
            (m, n, kind, lower, 0, T::MIN_POSITIVE.to_f64(), a.as_ptr(), to)
        ),
        Norm::One => call!(
            library,
            b"call_sum_columns",
            (u64, u64, i32, i32, i32, *const T, *mut T),
            (m, n, kind, lower, 2, a.as_ptr(), to)
        ),
        Norm::Infinity => call!(
            library,
            b"call_sum_rows",
            (u64, u64, i32, i32, i32, *const T, *mut T),
            (m, n, kind, lower, 2, a.as_ptr(), to)
        ),
    }
}

fn rows<T: Real>(library: &Library, random: &mut RandomInputs) {
    let (m, n) = (11, 3);
    for (first, backward) in [(0, false), (2, false), (2, true), (9, false)] {
        let pivots: Vec<u32> =
            (0..9).map(|i| (i + (random.bits() % (m - i) as u64) as usize) as u32).collect();
        let mut got = random.numbers::<T>(m * n);
        let mut expected = got.clone();
        let laswp = Laswp { m, n, first, backward, scalar: PhantomData };
        laswp.reference(&pivots, TileMut::new(&mut expected, m, n));
        let steps = pivots.len() - first;
        let (mut rows, mut copy) = (vec![0_u64; 4 * steps], vec![T::NAN; 2 * steps * n]);
        let (count, cols, ld) = (2 * steps as u64, n as u64, m as u64);
        call!(
            library,
            b"call_trace_rows",
            (u64, u64, i32, *const u32, *mut u64),
            (
                steps as u64,
                first as u64,
                i32::from(backward),
                pivots[first..].as_ptr(),
                rows.as_mut_ptr()
            )
        );
        let (to, from) = rows.split_at(2 * steps);
        call!(
            library,
            b"call_take_rows",
            (u64, u64, *const u64, *const T, u64, *mut T),
            (count, cols, from.as_ptr(), got.as_ptr(), ld, copy.as_mut_ptr())
        );
        call!(
            library,
            b"call_put_rows",
            (u64, u64, *const u64, *const T, *mut T, u64),
            (count, cols, to.as_ptr(), copy.as_ptr(), got.as_mut_ptr(), ld)
        );
        assert_eq!(got, expected, "{laswp:?}");
    }
    let a = random.numbers::<T>(m * n);
    let shape = PackedShape { rows: m, cols: n, height: 4 };
    let (mut packed, mut got) = (vec![T::NAN; shape.elements()], vec![T::NAN; m * n]);
    PackedMut::new(&mut packed, shape).pack_from(TileRef::new(&a, m, n));
    let (height, stride) = (shape.height as u64, shape.stride() as u64);
    call!(
        library,
        b"call_unpack_rows",
        (u64, u64, u64, u64, *const T, *mut T),
        (m as u64, n as u64, height, stride, packed.as_ptr(), got.as_mut_ptr())
    );
    assert_eq!(got, a, "unpacked");
}

/// What stored entries of each kind become, and lines of panels on their way and back.
fn sweeps<T: Real>(library: &Library, random: &mut RandomInputs) {
    let (m, n) = (5, 7);
    let entries = [(Entry::Plain, 0, 0.0), (Entry::Count, 1, 0.0), (Entry::Squared(2.5), 2, 2.5)];
    for (number, (element, name)) in ELEMENTS.into_iter().enumerate() {
        for ((entry, kind, offset), is_diagonal) in
            entries.into_iter().flat_map(|entry| [(entry, false), (entry, true)])
        {
            let numbers: Vec<f64> =
                (0..m * n).map(|_| (100.0 * random.number::<f64>()).round()).collect();
            // As 64-bit words, so that numbers of all kinds are where they may be.
            let mut words = vec![0_u64; m * n];
            let stored: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
            let stored = &mut stored[..m * n * element.bytes()];
            element.narrow(&numbers, stored);
            let [rows, cols] = [m, n].map(|size| size as u32);
            let place = Tile { row: 3, column: 1, ..Tile::of(element, entry) };
            let tile = Tile { m: rows, n: cols, width: cols, is_diagonal, ..place };
            // The product with the identity.
            let (mut identity, mut expected) = (vec![0.0; n * n], vec![0.0; m * n]);
            (0..n).for_each(|i| identity[i * (n + 1)] = 1.0);
            let panels = Panels { factor: &identity, sum: &mut expected };
            tile.reference(stored, (Some(panels), None), (None, None));
            let mut got = vec![T::NAN; m * n];
            let (flag, from) = (i32::from(is_diagonal), stored.as_ptr());
            call!(
                library,
                b"call_widen_tile",
                (u64, u64, i32, *const u8, i32, f64, i32, u64, u64, *mut T),
                (
                    m as u64,
                    n as u64,
                    number as i32,
                    from,
                    kind,
                    offset,
                    flag,
                    3,
                    1,
                    got.as_mut_ptr()
                )
            );
            for (place, &x) in got.iter().enumerate() {
                let (i, j) = (place / n, place % n);
                assert_eq!(x, T::from_f64(expected[i + j * m]), "{name}, {tile:?}: ({i}, {j})");
            }
        }
    }
    let (high, panel) = (m + 2, random.numbers::<f64>((m + 2) * n));
    let (mut lines, mut sum) = (vec![T::NAN; m * n], panel.clone());
    let (rows, cols, ld) = (m as u64, n as u64, high as u64);
    call!(
        library,
        b"call_narrow_lines",
        (u64, u64, *const f64, u64, *mut T),
        (rows, cols, panel[1..].as_ptr(), ld, lines.as_mut_ptr())
    );
    call!(
        library,
        b"call_add_lines",
        (u64, u64, *const T, *mut f64, u64),
        (rows, cols, lines.as_ptr(), sum[1..].as_mut_ptr(), ld)
    );
    for (place, (&x, &before)) in sum.iter().zip(&panel).enumerate() {
        let is_line = (1..=m).contains(&(place % high));
        let added = if is_line { T::from_f64(before).to_f64() } else { 0.0 };
        assert_eq!(x, before + added, "number {place}");
    }
}

fn check_all<T: Real>() {
    let Some(library) = played::<T>() else { return };
    let mut random = RandomInputs::new(13);
    parts::<T>(&library, &mut random);
    tiles::<T>(&library, &mut random);
    lines::<T>(&library, &mut random);
    sums::<T>(&library, &mut random);
    rows::<T>(&library, &mut random);
    sweeps::<T>(&library, &mut random);
}

#[test]
fn entries_and_lines_in_double_precision_equal_the_reference() {
    check_all::<f64>();
}

#[test]
fn entries_and_lines_in_single_precision_equal_the_reference() {
    check_all::<f32>();
}
