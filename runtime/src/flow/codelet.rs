//! A kernel as the runtime sees it: a name, access modes, a cost, and a body to run on buffers.

use std::cell::Cell;
use std::error::Error;
use std::marker::PhantomData;

use bytemuck::Pod;

use super::launch::Launch;
use super::region::{Lines, Region, RegionMut};
use crate::memory::Block;
use crate::types::{Access, Cost};

/// What a kernel that cannot do its job returns: a value that says what is wrong, never a panic.
pub type Failure = Box<dyn Error + Send + Sync>;

/// A kernel with its arguments: what a task runs.
///
/// The value holds the scalar arguments (sizes, coefficients); it is copied into the task's slot
/// and must fit [`MAX_ARGUMENT_BYTES`]. Data travels through handles.
///
/// ```
/// use tegula_runtime::flow::{Access, Buffers, Codelet, Cost, Failure};
///
/// /// x := a x
/// #[derive(Clone, Copy)]
/// struct Scale {
///     a: f64,
/// }
///
/// impl Codelet for Scale {
///     const NAME: &'static str = "scale";
///     const ACCESS: &'static [Access] = &[Access::RW];
///     fn cost(&self) -> Cost {
///         Cost::default()
///     }
///     fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure> {
///         buffers.write::<f64>(0).iter_mut().for_each(|x| *x *= self.a);
///         Ok(())
///     }
/// }
/// ```
pub trait Codelet: Copy + Send + 'static {
    /// Name in traces and tables: the kernel's, without the precision letter.
    const NAME: &'static str;
    /// How the kernel uses each buffer; a task may refine `RW` to `Commute` or `Reduce`.
    const ACCESS: &'static [Access];
    /// Work of this task.
    fn cost(&self) -> Cost;
    /// Runs on one CPU core.
    fn cpu(&self, buffers: &Buffers<'_>) -> Result<(), Failure>;
    /// Whether [`cuda`](Self::cuda) is there: CUDA devices get no task of a codelet without it.
    const HAS_CUDA: bool = false;
    /// Whether it is there for these arguments, where they decide.
    fn runs_on_cuda(&self) -> bool {
        Self::HAS_CUDA
    }
    /// Puts the work on the stream of a CUDA device.
    ///
    /// # Errors
    /// If it cannot be put there; what shows later is for [`Launch::check`].
    fn cuda(&self, _launch: &Launch<'_>) -> Result<(), Failure> {
        Err(format!("{} has no implementation for CUDA", Self::NAME).into())
    }
}

/// Largest size of a codelet value, in bytes.
pub const MAX_ARGUMENT_BYTES: usize = 64;

/// The type-erased form of a [`Codelet`]: one static per type.
#[derive(Debug)]
pub struct CodeletInfo {
    /// [`Codelet::NAME`].
    pub name: &'static str,
    /// [`Codelet::ACCESS`].
    pub access: &'static [Access],
    pub(crate) cost: unsafe fn(*const u8) -> Cost,
    pub(crate) cpu: unsafe fn(*const u8, &Buffers<'_>) -> Result<(), Failure>,
    pub(crate) runs_on_cuda: unsafe fn(*const u8) -> bool,
    pub(crate) cuda: Option<OnStream>,
}

/// A kernel for CUDA, by the place of its arguments.
type OnStream = unsafe fn(*const u8, &Launch<'_>) -> Result<(), Failure>;

impl CodeletInfo {
    /// [`Codelet::HAS_CUDA`].
    #[must_use]
    pub const fn has_cuda(&self) -> bool {
        self.cuda.is_some()
    }
}

/// The static description of codelet `C`.
///
/// Its functions are never inlined (they are called by address), so that a crate that describes a
/// codelet compiles it for all crates above.
#[must_use]
pub const fn codelet_info<C: Codelet>() -> &'static CodeletInfo {
    const {
        assert!(size_of::<C>() <= MAX_ARGUMENT_BYTES, "a codelet's arguments exceed 64 bytes");
        assert!(align_of::<C>() <= 16, "a codelet's alignment exceeds 16 bytes");
        assert!(C::ACCESS.len() <= super::MAX_ACCESSES, "a codelet uses more than 8 handles");
        &CodeletInfo {
            name: C::NAME,
            access: C::ACCESS,
            cost: cost_of::<C>,
            cpu: cpu_of::<C>,
            runs_on_cuda: runs_on_cuda_of::<C>,
            cuda: if C::HAS_CUDA { Some(cuda_of::<C>) } else { None },
        }
    }
}

/// # Safety
/// `arguments` points to a valid, aligned `C`.
#[allow(unsafe_code)]
#[inline(never)]
unsafe fn cost_of<C: Codelet>(arguments: *const u8) -> Cost {
    // SAFETY: the caller passes the bytes of a `C`, as this function stands beside in the table.
    unsafe { (*arguments.cast::<C>()).cost() }
}

/// # Safety
/// `arguments` points to a valid, aligned `C`.
#[allow(unsafe_code)]
#[inline(never)]
unsafe fn cpu_of<C: Codelet>(arguments: *const u8, buffers: &Buffers<'_>) -> Result<(), Failure> {
    // SAFETY: as in `cost_of`.
    unsafe { (*arguments.cast::<C>()).cpu(buffers) }
}

/// # Safety
/// `arguments` points to a valid, aligned `C`.
#[allow(unsafe_code)]
#[inline(never)]
unsafe fn runs_on_cuda_of<C: Codelet>(arguments: *const u8) -> bool {
    // SAFETY: as in `cost_of`.
    C::HAS_CUDA && unsafe { (*arguments.cast::<C>()).runs_on_cuda() }
}

/// # Safety
/// `arguments` points to a valid, aligned `C`.
#[allow(unsafe_code)]
#[inline(never)]
unsafe fn cuda_of<C: Codelet>(arguments: *const u8, launch: &Launch<'_>) -> Result<(), Failure> {
    // SAFETY: as in `cost_of`.
    unsafe { (*arguments.cast::<C>()).cuda(launch) }
}

/// One buffer of a running task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawBuffer {
    pub(crate) pointer: *mut u8,
    pub(crate) bytes: usize,
    pub(crate) writable: bool,
    /// How it is laid out, if the program lends it; else null.
    pub(crate) lent: *const Block,
}

impl RawBuffer {
    /// What stands where there is no buffer.
    pub(crate) const NONE: Self = Self::own(std::ptr::null_mut(), 0, false);

    /// A buffer of the runtime's own.
    pub(crate) const fn own(pointer: *mut u8, bytes: usize, writable: bool) -> Self {
        Self { pointer, bytes, writable, lent: std::ptr::null() }
    }
}

/// The buffers of a running task, in the order of its accesses.
#[derive(Debug)]
pub struct Buffers<'a> {
    buffers: &'a [RawBuffer],
    taken: Cell<u64>,
    worker: usize,
    lifetime: PhantomData<&'a mut u8>,
}

impl<'a> Buffers<'a> {
    /// # Safety
    /// Each pointer is valid for `bytes` bytes, aligned to 64, initialised, and for the lifetime
    /// `'a` written by nobody else; writable ones are accessed by nobody else at all. Of a lent
    /// buffer all this but the alignment holds for the lines of its block, which stays for `'a`.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn new(buffers: &'a [RawBuffer], worker: usize) -> Self {
        Self { buffers, taken: Cell::new(0), worker, lifetime: PhantomData }
    }

    /// Number of buffers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buffers.len()
    }

    /// Whether the task has no buffers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffers.is_empty()
    }

    /// Index of the worker that runs the task.
    #[must_use]
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// Buffer `index`, to read.
    ///
    /// # Panics
    /// If the size is not a multiple of `T`'s, the buffer was taken to be written, or it is a lent
    /// block with gaps.
    #[must_use]
    #[allow(unsafe_code)]
    pub fn read<T: Pod>(&self, index: usize) -> &[T] {
        let buffer = self.take_to_read(index);
        let length = self.slice::<T>(buffer, index);
        // SAFETY: `new` promises validity and no concurrent writer; a writable buffer is handed
        // out once (`taken`); `Pod` accepts any bit pattern; alignment is 64 >= align_of::<T>(), or
        // `slice` has checked it.
        unsafe { std::slice::from_raw_parts(buffer.pointer.cast::<T>(), length) }
    }

    /// Buffer `index`, to write.
    ///
    /// # Panics
    /// If the access mode does not allow writing, the size is not a multiple of `T`'s, the
    /// buffer was taken before, or it is a lent block with gaps.
    #[must_use]
    #[allow(unsafe_code, clippy::mut_from_ref)]
    pub fn write<T: Pod>(&self, index: usize) -> &mut [T] {
        let buffer = self.take_to_write(index);
        let length = self.slice::<T>(buffer, index);
        // SAFETY: as in `read`; the mask makes this the only slice of the buffer.
        unsafe { std::slice::from_raw_parts_mut(buffer.pointer.cast::<T>(), length) }
    }

    /// Where buffer `index` lies, to read; also of a lent block with gaps.
    ///
    /// # Panics
    /// If a size is not a multiple of `T`'s, a lent block is not aligned to `T`, or the buffer
    /// was taken to be written.
    #[must_use]
    pub fn region<T: Pod>(&self, index: usize) -> Region<'_, T> {
        let buffer = self.take_to_read(index);
        let (block, length) = (self.lines::<T>(buffer, index), elements::<T>(buffer, index));
        let pointer = buffer.pointer.cast_const().cast();
        Region { pointer, block, length, lifetime: PhantomData }
    }

    /// Where buffer `index` lies, to write; also of a lent block with gaps.
    ///
    /// # Panics
    /// As [`region`](Self::region); or if the access mode does not allow writing, or the buffer
    /// was taken before.
    #[must_use]
    pub fn region_mut<T: Pod>(&self, index: usize) -> RegionMut<'_, T> {
        let buffer = self.take_to_write(index);
        let (block, length) = (self.lines::<T>(buffer, index), elements::<T>(buffer, index));
        RegionMut { pointer: buffer.pointer.cast(), block, length, lifetime: PhantomData }
    }

    fn take_to_read(&self, index: usize) -> &'a RawBuffer {
        let buffer = &self.buffers[index];
        assert!(self.taken.get() >> index & 1 == 0, "buffer {index} is already taken for writing");
        if buffer.writable {
            // A later `write` of the same buffer would alias what is handed out.
            self.taken.set(self.taken.get() | 1 << index);
        }
        buffer
    }

    fn take_to_write(&self, index: usize) -> &'a RawBuffer {
        let buffer = &self.buffers[index];
        assert!(buffer.writable, "buffer {index} is declared read-only");
        assert!(self.taken.get() >> index & 1 == 0, "buffer {index} is already taken");
        self.taken.set(self.taken.get() | 1 << index);
        buffer
    }

    /// The block that `buffer` is, if it is lent.
    #[allow(unsafe_code)]
    fn block(&self, buffer: &RawBuffer) -> Option<&Block> {
        // SAFETY: null, or a block that `new` says stays.
        unsafe { buffer.lent.as_ref() }
    }

    fn lines<T: Pod>(&self, buffer: &RawBuffer, index: usize) -> Option<Lines> {
        self.block(buffer).map(|block| Lines::of::<T>(block, index))
    }

    /// Elements of `buffer`, which lie side by side and are aligned.
    fn slice<T: Pod>(&self, buffer: &RawBuffer, index: usize) -> usize {
        if let Some(block) = self.block(buffer) {
            assert!(block.is_slice(), "buffer {index} is a lent block and no slice: {block:?}");
            let _aligned = Lines::of::<T>(block, index);
        }
        elements::<T>(buffer, index)
    }
}

pub(super) fn elements<T>(buffer: &RawBuffer, index: usize) -> usize {
    let (bytes, size) = (buffer.bytes, size_of::<T>());
    assert!(bytes % size == 0, "buffer {index} holds {bytes} bytes, not a multiple of {size}");
    bytes / size
}
