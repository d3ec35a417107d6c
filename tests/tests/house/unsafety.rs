//! `unsafe` lives in few named places, each with a reason.

use crate::{assert_kept, has_word, rust_files};

/// Files, and folders that end in a slash, that may hold `unsafe`, and why.
const PLACES: &[(&str, &str)] = &[
    ("runtime/src/comm/", "moves what callers lend, and calls MPI"),
    ("runtime/src/cuda/", "calls the CUDA driver"),
    ("runtime/src/exec/accelerator/", "hands buffers to devices"),
    ("runtime/src/exec/messenger/", "lends buffers of handles to the transport"),
    ("runtime/src/exec/heterogeneous/", "lends buffers of each memory to copies and devices"),
    ("runtime/src/exec/run.rs", "lends the buffers of handles to kernels"),
    ("runtime/src/flow/codelet.rs", "erases the types of codelets and buffers"),
    ("runtime/src/flow/graph.rs", "fills task slots"),
    ("runtime/src/flow/lend.rs", "takes memory that the program lends"),
    ("runtime/src/flow/host.rs", "lends the contents of a handle to the program"),
    ("runtime/src/flow/space.rs", "reads task slots"),
    ("runtime/src/flow/task.rs", "task slots that are written once and then shared"),
    ("runtime/src/memory/", "allocates, maps and frees buffers, and keeps slots that never move"),
    ("runtime/src/platform/cores.rs", "asks the system for the cores it may use"),
    ("runtime/src/watch/", "asks the system for addresses, and waits on several sockets"),
    ("runtime/examples/message_rate.rs", "lends memory to transports"),
    ("runtime/examples/parallel_tasks.rs", "calls a library in C"),
    ("runtime/tests/conformance/funneled.rs", "lends memory to flows and transports"),
    ("runtime/tests/conformance/lent.rs", "lends memory to flows"),
    ("runtime/tests/mpi/", "lends memory to transports"),
    ("tests/tests/linalg/lent.rs", "lends arrays to flows"),
    ("tests/tests/linalg/qr.rs", "lends arrays to flows"),
    ("runtime/tests/conformance/stand_in.rs", "plays a device, whose memory it allocates"),
    ("kernels/src/tile.rs", "views of disjoint parts of one tile"),
    ("kernels/src/tile/", "views of the buffers of a task"),
    ("kernels/src/backend/", "calls a BLAS in C, and vector instructions"),
    ("kernels/src/cuda/", "calls CUDA libraries, and reads verdicts that a device has written"),
    ("kernels/src/kernel/", "vector instructions, and CUDA libraries in each cuda.rs"),
    ("tiles/src/lent.rs", "cuts an array that the program lends into tiles"),
    ("apps/capi/src/array.rs", "makes views and tiles of the caller's arrays"),
    ("apps/capi/src/export.rs", "makes functions that C calls"),
    ("apps/capi/src/kind.rs", "reads arguments through the caller's pointers"),
    ("apps/capi/src/native/", "gives contexts and matrices to C, and takes them back"),
    ("apps/capi/src/process.rs", "keeps the flow of the process, which a fork replaces"),
    ("apps/capi/src/scalapack/blacs.rs", "calls the program's own BLACS"),
    ("apps/capi/src/scalapack/grid.rs", "takes a communicator of the program's"),
    ("apps/capi/src/scalapack/matrix.rs", "cuts the caller's arrays into tiles"),
    ("apps/capi/src/xerbla.rs", "calls the program's own xerbla"),
    ("apps/r/src/c.rs", "makes functions that R's C calls, and reads what they are lent"),
    ("apps/capi/tests/", "calls the library as C does"),
    ("tests/stand-ins/", "is called as NVIDIA's libraries are, also by its tests"),
    ("kernels/tests/cuda_source/", "calls what g++ has made of the CUDA sources"),
];

#[test]
fn unsafe_code_is_where_it_is_listed() {
    let mut used = vec![false; PLACES.len()];
    let mut broken = Vec::new();
    for file in rust_files().filter(|file| has_word(&file.code(), "unsafe")) {
        let is_at = |(place, _): &(&str, &str)| {
            file.path == *place || (place.ends_with('/') && file.path.starts_with(place))
        };
        match PLACES.iter().position(is_at) {
            Some(place) => used[place] = true,
            None => broken.push(file.path),
        }
    }
    assert_kept("unsafe code outside the places that PLACES lists:", &broken);
    let unused =
        PLACES.iter().zip(used).filter(|(_, used)| !used).map(|((place, _), _)| place.to_string());
    assert_kept("places that are listed and hold no unsafe code:", &unused.collect::<Vec<_>>());
}
