//! Kernels that are put together from products of blocks: triangles of products, factorisations
//! without pivoting of symmetric tiles, reflectors gathered and multiplied out.

use std::marker::PhantomData;

use tegula_kernels::kernel::gemmt::Gemmt;
use tegula_kernels::kernel::geqrt::Geqrt;
use tegula_kernels::kernel::larft::Larft;
use tegula_kernels::kernel::ldlt::Ldlt;
use tegula_kernels::kernel::ldlt_split::LdltSplit;
use tegula_kernels::kernel::low_rank_tiles::{Apply, Form, Settle, Update};
use tegula_kernels::kernel::random::RandomInputs;
use tegula_kernels::kernel::ungqr::Ungqr;
use tegula_kernels::kernel::unmtr_hb2st::UnmtrHb2st;
use tegula_kernels::option::{self, Trans, Uplo};
use tegula_kernels::scalar::{Real, Scalar};
use tegula_kernels::tridiagonal::Waves;

use super::{Comparison, raw};

impl Comparison<'_> {
    /// Those of any numbers.
    pub(super) fn blocks<T: Scalar>(
        &mut self,
        (n, k, m): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        let (scalar, size) = (PhantomData::<T>, 8.0 * (k + n) as f64);
        for uplo in Uplo::ALL {
            for (beta, trans_a) in [0.0, -0.5].into_iter().zip([Trans::No, Trans::Conj]) {
                let (alpha, beta) = (random.number::<T>(), T::from_f64(beta));
                let trans_b = if trans_a == Trans::No { Trans::Yes } else { Trans::No };
                let gemmt = Gemmt { uplo, trans_a, trans_b, n, k, alpha, beta };
                let [a, b, c] = [n * k, n * k, n * n].map(|count| raw(&random.numbers::<T>(count)));
                self.compare::<T, T::Real, _>(gemmt, &[a, b, c], size);
            }
            for form in option::Form::ALL {
                for spoil in [None, Some((0, T::ZERO)), Some((n / 2, T::NAN))] {
                    let mut a = random.dominant::<T>(n);
                    spoil.iter().for_each(|&(i, value)| a[i * (n + 1)] = value);
                    let ldlt = Ldlt { form, uplo, n, offset: 10, scalar };
                    self.compare::<T, T::Real, _>(ldlt, &[raw(&a)], 16.0 * n as f64);
                }
            }
        }
        for is_transposed in [false, true] {
            let split = LdltSplit { is_transposed, m, n, scalar };
            let (d, a) = (raw(&random.dominant::<T>(n)), raw(&random.numbers::<T>(m * n)));
            self.compare::<T, T::Real, _>(split, &[d, a, raw(&vec![T::NAN; m * n])], 4.0);
        }
        let waves = Waves { n: n + 1, width: (n / 3).max(1), group: (n / 4).max(1) };
        for group in [0, waves.groups() - 1] {
            let product = UnmtrHb2st { waves, group, rows: n + 3, m, scalar };
            let (order, columns) = waves.multiplied_out(group);
            let q = raw(&random.numbers::<T>(order * columns));
            let c = raw(&random.numbers::<T>((n + 3) * m));
            // A row may be in many blocks.
            let size = 64.0 * (order * order) as f64;
            self.compare::<T, T::Real, _>(product, &[q, c], size);
        }
    }

    /// Tiles of low rank and dense ones, in updates, solves and products.
    pub(super) fn low_ranks(
        &mut self,
        (n, k, m): (usize, usize, usize),
        random: &mut RandomInputs,
    ) {
        let size = 64.0 * (k * k + n) as f64;
        let most = n.min(m).min(k);
        let forms = [0, 1, most / 2, most].map(|rank| Form::LowRank(rank as u32));
        let forms = [&[Form::Dense], &forms[..]].concat();
        for (a, b) in forms.iter().flat_map(|&a| forms.iter().map(move |&b| (a, b))) {
            for is_lower in [false, true] {
                let m = if is_lower { n } else { m };
                let mut held =
                    |form: Form, rows: usize| raw(&random.numbers::<f64>(form.numbers(rows, k)));
                let pairs = [[a, b], [b, Form::Dense]];
                let tiles = pairs.map(|[a, b]| [held(a, m), held(b, n)]).concat();
                let c = raw(&random.numbers::<f64>(m * n));
                let [m, n, k] = [m, n, k].map(|size| size as u32);
                let update = Update { m, n, k, is_lower, forms: pairs };
                let buffers = [&[c], &tiles[..]].concat();
                self.compare::<f64, f64, _>(update, &buffers, size);
            }
        }
        for rank in [0, 1, most] {
            let factors = raw(&random.numbers::<f64>((m + n) * rank));
            let wide = [&factors[..], &[0xff; 40]].concat();
            let (l, to) = (raw(&random.dominant::<f64>(n)), vec![0xff; factors.len()]);
            self.compare::<f64, f64, _>(Settle { m, n, rank }, &[l, wide, to], size);
            let (z, y) = (raw(&random.numbers::<f64>(n * k)), raw(&random.numbers::<f64>(m * k)));
            let apply = Apply { m, n, rank, columns: k };
            self.compare::<f64, f64, _>(apply, &[factors, z, y], size);
        }
    }

    /// The triangle of the reflectors of a panel, and their product multiplied out.
    pub(super) fn gathered<T: Real>(&mut self, geqrt: Geqrt<T>, made: &[Vec<u8>], size: f64) {
        let (Geqrt { storev, m, n, offset, scalar }, k) = (geqrt, geqrt.count());
        let larft = Larft { storev, m, n, k, offset, scalar };
        let room = raw(&vec![T::NAN; k * k]);
        self.compare::<T, T, _>(larft, &[made[0].clone(), made[1].clone(), room], size);
        if n <= m - offset {
            let ungqr = Ungqr { storev, m, n, k, offset, scalar };
            self.compare::<T, T, _>(ungqr, &[made[0].clone(), made[2].clone()], size);
        }
    }
}
