//! Means of a covariance over a block near a place, along the border of the block.
//!
//! With `G(r) = int_0^r C(s) s^(d-1) ds` and `H(r) = G(r) / r^d` in `d` dimensions, the divergence
//! of `x H(|x|)` is the covariance `C(|x|)`, so that by Gauss's theorem the integral of the
//! covariance over a block is that of `x . n H(|x|)` over its border: two ends of an interval, four
//! edges of a parallelogram. Along an edge at the distance `e` from the place, `t = e sinh s` makes
//! the integrand as smooth as `H` is in the logarithm of `r`, whether the place lies in the block,
//! on its border or outside.

use tegula_kernels::geometry::Geometry;
use tegula_kernels::kernel::covariance::RadialTable;

use super::length;

/// Entries of the table of `H` for each factor of 2.
const PER_OCTAVE: f64 = 64.0;
/// The table goes from `half` divided by 2 to this power to the same times it.
const OCTAVES: f64 = 24.0;
/// Places farther from the centre than so many diagonals see the block as something smooth.
const NEAR: f64 = 1.5;
/// An edge nearer than this share of the diagonal adds nothing.
const TOUCHING: f64 = 1e-10;
/// Longest panel in `s`.
const PANEL: f64 = 1.5;
/// Nodes and weights of Gauss's rule of six nodes from -1 to 1, those above 0.
const RULE: [(f64, f64); 3] = [
    (0.238_619_186_083_196_9, 0.467_913_934_572_691),
    (0.661_209_386_466_264_5, 0.360_761_573_048_138_6),
    (0.932_469_514_203_152, 0.171_324_492_379_170_35),
];

/// The border of a block in one or two dimensions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Border {
    /// Its corners about the centre, in order: two ends, or four corners.
    corners: Vec<[f64; 2]>,
    /// Length of the interval, area of the parallelogram, with the sign of the order.
    size: f64,
    /// Square of the distance from the centre below which places are near.
    near: f64,
    /// The logarithm of the first distance of the table.
    first: f64,
    /// `H` and its derivative by the logarithm of the distance.
    table: Vec<(f64, f64)>,
}

impl Border {
    /// That of the block with these `sides`, if it fills its space of one or two dimensions.
    pub(super) fn of(
        sides: &[[f64; 3]],
        geometry: Geometry,
        (covariance, half): (&RadialTable, f64),
    ) -> Option<Self> {
        let (corners, size, diagonal) = match (geometry, sides) {
            (Geometry::Line, [a]) => (vec![[-0.5 * a[0], 0.0], [0.5 * a[0], 0.0]], a[0], length(a)),
            (Geometry::Plane, [a, b]) => {
                let corner = |u: f64, v: f64| [0, 1].map(|k| u * a[k] + v * b[k]);
                let all = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
                let diagonal =
                    [1.0, -1.0].map(|v| length(&[a[0] + v * b[0], a[1] + v * b[1], 0.0]));
                let corners = all.map(|(u, v)| corner(u, v)).to_vec();
                (corners, a[0] * b[1] - a[1] * b[0], diagonal[0].max(diagonal[1]))
            }
            _ => return None,
        };
        let (first, table) = tabulate(covariance, half, sides.len());
        Some(Self { corners, size, near: (NEAR * diagonal).powi(2), first, table })
    }

    /// All of it, as [`read`](Self::read) takes it.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let table = self.table.iter().flat_map(|&(value, slope)| [value, slope]);
        let head = [self.corners.len() as f64, self.size, self.near, self.first];
        let corners = self.corners.iter().flatten().copied();
        head.into_iter().chain(corners).chain(table).collect()
    }

    /// The border in these `numbers`; none in no numbers.
    pub(super) fn read(numbers: &[f64]) -> Option<Self> {
        let (&[corners, size, near, first], rest) = numbers.split_first_chunk::<4>()?;
        let (corners, table) = rest.split_at(2 * corners as usize);
        let corners = corners.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        let table = table.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        Some(Self { corners, size, near, first, table })
    }

    /// Whether a place that lies so from the centre is near.
    pub(super) fn is_near(&self, [x, y]: [f64; 2]) -> bool {
        x * x + y * y < self.near
    }

    /// The mean of the covariance with a place that lies so from the centre.
    pub(super) fn mean(&self, from: [f64; 2]) -> f64 {
        let corner = |k: usize| {
            let corner = self.corners[k % self.corners.len()];
            [0, 1].map(|axis| corner[axis] - from[axis])
        };
        if self.corners.len() == 2 {
            let end = |x: f64| x * self.value(x.abs());
            return (end(corner(1)[0]) - end(corner(0)[0])) / self.size;
        }
        let edges = (0..self.corners.len()).map(|k| self.edge(corner(k), corner(k + 1)));
        edges.sum::<f64>() / self.size
    }

    /// The integral of `x . n H(|x|)` along the edge from `a` to `b`.
    fn edge(&self, a: [f64; 2], b: [f64; 2]) -> f64 {
        let along = [b[0] - a[0], b[1] - a[1]];
        let side = along[0].hypot(along[1]);
        let away = (a[0] * b[1] - a[1] * b[0]) / side;
        let e = away.abs();
        if e <= TOUCHING * self.near.sqrt() {
            return 0.0;
        }
        let place = |at: [f64; 2]| ((at[0] * along[0] + at[1] * along[1]) / (side * e)).asinh();
        let (start, end) = (place(a), place(b));
        let panels = ((end - start) / PANEL).ceil().max(1.0);
        let width = (end - start) / panels;
        let mut sum = 0.0;
        for panel in 0..panels as usize {
            let middle = start + (panel as f64 + 0.5) * width;
            for (x, weight) in RULE {
                for s in [middle - 0.5 * x * width, middle + 0.5 * x * width] {
                    let cosh = s.cosh();
                    sum += weight * cosh * self.value(e * cosh);
                }
            }
        }
        0.5 * width * sum * away * e
    }

    /// `H` at the distance `r`.
    fn value(&self, r: f64) -> f64 {
        let step = std::f64::consts::LN_2 / PER_OCTAVE;
        let place = (r.ln() - self.first) / step;
        if place <= 0.0 || r == 0.0 {
            return self.table[0].0;
        }
        let cell = (place as usize).min(self.table.len() - 2);
        let (t, ((p, p_slope), (q, q_slope))) =
            ((place - cell as f64).min(1.0), (self.table[cell], self.table[cell + 1]));
        let (p_slope, q_slope) = (step * p_slope, step * q_slope);
        // Hermite's cubic.
        let (bend, twist) =
            (3.0 * (q - p) - 2.0 * p_slope - q_slope, 2.0 * (p - q) + p_slope + q_slope);
        p + t * (p_slope + t * (bend + t * twist))
    }
}

/// The logarithm of the first distance, and `H` with its derivative by the logarithm of distance,
/// `C - d H`, from there in steps of equal ratio.
fn tabulate(covariance: &RadialTable, half: f64, d: usize) -> (f64, Vec<(f64, f64)>) {
    let first = half.ln() - OCTAVES * std::f64::consts::LN_2;
    let step = std::f64::consts::LN_2 / PER_OCTAVE;
    let dimensions = i32::try_from(d).expect("one or two");
    let at = |k: f64| (first + k * step).exp();
    let mut r = at(0.0);
    // Below the first distance the covariance is its value there.
    let mut g = covariance.value(r) * r.powi(dimensions) / f64::from(dimensions);
    let mut table = Vec::new();
    for k in 0..=(2.0 * OCTAVES * PER_OCTAVE) as usize {
        let value = g / r.powi(dimensions);
        table.push((value, covariance.value(r) - f64::from(dimensions) * value));
        let next = at(k as f64 + 1.0);
        for (x, weight) in RULE {
            for x in [-x, x] {
                let s = 0.5 * (r + next) + 0.5 * x * (next - r);
                g += 0.5 * (next - r) * weight * covariance.value(s) * s.powi(dimensions - 1);
            }
        }
        r = next;
    }
    (first, table)
}
