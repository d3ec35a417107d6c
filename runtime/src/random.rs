//! Random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood, "Fast
//! splittable pseudorandom number generators", OOPSLA 2014).

/// What the state grows by with each number: 2^64 over the golden ratio, made odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A reproducible stream of random integers.
///
/// ```
/// use tegula_runtime::random::SplitMix64;
///
/// let mut stream = SplitMix64::new(1_234_567);
/// assert_eq!(stream.next_u64(), 6_457_827_717_110_365_317);
/// assert_eq!(stream.next_u64(), 3_203_168_211_198_807_973);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The stream of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next integer, any of 64 bits as likely as any other.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        let number = mix(self.state);
        self.state = self.state.wrapping_add(STEP);
        number
    }
}

impl SplitMix64 {
    /// The next number of a uniform distribution over the open interval from 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        ((self.next_u64() >> 11) as f64 + 0.5) * 2.0_f64.powi(-53)
    }

    /// The next number of a standard normal distribution (Box, Muller, Annals of Mathematical
    /// Statistics 29, 1958).
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (self.uniform(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

/// The first number of the stream of `seed`: a bijection that scatters its argument.
#[inline]
#[must_use]
pub const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
