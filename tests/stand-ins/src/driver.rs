//! The driver's functions.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int, c_uchar, c_uint};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Once};

use crate::abi::{
    Answer, ERRORS, Given, Handle, INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_READY,
    OUT_OF_RESOURCES, Outcome, PEER_ALREADY, Status, export, mistake,
};
use crate::devices::{current, device, device_of, devices, here, set_current};
use crate::host::watch;
use crate::memory::{self, Place, Region};
use crate::modules::{Arguments, Module, Shape};
use crate::objects::{self, Object};
use crate::settings::{Kind, Settings};
use crate::streams::{Event, Stream, Work};

/// Attributes of devices that are asked for, with their values.
const ATTRIBUTES: &[(c_int, c_int)] = &[
    (1, 1024),
    (2, 1024),
    (3, 1024),
    (4, 64),
    (5, i32::MAX),
    (6, 65_535),
    (7, 65_535),
    (8, 48 << 10),
    (10, 32),
    (16, 4),
    (40, 2),
    (41, 1),
    (75, 9),
    (76, 0),
    (97, MOST_SHARED),
    (115, 1),
];
/// Bytes that the threads of a block can share, if the function was allowed to.
const MOST_SHARED: c_int = 227 << 10;
/// Bytes that they can share without.
const SHARED: u32 = 48 << 10;

/// A stream of the device whose context is current.
fn stream(handle: Handle) -> Outcome<Arc<Stream>> {
    let stream = objects::stream(handle)?;
    match current() {
        Some(device) if device.number == stream.device.number => Ok(stream),
        Some(device) => mistake!(
            "a call for a stream of device {} comes while the context of device {} is current",
            stream.device.number,
            device.number
        ),
        None => Err(INVALID_CONTEXT),
    }
}

/// The `bytes` bytes of pinned memory of the host at `place`.
fn pinned(what: &str, place: u64, bytes: usize) -> Region {
    memory::pinned(place, bytes)
        .unwrap_or_else(|| mistake!("{what} is given {bytes} bytes at {place:#x}: not pinned"))
}

/// Puts a copy on a stream.
fn copy(what: &str, from: Region, to: Region, stream: &Stream) {
    stream.put(Work::new(what, &[from.clone(), to.clone()], move || {
        // SAFETY: both have as many bytes, and stay until it is done.
        unsafe { std::ptr::copy(from.host(), to.host(), from.bytes) };
        Ok(())
    }));
}

extern "C" fn report() {
    for device in devices() {
        eprintln_report(&device.report());
    }
}

#[allow(clippy::print_stderr)]
fn eprintln_report(line: &str) {
    eprintln!("stand-in: {line}");
}

export! {
    fn cuInit(_flags: c_uint) {
        static ONCE: Once = Once::new();
        watch();
        ONCE.call_once(|| if Settings::get().reports {
            // SAFETY: it is told of a function without arguments.
            unsafe { libc::atexit(report) };
        });
        if devices().is_empty() { Err(100) } else { Ok(()) }
    }
    fn cuDriverGetVersion(version: Answer<c_int>) {
        version.set(12_040);
        Ok(())
    }
    fn cuGetErrorName(status: Status, name: Answer<*const c_char>) {
        let found = ERRORS.iter().find(|(number, ..)| *number == status).ok_or(INVALID_VALUE)?;
        name.set(found.1.as_ptr().cast());
        Ok(())
    }
    fn cuGetErrorString(status: Status, words: Answer<*const c_char>) {
        let found = ERRORS.iter().find(|(number, ..)| *number == status).ok_or(INVALID_VALUE)?;
        words.set(found.2.as_ptr().cast());
        Ok(())
    }

    fn cuDeviceGetCount(count: Answer<c_int>) {
        count.set(devices().len() as c_int);
        Ok(())
    }
    fn cuDeviceGet(number: Answer<c_int>, index: c_int) {
        number.set(device(index)?.number as c_int);
        Ok(())
    }
    fn cuDeviceGetName(name: Answer<c_uchar>, room: c_int, number: c_int) {
        let mut bytes = device(number)?.name().into_bytes();
        bytes.truncate((room - 1).unsigned_abs() as usize);
        bytes.push(0);
        name.fill(&bytes);
        Ok(())
    }
    fn cuDeviceTotalMem_v2(bytes: Answer<usize>, number: c_int) {
        bytes.set(device(number)?.memory as usize);
        Ok(())
    }
    fn cuDeviceGetAttribute(value: Answer<c_int>, attribute: c_int, number: c_int) {
        device(number)?;
        let found = ATTRIBUTES.iter().find(|(listed, _)| *listed == attribute);
        value.set(found.map_or(0, |&(_, value)| value));
        Ok(())
    }
    fn cuDeviceGetPCIBusId(text: Answer<c_uchar>, room: c_int, number: c_int) {
        let mut bytes = format!("0000:{:02x}:00.0", device(number)?.number + 1).into_bytes();
        bytes.truncate((room - 1).unsigned_abs() as usize);
        bytes.push(0);
        text.fill(&bytes);
        Ok(())
    }
    fn cuDeviceGetUuid(uuid: Answer<u8>, number: c_int) {
        let mut bytes = *b"stand-in number 0";
        bytes[15] = device(number)?.number as u8;
        uuid.fill(&bytes[..16]);
        Ok(())
    }
    fn cuDeviceGetUuid_v2(uuid: Answer<u8>, number: c_int) {
        if cuDeviceGetUuid(uuid, number) == 0 { Ok(()) } else { Err(INVALID_VALUE) }
    }
    fn cuDeviceCanAccessPeer(can: Answer<c_int>, number: c_int, peer: c_int) {
        can.set(c_int::from(device(number)?.number != device(peer)?.number));
        Ok(())
    }

    fn cuDevicePrimaryCtxRetain(context: Answer<Handle>, number: c_int) {
        let device = device(number)?;
        device.count(Kind::Call)?;
        device.retained.fetch_add(1, Ordering::SeqCst);
        context.set(device.context());
        Ok(())
    }
    fn cuDevicePrimaryCtxRelease_v2(number: c_int) {
        let device = device(number)?;
        let less = |count: usize| count.checked_sub(1);
        let before = device.retained.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
        let before = before.map_err(|_| INVALID_CONTEXT)?;
        if before == 1 {
            objects::streams(device.number).iter().for_each(|stream| stream.wait());
        }
        device.check()
    }
    fn cuCtxGetCurrent(context: Answer<Handle>) {
        context.set(current().map_or(0, |device| device.context()));
        Ok(())
    }
    fn cuCtxSetCurrent(context: Handle) {
        set_current(if context == 0 { None } else { Some(device_of(context)?) });
        Ok(())
    }
    fn cuCtxEnablePeerAccess(peer: Handle, flags: c_uint) {
        let (device, peer) = (here(Kind::Call)?, device_of(peer)?);
        if flags != 0 || peer.number == device.number {
            return Err(INVALID_VALUE);
        }
        let is_new = crate::host::locked(&device.peers).insert(peer.number);
        if is_new { Ok(()) } else { Err(PEER_ALREADY) }
    }
    fn cuCtxSynchronize() {
        let device = here(Kind::Call)?;
        objects::streams(device.number).iter().for_each(|stream| stream.wait());
        device.check()
    }

    fn cuMemGetInfo_v2(free: Answer<usize>, total: Answer<usize>) {
        let device = here(Kind::Call)?;
        free.set(memory::free_bytes(device)? as usize);
        total.set(device.memory as usize);
        Ok(())
    }
    fn cuMemAlloc_v2(place: Answer<Place>, bytes: usize) {
        place.set(memory::allocate(here(Kind::Allocate)?, bytes)?);
        Ok(())
    }
    fn cuMemFree_v2(place: Place) {
        here(Kind::Call)?;
        memory::free(place)
    }
    fn cuMemAllocAsync(place: Answer<Place>, bytes: usize, on: Handle) {
        let device = here(Kind::Allocate)?;
        stream(on)?;
        place.set(memory::allocate(device, bytes)?);
        Ok(())
    }
    fn cuMemFreeAsync(place: Place, on: Handle) {
        here(Kind::Call)?;
        stream(on)?.put(Work::new("a return of memory", &[], move || memory::free(place)));
        Ok(())
    }
    fn cuMemHostAlloc(place: Answer<u64>, bytes: usize, _flags: c_uint) {
        here(Kind::Pin)?;
        place.set(memory::allocate_host(bytes)?);
        Ok(())
    }
    fn cuMemFreeHost(place: u64) {
        memory::free_host(place)?;
        here(Kind::Call).map(drop)
    }
    fn cuMemHostRegister_v2(place: u64, bytes: usize, _flags: c_uint) {
        here(Kind::Pin)?;
        memory::register(place, bytes)
    }
    fn cuMemHostUnregister(place: u64) {
        memory::unregister(place)?;
        here(Kind::Call).map(drop)
    }

    fn cuMemsetD8Async(place: Place, value: c_uchar, bytes: usize, on: Handle) {
        let (device, stream) = (here(Kind::Copy)?, stream(on)?);
        if bytes == 0 {
            return Ok(());
        }
        let to = memory::region(device, "cuMemsetD8Async", place, Some(bytes));
        let uses = [to.clone()];
        stream.put(Work::new("cuMemsetD8Async", &uses, move || {
            // SAFETY: it has as many bytes, and stays until it is done.
            unsafe { to.host().write_bytes(value, to.bytes) };
            Ok(())
        }));
        Ok(())
    }
    fn cuMemcpyHtoDAsync_v2(to: Place, from: u64, bytes: usize, on: Handle) {
        const WHAT: &str = "cuMemcpyHtoDAsync";
        let (device, stream) = (here(Kind::Copy)?, stream(on)?);
        if bytes > 0 {
            let to = memory::region(device, WHAT, to, Some(bytes));
            copy(WHAT, pinned(WHAT, from, bytes), to, &stream);
        }
        Ok(())
    }
    fn cuMemcpyDtoHAsync_v2(to: u64, from: Place, bytes: usize, on: Handle) {
        const WHAT: &str = "cuMemcpyDtoHAsync";
        let (device, stream) = (here(Kind::Copy)?, stream(on)?);
        if bytes > 0 {
            let from = memory::region(device, WHAT, from, Some(bytes));
            copy(WHAT, from, pinned(WHAT, to, bytes), &stream);
        }
        Ok(())
    }
    fn cuMemcpyDtoDAsync_v2(to: Place, from: Place, bytes: usize, on: Handle) {
        const WHAT: &str = "cuMemcpyDtoDAsync";
        let (device, stream) = (here(Kind::Copy)?, stream(on)?);
        if bytes > 0 {
            let region = |place| memory::region(device, WHAT, place, Some(bytes));
            copy(WHAT, region(from), region(to), &stream);
        }
        Ok(())
    }
    fn cuMemcpyPeerAsync(
        to: Place, to_context: Handle, from: Place, from_context: Handle, bytes: usize, on: Handle,
    ) {
        const WHAT: &str = "cuMemcpyPeerAsync";
        here(Kind::Copy)?;
        let stream = stream(on)?;
        let (there, source) = (device_of(to_context)?, device_of(from_context)?);
        source.check()?;
        if bytes > 0 {
            let to = memory::region(there, WHAT, to, Some(bytes));
            copy(WHAT, memory::region(source, WHAT, from, Some(bytes)), to, &stream);
        }
        Ok(())
    }

    fn cuStreamCreate(stream: Answer<Handle>, _flags: c_uint) {
        static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::SeqCst);
        stream.set(objects::add(Object::Stream(Stream::new(here(Kind::Call)?, number))));
        Ok(())
    }
    fn cuStreamDestroy_v2(handle: Handle) {
        let Object::Stream(stream) = objects::remove(handle)? else { return Err(INVALID_HANDLE) };
        stream.end();
        stream.device.check()
    }
    fn cuStreamSynchronize(handle: Handle) {
        let stream = stream(handle)?;
        stream.wait();
        stream.device.count(Kind::Call)
    }
    fn cuStreamQuery(handle: Handle) {
        let stream = stream(handle)?;
        stream.device.count(Kind::Call)?;
        if stream.is_idle() { Ok(()) } else { Err(NOT_READY) }
    }
    fn cuStreamWaitEvent(handle: Handle, event: Handle, _flags: c_uint) {
        let stream = stream(handle)?;
        stream.device.count(Kind::Call)?;
        objects::event(event)?.hold(&stream);
        Ok(())
    }
    fn cuLaunchHostFunc(handle: Handle, function: extern "C" fn(usize), data: usize) {
        let stream = stream(handle)?;
        stream.device.count(Kind::Call)?;
        stream.put(Work::new("a function of the host", &[], move || {
            function(data);
            Ok(())
        }));
        Ok(())
    }

    fn cuEventCreate(event: Answer<Handle>, _flags: c_uint) {
        here(Kind::Call)?;
        event.set(objects::add(Object::Event(Arc::new(Event::default()))));
        Ok(())
    }
    fn cuEventDestroy_v2(handle: Handle) {
        let Object::Event(_) = objects::remove(handle)? else { return Err(INVALID_HANDLE) };
        Ok(())
    }
    fn cuEventRecord(event: Handle, handle: Handle) {
        let stream = stream(handle)?;
        stream.device.count(Kind::Call)?;
        objects::event(event)?.record(&stream);
        Ok(())
    }
    fn cuEventQuery(event: Handle) {
        objects::event(event)?.query()
    }
    fn cuEventSynchronize(event: Handle) {
        here(Kind::Call)?;
        objects::event(event)?.wait()
    }
    fn cuEventElapsedTime(milliseconds: Answer<f32>, start: Handle, end: Handle) {
        milliseconds.set(objects::event(end)?.since(&*objects::event(start)?)?);
        Ok(())
    }

    fn cuModuleLoadData(module: Answer<Handle>, code: Given<c_char>) {
        here(Kind::Call)?;
        module.set(objects::add(Object::Module(Module::load(&code.text())?)));
        Ok(())
    }
    fn cuModuleUnload(handle: Handle) {
        let Object::Module(_) = objects::remove(handle)? else { return Err(INVALID_HANDLE) };
        Ok(())
    }
    fn cuModuleGetFunction(function: Answer<Handle>, module: Handle, name: Given<c_char>) {
        here(Kind::Call)?;
        let found = objects::module(module)?.function(&name.text())?;
        function.set(objects::add(Object::Function(Arc::new(found))));
        Ok(())
    }
    fn cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int) {
        let function = objects::function(function)?;
        if attribute == 8 {
            if !(0..=MOST_SHARED).contains(&value) {
                return Err(INVALID_VALUE);
            }
            function.most_shared.store(value.unsigned_abs(), Ordering::SeqCst);
        }
        Ok(())
    }
    fn cuLaunchKernel(
        function: Handle,
        blocks_x: c_uint, blocks_y: c_uint, blocks_z: c_uint,
        threads_x: c_uint, threads_y: c_uint, threads_z: c_uint,
        shared: c_uint,
        on: Handle,
        arguments: Arguments,
        extra: u64,
    ) {
        let (device, stream) = (here(Kind::Launch)?, stream(on)?);
        let function = objects::function(function)?;
        let (blocks, threads) =
            ([blocks_x, blocks_y, blocks_z], [threads_x, threads_y, threads_z]);
        let count: u64 = threads.iter().map(|&count| u64::from(count)).product();
        let is_possible = blocks_y <= 65_535 && blocks_z <= 65_535 && blocks_x <= i32::MAX as u32
            && threads_z <= 64 && !blocks.contains(&0) && !threads.contains(&0) && extra == 0;
        if !is_possible || count > 1024 {
            return Err(INVALID_VALUE);
        }
        if count > u64::from(function.most_threads) {
            return Err(OUT_OF_RESOURCES);
        }
        if shared > SHARED.max(function.most_shared.load(Ordering::SeqCst)) {
            return Err(INVALID_VALUE);
        }
        let shape = Shape { blocks, threads, shared };
        stream.put(function.launch(device, shape, arguments));
        Ok(())
    }
}
