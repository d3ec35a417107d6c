//! What no device forgives ends the process with a line that says what it was.
#![allow(unsafe_code)]

use std::env;
use std::process::Command;

use tegula_stand_ins::{Folder, missing};

use crate::cuda::Cuda;

/// Which mistake a process that the test starts is to make.
const MISTAKE: &str = "TEGULA_MISTAKE";

type Make = fn(&Cuda);

/// Mistakes, with words of what is said.
const MISTAKES: &[(&str, &str, Make)] = &[
    ("a copy behind the end", "64 are left", |cuda| {
        let (to, from) = (cuda.allocate(64), cuda.pinned(128));
        cuda.call("cuMemcpyHtoDAsync_v2", [to, from as u64, 72, cuda.stream]);
    }),
    ("a copy to freed memory", "whose memory has been freed", |cuda| {
        let (to, from) = (cuda.allocate(64), cuda.pinned(64));
        cuda.call("cuMemFree_v2", [to, 0, 0, 0]);
        cuda.call("cuMemcpyHtoDAsync_v2", [to, from as u64, 64, cuda.stream]);
    }),
    ("memory freed twice", "whose memory has been freed", |cuda| {
        let place = cuda.allocate(64);
        cuda.call("cuMemFree_v2", [place, 0, 0, 0]);
        cuda.call("cuMemFree_v2", [place, 0, 0, 0]);
    }),
    ("memory freed under a copy", "is freed before", |cuda| {
        extern "C" fn slow(_: u64) {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        let (to, from) = (cuda.allocate(64), cuda.pinned(64));
        let slow: extern "C" fn(u64) = slow;
        cuda.call("cuLaunchHostFunc", [cuda.stream, slow as usize as u64, 0, 0]);
        cuda.call("cuMemcpyHtoDAsync_v2", [to, from as u64, 64, cuda.stream]);
        cuda.call("cuMemFree_v2", [to, 0, 0, 0]);
        cuda.wait();
    }),
    ("memory of the host that is not pinned", "not pinned", |cuda| {
        let (to, from) = (cuda.allocate(64), [0.0_f64; 8]);
        cuda.call("cuMemcpyHtoDAsync_v2", [to, from.as_ptr() as u64, 64, cuda.stream]);
    }),
    ("memory of a device read by the host", "the host touches", |cuda| {
        let place = cuda.allocate(64);
        // SAFETY: none: this is the mistake.
        let value = unsafe { (place as *const u8).read_volatile() };
        assert_eq!(value, 0);
    }),
    ("memory of the host given to a kernel", "no address of a device", |cuda| {
        let x = [0.0_f64; 8];
        cuda.launch(cuda.kernel("beside"), (1, 1, 0), &[x.as_ptr() as u64, 0]);
    }),
    ("a kernel that writes behind the end", "beside touches memory", |cuda| {
        let x = cuda.allocate(64);
        cuda.launch(cuda.kernel("beside"), (1, 1, 0), &[x, 8]);
        cuda.wait();
    }),
    ("a kernel that writes before the start", "just outside", |cuda| {
        let x = cuda.allocate(64);
        cuda.launch(cuda.kernel("beside"), (1, 1, 0), &[x, u64::from(u32::MAX)]);
        cuda.wait();
        cuda.call("cuMemFree_v2", [x, 0, 0, 0]);
    }),
    ("threads of a warp that wait in different places", "wait elsewhere", |cuda| {
        let x = cuda.allocate(64);
        cuda.launch(cuda.kernel("apart"), (1, 32, 0), &[x]);
        cuda.wait();
    }),
];

#[test]
#[allow(clippy::print_stderr)]
fn mistakes_end_the_process() {
    if let Some(reason) = missing() {
        return eprintln!("SKIPPED: no stand-ins: {reason}");
    }
    let folder = Folder::new();
    if let Ok(name) = env::var(MISTAKE) {
        let found = MISTAKES.iter().find(|(known, ..)| *known == name);
        found.expect("it is listed").2(&Cuda::new(&folder));
        return;
    }
    for (name, words, _) in MISTAKES {
        let mut command = Command::new(env::current_exe().expect("a test knows its own file"));
        command
            .args(["--exact", "mistakes::mistakes_end_the_process", "--nocapture"])
            .env(MISTAKE, name);
        let output = command.output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{name} is forgiven");
        let is_said =
            said.lines().any(|line| line.starts_with("stand-in: ") && line.contains(words));
        assert!(is_said, "{name}: '{words}' is not in: {said}");
    }
}
