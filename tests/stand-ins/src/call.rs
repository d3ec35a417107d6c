//! A call of cuBLAS or cuSOLVER: whom it is for, its operands, and the work that it becomes.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::sync::{Arc, Mutex};

use crate::abi::{Given, Handle, mistake};
use crate::dense::{Matrix, Op, Stored};
use crate::devices::{Device, current};
use crate::host::locked;
use crate::memory::{self, Place, Region};
use crate::number::Number;
use crate::objects::{self, Object};
use crate::settings::Kind;
use crate::streams::{Stream, Work};

/// Why a library refuses a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotInitialised,
    Invalid,
    Failed,
}

/// What a call has done, or why not.
pub(crate) type Called<T = ()> = Result<T, Refusal>;

/// What a handle of a library keeps.
#[derive(Clone)]
pub(crate) struct Library {
    device: &'static Device,
    stream: Option<Arc<Stream>>,
    /// Whether factors and sums are on the device.
    is_on_device: bool,
    /// Whether products in 32 bits round their operands to TF32.
    rounds: bool,
}

impl Library {
    /// One for the device whose context is current.
    pub(crate) fn create() -> Called<Handle> {
        let device = current().ok_or(Refusal::NotInitialised)?;
        device.count(Kind::Call).map_err(|_| Refusal::NotInitialised)?;
        let library = Self { device, stream: None, is_on_device: false, rounds: false };
        Ok(objects::add(Object::Library(Arc::new(Mutex::new(library)))))
    }

    pub(crate) fn destroy(handle: Handle) -> Called {
        objects::remove(handle).map(drop).map_err(|_| Refusal::NotInitialised)
    }

    pub(crate) fn set_stream(handle: Handle, stream: Handle) -> Called {
        let library = objects::library(handle).map_err(|_| Refusal::NotInitialised)?;
        let stream = objects::stream(stream).map_err(|_| Refusal::Invalid)?;
        let mut library = locked(&library);
        if stream.device.number != library.device.number {
            mistake!("a library of one device is given a stream of another");
        }
        library.stream = Some(stream);
        Ok(())
    }

    pub(crate) fn set_pointer_mode(handle: Handle, mode: c_int) -> Called {
        let library = objects::library(handle).map_err(|_| Refusal::NotInitialised)?;
        locked(&library).is_on_device = mode == 1;
        Ok(())
    }

    /// `cublasMath_t`.
    pub(crate) fn set_math_mode(handle: Handle, mode: c_int) -> Called {
        if !(0..=3).contains(&mode) {
            return Err(Refusal::Invalid);
        }
        let library = objects::library(handle).map_err(|_| Refusal::NotInitialised)?;
        locked(&library).rounds = mode == 3;
        Ok(())
    }
}

/// `cublasOperation_t`.
pub(crate) fn op(op: c_int) -> Called<Op> {
    match op {
        0 => Ok(Op::As),
        1 => Ok(Op::Transposed),
        2 => Ok(Op::Conjugated),
        _ => Err(Refusal::Invalid),
    }
}

/// `cublasFillMode_t`.
pub(crate) fn fill(fill: c_int) -> Called<Stored> {
    match fill {
        0 => Ok(Stored::Lower),
        1 => Ok(Stored::Upper),
        _ => Err(Refusal::Invalid),
    }
}

/// One of two, the second if it is so.
pub(crate) fn flag(value: c_int) -> Called<bool> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Refusal::Invalid),
    }
}

/// A size.
pub(crate) fn size(value: i32) -> Called<usize> {
    usize::try_from(value).map_err(|_| Refusal::Invalid)
}

/// Rows and columns of a matrix that becomes `rows x cols` by `op`.
pub(crate) fn before(op: Op, rows: i32, cols: i32) -> (i32, i32) {
    if op == Op::As { (rows, cols) } else { (cols, rows) }
}

/// A factor: its value, or where on the device it is.
#[derive(Clone, Debug)]
pub(crate) enum Factor<T> {
    Value(T),
    At(Region),
}

impl<T: Number> Factor<T> {
    /// Its value as the work runs.
    pub(crate) fn value(&self) -> T {
        match self {
            Self::Value(value) => *value,
            // SAFETY: there is one, which the region keeps.
            Self::At(region) => unsafe { region.host().cast::<T>().read_unaligned() },
        }
    }
}

/// A call under way.
pub(crate) struct Call {
    name: &'static str,
    library: Library,
    stream: Arc<Stream>,
    uses: Vec<Region>,
}

impl Call {
    /// One for `handle`.
    pub(crate) fn new(handle: Handle, name: &'static str) -> Called<Self> {
        let library = objects::library(handle).map_err(|_| Refusal::NotInitialised)?;
        let library = locked(&library).clone();
        let here = current().map(|device| device.number);
        if here != Some(library.device.number) {
            mistake!("{name} is called while the context of its device is not current");
        }
        let Some(stream) = library.stream.clone() else {
            mistake!("{name} is called before its library was given a stream");
        };
        Ok(Self { name, library, stream, uses: Vec::new() })
    }

    /// Whether a product rounds its operands, if they are in 32 bits.
    pub(crate) fn rounds(&self) -> bool {
        self.library.rounds
    }

    /// Memory of the device that it uses.
    pub(crate) fn region(&mut self, place: Place, bytes: usize) -> Region {
        let region = memory::region(self.library.device, self.name, place, Some(bytes));
        self.uses.push(region.clone());
        region
    }

    /// A matrix; without entries it may be anywhere.
    pub(crate) fn matrix<T>(
        &mut self,
        place: Place,
        (rows, cols): (i32, i32),
        ld: i32,
    ) -> Called<Matrix> {
        let (rows, cols, ld) = (size(rows)?, size(cols)?, size(ld)?);
        if ld < rows.max(1) {
            return Err(Refusal::Invalid);
        }
        let region = if rows == 0 || cols == 0 {
            Region::empty()
        } else {
            if !place.is_multiple_of(align_of::<T>() as Place) {
                mistake!("{} is given an address that is not aligned: {place:#x}", self.name);
            }
            self.region(place, ((cols - 1) * ld + rows) * size_of::<T>())
        };
        Ok(Matrix { region, rows, cols, ld })
    }

    /// A vector as a matrix of one row.
    pub(crate) fn vector<T>(&mut self, place: Place, count: i32, step: i32) -> Called<Matrix> {
        if step < 1 {
            return Err(Refusal::Invalid);
        }
        self.matrix::<T>(place, (1, count), step)
    }

    /// The addresses of `count` matrices, an array on the device, as they are now.
    pub(crate) fn places(&mut self, place: Place, count: i32) -> Called<Vec<Place>> {
        let count = size(count)?;
        let region = self.region(place, count * size_of::<Place>());
        self.stream.wait();
        let host = region.host().cast::<Place>();
        // SAFETY: as many are there, and nothing on the stream writes them.
        Ok((0..count).map(|index| unsafe { host.add(index).read_unaligned() }).collect())
    }

    /// A factor that the caller points to.
    pub(crate) fn factor<T: Number>(&mut self, factor: Given<T>) -> Factor<T> {
        if self.library.is_on_device {
            Factor::At(self.region(factor.address(), size_of::<T>()))
        } else if factor.is_null() || factor.address() >> 48 != 0 {
            mistake!("{} is given a factor that is not on the host", self.name)
        } else {
            Factor::Value(factor.at(0))
        }
    }

    /// Puts the work on the stream.
    pub(crate) fn put(self, action: impl FnOnce() + Send + 'static) -> Called {
        self.library.device.count(Kind::Launch).map_err(|_| Refusal::Failed)?;
        let work = Work::new(self.name, &self.uses, move || {
            action();
            Ok(())
        });
        self.stream.put(Work { computes: true, ..work });
        Ok(())
    }

    /// The same for one number, which is written where the caller wants it: on the device, or on
    /// the host before the call returns.
    pub(crate) fn sum<T: Number>(
        mut self,
        place: u64,
        sum: impl FnOnce() -> T + Send + 'static,
    ) -> Called {
        if self.library.is_on_device {
            let region = self.region(place, size_of::<T>());
            // SAFETY: there is room for one, which the region keeps.
            return self.put(move || unsafe { region.host().cast::<T>().write_unaligned(sum()) });
        }
        let (stream, device) = (self.stream.clone(), self.library.device);
        let answer = Arc::new(Mutex::new(None));
        let filled = answer.clone();
        self.put(move || *locked(&filled) = Some(sum()))?;
        stream.wait();
        device.check().map_err(|_| Refusal::Failed)?;
        if let Some(value) = locked(&answer).take() {
            // SAFETY: the caller of the exported function gives a place for one.
            unsafe { (place as *mut T).write_unaligned(value) };
        }
        Ok(())
    }
}

/// Functions of a library, each generic and exported for the precisions whose letters are given: as
/// `PREFIX`, the letter and the text that follows.
macro_rules! library {
    ($prefix:literal, $status:ident; $(
        $(#[doc = $doc:literal])*
        fn $name:ident[$($letter:ident)+, $suffix:literal]
            ($call:ident $(, $argument:ident: $type:ty)* $(,)?) $body:block
    )+) => {
        $(
            $(#[doc = $doc])*
            #[allow(clippy::too_many_arguments)]
            fn $name<T: $crate::number::Number>(
                #[allow(unused_mut)] mut $call: $crate::call::Call $(, $argument: $type)*
            ) -> $crate::call::Called $body
            $crate::call::library!(
                @each $prefix, $status, $name, ($($argument: $type),*), [$($letter)+], $suffix
            );
        )+
    };
    (@each $prefix:literal, $status:ident, $name:ident, $arguments:tt, [$($letter:ident)+],
        $suffix:literal
    ) => {
        $($crate::call::library!(@one $prefix, $status, $name, $arguments, $letter, $suffix);)+
    };
    (@one $prefix:literal, $status:ident, $name:ident, ($($argument:ident: $type:ty),*),
        $letter:ident, $suffix:literal
    ) => {
        const _: () = {
            type T = $crate::call::library!(@number $letter);
            const NAME: &str = concat!($prefix, stringify!($letter), $suffix);
            #[unsafe(export_name = concat!($prefix, stringify!($letter), $suffix))]
            extern "C" fn exported(
                handle: $crate::abi::Handle $(, $argument: $type)*
            ) -> std::ffi::c_int {
                let call = $crate::call::Call::new(handle, NAME);
                $status(call.and_then(|call| $name::<T>(call $(, $argument)*)))
            }
        };
    };
    (@number S) => { f32 };
    (@number D) => { f64 };
    (@number C) => { num_complex::Complex<f32> };
    (@number Z) => { num_complex::Complex<f64> };
}
pub(crate) use library;
