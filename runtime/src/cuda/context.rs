//! Devices as the driver describes them, and the context in which one is used.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError, Weak};

use super::driver::{Driver, DriverError, Handle, Number, PEER_ENABLED, Place};

/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR`.
const MAJOR: c_int = 75;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR`.
const MINOR: c_int = 76;

/// `CU_DEVICE_ATTRIBUTE_CLOCK_RATE`, in kilohertz.
const CLOCK: c_int = 13;
/// `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`.
const MULTIPROCESSORS: c_int = 16;
/// `CU_MEMHOSTREGISTER_PORTABLE`.
const PORTABLE: c_uint = 1;

/// A device, not yet in use.
#[derive(Clone, Copy)]
pub struct Device {
    driver: &'static Driver,
    number: Number,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Device").field(&self.number).finish()
    }
}

impl Device {
    /// How many there are.
    ///
    /// # Errors
    /// If the driver is missing or refuses.
    #[allow(unsafe_code)]
    pub fn count() -> Result<usize, DriverError> {
        let driver = Driver::get()?;
        // SAFETY: it writes one number.
        let count = driver.made(0, |count| unsafe { (driver.device_count)(count) })?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// The device that is counted as `index`, from 0.
    ///
    /// # Errors
    /// If the driver is missing or refuses, or has no such device.
    #[allow(unsafe_code)]
    pub fn new(index: usize) -> Result<Self, DriverError> {
        let driver = Driver::get()?;
        let index = c_int::try_from(index).unwrap_or(c_int::MAX);
        // SAFETY: it writes one number.
        let number = driver.made(0, |number| unsafe { (driver.device)(number, index) })?;
        Ok(Self { driver, number })
    }

    /// What its maker calls it.
    ///
    /// # Errors
    /// If the driver refuses.
    #[allow(unsafe_code)]
    pub fn name(self) -> Result<String, DriverError> {
        const ROOM: usize = 128;
        let name = self.driver.made([0 as c_char; ROOM], |name| {
            // SAFETY: it writes at most so many characters, of which the last is a zero.
            unsafe { (self.driver.device_name)(name.cast(), ROOM as c_int, self.number) }
        })?;
        let bytes = name.map(|character| character as u8);
        let name = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }

    /// Bytes of its memory.
    ///
    /// # Errors
    /// If the driver refuses.
    #[allow(unsafe_code)]
    pub fn memory_bytes(self) -> Result<u64, DriverError> {
        // SAFETY: it writes one number.
        let ask = |bytes| unsafe { (self.driver.device_memory)(bytes, self.number) };
        Ok(self.driver.made(0, ask)? as u64)
    }

    /// Its compute capability, major and minor.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn capability(self) -> Result<(i32, i32), DriverError> {
        Ok((self.attribute(MAJOR)?, self.attribute(MINOR)?))
    }

    /// Operations per second at most, in double precision, as far as its architecture is known:
    /// multiprocessors, times their clock, times what each does in a cycle (NVIDIA, "CUDA C++
    /// Programming Guide", arithmetic instructions, and the white papers on V100, A100 and H100,
    /// tensor cores counted).
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn double_rate(self) -> Result<f64, DriverError> {
        let per_cycle = match self.capability()? {
            (6, 0) | (7, 0) => 64.0,
            (8, 0) | (10, 0) => 128.0,
            (9, 0) => 256.0,
            _ => 4.0,
        };
        let kilohertz = f64::from(self.attribute(CLOCK)?.max(1_000_000));
        Ok(f64::from(self.attribute(MULTIPROCESSORS)?) * kilohertz * 1e3 * per_cycle)
    }

    #[allow(unsafe_code)]
    fn attribute(self, attribute: c_int) -> Result<c_int, DriverError> {
        // SAFETY: it writes one number.
        let ask = |value| unsafe { (self.driver.device_attribute)(value, attribute, self.number) };
        self.driver.made(0, ask)
    }
}

/// Memory of a device that is kept for later.
pub trait Spare: Send + Sync {
    /// Gives back what nobody uses now.
    fn give_back(&self);
}

/// A device in use: its primary context, which libraries share.
pub struct Context {
    pub(super) driver: &'static Driver,
    device: Device,
    handle: Handle,
    /// What is asked to give memory back where there is too little.
    spares: Mutex<Vec<Weak<dyn Spare>>>,
}

// SAFETY: the driver lets all threads use a context.
#[allow(unsafe_code)]
unsafe impl Send for Context {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Context {}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Context").field(&self.device.number).finish()
    }
}

impl Context {
    /// That of `device`, current on this thread.
    ///
    /// # Errors
    /// If the driver refuses.
    #[allow(unsafe_code)]
    pub fn new(device: Device) -> Result<Self, DriverError> {
        let driver = device.driver;
        // SAFETY: it writes one handle.
        let retain = |handle| unsafe { (driver.retain_context)(handle, device.number) };
        let handle = driver.made(ptr::null_mut(), retain)?;
        let context = Self { driver, device, handle, spares: Mutex::default() };
        context.bind()?;
        Ok(context)
    }

    /// Its device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.device
    }

    /// Makes it the one that calls on this thread are about.
    ///
    /// # Errors
    /// If the driver refuses.
    #[allow(unsafe_code)]
    pub fn bind(&self) -> Result<(), DriverError> {
        let driver = self.driver;
        // SAFETY: it writes one handle.
        let current =
            driver.made(ptr::null_mut(), |handle| unsafe { (driver.current_context)(handle) })?;
        if current == self.handle {
            return Ok(());
        }
        // SAFETY: the context is there as long as `self`.
        driver.check(unsafe { (driver.set_context)(self.handle) })
    }

    /// Bytes of the device's memory that are free.
    ///
    /// # Errors
    /// If the driver refuses.
    #[allow(unsafe_code)]
    pub fn free_bytes(&self) -> Result<u64, DriverError> {
        self.bind()?;
        let mut all = 0;
        // SAFETY: it writes two numbers.
        let ask = |free| unsafe { (self.driver.memory_info)(free, &raw mut all) };
        Ok(self.driver.made(0, ask)? as u64)
    }

    /// Takes `bytes` bytes of the device's memory.
    ///
    /// # Errors
    /// If there are not as many, or the driver refuses.
    #[allow(unsafe_code)]
    pub fn allocate(&self, bytes: usize) -> Result<Place, DriverError> {
        self.bind()?;
        // SAFETY: it writes one address.
        let place = self.driver.made(0, |place| unsafe { (self.driver.allocate)(place, bytes) })?;
        if place == 0 { Err(DriverError::out_of_memory()) } else { Ok(place) }
    }

    /// Asks `spare` to give memory back where [`OnDevice`](super::OnDevice) finds too little.
    pub fn add_spare(&self, spare: Weak<dyn Spare>) {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner).push(spare);
    }

    /// As [`allocate`](Self::allocate), for those who keep nothing for later themselves: where
    /// there is too little, others give back first what they keep.
    pub(super) fn allocate_of_spare(&self, bytes: usize) -> Result<Place, DriverError> {
        match self.allocate(bytes) {
            Err(error) if error.is_out_of_memory() => {
                let mut spares = self.spares.lock().unwrap_or_else(PoisonError::into_inner);
                spares.retain(|spare| {
                    spare.upgrade().is_some_and(|spare| {
                        spare.give_back();
                        true
                    })
                });
                self.allocate(bytes)
            }
            other => other,
        }
    }

    /// Gives back what [`allocate`](Self::allocate) took.
    ///
    /// # Errors
    /// If the driver refuses.
    ///
    /// # Safety
    /// It was taken here, and nobody uses it any more.
    #[allow(unsafe_code)]
    pub unsafe fn free(&self, place: Place) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: the caller's promise.
        self.driver.check(unsafe { (self.driver.free)(place) })
    }

    /// Lets this device read the memory of `peer` over a bus that both are on; without that the
    /// driver copies through the host. Says whether it can.
    ///
    /// # Errors
    /// If the driver refuses.
    #[allow(unsafe_code)]
    pub fn reach(&self, peer: &Self) -> Result<bool, DriverError> {
        let (driver, mine, theirs) = (self.driver, self.device.number, peer.device.number);
        // SAFETY: it writes one number.
        let ask = |can| unsafe { (driver.can_access_peer)(can, mine, theirs) };
        if driver.made(0, ask)? == 0 {
            return Ok(false);
        }
        self.bind()?;
        // SAFETY: the context of the peer is there.
        match unsafe { (driver.enable_peer)(peer.handle, 0) } {
            PEER_ENABLED => Ok(true),
            status => driver.check(status).map(|()| true),
        }
    }

    /// Pins `bytes` bytes of the host from `place` on, for all contexts of the process.
    ///
    /// # Errors
    /// If they cannot be, or the driver refuses.
    ///
    /// # Safety
    /// They are there, and stay until [`unpin`](Self::unpin).
    #[allow(unsafe_code)]
    pub unsafe fn pin(&self, place: NonNull<u8>, bytes: usize) -> Result<(), DriverError> {
        self.bind()?;
        let register = self.driver.register_host;
        // SAFETY: the caller's promise.
        self.driver.check(unsafe { register(place.as_ptr().cast(), bytes, PORTABLE) })
    }

    /// Takes back that memory of the host is pinned.
    ///
    /// # Errors
    /// If the driver refuses.
    ///
    /// # Safety
    /// It was pinned here, and no copy of it is under way.
    #[allow(unsafe_code)]
    pub unsafe fn unpin(&self, place: NonNull<u8>) -> Result<(), DriverError> {
        self.bind()?;
        // SAFETY: the caller's promise.
        self.driver.check(unsafe { (self.driver.unregister_host)(place.as_ptr().cast()) })
    }

    /// The context as the driver knows it.
    pub(super) fn handle(&self) -> Handle {
        self.handle
    }
}

impl Drop for Context {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: it was retained once. A device that is broken has nothing left to give back.
        let _ = unsafe { (self.driver.release_context)(self.device.number) };
    }
}
