//! Packed operands: where that pays, and the tasks that do it.

use std::sync::atomic::{AtomicBool, Ordering};

use tegula_kernels::backend;
use tegula_kernels::kernel::pack::Pack;
use tegula_kernels::packed::PackedShape;
use tegula_kernels::scalar::Scalar;
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::flow::{Flow, Handle};

/// Whether operands may be packed.
static IS_ALLOWED: AtomicBool = AtomicBool::new(true);

/// Sets for the process whether algorithms may pack operands, as they do at first where it pays:
/// for programs that are simulated on machines of which the times of that are not known.
pub fn allow_packing(is_allowed: bool) {
    IS_ALLOWED.store(is_allowed, Ordering::Relaxed);
}

/// Height of the micro-panels of an operand that `products` tasks will read, if packing it pays: it
/// has to be allowed, the backend to read micro-panels faster than tiles, and no copy may have to
/// be moved.
pub(crate) fn micro_panel_height<T: Scalar>(flow: &Flow, products: usize) -> Option<usize> {
    /// In one product the operand is packed anyway.
    const FEWEST: usize = 2;
    let pays = products >= FEWEST && flow.is_flat() && IS_ALLOWED.load(Ordering::Relaxed);
    T::blas(backend::current()).micro_panel_height().filter(|_| pays)
}

/// Submits the packing of a part of `tile`; the micro-panels are to be retired after their last
/// use.
///
/// They lie in buffers for `most`: those of one size take turns, where shrinking ones would each be
/// new.
pub(crate) fn pack<T: Scalar>(
    flow: &mut Flow,
    pack: Pack<T>,
    most: PackedShape,
    tile: Handle,
    priority: i32,
) -> Handle {
    let elements = pack.shape().elements();
    let room = elements.max(most.elements()) * size_of::<T>();
    let packed = flow.register_within(elements * size_of::<T>(), room);
    flow.submit(pack, &[(tile, R), (packed, W)], priority);
    packed
}
