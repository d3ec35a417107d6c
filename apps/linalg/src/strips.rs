//! Operands laid out in strips: where that pays, and the tasks that do it.

use std::sync::atomic::{AtomicBool, Ordering};

use tegula_kernels::backend;
use tegula_kernels::kernel::lay_out::LayOut;
use tegula_kernels::scalar::Scalar;
use tegula_kernels::strips::StripShape;
use tegula_runtime::flow::Access::{R, W};
use tegula_runtime::flow::{Flow, Handle};

/// Whether operands may be laid out in strips.
static IS_ALLOWED: AtomicBool = AtomicBool::new(true);

/// Sets for the process whether algorithms may lay operands out in strips, as they do at first where it pays:
/// for programs that are simulated on machines of which the times of that are not known.
pub fn allow_strips(is_allowed: bool) {
    IS_ALLOWED.store(is_allowed, Ordering::Relaxed);
}

/// Height of the strips of an operand that `products` tasks will read, if laying it out pays: it has to be
/// allowed, the backend to read strips faster than tiles, and no copy may have to be moved.
pub(crate) fn height<T: Scalar>(flow: &Flow, products: usize) -> Option<usize> {
    /// In one product the operand is laid out anyway.
    const FEWEST: usize = 2;
    let pays = products >= FEWEST && flow.is_flat() && IS_ALLOWED.load(Ordering::Relaxed);
    T::blas(backend::current()).strip_height().filter(|_| pays)
}

/// Submits the laying out of a part of `tile`; the strips are to be retired after their last use.
///
/// They lie in buffers for `most`: those of one size take turns, where shrinking ones would each be new.
pub(crate) fn lay_out<T: Scalar>(
    flow: &mut Flow,
    lay_out: LayOut<T>,
    most: StripShape,
    tile: Handle,
    priority: i32,
) -> Handle {
    let elements = lay_out.shape().elements();
    let room = elements.max(most.elements()) * size_of::<T>();
    let strips = flow.register_within(elements * size_of::<T>(), room);
    flow.submit(lay_out, &[(tile, R), (strips, W)], priority);
    strips
}
