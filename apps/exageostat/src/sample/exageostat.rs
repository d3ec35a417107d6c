//! The generator of ExaGeoStat, bit for bit: its places, and the normal numbers of its fields.
//!
//! ExaGeoStat (`exageostat`, ExaGeoStatCPP, exageostatR) draws places by the C library's `rand` and
//! normal numbers by LAPACK's `dlarnv`. Both are written here, so that a field that somebody drew
//! there can be drawn again: places are the same to the last bit, normal numbers and values up to
//! the rounding of `log`, `cos` and the factorisation.

use std::f64::consts::TAU;

use tegula_kernels::geometry::{Geometry, GeometryError, Points};

/// Largest seed: each of the four parts of `dlarnv`'s seed has twelve bits.
pub const MAX_SEED: u16 = 4095;

/// Largest number of steps of a coordinate, which has 16 bits there.
const STEPS: f64 = 65535.0;

/// `n` places in the unit square: the cells of a grid of `ceil(sqrt(n))` a side, each moved by up
/// to 0.4 of a step, rounded to 16 bits and sorted along the Morton curve (x in the lower bit).
///
/// # Errors
/// Never for the coordinates made here; the type is that of [`Points::new`].
pub fn places(n: usize, seed: u16) -> Result<(Points, Vec<Vec<f64>>), GeometryError> {
    let mut random = Rand::new(u32::from(seed));
    let side = (1..=n).find(|side| side * side >= n).unwrap_or(1);
    let mut cells: Vec<[u16; 2]> = (0..n)
        .map(|cell| {
            [cell / side, cell % side].map(|step| {
                let place = (step as f64 + 0.5 + random.shift()) / side as f64;
                (place * STEPS + 0.5).floor() as u16
            })
        })
        .collect();
    cells.sort_by_key(|&[x, y]| spread(x) | spread(y) << 1);
    let coordinates: Vec<Vec<f64>> = (0..2)
        .map(|axis| cells.iter().map(|cell| f64::from(cell[axis]) / STEPS).collect())
        .collect();
    Ok((Points::new(Geometry::Plane, &[&coordinates[0], &coordinates[1]])?, coordinates))
}

/// The first `count` numbers of LAPACK's `dlarnv` with `idist = 3` (standard normal) and
/// `iseed = (seed, seed, seed, 1)`; of a seed above [`MAX_SEED`], the last twelve bits count.
///
/// Uniform numbers are those of `dlaruv`, `x <- 33952834046453 x mod 2^48` (Fishman 1990,
/// Mathematics of Computation 54); a pair of them gives one number, by the cosine of Box and
/// Muller.
#[must_use]
pub fn normals(count: usize, seed: u16) -> Vec<f64> {
    const MULTIPLIER: u64 = 33_952_834_046_453;
    const MODULUS: u64 = 1 << 48;
    let part = u64::from(seed & MAX_SEED);
    let mut state = ((part << 12 | part) << 12 | part) << 12 | 1;
    let mut uniform = || {
        state = state.wrapping_mul(MULTIPLIER) % MODULUS;
        state as f64 / MODULUS as f64
    };
    (0..count)
        .map(|_| {
            let radius = (-2.0 * uniform().ln()).sqrt();
            radius * (TAU * uniform()).cos()
        })
        .collect()
}

/// The C library's `rand` (glibc): each word is the sum of those 3 and 31 before it.
struct Rand {
    /// The last 31 words, as a ring.
    words: [u32; 31],
    /// Place in the ring of the oldest word.
    oldest: usize,
}

impl Rand {
    /// After `srand(seed)`; a seed of 0 is one of 1.
    fn new(seed: u32) -> Self {
        let mut word = u64::from(seed.max(1));
        let mut words = [0; 31];
        for slot in &mut words {
            *slot = word as u32;
            word = 16807 * word % 2_147_483_647;
        }
        // The first three words come once more before sums begin, and 310 sums are thrown away.
        words.rotate_left(3);
        let mut random = Self { words, oldest: 0 };
        for _ in 0..310 {
            random.next();
        }
        random
    }

    /// A number below 2^31.
    fn next(&mut self) -> u32 {
        let three_ago = self.words[(self.oldest + 28) % 31];
        let word = &mut self.words[self.oldest];
        *word = word.wrapping_add(three_ago);
        let sum = *word;
        self.oldest = (self.oldest + 1) % 31;
        sum >> 1
    }

    /// Uniform in `[-0.4, 0.4)`.
    fn shift(&mut self) -> f64 {
        f64::from(self.next()) / 2_147_483_648.0 * 0.8 - 0.4
    }
}

/// The bits of `x`, each followed by a zero.
fn spread(x: u16) -> u32 {
    (0..16).fold(0, |code, bit| code | (u32::from(x) >> bit & 1) << (2 * bit))
}

#[cfg(test)]
mod tests {
    use tegula_runtime::exec::{Exec, ExecOptions};
    use tegula_runtime::flow::{Flow, FlowOptions};

    use super::*;
    use crate::covariance::find;
    use crate::model::Model;
    use crate::sample::sample;

    /// 16 places of seed 0 and their values with Matérn's variance 1, range 0.1 and smoothness
    /// 0.5, as the examples of ExaGeoStatCPP's manual print them: x, y, value.
    const GOLDEN: [[f64; 3]; 16] = [
        [0.19304188601510644, 0.10388342107270924, -1.2723361403601876],
        [0.3305561913481346, 0.13579003585870145, -2.590699695867696],
        [0.1816128786144808, 0.434683756771191, 0.512142584178686],
        [0.37047379262989244, 0.40077821011673154, -0.16388045204974952],
        [0.6521400778210117, 0.1684596017395285, 0.3135036332524897],
        [0.806332494087129, 0.10519569695582513, -1.4744106822260175],
        [0.5533226520180057, 0.3963988708323796, 0.16170502550523194],
        [0.8009613183794919, 0.296757457846952, 0.6233892051851488],
        [0.2073243305104143, 0.5645075150682841, -1.3418584453997835],
        [0.3479514763103685, 0.6276798657206073, -1.0542820624286005],
        [0.09204242008087282, 0.9286488136110476, -1.669383221392508],
        [0.46544594491493096, 0.9582360570687419, 0.21917064580374074],
        [0.5282673380636301, 0.5735713740749218, 0.971213790000161],
        [0.9747920958266575, 0.5686579690241855, 0.538973474182433],
        [0.552452887769894, 0.9358358129243916, -0.7528284664760769],
        [0.8775921263447013, 0.9428244449530785, 0.29082206600743005],
    ];

    #[test]
    fn places_are_the_same_to_the_last_bit() {
        let (_, coordinates) = places(16, 0).unwrap();
        for (i, &[x, y, _]) in GOLDEN.iter().enumerate() {
            assert_eq!([coordinates[0][i], coordinates[1][i]], [x, y], "place {i}");
        }
        let (_, coordinates) = places(1600, 0).unwrap();
        let first = [
            [0.019302662699320974, 0.010391393911650263],
            [0.041260395208667124, 0.005813687342641337],
            [0.05354390783550774, 0.03065537499046311],
            [0.018158236057068743, 0.043472953383688104],
            [0.020737010757610436, 0.05645838101777676],
        ];
        for (i, place) in first.into_iter().enumerate() {
            assert_eq!([coordinates[0][i], coordinates[1][i]], place, "place {i} of 1600");
        }
    }

    #[test]
    fn values_are_those_of_the_manual() {
        let (points, _) = places(16, 0).unwrap();
        let covariance = find("matern").unwrap();
        let model = Model::new(covariance, vec![1.0, 0.1, 0.5], 0.0).unwrap();
        let mut flow = Flow::new(Exec::new(ExecOptions::new(1)), FlowOptions::default());
        let field = sample::<f64>(&mut flow, &model, &points, &normals(16, 0), 5).unwrap();
        for (value, golden) in field.into_iter().zip(GOLDEN) {
            assert!((value - golden[2]).abs() <= 1e-13, "{value} for {}", golden[2]);
        }
    }

    #[test]
    fn rand_is_that_of_glibc() {
        for (seed, first) in [
            (1, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915]),
            (0, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915]),
            (42, [71_876_166, 708_592_740, 1_483_128_881, 907_283_241]),
        ] {
            let mut random = Rand::new(seed);
            assert_eq!(first.map(|_| random.next()), first, "seed {seed}");
        }
    }

    /// Numbers of the reference LAPACK's `dlarnv`.
    #[test]
    fn normal_numbers_are_those_of_lapack() {
        let zero = [
            -1.2723361403601876,
            -2.351503744940465,
            0.6236397583668949,
            -0.066869877091063,
            0.41584737961021034,
            -1.5588617680623558,
            0.2227416091658953,
            0.7769017952245942,
            -1.5280574590809861,
            -0.8076214331585283,
            -1.6293676808543123,
            0.29111198118785875,
            1.1202816517704606,
            0.5062866829564405,
            -0.930042552942533,
            0.30378778942480916,
        ];
        let one = [
            1.264426342978374,
            -0.9893669545595078,
            0.4795976829009356,
            -0.08087068290135314,
            -1.3191021362963045,
            0.5228751479886267,
            1.5630124452717413,
            0.21360868062747126,
        ];
        for (seed, expected) in [(0, &zero[..]), (1, &one[..])] {
            for (found, &expected) in normals(expected.len(), seed).into_iter().zip(expected) {
                // log, sqrt and cos round once each, cos also its argument of up to 6.3.
                assert!((found - expected).abs() <= 4e-15, "{found} for {expected}");
            }
        }
    }
}
