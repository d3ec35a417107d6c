//! Memory of devices and pinned memory of the host: what is there, and what lies inside it.
//!
//! An address of a device is that of the host's memory behind it with a mark in bits that no
//! address of the host has, so that a program which reads or writes it by itself ends at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::abi::{ALREADY_PINNED, INVALID_VALUE, NOT_PINNED, OUT_OF_MEMORY, Outcome, mistake};
use crate::devices::{Device, devices};
use crate::host::{Pages, locked};

/// An address on a device.
pub(crate) type Place = u64;

/// The lowest bit of the mark.
const MARK: u32 = 56;

/// Memory of a device, as long as work may use it.
#[derive(Debug)]
pub(crate) struct Allocation {
    pages: Pages,
    device: usize,
    place: Place,
    bytes: usize,
    is_free: AtomicBool,
}

impl Allocation {
    /// Whether it has been given back.
    pub(crate) fn is_free(&self) -> bool {
        self.is_free.load(Ordering::SeqCst)
    }
}

/// A part of a device's memory, or of pinned memory, for work that has been checked.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    host: *mut u8,
    pub(crate) bytes: usize,
    /// What it is a part of; nothing if that is pinned memory.
    pub(crate) of: Option<Arc<Allocation>>,
}

impl Region {
    /// No bytes at all.
    pub(crate) fn empty() -> Self {
        Self { host: std::ptr::null_mut(), bytes: 0, of: None }
    }

    /// Where it lies in the host's memory.
    pub(crate) fn host(&self) -> *mut u8 {
        self.host
    }
}

#[allow(unsafe_code)]
// SAFETY: what it is a part of stays as long as it; the order of work is the program's affair.
unsafe impl Send for Region {}

static ALLOCATIONS: Mutex<BTreeMap<Place, Arc<Allocation>>> = Mutex::new(BTreeMap::new());
/// Where memory was, of late, to tell what has been freed from what never was.
static FREED: Mutex<Vec<(Place, usize)>> = Mutex::new(Vec::new());
static PINNED: Mutex<BTreeMap<u64, Pinned>> = Mutex::new(BTreeMap::new());

/// Pinned memory: its bytes, and its pages if they are ours.
struct Pinned {
    bytes: usize,
    pages: Option<Pages>,
}

/// Takes memory of a device.
pub(crate) fn allocate(device: &Device, bytes: usize) -> Outcome<Place> {
    if bytes == 0 {
        return Err(INVALID_VALUE);
    }
    device.take(bytes as u64)?;
    let pages = Pages::new(bytes);
    let place = pages.place() as Place | (device.number as Place + 1) << MARK;
    let is_free = AtomicBool::new(false);
    let allocation = Allocation { pages, device: device.number, place, bytes, is_free };
    locked(&ALLOCATIONS).insert(place, Arc::new(allocation));
    Ok(place)
}

/// Gives memory of a device back. One that has failed gives nothing back: another of its streams
/// may still be in the middle of what it began before.
pub(crate) fn free(place: Place) -> Outcome {
    if place == 0 {
        return Ok(());
    }
    let mut allocations = locked(&ALLOCATIONS);
    let Some(allocation) = allocations.get(&place).cloned() else {
        mistake!("{place:#x} is freed{}", history(place));
    };
    devices()[allocation.device].check()?;
    allocations.remove(&place);
    drop(allocations);
    if !allocation.pages.is_whole(allocation.bytes) {
        mistake!("something has written just outside the {} bytes at {place:#x}", allocation.bytes);
    }
    allocation.is_free.store(true, Ordering::SeqCst);
    devices()[allocation.device].used.fetch_sub(allocation.bytes as u64, Ordering::SeqCst);
    let mut freed = locked(&FREED);
    if freed.len() > 4096 {
        freed.drain(..2048);
    }
    freed.push((allocation.place, allocation.bytes));
    Ok(())
}

/// What is known of an address where nothing is.
fn history(place: Place) -> &'static str {
    let inside =
        |&(start, bytes): &(Place, usize)| (start..start + bytes as Place).contains(&place);
    if place >> MARK == 0 {
        ", which is no address of a device"
    } else if locked(&FREED).iter().any(inside) {
        ", whose memory has been freed"
    } else {
        ", where no memory of a device is"
    }
}

/// The `bytes` bytes at `place`, for work of `device`; `what` is said to be using them. Without
/// `bytes`, all that follow in the same piece of memory.
pub(crate) fn region(device: &Device, what: &str, place: Place, bytes: Option<usize>) -> Region {
    let found = locked(&ALLOCATIONS)
        .range(..=place)
        .next_back()
        .map(|(_, allocation)| allocation.clone())
        .filter(|found| place - found.place <= found.bytes as Place);
    let Some(found) = found else {
        if let Some(region) = pinned(place, bytes.unwrap_or(1)) {
            return region;
        }
        mistake!("{what} is given the address {place:#x}{}", history(place));
    };
    if !device.reaches(found.device) {
        let (here, there) = (device.number, found.device);
        mistake!("{what} runs on device {here} and is given memory of device {there}");
    }
    let offset = (place - found.place) as usize;
    let left = found.bytes - offset;
    let bytes = bytes.unwrap_or(left);
    if bytes > left {
        mistake!("{what} uses {bytes} bytes at {place:#x}, where {left} are left");
    }
    Region { host: found.pages.place().wrapping_add(offset), bytes, of: Some(found) }
}

/// The `bytes` bytes of pinned memory of the host at `place`, if that is what they are.
pub(crate) fn pinned(place: u64, bytes: usize) -> Option<Region> {
    let pinned = locked(&PINNED);
    let (start, found) = pinned.range(..=place).next_back()?;
    let is_inside = place + bytes as u64 <= start + found.bytes as u64;
    is_inside.then_some(Region { host: place as *mut u8, bytes, of: None })
}

/// Takes pinned memory of the host.
pub(crate) fn allocate_host(bytes: usize) -> Outcome<u64> {
    if bytes == 0 {
        return Err(INVALID_VALUE);
    }
    let pages = Pages::new(bytes);
    let place = pages.place() as u64;
    locked(&PINNED).insert(place, Pinned { bytes, pages: Some(pages) });
    Ok(place)
}

/// Gives pinned memory of the host back.
pub(crate) fn free_host(place: u64) -> Outcome {
    let Some(pinned) = locked(&PINNED).remove(&place) else {
        mistake!("{place:#x} is freed, which is no pinned memory");
    };
    match pinned.pages {
        Some(pages) if !pages.is_whole(pinned.bytes) => {
            mistake!("something has written just outside the pinned memory at {place:#x}")
        }
        Some(_) => Ok(()),
        None => mistake!("{place:#x} is freed, which was registered and not allocated"),
    }
}

/// Pins memory of the host.
pub(crate) fn register(place: u64, bytes: usize) -> Outcome {
    if bytes == 0 || place == 0 {
        return Err(INVALID_VALUE);
    }
    let mut pinned = locked(&PINNED);
    let before = pinned.range(..place + bytes as u64).next_back();
    if before.is_some_and(|(start, found)| start + found.bytes as u64 > place) {
        return Err(ALREADY_PINNED);
    }
    pinned.insert(place, Pinned { bytes, pages: None });
    Ok(())
}

/// Lets memory of the host go that was pinned.
pub(crate) fn unregister(place: u64) -> Outcome {
    let mut pinned = locked(&PINNED);
    match pinned.get(&place) {
        Some(Pinned { pages: None, .. }) => {
            pinned.remove(&place);
            Ok(())
        }
        _ => Err(NOT_PINNED),
    }
}

/// Refuses what is too much for `device` before anything is done.
pub(crate) fn free_bytes(device: &Device) -> Outcome<u64> {
    device.memory.checked_sub(device.used.load(Ordering::SeqCst)).ok_or(OUT_OF_MEMORY)
}
