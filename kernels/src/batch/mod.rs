//! Many small problems of one shape in one task: their matrices lie one after the other, each
//! column-major without gaps, and each problem is what the kernel of the same name does to a tile.
//!
//! A matrix that a kernel refuses is no failure of the task, since the others are none the worse:
//! an `info` for each problem says how it went, 0 or LAPACK's place. Sources are those of the
//! kernels. On cores only.

mod gemm;
mod getrf;
mod getrs;
mod potrf;
mod trsm;

pub use gemm::GemmBatch;
pub use getrf::GetrfBatch;
pub use getrs::GetrsBatch;
pub use potrf::PotrfBatch;
pub use trsm::TrsmBatch;

/// Matrix `index` of a batch.
fn nth<T>(numbers: &[T], index: usize, (rows, cols): (u32, u32)) -> &[T] {
    let size = rows as usize * cols as usize;
    &numbers[index * size..][..size]
}

/// Matrix `index` of a batch, to write.
fn nth_mut<T>(numbers: &mut [T], index: usize, (rows, cols): (u32, u32)) -> &mut [T] {
    let size = rows as usize * cols as usize;
    &mut numbers[index * size..][..size]
}
