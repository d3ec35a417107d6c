//! What programs hold by a handle: streams, events, modules, functions, libraries.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use crate::abi::{Handle, INVALID_HANDLE, Outcome};
use crate::call::Library;
use crate::host::locked;
use crate::modules::{Function, Module};
use crate::nvrtc::Program;
use crate::streams::{Event, Stream};

/// Handles are this number and a count, which is never used again.
const HANDLE: Handle = 0x00A0_0B1E_C700_0000;

/// One of them.
#[derive(Clone)]
pub(crate) enum Object {
    Stream(Arc<Stream>),
    Event(Arc<Event>),
    Module(Arc<Module>),
    Function(Arc<Function>),
    Library(Arc<Mutex<Library>>),
    Program(Arc<Mutex<Program>>),
}

#[derive(Default)]
struct Objects {
    count: Handle,
    all: HashMap<Handle, Object>,
}

static OBJECTS: LazyLock<Mutex<Objects>> = LazyLock::new(Mutex::default);

/// A handle of `object`.
pub(crate) fn add(object: Object) -> Handle {
    let mut objects = locked(&OBJECTS);
    objects.count += 1;
    let handle = HANDLE + objects.count;
    objects.all.insert(handle, object);
    handle
}

/// What `handle` stands for, from now on nothing.
pub(crate) fn remove(handle: Handle) -> Outcome<Object> {
    locked(&OBJECTS).all.remove(&handle).ok_or(INVALID_HANDLE)
}

/// Makes a function that finds objects of one kind.
macro_rules! find {
    ($($name:ident: $kind:ident($type:ty);)+) => {
        $(
            /// The object of this kind that `handle` stands for.
            pub(crate) fn $name(handle: Handle) -> Outcome<$type> {
                match locked(&OBJECTS).all.get(&handle) {
                    Some(Object::$kind(object)) => Ok(object.clone()),
                    _ => Err(INVALID_HANDLE),
                }
            }
        )+
    };
}

find! {
    stream: Stream(Arc<Stream>);
    event: Event(Arc<Event>);
    module: Module(Arc<Module>);
    function: Function(Arc<Function>);
    library: Library(Arc<Mutex<Library>>);
    program: Program(Arc<Mutex<Program>>);
}

/// The streams of a device.
pub(crate) fn streams(device: usize) -> Vec<Arc<Stream>> {
    let objects = locked(&OBJECTS);
    let of = |object: &Object| match object {
        Object::Stream(stream) if stream.device.number == device => Some(stream.clone()),
        _ => None,
    };
    objects.all.values().filter_map(of).collect()
}
