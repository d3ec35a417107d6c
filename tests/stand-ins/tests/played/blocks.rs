//! Blocks and streams do what they do on a device.
#![allow(unsafe_code)]

use tegula_stand_ins::{Folder, missing};

use crate::cuda::Cuda;

#[test]
#[allow(clippy::print_stderr)]
fn warps_and_blocks_do_what_they_do_on_a_device() {
    if let Some(reason) = missing() {
        return eprintln!("SKIPPED: no stand-ins: {reason}");
    }
    let folder = Folder::new();
    let cuda = Cuda::new(&folder);
    let (blocks, threads) = (3, 128);
    let count = blocks as usize * threads as usize;
    let (host, x) = (cuda.pinned(8 * count as u64), cuda.allocate(8 * count as u64));
    let (warps, all, number) = (cuda.allocate(96), cuda.allocate(8), cuda.allocate(4));
    // SAFETY: there are as many, and nobody else has them.
    let numbers = unsafe { std::slice::from_raw_parts_mut(host, count) };
    (0..count).for_each(|k| numbers[k] = (k * k % 101) as f64);
    let sums: Vec<f64> = numbers.chunks(32).map(|warp| warp.iter().sum()).collect();
    cuda.call("cuMemcpyHtoDAsync_v2", [x, host as u64, 8 * count as u64, cuda.stream]);
    cuda.call("cuMemsetD8Async", [all, 0, 8, cuda.stream]);
    cuda.call("cuMemsetD8Async", [number, 0, 4, cuda.stream]);
    cuda.launch(cuda.kernel("sum"), (blocks, threads, 8 * threads), &[x, warps, all, number]);
    cuda.call("cuMemcpyDtoHAsync_v2", [host as u64, warps, 96, cuda.stream]);
    // SAFETY: there is room behind what the last copy has written.
    let (total, counted) = unsafe { (host.add(12), host.add(13)) };
    cuda.call("cuMemcpyDtoHAsync_v2", [total as u64, all, 8, cuda.stream]);
    cuda.call("cuMemcpyDtoHAsync_v2", [counted as u64, number, 4, cuda.stream]);
    cuda.wait();
    assert_eq!(numbers[..12], sums);
    // Each lane of a warp has the sum of the mirrored warp.
    assert_eq!(numbers[12], sums.iter().sum::<f64>());
    assert_eq!(numbers[13].to_bits() & 0xFFFF_FFFF, count as u64);
}

/// Work on one stream sees what is done on another only behind an event.
#[test]
fn streams_wait_for_events_and_for_nothing_else() {
    extern "C" fn slow(_: u64) {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let folder = Folder::new();
    let cuda = Cuda::new(&folder);
    let (mut other, mut event) = (0_u64, 0_u64);
    cuda.call("cuStreamCreate", [&raw mut other as u64, 1, 0, 0]);
    cuda.call("cuEventCreate", [&raw mut event as u64, 2, 0, 0]);
    let (host, back, place) = (cuda.pinned(8), cuda.pinned(8), cuda.allocate(8));
    // SAFETY: there is room for one number, which nothing uses yet.
    unsafe { host.write(3.0) };
    let slow: extern "C" fn(u64) = slow;
    cuda.call("cuLaunchHostFunc", [cuda.stream, slow as usize as u64, 0, 0]);
    cuda.call("cuMemcpyHtoDAsync_v2", [place, host as u64, 8, cuda.stream]);
    cuda.call("cuEventRecord", [event, cuda.stream, 0, 0]);
    assert_eq!(cuda.answer("cuEventQuery", [event, 0, 0, 0]), 600);
    let read = || {
        cuda.call("cuMemcpyDtoHAsync_v2", [back as u64, place, 8, other]);
        cuda.call("cuStreamSynchronize", [other, 0, 0, 0]);
        // SAFETY: the copy has ended.
        unsafe { back.read() }
    };
    assert!(read().is_nan(), "nobody has written it yet");
    cuda.call("cuStreamWaitEvent", [other, event, 0, 0]);
    assert_eq!(read(), 3.0);
    assert_eq!(cuda.answer("cuEventQuery", [event, 0, 0, 0]), 0);
}
