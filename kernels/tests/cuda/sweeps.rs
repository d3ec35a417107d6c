//! Stored tiles against panels, with and without sums along their lines.

use tegula_kernels::element::{ELEMENTS, Element};
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::sweep::lines::{self, Lines};
use tegula_kernels::kernel::sweep::{Entry, Offender, SweepBoth, SweepLeft, SweepRight, Tile};
use tegula_kernels::scalar::Real;
use tegula_runtime::exec::Sequential;
use tegula_runtime::flow::{Codelet, FlowError};

use super::{Comparison, difference, engine, raw, run};

impl Comparison<'_> {
    /// Stored tiles of all kinds of numbers against panels.
    pub(super) fn sweeps<T: Real>(
        &mut self,
        (m, n, k): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        let entries = [Entry::Plain, Entry::Count, Entry::Squared(0.0), Entry::Squared(2.5)];
        for (number, (element, _)) in ELEMENTS.into_iter().enumerate() {
            let (entry, is_diagonal) = (entries[number % 4], number % 3 == 0);
            let numbers: Vec<f64> =
                (0..m * n).map(|_| (100.0 * random.number::<f64>()).round()).collect();
            let mut stored = vec![0; (m * n + 3) * element.bytes()];
            element.narrow(&numbers, &mut stored[..m * n * element.bytes()]);
            let [rows, cols, width] = [m, n, k.min(40)].map(|size| size as u32);
            let place = Tile { top: 2, left: 1, row: 2, column: 1, ..Tile::of(element, entry) };
            let tile = Tile { m: rows, n: cols, width, is_diagonal, ..place };
            let mut panel = |lines: usize| raw(&random.numbers::<f64>(lines * width as usize));
            let (x, y, u, z) = (panel(n + 4), panel(m + 2), panel(m + 3), panel(n + 1));
            let size = 1e4 * (m + n) as f64;
            let right = [stored.clone(), x.clone(), y.clone()];
            self.compare::<T, f64, _>(SweepRight::<T, 0>::new(tile), &right, size);
            let left = [stored.clone(), u.clone(), z.clone()];
            self.compare::<T, f64, _>(SweepLeft::<T>::new(tile), &left, size);
            let both = [stored, x, y, u, z];
            self.compare::<T, f64, _>(SweepBoth::<T, 0>::new(tile), &both, size);
            // The largest tiles take long, whatever is stored.
            if m * n < 1 << 14 || number == 0 {
                self.sums_of_sweeps::<T>(tile, &both, random);
            }
        }
    }

    /// The same tile with sums along its lines, with and without entries that should not be, and on
    /// the diagonal of a matrix.
    fn sums_of_sweeps<T: Real>(
        &mut self,
        tile: Tile,
        both: &[Vec<u8>; 5],
        random: &mut RandomInputs,
    ) {
        let (m, n, size) = (tile.m as usize, tile.n as usize, 1e8 * f64::from(tile.m + tile.n));
        let mut of_lines = |count: usize| {
            let mut buffer = lines::initial(&random.numbers::<f64>(count));
            // Of tiles before.
            let entry = Offender { row: 1 << 20, column: 2, value: -0.5, other: 0.0 };
            Lines::of(&mut buffer).findings.negative.note(entry, 0.5);
            raw(&buffer)
        };
        // On the diagonal, a tile's rows are among its columns' lines.
        let (rows, columns) = (of_lines(m.max(n) + 3), of_lines(n + 1));
        let [stored, x, y, u, z] = both.clone();
        let mut strange = stored.clone();
        let is_real = matches!(tile.element, Element::F64 | Element::F32 | Element::F16);
        for (number, value) in [f64::NAN, -7.0, f64::INFINITY, 0.0, 3.0].into_iter().enumerate() {
            let at = (number * number * 37 + n / 2) % (m * n) * tile.element.bytes();
            if is_real {
                tile.element.narrow(&[value], &mut strange[at..at + tile.element.bytes()]);
            }
        }
        // Each kind of numbers is once on the diagonal, strange or not.
        let is_diagonal = tile.is_diagonal;
        for (stored, is_diagonal) in [(stored, is_diagonal), (strange, !is_diagonal)] {
            let tile = Tile { is_diagonal, ..tile };
            let right = [stored, x.clone(), y.clone(), rows.clone()];
            self.findings::<T, _>(SweepRight::<T, 1>::new(tile), &right, &[1], size);
            let [stored, x, y, rows] = right;
            let right = [stored, x, y, rows, columns.clone()];
            self.findings::<T, _>(SweepRight::<T, 2>::new(tile), &right, &[1, 2], size);
            let [stored, x, y, rows, columns] = right;
            let both = [stored, x, y, u.clone(), z.clone(), rows, columns];
            self.findings::<T, _>(SweepBoth::<T, 2>::new(tile), &both, &[2, 3], size);
        }
    }

    /// Compares sums, and what was found exactly, of the results that are lines.
    fn findings<T: Real, C: Codelet + std::fmt::Debug>(
        &mut self,
        codelet: C,
        buffers: &[Vec<u8>],
        of_lines: &[usize],
        size: f64,
    ) {
        let expected = run(Sequential::new(), codelet, buffers);
        let got = run(engine(self.device), codelet, buffers);
        self.tried += 1;
        let told = |results: &Result<Vec<Vec<u8>>, FlowError>| {
            let results = results.as_ref().ok()?;
            let lines = of_lines.iter().map(|&at| {
                let words = results[at].chunks_exact(size_of::<f64>());
                let mut numbers: Vec<f64> = words.map(bytemuck::pod_read_unaligned).collect();
                format!("{:?}", Lines::of(&mut numbers).findings)
            });
            Some(lines.collect::<Vec<_>>())
        };
        let (found, wanted) = (told(&got), told(&expected));
        let differ = (found != wanted).then(|| format!("found {found:?}, not {wanted:?}"));
        let (got, expected) = (got.map(|got| got.concat()), expected.map(|all| all.concat()));
        let differ = differ.or_else(|| difference::<T, f64>(got, expected, size, |_| true));
        if let Some(differ) = differ {
            self.wrong.entry("sums of sweeps").or_insert(format!("{codelet:?}: {differ}"));
        }
    }
}
