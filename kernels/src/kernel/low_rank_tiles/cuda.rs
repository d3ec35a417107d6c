//! Products, solves and updates with tiles of low rank on a CUDA device, by cuBLAS.

use tegula_runtime::flow::{Failure, Launch};

use super::update::{middle, width};
use super::{Apply, Form, Settle, Update};
use crate::cuda::{Block, Products, Triangular, diagonal_room};
use crate::option::{Diag, Side, Trans, Uplo};

/// A tile that is read.
enum Held {
    Dense(Block<f64>),
    LowRank { u: Block<f64>, v: Block<f64> },
}

impl Held {
    /// The tile of this form in buffer `index`, which may be larger than that.
    ///
    /// # Panics
    /// If it is smaller.
    fn read(launch: &Launch<'_>, index: usize, form: Form, (m, n): (usize, usize)) -> Self {
        let (place, held) = launch.read::<f64>(index);
        let needed = form.numbers(m, n);
        assert!(held >= needed, "buffer {index} holds {held} numbers, not {needed}");
        match form {
            Form::Dense => Self::Dense(Block::at(place as u64, (m, n), m)),
            Form::LowRank(rank) => {
                let rank = rank as usize;
                let v = place.wrapping_add(m * rank) as u64;
                let u = Block::at(place as u64, (m, rank), m);
                Self::LowRank { u, v: Block::at(v, (n, rank), n) }
            }
        }
    }
}

/// Where the thin factors of a product go.
struct Thin {
    left: Block<f64>,
    right: Block<f64>,
    between: Block<f64>,
}

impl Thin {
    /// Writes `W Z' = A B'`, of which a tile is of low rank.
    fn make(
        &self,
        launch: &Launch<'_>,
        products: &Products<f64>,
        a: &Held,
        b: &Held,
    ) -> Result<(), Failure> {
        let &Self { left, right, between } = self;
        let same = Trans::No;
        let times = |a: Block<f64>, (trans, b): (Trans, Block<f64>), to: Block<f64>| {
            products.gemm(1.0, (same, a), (trans, b), 0.0, to)
        };
        match (a, b) {
            (&Held::LowRank { u, v }, &Held::Dense(b)) => {
                left.copy(launch, same, u)?;
                times(b, (same, v), right)
            }
            (&Held::Dense(a), &Held::LowRank { u, v }) => {
                times(a, (same, v), left)?;
                right.copy(launch, same, u)
            }
            (&Held::LowRank { u: u_a, v: v_a }, &Held::LowRank { u: u_b, v: v_b }) => {
                let between = between.adjacent(v_a.cols(), v_b.cols());
                products.gemm(1.0, (Trans::Yes, v_a), (same, v_b), 0.0, between)?;
                if u_a.cols() <= u_b.cols() {
                    left.copy(launch, same, u_a)?;
                    times(u_b, (Trans::Yes, between), right)
                } else {
                    times(u_a, (same, between), left)?;
                    right.copy(launch, same, u_b)
                }
            }
            (Held::Dense(_), Held::Dense(_)) => {
                Err("a product of dense tiles has no thin factors".into())
            }
        }
    }
}

impl<const PAIRS: usize> Update<PAIRS> {
    /// Puts the products on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let [m, n, k] = [self.m, self.n, self.k].map(|size| size as usize);
        let c = Block::<f64>::output(launch, 0, m, n);
        let columns: usize = self.forms.iter().map(|&forms| width(forms)).sum();
        let between = self.forms.iter().map(|&forms| middle(forms)).max().unwrap_or(0);
        let square = if self.is_lower { diagonal_room(n) } else { (0, 0) };
        let shapes = [(m, columns), (n, columns), (between, 1), square];
        let [left, right, between, square] = Block::room(launch, shapes)?;
        let products = Products::of(launch)?;
        let take = |a: Block<f64>, b: Block<f64>| {
            let (a, b) = ((Trans::No, a), (Trans::Yes, b));
            if self.is_lower {
                products.gemmt(launch, (Uplo::Lower, -1.0), a, b, (1.0, c), square)
            } else {
                products.gemm(-1.0, a, b, 1.0, c)
            }
        };
        let mut done = 0;
        for (pair, &forms) in self.forms.iter().enumerate() {
            let width = width(forms);
            let a = Held::read(launch, 1 + 2 * pair, forms[0], (m, k));
            let b = Held::read(launch, 2 + 2 * pair, forms[1], (n, k));
            if let (&Held::Dense(a), &Held::Dense(b)) = (&a, &b) {
                take(a, b)?;
            } else if width > 0 {
                let (left, right) = (left.part(0, done, m, width), right.part(0, done, n, width));
                Thin { left, right, between }.make(launch, &products, &a, &b)?;
                done += width;
            }
        }
        if done > 0 { take(left.part(0, 0, m, done), right.part(0, 0, n, done)) } else { Ok(()) }
    }
}

impl Settle {
    /// Puts the solve on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, rank } = self;
        let entries = Block::<f64>::input(launch, 0, n, n);
        let (place, held) = launch.read::<f64>(1);
        let numbers = (m + n) * rank;
        assert!(held >= numbers, "factors of {held} numbers, not {numbers}");
        let to = Block::<f64>::output(launch, 2, numbers, 1);
        to.copy(launch, Trans::No, Block::at(place as u64, (numbers, 1), numbers))?;
        let v = Block::at(to.pointer().wrapping_add(m * rank) as u64, (n, rank), n);
        let (uplo, diag, trans) = (Uplo::Lower, Diag::NonUnit, Trans::No);
        Products::of(launch)?.trsm(Side::Left, Triangular { entries, uplo, diag, trans }, v)
    }
}

impl Apply {
    /// Puts the product on the stream.
    pub(super) fn launch(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let &Self { m, n, rank, columns } = self;
        let z = Block::<f64>::input(launch, 1, n, columns);
        let y = Block::output(launch, 2, m, columns);
        let form = Form::LowRank(rank as u32);
        let Held::LowRank { u, v } = Held::read(launch, 0, form, (m, n)) else {
            return Err("a tile of low rank has factors".into());
        };
        if rank == 0 {
            return Ok(());
        }
        let [inside] = Block::room(launch, [(rank, columns)])?;
        let products = Products::of(launch)?;
        products.gemm(1.0, (Trans::Yes, v), (Trans::No, z), 0.0, inside)?;
        products.gemm(-1.0, (Trans::No, u), (Trans::No, inside), 1.0, y)
    }
}
