//! The functions of NVIDIA's management library (NVML) that count energy: device K draws
//! 100 (K + 1) W all the time.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_uint, c_ulonglong};
use std::sync::OnceLock;
use std::time::Instant;

use crate::abi::{Answer, Handle, export};
use crate::devices::{device, devices};

/// A handle is the number of a device and this.
const FIRST: Handle = 0x6e76_6d6c_0000;

/// When devices began to draw power.
fn start() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now)
}

export! {
    fn nvmlInit_v2() {
        start();
        Ok(())
    }
    fn nvmlDeviceGetCount_v2(count: Answer<c_uint>) {
        count.set(devices().len() as c_uint);
        Ok(())
    }
    fn nvmlDeviceGetHandleByIndex_v2(number: c_uint, handle: Answer<Handle>) {
        device(number as i32)?;
        handle.set(FIRST + u64::from(number));
        Ok(())
    }
    fn nvmlDeviceGetTotalEnergyConsumption(handle: Handle, energy: Answer<c_ulonglong>) {
        let device = device((handle - FIRST) as i32)?;
        let watts = 100.0 * (device.number + 1) as f64;
        energy.set((1e3 * watts * start().elapsed().as_secs_f64()) as c_ulonglong);
        Ok(())
    }
}
