//! Polynomials that are orthogonal on the data, as `poly` of R.

/// Polynomials of degrees 1, 2 and so on: `p_1 = x - alpha_1`, `p_k+1 = (x - alpha_k+1) p_k -
/// norm2_k / norm2_k-1 p_k-1`, each divided by its norm. Source: G. E. Forsythe, "Generation and
/// use of orthogonal polynomials for data-fitting with a digital computer", J. SIAM 5 (1957) 74-88.
#[derive(Clone, Debug, PartialEq)]
pub struct Poly {
    alpha: Vec<f64>,
    /// Squares of the norms of the polynomials of degrees 0, 1 and so on.
    norm2: Vec<f64>,
}

impl Poly {
    /// With these coefficients, none if they are none: as many squares of norms as `alpha` has
    /// numbers, and one more, all positive.
    #[must_use]
    pub fn new(alpha: Vec<f64>, norm2: Vec<f64>) -> Option<Self> {
        let is_basis = !alpha.is_empty()
            && norm2.len() == alpha.len() + 1
            && alpha.iter().all(|x| x.is_finite())
            && norm2.iter().all(|x| *x > 0.0 && x.is_finite());
        is_basis.then_some(Self { alpha, norm2 })
    }

    /// Where the recurrence is centred, by degree; `coefs$alpha` of R.
    #[must_use]
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// Squares of norms from degree 0 on; `coefs$norm2` of R without its first.
    #[must_use]
    pub fn norm2(&self) -> &[f64] {
        &self.norm2
    }

    /// Those that are orthogonal on `x` up to `degree`; none if `x` has not more different values
    /// than the degree.
    pub(super) fn learn(x: &[f64], degree: usize) -> Option<Self> {
        let mut different = x.to_vec();
        different.sort_unstable_by(f64::total_cmp);
        different.dedup();
        if different.len() <= degree {
            return None;
        }
        // From the mean on, large coordinates do no harm.
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let centred: Vec<f64> = x.iter().map(|x| x - mean).collect();
        let (mut before, mut p) = (vec![0.0; x.len()], vec![1.0; x.len()]);
        let (mut alpha, mut norm2) = (Vec::new(), vec![x.len() as f64]);
        for k in 0..degree {
            let moment: f64 = centred.iter().zip(&p).map(|(x, p)| x * p * p).sum();
            let centre = moment / norm2[k];
            let share = if k == 0 { 0.0 } else { norm2[k] / norm2[k - 1] };
            let next = centred.iter().zip(p.iter().zip(&before));
            let next = next.map(|(x, (p, before))| (x - centre) * p - share * before).collect();
            before = std::mem::replace(&mut p, next);
            alpha.push(centre + mean);
            norm2.push(p.iter().map(|p| p * p).sum());
        }
        Self::new(alpha, norm2)
    }

    /// Their values at `x`, by degree from 1 on.
    pub(super) fn columns(&self, x: &[f64]) -> Vec<Vec<f64>> {
        let mut columns: Vec<Vec<f64>> = vec![Vec::with_capacity(x.len()); self.alpha.len()];
        for &x in x {
            let (mut before, mut p) = (0.0, 1.0);
            for (k, column) in columns.iter_mut().enumerate() {
                let share = if k == 0 { 0.0 } else { self.norm2[k] / self.norm2[k - 1] };
                (before, p) = (p, (x - self.alpha[k]) * p - share * before);
                column.push(p / self.norm2[k + 1].sqrt());
            }
        }
        columns
    }
}

/// The powers of `x` from the first to that of `degree`.
pub(super) fn powers(x: &[f64], degree: usize) -> Vec<Vec<f64>> {
    (1..=degree as i32).map(|power| x.iter().map(|x| x.powi(power)).collect()).collect()
}
