//! Reflectors on a device: panels factored by one block of threads, products with blocks of them,
//! and copies of what of their matrices counts.

use tegula_runtime::flow::{Failure, Launch};

use super::block::{Block, Products, Triangular};
use super::device_code::{Argument, Grid, Program};
use crate::option::{Below, Diag, Part, Side, Storev, Trans, Uplo};
use crate::scalar::Scalar;

/// The device's side.
pub(super) const SOURCE: &str = include_str!("reflectors.cu");

/// Columns to be factored, and where what comes of them goes.
#[derive(Debug)]
pub(crate) struct Panel<T> {
    /// Heads of the columns, of which the upper triangle counts and becomes `R`.
    pub(crate) head: Block<T>,
    /// Rests of the columns, which become the reflectors; none if the head is a whole panel, with
    /// the rests below its diagonal.
    pub(crate) below: Option<Block<T>>,
    /// Factors of the reflectors, if they are asked for.
    pub(crate) tau: Option<Block<T>>,
    /// Their triangle, of which nothing below the diagonal is written.
    pub(crate) t: Block<T>,
}

impl<T: Scalar> Panel<T> {
    /// Puts the factorization on the stream.
    ///
    /// # Panics
    /// If the shapes do not agree.
    #[allow(unsafe_code)]
    pub(crate) fn factor(&self, launch: &Launch<'_>) -> Result<(), Failure> {
        let (rest, width) = (self.below.unwrap_or(self.head), self.head.cols());
        let fits = self.t.rows() >= width && self.t.cols() >= width && rest.cols() == width;
        let has_heads = self.head.rows() >= width && self.tau.is_none_or(|tau| tau.rows() == width);
        assert!(fits && has_heads, "a panel of other shapes: {self:?}");
        if width == 0 {
            return Ok(());
        }
        let arguments = [
            Argument::size(rest.rows()),
            Argument::size(width),
            self.head.place(),
            self.head.ld(),
            rest.place(),
            rest.ld(),
            Argument::Flag(i32::from(self.below.is_some())),
            self.tau.map_or(Argument::Place(0), Block::place),
            self.t.place(),
            self.t.ld(),
        ];
        // SAFETY: the shapes agree.
        unsafe { Program::run(launch, "factor_columns", Grid::ONE_BLOCK, &arguments) }
    }
}

/// Copies the reflectors below the diagonal of `v` to `to`, with their ones and zeros.
///
/// # Panics
/// If the shapes do not agree.
#[allow(unsafe_code)]
pub(crate) fn take_reflectors<T: Scalar>(
    launch: &Launch<'_>,
    storev: Storev,
    v: Block<T>,
    to: Block<T>,
) -> Result<(), Failure> {
    let (rows, k) = (to.rows(), to.cols());
    let shape = (v.rows(), v.cols());
    assert!(shape == storev.stored(rows, k), "reflectors {rows} x {k} in {shape:?}");
    if to.is_empty() {
        return Ok(());
    }
    let turned = Argument::Flag(i32::from(storev == Storev::Rows));
    let arguments =
        [Argument::size(rows), Argument::size(k), v.place(), v.ld(), turned, to.place()];
    // SAFETY: the shapes agree, and the columns of a copy are adjacent.
    unsafe { Program::run(launch, "take_reflectors", Grid::matrix(rows, k), &arguments) }
}

/// Reflectors whose triangle is made by one block of threads.
pub(crate) const TOGETHER: usize = 64;

/// Extends the triangle of reflectors, of which `before` are the vectors where they meet those of
/// the next `v`, at most [`TOGETHER`], by these; `tau` and `t` are those of all, and `squares` is
/// room for products of the vectors with each other.
pub(crate) fn extend_triangle<T: Scalar>(
    launch: &Launch<'_>,
    products: &Products<T>,
    (before, v): (Block<T>, Block<T>),
    tau: Block<T>,
    squares: Block<T>,
    t: Block<T>,
) -> Result<(), Failure> {
    let (first, width) = (before.cols(), v.cols());
    let squares = squares.adjacent(width, width);
    products.gemm(T::ONE, (Trans::Conj, v), (Trans::No, v), T::ZERO, squares)?;
    let corner = t.part(first, first, width, width);
    triangle_of(launch, tau.part(first, 0, width, 1), squares, corner)?;
    let triangles = (t.part(0, 0, first, first), corner);
    join(products, (before, v), triangles, t.part(0, first, first, width))
}

/// The triangle `t` of reflectors with the factors `tau`, from the products of their vectors with
/// each other.
///
/// # Panics
/// If the shapes do not agree.
#[allow(unsafe_code)]
fn triangle_of<T: Scalar>(
    launch: &Launch<'_>,
    tau: Block<T>,
    products: Block<T>,
    t: Block<T>,
) -> Result<(), Failure> {
    let width = tau.rows();
    let fits = [products, t].iter().all(|block| (block.rows(), block.cols()) == (width, width));
    assert!(fits, "the triangle of {width} reflectors: {products:?}, {t:?}");
    let arguments = [Argument::size(width), tau.place(), products.place(), t.place(), t.ld()];
    // SAFETY: the shapes agree, and the columns of the products are adjacent.
    unsafe { Program::run(launch, "triangle_of", Grid::ONE_BLOCK, &arguments) }
}

/// The columns from one on of what stands below a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trapezoid<T> {
    /// What of the whole counts.
    pub(crate) kind: Below,
    /// The columns, as many rows of them as count somewhere.
    pub(crate) block: Block<T>,
    /// The first of them in the whole.
    pub(crate) first: usize,
}

impl<T: Scalar> Trapezoid<T> {
    /// The columns with zeros for what does not count: themselves, or a copy in `room`.
    #[allow(unsafe_code)]
    pub(crate) fn take(&self, launch: &Launch<'_>, room: Block<T>) -> Result<Block<T>, Failure> {
        if self.kind == Below::Square || self.block.is_empty() {
            return Ok(self.block);
        }
        // A copy has adjacent columns, however many of them there are.
        let copy = room.adjacent(self.block.rows(), self.block.cols());
        let [rows, cols, first] = self.sizes();
        let arguments = [rows, cols, first, self.block.place(), self.block.ld(), copy.place()];
        let grid = Grid::matrix(copy.rows(), copy.cols());
        // SAFETY: the shapes agree.
        unsafe { Program::run(launch, "take_trapezoid", grid, &arguments) }?;
        Ok(copy)
    }

    /// What counts of `copy`, which `take` gave, back to where it was.
    #[allow(unsafe_code)]
    pub(crate) fn put(&self, launch: &Launch<'_>, copy: Block<T>) -> Result<(), Failure> {
        if self.kind == Below::Square || self.block.is_empty() {
            return Ok(());
        }
        let [rows, cols, first] = self.sizes();
        let arguments = [rows, cols, first, copy.place(), self.block.place(), self.block.ld()];
        let grid = Grid::matrix(copy.rows(), copy.cols());
        // SAFETY: the shapes agree.
        unsafe { Program::run(launch, "put_trapezoid", grid, &arguments) }
    }

    fn sizes(&self) -> [Argument<T>; 3] {
        [self.block.rows(), self.block.cols(), self.first].map(Argument::size)
    }
}

/// The upper triangle of `t`, of which `op` enters.
fn upper<T: Scalar>(t: Block<T>, trans: Trans) -> Triangular<T> {
    Triangular { entries: t, uplo: Uplo::Upper, diag: Diag::NonUnit, trans }
}

/// The square `T12 = -T1 (V1' V2) T2` beside two triangles: `before` are the rows of `V1` that meet
/// `v`, the reflectors with the triangle `t2`.
pub(crate) fn join<T: Scalar>(
    products: &Products<T>,
    (before, v): (Block<T>, Block<T>),
    (t1, t2): (Block<T>, Block<T>),
    t12: Block<T>,
) -> Result<(), Failure> {
    products.gemm(-T::ONE, (Trans::Conj, before), (Trans::No, v), T::ZERO, t12)?;
    products.trmm(Side::Left, upper(t1, Trans::No), t12)?;
    products.trmm(Side::Right, upper(t2, Trans::No), t12)
}

/// `C = (I - V op(T) V^H) C`, or `C (I - V op(T) V^H)` from the right; `V` has its ones and zeros.
pub(crate) fn apply<T: Scalar>(
    products: &Products<T>,
    side: Side,
    (v, t): (Block<T>, Block<T>),
    trans: Trans,
    c: Block<T>,
    room: Block<T>,
) -> Result<(), Failure> {
    if c.is_empty() || v.cols() == 0 {
        return Ok(());
    }
    let (one, minus, same) = (T::ONE, -T::ONE, Trans::No);
    if side == Side::Left {
        let w = room.adjacent(v.cols(), c.cols());
        products.gemm(one, (Trans::Conj, v), (same, c), T::ZERO, w)?;
        products.trmm(side, upper(t, trans), w)?;
        products.gemm(minus, (same, v), (same, w), one, c)
    } else {
        let w = room.adjacent(c.rows(), v.cols());
        products.gemm(one, (same, c), (same, v), T::ZERO, w)?;
        products.trmm(side, upper(t, trans), w)?;
        products.gemm(minus, (same, w), (Trans::Conj, v), one, c)
    }
}

/// `op(I - [I; V] T [I; V]^H)` times `[top; bottom]`.
pub(crate) fn apply_stacked<T: Scalar>(
    launch: &Launch<'_>,
    products: &Products<T>,
    (v, t): (Block<T>, Block<T>),
    trans: Trans,
    (top, bottom): (Block<T>, Block<T>),
    room: Block<T>,
) -> Result<(), Failure> {
    if top.is_empty() {
        return Ok(());
    }
    let (one, minus, same) = (T::ONE, -T::ONE, Trans::No);
    let w = room.adjacent(top.rows(), top.cols());
    w.copy(launch, same, top)?;
    products.gemm(one, (Trans::Conj, v), (same, bottom), one, w)?;
    products.trmm(Side::Left, upper(t, trans), w)?;
    top.add(launch, (Part::Whole, same), (minus, w), one)?;
    products.gemm(minus, (same, v), (same, w), one, bottom)
}
